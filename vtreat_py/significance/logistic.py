"""One-variable logistic regressions, many at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import stats

from vtreat_py._typing import BoolArray, FloatArray, IntArray
from vtreat_py.significance.score import Score
from vtreat_py.statistics.tally import blocks

_MAX_ITERATIONS = 25
_TOLERANCE = 1e-8
# Linear predictors beyond this size stand for probabilities of machine epsilon and one less it.
MAX_ETA = 30.0
SATURATED_ETA = -np.log(np.finfo(np.float64).eps)
# Weight of the flipped copy of the data that gives separated data a finite answer.
REPAIR_WEIGHT = 1e-5
_REPAIR_ITERATIONS = 200
# The first step starts from fitted probabilities of 3/4 for hits and 1/4 for the others: the
# working response is then +-(log 3 + 4/3), so the step is a linear regression.
_FIRST_RESPONSE = np.log(3.0) + 4.0 / 3.0
# A Newton step that gains less deviance than this, and moves no linear predictor by more than
# that, is the last.
_LAST_GAIN = 1e-5
_LAST_SHIFT = 1e-4
_BLOCK = 1 << 15
# Variation of x below this share of its size is rounding.
ROUNDING = 1e-15
# Stands for weight 0 where something is divided by it.
_TINY = 1e-300
# With this many points, every so manieth gives the starting values.
MANY_POINTS = 1 << 16
_THINNING = 16
# With less than this share of its deviance left, a fit starts too far out.
_NEARLY_SEPARATED = 1e-3


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Maximum likelihood fits of ``logit P(hit) = intercept + slope * x``.

    Attributes
    ----------
    slope, deviance, null_deviance : ndarray of shape (p,)
        Slope in link units, and the deviances with and without x.
    """

    slope: FloatArray
    deviance: FloatArray
    null_deviance: FloatArray


def logistic_fit(x: FloatArray, total: FloatArray | None, hits: FloatArray) -> LogisticFit:
    """Fit one logistic regression for each row of ``x``.

    Parameters
    ----------
    x : ndarray of shape (p, g)
        The value of p variables at g points (rows, or groups of rows that share the value).
    total, hits : ndarray of shape (p, g) or (1, g)
        Weight of all rows and of the target rows at each point; ``total=None`` if each point is
        one row of weight 1.

    Returns
    -------
    LogisticFit

    Notes
    -----
    Iteratively reweighted least squares from R's starting values, stopped when the deviance
    changes by less than 1e-8 relative. Where 25 steps do not get there (separated data), the
    fit is repeated with all rows added once more, outcome flipped, at weight 1e-5: a finite
    answer that still shows a strong effect, and the deviances are those of the doubled data.

    Examples
    --------
    >>> import numpy as np
    >>> fit = logistic_fit(np.array([[0.0, 1.0]]), np.array([[4.0, 4.0]]), np.array([[1.0, 3.0]]))
    >>> round(float(fit.slope[0]), 6), round(float(2 * np.log(3)), 6)
    (2.197225, 2.197225)
    """
    return maximum_likelihood(Points.standardised(x, total, hits))


def maximum_likelihood(problem: Regressions) -> LogisticFit:
    """Fit regressions, wherever their points are; see `logistic_fit`."""
    path = _newton(problem, problem.start(), _MAX_ITERATIONS)
    slope, deviance, null = path.slope, path.deviance, _null_deviance(problem)
    if not path.converged.all():
        lost = np.flatnonzero(~path.converged)
        repaired = problem.doubled(lost)
        again = _newton(repaired, first_step(repaired), _REPAIR_ITERATIONS)
        slope[lost], deviance[lost] = again.slope, again.deviance
        null[lost] = _null_deviance(repaired)
    return LogisticFit(slope / problem.spread, deviance, null)


def logistic_score(fit: LogisticFit, extra_degrees: float = 0.0) -> Score:
    """Score variables by the likelihood ratio test of their logistic regression.

    ``extra_degrees`` are added to the test's one degree of freedom. rsq is the share of the
    null deviance explained.
    """
    gain = fit.null_deviance - fit.deviance
    better = (gain > 0) & (fit.null_deviance > 0)
    rsq = np.where(better, gain / np.where(better, fit.null_deviance, 1.0), 0.0)
    sig = np.where(better, stats.chi2.sf(np.maximum(gain, 0.0), 1.0 + extra_degrees), 1.0)
    return Score(fit.slope, rsq, sig)


