"""isotonic: the outcome along a number, as far as it only rises, or only falls."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.coders.shape_code import BinnedSets, Fitted, ShapeOfR, cross_validation
from vtreat_py.coders.shapes_of_r import isotonic_of_r
from vtreat_py.statistics.outcome_sums import sum_by

# Scores, and values as a share of what outcomes are apart, that differ by less are equal.
_TIE = 1e-9
# Numbers from -1 to 1 that are so far from others do not meet them.
_BEYOND = 4.0


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
        known, values = sets.weight > 0, np.zeros_like(sets.mean)
        values[known] = _monotone(sets, known, increasing=increasing)
        steps = np.abs(np.diff(_kept_on(values, known), axis=1))
        is_step = steps > _TIE * np.ptp(np.where(known, sets.apart, 0.0), axis=1, keepdims=True)
        block = np.zeros(values.shape, dtype=np.intp)  # of equal values, but for rounding
        np.cumsum(is_step, axis=1, out=block[:, 1:])
        block += np.arange(len(block))[:, None] * values.shape[1]
        rows = sum_by(block.ravel(), sets.weight.ravel(), block.size)[block]
        for k in np.flatnonzero((sets.rows > 0) & ~known.all(axis=1)):
            for found in (values, rows):
                found[k] = np.interp(sets.x, sets.x[known[k]], found[k, known[k]])
        return values, 1.0 + is_step.sum(axis=1), rows


def _monotone(sets: BinnedSets, known: BoolArray, *, increasing: bool) -> FloatArray:
    """Isotonic means at the known bins of each set, one set after the other.

    They are found for all sets at once. Each set is held against a power of two of its own and
    stands beyond the one before, so that none is pooled with another's bins, or rounded by what it
    is; the means themselves are those of the outcomes as they are.
    """
    apart, weight, set_of = sets.apart[known], sets.weight[known], np.nonzero(known)[0]
    _, power = np.frexp(np.abs(sets.apart * known).max(axis=1))
    beyond = _BEYOND * set_of if increasing else -_BEYOND * set_of
    start = isotonic_regression(
        np.ldexp(apart, -power[set_of]) + beyond, weights=weight, increasing=increasing
    ).blocks
    pooled = np.add.reduceat(weight * apart, start[:-1]) / np.add.reduceat(weight, start[:-1])
    return np.repeat(pooled, np.diff(start))


def _kept_on(values: FloatArray, known: BoolArray) -> FloatArray:
    """Give unknown values those before them or, where there are none, the first one."""
    if known.all():
        return values
    last = np.maximum.accumulate(np.where(known, np.arange(known.shape[1]), 0), axis=1)
    np.maximum(last, known.argmax(axis=1)[:, None], out=last)
    return np.take_along_axis(values, last, axis=1)


def _starts_low(sets: BinnedSets) -> BoolArray:
    """Whether the first bin off the mean of a set is below it."""
    apart = sets.apart * (sets.weight > 0)
    is_off = np.abs(apart) > _TIE * np.abs(apart).max(axis=1, keepdims=True)
    first = is_off.argmax(axis=1)
    return np.asarray(apart[np.arange(len(apart)), first] < 0)


def _score(sets: BinnedSets, fitted: FloatArray, different: FloatArray) -> FloatArray:
    return cross_validation(sets.residual(fitted), sets.rows, different)
