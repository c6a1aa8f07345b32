"""The floating-point steps of numeric codes as expressions, in the order they have in memory."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.lazy.columns import LazyNumber, exactly

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


def clipped(values: nw.Expr, lower: Operand, upper: Operand) -> nw.Expr:
    """Cut off at both ends, as ``numpy.clip``: a value that equals a cut keeps the sign of 0."""
    low, high = _expression(lower), _expression(upper)
    raised = nw.when(values < low).then(low).otherwise(values)
    return nw.when(raised > high).then(high).otherwise(raised)


def scaled(values: nw.Expr, slope: Operand, mean: Operand) -> nw.Expr:
    """Turn x into ``slope * (x - mean)``, as `vtreat_py.coders.clean.scale_in_place`."""
    centred = (values - _expression(mean)).clip(-_LARGEST, _LARGEST)
    return (centred * _expression(slope)).clip(-_LARGEST, _LARGEST)


def _expression(number: Operand) -> nw.Expr:
    return number if isinstance(number, nw.Expr) else exactly(number)
