"""How numbers become other numbers: forms that every engine can write.

In a plan their fields are numbers; in a cross-frame they may be arrays with an entry for each fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.coders.curve import Curve, apart, units_between
from vtreat_py.statistics.blocks import ROWS, blocks
from vtreat_py.statistics.places import places_among

Number = float | FloatArray

LARGEST = float(np.finfo(np.float64).max)


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
            at = np.flatnonzero(bad)
            out[at] = _at(self.imputed, None if fold is None else fold[at])
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
        if bad is not None:
            values = np.where(bad, 0, values)
        place = places_among(self.edges, values)
        if bad is not None:
            place[bad] = len(self.edges) + 1
        if fold is None or self.values.ndim == 1:
            np.take(self.values, place, out=out, mode="clip")
            return
        n_folds, by_cell = self.values.shape[1], self.values.ravel()
        for rows in blocks(len(place)):
            cell = np.multiply(place[rows], n_folds, dtype=np.intp)
            cell += fold[rows]
            np.take(by_cell, cell, out=out[rows], mode="clip")


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


@dataclass(frozen=True, eq=False)
class FoldCurves:
    """Curves of the folds that have their knots in common.

    Attributes
    ----------
    knots : ndarray of shape (m,)
        Ascending.
    values : ndarray of shape (folds, m)
        The values there; beyond the ends the first and the last value hold.
    bad : ndarray of shape (folds,)
    """

    knots: FloatArray
    values: FloatArray
    bad: FloatArray

    @cached_property
    def start(self) -> FloatArray:
        """Where pieces start, one more than there are knots: all before the first is one."""
        return np.append(self.knots[0], self.knots)

    @cached_property
    def value(self) -> FloatArray:
        """Values there: shape (folds, m + 1)."""
        return np.concatenate([self.values[:, :1], self.values], axis=1)

    @cached_property
    def unit(self) -> FloatArray | None:
        """Units of the pieces, as those of a `Curve`; None: all are 1."""
        unit = np.append(1.0, np.append(units_between(self.knots[:-1], self.knots[1:]), 1.0))
        return None if (unit == 1.0).all() else unit

    @cached_property
    def slope(self) -> FloatArray:
        """Slopes of the pieces, by unit: shape (folds, m + 1)."""
        slope = np.zeros_like(self.value)
        unit = None if self.unit is None else self.unit[1:-1]
        run = apart(self.knots[:-1], self.knots[1:], unit)
        slope[:, 1:-1] = np.diff(self.values, axis=1) / run
        return slope


def write_curves(
    curves: Sequence[FoldCurves],
    place: IntArray,
    values: NumberArray,
    bad: BoolArray | None,
    fold: IntArray,
    outs: Sequence[FloatArray],
) -> None:
    """Write the codes of rows by several curves of the same knots.

    ``place`` is the number of knots below each good value. Rows are looked at a few at a time, so
    that what the curves have in common stays in the cache.
    """
    first = curves[0]
    n_pieces, low, high = len(first.start), first.knots[0], first.knots[-1]
    start = first.start if first.unit is None else first.start / first.unit
    tables = [(one.value.ravel(), one.slope.ravel(), one.bad) for one in curves]
    cells, distances, buffer = np.empty(ROWS, dtype=np.intp), np.empty(ROWS), np.empty(ROWS)
    for rows in blocks(len(place)):
        own, n = fold[rows], rows.stop - rows.start
        cell, along, some = cells[:n], distances[:n], buffer[:n]
        piece = place[rows].astype(np.intp)
        np.multiply(own, n_pieces, out=cell, dtype=np.intp)
        cell += piece
        np.clip(values[rows], low, high, out=along)
        if first.unit is not None:
            along /= first.unit[piece]
        along -= np.take(start, piece, out=some, mode="clip")
        lost = None if bad is None else np.flatnonzero(bad[rows])
        for (value, slope, of_bad), out in zip(tables, outs, strict=True):
            here = np.take(slope, cell, out=out[rows], mode="clip")
            here *= along
            here += np.take(value, cell, out=some, mode="clip")
            if lost is not None:
                here[lost] = of_bad[own[lost]]


Form = Copy | Steps | Curves
FoldForm = Form | FoldCurves


def _at(number: Number, fold: IntArray | None) -> Number:
    return number if isinstance(number, float) else number[fold]


def filled(values: NumberArray, bad: BoolArray | None, imputed: Number) -> NumberArray:
    """Replace bad values; ``imputed`` is one number, or one a row."""
    return values if bad is None else np.where(bad, imputed, values)


def scale_in_place(values: FloatArray, slope: FloatArray | float, mean: FloatArray | float) -> None:
    """Turn x into ``slope * (x - mean)``; what would leave the range of floats stays at its end."""
    with np.errstate(over="ignore"):
        values -= mean
        np.clip(values, -LARGEST, LARGEST, out=values)
        values *= slope
    np.clip(values, -LARGEST, LARGEST, out=values)
