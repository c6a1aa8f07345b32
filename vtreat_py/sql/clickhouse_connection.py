"""Connections to ClickHouse in this process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from vtreat_py.sql.connection import Connection, python_rows
from vtreat_py.sql.dialects import check_native


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
        return list(python_rows(table))
