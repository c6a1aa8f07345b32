"""Least squares that pay for roughness, as much as is likeliest."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.banded import Factors, factored
from vtreat_py.coders.shape_code import BinnedSets
from vtreat_py.statistics.blocks import blocks

# Weights of roughness that are tried, about the one that gives it the size of the sums.
_TRIED = np.logspace(-6.0, 6.0, 25)
# So many sets at a time stay in the cache of the processor.
_SETS = 8
# Least of these for sets of fewer bins than coefficients: of less, the rest is but rounding.
_LEAST_OF_FEW = 1e-4
# Share of all squares that is rounding; and that of pivots which sets of few rows are solved by.
_ROUNDING, _RIDGE = 1e-14, 1e-13
# Deviances a row that differ by less are equal.
_TIE = 1e-9


def likeliest(
    sets: BinnedSets,
    sums: FloatArray,
    right: FloatArray,
    roughness: FloatArray,
    n_free: int,
) -> FloatArray:
    """Coefficients of each training set, as smooth as restricted maximum likelihood says.

    The weight of roughness is the ratio of variances of the mixed model that has the fit as its
    prediction (G. Wahba, "A Comparison of GCV and GML for Choosing the Smoothing Parameter in the
    Generalized Spline Smoothing Problem", Annals of Statistics 13, 1985).

    Parameters
    ----------
    sets : BinnedSets
    sums : ndarray of shape (sets, J, 1 + k)
        Normal equations: column j from the diagonal down, as in `factored`.
    right : ndarray of shape (sets, J)
        Their right sides.
    roughness : ndarray of shape (J, 1 + k)
        The matrix that roughness is a square in, likewise.
    n_free : int
        Dimensions of what is not rough at all.

    Returns
    -------
    ndarray of shape (sets, J)
        0 for sets of fewer bins than that.
    """
    size = np.where(sets.rows > 0, sums[..., 0].sum(axis=1), 1.0) / roughness[:, 0].sum()
    tried = size[:, None] * _TRIED
    log_determinant, explained = np.empty((2, *tried.shape))
    for some in blocks(len(tried), _SETS):
        found = _solved(sums[some, None], right[some, None], roughness, tried[some])
        log_determinant[some], explained[some] = found.log_determinant, found.explained
    squares = sets.residual(np.zeros_like(sets.mean))[:, None]
    left = np.maximum(squares - explained, _ROUNDING * squares)
    deviance = (
        np.maximum(sets.rows - n_free, 0.0)[:, None] * np.log(np.where(left > 0, left, 1.0))
        + log_determinant
        - (right.shape[1] - n_free) * np.log(tried)
    )
    known = (sets.weight > 0).sum(axis=1)
    deviance[np.ix_(known < right.shape[1], _TRIED < _LEAST_OF_FEW)] = np.inf
    is_best = deviance <= deviance.min(axis=1, keepdims=True) + _TIE * (1.0 + sets.rows[:, None])
    best = len(_TRIED) - 1 - np.argmax(is_best[:, ::-1], axis=1)  # the smoothest of them
    chosen = _solved(sums, right, roughness, tried[np.arange(len(best)), best])
    return np.where(known[:, None] >= n_free, chosen.solution(), 0.0)


def _solved(
    sums: FloatArray, right: FloatArray, roughness: FloatArray, weight: FloatArray
) -> Factors:
    """Pay for roughness by weights of shape (sets, ...)."""
    bands = sums + roughness * weight[..., None, None]
    bands[..., 0] *= 1.0 + _RIDGE
    return factored(bands, right)
