"""SQL of the variables of a numeric column: clean and isBAD, within the collar, scaled."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np

from vtreat_py.coders.clean import scale_in_place
from vtreat_py.plan.treatments import NumericTreatment
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
    scale: bool,
    collar: bool,
    number: str,
    dialect: Dialect,
) -> str:
    """Write a variable from a column that `good_number` has written.

    All but one of the arms of the result are constants that the path in memory has computed.
    """

    def final(value: float) -> str:
        out = np.array([value])
        if collar and variable.code == "clean":
            np.clip(out, treatment.lower, treatment.upper, out=out)
        if scale:
            scale_in_place(out, variable.slope, variable.mean)
        return dialect.double(float(out[0]))

    if variable.code == "isBAD":
        return f"CASE WHEN {number} IS NULL THEN {final(1.0)} ELSE {final(0.0)} END"
    low, high = (treatment.lower, treatment.upper) if collar else (-LARGEST, LARGEST)
    inner = number
    arms = []
    if scale:
        difference = f"({number} - {dialect.double(variable.mean)})"
        inner = f"{dialect.double(variable.slope)} * {difference}"
        bottom, top = _range_of(variable, math.isfinite)
        low, high = max(low, bottom), min(high, top)
        if dialect.traps_underflow and variable.slope:
            arms += _underflow(variable, number, difference, dialect)
    if high < LARGEST:
        arms.insert(0, f"WHEN {number} > {dialect.double(high)} THEN {final(LARGEST)}")
    if low > -LARGEST:
        arms.insert(0, f"WHEN {number} < {dialect.double(low)} THEN {final(-LARGEST)}")
    if not arms:
        return f"coalesce({inner}, {final(treatment.imputed)})"
    arms.append(f"WHEN {number} IS NULL THEN {final(treatment.imputed)}")
    return f"CASE {' '.join(arms)} ELSE {inner} END"


def _underflow(
    variable: DerivedVariable, number: str, difference: str, dialect: Dialect
) -> list[str]:
    """Write the arm of numbers so near the mean that their product with the slope is 0."""
    near, far = _range_of(variable, lambda product: product == 0.0)
    if near == far:
        return []
    zero = dialect.double(math.copysign(0.0, variable.slope))
    between = f"{number} BETWEEN {dialect.double(near)} AND {dialect.double(far)}"
    return [f"WHEN {between} THEN {zero} * {difference}"]


def _range_of(variable: DerivedVariable, holds: Callable[[float], bool]) -> tuple[float, float]:
    """Find the range of numbers around the mean whose scaled value a condition holds of."""

    def scaled(number: float) -> bool:
        return holds(variable.slope * (number - variable.mean))

    return _last(variable.mean, -LARGEST, scaled), _last(variable.mean, LARGEST, scaled)


def _last(start: float, end: float, holds: Callable[[float], bool]) -> float:
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
