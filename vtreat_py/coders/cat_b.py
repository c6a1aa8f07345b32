"""catB: the impact code of a class outcome, in log odds."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.code import CLASSES, CodeOptions
from vtreat_py.coders.links import FARTHEST, Logit
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.prior import MIXED, prior_of, weight_of
from vtreat_py.coders.table_code import LogImpactCode
from vtreat_py.coders.uncertainty import KnownLevels
from vtreat_py.statistics.blocks import by_blocks
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Probabilities are kept this far from 0 and 1 before taking log odds.
_EDGE = 1e-6
# The smallest smoothing: a level with target rows only still gets a finite code.
_LEAST_SMOOTHING = 1e-4
# Empirical Bayes never believes a level more than as if half a row of prior stood beside it.
_LEAST_PRIOR = 0.5


class CatB(LogImpactCode):
    """The impact code of a class."""

    name = "catB"
    outcomes = CLASSES
    link = Logit()
    of_class = True

    def effects(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels."""
        if options.follows_r:
            return cat_b_of_r(levels, float(options.shrinkage))
        return cat_b(levels, options.shrinkage)

    def prior(self, levels: PooledLevels, options: CodeOptions) -> FloatArray:
        """Weight of the prior, in rows."""
        smoothing = options.shrinkage
        if smoothing == MIXED:
            return _mixed_weight(levels)
        if isinstance(smoothing, str):
            return weight_of(levels, smoothing, _LEAST_PRIOR)
        classes = 2.0 if options.follows_r else 1.0
        return np.full(levels.view.n_groups, classes * max(float(smoothing), _LEAST_SMOOTHING))

    def within(self, levels: PooledLevels) -> None:
        """It follows from the rates."""

    def believed(self, codes: FloatArray, overall: float) -> FloatArray:
        """Rate of the target that codes stand for."""
        return coded_rate(codes, overall)

    def variance(
        self,
        codes: FloatArray,
        overall: float,
        within: float | None,  # noqa: ARG002
    ) -> FloatArray:
        """Variance of the class in levels of these codes."""
        rate = coded_rate(codes, overall)
        return rate * (1.0 - rate)

    def error(
        self,
        codes: FloatArray,
        overall: float,
        within: float | None,  # noqa: ARG002
        weight: FloatArray,
        prior: float,
    ) -> FloatArray:
        """Posterior standard deviation of codes."""
        return cat_b_error(codes, overall, weight, prior)

    def whole_error(
        self,
        codes: FloatArray,
        overall: float,
        levels: KnownLevels,
        weight: FloatArray,
        mean: FloatArray,
    ) -> FloatArray:
        """Posterior standard deviation of codes, with what is not known of the prior."""
        if levels.mixed:
            return np.asarray(np.sqrt(levels.log_odds_variance(weight, mean)))
        rate = coded_rate(codes, overall)
        variance = levels.variance(weight, mean - overall, rate)
        return np.asarray(np.sqrt(variance) / (rate * (1.0 - rate)))


def cat_b(levels: PooledLevels, smoothing: float | str) -> tuple[FloatArray, FloatArray]:
    """Code levels by ``logit P(target | level) - logit P(target)``.

    Parameters
    ----------
    levels : PooledLevels
        The levels of one or several training sets; outcome 0 or 1.
    smoothing : float, "auto", "moments" or "mixed"
        Rows at the rate over all rows added to each level, empirical Bayes, or the mixed model.

    Returns
    -------
    codes : ndarray of shape (entries,)
    novel : ndarray of shape (training sets,)
        The code of unseen levels: the pool's, else that of levels of next to no rows; with a
        number for ``smoothing`` 0.

    Notes
    -----
    Empirical Bayes takes the target's rate in a level for a draw from a beta distribution, and
    the rows of the level for draws at that rate (the beta-binomial model). Its mean is that of
    the levels, and its two parameters add up to the weight of the prior (see `prior_of`), because
    within / between is a + b for a beta(a, b). The code is the posterior mean of the rate, in log
    odds above the rate over all rows.

    With "mixed" it is the log odds that the mixed model predicts (see `RandomIntercepts`), less
    their mean over rows; that of unseen levels is the model's of a level without rows.
    """
    if smoothing == MIXED:
        return _mixed(levels)
    view = levels.view
    base, each, nothing = view.whole.mean, np.arange(view.n_groups), np.zeros(view.n_groups)
    if not isinstance(smoothing, str):
        rows = max(float(smoothing), _LEAST_SMOOTHING)
        own = _above(base, view.group, _beside(view.entries, base[view.group], rows))
        return levels.assign(own, _above(base, each, _beside(levels.pool, base, rows)), nothing)
    prior = prior_of(levels, smoothing, _LEAST_PRIOR)
    own = _above(base, view.group, prior.effects(view.entries, view.group, base))
    pool = _above(base, each, prior.effects(levels.pool, each, base))
    return levels.assign(own, pool, nothing, _above(base, each, prior.novel))


