"""Plain columns of a polars LazyFrame."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from vtreat_py.folds.text_ids import numbers_of_texts
from vtreat_py.frames.calendar import LABELS, UTC
from vtreat_py.lazy.columns import EMPTY, LazyPart, PlainColumn

# What columns hold whose type narwhals does not know, by `type_name`.
KINDS = {"Null": EMPTY}
UUIDS = ()  # polars has none

_TYPES = {"text": pl.String(), "integer": pl.Int64(), "number": pl.Float64()}
_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def type_name(native: pl.LazyFrame, name: str) -> str:
    """Name a type for messages."""
    return str(native.collect_schema()[name])


def project(native: pl.LazyFrame, wanted: Sequence[PlainColumn]) -> pl.LazyFrame:
    """Select plain columns."""
    return native.select(_plain(column).alias(column.alias) for column in wanted)


def _plain(column: PlainColumn) -> pl.Expr:
    if isinstance(column, LazyPart):
        return _part(column)
    value, kind = pl.col(column.name), column.kind
    if kind in ("as it is", "bytes"):
        return value
    if kind == "number" and column.dtype.is_decimal():  # as text the number is read exactly
        value = value.cast(pl.String)
    if kind in _TYPES:
        return value.cast(_TYPES[kind])
    if kind == "text id":
        return value.cast(pl.String).map_batches(_numbers, pl.Int64(), is_elementwise=True)
    ticks = value.to_physical().cast(pl.Int64)
    if kind == "date":
        return ticks.cast(pl.Float64)
    return _seconds(ticks, 10**9 if kind == "time" else _TICKS[column.dtype.time_unit])


def _numbers(texts: pl.Series) -> pl.Series:
    return pl.Series(texts.name, numbers_of_texts(texts.to_arrow()))


def _part(column: LazyPart) -> pl.Expr:
    """Text of a part of dates."""
    part, moment = column.part, pl.col(column.date.name)
    if part.kind == "datetime":
        if column.dtype.time_zone is None:
            moment = moment.dt.replace_time_zone(UTC)
        moment = moment.dt.convert_time_zone(UTC if part.offset is not None else part.zone)
        moment = moment.dt.replace_time_zone(None) + pl.duration(seconds=part.offset or 0)
    if part.part == "is_month_end":
        day = moment.dt.offset_by("1d").dt.day()
        return pl.when(day == 1).then(pl.lit("True")).when(day > 1).then(pl.lit("False"))
    number: pl.Expr = getattr(moment.dt, part.part)()
    names = {"month": LABELS["month"], "weekday": LABELS["weekday"]}.get(part.part)
    if names is None:
        return number.cast(pl.String)
    return number.replace_strict(list(range(1, len(names) + 1)), list(names), default=None)


def _seconds(ticks: pl.Expr, per_second: int) -> pl.Expr:
    """Whole seconds and the rest apart, as in memory; polars rounds both divisions down."""
    rest = (ticks % per_second).cast(pl.Float64) / float(per_second)
    seconds: pl.Expr = (ticks // per_second).cast(pl.Float64) + rest
    return seconds


def bring(_native: pl.LazyFrame, table: pa.Table) -> pl.LazyFrame:
    """Make a small table a frame of the engine."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame.lazy()
