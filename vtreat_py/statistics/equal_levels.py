"""Levels of one size, merged: what estimates of how levels differ take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.coordinates import power_of_two
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# Sizes below this one are looked up in an array; there are few levels of larger ones.
_SIZES = 128
# Fewer levels are not worth the merging.
_FEW = 512
# Keys an entry for which an array is still cheap.
_ROOM = 32
# Powers of the means that are summed.
_POWERS, _POWERS_OF_CLASS = 4, 2


@dataclass(frozen=True, eq=False)
class EqualLevels:
    """Sums over the levels that have one weight in one training set.

    Sizes that are no small counts are not merged: there are few levels of them, or weights are
    no counts.

    Attributes
    ----------
    group, weight : ndarray of shape (entries,)
        The training set of each entry, and the weight of each of its levels.
    sums : ndarray of shape (5, entries), of a class (3, entries)
        Number of these levels, and sums over them of the first four powers of their mean of the
        outcome, two of a class: nobody asks for the shape of what its rates are drawn from.
    unit : float
        What means are multiples of: a power of 2, so that no fourth power is too large, and
        nothing is rounded. 1 for a class.
    """

    group: IntArray
    weight: FloatArray
    sums: FloatArray
    unit: float

    @classmethod
    def of_view(cls, view: LevelView, least: float) -> EqualLevels:
        """Sum the levels of more rows than some, in each training set."""
        unit = _unit(view.entries if view.levels is None else view.levels)
        parts = [_merged(view.group, view.entries, least, unit)]
        for first, pattern, missing in view.absent():
            if missing.any():
                assert view.levels is not None
                kept = _merged(pattern, view.levels, least, unit)
                absent = np.flatnonzero(missing[kept.group])
                place, group = np.divmod(absent, missing.shape[1])
                parts.append(kept._at(place, group + first))
        return parts[0] if len(parts) == 1 else cls.joined(parts)._merged()

    @classmethod
    def of_levels(cls, group: IntArray, levels: OutcomeSums) -> EqualLevels:
        """Sum levels, each of which is in one training set."""
        return _merged(group, levels, 0.0, _unit(levels))

    @classmethod
    def joined(cls, parts: Sequence[EqualLevels]) -> EqualLevels:
        """Put the entries of several one after the other."""
        return cls(
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.weight for part in parts]),
            np.concatenate([part.sums for part in parts], axis=1),
            parts[0].unit,
        )

    def and_one(self, group: IntArray, sums: OutcomeSums) -> EqualLevels:
        """Add a level to each of some training sets."""
        return EqualLevels.joined([self, _one_by_one(group, sums, 0.0, self.unit)])

    def beside(self, n_groups: int) -> tuple[IntArray, int]:
        """Return the place of each entry in its training set, and the number of places."""
        if n_groups == 1:
            return np.arange(len(self.group)), len(self.group)
        sizes = np.bincount(self.group, minlength=n_groups)
        order = np.argsort(self.group, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return place, int(sizes.max(initial=0))

    def about(self, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Put training sets beside each other, level means taken about a mean for each.

        Returns
        -------
        weight : ndarray of shape (training sets, entries)
        powers : ndarray of shape (training sets, entries, 3)
            Number of levels, sum of their means in units, and of the squares of these.
        """
        n_groups = len(mean)
        place, longest = self.beside(n_groups)
        centre = mean[self.group] / self.unit
        count, total, second = self.sums[:3]
        weight, powers = np.zeros((n_groups, longest)), np.zeros((n_groups, longest, 3))
        first = total - centre * count
        weight[self.group, place] = self.weight
        powers[self.group, place, 0] = count
        powers[self.group, place, 1] = first
        powers[self.group, place, 2] = np.maximum(second - centre * (total + first), 0.0)
        return weight, powers

    def _at(self, place: IntArray, group: IntArray) -> EqualLevels:
        return EqualLevels(group, self.weight[place], self.sums.take(place, axis=1), self.unit)

    def _merged(self) -> EqualLevels:
        """Merge the entries of one small size."""
        n_keys = (int(self.group.max(initial=0)) + 1) * _SIZES
        if len(self.group) <= _FEW or n_keys > _ROOM * len(self.group):
            return self
        size = np.minimum(self.weight, _SIZES).astype(np.intp)
        small = (size < _SIZES) & (size == self.weight)
        if small.all():
            return self._by_key(self.group * _SIZES + size, n_keys)
        at, rest = np.flatnonzero(small), np.flatnonzero(~small)
        group = self.group[at]
        merged = self._at(at, group)._by_key(group * _SIZES + size[at], n_keys)
        return EqualLevels.joined([merged, self._at(rest, self.group[rest])])

    def _by_key(self, key: IntArray, n_keys: int) -> EqualLevels:
        sums = np.array([sum_by(key, values, n_keys) for values in self.sums])
        some = np.flatnonzero(sums[0])
        group, size = np.divmod(some, _SIZES)
        return EqualLevels(group, size.astype(np.float64), sums.take(some, axis=1), self.unit)


def _unit(levels: OutcomeSums) -> float:
    """A power of 2 near the largest mean; 1 for rates of a class."""
    if levels.inner is None:
        return 1.0
    return power_of_two(float(np.abs(levels.mean).max(initial=0.0)))


def _merged(group: IntArray, sums: OutcomeSums, least: float, unit: float) -> EqualLevels:
    """Merge the levels of more rows than some; block by block, as their powers are large arrays."""
    parts = [
        _one_by_one(group[some], sums.take(some), least, unit)._merged()
        for some in blocks(max(len(group), 1))
    ]
    return parts[0] if len(parts) == 1 else EqualLevels.joined(parts)._merged()


def _one_by_one(group: IntArray, sums: OutcomeSums, least: float, unit: float) -> EqualLevels:
    """Make an entry of each level of more rows than some."""
    weight, mean = sums.weight, sums.mean / unit
    if not (many := (weight > 0.0) & (sums.size > least)).all():
        kept = np.flatnonzero(many)
        group, weight, mean = group[kept], weight[kept], mean[kept]
    n_powers = _POWERS_OF_CLASS if sums.inner is None else _POWERS
    powers = np.empty((1 + n_powers, len(weight)))
    powers[0] = 1.0
    for k in range(1, 1 + n_powers):
        np.multiply(powers[k - 1], mean, out=powers[k])
    return EqualLevels(group, weight, powers, unit)
