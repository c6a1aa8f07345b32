"""The dialects by name: native ones, and those that sqlglot translates to."""

from __future__ import annotations

from typing import Any, Literal, get_args

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.sql.clickhouse_dialect import ClickHouse
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.duckdb_dialect import DuckDB, Portable
from vtreat_py.sql.mysql_dialect import MySQL
from vtreat_py.sql.postgres_dialect import Postgres
from vtreat_py.sql.spark_dialect import Spark
from vtreat_py.sql.sqlite_dialect import SQLite

NativeDialect = Literal["duckdb", "sqlite", "postgres", "spark", "mysql", "clickhouse"]
_NATIVE: dict[str, Dialect] = dict(
    zip(
        get_args(NativeDialect),
        (DuckDB(), SQLite(), Postgres(), Spark(), MySQL(), ClickHouse()),
        strict=True,
    )
)
_UNVERIFIED = (
    "-- Unverified: translated by sqlglot from DuckDB's SQL to {dialect}; compare its numbers with "
    "prepare() before use.\n"
)


def native_dialect(name: str) -> Dialect | None:
    """Find a dialect that is written here; None: sqlglot translates to it."""
    if not isinstance(name, str):
        raise OptionTypeError(f"dialect={name!r} must be a name, such as 'duckdb'")
    if name in _NATIVE:
        return _NATIVE[name]
    known = sorted(d.value for d in _sqlglot().Dialects if d.value and d.value not in _NATIVE)
    if name not in known:
        raise InvalidOptionError(
            f"dialect={name!r}; tested are {', '.join(_NATIVE)}, and sqlglot translates to "
            f"{', '.join(known)}"
        )
    return None


def check_native(name: str) -> Dialect:
    """Find a dialect that is written here, and refuse others."""
    found = native_dialect(name)
    if found is None:
        raise InvalidOptionError(
            f"dialect={name!r} is translated, and cannot be run here; "
            f"those that can are {', '.join(_NATIVE)}"
        )
    return found


def source_dialect() -> Dialect:
    """Return the dialect that is translated to others."""
    return Portable()


def translated(sql: str, dialect: str) -> str:
    """Translate DuckDB's SQL; the text says that nobody has run it."""
    (found,) = _sqlglot().transpile(sql, read="duckdb", write=dialect, pretty=True)
    return _UNVERIFIED.format(dialect=dialect) + str(found)


def _sqlglot() -> Any:
    return optional_module("sqlglot", f"dialects other than {', '.join(_NATIVE)}")
