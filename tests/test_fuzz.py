"""A short run of every law: some cases of a seed, and others that hypothesis makes up."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import fuzz

# Laws of what is slow to ask.
_SLOW = {
    "containers": 2, "lazy": 2, "kept": 3, "tampered": 3, "repeats": 3, "for scoring": 3,
    "swapped": 3, "sql": 3,
}  # fmt: skip


@pytest.mark.parametrize("law", fuzz.LAWS)
def test_laws_hold(law: str) -> None:
    tried = [fuzz.case(law, 0, number) for number in range(_SLOW.get(law, 6))]
    assert sum(tried) >= len(tried) / 3  # the others were refused


@pytest.mark.parametrize("law", ["finite", "rows alone", "json"])
def test_laws_hold_for_what_hypothesis_makes_up(law: str) -> None:
    @settings(
        deadline=None, database=None, max_examples=15, suppress_health_check=list(HealthCheck)
    )
    @given(st.randoms(use_true_random=False))
    def holds(numbers: random.Random) -> None:
        fuzz.hold(law, numbers)

    holds()


def test_a_broken_law_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: object) -> None:
        raise AssertionError("as made")

    monkeypatch.setattr(fuzz, "LAWS", {"broken": fails})
    assert fuzz.main(["--seconds", "0.01", "--seed", "7"]) == 1
    told = capsys.readouterr()
    assert "broken, seed 7, case 0" in told.err
    assert "broken: held 0, refused 0, broken" in told.out
