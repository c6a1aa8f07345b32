"""Several classes: one code a class, each variable once in the output."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import INPUTS, all_variables, example
from tests.compat.test_scores import COLUMNS

CODES = ["xc_logit_code_high", "xc_logit_code_mid", "xc_logit_code_so low"]


def test_each_class_has_a_code_under_its_own_name() -> None:
    treatment = all_variables("ym", var_list=["z", "xc"])
    crossed = treatment.fit_transform(example())
    assert [name for name in crossed if "logit" in name] == [
        name for name in CODES if name in set(treatment.score_frame_["variable"])
    ]
    assert {"xc_logit_code_high", "xc_logit_code_so low"} <= set(crossed)
    shared = ["z_is_bad", "xc_is_bad", "z", "xc_prevalence_code", "xc_lev__NA_", "xc_lev_a"]
    assert set(shared) <= set(crossed)


def test_the_score_frame_has_a_row_for_each_class_of_a_variable() -> None:
    """Variables that classes share are scored against each class, codes against their own."""
    frame = example()
    treatment = all_variables("ym", var_list=["z", "xc"])
    crossed = treatment.fit_transform(frame)
    table = treatment.score_frame_
    assert table.columns.tolist() == [*COLUMNS, "outcome_target"]
    rows = Counter(table["variable"])
    assert set(rows) == set(crossed) - {"ym"}
    for name, times in rows.items():
        assert times == (1 if "logit" in name else 3)
    for row in table.itertuples():
        if "logit" in row.variable:
            assert row.variable.endswith(row.outcome_target)
        hit = (frame["ym"] == row.outcome_target).astype(float)
        expected = np.corrcoef(crossed[row.variable], hit)[0, 1]
        assert row.PearsonR == pytest.approx(expected, abs=1e-9)
    for _, own in table.groupby("outcome_target"):
        assert own["default_threshold"].sum() == pytest.approx(1.0)


def test_a_variable_comes_out_when_it_is_recommended_for_some_class() -> None:
    """Once, in the order of the output."""
    treatment = vtreat.MultinomialOutcomeTreatment(outcome_name="ym", var_list=INPUTS)
    crossed = treatment.fit_transform(example())
    table = treatment.score_frame_
    assert treatment.get_result_restriction() == set(table.loc[table["recommended"], "variable"])
    assert ["ym", *treatment.get_feature_names()] == crossed.columns.tolist()
    assert len(set(crossed.columns)) == crossed.shape[1]
    assert table.groupby("variable")["recommended"].any()["xc_lev_a"]


def test_two_classes_and_numbers_as_classes_are_classes_too() -> None:
    frame = example()
    frame["n"] = frame["ym"].map({"high": 2, "mid": 1, "so low": 0})
    treatment = vtreat.MultinomialOutcomeTreatment(
        outcome_name="n", var_list=["xc"], params={"filter_to_recommended": False}
    ).fit(frame)
    assert set(treatment.score_frame_["outcome_target"]) == {0, 1, 2}
    assert "xc_logit_code_2" in treatment.get_feature_names()


def test_the_training_frame_is_recognised() -> None:
    treatment = all_variables("ym").fit(example())
    with pytest.warns(vt.VtreatWarning, match="looks like the frame"):
        treatment.transform(example())


def test_text_classes_of_any_shape_are_told_apart() -> None:
    """Quotes and spaces stay in the name; classes that would read alike get numbers."""
    frame = example()
    frame["ym"] = frame["ym"].map({"high": "it's", "mid": "a  b", "so low": 'say "no"'})
    treatment = all_variables("ym", var_list=["xc"]).fit(frame)
    names = treatment.get_feature_names()
    assert {"xc_logit_code_it's", 'xc_logit_code_say "no"'} <= set(names)
    new = example(seed=1)
    pd.testing.assert_index_equal(treatment.transform(new).index, new.index)
