"""kept: a level as it is, as text."""

from __future__ import annotations

from collections.abc import Hashable

from vtreat_py.coders.code import Code


class KeptText(Code):
    """The level itself, and a mark for missing and novel ones: no number, and so in no design."""

    name = "kept"
    reads = "levels"
    outcomes = ()

    def named_after(self, column: Hashable) -> str:
        """The column's own name."""
        return str(column)
