"""Connections to engines, by the type of what the caller has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import (
    InvalidOptionError,
    OptionTypeError,
)
from vtreat_py.plan.data import Plan
from vtreat_py.sql.clickhouse_connection import ClickHouseConnection
from vtreat_py.sql.coding_tables import CodingPlace, coding_tables
from vtreat_py.sql.connection import Connection, declared, python_rows
from vtreat_py.sql.dialects import check_native
from vtreat_py.sql.mysql_connection import MySQLConnection


class DuckDBConnection(Connection):
    """A connection of DuckDB, which reads Arrow tables where they are."""

    dialect = check_native("duckdb")
    told_by = "register"

    def __init__(self, native: Any) -> None:
        super().__init__(native)
        try:
            native.sql("SELECT 1").fetchall()  # execute would lose a result that is not read
        except optional_module("duckdb", "its connections").Error as reason:
            raise InvalidOptionError(
                f"connection is closed, or busy with a result that is not read yet: {reason}"
            ) from reason

    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary view of an Arrow table."""
        self.native.register(name, table)
        self.loaded.callback(self.native.unregister, name)

    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a table that stays."""
        with self.passing():
            self.load(view := f"{name}_arrow", table)
            quoted, read = self._named(schema, name), self.dialect.quoted(view)
            self.native.execute(f"CREATE TABLE IF NOT EXISTS {quoted} AS SELECT * FROM {read}")

    def _rows(self, query: str) -> Any:
        return self.native.execute(query).fetchall()


class SQLiteConnection(Connection):
    """A connection of Python's sqlite3."""

    dialect = check_native("sqlite")
    told_by = "cursor"

    def passing(self) -> AbstractContextManager[Any]:
        """Return a context that is undone at its end."""
        return self._savepoint(keep=False)

    @contextmanager
    def _savepoint(self, *, keep: bool) -> Iterator[None]:
        """What is done inside is undone, or kept unless there is an error."""
        self.native.execute("SAVEPOINT vtreat")
        try:
            yield
        except BaseException:
            keep = False
            raise
        finally:
            if not keep:
                self.native.execute("ROLLBACK TO vtreat")
            self.native.execute("RELEASE vtreat")

    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary table."""
        self._fill(f"temp.{self.dialect.quoted(name)}", table)

    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a table that stays, with an index of its levels."""
        schema = schema or ("main",)
        known = f"SELECT count(*) FROM {self._named(schema, 'sqlite_master')} WHERE name = ?"
        if self._cursor().execute(known, (name,)).fetchone()[0]:
            return
        with self._savepoint(keep=True):
            self._fill(self._named(schema, name), table)
            level, quoted = self.dialect.quoted(table.column_names[0]), self.dialect.quoted(name)
            index = self._named(schema, f"{name}_{table.column_names[0]}")
            self.native.execute(f"CREATE UNIQUE INDEX {index} ON {quoted} ({level})")

    def _rows(self, query: str) -> Any:
        return self._cursor().execute(query).fetchall()

    def _cursor(self) -> Any:
        cursor = self.native.cursor()
        cursor.row_factory = None  # rows are tuples, whatever they are to the caller
        return cursor

    def _fill(self, quoted: str, table: pa.Table) -> None:
        # Columns have no types: values keep theirs, and text stays text in comparisons.
        names = ", ".join(map(self.dialect.quoted, table.column_names))
        self.native.execute(f"CREATE TABLE {quoted} ({names})")
        marks = ", ".join("?" * table.num_columns)
        rows = (tuple(map(_for_sqlite, row)) for row in python_rows(table))
        self.native.executemany(f"INSERT INTO {quoted} VALUES ({marks})", rows)


