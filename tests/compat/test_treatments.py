"""The four classes: arguments, outcome, copied columns, imputation, restriction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import INPUTS, TREATMENTS, all_variables, example


@pytest.fixture(params=list(TREATMENTS))
def outcome(request: pytest.FixtureRequest) -> str:
    return request.param


def test_outcome_from_the_frame_or_given_is_the_same_outcome(outcome: str) -> None:
    """fit_transform(X) with outcome_name equals fit_transform(X without it, y)."""
    frame = example()
    named = all_variables(outcome).fit_transform(frame).drop(columns=outcome)
    for y in (frame[outcome], frame[outcome].to_numpy(), frame[outcome].tolist()):
        given = all_variables(outcome, outcome_name=None).fit_transform(frame[INPUTS], y)
        pd.testing.assert_frame_equal(given, named)


def test_all_columns_but_outcome_and_copied_ones_are_treated() -> None:
    treatment = vtreat.NumericOutcomeTreatment(
        outcome_name="y", cols_to_copy=["yc", "ym"], params={"filter_to_recommended": False}
    )
    frame = example()
    crossed = treatment.fit_transform(frame, frame["y"])
    assert set(treatment.score_frame_["orig_variable"]) == set(INPUTS)
    assert crossed.columns[:4].tolist() == ["yc", "ym", "y", "z_is_bad"]
    pd.testing.assert_frame_equal(crossed[["yc", "ym"]], frame[["yc", "ym"]])


def test_codes_of_training_rows_come_from_the_other_folds(outcome: str) -> None:
    """fit_transform is not fit and transform; the codes of new rows know all rows."""
    frame = example()
    treatment = all_variables(outcome)
    crossed = treatment.fit_transform(frame)
    with pytest.warns(vt.VtreatWarning, match="looks like the frame"):
        naive = treatment.transform(frame)
    coded = [name for name in crossed if "xc_logit" in name or "xc_impact" in name]
    assert coded
    for name in coded:
        assert naive[name].nunique() < crossed[name].nunique()
    again = all_variables(outcome).fit(frame).transform(frame.tail(40))
    pd.testing.assert_frame_equal(again, treatment.transform(frame.tail(40)))


NATIVE = {
    "z": "z",
    "z_isBAD": "z_is_bad",
    "xc_catP": "xc_prevalence_code",
    "xc_catN": "xc_impact_code",
    "xc_catD": "xc_deviation_code",
    "xc_catB": "xc_logit_code",
    "high_xc_catB": "xc_logit_code_high",
    "mid_xc_catB": "xc_logit_code_mid",
    "so_low_xc_catB": "xc_logit_code_so low",
    "xc_lev_NA": "xc_lev__NA_",
    "xc_lev_x_a": "xc_lev_a",
    "xc_lev_x_b": "xc_lev_b",
    "xc_lev_x_c_d": "xc_lev_c_d",
}


def test_the_numbers_are_those_of_the_plan(outcome: str) -> None:
    """The layer translates names: every value is one of cross_frame_experiment or prepare."""
    frame = example()
    treatment = all_variables(outcome, var_list=["z", "xc"])
    crossed = treatment.fit_transform(frame)
    experiment = vt.cross_frame_experiment(
        frame,
        outcome=outcome,
        outcome_type=treatment.plan_.outcome_type,
        variables=["z", "xc"],
        cv=[(part["train"], part["app"]) for part in treatment.cross_plan_],
    )
    expected = experiment.cross_frame.rename(columns=NATIVE)
    pd.testing.assert_frame_equal(crossed[expected.columns], expected)
    new = example(seed=1)
    expected = vt.prepare(experiment.plan, new).rename(columns=NATIVE)
    treated = treatment.transform(new)
    pd.testing.assert_frame_equal(treated[expected.columns], expected)
    assert set(treated) - set(expected) == {"xc_is_bad", outcome}


@pytest.mark.parametrize(
    ("imputation", "by_column", "expected"),
    [
        (np.mean, None, 1001 / 3),
        (np.median, None, 1.0),
        (np.min, None, 0.0),
        (7, None, 7.0),
        (7, {"x": np.max}, 1000.0),
        (np.mean, {"x": 12, "y": np.median}, 12.0),
    ],
)
def test_bad_numbers_are_imputed(imputation: Any, by_column: Any, expected: float) -> None:
    """By a number or a function of the good values, by column if asked."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 1000.0, np.nan], "y": [0, 0, 1, 1]})
    treatment = vtreat.UnsupervisedTreatment(
        cols_to_copy=["y"],
        params=vtreat.unsupervised_parameters({"missingness_imputation": imputation}),
        imputation_map=by_column,
    )
    treated = treatment.fit_transform(frame)
    assert treated.columns.tolist() == ["y", "x_is_bad", "x"]
    assert treated["x"].tolist() == pytest.approx([0, 1, 1000, expected])
    assert treated["x_is_bad"].tolist() == [0, 0, 0, 1]


