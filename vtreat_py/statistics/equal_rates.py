"""Levels of one size and one count of a class, merged: what a model of their rates takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Levels of less rows are merged by a key, a number for each pair of rows and rows of the class.
_SIZES = 128
_KEYS = _SIZES * (_SIZES + 1) // 2


@dataclass(frozen=True, eq=False)
class EqualRates:
    """Cells: levels of a training set that have one weight, and one weight of a class.

    The cells of a training set stand in an order that rests on nothing but its own levels, so
    that sums over them are the same to the bit whatever other training sets hold. Levels whose
    sizes are no small counts are cells of their own.

    Attributes
    ----------
    group, weight, hits, count : ndarray of shape (cells,)
        The training set of each cell, the weight and that of the class in each of its levels, and
        the number of these.
    place : ndarray of shape (entries,)
        The cell of each entry of the view; -1 for those of too little weight.
    """

    group: IntArray
    weight: FloatArray
    hits: FloatArray
    count: FloatArray
    place: IntArray

    @classmethod
    def of_view(cls, view: LevelView, least: float) -> EqualRates:
        """Merge the levels above a weight, in each training set."""
        entries, n_groups = view.entries, view.n_groups
        small, key = _keys(entries)
        enough = entries.weight > least
        keyed, alone = np.flatnonzero(enough & small), np.flatnonzero(enough & ~small)
        cell = view.group[keyed].astype(np.intp) * _KEYS + key[keyed]
        counts = np.bincount(cell, minlength=n_groups * _KEYS)
        parts = [_of_levels(view.group[alone], entries.take(alone))]
        if view.levels is not None:
            absent, lone = _absent(view, view.levels, least)
            counts += absent
            parts.append(lone)
        some = np.flatnonzero(counts)
        where = np.empty(len(counts), dtype=np.intp)
        where[some] = np.arange(len(some))
        place = np.full(len(small), -1)
        place[keyed] = where[cell]
        place[alone] = len(some) + np.arange(len(alone))
        group, of_key = np.divmod(some, _KEYS)
        size = (np.sqrt(8.0 * of_key + 1.0) / 2.0 - 0.5).astype(np.intp)
        hits = of_key - size * (size + 1) // 2
        weight, total, count = (of.astype(np.float64) for of in (size, hits, counts[some]))
        merged = cls(group, weight, total, count, place)
        return merged._beside(*parts)

    def and_one(self, group: IntArray, sums: OutcomeSums) -> EqualRates:
        """Add a level to each of some training sets."""
        return self._beside(_of_levels(group, sums))

    def _beside(self, *others: EqualRates) -> EqualRates:
        parts = (self, *others)
        return EqualRates(
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.weight for part in parts]),
            np.concatenate([part.hits for part in parts]),
            np.concatenate([part.count for part in parts]),
            self.place,
        )


def _of_levels(group: IntArray, sums: OutcomeSums) -> EqualRates:
    """Cells of one level each; rounding may have left more of the class than rows."""
    hits = np.minimum(np.maximum(sums.total, 0.0), sums.weight)
    place = np.empty(0, dtype=np.intp)
    return EqualRates(group, sums.weight, hits, np.ones(len(group)), place)


def _keys(sums: OutcomeSums) -> tuple[BoolArray, IntArray]:
    """Which levels are small and whole, and a key of their weight and hits."""
    size = np.minimum(sums.weight, _SIZES).astype(np.intp)
    hits = np.minimum(sums.total, _SIZES).astype(np.intp)
    small = (size < _SIZES) & (size == sums.weight) & (hits == sums.total)
    return small, np.where(small, size * (size + 1) // 2 + hits, 0)


def _absent(view: LevelView, levels: OutcomeSums, least: float) -> tuple[IntArray, EqualRates]:
    """Count the small levels that have no entry in a training set, and list the others.

    Numbers of levels are whole, so that what is taken off a training set leaves no trace.
    """
    n_groups = view.n_groups
    small, key = _keys(levels)
    enough = levels.weight > least
    of_key = np.bincount(key[enough & small], minlength=_KEYS)
    own = np.flatnonzero((enough & small)[view.level])
    cell = view.group[own].astype(np.intp) * _KEYS + key[view.level[own]]
    counts = np.tile(of_key, n_groups) - np.bincount(cell, minlength=n_groups * _KEYS)
    alone = np.flatnonzero(enough & ~small)
    lacks = np.ones((n_groups, len(levels.weight)), dtype=bool)
    lacks[view.group, view.level] = False
    group, at = np.nonzero(lacks[:, alone])
    return counts, _of_levels(group, levels.take(alone[at]))
