"""Principal components of scaled columns, from the cross-products of the unscaled ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, optimize
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits

from vtreat_py.base.arrays import FloatArray, IntArray

# With more columns, a few leading components are found one by one, not all at once.
MANY_COLUMNS = 300
_FEW = 0.1
_THREADS_FROM = 1_000
_SEED = 1901
# Loadings within this share of the largest one share its place in the choice of the sign.
_NEARLY_LARGEST = 1e-6
# Eigenvalues below this share of the largest one are rounding.
_ROUNDING = 1e-14


def threads_for(p: int) -> Any:
    """Limit the threads of linear algebra while problems of p columns are solved.

    Threads that share small problems wait for each other longer than they compute.
    """
    return threadpool_limits(1 if p < _THREADS_FROM else None, "blas")


def principal_components(
    xx: FloatArray, scale: FloatArray, most: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Singular values and components of the p columns ``scale * (x - mean)``.

    Parameters
    ----------
    xx : ndarray of shape (p, p)
        Centred cross-products of the columns.
    most : int or None
        How many components are wanted; None: all.

    Returns
    -------
    values : ndarray of shape (m,)
        In decreasing order.
    components : ndarray of shape (m, p)
        Of length 1. In each, the first of the largest loadings is positive: loadings as large but
        for rounding count as equal, so that the sign does not hang on it.
    """
    product, p = _scaled(xx, scale), len(scale)
    if most is not None and p > MANY_COLUMNS and most <= _FEW * p and product.any():
        # Lanczos iteration: as exact as the full decomposition, and started at a fixed vector.
        start = np.random.default_rng(_SEED).normal(size=p)
        squares, vectors = eigsh(product, most, which="LA", v0=start)
        order = np.argsort(-squares, kind="stable")
        squares, components = squares[order], vectors.T[order]
    else:
        squares, vectors = linalg.eigh(product, check_finite=False)
        squares, components = squares[::-1][:most], vectors.T[::-1][:most]
    size = np.abs(components)
    first = np.argmax(size >= (1.0 - _NEARLY_LARGEST) * size.max(axis=1, keepdims=True), axis=1)
    sign = np.sign(components[np.arange(len(components)), first])
    return _roots(squares), components * sign[:, None]


def singular_values(xx: FloatArray, scale: FloatArray) -> FloatArray:
    """Singular values alone, in decreasing order; of many columns the largest only."""
    if len(scale) > MANY_COLUMNS:
        return principal_components(xx, scale, 1)[0]
    squares = linalg.eigvalsh(_scaled(xx, scale), check_finite=False, overwrite_a=True)
    return _roots(squares[::-1])


def crossed_scores(
    xx: FloatArray,
    unit: FloatArray,
    leading: FloatArray,
    fold: IntArray,
    values: FloatArray,
    slopes: FloatArray,
) -> FloatArray:
    """Components of n rows, from components that each fold finds with the slopes of the others.

    Parameters
    ----------
    xx : ndarray of shape (p, p)
        Centred cross-products of the columns, which know nothing of the outcome.
    unit : ndarray of shape (p,)
        Unit of the columns in ``xx``.
    leading : ndarray of shape (m, p)
        Components of all rows. Each is matched with the one of the fold that is most like it, in
        its sign, so that folds agree on what a component is.
    fold : ndarray of int, shape (n,)
        Fold of each row.
    values : ndarray of shape (p, n)
        Columns scaled by the slopes and means of the other folds.
    slopes : ndarray of shape (p, folds)
        What each fold's rows were scaled by.

    Returns
    -------
    ndarray of shape (m, n)

    Notes
    -----
    To turn a fold's components towards those of all rows would match them better, and tell of the
    outcomes that those have seen: a turn has m * (m - 1) / 2 angles to do so.
    """
    out = np.zeros((len(leading), len(fold)))
    for k, others in enumerate(slopes.T if len(leading) else ()):
        with threads_for(len(unit)):
            own = principal_components(xx, others * unit, len(leading))[1]
        alike = leading @ own.T
        _, match = optimize.linear_sum_assignment(-np.abs(alike))
        sign = np.where(alike[np.arange(len(leading)), match] < 0, -1.0, 1.0)
        rows = np.flatnonzero(fold == k)
        out[:, rows] = sign[:, None] * own[match] @ values[:, rows]
    return out


def _roots(squares: FloatArray) -> FloatArray:
    """Roots of eigenvalues in decreasing order; 0 for those that are rounding."""
    least = _ROUNDING * max(float(squares[0]), 0.0)
    return np.asarray(np.where(squares > least, np.sqrt(np.maximum(squares, 0.0)), 0.0))


def _scaled(xx: FloatArray, scale: FloatArray) -> FloatArray:
    return np.asarray(scale[:, None] * xx * scale)
