"""With classic options every number equals R vtreat's."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.oracle import (
    BESIDE,
    COMMITTED,
    Case,
    assert_frames_agree,
    assert_scores_agree,
    pairs,
    read,
)

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")

needs_oracle = pytest.mark.skipif(
    not BESIDE.exists(), reason="the public data sets of the oracle are not beside this checkout"
)


@pytest.mark.parametrize("case", sorted(p.name for p in COMMITTED.iterdir()))
def test_small_cases_agree_with_r(case):
    check(Case(COMMITTED / case))


def check(case: Case) -> None:
    train = case.frame("train")
    plan = vt.design_treatments(train, **case.options())
    assert_scores_agree(plan.score_frame, case.frame("score_frame"))
    prepare = case.prepare_options()
    tolerance = 1e-7 if prepare["scale"] else 1e-12
    for role in ("train", "test"):
        treated = vt.prepare(plan, case.frame(role), **prepare)
        assert_frames_agree(treated, case.frame(f"treated_{role}"), case.outcome, tolerance)
    theirs = case.frame("cross_frame")
    if theirs is not None:
        if case.config["kind"] == "M":  # R's prevalences have seen the rows they code
            theirs = theirs.drop(columns=[c for c in theirs if c.endswith("_catP")])
        cross = case.cross_options()
        experiment = vt.cross_frame_experiment(train, **case.options(), **cross)
        tolerance = 1e-7 if cross["scale"] else 1e-12
        assert_frames_agree(experiment.cross_frame, theirs, case.outcome, tolerance)


@needs_oracle
def test_imputation_by_functions_agrees_with_r():
    case = Case(BESIDE / "h1_adult_imputation_map")

    def median(values, _weights):
        return np.median(values)

    imputation = {
        "imputation": median,
        "imputation_map": {"age": lambda values, _: values.max(), "fnlwgt": -1},
    }
    train, options = case.frame("train"), case.options() | imputation
    plan = vt.design_treatments(train, **options)
    assert_scores_agree(plan.score_frame, case.frame("score_frame"))
    treated = vt.prepare(plan, case.frame("test"))
    assert_frames_agree(treated, case.frame("treated_test"), case.outcome, 1e-12)
    experiment = vt.cross_frame_experiment(train, **options)
    assert_frames_agree(experiment.cross_frame, case.frame("cross_frame"), case.outcome, 1e-12)


@needs_oracle
@pytest.mark.parametrize(
    "name", ["b9_adult_C_weights_as_repeats", "d6_custdata_N_weights_as_repeats"]
)
def test_weights_equal_rs_numbers_on_repeated_rows(name):
    """R run on rows repeated w times; ours on the distinct rows with weights w."""
    case = Case(BESIDE / name)
    types = case.config["column_types"]
    path = next(case.folder.glob("train_unique.csv*"))
    train = read(path, types)
    weight = pd.read_csv(case.folder / "unique_weights.csv").iloc[:, -1].to_numpy(float)
    row_of_unique = pd.read_csv(case.folder / "row_of_unique.csv").iloc[:, -1].to_numpy()
    split = pairs(json.loads((case.folder / "unique_split_plan.json").read_text()))
    options = case.options() | {"cv": split, "sample_weight": weight}
    experiment = vt.cross_frame_experiment(train, **options, **case.cross_options())
    assert_scores_agree(experiment.plan.score_frame, case.frame("score_frame"))
    treated = vt.prepare(experiment.plan, case.frame("test"), **case.prepare_options())
    assert_frames_agree(treated, case.frame("treated_test"), case.outcome, 1e-7)
    repeated = experiment.cross_frame.iloc[row_of_unique].reset_index(drop=True)
    assert_frames_agree(repeated, case.frame("cross_frame"), case.outcome, 1e-7)


@needs_oracle
@pytest.mark.parametrize(
    "name",
    ["b3_adult_C_scale_catScalingTRUE", "b5_adult_C_rare", "d4_custdata_N_rare_sm_collar"],
)
def test_real_data_agree_with_r(name):
    """A sample of what the parity script checks case by case."""
    case = Case(BESIDE / name)
    train = case.frame("train")
    experiment = vt.cross_frame_experiment(train, **case.options(), **case.cross_options())
    assert_scores_agree(experiment.plan.score_frame, case.frame("score_frame"))
    treated = vt.prepare(experiment.plan, case.frame("test"), **case.prepare_options())
    assert_frames_agree(treated, case.frame("treated_test"), case.outcome, 1e-7)
    assert_frames_agree(experiment.cross_frame, case.frame("cross_frame"), case.outcome, 1e-7)
