"""What the levels of a column become where a plan is translated: keys, and their numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from vtreat_py.base.arrays import EXACT_INTEGERS, BoolArray
from vtreat_py.base.errors import InvalidOptionError, UnsupportedColumnError
from vtreat_py.coders.forms import scale_in_place
from vtreat_py.frames.columns import Kind, NumericColumn
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.reading import read_column
from vtreat_py.plan.treatments import LevelTreatment
from vtreat_py.plan.variables import DerivedVariable

Key = str | bytes | float
KeyKind = Literal["text", "bytes"] | Kind


@dataclass(frozen=True, eq=False)
class KeyedCodes:
    """The codes of a column's levels that are not what novel levels get.

    Attributes
    ----------
    language : str
        What the plan is translated to, for messages.
    kind : str
        What the keys are: text, bytes, or what the floats of a `NumericColumn` stand for.
    keys : list
        The levels, all different: text, bytes or floats.
    values : ndarray of shape (n_keys, n_variables)
        Floats, or text.
    missing, novel : ndarray of shape (n_variables,)
        What missing values and levels that are no key get.
    """

    language: ClassVar[str]

    column: Hashable
    kind: KeyKind
    keys: list[Key]
    values: NDArray[Any]
    missing: NDArray[Any]
    novel: NDArray[Any]

    @classmethod
    def of(
        cls,
        treatment: LevelTreatment,
        variables: Sequence[DerivedVariable],
        missing_values: Sequence[str],
    ) -> Self:
        """Take the codes of some of a column's variables, unscaled."""
        kind, keys = level_keys(treatment.column, treatment.levels, cls.language)
        tables = np.column_stack([treatment.table(v) for v in variables])
        values, missing, novel = tables[:-2], tables[-2], tables[-1]
        if kind == "text" and not treatment.keys:
            keys = [*keys, *missing_values]
            values = np.vstack([values, *[missing] * len(missing_values)])
        codes = cls(treatment.column, kind, keys, values, missing, novel)
        if treatment.keys:  # what is no key is not coded alike then
            return codes
        return codes.where((_bits(values) != _bits(novel)).any(axis=1))

    def where(self, kept: BoolArray) -> Self:
        """Keep some of the keys."""
        keys = [key for key, keep in zip(self.keys, kept, strict=True) if keep]
        return replace(self, keys=keys, values=self.values[kept])

    def scaled(self, variables: Sequence[DerivedVariable]) -> Self:
        """Scale the codes as `LevelTreatment.write` does."""
        slope = np.array([v.slope for v in variables])
        mean = np.array([v.mean for v in variables])
        codes = {name: getattr(self, name).copy() for name in ("values", "missing", "novel")}
        for code in codes.values():
            scale_in_place(code, slope, mean)
        return replace(self, **codes)

    def __len__(self) -> int:
        return len(self.keys)


def level_keys(column: Hashable, levels: Levels, language: str) -> tuple[KeyKind, list[Key]]:
    """Turn levels into text, bytes or numbers, and say which; all must be of one of these."""
    listed = levels.to_list()
    if levels.is_text:
        return ("bytes" if pa.types.is_large_binary(levels.labels.type) else "text"), listed
    if all(isinstance(level, str) for level in listed):
        return "text", listed
    check_exact(column, listed, language)
    numbers = numbers_of_levels(column, listed)
    keys = [] if numbers is None else numbers.values.astype(np.float64).tolist()
    if numbers is None or len(set(keys)) < len(listed):
        types = ", ".join(dict.fromkeys(type(level).__name__ for level in listed))
        raise InvalidOptionError(
            f"column {column!r} has levels of type {types}, which have no form in {language} that "
            "tells them apart. Convert the column to text before the design, or choose variables "
            "of other columns (variables=)"
        )
    return numbers.kind, keys


def numbers_of_levels(column: Hashable, levels: list[Any]) -> NumericColumn | None:
    """Read levels as a column of numbers, dates or times; None where they are something else."""
    series = pd.Series(levels, dtype=object)
    try:
        read = read_column(column, series)
    except UnsupportedColumnError:
        return None
    return read if isinstance(read, NumericColumn) else None


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    """Floats as integers: 0.0 and -0.0 differ, too. Text as it is."""
    return values if values.dtype == object else np.ascontiguousarray(values).view(np.int64)


def check_exact(column: Hashable, levels: list[Any], language: str) -> None:
    """Refuse levels that floats do not tell from other numbers."""
    numbers = [v for v in levels if not isinstance(v, np.timedelta64)]  # an np.integer, too
    integers = [int(v) for v in numbers if isinstance(v, int | np.integer)]
    large: list[Any] = [v for v in integers if abs(v) >= EXACT_INTEGERS]
    large += [str(v) for v in numbers if isinstance(v, Decimal)]  # others are floats
    if large:
        raise InvalidOptionError(
            f"column {column!r} has the level {large[0]}: {language} compares levels that are "
            "numbers as 64-bit floats, which are exact below 2**53 only. Convert the column to "
            "text before the design"
        )
