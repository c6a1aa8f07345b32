"""Bins of scores: one index a score, which never falls where the score rises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vtreat_py._errors import InvalidOptionError
from vtreat_py._typing import FloatArray

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
        if not 1 <= self.decimals <= _MOST_DECIMALS:
            raise InvalidOptionError(f"decimals is {self.decimals}; 1 to {_MOST_DECIMALS} can be")

    @property
    def number(self) -> int:
        """How many bins there are."""
        return 10**self.decimals + 1

    def check_range(self, low: float, high: float) -> None:
        """Refuse scores that have no bin."""
        if low < 0 or high > 1:
            raise InvalidOptionError(
                f"score is {low if low < 0 else high:g} in a row, and bins='decimals' take scores "
                "in [0, 1] only; use bins='float', which takes any"
            )

    def of(self, score: FloatArray) -> npt.NDArray[np.int32]:
        """Bins of scores."""
        return ((score + _NUDGE) * 10**self.decimals).astype(np.int32)

    def lower_edges(self) -> FloatArray:
        """The least score of each bin."""
        return np.arange(self.number) / 10**self.decimals


@dataclass(frozen=True)
class FloatBins:
    """Bins by the first bits of a score as a 32-bit float: any range, finer towards 0.

    The bit patterns of floats are in the order of the floats, negative ones in reverse.
    """

    bits: int

    def __post_init__(self) -> None:
        if not _FEWEST_BITS <= self.bits <= _MOST_BITS:
            raise InvalidOptionError(f"bits is {self.bits}; {_FEWEST_BITS} to {_MOST_BITS} can be")

    @property
    def number(self) -> int:
        """How many bins there are."""
        return 2**self.bits

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
        edges = _in_order(first.astype(np.int32)).view(np.float32).astype(np.float64)
        # Beyond infinity are patterns that stand for no number.
        return np.where(np.isnan(edges), np.copysign(np.inf, first), edges)


def _in_order(pattern: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """From bit patterns of floats to integers in the same order, and back."""
    return pattern ^ ((pattern >> 31) & _SIGN_BIT_OFF)
