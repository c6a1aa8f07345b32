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
_SIGN_BIT_OFF = np.int32(0x7FFFFFFF)
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

    def of(self, score: FloatArray) -> npt.NDArray[np.int32]:
        """Bins of scores."""
        return np.asarray((score + _NUDGE) * (self.number - 1), dtype=np.int32)

    def lower_edges(self) -> FloatArray:
        """The least score of each bin."""
        return np.arange(self.number) / (self.number - 1)


@dataclass(frozen=True)
class FloatBins:
    """Bins by the first bits of a score as a 32-bit float: any range, finer towards 0.

    The bit patterns of floats are in the order of the floats, negative ones in reverse.
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

    def of(self, score: FloatArray) -> npt.NDArray[np.int32]:
        """Bins of scores."""
        with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite
            rounded = score.astype(np.float32)
        pattern = (rounded + np.float32(0)).view(np.int32)  # of 0.0 for -0.0, which is the same
        return (_in_order(pattern) >> (32 - self.bits)) + np.int32(self.number // 2)

    def lower_edges(self) -> FloatArray:
        """The least score of each bin."""
        first = np.arange(-(self.number // 2), self.number // 2) << (32 - self.bits)
        # Patterns beyond those of the infinite stand for no number.
        infinite = np.array([-np.inf, np.inf], dtype=np.float32).view(np.int32)
        order = np.clip(first, *_in_order(infinite)).astype(np.int32)
        return _in_order(order).view(np.float32).astype(np.float64)


def _in_order(pattern: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """From bit patterns of floats to integers in the same order, and back."""
    return pattern ^ ((pattern >> 31) & _SIGN_BIT_OFF)


def _check_integer(name: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int | np.integer):
        raise OptionTypeError(f"{name} is {value!r}; it must be an integer")
    if not least <= value <= most:
        raise InvalidOptionError(f"{name} is {value}; it must be from {least} to {most}")
