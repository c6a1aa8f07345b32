"""Coders of one's own reach the numbers of R vtreat's custom coders.

What R gets wrong is not copied, and not among these numbers: with ``scale=True`` its columns of
custom coders are all 0 in regression (it asks for slopes on an outcome of no rows); a coder that
returns a plain vector is lost where the column has a bad value (it compares lengths with the whole
column), so that ``knn`` is there only because no value is missing; bad values of its coders in log
odds get a rate, which ``center=True`` and classifiers make 0 here.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.coders.r_coders import CODERS

HOME = Path(__file__).parents[1] / "data" / "own_coders"
CASES = {
    "i1": ("linear", {"outcome": "yC", "target": "Y", "cat_scaling": True}),
    "i2": ("linear", {"outcome": "yN"}),
    "i5": ("sine", {"outcome": "y", "outcome_type": "numeric"}),
    "i6": ("sine", {"outcome": "yc", "target": True, "cat_scaling": True}),
}
INPUTS = {"linear": ["x1", "x2", "x3"], "sine": ["x", "noise"]}
AS_R = {"significance": "classic", "smoothing": 0}


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=["\\N"])


def check(ours: pd.DataFrame, case: str, role: str) -> None:
    theirs = read(HOME / case / f"{role}.csv")
    np.testing.assert_allclose(ours[list(theirs)].head(len(theirs)), theirs, rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore:this looks like the frame")
@pytest.mark.parametrize("case", CASES)
def test_custom_coders_agree_with_r(case: str) -> None:
    source, outcome = CASES[case]
    train, test = (read(HOME / source / f"{one}.csv") for one in ("train", "test"))
    made = vt.cross_frame_experiment(
        train, variables=INPUTS[source], custom_coders=CODERS[case],
        coders=list(CODERS[case]), cv=f"fold_{case}", **outcome, **AS_R,
    )  # fmt: skip
    check(made.cross_frame, case, "cross_frame")
    check(vt.prepare(made.plan, train), case, "treated_train")
    check(vt.prepare(made.plan, test), case, "treated_test")
    theirs = read(HOME / case / "score_frame.csv").set_index("varName")
    ours = made.plan.score_frame.set_index("variable").loc[theirs.index]
    assert ours["needs_split"].all()
    np.testing.assert_array_equal(ours["extra_model_degrees"], theirs["extraModelDegrees"])
    np.testing.assert_allclose(ours["rsq"], theirs["rsq"], atol=1e-9)
    np.testing.assert_allclose(ours["sig"], theirs["sig"], rtol=1e-6)


def test_what_r_loses_by_scaling_is_in_units_of_the_outcome() -> None:
    train = read(HOME / "linear" / "train.csv")
    made = vt.cross_frame_experiment(
        train, outcome="yN", variables=["x1", "x2"], custom_coders=CODERS["i2"], scale=True,
        cv="fold_i2", **AS_R,
    )  # fmt: skip
    for name in ("x1_lm", "x1_lmraw", "x2_slope"):
        slope = np.polyfit(made.cross_frame[name], train["yN"], 1)[0]
        assert slope == pytest.approx(1, abs=0.1)
        assert made.cross_frame[name].mean() == pytest.approx(0, abs=0.02)
