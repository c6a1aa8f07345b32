"""What y-aware components look like when the outcome says nothing: it is permuted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py._design_context import combined_slopes
from vtreat_py._outcome import Outcome
from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.statistics.cross_products import CrossProducts
from vtreat_py.yaware._components import singular_values
from vtreat_py.yaware._matrix import NumericMatrix

# Numbers that the permuted outcomes of one pass over the columns may take: 256 MB.
_PASS = 1 << 25
# Weights that sum to more than so many times the rows are not taken for counts of them.
_MOST_COPIES = 10


def permuted_singular_values(
    matrix: NumericMatrix,
    products: CrossProducts,
    contrasts: list[Outcome],
    link: bool,
    n_permutations: int,
    random: np.random.Generator,
) -> FloatArray:
    """Singular values of y-aware scaled columns, for each of several permuted outcomes.

    Parameters
    ----------
    matrix : NumericMatrix
    products : CrossProducts
        Of the columns with the outcomes as they are.
    contrasts : list of Outcome
        The outcome, or each of several classes.
    link : bool
        Whether slopes are in link units. Those of a permuted outcome are near 0, where the
        logistic slope is the linear one over the variance of the outcome.
    n_permutations : int
    random : numpy Generator

    Returns
    -------
    ndarray of shape (n_permutations, p)
        In decreasing order.

    Notes
    -----
    A permutation changes nothing but the products of columns and outcome, so that all of them
    together cost a few passes over the columns, and an eigenvalue problem each.
    """
    deviation = _Residuals.of(contrasts)
    per_pass = max(_PASS // (len(contrasts) * len(deviation.start)), 1)
    xx = products.xx.diagonal()
    curvature = np.where(xx > 0, xx, np.inf)
    variance = products.yy / products.weight if link else np.ones(len(contrasts))
    null = []
    for first in range(0, n_permutations, per_pass):
        times = min(per_pass, n_permutations - first)
        xy = _products_with(matrix, deviation.permuted(times, random))
        slopes = xy.reshape(len(xx), times, -1) / (curvature[:, None, None] * variance)
        for one in np.moveaxis(slopes, 1, 0):
            null.append(singular_values(products.xx, combined_slopes(list(one.T))))
    return np.array(null)


def _products_with(matrix: NumericMatrix, vectors: FloatArray) -> FloatArray:
    """Sum over the rows of each column times each of several vectors of shape (m, n)."""
    total = np.zeros((len(matrix.values), len(vectors)))
    for rows, x in matrix.blocks():
        total += x @ vectors[:, rows].T
    return total


@dataclass(frozen=True, eq=False)
class _Residuals:
    """Outcomes less their means, of rows that may change places.

    Weights that count rows give a row so many outcomes, each of which moves alone. Others
    multiply it: weighted residuals may be permuted as they are.

    Attributes
    ----------
    values : ndarray of shape (q, m)
        Residuals of the rows that count, repeated as often as they count.
    start : ndarray of int, shape (n,)
        Where the residuals of each row start.
    counts : ndarray of bool, shape (n,) or None
        Rows that count; None: all, once.
    """

    values: FloatArray
    start: IntArray
    counts: IntArray | None

    @classmethod
    def of(cls, contrasts: list[Outcome]) -> _Residuals:
        weight = contrasts[0].weight
        y = np.stack([c.y for c in contrasts]).astype(np.float64)
        residual = y - np.average(y, axis=1, weights=weight)[:, None]
        if weight is None:
            return cls(residual, np.arange(y.shape[1]), None)
        rows = np.flatnonzero(weight)
        copies = np.ones(len(rows), dtype=np.intp)
        if (weight == np.rint(weight)).all() and weight.sum() <= _MOST_COPIES * len(weight):
            copies = weight[rows].astype(np.intp)
            residual = np.repeat(residual[:, rows], copies, axis=1)
        else:
            residual = (residual * weight)[:, rows]
        start = np.zeros(len(weight), dtype=np.intp)
        start[rows] = np.cumsum(copies) - copies
        return cls(residual, start, rows)

    def permuted(self, times: int, random: np.random.Generator) -> FloatArray:
        """Residuals of each row after a permutation, summed; of shape (times * q, n)."""
        out = np.zeros((times, len(self.values), len(self.start)))
        for one in out:
            one[:] = self._placed(self.values[:, random.permutation(self.values.shape[1])])
        return out.reshape(-1, out.shape[-1])

    def _placed(self, values: FloatArray) -> FloatArray:
        if self.counts is None:
            return values
        placed = np.zeros((len(values), len(self.start)))
        placed[:, self.counts] = np.add.reduceat(values, self.start[self.counts], axis=1)
        return placed
