"""First and second moments of a numeric column and the outcome: a monoid with inverse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by, weight_left

# Squares about the mean below this share of the raw ones have lost digits to cancellation.
_CANCELLED = 1e-4
# Below this share of them there are none.
_NO_SQUARES = 1e-14

# What x and y are relative to in each group; None: to the centres.
Point = tuple[FloatArray, FloatArray] | None


@dataclass(frozen=True, eq=False)
class Moments:
    """Weighted moments of pairs (x, y) in each of several groups of rows.

    Attributes
    ----------
    weight : ndarray
        Sum of the weights of each group.
    x, y : ndarray
        Means relative to ``centre_x`` and ``centre_y``; 0 where a group is empty.
    xx, xy, yy : ndarray
        Sums of weighted squares and products about the group's own means.
    centre_x, centre_y : float
        Reference points: numbers near the means, so that an offset of 1e9 costs no digits.

    Examples
    --------
    >>> import numpy as np
    >>> group = np.zeros(4, dtype=int)
    >>> x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.0, 6.0, 8.0])
    >>> m = Moments.of_rows(group, 1, x, y)
    >>> float(m.xy[0] / m.xx[0])
    2.0
    """

    weight: FloatArray
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray
    centre_x: float = 0.0
    centre_y: float = 0.0

    def __post_init__(self) -> None:
        for values in self._arrays():
            values.setflags(write=False)

    def _arrays(self) -> tuple[FloatArray, ...]:
        return self.weight, self.x, self.y, self.xx, self.xy, self.yy

    def _like(self, arrays: Sequence[FloatArray]) -> Moments:
        weight, x, y, xx, xy, yy = arrays
        return Moments(weight, x, y, xx, xy, yy, self.centre_x, self.centre_y)

    @classmethod
    def of_rows(
        cls,
        group: IntArray,
        n_groups: int,
        x: FloatArray,
        y: NumberArray,
        weight: FloatArray | None = None,
        centre_x: float = 0.0,
        centre_y: float = 0.0,
    ) -> Moments:
        """Sum the rows of each group; x and y are given relative to their centres."""

        def sums(at: Point) -> list[FloatArray]:
            dx, dy = (x, y) if at is None else (x - at[0][group], y - at[1][group])
            wx, wy = (dx, dy) if weight is None else (weight * dx, weight * dy)
            summands = (weight, wx, wy, wx * dx, wx * dy, wy * dy)
            return [sum_by(group, summand, n_groups) for summand in summands]

        return cls.of_sums(sums, centre_x, centre_y)

    @classmethod
    def of_sums(
        cls,
        sums: Callable[[Point], list[FloatArray]],
        centre_x: float = 0.0,
        centre_y: float = 0.0,
    ) -> Moments:
        """From sums over the rows of each group.

        Parameters
        ----------
        sums : callable
            Gives the sums of weights, x, y, xx, xy and yy by group, where x and y are relative to
            a point of each group (None: to the centres). It is asked a second time, for points at
            the means, if these lie so far from the centres that digits were lost.
        """
        n, x, y, *raw = sums(None)
        safe = np.where(n > 0, n, 1.0)
        x, y = x / safe, y / safe
        xx, xy, yy = raw[0] - n * x**2, raw[1] - n * x * y, raw[2] - n * y**2
        if (xx < _CANCELLED * raw[0]).any() or (yy < _CANCELLED * raw[2]).any():
            _, off_x, off_y, *raw = sums((x, y))
            # What the first means missed by rounding, so that a constant does not vary.
            off_x, off_y = off_x / safe, off_y / safe
            xx = np.maximum(raw[0] - n * off_x**2, 0.0)
            xy = raw[1] - n * off_x * off_y
            yy = np.maximum(raw[2] - n * off_y**2, 0.0)
            x, y = x + off_x, y + off_y
        return cls(n, x, y, xx, xy, yy, centre_x, centre_y)

    @classmethod
    def of_raw(cls, sums: Sequence[FloatArray], centre_y: float = 0.0) -> Moments:
        """From sums of weights, x, y, xx, xy and yy; squares below their rounding are none."""
        n, x, y, xx, xy, yy = sums
        safe = np.where(n > 0, n, 1.0)
        mean_x, mean_y = x / safe, y / safe

        def inner(raw: FloatArray, of_mean: FloatArray) -> FloatArray:
            left = raw - of_mean
            return np.asarray(np.where(left > _NO_SQUARES * raw, left, 0.0))

        xx, yy = inner(xx, x * mean_x), inner(yy, y * mean_y)
        return cls(n, mean_x, mean_y, xx, xy - x * mean_y, yy, 0.0, centre_y)

    @classmethod
    def of_points(cls, x: FloatArray, sums: OutcomeSums) -> Moments:
        """Treat each entry of ``sums`` as one group whose rows all share the value x."""
        zero = np.zeros_like(sums.weight)
        x = np.where(sums.weight > 0, x, 0.0)
        return cls(sums.weight, x, sums.mean, zero, zero, sums.squares, 0.0, sums.centre)

    @classmethod
    def over_points(cls, x: FloatArray, sums: OutcomeSums) -> Moments:
        """All rows as one group, where those of each entry of ``sums`` share the value x."""
        whole, weight = sums.merged(), sums.weight
        if not weight.all():
            x = np.where(weight > 0, x, 0.0)
        pieces = list(blocks(len(x)))
        safe = np.where(whole.weight > 0, whole.weight, 1.0)
        mean = sum((weight[some] * x[some]).sum() for some in pieces) / safe
        left, xx, xy = np.zeros((3, 1))
        for some in pieces:
            apart = x[some] - mean
            weighted = weight[some] * apart
            left += weighted.sum()
            xy += (sums.total[some] * apart).sum()
            xx += np.multiply(weighted, apart, out=weighted).sum()
        xy -= whole.mean * left
        return cls(whole.weight, mean, whole.mean, xx, xy, whole.squares, 0.0, sums.centre)

    @classmethod
    def joined(cls, parts: Sequence[Moments]) -> Moments:
        """Put the groups of several moments of one outcome one after the other."""
        first = parts[0]
        arrays = [p.recentred(first.centre_x, first.centre_y)._arrays() for p in parts]
        return first._like([np.concatenate(same) for same in zip(*arrays, strict=True)])

    def nothing(self, n_groups: int) -> Moments:
        """Moments of no rows, about the same points."""
        return self._like([np.zeros(n_groups)] * 6)

    def of_class(self, number: int, n_classes: int) -> Moments:
        """Turn moments by ``group * n_classes + class`` into those by group of one class.

        The outcome is then 1 for rows of that class and 0 for the others.
        """
        group, own = np.divmod(np.arange(len(self.weight)), n_classes)
        hit = np.where(self.weight > 0, own == number, 0.0)
        return replace(self, y=hit, centre_y=0.0).grouped(group, len(group) // n_classes)

    def take(self, index: IntArray | slice) -> Moments:
        """Return the groups at ``index``."""
        return self._like([a[index] for a in self._arrays()])

    def replaced(self, index: IntArray, values: Moments) -> Moments:
        """Return a copy that has ``values`` at ``index``."""
        arrays = []
        for ours, theirs in zip(self._arrays(), values._arrays(), strict=True):
            copy = ours.copy()
            copy[index] = theirs
            arrays.append(copy)
        return self._like(arrays)

    def recentred(self, centre_x: float, centre_y: float) -> Moments:
        """Return the same moments about other reference points."""
        if (centre_x, centre_y) == (self.centre_x, self.centre_y):
            return self
        some = self.weight > 0
        x = np.where(some, self.x + (self.centre_x - centre_x), 0.0)
        y = np.where(some, self.y + (self.centre_y - centre_y), 0.0)
        return Moments(self.weight, x, y, self.xx, self.xy, self.yy, centre_x, centre_y)

    def grouped(self, group: IntArray, n_groups: int) -> Moments:
        """Merge the entries that share a group."""
        n = sum_by(group, self.weight, n_groups)
        safe = np.where(n > 0, n, 1.0)
        x = sum_by(group, self.weight * self.x, n_groups) / safe
        y = sum_by(group, self.weight * self.y, n_groups) / safe
        dx, dy = self.x - x[group], self.y - y[group]
        xx = sum_by(group, self.xx + self.weight * dx * dx, n_groups)
        xy = sum_by(group, self.xy + self.weight * dx * dy, n_groups)
        yy = sum_by(group, self.yy + self.weight * dy * dy, n_groups)
        return self._like([n, x, y, xx, xy, yy])

    def scaled(self, factor: float) -> Moments:
        """Return the same moments in another unit of weight."""
        n, x, y, *products = self._arrays()
        return self._like([factor * n, x, y, *(factor * one for one in products)])

    def merged(self) -> Moments:
        """Merge all entries into one."""
        return self._merged

    @cached_property
    def _merged(self) -> Moments:
        n = self.weight.sum(keepdims=True)
        safe = np.where(n > 0, n, 1.0)
        x, y = (self.weight * self.x).sum() / safe, (self.weight * self.y).sum() / safe
        dx, dy = self.x - x, self.y - y
        wx = self.weight * dx
        xx = self.xx.sum(keepdims=True) + (wx * dx).sum()
        xy = self.xy.sum(keepdims=True) + (wx * dy).sum()
        yy = self.yy.sum(keepdims=True) + (self.weight * dy * dy).sum()
        return self._like([n, x, y, xx, xy, yy])

    def __add__(self, other: Moments) -> Moments:
        other = other.recentred(self.centre_x, self.centre_y)
        n = self.weight + other.weight
        part = other.weight / np.where(n > 0, n, 1.0)
        dx, dy = other.x - self.x, other.y - self.y
        share = self.weight * part
        xx = self.xx + other.xx + dx * dx * share
        xy = self.xy + other.xy + dx * dy * share
        yy = self.yy + other.yy + dy * dy * share
        return self._like([n, self.x + dx * part, self.y + dy * part, xx, xy, yy])

    def __sub__(self, other: Moments) -> Moments:
        other = other.recentred(self.centre_x, self.centre_y)
        n = weight_left(self.weight, other.weight)
        left, safe = n > 0, np.where(n > 0, n, 1.0)
        x = np.where(left, (self.weight * self.x - other.weight * other.x) / safe, 0.0)
        y = np.where(left, (self.weight * self.y - other.weight * other.y) / safe, 0.0)
        share = n * other.weight / np.where(self.weight > 0, self.weight, 1.0)
        dx, dy = other.x - x, other.y - y
        xx = np.maximum(self.xx - other.xx - dx * dx * share, 0.0)
        yy = np.maximum(self.yy - other.yy - dy * dy * share, 0.0)
        xy = self.xy - other.xy - dx * dy * share
        return self._like([n, x, y, *(np.where(left, sums, 0.0) for sums in (xx, xy, yy))])
