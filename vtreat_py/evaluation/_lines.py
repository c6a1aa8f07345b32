"""Lines of labels and scores without names, read in blocks; what is wrong is found to the line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader

import numpy as np
import pyarrow as pa
from pyarrow import csv

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import FrameError, InvalidOptionError, VtreatError
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

_BYTES_A_BLOCK = 2**20
_LONGEST_LINE = 2**16
_NAMES = ("label", "score", "weight")
_MISSING = b"NA"


@dataclass(frozen=True)
class Lines:
    """How lines are read: the numbers of their columns, and what is between them."""

    columns: tuple[int, ...]
    has_commas: bool

    @classmethod
    def of_columns(cls, columns: Sequence[int], first_line: bytes) -> Lines:
        """Read what is between columns off the first line."""
        if len(columns) > len(_NAMES):
            raise InvalidOptionError(
                "scores of several classes are read from columns with names; give them by name"
            )
        if sorted(columns) != list(range(len(columns))):
            raise InvalidOptionError(
                f"columns {', '.join(map(str, columns))} of lines without names: such lines hold "
                f"what is asked for and no more, in the columns 0 to {len(columns) - 1}"
            )
        return cls(tuple(columns), b"," in first_line)

    def evaluate(
        self,
        stream: BufferedReader,
        evaluator: StreamingBinaryEvaluator,
        go_on: Callable[[], object] = lambda: None,
    ) -> None:
        """Evaluate all lines; name the first bad one."""
        lines_before = 0
        for block in _blocks(stream):
            columns = self._parsed(block)
            try:
                evaluator.update(*(columns or self._split(block)))
            except VtreatError:
                self._raise_at_line(block.splitlines(keepends=True), lines_before + 1, evaluator)
            lines_before += len(columns[0]) if columns else block.count(b"\n")
            go_on()

    def _parsed(self, block: bytes) -> list[FloatArray] | None:
        """Labels and scores; None unless each line has one of each, with one delimiter between."""
        names = [_NAMES[self.columns.index(k)] for k in range(len(self.columns))]
        missing = [_MISSING.decode(), *([""] if self.has_commas else [])]
        try:
            table = csv.read_csv(
                pa.BufferReader(block),
                # Threads that let go of a block of Python's while it ends would abort the program.
                read_options=csv.ReadOptions(column_names=names, use_threads=False),
                parse_options=csv.ParseOptions(
                    delimiter=self._delimiter(block), quote_char=False, ignore_empty_lines=False
                ),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.float64()), null_values=missing
                ),
            )
        except pa.ArrowInvalid:
            return None
        return [_array(table[name]) for name in _NAMES[: len(names)]]

    def _delimiter(self, block: bytes) -> str:
        if self.has_commas:
            return ","
        return "\t" if b"\t" in block[: block.find(b"\n")] else " "

    def _split(self, block: bytes) -> list[FloatArray]:
        """Labels and scores of lines with any white space, and of none; slow."""
        rows = [self._numbers(line) for line in block.splitlines() if line.strip()]
        table = np.array(rows, dtype=np.float64).reshape(-1, len(self.columns))
        return [table[:, k] for k in self.columns]

    def _numbers(self, line: bytes) -> list[float]:
        try:
            numbers = [_number(text) for text in line.split(b"," if self.has_commas else None)]
        except ValueError:
            numbers = []
        if len(numbers) != len(self.columns):
            wanted = "a label and a score, both numbers"
            if len(self.columns) > 2:
                wanted = "a label, a score and a weight, all numbers"
            text = line.strip().decode(errors="replace")
            raise FrameError(f"{shown(text)} is not {wanted}")
        return numbers

    def _raise_at_line(
        self, lines: list[bytes], number: int, evaluator: StreamingBinaryEvaluator
    ) -> None:
        """Find the line that is refused, by halves; those before it are evaluated once more."""
        first_of_all = number == 1
        while len(lines) > 1:
            half = len(lines) // 2
            try:
                first = b"".join(lines[:half])
                evaluator.update(*(self._parsed(first) or self._split(first)))
            except VtreatError:
                lines = lines[:half]
            else:
                lines, number = lines[half:], number + half
        try:
            columns = self._split(lines[0])
            if any(np.isnan(values).any() for values in columns):
                raise FrameError("a value is missing; missing='count' leaves such lines out")
            evaluator.update(*columns)
        except VtreatError as reason:
            hint = "; if these are names of columns, give label and score by name"
            is_header = first_of_all and number == 1 and lines[0][:1].isalpha()
            raise FrameError(f"line {number}: {reason}{hint if is_header else ''}") from reason


def _blocks(stream: BufferedReader) -> Iterator[bytes]:
    """Blocks of whole lines, and at last what is left of a line that is too long."""
    while block := stream.read(_BYTES_A_BLOCK):
        rest = stream.readline(_LONGEST_LINE)
        yield block + rest
        if len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
            start = block[block.rfind(b"\n") + 1 :][:_LONGEST_LINE].decode(errors="replace")
            raise FrameError(f"a line is too long to be a label and a score: {shown(start)}")


def _array(column: pa.ChunkedArray) -> FloatArray:
    """Numbers of a column, NaN where missing; by a way that does not import pandas."""
    joined = column.combine_chunks()
    present = joined.fill_null(np.nan) if joined.null_count else joined
    return np.asarray(np.from_dlpack(present), dtype=np.float64)


def _number(text: bytes) -> float:
    text = text.strip()
    if b"_" in text:  # a number in Python only
        raise ValueError
    return np.nan if text in (_MISSING, b"") else float(text)