class Regressions(Protocol):
    """Several regressions, as far as the iteration looks at them.

    Each sees its variable as ``(x - middle) / spread``; ``spread`` is infinite where x does not
    vary. Arrays are of shape (p,).
    """

    @property
    def spread(self) -> FloatArray:
        """Standard deviation of x."""

    @property
    def weight(self) -> FloatArray:
        """Weight of all rows."""

    @property
    def hit_weight(self) -> FloatArray:
        """Weight of the target rows."""

    @property
    def slope_start(self) -> FloatArray:
        """Twice the slope of the linear regression of the target."""

    @property
    def reach(self) -> FloatArray:
        """Largest size of the standardised x."""

    def start(self) -> tuple[FloatArray, FloatArray]:
        """Intercepts and slopes to start from."""

    def doubled(self, which: IntArray) -> Regressions:
        """Regressions ``which``, with the flipped, lightly weighted copy of their data."""

    def evaluate(self, which: IntArray, intercept: FloatArray, slope: FloatArray) -> Derivatives:
        """Likelihood of regressions ``which`` at given coefficients, per ``spread`` of x."""


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Negative log likelihood of several regressions, and its first and second derivatives.

    Attributes
    ----------
    loss : ndarray of shape (p,)
    gradient : ndarray of shape (2, p)
        Of the log likelihood: sums of the residuals, and of residuals times x.
    curvature : ndarray of shape (3, p)
        Sums of w = rate * (1 - rate), of w * x and of w * x**2.
    """

    loss: FloatArray
    gradient: FloatArray
    curvature: FloatArray

    def newton_step(self) -> tuple[FloatArray, FloatArray]:
        """Return the Newton step, of shape (2, p), and the deviance that it should gain."""
        gradient, curvature = self.gradient, self.curvature
        determinant = curvature[0] * curvature[2] - curvature[1] ** 2
        solvable = determinant > 0
        determinant = np.where(solvable, determinant, np.inf)
        step = np.stack(
            [
                curvature[2] * gradient[0] - curvature[1] * gradient[1],
                curvature[0] * gradient[1] - curvature[1] * gradient[0],
            ]
        )
        step /= determinant
        return step, (step * gradient).sum(axis=0)


def first_step(problem: Regressions) -> tuple[FloatArray, FloatArray]:
    """Intercept and slope after the first step from R's starting values."""
    balance = 2.0 * problem.hit_weight / problem.weight - 1.0
    return _FIRST_RESPONSE * balance, _FIRST_RESPONSE * problem.slope_start


def start_on_part(problem: Regressions, part: Points) -> tuple[FloatArray, FloatArray]:
    """Start from a fit to a part of the points, or as R does where that is of no use."""
    intercept, slope = first_step(problem)
    fit = _newton(part, first_step(part), _MAX_ITERATIONS)
    # Where the part is separated, or of one class, the whole may not be: then begin as usual.
    null = _null_deviance(part)
    usable = fit.converged & (null > 0) & (fit.deviance > _NEARLY_SEPARATED * null)
    return np.where(usable, fit.intercept, intercept), np.where(usable, fit.slope, slope)


