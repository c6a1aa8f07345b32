"""What the calendar says of a date: month, weekday, ... as columns of levels of their own."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, get_args

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.names import NameRegister
from vtreat_py.base.warn import warn
from vtreat_py.frames.columns import CodedColumn, Column, EmptyColumn, NumericColumn, kind_of
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.schema import check_kinds

Part = Literal["month", "week", "day", "is_month_end", "weekday", "hour"]
PARTS: tuple[Part, ...] = get_args(Part)
DAY = 86_400
UTC = "UTC"

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# What the numbers of a part stand for. The end of a month is before the first day of another.
LABELS: dict[Part, tuple[str, ...]] = {
    "month": _MONTHS,
    "week": tuple(map(str, range(1, 54))),
    "day": tuple(map(str, range(1, 32))),
    "is_month_end": ("True", *["False"] * 30),
    "weekday": _WEEKDAYS,
    "hour": tuple(map(str, range(24))),
}
# Days that a cycle takes at least.
_CYCLE: dict[Part, float] = {
    "month": 365.0,
    "week": 365.0,
    "day": 28.0,
    "is_month_end": 28.0,
    "weekday": 7.0,
    "hour": 1.0,
}
_CYCLES = 2
_UTC_NAMES = {UTC, "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "GMT", "Etc/GMT", "Z"}
_OFFSET = re.compile(r"(?:UTC)?([+-])(\d\d):?(\d\d)")
# Of days that lie farther apart than that, each row's is looked at.
_MOST_DAYS = 1 << 20
# Seconds of the years after which the calendar repeats itself, and of those that clocks know.
_ERA = 146_097.0 * DAY
_FIRST, _LAST = -719_160.0 * DAY, 2_932_894.0 * DAY


@dataclass(frozen=True)
class CalendarPart:
    """A column of levels that is made of a column of dates.

    Attributes
    ----------
    name : str
        What it is called.
    column : hashable
        The column of dates or points in time.
    kind : str
        Which of the two, ``"date"`` or ``"datetime"``.
    part : str
        One of `PARTS`.
    zone : str
        The clock that it goes by: a name of the time zone database, or ``"UTC+02:00"``.
    """

    name: str
    column: Hashable
    kind: str
    part: Part
    zone: str = UTC

    def __post_init__(self) -> None:
        if self.part not in PARTS or self.kind not in ("date", "datetime"):
            raise InvalidOptionError(f"part={self.part!r} of kind {self.kind!r} is not known")
        if not is_known(self.zone):
            raise InvalidOptionError(
                f"the time zone {self.zone!r} is not known to this machine; install the package "
                'tzdata, or convert the column to UTC (or "UTC+02:00") before the design'
            )

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The columns of a frame that it is made of."""
        return (self.column,)

    @cached_property
    def offset(self) -> int | None:
        """Seconds that the clock is ahead of UTC; None where they change with the seasons."""
        return offset_of(self.zone)

    @cached_property
    def needs_zone(self) -> bool:
        """Whether points in time without a zone are another clock's."""
        return self.kind == "datetime" and self.zone != UTC

    def warn_of_lost_zone(self) -> None:
        """Say that the column, which has no zone, is taken for UTC."""
        warn(
            f"column {self.column!r} has no time zone, and was in {self.zone} at the design: it is "
            f"taken for UTC. Give it its zone first, as by dt.tz_localize({self.zone!r})"
        )

    def of(self, column: Column) -> Column:
        """Make it of the column of dates.

        Raises
        ------
        SchemaError
            If that holds something else.
        """
        if isinstance(column, EmptyColumn):
            return EmptyColumn(self.name, len(column))
        if not (isinstance(column, NumericColumn) and column.kind == self.kind):
            check_kinds([(self.column, self.kind, kind_of(column))])
        assert isinstance(column, NumericColumn)
        return CodedColumn(self.name, self._codes(column), _levels_of(self.part))

    def _codes(self, column: NumericColumn) -> IntArray:
        """Place of each row's level; bad values have none."""
        numbers, bad = column.values, column.bad
        if bad is not None:
            numbers = np.where(bad, 0.0, numbers)
        seconds = local_seconds(numbers.astype(np.float64, copy=False), self)
        of_number = _levels_of(self.part).codes_of(LABELS[self.part])
        codes: IntArray = of_number[_numbers(self.part, seconds)]
        return codes if bad is None else np.where(bad, -1, codes)


@cache
def _levels_of(part: Part) -> Levels:
    return Levels.of(list(dict.fromkeys(LABELS[part])))


def local_seconds(numbers: FloatArray, part: CalendarPart) -> FloatArray:
    """Whole seconds since 1970 by a clock, of the numbers of dates or points in time."""
    if part.kind == "date":
        return numbers * DAY
    seconds = np.floor(numbers)
    if part.offset is not None:
        return seconds + part.offset
    # Python's clocks know the years 1 to 9999; beyond, they are as 400 years before or after.
    early, late = np.maximum(_FIRST - seconds, 0.0), np.maximum(seconds - _LAST, 0.0)
    moved = _ERA * (np.ceil(early / _ERA) - np.ceil(late / _ERA))
    moments = pd.DatetimeIndex((seconds + moved).astype(np.int64).view("M8[s]"), tz=UTC)
    local = moments.tz_convert(part.zone).tz_localize(None)
    return local.to_numpy().astype("M8[s]").view(np.int64).astype(np.float64) - moved


