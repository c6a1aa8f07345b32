"""Ranges and narrow bins of a column of numbers in very many rows, from one look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray
from vtreat_py.lazy.aggregates import Asked, floats, grouped, value_where
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.number_queries import inner
from vtreat_py.lazy.ranges import LazyRanges
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.source import collect, selected, with_columns
from vtreat_py.significance.logistic_bins import N_BINS, BinGrid, NumberBins
from vtreat_py.significance.newton import MANY_POINTS
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.outcome_sums import OutcomeSums

_RANGE, _BIN, _CLASS = "range", "bin", "class_number"
_X, _PLACE, _WITHIN = "inner", "place", "within"
_ROWS, _WEIGHT, _FIRST, _SECOND = "rows", "weight", "first", "second"
_TOTAL, _RAW = "total", "raw"
# The bin of values that are in none.
_BEYOND = -1.0


@dataclass(frozen=True, eq=False)
class FineBins:
    """What one look at the rows tells of a column of numbers.

    Attributes
    ----------
    ranges : list of OutcomeSums
        Sums of each range, and of the bad values, for each contrast.
    bins : NumberBins or None
        What regressions with a link take; None where rows beyond are too many to fetch.
    y_beyond : ndarray
        Class, or rate, of the rows that are in no bin.
    """

    ranges: list[OutcomeSums]
    bins: NumberBins | None
    y_beyond: FloatArray


def fine_bins(
    rows: DesignRows, column: LazyNumber, edges: FloatArray, near: Coordinates, grid: BinGrid
) -> FineBins:
    """Sum the rows by range, bin and class."""
    ranges = LazyRanges(**vars(column), edges=tuple(edges.tolist()))
    frame = _placed(rows, column, near, grid)
    keys = {_RANGE: ranges.level, _BIN: nw.col(_BIN)}
    if rows.n_classes:
        keys[_CLASS] = nw.col(Y)
    table = grouped(frame, keys, _asked(rows))
    of_ranges, bin_ = _of_ranges(rows, ranges, table), floats(table, _BIN)
    beyond = bin_ == _BEYOND
    if floats(table, _ROWS)[beyond].sum() > MANY_POINTS:
        return FineBins(of_ranges, None, np.empty(0))
    x, y, w = _fetched(rows, frame) if beyond.any() else np.empty((3, 0))
    inside = bin_ >= 0.0
    place = bin_[inside].astype(np.intp)
    names = _WEIGHT, _FIRST, _SECOND
    sums = [np.bincount(place, floats(table, name)[inside], N_BINS) for name in names]
    bins = NumberBins.of_sums(grid, np.array(sums), np.arange(len(x)), x, w)
    return FineBins(of_ranges, bins, y)


def _placed(
    rows: DesignRows, column: LazyNumber, near: Coordinates, grid: BinGrid
) -> nw.LazyFrame[Any]:
    """The rows that count, with their bin, null where the value is bad, and the place within."""
    x, place, bin_ = nw.col(_X), nw.col(_PLACE), nw.col(_BIN)
    inside = (place >= 0.0) & (place < float(N_BINS))
    beyond = value_where(~place.is_null(), nw.lit(_BEYOND))
    steps: list[dict[str, nw.Expr]] = [
        {_X: value_where(column.value.is_finite(), inner(column.value, near))},
        {_PLACE: (x - grid.low) / grid.width},
        {_BIN: nw.when(inside).then(place.floor()).otherwise(beyond)},
        {_WITHIN: place - bin_},
    ]
    frame = rows.counted([column])
    for step in steps:
        frame = with_columns(frame, step)
    return frame


def _asked(rows: DesignRows) -> dict[str, Asked]:
    within, y = nw.col(_WITHIN), nw.col(Y)
    one: Asked = "count", nw.lit(1)
    asked: dict[str, Asked] = {
        _ROWS: one,
        _WEIGHT: one if rows.weight is None else ("sum", rows.w),
        _FIRST: ("sum", rows.weighted(within)),
        _SECOND: ("sum", rows.weighted(within * within)),
    }
    if not rows.n_classes:
        asked |= {_TOTAL: ("sum", rows.weighted(y)), _RAW: ("sum", rows.weighted(y * y))}
    return asked


def _of_ranges(rows: DesignRows, ranges: LazyRanges, table: pa.Table) -> list[OutcomeSums]:
    """Sums by range, for each contrast."""
    levels = ranges.known
    place, n = ranges.codes(levels, table[_RANGE]), len(levels) + 1
    if not rows.n_classes:
        assert rows.outcome is not None
        sums = [np.bincount(place, floats(table, name), n) for name in (_WEIGHT, _TOTAL, _RAW)]
        return [OutcomeSums.of_raw(np.array(sums), rows.outcome.centre)]
    cell = table[_CLASS].to_numpy().astype(np.intp) * n + place
    hits = np.bincount(cell, floats(table, _WEIGHT), rows.n_classes * n).reshape(-1, n)
    return [OutcomeSums(hits.sum(axis=0), hits[k].copy()) for k in rows.contrasted]


def _fetched(rows: DesignRows, frame: nw.LazyFrame[Any]) -> FloatArray:
    """Value, outcome and weight of the rows that are in no bin."""
    wanted = {_X: nw.col(_X), Y: nw.col(Y), _WEIGHT: rows.w}
    table = collect(selected(frame.filter(nw.col(_BIN) == _BEYOND), wanted))
    return np.stack([floats(table, name) for name in wanted])
