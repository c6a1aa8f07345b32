"""The plan of one column: how its derived variables are computed from it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.coders import codes
from vtreat_py.coders.code import NumberCode
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import Curves, Form, Steps, scale_in_place
from vtreat_py.coders.level_texts import as_text
from vtreat_py.coders.text_features import text_values
from vtreat_py.frames.columns import (
    Column,
    EmptyColumn,
    Kind,
    NumericColumn,
    holds_text,
    some_rows,
)
from vtreat_py.frames.joint import JointColumn, part_texts
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.range_statistics import RangeStatistics
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.statistics.number_profile import NumberProfile


class Wanted(Protocol):
    """What may be wanted of variables; see `Choice`."""

    @property
    def scale(self) -> bool:
        """Whether they are to be in units of the outcome."""

    @property
    def collar(self) -> bool:
        """Whether numbers are to be cut off at both ends."""


@dataclass(frozen=True, eq=False)
class RangeCodes:
    """What ranges of numbers become.

    Attributes
    ----------
    code : str
    target : object
        The class it is built for, of several; None: for all of the outcome.
    edges, values : ndarray
        As `Steps` has them.
    """

    code: str
    target: Any
    edges: FloatArray
    values: FloatArray

    def __post_init__(self) -> None:
        for array in (self.edges, self.values):
            array.setflags(write=False)


@dataclass(frozen=True, eq=False)
class CurveCodes:
    """What numbers become by a curve.

    Attributes
    ----------
    code : str
    target : object
        The class it is built for, of several; None: for all of the outcome.
    curve : Curve
    bad : float
        Code of bad values.
    """

    code: str
    target: Any
    curve: Curve
    bad: float


# Numbers of a column, and which of them are bad.
ReadNumbers = tuple[NumberArray, BoolArray | None]


@dataclass(frozen=True, eq=False)
class NumericTreatment:
    """How a numeric column is treated.

    Attributes
    ----------
    kind : str
        What its numbers stand for; a frame to prepare must have the same.
    imputed : float
        Stands for bad values.
    lower, upper : float
        Collar cuts.
    sample : str
        Digest of a few training values, to recognise the training frame.
    profile : NumberProfile or None
        How the training values were spread, to compare later frames with; None in plans that
        only treat rows.
    ranges : tuple of RangeCodes
        For each of the variables that are a number for each range of values.
    curves : tuple of CurveCodes
        For each of those that are a curve.
    by_range : RangeStatistics or None
        The outcome in each range of the profile; None without outcome, and in plans of versions
        that did not keep it.
    """

    column: Hashable
    kind: Kind
    imputed: float
    lower: float
    upper: float
    variables: tuple[DerivedVariable, ...]
    sample: str
    profile: NumberProfile | None = None
    ranges: tuple[RangeCodes, ...] = ()
    curves: tuple[CurveCodes, ...] = ()
    by_range: RangeStatistics | None = None

    @property
    def designed_on(self) -> str:
        """What the column held, for messages."""
        return self.kind

    @property
    def spread(self) -> NumberProfile:
        """The profile, of plans that have it: others refuse first what needs it."""
        assert self.profile is not None
        return self.profile

    def renamed(self, names: Sequence[str]) -> NumericTreatment:
        """Return the same treatment with other names for its variables."""
        return replace(self, variables=_renamed(self.variables, iter(names)))

    def fits(self, column: Column) -> bool:
        """Whether a column is of the type this treatment was designed for."""
        return isinstance(column, EmptyColumn) or (
            isinstance(column, NumericColumn) and column.kind == self.kind
        )

    def encode(self, column: Column) -> ReadNumbers:
        """Numbers of the rows, all of them bad in a column that has none."""
        if isinstance(column, NumericColumn):
            return column.values, column.bad
        return np.zeros(len(column)), np.ones(len(column), dtype=bool)

    def form(self, variable: DerivedVariable, collar: bool) -> Form:
        """How a number becomes that of a variable, unscaled."""
        wanted = variable.code, variable.target
        for ranges in self.ranges:
            if (ranges.code, ranges.target) == wanted:
                return Steps(ranges.edges, ranges.values)
        for one in self.curves:
            if (one.code, one.target) == wanted:
                return Curves((one.curve,), one.bad)
        code = codes.named(variable.code)
        assert isinstance(code, NumberCode)
        return code.form(self.imputed, (self.lower, self.upper) if collar else None)

    def write(
        self, encoded: ReadNumbers, variable: DerivedVariable, wanted: Wanted, out: FloatArray
    ) -> None:
        """Write one derived variable of the rows to ``out``."""
        self.form(variable, wanted.collar).write(*encoded, None, out)
        if wanted.scale:
            scale_in_place(out, variable.slope, variable.mean)


@dataclass(frozen=True, eq=False)
class LevelCodes:
    """What the levels of a column become.

    Attributes
    ----------
    target : object
        The class these codes are built for, of several; None: for all of the outcome.
    slots : ndarray of int, shape (n_levels + 2,)
        What a code is taken for: itself, the pool (which is where novel levels go), or -1 for
        a suppressed level.
    tables : dict from code to ndarray of shape (n_levels + 2,)
        Value of each code in the treated frame.
    texts : dict from code to ndarray of shape (BUCKETS + 1,)
        For codes that read the texts of novel levels: a number, and what is added to it for each
        place of n-grams (see `NGrams`).
    sums : dict from code to tuple of ndarray
        For impact codes of joint columns, what novel levels have: a number, and what is added to it
        for each of the `LevelTreatment`'s keys.
    """

    target: Any
    slots: IntArray
    tables: dict[str, FloatArray]
    variables: tuple[DerivedVariable, ...]
    texts: dict[str, FloatArray] = field(default_factory=dict)
    sums: dict[str, tuple[FloatArray, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        of_parts = (array for arrays in self.sums.values() for array in arrays)
        for array in (self.slots, *self.tables.values(), *self.texts.values(), *of_parts):
            array.setflags(write=False)

    def table(self, variable: DerivedVariable) -> FloatArray:
        """Value of each code for one of the variables."""
        if variable.slot is not None:
            return np.asarray(self.slots == variable.slot, dtype=np.float64)
        return self.tables[variable.code]


@dataclass(frozen=True, eq=False)
class NovelLevels:
    """Rows of levels that a plan does not know.

    Attributes
    ----------
    rows, codes : ndarray of int, shape (n,)
        The rows, and the level of each.
    levels : Levels
    """

    rows: IntArray
    codes: IntArray
    levels: Levels


@dataclass(frozen=True, eq=False)
class LevelTreatment:
    """How a categorical column is treated.

    Attributes
    ----------
    levels : Levels
        The training levels. A row has the code of its level, of "missing", or of "novel".
    parts : tuple of LevelCodes
        What the codes become: for the outcome, and with several classes for each class.
    sample : str
        Digest of a few training values, to recognise the training frame.
    keys : tuple of Levels
        Of a joint column, the parts that levels are made of (see `LevelParts`).
    """

    column: Hashable
    levels: Levels
    parts: tuple[LevelCodes, ...]
    sample: str
    kind: str = "levels"
    keys: tuple[Levels, ...] = ()

    @cached_property
    def variables(self) -> tuple[DerivedVariable, ...]:
        """The derived variables of all parts."""
        return tuple(v for part in self.parts for v in part.variables)

    @property
    def designed_on(self) -> str:
        """What the column held, for messages."""
        return "numbers as levels" if self.holds_numbers else self.kind

    def renamed(self, names: Sequence[str]) -> LevelTreatment:
        """Return the same treatment with other names for its variables."""
        rest = iter(names)
        parts = [replace(part, variables=_renamed(part.variables, rest)) for part in self.parts]
        return replace(self, parts=tuple(parts))

    def fits(self, column: Column) -> bool:
        """Whether a column is of the type this treatment was designed for."""
        if isinstance(column, NumericColumn):
            return False  # where levels are numbers, numbers are read as levels
        return isinstance(column, EmptyColumn) or not (self.holds_numbers and holds_text(column))

    @cached_property
    def holds_numbers(self) -> bool:
        """Whether all levels are numbers."""
        return not self.levels.is_text and all(isinstance(v, Real) for v in self.levels.to_list())

    def encode(self, column: Column) -> IntArray:
        """Code of each row."""
        if isinstance(column, EmptyColumn):
            return np.full(len(column), self.levels.missing, dtype=np.int32)
        assert not isinstance(column, NumericColumn)  # they do not fit
        return column.codes_in(self.levels)

    def table(self, variable: DerivedVariable, scale: bool = False) -> NDArray[Any]:
        """Value of each code for one derived variable."""
        table = self._part_of[variable.target].table(variable)
        if scale:
            table = table.copy()
            scale_in_place(table, variable.slope, variable.mean)
        return table

    def write(
        self, encoded: IntArray, variable: DerivedVariable, wanted: Wanted, out: NDArray[Any]
    ) -> None:
        """Write one derived variable of the rows to ``out``."""
        self.table(variable, wanted.scale).take(encoded, out=out, mode="clip")

    def reads_text(self, variable: DerivedVariable) -> bool:
        """Whether a variable rests on the texts of novel levels."""
        return variable.code in self._part_of[variable.target].texts

    def reads_parts(self, variable: DerivedVariable) -> bool:
        """Whether a variable rests on the parts of novel levels."""
        return variable.code in self._part_of[variable.target].sums

    def reads_novel(self, variable: DerivedVariable) -> bool:
        """Whether it rests on what novel levels are, in one way or the other."""
        return self.reads_text(variable) or self.reads_parts(variable)

    def sums(self, variable: DerivedVariable) -> tuple[FloatArray, ...]:
        """For a variable that rests on parts: a number, and what each of the keys adds."""
        return self._part_of[variable.target].sums[variable.code]

    def novel_levels(self, column: Column, encoded: IntArray) -> NovelLevels:
        """Find the rows of novel levels."""
        rows = np.flatnonzero(encoded == self.levels.novel)
        codes, levels = encoded[:0], self.levels.take(encoded[:0])
        if len(rows):
            found = some_rows(column, rows)
            assert not isinstance(found, NumericColumn | EmptyColumn)  # which have no levels
            codes, levels = found.encode()
        return NovelLevels(rows, codes, levels)

    def write_novel(
        self,
        novel: NovelLevels,
        variable: DerivedVariable,
        wanted: Wanted,
        out: FloatArray,
        joint: JointColumn | None,
    ) -> None:
        """Write a variable of rows of novel levels, by their texts or what they are made of."""
        if self.reads_text(variable):
            weights = self._part_of[variable.target].texts[variable.code]
            values = weights[0] + text_values(novel.levels, weights[None, 1:])[0]
        else:
            assert joint is not None
            values = self.of_parts(novel.levels, variable, joint)
        if wanted.scale:
            scale_in_place(values, variable.slope, variable.mean)
        out[novel.rows] = values[novel.codes]

    def of_parts(self, levels: Levels, variable: DerivedVariable, joint: JointColumn) -> FloatArray:
        """What the parts of levels say, whether these were seen or not."""
        base, *effects = self.sums(variable)
        values = np.full(len(levels), base[0])
        for key, text, effect in zip(self.keys, part_texts(levels, joint), effects, strict=True):
            values += np.append(effect, [0.0, 0.0])[key.codes_of_levels(Levels(text))]
        return values

    @cached_property
    def _part_of(self) -> dict[Any, LevelCodes]:
        return {part.target: part for part in self.parts}


@dataclass(frozen=True, eq=False)
class TextTreatment(LevelTreatment):
    """How a categorical column is kept as text.

    Attributes
    ----------
    mark : str
        Stands for missing values and novel levels.
    """

    kind: str = "text"
    mark: str = ""

    @classmethod
    def of(
        cls, column: Hashable, levels: Levels, variable: DerivedVariable, sample: str, mark: str
    ) -> TextTreatment:
        """Keep a column as the one variable."""
        slots = np.arange(levels.novel + 1, dtype=np.int32)
        parts = (LevelCodes(None, slots, {}, (variable,)),)
        return cls(column, levels, parts, sample, mark=mark)

    @property
    def variable(self) -> DerivedVariable:
        """The one variable."""
        return self.variables[0]

    @property
    def holds_mark(self) -> bool:
        """Whether a level reads as the mark does."""
        return self.mark in self._texts[:-2].tolist()

    def table(
        self,
        variable: DerivedVariable,  # noqa: ARG002
        scale: bool = False,  # noqa: ARG002 (there is no outcome)
    ) -> NDArray[np.object_]:
        """Text of each code."""
        return self._texts

    @cached_property
    def _texts(self) -> NDArray[np.object_]:
        texts = np.empty(self.levels.novel + 1, dtype=object)
        texts[:] = [*map(as_text, self.levels.to_list()), self.mark, self.mark]
        return texts


Treatment = NumericTreatment | LevelTreatment

# From places among a column's own variables to columns of the output.
Places = dict[int, int]


def wanted_places(treatment: Treatment, place: Mapping[str, int]) -> Places:
    """Find the variables of a column that are wanted; ``place`` has each one's output column."""
    names = [v.name for v in treatment.variables]
    return {own: place[name] for own, name in enumerate(names) if name in place}


def _renamed(
    variables: tuple[DerivedVariable, ...], names: Iterator[str]
) -> tuple[DerivedVariable, ...]:
    return tuple(replace(v, name=next(names)) for v in variables)
