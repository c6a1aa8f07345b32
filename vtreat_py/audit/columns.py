"""From the counts of a frame, and those of the design, to what an audit says of a column."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.audit.counts import FrameCounts, LevelCounts, NumberCounts
from vtreat_py.audit.novel import most_first
from vtreat_py.base.arrays import FloatArray
from vtreat_py.frames.columns import Kind
from vtreat_py.plan.data import Plan
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.options import DesignOptions
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.significance.two_samples import beyond_test, two_sample_test
from vtreat_py.statistics.outcome_sums import reaches
from vtreat_py.statistics.stability_index import index_by_chance, stability_index

# A level has a bin of its own where so many rows of it are expected in the smaller sample. Chance
# alone then makes an index of a twentieth (design much larger) to a tenth (both of one size).
_ROWS_OF_A_BIN = 20.0
# Levels of no more weight were seen in one row.
_ONCE = 1.0
# Days and seconds that numpy can name, with room to spare.
_LAST_MOMENT = 1e15


@dataclass(frozen=True, eq=False)
class Bins:
    """Parts of a column, and the weight of each at design and now.

    Attributes
    ----------
    labels : tuple
    then, now : ndarray of shape (number of bins,)
    """

    labels: tuple[Any, ...]
    then: FloatArray
    now: FloatArray

    def __post_init__(self) -> None:
        for array in (self.then, self.now):
            array.setflags(write=False)

    def table(self, name: str) -> pd.DataFrame:
        """Show the share and the weight of each; ``name`` is what its label is called."""
        return pd.DataFrame(
            {
                name: pd.Series(self.labels, dtype=object),
                "then": self.then / self.then.sum(),
                "now": self.now / self.now.sum(),
                "rows_then": self.then,
                "rows_now": self.now,
            }
        )

    def stability(self) -> FloatArray:
        """What each adds to the population stability index."""
        return stability_index(self.then, self.now)


@dataclass(frozen=True, eq=False)
class ColumnAudit:
    """What an audit found in a column; `AuditReport.frame` says what the numbers mean.

    Attributes
    ----------
    bins : Bins
        What the index is computed from.
    levels : Bins or None
        All levels, the missing one first, then those of the design, then novel ones; None for
        numbers.
    n_novel : int
        How many of the levels are novel.
    """

    column: Hashable
    kind: str
    bins: Bins
    p_value: float
    missing_then: float
    missing_now: float
    novel_then: float = math.nan
    novel_now: float = math.nan
    rare_then: float = math.nan
    rare_now: float = math.nan
    below: float = math.nan
    above: float = math.nan
    clipped: float = math.nan
    levels: Bins | None = None
    n_novel: int = 0

    @cached_property
    def psi(self) -> float:
        """The population stability index."""
        return float(self.bins.stability().sum())

    @cached_property
    def psi_by_chance(self) -> float:
        """What the index exceeds in 5% of frames without drift."""
        then, now = self.bins.then, self.bins.now
        filled = int(((then > 0) | (now > 0)).sum())
        return index_by_chance(filled, float(then.sum()), float(now.sum()))


def audit_columns(plan: Plan, counts: FrameCounts) -> list[ColumnAudit]:
    """Judge each treated column of a plan."""
    statistics = {s.column: s for s in plan.level_statistics}
    found = []
    for treatment in plan.treatments:
        own = counts.columns[treatment.column]
        if isinstance(treatment, NumericTreatment):
            assert isinstance(own, NumberCounts)
            found.append(_numbers(treatment, own, counts.weight))
        else:
            assert isinstance(own, LevelCounts)
            then = statistics[treatment.column]
            found.append(_levels(then, own, plan.options, counts.weight))
    return found


def _numbers(treatment: NumericTreatment, now: NumberCounts, weight: float) -> ColumnAudit:
    profile = treatment.spread
    good = float(profile.counts.sum())
    bad = good * profile.bad_share / (1.0 - profile.bad_share)
    inside = now.bins.copy()
    inside[0] -= now.below
    inside[-1] -= now.above
    bins = Bins(
        ("missing", *_bin_labels(treatment)),
        np.concatenate([[bad, 0.0], profile.counts, [0.0]]),
        np.concatenate([[now.bad, now.below], np.maximum(inside, 0.0), [now.above]]),
    )
    # No row of the design can be out of its own range: that has a test of its own.
    p_values = [
        two_sample_test(np.append(bad, profile.counts), np.append(now.bad, now.bins)),
        *(beyond_test(k, good, float(now.bins.sum())) for k in (now.below, now.above)),
    ]
    return ColumnAudit(
        treatment.column,
        treatment.kind,
        bins,
        p_value=min(len(p_values) * min(p_values), 1.0),
        missing_then=profile.bad_share,
        missing_now=now.bad / weight,
        below=now.below / weight,
        above=now.above / weight,
        clipped=now.clipped / weight,
    )


def _bin_labels(treatment: NumericTreatment) -> list[str]:
    """Names of the bins, between those of values below and above the range of the design."""
    profile, kind = treatment.spread, treatment.kind
    low, high = _shown(profile.low, kind), _shown(profile.high, kind)
    ends = [_shown(edge, kind) for edge in (*profile.edges.tolist(), profile.high)]
    inner = [f"{a} to {b}" for a, b in zip([low, *ends], ends, strict=False)]
    return [f"below {low}", *inner, f"above {high}"]


def _shown(number: float, kind: Kind) -> str:
    """A number of a column, or the day or the moment that it stands for."""
    if abs(number) > _LAST_MOMENT:
        return f"{number:.6g}"
    if kind == "date":
        return str(np.datetime64(round(number), "D"))
    if kind == "datetime":
        return str(np.datetime64(round(number), "s")).replace("T", " ")
    return f"{number:.6g}"


def _levels(
    then: LevelStatistics, now: LevelCounts, options: DesignOptions, weight: float
) -> ColumnAudit:
    known, missing = then.size[:-2], float(then.size[-2])
    total = float(known.sum()) + missing
    rare = (known <= options.rare_weight) | ~reaches(known, options.min_fraction * total)
    novel = now.novel.to_list()
    order = most_first(novel, now.of_novel)
    novel, of_novel = [novel[i] for i in order], now.of_novel[order]
    nothing = np.zeros(len(novel))
    levels = Bins(
        (None, *then.levels.to_list(), *novel),
        np.concatenate([[missing], known, nothing]),
        np.concatenate([[now.missing], now.known, of_novel]),
    )
    return ColumnAudit(
        then.column,
        "levels",
        _level_bins(then, now),
        p_value=two_sample_test(levels.then, levels.now),
        missing_then=missing / total,
        missing_now=now.missing / weight,
        novel_then=float(known[known <= _ONCE].sum()) / total,
        novel_now=float(of_novel.sum()) / weight,
        rare_then=float(known[rare].sum()) / total,
        rare_now=float(now.known[rare].sum()) / weight,
        levels=levels,
        n_novel=len(novel),
    )


def _level_bins(then: LevelStatistics, now: LevelCounts) -> Bins:
    """Missing values, common levels, all other levels, and novel ones.

    A row of the design is one of a novel level if no other row of the design has its level; not
    where the frame may be the design's own rows, which know all their levels.
    """
    known, missing = then.size[:-2], float(then.size[-2])
    novel = float(now.of_novel.sum())
    sizes = known.sum() + missing, now.known.sum() + now.missing + novel
    expected = (known + now.known) * (min(sizes) / sum(sizes))
    common = expected >= _ROWS_OF_A_BIN
    once = 0.0 if _may_be_own(then, now) else float(known[(known <= _ONCE) & ~common].sum())
    return Bins(
        (
            "missing",
            *(repr(level) for level in then.levels.take(np.flatnonzero(common)).to_list()),
            "other levels",
            "novel levels",
        ),
        np.concatenate([[missing], known[common], [known[~common].sum() - once, once]]),
        np.concatenate([[now.missing], now.known[common], [now.known[~common].sum(), novel]]),
    )


def _may_be_own(then: LevelStatistics, now: LevelCounts) -> bool:
    """Whether no level has more rows than it had at design, and none is novel."""
    known, missing = then.size[:-2], float(then.size[-2])
    return not len(now.novel) and bool((now.known <= known).all()) and now.missing <= missing
