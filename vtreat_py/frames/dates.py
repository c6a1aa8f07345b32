"""How dates, points in time, durations and times of day are read as numbers.

Days since 1970 of a date, seconds since 1970 (UTC) of a point in time, seconds of a duration,
seconds since midnight of a time of day.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import UnsupportedColumnError
from vtreat_py.frames.columns import Kind

_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
# What pandas calls those among Python objects.
DATES_AMONG_OBJECTS = {"date", "datetime", "datetime64", "timedelta", "timedelta64", "time"}


def seconds(values: npt.NDArray[Any]) -> FloatArray:
    """Seconds since 1970 (or of a duration) as floats; NaN where missing."""
    if np.datetime_data(values.dtype)[0] not in _TICKS:
        values = values.astype(f"{values.dtype.kind}8[s]")
    unit, multiple = np.datetime_data(values.dtype)
    found = _whole_and_rest(values.view(np.int64), _TICKS[unit]) * multiple
    return np.where(np.isnat(values), np.nan, found)


def _whole_and_rest(ticks: npt.NDArray[np.int64], per_second: int) -> FloatArray:
    """Whole seconds and the rest apart: nanoseconds since 1970 do not fit into a float."""
    whole, rest = np.divmod(ticks, per_second)
    return np.asarray(whole + rest / per_second)


def _duration(value: Any) -> float:
    """Seconds of one duration, to the bit those of an array of them."""
    if isinstance(value, np.timedelta64):
        return float(seconds(np.array([value]))[0])
    rest = value.microseconds * 1000 + getattr(value, "nanoseconds", 0)
    return float(value.days * 86_400 + value.seconds + rest / 10**9)


def integers_of_dates(values: Any) -> tuple[Any, Callable[[Any], FloatArray] | None, Kind] | None:
    """Return an Arrow array's integers, how they become numbers, and the kind; None if no dates."""
    kind, t = values.type, pa.types
    if t.is_timestamp(kind) or t.is_duration(kind):
        per_second = _TICKS[kind.unit]
        meaning: Kind = "datetime" if t.is_timestamp(kind) else "duration"
        return values.cast(pa.int64()), lambda x: _whole_and_rest(x, per_second), meaning
    if t.is_date(kind):
        return values.cast(pa.date32()).cast(pa.int32()), None, "date"
    if t.is_time(kind):
        ticks = _TICKS[kind.unit]
        whole = values.cast(pa.int32() if t.is_time32(kind) else pa.int64())
        return whole.cast(pa.int64()), lambda x: x / ticks, "time"
    return None


def typed_dates(
    name: Hashable, values: npt.NDArray[np.object_], inferred: str
) -> pd.Series[Any] | pa.Array | FloatArray | None:
    """Give Python's dates a type; None for dates among points in time, which are levels.

    Durations that no type holds are seconds at once.
    """
    if inferred == "date":
        if any(isinstance(v, dt.datetime) for v in values[~pd.isna(values)]):
            return None
        return pa.array(values, pa.date32(), from_pandas=True)
    if inferred == "time":
        return pa.array(values, pa.time64("us"), from_pandas=True)
    if inferred.startswith("timedelta"):
        try:
            return pd.to_timedelta(pd.Series(values))
        except pd.errors.OutOfBoundsTimedelta:
            return np.array([np.nan if pd.isna(v) else _duration(v) for v in values])
        except ValueError as reason:
            raise UnsupportedColumnError(name, "durations of years or months") from reason
    zones = {bool(v.tzinfo) for v in values if isinstance(v, dt.datetime) and not pd.isna(v)}
    if len(zones) > 1:
        raise UnsupportedColumnError(name, "datetimes with and without a time zone")
    utc = zones == {True}
    try:
        return pd.to_datetime(pd.Series(values), utc=utc)
    except pd.errors.OutOfBoundsDatetime:  # pandas before 3 counts nanoseconds in every case
        return pa.array(values, pa.timestamp("us", "UTC" if utc else None), from_pandas=True)
