"""Connections to MySQL and MariaDB."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pyarrow as pa

from vtreat_py.sql.connection import Connection, declared, python_rows
from vtreat_py.sql.dialects import check_native


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
        self._run(f"CREATE {what} {quoted} ({declared(table, self.dialect)}{key})")
        marks = ", ".join(["%s"] * table.num_columns)
        rows = [tuple(map(_for_mysql, row)) for row in python_rows(_in_utc(table))]
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
