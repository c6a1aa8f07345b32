"""Derived variables under the Python package's names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.names import NameRegister
from vtreat_py.coders import codes
from vtreat_py.compat._codes import CODE_OF_TREATMENT, TREATMENT_OF_CODE, Variable, derived_name
from vtreat_py.plan.treatments import LevelTreatment

_RANK = {"missing_indicator": 0, "clean_copy": 1}


def name_variables(
    plan: TreatmentPlan,
    extra: Sequence[Variable],
    params: Mapping[str, Any],
    register: NameRegister,
) -> list[Variable]:
    """Name the variables of a plan that ``params`` ask for.

    Marks of missing values come first, then clean copies, then the codes of each column of
    levels, then what user transforms made: each in the order of the input frame. Extra columns,
    which the frame did not have, keep their names.
    """
    wanted = {CODE_OF_TREATMENT[t] for t in params["coders"]}
    added = {column.name: column for column in extra}
    max_levels = params.get("indicator_max_levels")
    cut = set() if max_levels is None else _rare_indicators(plan, max_levels)
    named: list[tuple[tuple[int, int], Variable]] = []
    position = {c: i for i, c in enumerate(plan.variables)}
    for derived in plan.derived:
        column, code = derived.orig_variable, derived.code
        if column in added and code == "clean":
            variable = replace(added[column], native=derived.name)
            mark = variable.treatment == "missing_indicator"
            place = (0, position[variable.orig_variable]) if mark else (3, position[column])
            named.append((place, variable))
        elif (code in wanted or column in added) and derived.name not in cut:
            proposed = derived_name(column, code, derived.level, derived.target)
            name = register.claim(proposed, str(column) if code == "clean" else None)
            treatment = TREATMENT_OF_CODE[code]
            variable = Variable(name, derived.name, column, treatment, codes.named(code).y_aware)
            named.append(((_RANK.get(treatment, 2), position[column]), variable))
    return [variable for _, variable in sorted(named, key=lambda pair: pair[0])]


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
