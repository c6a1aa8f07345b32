"""isotonic: the outcome along a number, as far as it only rises, or only falls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import isotonic_regression

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
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
        bins = _Bins(sets)
        up, down = (bins.fitted(increasing=rises) for rises in (True, False))
        of_up, of_down = _score(sets, *up[:2]), _score(sets, *down[:2])
        rises = _starts_low(sets)
        near = 1.0 + _TIE
        are_equal = (of_up <= of_down * near) & (of_down <= of_up * near)
        better = np.where(are_equal, rises, of_up < of_down)
        values, rows = (np.where(better[:, None], up[i], down[i]) for i in (0, 2))
        return sets.at_edges(values), rows


@dataclass(frozen=True, eq=False)
class _Bins:
    """The bins of all sets, one set after the other, and which of them are known to have rows."""

    sets: BinnedSets

    @cached_property
    def _known(self) -> BoolArray:
        return self.sets.weight > 0

    @cached_property
    def _place(self) -> IntArray:
        """Places of the known ones."""
        return np.flatnonzero(self._known)

    @cached_property
    def _set(self) -> IntArray:
        """The set of each known one."""
        return np.asarray(self._place // self._known.shape[1])

    @cached_property
    def _before(self) -> IntArray:
        """Place of the last known one up to each or, where there is none, of the first one."""
        known, n_bins = self._known, self._known.shape[1]
        last = np.maximum.accumulate(np.where(known, np.arange(n_bins), 0), axis=1)
        np.maximum(last, known.argmax(axis=1)[:, None], out=last)
        return np.asarray(last + n_bins * np.arange(len(last))[:, None])

    @cached_property
    def _tie(self) -> FloatArray:
        """Values of each set that differ by no more are equal."""
        spread = np.ptp(np.where(self._known, self.sets.apart, 0.0), axis=1, keepdims=True)
        return np.asarray(_TIE * spread)

    def fitted(self, *, increasing: bool) -> tuple[FloatArray, ...]:
        """Values at the bins of each set, how many are different, and rows of equal ones."""
        sets, known = self.sets, self._known
        values, block = np.zeros(known.shape), np.zeros(known.shape, dtype=np.intp)
        np.put(values, self._place, self._monotone(increasing=increasing))
        is_step = np.abs(np.diff(np.take(values, self._before), axis=1)) > self._tie
        np.cumsum(is_step, axis=1, out=block[:, 1:])  # of equal values, but for rounding
        block += np.arange(len(known))[:, None] * known.shape[1]
        rows = sum_by(block.ravel(), sets.weight.ravel(), block.size)[block]
        for k in np.flatnonzero((sets.rows > 0) & ~known.all(axis=1)):
            for found in (values, rows):
                found[k] = np.interp(sets.x, sets.x[known[k]], found[k, known[k]])
        return values, 1.0 + is_step.sum(axis=1), rows

    def _monotone(self, *, increasing: bool) -> FloatArray:
        """Isotonic means at the known bins.

        They are found for all sets at once. Each set is held against a power of two of its own and
        stands beyond the one before, so that none is pooled with another's bins, or rounded by what
        it is; the means themselves are those of the outcomes as they are.
        """
        weight, apart = (one.ravel()[self._place] for one in (self.sets.weight, self.sets.apart))
        _, power = np.frexp(np.abs(self.sets.apart * self._known).max(axis=1))
        beyond = _BEYOND * self._set if increasing else -_BEYOND * self._set
        start = isotonic_regression(
            np.ldexp(apart, -power[self._set]) + beyond, weights=weight, increasing=increasing
        ).blocks
        pooled = np.add.reduceat(weight * apart, start[:-1]) / np.add.reduceat(weight, start[:-1])
        return np.repeat(pooled, np.diff(start))


def _starts_low(sets: BinnedSets) -> BoolArray:
    """Whether the first bin off the mean of a set is below it."""
    apart = sets.apart * (sets.weight > 0)
    is_off = np.abs(apart) > _TIE * np.abs(apart).max(axis=1, keepdims=True)
    first = is_off.argmax(axis=1)
    return np.asarray(apart[np.arange(len(apart)), first] < 0)


def _score(sets: BinnedSets, fitted: FloatArray, different: FloatArray) -> FloatArray:
    return cross_validation(sets.residual(fitted), sets.rows, different)
