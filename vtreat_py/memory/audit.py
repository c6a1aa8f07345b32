"""Counts of a frame in memory."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from vtreat_py.audit.counts import FrameCounts, LevelCounts, LevelTally, NumberCounts, no_rows
from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.memory.treated import read_treated
from vtreat_py.outcome.weights import read_weight
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
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
    source = InputFrame.of(frame).read_by(plan.options.missing_values).making(plan.made)
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
            tally = _tally_levels(column, weight)
            counts[treatment.column] = LevelCounts.of(levels[treatment.column], tally)
    total = float(source.n_rows if weight is None else weight.sum())
    return FrameCounts(source.n_rows, total, counts)


def tally_frame(plan: Plan, frame: Any, sample_weight: Any = None) -> dict[Hashable, LevelTally]:
    """Tally the levels of the categorical columns of a frame, read as `prepare` reads it.

    Raises
    ------
    SchemaError
        If columns are missing, or hold another type than at design.
    OutcomeError
        If the weights cannot be used.
    """
    source = InputFrame.of(frame).read_by(plan.options.missing_values).making(plan.made)
    treatments = [t for t in plan.treatments if isinstance(t, LevelTreatment)]
    columns = read_treated(source, treatments)
    weight = read_weight(source, sample_weight)
    return {
        treatment.column: _tally_levels(column, weight)
        for treatment, column in zip(treatments, columns, strict=True)
    }


def _count_numbers(
    treatment: NumericTreatment, column: Column, weight: FloatArray | None
) -> NumberCounts:
    profile = treatment.spread
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


def _tally_levels(column: Column, weight: FloatArray | None) -> LevelTally:
    if isinstance(column, EmptyColumn):
        return LevelTally.of_missing(len(column), _sum_over(None, weight, len(column)))
    assert not isinstance(column, NumericColumn)  # they do not fit
    codes, levels = column.encode()
    rows = sum_by(codes, None, len(levels) + 1)
    return LevelTally(
        levels, rows, rows if weight is None else sum_by(codes, weight, len(levels) + 1)
    )


def _sum_over(which: BoolArray | None, weight: FloatArray | None, n_rows: int) -> float:
    """Weight of some rows, or of all of them."""
    if weight is None:
        return float(n_rows if which is None else np.count_nonzero(which))
    return float(weight.sum() if which is None else weight[which].sum())
