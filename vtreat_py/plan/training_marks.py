"""Marks of a few training rows, by which some of these rows are known again among others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from vtreat_py.base.arrays import IntArray, NumberArray
from vtreat_py.frames.columns import Column, some_rows
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, Treatment

# Rows of a frame that are looked at, or a part of very many; at most so many may look alike.
_MANY_ROWS, _PART, _MOST_ALIKE = 1 << 14, 4, 1024
# JSON readers take integers of so many bits exactly.
KEY_BITS = 53
# The first bits of a mark, by which most rows are told apart at once.
_START_BITS = 16
_REST = np.uint64(KEY_BITS - _START_BITS)
# A column that tells so many rows apart as this share of the best one does well.
_TELLS = 0.9
# Frames are looked at that may hold a quarter of the training rows, and that have some at all.
_LEAST_PART, _FEWEST_MARKED = 0.25, 16
# Found again are at least so many marked rows, and the share that training rows alone would have.
_FEWEST_FOUND, _MOSTLY = 5, 0.7
# Where rows of few different values meet by chance, each that is found is found more often.
_REPEATED = 1.3

Marks = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TrainingMarks:
    """Marks of a few training rows.

    Attributes
    ----------
    column : hashable
        The treated column of most different values among them.
    keys : tuple of int
        Marks of its values: a first look finds rows that may be training rows.
    rows : tuple of int
        Marks of the rows, all treated columns together.
    """

    column: Hashable
    keys: tuple[int, ...]
    rows: tuple[int, ...]

    @classmethod
    def of(cls, treatments: Sequence[Treatment], marks: Sequence[Marks]) -> TrainingMarks:
        """Put together the marks of all columns."""
        keys = [_telling(one) for one in marks]
        most = max(map(len, keys))
        place = max(range(len(keys)), key=lambda i: _worth(treatments[i], len(keys[i]), most))
        rows = np.unique(_short(_of_rows(marks)))
        return cls(treatments[place].column, tuple(keys[place].tolist()), tuple(rows.tolist()))

    def are_most_of(
        self,
        n_then: int,
        treatments: Sequence[Treatment],
        columns: Sequence[Column],
        encode: Callable[[int], Any],
    ) -> bool:
        """Whether most rows of a frame are training rows, as far as the marks tell.

        Parameters
        ----------
        n_then : int
            Number of training rows.
        treatments, columns : sequence
            All treatments, and their columns in the frame.
        encode : callable
            Gives one of the columns as its treatment takes it, by its place.
        """
        n_now, n_marked = len(columns[0]), len(self.rows)
        if n_marked < _FEWEST_MARKED or n_now < _LEAST_PART * n_then:
            return False
        place = [t.column for t in treatments].index(self.column)
        step = max(1, n_now // max(_MANY_ROWS, n_now // _PART))
        values = _values_of(treatments[place], encode(place))[::step]
        alike = step * self._first_look(treatments[place], values)
        expected = min(len(values) / n_then, 1.0) * n_marked
        enough = max(_MOSTLY * expected, _FEWEST_FOUND) * max(n_now / n_then, 1.0)
        if not enough <= len(alike) <= _MOST_ALIKE:
            return False
        of_columns = [
            _marks_of(t, some_rows(c, alike)) for t, c in zip(treatments, columns, strict=True)
        ]
        found = _short(_of_rows(of_columns))
        known = np.isin(self.rows, found).sum()
        if np.isin(found, self.rows).sum() > _REPEATED * known:
            return False  # rows like these are many, whoever has them
        return bool(known >= enough)

    def _first_look(self, treatment: Treatment, values: NumberArray) -> IntArray:
        """Places of the values that have one of the marks; some of them, if they are too many."""
        keys = np.sort(np.array(self.keys, dtype=np.uint64))
        if isinstance(treatment, LevelTreatment) and treatment.levels.novel < len(values):
            of_levels = _short(marks_of_values(np.arange(treatment.levels.novel + 1)))
            # Faster than isin, as keys are few: there are more up to a mark than below it.
            up_to = np.searchsorted(keys, of_levels, side="right")
            is_key = up_to > np.searchsorted(keys, of_levels)
            first = np.flatnonzero(is_key.take(values[: 2 * _MANY_ROWS].astype(np.intp)))
            if len(first) > _MOST_ALIKE:
                return first
            return np.flatnonzero(is_key.take(values.astype(np.intp)))
        found = _short(marks_of_values(values))
        is_start = np.zeros(1 << _START_BITS, dtype=bool)
        is_start[keys >> _REST] = True
        starts = np.flatnonzero(is_start.take((found >> _REST).view(np.int64)))
        return np.asarray(starts[np.isin(found[starts], keys)])


def marks_of_values(values: NumberArray) -> Marks:
    """Mark of each number, or code of a level."""
    return np.asarray(pd.util.hash_array(values.astype(np.float64)))


def _marks_of(treatment: Treatment, column: Any) -> Marks:
    """Mark of each row of a column, by what its treatment takes it for."""
    return marks_of_values(_values_of(treatment, treatment.encode(column)))


def _values_of(treatment: Treatment, encoded: Any) -> NumberArray:
    """Numbers, or codes of levels."""
    return np.asarray(encoded[0] if isinstance(treatment, NumericTreatment) else encoded)


def _telling(marks: Marks) -> Marks:
    """Marks of values that one row has; a missing value tells nothing."""
    found, times = np.unique(_short(marks), return_counts=True)
    return np.asarray(found[(times == 1) & (found != _of_missing())])


def _worth(treatment: Treatment, n_different: int, most: int) -> tuple[bool, bool, int]:
    """Order of columns by how well, and how fast, they tell rows apart: numbers need no lookup."""
    tells = n_different >= _TELLS * most
    return tells, isinstance(treatment, NumericTreatment), n_different


def _of_rows(marks: Sequence[Marks]) -> Marks:
    """Marks of rows from those of their columns, in order."""
    odd = np.arange(1, 2 * len(marks), 2, dtype=np.uint64)
    return np.asarray((np.stack(marks) * odd[:, None]).sum(axis=0, dtype=np.uint64))


@cache
def _of_missing() -> np.uint64:
    """Mark of a missing number."""
    return np.uint64(_short(marks_of_values(np.array([np.nan])))[0])


def _short(marks: Marks) -> Marks:
    return np.asarray(marks >> np.uint64(64 - KEY_BITS))
