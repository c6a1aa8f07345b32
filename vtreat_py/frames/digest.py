"""A digest of a frame, by which it is known again."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from vtreat_py.frames.columns import CodedColumn, Column, EmptyColumn, NumericColumn, TextColumn

_SAMPLED_ROWS = 64


def digest(column: Column) -> str:
    """Digest of a column's values in a few evenly spaced rows, whatever kind of frame has them."""
    rows = np.unique(np.linspace(0, len(column) - 1, min(len(column), _SAMPLED_ROWS)).astype(int))
    if isinstance(column, NumericColumn):
        sampled: list[object] = column.values[rows].astype(np.float64).tolist()
    elif isinstance(column, TextColumn):
        sampled = column.text.take(rows).to_pylist()
    elif isinstance(column, CodedColumn):
        labels = column.levels
        codes = column.codes[rows].tolist()
        sampled = [labels[c] if 0 <= c < len(labels) else None for c in codes]
    elif isinstance(column, EmptyColumn):
        sampled = [None] * len(rows)
    else:
        sampled = [None if pd.isna(v) else v for v in column.values[rows]]
    return hashlib.blake2b(repr(sampled).encode("utf-8", "replace"), digest_size=8).hexdigest()
