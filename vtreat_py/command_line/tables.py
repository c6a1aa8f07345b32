"""Tables, in memory, in parts, or left on the disk for DuckDB."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import pyarrow as pa
from pyarrow import parquet

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import counted, listed, meant
from vtreat_py.command_line.csv_files import CsvFile
from vtreat_py.command_line.csv_types import SeenFields, fields_of_plan, held, mixed
from vtreat_py.command_line.errors import CommandLineError
from vtreat_py.frames.lazy_frames import CSV, PARQUET
from vtreat_py.plan.data import Plan

# Larger files are not read into memory unasked. Of Parquet it is the size that is not compressed.
MOST_BYTES = 500 * 10**6
_ROWS_AT_ONCE = 1 << 17
_NUMBER = "vtreat_row"


@dataclass(frozen=True)
class Table:
    """A table of the command line.

    Attributes
    ----------
    path : str
    delimiter : str or None
        What is between the fields of CSV.
    lazy : bool or None
        Whether it is to be left on the disk; None: if it is large.
    missing : tuple of str
        Texts that mean missing.
    plan : Plan or None
        Says what columns of CSV hold; all others, and all without a plan, are told by their fields.
    kept : tuple of str
        Columns that are wanted as they are, too.
    """

    path: str
    delimiter: str | None = None
    lazy: bool | None = None
    missing: tuple[str, ...] = ()
    plan: Plan | None = None
    kept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.path == "-":
            if self.lazy:
                raise CommandLineError("standard input is read into memory; leave --lazy out")
            return
        if not (self.is_csv or self.path.lower().endswith(PARQUET) or os.path.isdir(self.path)):
            raise CommandLineError(
                f"the name ends neither like CSV ({', '.join(CSV)}) nor like Parquet "
                f"({', '.join(PARQUET)})"
            )
        if not self.files:
            raise CommandLineError(
                "the folder holds no Parquet files"
                if os.path.isdir(self.path)
                else "there is no such file"
            )

    @property
    def is_csv(self) -> bool:
        """Whether it is CSV; otherwise it is Parquet."""
        return self.path == "-" or self.path.lower().endswith(CSV)

    @property
    def files(self) -> list[str]:
        """The files, which a pattern or a folder may name; standard input is none."""
        if os.path.exists(self.path) and not os.path.isdir(self.path):
            return [self.path]
        pattern = f"{glob.escape(self.path)}/**/*" if os.path.isdir(self.path) else self.path
        found = sorted(glob.glob(pattern, recursive=True))
        return found if self.is_csv else [one for one in found if one.lower().endswith(PARQUET)]

    @property
    def is_large(self) -> bool:
        """Whether it is left on the disk: as asked, or because of its size."""
        if self.lazy is not None:
            return self.lazy
        return self.path != "-" and sum(map(_bytes, self.files)) > MOST_BYTES

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        if self.is_csv:
            return self._csv[0].names
        with _readable():
            return list(parquet.read_schema(self.files[0]).names)

    @cached_property
    def _csv(self) -> list[CsvFile]:
        return [CsvFile(one, self.delimiter, self.missing) for one in self.files or ["-"]]

    @cached_property
    def copies(self) -> dict[str, str]:
        """By name of a kept column, where it is as it is, if a plan says what it holds."""
        if self.plan is None or not self.is_csv:
            return {}
        by_plan = held(self.plan)
        return {name: _free(f"{name} kept", self.names) for name in self.kept if name in by_plan}

    def check(self, option: str, names: Sequence[str]) -> None:
        """Refuse names that no column has.

        Raises
        ------
        CommandLineError
            Naming the option, and a name that is meant, perhaps.
        """
        known = self.names
        unknown = [name for name in names if name not in known]
        if unknown:
            raise CommandLineError(
                f"{option} names {unknown[0]!r}, which is no column; the table has "
                f"{listed(known)}{meant(unknown[0], known)}{self._hint(known)}"
            )

    def _hint(self, known: Sequence[str]) -> str:
        """Say so if a table of one column looks like one of several."""
        if self.is_csv and len(known) == 1:
            signs = [sign for sign in (";", "\t", "|") if sign in known[0]]
            return "".join(f". Are the fields apart by --delimiter {sign!r}?" for sign in signs[:1])
        return ""

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Read the rows in their order, part by part.

        Parameters
        ----------
        columns : sequence of str or None
            Columns of this table; None: all.
        """
        if self.is_csv:
            yield from self._parts_of_csv(columns)
            return
        for one in self.files:
            with _readable(), parquet.ParquetFile(one) as file:
                yield from file.iter_batches(_ROWS_AT_ONCE, columns=columns)

    def _parts_of_csv(self, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        wanted = self.names if columns is None else columns
        by_plan = {} if self.plan is None else held(self.plan)
        by_plan = {name: word for name, word in by_plan.items() if name in wanted}
        others = [name for name in wanted if name not in by_plan]
        files = self._csv
        if any(file.names != files[0].names for file in files):
            raise CommandLineError("the files have not the same columns")
        seen = {
            name: (SeenFields.of_kept if name in self.kept else SeenFields)(self.missing)
            for name in others
        }
        kept = {name: SeenFields.of_kept(self.missing) for name in self.copies}
        planned = {name: fields_of_plan(word, self.missing) for name, word in by_plan.items()}
        looked = {name: one for name, one in planned.items() if one is not None}
        for file in files:
            file.look(seen | looked)
            file.look(kept)
        kinds = {name: column.kind for name, column in seen.items()}
        for name, column in looked.items():
            kinds[name] = column.narrowest or _refuse(files, name, by_plan[name])
        copies = {self.copies[name]: (name, column.kind) for name, column in kept.items()}
        for file in files:
            yield from file.typed(kinds, by_plan, copies)

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Read it into memory.

        Raises
        ------
        CommandLineError
            If it cannot be read, or has no rows.
        """
        parts = [pa.Table.from_batches([one]) for one in self.parts(columns)]
        try:  # of several files, one may lack a column, or have whole numbers where others do not
            table = pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})
        except (pa.ArrowInvalid, pa.ArrowTypeError) as reason:
            raise CommandLineError(f"the files are not one table: {reason}") from reason
        if not len(table):
            raise CommandLineError("the table has no rows")
        return table

    def count_rows(self) -> int | None:
        """Number of rows, where it can be told at once."""
        if self.is_csv:
            return None
        with _readable():
            return sum(int(parquet.read_metadata(one).num_rows) for one in self.files)

    @contextmanager
    def in_duckdb(self, numbered: bool = False) -> Iterator[DuckDbTable]:
        """Open it as a relation of DuckDB, which may write to a folder of its own meanwhile.

        CSV is turned into Parquet once, so that it is not parsed for each query.

        Parameters
        ----------
        numbered : bool
            Whether rows are to be numbered as they are in the file.
        """
        duckdb = optional_module("duckdb", "tables that do not fit into memory")
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix="vtreat_py_"))
            connection = stack.enter_context(duckdb.connect())
            connection.execute("SET temp_directory = ?", [folder])
            files = [self._as_parquet(folder)] if self.is_csv else self.files
            if numbered and len(files) > 1:
                raise CommandLineError(
                    "several files are one table, whose rows have no numbers: name a column that "
                    "tells them apart by --row-id, or one of folds by --cv"
                )
            number = _free(_NUMBER, self.names) if numbered else None
            try:
                yield DuckDbTable(connection, _relation(connection, files, number), number)
            except duckdb.Error as reason:
                raise CommandLineError(f"DuckDB cannot go on: {reason}") from reason

    def _as_parquet(self, folder: str) -> str:
        path, parts = os.path.join(folder, "table.parquet"), self.parts()
        first = next(parts, None)
        if first is None:
            raise CommandLineError("the table has no rows")
        with parquet.ParquetWriter(path, first.schema) as writer:
            writer.write_batch(first)
            for part in parts:
                writer.write_batch(part)
        return path


@dataclass(frozen=True)
class DuckDbTable:
    """A table as DuckDB has it.

    Attributes
    ----------
    connection, relation : of duckdb
    number : str or None
        The column that numbers its rows, which is not in the file.
    """

    connection: Any
    relation: Any
    number: str | None


def _relation(connection: Any, files: list[str], number: str | None) -> Any:
    if number is None:
        return connection.read_parquet(files, union_by_name=True)
    table = connection.read_parquet(files[0], file_row_number=True)
    return table.project(f'* EXCLUDE (file_row_number), file_row_number AS "{number}"')


def _free(name: str, taken: Sequence[str]) -> str:
    while name.lower() in {one.lower() for one in taken}:
        name += "_"
    return name


def _bytes(path: str) -> int:
    """Size of a file; of Parquet before compression."""
    if not path.lower().endswith(PARQUET):
        return os.path.getsize(path)
    with _readable():
        metadata = parquet.read_metadata(path)
    return sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))


def _refuse(files: Sequence[CsvFile], name: str, word: str) -> NoReturn:
    """Name the field that is not what a plan says of its column, or say that kinds are mixed."""
    for file in files:
        for _ in file.typed({}, {name: word}, {}):
            pass
    raise mixed(name, word)


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as reason:
        raise CommandLineError(f"this is no Parquet that can be read: {reason}") from reason


def rows(number: int) -> str:
    """A number of rows, for messages."""
    return f"{number:,} {counted(number, 'row').split()[1]}"
