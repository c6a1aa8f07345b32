"""Symmetric systems with a few diagonals, very many of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Factors:
    """Factors of systems ``A = L D L'``, and ``L`` solved for their right sides.

    Attributes
    ----------
    pivots : ndarray of shape (J, ...)
        The diagonal of D.
    below : list of ndarray of shape (J, ...)
        Entries of L one place before the diagonal, two places, and so on.
    forward : ndarray of shape (J, ...)
    """

    pivots: FloatArray
    below: Sequence[FloatArray]
    forward: FloatArray

    @property
    def log_determinant(self) -> FloatArray:
        """Log of the determinant of each system."""
        return np.asarray(np.log(self.pivots).sum(axis=0))

    @property
    def explained(self) -> FloatArray:
        """``b' A**-1 b`` of each right side."""
        return np.asarray((self.forward**2 / self.pivots).sum(axis=0))

    def take(self, *index: IntArray) -> Factors:
        """Return some of the systems."""

        def some(values: FloatArray) -> FloatArray:
            return np.asarray(np.moveaxis(values, 0, -1)[index].T)

        return Factors(some(self.pivots), [some(one) for one in self.below], some(self.forward))

    def solution(self) -> FloatArray:
        """Solutions, of shape (J, ...)."""
        found = self.forward / self.pivots
        size = len(found)
        for j in range(size - 2, -1, -1):
            for k, below in enumerate(self.below, 1):
                if j + k < size:
                    found[j] -= below[j + k] * found[j + k]
        return np.asarray(found)


def factored(bands: Sequence[FloatArray], right: FloatArray) -> Factors:
    """Factor positive definite systems of some diagonals.

    Parameters
    ----------
    bands : sequence of ndarray of shape (J - k, ...)
        The diagonal, then those k places off it.
    right : ndarray of shape (J, ...)
        Right sides; they spread over the systems.
    """
    pivots, forward, *below = (np.empty(bands[0].shape) for _ in range(len(bands) + 1))
    for j in range(len(pivots)):
        pivot, ahead, reach = bands[0][j], right[j], min(j, len(below))
        rest: dict[int, FloatArray] = {}
        for k in range(reach, 0, -1):  # entry (j, j - k), times its pivot
            entry = bands[k][j - k]
            for further in range(k + 1, reach + 1):
                entry = entry - rest[further] * below[further - k - 1][j - k]
            rest[k] = entry
        for k, entry in rest.items():
            factor = np.divide(entry, pivots[j - k], out=below[k - 1][j])
            pivot = pivot - factor * entry
            ahead = ahead - factor * forward[j - k]
        pivots[j], forward[j] = pivot, ahead
    return Factors(pivots, below, forward)
