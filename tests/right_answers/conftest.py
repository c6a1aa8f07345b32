"""A small frame, its outcome and its plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt

N = 60


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"c": rng.choice(list("abcde"), N), "z": rng.normal(size=N)})


@pytest.fixture(scope="module")
def y() -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).normal(size=N)


@pytest.fixture(scope="module")
def plan(rows: pd.DataFrame, y: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(rows, outcome=y, random_state=0)
