"""Checks of plain options."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError


def check_number(
    name: str, value: Any, low: float, high: float = math.inf, *, below: bool = False
) -> float:
    """Return a finite number between bounds; ``below`` excludes the upper one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise OptionTypeError(f"{name}={value!r} must be a number")
    number = float(value)
    inside = low <= number and (number < high if below else number <= high)
    if not inside or not math.isfinite(number):
        upper = "" if math.isinf(high) else f" and {'<' if below else '<='} {high:g}"
        raise InvalidOptionError(f"{name}={value!r}; it must be >= {low:g}{upper}")
    return number


def check_list(name: str, given: Any, what: str) -> list[Any]:
    """Return what is listed; text is no list, nor is an array without dimensions."""
    if not isinstance(given, str | bytes):
        try:
            return list(given)
        except TypeError:
            pass
    raise OptionTypeError(f"{name}={given!r} must be a list of {what}")


def is_one_of(value: Any, words: Iterable[str | None]) -> bool:
    """Whether an option is one of several words, whatever it is."""
    return (value is None or isinstance(value, str)) and value in words


def check_flag(name: str, value: Any) -> bool:
    """Return a boolean."""
    if isinstance(value, bool) or type(value).__name__ == "bool_" or type(value).__name__ == "bool":
        return bool(value)
    raise OptionTypeError(f"{name}={value!r} must be True or False")
