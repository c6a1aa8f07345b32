"""How far true effects may be from codes, when the prior, too, is an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.laplace import Laplace, modes
from vtreat_py.coders.likelihood import Likelihood, Point
from vtreat_py.coders.random_intercepts import RandomIntercepts, RandomInterceptsPoint
from vtreat_py.statistics.equal_levels import EqualLevels
from vtreat_py.statistics.equal_rates import EqualRates
from vtreat_py.statistics.level_view import training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Ratios of variances that are looked at, and standard deviations of log odds.
_NODES, _SPREADS = 96, 48
# What is left of this share, after a product with a quotient, is rounding.
_ROUNDING = 1e-12


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
    mixed : bool
        Whether codes are those of a mixed model.
    """

    weight: FloatArray
    mean: FloatArray
    within: float | None
    overall: float
    mixed: bool = False

    @property
    def base(self) -> float:
        """Mean of the outcome that a code of 0 stands for."""
        if self.within is not None or not self.mixed:
            return self.overall
        model = self._random_intercepts()
        return float(1.0 / (1.0 + np.exp(-model.intercept[0] - model.centre[0])))

    def variance(
        self, weight: FloatArray, mean: FloatArray, rate: FloatArray | None = None
    ) -> FloatArray:
        """Variance of what the true means of levels may be.

        It is the variance of a true mean, given the data and the ratio of the variances, averaged
        over the ratios, and the variance over the ratios of its expectation. Ratios are as likely
        as the data make them where all standard deviations between levels were equally likely
        before; those of a class by the beta-binomial model itself, of which the likelihood that is
        searched keeps the first two moments: it says of large ratios that they are all alike. The
        mean of the levels has its variance, too.

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
        # Rows that groups make less of have another mean than all rows.
        mean = (mean - self._off(likelihood)) / unit
        place = (np.arange(_NODES) + 0.5) / _NODES
        spread = np.sqrt(len(self.weight) / rows) * place / (1.0 - place)
        points = [Point(likelihood, np.array([one * one])) for one in spread]
        log = self._log_likelihoods(points, spread * spread)
        share = np.exp(log - log.max()) / (1.0 - place) ** 2
        # The variance inside levels, too, is an estimate.
        unknown = (rows - 1.0) / max(rows - 3.0, 1.0)
        inside, centre, square = np.zeros_like(weight), np.zeros_like(weight), np.zeros_like(weight)
        for own, one, point in zip(share / share.sum(), spread, points, strict=True):
            ratio = one * one
            left = 1.0 / (1.0 + weight * ratio)
            noise = unknown * point.within
            if rate is not None:
                noise = rate * (1.0 - rate) / (1.0 + left * ratio)  # of a beta distribution
            inside += own * noise * (left * ratio + left * left / point.precision[0])
            expected = left * point.off[0] + (1.0 - left) * mean
            centre += own * expected
            square += own * expected * expected
        return (inside + np.maximum(square - centre * centre, 0.0)) * unit * unit

    def log_odds_variance(self, weight: FloatArray, mean: FloatArray) -> FloatArray:
        """Variance of what the log odds of levels may be, by the mixed model.

        As `variance` is, averaged over the standard deviations between levels, t, of which
        1 / (1 + t)^2 was the density before: even where all levels are of one class, they are not
        infinite then.

        Parameters
        ----------
        weight, mean : ndarray of shape (levels,)
            Rows of a level, and the rate of the class in them.
        """
        model, levels = self._random_intercepts(), _merged(_sums(weight, mean))
        if not model.tells[0]:
            return np.zeros_like(weight)
        place = (np.arange(_SPREADS) + 0.5) / _SPREADS
        n, y = np.append(levels.weight, 0.0), np.append(levels.hits, 0.0)
        found, everywhere = [], np.ones(len(n), dtype=bool)
        point: RandomInterceptsPoint | None = None
        e: FloatArray | None = None
        for spread in place / (1.0 - place):
            point = RandomInterceptsPoint(model, np.array([spread * spread]), point)
            mean, s = np.repeat(point.intercept, len(n)), np.repeat(point.variance, len(n))
            e = modes(n, y, mean, s, mean if e is None else e, everywhere)
            left = 1.0 / Laplace(n, y, s, e).shrinks
            of_mean = point.uncertainty()
            log = point.likelihood() + 0.5 * np.log(of_mean)
            found.append((np.repeat(log, len(n)), e, left * s + left * left * of_mean))
        log, each, variance = np.array(found).transpose(1, 0, 2)
        share = np.exp(log - log.max(axis=0))
        share /= share.sum(axis=0)
        centre = (share * each).sum(axis=0)
        return np.asarray((share * (variance + (each - centre) ** 2)).sum(axis=0)[levels.place])

    def _log_likelihoods(self, points: Sequence[Point], ratios: FloatArray) -> FloatArray:
        """Logarithms of the restricted likelihoods of ratios, but for a constant."""
        if self.within is not None:
            return np.array([-0.5 * point.deviance()[0] for point in points])
        levels = _merged(_sums(self.weight, self.mean + self.overall))
        hits, misses, found = levels.hits, levels.weight - levels.hits, []
        for point, ratio in zip(points, ratios, strict=True):
            a, b = point.rate[0] / ratio, (1.0 - point.rate[0]) / ratio
            rows = float((levels.count * (betaln(a + hits, b + misses) - betaln(a, b))).sum())
            of_mean = point.within[0] / point.precision[0]
            found.append(rows + 0.5 * np.log(of_mean))
        return np.array(found)

    def _off(self, likelihood: Likelihood) -> float:
        """Mean over rows as the likelihood has it, less that of which means are."""
        whole = float(likelihood.mean[0]) * likelihood.equal.unit
        return whole if self.within is not None else whole - self.overall

    def _random_intercepts(self) -> RandomIntercepts:
        levels = _sums(self.weight, self.mean + self.overall)
        return RandomIntercepts(_merged(levels), levels.merged())

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


def _sums(weight: FloatArray, rate: FloatArray) -> OutcomeSums:
    """Sums of a class by level; whole ones are whole again."""
    hits = weight * rate
    whole = np.rint(hits)
    return OutcomeSums(weight, np.where(np.abs(hits - whole) <= _ROUNDING * weight, whole, hits))


def _merged(levels: OutcomeSums) -> EqualRates:
    return EqualRates.of_view(training_view([levels]), 0.0)
