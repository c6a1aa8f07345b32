"""Cross-frames of private designs: rows are coded by private plans of the other folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders import codes
from vtreat_py.coders.forms import scale_in_place
from vtreat_py.frames.frame import InputFrame
from vtreat_py.memory.treated import read_treated
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable


def cross_frame(
    plan: Plan, plans: Sequence[Plan], fold: IntArray, source: InputFrame, choice: Choice
) -> Any:
    """Code each row by the plan of the rows of other folds, where a code knows the outcome.

    Those plans have the same budget, and so the same noise but for fewer rows: a model learns from
    codes that are as far off as those that it will get. All other variables are those of the plan.
    """
    treatments = choice.treatments(plan)
    of_folds = [{t.column: t for t in one.treatments} for one in plans]
    read = source.read_by(plan.options.missing_values)
    out = np.empty((len(choice.variables), source.n_rows))
    for treatment, column in zip(treatments, read_treated(read, treatments), strict=True):
        encoded: Any = treatment.encode(column)
        for place, variable in choice.by_column[treatment.column]:
            treatment.write(encoded, variable, choice, out[place])
            if isinstance(treatment, LevelTreatment) and codes.named(variable.code).y_aware:
                for k, found in enumerate(of_folds):
                    rows = fold == k
                    table = _table(treatment, variable, found.get(treatment.column), choice.scale)
                    out[place, rows] = table[encoded[rows]]
    return source.like(choice.names, out, ())


def _table(
    treatment: LevelTreatment, variable: DerivedVariable, of_fold: Treatment | None, scale: bool
) -> FloatArray:
    """Values of a plan's levels by the plan of a fold; 0 where that has none."""
    table = np.zeros(treatment.levels.novel + 1)
    if isinstance(of_fold, LevelTreatment) and variable.code in of_fold.parts[0].tables:
        levels = of_fold.levels
        known = levels.codes_of_levels(treatment.levels)
        places = np.append(known, [levels.missing, levels.novel])
        table = of_fold.parts[0].tables[variable.code][places]
    if scale:
        scale_in_place(table, variable.slope, variable.mean)
    return table
