"""text: a level as text."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from vtreat_py.coders.code import Code


class Text(Code):
    """The level itself, and a mark for missing and novel ones: no number, and so in no design."""

    name = "text"
    reads = "levels"
    outcomes = ()

    def named_after(self, column: Hashable) -> str:
        """The column's own name."""
        return str(column)


def as_text(level: Any) -> str:
    """Write a level as text: bytes as UTF-8, other values as Python does."""
    if isinstance(level, bytes):
        return level.decode(errors="backslashreplace")
    return str(level)
