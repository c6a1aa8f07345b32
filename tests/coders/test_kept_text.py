"""A level as text."""

from __future__ import annotations

from typing import Any

import pytest

from vtreat_py.coders import codes
from vtreat_py.coders.level_texts import as_text


@pytest.mark.parametrize(
    ("level", "text"),
    [("a", "a"), (b"\xc3\xa9", "é"), (b"\xff", "\\xff"), (7, "7"), (2.5, "2.5"), (True, "True")],
)
def test_levels_are_written_as_python_does(level: Any, text: str) -> None:
    assert as_text(level) == text


def test_no_design_has_the_code_but_plans_may() -> None:
    assert codes.KEPT.name not in codes.names()
    assert codes.names_in_plans() == (*codes.names(), "kept")
    assert codes.named("kept") is codes.KEPT
    assert codes.KEPT.keeps_name("town") == "town"
    assert not any(codes.KEPT in codes.for_outcome(kind) for kind in ("numeric", "unsupervised"))
