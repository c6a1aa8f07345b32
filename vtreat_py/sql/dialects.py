"""The dialects by name: those that tests execute, and those that are written by rules alone."""

from __future__ import annotations

from typing import Literal, get_args

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.sql.bigquery_dialect import BigQuery
from vtreat_py.sql.clickhouse_dialect import ClickHouse
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.duckdb_dialect import DuckDB
from vtreat_py.sql.mysql_dialect import MySQL
from vtreat_py.sql.oracle_dialect import Oracle
from vtreat_py.sql.postgres_dialect import Postgres
from vtreat_py.sql.redshift_dialect import Redshift
from vtreat_py.sql.snowflake_dialect import Snowflake
from vtreat_py.sql.spark_dialect import Databricks, Spark
from vtreat_py.sql.sqlite_dialect import SQLite
from vtreat_py.sql.trino_dialect import Athena, Trino
from vtreat_py.sql.tsql_dialect import TSQL

NativeDialect = Literal["duckdb", "sqlite", "postgres", "spark", "mysql", "clickhouse"]
WrittenDialect = Literal[
    "snowflake", "bigquery", "tsql", "redshift", "trino", "athena", "databricks", "oracle"
]
_NATIVE: dict[str, Dialect] = dict(
    zip(
        get_args(NativeDialect),
        (DuckDB(), SQLite(), Postgres(), Spark(), MySQL(), ClickHouse()),
        strict=True,
    )
)
_WRITTEN: dict[str, Dialect] = dict(
    zip(
        get_args(WrittenDialect),
        (
            Snowflake(),
            BigQuery(),
            TSQL(),
            Redshift(),
            Trino(),
            Athena(),
            Databricks(),
            Oracle(),
        ),
        strict=True,
    )
)


def check_dialect(name: str) -> Dialect:
    """Find a dialect, and refuse one that nothing is known about."""
    if not isinstance(name, str):
        raise OptionTypeError(f"dialect={name!r} must be a name, such as 'duckdb'")
    found = (_NATIVE | _WRITTEN).get(name)
    if found is None:
        raise InvalidOptionError(
            f"dialect={name!r} is not known; tests execute {', '.join(_NATIVE)} (mysql is MariaDB, "
            f"too), and by rules alone there are {', '.join(_WRITTEN)}"
        )
    return found


def check_native(name: str) -> Dialect:
    """Find a dialect that queries are run in here, and refuse others."""
    found = check_dialect(name)
    if not found.executed:
        raise InvalidOptionError(
            f"dialect={name!r} is written, and cannot be run here; those that can are "
            f"{', '.join(_NATIVE)}. Compare the result of the query with prepare()"
        )
    return found
