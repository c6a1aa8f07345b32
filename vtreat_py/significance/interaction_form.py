"""What is tested of a pair of columns, as a quadratic form of the sums of its cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.level_effects import deciding_prior

# Rows whose outcome the additive fit meets up to this share of them say nothing of it.
_FREE = 1e-9


@dataclass(frozen=True, eq=False)
class InteractionForm:
    """A sum over pairs of rows of the products of their residuals.

    Rows and sums are in units of their standard deviation: of a cell of n rows whose mean is m,
    x is ``sqrt(n) * m``. Of the x of all cells the additive fit is taken away. The form is
    ``sum_j (between_j - own_j) * x_j**2 - own_j * inner_j``, with the squares of rows about the
    means of their cells as the inner ones.

    Attributes
    ----------
    size : ndarray of shape (cells,)
        Rows of each cell, above 0.
    basis : ndarray of shape (cells, k)
        Orthonormal basis of additive functions; see `additive_basis`.
    between : ndarray of shape (cells,)
        ``n / (n + k)``, by information: as in `level_effects_test`, k is set where eight cells'
        worth of it decides.
    own : ndarray of shape (cells,)
        What is taken away for each row's own square, so that no row has a say by itself: outcomes'
        tails are not in the form, nor is its mean moved where some cells vary more than others.
    n_additive, n_free : int
        Dimensions of additive functions, and of all others.
    """

    size: FloatArray
    basis: FloatArray
    between: FloatArray
    own: FloatArray
    n_additive: int
    n_free: int

    @classmethod
    def of(cls, size: FloatArray, information: FloatArray, basis: FloatArray) -> InteractionForm:
        """Choose the weights of cells, given how much each tells."""
        told, count = np.unique(information[size > 1], return_counts=True)
        between = information / (information + deciding_prior(told, count))
        leverage = (basis * basis).sum(axis=1)
        additive = round(float(leverage.sum()))
        weighted = basis.T @ (between[:, None] * basis)
        diagonal = between * (1.0 - 2.0 * leverage) + ((basis @ weighted) * basis).sum(axis=1)
        free = size - leverage
        counts = free > _FREE * size
        own = np.where(counts, diagonal / np.where(counts, free, 1.0), 0.0)
        return cls(size, basis, between, own, additive, len(size) - additive)

    @property
    def spread_before_fit(self) -> FloatArray:
        """Standard deviation of rows, in units of what it seems to be to rates fitted to them.

        ``rate * (1 - rate)`` is less than that of the true rates by the share that the fit meets.
        """
        leverage = (self.basis * self.basis).sum(axis=1)
        return np.asarray(1.0 / np.sqrt(np.maximum(1.0 - leverage / self.size, _FREE)))

    def apart(self, x: FloatArray) -> FloatArray:
        """What an additive fit leaves of the cells, which are the last axis."""
        return np.asarray(x - (x @ self.basis) @ self.basis.T)

    def statistic(self, x: FloatArray, inner: FloatArray) -> FloatArray:
        """The form, of what the additive fit leaves; cells are the last axis."""
        return np.asarray(x * x @ (self.between - self.own) - inner @ self.own)

    @cached_property
    def traces(self) -> FloatArray:
        """Traces of the powers 1 to 4 of the form's matrix, over rows.

        Of normal rows, cumulant r is ``2**(r - 1) * (r - 1)!`` times the trace of power r; the
        first is 0.
        """
        d = self.between - self.own
        powers = [d**r for r in (1, 2, 3, 4)]
        one, two, three, four = (self.basis.T @ (power[:, None] * self.basis) for power in powers)
        square = one @ one
        between = [
            d.sum() - np.trace(one),
            (d**2).sum() - 2.0 * np.trace(two) + np.trace(square),
            (d**3).sum() - 3.0 * np.trace(three) + 3.0 * (two * one).sum() - (square * one).sum(),
            (d**4).sum()
            - 4.0 * np.trace(four)
            + 4.0 * (three * one).sum()
            + 2.0 * (two * two).sum()
            - 4.0 * (two * square).sum()
            + (square * square).sum(),
        ]
        inside = [((self.size - 1.0) * (-self.own) ** r).sum() for r in (1, 2, 3, 4)]
        return np.asarray(np.add(between, inside))

    def far_from_normal(self, skewness: FloatArray | float, kurtosis: FloatArray | float) -> float:
        """How much rows of these shapes move the form's third and fourth moments, about.

        Light tails hardly do, as no row is squared.
        """
        moved = (np.square(skewness) / 2.0 + np.maximum(kurtosis, 0.0)) / self.size
        share = self.between**3
        return float((share * moved).sum() / share.sum())

    @property
    def least(self) -> float:
        """One over the number of ways to deal the rows to the cells: no p-value is smaller."""
        size = self.size
        ways = special.gammaln(size.sum() + 1.0) - special.gammaln(size + 1.0).sum()
        return math.exp(-max(float(ways), 0.0))
