"""Lives of patients, some of whom left before they died."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from vtreat_py.base.arrays import BoolArray, FloatArray

FOLDS = KFold(5, shuffle=True, random_state=0)


def lives(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """Days in wards, many of them tied, with ages of which some are missing."""
    rng = np.random.default_rng(seed)
    ward, age = rng.integers(0, 25, n), rng.normal(60.0, 10.0, n)
    rate = np.exp(rng.normal(0.0, 0.6, 25)[ward] + 0.03 * (age - 60.0)) / 100.0
    death, leaves = np.ceil(rng.exponential(1.0 / rate)), np.ceil(rng.exponential(150.0, n))
    return pd.DataFrame(
        {
            "ward": [f"w{k:02d}" for k in ward],
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "drug": rng.choice(["none", "old", "new"], n),
            "days": np.minimum(death, leaves),
            "died": death <= leaves,
        }
    )


ASKED: dict[str, Any] = {"outcome_type": "survival"}
GIVEN: dict[str, Any] = ASKED | {"outcome": ("days", "died"), "cv": FOLDS}


def expected_of(
    time: FloatArray, event: BoolArray, at: FloatArray, count: FloatArray | None = None
) -> FloatArray:
    """Nelson-Aalen cumulative hazard at some times, by a loop."""
    count = np.ones(len(time)) if count is None else count
    hazard, grown = np.zeros(len(at)), 0.0
    for moment in np.unique(time[event]):
        dead, at_risk = count[(time == moment) & event].sum(), count[time >= moment].sum()
        grown += dead / at_risk if at_risk > 0 else 0.0
        hazard[at >= moment] = grown
    return hazard
