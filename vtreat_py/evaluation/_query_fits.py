"""Rankers, whose fit is told which rows are of one query."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from vtreat_py.base.arrays import IntArray

# What fit calls the number of rows of each query (LightGBM, XGBoost), or each row's query.
_SIZES, _IDS = "group", ("qid", "group_id")


def query_parameter(model: Any) -> str | None:
    """The parameter of fit that takes queries, if there is one; of a pipeline, its last step's."""
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        inner = query_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    if not hasattr(model, "fit"):
        return None
    taken = signature(model.fit).parameters
    return next((name for name in (_SIZES, *_IDS) if name in taken), None)


def queries_for(parameter: str, query: IntArray) -> dict[str, Any]:
    """Say the queries of rows that are sorted by them, in the way that a parameter takes them."""
    if parameter.rpartition("__")[2] != _SIZES:
        return {parameter: query}
    return {parameter: np.unique(query, return_counts=True)[1]}
