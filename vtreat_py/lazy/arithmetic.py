"""The floating-point steps of numeric codes as expressions, in the order they have in memory."""

from __future__ import annotations

from collections.abc import Callable

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import Copy, Curves, Form
from vtreat_py.lazy.columns import LazyNumber, exactly

# A number, or a column that holds one a row.
Operand = float | nw.Expr

_LARGEST = float(np.finfo(np.float64).max)


def coded(
    column: LazyNumber, form: Form, written: Callable[[float | FloatArray], Operand]
) -> nw.Expr:
    """Write a form; ``written`` gives the operand of a number, or of one a fold."""
    number = column.value
    if isinstance(form, Copy):
        value, bad = number, written(form.imputed)
    elif isinstance(form, Curves):  # of a plan: designs elsewhere learn none
        value, bad = _along(number, form.curves[0]), written(form.bad)
    else:
        *values, last, bad = map(written, form.values)
        value = _expression(last)
        for edge, of_range in reversed([*zip(form.edges.tolist(), values, strict=True)]):
            at_most = number <= exactly(edge)
            value = nw.when(at_most).then(_expression(of_range)).otherwise(value)
    value = nw.when(number.is_finite()).then(value).otherwise(_expression(bad))
    if isinstance(form, Copy) and form.cuts is not None:
        return clipped(value, *map(written, form.cuts))
    return value


def _along(number: nw.Expr, curve: Curve) -> nw.Expr:
    """Value of a curve; its pieces are found by halves, so that engines look at few of them."""
    x, y, slopes, units = (
        column.tolist() for column in (curve.x, curve.y, curve.slopes, curve.units)
    )

    def piece(place: int) -> nw.Expr:
        if slopes[place] == 0.0:
            return exactly(y[place])
        low, unit = x[place], units[place]
        there = number if unit == 1.0 else number / exactly(unit)
        rise = (there - exactly(low / unit)) * exactly(slopes[place])
        if y[place] == 0.0:  # polars leaves out "+ 0.0", which makes 0.0 of -0.0
            return nw.when(rise == 0.0).then(exactly(0.0)).otherwise(rise)
        return rise + exactly(y[place])

    def of(first: int, end: int) -> nw.Expr:
        if end - first == 1:
            return piece(first)
        middle = (first + end) // 2
        is_below = number < exactly(x[middle])
        return nw.when(is_below).then(of(first, middle)).otherwise(of(middle, end))

    return nw.when(number < exactly(x[0])).then(exactly(y[0])).otherwise(of(0, len(x)))


def clipped(values: nw.Expr, lower: Operand, upper: Operand) -> nw.Expr:
    """Cut off at both ends, as ``numpy.clip``: a value that equals a cut keeps the sign of 0."""
    low, high = _expression(lower), _expression(upper)
    raised = nw.when(values < low).then(low).otherwise(values)
    return nw.when(raised > high).then(high).otherwise(raised)


def scaled(values: nw.Expr, slope: Operand, mean: Operand) -> nw.Expr:
    """Turn x into ``slope * (x - mean)``, as `vtreat_py.coders.forms.scale_in_place`."""
    centred = (values - _expression(mean)).clip(-_LARGEST, _LARGEST)
    return (centred * _expression(slope)).clip(-_LARGEST, _LARGEST)


def _expression(number: Operand) -> nw.Expr:
    return number if isinstance(number, nw.Expr) else exactly(float(number))
