"""The floating-point steps of numeric codes as expressions, in the order they have in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.engines.lazy.columns import LazyNumber, exactly

# What is done to the values of a variable, one step after the other.
Steps = list[Callable[[nw.Expr], nw.Expr]]
# A number, or a column that holds one a row.
Operand = float | nw.Expr

_LARGEST = float(np.finfo(np.float64).max)


def cleaned(column: LazyNumber, imputed: Operand) -> nw.Expr:
    """Replace bad values."""
    number = column.number
    return nw.when(number.is_finite()).then(number).otherwise(_expression(imputed))


def marked(column: LazyNumber) -> nw.Expr:
    """1 where a value is bad, else 0."""
    return nw.when(column.number.is_finite()).then(exactly(0.0)).otherwise(exactly(1.0))


def clipped(lower: Operand, upper: Operand) -> Steps:
    """Cut off at both ends, as ``numpy.clip``."""
    low, high = _expression(lower), _expression(upper)
    return [
        lambda x: nw.when(x < low).then(low).otherwise(x),
        lambda x: nw.when(x > high).then(high).otherwise(x),
    ]


def scaled(slope: Operand, mean: Operand) -> Steps:
    """Turn x into ``slope * (x - mean)``, as `vtreat_py.coders.clean.scale_in_place`."""
    by, origin = _expression(slope), _expression(mean)
    in_range = clipped(-_LARGEST, _LARGEST)
    return [lambda x: x - origin, *in_range, lambda x: x * by, *in_range]


def done(
    rows: nw.LazyFrame[Any], values: Mapping[str, nw.Expr], steps: Mapping[str, Steps]
) -> nw.LazyFrame[Any]:
    """Add columns of values, then do each one's steps.

    The first steps of all are one query, the second ones the next, so that no expression holds
    another one several times.
    """
    if values:
        rows = rows.with_columns(**values)
    for together in _in_turn(steps):
        rows = rows.with_columns(**{name: step(nw.col(name)) for name, step in together})
    return rows


def _in_turn(
    steps: Mapping[str, Steps],
) -> list[list[tuple[str, Callable[[nw.Expr], nw.Expr]]]]:
    turns = zip_longest(*steps.values())
    names: Sequence[str] = list(steps)
    return [
        [(name, step) for name, step in zip(names, turn, strict=True) if step is not None]
        for turn in turns
    ]


def _expression(number: Operand) -> nw.Expr:
    return number if isinstance(number, nw.Expr) else exactly(number)
