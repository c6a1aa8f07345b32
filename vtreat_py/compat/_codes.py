"""The words of the Python package ``vtreat`` for what this package derives."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.names import NameRegister
from vtreat_py.coders import codes
from vtreat_py.plan.treatments import LevelTreatment

TREATMENT_OF_CODE = {
    "clean": "clean_copy",
    "isBAD": "missing_indicator",
    "lev": "indicator_code",
    "catP": "prevalence_code",
    "catB": "logit_code",
    "catN": "impact_code",
    "catD": "deviation_code",
}
CODE_OF_TREATMENT = {treatment: code for code, treatment in TREATMENT_OF_CODE.items()}
_RANK = {"missing_indicator": 0, "clean_copy": 1}
_SPELLED = str.maketrans(
    {"(": "_op_", ")": "_cp_", "[": "_osq_", "]": "_csq_", "<": "_lt_", ">": "_gt_", ".": "_"}
)


@dataclass(frozen=True)
class Variable:
    """A derived variable: its name here and in the plan, and what the score frame says of it.

    Also a column that is added to the frame before there is a plan, which its ``native`` names.
    """

    name: str
    native: str
    orig_variable: Hashable
    treatment: str
    y_aware: bool = False


def clean_string(text: str) -> str:
    """Return a level as it stands in the name of its indicator.

    Brackets and comparison signs become words, dots and runs of white space an underscore;
    all else stays.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> clean_string("[40-50)"), clean_string("> 8"), clean_string("St. Ives")
    ('_osq_40-50_cp_', '_gt__8', 'St__Ives')
    """
    return re.sub(r"\s+", "_", str(text).strip().translate(_SPELLED))


def derived_name(column: Hashable, code: str, level: Any = None, target: Any = None) -> str:
    """Name of a derived variable in the Python package.

    Examples
    --------
    >>> derived_name("x", "isBAD"), derived_name("x", "lev", "a b"), derived_name("x", "lev")
    ('x_is_bad', 'x_lev_a_b', 'x_lev__NA_')
    >>> derived_name("x", "catB"), derived_name("x", "catB", target="red")
    ('x_logit_code', 'x_logit_code_red')
    """
    if code == "clean":
        return str(column)
    if code == "isBAD":
        return f"{column}_is_bad"
    if code == "lev":
        return f"{column}_lev_{'_NA_' if level is None else clean_string(level)}"
    name = f"{column}_{TREATMENT_OF_CODE[code]}"
    return name if target is None else f"{name}_{target}"


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


def _rare_indicators(plan: TreatmentPlan, most: int) -> set[str]:
    """Plan names of the indicators beyond the most common levels of each column."""
    cut: set[str] = set()
    for treatment in plan.treatments:
        if isinstance(treatment, LevelTreatment):
            marks = [v for v in treatment.variables if v.code == "lev"]
            tables = (treatment.table(v) for v in treatment.variables if v.code == "catP")
            share = next(tables, np.zeros(len(treatment.levels) + 2))  # none: all are alike
            marks.sort(key=lambda v: (-share[v.slot], v.slot))
            cut |= {v.name for v in marks[most:]}
    return cut
