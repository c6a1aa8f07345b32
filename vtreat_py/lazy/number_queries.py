"""Extents and sums of numeric columns by fold, all columns of a batch in one query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.lazy.aggregates import How, floats, grouped, one_where, value_where
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.tables import brought
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums

# So many columns are asked for at once: engines take long to plan queries of thousands of sums.
_BATCH = 64
# Squares about the mean below this share of the raw ones have lost digits to cancellation.
_CANCELLED = 1e-4
# Sums of numbers times this do not leave the range of floats.
_SMALL = 2.0**-64
_CELL, _MEANS = "cell", "cell_of_means"
# Means of good values, of the outcome of good rows, and of bad ones, as columns of a query.
_MEANS_OF = ("x_mean", "y_mean", "bad_mean")


@dataclass(frozen=True, eq=False)
class Extents:
    """What a first look at a numeric column tells, cell by cell.

    A cell is a fold or, for a class outcome, a fold and a class. Good values are those of rows
    that count.

    Attributes
    ----------
    low, high : ndarray of shape (cells,)
        Smallest and largest good value; NaN where there is none.
    mean : float
        Of the good values, each row counting as one; NaN where there is none.
    has_bad, has_infinite : bool
        Whether some row, of any weight, has a bad value, or an infinite one.
    """

    low: FloatArray
    high: FloatArray
    mean: float
    has_bad: bool
    has_infinite: bool

    @property
    def has_good(self) -> bool:
        """Whether there is a good value."""
        return not math.isnan(self.mean)

    @property
    def coordinates(self) -> Coordinates:
        """Coordinates near the good values."""
        low, high = float(np.nanmin(self.low)), float(np.nanmax(self.high))
        return Coordinates.around(self.mean, low, high)

    @property
    def largest(self) -> float:
        """Largest size of a good value."""
        return max(abs(float(np.nanmin(self.low))), abs(float(np.nanmax(self.high))))

    @property
    def constant(self) -> BoolArray:
        """Cells that hold one good value only."""
        return np.asarray(self.low == self.high)


def batches(columns: Sequence[LazyNumber]) -> Iterator[Sequence[LazyNumber]]:
    """Cut columns into batches for one query each."""
    for start in range(0, len(columns), _BATCH):
        yield columns[start : start + _BATCH]


def extents(rows: DesignRows, columns: Sequence[LazyNumber]) -> list[Extents]:
    """Look at numeric columns for the first time."""
    cells, asked = Cells(rows), dict[str, tuple[How, nw.Expr]]()
    for i, column in enumerate(columns):
        good = value_where(rows.counts & ~column.is_bad, column.number)
        asked |= {
            f"low{i}": ("min", good),
            f"high{i}": ("max", good),
            f"rows{i}": ("count", good),
            f"sum{i}": ("sum", good * _SMALL),
            f"bad{i}": ("count", one_where(column.is_bad)),
            f"infinite{i}": ("count", one_where(_is_infinite(column))),
        }
    table = cells.grouped(rows.of(columns), asked)

    def of_column(i: int) -> Extents:
        n_rows = np.nansum(floats(table, f"rows{i}"))
        mean = np.nansum(floats(table, f"sum{i}")) / n_rows / _SMALL if n_rows else math.nan
        return Extents(
            cells.placed(table, f"low{i}", np.nan),
            cells.placed(table, f"high{i}", np.nan),
            float(mean),
            bool(np.nansum(floats(table, f"bad{i}"))),
            bool(np.nansum(floats(table, f"infinite{i}"))),
        )

    return [of_column(i) for i in range(len(columns))]


def _is_infinite(column: LazyNumber) -> nw.Expr:
    number = column.number
    return ~number.is_null() & ~number.is_finite() & ~number.is_nan()


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells that sums are asked for: folds, or for a class outcome folds and classes."""

    rows: DesignRows

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return self.rows.n_folds * max(self.rows.n_classes, 1)

    @property
    def key(self) -> nw.Expr:
        """The cell of a row."""
        n_classes = self.rows.n_classes
        return nw.col(FOLD) * n_classes + nw.col(Y) if n_classes else nw.col(FOLD)

    def grouped(self, frame: nw.LazyFrame[Any], asked: dict[str, tuple[How, nw.Expr]]) -> pa.Table:
        """Sum the rows of each cell."""
        return grouped(frame, {_CELL: self.key}, asked)

    def placed(self, table: pa.Table, name: str, nothing: float = 0.0) -> FloatArray:
        """One sum as an array over all cells."""
        found = np.full(self.n_cells, nothing)
        values = floats(table, name)
        found[table[_CELL].to_numpy()] = np.where(np.isnan(values), nothing, values)
        return found


