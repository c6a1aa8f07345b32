"""A short run of every law."""

from __future__ import annotations

import pytest

from tests import fuzz


@pytest.mark.parametrize("law", fuzz.LAWS)
def test_laws_hold(law: str) -> None:
    for number in range(200):
        fuzz.case(law, 0, number)


def test_a_broken_law_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: object) -> None:
        raise AssertionError("as made")

    monkeypatch.setattr(fuzz, "LAWS", {"broken": fails})
    assert fuzz.main(["--seconds", "0.01", "--seed", "7"]) == 1
    assert "broken, seed 7, case 0" in capsys.readouterr().err
