"""Columns of dates in an engine: their parts, and outcomes without the trend along them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.warn import warn
from vtreat_py.frames.calendar import UTC, CalendarPart, Part, named_parts, offset_of
from vtreat_py.lazy.aggregates import Asked, totals
from vtreat_py.lazy.columns import (
    WITHOUT_ZONES,
    LazyColumn,
    LazyLevels,
    LazyNumber,
    exactly,
    lazy_columns,
)
from vtreat_py.lazy.residuals import Residuals
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import LazySource

# Engines whose points in time have the clock of the session, and where it is set.
_SESSION_CLOCKS = {"duckdb": "SET TimeZone", "spark": "spark.sql.session.timeZone"}


def parts_of_dates(
    rows: DesignRows, columns: Iterable[LazyColumn], wanted: Sequence[Part] | None
) -> dict[Hashable, list[CalendarPart]]:
    """Make the parts of columns of dates, by one query for all; rows that count say which."""
    source = rows.source
    dates = [c for c in columns if isinstance(c, LazyNumber) and c.kind in ("date", "datetime")]
    dates = [date for date in dates if _has_clock(source, date)]
    if not dates:
        return {}
    _warn_of_session_clock(source, dates)
    found = totals(rows.counted(dates), _ends(dates))
    extents: dict[Hashable, tuple[str, str, float, float]] = {
        date.name: (date.kind, _zone(date), found[f"low{i}"], found[f"high{i}"])
        for i, date in enumerate(dates)
        if not np.isnan(found[f"low{i}"])
    }
    parts = named_parts(extents, source.columns, wanted)
    return parts if wanted is not None else _with_hours(rows, parts)


def _with_hours(
    rows: DesignRows, parts: dict[Hashable, list[CalendarPart]]
) -> dict[Hashable, list[CalendarPart]]:
    """Leave out hours that are the same in all rows, as those of days at midnight are."""
    hours = [one for made in parts.values() for one in made if one.part == "hour"]
    if not hours:
        return parts
    columns = lazy_columns(rows.source.making(hours), [one.name for one in hours])
    asked: dict[str, Asked] = {}
    for i, column in enumerate(columns):
        assert isinstance(column, LazyLevels)
        hour = column.value.cast(nw.Float64())
        asked |= {f"low{i}": ("min", hour), f"high{i}": ("max", hour)}
    found = totals(rows.counted(columns), asked)
    same = {one.name for i, one in enumerate(hours) if found[f"low{i}"] == found[f"high{i}"]}
    return {name: [p for p in made if p.name not in same] for name, made in parts.items()}


def _ends(dates: list[LazyNumber]) -> dict[str, Asked]:
    asked: dict[str, Asked] = {}
    for i, date in enumerate(dates):
        asked |= {f"low{i}": ("min", date.good), f"high{i}": ("max", date.good)}
    return asked


def _zone(date: LazyNumber) -> str:
    return getattr(date.dtype, "time_zone", None) or UTC


def _has_clock(source: LazySource, date: LazyNumber) -> bool:
    """Whether an engine can tell the time of the clock of a column; say so if not."""
    if source.engine not in WITHOUT_ZONES or offset_of(_zone(date)) is not None:
        return True
    warn(
        f"column {date.name!r} is in the time zone {_zone(date)}, by whose clock {source.engine} "
        "tells no month or weekday: it is a number only. Convert it to UTC, or to the time of its "
        "clock without a zone"
    )
    return False


def _warn_of_session_clock(source: LazySource, dates: list[LazyNumber]) -> None:
    """Say so where the clock of columns is that of whoever asks, and may be another tomorrow."""
    if source.engine not in _SESSION_CLOCKS:
        return
    if zoned := [date for date in dates if offset_of(_zone(date)) != 0]:
        warn(
            f"column {zoned[0].name!r} goes by the clock of this session of {source.engine}, "
            f"{_zone(zoned[0])}: the engine keeps no zone with a column, and elsewhere the month, "
            "weekday or hour may be others. Set the zone that is meant "
            f"({_SESSION_CLOCKS[source.engine]}), or make the column one without a zone"
        )


@dataclass(frozen=True, eq=False)
class ResidualsAlong(Residuals):
    """The same of what a line along dates, by least squares, leaves of the outcome."""

    date: LazyNumber
    _lines: dict[int, tuple[float, float, float]] = field(default_factory=dict, kw_only=True)

    def counted(self, columns: list[LazyColumn]) -> nw.LazyFrame[Any]:
        """Build the query of `DesignRows.counted` for columns, and the date."""
        return self.rows.counted([*columns, self.date])

    def apart(self, number: int) -> nw.Expr:
        """What is left of the outcome of a contrast."""
        x, y, slope = self._line(number)
        return self.y(number) - exactly(y) - exactly(slope) * (self._x - exactly(x))

    def tested(self, number: int) -> nw.Expr:
        """What `outcome` has for each row."""
        return super().tested(number) if self.context.is_rate else self.apart(number)

    def _line(self, number: int) -> tuple[float, float, float]:
        """Means of date and outcome, and the slope."""
        if number not in self._lines:
            x, y, w = self._x, self.y(number), self.rows.w
            products = {"w": w, "x": w * x, "y": w * y, "xx": w * x * x, "xy": w * x * y}
            found = totals(self.counted([]), {name: ("sum", one) for name, one in products.items()})
            n = found["w"]
            mean, of_y = found["x"] / n, found["y"] / n
            squares, product = found["xx"] - n * mean * mean, found["xy"] - n * mean * of_y
            self._lines[number] = mean, of_y, product / squares if squares > 0 else 0.0
        return self._lines[number]

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """First and last date."""
        found = totals(self.counted([]), _ends([self.date]))
        return found["low0"], found["high0"]

    @property
    def _x(self) -> nw.Expr:
        """The date less the middle of all, in units of what they span; 0 for bad ones."""
        low, high = self._extent
        apart = (self.date.value - exactly(low + 0.5 * (high - low))) / exactly(high - low or 1.0)
        return nw.when(self.date.is_bad).then(nw.lit(0.0)).otherwise(apart)
