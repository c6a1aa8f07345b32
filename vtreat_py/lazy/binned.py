"""Sums of a numeric column by bins, from queries."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.lazy.aggregates import Asked, floats, grouped, totals
from vtreat_py.lazy.columns import LazyNumber, exactly
from vtreat_py.lazy.number_queries import Extents, inner
from vtreat_py.lazy.ranges import place_of
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.statistics.bins import bin_edges
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.parts import PARTS, Parts

_NUMBER, _PART, _BIN, _CELL = "plain_number", "part", "bin", "cell"


def binned_numbers(rows: DesignRows, column: LazyNumber, extents: Extents) -> BinnedNumbers:
    """Cut the good values of the rows that count in bins, and sum them up."""
    near = extents.coordinates
    edges = _edges(rows, column, extents)
    x, y = inner(column.value, near), nw.col(Y)
    asked: dict[str, Asked] = {
        "n": ("count", nw.lit(1)) if rows.weight is None else ("sum", rows.w),
        "x": ("sum", rows.weighted(x)),
        "xx": ("sum", rows.weighted(x * x)),
    }
    if not rows.n_classes:
        asked |= {
            "y": ("sum", rows.weighted(y)),
            "xy": ("sum", rows.weighted(x * y)),
            "yy": ("sum", rows.weighted(y * y)),
        }
    good = rows.counted([column]).filter(~column.is_bad)
    table = grouped(good, {_BIN: place_of(column.value, edges.tolist()), _CELL: rows.cell}, asked)
    cell = table[_BIN].to_numpy() * rows.n_cells + table[_CELL].to_numpy()

    def placed(name: str) -> FloatArray:
        found = np.zeros(len(edges) * rows.n_cells)
        if name in asked:
            found[cell] = floats(table, name)
        return found

    centre = 0.0 if rows.outcome is None else rows.outcome.centre
    raw = [placed(name) for name in ("n", "x", "y", "xx", "xy", "yy")]
    sums = Moments.of_raw(raw, centre)
    contrasts = [sums.of_class(k, rows.n_classes) for k in rows.contrasted]
    return BinnedNumbers(edges, near, contrasts or [sums])


def _edges(rows: DesignRows, column: LazyNumber, extents: Extents) -> FloatArray:
    in_unit = (column.value / extents.coordinates.unit).alias(_NUMBER)
    frame = rows.counted([column]).filter(~column.is_bad).with_columns(in_unit)
    number = nw.col(_NUMBER)

    def count(low: float, high: float, by_value: bool) -> Parts:
        inside = frame.filter(number >= exactly(low), number <= exactly(high))
        key = number
        if not by_value:
            part = ((number - exactly(low)) * exactly(PARTS / (high - low))).floor()
            key = nw.when(part < PARTS).then(part).otherwise(nw.lit(float(PARTS - 1)))
        asked: dict[str, Asked] = {
            "rows": ("count", nw.lit(1)),
            "low": ("min", number),
            "high": ("max", number),
        }
        if rows.weight is not None:
            asked["weight"] = "sum", rows.w
        table = grouped(inside, {_PART: key}, asked).sort_by("low")
        low_, high_, n_rows = (floats(table, name) for name in ("low", "high", "rows"))
        return Parts(low_, high_, n_rows, floats(table, "weight") if "weight" in asked else n_rows)

    n_rows = totals(frame, {"rows": ("count", number)})["rows"]
    return bin_edges(count, extents.ends, n_rows, extents.coordinates)
