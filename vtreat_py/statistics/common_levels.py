"""Which levels are common enough to be looked at in pairs of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.statistics.outcome_sums import reaches

# So many levels of a column are kept, each of which has at least so many rows.
_LEVELS, _LEAST_ROWS = 30, 20.0


def common_levels(rows: FloatArray, names: Callable[[IntArray], Sequence[Any]]) -> IntArray:
    """Choose the commonest levels, given the rows of each.

    Of equally common ones those whose names come first are kept, wherever the rows are.
    """
    common = np.flatnonzero(reaches(rows, _LEAST_ROWS))
    if len(common) <= _LEVELS:
        return common
    of = [repr(name) for name in names(common)]
    by_name = sorted(range(len(common)), key=lambda k: (-rows[common[k]], of[k]))
    return np.asarray(common[by_name[:_LEVELS]])
