"""D. Exceptions of others, where sums are made: the numbers are those of a list."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt

N = 60


@pytest.mark.parametrize("weight", [1e6, 1e18])
def test_d2_rare_levels_of_census_weights_take_no_time(weight: float) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"zip": random.integers(0, 120, 600).astype(str)})
    y = (random.random(600) < 0.1).astype(int)
    options: dict[str, Any] = {"outcome": y, "rare_sig": 0.05, "random_state": 0}
    start = time.perf_counter()
    made = vt.design_treatments(frame, sample_weight=np.full(600, weight), **options)
    assert time.perf_counter() - start < 5.0
    assert "zip_catB" in made.feature_names


@pytest.mark.parametrize("outcome_type", ["numeric", "binomial", "multinomial"])
@pytest.mark.parametrize("largest", [1e17, 1e24])
def test_d6_audits_take_weights_of_any_size(
    rows: pd.DataFrame, y: Any, largest: float, outcome_type: str
) -> None:
    weight = np.append(np.full(N - 1, 1e-20 if largest > 1e20 else 1.0), largest)
    outcome = {"numeric": y, "binomial": (y > 0) * 1, "multinomial": np.digitize(y, [-0.5, 0.5])}
    made = vt.design_treatments(
        rows,
        outcome=outcome[outcome_type],
        outcome_type=outcome_type,
        sample_weight=weight,
        random_state=0,
    )
    for of_rows in (None, weight):
        sig = made.audit(rows, sample_weight=of_rows).frame["p_value"]
        assert sig.between(0, 1).all()


def test_d7_one_column_is_compared_with_what_all_permutations_exceed() -> None:
    random = np.random.default_rng(0)
    frame, y = pd.DataFrame({"x": random.normal(size=50)}), random.normal(size=50)
    for wanted in ("permutation", "significance"):
        assert vt.YAwarePCA(wanted, random_state=0).fit(frame, y).n_components_ == 1
