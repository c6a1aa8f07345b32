"""Connections to engines: tables go in, numbers come out, nothing temporary stays."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
from numpy.typing import NDArray

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    UnsupportedColumnError,
)
from vtreat_py.plan.data import Plan
from vtreat_py.sql.coding_tables import CodingPlace, coding_tables
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.dialects import check_native


class Connection(ABC):
    """A connection of the caller's, in whose transaction nothing is committed or undone.

    Attributes
    ----------
    dialect : Dialect
    told_by : str
        A method that such connections have, and cursors or connections of other engines lack.
    """

    dialect: Dialect
    told_by: str

    def __init__(self, native: Any) -> None:
        self.native = native
        self.loaded = ExitStack()  # of callbacks that drop what has no transaction

    def passing(self) -> AbstractContextManager[Any]:
        """Return a context in which `load` makes tables that are gone at its end."""
        return self.loaded

    @abstractmethod
    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary table."""

    @abstractmethod
    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a table that stays, unless there is one of that name."""

    def _named(self, schema: Sequence[str], name: str) -> str:
        return ".".join(map(self.dialect.quoted, (*schema, name)))

    def columns(self, query: str) -> list[NDArray[Any]]:
        """Run a query: a column each, of text or of numbers, in which NULL is NaN."""
        return [numbers_or_text(column) for column in zip(*self._rows(query), strict=True)]

    @abstractmethod
    def _rows(self, query: str) -> Any: ...


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
        rows = (tuple(map(_for_sqlite, row)) for row in _python_rows(table))
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
            cursor.execute(f"{make} {quoted} ({_declared(table, self.dialect)})")
            with cursor.copy(f"COPY {quoted} FROM STDIN") as copy:
                for row in _python_rows(table):
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
        declared = _declared(table, self.dialect)
        frame = self.native.createDataFrame(list(_python_rows(table)), declared)
        frame.createOrReplaceTempView(name)

    def _rows(self, query: str) -> Any:
        return [tuple(row) for row in self.native.sql(query).collect()]


class MySQLConnection(Connection):
    """A connection of any driver of MySQL or MariaDB, such as pymysql."""

    dialect = check_native("mysql")
    told_by = "cursor"

    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary table."""
        drop = f"DROP TEMPORARY TABLE IF EXISTS {self.dialect.quoted(name)}"
        self.loaded.callback(self._run, drop)
        self._fill("TEMPORARY TABLE", self.dialect.quoted(name), table)

    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a table that stays, with an index of its levels, of which text is kept as bytes."""
        of_schema = self.dialect.text(schema[-1]) if schema else "database()"
        known = f"SELECT count(*) FROM information_schema.tables WHERE table_schema = {of_schema}"
        if self._rows(f"{known} AND table_name = {self.dialect.text(name)}")[0][0]:
            return
        level, *_ = table.column_names
        is_number = pa.types.is_floating(table.schema.field(level).type)
        if not is_number:
            table = table.set_column(0, level, table.column(level).cast(pa.large_binary()))
        key = f", KEY ({self.dialect.quoted(level)}{'' if is_number else '(64)'})"
        quoted, made = self._named(schema, name), self._named(schema, f"{name}_new")
        try:
            self._fill("TABLE", made, table, key)
            self._run(f"RENAME TABLE {made} TO {quoted}")
        except BaseException:
            self._run(f"DROP TABLE IF EXISTS {made}")
            raise

    def _fill(self, what: str, quoted: str, table: pa.Table, key: str = "") -> None:
        self._run(f"CREATE {what} {quoted} ({_declared(table, self.dialect)}{key})")
        marks = ", ".join(["%s"] * table.num_columns)
        rows = [tuple(map(_for_mysql, row)) for row in _python_rows(_in_utc(table))]
        if rows:
            self._run(f"INSERT INTO {quoted} VALUES ({marks})", rows)

    def _rows(self, query: str) -> Any:
        with closing(self.native.cursor()) as cursor:
            cursor.execute(query)
            return cursor.fetchall()

    def _run(self, statement: str, rows: list[tuple[Any, ...]] | None = None) -> None:
        with closing(self.native.cursor()) as cursor:
            if rows is None:
                cursor.execute(statement)
            else:
                cursor.executemany(statement, rows)


class ClickHouseConnection(Connection):
    """A session or a connection of chdb, which reads Arrow files."""

    dialect = check_native("clickhouse")
    told_by = "query"

    def load(self, name: str, table: pa.Table) -> None:
        """Make a temporary table."""
        quoted = self.dialect.quoted(name)
        self.loaded.callback(self.native.query, f"DROP TEMPORARY TABLE IF EXISTS {quoted}")
        self._fill(f"CREATE TEMPORARY TABLE {quoted} ENGINE = Memory", table)

    def create(self, schema: Sequence[str], name: str, table: pa.Table) -> None:
        """Make a table that stays, sorted by its levels."""
        quoted, made = self._named(schema, name), self._named(schema, f"{name}_new")
        if self._rows(f"EXISTS TABLE {quoted}")[0][0]:
            return
        level = self.dialect.quoted(table.column_names[0])
        try:
            self._fill(
                f"CREATE TABLE {made} ENGINE = MergeTree ORDER BY {level} "
                "SETTINGS allow_nullable_key = 1",
                table,
            )
            self.native.query(f"RENAME TABLE {made} TO {quoted}")
        except BaseException:
            self.native.query(f"DROP TABLE IF EXISTS {made}")
            raise

    def _fill(self, make: str, table: pa.Table) -> None:
        with TemporaryDirectory() as folder:
            path = os.path.join(folder, "table.arrow")
            with pa.ipc.new_file(path, table.schema) as file:
                file.write_table(table)
            self.native.query(f"{make} AS SELECT * FROM file({self.dialect.text(path)}, 'Arrow')")

    def _rows(self, query: str) -> Any:
        found = self.native.query(query, "Arrow").bytes()
        if not found:
            return []
        table = pa.ipc.open_file(pa.BufferReader(found)).read_all()
        return list(_python_rows(table))


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


def numbers_or_text(column: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Values of a column as objects where they are text, and else as floats, NaN for None."""
    if isinstance(column, np.ndarray) and column.dtype == np.float64:
        return column
    is_text = any(isinstance(value, str) for value in column)
    return np.array(column, dtype=object if is_text else np.float64)


