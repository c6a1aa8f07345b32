"""What a plan knows of each column, brought together from all of its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from vtreat_py.frames.made import MadeColumn
from vtreat_py.plan.data import Plan
from vtreat_py.plan.importance import variable_importance
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable, DroppedCode


@dataclass(frozen=True)
class Scored:
    """A derived variable, and one of its rows in the score frame.

    Attributes
    ----------
    row : dict
        That row, by column of the score frame.
    """

    variable: DerivedVariable
    row: dict[str, Any]


@dataclass(frozen=True)
class PlanColumn:
    """What a plan knows of a column.

    Attributes
    ----------
    place : int
        Its place among ``plan.variables``.
    rsq, sig : float or None
        What the best of its variables says of the outcome, as `variable_importance` has it; None
        where there is no outcome.
    treatment, statistics, made : object or None
        Its entries in the plan; ``made`` where no frame has it.
    scored : list of Scored
        Its variables, the most telling first.
    dropped : list of DroppedCode
    reasons, hints : list of str
        Why nothing, or no code of one's own, is made of it; and what a user may want to know.
    """

    place: int
    name: Hashable
    rsq: float | None
    sig: float | None
    treatment: Treatment | None
    statistics: LevelStatistics | None
    made: MadeColumn | None
    scored: list[Scored]
    dropped: list[DroppedCode]
    reasons: list[str]
    hints: list[str]

    @property
    def kind(self) -> str:
        """What it holds, in a word."""
        if isinstance(self.treatment, NumericTreatment):
            return self.treatment.kind
        if isinstance(self.treatment, LevelTreatment):
            return "numbers as levels" if self.treatment.holds_numbers else "levels"
        return "levels" if self.statistics is not None else ""

    @property
    def n_variables(self) -> int:
        """How many variables are made of it."""
        return len({one.variable.name for one in self.scored})

    @property
    def n_recommended(self) -> int:
        """How many of them are recommended."""
        return len({one.variable.name for one in self.scored if one.row["recommended"]})

    @property
    def missing(self) -> float | None:
        """Share of missing values; None where the plan does not know."""
        if isinstance(self.treatment, NumericTreatment):
            profile = self.treatment.profile
            return None if profile is None else profile.bad_share
        if self.statistics is None:
            return None
        weight = self.statistics.count[:-1]  # the last are rows that the levels count, too
        return float(weight[-1] / weight.sum())


def plan_columns(plan: Plan) -> list[PlanColumn]:
    """Bring together what is known of each column, in the order of the plan."""
    importance: dict[Hashable, tuple[float | None, float | None]] = {}
    if plan.outcome_type != "unsupervised":
        table = variable_importance(plan)
        numbers = zip(table["rsq"].tolist(), table["sig"].tolist(), strict=True)
        importance = dict(zip(table["variable"], numbers, strict=True))
    treatments = {one.column: one for one in plan.treatments}
    statistics = {one.column: one for one in plan.level_statistics}
    made = {one.name: one for one in plan.made}
    scored = _scored(plan)
    dropped: dict[Hashable, list[DroppedCode]] = defaultdict(list)
    for one in plan.dropped:
        dropped[one.column].append(one)
    reasons, hints = _by_column(plan.unused), _by_column(plan.hints)
    return [
        PlanColumn(
            place,
            name,
            importance.get(name, (None, None))[0],
            importance.get(name, (None, None))[1],
            treatments.get(name),
            statistics.get(name),
            made.get(name),
            scored[name],
            dropped[name],
            reasons[name],
            hints[name],
        )
        for place, name in enumerate(plan.variables)
    ]


def _scored(plan: Plan) -> dict[Hashable, list[Scored]]:
    variables = {variable.name: variable for variable in plan.derived}
    found: dict[Hashable, list[Scored]] = defaultdict(list)
    for row in plan.score_frame.to_dict("records"):
        variable = variables[row["variable"]]
        found[variable.orig_variable].append(Scored(variable, {str(k): v for k, v in row.items()}))
    for rows in found.values():
        rows.sort(key=lambda one: (one.row["sig"], -one.row["rsq"]))
    return found


def _by_column(told: Iterable[tuple[Hashable, str]]) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = defaultdict(list)
    for column, text in told:
        found[column].append(text)
    return found
