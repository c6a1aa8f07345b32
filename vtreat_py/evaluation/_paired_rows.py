"""Rows that belong together: those of a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError, counted
from vtreat_py.evaluation._inputs import check_length, near_one, one_dimensional, times_power
from vtreat_py.evaluation._refusals import refused_as


def check_no_missing(values: Any, what: str, advice: str = "") -> None:
    """Refuse values some of which are missing."""
    with refused_as(f"{what} cannot be looked through for missing values"):
        missing = pd.isna(values)
    if missing.any():
        raise InvalidOptionError(
            f"{what} is missing in {counted(int(missing.sum()), 'row')}, the first row "
            f"{missing.argmax()}"
            f"{advice}"
        )


def units(groups: Any, n_rows: int) -> IntArray:
    """Return the number of each row's group, from 0 on; without groups, each row is its own."""
    if groups is None:
        return np.arange(n_rows)
    labels = one_dimensional(groups, "groups")
    check_length(labels, n_rows, "groups")
    check_no_missing(labels, "groups", "; each row needs a label, if need be one of its own")
    with refused_as("groups must hold labels"):
        return np.asarray(pd.factorize(labels)[0])


def sorted_classes(y: Any) -> Any:
    """Return the classes of an outcome in their order."""
    with refused_as("the classes of y cannot be put in an order"):
        return np.unique(y)


def as_frame(values: Any, name: str) -> pd.DataFrame:
    """Read a frame, an array of two dimensions, or a dict of columns."""
    with refused_as(f"{name} must be a frame with one row for each that was scored"):
        return pd.DataFrame(values.to_pandas() if hasattr(values, "to_pandas") else values)


def rows_of(unit: IntArray) -> list[IntArray]:
    """Return the rows of each unit, in their order."""
    return np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])


def standard_error_of_mean(values: FloatArray, weight: FloatArray, unit: IntArray) -> float:
    """Standard error of a weighted mean of rows, of which those of a unit go together.

    Without weights and groups it is s / sqrt(n). In general it is that of a ratio of sums over
    units (W. Cochran, Sampling Techniques, 1977, section 6.3). Units that weigh nothing do not
    count. NaN for a single unit.
    """
    values, exponent = near_one(values)
    mean = np.average(values, weights=weight)
    residuals = np.bincount(unit, weight * (values - mean))
    n_units = int(np.count_nonzero(np.bincount(unit, weight)))
    if n_units < 2:
        return float("nan")
    error = np.sqrt(n_units / (n_units - 1) * np.square(residuals).sum()) / weight.sum()
    return float(times_power(error, exponent))
