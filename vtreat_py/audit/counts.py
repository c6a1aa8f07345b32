"""What an audit needs to know of a frame: sums, whichever engine adds them up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vtreat_py._column_treatment import LevelTreatment, NumericTreatment
from vtreat_py._columns import Column, EmptyColumn, NumericColumn
from vtreat_py._errors import FrameError
from vtreat_py._frames import InputFrame
from vtreat_py._levels import Levels
from vtreat_py._outcome import read_weight
from vtreat_py._read_treated import read_treated
from vtreat_py._typing import BoolArray, FloatArray
from vtreat_py.engines.lazy.source import is_lazy
from vtreat_py.statistics.outcome_sums import sum_by

if TYPE_CHECKING:  # the plan audits frames by this module
    from vtreat_py._plan import TreatmentPlan


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """Weights of the rows of a numeric column.

    Attributes
    ----------
    bins : ndarray of shape (m + 1,)
        In each bin of the column's `NumberProfile`, the first and the last being open.
    below, above : float
        Smaller than ``low``, and larger than ``high``, of the profile.
    clipped : float
        Outside the collar cuts of the column's treatment.
    bad : float
        Missing, NaN or infinite.
    """

    bins: FloatArray
    below: float
    above: float
    clipped: float
    bad: float


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """Weights of the rows of a categorical column.

    Attributes
    ----------
    known : ndarray of shape (n_levels,)
        Of each level of the design.
    missing : float
    novel : Levels
        Levels that the design has not seen, each with rows.
    of_novel : ndarray of shape (number of novel levels,)
        Of each of those.
    """

    known: FloatArray
    missing: float
    novel: Levels
    of_novel: FloatArray


@dataclass(frozen=True, eq=False)
class FrameCounts:
    """Weights of the rows of a frame: all that an audit knows of it.

    Attributes
    ----------
    n_rows : int
    weight : float
        Sum of the weights of the rows; without weights their number.
    columns : dict from column to NumberCounts or LevelCounts
        For each treated column of the plan, in its order.
    """

    n_rows: int
    weight: float
    columns: dict[Hashable, NumberCounts | LevelCounts]


def count_frame(plan: TreatmentPlan, frame: Any, sample_weight: Any = None) -> FrameCounts:
    """Count the rows of a frame, read as `prepare` reads it.

    Raises
    ------
    SchemaError
        If columns are missing, or hold another type than at design.
    FrameError, OutcomeError
        If there are no rows, or the weights cannot be used.
    """
    if is_lazy(frame):
        from vtreat_py.engines.lazy.audit_query import count_lazy

        return count_lazy(plan, frame, sample_weight)
    source = InputFrame.of(frame)
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
            counts[treatment.column] = _count_levels(treatment, known, column, weight)
    total = float(source.n_rows if weight is None else weight.sum())
    return FrameCounts(source.n_rows, total, counts)


def no_rows() -> FrameError:
    """Refuse to compare nothing."""
    return FrameError("the frame has no rows; an audit compares rows with those of the design")


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


def _count_levels(
    treatment: LevelTreatment, known: Levels, column: Column, weight: FloatArray | None
) -> LevelCounts:
    if isinstance(column, EmptyColumn):
        missing = _sum_over(None, weight, len(column))
        return LevelCounts(np.zeros(len(known)), missing, Levels.of([]), np.empty(0))
    codes, levels = treatment.level_column(column).encode()
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