def number_sums(
    rows: DesignRows, columns: Sequence[LazyNumber], known: Sequence[Extents]
) -> list[list[NumericSums]]:
    """Sum numeric columns that have good values, for each contrast, by fold.

    Where sums about the column's mean would lose digits in some cell, for it lies far off for its
    spread, the columns are summed once more, about the means of the cells.
    """
    cells = Cells(rows)
    looks = [_Look(rows, c, e, i) for i, (c, e) in enumerate(zip(columns, known, strict=True))]
    table = cells.grouped(rows.of(columns), _asked_of_all(looks))
    sums = [look.read(cells, table) for look in looks]
    unsure = [k for k, one in enumerate(sums) if one.is_cancelled]
    if unsure:
        again = _second_look(cells, [looks[k] for k in unsure], [sums[k] for k in unsure])
        for k, better in zip(unsure, again, strict=True):
            sums[k] = better
    return [_by_contrast(rows, one) for one in sums]


def _asked_of_all(looks: Sequence[_Look]) -> dict[str, tuple[How, nw.Expr]]:
    return {name: asked for look in looks for name, asked in look.asked().items()}


def _second_look(
    cells: Cells, looks: Sequence[_Look], first: Sequence[_CellSums]
) -> list[_CellSums]:
    """Sum about the means of each cell, which are brought to the engine."""
    rows, means = cells.rows, {_MEANS: pa.array(np.arange(cells.n_cells), pa.int64())}
    for look, sums in zip(looks, first, strict=True):
        for what, mean in zip(_MEANS_OF, sums.means, strict=True):
            means[f"{what}{look.place}"] = pa.array(mean)
    frame = rows.of([look.column for look in looks]).with_columns(cells.key.alias(_CELL))
    table = brought(rows.source, pa.table(means))
    joined = frame.join(table, left_on=_CELL, right_on=_MEANS, how="left")
    about = [replace(look, about=sums) for look, sums in zip(looks, first, strict=True)]
    answer = grouped(joined, {_CELL: nw.col(_CELL)}, _asked_of_all(about))
    return [look.read(cells, answer) for look in about]


def _by_contrast(rows: DesignRows, sums: _CellSums) -> list[NumericSums]:
    """Sums by fold, from those by fold and class."""
    found = NumericSums(sums.good, sums.bad)
    if not rows.n_classes:
        return [found]
    assert rows.outcome is not None
    classes = range(1, 2) if rows.outcome.kind == "binomial" else range(rows.n_classes)
    return [found.of_class(k, rows.n_classes) for k in classes]


def inner(number: nw.Expr, coordinates: Coordinates) -> nw.Expr:
    """Inner coordinates of a number; see `Coordinates.inner`."""
    if coordinates.unit == 1.0:
        return number - coordinates.centre
    return number / coordinates.unit - coordinates.centre / coordinates.unit


