"""Level effects: what a design saw of the outcome in each level, and what it made of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.base.names import is_name
from vtreat_py.frames.joint import JointColumn
from vtreat_py.frames.made import joint_columns
from vtreat_py.plan.data import Plan, check_is_whole
from vtreat_py.plan.level_statistics import LevelOutcome
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment


def level_effects(plan: Plan, column: Hashable, target: Any) -> pd.DataFrame:
    """Find a column and a class among a plan's; see `TreatmentPlan.level_effects`."""
    check_is_whole(plan, "level_effects shows what was seen of levels, which")
    by_column = {s.column: s for s in plan.level_statistics}
    statistics = by_column.get(column) if is_name(column) else None
    if statistics is None or not statistics.outcomes:
        raise InvalidOptionError(_why_there_are_none(plan, column))
    check_target(plan, target)
    outcome = next(o for o in statistics.outcomes if o.target == target)
    joint = {one.name: one for one in joint_columns(plan.made)}.get(column)
    if joint is None:
        return _with_ratios(statistics.effects(outcome, plan.options), outcome)
    effects = statistics.effects(outcome, plan.options, in_parts=True)
    effects.insert(
        list(effects).index("effect") + 1, "of_parts", _of_parts(plan, effects, joint, outcome)
    )
    return _with_ratios(effects, outcome)


def _with_ratios(effects: pd.DataFrame, outcome: LevelOutcome) -> pd.DataFrame:
    """Add what effects on rates stand for: ratios of rates, and their standard errors."""
    if outcome.per_exposure:
        with np.errstate(over="ignore"):  # of plans that were written by hand
            ratio = np.exp(effects["effect"])
            effects["rate_ratio"], effects["rate_ratio_se"] = ratio, ratio * effects["effect_se"]
    return effects


def check_target(plan: Plan, target: Any) -> None:
    """Refuse a class that the plan does not have, and none where it has several."""
    if not plan.classes and target is not None:
        raise InvalidOptionError(
            f"target={target!r} is for outcomes of several classes; the outcome of this plan is "
            f"{plan.note}"
        )
    if plan.classes and not (is_name(target) and target in plan.classes):
        found = "target= is missing" if target is None else f"target={target!r} is no class"
        raise InvalidOptionError(
            f"{found}: the effects are those on one of the classes, {listed(plan.classes)}"
        )


def _of_parts(
    plan: Plan, effects: pd.DataFrame, joint: JointColumn, outcome: LevelOutcome
) -> FloatArray:
    """What parts of levels say; all that there is where levels add nothing."""
    treatment = {t.column: t for t in plan.treatments}.get(joint.name)
    own = [v for v in plan.derived if v.orig_variable == joint.name and v.target == outcome.target]
    impact = [v for v in own if v.code == outcome.code.name]
    values = effects["effect"].to_numpy().copy()
    if isinstance(treatment, LevelTreatment) and impact:
        of_levels = (effects["kind"] == "level").to_numpy()
        values[of_levels] = treatment.of_parts(treatment.levels, impact[0], joint)
    return values


def _why_there_are_none(plan: Plan, column: Hashable) -> str:
    if plan.outcome_type == "unsupervised":
        return "a plan without outcome has no level effects"
    coded = [s.column for s in plan.level_statistics if s.outcomes]
    those = f"columns that have them are {listed(coded)}" if coded else "no column has them"
    if not is_name(column) or column not in set(plan.variables):
        return f"no level effects of {column!r}: the plan was not designed on it; {those}"
    reason = dict(plan.unused).get(column)
    if reason is None:
        treatment = {t.column: t for t in plan.treatments}[column]
        is_numeric = isinstance(treatment, NumericTreatment)
        reason = "it holds numbers" if is_numeric else "the design was told to build no impact code"
    return f"no level effects of column {column!r}: {reason}; {those}"
