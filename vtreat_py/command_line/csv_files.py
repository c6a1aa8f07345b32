"""CSV, read in parts as text; what its columns are is told afterwards."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
from pyarrow import csv

from vtreat_py.command_line.csv_types import (
    TEXT_FIELD,
    FieldKind,
    SeenFields,
    typed,
    typed_by_plan,
)
from vtreat_py.command_line.errors import CommandLineError

# Bytes that are parsed at once; a row must fit.
_BLOCK = 1 << 24


@dataclass(frozen=True)
class CsvFile:
    """A file of CSV, or standard input, whose columns have names in the first line.

    Attributes
    ----------
    path : str
        ``"-"`` is standard input, which is read as a whole.
    delimiter : str or None
        None: a tab where the name says so, else a comma.
    missing : tuple of str
        Texts that mean missing.
    """

    path: str
    delimiter: str | None = None
    missing: tuple[str, ...] = ()

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns.

        Raises
        ------
        CommandLineError
            If there are none, or two are the same.
        """
        with self._opened({}) as reader:
            names: list[str] = reader.schema.names
        repeated = [name for name, n in Counter(names).items() if n > 1]
        if repeated:
            raise CommandLineError(
                f"several columns are called {repeated[0]!r}; give each a name of its own"
            )
        return names

    def parts(self, names: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Read some columns, or all, as text.

        Raises
        ------
        CommandLineError
            If it is not CSV.
        """
        options = {
            "column_types": dict.fromkeys(self.names, pa.string()),
            "strings_can_be_null": True,
            "null_values": [""],
            "include_columns": self.names if names is None else list(names),
        }
        with self._opened(options) as reader:
            while True:
                try:
                    part = reader.read_next_batch()
                except StopIteration:
                    return
                except pa.ArrowInvalid as reason:
                    raise self._unreadable(reason) from reason
                yield part

    def look(self, seen: dict[str, SeenFields]) -> None:
        """Look at all fields of some columns."""
        if seen:
            for part in self.parts(list(seen)):
                for name, column in seen.items():
                    column.look(part.column(name))

    def typed(
        self,
        kinds: dict[str, FieldKind],
        held: dict[str, str],
        copies: dict[str, tuple[str, FieldKind]],
    ) -> Iterator[pa.RecordBatch]:
        """Read columns as what they are.

        Parameters
        ----------
        kinds : dict from name to FieldKind
        held : dict from name to str
            What a plan says that columns hold; see `csv_types.held`. Those of ``kinds`` are of that
            kind.
        copies : dict from name to pairs of a name and FieldKind
            Columns that are read once more, under another name and as another kind.
        """
        wanted = [name for name in self.names if name in kinds or name in held]
        if not wanted:  # only the rows are to be counted
            wanted, kinds = self.names[:1], {self.names[0]: TEXT_FIELD}
        row = 0
        for part in self.parts(wanted):
            arrays = [
                typed_by_plan(
                    name, part.column(name), held[name], row, self.missing, kinds.get(name)
                )
                if name in held
                else typed(part.column(name), kinds[name], self.missing)
                for name in wanted
            ]
            arrays += [
                typed(part.column(name), kind, self.missing) for name, kind in copies.values()
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=[*wanted, *copies])
            row += len(part)

    def _opened(self, convert: dict[str, Any]) -> Any:
        # Beside no other column, an empty line is an empty field.
        several = len(convert.get("column_types", ())) != 1
        source = pa.BufferReader(self._standard_input) if self.path == "-" else self.path
        sign = self.delimiter or ("\t" if self.path.lower().endswith(".tsv") else ",")
        try:
            return csv.open_csv(
                pa.input_stream(source, compression=None if self.path == "-" else "detect"),
                csv.ReadOptions(block_size=_BLOCK),
                csv.ParseOptions(
                    delimiter=sign, newlines_in_values=True, ignore_empty_lines=several
                ),
                csv.ConvertOptions(**convert),
            )
        except pa.ArrowInvalid as reason:
            raise self._unreadable(reason) from reason

    @cached_property
    def _standard_input(self) -> bytes:
        return sys.stdin.buffer.read()

    def _unreadable(self, reason: pa.ArrowInvalid) -> CommandLineError:
        told = str(reason).removeprefix("CSV parse error: ").removeprefix("CSV conversion error: ")
        if "Empty CSV" in told:
            return CommandLineError("the file is empty; its first line must name the columns")
        if "UTF8" in told:
            return CommandLineError(
                "the text is not UTF-8; convert it, for instance by iconv -f latin1 -t utf-8"
            )
        return CommandLineError(f"this is no CSV that can be read: {told}")
