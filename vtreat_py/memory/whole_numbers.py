"""Whole numbers that look like names, such as zip codes: one table of a part of the rows tells."""

from __future__ import annotations

import numpy as np
import pandas as pd

from vtreat_py.design.hints import hint_of_names, looks_like_names
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.memory.rows import DesignRows
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Rows that are looked at, evenly spaced; first a few, which rule most columns out.
_MOST_ROWS, _FIRST_ROWS = 1 << 15, 64
# Names are some, and repeat.
_FEWEST, _ROWS_OF_EACH = 10, 3


def hints_of_whole_numbers(column: NumericColumn, rows: DesignRows) -> tuple[str, ...]:
    """Say so if the numbers of a column look like names."""
    if column.kind != "number" or not rows.context.supervised:
        return ()
    step = -(-len(column) // _MOST_ROWS)
    x, weight = column.values[::step], rows.outcome.weight
    first = x[:_FIRST_ROWS]
    if not _are_whole(first[np.isfinite(first)]):
        return ()
    counted = np.isfinite(x) if weight is None else np.isfinite(x) & (weight[::step] > 0)
    x = x[counted]
    if not _are_whole(x):
        return ()
    codes, numbers = pd.factorize(x)
    if not _FEWEST <= len(numbers) <= len(x) / _ROWS_OF_EACH:
        return ()
    w = None if weight is None else weight[::step][counted]
    sums = [
        OutcomeSums.of_rows(codes, len(numbers), one.y[::step][counted], w)
        for one in rows.contrasts
    ]
    named = looks_like_names(numbers.astype(np.float64), sums)
    return (hint_of_names(len(numbers)),) if named else ()


def _are_whole(x: np.ndarray) -> bool:
    return x.dtype.kind in "iu" or bool((x == np.rint(x)).all())
