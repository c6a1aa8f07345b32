"""Fractions of polynomials in several variables, exact: enough algebra to prove an identity."""

from __future__ import annotations

from collections import Counter

# Of each product of powers (its exponents, one a variable) the coefficient.
Polynomial = dict[tuple[int, ...], int]


class RationalFunction:
    """A fraction of two polynomials with integer coefficients, as the arithmetic leaves it.

    Nothing is cancelled: two fractions are the same function if their difference has nothing left
    above the line, where all coefficients of a polynomial that is 0 everywhere are 0.
    """

    def __init__(self, above: Polynomial, below: Polynomial) -> None:
        if not any(below.values()):
            raise ZeroDivisionError("a fraction with 0 below the line")
        self._above, self._below = above, below

    @classmethod
    def variables(cls, number: int) -> list[RationalFunction]:
        """Return so many variables."""
        one = {(0,) * number: 1}
        units = [tuple(int(i == j) for j in range(number)) for i in range(number)]
        return [cls({exponents: 1}, one) for exponents in units]

    def is_zero(self) -> bool:
        """Whether it is 0 wherever it is defined."""
        return not any(self._above.values())

    def is_never_negative(self) -> bool:
        """Whether no coefficient shows that it could be below 0 where no variable is."""
        return _one_sign(self._above) * _one_sign(self._below) > 0 or self.is_zero()

    def is_defined(self) -> bool:
        """Whether the signs of coefficients say that it is defined where all variables are > 0."""
        return _one_sign(self._below) != 0

    def __add__(self, other: RationalFunction | int) -> RationalFunction:
        other = self._read(other)
        above = _sum(_product(self._above, other._below), _product(other._above, self._below))
        return RationalFunction(above, _product(self._below, other._below))

    def __mul__(self, other: RationalFunction | int) -> RationalFunction:
        other = self._read(other)
        return RationalFunction(
            _product(self._above, other._above), _product(self._below, other._below)
        )

    def __truediv__(self, other: RationalFunction | int) -> RationalFunction:
        other = self._read(other)
        return self * RationalFunction(other._below, other._above)

    def __sub__(self, other: RationalFunction | int) -> RationalFunction:
        return self + self._read(other) * -1

    def __rsub__(self, other: int) -> RationalFunction:
        return self._read(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def _read(self, value: RationalFunction | int) -> RationalFunction:
        """Take an integer as a constant in the same variables."""
        if isinstance(value, RationalFunction):
            return value
        constant = (0,) * len(next(iter(self._below)))
        return RationalFunction({constant: value}, {constant: 1})


def _one_sign(polynomial: Polynomial) -> int:
    """1 or -1 if all coefficients are of that sign; else 0."""
    signs = {1 if value > 0 else -1 for value in polynomial.values() if value}
    return signs.pop() if len(signs) == 1 else 0


def _sum(one: Polynomial, other: Polynomial) -> Polynomial:
    total = Counter(one)
    total.update(other)
    return total


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    total: Counter[tuple[int, ...]] = Counter()
    for powers, factor in one.items():
        for exponents, coefficient in other.items():
            total[tuple(map(int.__add__, powers, exponents))] += factor * coefficient
    return total
