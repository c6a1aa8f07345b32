"""Tables out: CSV and Parquet, part by part, so that they need not fit into memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import csv, parquet

from vtreat_py.base.files import whole_file
from vtreat_py.command_line.errors import CommandLineError, about
from vtreat_py.frames.id_texts import is_uuid, uuid_texts
from vtreat_py.frames.lazy_frames import CSV, PARQUET

_COMPRESSION = {".gz": "gzip", ".zst": "zstd"}


def check_output(path: str | None, ends: tuple[str, ...] = (*CSV, *PARQUET)) -> None:
    """Refuse a file that cannot be written, before the work is done.

    Raises
    ------
    CommandLineError
        If its name does not tell what it is to be, or there is no such folder.
    """
    if path is None or path == "-":
        return
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise CommandLineError(f"{path}: there is no folder {folder!r}", names_file=True)
    if os.path.isdir(path):
        raise CommandLineError(f"{path}: this is a folder; name a file in it", names_file=True)
    if ends and not path.lower().endswith(ends):
        raise CommandLineError(
            f"{path}: the name says what is written; let it end in one of {', '.join(ends)}",
            names_file=True,
        )


def write_table(path: str, parts: Iterable[pa.RecordBatch]) -> int:
    """Write parts of a table as one; ``"-"`` is CSV on standard output.

    Returns
    -------
    int
        Number of rows.
    """
    rest = iter(parts)
    first = next(rest, None)
    if first is None:
        raise CommandLineError(f"{path}: there is nothing to write")
    n_rows = 0
    with _writer(path, first.schema) as write:
        for part in _with_first(first, rest):
            write(part)
            n_rows += len(part)
    return n_rows


def _with_first(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


@contextmanager
def _writer(path: str, schema: pa.Schema) -> Iterator[Any]:
    if path == "-":
        with _csv_writer(sys.stdout.buffer, schema, ",") as write:
            yield write
        sys.stdout.buffer.flush()
        return
    with _opened(path) as file:
        if path.lower().endswith(PARQUET):
            with parquet.ParquetWriter(file, schema) as writer:
                yield lambda part: writer.write_batch(_of_schema(part, schema))
            return
        how = _COMPRESSION.get(os.path.splitext(path)[1].lower())
        sign = "\t" if path.lower().endswith(".tsv") else ","
        if how is None:
            with _csv_writer(file, schema, sign) as write:
                yield write
            return
        with (
            open(os.dup(file.fileno()), "wb") as also,  # which the stream closes
            pa.CompressedOutputStream(pa.PythonFile(also, mode="w"), how) as packed,
            _csv_writer(packed, schema, sign) as write,
        ):
            yield write


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, and name it where it cannot be."""
    opening = whole_file(path)
    with about(path):
        file = opening.__enter__()
    try:
        yield file
    except BaseException as error:
        opening.__exit__(type(error), error, error.__traceback__)
        raise
    opening.__exit__(None, None, None)


@contextmanager
def _csv_writer(file: Any, schema: pa.Schema, sign: str) -> Iterator[Any]:
    plain = pa.schema([field.with_type(_plain(field.type)) for field in schema])
    try:
        with csv.CSVWriter(file, plain, write_options=csv.WriteOptions(delimiter=sign)) as writer:
            yield lambda part: writer.write_batch(_of_schema(_with_texts(part), plain))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as reason:
        raise CommandLineError(f"CSV cannot hold all of these columns: {reason}") from reason


def _of_schema(part: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A part as the first one was, which a file has one type of."""
    try:
        return part.cast(schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as reason:
        raise CommandLineError(
            f"a column is not of one type in all files or parts of the table: {reason}"
        ) from reason


def _with_texts(part: pa.RecordBatch) -> pa.RecordBatch:
    """A part whose UUIDs are text, as CSV has them."""
    columns = [uuid_texts(one) if is_uuid(one.type) else one for one in part.columns]
    return pa.RecordBatch.from_arrays(columns, part.schema.names)


def _plain(type_: pa.DataType) -> pa.DataType:
    if is_uuid(type_):
        return pa.large_string()
    return type_.value_type if pa.types.is_dictionary(type_) else type_
