"""Checks of plain options."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError


def check_number(
    name: str, value: Any, low: float, high: float = math.inf, *, below: bool = False
) -> float:
    """Return a finite number between bounds; ``below`` excludes the upper one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise OptionTypeError(f"{name}={value!r} must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf  # an integer beyond all floats: refused, as it is no finite one
    inside = low <= number and (number < high if below else number <= high)
    if not inside or not math.isfinite(number):
        upper = "" if math.isinf(high) else f" and {'<' if below else '<='} {high:g}"
        raise InvalidOptionError(f"{name}={value!r}; it must be >= {low:g}{upper}")
    return number


def check_most(most: Any) -> int:
    """Return how many of something are to be shown."""
    return check_whole_number("most", most)


def check_whole_number(name: str, value: Any) -> int:
    """Return a number of things, 1 or more."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise InvalidOptionError(f"{name}={value!r}; it must be a whole number, 1 or more")
    return int(value)


def is_one_of(value: Any, allowed: Sequence[str]) -> bool:
    """Whether a value is one of a few words; it may be anything, such as an array."""
    return isinstance(value, str) and value in allowed


def check_list(name: str, given: Any, what: str) -> list[Any]:
    """Return what is listed; ``what`` says in words what may be."""
    error = OptionTypeError(f"{name}={given!r} must be a list of {what}")
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise error
    try:
        listed = list(given)
        set(listed)
    except TypeError:  # an array without dimensions, or what cannot be hashed
        raise error from None
    return listed


def check_flag(name: str, value: Any) -> bool:
    """Return a boolean."""
    if isinstance(value, bool) or type(value).__name__ == "bool_" or type(value).__name__ == "bool":
        return bool(value)
    raise OptionTypeError(f"{name}={value!r} must be True or False")
