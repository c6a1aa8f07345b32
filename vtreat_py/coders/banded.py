"""Symmetric systems with a few diagonals, very many of them at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from vtreat_py.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Factors:
    """Factors of systems ``A = L D L'``, and ``L`` solved for their right sides.

    Attributes
    ----------
    pivots : ndarray of shape (..., J)
        The diagonal of D.
    lower : ndarray of shape (..., J, 1 + k)
        Column j of L from the diagonal down; what stands for the ones there is not read.
    forward : ndarray of shape (..., J)
    """

    pivots: FloatArray
    lower: FloatArray
    forward: FloatArray

    @property
    def log_determinant(self) -> FloatArray:
        """Log of the determinant of each system."""
        return np.asarray(np.log(self.pivots).sum(axis=-1))

    @property
    def explained(self) -> FloatArray:
        """``b' A**-1 b`` of each right side."""
        return np.asarray((self.forward**2 / self.pivots).sum(axis=-1))

    def solution(self) -> FloatArray:
        """Solutions, of shape (..., J)."""
        return _substituted(self.lower, self.forward / self.pivots, "T")


def factored(bands: FloatArray, right: FloatArray) -> Factors:
    """Factor positive definite systems of some diagonals.

    To LAPACK they are one system, whose parts have nothing to do with each other.

    Parameters
    ----------
    bands : ndarray of shape (..., J, 1 + k)
        Column j of each from the diagonal down, 0 where that leaves the system.
    right : ndarray of shape (..., J)
        Right sides; they spread over the systems.
    """
    columns = bands.reshape(-1, bands.shape[-1])
    if columns.shape[1] == 2:  # the diagonal, and one beside it
        pivots, beside, failed = lapack.dpttrf(columns[:, 0], columns[:-1, 1])
        lower = columns.copy()
        lower[:-1, 1] = beside
    else:
        roots, failed = lapack.dpbtrf(columns.T, lower=1)
        lower, pivots = roots.T / roots[0][:, None], roots[0] ** 2
    assert not failed
    forward = _substituted(lower, np.broadcast_to(right, bands.shape[:-1]), "N")
    return Factors(pivots.reshape(forward.shape), lower.reshape(bands.shape), forward)


def _substituted(lower: FloatArray, right: FloatArray, trans: str) -> FloatArray:
    """Solve ``L``, or its transpose, for right sides."""
    found, _ = lapack.dtbtrs(
        lower.reshape(-1, lower.shape[-1]).T, right.reshape(-1, 1), "L", trans, "U"
    )
    return np.asarray(found).reshape(right.shape)
