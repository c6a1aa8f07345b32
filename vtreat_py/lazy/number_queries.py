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
from vtreat_py.lazy.aggregates import Asked, floats, grouped, one_where, value_where
from vtreat_py.lazy.columns import LazyNumber
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
        return Coordinates.around(self.mean, *self.ends)

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest good value."""
        return float(np.nanmin(self.low)), float(np.nanmax(self.high))


def batches(columns: Sequence[LazyNumber]) -> Iterator[Sequence[LazyNumber]]:
    """Cut columns into batches for one query each."""
    for start in range(0, len(columns), _BATCH):
        yield columns[start : start + _BATCH]


def extents(rows: DesignRows, columns: Sequence[LazyNumber]) -> list[Extents]:
    """Look at numeric columns for the first time."""
    asked: dict[str, Asked] = {}
    for i, column in enumerate(columns):
        good = value_where(rows.counts & ~column.is_bad, column.value)
        asked |= {
            f"low{i}": ("min", good),
            f"high{i}": ("max", good),
            f"rows{i}": ("count", good),
            f"sum{i}": ("sum", good * _SMALL),
            f"bad{i}": ("count", one_where(column.is_bad)),
            f"infinite{i}": ("count", one_where(column.is_bad & ~column.value.is_nan())),
        }
    table = grouped(rows.of(columns), {_CELL: rows.cell}, asked)

    def of_column(i: int) -> Extents:
        n_rows, total, n_bad, n_infinite = (
            np.nansum(floats(table, f"{name}{i}")) for name in ("rows", "sum", "bad", "infinite")
        )
        low, high = (_placed(rows, table, f"{name}{i}", np.nan) for name in ("low", "high"))
        mean = float(total / n_rows / _SMALL) if n_rows else math.nan
        return Extents(low, high, mean, bool(n_bad), bool(n_infinite))

    return [of_column(i) for i in range(len(columns))]


def _placed(rows: DesignRows, table: pa.Table, name: str, nothing: float = 0.0) -> FloatArray:
    """One sum as an array over all cells."""
    found = np.full(rows.n_cells, nothing)
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
    looks = [_Look(rows, c, e, i) for i, (c, e) in enumerate(zip(columns, known, strict=True))]
    table, sums, unsure = _answer(rows.of(columns), looks), [], []
    for look in looks:
        found, is_cancelled = look.read(table)
        sums.append(found)
        if is_cancelled:
            unsure.append(replace(look, about=found))
    if unsure:
        table = _answer(_with_means(unsure), unsure)
        for look in unsure:
            sums[look.place], _ = look.read(table)
    return [[one.of_class(k, rows.n_classes) for k in rows.contrasted] or [one] for one in sums]


def _answer(frame: nw.LazyFrame[Any], looks: Sequence[_Look]) -> pa.Table:
    asked = {name: one for look in looks for name, one in look.asked().items()}
    return grouped(frame, {_CELL: looks[0].rows.cell}, asked)


def _with_means(looks: Sequence[_Look]) -> nw.LazyFrame[Any]:
    """The rows with the means of their cells, which are brought to the engine."""
    rows = looks[0].rows
    means = {_MEANS: pa.array(np.arange(rows.n_cells), pa.int64())}
    for look in looks:
        assert look.about is not None
        for what, mean in zip(_MEANS_OF, _means(look.about), strict=True):
            means[f"{what}{look.place}"] = pa.array(mean)
    frame = rows.of([look.column for look in looks]).with_columns(rows.cell.alias(_CELL))
    table = brought(rows.source, pa.table(means))
    return frame.join(table, left_on=_CELL, right_on=_MEANS, how="left")


def _means(sums: NumericSums) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means of good values, and of the outcome of good and bad rows."""
    return sums.good.x, sums.good.y, sums.bad.mean


def inner(number: nw.Expr, coordinates: Coordinates) -> nw.Expr:
    """Inner coordinates of a number; see `Coordinates.inner`."""
    if coordinates.unit == 1.0:
        return number - coordinates.centre
    return number / coordinates.unit - coordinates.centre / coordinates.unit


@dataclass(frozen=True, eq=False)
class _Look:
    """What a query asks of one numeric column, and how the answer is read.

    Attributes
    ----------
    place : int
        Tells its sums from those of other columns.
    about : NumericSums or None
        Sums are about their means, which the frame has as columns.
    """

    rows: DesignRows
    column: LazyNumber
    extents: Extents
    place: int
    about: NumericSums | None = None

    def asked(self) -> dict[str, Asked]:
        """Sums of the good rows, and of the bad ones."""
        rows, column = self.rows, self.column
        good, bad = rows.counts & ~column.is_bad, rows.counts & column.is_bad
        x, y, bad_y = inner(column.value, self.extents.coordinates), nw.col(Y), nw.col(Y)
        if self.about is not None:
            x, y, bad_y = (
                value - nw.col(f"{what}{self.place}")
                for value, what in zip((x, y, bad_y), _MEANS_OF, strict=True)
            )

        def total(where: nw.Expr, value: nw.Expr) -> Asked:
            return "sum", value_where(where, rows.weighted(value))

        asked: dict[str, Asked] = {
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

    def read(self, table: pa.Table) -> tuple[NumericSums, bool]:
        """Turn the sums of each cell into moments about its means; say if too few digits are left.

        Those about means have enough.
        """

        def placed(name: str) -> FloatArray:
            found = f"{name}{self.place}"
            known = found in table.column_names
            return _placed(self.rows, table, found) if known else np.zeros(self.rows.n_cells)

        rows, bad_rows, xx, yy, bad_yy = map(placed, ("rows", "bad_rows", "xx", "yy", "bad_yy"))
        n, bad_n = rows, bad_rows
        if self.rows.weight is not None:
            n, bad_n = placed("weight"), placed("bad_weight")
        x, y = (placed(v) / np.where(n > 0, n, 1.0) for v in ("x", "y"))
        bad_y = placed("bad_y") / np.where(bad_n > 0, bad_n, 1.0)
        (xx, lost_of_x), (yy, lost_of_y) = _squares(xx, n, x, rows), _squares(yy, n, y, rows)
        bad_yy, lost_of_bad = _squares(bad_yy, bad_n, bad_y, bad_rows)
        xy = np.where(rows > 1, placed("xy") - n * x * y, 0.0)
        if self.about is not None:
            x, y, bad_y = (
                off + mean for off, mean in zip((x, y, bad_y), _means(self.about), strict=True)
            )
        # A constant does not vary, not even by rounding.
        constant = self.extents.low == self.extents.high
        only = self.extents.coordinates.inner(np.where(constant, self.extents.low, 0.0))
        x, xx, xy = (
            np.where(constant, known, found) for known, found in ((only, x), (0.0, xx), (0.0, xy))
        )
        cancelled = (lost_of_x & ~constant) | lost_of_y | lost_of_bad
        centre = 0.0 if self.rows.outcome is None else self.rows.outcome.centre
        good = Moments(n, x, y, xx, xy, yy, 0.0, centre)
        bad = OutcomeSums(bad_n, bad_n * bad_y, None if self.rows.n_classes else bad_yy, centre)
        return NumericSums(good, bad), bool(cancelled.any()) and self.about is None


def _squares(
    raw: FloatArray, weight: FloatArray, mean: FloatArray, rows: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Squares about the mean, 0 of one row, and where too many digits were lost on the way."""
    left = np.where(rows > 1, np.maximum(raw - weight * mean * mean, 0.0), 0.0)
    return left, (left < _CANCELLED * raw) & (rows > 1)
