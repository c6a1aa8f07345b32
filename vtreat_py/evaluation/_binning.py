"""Bins of scores: one index a score, which never falls where the score rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError

# Decimals, as floats of 32 bits too, are at most this below themselves: they start their bins.
_NUDGE = 2.0**-24
_SIGN_BIT_OFF = np.int64(0x7FFFFFFFFFFFFFFF)
# Bit patterns, as floats of 64 bits, of the least and of the first too great float of 32 bits.
_SMALLEST, _GREATEST = (int(np.array(2.0**n).view(np.int64)) for n in (-126, 128))
_MOST_DECIMALS = 6
_FEWEST_BITS, _MOST_BITS = 8, 24


@dataclass(frozen=True)
class DecimalBins:
    """Bins of equal width, ``10**-decimals``, of scores in [0, 1]; 1 has a bin of its own."""

    decimals: int

    def __post_init__(self) -> None:
        _check_integer("decimals", self.decimals, 1, _MOST_DECIMALS)

    @property
    def number(self) -> int:
        """How many bins there are."""
        return int(10**self.decimals) + 1

    def check_range(self, low: float, high: float) -> None:
        """Refuse scores that have no bin."""
        if low < 0 or high > 1:
            raise InvalidOptionError(
                f"a score is {low if low < 0 else high:g}, and bins='decimals' needs scores in "
                "[0, 1]; use bins='float', which takes any"
            )

    def of(self, score: FloatArray) -> npt.NDArray[np.int64]:
        """Bins of scores."""
        return np.asarray((score + _NUDGE) * (self.number - 1), dtype=np.int64)

    def lower_edges(self, bins: npt.NDArray[np.int64]) -> FloatArray:
        """The least score of each of some bins."""
        return bins / (self.number - 1)


@dataclass(frozen=True)
class FloatBins:
    """Bins by the first bits of a score, as a float of 32 bits has them: finer towards 0.

    A bin holds the numbers that differ in no bit but those that are cut off; those nearer to 0 than
    a float of 32 bits can be share a bin, and so do those that are too great for one. As patterns
    of bits, floats are in the order of the floats, negative ones in reverse.
    """

    bits: int

    def __post_init__(self) -> None:
        _check_integer("bits", self.bits, _FEWEST_BITS, _MOST_BITS)

    @property
    def number(self) -> int:
        """How many bins there are."""
        return int(2**self.bits)

    def check_range(self, low: float, high: float) -> None:
        """Take scores of any size, infinite ones too."""

    def of(self, score: FloatArray) -> npt.NDArray[np.int64]:
        """Bins of scores."""
        pattern = score.view(np.int64)
        least, greatest = pattern.min(initial=_GREATEST), pattern.max(initial=_SMALLEST)
        if least >= 0 and greatest < _GREATEST:
            bins = pattern >> self._shift
            if least < _SMALLEST:
                np.maximum(bins, self._smallest, out=bins)
            bins += self.number // 2 - self._smallest
            return bins
        return self._of_any((score + 0.0).view(np.int64))  # of 0.0 for -0.0, which is the same

    def _of_any(self, pattern: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Bins of scores that may be negative, next to 0, or too great for floats of 32 bits."""
        order = _in_order(pattern) >> self._shift
        towards_zero = np.where(
            order < 0,
            np.minimum(order + self._smallest, -1),
            np.maximum(order - self._smallest, 0),
        )
        kept = np.clip(towards_zero, -self._greatest - 1, self._greatest)
        return np.asarray(kept + self.number // 2, dtype=np.int64)

    def lower_edges(self, bins: npt.NDArray[np.int64]) -> FloatArray:
        """The least score of each of some bins."""
        order = bins - self.number // 2
        first = np.where(order < 0, order - self._smallest, order + self._smallest)
        edges = _in_order(first << self._shift).view(np.float64)
        edges[order == 0] = 0.0
        edges[order == -self._greatest - 1] = -np.inf
        return edges

    @property
    def _shift(self) -> int:
        """How many bits of a float of 64 bits are cut off: it has three more for the exponent."""
        return 64 - 3 - self.bits

    @property
    def _smallest(self) -> int:
        return _SMALLEST >> self._shift

    @property
    def _greatest(self) -> int:
        return (_GREATEST >> self._shift) - self._smallest


def _in_order(pattern: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """From bit patterns of floats to integers in the same order, and back."""
    if pattern.min(initial=0) >= 0:
        return pattern
    return pattern ^ ((pattern >> 63) & _SIGN_BIT_OFF)


def _check_integer(name: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int | np.integer):
        raise OptionTypeError(f"{name} is {value!r}; it must be an integer")
    if not least <= value <= most:
        raise InvalidOptionError(f"{name} is {value}; it must be from {least} to {most}")
