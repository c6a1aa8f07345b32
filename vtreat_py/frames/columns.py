"""Typed columns: numbers with a mask of bad values, or level codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.frames.levels import Levels

_MANY_ROWS = 1 << 16

Kind = Literal["number", "date", "datetime", "duration", "time"]


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """A column of numbers.

    Attributes
    ----------
    kind : str
        What the numbers stand for: themselves, days since 1970 (date), seconds since 1970
        (datetime), seconds (duration), seconds since midnight (time).
    values : ndarray of shape (n,)
        Floats, or integers as they came. May belong to the caller: never written to.
    bad : ndarray of bool, shape (n,), or None
        Missing, NaN and infinite values; None when there are none.
    """

    name: Hashable
    kind: Kind
    values: NumberArray
    bad: BoolArray | None

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(cls, name: Hashable, values: FloatArray, kind: Kind = "number") -> NumericColumn:
        """Mark the bad values."""
        bad = ~np.isfinite(values)
        return cls(name, kind, values, bad if bad.any() else None)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text (or bytes) as an Arrow array."""

    name: Hashable
    text: pa.Array

    def __len__(self) -> int:
        return len(self.text)

    def encode(self) -> tuple[IntArray, Levels]:
        """Return the code of each row and the levels, in order of appearance."""
        encoded = self.text.dictionary_encode()
        codes, labels = encoded.indices, encoded.dictionary
        if codes.null_count:
            codes = codes.fill_null(len(labels))
        codes = np.asarray(codes)
        if len(labels) < np.iinfo(np.int16).max:
            codes = codes.astype(np.int16)
        del encoded
        if len(codes) > _MANY_ROWS:
            pa.default_memory_pool().release_unused()  # the encoder grew its buffers by doubling
        return codes, Levels.of_text(labels)

    def codes_in(self, levels: Levels) -> IntArray:
        """Code of each row among given levels."""
        codes = levels.codes_of_text(self.text)
        return _translate(*self.encode(), levels) if codes is None else codes

    def without(self, texts: Sequence[str]) -> TextColumn:
        """The same column, some texts of which are missing."""
        if pa.types.is_large_binary(self.text.type) or pa.types.is_binary(self.text.type):
            return self
        known = [text for text in texts if is_utf8(text)]
        lost = pc.is_in(self.text, value_set=pa.array(known, self.text.type))
        return replace(self, text=pc.if_else(lost, pa.scalar(None, self.text.type), self.text))


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column that comes as codes into a list of levels, some of which may not occur.

    A missing value has the code -1 or ``len(levels)``.
    """

    name: Hashable
    codes: IntArray
    levels: Levels

    def __len__(self) -> int:
        return len(self.codes)

    def encode(self) -> tuple[IntArray, Levels]:
        """Return the code of each row and the levels, in order of appearance.

        The codes are those of the same values as text, so that sums over levels are added up in
        the same order, and levels without a row are as unknown as they are there.
        """
        order = self._order_of_appearance()
        in_order = np.array_equal(order, np.arange(len(self.levels)))
        if in_order and (not len(self.codes) or self.codes.min() >= 0):
            return self.codes, self.levels
        kind = np.int16 if len(order) < np.iinfo(np.int16).max else np.int32
        code: IntArray = np.full(len(self.levels) + 1, len(order), dtype=kind)
        code[order] = np.arange(len(order))
        return code[self.codes], self.levels.take(order)

    def _order_of_appearance(self) -> IntArray:
        """Codes that occur, missing aside; looks no further than it must to see all of them."""
        n_levels = len(self.levels)
        seen = np.zeros(n_levels + 1, dtype=bool)
        seen[-1] = True
        found: list[IntArray] = []
        for start in range(0, len(self.codes), _MANY_ROWS):
            codes = self.codes[start : start + _MANY_ROWS]
            new = pd.unique(codes[~seen[codes]])
            seen[new] = True
            found.append(new)
            if seen.all():
                break
        return np.concatenate(found).astype(np.intp) if found else np.empty(0, dtype=np.intp)

    def codes_in(self, levels: Levels) -> IntArray:
        """Code of each row among given levels."""
        return _translate(self.codes, self.levels, levels)

    def without(self, texts: Sequence[str]) -> CodedColumn:
        """The same column, some levels of which are missing."""
        lost = self.levels.codes_of(texts)
        if (lost == self.levels.novel).all():
            return self
        codes = self.codes.astype(np.int64)
        return replace(self, codes=np.where(np.isin(codes, lost), self.levels.missing, codes))


@dataclass(frozen=True, eq=False)
class ObjectColumn:
    """A column of Python values of several types."""

    name: Hashable
    values: npt.NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.values)

    def encode(self) -> tuple[IntArray, Levels]:
        """Return the code of each row and the levels, in order of appearance."""
        codes, labels = pd.factorize(self.values)
        levels = Levels.of(list(labels))
        return np.where(codes < 0, levels.missing, codes).astype(np.int32), levels

    def codes_in(self, levels: Levels) -> IntArray:
        """Code of each row among given levels."""
        return _translate(*self.encode(), levels)


@dataclass(frozen=True, eq=False)
class EmptyColumn:
    """A column of missing values only, whose type cannot be told."""

    name: Hashable
    size: int

    def __len__(self) -> int:
        return self.size


LevelColumn = TextColumn | CodedColumn | ObjectColumn
Column = NumericColumn | LevelColumn | EmptyColumn


def kind_of(column: Column) -> str:
    """Say in a word what a column holds, for messages."""
    if isinstance(column, NumericColumn):
        return column.kind
    return "missing values only" if isinstance(column, EmptyColumn) else "levels"


def holds_text(column: Column) -> bool:
    """Whether all that a column holds is text, or bytes."""
    if isinstance(column, CodedColumn):
        return column.levels.is_text
    return isinstance(column, TextColumn)


def is_missing_only(column: Column) -> bool:
    """Whether a column holds missing values only, whatever its type."""
    if isinstance(column, EmptyColumn):
        return True
    if isinstance(column, NumericColumn):
        if column.bad is None:
            return not len(column)
        return bool(column.bad.all() and np.isnan(column.values).all())
    if isinstance(column, TextColumn):
        return bool(column.text.null_count == len(column))
    if isinstance(column, CodedColumn):
        codes = column.codes
        return bool(((codes < 0) | (codes == column.levels.missing)).all())
    return bool(pd.isna(column.values).all())


def is_utf8(text: str) -> bool:
    """Whether text can be written as UTF-8: it has no lone surrogates."""
    try:
        return text.encode() is not None
    except UnicodeEncodeError:
        return False


def some_rows(column: Column, rows: IntArray) -> Column:
    """Some rows of a column."""
    if isinstance(column, EmptyColumn):
        return replace(column, size=len(rows))
    if isinstance(column, NumericColumn):
        bad = None if column.bad is None else column.bad[rows]
        return replace(column, values=column.values[rows], bad=bad)
    if isinstance(column, TextColumn):
        return replace(column, text=column.text.take(rows))
    if isinstance(column, CodedColumn):
        return replace(column, codes=column.codes[rows])
    return replace(column, values=column.values[rows])


def complete_values(column: Column) -> tuple[NumberArray, Levels | None] | None:
    """Numbers, or level codes and the levels; None where a row has no value."""
    if isinstance(column, EmptyColumn):
        return None
    if isinstance(column, NumericColumn):
        return None if column.bad is not None else (column.values, None)
    codes, levels = column.encode()
    return None if (codes == levels.missing).any() else (codes, levels)


def _translate(codes: IntArray, theirs: Levels, ours: Levels) -> IntArray:
    """Turn codes into one list of levels into codes into another."""
    table = np.append(ours.codes_of(theirs.to_list()), np.int32(ours.missing))
    return np.asarray(table[codes])
