"""clean: a number for every row, made up where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Literal

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.coders.code import NumberCode
from vtreat_py.coders.forms import Copy, Number
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.quantiles import weighted_quantiles

ImputerName = Literal["mean", "median"]
Imputer = float | ImputerName | Callable[[FloatArray, FloatArray], float]


class Clean(NumberCode):
    """The number itself."""

    name = "clean"

    def named_after(self, column: Hashable) -> str:
        """The column's own name."""
        return str(column)

    def form(self, imputed: Number, cuts: tuple[Number, Number] | None) -> Copy:
        """How rows are coded."""
        return Copy(imputed, cuts)


def imputed_value(
    column: Hashable, imputer: Imputer, values: FloatArray, weights: FloatArray | None
) -> float:
    """Compute the number that stands for bad values.

    Parameters
    ----------
    column : hashable
        Name, for the error message.
    imputer : float, "mean", "median" or callable
        A callable gets the good values and their weights and returns a number.
    values, weights : ndarray of shape (m,)
        The good values of the training rows.

    Raises
    ------
    InvalidOptionError
        If a callable does not take values and weights, or returns anything but a finite number.
    """
    if isinstance(imputer, int | float):
        return float(imputer)
    if imputer == "mean":
        near = Coordinates.near(values)
        return float(near.outer(np.average(near.inner(values), weights=weights)))
    if imputer == "median":
        return float(weighted_quantiles(values, weights, [0.5])[0])
    assert callable(imputer)
    try:
        given = imputer(values, np.ones(len(values)) if weights is None else weights)
    except TypeError as reason:
        raise InvalidOptionError(
            f"the imputation function of column {column!r} cannot be called with an array of "
            f"values and one of their weights: {reason}"
        ) from reason
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidOptionError(
            f"the imputation function of column {column!r} returned {given!r}; "
            "it must return one finite number"
        )
    return number
