"""What texts say of the outcome: a ridge regression of level means on their n-grams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import optimize

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.text_features import TextFeatures
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import ROUNDING

# Ratios of the variance between levels to that inside them that are reckoned with.
LEAST_RATIO, GREATEST_RATIO = 0.02, 50.0
# Penalties that are looked at first, as multiples of the mean eigenvalue.
_PENALTIES = np.geomspace(1e-4, 1e6, 41)
# Levels at a time.
_BLOCK = 1 << 12
# A gain of likelihood below this one is rounding, as are such a share of the squares, and how far
# the logarithm of the penalty is followed.
_SAME, _NOTHING, _CLOSE = 1e-9, 1e-12, 1e-12


@dataclass(frozen=True, eq=False)
class LevelMeans:
    """The levels of one training set that a regression learns from.

    Attributes
    ----------
    weight, mean : ndarray of shape (m,)
        Of each point of the features; a weight of 0: the training set does not have the level.
    inside : float
        Squares of the outcome inside levels.
    size : float
        Of numbers that means are differences of, and are rounded as.
    """

    weight: FloatArray
    mean: FloatArray
    inside: float
    size: float


@dataclass(frozen=True, eq=False)
class TextRidge:
    """A regression of level means on texts, with an effect of each level beside.

    The means m of levels of n rows are

        m = mean + z * slopes + effect + noise

    where z are the coordinates of the text, slopes are drawn from one normal distribution, effects
    from another one, whose variance is ``ratio`` times that of a row, and noise has the variance of
    a row over n. Given ``ratio``, the penalty, which is the variance of effect and noise over that
    of slopes, and the variance of a row are those of restricted maximum likelihood, at the ratio
    that levels have without texts. One step follows from there towards where

        sum of (v * residual)**2 over the variance of a row  =  sum of v * (1 - leverage)

    with v = n / (1 + n * ratio), where the derivative of the likelihood is 0. Leverages go with v
    for that. Slopes are not fitted again at the new ratio, which would take as long once more.

    Attributes
    ----------
    mean : float
        Of a level without text.
    centre, slopes : ndarray of shape (rank,)
    ratio : float

    Notes
    -----
    D. Harville, "Maximum Likelihood Approaches to Variance Component Estimation and to Related
    Problems", JASA 72 (1977).
    """

    mean: float
    centre: FloatArray
    slopes: FloatArray
    ratio: float

    @classmethod
    def fitted(
        cls, features: TextFeatures, levels: LevelMeans, ratio: float, *, estimated: bool
    ) -> TextRidge:
        """Fit the model, from a ratio; ``estimated``: which it is to be estimated."""
        n_levels, rows = int((levels.weight > 0).sum()), float(levels.weight.sum())
        rank = features.points.shape[1]
        if not n_levels:
            return cls(0.0, np.zeros(rank), np.zeros(rank), ratio)
        fit = _Fit.at(features, levels, ratio)
        if estimated and rows * (1.0 - ROUNDING) > n_levels:
            grown = min(ratio * fit.growth(), GREATEST_RATIO)
            ratio = grown if grown > _NOTHING else 0.0
        return cls(fit.mean, fit.centre, fit.slopes, ratio)


@dataclass(frozen=True, eq=False)
class _Fit:
    """The regression at one ratio."""

    features: TextFeatures
    levels: LevelMeans
    precision: FloatArray
    mean: float
    centre: FloatArray
    eigenvalues: FloatArray
    directions: FloatArray
    along: FloatArray
    squares: float
    free: float
    penalty: float = field(init=False)
    slopes: FloatArray = field(init=False)

    @classmethod
    def at(cls, features: TextFeatures, levels: LevelMeans, ratio: float) -> _Fit:
        """Sum up the levels, each as far as it is known."""
        precision = levels.weight / (1.0 + levels.weight * ratio)
        whole, least = float(precision.sum()), ROUNDING * levels.size
        mean = float((precision * levels.mean).sum()) / whole
        mean = mean if abs(mean) > least else 0.0
        apart, rank = levels.mean - mean, features.points.shape[1]
        centre, products, along = np.zeros(rank), np.zeros((rank, rank)), np.zeros(rank)
        counts = np.flatnonzero(precision)
        for some in blocks(len(counts), _BLOCK):
            rows = counts[some]
            root = np.sqrt(precision[rows])
            scaled = features.points[rows] * root[:, None]
            centre += root @ scaled
            products += scaled.T @ scaled
            along += (apart[rows] * root) @ scaled
        centre /= whole
        products -= whole * np.outer(centre, centre)
        eigenvalues, directions = np.linalg.eigh(products)
        squares = float((precision * apart * apart).sum())
        is_rounding = squares <= whole * least**2
        return cls(
            features,
            levels,
            precision,
            mean,
            centre,
            np.maximum(eigenvalues, 0.0),
            directions,
            directions.T @ along,
            0.0 if is_rounding else squares,
            max(float(levels.weight.sum()) - 1.0, 1.0),
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "penalty", self._likeliest())
        slopes = self.directions @ (self.along / (self.eigenvalues + self.penalty))
        object.__setattr__(self, "slopes", slopes)

    def _likeliest(self) -> float:
        """Search the likeliest penalty: infinite where texts say no more than by chance."""
        average = float(self.eigenvalues.mean())
        whole = self.squares + self.levels.inside
        if not (average > 0 and self.squares > _NOTHING * whole):
            return np.inf
        penalties = average * _PENALTIES
        deviances = self._deviances(penalties)
        best = int(np.argmin(deviances))
        if deviances[best] > self.free * np.log(whole) - _SAME:
            return np.inf
        low, high = (float(penalties[min(max(best + k, 0), len(penalties) - 1)]) for k in (-1, 1))
        if not self._slope(np.log(low)) < 0 < self._slope(np.log(high)):
            return float(penalties[best])
        root = optimize.brentq(self._slope, np.log(low), np.log(high), xtol=_CLOSE)
        return float(np.exp(root))

    def _left(self, penalties: FloatArray) -> FloatArray:
        """Squares that are left, with those of the slopes, for each of several penalties."""
        explained = (self.along * self.along / np.add.outer(penalties, self.eigenvalues)).sum(
            axis=1
        )
        left = np.maximum(self.squares - explained, _NOTHING * self.squares)
        return np.asarray(left + self.levels.inside)

    def _deviances(self, penalties: FloatArray) -> FloatArray:
        """Minus twice the logarithm of the likelihood, but for what no penalty changes."""
        log = np.log1p(np.divide.outer(self.eigenvalues, penalties)).sum(axis=0)
        return np.asarray(self.free * np.log(self._left(penalties)) + log)

    def _slope(self, log_penalty: float) -> float:
        """Derivative of that, by the logarithm of the penalty."""
        penalty = float(np.exp(log_penalty))
        known = self.eigenvalues + penalty
        pull = float((self.along * self.along * penalty / (known * known)).sum())
        (left,) = self._left(np.array([penalty]))
        return float(self.free * pull / left - (self.eigenvalues / known).sum())

    def growth(self) -> float:
        """How many times as large the ratio is to be."""
        v, whole = self.precision, float(self.precision.sum())
        said = self.features.points @ self.slopes - float((self.centre * self.slopes).sum())
        residual = v * (self.levels.mean - self.mean - said)
        pull = float((residual * residual).sum())
        known = float((self.eigenvalues / (self.eigenvalues + self.penalty)).sum())
        leverage = float((v * v).sum()) / whole * (1.0 + known)
        trace, (left,) = whole - leverage, self._left(np.array([self.penalty]))
        enough = trace > _SAME * whole and left > 0  # a level alone has no effect beside
        return float(pull * self.free / (left * trace)) if enough else 1.0
