"""Marks of a few training rows, by which some of these rows are known again among others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.columns import Column
from vtreat_py.frames.digest import sampled_values, spaced_rows
from vtreat_py.plan.treatments import NumericTreatment, Treatment

# Rows of a frame that are looked at; of those, at most so many may look like training rows.
_MOST_ROWS, _MOST_ALIKE = 1 << 16, 1024
# JSON readers take integers of so many bits exactly.
KEY_BITS = 53
# Found again are this many of the marked rows, as frames have that are mostly training rows.
_FEWEST_FOUND, _MOSTLY = 16, 0.7

# Reads some rows of a frame, a column for each treatment.
ReadRows = Callable[[IntArray], Sequence[Column]]


@dataclass(frozen=True, eq=False)
class TrainingMarks:
    """Marks of a few training rows.

    Attributes
    ----------
    column : hashable
        The treated column of most different values among them.
    keys : tuple of int
        Hashes of that column, sorted: a first look finds rows that may be training rows.
    rows : tuple of str
        Digests of the rows, all treated columns together.
    """

    column: Hashable
    keys: tuple[int, ...]
    rows: tuple[str, ...]

    @classmethod
    def of(cls, treatments: Sequence[Treatment], columns: Sequence[Column]) -> TrainingMarks:
        """Mark rows, given the columns of the treatments."""
        keys = [np.unique(_hashes(t, c)) for t, c in zip(treatments, columns, strict=True)]
        most = int(np.argmax([len(one) for one in keys]))
        rows = tuple(sorted(set(_digests(columns))))
        return cls(treatments[most].column, tuple(keys[most].tolist()), rows)

    def are_most_of(
        self,
        n_then: int,
        treatments: Sequence[Treatment],
        columns: Sequence[Column],
        read_rows: ReadRows,
    ) -> bool:
        """Whether most rows of a frame are training rows, as far as the marks tell.

        Parameters
        ----------
        n_then : int
            Number of training rows.
        treatments, columns : sequence
            All treatments, and their columns in the frame.
        read_rows : callable
            Reads the columns of some rows.
        """
        n_now = len(columns[0])
        if n_now * len(self.rows) < _FEWEST_FOUND * n_then or len(self.rows) < _FEWEST_FOUND:
            return False
        place = [t.column for t in treatments].index(self.column)
        rows = spaced_rows(n_now, _MOST_ROWS)
        keys = np.sort(np.array(self.keys, dtype=np.uint64))
        hashes = _hashes(treatments[place], columns[place])[rows]
        nearest = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
        alike = rows[keys[nearest] == hashes]
        if not _FEWEST_FOUND <= len(alike) <= _MOST_ALIKE:
            return False
        found = len(set(_digests(read_rows(alike))) & set(self.rows))
        expected = min(len(rows) / n_then, 1.0) * len(self.rows)
        enough = max(_MOSTLY * expected, _FEWEST_FOUND) * max(n_now / n_then, 1.0)
        return found >= enough


def _hashes(treatment: Treatment, column: Any) -> Any:
    """Hash of each row of a column, as its treatment reads it."""
    encoded: Any = treatment.encode(column)
    values = encoded[0] if isinstance(treatment, NumericTreatment) else encoded
    return pd.util.hash_array(values.astype(np.float64)) >> np.uint64(64 - KEY_BITS)


def _digests(columns: Sequence[Column]) -> list[str]:
    rows = zip(*map(sampled_values, columns), strict=True)
    return [
        hashlib.blake2b(repr(row).encode("utf-8", "replace"), digest_size=6).hexdigest()
        for row in rows
    ]
