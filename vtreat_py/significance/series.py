"""Tests where rows are a series in time order, and neighbours may be alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft, special

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.draws import UNDECIDED
from vtreat_py.significance.pearson import upper_tail

# Shifts that level effects are looked at for; more of them where the first say that p is small.
_FIRST_SHIFTS, _SHIFTS = 100, 1_000
_LEAST_ROWS = 8
# Shifts by fewer rows than the outcome remembers, times this, say what it has with the column.
_MEMORIES = 3.0
# Standard errors of a correlation that may be chance.
_CHANCE = 4.0
# Variances below this share are rounding.
_ROUNDING = 1e-13


def correlation_of_neighbours(y: NumberArray) -> float:
    """Correlation of rows with the next ones; 0 where it may be chance."""
    apart = y - y.mean()
    squares = float((apart * apart).sum())
    alike = float((apart[1:] * apart[:-1]).sum()) / squares if squares > 0 else 0.0
    return alike if alike * alike * len(y) > _CHANCE**2 else 0.0


@dataclass(frozen=True, eq=False)
class SeriesTests:
    """Tests that stand neighbours which are alike.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcome of the rows that count, in time order.
    weight : ndarray of shape (n,) or None
        Weights, of which only ratios count; None: 1 each.

    Notes
    -----
    The outcome is shifted along the rows, round at the end: what it has in common with itself
    stays as it is, and so does the column. A correlation is held against its variance over the
    shifts, as if there were so many independent rows as give that variance, or against the Pearson
    curve of the shifts where that is larger; level effects against that of their statistic.

    M. S. Bartlett, "Some aspects of the time-correlation problem in regard to tests of
    significance", Journal of the Royal Statistical Society 98 (1935), for the variance;
    B. Harris, "Inference, circular shifts and nonsense correlation" (arXiv:2012.01644).

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> x, y = np.cumsum(random.normal(size=(2, 500)), axis=1)  # two random walks
    >>> bool(abs(np.corrcoef(x, y)[0, 1]) > 0.3), SeriesTests(y).correlation(x) > 0.05
    (True, True)
    """

    y: NumberArray
    weight: FloatArray | None = None

    @cached_property
    def _residual(self) -> FloatArray:
        """What a row adds to the sum of its level, in units of its spread."""
        residual = self.y - np.average(self.y, weights=self.weight)
        if self.weight is not None:
            residual = residual * (self.weight / self.weight.max())
        size = float(np.sqrt(np.mean(residual * residual)))
        return np.asarray(residual / size if size > 0 else residual)

    @cached_property
    def _spectrum(self) -> FloatArray:
        return np.asarray(np.conj(fft.rfft(self._residual)))

    @cached_property
    def _memory(self) -> int:
        """Rows that the outcome remembers: its squared autocorrelations sum to a third of them."""
        n = len(self.y)
        alike = fft.irfft(np.abs(self._spectrum) ** 2, n) / n
        return max(min(int(_MEMORIES * float((alike * alike).sum())), n // 4), 1)

    def correlation(self, x: FloatArray) -> float:
        """p-value of the hypothesis that the outcome does not go up or down with numbers."""
        n = len(x)
        apart = x - x.mean()
        size = float(np.sqrt(np.mean(apart * apart)))
        if n < _LEAST_ROWS or not size > 0:
            return 1.0
        r = fft.irfft(fft.rfft(apart / size) * self._spectrum, n) / n
        of_shifts = float(np.mean(r[1:] ** 2))
        if not of_shifts > _ROUNDING:
            return 1.0
        degrees = max(1.0 / of_shifts - 1.0, 1.0)
        p = float(special.betainc(degrees / 2.0, 0.5, max(1.0 - float(r[0]) ** 2, 0.0)))
        if p >= UNDECIDED:
            return p
        drawn = r[self._memory : n - self._memory] / math.sqrt(of_shifts)
        skewness, kurtosis = float(np.mean(drawn**3)), max(float(np.mean(drawn**4)) - 3.0, 0.0)
        reached = abs(float(r[0])) / math.sqrt(of_shifts)
        tails = (upper_tail(reached, side * skewness, kurtosis) for side in (1.0, -1.0))
        return max(p, sum(tails))

    def level_effects(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome does not depend on the level."""
        n = len(level)
        size = np.bincount(level, minlength=n_levels)
        if n < _LEAST_ROWS or not (size > 1).any() or np.count_nonzero(size) < 2:
            return 1.0
        at = self._statistics(level, size, np.zeros(1, dtype=np.intp))[0]
        p = 1.0
        for most in (_FIRST_SHIFTS, _SHIFTS):
            shifts = np.linspace(1, n - 1, min(most, n - 1)).astype(np.intp)
            p = _tail(at, self._statistics(level, size, shifts))
            if p >= UNDECIDED:
                break
        return p

    def _statistics(self, level: IntArray, size: IntArray, shifts: IntArray) -> FloatArray:
        """Between-level sum of squares, of the outcome shifted."""
        twice = np.concatenate([self._residual, self._residual])
        n, rows = len(level), np.maximum(size, 1)
        sums = (np.bincount(level, twice[s : s + n], len(size)) for s in shifts.tolist())
        return np.array([float((total * total / rows).sum()) for total in sums])


def _tail(at: float, drawn: FloatArray) -> float:
    """Probability to reach a value, by the shape of draws; no less than the draws say."""
    reached = int((drawn >= at * (1.0 - _ROUNDING)).sum())  # ties are reached, however rounded
    mean, deviation = float(drawn.mean()), float(drawn.std())
    if not deviation > _ROUNDING * mean:
        return 1.0
    apart = (drawn - mean) / deviation
    skewness, kurtosis = float(np.mean(apart**3)), float(np.mean(apart**4)) - 3.0
    # No lighter a tail than a gamma distribution of this skewness has.
    p = upper_tail((at - mean) / deviation, skewness, max(kurtosis, 1.5 * skewness**2))
    return max(p, reached / (len(drawn) + 1)) if reached else p
