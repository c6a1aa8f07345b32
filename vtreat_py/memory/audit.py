"""Counts of a frame in memory."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from vtreat_py.audit.counts import FrameCounts, LevelCounts, NumberCounts, no_rows
from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.levels import Levels
from vtreat_py.memory.treated import read_treated
from vtreat_py.outcome.weights import read_weight
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.statistics.outcome_sums import sum_by


def count_frame(plan: Plan, frame: Any, sample_weight: Any = None) -> FrameCounts:
    """Count the rows of a frame, read as `prepare` reads it.

    Raises
    ------
    SchemaError
        If columns are missing, or hold another type than at design.
    FrameError, OutcomeError
        If there are no rows, or the weights cannot be used.
    """
    source = InputFrame.of(frame).read_by(plan.options.missing_values)
    columns = read_treated(source, plan.treatments)
    if not source.n_rows:
        raise no_rows()
    weight = read_weight(source, sample_weight)
    levels = {s.column: s.levels for s in plan.level_statistics}
    counts: dict[Hashable, NumberCounts | LevelCounts] = {}
    for treatment, column in zip(plan.treatments, columns, strict=True):
        if isinstance(treatment, NumericTreatment):
            counts[treatment.column] = _count_numbers(treatment, column, weight)
        else:
            known = levels[treatment.column]
            counts[treatment.column] = _count_levels(known, column, weight)
    total = float(source.n_rows if weight is None else weight.sum())
    return FrameCounts(source.n_rows, total, counts)


def _count_numbers(
    treatment: NumericTreatment, column: Column, weight: FloatArray | None
) -> NumberCounts:
    profile = treatment.profile
    n_bins = len(profile.counts)
    if not isinstance(column, NumericColumn):
        return NumberCounts(np.zeros(n_bins), 0.0, 0.0, 0.0, _sum_over(None, weight, len(column)))
    values, bad = column.values, 0.0
    if column.bad is not None:
        good = ~column.bad
        bad = _sum_over(column.bad, weight, len(column))
        values, weight = values[good], None if weight is None else weight[good]
    return NumberCounts(
        sum_by(profile.bin_of(values), weight, n_bins),
        _sum_over(values < profile.low, weight, len(values)),
        _sum_over(values > profile.high, weight, len(values)),
        _sum_over((values < treatment.lower) | (values > treatment.upper), weight, len(values)),
        bad,
    )


def _count_levels(known: Levels, column: Column, weight: FloatArray | None) -> LevelCounts:
    if isinstance(column, EmptyColumn):
        missing = _sum_over(None, weight, len(column))
        return LevelCounts(np.zeros(len(known)), missing, Levels.of([]), np.empty(0))
    assert not isinstance(column, NumericColumn)  # they do not fit
    codes, levels = column.encode()
    count = sum_by(codes, weight, len(levels) + 1)
    code = known.codes_of(levels.to_list())
    is_novel = (code == known.novel) & (count[:-1] > 0)
    is_known = code < known.missing
    novel = np.flatnonzero(is_novel)
    return LevelCounts(
        sum_by(code[is_known], count[:-1][is_known], len(known)),
        float(count[-1]),
        levels.take(novel),
        count[novel],
    )


def _sum_over(which: BoolArray | None, weight: FloatArray | None, n_rows: int) -> float:
    """Weight of some rows, or of all of them."""
    if weight is None:
        return float(n_rows if which is None else np.count_nonzero(which))
    return float(weight.sum() if which is None else weight[which].sum())