@dataclass(frozen=True, eq=False)
class _CellSums:
    """Sums of a numeric column, cell by cell."""

    good: Moments
    bad: OutcomeSums
    is_cancelled: bool

    @property
    def means(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means of good values, and of the outcome of good and bad rows."""
        return self.good.x, self.good.y, self.bad.mean


@dataclass(frozen=True, eq=False)
class _Look:
    """What a query asks of one numeric column, and how the answer is read.

    Attributes
    ----------
    place : int
        Tells its sums from those of other columns.
    about : _CellSums or None
        Sums are about these means, which the frame has as columns.
    """

    rows: DesignRows
    column: LazyNumber
    extents: Extents
    place: int
    about: _CellSums | None = None

    def asked(self) -> dict[str, tuple[How, nw.Expr]]:
        """Sums of the good rows, and of the bad ones."""
        rows, column = self.rows, self.column
        good, bad = rows.counts & ~column.is_bad, rows.counts & column.is_bad
        x, y, bad_y = inner(column.number, self.extents.coordinates), nw.col(Y), nw.col(Y)
        if self.about is not None:
            x, y, bad_y = (
                value - nw.col(f"{what}{self.place}")
                for value, what in zip((x, y, bad_y), _MEANS_OF, strict=True)
            )

        def total(where: nw.Expr, value: nw.Expr) -> tuple[How, nw.Expr]:
            return "sum", value_where(where, rows.weighted(value))

        asked: dict[str, tuple[How, nw.Expr]] = {
            "rows": ("count", one_where(good)),
            "bad_rows": ("count", one_where(bad)),
            "x": total(good, x),
            "xx": total(good, x * x),
        }
        if rows.weight is not None:
            asked["weight"] = "sum", value_where(good, rows.w)
            asked["bad_weight"] = "sum", value_where(bad, rows.w)
        if not rows.n_classes:
            asked |= {
                "y": total(good, y),
                "xy": total(good, x * y),
                "yy": total(good, y * y),
                "bad_y": total(bad, bad_y),
                "bad_yy": total(bad, bad_y * bad_y),
            }
        return {f"{name}{self.place}": one for name, one in asked.items()}

    def read(self, cells: Cells, table: pa.Table) -> _CellSums:
        """Turn the sums of each cell into moments about its means."""

        def placed(name: str) -> FloatArray:
            found = f"{name}{self.place}"
            known = found in table.column_names
            return cells.placed(table, found) if known else np.zeros(cells.n_cells)

        rows, bad_rows, xx, yy, bad_yy = map(placed, ("rows", "bad_rows", "xx", "yy", "bad_yy"))
        weighted = self.rows.weight is not None
        n = placed("weight") if weighted else rows
        bad_n = placed("bad_weight") if weighted else bad_rows
        x, y = (placed(v) / np.where(n > 0, n, 1.0) for v in ("x", "y"))
        bad_y = placed("bad_y") / np.where(bad_n > 0, bad_n, 1.0)
        (xx, lost_of_x), (yy, lost_of_y) = _squares(xx, n, x, rows), _squares(yy, n, y, rows)
        bad_yy, lost_of_bad = _squares(bad_yy, bad_n, bad_y, bad_rows)
        xy = np.where(rows > 1, placed("xy") - n * x * y, 0.0)
        constant = self.extents.constant
        cancelled = (lost_of_x & ~constant) | lost_of_y | lost_of_bad
        if self.about is not None:
            x, y, bad_y = (
                off + mean for off, mean in zip((x, y, bad_y), self.about.means, strict=True)
            )
        # A constant does not vary, not even by rounding.
        only = self.extents.coordinates.inner(np.where(constant, self.extents.low, 0.0))
        outcome = self.rows.outcome
        centre = 0.0 if outcome is None else outcome.centre
        good = Moments(
            n,
            np.where(constant, only, x),
            y,
            np.where(constant, 0.0, xx),
            np.where(constant, 0.0, xy),
            yy,
            0.0,
            centre,
        )
        is_class = self.rows.n_classes > 0
        bad = OutcomeSums(bad_n, bad_n * bad_y, None if is_class else bad_yy, centre)
        return _CellSums(good, bad, bool(cancelled.any()) and self.about is None)


def _squares(
    raw: FloatArray, weight: FloatArray, mean: FloatArray, rows: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Squares about the mean, 0 of one row, and where too many digits were lost on the way."""
    left = np.where(rows > 1, np.maximum(raw - weight * mean * mean, 0.0), 0.0)
    return left, (left < _CANCELLED * raw) & (rows > 1)
