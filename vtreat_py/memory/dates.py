"""Columns of dates in memory: their parts, and outcomes without the trend along them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.base.warn import warn
from vtreat_py.frames.calendar import UTC, CalendarPart, Part, is_known, named_parts
from vtreat_py.frames.columns import CodedColumn, Column, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.made import calendar_parts_of
from vtreat_py.frames.reading import Held

_DATES = ("date", "datetime")


def parts_of_dates(
    source: InputFrame,
    names: Iterable[Hashable],
    wanted: Sequence[Part] | None,
    counted: IntArray | slice,
) -> dict[Hashable, list[CalendarPart]]:
    """Make the parts of columns of dates, of those named, by the rows that count."""
    plain = [name for name in names if name not in source.categorical]
    found = {name: _extent(source, name, counted) for name in plain}
    dates = {name: extent for name, extent in found.items() if extent is not None}
    found_parts = named_parts(dates, source.columns, wanted)
    if wanted is not None:
        return found_parts
    return {
        name: [
            one for one in made if one.part != "hour" or _has_hours(source.read(name), one, counted)
        ]
        for name, made in found_parts.items()
    }


def _has_hours(dates: Column, hour: CalendarPart, counted: IntArray | slice) -> bool:
    """Whether rows are of different hours: those of days at midnight are not."""
    part = hour.of(dates)
    assert isinstance(part, CodedColumn)
    codes = part.codes[counted]
    present = codes[codes >= 0]
    return bool((present != present[0]).any())


def _extent(
    source: InputFrame, name: Hashable, counted: IntArray | slice
) -> tuple[str, str, float, float] | None:
    """Kind, zone, first and last of a column of dates; None of another, or one without dates."""
    if not _may_be_dates(source.held(name)):
        return None
    column = source.read(name)
    if not isinstance(column, NumericColumn) or column.kind not in _DATES:
        return None
    numbers = _good(column, counted)
    if not len(numbers):
        return None
    zone = _zone(source.series(name)) or UTC
    if not is_known(zone):
        warn(
            f"column {name!r} is in the time zone {zone}, which is no name of the time zone "
            "database: it is a number only. Convert it to one that is, such as 'Europe/Rome', or "
            "to UTC"
        )
        return None
    return column.kind, zone, float(numbers.min()), float(numbers.max())


def _zone(series: nw.Series[Any]) -> str | None:
    """Name of the time zone of a column, as its own library has it, if it has one."""
    native: Any = series.to_native()
    dtype = getattr(native, "dtype", None)
    if isinstance(dtype, pd.ArrowDtype):
        return getattr(dtype.pyarrow_dtype, "tz", None)
    if not isinstance(dtype, pd.DatetimeTZDtype):
        return getattr(series.dtype, "time_zone", None)
    fixed = dtype.tz.utcoffset(None)
    return str(dtype.tz) if fixed is None else str(dt.timezone(fixed))


def warn_of_lost_zones(source: InputFrame, columns: Iterable[Hashable]) -> None:
    """Say so where points in time lack the zone by whose clock columns are made of them."""
    parts = calendar_parts_of(columns, source.made.values())
    for part in {part.column: part for part in parts if part.needs_zone}.values():
        series = source.series(part.column)
        if _may_be_dates(source.held(part.column)) and not (
            series.is_null().all() or _has_zone(series)
        ):
            part.warn_of_lost_zone()


def _has_zone(series: nw.Series[Any]) -> bool:
    native: Any = series.to_native()
    if isinstance(native, pd.Series) and native.dtype == object:
        first = native[native.notna()].iloc[0]
        return getattr(first, "tzinfo", None) is not None
    return _zone(series) is not None


def _may_be_dates(column: Held) -> bool:
    if not isinstance(column, pd.Series):
        return column.dtype.is_temporal() or column.dtype == nw.Unknown
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype | pd.StringDtype):
        return False  # pandas hashes categories, and cannot those with lone surrogates
    if not isinstance(dtype, np.dtype):
        return _may_be_dates(nw.from_native(column, series_only=True))
    if dtype.kind != "O":
        return dtype.kind == "M"
    known = (
        value
        for value in column
        if not (isinstance(value, float) or value is None or value is pd.NA)
    )
    return isinstance(next(known, None), dt.date | np.datetime64)


def without_trend(y: NumberArray, x: FloatArray, weight: FloatArray | None) -> FloatArray:
    """What a line along the numbers x, by least squares, leaves of the outcome."""
    x = x - np.average(x, weights=weight)
    apart = y - np.average(y, weights=weight)
    w = np.ones(len(x)) if weight is None else weight
    squares = float((w * x * x).sum())
    slope = float((w * x * apart).sum()) / squares if squares > 0 else 0.0
    return np.asarray(apart - slope * x)


def filled(column: NumericColumn, counted: IntArray | slice) -> FloatArray:
    """The dates of a column as numbers, bad ones in the middle between first and last."""
    numbers = column.values.astype(np.float64)
    if column.bad is None:
        return numbers
    good = _good(column, counted).astype(np.float64)
    return np.where(column.bad, good.min() + 0.5 * (good.max() - good.min()), numbers)


def _good(column: NumericColumn, counted: IntArray | slice) -> NumberArray:
    """The dates of rows that count."""
    numbers = column.values[counted]
    return numbers if column.bad is None else numbers[~column.bad[counted]]