class PostgresConnection(Connection):
    """A connection of psycopg."""

    dialect = check_native("postgres")
    told_by = "transaction"

    def passing(self) -> AbstractContextManager[Any]:
        """Return a context that is undone at its end."""
        undone: AbstractContextManager[Any] = self.native.transaction(force_rollback=True)
        return undone

    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary table."""
        self._fill("CREATE TEMPORARY TABLE", self.dialect.quoted(name), table)

    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a table that stays."""
        with self.native.transaction(), self._cursor() as cursor:
            quoted = self._named(schema, name)
            if cursor.execute("SELECT to_regclass(%s)", (quoted,)).fetchone()[0] is None:
                self._fill("CREATE TABLE", quoted, table)
                cursor.execute(f"ANALYZE {quoted}")

    def _rows(self, query: str) -> Any:
        with self._cursor() as cursor:
            return cursor.execute(query).fetchall()

    def _cursor(self) -> Any:
        from psycopg.rows import tuple_row

        return self.native.cursor(row_factory=tuple_row)

    def _fill(self, make: str, quoted: str, table: pa.Table) -> None:
        with self._cursor() as cursor:
            cursor.execute(f"{make} {quoted} ({declared(table, self.dialect)})")
            with cursor.copy(f"COPY {quoted} FROM STDIN") as copy:
                for row in python_rows(table):
                    copy.write_row(row)


class SparkConnection(Connection):
    """A Spark session. What it is given is a view of the session, and goes with it."""

    dialect = check_native("spark")
    told_by = "createDataFrame"

    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary view."""
        self.create((), name, table)
        self.loaded.callback(self.native.catalog.dropTempView, name)

    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a view that stays as long as the session."""
        if schema:
            raise InvalidOptionError(
                "coding tables are temporary views of a Spark session, which are in no schema; "
                "leave coding_schema out, or write the frames of coding_tables() as tables"
            )
        rows, columns = list(python_rows(table)), declared(table, self.dialect)
        frame = self.native.createDataFrame(rows, columns)
        frame.createOrReplaceTempView(name)

    def _rows(self, query: str) -> Any:
        return [tuple(row) for row in self.native.sql(query).collect()]


_KINDS = (
    DuckDBConnection,
    SQLiteConnection,
    PostgresConnection,
    SparkConnection,
    MySQLConnection,
    ClickHouseConnection,
)
_DIALECT_OF = {
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "sqlite3": "sqlite",
    "psycopg": "postgres",
    "pyspark": "spark",
    "pymysql": "mysql",
    "MySQLdb": "mysql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "chdb": "clickhouse",
}


def connected(native: Any, dialect: str | None = None) -> Connection:
    """Wrap a connection of a type that is known, or of the dialect that is given."""
    if dialect is None:
        packages = [c.__module__.partition(".")[0] for c in type(native).__mro__]
        dialect = next((_DIALECT_OF[p] for p in packages if p in _DIALECT_OF), None)
    if dialect is None:
        raise OptionTypeError(
            f"connection is of type {type(native).__name__}; give a connection of duckdb, sqlite3, "
            "psycopg, pymysql or chdb, or a Spark session, or say what it talks to by dialect="
        )
    check_native(dialect)
    kind = next(kind for kind in _KINDS if kind.dialect.name == dialect)
    if not hasattr(native, kind.told_by):
        raise OptionTypeError(
            f"connection is of type {type(native).__name__}, which is no connection to {dialect} "
            "(it may be a cursor, or dialect= may be that of another engine)"
        )
    return kind(native)


def load_coding_tables(
    plan: Plan, connection: Connection, place: CodingPlace, query: str | None
) -> list[str]:
    """Make the coding tables of a plan; see `TreatmentPlan.load_coding_tables`."""
    tables = coding_tables(plan, plan.treatments, query, connection.dialect)
    for table in tables:
        connection.create(place.schema, table.name, table.to_arrow(connection.dialect))
    return [table.name for table in tables]


def _for_sqlite(value: Any) -> Any:
    """Turn a Python value into one that SQLite has; dates and times into ISO text."""
    if type(value) is int and value > _LARGEST_INTEGER:
        return float(value)
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return float(value)


_LARGEST_INTEGER = 2**63 - 1  # of SQLite
