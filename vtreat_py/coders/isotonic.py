"""isotonic: the outcome along a number, as far as it only rises, or only falls."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.coders.shape_code import BinnedSets, Fitted, ShapeOfR, cross_validation
from vtreat_py.coders.shapes_of_r import isotonic_of_r

# Scores, and values as a share of what outcomes are apart, that differ by less are equal.
_TIE = 1e-9


class Isotonic(ShapeOfR):
    """Monotone least squares: up or down, whichever generalizes better."""

    name = "isotonic"

    def of_rows(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> Fitted | None:
        """Fit rows as R vtreat does."""
        return isotonic_of_r(x, y, weight)

    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Fit both directions."""
        up, down = (self._fitted(sets, increasing=rises) for rises in (True, False))
        of_up, of_down = _score(sets, *up[:2]), _score(sets, *down[:2])
        rises = _starts_low(sets)
        near = 1.0 + _TIE
        are_equal = (of_up <= of_down * near) & (of_down <= of_up * near)
        better = np.where(are_equal, rises, of_up < of_down)
        values, rows = (np.where(better[:, None], up[i], down[i]) for i in (0, 2))
        return sets.at_edges(values), rows

    def _fitted(self, sets: BinnedSets, *, increasing: bool) -> tuple[FloatArray, ...]:
        """Values at the bins of each set, how many are different, and rows of equal ones."""
        found, rows = np.zeros((2, *sets.mean.shape))
        different = np.zeros(len(sets.mean))
        for k in np.flatnonzero(sets.rows > 0):
            some = np.flatnonzero(sets.weight[k] > 0)
            fit = isotonic_regression(
                sets.apart[k, some], weights=sets.weight[k, some], increasing=increasing
            )
            found[k] = _at_all(sets.x, some, fit.x)
            steps = np.abs(np.diff(fit.x[fit.blocks[:-1]]))
            is_step = steps > _TIE * np.ptp(sets.apart[k, some])
            block = np.append(0, np.cumsum(is_step))  # of equal values, but for rounding
            together = np.bincount(block, fit.weights)[block]
            rows[k] = _at_all(sets.x, some, np.repeat(together, np.diff(fit.blocks)))
            different[k] = 1.0 + is_step.sum()
        return found, different, rows


def _at_all(x: FloatArray, some: IntArray, values: FloatArray) -> FloatArray:
    """Values at all numbers, given those at some."""
    return values if len(some) == len(x) else np.interp(x, x[some], values)


def _starts_low(sets: BinnedSets) -> BoolArray:
    """Whether the first bin off the mean of a set is below it."""
    apart = sets.apart * (sets.weight > 0)
    is_off = np.abs(apart) > _TIE * np.abs(apart).max(axis=1, keepdims=True)
    first = is_off.argmax(axis=1)
    return np.asarray(apart[np.arange(len(apart)), first] < 0)


def _score(sets: BinnedSets, fitted: FloatArray, different: FloatArray) -> FloatArray:
    return cross_validation(sets.residual(fitted), sets.rows, different)
