"""What y-aware components look like when the outcome says nothing: it is permuted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.outcome.outcome import OutcomeRows, counts_rows
from vtreat_py.statistics.cross_products import CrossProducts
from vtreat_py.yaware.components import (
    MANY_COLUMNS,
    principal_components,
    singular_values,
    threads_for,
)
from vtreat_py.yaware.matrix import NumericMatrix
from vtreat_py.yaware.slopes import linearised_slopes

# Numbers that the permuted outcomes of one pass over the columns may take: 512 MB.
_PASS = 1 << 26
_SEED = 2016
# Components of very many columns that are tested for significance.
_LEADING = 30


def permuted_components(
    matrix: NumericMatrix,
    products: CrossProducts,
    contrasts: list[OutcomeRows],
    link: bool,
    n_permutations: int,
    random: np.random.Generator,
    correlate: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Find the components of columns that are scaled for permuted outcomes.

    ``products`` are those with the outcomes as they are; for ``link`` see `linearised_slopes`.

    Returns
    -------
    values : ndarray of shape (n_permutations, p)
        Singular values in decreasing order; of more than 300 columns only the leading ones.
    rsq : ndarray of shape (n_permutations,)
        With ``correlate``, the largest squared correlation of a component with the permuted
        outcome it was scaled for; else 0.

    Notes
    -----
    A permutation changes nothing but the products of columns and outcome, so that all of them
    together cost a few passes over the columns, and an eigenvalue problem each.
    """
    rows, n_rows = _canonical_order(matrix, products, contrasts), len(contrasts[0].y)
    residuals, start = _residuals(contrasts, rows)
    per_pass = max(_PASS // (len(contrasts) * n_rows), 1)
    found: list[tuple[FloatArray, float]] = []
    for first in range(0, n_permutations, per_pass):
        times = min(per_pass, n_permutations - first)
        permuted = np.zeros((times, len(contrasts), n_rows))
        for one in permuted:
            for placed, values in zip(one, _permuted(residuals, start, random), strict=True):
                placed[rows] = values
        xy = _products_with(matrix, permuted.reshape(-1, n_rows))
        each = np.moveaxis(xy.reshape(len(xy), times, -1), 1, 0)
        with threads_for(len(xy)):
            found += [_one(matrix, replace(products, xy=one), link, correlate) for one in each]
    return np.array([one for one, _ in found]), np.array([rsq for _, rsq in found])


def _one(
    matrix: NumericMatrix, products: CrossProducts, link: bool, correlate: bool
) -> tuple[FloatArray, float]:
    """Singular values, and the largest squared correlation, for one outcome."""
    slopes = linearised_slopes(matrix, products, link)
    if not correlate:
        return singular_values(products.xx, slopes), 0.0
    values, components = principal_components(products.xx, slopes, looked_at(len(slopes)))
    return values, float(squared_correlations(values, components * slopes, products).max())


def looked_at(p: int) -> int | None:
    """How many components are tested for significance: all, or of many columns the leading."""
    return None if p <= MANY_COLUMNS else _LEADING


def squared_correlations(
    values: FloatArray, loadings: FloatArray, products: CrossProducts
) -> FloatArray:
    """Squared correlation of each component with the outcome; with several, the largest.

    Loadings, of shape (m, p), are what a component of this singular value takes of each column,
    in inner coordinates.
    """
    size = np.where(values > 0, values, np.inf)
    shared = (loadings @ products.xy / size[:, None]) ** 2 / products.yy
    return np.asarray(shared.max(axis=1))


def _products_with(matrix: NumericMatrix, vectors: FloatArray) -> FloatArray:
    """Sum over the rows of each column times each of several vectors of shape (m, n)."""
    total = np.zeros((len(matrix.values), len(vectors)))
    for rows, x in matrix.blocks():
        total += x @ vectors[:, rows].T
    return total


def _canonical_order(
    matrix: NumericMatrix, products: CrossProducts, contrasts: list[OutcomeRows]
) -> IntArray:
    """Rows that count, in an order that is theirs, whatever order they came in.

    So that one seed gives one answer for the same rows, be they shuffled, repeated or weighted.
    They lie along a random direction, which tells different rows apart; equal rows, of which all
    is added up alike, lie at the same place.
    """
    spread = np.sqrt(products.xx.diagonal())
    towards = np.random.default_rng(_SEED).normal(size=len(spread))
    place = np.zeros(len(contrasts[0].y))
    for j in np.flatnonzero(spread > 0):
        place += towards[j] / spread[j] * matrix.inner(int(j))
    order = np.lexsort((*(c.y for c in contrasts), place))
    weight = contrasts[0].weight
    return order if weight is None else order[weight[order] > 0]


def _residuals(contrasts: list[OutcomeRows], rows: IntArray) -> tuple[FloatArray, IntArray]:
    """Outcomes less their means, of shape (q, at least m), and where those of m rows start.

    Weights that count rows give a row so many outcomes, each of which moves alone. Others
    multiply it: weighted residuals may be permuted as they are.
    """
    weight = contrasts[0].weight
    y = np.stack([c.y for c in contrasts]).astype(np.float64)
    residual = (y - np.average(y, axis=1, weights=weight)[:, None])[:, rows]
    copies = np.ones(len(rows), dtype=np.intp)
    if weight is not None and counts_rows(weight[rows]):
        copies = weight[rows].astype(np.intp)
        residual = np.repeat(residual, copies, axis=1)
    elif weight is not None:
        residual = residual * weight[rows]
    return residual, np.cumsum(copies) - copies


def _permuted(residuals: FloatArray, start: IntArray, random: np.random.Generator) -> FloatArray:
    """Residuals of each row after a permutation, summed; of shape (q, m)."""
    if len(residuals) == 1:  # to shuffle numbers is faster than to look them up
        shuffled = random.permutation(residuals[0])[None]
    else:
        shuffled = residuals[:, random.permutation(residuals.shape[1])]
    once = residuals.shape[1] == len(start)
    return shuffled if once else np.add.reduceat(shuffled, start, axis=1)
