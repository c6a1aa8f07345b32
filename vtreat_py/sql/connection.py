"""A connection to an engine: tables go in, numbers come out, nothing temporary stays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vtreat_py.base.errors import FrameError, UnsupportedColumnError
from vtreat_py.sql.dialect import Dialect


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


def numbers_or_text(column: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Values of a column as objects where they are text, and else as floats, NaN for None."""
    if isinstance(column, np.ndarray) and column.dtype == np.float64:
        return column
    is_text = any(isinstance(value, str) for value in column)
    return np.array(column, dtype=object if is_text else np.float64)


def python_rows(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Read a table row by row, as Python's own values."""
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


def declared(table: pa.Table, dialect: Dialect) -> str:
    """List the columns of a table with their types."""
    return ", ".join(f"{dialect.quoted(f.name)} {_type_name(f, dialect)}" for f in table.schema)


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
