"""Text of two columns, label and score, read in blocks; what is wrong is found to the line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import csv

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import FrameError, VtreatError
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

Columns = tuple[FloatArray, FloatArray]
_BYTES_A_BLOCK = 2**20
_NAMES = ("label", "score")
_MISSING = b"NA"


def evaluate_text(stream: BinaryIO, evaluator: StreamingBinaryEvaluator) -> None:
    """Evaluate lines of a label and a score, with white space between them; name bad ones."""
    lines_before = 0
    for block in _blocks(stream):
        columns = _parsed(block)
        try:
            evaluator.update(*(columns or _split(block)))
        except VtreatError:
            _raise_at_line(block.splitlines(keepends=True), lines_before + 1, evaluator)
        lines_before += len(columns[0]) if columns else block.count(b"\n")


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Blocks of whole lines."""
    while block := stream.read(_BYTES_A_BLOCK):
        yield block + stream.readline()


def _parsed(block: bytes) -> Columns | None:
    """Labels and scores; None unless each line has one of each, with one tab or space between."""
    delimiter = "\t" if b"\t" in block[: block.find(b"\n")] else " "
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            # Threads that let go of a block of Python's while it ends would abort the program.
            read_options=csv.ReadOptions(column_names=_NAMES, use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=delimiter, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(_NAMES, pa.float64()), null_values=[_MISSING.decode()]
            ),
        )
    except pa.ArrowInvalid:
        return None
    return _array(table["label"]), _array(table["score"])


def _array(column: pa.ChunkedArray) -> FloatArray:
    """Numbers of a column, NaN where missing; by a way that does not import pandas."""
    joined = column.combine_chunks()
    present = joined.fill_null(np.nan) if joined.null_count else joined
    return np.asarray(np.from_dlpack(present), dtype=np.float64)


def _split(block: bytes) -> Columns:
    """Labels and scores of lines with any white space, and of none; slow."""
    rows = [_pair(line) for line in block.splitlines() if line.strip()]
    labels, scores = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    return labels, scores


def _pair(line: bytes) -> tuple[float, float]:
    try:
        label, score = (_number(text) for text in line.split())
    except ValueError:
        shown = line.strip().decode(errors="replace")
        raise FrameError(f"{shown!r} is not a label and a score, both numbers") from None
    return label, score


def _number(text: bytes) -> float:
    if b"_" in text:  # a number in Python only
        raise ValueError
    return np.nan if text == _MISSING else float(text)


def _raise_at_line(lines: list[bytes], number: int, evaluator: StreamingBinaryEvaluator) -> None:
    """Find the line that is refused, by halves; those before it are evaluated once more."""
    while len(lines) > 1:
        half = len(lines) // 2
        try:
            first = b"".join(lines[:half])
            evaluator.update(*(_parsed(first) or _split(first)))
        except VtreatError:
            lines = lines[:half]
        else:
            lines, number = lines[half:], number + half
    try:
        label, score = _split(lines[0])
        if np.isnan(label).any() or np.isnan(score).any():
            raise FrameError("a value is missing; --count-missing leaves such lines out")
        evaluator.update(label, score)
    except VtreatError as reason:
        raise FrameError(f"line {number}: {reason}") from reason
