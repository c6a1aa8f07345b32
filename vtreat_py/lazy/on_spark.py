"""Plain columns of a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pyarrow as pa
from pyspark.sql import functions

from vtreat_py.folds.text_ids import HEX_PLACES
from vtreat_py.frames.calendar import LABELS
from vtreat_py.lazy.columns import EMPTY, LazyPart, PlainColumn

_UNITS = ("day", "hour", "minute", "second")
_SPANS = [*combinations(_UNITS, 1), *combinations(_UNITS, 2)]
# What columns hold whose type narwhals does not know, by `type_name`.
KINDS = {"void": EMPTY} | {f"interval {' to '.join(units)}": "duration" for units in _SPANS}
UUIDS = ()  # they are text

# What the driver takes of one answer, in bytes or with a unit; 0: anything.
LARGEST_ANSWER = "spark.driver.maxResultSize"
_UNITS_OF_SIZE = {unit: 1024**power for power, unit in enumerate("bkmgtp")}
# Up to this many rows a table goes to every worker, so that the rows need not be shuffled.
_BROADCAST = 100_000


def type_name(native: Any, name: str) -> str:
    """Name a type for messages."""
    return str(native.schema[native.columns.index(name)].dataType.simpleString())


def project(native: Any, wanted: Sequence[PlainColumn]) -> Any:
    """Select plain columns."""
    plain = (
        functions.expr(_plain(c, type_name(native, c.read_from))).alias(c.alias) for c in wanted
    )
    return native.select(*plain)


def stepwise(native: Any, source: str, name: str, steps: Sequence[Callable[[Any], Any]]) -> Any:
    """Add a column that is computed of another, step by step."""
    for step in steps:
        native, source = native.withColumn(name, step(functions.col(source))), name
    return native


def largest_answer(native: Any) -> int | None:
    """Bytes of the largest answer that a session hands over; None: any."""
    text = str(native.sparkSession.conf.get(LARGEST_ANSWER, "1g")).strip().lower()
    number = text.rstrip("bkmgtp")
    unit = text[len(number) :][:1] or "b"
    return int(number) * _UNITS_OF_SIZE[unit] or None


def sizes_of_levels(native: Any) -> list[tuple[int, float]]:
    """Number of different values of each column, about, and bytes of a value in the mean."""
    asked = []
    for name in native.columns:
        value = functions.col(name)
        asked += [
            functions.approx_count_distinct(value),
            functions.avg(functions.octet_length(value)),
        ]
    (found,) = native.select(*asked).collect()
    return [(int(n), float(size or 0.0)) for n, size in zip(found[::2], found[1::2], strict=True)]


def quoted(name: str) -> str:
    """Write a column name in SQL."""
    return "`" + name.replace("`", "``") + "`"


def _plain(column: PlainColumn, type_: str) -> str:
    if isinstance(column, LazyPart):
        return _part(column, type_)
    value, kind = quoted(column.name), column.kind
    if kind in ("as it is", "bytes"):
        return value
    if kind == "text":
        return f"collate({value}, 'UTF8_BINARY')" if "collate" in type_ else value
    if kind == "integer":
        return f"CAST({value} AS BIGINT)"
    if kind == "text id":
        mixed = f"md5(CAST({value} AS BINARY))"
        digits = ", ".join(f"substr({mixed}, {first}, {n})" for first, n in HEX_PLACES)
        return f"CAST(conv(concat({digits}), 16, 10) AS BIGINT)"
    if kind == "number":
        if type_.startswith("decimal"):  # as text the number is read exactly
            value = f"CAST({value} AS STRING)"
        return f"CAST({value} AS DOUBLE)"
    if kind == "date":
        return f"CAST(unix_date({value}) AS DOUBLE)"
    return _seconds(_micros(value, kind, type_))


def _part(column: LazyPart, type_: str) -> str:
    """Text of a part of dates."""
    part, value = column.part, quoted(column.date.name)
    seconds = f"CAST(unix_date({value}) AS BIGINT) * 86400L"
    if part.kind == "datetime":
        micros = _micros(value, "datetime", type_)
        seconds = f"((({micros}) - pmod({micros}, 1000000L)) div 1000000L + {part.offset or 0}L)"
        if part.offset is None:
            moment = f"timestamp_seconds({seconds})"
            seconds = f"unix_seconds(from_utc_timestamp({moment}, '{part.zone}'))"
    if part.part == "hour":
        return f"CAST(pmod({seconds}, 86400L) div 3600L AS STRING)"
    if part.part == "is_month_end":
        seconds = f"({seconds} + 86400L)"
    date = f"date_from_unix_date(CAST(floor({seconds} / 86400D) AS INT))"
    if part.part == "is_month_end":
        return f"CASE WHEN day({date}) = 1 THEN 'True' WHEN day({date}) > 1 THEN 'False' END"
    if part.part in ("month", "weekday"):
        place = f"weekday({date}) + 1" if part.part == "weekday" else f"month({date})"
        names = enumerate(LABELS[part.part], start=1)
        return f"CASE {place} {' '.join(f'WHEN {i} THEN {name!r}' for i, name in names)} END"
    return f"CAST({'weekofyear' if part.part == 'week' else part.part}({date}) AS STRING)"


def _micros(value: str, kind: str, type_: str) -> str:
    """Microseconds of a time; of one without zone as its clock says, whatever the session's."""
    if type_ == "timestamp":
        return f"unix_micros({value})"
    if kind == "duration":
        return f"CAST(CAST(CAST({value} AS INTERVAL SECOND) AS DECIMAL(20, 6)) * 1000000 AS BIGINT)"
    seconds = f"CAST(extract(SECOND FROM {value}) * 1000000 AS BIGINT)"
    minutes = f"(hour({value}) * 60L + minute({value})) * 60000000L + {seconds}"
    if kind == "time":
        return minutes
    return f"unix_date(CAST({value} AS DATE)) * 86400000000L + {minutes}"


def _seconds(micros: str) -> str:
    """Whole seconds and the rest apart, as in memory."""
    rest = f"pmod({micros}, 1000000L)"
    whole = f"(({micros}) - {rest}) div 1000000L"
    return f"CAST({whole} AS DOUBLE) + CAST({rest} AS DOUBLE) / 1000000D"


def bring(native: Any, table: pa.Table) -> Any:
    """Make a small table a frame of the session; very small ones are copied to all workers."""
    frame = native.sparkSession.createDataFrame(table)
    return functions.broadcast(frame) if table.num_rows <= _BROADCAST else frame