def cat_b_of_r(levels: PooledLevels, smoothing: float) -> tuple[FloatArray, FloatArray]:
    """Code levels as R vtreat does: with so many rows of each class beside (``smFactor``).

    Levels of few rows are drawn to odds of one half, not to those of all rows.
    """
    view, s = levels.view, max(smoothing, _LEAST_SMOOTHING)
    own = _smoothed(view.entries, view.whole.take(view.group), s)
    return levels.assign(own, _smoothed(levels.pool, view.whole, s), np.zeros(view.n_groups))


def _beside(level: OutcomeSums, base: FloatArray, rows: float) -> FloatArray:
    """Rates less the base rates, with so many rows at these beside."""
    return (level.mean - base) * (level.weight / (level.weight + rows))


def _mixed(levels: PooledLevels) -> tuple[FloatArray, FloatArray]:
    """Log odds by the mixed model, less their mean over rows."""
    model, entries, pools = levels.random_intercepts
    centre = model.centre
    own, pool = model.codes(entries) - centre[levels.view.group], model.codes(pools) - centre
    return levels.assign(own, pool, np.zeros(len(centre)), -centre)


def _mixed_weight(levels: PooledLevels) -> FloatArray:
    """Variance of a row in log odds, where levels have their mean, over that between levels."""
    model, _, _ = levels.random_intercepts
    odds = np.exp(-np.abs(model.intercept))
    differ = model.variance > 0
    within = (1.0 + odds) ** 2 / odds
    return np.where(differ, within / np.where(differ, model.variance, 1.0), np.inf)


def coded_rate(code: FloatArray, base: float) -> FloatArray:
    """Rate of the target that a code stands for, where the rate overall is ``base``."""
    log_odds = np.clip(code + _logit(np.array(base)), -FARTHEST, FARTHEST)
    odds = np.exp(log_odds)
    return np.asarray(odds / (1.0 + odds))


def cat_b_error(code: FloatArray, base: float, weight: FloatArray, prior: float) -> FloatArray:
    """Posterior standard deviation of the codes of levels of these weights.

    That of the beta distribution of the rate, ``sqrt(p * (1 - p) / (weight + prior + 1))``, put
    into log odds by the delta method: divided by ``p * (1 - p)``. It is 0 where the prior weight
    is infinite.
    """
    rate = coded_rate(code, base)
    return np.asarray(1.0 / np.sqrt(rate * (1.0 - rate) * (weight + prior + 1.0)))


def _logit(p: FloatArray) -> FloatArray:
    p = np.clip(p, _EDGE, 1.0 - _EDGE)
    return np.asarray(np.log(p / (1.0 - p)))


def _above(base: FloatArray, group: IntArray, effect: FloatArray) -> FloatArray:
    """Log odds of rates above those of the base rates of their training sets."""
    odds = _logit(base)
    return by_blocks(
        len(group), lambda some: _logit(effect[some] + base[group[some]]) - odds[group[some]]
    )


def _smoothed(level: OutcomeSums, whole: OutcomeSums, s: float) -> FloatArray:
    """R vtreat's conditional log odds with ``s`` pseudo-rows (spec, section 5)."""
    base = np.clip(whole.mean, _EDGE, 1.0 - _EDGE)
    # Sums of weights in another order may leave less than nothing.
    misses = np.maximum(level.weight - level.total, 0.0)
    all_misses = np.maximum(whole.weight - whole.total, 0.0)
    odds = base * (level.total + s) * (all_misses + s)
    odds /= (1.0 - base) * (misses + s) * (whole.total + s)
    low, high = _logit(np.array([_EDGE, 1.0 - _EDGE]))
    code = np.clip(np.log(odds), low, high) - _logit(base)
    # Training rows of one class say nothing about levels.
    both = (whole.total > 0) & (all_misses > 0)
    return np.where(both, code, 0.0)
