"""SQL of the variables of a numeric column: clean and isBAD, within the collar, scaled."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.forms import Copy, Curves, Steps, scale_in_place
from vtreat_py.plan.treatments import NumericTreatment, Wanted
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.sql.dialect import LARGEST, Dialect


def good_number(treatment: NumericTreatment, column: str, dialect: Dialect) -> str | None:
    """Write a column as floats, NULL where they are bad; None where the dialect knows no way."""
    if treatment.kind == "number":
        may_be_boolean = 0.0 <= treatment.lower <= treatment.upper <= 1.0
        number = dialect.number(column, may_be_boolean)
        return f"CASE WHEN abs({number}) <= {dialect.double(LARGEST)} THEN {number} END"
    return dialect.moment(treatment.kind, column)


def number_variable(
    treatment: NumericTreatment,
    variable: DerivedVariable,
    wanted: Wanted,
    number: str,
    dialect: Dialect,
) -> str:
    """Write a variable from a column that `good_number` has written.

    All but one of the arms of the result are constants that the path in memory has computed.
    """
    form = treatment.form(variable, wanted.collar)
    assert not isinstance(form, Curves)  # those are written by `curve_variable`

    def final(value: float) -> str:
        out = np.array([value])
        if isinstance(form, Copy):
            form.write(out, None, None, out)
        if wanted.scale:
            scale_in_place(out, variable.slope, variable.mean)
        return dialect.double(float(out[0]))

    if isinstance(form, Steps):
        return _steps(form, number, final, dialect)
    low, high = (-LARGEST, LARGEST) if form.cuts is None else map(float, form.cuts)
    inner = number
    arms = []
    if wanted.scale:
        difference = f"({number} - {dialect.double(variable.mean)})"
        inner = f"{dialect.double(variable.slope)} * {difference}"
        bottom, top = range_of(variable.slope, variable.mean, math.isfinite)
        low, high = max(low, bottom), min(high, top)
        if dialect.traps_underflow and variable.slope:
            arms += _underflow(variable, number, difference, dialect)
    if high < LARGEST:
        arms.insert(0, f"WHEN {number} > {dialect.double(high)} THEN {final(LARGEST)}")
    if low > -LARGEST:
        arms.insert(0, f"WHEN {number} < {dialect.double(low)} THEN {final(-LARGEST)}")
    if not arms:
        return f"coalesce({inner}, {final(form.of_bad)})"
    arms.append(f"WHEN {number} IS NULL THEN {final(form.of_bad)}")
    return f"CASE {' '.join(arms)} ELSE {inner} END"


def scaled_code(variable: DerivedVariable, code: str, values: FloatArray, dialect: Dialect) -> str:
    """Write a scaled code of which a table has the unscaled ``values``; NULL stays NULL."""
    difference = f"({code} - {dialect.double(variable.mean)})"
    inner = f"{dialect.double(variable.slope)} * {difference}"
    low, high = range_of(variable.slope, variable.mean, math.isfinite)
    arms = []
    last = np.array([-LARGEST, LARGEST])
    scale_in_place(last, variable.slope, variable.mean)
    bottom, top = map(dialect.double, last.tolist())
    if (values < low).any():
        arms.append(f"WHEN {code} < {dialect.double(low)} THEN {bottom}")
    if (values > high).any():
        arms.append(f"WHEN {code} > {dialect.double(high)} THEN {top}")
    if dialect.traps_underflow and variable.slope:
        near, far = range_of(variable.slope, variable.mean, lambda product: product == 0.0)
        if ((values >= near) & (values <= far) & (values != variable.mean)).any():
            arms += _underflow(variable, code, difference, dialect)
    return f"CASE {' '.join(arms)} ELSE {inner} END" if arms else inner


def _steps(form: Steps, number: str, final: Callable[[float], str], dialect: Dialect) -> str:
    """Write the code of each range of numbers."""
    *values, last, bad = map(final, form.values.tolist())
    arms = [f"WHEN {number} IS NULL THEN {bad}"]
    arms += [
        f"WHEN {number} <= {dialect.double(edge)} THEN {value}"
        for edge, value in zip(form.edges.tolist(), values, strict=True)
    ]
    return f"CASE {' '.join(arms)} ELSE {last} END"


def _underflow(
    variable: DerivedVariable, number: str, difference: str, dialect: Dialect
) -> list[str]:
    """Write the arm of numbers so near the mean that their product with the slope is 0."""
    near, far = range_of(variable.slope, variable.mean, lambda product: product == 0.0)
    if near == far:
        return []
    zero = dialect.double(math.copysign(0.0, variable.slope))
    between = f"{number} BETWEEN {dialect.double(near)} AND {dialect.double(far)}"
    return [f"WHEN {between} THEN {zero} * {difference}"]


def range_of(slope: float, mean: float, holds: Callable[[float], bool]) -> tuple[float, float]:
    """Find the range of numbers around a mean whose scaled value a condition holds of."""

    def scaled(number: float) -> bool:
        return holds(slope * (number - mean))

    return furthest(mean, -LARGEST, scaled), furthest(mean, LARGEST, scaled)


def furthest(start: float, end: float, holds: Callable[[float], bool]) -> float:
    """Find the float furthest from ``start`` on the way to ``end`` that a condition holds of."""
    if holds(end):
        return end
    known, failed = _rank(start), _rank(end)
    while abs(failed - known) > 1:
        middle = (known + failed) // 2
        if holds(_at(middle)):
            known = middle
        else:
            failed = middle
    return _at(known)


def _rank(number: float) -> int:
    """Return the place of a float among all floats, 0 that of zero."""
    bits: int = struct.unpack("<q", struct.pack("<d", abs(number)))[0]
    return -bits if number < 0 else bits


def _at(rank: int) -> float:
    number: float = struct.unpack("<d", struct.pack("<q", abs(rank)))[0]
    return -number if rank < 0 else number
