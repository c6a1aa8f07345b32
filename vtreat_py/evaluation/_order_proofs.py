"""Proofs that one score is a rising function of another."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._score_expressions import everywhere, exactly
from vtreat_py.evaluation._surds import Surd

# Counts of which some have whole square roots of all that scores have below one.
_POINTS = [(2, 3, 5, 7), (11, 2, 3, 5), (1, 13, 4, 9), (3, 1, 1, 3), (7, 2, 2, 7), (1, 5, 5, 1)]


def order_is_proved(one: str, other: str) -> bool:
    """Whether the other is ``(a x + b) / (c x + d)``, rising, x being the one or its square.

    The same of the square of the other; squares of what is never negative.
    """
    if not all(
        value.is_defined() for name in (one, other) for value in everywhere(name).terms.values()
    ):
        return False
    for squared in product((False, True), repeat=2):
        if all(
            not s or _is_never_negative(name) for s, name in zip(squared, (one, other), strict=True)
        ):
            x, y = (
                f"({n}) * ({n})" if s else n for s, n in zip(squared, (one, other), strict=True)
            )
            if _is_rising_function(x, y):
                return True
    return False


def _is_never_negative(name: str) -> bool:
    return all(value.is_never_negative() for value in everywhere(name).terms.values())


def _is_rising_function(x: str, y: str) -> bool:
    found = _coefficients(x, y)
    if found is None:
        return False
    a, b, c, d = found
    if a * d <= b * c:
        return False
    one, other = everywhere(x), everywhere(y)
    identity = _times(one, a) + _number(one, b) - other * (_times(one, c) + _number(one, d))
    return all(value.is_zero() for value in identity.terms.values())


def _coefficients(x: str, y: str) -> tuple[Fraction, Fraction, Fraction, Fraction] | None:
    """The function of its kind that three points lie on; None if they are not three."""
    points: dict[Fraction, Fraction] = {}
    for place in _POINTS:
        counts = Counts(*map(Fraction, place))
        try:
            u, v = exactly(x, counts).number(), exactly(y, counts).number()
        except ZeroDivisionError:
            continue
        if isinstance(u, Fraction) and isinstance(v, Fraction):
            points.setdefault(u, v)
    if len(points) < 3 or len(set(points.values())) < 3:
        return None
    (u, p), (v, q), (w, r) = list(points.items())[:3]
    # Cross-ratios of (x, u, v, w) and (y, p, q, r) are equal.
    k = (v - w) * (p - q)
    m = (u - v) * (q - r)
    # (x - u) (v - w) (y - r) (p - q) = (y - p) (q - r) (x - w) (u - v), solved for y
    a, b = k * r - m * p, m * p * w - k * r * u
    c, d = k - m, m * w - k * u
    return a, b, c, d


def _times(function: Surd, number: Fraction) -> Surd:
    return function * _number(function, number)


def _number(like: Surd, number: Fraction) -> Surd:
    """A number as a function of all counts."""
    one = everywhere("1")
    return Surd(
        {r: v * number.numerator / number.denominator for r, v in one.terms.items()},
        like._squares,
    )
