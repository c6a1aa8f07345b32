"""Columns of several columns in an engine: where the numbers among them are cut."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.frames.joint import (
    NAMES,
    SHARES,
    TEXT,
    JointPart,
    edges_of,
    limits_of,
    nothing_but_missing,
)
from vtreat_py.lazy.aggregates import Asked, totals
from vtreat_py.lazy.columns import (
    LazyEmpty,
    LazyLevels,
    LazyNumber,
    exactly,
    lazy_column,
)
from vtreat_py.lazy.number_queries import extents
from vtreat_py.lazy.quantile_queries import quantiles
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import LazySource


def joint_part(source: LazySource, rows: DesignRows, name: str) -> JointPart:
    """Look at one of the columns."""
    column = lazy_column(source, name)
    if isinstance(column, LazyEmpty):
        raise nothing_but_missing(column.name)
    if isinstance(column, LazyLevels):
        return JointPart(column.name, NAMES if column.of_integers else TEXT)
    return JointPart(column.name, column.kind, _edges(column, rows))


def _edges(column: LazyNumber, rows: DesignRows) -> tuple[float, ...]:
    (extent,) = extents(rows, [column])
    if not extent.has_good:
        raise nothing_but_missing(column.name)
    least, most = extent.ends
    limits = limits_of(quantiles(rows, column, extent, SHARES)[-1], least, most)
    counted = rows.of([column]).filter(rows.counts & ~column.is_bad)
    asked: dict[str, Asked] = {
        f"end{place}": ("max", nw.when(column.value <= exactly(limit)).then(column.value))
        for place, limit in enumerate(limits.tolist())
    }
    return edges_of(least if np.isnan(end) else end for end in totals(counted, asked).values())
