"""Means of groups, as they are and shrunk towards the mean of all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.api.design import design_treatments
from vtreat_py.api.prepare import prepare
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import VtreatWarning
from vtreat_py.base.on_use import public_names

__all__ = ["pooled_effect_estimate", "standard_effect_estimate"]
__dir__ = public_names(globals())


def standard_effect_estimate(observations: pd.DataFrame) -> pd.DataFrame:
    """Estimate the mean of each group by itself.

    Parameters
    ----------
    observations : DataFrame
        ``location_id`` (the group) and ``observation`` (a number).

    Returns
    -------
    DataFrame
        For each group, in sorted order: ``location_id``, ``mean``, ``var``, ``size``,
        ``estimate`` (here the mean), ``grand_mean`` (of all rows) and ``impact`` (estimate less
        grand mean).

    Examples
    --------
    >>> d = pd.DataFrame({"location_id": ["a", "a", "b"], "observation": [1, 3, 5]})
    >>> standard_effect_estimate(d)
      location_id  mean  var  size  estimate  grand_mean  impact
    0           a   2.0  2.0     2       2.0         3.0    -1.0
    1           b   5.0  NaN     1       5.0         3.0     2.0
    """
    groups = observations.groupby("location_id", sort=True)["observation"]
    table = groups.agg(["mean", "var", "size"]).reset_index()
    table["estimate"] = table["mean"]
    table["grand_mean"] = float(observations["observation"].mean())
    table["impact"] = table["estimate"] - table["grand_mean"]
    return table


def pooled_effect_estimate(observations: pd.DataFrame) -> pd.DataFrame:
    """Estimate the mean of each group, shrunk towards the mean of all rows.

    The impact is that of a classic design: empirical Bayes by moments, with the variance between
    groups corrected for what sampling noise alone would give. Groups that differ no more than by
    chance have impact 0.

    Parameters
    ----------
    observations : DataFrame
        As for `standard_effect_estimate`.

    Returns
    -------
    DataFrame
        The columns of `standard_effect_estimate`.

    Examples
    --------
    >>> d = pd.DataFrame({"location_id": ["a"] * 9 + ["b"] * 3,
    ...                   "observation": [1, 2, 3] * 3 + [11, 12, 13]})
    >>> pooled_effect_estimate(d)[["location_id", "mean", "estimate"]].round(2)
      location_id  mean  estimate
    0           a   2.0      2.00
    1           b  12.0     11.96
    """
    table = standard_effect_estimate(observations)
    table["impact"] = _impacts(observations, table["location_id"])
    table["estimate"] = table["grand_mean"] + table["impact"]
    return table


def _impacts(observations: pd.DataFrame, groups: pd.Series[Any]) -> FloatArray:
    y = observations["observation"].to_numpy(dtype=np.float64)
    if len(groups) < 2 or y.min() == y.max():
        return np.zeros(len(groups))
    names = {group: str(i) for i, group in enumerate(groups)}
    frame = pd.DataFrame({"x": observations["location_id"].map(names).astype(object)})
    with warnings.catch_warnings():  # no code, because groups do not differ, is an answer
        warnings.filterwarnings("ignore", "nothing is derived", VtreatWarning)
        plan = design_treatments(
            frame,
            outcome=y,
            outcome_type="numeric",
            coders=["catN"],
            smoothing="auto",
            significance="classic",
            cv=2,
            random_state=0,
        )
    if not plan.derived:
        return np.zeros(len(groups))
    codes = prepare(plan, pd.DataFrame({"x": list(names.values())}))
    return np.asarray(codes.iloc[:, 0])
