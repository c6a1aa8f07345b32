"""Levels as they are written whoever had them first.

Values of Python that are equal are one level, which has the type of the first row: 1, 1.0 and True,
or a time on two clocks. Which of them it was would tell of that row.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from numbers import Number
from typing import Any

import pandas as pd


def plain(level: Any) -> Any:
    """One value for all that are equal."""
    if isinstance(level, str | bytes):
        return str(level) if isinstance(level, str) else bytes(level)
    if isinstance(level, pd.Timestamp | pd.Timedelta):
        level = _of_python(level)
    if isinstance(level, dt.datetime) and level.tzinfo is not None:
        return level.astimezone(dt.UTC)
    return _number(level) if isinstance(level, Number) else level


def _of_python(level: Any) -> Any:
    is_time = isinstance(level, pd.Timestamp)
    if level.nanosecond if is_time else level.nanoseconds:
        return level.as_unit("ns")
    return level.to_pydatetime() if is_time else level.to_pytimedelta()


def _number(level: Any) -> Any:
    for kind in (int, float, complex):
        try:
            if kind(level) == level:
                return kind(level)
        except (TypeError, ValueError, OverflowError):
            continue
    shorter = level.normalize() if isinstance(level, Decimal) else level
    return shorter if shorter == level else level
