"""SQL of the variables of a numeric column that are a curve."""

from __future__ import annotations

import numpy as np

from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import Curves, scale_in_place
from vtreat_py.plan.treatments import Wanted
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.numbers import range_of, scaled_code

FEW_KNOTS = 20
# Columns of the table of a curve of many knots: a row for each piece between two of them.
PIECE = ("low", "high", "slope", "start")


def curve_variable(
    form: Curves,
    variable: DerivedVariable,
    wanted: Wanted,
    number: str,
    joined: str | None,
    dialect: Dialect,
) -> str:
    """Write a variable from a column that `good_number` has written.

    ``joined`` is the table of the pieces, of which each row has its own, where there is one.
    """
    curve, double = form.curves[0], dialect.double

    def final(value: float) -> str:
        out = np.array([value])
        if wanted.scale:
            scale_in_place(out, variable.slope, variable.mean)
        return double(float(out[0]))

    def along(low: str, slope: str, start: str) -> str:
        code = f"({start} + {slope} * ({number} - {low}))"
        return scaled_code(variable, code, curve.y, dialect) if wanted.scale else code

    first, last = double(float(curve.x[0])), double(float(curve.x[-1]))
    arms = [
        f"WHEN {number} IS NULL THEN {final(form.of_bad)}",
        f"WHEN {number} < {first} THEN {final(float(curve.y[0]))}",
        f"WHEN {number} >= {last} THEN {final(float(curve.y[-1]))}",
    ]
    if dialect.traps_underflow:
        arms += [
            f"WHEN {number} BETWEEN {double(near)} AND {double(far)} THEN {final(start)}"
            for near, far, start in _too_near(curve)
        ]
    if joined is not None:
        otherwise = along(*(f"{joined}.{name}" for name in ("low", "slope", "start")))
        return f"CASE {' '.join(arms)} ELSE {otherwise} END"
    for low, high, slope, start in pieces(curve):
        value = along(*map(double, (low, slope, start))) if slope else final(start)
        arms.append(f"WHEN {number} < {double(high)} THEN {value}")
    return f"CASE {' '.join(arms)} END"


def pieces(curve: Curve) -> list[tuple[float, float, float, float]]:
    """The pieces between knots: from where, to where, how steep, and from which value."""
    columns = (curve.x[:-1], curve.x[1:], curve.slopes[:-1], curve.y[:-1])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _too_near(curve: Curve) -> list[tuple[float, float, float]]:
    """Numbers so near a knot that their product with the slope is 0, and the value there."""
    found = []
    for low, high, slope, start in pieces(curve):
        near, far = range_of(slope, low, lambda product: product == 0.0) if slope else (low, low)
        if near != far and far > low:
            found.append((low, min(far, float(np.nextafter(high, -np.inf))), start))
    return found
