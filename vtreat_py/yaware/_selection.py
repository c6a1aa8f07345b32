"""How many components to keep: a number, a share of variance, or a test."""

from __future__ import annotations

from typing import Any

import numpy as np

from vtreat_py._calibrated import CalibratedTests
from vtreat_py._errors import InvalidOptionError
from vtreat_py._outcome import Outcome
from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.cross_products import CrossProducts
from vtreat_py.statistics.moments import Moments
from vtreat_py.yaware._matrix import NumericMatrix

PERMUTATION, SIGNIFICANCE = "permutation", "significance"
# Singular values closer than this, relative to their size, are equal but for rounding.
_EQUAL = 1e-9


def check_n_components(n_components: Any, p: int) -> None:
    """Refuse what says nothing about the number of components of p columns.

    Raises
    ------
    InvalidOptionError
    """
    if isinstance(n_components, str):
        known = n_components in (PERMUTATION, SIGNIFICANCE)
    elif is_count(n_components):
        known = bool(n_components <= p)
    else:
        known = isinstance(n_components, float | np.floating) and bool(0.0 < n_components < 1.0)
    if not known:
        raise InvalidOptionError(
            f"n_components={n_components!r} must be a whole number from 1 to the number of "
            f"columns ({p}), a share of variance between 0 and 1, {PERMUTATION!r} or "
            f"{SIGNIFICANCE!r}"
        )


def is_count(value: Any) -> bool:
    """Whether a value is a whole number of at least 1."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(value >= 1)


def leading(n: int) -> IntArray:
    """Places of the first n components."""
    return np.arange(n)


def covering(values: FloatArray, share: float) -> IntArray:
    """Places of the fewest components whose squares sum to a share of all."""
    squares = values**2
    reached = np.cumsum(squares) / (squares.sum() or 1.0)
    return leading(min(int(np.searchsorted(reached, share)) + 1, len(values)))


def above_permuted(values: FloatArray, null: FloatArray) -> IntArray:
    """Places of the components up to the first that permuted outcomes reach too often.

    Too often is in more than one of p cases, p being the number of columns. Each component is
    compared with the *largest* of every permuted outcome: a component of noise that comes after
    two of signal is the largest of its kind, not the third.
    """
    level = permutation_level(len(values), len(null))
    reached = (null[:, :1] >= values * (1.0 - _EQUAL)).sum(axis=0)
    passes = ((reached + 1) / (len(null) + 1) <= level) & (values > 0)
    return leading(len(values) if passes.all() else int(np.argmin(passes)))


def permutation_level(p: int, n_permutations: int) -> float:
    """One over the number of columns; no less than so many permutations can tell."""
    return max(1.0 / p, 1.0 / (n_permutations + 1))


def significant(
    values: FloatArray,
    loadings: FloatArray,
    matrix: NumericMatrix,
    products: CrossProducts,
    contrasts: list[Outcome],
) -> IntArray:
    """Places of the components that the calibrated test of one variable finds to matter.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Singular values of the components.
    loadings : ndarray of shape (m, p)
        What a component takes of each column, in inner coordinates.
    matrix, products, contrasts
        The columns, their sums, and the outcome, or each of several classes.

    Returns
    -------
    ndarray of int
        Those with a p-value of at most 1/p; with q classes, of at most 1/(p * q) for one.
    """
    least = 1.0 / (loadings.shape[1] * len(contrasts))
    weight = contrasts[0].weight

    def sample(place: int) -> Sample:
        scores = np.empty(len(matrix.values[0]))
        for rows, x in matrix.blocks():
            scores[rows] = loadings[place] @ x
        return Sample.of_values(scores, weight)

    matters = np.zeros(len(values), dtype=bool)
    for k, contrast in enumerate(contrasts):
        moments = _of_components(values, loadings, products, k)
        matters |= CalibratedTests(contrast).correlation(moments, sample) <= least
    return np.flatnonzero(matters & (values > 0))


def _of_components(
    values: FloatArray, loadings: FloatArray, products: CrossProducts, outcome: int
) -> Moments:
    """Moments of the components with one of the outcomes, about their means."""
    zero = np.zeros(len(values))
    return Moments(
        zero + products.weight,
        zero.copy(),
        zero.copy(),
        values**2,
        loadings @ products.xy[:, outcome],
        zero + products.yy[outcome],
    )
