"""Sums of the outcome, one entry a group of rows: a monoid with inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray

# Stands for weight 0 where a total of 0 is divided by it.
_TINY = 1e-300
# What is left of this share of a weight, after subtraction, is rounding.
ROUNDING = 1e-12
# From so many entries on `sum_many` is faster than `sum_by`.
_MANY = 1 << 16


def sum_by(group: IntArray, values: NumberArray | None, n_groups: int) -> FloatArray:
    """Sum of the values in each group, or its number of entries."""
    return np.bincount(group, values, n_groups).astype(np.float64, copy=False)


def sum_many(group: IntArray, values: FloatArray | None, n_groups: int) -> FloatArray:
    """Do as `sum_by` does, faster where entries are very many: the bits are the same.

    ``group`` is of int32, and below ``n_groups``, which is not checked. A product of SciPy's with
    a column that has an entry for each row adds up those of a group.
    """
    if len(group) < _MANY:
        return sum_by(group, values, n_groups)
    if values is None:
        values = np.ones(len(group))
    ends = np.array([0, len(group)], dtype=group.dtype)
    return np.asarray(csc_array((values, group, ends), shape=(n_groups, 1)) @ np.ones(1))


def raw_sums(
    group: IntArray, n_groups: int, y: NumberArray, weight: FloatArray | None
) -> FloatArray:
    """Weight, total and squares of numbers, in each group; see `OutcomeSums.of_raw`."""
    return np.array([sum_by(group, one, n_groups) for one in weighted_powers(y, weight)])


def weighted_powers(
    y: NumberArray, weight: FloatArray | None
) -> tuple[FloatArray | None, NumberArray, NumberArray]:
    """Weights of rows (None: 1), and their numbers and squares times these."""
    weighted = y if weight is None else weight * y
    return weight, weighted, weighted * y


def weight_left(whole: FloatArray, part: FloatArray) -> FloatArray:
    """Weights less those of a part; nothing where rounding alone is left."""
    left = whole - part
    return np.asarray(np.where(left > ROUNDING * whole, left, 0.0))


def reaches(weight: FloatArray, least: float) -> BoolArray:
    """Whether weights are at least so much: sums of fractions may be a little less."""
    return np.asarray(weight >= least * (1.0 - ROUNDING))


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
    inner : ndarray or None
        Sum of ``w * (y - mean of the group)**2``. Kept about the group's own mean, so that
        nothing cancels when groups lie far apart. None for an outcome of 0 and 1, where it
        follows from weight and total.
    centre : float
        Reference point of ``total``; any number near the outcome's mean, 0 for 0 and 1.
    rows : ndarray or None
        Number of rows, where weights say something else; None: the weights.

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
    inner: FloatArray | None = None
    centre: float = 0.0
    rows: FloatArray | None = None

    def __post_init__(self) -> None:
        for values in (self.weight, self.total, self.inner, self.rows):
            if values is not None:
                values.setflags(write=False)

    @classmethod
    def of_rows(
        cls,
        group: IntArray,
        n_groups: int,
        y: NumberArray,
        weight: FloatArray | None = None,
        centre: float = 0.0,
    ) -> OutcomeSums:
        """Sum the rows of each group; ``y`` is given relative to ``centre``, 0 and 1 as int8."""
        w = np.ones(len(y)) if weight is None else weight
        inner = None if y.dtype.kind == "i" else np.zeros(len(y))
        return cls(w.copy(), w * y, inner, centre).grouped(group, n_groups)

    @classmethod
    def of_raw(cls, sums: FloatArray, centre: float = 0.0) -> OutcomeSums:
        """Take weight, total, and squares about ``centre``, which is near for the spread."""
        weight, total, raw = sums
        about = total * total / np.maximum(weight, _TINY)
        inner = np.where(weight > 1, np.maximum(raw - about, 0.0), 0.0)
        return cls(weight, total, inner, centre)

    @classmethod
    def nothing(cls, n_groups: int, like: OutcomeSums) -> OutcomeSums:
        """Sums of no rows, of the same outcome as ``like``."""
        inner = None if like.inner is None else np.zeros(n_groups)
        rows = None if like.rows is None else np.zeros(n_groups)
        return cls(np.zeros(n_groups), np.zeros(n_groups), inner, like.centre, rows)

    @classmethod
    def joined(cls, parts: Sequence[OutcomeSums]) -> OutcomeSums:
        """Put the groups of several sums of one outcome one after the other."""
        parts = [part.recentred(parts[0].centre) for part in parts]
        inner = None if parts[0].inner is None else np.concatenate([p.squares for p in parts])
        rows = None if parts[0].rows is None else np.concatenate([p.size for p in parts])
        return cls(
            np.concatenate([p.weight for p in parts]),
            np.concatenate([p.total for p in parts]),
            inner,
            parts[0].centre,
            rows,
        )

    @cached_property
    def mean(self) -> FloatArray:
        """Mean of each group relative to ``centre``; 0 where a group is empty."""
        return self.total / np.maximum(self.weight, _TINY)

    @property
    def size(self) -> FloatArray:
        """Number of rows."""
        return self.weight if self.rows is None else self.rows

    @cached_property
    def squares(self) -> FloatArray:
        """Sum of ``w * (y - mean of the group)**2``."""
        return self.total * (1.0 - self.mean) if self.inner is None else self.inner

    @property
    def deviation(self) -> FloatArray:
        """Standard deviation of each group; 0 where it is empty."""
        return np.sqrt(self.squares / np.maximum(self.weight, _TINY))

    def take(self, index: IntArray | slice) -> OutcomeSums:
        """Return the groups at ``index``."""
        inner = None if self.inner is None else self.inner[index]
        rows = None if self.rows is None else self.rows[index]
        return OutcomeSums(self.weight[index], self.total[index], inner, self.centre, rows)

    def replaced(self, index: IntArray, values: OutcomeSums) -> OutcomeSums:
        """Return a copy that has ``values`` at ``index``."""
        weight, total = self.weight.copy(), self.total.copy()
        weight[index], total[index] = values.weight, values.total
        inner = None
        if self.inner is not None:
            inner = self.inner.copy()
            inner[index] = values.squares
        rows = None
        if self.rows is not None:
            rows = self.rows.copy()
            rows[index] = values.size
        return OutcomeSums(weight, total, inner, self.centre, rows)

    def recentred(self, centre: float) -> OutcomeSums:
        """Return the same sums about another reference point."""
        if centre == self.centre:
            return self
        total = self.total + self.weight * (self.centre - centre)
        return OutcomeSums(self.weight, total, self.squares, centre, self.rows)

    def scaled(self, factor: float) -> OutcomeSums:
        """Return the same sums in another unit of weight."""
        inner = None if self.inner is None else factor * self.inner
        return replace(self, weight=factor * self.weight, total=factor * self.total, inner=inner)

    def grouped(self, group: IntArray, n_groups: int) -> OutcomeSums:
        """Merge the entries that share a group."""
        weight = sum_by(group, self.weight, n_groups)
        rows = None if self.rows is None else sum_by(group, self.rows, n_groups)
        sums = OutcomeSums(weight, sum_by(group, self.total, n_groups), None, self.centre, rows)
        if self.inner is None:
            return sums
        inner = self.inner + self.weight * (self.mean - sums.mean[group]) ** 2
        return replace(sums, inner=sum_by(group, inner, n_groups))

    def merged(self) -> OutcomeSums:
        """Merge all entries into one."""
        return self._merged

    @cached_property
    def _merged(self) -> OutcomeSums:
        weight, total = self.weight.sum(keepdims=True), self.total.sum(keepdims=True)
        rows = None if self.rows is None else self.rows.sum(keepdims=True)
        whole = OutcomeSums(weight, total, None, self.centre, rows)
        if self.inner is None:
            return whole
        between = (self.weight * (self.mean - whole.mean) ** 2).sum()
        return replace(whole, inner=self.inner.sum(keepdims=True) + between)

    def __add__(self, other: OutcomeSums) -> OutcomeSums:
        other = other.recentred(self.centre)
        weight, total = self.weight + other.weight, self.total + other.total
        rows = None if self.rows is None else self.rows + other.size
        if self.inner is None and other.inner is None:
            return OutcomeSums(weight, total, None, self.centre, rows)
        apart = other.mean - self.mean
        share = self.weight * other.weight / np.maximum(weight, _TINY)
        inner = self.squares + other.squares + apart**2 * share
        return OutcomeSums(weight, total, inner, self.centre, rows)

    def __sub__(self, other: OutcomeSums) -> OutcomeSums:
        other = other.recentred(self.centre)
        weight = weight_left(self.weight, other.weight)
        left = weight > 0
        total = np.where(left, self.total - other.total, 0.0)
        if self.inner is None and other.inner is None:
            return OutcomeSums(weight, total, None, self.centre)
        mean = total / np.maximum(weight, _TINY)
        share = weight * other.weight / np.maximum(self.weight, _TINY)
        inner = self.squares - other.squares - (other.mean - mean) ** 2 * share
        inner = np.where(left, np.maximum(inner, 0.0), 0.0)
        return OutcomeSums(weight, total, inner, self.centre)
