"""Columns of several columns, in memory: what their parts hold, and where numbers are cut."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import UnsupportedColumnError
from vtreat_py.design.checks import no_names
from vtreat_py.frames.columns import EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.joint import (
    NAMES,
    SHARES,
    TEXT,
    JointPart,
    edges_of,
    limits_of,
    nothing_but_missing,
)
from vtreat_py.statistics.quantiles import weighted_quantiles


def joint_part(source: InputFrame, name: Hashable, weight: FloatArray | None) -> JointPart:
    """Look at one of the columns."""
    column = source.read(name)
    if isinstance(column, EmptyColumn):
        raise nothing_but_missing(name)
    if isinstance(column, NumericColumn):
        if name in source.categorical:
            raise no_names(name, column.kind)
        return JointPart(name, column.kind, _edges(column, weight))
    _, levels = column.encode()
    values = levels.to_list()
    if any(isinstance(value, bytes) for value in values):
        raise UnsupportedColumnError(name, "bytes, in composites or hierarchies")
    is_text = any(isinstance(value, str) for value in values)
    return JointPart(name, TEXT if is_text else NAMES)


def _edges(column: NumericColumn, weight: FloatArray | None) -> tuple[float, ...]:
    values, bad = column.values, column.bad
    counts = np.ones(len(values), dtype=bool) if weight is None else weight > 0
    if bad is not None:
        counts &= ~bad
    if not counts.any():
        raise nothing_but_missing(column.name)
    own = None if weight is None else weight[counts]
    known = values[counts].astype(np.float64)
    least, most = float(known.min()), float(known.max())
    limits = limits_of(weighted_quantiles(known, own, SHARES), least, most)
    return edges_of(known[known <= limit].max(initial=least) for limit in limits)
