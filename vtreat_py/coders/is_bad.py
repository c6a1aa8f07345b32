"""isBAD: a mark where a number is missing or infinite."""

from __future__ import annotations

from vtreat_py.coders.code import NumberCode
from vtreat_py.coders.forms import MARK, Number, Steps


class IsBad(NumberCode):
    """Marks bad values."""

    name = "isBAD"
    is_sparse = True

    def form(self, imputed: Number, cuts: tuple[Number, Number] | None) -> Steps:  # noqa: ARG002
        """How rows are coded."""
        return MARK
