"""One value of Python as a column of one row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.frames.columns import Column, EmptyColumn, is_missing_only
from vtreat_py.frames.reading import read_objects

_DAY = 86_400
_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = _EPOCH.replace(tzinfo=dt.UTC)


def column_of_value(
    name: Hashable, value: Any, as_levels: bool = False, missing_values: Sequence[str] = ()
) -> Column:
    """Read a value as a frame of objects is read that has it in its one row.

    Raises
    ------
    UnsupportedColumnError
        If it is a list, a complex number or the like.
    """
    values = np.empty(1, dtype=object)
    values[0] = None if isinstance(value, str) and value in missing_values else value
    column = read_objects(name, values, as_levels)
    return EmptyColumn(name, 1) if is_missing_only(column) else column


def days_of(day: dt.date) -> float:
    """Days since 1970."""
    return float(day.toordinal() - _EPOCH.toordinal())


def seconds_of(moment: dt.datetime) -> float:
    """Seconds since 1970 (UTC), to the bit those of a column of points in time.

    Raises
    ------
    OverflowError
        If it is one of pandas, beyond those that nanoseconds reach.
    """
    if isinstance(moment, pd.Timestamp):
        whole, rest = divmod(moment.value, 10**9)
        return float(whole + rest / 10**9)
    apart = moment - (_EPOCH if moment.tzinfo is None else _EPOCH_UTC)
    return float(apart.days * _DAY + apart.seconds + apart.microseconds / 10**6)
