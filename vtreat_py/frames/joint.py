"""Columns that go together as one column of levels: pairs and more, and children with parents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.columns import (
    CodedColumn,
    Column,
    EmptyColumn,
    Kind,
    NumericColumn,
    holds_text,
    kind_of,
)
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.numbers_as_levels import plain_number
from vtreat_py.frames.schema import check_kinds

PartKind = Kind | Literal["text", "names"]
# Between the parts of a level. Within a part it is written in another way.
BETWEEN = ":"
ESCAPED = (("\\", "\\\\"), (BETWEEN, "\\c"))
MISSING = "\\NA"
# Kinds of parts whose levels are what the column holds: texts, and numbers that are names.
TEXT: Literal["text"] = "text"
NAMES: Literal["names"] = "names"
# What a joint column is, among columns that are made of others.
JOINT = "joint"
# Stands before a value of another type than those of the design, which no level has.
_FOREIGN = "\\?"
# What quantiles differ by, relative to them, is rounding.
_ROUNDING = 1e-12
# So is this share of the largest number.
_NOTHING = 2.0**-1070
# Shares of the rows that the ranges of numbers end at.
SHARES = [place / 8 for place in range(1, 8)]


@dataclass(frozen=True)
class JointPart:
    """One of the columns.

    Attributes
    ----------
    column : hashable
    kind : str
        What its numbers stand for, ``"text"``, or ``"names"`` for numbers that are levels.
    edges : tuple of float
        Last values of the ranges that numbers are cut into, but of the last range.
    """

    column: Hashable
    kind: PartKind
    edges: tuple[float, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether its levels are ranges of numbers."""
        return self.kind not in (TEXT, NAMES)

    @property
    def ranges(self) -> list[str]:
        """Name of each range, by where it ends."""
        ends = [f"{edge:.4g}" for edge in self.edges]
        if len(set(ends)) < len(ends):
            ends = [*map(repr, self.edges)]
        return [*(f"to {end}" for end in ends), f"above {ends[-1]}"]

    def texts(self, column: Column) -> tuple[IntArray, pa.Array]:
        """Return the code of each row, and the text of each code, the last that of missing ones.

        Raises
        ------
        SchemaError
            If the column holds another type than that of the design.
        """
        if isinstance(column, EmptyColumn):
            return np.zeros(len(column), np.intp), pa.array([MISSING], pa.large_string())
        self._check(column)
        if isinstance(column, NumericColumn):
            codes = np.searchsorted(np.array(self.edges), column.values)
            if column.bad is not None:
                codes[column.bad] = len(self.edges) + 1
            return codes, pa.array([*self.ranges, MISSING], pa.large_string())
        own, levels = column.encode()
        return own, _with_missing(self._written(levels))

    def _check(self, column: Column) -> None:
        if self.is_cut:
            expected, fits = str(self.kind), kind_of(column) == self.kind
        elif self.kind == NAMES:
            other = isinstance(column, NumericColumn) or holds_text(column)
            expected, fits = "numbers as levels", not other
        else:
            expected, fits = "levels", not isinstance(column, NumericColumn)
        if not fits:
            check_kinds([(self.column, expected, kind_of(column))])

    def _written(self, levels: Levels) -> pa.Array:
        """Levels as parts of a joint level: those of another type than the design's are marked."""
        if levels.is_text and not pa.types.is_large_binary(levels.labels.type):
            text, fits = levels.labels, np.full(len(levels), self.kind == TEXT)
        else:
            each = [self._of_object(one) for one in levels.to_list()]
            text = pa.array([written for written, _ in each], pa.large_string())
            fits = np.array([fit for _, fit in each], dtype=bool)
        text = _escaped(text)
        return text if fits.all() else pc.if_else(pa.array(fits), text, _joined(_FOREIGN, text, ""))

    def _of_object(self, value: Any) -> tuple[str, bool]:
        """Text of a level, and whether it is of the design's type."""
        if isinstance(value, str):
            written = value.encode(errors="backslashreplace").decode()
            return written, self.kind == TEXT
        number = _number(value)
        written = f"{type(value).__name__} {value}" if number is None else str(number)
        return written, self.kind == NAMES and number is not None


