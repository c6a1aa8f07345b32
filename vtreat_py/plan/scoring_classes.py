"""Classes of few rows, which a plan for scoring does not name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable


def with_large_classes(plan: Plan, min_rows: int, n_rows: float) -> Plan:
    """Leave classes of few rows out, with what was made for them.

    Raises
    ------
    InvalidOptionError
        If one of two classes has few rows, or too few of several have many; or if the plan does not
        know.
    """
    if plan.outcome_type not in ("binomial", "multinomial"):
        return plan
    rates = _rates(plan)
    if plan.outcome_type == "binomial":
        rows = [rate * n_rows for rate in (rates[None], 1.0 - rates[None])]
        if min(rows) < min_rows - 0.5:
            raise _few_classes(min_rows, 2)
        return plan
    large = tuple(one for one in plan.classes if rates[one] * n_rows > min_rows - 0.5)
    if len(large) == len(plan.classes):
        return plan
    if len(large) < 2:
        raise _few_classes(min_rows, len(plan.classes))
    left = [_of_classes(one, large) for one in plan.treatments]
    treatments = tuple(one for one in left if one.variables)
    found = {v.name: v for one in treatments for v in one.variables}
    derived = tuple(found[v.name] for v in plan.derived if v.name in found)
    dropped = tuple(
        one if one.target in large else replace(one, target=None) for one in plan.dropped
    )
    return replace(plan, classes=large, treatments=treatments, derived=derived, dropped=dropped)


def _rates(plan: Plan) -> dict[Any, float]:
    """Share of the rows that each class has, as far as codes of levels or numbers were to know."""
    for statistics in plan.level_statistics:
        if statistics.outcomes:
            return {one.target: one.overall for one in statistics.outcomes}
    for treatment in plan.treatments:
        if isinstance(treatment, NumericTreatment) and treatment.by_range is not None:
            seen = treatment.by_range
            return {one.target: seen.overall(one) for one in seen.outcomes}
    raise InvalidOptionError(
        "the plan does not know how many rows each class has: it holds levels only, and the design "
        'was told to build no impact code. Design with one (coders=None, or with "catB"), and '
        "leave it out in prepare"
    )


def _of_classes(treatment: Treatment, classes: tuple[Any, ...]) -> Treatment:
    """A treatment without what was made for other classes."""
    if isinstance(treatment, NumericTreatment):
        return replace(treatment, variables=_scored_for(treatment.variables, classes))
    assert isinstance(treatment, LevelTreatment)
    parts = [
        replace(part, variables=_scored_for(part.variables, classes)) for part in treatment.parts
    ]
    return replace(treatment, parts=tuple(parts))


def _scored_for(
    variables: tuple[DerivedVariable, ...], classes: tuple[Any, ...]
) -> tuple[DerivedVariable, ...]:
    return tuple(
        replace(v, scores=tuple(score for score in v.scores if score.target in classes))
        for v in variables
        if v.target is None or v.target in classes
    )


def _few_classes(min_rows: int, number: int) -> InvalidOptionError:
    return InvalidOptionError(
        f"min_rows={min_rows}, but fewer than two of the {number} classes of the outcome have so "
        "many rows: every code would be of few. A smaller min_rows, or more rows of the rare class"
    )
