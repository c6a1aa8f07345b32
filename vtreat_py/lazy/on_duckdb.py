"""Plain columns of a DuckDB relation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import duckdb
import pyarrow as pa

from vtreat_py.base.errors import FrameError
from vtreat_py.folds.text_ids import LIMIT
from vtreat_py.frames.calendar import LABELS
from vtreat_py.lazy.columns import EMPTY, LazyPart, PlainColumn
from vtreat_py.lazy.tables import Lookup

# What columns hold whose type narwhals does not know, by `type_name`.
KINDS = {'"NULL"': EMPTY, "TIME_NS": "time"}
UUIDS = ("UUID",)

# Numbers that a cast may round twice; as text they are read exactly.
_READ_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT")


def type_name(native: Any, name: str) -> str:
    """Name a type for messages."""
    return str(native.types[native.columns.index(name)])


def project(native: Any, wanted: Sequence[PlainColumn]) -> Any:
    """Select plain columns."""
    types = dict(zip(native.columns, map(str, native.types), strict=True))
    plain = (_plain(column, types[column.read_from]) for column in wanted)
    return native.project(
        ", ".join(f"{sql} AS {c.alias}" for sql, c in zip(plain, wanted, strict=True))
    )


def stepwise(native: Any, source: str, name: str, steps: Sequence[Callable[[Any], Any]]) -> Any:
    """Add a column that is computed of another, step by step."""
    every, number = duckdb.StarExpression(), duckdb.ColumnExpression(source)
    for step in steps:
        native = native.select(every, step(number).alias(name))
        every = duckdb.StarExpression(exclude=[name])
        number = duckdb.ColumnExpression(name)
    return native


def quoted(name: str) -> str:
    """Write a column name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _plain(column: PlainColumn, type_: str) -> str:
    if isinstance(column, LazyPart):
        return _part(column, type_)
    value, kind = quoted(column.name), column.kind
    if kind in ("as it is", "bytes"):
        return value
    if kind == "text":  # the connection may have a default collation that is blind to case
        return f"CAST({value} AS VARCHAR) COLLATE C"
    if kind == "integer":
        return f"CAST({value} AS BIGINT)"
    if kind == "text id":
        return f"CAST(md5_number(CAST({value} AS VARCHAR)) & {LIMIT - 1} AS BIGINT)"
    if kind == "number":
        text = f"CAST({value} AS VARCHAR)" if type_.startswith(_READ_AS_TEXT) else value
        return f"CAST({text} AS DOUBLE)"
    if kind == "date":
        return f"CASE WHEN isfinite({value}) THEN CAST({value} - DATE '1970-01-01' AS DOUBLE) END"
    if type_.endswith("_NS"):
        return _seconds(f"epoch_ns({value})", 10**9)
    return _seconds(f"epoch_us({value})", 10**6)  # null for infinite times


def _part(column: LazyPart, type_: str) -> str:
    """Text of a part of dates."""
    part, number = column.part, _plain(column.date, type_)
    if part.kind == "date":
        moment = f"(DATE '1970-01-01' + CAST({number} AS INTEGER))"
    elif part.offset is None:
        moment = f"timezone('{part.zone}', to_timestamp(floor({number})))"
    else:
        seconds = f"CAST(floor({number}) + {part.offset} AS BIGINT)"
        moment = f"(TIMESTAMP '1970-01-01' + to_seconds({seconds}))"
    if part.part == "is_month_end":
        day = f"day({moment} + INTERVAL 1 DAY)"
        text = f"CASE WHEN {day} = 1 THEN 'True' WHEN {day} > 1 THEN 'False' END"
    elif part.part in ("month", "weekday"):
        function = "isodow" if part.part == "weekday" else "month"
        text = f"({list(LABELS[part.part])})[{function}({moment})]"
    else:
        text = f"CAST({'weekofyear' if part.part == 'week' else part.part}({moment}) AS VARCHAR)"
    return f"{text} COLLATE C"


def _seconds(ticks: str, per_second: int) -> str:
    """Whole seconds and the rest apart, as in memory; % and // round towards zero."""
    rest = f"((({ticks} % {per_second}) + {per_second}) % {per_second})"
    whole = f"({ticks} - {rest}) // {per_second}"
    return f"CAST({whole} AS DOUBLE) + CAST({rest} AS DOUBLE) / {per_second}"


def look_up(native: Any, lookups: Sequence[Lookup]) -> Any:
    """Join small tables to a relation by one statement.

    Raises
    ------
    FrameError
        If the connection does not look at tables of Python's.
    """
    unlike = _unlike_any_table()
    tables = {f"{unlike}_{i}": lookup.table for i, lookup in enumerate(lookups)}
    wanted, joins = [f"{unlike}.*"], []
    for name, lookup in zip(tables, lookups, strict=True):
        keys = set(lookup.on.values())
        wanted += [f"{name}.{quoted(c)}" for c in lookup.table.column_names if c not in keys]
        equal = (f"{unlike}.{quoted(a)} = {name}.{quoted(b)}" for a, b in lookup.on.items())
        joins.append(f"LEFT JOIN {name} ON {' AND '.join(equal)}")
    query = f"SELECT {', '.join(wanted)} FROM {unlike} {' '.join(joins)}"
    return _query(native, unlike, query, tables)


def bring(native: Any, table: pa.Table) -> Any:
    """Make a small table a relation on the connection of the given one; raises as `look_up`."""
    name = _unlike_any_table()
    return _query(native, f"{name}_source", f"SELECT * FROM {name}", {name: table})


def _unlike_any_table() -> str:
    """Make a name: tables of the connection would be found before those of Python's."""
    return f"vtreat_py_{uuid4().hex}"


def _query(native: Any, name: str, query: str, tables: dict[str, pa.Table]) -> Any:
    """Query a relation under a name, and tables under names that it looks up in Python's frame."""
    frame = {"native": native, "name": name, "query": query, **tables}
    try:
        return eval("native.query(name, query)", frame)
    except duckdb.CatalogException as reason:
        raise FrameError(
            "the relation's connection has python_enable_replacements or enable_external_access "
            "switched off, so that DuckDB cannot read the plan's tables of levels; switch it on"
        ) from reason
