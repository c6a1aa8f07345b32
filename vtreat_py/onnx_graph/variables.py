"""Nodes of the variables of a plan: one matrix, with a column for each."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.onnx_graph.levels import level_variables
from vtreat_py.onnx_graph.numbers import Numbers, scaled
from vtreat_py.onnx_graph.reader import Reader
from vtreat_py.plan.choice import Choice, check_reads_no_text
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, TextTreatment


def check_sayable(plan: Plan, choice: Choice) -> None:
    """Refuse variables that ONNX has no words for.

    Raises
    ------
    InvalidOptionError
        If there are such, or if there is no variable at all.
    """
    check_reads_no_text(plan, choice, "ONNX")
    kept = [t.variable.name for t in choice.treatments(plan) if isinstance(t, TextTreatment)]
    if kept:
        raise InvalidOptionError(
            f"{listed(kept)} are text (code kept), but what comes out of the model is a matrix of "
            "numbers. Leave them out with variables= or coders=; text need not be treated"
        )
    if not choice.variables:
        raise InvalidOptionError(
            "a model needs a variable, and none is chosen; see plan.score_frame. A larger "
            "prune_sig, or None, keeps more"
        )


def all_variables(reader: Reader, choice: Choice) -> str:
    """Write the chosen variables in their order, as doubles."""
    found, places = [], []
    treatments = choice.treatments(reader.plan)
    numeric = [t for t in treatments if isinstance(t, NumericTreatment)]
    if numeric:
        matrix, order = _of_numbers(reader, numeric, choice)
        found.append(matrix)
        places += order
    for treatment in treatments:
        if isinstance(treatment, LevelTreatment):
            wanted = choice.by_column[treatment.column]
            variables = [variable for _, variable in wanted]
            found.append(level_variables(reader, treatment, variables, choice.scale))
            places += [place for place, _ in wanted]
    matrix = reader.graph.together(found)
    return reader.graph.columns(matrix, np.argsort(places).tolist(), len(places))


def _of_numbers(
    reader: Reader, treatments: list[NumericTreatment], choice: Choice
) -> tuple[str, list[int]]:
    """Write all variables of numeric columns; tell the place of each among those that come out."""
    numbers = Numbers.of(reader.graph, [reader.sources[t.column] for t in treatments])
    wanted = [
        (column, treatment.form(variable, choice.collar), place)
        for column, treatment in enumerate(treatments)
        for place, variable in choice.by_column[treatment.column]
    ]
    matrix, order = numbers.variables([(column, form) for column, form, _ in wanted])
    places = [wanted[i][2] for i in order]
    if choice.scale:
        matrix = scaled(reader.graph, matrix, [choice.variables[place] for place in places])
    return matrix, places
