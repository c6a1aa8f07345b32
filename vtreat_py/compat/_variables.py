"""Derived variables under the Python package's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders import codes
from vtreat_py.compat._codes import CODE_OF_TREATMENT, TREATMENT_OF_CODE, derived_name
from vtreat_py.compat._extra_columns import ExtraColumn
from vtreat_py.plan.treatments import LevelTreatment

_RANK = {"missing_indicator": 0, "clean_copy": 1}


@dataclass(frozen=True)
class Variable:
    """A derived variable: its name here and in the plan, and what the score frame says of it."""

    name: str
    native: str
    orig_variable: Hashable
    treatment: str
    y_aware: bool


def name_variables(
    plan: TreatmentPlan,
    extra: Sequence[ExtraColumn],
    treatments: Iterable[str],
    max_levels: int | None,
    claim: Callable[[str, str | None], str],
) -> list[Variable]:
    """Name the variables of a plan.

    Marks of missing values come first, then clean copies, then the codes of each column of
    levels, then what user transforms made: each in the order of the input frame.

    Parameters
    ----------
    extra : sequence of ExtraColumn
        Columns the frame did not have; they keep their names.
    treatments : iterable of str
        The treatments asked for.
    max_levels : int or None
        Most indicators of one column.
    claim : callable
        Gives out a name, or a variant of it that is free.
    """
    wanted = {CODE_OF_TREATMENT[t] for t in treatments}
    added = {column.name: column for column in extra}
    cut = set() if max_levels is None else _rare_indicators(plan, max_levels)
    named: list[tuple[tuple[int, int], Variable]] = []
    position = {c: i for i, c in enumerate(plan.variables)}
    for derived in plan.derived:
        column, code = derived.orig_variable, derived.code
        if column in added and code == "clean":
            named.append(_of_extra(derived.name, added[column], position))
        elif (code in wanted or column in added) and derived.name not in cut:
            proposed = derived_name(column, code, derived.level, derived.target)
            treatment = TREATMENT_OF_CODE[code]
            variable = Variable(
                claim(proposed, str(column) if code == "clean" else None),
                derived.name,
                column,
                treatment,
                codes.named(code).y_aware,
            )
            named.append(((_RANK.get(treatment, 2), position[column]), variable))
    return [variable for _, variable in sorted(named, key=lambda pair: pair[0])]


def _of_extra(
    native: str, column: ExtraColumn, position: dict[Hashable, int]
) -> tuple[tuple[int, int], Variable]:
    variable = Variable(column.name, native, column.orig_variable, column.treatment, column.y_aware)
    if column.treatment == "missing_indicator":
        return (0, position[column.orig_variable]), variable
    return (3, position[column.name]), variable


def _rare_indicators(plan: TreatmentPlan, most: int) -> Collection[str]:
    """Plan names of the indicators beyond the most common levels of each column."""
    cut: set[str] = set()
    for treatment in plan.treatments:
        if not isinstance(treatment, LevelTreatment):
            continue
        marks = [v for v in treatment.variables if v.code == "lev"]
        if len(marks) > most:
            slots = np.array([v.slot for v in marks], dtype=np.intp)
            order = np.lexsort((slots, -_shares(treatment)[slots]))
            cut |= {marks[i].name for i in order[most:]}
    return cut


def _shares(treatment: LevelTreatment) -> FloatArray:
    """Prevalence of each code; all alike where the plan has no prevalence code for that reason."""
    for variable in treatment.variables:
        if variable.code == "catP":
            return treatment.table(variable)
    return np.zeros(len(treatment.levels) + 2)


def counts(values: Iterable[Any]) -> list[float]:
    """How often each value occurs among all of them."""
    listed = list(values)
    times = Counter(listed)
    return [float(times[value]) for value in listed]
