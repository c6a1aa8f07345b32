"""A plan as one table: which value of which column becomes which number."""

from __future__ import annotations

from typing import Any

import pandas as pd

from vtreat_py.compat._learned import Learned
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
from vtreat_py.plan.variables import DerivedVariable

_CLASS = {
    "missing_indicator": "IndicateMissingTransform",
    "clean_copy": "CleanNumericTransform",
    "indicator_code": "IndicatorCodeTransform",
}
_MAPPED = "MappedCodeTransform"
_COLUMNS = [
    "treatment_class",
    "treatment",
    "orig_var",
    "orig_was_numeric",
    "variable",
    "value",
    "replacement",
]


def description_matrix(learned: Learned) -> pd.DataFrame:
    """Lay out the variables of a plan, a row for each value that is replaced."""
    by_column = {t.column: t for t in learned.plan.treatments}
    native = {v.name: v for v in learned.plan.derived}
    marks = {extra.columns[0].name for extra in learned.extra if extra.transform is None}
    rows: list[tuple[Any, ...]] = []
    for variable in learned.variables:
        derived = native[variable.native]
        treatment = by_column[derived.orig_variable]
        if variable.name in marks:
            pairs, numeric = [(None, 1.0)], False
        elif derived.orig_variable not in learned.variables_in:
            continue  # a user transform is code, not a table
        elif isinstance(treatment, NumericTreatment):
            numeric = True
            pairs = [(None, treatment.imputed if derived.code == "clean" else 1.0)]
        else:
            pairs, numeric = _of_levels(treatment, derived), False
        kind, origin = _CLASS.get(variable.treatment, _MAPPED), variable.orig_variable
        rows += [
            (kind, variable.treatment, origin, numeric, variable.name, value, number)
            for value, number in pairs
        ]
    table = pd.DataFrame(rows, columns=_COLUMNS, dtype=object)
    return table.astype({"orig_was_numeric": bool, "replacement": float})


def _of_levels(treatment: LevelTreatment, derived: DerivedVariable) -> list[tuple[Any, float]]:
    if derived.code == "lev":
        return [(derived.level, 1.0)]
    values = [*treatment.levels.to_list(), None]
    return list(zip(values, treatment.table(derived).tolist(), strict=False))
