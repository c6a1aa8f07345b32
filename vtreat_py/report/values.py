"""Numbers of a column as what they stand for: dates, times, durations."""

from __future__ import annotations

import datetime as dt

import numpy as np

from vtreat_py.base.markup import number

_DAY = 86_400
# numpy writes no others, and they are no dates of anyone's data.
_FARTHEST = 1e15
# Of durations below so many seconds, parts of seconds are told.
_SHORT = 10


def value_text(value: float, kind: str) -> str:
    """Write a number of a column of some kind.

    Examples
    --------
    >>> value_text(18_262.0, "date"), value_text(1577876400.0, "datetime")
    ('2020-01-01', '2020-01-01 11:00:00')
    >>> value_text(5_400.0, "time"), value_text(93_784.0, "duration"), value_text(2.5, "number")
    ('01:30', '1 d 02:03:04', '2.5')
    >>> value_text(0.25, "duration")
    '0.25 s'
    """
    if kind == "number" or abs(value) > _FARTHEST:
        return number(value)
    if kind == "date":
        return str(np.datetime64(int(value), "D"))
    if kind == "datetime":
        return str(np.datetime64(int(value), "s")).replace("T", " ").removesuffix(" 00:00:00")[:19]
    if kind == "time":
        return _clock(value).removesuffix(":00")
    if 0 < abs(value) < _SHORT:
        return f"{number(value)} s"
    days, rest = divmod(abs(value), _DAY)
    sign, clock = "-" if value < 0 else "", _clock(rest)
    return f"{sign}{days:.0f} d {clock}" if days else f"{sign}{clock}"


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return str(dt.timedelta(seconds=whole)).rjust(8, "0")
