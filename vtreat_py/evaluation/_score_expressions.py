"""Scores, and expressions in them, such as ``2 * tpr - 1``: read safely, computed exactly."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from vtreat_py.base.errors import InvalidOptionError, meant
from vtreat_py.evaluation._formulas import SCORES, Counts
from vtreat_py.evaluation._rational_functions import RationalFunction
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._surds import Surd

_LONGEST = 200
_GREATEST_POWER = 8


def exactly(expression: str, counts: Counts) -> Surd:
    """Value for counts that are fractions, or functions of them.

    Raises
    ------
    ZeroDivisionError
        If it is not defined there.
    """
    squares = {name: s.under_root(counts) for name, s in SCORES.items() if has_root(name)}
    one = counts.tp * 0 + 1
    return _evaluated(_parsed(expression), counts, squares, one)


@cache
def everywhere(expression: str) -> Surd:
    """Value as a function of all counts."""
    try:
        return exactly(expression, Counts(*RationalFunction.variables(4)))
    except ZeroDivisionError:
        raise InvalidOptionError(
            f"{shown(expression)} divides by what is 0 for all counts; it is defined nowhere"
        ) from None


def has_root(name: str) -> bool:
    """Whether there is a square root in the formula of a score."""
    return not isinstance(SCORES[name].under_root(Counts(*map(Fraction, (1, 1, 1, 1)))), int)


def check_expression(expression: Any) -> None:
    """Refuse what is no expression in scores."""
    _parsed(expression)


@cache
def _parse(expression: str) -> ast.expr:
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _refusal(expression) from None
    _check(tree, expression)
    return tree


def _parsed(expression: Any) -> ast.expr:
    if not isinstance(expression, str):
        raise _refusal(expression)
    if len(expression) > _LONGEST:
        raise InvalidOptionError(
            f"{shown(expression)} has {len(expression)} characters; {_LONGEST} are taken"
        )
    return _parse(expression)


def _refusal(expression: Any, why: str = "") -> InvalidOptionError:
    return InvalidOptionError(
        f"{shown(expression)} is no score{why}, nor made of them by arithmetic; "
        f"scores are {', '.join(SCORES)}; counts are {', '.join(Counts._fields)}"
    )


def _check(node: ast.expr, expression: str) -> None:
    """Refuse all but names of scores and counts, numbers and arithmetic, before any is computed."""
    match node:
        case ast.Name(id=name):
            known = [*SCORES, *Counts._fields]
            if name not in known:
                raise _refusal(expression, f" ({name} is unknown{meant(name, known)})")
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            if value - value != 0:  # a number beyond all floats
                raise _refusal(expression)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            _check(operand, expression)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)) if (
            not isinstance(power, bool) and 0 <= power <= _GREATEST_POWER
        ):
            _check(base, expression)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            _check(left, expression)
            _check(right, expression)
        case _:
            raise _refusal(expression)


def _evaluated(node: Any, counts: Counts, squares: Mapping[str, Any], one: Any) -> Surd:
    def value_of(part: ast.expr) -> Surd:
        return _evaluated(part, counts, squares, one)

    match node:
        case ast.Name(id=name) if name in SCORES:
            if name not in squares:
                return Surd.of(SCORES[name].formula(counts), squares)
            return Surd.root(name, SCORES[name].formula(counts) / squares[name], squares)
        case ast.Name(id=name):
            return Surd.of(getattr(counts, name), squares)
        case ast.Constant(value=value):
            number = Fraction(repr(value))  # of 0.1 a tenth, not the float that is nearest to it
            return Surd.of(one * number.numerator / number.denominator, squares)
        case ast.UnaryOp(op=op, operand=operand):
            return -value_of(operand) if isinstance(op, ast.USub) else value_of(operand)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            product = Surd.of(one, squares)
            for _ in range(power):
                product = product * value_of(base)
            return product
        case ast.BinOp(left=left, op=op, right=right):
            a, b = value_of(left), value_of(right)
            if isinstance(op, ast.Add):
                return a + b
            if isinstance(op, ast.Sub):
                return a - b
            return a * b if isinstance(op, ast.Mult) else a / b
    raise AssertionError(node)  # _check has let through what is not computed
