"""catR: the impact code of a rate, as the logarithm of a ratio of rates."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.code import CodeOptions
from vtreat_py.coders.links import Log
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.prior import prior_of, weight_of
from vtreat_py.coders.shrinkage import within_variance
from vtreat_py.coders.table_code import LogImpactCode
from vtreat_py.coders.uncertainty import KnownLevels
from vtreat_py.statistics.blocks import by_blocks

# Ratios of rates are this far from 0 at least.
_EDGE = 1e-6
# The exponential of a greater number is beyond floats, of a smaller one than its negative nearly 0.
_FARTHEST = 700.0


class CatR(LogImpactCode):
    """The impact code of a rate."""

    name = "catR"
    outcomes = ("rate", "survival")
    link = Log()
    by_default = False  # but where the outcome is a rate

    def effects(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels."""
        return cat_r(levels, options.shrinkage)

    def prior(self, levels: PooledLevels, options: CodeOptions) -> FloatArray:
        """Weight of the prior, in rows of average exposure."""
        return weight_of(levels, options.shrinkage)

    def within(self, levels: PooledLevels) -> float:
        """Variance of the rate of rows of average exposure, inside levels that all rows have."""
        return float(within_variance(levels)[0])

    def believed(self, codes: FloatArray, overall: float) -> FloatArray:
        """Rate that codes stand for, at most the largest float."""
        with np.errstate(over="ignore"):
            return np.minimum(overall * _ratio(codes), np.finfo(float).max)

    def variance(self, codes: FloatArray, overall: float, within: float | None) -> FloatArray:  # noqa: ARG002
        """Variance of the rate inside levels: it goes up with the rate."""
        assert within is not None
        return within * _ratio(codes)

    def error(
        self,
        codes: FloatArray,
        overall: float,
        within: float | None,
        weight: FloatArray,
        prior: float,
    ) -> FloatArray:
        """Posterior standard deviation of codes: that of a gamma distribution over its mean."""
        assert within is not None
        if np.isinf(prior):
            return np.zeros_like(weight)
        rows = weight + prior
        known = np.where(rows > 0, rows, 1.0)
        error = np.sqrt(within / (known * _ratio(codes))) / overall
        return np.asarray(np.where(rows > 0, error, np.inf))

    def whole_error(
        self,
        codes: FloatArray,
        overall: float,
        levels: KnownLevels,
        weight: FloatArray,
        mean: FloatArray,
    ) -> FloatArray:
        """Posterior standard deviation of codes, with what is not known of the prior."""
        variance = levels.variance(weight, mean - overall)
        return np.asarray(np.sqrt(variance / _ratio(codes)) / overall)


def _ratio(codes: FloatArray) -> FloatArray:
    """Ratio of rates that codes stand for, in the range of floats."""
    return np.asarray(np.exp(np.clip(codes, -_FARTHEST, _FARTHEST)))


def cat_r(levels: PooledLevels, smoothing: float | str) -> tuple[FloatArray, FloatArray]:
    """Code levels by the logarithm of their rate over that of all rows, shrunk.

    Parameters
    ----------
    levels : PooledLevels
        The levels of one or several training sets; outcome a rate, weights the exposures.
    smoothing : float, "auto" or "mixed"
        Rows of average exposure at the overall rate that are added to each level, or empirical
        Bayes, which "auto" and "mixed" both are here: towards the mean of the levels.

    Returns
    -------
    codes : ndarray of shape (entries,)
    novel : ndarray of shape (training sets,)
        The code of unseen levels: the pool's, else the mean of the levels; with a number for
        ``smoothing`` 0.

    Notes
    -----
    Empirical Bayes takes the rate of a level for a draw from a gamma distribution, and counts for
    draws whose variance is a multiple of what they are expected to be: 1 for those of Poisson. The
    posterior mean of the rate is then ``(Y + a) / (E + a / m)``, with Y the events of the level, E
    its exposure and m the mean rate of levels: it is linear in the level's own rate, so that the
    two variances are all that is needed (W. Jewell, "Credible means are exact Bayesian for
    exponential families", ASTIN Bulletin 8 (1974)). They are estimated as those of numbers are (see
    `prior_of`): inside levels from how rows of a level differ, so that the multiple is whatever the
    counts say.
    """
    view, prior = levels.view, prior_of(levels, smoothing, counts_rows=False)
    base = view.whole.mean
    each = np.arange(view.n_groups)
    own = _above(base, view.group, prior.effects(view.entries, view.group, base))
    pool = _above(base, each, prior.effects(levels.pool, each, base))
    return levels.assign(own, pool, np.zeros(view.n_groups), _above(base, each, prior.novel))


def _above(base: FloatArray, group: IntArray, effect: FloatArray) -> FloatArray:
    """Logarithm of rates over those of their training sets; 0 where these have no events."""
    unit = np.where(base > 0, base, np.inf)
    return by_blocks(
        len(group),
        lambda some: np.log(np.maximum(1.0 + effect[some] / unit[group[some]], _EDGE)),
    )
