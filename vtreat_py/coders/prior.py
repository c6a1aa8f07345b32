"""What is believed of a level before its rows are seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.likelihood import Likelihood, Point
from vtreat_py.coders.mixture import Mixture, is_normal_inside, mixture_of
from vtreat_py.coders.novel import novel_mean
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.shrinkage import moments_weight
from vtreat_py.statistics.blocks import by_blocks
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

ByLikelihood = Literal["auto", "mixed"]
Smoothing = float | ByLikelihood
# Those that ask the likelihood how much levels differ.
BY_LIKELIHOOD: tuple[ByLikelihood, ...] = get_args(ByLikelihood)
AUTO, MIXED = BY_LIKELIHOOD
BY_MOMENTS = "moments"
# Stands for a prior of no weight.
_LEAST = 1e-15
# Fewer levels do not tell of what kind their distribution is.
_FEW = 20
# Those that are from a normal distribution by fewer standard errors are taken to be of one.
_ODD = 2.0


@dataclass(frozen=True, eq=False)
class Prior:
    """What is believed of a level without rows, for each training set.

    Attributes
    ----------
    weight : ndarray of shape (training sets,)
        How much, in rows: infinite where levels differ no more than by chance.
    apart : ndarray of shape (training sets,)
        Mean of the levels, less the mean over rows.
    novel : ndarray of shape (training sets,)
        Mean of levels never seen, less the mean over rows.
    mixtures : dict from training set to Mixture
        Those whose levels are not drawn from a normal distribution.
    """

    weight: FloatArray
    apart: FloatArray
    novel: FloatArray
    mixtures: dict[int, Mixture] = field(default_factory=dict)

    @classmethod
    def of_weight(cls, weight: FloatArray) -> Prior:
        """Believe that all levels have the mean over rows."""
        return cls(weight, np.zeros_like(weight), np.zeros_like(weight))

    def effects(self, level: OutcomeSums, group: IntArray, mean: FloatArray) -> FloatArray:
        """Believe means of levels, less the mean over the rows of their training sets."""
        return by_blocks(
            len(group), lambda some: self._effects(level.take(some), group[some], mean)
        )

    def _effects(self, level: OutcomeSums, group: IntArray, mean: FloatArray) -> FloatArray:
        weight = np.where(level.weight > 0, level.weight, 1.0)
        belief = np.where(level.weight > 0, level.weight / (weight + self.weight[group]), 0.0)
        effect = belief * (level.mean - mean[group])
        if self.apart.any():
            effect += (1.0 - belief) * self.apart[group]
        for k, mixture in self.mixtures.items():
            own = np.flatnonzero((group == k) & (level.weight > 0))
            effect[own] = mixture.posterior_mean(level.weight[own], level.mean[own]) - mean[k]
        return np.asarray(effect)


def prior_of(
    levels: PooledLevels,
    smoothing: float | str,
    least: float = 0.0,
    *,
    normal: bool = False,
    counts_rows: bool = True,
) -> Prior:
    """Tell what to believe of levels.

    Parameters
    ----------
    levels : PooledLevels
    smoothing : float, "auto", "moments" or "mixed"
        Rows at the mean over rows; or empirical Bayes: by restricted maximum likelihood, and a
        mixture where that is clearly better; by moments, as earlier versions did; or by restricted
        maximum likelihood alone, which makes it the mixed model ``y ~ (1 | level)``.
    least : float
        The prior has this weight at least.
    normal : bool
        Whether rows inside levels are normal enough for a mixture.
    counts_rows : bool
        Whether levels of little weight are those of few rows, which tell of levels never seen. A
        level has little exposure, or few expected events, for other reasons, too.
    """
    if smoothing not in BY_LIKELIHOOD:
        return Prior.of_weight(weight_of(levels, smoothing, least))
    likelihood = levels.likelihood
    ratio = likelihood.ratio
    point, weight = likelihood.point, weight_of(levels, smoothing, least)
    apart = np.where(ratio > 0, point.off, 0.0)
    unit = likelihood.equal.unit
    if smoothing == MIXED or not counts_rows:
        return Prior(weight, unit * apart, unit * apart)
    novel = apart + novel_mean(likelihood, levels.alone)
    mixtures = _mixtures(levels, point, ratio) if normal else {}
    return Prior(weight, unit * apart, unit * novel, mixtures)


def weight_of(levels: PooledLevels, smoothing: float | str, least: float = 0.0) -> FloatArray:
    """Weight of the prior, in rows; see `prior_of`."""
    if smoothing == BY_MOMENTS:
        return np.maximum(moments_weight(levels), least)
    if smoothing not in BY_LIKELIHOOD:
        return np.full(levels.view.n_groups, max(float(smoothing), least))
    ratio = levels.likelihood.ratio
    differ = ratio > 0
    weight = 1.0 / np.where(differ, ratio, 1.0)
    return np.where(differ, np.maximum(weight, least), np.inf)


def _mixtures(levels: PooledLevels, point: Point, ratio: FloatArray) -> dict[int, Mixture]:
    """Find the training sets whose levels are drawn from a mixture."""
    likelihood, found = levels.likelihood, {}
    odd = likelihood.tells & ~likelihood.exact & (likelihood.n_levels >= _FEW)
    if odd.any():
        odd &= _oddness(likelihood, point, ratio) > _ODD
    for k in np.flatnonzero(odd):
        unit = likelihood.equal.unit
        within = float(point.within[k]) * unit * unit
        centre = float(point.off[k] + likelihood.mean[k]) * unit
        of_normal = centre, within * float(ratio[k]), within
        own = levels.of_group(int(k))
        mixture = mixture_of(own, *of_normal) if is_normal_inside(own, *of_normal) else None
        if mixture is not None:
            found[int(k)] = mixture
    return found


def _oddness(likelihood: Likelihood, point: Point, ratio: FloatArray) -> FloatArray:
    """How many standard errors level means are from being normal, by skewness or kurtosis.

    Levels count as far as they are believed; where none is, as if their variance was that of
    noise in a level of average size.
    """
    equal, n_groups = likelihood.equal, likelihood.n_groups
    group, n = equal.group, equal.weight
    seen = n * np.maximum(ratio, likelihood.n_levels / np.maximum(likelihood.rows, _LEAST))[group]
    belief = 1.0 - 1.0 / (1.0 + seen)
    scale = np.sqrt(belief / (point.within[group] * (ratio[group] + 1.0 / n)))
    c = (point.off + likelihood.mean)[group]
    count, total, square, cube, fourth = equal.sums
    c2, scale2, belief2 = c * c, scale * scale, belief * belief
    first = total - c * count
    second = square - c * (total + first)
    third = cube - 3.0 * c * (square - c * total) - c2 * c * count
    fourth = fourth - 4.0 * c * cube + 6.0 * c2 * square + c2 * c * (c * count - 4.0 * total)
    skew = scale * (third * scale2 - 3.0 * belief * first)
    peak = scale2 * (fourth * scale2 - 6.0 * belief * second) + 3.0 * belief2 * count
    skews, peaks, thirds, fourths = (
        np.maximum(np.abs(sum_by(group, values, n_groups)), _LEAST)
        for values in (skew, peak, belief2 * belief * count, belief2 * belief2 * count)
    )
    return np.maximum(skews / np.sqrt(6.0 * thirds), peaks / np.sqrt(24.0 * fourths))
