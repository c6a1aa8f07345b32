"""Columns of new frames as the design saw them: numbers as text, text as numbers.

That package compares levels by what they read as, and takes any text for a number that reads as
one. `prepare` of this package refuses such columns.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import SchemaError
from vtreat_py.base.warn import warn
from vtreat_py.frames.columns import EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment

_TEXT = ("string", "bytes", "empty")


def as_designed(
    source: InputFrame, plan: TreatmentPlan, columns: Collection[Hashable]
) -> InputFrame:
    """Convert those of some columns that the plan was designed on as another type.

    Raises
    ------
    SchemaError
        If the design saw numbers, and there is text that does not read as one.
    """
    changed: dict[Any, Any] = {}
    for treatment in plan.treatments:
        name = treatment.column
        if name not in columns:
            continue
        series = source.series(name)
        if isinstance(treatment, LevelTreatment):
            if _are_other_levels(source, treatment):
                changed |= _levels(series, treatment)
        elif _are_no_numbers(source, treatment):
            changed[name] = _numbers(name, series, plan.options.missing_values)
    return _with(source, changed) if changed else source


def _are_other_levels(source: InputFrame, treatment: LevelTreatment) -> bool:
    """Whether a column holds, or was designed on, levels that are not text."""
    series = source.series(treatment.column)
    if treatment.levels.is_text:
        if _is_text(series):
            return False
    elif not isinstance(series.to_native(), pd.Series) or (
        treatment.holds_numbers and _is_number(series.dtype)
    ):
        return False
    column = source.read(treatment.column, as_levels=not treatment.levels.is_text)
    return not isinstance(column, EmptyColumn)


def _are_no_numbers(source: InputFrame, treatment: NumericTreatment) -> bool:
    """Whether a column holds levels where the design saw numbers; dates are none."""
    dtype = source.series(treatment.column).dtype
    if treatment.kind != "number" or _is_number(dtype) or dtype.is_temporal():
        return False
    return not isinstance(source.read(treatment.column), NumericColumn | EmptyColumn)


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _is_text(series: nw.Series[Any]) -> bool:
    native = series.to_native()
    if not isinstance(native, pd.Series):
        return isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum | nw.Binary)
    values = native.cat.categories if isinstance(native.dtype, pd.CategoricalDtype) else native
    return pd.api.types.infer_dtype(values, skipna=True) in _TEXT


def _distinct(series: nw.Series[Any]) -> tuple[IntArray, list[Any]]:
    """Code of each row among the distinct values; -1 where it is missing."""
    native = series.to_native()
    if not isinstance(native, pd.Series):
        native = pd.Series(series.to_list(), dtype=object)
    codes, values = pd.factorize(native)
    return codes, list(values)


def _levels(series: nw.Series[Any], treatment: LevelTreatment) -> dict[Any, Any]:
    """Read values as the levels that are written alike; as new text where none is."""
    name, levels = treatment.column, treatment.levels
    codes, found = _distinct(series)
    text: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for level in levels.to_list():
        if isinstance(level, str):
            text[level] = level
        else:
            others |= {spelling: level for spelling in _spellings(level) if spelling not in others}
    seen = [_level(value, text, others) for value in found]
    if found and all(level is None for level in seen):
        if treatment.holds_numbers:
            return {}  # new numbers, or what `prepare` refuses
        warn(
            f"no value of column {name!r}, such as {found[0]}, reads as a level of the design, "
            f"such as {levels[0]}; all are taken for levels that were never seen"
        )
    values = np.empty(len(found) + 1, dtype=object)
    pairs = zip(found, seen, strict=True)
    values[:-1] = [str(value) if level is None else level for value, level in pairs]
    return {name: values[codes]}


def _level(value: Any, text: Mapping[str, Any], others: Mapping[str, Any]) -> Any:
    """Find the level of the same kind that reads like a value, else one of another kind."""
    spellings = _spellings(value)
    for levels in (text, others) if isinstance(value, str) else (others, text):
        for spelling in spellings:
            if spelling in levels:
                return levels[spelling]
    return None


def _spellings(value: Any) -> list[str]:
    """What a value reads as: a whole number with and without ".0", a day without its time."""
    spellings = [str(value)]
    if _is_whole(value):
        spellings += [str(int(value)), f"{int(value)}.0"]
    elif isinstance(value, datetime) and value.time() == time():
        spellings.append(str(value.date()))
    elif isinstance(value, date) and not isinstance(value, datetime):
        spellings.append(str(datetime.combine(value, time())))
    return spellings


def _is_whole(value: Any) -> bool:
    """Whether a value is a number without a fraction."""
    if isinstance(value, float | np.floating | Decimal):
        return math.isfinite(value) and value == int(value)
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _numbers(name: Any, series: nw.Series[Any], missing: Sequence[str]) -> FloatArray:
    """Read values as numbers."""
    codes, found = _distinct(series)
    values = np.full(len(found) + 1, np.nan)
    unread = []
    for place, value in enumerate(found):
        try:
            values[place] = math.nan if value in missing else float(value)
        except (TypeError, ValueError, OverflowError):
            unread.append(value)
    if unread:
        many = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
        raise SchemaError(
            f"column {name!r} was designed on numbers, and holds {unread[0]!r}{many}, which does "
            "not read as one. Convert it to numbers, with missing values where there is none"
        )
    return values[codes]


def _with(source: InputFrame, changed: Mapping[str, Any]) -> InputFrame:
    """Put other columns in the places of some."""
    native = source.native
    if isinstance(native, pd.DataFrame):
        native = native.copy(deep=False)
        for name, values in changed.items():
            native[name] = pd.Series(values, native.index, dtype=values.dtype)
        return InputFrame.of(native)
    backend = source.frame.implementation
    kinds = {name: nw.String if v.dtype == object else nw.Float64 for name, v in changed.items()}
    series = [
        nw.new_series(name, values.tolist(), kinds[name], backend=backend)
        for name, values in changed.items()
    ]
    return InputFrame.of(source.frame.with_columns(*series).to_native())
