"""A digest of a frame, by which it is known again."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.columns import CodedColumn, Column, EmptyColumn, NumericColumn, TextColumn

_SAMPLED_ROWS = 64


@lru_cache(maxsize=4)  # all columns ask for the same
def spaced_rows(n_rows: int) -> IntArray:
    """A few evenly spaced rows, the first and the last with them."""
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _SAMPLED_ROWS)).astype(int))
    rows.setflags(write=False)
    return rows


def _values(column: Column, rows: IntArray) -> list[object]:
    """A column's values in some rows, as Python values; None where levels are missing."""
    if isinstance(column, NumericColumn):
        return list(column.values[rows].astype(np.float64).tolist())
    if isinstance(column, TextColumn):
        return list(column.text.take(rows).to_pylist())
    if isinstance(column, CodedColumn):
        labels, codes = column.levels, column.codes[rows].tolist()
        return [labels[c] if 0 <= c < len(labels) else None for c in codes]
    if isinstance(column, EmptyColumn):
        return [None] * len(rows)
    return [None if pd.isna(v) else v for v in column.values[rows]]


def digest(column: Column) -> str:
    """Digest of a column's values in a few evenly spaced rows, whatever kind of frame has them."""
    sampled = _values(column, spaced_rows(len(column)))
    return hashlib.blake2b(repr(sampled).encode("utf-8", "replace"), digest_size=8).hexdigest()
