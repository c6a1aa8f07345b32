"""catN: the impact code of a numeric outcome, in outcome units."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import CodeOptions
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.prior import prior_of, weight_of
from vtreat_py.coders.shrinkage import within_variance
from vtreat_py.coders.table_code import ImpactCode
from vtreat_py.coders.uncertainty import KnownLevels


class CatN(ImpactCode):
    """The impact code of a numeric outcome."""

    name = "catN"
    outcomes = ("numeric",)

    def effects(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels."""
        return cat_n(levels, options.shrinkage)

    def unit(self, levels: PooledLevels) -> FloatArray:
        """Deviation of y."""
        return levels.view.whole.deviation

    def prior(self, levels: PooledLevels, options: CodeOptions) -> FloatArray:
        """Weight of the prior, in rows."""
        return weight_of(levels, options.shrinkage)

    def within(self, levels: PooledLevels) -> float:
        """Variance of y inside the levels that all rows have."""
        return float(within_variance(levels)[0])

    def believed(self, codes: FloatArray, overall: float) -> FloatArray:
        """Mean of y that codes stand for."""
        return overall + codes

    def variance(
        self,
        codes: FloatArray,
        overall: float,  # noqa: ARG002
        within: float | None,
    ) -> FloatArray:
        """Variance of y inside levels, which is the same in all."""
        assert within is not None
        return np.full(len(codes), within)

    def error(
        self,
        codes: FloatArray,  # noqa: ARG002
        overall: float,  # noqa: ARG002
        within: float | None,
        weight: FloatArray,
        prior: float,
    ) -> FloatArray:
        """Posterior standard deviation of codes."""
        assert within is not None
        return cat_n_error(within, weight, prior)

    def whole_error(
        self,
        codes: FloatArray,  # noqa: ARG002
        overall: float,
        levels: KnownLevels,
        weight: FloatArray,
        mean: FloatArray,
    ) -> FloatArray:
        """Posterior standard deviation of codes, with what is not known of the prior."""
        return np.asarray(np.sqrt(levels.variance(weight, mean - overall)))


def cat_n(levels: PooledLevels, smoothing: float | str) -> tuple[FloatArray, FloatArray]:
    """Code levels by their mean of y less the grand mean, shrunk towards 0.

    Parameters
    ----------
    levels : PooledLevels
        The levels of one or several training sets.
    smoothing : float or "auto"
        Rows at the grand mean added to each level (R's ``smFactor``), or empirical Bayes: the
        posterior mean when y is normal inside levels, and so are the true level means.

    Returns
    -------
    codes : ndarray of shape (entries,)
    novel : ndarray of shape (training sets,)
        The code of unseen levels: the pool's, else that of levels of next to no rows; with a
        number for ``smoothing`` 0.
    """
    view, prior = levels.view, prior_of(levels, smoothing, normal=True)
    own = prior.effects(view.entries, view.group, view.whole.mean)
    pool = prior.effects(levels.pool, np.arange(view.n_groups), view.whole.mean)
    return levels.assign(own, pool, np.zeros(view.n_groups), prior.novel)


def cat_n_error(within: float, weight: FloatArray, prior: float) -> FloatArray:
    """Posterior standard deviation of the codes of levels of these weights.

    ``sqrt(within / (weight + prior))``, with ``within`` the variance of y inside levels: the
    prior's own, of levels without rows, is then the standard deviation between levels. It is 0
    where the prior weight is infinite, and infinite where nothing is known.
    """
    if np.isinf(prior):
        return np.zeros_like(weight)
    rows = weight + prior
    known = np.where(rows > 0, rows, 1.0)
    return np.asarray(np.where(rows > 0, np.sqrt(within / known), np.inf))
