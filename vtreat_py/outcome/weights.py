"""Weights: what they count, and which sizes of them floats can hold."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import OptionTypeError, OutcomeError
from vtreat_py.base.warn import warn
from vtreat_py.frames.beside import read_along
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame

WeightKind = Literal["frequency", "importance"]
WEIGHT_KINDS: tuple[WeightKind, ...] = get_args(WeightKind)
FREQUENCY, IMPORTANCE = WEIGHT_KINDS

# Weights that sum to less than this share of the rows were hardly meant to count them.
_FEW_ROWS = 0.25

# Floats hold the squares of such weights, and their sums.
SMALLEST_WEIGHT, GREATEST_WEIGHT = 1e-100, 1e100


def read_weight(frame: InputFrame, sample_weight: Any) -> FloatArray | None:
    """Read frequency weights from a column name or an array.

    Raises
    ------
    OutcomeError
        If weights are missing, not finite, negative, or all zero.
    """
    if sample_weight is None:
        return None
    column = read_along(frame, "sample_weight", sample_weight)
    if not isinstance(column, NumericColumn) or column.kind != "number":
        raise OptionTypeError("sample_weight must hold numbers: frequency weights, 0 or more")
    if column.bad is not None:
        row = int(np.flatnonzero(column.bad)[0])
        raise OutcomeError(
            f"sample_weight has {int(column.bad.sum())} missing or infinite values, the first in "
            f"row {row}; weights are finite numbers, 0 or more"
        )
    weight = column.values.astype(np.float64, copy=False)
    negative = np.flatnonzero(weight < 0)
    if len(negative):
        raise OutcomeError(
            f"sample_weight has {len(negative)} negative values, the first is "
            f"{weight[negative[0]]:g} in row {negative[0]}; use 0 to leave a row out of the design"
        )
    if not weight.any():
        raise OutcomeError("sample_weight is zero in every row; some row must count")
    with np.errstate(over="ignore"):
        check_size_of_weights(float(weight[weight > 0].min()), float(weight.sum()))
    return None if (weight == 1).all() else weight


def read_design_weight(
    frame: InputFrame, sample_weight: Any, weight_kind: str
) -> FloatArray | None:
    """Read the weights of a design; those whose ratios alone count become effective rows."""
    weight = read_weight(frame, sample_weight)
    if weight is None:
        return None
    if weight_kind == FREQUENCY:
        warn_of_few_rows(float(weight.sum()), int(np.count_nonzero(weight)))
        return weight
    scaled = weight / weight.max()
    weight = scaled * effective_rows(float(scaled.sum()), float((scaled * scaled).sum()))
    return None if (weight == 1).all() else weight


def effective_rows(total: float, squares: float) -> float:
    """What weights are multiplied by to sum to the effective number of rows.

    That is ``(sum w)**2 / sum w**2`` (L. Kish, *Survey Sampling*, 1965).
    """
    return total / squares


def warn_of_few_rows(total: float, n_rows: int) -> None:
    """Say so if weights that count rows count far less than there are."""
    if total < _FEW_ROWS * n_rows:
        warn(
            f"sample_weight sums to {total:g} in {n_rows} rows: weights are frequencies, so the "
            "design takes that for the number of rows it has seen, and finds next to nothing "
            'significant. Where only ratios of weights count, give weight_kind="importance"'
        )


def check_size_of_weights(least: float, total: float) -> None:
    """Refuse weights above 0 that floats cannot square, or cannot add up."""
    if least < SMALLEST_WEIGHT or total > GREATEST_WEIGHT:
        raise OutcomeError(
            f"sample_weight holds weights from {least:g} on, {total:g} in all; allowed are 0, from "
            f"{SMALLEST_WEIGHT:g} on, {GREATEST_WEIGHT:g} in all: multiply them by one number"
        )
