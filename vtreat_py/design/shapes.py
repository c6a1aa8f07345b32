"""p-values of numbers that see more than a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.quantiles import ends_of_shares

# So many ranges say nearly what all rows say.
_RANGES = 30


def with_shapes(filled: FilledNumbers, moments: Moments, scores: list[Score]) -> list[Score]:
    """Combine the p-value of the line with those of shapes, for each contrast.

    Nothing else of a score changes.
    """
    contrasts = filled.context.contrasts
    first = contrasts[0].combined
    if first is None or not len(edges := filled.profile.edges):
        return scores
    sums = None if first.scores is None else _of_scores(filled, edges)
    scored = sums is not None
    if sums is None:
        sums = _bad_among_good(filled, edges, filled.range_sums)
    spread, found = _spread(filled, moments), []
    for contrast, score, one in zip(contrasts, scores, sums, strict=True):
        assert contrast.combined is not None
        sig = contrast.combined.shapes(float(score.sig[0]), spread, one, scored=scored)
        found.append(replace(score, sig=np.array([sig])))
    return found


def with_any_shape(
    filled: FilledNumbers, binned: BinnedNumbers, moments: Moments, copied: Sequence[Score]
) -> list[float]:
    """p-values of whether the outcome changes with a number in any shape, for each contrast.

    Needs `DesignContext.combined`; ``copied`` are the scores of the clean copy.
    """
    contrasts = filled.context.contrasts
    first = contrasts[0].combined
    assert first is not None
    edges = _edges(binned)
    sums = None if first.scores is None else _of_scores(filled, edges)
    scored = sums is not None
    if sums is None:
        sums = _of_bins(filled, binned, edges)
    spread, found = _spread(filled, moments), []
    for contrast, score, ranges in zip(contrasts, copied, sums, strict=True):
        assert contrast.combined is not None
        p_value = float(score.sig[0])
        found.append(contrast.combined.any_shape(p_value, spread, ranges, scored=scored))
    return found


def _spread(filled: FilledNumbers, moments: Moments) -> tuple[float, float, float]:
    """First and last decile of the clean copy, and its deviation, in inner coordinates."""
    edges = filled.profile.edges
    low, high = filled.inner(edges[[0, -1]]) if len(edges) else (0.0, 0.0)  # nearly all are one
    return float(low), float(high), float(np.sqrt(moments.xx[0] / moments.weight[0]))


def _of_bins(filled: FilledNumbers, binned: BinnedNumbers, edges: FloatArray) -> list[OutcomeSums]:
    """Sums by ranges that are made of bins, for each contrast."""
    place = np.searchsorted(edges, np.append(binned.edges, filled.value))
    of_bins = binned.outcomes(of_classes=not filled.context.outcome.is_number)
    return [
        OutcomeSums.joined([good, sums.bad]).grouped(place, len(edges) + 1)
        for good, sums in zip(of_bins, filled.wholes, strict=True)
    ]


def _edges(binned: BinnedNumbers) -> FloatArray:
    """Quantiles, and what is next below those that are several at once."""
    upto = np.cumsum(binned.wholes[0].weight)
    ends, times = np.unique(ends_of_shares(upto, _RANGES), return_counts=True)
    ends = np.union1d(ends, ends[times > 1] - 1)
    return np.asarray(binned.edges[ends[(ends >= 0) & (ends < len(upto) - 1)]])


def _of_scores(filled: FilledNumbers, edges: FloatArray) -> list[OutcomeSums] | None:
    """Sums by range of the outcome's normal scores, which not all engines have."""
    sums = filled.facts.range_sums(edges, scored=True)
    return None if sums is None else _bad_among_good(filled, edges, sums)


def _bad_among_good(
    filled: FilledNumbers, edges: FloatArray, sums: Sequence[OutcomeSums]
) -> list[OutcomeSums]:
    """Sums by range, of which bad values are where the value that stands for them is."""
    place = np.arange(len(edges) + 2)
    place[-1] = np.searchsorted(edges, filled.value, side="left")
    return [one.grouped(place, len(edges) + 1) for one in sums]
