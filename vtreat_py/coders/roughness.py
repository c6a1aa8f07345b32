"""Least squares that pay for roughness, as much as is likeliest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.banded import factored
from vtreat_py.coders.shape_code import BinnedSets

# Weights of roughness that are tried, about the one that gives it the size of the sums.
_TRIED = np.logspace(-6.0, 6.0, 25)
# Least of these for sets of fewer bins than coefficients: of less, the rest is but rounding.
_LEAST_OF_FEW = 1e-4
# Share of all squares that is rounding; and that of pivots which sets of few rows are solved by.
_ROUNDING, _RIDGE = 1e-14, 1e-13
# Deviances a row that differ by less are equal.
_TIE = 1e-9


def likeliest(
    sets: BinnedSets,
    sums: Sequence[FloatArray],
    right: FloatArray,
    roughness: Sequence[FloatArray],
    n_free: int,
) -> FloatArray:
    """Coefficients of each training set, as smooth as restricted maximum likelihood says.

    The weight of roughness is the ratio of variances of the mixed model that has the fit as its
    prediction (G. Wahba, "A Comparison of GCV and GML for Choosing the Smoothing Parameter in the
    Generalized Spline Smoothing Problem", Annals of Statistics 13, 1985).

    Parameters
    ----------
    sets : BinnedSets
    sums : sequence of ndarray of shape (J - k, sets)
        Diagonals of the normal equations: the main one, then those k places off it.
    right : ndarray of shape (J, sets)
        Their right sides.
    roughness : sequence of ndarray of shape (J - k,)
        Diagonals of the matrix that roughness is a square in.
    n_free : int
        Dimensions of what is not rough at all.

    Returns
    -------
    ndarray of shape (J, sets)
        0 for sets of fewer bins than that.
    """
    size = np.where(sets.rows > 0, sums[0].sum(axis=0), 1.0) / roughness[0].sum()
    tried = size[:, None] * _TRIED
    bands = [
        one[:, :, None] + rough[:, None, None] * tried
        for one, rough in zip(sums, roughness, strict=True)
    ]
    bands[0] *= 1.0 + _RIDGE
    found = factored(bands, right[:, :, None])
    squares = sets.residual(np.zeros_like(sets.mean))[:, None]
    left = np.maximum(squares - found.explained, _ROUNDING * squares)
    deviance = (
        np.maximum(sets.rows - n_free, 0.0)[:, None] * np.log(np.where(left > 0, left, 1.0))
        + found.log_determinant
        - (len(right) - n_free) * np.log(tried)
    )
    known = (sets.weight > 0).sum(axis=1)
    deviance[np.ix_(known < len(right), _TRIED < _LEAST_OF_FEW)] = np.inf
    is_best = deviance <= deviance.min(axis=1, keepdims=True) + _TIE * (1.0 + sets.rows[:, None])
    best = len(_TRIED) - 1 - np.argmax(is_best[:, ::-1], axis=1)  # the smoothest of them
    chosen = found.take(np.arange(len(best)), best).solution()
    return np.where(known >= n_free, chosen, 0.0)
