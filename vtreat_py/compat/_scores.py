"""The score frame with the Python package's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.compat._codes import Variable


def score_frame(
    plan: TreatmentPlan,
    variables: Sequence[Variable],
    cross_frame: Any,
    outcome: Any,
    weight: FloatArray | None,
) -> pd.DataFrame:
    """Score the variables of a plan that has an outcome.

    All of them are in the cross-frame, out of fold; outcome and weights are those of its rows.
    """
    scores = plan._score_table
    several = "outcome_target" in scores
    columns = nw.from_native(cross_frame, eager_only=True)
    parts = []
    for target in plan.classes or (plan.target,):
        hit = (
            outcome
            if plan.outcome_type == "numeric"
            else pd.Series(outcome, dtype=object) == target
        )
        y = np.asarray(hit, dtype=np.float64)
        own = scores[scores["outcome_target"] == target] if several else scores
        by_name = own.set_index("variable")
        scored = [v for v in variables if v.native in by_name.index]
        table = _described(scored)
        values = [columns[v.native].to_numpy() for v in scored]
        r = np.array([correlation(x, y, weight) for x in values], dtype=float)
        chosen = by_name.loc[[v.native for v in scored]]
        r2 = chosen["rsq"].to_numpy(dtype=float)
        if plan.outcome_type == "numeric":  # one number in two columns; scores are the plan's
            r = np.copysign(np.sqrt(r2), r)
        table["has_range"] = has_range = np.array([varies(x) for x in values], dtype=bool)
        table["PearsonR"] = np.where(has_range, r, np.nan)
        table["R2"] = r2
        table["significance"] = chosen["sig"].to_numpy(dtype=float)
        table["vcount"] = _counts(table["treatment"])
        table["default_threshold"] = 1.0 / (table["treatment"].nunique() * table["vcount"])
        table["recommended"] = has_range & (table["significance"] < table["default_threshold"])
        if several:
            table["outcome_target"] = pd.Series([target] * len(table), dtype=object)
        parts.append(table)
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def unsupervised_score_frame(variables: Sequence[Variable]) -> pd.DataFrame:
    """List the variables of a plan that has no outcome."""
    table = _described(variables)
    vcount = _counts(table["treatment"])
    return table.assign(
        has_range=True, PearsonR=np.nan, significance=np.nan, recommended=True, vcount=vcount
    )


def correlation(x: FloatArray, y: FloatArray, weight: FloatArray | None = None) -> float:
    """Weighted Pearson correlation; NaN where one of the two does not vary."""
    w = np.ones(len(x)) if weight is None else weight
    x = x - np.average(x, weights=w)
    y = y - np.average(y, weights=w)
    size = np.sqrt((w * x * x).sum() * (w * y * y).sum())
    return float((w * x * y).sum() / size) if size > 0 else float("nan")


def varies(x: FloatArray) -> bool:
    """Whether the numbers differ."""
    return bool(len(x)) and bool(x.min() < x.max())


def _counts(values: pd.Series[Any]) -> pd.Series[Any]:
    """How often each value occurs among all of them."""
    return values.map(values.value_counts()).astype(float)


def _described(variables: Sequence[Variable]) -> pd.DataFrame:
    rows = [(v.name, v.orig_variable, v.treatment, v.y_aware) for v in variables]
    columns = ["variable", "orig_variable", "treatment", "y_aware"]
    return pd.DataFrame(rows, columns=columns, dtype=object).astype({"y_aware": bool})