def limits_of(quantiles: FloatArray, low: float, high: float) -> FloatArray:
    """Limits that the largest number below is where a range ends, given quantiles and extent.

    Quantiles are means of two numbers, in a unit in which the largest is about 1: wherever the rows
    are they may be rounded another way.
    """
    largest = max(abs(low), abs(high))
    with np.errstate(over="ignore"):
        return np.nan_to_num(quantiles + _ROUNDING * np.abs(quantiles) + _NOTHING * largest)


def edges_of(ends: Iterable[float]) -> tuple[float, ...]:
    """Where ranges of numbers end, given the largest numbers below limits."""
    return tuple(sorted({float(end) + 0.0 for end in ends}))


def nothing_but_missing(column: Hashable) -> InvalidOptionError:
    """Error for a column that says nothing together with others."""
    return InvalidOptionError(
        f"composites or hierarchies names {column!r}, which has missing values only; leave it out"
    )


def _escaped(text: pa.Array) -> pa.Array:
    """Write texts so that nothing in them stands between parts."""
    for plain, written in ESCAPED:
        text = pc.replace_substring(text, plain, written)
    return text


def _joined(before: pa.Array | str, behind: pa.Array, between: str = BETWEEN) -> pa.Array:
    first, middle = (
        pa.scalar(one, pa.large_string()) if isinstance(one, str) else one
        for one in (before, between)
    )
    return pc.binary_join_element_wise(first, behind, middle)


def _with_missing(text: pa.Array) -> pa.Array:
    return pa.concat_arrays([text, pa.array([MISSING], pa.large_string())])


def _number(value: Any) -> Any:
    """A number that is a name, written in one way: 1 for True and 1.0."""
    try:
        number = float(value) if not isinstance(value, bytes) else None
    except (TypeError, ValueError, OverflowError):
        return None
    if isinstance(value, Decimal):
        return plain_number(value)
    if isinstance(value, Fraction) and value != number:
        return value
    return None if number is None else int(value) if number.is_integer() else number


@dataclass(frozen=True)
class JointColumn:
    """A column of levels that is made of several columns.

    Attributes
    ----------
    name : str or hashable
        What it is called; that of the child, where columns are nested.
    parts : tuple of JointPart
        The columns, where they are nested the parents of others before those.
    nested : bool
        Whether each part is inside the one before it, as counties are in states.
    kind : str
        ``"joint"``.
    """

    name: Hashable
    parts: tuple[JointPart, ...]
    nested: bool
    kind: str = JOINT

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The columns of a frame that it is made of."""
        return tuple(part.column for part in self.parts)

    def of(self, *columns: Column) -> Column:
        """Make it of its columns; each of its levels is the texts of its parts."""
        place, label = np.zeros(len(columns[0]), np.int64), pa.array([""], pa.large_string())
        for number, (part, column) in enumerate(zip(self.parts, columns, strict=True)):
            codes, texts = part.texts(column)
            place = place * len(texts) + codes
            place, found = pd.factorize(place)
            before, own = label.take(found // len(texts)), texts.take(found % len(texts))
            label = own if not number else _joined(before, own)
        return CodedColumn(self.name, place, Levels.of_text(label))


@dataclass(frozen=True, eq=False)
class LevelParts:
    """What the levels of a joint column are made of.

    Attributes
    ----------
    nested : bool
    keys : tuple of Levels
        For each part but the last of nested ones: its levels, with those before where they are
        nested.
    of_level : tuple of ndarray of int, shape (n_levels,)
        Code of each level among those keys.
    """

    nested: bool
    keys: tuple[Levels, ...]
    of_level: tuple[IntArray, ...]

    @classmethod
    def of(cls, levels: Levels, joint: JointColumn) -> LevelParts:
        """Take levels apart."""
        found = [_coded(text) for text in part_texts(levels, joint)]
        return cls(joint.nested, tuple(k for _, k in found), tuple(c for c, _ in found))


def part_texts(levels: Levels, joint: JointColumn) -> list[pa.Array]:
    """For each key of `LevelParts`, its text in each level."""
    split = pc.split_pattern(levels.labels, BETWEEN)
    texts = [pc.list_element(split, place) for place in range(len(joint.parts))]
    if not joint.nested:
        return texts
    nested = texts[:1]
    for text in texts[1:-1]:
        nested.append(_joined(nested[-1], text))
    return nested


def _coded(text: pa.Array) -> tuple[IntArray, Levels]:
    encoded = text.dictionary_encode()
    return np.asarray(encoded.indices).astype(np.intp), Levels.of_text(encoded.dictionary)
