"""Codes of numbers that are a curve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import ClassVar, Literal

from vtreat_py.coders.code import SUPERVISED, Code, CodeOptions
from vtreat_py.coders.forms import Curves
from vtreat_py.coders.rows import RowsOfNumbers


class CurveCode(Code):
    """A code that makes a curve of a numeric column, learned by rows."""

    reads: ClassVar[Literal["levels", "numbers"]] = "numbers"
    outcomes = SUPERVISED
    y_aware = True

    @abstractmethod
    def form(
        self,
        rows: RowsOfNumbers,
        column: Hashable,
        fold: int | None,
        options: CodeOptions,
        classes: bool,
    ) -> Curves | None:
        """Learn the curve of a training set, and the code of bad values.

        Parameters
        ----------
        rows : RowsOfNumbers
            With good ones among them.
        column, fold
            Whose rows they are (None: all), for messages.
        classes : bool
            Whether the outcome is a class.

        Returns
        -------
        Curves or None
            Those of a plan. None: there is none.
        """

    @abstractmethod
    def declined(self, column: Hashable) -> str:
        """Say why there is no code, where there is no curve of all rows."""

    @abstractmethod
    def without_curve(self, rows: RowsOfNumbers, classes: bool) -> float:
        """Code of all rows of a fold whose training rows give none."""
