"""The rows of a training set, as functions of the user's see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.frames.levels import Levels

Labels: TypeAlias = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class RowsOfLevels:
    """Rows of a categorical column.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Level of each row; missing ones have the code after the last level.
    y, weight : ndarray of shape (n,)
    """

    codes: IntArray
    y: FloatArray
    weight: FloatArray


@dataclass(frozen=True, eq=False)
class RowsOfNumbers:
    """Rows of a numeric column.

    Attributes
    ----------
    values : ndarray of shape (n,)
    bad : ndarray of bool, shape (n,)
        Whether a value is missing or infinite.
    y, weight : ndarray of shape (n,)
    """

    values: FloatArray
    bad: BoolArray
    y: FloatArray
    weight: FloatArray

    def good(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Values, outcome and weight of the rows that have a good value, as copies."""
        good = ~self.bad
        return self.values[good], self.y[good], self.weight[good]


def labels_of(levels: Levels, codes: IntArray) -> Labels:
    """Levels as they are in the data, None for the missing one."""
    labels = np.empty(len(levels) + 1, dtype=object)
    listed: list[Any] = levels.to_list()
    for place, level in enumerate(listed):  # at once, numpy would unpack levels that are tuples
        labels[place] = level
    return labels[codes]
