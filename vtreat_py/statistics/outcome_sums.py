"""Sums of the outcome, one entry a group of rows: a monoid with inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class OutcomeSums:
    """Weight, total and inner squares of the outcome in each of several groups of rows.

    Groups are the entries of the arrays, all of one shape. Values add (two parts of the
    data) and subtract (a part taken away), group by group.

    Attributes
    ----------
    weight : ndarray
        Sum of the weights, that is the number of rows when weights count repeated rows.
    total : ndarray
        Sum of ``w * (y - centre)``.
    squares : ndarray
        Sum of ``w * (y - mean of the group)**2``. Kept about the group's own mean, so that
        nothing cancels when groups lie far apart.
    centre : float
        Reference point of ``total``; any number near the outcome's mean.

    Notes
    -----
    Groups merge by the pairwise update of Chan, Golub and LeVeque, "Algorithms for Computing
    the Sample Variance", The American Statistician 37 (1983).

    Examples
    --------
    >>> import numpy as np
    >>> a = OutcomeSums.of_rows(np.array([0, 0, 1]), 2, np.array([1.0, 3.0, 5.0]))
    >>> a.mean, a.squares
    (array([2., 5.]), array([2., 0.]))
    >>> (a + a - a).mean
    array([2., 5.])
    """

    weight: FloatArray
    total: FloatArray
    squares: FloatArray
    centre: float = 0.0

    def __post_init__(self) -> None:
        for values in (self.weight, self.total, self.squares):
            values.setflags(write=False)

    @classmethod
    def of_rows(
        cls,
        group: IntArray,
        n_groups: int,
        y: FloatArray,
        weight: FloatArray | None = None,
        centre: float = 0.0,
    ) -> OutcomeSums:
        """Sum the rows of each group; ``y`` is given relative to ``centre``."""
        w = np.ones(len(y)) if weight is None else weight
        return cls.of_counts(w, w * y, np.zeros(len(y)), centre).grouped(group, n_groups)

    @classmethod
    def of_counts(
        cls, weight: FloatArray, total: FloatArray, squares: FloatArray | None, centre: float
    ) -> OutcomeSums:
        """Take sums as they are; without ``squares`` the outcome is 0 or 1, and they follow."""
        if squares is None:
            squares = total * (1.0 - total / np.where(weight > 0, weight, 1.0))
        return cls(weight, total, squares, centre)

    @property
    def mean(self) -> FloatArray:
        """Mean of each group relative to ``centre``; 0 where a group is empty."""
        return np.asarray(self.total / np.where(self.weight > 0, self.weight, 1.0))

    def take(self, index: IntArray | slice) -> OutcomeSums:
        """Return the groups at ``index``."""
        return OutcomeSums(
            self.weight[index], self.total[index], self.squares[index], self.centre
        )

    def replaced(self, index: IntArray, values: OutcomeSums) -> OutcomeSums:
        """Return a copy that has ``values`` at ``index``."""
        arrays = []
        for ours, theirs in (
            (self.weight, values.weight),
            (self.total, values.total),
            (self.squares, values.squares),
        ):
            copy = ours.copy()
            copy[index] = theirs
            arrays.append(copy)
        return OutcomeSums(*arrays, centre=self.centre)

    def recentred(self, centre: float) -> OutcomeSums:
        """Return the same sums about another reference point."""
        if centre == self.centre:
            return self
        total = self.total + self.weight * (self.centre - centre)
        return OutcomeSums(self.weight, total, self.squares, centre)

    def grouped(self, group: IntArray, n_groups: int) -> OutcomeSums:
        """Merge the entries that share a group."""
        weight = np.bincount(group, self.weight, n_groups)
        total = np.bincount(group, self.total, n_groups)
        mean = total / np.where(weight > 0, weight, 1.0)
        inner = self.squares + self.weight * (self.mean - mean[group]) ** 2
        return OutcomeSums(weight, total, np.bincount(group, inner, n_groups), self.centre)

    def merged(self) -> OutcomeSums:
        """Merge all entries into one."""
        return self.grouped(np.zeros(len(self.weight), dtype=np.intp), 1)

    def __add__(self, other: OutcomeSums) -> OutcomeSums:
        other = other.recentred(self.centre)
        weight = self.weight + other.weight
        apart = other.mean - self.mean
        share = self.weight * other.weight / np.where(weight > 0, weight, 1.0)
        squares = self.squares + other.squares + apart**2 * share
        return OutcomeSums(weight, self.total + other.total, squares, self.centre)

    def __sub__(self, other: OutcomeSums) -> OutcomeSums:
        other = other.recentred(self.centre)
        weight = np.maximum(self.weight - other.weight, 0.0)
        left = weight > 0
        total = np.where(left, self.total - other.total, 0.0)
        rest = OutcomeSums(weight, total, np.zeros_like(weight), self.centre)
        share = weight * other.weight / np.where(self.weight > 0, self.weight, 1.0)
        squares = self.squares - other.squares - (other.mean - rest.mean) ** 2 * share
        return OutcomeSums(
            weight, total, np.where(left, np.maximum(squares, 0.0), 0.0), self.centre
        )
