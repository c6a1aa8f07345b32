"""The floating-point steps of numeric codes as expressions, in the order they have in memory."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.engines.lazy.columns import LazyNumber

Number = nw.Expr | float

_LARGEST = float(np.finfo(np.float64).max)


def cleaned(column: LazyNumber, imputed: Number) -> nw.Expr:
    """Replace bad values."""
    number = column.number
    return nw.when(number.is_finite()).then(number).otherwise(_expression(imputed))


def marked(column: LazyNumber) -> nw.Expr:
    """1 where a value is bad, else 0."""
    return nw.when(column.number.is_finite()).then(nw.lit(0.0)).otherwise(nw.lit(1.0))


def clipped(values: nw.Expr, lower: Number, upper: Number) -> nw.Expr:
    """Cut off at both ends, as ``numpy.clip``."""
    low, high = _expression(lower), _expression(upper)
    raised = nw.when(values < low).then(low).otherwise(values)
    return nw.when(raised > high).then(high).otherwise(raised)


def scaled(values: nw.Expr, slope: Number, mean: Number) -> nw.Expr:
    """Turn x into ``slope * (x - mean)``, as `vtreat_py.coders.clean.scale_in_place`."""
    return _in_range(_in_range(values - mean) * slope)


def _in_range(values: nw.Expr) -> nw.Expr:
    return clipped(values, -_LARGEST, _LARGEST)


def _expression(number: Number) -> nw.Expr:
    return number if isinstance(number, nw.Expr) else nw.lit(number)