@dataclass(frozen=True, eq=False)
class Points:
    """`Regressions` on points in memory; ``middle`` is what x is centred by."""

    x: FloatArray
    total: FloatArray | None
    hits: FloatArray
    middle: FloatArray
    spread: FloatArray
    weight: FloatArray
    hit_weight: FloatArray
    slope_start: FloatArray
    reach: FloatArray

    @classmethod
    def standardised(cls, x: FloatArray, total: FloatArray | None, hits: FloatArray) -> Points:
        """Centre and scale the x of each regression."""
        shape = np.zeros(len(x))
        weight, hit_weight = _sum(np.ones_like(hits), total) + shape, hits.sum(axis=1) + shape
        middle = _sum(x, total) / weight
        variance, covariance, low, high = np.zeros((4, len(x)))
        share = (hit_weight / weight)[:, None]
        for piece in blocks(x.shape[1], max(_BLOCK // len(x), 64)):
            apart = x[:, piece] - middle[:, None]
            part = None if total is None else total[:, piece]
            np.minimum(low, apart.min(axis=1), out=low)
            np.maximum(high, apart.max(axis=1), out=high)
            variance += _sum(apart * apart, part)
            covariance += _sum(apart, hits[:, piece] - (share if part is None else share * part))
        spread = np.sqrt(variance / weight)
        reach = np.maximum(high, -low)
        # A constant lies off its own mean by rounding only: that is no variation.
        spread[~(spread > ROUNDING * np.abs(middle))] = np.inf
        start = 2.0 * covariance / (weight * spread)
        return cls(x, total, hits, middle, spread, weight, hit_weight, start, reach / spread)

    def start(self) -> tuple[FloatArray, FloatArray]:
        """R's first step or, with many points, a fit to some of them."""
        if self.x.shape[1] < MANY_POINTS:
            return first_step(self)
        total = None if self.total is None else self.total[:, ::_THINNING]
        part = self.on(self.x[:, ::_THINNING], total, self.hits[:, ::_THINNING])
        return start_on_part(self, part)

    def on(self, x: FloatArray, total: FloatArray | None, hits: FloatArray) -> Points:
        """Return the problems on other points, standardised as they are."""
        shape = np.zeros(len(x))
        weight = np.maximum(_sum(np.ones_like(hits), total), _TINY) + shape
        hit_weight = hits.sum(axis=1) + shape
        return replace(self, x=x, total=total, hits=hits, weight=weight, hit_weight=hit_weight)

    def doubled(self, which: IntArray) -> Points:
        """Return problems ``which`` with the flipped, lightly weighted copy of their data."""

        def pick(values: FloatArray) -> FloatArray:
            return values if len(values) == 1 else values[which]

        hits = pick(self.hits)
        total = np.ones_like(hits) if self.total is None else pick(self.total)
        misses, all_hits = total - hits, self.hit_weight[which]
        weight = self.weight[which]
        return Points(
            self.x[which],
            total * (1.0 + REPAIR_WEIGHT),
            hits + REPAIR_WEIGHT * misses,
            self.middle[which],
            self.spread[which],
            weight * (1.0 + REPAIR_WEIGHT),
            all_hits + REPAIR_WEIGHT * (weight - all_hits),
            self.slope_start[which] * (1.0 - REPAIR_WEIGHT) / (1.0 + REPAIR_WEIGHT),
            self.reach[which],
        )

    def evaluate(self, which: IntArray, intercept: FloatArray, slope: FloatArray) -> Derivatives:
        """Sum over the points, block by block."""
        gradient, curvature = np.zeros((2, len(which))), np.zeros((3, len(which)))
        loss = np.zeros(len(which))
        everything = len(which) == len(self.x)
        shrink = 1.0 / self.spread
        for piece in blocks(self.x.shape[1], max(_BLOCK // len(which), 64)):
            x = self.x[:, piece] if everything else self.x[which, piece]
            hits = self.hits[:, piece]
            total = None if self.total is None else self.total[:, piece]
            if not everything:
                hits = hits[which] if len(hits) > 1 else hits
                total = total[which] if total is not None and len(total) > 1 else total
            x = x - self.middle[which, None]
            x *= shrink[which, None]
            eta = x * slope[:, None]
            eta += intercept[:, None]
            decay = np.abs(eta)
            if decay.max() > MAX_ETA:
                decay[decay > MAX_ETA] = SATURATED_ETA
                eta = np.copysign(decay, eta)
            np.negative(decay, out=decay)
            np.exp(decay, out=decay)
            larger = 1.0 / (1.0 + decay)  # probability of the likelier class
            decay *= larger  # probability of the other
            rate = np.where(eta > 0, larger, decay)
            loss += _sum(np.maximum(eta, 0.0) - np.log(larger), total) - _sum(eta, hits)
            decay *= larger
            spread = decay
            if total is not None:
                spread = decay * total
                rate = rate * total
            residual = np.subtract(hits, rate, out=rate)
            gradient[0] += residual.sum(axis=1)
            gradient[1] += _sum(residual, x)
            curvature[0] += spread.sum(axis=1)
            curvature[1] += _sum(spread, x)
            x *= x
            curvature[2] += _sum(spread, x)
        return Derivatives(loss, gradient, curvature)


def _sum(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Weighted sum of each row.

    Not an inner product: the threads of a BLAS cost more than they give on such short rows.
    """
    return np.asarray((values if weight is None else values * weight).sum(axis=1))


def _null_deviance(problem: Regressions) -> FloatArray:
    rate = problem.hit_weight / problem.weight
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = rate * np.log(rate) + (1.0 - rate) * np.log1p(-rate)
    return np.asarray(-2.0 * problem.weight * np.where((rate > 0) & (rate < 1), inside, 0.0))


@dataclass(frozen=True, eq=False)
class _Path:
    """Where an iteration ended; the slope is per ``spread`` of x."""

    intercept: FloatArray
    slope: FloatArray
    deviance: FloatArray
    converged: BoolArray


def _newton(problem: Regressions, start: tuple[FloatArray, FloatArray], iterations: int) -> _Path:
    """Iterate to the maximum of the likelihood."""
    p = len(problem.weight)
    intercept, slope = start
    before = np.full((2, p), 0.0)
    deviance = -2.0 * problem.weight * np.log(0.75)
    converged = np.zeros(p, dtype=bool)
    active = np.arange(p)
    for iteration in range(iterations):
        found = problem.evaluate(active, intercept[active], slope[active])
        fresh = 2.0 * found.loss
        step, gain = found.newton_step()
        # The starting deviance belongs to no coefficients, so the first step cannot be worse.
        worse = fresh > (deviance[active] * (1.0 + _TOLERANCE) if iteration else np.inf)
        change = np.abs(fresh - deviance[active]) / (np.abs(fresh) + 0.1)
        done = (change < _TOLERANCE) | ~np.isfinite(fresh)
        retry = active[worse & ~done]
        intercept[retry] = (intercept[retry] + before[0, retry]) / 2.0
        slope[retry] = (slope[retry] + before[1, retry]) / 2.0
        onward = ~worse | done
        deviance[active[onward]] = fresh[onward]
        converged[active[done]] = np.isfinite(fresh[done])
        go = ~worse & ~done
        moved = active[go]
        before[:, moved] = intercept[moved], slope[moved]
        intercept[moved] += step[0, go]
        slope[moved] += step[1, go]
        # Close to the maximum the deviance is a parabola: its last step needs no evaluation.
        shift = np.abs(step[0]) + np.abs(step[1]) * problem.reach[active]
        last = go & (gain < _LAST_GAIN) & (shift < _LAST_SHIFT)
        deviance[active[last]] -= gain[last]
        converged[active[last]] = True
        active = active[~(done | last)]
        if not len(active):
            break
    return _Path(intercept, slope, deviance, converged)