def _python_rows(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            columns.append(column.to_pylist())
        except (OverflowError, ValueError) as reason:  # such as a year after 9999
            raise FrameError(
                f"column {name!r} holds what cannot be loaded through Python's types: {reason}. "
                "Leave it out with variables="
            ) from reason
    return zip(*columns, strict=True)


def _declared(table: pa.Table, dialect: Dialect) -> str:
    """List the columns of a table with their types."""
    return ", ".join(f"{dialect.quoted(f.name)} {_type_name(f, dialect)}" for f in table.schema)


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


def _for_mysql(value: Any) -> Any:
    """Turn what MySQL has no value for, NaN and infinities, into NULL: bad numbers like it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _in_utc(table: pa.Table) -> pa.Table:
    """Turn points in time into what the clock of UTC shows."""
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            plain = table.column(place).cast(pa.timestamp(field.type.unit))
            table = table.set_column(place, field.name, plain)
    return table


def _is_naive(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is None


# Names of types in PostgreSQL, Spark and MySQL.
_TYPES: list[tuple[Callable[[pa.DataType], bool], str, str | None, str | None]] = [
    (pa.types.is_boolean, "boolean", "boolean", "boolean"),
    (pa.types.is_large_string, "text", "string", "longtext CHARACTER SET utf8mb4"),
    (pa.types.is_large_binary, "bytea", "binary", "longblob"),
    (pa.types.is_float32, "real", "float", "float"),
    (pa.types.is_floating, "float8", "double", "double"),
    (pa.types.is_uint64, "numeric", "decimal(20, 0)", "bigint unsigned"),
    (pa.types.is_integer, "bigint", "bigint", "bigint"),
    (pa.types.is_decimal, "numeric", *["decimal({kind.precision}, {kind.scale})"] * 2),
    (pa.types.is_date, "date", "date", "date"),
    (_is_naive, "timestamp", "timestamp_ntz", "datetime(6)"),
    (pa.types.is_timestamp, "timestamptz", "timestamp", "datetime(6)"),
    (pa.types.is_duration, "interval", "interval day to second", None),
    (pa.types.is_time, "time", None, "time(6)"),
]


def _type_name(field: pa.Field, dialect: Dialect) -> str:
    for test, *names in _TYPES:
        name = names[("postgres", "spark", "mysql").index(dialect.name)]
        if name is not None and test(field.type):
            return name.format(kind=field.type)
    raise UnsupportedColumnError(field.name, f"values of type {field.type}")
