"""Do the levels of a column differ in the outcome? One permutation test a column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from vtreat_py._typing import FloatArray, NumberArray
from vtreat_py.statistics.outcome_sums import OutcomeSums

# The test is most powerful where so many levels' worth of evidence decides.
_DECIDING_LEVELS = 8.0
# Powers of the outcome that the third moment of the statistic asks for.
_POWERS = 6
# Skewness below this is none: the gamma distribution is then the normal one.
_NO_SKEW = 1e-6
# Variance of the statistic below this share of its square is rounding.
_ROUNDING = 1e-13

Exponents = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class OutcomePowers:
    """Power sums of the outcome over all rows, about its mean and in units of its spread.

    Attributes
    ----------
    weight : float
        Number of rows, that is the sum of frequency weights.
    mean, spread : float
        What the outcome was centred and divided by.
    sums : tuple of float
        Sums of the powers 0 to 6; the first power sums to 0.
    """

    weight: float
    mean: float
    spread: float
    sums: tuple[float, ...]

    @classmethod
    def of_values(cls, y: NumberArray, weight: FloatArray, centre: float = 0.0) -> OutcomePowers:
        """Sum the powers of values, given relative to ``centre``, each with its weight."""
        total = float(weight.sum())
        mean = float((weight * y).sum()) / total
        apart = y - mean
        spread = math.sqrt(float((weight * apart * apart).sum()) / total) or 1.0
        apart = apart / spread
        sums, power = [total, 0.0], weight * apart
        for _ in range(2, _POWERS + 1):
            power = power * apart
            sums.append(float(power.sum()))
        return cls(total, mean + centre, spread, tuple(sums))


def level_effects_test(levels: OutcomeSums, powers: OutcomePowers) -> float:
    """p-value of the hypothesis that the outcome does not depend on the level.

    Parameters
    ----------
    levels : OutcomeSums
        Sums of the outcome in each level.
    powers : OutcomePowers
        Power sums of the same outcome over all rows.

    Returns
    -------
    float
        1 where there are fewer than two levels, or no level has two rows.

    Notes
    -----
    The statistic is ``Q = sum_j c_j * sum of y_a * y_b over pairs of different rows of level j``,
    with y centred and ``c_j = 1 / (n_j + k)``. With k = 0 it orders columns as the between-level
    sum of squares does, with a large k as the score statistic of a variance component; in
    between it is the point-optimal statistic for level effects whose variance is 1/k of that
    inside levels. k is set where eight levels' worth of evidence decides, by the sizes of the
    levels alone. Leaving out the squares of single rows takes the outcome's tails out of the
    statistic.

    Its distribution, when outcomes are permuted among the rows, is matched by a gamma
    distribution with its exact mean, variance and skewness (Pearson's type III). All three are
    closed forms in the level sizes and the outcome's power sums.

    P. W. Mielke, K. J. Berry and G. W. Brier, "Application of multi-response permutation
    procedures for examining seasonal changes in monthly mean sea-level pressure patterns",
    Monthly Weather Review 109 (1981), for the match of three permutation moments;
    M. L. King, "Towards a theory of point optimal testing", Econometric Reviews 6 (1987).

    Examples
    --------
    >>> import numpy as np
    >>> level = np.repeat([0, 1, 2], 20)
    >>> y = np.tile([0.0, 1.0, 2.0, 3.0], 15) + (level == 2)
    >>> powers = OutcomePowers.of_values(y, np.ones(60))
    >>> p = level_effects_test(OutcomeSums.of_rows(level, 3, y), powers)
    >>> round(p, 4)
    0.0098
    """
    size = levels.weight
    present = size > 0
    size = size[present]
    if len(size) < 2 or not (size > 1).any() or powers.weight < _POWERS:
        return 1.0
    coefficient = 1.0 / (size + _prior_rows(size))
    mean, variance, third = _moments(coefficient, size, powers.sums)
    if not variance > _ROUNDING * mean * mean:
        return 1.0
    inside = levels.mean[present] + (levels.centre - powers.mean)
    squares = levels.squares[present] + size * inside * inside
    pairs = ((size * inside) ** 2 - squares) / powers.spread**2
    deviation = (float((coefficient * pairs).sum()) - mean) / math.sqrt(variance)
    return _upper_tail(deviation, third / variance**1.5)


def _prior_rows(size: FloatArray) -> float:
    """The k at which ``sum (n / (n + k))**2`` is the number of deciding levels; 0 for few."""
    size = size[size > 1]
    low, high = 0.0, float(size.max()) * math.sqrt(len(size) / _DECIDING_LEVELS)
    if len(size) <= _DECIDING_LEVELS:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2.0
        evidence = float(((size / (size + middle)) ** 2).sum())
        low, high = (middle, high) if evidence > _DECIDING_LEVELS else (low, middle)
    return (low + high) / 2.0


def _upper_tail(deviation: float, skewness: float) -> float:
    """Probability of more than a standardised value, by Pearson's type III."""
    if abs(skewness) < _NO_SKEW:
        return float(special.ndtr(-deviation))
    shape = 4.0 / skewness**2
    if skewness < 0:
        return float(special.gammainc(shape, max(shape - deviation * math.sqrt(shape), 0.0)))
    return float(special.gammaincc(shape, max(shape + deviation * math.sqrt(shape), 0.0)))


def _moments(
    coefficient: FloatArray, size: FloatArray, sums: tuple[float, ...]
) -> tuple[float, float, float]:
    """Mean, variance and third central moment of the statistic under permutation."""
    expected = _ExpectedProducts(sums)
    falling = [np.ones_like(size)]
    for k in range(_POWERS):
        falling.append(falling[-1] * (size - k))

    def within(times: int) -> float:
        """Expectation of ``times`` factors that belong to one level, over all levels."""
        power = coefficient**times
        return sum(
            ways * float((power * falling[len(e)]).sum()) * expected[e]
            for e, ways in _shared_rows(times).items()
        )

    pairs = coefficient * falling[2]
    one, two, three = (float((pairs**k).sum()) for k in (1, 2, 3))
    apart = (one**2 - two) * expected[1, 1, 1, 1]
    far_apart = (one**3 - 3.0 * one * two + 2.0 * three) * expected[1, 1, 1, 1, 1, 1]
    mixed = 0.0
    for e, ways in _shared_rows(2).items():
        own = coefficient**2 * falling[len(e)]
        mixed += ways * float(own.sum() * one - (own * pairs).sum()) * expected[(*e, 1, 1)]
    first, second = within(1), within(2) + apart
    third = within(3) + 3.0 * mixed + far_apart
    variance = second - first**2
    return first, variance, third - 3.0 * first * second + 2.0 * first**3


class _ExpectedProducts(dict[Exponents, float]):
    """Expected products of powers of the outcomes of different rows, drawn at random.

    The sum over all choices of different rows follows from power sums: take the first row
    from all rows, less the times it is one of the others.
    """

    def __init__(self, sums: tuple[float, ...]) -> None:
        self._sums = sums

    def __missing__(self, exponents: Exponents) -> float:
        ways = math.prod(self._sums[0] - k for k in range(len(exponents)))
        self[exponents] = self._total(tuple(sorted(exponents))) / ways if ways else 0.0
        return self[exponents]

    def _total(self, exponents: Exponents) -> float:
        first, rest = exponents[0], exponents[1:]
        if not rest:
            return self._sums[first]
        total = self._sums[first] * self._total(rest) if first > 1 else 0.0
        for k, other in enumerate(rest):
            total -= self._total((*rest[:k], other + first, *rest[k + 1 :]))
        return total


@cache
def _shared_rows(times: int) -> dict[Exponents, int]:
    """In how many ways pairs of different rows of one level may have rows in common.

    Keys are the number of times that each row occurs.
    """
    return dict(Counter(tuple(sorted(map(len, rows))) for rows in _assignments(2 * times)))


def _assignments(slots: int) -> Iterator[list[list[int]]]:
    """All ways to fill slots with rows; slots 2i and 2i + 1 are a pair, and hold different ones."""
    if not slots:
        yield []
        return
    slot = slots - 1
    for rows in _assignments(slot):
        for k, row in enumerate(rows):
            if slot // 2 not in {other // 2 for other in row}:
                yield [*rows[:k], [*row, slot], *rows[k + 1 :]]
        yield [*rows, [slot]]
