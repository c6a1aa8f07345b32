"""Extents and sums of numeric columns by fold, all columns of a batch in one query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.lazy.aggregates import Asked, floats, grouped, one_where, totals, value_where
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.picked_rows import PickedRows
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.source import with_columns
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
# All rows of a cell, and those that count.
_ROWS, _COUNTED = "all_rows", "counted_rows"
# Good values, the same in inner coordinates, and the outcome of rows with good and bad values.
_GOOD, _X, _Y, _BAD_Y = "good", "inner", "good_y", "bad_y"
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
    has_good : bool
        Whether there is a good value.
    has_bad : bool
        Whether some row, of any weight, has a bad value.
    coordinates : Coordinates
        Near the good values.
    """

    low: FloatArray
    high: FloatArray
    has_good: bool
    has_bad: bool
    coordinates: Coordinates

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
    table = _answer(rows, rows.of(columns), columns, [])
    return [_extents(rows, table, i) for i in range(len(columns))]


def extents_and_sums(
    rows: DesignRows, columns: Sequence[LazyNumber], picked: PickedRows
) -> tuple[list[Extents], list[list[NumericSums]]]:
    """Look at numeric columns and sum them up, for each contrast, by fold.

    Numbers are summed up less one that is near them. Where some rows tell one, one query does both;
    else a second sums the column up. Where sums would lose digits in some cell, for it lies far off
    for its spread, the column is summed up once more, about the means of the cells.

    Returns
    -------
    extents : list of Extents
    sums : list of list of NumericSums
        Of a column without good values, none.
    """
    near = [picked.near(column) for column in columns]
    guessed = [_Look(rows, columns[i], one, i) for i, one in enumerate(near) if one is not None]
    first = _answer(rows, rows.of(columns), columns, guessed)
    known = [_extents(rows, first, i, one) for i, one in enumerate(near)]
    looks = [
        _Look(rows, columns[i], one.coordinates, i) for i, one in enumerate(known) if one.has_good
    ]
    late = [look for look in looks if look.near != near[look.place]]
    second = _answer(rows, rows.of([look.column for look in late]), [], late) if late else first
    sums, unsure = {}, []
    for look in looks:
        table = second if look in late else first
        sums[look.place], is_cancelled = look.read(table, known[look.place])
        if is_cancelled:
            unsure.append(replace(look, about=sums[look.place]))
    if unsure:
        table = _answer(rows, _with_means(unsure), [], unsure)
        for look in unsure:
            sums[look.place], _ = look.read(table, known[look.place])
    return known, [
        [sums[i].of_class(k, rows.n_classes) for k in rows.contrasted] or [sums[i]]
        if i in sums
        else []
        for i in range(len(columns))
    ]


def _answer(
    rows: DesignRows,
    frame: nw.LazyFrame[Any],
    columns: Sequence[LazyNumber],
    looks: Sequence[_Look],
) -> pa.Table:
    """What extents of columns, and sums, are read from, by cell."""
    good = {f"{_GOOD}{i}": _good(rows, column) for i, column in enumerate(columns)}
    good |= {f"{_GOOD}{look.place}": _good(rows, look.column) for look in looks}
    frame = with_columns(frame, good)
    if made := {name: one for look in looks for name, one in look.columns().items()}:
        frame = with_columns(frame, made)
    asked: dict[str, Asked] = {_ROWS: ("count", nw.lit(1))}
    if rows.weight is not None:
        asked[_COUNTED] = "count", one_where(rows.counts)
    for i, column in enumerate(columns):
        number = nw.col(f"{_GOOD}{i}")
        asked |= {
            f"low{i}": ("min", number),
            f"high{i}": ("max", number),
            f"rows{i}": ("count", number),
            f"sum{i}": ("sum", number * _SMALL),
        }
        if rows.weight is not None:
            asked[f"known{i}"] = "count", column.good
    asked |= {name: one for look in looks for name, one in look.asked().items()}
    return grouped(frame, {_CELL: rows.cell}, asked)


