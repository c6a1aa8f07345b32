"""A statement on any of the connections that tests have."""

from __future__ import annotations

from typing import Any


def run(connection: Any, statement: str, dialect: str) -> list[tuple[Any, ...]]:
    """Run a statement; return its rows."""
    if dialect == "spark":
        return [tuple(row) for row in connection.sql(statement).collect()]
    if dialect == "mysql":
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())
    if dialect == "clickhouse":
        lines = connection.query(statement, "Arrow").bytes()
        return [] if not lines else arrow_rows(lines)
    done = connection.execute(statement)
    return [] if done.description is None else list(done.fetchall())


def arrow_rows(found: bytes) -> list[tuple[Any, ...]]:
    import pyarrow as pa
    from pyarrow import ipc

    table = ipc.open_file(pa.BufferReader(found)).read_all()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
