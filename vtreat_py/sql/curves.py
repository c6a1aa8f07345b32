"""SQL of the variables of a numeric column that are a curve."""

from __future__ import annotations

import numpy as np

from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import Curves, scale_in_place
from vtreat_py.plan.treatments import Wanted
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.sql.dialect import LARGEST, Dialect
from vtreat_py.sql.numbers import furthest, range_of, scaled_code

FEW_KNOTS = 20
# Columns of the table of a curve of many knots: a row for each piece between two of them. Pieces of
# curves that have units say theirs, and where they start in it.
_PIECE, _IN_UNITS = ("low", "high", "slope", "start"), ("unit", "origin")


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

    def along(slope: str, start: str, origin: str, unit: str | None = None) -> str:
        there = number if unit is None else f"{number} / {unit}"
        code = f"({start} + {slope} * ({there} - {origin}))"
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
        named = ("slope", "start", *(("origin", "unit") if _has_units(curve) else ("low",)))
        otherwise = along(*(f"{joined}.{dialect.own(name)}" for name in named))
        return f"CASE {' '.join(arms)} ELSE {otherwise} END"
    for low, high, slope, start, unit, origin in _pieces(curve):
        inside = (low,) if unit == 1.0 else (origin, unit)
        value = along(*map(double, (slope, start, *inside))) if slope else final(start)
        arms.append(f"WHEN {number} < {double(high)} THEN {value}")
    return f"CASE {' '.join(arms)} END"


def piece_table(curve: Curve) -> tuple[tuple[str, ...], list[tuple[float, ...]]]:
    """The names of columns, and a row for each piece."""
    columns = (*_PIECE, *_IN_UNITS) if _has_units(curve) else _PIECE
    return columns, [piece[: len(columns)] for piece in _pieces(curve)]


def _has_units(curve: Curve) -> bool:
    return bool((curve.units != 1.0).any())


def _pieces(curve: Curve) -> list[tuple[float, ...]]:
    """Pieces between knots: from where, to where, how steep, from what value, in what unit."""
    x, unit = curve.x, curve.units[:-1]
    columns = (x[:-1], x[1:], curve.slopes[:-1], curve.y[:-1], unit, x[:-1] / unit)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _too_near(curve: Curve) -> list[tuple[float, float, float]]:
    """Numbers that leave the range of floats on the way, at 0, and the value there."""
    found = []
    for low, high, slope, _, unit, origin in _pieces(curve):
        last = float(np.nextafter(high, -np.inf))
        lost = _lost(low, slope, unit, origin) if slope else []
        for near, far in lost:
            first, end = max(near, low), min(far, last)
            if near < far and first <= end:
                found.append((first, end, float(curve(first))))
    return found


def _lost(low: float, slope: float, unit: float, origin: float) -> list[tuple[float, float]]:
    """Ranges of numbers whose product with the slope is 0, and of those that are 0 in the unit."""

    def is_flat(number: float) -> bool:
        return slope * (number / unit - origin) == 0.0

    return [
        (low, furthest(low, LARGEST, is_flat)),
        range_of(1.0 / unit, 0.0, lambda product: product == 0.0),
    ]
