"""Codes of numbers that are the shape which the outcome has along them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.coders.code import SUPERVISED, Code, CodeOptions

# Gives the outcome at numbers.
Fitted = Callable[[FloatArray], FloatArray]
# With fewer different values a line is all that there is.
FEWEST_VALUES = 3
# Why a column has none.
NO_SHAPE = "it has too few rows or different values for a shape"
ALL_ONE = (
    "it has no shape: beside a number that is far off, all others are one; make that number "
    "missing, or cut it off"
)
# Shares of a class are kept so far from 0 and 1.
_CLIP = 1e-6
# Shares of what sums and means are made of that are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class BinnedSets:
    """What training sets know of the outcome along a number, bin by bin.

    Attributes
    ----------
    edges : ndarray of shape (bins,)
        The smallest value, and where the other bins end: from 0 to 1.
    x : ndarray of shape (bins,)
        Mean of the values of each bin, over all rows.
    weight, mean : ndarray of shape (sets, bins)
        Rows of each bin in each training set, and the mean of their outcomes. All rows are the
        last set.
    squares : ndarray of shape (sets,)
        Sum of squares of the outcomes about the means of bins.
    size : ndarray of shape (bins,) or None
        Rows of each bin over all rows, where weights say something else; None: the last weights.
    """

    edges: FloatArray
    x: FloatArray
    weight: FloatArray
    mean: FloatArray
    squares: FloatArray
    size: FloatArray | None = None

    @cached_property
    def rows(self) -> FloatArray:
        """Rows of each set."""
        return np.asarray(self.weight.sum(axis=1))

    @cached_property
    def overall(self) -> FloatArray:
        """Mean outcome of each set; 0 of an empty one."""
        total = (self.weight * self.mean).sum(axis=1)
        return np.asarray(total / np.where(self.rows > 0, self.rows, 1.0))

    @cached_property
    def apart(self) -> FloatArray:
        """Mean outcome of each bin less that of its set."""
        return self.mean - self.overall[:, None]

    def is_rounding(self, apart: FloatArray) -> BoolArray:
        """Whether values less the mean are 0 in a set but for rounding, everywhere."""
        size = np.abs(self.mean * (self.weight > 0)).max(axis=1)
        return np.asarray(np.abs(apart).max(axis=1) <= _ROUNDING * size)

    def cuts(self, parts: int) -> IntArray:
        """Bins that end all but the last of so many parts of all rows, as equal as values allow."""
        ends = np.arange(1, parts) / parts * ((1.0 - _ROUNDING) * self._upto[-1])
        return np.asarray(np.searchsorted(self._upto, ends))

    @cached_property
    def _upto(self) -> FloatArray:
        """Rows of all bins up to each."""
        return np.cumsum(self._of_bin)

    @property
    def _of_bin(self) -> FloatArray:
        """Rows of each bin."""
        return self.weight[-1] if self.size is None else self.size

    @cached_property
    def known_edges(self) -> FloatArray:
        """Edges, the ends of which are no farther out than the mean of many rows.

        The largest number is the end of a bin, and may be far beyond all others in it. The smallest
        one has a bin to itself: where it is of few rows, and other numbers have none, it stands
        where the mean of the next bin is.
        """
        of_several = self.edges[1] - self.x[1] > _ROUNDING * (self.edges[1] - self.edges[0])
        few = self._of_bin[0] < self._of_bin[1]
        low = self.x[1] if of_several and few else self.edges[0]
        return np.clip(self.edges, low, self.x[-1])

    def residual(self, fitted: FloatArray) -> FloatArray:
        """Squares that values at the bins, less the mean of the set, leave of each set."""
        apart = self.apart - fitted
        return np.asarray(self.squares + (self.weight * apart * apart).sum(axis=1))

    def at_edges(self, values: FloatArray) -> FloatArray:
        """Values at the edges, on straight lines between those at the means of bins."""
        share = (self.edges[:-1] - self.x[:-1]) / np.diff(self.x)
        found = values.copy()
        found[:, :-1] += np.diff(values, axis=1) * share
        return found

    def level_beyond(self, values: FloatArray) -> FloatArray:
        """Values at the edges, level where a set has no rows on the way to an end."""
        known, last = self.weight > 0, self.weight.shape[1] - 1
        first = known.argmax(axis=1)[:, None]
        place = np.clip(np.arange(last + 1), first, last - known[:, ::-1].argmax(axis=1)[:, None])
        return np.take_along_axis(values, place, axis=1)


class ShapeCode(Code):
    """A code that fits a shape to the outcome along a number, from sums by bin.

    All training sets are fitted at once. What is chosen on the way, such as the number of
    segments, each set chooses for itself.
    """

    reads = "numbers"
    outcomes = (*SUPERVISED, "rate", "survival")
    y_aware = True
    by_default = False

    @abstractmethod
    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Fit the outcome along the number.

        Returns
        -------
        values : ndarray of shape (sets, bins)
            At the edges, less the mean of the set.
        rows : ndarray of shape (sets, bins) or (sets, 1)
            About how many rows stand behind each.
        """


class ShapeOfR(ShapeCode):
    """A shape that R vtreat has, too: with R's options it is made as R makes it."""

    def needs_rows(self, options: CodeOptions, outcome_type: str) -> bool:
        """Whether it is made of rows: as R does it, of the outcomes that it has."""
        return options.follows_r and outcome_type in SUPERVISED

    @abstractmethod
    def of_rows(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> Fitted | None:
        """Fit rows as R vtreat does; None of too few rows, or different values."""


def believed(share: FloatArray, overall: FloatArray, rows: FloatArray) -> FloatArray:
    """Shares of a class, each with one row more that is like all rows.

    Where few rows have no case, cases are still not one in a million.
    """
    return overall + (np.clip(share, 0.0, 1.0) - overall) * (rows / (rows + 1.0))


def log_ratio(rate: FloatArray, overall: FloatArray, rows: FloatArray) -> FloatArray:
    """Logarithms of rates over that of all rows, each with one row more that is like all."""
    base = np.where(overall > 0.0, overall, 1.0)
    ratio = 1.0 + (np.maximum(rate, 0.0) / base - 1.0) * (rows / (rows + 1.0))
    return np.asarray(np.where(overall > 0.0, np.log(np.maximum(ratio, _CLIP)), 0.0))


def log_odds(share: FloatArray) -> FloatArray:
    """Log odds of shares of a class; those near 0 and 1 are kept finite."""
    kept = np.clip(share, _CLIP, 1.0 - _CLIP)
    return np.asarray(np.log(kept / (1.0 - kept)))


def cross_validation(
    residual: FloatArray, rows: FloatArray, parameters: FloatArray | float
) -> FloatArray:
    """Estimate the mean square of new rows: generalized cross-validation.

    ``rows * residual / (rows - parameters)**2``, which stands for leaving out one row after the
    other (P. Craven and G. Wahba, "Smoothing Noisy Data with Spline Functions", Numerische
    Mathematik 31, 1979). Infinite where there are no more rows than parameters.
    """
    left = rows - parameters
    some = left > _ROUNDING * rows
    safe = np.where(some, left, 1.0)
    return np.asarray(np.where(some, rows * residual / safe**2, np.inf))
