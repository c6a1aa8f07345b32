"""The plan of one column: how its derived variables are computed from it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py._columns import (
    Column,
    EmptyColumn,
    Kind,
    LevelColumn,
    NumericColumn,
    ObjectColumn,
)
from vtreat_py._levels import Levels
from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.coders.clean import clean, scale_in_place


@dataclass(frozen=True)
class DerivedVariable:
    """A column of the treated frame: what it is, and how it scored.

    Attributes
    ----------
    name : str
    orig_variable : hashable
        The input column.
    code : str
        ``clean``, ``isBAD``, ``lev``, ``catP``, ``catB``, ``catN`` or ``catD``.
    level : object
        The level an indicator marks; None for the missing level and for other codes.
    slot : int or None
        Code of that level among the column's levels.
    rsq, sig : float
        Its one-variable score.
    needs_split : bool
        Whether a training row's value must come from the other folds.
    extra_model_degrees : float
        Degrees of freedom spent on building it.
    slope, mean : float
        y-aware scaling: ``slope * (x - mean)``.
    """

    name: str
    orig_variable: Hashable
    code: str
    level: Any = None
    slot: int | None = None
    rsq: float = 0.0
    sig: float = 1.0
    needs_split: bool = False
    extra_model_degrees: float = 0.0
    slope: float = 0.0
    mean: float = 0.0


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
    """

    column: Hashable
    kind: Kind
    imputed: float
    lower: float
    upper: float
    variables: tuple[DerivedVariable, ...]
    sample: str

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
class LevelTreatment:
    """How a categorical column is treated.

    Attributes
    ----------
    levels : Levels
        The training levels. A row has the code of its level, of "missing", or of "novel".
    slots : ndarray of int, shape (n_levels + 2,)
        What a code is taken for: itself, the pool (which is where novel levels go), or -1 for
        a suppressed level.
    tables : dict from code to ndarray of shape (n_levels + 2,)
        Value of each code in the treated frame.
    """

    column: Hashable
    levels: Levels
    slots: IntArray
    tables: dict[str, FloatArray]
    variables: tuple[DerivedVariable, ...]
    sample: str
    kind: str = "levels"

    def __post_init__(self) -> None:
        for array in (self.slots, *self.tables.values()):
            array.setflags(write=False)

    def fits(self, column: Column) -> bool:
        """Whether a column is of the type this treatment was designed for."""
        if isinstance(column, NumericColumn):
            return column.kind == "number" and not self.levels.is_text
        return True

    def codes(self, column: Column) -> IntArray:
        """Code of each row."""
        if isinstance(column, EmptyColumn):
            return np.full(len(column), self.levels.missing, dtype=np.int32)
        if isinstance(column, NumericColumn):  # levels that are numbers, without their dtype
            values = column.values.astype(object)
            values[np.isnan(column.values)] = None
            return ObjectColumn(column.name, values).codes_in(self.levels)
        level_column: LevelColumn = column
        return level_column.codes_in(self.levels)

    def write(
        self, codes: IntArray, variable: DerivedVariable, scale: bool, out: FloatArray
    ) -> None:
        """Write one derived variable of rows with these codes to ``out``."""
        if variable.code == "lev":
            table = (self.slots == variable.slot).astype(np.float64)
        else:
            table = self.tables[variable.code]
        if scale:
            table = variable.slope * (table - variable.mean)
        np.take(table, codes, out=out, mode="clip")


Treatment = NumericTreatment | LevelTreatment
