"""Sums of square roots with coefficients that are exact: fractions, or fractions of polynomials."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

# The roots that are multiplied in a term; none: a term without roots.
Roots = frozenset[str]
_RATIONAL: Roots = frozenset()
_DIGITS = 60


class Surd:
    """A sum of terms, each a coefficient times a product of square roots of given squares.

    As polynomials the squares have no common square, so that a sum is 0 everywhere only if all its
    coefficients are; as numbers they may have, which `normal` takes out.
    """

    def __init__(self, terms: Mapping[Roots, Any], squares: Mapping[str, Any]) -> None:
        self.terms, self._squares = dict(terms), squares

    @classmethod
    def of(cls, value: Any, squares: Mapping[str, Any]) -> Surd:
        """A number, or function, without roots."""
        return cls({_RATIONAL: value}, squares)

    @classmethod
    def root(cls, name: str, coefficient: Any, squares: Mapping[str, Any]) -> Surd:
        """A coefficient times one root."""
        return cls({frozenset([name]): coefficient}, squares)

    def __add__(self, other: Surd) -> Surd:
        terms = dict(self.terms)
        for roots, value in other.terms.items():
            terms[roots] = terms[roots] + value if roots in terms else value
        return Surd(terms, self._squares)

    def __mul__(self, other: Surd) -> Surd:
        total = Surd({}, self._squares)
        for roots, value in self.terms.items():
            for others, factor in other.terms.items():
                product = value * factor
                for twice in roots & others:
                    product = product * self._squares[twice]
                total = total + Surd({roots ^ others: product}, self._squares)
        return total

    def __neg__(self) -> Surd:
        return Surd({roots: value * -1 for roots, value in self.terms.items()}, self._squares)

    def __sub__(self, other: Surd) -> Surd:
        return self + -other

    def __truediv__(self, other: Surd) -> Surd:
        """Divide, after the roots below the line are gone: times what differs in a root's sign."""
        above = self
        for name in sorted(set().union(*other.terms)):
            mirrored = Surd(
                {roots: v * -1 if name in roots else v for roots, v in other.terms.items()},
                self._squares,
            )
            above, other = above * mirrored, other * mirrored
            other = Surd({r: v for r, v in other.terms.items() if name not in r}, self._squares)
        below = other.terms[_RATIONAL]
        return Surd({roots: value / below for roots, value in above.terms.items()}, self._squares)

    def normal(self) -> dict[int, Fraction]:
        """Of a number: coefficients of the roots of whole numbers that no square divides."""
        found: dict[int, Fraction] = {}
        for roots, value in self.terms.items():
            square = Fraction(1)
            for name in roots:
                square *= self._squares[name]
            whole, free = _without_squares(square.numerator * square.denominator)
            value = value * whole / square.denominator
            found[free] = found.get(free, Fraction(0)) + value
        return {free: value for free, value in found.items() if value}

    def number(self) -> Fraction | Decimal:
        """Of a number: as a fraction, or in many digits."""
        normal = self.normal()
        if normal.keys() <= {1}:
            return normal.get(1, Fraction(0))
        with localcontext(prec=_DIGITS):
            return sum(
                (
                    Decimal(v.numerator) / v.denominator * Decimal(f).sqrt()
                    for f, v in normal.items()
                ),
                Decimal(0),
            )


def _without_squares(number: int) -> tuple[int, int]:
    """Write a whole number as a square, whose root is given, times one that no square divides."""
    if isqrt(number) ** 2 == number:
        return isqrt(number), 1
    root, divisor = 1, 2
    while divisor * divisor <= number:
        while number % (divisor * divisor) == 0:
            root, number = root * divisor, number // (divisor * divisor)
        divisor += 1
    return root, number