def _extents(
    rows: DesignRows, table: pa.Table, place: int, near: Coordinates | None = None
) -> Extents:
    """Read the extents of a column; ``near`` are its coordinates, unless its unit is another."""

    def summed(name: str) -> float:
        return float(np.nansum(floats(table, name)))

    n_rows, total = summed(f"rows{place}"), summed(f"sum{place}")
    known = n_rows if rows.weight is None else summed(f"known{place}")
    low, high = (_placed(rows, table, f"{name}{place}", np.nan) for name in ("low", "high"))
    coordinates = Coordinates()
    if n_rows:
        mean, ends = total / n_rows / _SMALL, (float(np.nanmin(low)), float(np.nanmax(high)))
        coordinates = Coordinates.around(mean, *ends)
        if near is not None and near.unit == coordinates.unit:
            coordinates = near
    return Extents(low, high, bool(n_rows), known < summed(_ROWS), coordinates)


def with_infinite(rows: DesignRows, columns: Sequence[LazyNumber]) -> set[str]:
    """Names of columns that have infinite values, by one query if there are columns."""
    if not columns:
        return set()
    infinite = {c.name: c.is_bad & ~c.value.is_nan() for c in columns}
    asked: dict[str, Asked] = {
        f"infinite{i}": ("count", one_where(one)) for i, one in enumerate(infinite.values())
    }
    found = totals(rows.of(columns), asked)
    return {name for name, count in zip(infinite, found.values(), strict=True) if count}


def _good(rows: DesignRows, column: LazyNumber) -> nw.Expr:
    """Good values of the rows that count; else null."""
    good = column.value.is_finite()
    return value_where(good if rows.weight is None else good & rows.counts, column.value)


def _placed(rows: DesignRows, table: pa.Table, name: str, nothing: float = 0.0) -> FloatArray:
    """One sum as an array over all cells."""
    found = np.full(rows.n_cells, nothing)
    values = floats(table, name)
    found[table[_CELL].to_numpy()] = np.where(np.isnan(values), nothing, values)
    return found


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
    near : Coordinates
        What sums are taken in.
    about : NumericSums or None
        Sums are about their means, which the frame has as columns.
    """

    rows: DesignRows
    column: LazyNumber
    near: Coordinates
    place: int
    about: NumericSums | None = None

    def columns(self) -> dict[str, nw.Expr]:
        """Columns that sums are of, made of good values."""
        place, rows, good = self.place, self.rows, nw.col(f"{_GOOD}{self.place}")
        x, y, bad_y = inner(good, self.near), nw.col(Y), nw.col(Y)
        if self.about is not None:
            x, y, bad_y = (
                value - nw.col(f"{what}{place}")
                for value, what in zip((x, y, bad_y), _MEANS_OF, strict=True)
            )
        made = {f"{_X}{place}": x}
        if not rows.n_classes:
            made[f"{_Y}{place}"] = value_where(~good.is_null(), y)
            made[f"{_BAD_Y}{place}"] = value_where(rows.counts & good.is_null(), bad_y)
        return made

    def asked(self) -> dict[str, Asked]:
        """Sums of the good rows, and of the bad ones."""
        rows = self.rows
        x, y, bad_y = (nw.col(f"{name}{self.place}") for name in (_X, _Y, _BAD_Y))

        def total(value: nw.Expr) -> Asked:
            return "sum", rows.weighted(value)

        asked: dict[str, Asked] = {"rows": ("count", x), "x": total(x), "xx": total(x * x)}
        if rows.weight is not None:
            asked["weight"] = "sum", value_where(~x.is_null(), rows.w)
            asked["bad_weight"] = "sum", value_where(rows.counts & x.is_null(), rows.w)
        if not rows.n_classes:
            asked |= {
                "y": total(y),
                "xy": total(x * y),
                "yy": total(y * y),
                "bad_y": total(bad_y),
                "bad_yy": total(bad_y * bad_y),
            }
        return {f"{name}{self.place}": one for name, one in asked.items()}

    def read(self, table: pa.Table, extents: Extents) -> tuple[NumericSums, bool]:
        """Turn the sums of each cell into moments about its means; say if too few digits are left.

        Those about means have enough.
        """

        def placed(name: str) -> FloatArray:
            found = f"{name}{self.place}"
            known = found in table.column_names
            return _placed(self.rows, table, found) if known else np.zeros(self.rows.n_cells)

        rows, xx, yy, bad_yy = map(placed, ("rows", "xx", "yy", "bad_yy"))
        all_rows = _ROWS if self.rows.weight is None else _COUNTED
        bad_rows = _placed(self.rows, table, all_rows) - rows
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
        constant = extents.low == extents.high
        only = self.near.inner(np.where(constant, extents.low, 0.0))
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
