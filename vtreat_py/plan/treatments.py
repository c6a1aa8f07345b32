"""The plan of one column: how its derived variables are computed from it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.clean import clean, scale_in_place
from vtreat_py.frames.columns import (
    Column,
    EmptyColumn,
    Kind,
    LevelColumn,
    NumericColumn,
    ObjectColumn,
)
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.statistics.number_profile import NumberProfile


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
    profile : NumberProfile
        How the training values were spread, to compare later frames with.
    """

    column: Hashable
    kind: Kind
    imputed: float
    lower: float
    upper: float
    variables: tuple[DerivedVariable, ...]
    sample: str
    profile: NumberProfile

    def renamed(self, names: Sequence[str]) -> NumericTreatment:
        """Return the same treatment with other names for its variables."""
        return replace(self, variables=_renamed(self.variables, names))

    def fits(self, column: Column) -> bool:
        """Whether a column is of the type this treatment was designed for."""
        return isinstance(column, EmptyColumn) or (
            isinstance(column, NumericColumn) and column.kind == self.kind
        )

    def write(
        self, column: Column, variable: DerivedVariable, scale: bool, collar: bool, out: FloatArray
    ) -> None:
        """Write one derived variable of a column to ``out``."""
        if not isinstance(column, NumericColumn):
            out[:] = self.imputed if variable.code == "clean" else 1.0
        elif variable.code == "isBAD":
            out[:] = 0.0 if column.bad is None else column.bad
        else:
            out[:] = clean(column.values, column.bad, self.imputed)
            if collar:
                np.clip(out, self.lower, self.upper, out=out)
        if scale:
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
    """

    target: Any
    slots: IntArray
    tables: dict[str, FloatArray]
    variables: tuple[DerivedVariable, ...]

    def __post_init__(self) -> None:
        for array in (self.slots, *self.tables.values()):
            array.setflags(write=False)

    def table(self, variable: DerivedVariable) -> FloatArray:
        """Value of each code for one of the variables."""
        if variable.code == "lev":
            return np.asarray(self.slots == variable.slot, dtype=np.float64)
        return self.tables[variable.code]


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
    """

    column: Hashable
    levels: Levels
    parts: tuple[LevelCodes, ...]
    sample: str
    kind: str = "levels"

    @property
    def variables(self) -> tuple[DerivedVariable, ...]:
        """The derived variables of all parts."""
        return tuple(v for part in self.parts for v in part.variables)

    def renamed(self, names: Sequence[str]) -> LevelTreatment:
        """Return the same treatment with other names for its variables."""
        parts, rest = [], list(names)
        for part in self.parts:
            own, rest = rest[: len(part.variables)], rest[len(part.variables) :]
            parts.append(replace(part, variables=_renamed(part.variables, own)))
        return replace(self, parts=tuple(parts))

    def fits(self, column: Column) -> bool:
        """Whether a column is of the type this treatment was designed for."""
        if isinstance(column, NumericColumn):
            return column.kind == "number" and not self.levels.is_text
        return True

    def codes(self, column: Column) -> IntArray:
        """Code of each row."""
        if isinstance(column, EmptyColumn):
            return np.full(len(column), self.levels.missing, dtype=np.int32)
        return self.level_column(column).codes_in(self.levels)

    def level_column(self, column: NumericColumn | LevelColumn) -> LevelColumn:
        """Return a column as one of levels, which may all be numbers in the rows at hand."""
        if not isinstance(column, NumericColumn):
            return column
        values = column.values.astype(object)  # without their dtype
        values[np.isnan(column.values)] = None
        return ObjectColumn(column.name, values)

    def table(self, variable: DerivedVariable) -> FloatArray:
        """Value of each code for one derived variable."""
        part = next(part for part in self.parts if part.target == variable.target)
        return part.table(variable)

    def write(
        self, codes: IntArray, variable: DerivedVariable, scale: bool, out: FloatArray
    ) -> None:
        """Write one derived variable of rows with these codes to ``out``."""
        table = self.table(variable)
        if scale:
            table = variable.slope * (table - variable.mean)
        np.take(table, codes, out=out, mode="clip")


Treatment = NumericTreatment | LevelTreatment

# From places among a column's own variables to columns of the output.
Places = dict[int, int]


def wanted_places(treatment: Treatment, place: Mapping[str, int]) -> Places:
    """Find the variables of a column that are wanted; ``place`` has each one's output column."""
    names = [v.name for v in treatment.variables]
    return {own: place[name] for own, name in enumerate(names) if name in place}


def _renamed(
    variables: tuple[DerivedVariable, ...], names: Sequence[str]
) -> tuple[DerivedVariable, ...]:
    return tuple(replace(v, name=name) for v, name in zip(variables, names, strict=True))