def test_infinite_values_are_bad_too() -> None:
    frame = pd.DataFrame({"x": [1.0, np.nan, np.inf, -np.inf, None, 0.0]})
    treatment = vtreat.NumericOutcomeTreatment(
        params={"filter_to_recommended": False, "coders": {"clean_copy", "missing_indicator"}}
    )
    treatment.fit(frame, range(6))
    treated = treatment.transform(frame.iloc[[0, 1, 2, 3]])
    assert treated["x"].tolist() == [1, 0.5, 0.5, 0.5]
    assert treated["x_is_bad"].tolist() == [0, 1, 1, 1]


def test_results_are_restricted_to_recommended_variables_by_default() -> None:
    frame = example()
    treatment = vtreat.BinomialOutcomeTreatment(
        var_list=INPUTS, outcome_name="yc", outcome_target=True, cols_to_copy=["y"]
    )
    crossed = treatment.fit_transform(frame)
    table = treatment.score_frame_
    recommended = table.loc[table["recommended"], "variable"].tolist()
    assert 0 < len(recommended) < len(table)
    assert treatment.get_result_restriction() == set(recommended)
    assert treatment.get_feature_names() == recommended
    assert crossed.columns.tolist() == ["y", "yc", *recommended]

    treatment.set_result_restriction(["z_is_bad", "xc_logit_code"])
    treated = treatment.transform(frame.drop(columns=["y", "yc", "k"]).head(9))
    assert treated.columns.tolist() == ["z_is_bad", "xc_logit_code"]
    treatment.set_result_restriction(None)
    assert treatment.get_result_restriction() is None
    assert treatment.transform(frame.head(9)).shape == (9, 2 + len(table))


def test_a_restriction_must_name_derived_variables() -> None:
    treatment = all_variables("y").fit(example())
    with pytest.raises(ValueError, match=r"names .'nope'., which are not derived"):
        treatment.set_result_restriction(["z", "nope"])
    with pytest.raises(TypeError, match="new_vars='z' must be a list"):
        treatment.set_result_restriction("z")


def test_the_training_frame_is_recognised() -> None:
    """A warning, an error or nothing, as asked; other frames pass."""
    frame = example()
    other = example(seed=1)
    quiet = all_variables("y", params={"check_for_duplicate_frames": False}).fit(frame)
    strict = all_variables("y", params={"error_on_duplicate_frames": True}).fit(frame)
    assert quiet.transform(frame).shape == strict.transform(other).shape
    with pytest.raises(ValueError, match="looks like the frame the treatment was fitted on"):
        strict.transform(frame)


def test_unsupervised_treatments_have_no_training_frame_to_recognise() -> None:
    """fit_transform is fit and transform; a y that is given is not looked at."""
    frame = example()
    treatment = vtreat.UnsupervisedTreatment(var_list=INPUTS)
    treated = treatment.fit_transform(frame, frame["y"])
    pd.testing.assert_frame_equal(treatment.transform(frame), treated)
    assert set(treatment.get_feature_names()) == set(treatment.score_frame_["variable"])
    assert treatment.get_result_restriction() is None


def test_indicators_are_limited_to_the_most_common_levels() -> None:
    frame = pd.DataFrame({"x": [f"l{i}" for i in range(300)] + ["l250"] * 2 + ["l7"]})
    params = vtreat.unsupervised_parameters({"indicator_max_levels": 3})
    treatment = vtreat.UnsupervisedTreatment(params=params).fit(frame)
    table = treatment.score_frame_
    indicators = table.loc[table["treatment"] == "indicator_code", "variable"]
    assert set(indicators) == {"x_lev_l250", "x_lev_l7", "x_lev_l0"}


def test_indicators_can_be_sparse() -> None:
    """The same numbers, in pandas' sparse columns."""
    frame = example()
    params = {"filter_to_recommended": False}
    dense = all_variables("yc", params=params).fit_transform(frame)
    sparse = all_variables("yc", params={**params, "sparse_indicators": True}).fit_transform(frame)
    for name, dtype in sparse.dtypes.items():
        assert isinstance(dtype, pd.SparseDtype) == ("_lev_" in str(name))
    np.testing.assert_array_equal(sparse.to_numpy(dtype=float), dense.to_numpy())


