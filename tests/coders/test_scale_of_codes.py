"""An impact code varies in the cross-frame about as much as in the plan, or there is none."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt

SCHEMES: dict[str, dict[str, Any]] = {
    **{f"cv={k}": {"cv": k} for k in (2, 3, 5, 10, 50)},
    "ordered": {"cv": "ordered"},
    "groups": {"groups": "g", "cv": 2},
}


def ratio(seed: int, scheme: dict[str, Any], **options: Any) -> float | None:
    """Standard deviation in the cross-frame over that in the plan, of a weak or noisy column."""
    random = np.random.default_rng(seed)
    n, n_levels = random.choice([60, 150, 400]), random.choice([3, 10, 40, 150])
    level = random.choice(
        n_levels, n, p=random.dirichlet(np.full(n_levels, random.choice([0.5, 5])))
    )
    effect = random.choice([0.0, 0.2, 0.5]) * random.normal(size=n_levels)
    y: Any = effect[level] + random.normal(size=n)
    name, kind = "x_catN", "numeric"
    if seed % 3 == 0:
        y, name, kind = (y > np.quantile(y, 0.7)).astype(int), "x_catB", "binomial"
    frame = pd.DataFrame({"x": level.astype(str), "g": random.integers(0, 20, n)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        made = vt.cross_frame_experiment(
            frame, outcome=y, outcome_type=kind, variables=["x"], coders=[name[2:]],
            random_state=0, **scheme, **options,
        )  # fmt: skip
        if name not in made.plan.feature_names:
            return None
        in_plan = vt.prepare(made.plan, frame)[name]
    return float(made.cross_frame[name].std(ddof=0) / in_plan.std(ddof=0))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_varies_between_a_third_and_three_times_as_much(scheme: str) -> None:
    found = [ratio(seed, SCHEMES[scheme]) for seed in range(15)]
    given = [one for one in found if one is not None]
    assert len(given) >= 3
    assert all(1 / 3 <= one <= 3 for one in given)


def test_codes_that_are_asked_to_be_shrunk_by_a_number_are_left_alone() -> None:
    assert None not in [ratio(seed, {"cv": 2}, smoothing=5) for seed in range(5)]
