"""What levels are drawn from where that is not normal: most alike, or in groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import OutcomeSums, reaches, sum_by

# Places of the components, steps of the search, and the share of the normal one at its start.
_PLACES, _STEPS, _NORMAL = 32, 80, 0.1
# After so many steps it is asked whether the next ones can lead anywhere.
_LOOK = 20
# Logarithm of how much likelier the levels must be than by a normal distribution.
_CLEARLY = 3.0
# Components of a smaller share are left out.
_LEAST_SHARE = 1e-5
# More levels are merged for the search: so many means a standard error, sizes for each doubling.
_MOST_LEVELS, _NEAR, _SIZES = 1_000, 4.0, 4.0
# Kurtosis of rows inside levels, with its uncertainty, from which on long tails of rows look like
# levels that stand out.
_LONG_TAILS = 2.0
# Skewness of rows from which on it looks like that of levels.
_SKEWED = 0.5
# Levels at a time: what is made of them for each component stays in the processor's cache.
_BLOCK = 1 << 10
# Stands for 0 where there is a division by it.
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of normal distributions of the true level means.

    Attributes
    ----------
    place, variance, share : ndarray of shape (components,)
    within : float
        Variance of y inside levels.
    """

    place: FloatArray
    variance: FloatArray
    share: FloatArray
    within: float

    def posterior_mean(self, weight: FloatArray, mean: FloatArray) -> FloatArray:
        """Mean of what the true means of levels may be."""
        found = np.empty_like(mean)
        for some in blocks(len(mean), _BLOCK):
            found[some] = self._posterior_mean(weight[some], mean[some])
        return found

    def _posterior_mean(self, weight: FloatArray, mean: FloatArray) -> FloatArray:
        """A component puts it at its place, and its share of variance nearer to the level's."""
        likely, pull = _densities(weight, mean, self.place, self.variance, self.within)
        pull *= likely
        at_places = (self.share * self.place) @ likely + (self.share * self.variance) @ pull
        return np.asarray(at_places / (self.share @ likely))


def mixture_of(levels: OutcomeSums, centre: float, between: float, within: float) -> Mixture | None:
    """Fit a mixture to the levels of a training set; None where a normal distribution will do.

    The components are the normal distribution that restricted maximum likelihood gives
    (``centre``, ``between``), and at places over the range of the means points, and normal
    distributions as wide as places are apart. Their shares are found by expectation and
    maximisation, from one that has a tenth of the first. It is kept where the levels are clearly
    likelier than by the first alone. `is_normal_inside` says where it may be trusted.

    Notes
    -----
    R. Koenker and I. Mizera, "Convex Optimization, Shape Constraints, Compound Decisions, and
    Empirical Bayes Rules", JASA 109 (2014); M. Stephens, "False Discovery Rates: A New Deal",
    Biostatistics 18 (2017).
    """
    weight, mean, count = _nearly_equal(levels, within)
    low, high = mean.min(), mean.max()
    places = np.linspace(low, high, _PLACES)
    apart = (high - low) / (_PLACES - 1)
    place = np.concatenate([[centre], places, places, [centre]])
    none = np.zeros(_PLACES)
    variance = np.concatenate([[between], none, none + apart * apart, [0.0]])
    likely, _ = _densities(weight, mean, place, variance, within)
    share = np.full(len(place), (1.0 - _NORMAL) / (len(place) - 1))
    share[0] = _NORMAL
    normal, n_levels = np.maximum(likely[0], _TINY), count.sum()
    portion = count / n_levels
    for step in range(1, _STEPS + 1):
        together = share @ likely
        growth = likely @ (portion / together)
        # No shares are likelier by more than the largest growth for each level (B. Lindsay, "The
        # Geometry of Mixture Likelihoods", Annals of Statistics 11 (1983)).
        if step % _LOOK == 0:
            most = (count * np.log(together / normal)).sum() + n_levels * np.log(growth.max())
            if most <= _CLEARLY:
                return None
        share *= growth
    if (count * np.log(share @ likely / normal)).sum() <= _CLEARLY:
        return None
    some = share > _LEAST_SHARE
    return Mixture(place[some], variance[some], share[some] / share[some].sum(), within)


def is_normal_inside(levels: OutcomeSums, centre: float, between: float, within: float) -> bool:
    """Whether rows inside levels have no long tails, nor are skew.

    A mixture would take what these make of small levels for levels that stand out.
    """
    ratio = between / within
    shapes = sum(
        _inner_shape(levels.take(some), centre, ratio, within)
        for some in blocks(len(levels.weight))
    )
    (tails, of_tails), (skew, of_skew) = np.reshape(shapes, (2, 2))
    if not of_tails > 0:
        return False
    # Uncertain kurtosis counts as that much more of it, skewness of no more than chance as none.
    has_long_tails = tails / of_tails + 2.0 / np.sqrt(of_tails) >= _LONG_TAILS
    is_skew = abs(skew) >= _SKEWED * of_skew and abs(skew) > 2.0 * np.sqrt(of_skew)
    return not (has_long_tails or is_skew)


def _densities(
    weight: FloatArray, mean: FloatArray, place: FloatArray, variance: FloatArray, within: float
) -> tuple[FloatArray, FloatArray]:
    """Density of level means by component, in units of the level's own.

    Beside it is how far a level is from the component's place, over the variance about that.
    """
    apart = mean - place[:, None]
    precision = 1.0 / (within / weight + variance[:, None])
    pull = apart * precision
    log = np.multiply(apart, pull, out=apart)
    log -= log.min(axis=0)
    log *= -0.5
    likely = np.exp(log, out=log)
    likely *= np.sqrt(precision, out=precision)
    return likely, pull


def _inner_shape(levels: OutcomeSums, centre: float, ratio: float, within: float) -> FloatArray:
    """Score and information of the excess kurtosis of rows inside levels, and of their skewness.

    The squares inside levels are known, not the third and fourth powers; but squares differ from
    level to level the more, the longer the tails, and where rows are skew, levels of a high (or
    low) mean have the larger ones. Each score is a sum of what a level has more of than normal
    rows give, over its variance if they are normal.
    """
    if not (many := reaches(levels.weight, 2.0)).all():
        levels = levels.take(np.flatnonzero(many))
    weight = levels.weight
    free = weight - 1.0
    share = free / weight
    more = levels.squares / within - free
    by_tails = share / (8.0 * (free + 6.0))
    tails = (by_tails * (more * more - 2.0 * free)).sum()
    of_tails = (by_tails * share * free).sum()
    by_skew = 0.5 / (ratio * weight + 1.0)
    skew = (by_skew * more * (levels.mean - centre)).sum() / np.sqrt(within)
    return np.array([tails, of_tails, skew, (by_skew * share).sum()])


def _nearly_equal(levels: OutcomeSums, within: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weight, mean and number of levels; where these are many, of those that are nearly equal."""
    weight, mean = levels.weight, levels.mean
    if len(weight) <= _MOST_LEVELS:
        return weight, mean, np.ones_like(weight)
    size = np.round(_SIZES * np.log2(weight))
    near = np.round(_NEAR * mean * np.sqrt(np.exp2(size / _SIZES) / within))
    size, near = size - size.min(), near - near.min()
    key = size * (near.max() + 1.0) + near
    place = key.astype(np.intp) if key.max() < len(key) else np.unique(key, return_inverse=True)[1]
    n = int(place.max()) + 1
    count = sum_by(place, None, n)
    some = np.flatnonzero(count)
    weight, mean = (sum_by(place, one, n)[some] / count[some] for one in (weight, mean))
    return weight, mean, count[some]
