"""p-values of the clean copy of a number that see more than a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums


def with_shapes(
    filled: FilledNumbers, moments: Sequence[Moments], scores: list[Score]
) -> list[Score]:
    """Combine the p-value of the line with those of shapes, for each contrast.

    Nothing else of a score changes.
    """
    contrasts = filled.context.contrasts
    first = contrasts[0].combined
    if first is None or not len(edges := filled.profile.edges):
        return scores
    scored = first.scores is not None
    sums = filled.facts.range_sums(edges, scored=scored)
    if sums is None:
        scored, sums = False, filled.facts.range_sums(edges, scored=False)
    assert sums is not None
    deviation = float(np.sqrt(moments[0].xx[0] / moments[0].weight[0]))
    ends = filled.inner(edges[[0, -1]])
    found = []
    for contrast, score, one in zip(contrasts, scores, sums, strict=True):
        assert contrast.combined is not None
        ranges = _with_bad(one, edges, filled.value)
        sig = contrast.combined.shapes(
            float(score.sig[0]), (*ends, deviation), ranges, scored=scored
        )
        found.append(replace(score, sig=np.array([sig])))
    return found


def _with_bad(sums: OutcomeSums, edges: FloatArray, value: float) -> OutcomeSums:
    """Sums by range, bad values being where the value that stands for them is."""
    place = np.arange(len(edges) + 2)
    place[-1] = np.searchsorted(edges, value, side="left")
    return sums.grouped(place, len(edges) + 1)
