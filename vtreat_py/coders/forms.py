"""How numbers become other numbers: forms that every engine can write.

In a plan their fields are numbers; in a cross-frame they may be arrays with an entry for each fold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.coders.curve import Curve

Number = float | FloatArray

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Copy:
    """The number itself, bad ones filled in, cut off at both ends if there are cuts.

    Attributes
    ----------
    imputed : float or ndarray of shape (folds,)
    cuts : (lower, upper), floats or arrays of shape (folds,), or None
    """

    imputed: Number
    cuts: tuple[Number, Number] | None = None

    @property
    def of_bad(self) -> float:
        """Code of a bad value, in a plan."""
        number = float(self.imputed)
        return number if self.cuts is None else float(np.clip(number, *self.cuts))

    def write(
        self, values: NumberArray, bad: BoolArray | None, fold: IntArray | None, out: FloatArray
    ) -> None:
        """Write the codes of rows to ``out``; ``fold`` is that of each, where forms differ."""
        out[:] = values
        if bad is not None:
            np.copyto(out, _at(self.imputed, fold), where=bad)
        if self.cuts is not None:
            np.clip(out, *(_at(cut, fold) for cut in self.cuts), out=out)


@dataclass(frozen=True, eq=False)
class Steps:
    """A number for each range of values, and one for bad ones.

    Attributes
    ----------
    edges : ndarray of shape (m,)
        Ascending. Range i holds values above edge i - 1 and up to edge i; the first and the last
        are open.
    values : ndarray of shape (m + 2,) or (m + 2, folds)
        Codes of the ranges, and of bad values.
    """

    edges: FloatArray
    values: FloatArray

    @property
    def of_bad(self) -> float:
        """Code of a bad value, in a plan."""
        return float(self.values[-1])

    def write(
        self, values: NumberArray, bad: BoolArray | None, fold: IntArray | None, out: FloatArray
    ) -> None:
        """Write the codes of rows to ``out``; ``fold`` is that of each, where forms differ."""
        place = np.searchsorted(self.edges, values, side="left")
        if bad is not None:
            place[bad] = len(self.edges) + 1
        out[:] = self.values[place] if self.values.ndim == 1 else self.values[place, fold]


class _Mark(Steps):
    """One range, of 0, and 1 for bad values: what is bad as it is."""

    def write(
        self,
        values: NumberArray,  # noqa: ARG002
        bad: BoolArray | None,
        fold: IntArray | None,  # noqa: ARG002
        out: FloatArray,
    ) -> None:
        """Write 1 for bad values."""
        out[:] = 0.0 if bad is None else bad


MARK = _Mark(np.empty(0), np.array([0.0, 1.0]))


@dataclass(frozen=True, eq=False)
class Curves:
    """The value of a curve at a number, and a code of bad ones.

    Attributes
    ----------
    curves : tuple of Curve
        The one of a plan, or one for each fold.
    bad : float or ndarray of shape (folds,)
    """

    curves: tuple[Curve, ...]
    bad: Number

    @property
    def of_bad(self) -> float:
        """Code of a bad value, in a plan."""
        return float(self.bad)

    def write(
        self, values: NumberArray, bad: BoolArray | None, fold: IntArray | None, out: FloatArray
    ) -> None:
        """Write the codes of rows to ``out``; ``fold`` is that of each, where forms differ."""
        if bad is not None:
            values = np.where(bad, 0, values)
        if fold is None:
            out[:] = self.curves[0](values)
        else:
            order = np.argsort(fold, kind="stable")
            ends = np.cumsum(np.bincount(fold, minlength=len(self.curves)))
            for curve, rows in zip(self.curves, np.split(order, ends[:-1]), strict=True):
                out[rows] = curve(values[rows])
        if bad is not None:
            np.copyto(out, _at(self.bad, fold), where=bad)


Form = Copy | Steps | Curves


def _at(number: Number, fold: IntArray | None) -> Number:
    return number if isinstance(number, float) else number[fold]


def filled(values: NumberArray, bad: BoolArray | None, imputed: Number) -> NumberArray:
    """Replace bad values; ``imputed`` is one number, or one a row."""
    return values if bad is None else np.where(bad, imputed, values)


def scale_in_place(values: FloatArray, slope: FloatArray | float, mean: FloatArray | float) -> None:
    """Turn x into ``slope * (x - mean)``; what would leave the range of floats stays at its end."""
    with np.errstate(over="ignore"):
        values -= mean
        np.clip(values, -_LARGEST, _LARGEST, out=values)
        values *= slope
    np.clip(values, -_LARGEST, _LARGEST, out=values)
