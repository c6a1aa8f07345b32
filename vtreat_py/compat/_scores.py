"""The score frame with the Python package's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.compat._variables import Variable, counts


def score_frame(
    plan: TreatmentPlan,
    variables: Sequence[Variable],
    cross_frame: Any,
    outcomes: Mapping[Any, FloatArray],
    weight: FloatArray | None,
) -> pd.DataFrame:
    """Score the variables of a plan that has an outcome.

    Parameters
    ----------
    cross_frame : data frame
        All variables of the plan, out of fold.
    outcomes : dict from target to ndarray
        The outcome as numbers: 0 and 1 for a class. The rows of the cross-frame. Several
        classes have an entry each; otherwise there is one, under None.
    weight : ndarray or None
        Weights of those rows.
    """
    scores = plan._score_table
    several = "outcome_target" in scores
    columns = nw.from_native(cross_frame, eager_only=True)
    parts = []
    for target, y in outcomes.items():
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
        table["has_range"] = varies = np.array([_varies(x) for x in values], dtype=bool)
        table["PearsonR"] = np.where(varies, r, np.nan)
        table["R2"] = r2
        table["significance"] = chosen["sig"].to_numpy(dtype=float)
        table["vcount"] = counts(table["treatment"])
        table["default_threshold"] = 1.0 / (table["treatment"].nunique() * table["vcount"])
        table["recommended"] = varies & (table["significance"] < table["default_threshold"])
        if several:
            table["outcome_target"] = pd.Series([target] * len(table), dtype=object)
        parts.append(table)
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def unsupervised_score_frame(variables: Sequence[Variable]) -> pd.DataFrame:
    """List the variables of a plan that has no outcome."""
    table = _described(variables)
    table["has_range"] = True
    table["PearsonR"] = np.nan
    table["significance"] = np.nan
    table["recommended"] = True
    table["vcount"] = counts(table["treatment"])
    return table


def correlation(x: FloatArray, y: FloatArray, weight: FloatArray | None = None) -> float:
    """Weighted Pearson correlation; NaN where one of the two does not vary."""
    w = np.ones(len(x)) if weight is None else weight
    x = x - np.average(x, weights=w)
    y = y - np.average(y, weights=w)
    size = np.sqrt((w * x * x).sum() * (w * y * y).sum())
    return float((w * x * y).sum() / size) if size > 0 else float("nan")


def _varies(x: FloatArray) -> bool:
    return bool(len(x)) and bool(x.min() < x.max())


def _described(variables: Sequence[Variable]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "variable": pd.Series([v.name for v in variables], dtype=object),
            "orig_variable": pd.Series([v.orig_variable for v in variables], dtype=object),
            "treatment": pd.Series([v.treatment for v in variables], dtype=object),
            "y_aware": np.array([v.y_aware for v in variables], dtype=bool),
        }
    )
