"""How a budget is split, and what noise it makes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vtreat_py.base.errors import InvalidOptionError, counted
from vtreat_py.plan.differential_privacy import GRAIN, DifferentialPrivacy

# A count can only be told from noise: floats err on the side of fewer levels.
_ROUNDING = 1e-9
# Grains that can be split between all questions about a column.
_FEWEST = 5


@dataclass(frozen=True)
class Budget:
    """What one question may cost.

    Attributes
    ----------
    grains : int
        Epsilon, in units of `GRAIN`, rounded down.
    delta : float
        By which a level of one row may be published.
    """

    grains: int
    delta: float

    @classmethod
    def each(cls, privacy: DifferentialPrivacy, n_columns: int, n_of_levels: int) -> Budget:
        """The even share of each column, and of the outcome of all rows."""
        grains = int(privacy.epsilon / GRAIN) // (1 + n_columns)
        if grains < _FEWEST:
            raise InvalidOptionError(
                f"epsilon={privacy.epsilon!r} is too small to be split between "
                f"{counted(n_columns, 'column')}; name fewer in variables="
            )
        return cls(grains, privacy.delta / max(n_of_levels, 1))

    def part(self, of: int) -> int:
        """Grains of one of several numbers of questions about the same rows."""
        return self.grains // of

    def threshold(self, grains: int, n_counts: int) -> int:
        """The smallest noisy count at which levels are published.

        A level of one row reaches it with a probability of at most delta. Its noisy count is the
        sum of one or two numbers with noise.
        """
        p = math.exp(-grains * GRAIN)
        beyond = _beyond_of_one if n_counts == 1 else _beyond_of_two
        low, high = 0, 1
        while beyond(high, p) > self.delta * (1.0 - _ROUNDING):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            fits = beyond(middle, p) <= self.delta * (1.0 - _ROUNDING)
            low, high = (low, middle) if fits else (middle, high)
        return high + 1


def variance(grains: int, sensitivity: int) -> float:
    """Variance of the noise."""
    p = math.exp(-grains * GRAIN / sensitivity)
    return 2.0 * p / (1.0 - p) ** 2


def _beyond_of_one(least: int, p: float) -> float:
    """Probability that noise is at least so much."""
    return p**least / (1.0 + p)


def _beyond_of_two(least: int, p: float) -> float:
    """The same of the sum of two."""
    own = ((1.0 - p) / (1.0 + p)) ** 2
    offset = (1.0 + p * p) / (1.0 - p * p)
    return own * p**least * ((least + offset) / (1.0 - p) + p / (1.0 - p) ** 2)