def test_use_hierarchical_estimate_is_shrinkage() -> None:
    """Without it, the impact code is the difference of means."""
    frame = example()
    params = {"use_hierarchical_estimate": False}
    treatment = all_variables("y", var_list=["k", "xc"], params=params).fit(frame)
    code = treatment.transform(frame.head(60))["xc_impact_code"]
    means = frame["y"].groupby(frame["xc"].fillna("none")).mean() - frame["y"].mean()
    expected = frame["xc"].fillna("none").head(60).map(means)
    np.testing.assert_allclose(code, expected)
    shrunk = all_variables("y", var_list=["k", "xc"]).fit(frame).transform(frame.head(60))
    assert (shrunk["xc_impact_code"].abs() < code.abs()).all()


def test_bad_arguments_are_errors_that_name_them() -> None:
    frame = example()
    numeric = vtreat.NumericOutcomeTreatment
    for arguments, message in [
        ({"var_list": ["z", "q"]}, "var_list names .'q'., which the frame does not have"),
        ({"var_list": ["z", "y"], "outcome_name": "y"}, "var_list names .'y'., which is the outc"),
        ({"var_list": ["z"], "cols_to_copy": ["z"]}, "or in cols_to_copy"),
        ({"cols_to_copy": "z"}, "cols_to_copy='z' must be a list"),
        ({"imputation_map": {"q": 1}}, "imputation_map names .'q'."),
        ({"imputation_map": [1]}, "imputation_map must be a dict"),
        ({"params": 3}, "params must be a dict"),
    ]:
        with pytest.raises(vt.VtreatError, match=message):
            numeric(**arguments).fit(frame, frame["y"])
    with pytest.raises(vt.VtreatError, match="requires y"):
        numeric().fit(frame)
    with pytest.raises(vt.VtreatError, match="outcome_name='nope' is not a column of X"):
        numeric(outcome_name="nope").fit(frame)
    with pytest.raises(vt.VtreatError, match="y has 3 values, but X has 240 rows"):
        numeric().fit(frame, [1, 2, 3])
    with pytest.raises(vt.VtreatError, match="one-dimensional"):
        numeric().fit(frame, frame[["y", "z"]].to_numpy())
    with pytest.raises(vt.VtreatError, match="several columns share a name"):
        numeric().fit(frame.rename(columns={"k": "z"}), frame["y"])


def test_columns_are_copied_from_the_frames_that_have_them() -> None:
    """New rows often have no outcome; a name the training frame lacks is reported."""
    frame = example()
    treatment = vtreat.NumericOutcomeTreatment(
        var_list=INPUTS, outcome_name="y", cols_to_copy=["y", "id"]
    )
    with pytest.warns(vt.VtreatWarning, match=r"cols_to_copy names \['id'\], which the training"):
        crossed = treatment.fit_transform(frame)
    assert crossed.columns[:1].tolist() == ["y"]
    assert treatment.get_feature_names_out().tolist() == crossed.columns.tolist()
    new = example(seed=1).assign(id=range(240))
    assert treatment.transform(new).columns[:2].tolist() == ["y", "id"]
    assert treatment.transform(new[INPUTS]).columns[0] == treatment.get_feature_names()[0]


def test_columns_that_new_frames_lack_are_all_named() -> None:
    treatment = all_variables("y").fit(example())
    with pytest.raises(vt.VtreatError, match="lacks 2 columns: 'z', 'k'"):
        treatment.transform(example()[["xc"]])


def test_arrays_have_numbered_columns() -> None:
    """As a frame whose columns are called "0", "1", ..."""
    values = example()[["z", "y"]].to_numpy()
    treatment = vtreat.NumericOutcomeTreatment(params={"filter_to_recommended": False})
    treatment.fit(values, values[:, 1] ** 2)
    assert treatment.get_feature_names() == ["0_is_bad", "0", "1"]
    with pytest.raises(ValueError, match="X has 1 features, but NumericOutcomeTreatment is exp"):
        treatment.transform(values[:, :1])


def test_weights_are_frequencies() -> None:
    """A row of weight 2 is two rows, in codes and scores alike."""
    frame = example().reset_index(drop=True)
    row = np.repeat(np.arange(len(frame)), 2)

    class ByRow(vtreat.cross_plan.CrossValidationPlan):
        def __init__(self, row: Any) -> None:
            self.row = row

        def split_plan(self, **given: Any) -> list[dict[str, Any]]:
            fold = self.row % 3
            return [
                {"train": np.flatnonzero(fold != k), "app": np.flatnonzero(fold == k)}
                for k in range(3)
            ]

    weighted = all_variables("y", params={"cross_validation_plan": ByRow(np.arange(len(frame)))})
    twice = all_variables("y", params={"cross_validation_plan": ByRow(row)})
    weighted.fit(frame, sample_weight=np.full(len(frame), 2.0))
    twice.fit(frame.iloc[row])
    pd.testing.assert_frame_equal(weighted.score_frame_, twice.score_frame_, rtol=1e-9)


def test_unknown_fit_arguments_are_errors() -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        all_variables("y").fit(example(), sample_weights=np.ones(240))