def _numbers(part: Part, seconds: FloatArray) -> IntArray:
    """Number of a part for each row; of days near each other each day is looked at once."""
    if part == "hour" or not len(seconds):
        return number_of(part, seconds).astype(np.intp)
    days = np.floor(seconds / DAY)
    first, last = days.min(), days.max()
    if last - first >= min(_MOST_DAYS, len(days)):
        return number_of(part, seconds).astype(np.intp)
    each = number_of(part, np.arange(first, last + 1.0) * DAY).astype(np.intp)
    return np.asarray(each[(days - first).astype(np.intp)])


def number_of(part: Part, seconds: FloatArray) -> FloatArray:
    """Number of a part, from 0 on, of whole seconds since 1970.

    Notes
    -----
    Days are counted from 1 March of the year 0, so that a leap day is the last of its year; an
    era is the 400 years after which the calendar repeats itself. The week is that of ISO 8601: a
    week belongs to the year of its Thursday.

    E. G. Richards, "Calendars", in S. E. Urban and P. K. Seidelmann (editors), Explanatory
    Supplement to the Astronomical Almanac, 3rd edition (2013), chapter 15.
    """
    days = np.floor(seconds / DAY)
    if part == "hour":
        return np.asarray(np.floor((seconds - days * DAY) / 3600))
    weekday = days + 3 - np.floor((days + 3) / 7) * 7
    if part == "weekday":
        return np.asarray(weekday)
    if part == "week":
        days = days - weekday + 3
    if part == "is_month_end":
        days = days + 1
    days = days + 719_468
    of_era = days - np.floor(days / 146_097) * 146_097
    leaps = np.floor(of_era / 36_524) - np.floor(of_era / 1460) - np.floor(of_era / 146_096)
    year = np.floor((of_era + leaps) / 365)
    of_year = of_era - (year * 365 + np.floor(year / 4) - np.floor(year / 100))
    if part == "week":
        year = year + np.floor(of_year / 306)  # it begins in January
        leaps = np.floor((year + 3) / 4) - np.floor((year + 99) / 100)
        leaps = leaps + np.floor((year + 399) / 400)
        return np.asarray(np.floor((of_era + 60 - year * 365 - leaps) / 7))
    month = np.floor((of_year * 5 + 2) / 153)
    if part == "month":
        return np.asarray(month + 2 - np.floor((month + 2) / 12) * 12)
    return np.asarray(of_year - np.floor((month * 153 + 2) / 5))


def covered_parts(kind: str, first: float, last: float) -> list[Part]:
    """Name the parts whose cycles dates from the first to the last, as numbers, cover twice."""
    unit = 1 if kind == "date" else DAY
    whole = np.floor(last / unit) - np.floor(first / unit) + 1.0
    parts: list[Part] = [part for part in PARTS if whole >= _CYCLES * _CYCLE[part]]
    hours = (last - first) / 3600.0 + 1.0
    if hours < _CYCLES * 24.0:
        parts = [part for part in parts if part != "hour"]
    return parts


def named_parts(
    dates: Mapping[Hashable, tuple[str, str, float, float]],
    columns: Iterable[Hashable],
    wanted: Sequence[Part] | None,
) -> dict[Hashable, list[CalendarPart]]:
    """Make the parts of columns of dates, by column.

    Parameters
    ----------
    dates : dict from column to (kind, zone, first, last)
    columns : iterable of hashable
        All columns of the frame; a part that would have the name of one is numbered.
    wanted : sequence of str or None
        The parts to make; None: those whose cycles are covered. Days have no hours.
    """
    register = NameRegister(map(str, columns))
    made: dict[Hashable, list[CalendarPart]] = {}
    for column, (kind, zone, first, last) in dates.items():
        made[column] = []
        parts = covered_parts(kind, first, last) if wanted is None else wanted
        for part in parts:
            if kind == "date" and part == "hour":
                continue
            name = register.claim(f"{column}_{part}")
            made[column].append(CalendarPart(name, column, kind, part, _clock(kind, zone)))
    return made


def _clock(kind: str, zone: str) -> str:
    """One name for each clock that is always as far from UTC; dates have none."""
    offset = 0 if kind == "date" else offset_of(zone)
    return zone if offset is None else str(dt.timezone(dt.timedelta(seconds=offset)))


def with_parts(
    columns: Iterable[Hashable], parts: Mapping[Hashable, list[CalendarPart]]
) -> tuple[Hashable, ...]:
    """Name columns, the parts of each behind it."""
    return tuple(
        name for column in columns for name in (column, *(p.name for p in parts.get(column, [])))
    )


def offset_of(zone: str) -> int | None:
    """Seconds that a clock is ahead of UTC; None for a zone where they change."""
    if zone in _UTC_NAMES:
        return 0
    fixed = _OFFSET.fullmatch(zone)
    if fixed is None:
        return None
    sign, hours, minutes = fixed.groups()
    seconds = int(hours) * 3600 + int(minutes) * 60
    return seconds if sign == "+" else -seconds


def is_known(zone: str) -> bool:
    """Whether this machine knows a time zone."""
    try:
        return offset_of(zone) is not None or len(pd.DatetimeIndex([], tz=zone)) == 0
    except Exception:  # the kinds of errors differ between versions
        return False
