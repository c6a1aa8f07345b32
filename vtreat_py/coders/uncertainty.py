"""How far true effects may be from codes, when the prior, too, is an estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.likelihood import Likelihood, Point
from vtreat_py.statistics.equal_levels import EqualLevels
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Ratios of variances that are looked at.
_NODES = 96


@dataclass(frozen=True, eq=False)
class KnownLevels:
    """What is known of the levels of a column: their means, and the variance inside them.

    Attributes
    ----------
    weight, mean : ndarray of shape (levels,)
        Of the levels that have rows; the means are less the mean over rows.
    within : float or None
        Variance inside levels; None for a class.
    overall : float
        Mean over rows.
    """

    weight: FloatArray
    mean: FloatArray
    within: float | None
    overall: float

    def variance(
        self, weight: FloatArray, mean: FloatArray, rate: FloatArray | None = None
    ) -> FloatArray:
        """Variance of what the true means of levels may be.

        It is the variance of a true mean, given the data and the ratio of the variances, averaged
        over the ratios, and the variance over the ratios of its expectation. Ratios are as likely
        as the data make them where all standard deviations between levels were equally likely
        before. The mean of the levels has its variance, too.

        Parameters
        ----------
        weight, mean : ndarray of shape (levels,)
            Rows of a level, and their mean less the mean over rows.
        rate : ndarray of shape (levels,) or None
            What is believed of the rate of a class in these levels.

        Notes
        -----
        R. Kass and D. Steffey, "Approximate Bayesian Inference in Conditionally Independent
        Hierarchical Models (Parametric Empirical Bayes Models)", JASA 84 (1989), with the integral
        in place of its expansion, which does not hold where the estimate is 0; A. Gelman, "Prior
        Distributions for Variance Parameters in Hierarchical Models", Bayesian Analysis 1 (2006).
        """
        if self.within == np.inf:  # of less than two rows
            return np.zeros_like(weight)
        likelihood = self._likelihood()
        if not likelihood.tells[0] or likelihood.exact[0]:
            return np.zeros_like(weight)
        rows = float(likelihood.rows[0])
        unit = likelihood.equal.unit
        mean = mean / unit
        place = (np.arange(_NODES) + 0.5) / _NODES
        spread = np.sqrt(len(self.weight) / rows) * place / (1.0 - place)
        points = [Point(likelihood, np.array([one * one])) for one in spread]
        log = np.array([-0.5 * point.deviance()[0] for point in points])
        share = np.exp(log - log.max()) / (1.0 - place) ** 2
        # The variance inside levels, too, is an estimate.
        unknown = (rows - 1.0) / max(rows - 3.0, 1.0)
        inside, centre, square = np.zeros_like(weight), np.zeros_like(weight), np.zeros_like(weight)
        for own, one, point in zip(share / share.sum(), spread, points, strict=True):
            ratio = one * one
            left = 1.0 / (1.0 + weight * ratio)
            noise = unknown * point.within
            if rate is not None:
                noise = rate * (1.0 - rate) / (1.0 + ratio)
            inside += own * noise * (left * ratio + left * left / point.precision[0])
            expected = left * point.off[0] + (1.0 - left) * mean
            centre += own * expected
            square += own * expected * expected
        return (inside + np.maximum(square - centre * centre, 0.0)) * unit * unit

    def _likelihood(self) -> Likelihood:
        rows, one = self.weight.sum(keepdims=True), np.zeros(len(self.weight), dtype=np.intp)
        if self.within is None:
            levels = OutcomeSums(self.weight, self.weight * (self.mean + self.overall))
            inside = levels.squares.sum(keepdims=True)
            return Likelihood(EqualLevels.of_levels(one, levels), inside, levels.merged())
        levels = OutcomeSums(self.weight, self.weight * self.mean, np.zeros_like(self.weight))
        inside = self.within * np.maximum(rows - len(self.weight), 0.0)
        whole = levels.merged()
        whole = OutcomeSums(rows, whole.total, whole.squares + inside)
        return Likelihood(EqualLevels.of_levels(one, levels), inside, whole)
