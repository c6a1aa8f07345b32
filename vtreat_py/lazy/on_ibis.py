"""Plain columns of an Ibis table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis
import pyarrow as pa

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.folds.text_ids import HEX_PLACES
from vtreat_py.frames.calendar import LABELS, CalendarPart
from vtreat_py.lazy.columns import EMPTY, LazyPart, PlainColumn

# What columns hold whose type narwhals does not know, by `type_name`.
KINDS = {"null": EMPTY}
UUIDS = ("uuid",)

_TYPES = {"text": "string", "integer": "int64", "number": "float64"}


def type_name(native: Any, name: str) -> str:
    """Name a type for messages."""
    return str(native.schema()[name])


def project(native: Any, wanted: Sequence[PlainColumn]) -> Any:
    """Select plain columns."""
    return native.select(
        **{
            c.alias: _part(native[c.date.name], c.part)
            if isinstance(c, LazyPart)
            else _plain(native[c.name], c)
            for c in wanted
        }
    )


def _plain(value: Any, column: PlainColumn) -> Any:
    kind = column.kind
    if kind in ("as it is", "bytes"):
        return value
    if kind == "number" and column.dtype.is_decimal():  # as text the number is read exactly
        value = value.cast("string")
    if kind in _TYPES:
        return value.cast(_TYPES[kind])
    if kind == "text id":
        return _number_of_id(value, column.name)
    if kind == "date":
        return value.epoch_days().cast("float64")
    if kind == "datetime":
        return _with_rest(value.truncate("s").epoch_seconds(), value)
    if kind == "time":
        return _with_rest((value.hour() * 60 + value.minute()) * 60 + value.second(), value)
    return value.total_seconds().cast("float64")


def _number_of_id(value: Any, name: str) -> Any:
    """Whole number of a text."""
    backend = value.get_backend().name
    if backend != "duckdb":
        raise InvalidOptionError(
            f"row_id={name!r} is of type {value.type()}; on {backend} by Ibis it must hold "
            "integers, as text is made numbers by what DuckDB alone has"
        )
    mixed = value.cast("string").hexdigest("md5")
    digits = (mixed.substr(first - 1, n) for first, n in HEX_PLACES)
    return ibis.literal("0x").concat(*digits).cast("int64")


def _part(moment: Any, part: CalendarPart) -> Any:
    """Text of a part of dates."""
    if part.offset:
        moment = moment + ibis.interval(seconds=part.offset)
    if part.part == "is_month_end":
        day = (moment.date() if part.kind == "datetime" else moment) + ibis.interval(days=1)
        return ibis.cases((day.day() == 1, "True"), (day.day() > 1, "False"))
    if part.part == "weekday":
        number = moment.day_of_week.index() + 1
    elif part.part == "week":
        number = moment.week_of_year()
    else:
        number = getattr(moment, part.part)()
    if part.part in ("month", "weekday"):
        names = enumerate(LABELS[part.part], start=1)
        return ibis.cases(*((number == place, name) for place, name in names))
    return number.cast("string")


def _with_rest(whole: Any, value: Any) -> Any:
    """Whole seconds and the rest apart, as in memory."""
    return whole.cast("float64") + value.microsecond().cast("float64") / 1e6


def bring(_native: Any, table: pa.Table) -> Any:
    """Make a small table an expression, which goes to the backend with the query."""
    return ibis.memtable(table)
