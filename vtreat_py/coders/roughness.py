"""Least squares that pay for roughness, as much as is likeliest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.banded import Factors, factored
from vtreat_py.coders.shape_code import BinnedSets
from vtreat_py.statistics.blocks import blocks

# Weights of roughness that are tried, about the one that gives it the size of the sums.
_TRIED = np.logspace(-6.0, 6.0, 25)
# Places of those that are tried first, and then of those beside the likeliest one.
_COARSE, _BESIDE = np.arange(0, 25, 3), np.arange(-2, 3)
# So many sets at a time stay in the cache of the processor.
_SETS = 16
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
    Generalized Spline Smoothing Problem", Annals of Statistics 13, 1985). It is looked for twice:
    far and wide, and then near the one that was found.

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
    fits = _Fits(sets, sums, right, roughness, n_free)
    found = fits.smoothest(np.tile(_COARSE, (len(right), 1)))
    found = fits.smoothest(np.clip(found[:, None] + _BESIDE, 0, len(_TRIED) - 1))
    known = fits.known[:, None] >= n_free
    solution = fits.solved(slice(None), found[:, None]).solution()
    return np.where(known, solution[:, 0], 0.0)


@dataclass(frozen=True, eq=False)
class _Fits:
    """Fits of all training sets by weights of roughness, which are places in `_TRIED`."""

    sets: BinnedSets
    sums: FloatArray
    right: FloatArray
    roughness: FloatArray
    n_free: int

    @cached_property
    def known(self) -> IntArray:
        """Number of bins that have rows, of each set."""
        return np.asarray((self.sets.weight > 0).sum(axis=1))

    @cached_property
    def _unit(self) -> FloatArray:
        """What gives roughness the size of the sums of each set."""
        size = np.where(self.sets.rows > 0, self.sums[..., 0].sum(axis=1), 1.0)
        return np.asarray(size / self.roughness[:, 0].sum())

    @cached_property
    def _squares(self) -> FloatArray:
        """Squares about the mean of each set."""
        return self.sets.residual(np.zeros_like(self.sets.mean))

    def solved(self, some: slice, tried: IntArray) -> Factors:
        """Solve some sets by weights of shape (sets, weights)."""
        weight = self._unit[some, None] * _TRIED[tried]
        bands = self.sums[some, None] + self.roughness * weight[..., None, None]
        bands[..., 0] *= 1.0 + _RIDGE
        return factored(bands, self.right[some, None])

    def smoothest(self, tried: IntArray) -> IntArray:
        """The likeliest weight of each set; of several that are as likely the largest.

        Weights ascend; the shape is (sets, weights).
        """
        deviance = self._deviance(tried)
        near = _TIE * (1.0 + self.sets.rows[:, None])
        is_best = deviance <= deviance.min(axis=1, keepdims=True) + near
        last = tried.shape[1] - 1 - np.argmax(is_best[:, ::-1], axis=1)
        return np.take_along_axis(tried, last[:, None], axis=1)[:, 0]

    def _deviance(self, tried: IntArray) -> FloatArray:
        """Twice the negative logarithm of the restricted likelihood, but for a constant."""
        log_determinant, explained = np.empty((2, *tried.shape))
        for some in blocks(len(tried), _SETS):
            found = self.solved(some, tried[some])
            log_determinant[some], explained[some] = found.log_determinant, found.explained
        squares, rows = self._squares[:, None], self.sets.rows[:, None]
        left = np.maximum(squares - explained, _ROUNDING * squares)
        deviance = (
            np.maximum(rows - self.n_free, 0.0) * np.log(np.where(left > 0, left, 1.0))
            + log_determinant
            - (self.right.shape[1] - self.n_free) * np.log(_TRIED[tried])
        )
        are_few = self.known[:, None] < self.right.shape[1]
        return np.where(are_few & (_TRIED[tried] < _LEAST_OF_FEW), np.inf, deviance)
