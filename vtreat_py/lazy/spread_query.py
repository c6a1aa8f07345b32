"""The test of spread on rows of a lazy frame: all of them, or a part of very many."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import BoolArray, IntArray
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.columns import LazyLevels
from vtreat_py.lazy.residuals import Residuals
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import collect
from vtreat_py.lazy.tables import brought
from vtreat_py.significance.spread import MOST_ROWS, SpreadTest, sampled_levels

_LEVEL, _WEIGHT, _ID, _CHOSEN = "level", "weight", "row_id", "chosen_level"
_TESTED, _PLACE = "tested_outcome", "chosen_place"


def spread_p_value(
    residuals: Residuals, column: LazyLevels, levels: Levels, n_rows: IntArray
) -> float | None:
    """p-value of the test of spread, by at most about 32,768 rows.

    All rows where there are no more; else a part by arithmetic on the row id or, where levels
    have few rows, all rows of some levels. None where there are more, and no row id is named.
    ``n_rows`` are those of each level that count, and of the missing one.
    """
    rows = residuals.rows
    chosen = sampled_levels(len(n_rows), int(n_rows.sum()))
    expected = int(n_rows.sum() if chosen is None else n_rows[chosen].sum())
    frame = residuals.counted([column]).with_columns(residuals.tested(0).alias(_TESTED))
    if chosen is not None:
        frame = _of_levels(rows, column, levels, frame, chosen)
    part = rows.part(frame, expected, MOST_ROWS)
    if part is None:
        return None
    level = column.level if chosen is None else nw.col(_PLACE)
    wanted = {_LEVEL: level, _TESTED: nw.col(_TESTED), _WEIGHT: rows.w}
    if rows.row_id is not None:
        wanted[_ID] = rows.row_id.value
    table = collect(part.select(**wanted))
    if rows.row_id is not None:
        table = table.sort_by(_ID)
    found = table[_LEVEL]
    codes = column.codes(levels, found) if chosen is None else found.to_numpy()
    assert rows.outcome is not None
    weight = None if rows.weight is None else table[_WEIGHT].to_numpy()
    counts_rows = rows.outcome.weighting.counts_rows
    return SpreadTest(table[_TESTED].to_numpy(), weight, counts_rows=counts_rows).p_value(
        codes, len(n_rows)
    )


def _of_levels(
    rows: DesignRows,
    column: LazyLevels,
    levels: Levels,
    frame: nw.LazyFrame[Any],
    chosen: BoolArray,
) -> nw.LazyFrame[Any]:
    """The rows of some levels, with the places of these."""
    place = pa.array(np.flatnonzero(chosen[:-1]), pa.int64())
    labels = column.labels(levels).take(place)
    table = brought(rows.source, pa.table({_CHOSEN: labels, _PLACE: place}))
    named = frame.join(table, left_on=column.alias, right_on=_CHOSEN, how="inner")
    found = named.select(*frame.collect_schema(), _PLACE)
    if not chosen[-1]:
        return found
    missing = nw.lit(levels.missing).cast(nw.Int64()).alias(_PLACE)
    return nw.concat([found, frame.filter(column.is_missing).with_columns(missing)], how="vertical")
