"""The score frame has the Python package's columns, and numbers that can be checked."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import vtreat_py.compat as vtreat
from tests.compat.data import INPUTS, all_variables, example

COLUMNS = [
    "variable",
    "orig_variable",
    "treatment",
    "y_aware",
    "has_range",
    "PearsonR",
    "R2",
    "significance",
    "vcount",
    "default_threshold",
    "recommended",
]


def test_r_and_r2_are_those_of_the_cross_frame() -> None:
    """The correlation of each y-aware column with the outcome; the p-value is the plan's."""
    frame = example()
    treatment = all_variables("y")
    crossed = treatment.fit_transform(frame)
    table = treatment.score_frame_
    assert table.columns.tolist() == COLUMNS
    assert ["y", *table["variable"]] == crossed.columns.tolist()
    checked = table[table["y_aware"] | (table["treatment"] == "indicator_code")]
    assert len(checked) > 8
    for row in checked.itertuples():
        r = stats.pearsonr(crossed[row.variable], frame["y"])[0]
        assert row.PearsonR == pytest.approx(r, rel=1e-9)
        assert pytest.approx(r * r, rel=1e-9) == row.R2
    scores = treatment.plan_.score_frame.set_index("variable")
    significance = table.set_index("variable")["significance"]
    assert significance["xc_impact_code"] == scores.loc["xc_catN", "sig"] < 1e-6
    assert significance["k_lev_p"] == scores.loc["k_lev_x_p", "sig"]


def test_r_of_a_class_is_the_correlation_with_the_target() -> None:
    """R2 and significance are those of the logistic regression, from the plan."""
    frame = example()
    for target in (True, False):
        treatment = all_variables("yc", outcome_target=target)
        crossed = treatment.fit_transform(frame)
        hit = (frame["yc"] == target).astype(float)
        for row in treatment.score_frame_.itertuples():
            expected = stats.pearsonr(crossed[row.variable], hit)[0]
            assert row.PearsonR == pytest.approx(expected, rel=1e-9)
    scores = treatment.plan_.score_frame.set_index("variable")
    table = treatment.score_frame_.set_index("variable")
    assert table.loc["xc_logit_code", "R2"] == scores.loc["xc_catB", "rsq"]
    assert table.loc["xc_logit_code", "significance"] == scores.loc["xc_catB", "sig"] < 1e-6


@pytest.mark.parametrize("outcome", ["y", "yc"])
def test_thresholds_share_one_false_inclusion_between_treatments(outcome: str) -> None:
    """Each treatment gets the same share; in it each variable the same."""
    table = all_variables(outcome).fit(example()).score_frame_
    assert table.groupby("treatment")["default_threshold"].sum().nunique() == 1
    assert table["default_threshold"].sum() == pytest.approx(1.0)
    times = table["treatment"].value_counts()
    assert table["vcount"].tolist() == times[table["treatment"]].tolist()
    below = table["significance"] < table["default_threshold"]
    assert (table["recommended"] == below).all()
    assert 0 < below.sum() < len(table)


def test_without_an_outcome_all_is_recommended_and_nothing_scored() -> None:
    table = vtreat.UnsupervisedTreatment(var_list=INPUTS).fit(example()).score_frame_
    assert table.columns.tolist() == [
        "variable",
        "orig_variable",
        "treatment",
        "y_aware",
        "has_range",
        "PearsonR",
        "significance",
        "recommended",
        "vcount",
    ]
    assert table["recommended"].all()
    assert not table["y_aware"].any()
    assert table["PearsonR"].isna().all()
    assert table.loc[table["treatment"] == "prevalence_code", "vcount"].tolist() == [2, 2]


def test_variables_that_vary_in_one_row_of_a_fold_are_told_apart() -> None:
    """A mark of a single row correlates as one row does."""
    frame = example()
    frame["z"] = np.where(np.arange(240) == 7, np.nan, np.arange(240.0))
    table = all_variables("y", var_list=["z"]).fit(frame).score_frame_.set_index("variable")
    r = stats.pearsonr(frame["z"].isna(), frame["y"])[0]
    assert table.loc["z_is_bad", "PearsonR"] == pytest.approx(r)
    assert table["has_range"].all()
