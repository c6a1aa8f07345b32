"""As in R, a fold whose training rows do not support a variable has the scaling of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt

FOLD = np.repeat([0, 1, 2], 20)
# The training rows of fold 0 are those of the others.
IN_FIRST = {
    "a level": np.where((FOLD == 0) & (np.arange(60) % 2 == 0), "a", "b"),
    "the pool": np.array([f"rare {i}" if i < 10 else "b" for i in range(60)]),
    "two levels": np.where(np.arange(60) < 15, "a", np.where(np.arange(60) % 2 == 0, "b", "c")),
}


@pytest.mark.parametrize(
    ("column", "variable", "options"),
    [
        ("a level", "x_lev_x_a", {}),
        ("the pool", "x_lev_rare", {"rare_count": 1}),
        ("two levels", "x_catN", {}),
    ],
)
def test_its_rows_are_scaled_as_in_the_plan(
    column: str, variable: str, options: dict[str, Any]
) -> None:
    y = np.where(np.arange(60) < 15, 2.0, 0.0) + np.where(np.arange(60) % 4 < 2, 1.0, -1.0)
    frame = pd.DataFrame({"x": IN_FIRST[column], "fold": FOLD, "y": y})
    given: dict[str, Any] = {"outcome": "y", "cv": "fold", "variables": ["x"]}
    given |= {"smoothing": 0.0, "significance": "classic"}
    experiment = vt.cross_frame_experiment(frame, scale=True, **given, **options)
    in_plan = vt.prepare(experiment.plan, frame.iloc[::-1], scale=True).iloc[::-1]
    same = experiment.cross_frame[variable] == in_plan[variable]
    assert same[FOLD == 0].all()
    assert not same[FOLD != 0].any()
