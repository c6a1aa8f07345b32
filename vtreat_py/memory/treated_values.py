"""What single values of a column become, to the bit what they become in a frame.

Values of common types are looked up, or counted with, at once. All others go the way of a frame, as
a column of one row.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import EXACT_INTEGERS
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import LARGEST, Copy, Curves, Form, Steps
from vtreat_py.frames.calendar import LABELS, CalendarPart, local_seconds, number_of
from vtreat_py.frames.columns import Column, EmptyColumn
from vtreat_py.frames.joint import NAMES, JointColumn, JointPart
from vtreat_py.frames.made import MadeColumn, sources_of
from vtreat_py.frames.values import column_of_value, days_of, seconds_of
from vtreat_py.memory.treated import check_fit
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, TextTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable

Values = tuple[Any, ...]
OfValue = Callable[[Any], Values]

_WHOLE = {int, bool}
_FLOATS = {float, np.float64}
_MOMENTS = {dt.datetime, pd.Timestamp}


@dataclass(frozen=True, eq=False)
class ValuesOfColumn:
    """The variables of a column, of one value.

    Attributes
    ----------
    treatment : Treatment
    choice : Choice
        What is wanted of the plan.
    plan : Plan
    """

    treatment: Treatment
    choice: Choice
    plan: Plan

    @cached_property
    def places(self) -> list[int]:
        """Places of the variables among all that come out."""
        return [place for place, _ in self.choice.by_column[self.treatment.column]]

    @cached_property
    def variables(self) -> list[DerivedVariable]:
        """The variables."""
        return [variable for _, variable in self.choice.by_column[self.treatment.column]]

    @cached_property
    def sources(self) -> list[Hashable]:
        """The columns of a frame that it is read from."""
        return sources_of([self.treatment.column], self.plan.made)

    @property
    def made(self) -> MadeColumn | None:
        """How the column is made of others, if it is."""
        return self._all_made.get(self.treatment.column)

    @property
    def joint(self) -> JointColumn | None:
        """How it is made of several."""
        return self.made if isinstance(self.made, JointColumn) else None

    @cached_property
    def _all_made(self) -> dict[Hashable, MadeColumn]:
        return {one.name: one for one in self.plan.made}

    def of_value(self, value: Any) -> Values:
        """Treat a value of any type; of a date, where the column is a part of one."""
        treatment, made = self.treatment, self.made
        if isinstance(made, CalendarPart):
            return self.of_column(made.of(self._read(made.column, value)))
        as_levels = isinstance(treatment, LevelTreatment) and not treatment.levels.is_text
        return self.of_column(self._read(treatment.column, value, as_levels))

    def of_values(self, values: Sequence[Any]) -> Values:
        """Treat values of the columns that it is made of."""
        assert self.joint is not None
        row = dict(zip(self.sources, values, strict=True))
        return self.of_column(self.joint.of(*(self._part(part, row) for part in self.joint.parts)))

    def of_column(self, column: Column) -> Values:
        """Treat a column of one row."""
        treatment = self.treatment
        check_fit([treatment], [column])
        encoded: Any = treatment.encode(column)
        kind = object if isinstance(treatment, TextTreatment) else np.float64
        found = []
        for variable in self.variables:
            out: Any = np.empty(1, dtype=kind)
            treatment.write(encoded, variable, self.choice, out)
            if isinstance(treatment, LevelTreatment) and treatment.reads_novel(variable):
                novel = treatment.novel_levels(column, encoded)
                treatment.write_novel(novel, variable, self.choice, out, self.joint)
            found.append(out.item())
        return tuple(found)

    @property
    def of_missing(self) -> Values:
        """What a missing value becomes."""
        return self.of_column(EmptyColumn(self.treatment.column, 1))

    def _part(self, part: JointPart, row: Mapping[Hashable, Any]) -> Column:
        calendar = self._all_made.get(part.column)
        if isinstance(calendar, CalendarPart):
            value = row[calendar.column]
            if _READ[calendar.kind](value) is not None:
                _warn_of_lost_zone(calendar, value)
            return calendar.of(self._read(calendar.column, value))
        return self._read(part.column, row[part.column], part.kind == NAMES)

    def _read(self, name: Hashable, value: Any, as_levels: bool = False) -> Column:
        return column_of_value(name, value, as_levels, self.plan.options.missing_values)


def of_value(column: ValuesOfColumn) -> OfValue:
    """Make a function of a value."""
    treatment, made = column.treatment, column.made
    if isinstance(treatment, NumericTreatment):
        return _of_number(column, treatment)
    if isinstance(made, CalendarPart):
        return _of_date(column, made, _Known.of(column, treatment))
    return _of_level(column, treatment, _Known.of(column, treatment))


@dataclass(frozen=True, eq=False)
class _Known:
    """What levels become, by level; missing values are None, and all texts that mean them."""

    levels: dict[Any, Values]
    novel: Values

    @classmethod
    def of(cls, column: ValuesOfColumn, treatment: LevelTreatment) -> _Known:
        tables = [treatment.table(v, column.choice.scale).tolist() for v in column.variables]
        *values, missing, novel = zip(*tables, strict=True)
        levels = dict(zip(treatment.levels.to_list(), values, strict=True))
        written = column.plan.options.missing_values
        return cls(levels | dict.fromkeys((*written, None), missing), novel)


def _of_level(column: ValuesOfColumn, treatment: LevelTreatment, known: _Known) -> OfValue:
    """Look levels up; novel ones are all alike, unless something rests on what they are."""
    types = {str} if treatment.levels.is_text else {int, float, bool, str}
    if treatment.holds_numbers:
        types.remove(str)  # which is refused
    levels, missing, novel = known.levels, known.levels[None], known.novel
    are_alike = not any(treatment.reads_novel(v) for v in column.variables)
    of_value = column.of_value

    def values(value: Any) -> Values:
        kind = type(value)
        if kind in types:
            found = levels.get(value)
            if found is not None:
                return found
            if are_alike and value == value:
                return novel
        elif value is None or (kind in _FLOATS and value != value):
            return missing
        return of_value(value)

    return values


def _warn_of_lost_zone(part: CalendarPart, value: Any) -> None:
    """Say so where a point in time lacks the zone by whose clock a part is made of it."""
    if part.needs_zone and value.tzinfo is None:
        part.warn_of_lost_zone()


def _of_date(column: ValuesOfColumn, part: CalendarPart, known: _Known) -> OfValue:
    """Look the part of a date up."""
    read, labels = _READ[part.kind], LABELS[part.part]
    levels, of_value = known.levels, column.of_value

    def values(value: Any) -> Values:
        number = read(value)
        if number is None:
            return of_value(value)
        _warn_of_lost_zone(part, value)
        seconds = local_seconds(np.array([number]), part)
        found = levels.get(labels[int(number_of(part.part, seconds)[0])])
        return of_value(value) if found is None else found

    return values


def _day(value: Any) -> float | None:
    return days_of(value) if type(value) is dt.date else None


def _moment(value: Any) -> float | None:
    if type(value) not in _MOMENTS:
        return None
    try:
        return seconds_of(value)
    except OverflowError:
        return None


def _plain_number(value: Any) -> float | None:
    kind = type(value)
    if kind in _FLOATS:
        return float(value) if math.isfinite(value) else None
    is_exact = kind in _WHOLE and abs(value) <= EXACT_INTEGERS
    return float(value) if is_exact else None  # greater ones warn, and go the way of a frame


def _is_no_number(value: float) -> bool:
    return not math.isfinite(value)


def _never(_: Any) -> None:
    """Read nothing at once: durations and times of day."""


# How values of each kind are read at once; None where they go the way of a frame.
_READ: dict[str, Callable[[Any], float | None]] = {
    "number": _plain_number,
    "date": _day,
    "datetime": _moment,
}


def _of_number(column: ValuesOfColumn, treatment: NumericTreatment) -> OfValue:
    """Count with numbers, and dates as such."""
    read, of_value = _READ.get(treatment.kind, _never), column.of_value
    functions = [_coded(treatment, variable, column.choice) for variable in column.variables]
    missing = column.of_missing
    is_bad = _is_no_number if treatment.kind == "number" else math.isnan  # infinity is no date

    def values(value: Any) -> Values:
        number = read(value)
        if number is None:
            bad = value is None or (type(value) in _FLOATS and is_bad(value))
            return missing if bad else of_value(value)
        return tuple([function(number) for function in functions])

    return values


def _coded(
    treatment: NumericTreatment, variable: DerivedVariable, choice: Choice
) -> Callable[[float], float]:
    """Make a function of good numbers."""
    code = _function(treatment.form(variable, choice.collar))
    if not choice.scale:
        return code
    mean, slope = variable.mean, variable.slope

    def scaled(number: float) -> float:
        found = code(number) - mean
        return _held(_held(found) * slope)

    return scaled


def _held(number: float) -> float:
    """What would leave the range of floats stays at its end."""
    return min(max(number, -LARGEST), LARGEST)


def _function(form: Form) -> Callable[[float], float]:
    if isinstance(form, Copy):
        return _copy(form)
    if isinstance(form, Steps):
        edges: list[float] = form.edges.tolist()
        of_range: list[float] = form.values.tolist()
        return lambda number: of_range[bisect_left(edges, number)]
    assert isinstance(form, Curves)
    return _curve(form.curves[0])


def _copy(form: Copy) -> Callable[[float], float]:
    if form.cuts is None:
        return lambda number: number
    lower, upper = (float(cut) for cut in form.cuts)
    return lambda number: min(max(number, lower), upper)


def _curve(curve: Curve) -> Callable[[float], float]:
    x: list[float] = curve.x.tolist()
    y: list[float] = curve.y.tolist()
    slopes: list[float] = curve.slopes.tolist()
    units: list[float] | None = None if (curve.units == 1.0).all() else curve.units.tolist()

    def value(number: float) -> float:
        at = min(max(number, x[0]), x[-1])
        place = bisect_right(x, at) - 1
        if units is None:
            return y[place] + slopes[place] * (at - x[place])
        unit = units[place]
        return y[place] + slopes[place] * (at / unit - x[place] / unit)

    return value
