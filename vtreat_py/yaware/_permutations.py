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
_SEED = 2016
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
    residuals = _Residuals.of(contrasts, _canonical_order(matrix, products, contrasts[0]))
    per_pass = max(_PASS // (len(contrasts) * residuals.n_rows), 1)
    xx = products.xx.diagonal()
    curvature = np.where(xx > 0, xx, np.inf)
    variance = products.yy / products.weight if link else np.ones(len(contrasts))
    null = []
    for first in range(0, n_permutations, per_pass):
        times = min(per_pass, n_permutations - first)
        xy = _products_with(matrix, residuals.permuted(times, random))
        slopes = xy.reshape(len(xx), times, -1) / (curvature[:, None, None] * variance)
        each = [combined_slopes(list(one.T)) for one in np.moveaxis(slopes, 1, 0)]
        null += singular_values(products.xx, each)
    return np.array(null)


def _products_with(matrix: NumericMatrix, vectors: FloatArray) -> FloatArray:
    """Sum over the rows of each column times each of several vectors of shape (m, n)."""
    total = np.zeros((len(matrix.values), len(vectors)))
    for rows, x in matrix.blocks():
        total += x @ vectors[:, rows].T
    return total


def _canonical_order(matrix: NumericMatrix, products: CrossProducts, outcome: Outcome) -> IntArray:
    """Rows that count, in an order that is theirs, whatever order they came in.

    So that one seed gives one answer for the same rows, be they shuffled, repeated or weighted.
    """
    spread = np.sqrt(products.xx.diagonal())
    towards = np.random.default_rng(_SEED).normal(size=len(spread))
    towards = np.where(spread > 0, towards / np.where(spread > 0, spread, 1.0), 0.0)
    place = np.empty(len(outcome.y))
    for rows, x in matrix.blocks():
        place[rows] = towards @ (x - products.x[:, None])
    order = np.lexsort((outcome.y, place))
    return order if outcome.weight is None else order[outcome.weight[order] > 0]


@dataclass(frozen=True, eq=False)
class _Residuals:
    """Outcomes less their means, of rows that may change places.

    Weights that count rows give a row so many outcomes, each of which moves alone. Others
    multiply it: weighted residuals may be permuted as they are.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        Numbers of the rows that count.
    values : ndarray of shape (q, at least m)
        Residuals of those rows, in their order, repeated as often as they count.
    start : ndarray of int, shape (m,)
        Where the residuals of each row start.
    n_rows : int
        Number of all rows.
    """

    rows: IntArray
    values: FloatArray
    start: IntArray
    n_rows: int

    @classmethod
    def of(cls, contrasts: list[Outcome], rows: IntArray) -> _Residuals:
        weight = contrasts[0].weight
        y = np.stack([c.y for c in contrasts]).astype(np.float64)
        residual = (y - np.average(y, axis=1, weights=weight)[:, None])[:, rows]
        copies = np.ones(len(rows), dtype=np.intp)
        if weight is not None:
            w = weight[rows]
            if (w == np.rint(w)).all() and w.sum() <= _MOST_COPIES * len(weight):
                copies = w.astype(np.intp)
                residual = np.repeat(residual, copies, axis=1)
            else:
                residual = residual * w
        return cls(rows, residual, np.cumsum(copies) - copies, y.shape[1])

    def permuted(self, times: int, random: np.random.Generator) -> FloatArray:
        """Residuals of each row after a permutation, summed; of shape (times * q, n)."""
        n_values = self.values.shape[1]
        once = n_values == len(self.rows)
        out = np.zeros((times, len(self.values), self.n_rows))
        for one in out:
            shuffled = self.values[:, random.permutation(n_values)]
            one[:, self.rows] = shuffled if once else np.add.reduceat(shuffled, self.start, axis=1)
        return out.reshape(-1, self.n_rows)
