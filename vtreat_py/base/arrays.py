"""Array types used throughout the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
NumberArray: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.integer[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ObjectArray: TypeAlias = npt.NDArray[np.object_]

# Floats tell integers up to this apart.
EXACT_INTEGERS = 2**53


def objects(values: Sequence[Any]) -> ObjectArray:
    """Values as they are, which numpy would make of one type."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def unmasked(values: Any) -> npt.NDArray[Any]:
    """Values as an array, in which those that are masked are NaN."""
    if np.ma.is_masked(values):
        return np.asarray(values.astype(object).filled(np.nan))
    return np.asarray(values)


def changes(values: NumberArray) -> BoolArray:
    """Whether each value is another than the one before it; differences may be out of range."""
    first = np.ones(min(len(values), 1), dtype=bool)
    return np.concatenate([first, values[1:] != values[:-1]])


def ascend(values: NumberArray) -> bool:
    """Whether each value is greater than the one before it."""
    return bool((values[1:] > values[:-1]).all())
