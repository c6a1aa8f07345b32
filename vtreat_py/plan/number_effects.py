"""Effects of numbers: what a design saw of the outcome in each range of a column."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.base.names import is_name
from vtreat_py.plan.data import Plan, check_is_whole
from vtreat_py.plan.level_effects import check_target
from vtreat_py.plan.treatments import NumericTreatment


def number_effects(plan: Plan, column: Hashable, target: Any) -> pd.DataFrame:
    """Find a column and a class among a plan's; see `TreatmentPlan.number_effects`."""
    check_is_whole(plan, "number_effects shows what was seen of numbers, which")
    treatment = {t.column: t for t in plan.treatments}.get(column) if is_name(column) else None
    if not isinstance(treatment, NumericTreatment) or treatment.by_range is None:
        raise InvalidOptionError(_why_there_are_none(plan, column))
    check_target(plan, target)
    outcome = next(o for o in treatment.by_range.outcomes if o.target == target)
    return treatment.by_range.effects(outcome, treatment.spread)


def _why_there_are_none(plan: Plan, column: Hashable) -> str:
    if plan.outcome_type == "unsupervised":
        return "a plan without outcome has no effects of numbers"
    numbers = [t for t in plan.treatments if isinstance(t, NumericTreatment)]
    known = [t.column for t in numbers if t.by_range is not None]
    those = f"columns that have them are {listed(known)}" if known else "no column has them"
    if not is_name(column) or column not in set(plan.variables):
        return f"no effects of {column!r}: the plan was not designed on it; {those}"
    if column in [t.column for t in numbers]:
        reason = (
            f"vtreat_py {plan.version}, which wrote the plan, did not keep the outcome in its "
            "ranges; make the design again"
        )
    elif column in [t.column for t in plan.treatments]:
        reason = "it holds levels; level_effects shows what those do"
    else:
        reason = dict(plan.unused).get(column, "nothing was derived from it")
    return f"no effects of the numbers of column {column!r}: {reason}; {those}"
