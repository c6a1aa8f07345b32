"""What goes wrong in the Python package does not come back with its names.

The numbers are those of the lessons that the whole package is tested against.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import INPUTS, TREATMENTS, all_variables, example

OUTCOMES = list(TREATMENTS)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_01_frames_of_the_caller_are_never_written_to(outcome: str) -> None:
    """Read-only arrays are enough, and nothing of the frame changes."""
    z = np.array([1.0, np.nan, 3.0, np.inf, 5.0, 2.0] * 40)
    z.flags.writeable = False
    frame = example()
    frame["z"] = pd.Series(z, index=frame.index, copy=False)
    kept = frame.copy(deep=True)
    treatment = all_variables(outcome, cols_to_copy=["y"] if outcome != "y" else ["yc"])
    treatment.fit_transform(frame)
    treatment.transform(frame.head(60))
    pd.testing.assert_frame_equal(frame, kept)


def test_lesson_02_missing_is_a_level_like_any_other() -> None:
    """P(y | missing) = .9 has a large code, where it was 0."""
    frame = pd.DataFrame({"x": ["a"] * 120 + ["b"] * 80 + [None] * 100})
    y = ([1] * 5 + [0] * 5) * 20 + ([1] * 9 + [0]) * 10
    treatment = vtreat.BinomialOutcomeTreatment(params={"filter_to_recommended": False})
    treated = treatment.fit(frame, y).transform(pd.DataFrame({"x": [None, "a"]}))
    assert treated["x_logit_code"][0] == pytest.approx(np.log(9) - np.log(19 / 11), abs=0.2)
    assert treated["x_logit_code"][1] < 0
    assert treated["x_lev__NA_"].tolist() == treated["x_is_bad"].tolist() == [1, 0]
    described = treatment.description_matrix()
    code = described[(described["variable"] == "x_logit_code") & described["value"].isna()]
    assert code["replacement"].tolist() == [treated["x_logit_code"][0]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("copied", [[], ["id"]])
def test_lesson_03_nothing_recommended_is_no_column(make: Any, copied: list[str]) -> None:
    """All rows of the copied columns, none of the derived ones, and a warning."""
    frame = make({"z": [1.0, 1.0, -1.0, -1.0] * 10, "id": list(range(40))})
    treatment = vtreat.NumericOutcomeTreatment(var_list=["z"], cols_to_copy=copied)
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        crossed = treatment.fit_transform(frame, [1.0, -1.0, 1.0, -1.0] * 10)
    assert treatment.get_result_restriction() == set()
    assert treatment.get_feature_names() == []
    names = crossed.column_names if make is pa.table else list(crossed.columns)
    assert names == copied
    if copied or make is pd.DataFrame:
        assert len(crossed) == 40
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        treatment.transform(make({"z": [1.0, 2.0], "id": [7, 8]}))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_04_an_identifier_is_reported_and_does_no_harm(outcome: str) -> None:
    """A text column of different values beside a number: a warning, no crash, no codes."""
    frame = example()
    frame["id"] = [f"id {i}" for i in range(len(frame))]
    treatment = all_variables(outcome, var_list=["id", "z"])
    with pytest.warns(vt.VtreatWarning, match="nothing is derived from .'id'.: each row has"):
        crossed = treatment.fit_transform(frame)
    assert crossed.columns.tolist() == [outcome, "z_is_bad", "z"]
    assert treatment.transform(frame[["z"]].head(3)).columns.tolist() == ["z_is_bad", "z"]
    only = all_variables(outcome, var_list=["id"])
    with (
        pytest.warns(vt.VtreatWarning),
        pytest.raises(vt.VtreatError, match="all columns to treat are identifiers"),
    ):
        only.fit(frame)


class Recorder(vtreat.transform.UserTransform):
    """Mean of y by level; remembers how many rows it was fitted on."""

    def __init__(self) -> None:
        super().__init__("recorded")

    def fit(self, X: Any, y: Any) -> Self:
        self.n_rows = len(X)
        levels = np.asarray(X["k"])
        self.means = {level: float(y[levels == level].mean()) for level in set(levels)}
        return self

    def transform(self, X: Any) -> Any:
        return pd.DataFrame({"recorded": [self.means[level] for level in X["k"]]})


@pytest.mark.parametrize("call", ["fit", "fit_transform"])
def test_lesson_05_a_custom_coder_is_left_fitted_on_all_rows(call: str) -> None:
    """Not on the last fold; and the object that was handed in stays as it was."""
    frame, new, coder = example(), example(seed=1), Recorder()
    treatment = all_variables("y", params={"user_transforms": [coder]})
    getattr(treatment, call)(frame)
    means = frame["y"].groupby(frame["k"]).mean()
    np.testing.assert_allclose(treatment.transform(new)["recorded"], new["k"].map(means))
    assert not hasattr(coder, "means")


def test_lesson_06_the_order_of_columns_is_that_of_the_frame() -> None:
    """It follows the input, not a hash seed."""
    random = np.random.default_rng(0)
    names = ["b", "a", "q", "m", "c"]
    frame = pd.DataFrame({name: random.normal(size=30) for name in names})
    treatment = vtreat.NumericOutcomeTreatment(params={"filter_to_recommended": False})
    assert treatment.fit_transform(frame, random.normal(size=30)).columns.tolist() == names
    assert treatment.transform(frame[sorted(names)].head(3)).columns.tolist() == names


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_07_the_outcome_is_never_derived_from(outcome: str) -> None:
    """Nor is it among the features, though frames that have its column keep it."""
    frame = example()
    treatment = TREATMENTS[outcome](outcome_name=outcome).fit(frame)
    assert outcome not in set(treatment.score_frame_["orig_variable"])
    assert outcome not in treatment.get_feature_names()


def test_lesson_07_an_outcome_left_among_the_variables_is_reported() -> None:
    """y given, its column in X, no outcome_name: the model would train on the answer."""
    frame = example()[[*INPUTS, "y"]]
    with pytest.warns(vt.VtreatWarning, match="column 'y' is the outcome itself"):
        vtreat.NumericOutcomeTreatment().fit(frame, frame["y"])


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("given", [True, False])
def test_lesson_08_missing_outcomes_are_an_error_that_counts_them(
    outcome: str, given: bool
) -> None:
    frame = example()
    frame[outcome] = frame[outcome].astype(object)
    frame.loc[frame.index[:2], outcome] = np.nan
    with pytest.raises(
        ValueError,
        match="2 missing values in 240 rows, the first in row 0; remove those rows or",
    ):
        all_variables(outcome).fit(frame, frame[outcome] if given else None)


class OneFold(vtreat.cross_plan.CrossValidationPlan):
    """Everything is trained on, everything applied to."""

    def split_plan(self, *, n_rows: int, **asked: Any) -> list[dict[str, Any]]:
        return [{"train": list(range(n_rows)), "app": list(range(n_rows))}]


@pytest.mark.parametrize(
    "params", [{"cross_validation_k": 1}, {"cross_validation_plan": OneFold()}]
)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_09_one_fold_is_refused(outcome: str, params: dict[str, Any]) -> None:
    """One fold would mean in-sample codes, in silence."""
    with pytest.raises(ValueError, match="own outcome"):
        all_variables(outcome, params=params).fit(example())


def test_lesson_10_a_deviation_that_runs_against_the_outcome_is_kept() -> None:
    random = np.random.default_rng(0)
    spread = np.repeat([4.0, 3.0, 2.0, 1.0], 60)
    frame = pd.DataFrame({"x": np.repeat(list("abcd"), 60)})
    treatment = vtreat.NumericOutcomeTreatment()
    treatment.fit(frame, -spread + spread * random.normal(size=240) / 4)
    row = treatment.score_frame_.set_index("variable").loc["x_deviation_code"]
    assert row["PearsonR"] < 0
    assert row["significance"] < 1e-6
    assert row["recommended"]
    assert "x_deviation_code" in treatment.get_feature_names()


def test_lesson_11_zero_does_not_stand_for_unknown() -> None:
    """An unseen level has half a row's prevalence, the largest deviation, and little impact."""
    frame = example()
    treatment = all_variables("y", var_list=["xc"]).fit(frame)
    new = pd.DataFrame({"xc": ["new", "a", "b", "c d", None]})
    treated = treatment.transform(new)
    assert treated["xc_prevalence_code"][0] == 0.5 / len(frame)
    assert treated["xc_deviation_code"][0] == treated["xc_deviation_code"].max() > 0
    impact = treated["xc_impact_code"].abs()
    assert impact[0] < 0.1 * impact.max()


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas])
def test_lesson_12_other_frames_keep_their_kind_and_names(make: Any, outcome: str) -> None:
    """The same columns and numbers as of the pandas frame."""
    frame, new = example().reset_index(drop=True), example(seed=1).reset_index(drop=True)
    treatment = all_variables(outcome, cols_to_copy=["y"] if outcome != "y" else ["yc"])
    crossed = treatment.fit_transform(make(frame))
    assert type(crossed) is type(make(frame))
    expected = all_variables(outcome, cols_to_copy=treatment.cols_to_copy)
    whole = expected.fit_transform(frame)
    pd.testing.assert_frame_equal(crossed.to_pandas(), whole)
    treated = treatment.transform(make(new))
    pd.testing.assert_frame_equal(treated.to_pandas(), expected.transform(new))
    assert treatment.get_feature_names() == expected.get_feature_names()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_12_feature_names_are_all_different(outcome: str) -> None:
    treatment = all_variables(outcome)
    crossed = treatment.fit_transform(example())
    names = treatment.get_feature_names()
    assert len(set(names)) == len(names)
    assert [outcome, *names] == crossed.columns.tolist()
    assert crossed.columns.tolist() == treatment.get_feature_names_out().tolist()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_13_a_description_is_the_transformation(outcome: str) -> None:
    """Quotes and spaces in levels and names; no row twice with several classes."""
    frame = example().rename(columns={"xc": "the x"})
    frame["the x"] = frame["the x"].map({"a": "it's", "b": 'a "b"', "c d": "c; --"})
    treatment = all_variables(outcome, var_list=["the x", "z"]).fit(frame)
    table = treatment.description_matrix()
    assert table.columns.tolist() == [
        "treatment_class",
        "treatment",
        "orig_var",
        "orig_was_numeric",
        "variable",
        "value",
        "replacement",
    ]
    assert not table.duplicated(["variable", "value"]).any()
    assert table["variable"].unique().tolist() == treatment.get_feature_names()
    new = pd.DataFrame(
        {"the x": ["it's", 'a "b"', "c; --", None, "it's"], "z": [1.0, np.nan, np.inf, 4, 5]}
    )
    expected = treatment.transform(new)
    for name, rows in table.groupby("variable"):
        value, number = rows["value"].iloc[0], rows["replacement"]
        column = new[rows["orig_var"].iloc[0]]
        bad = pd.isna(column) | (column == np.inf)
        treatment_name = rows["treatment"].iloc[0]
        if treatment_name == "clean_copy":
            found = column.where(~bad, number.iloc[0])
        elif treatment_name in ("missing_indicator", "indicator_code"):
            found = (bad if value is None else column == value) * number.iloc[0]
        else:
            values = rows["value"].where(rows["value"].notna(), "missing")
            codes = dict(zip(values, number, strict=True))
            found = column.fillna("missing").map(codes)
        np.testing.assert_array_equal(found.astype(float), expected[name])
    classes = dict(zip(table["variable"], table["treatment_class"], strict=True))
    assert classes["z"] == "CleanNumericTransform"
    assert classes["the x_is_bad"] == "IndicateMissingTransform"


def test_lesson_13_descriptions_leave_out_what_is_code() -> None:
    """User transforms are no table; all else is."""
    treatment = all_variables("y", params={"user_transforms": [Recorder()]}).fit(example())
    described = set(treatment.description_matrix()["variable"])
    assert set(treatment.get_feature_names()) - described == {"recorded"}
    assert treatment.description_matrix()["orig_was_numeric"].dtype == bool


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_14_misspelt_options_are_errors(outcome: str) -> None:
    """In params, in the constructor, in set_params; see test_sklearn for the rest."""
    with pytest.raises(ValueError, match="unknown key 'cross_validation_folds'"):
        all_variables(outcome, params={"cross_validation_folds": 3}).fit(example())
    with pytest.raises(TypeError, match="unexpected keyword"):
        TREATMENTS[outcome](outcome="y")
    with pytest.raises(ValueError, match="Invalid parameter 'min_fraction'"):
        TREATMENTS[outcome]().set_params(min_fraction=0.1)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_15_text_keeps_its_meaning_and_the_index_comes_back(outcome: str) -> None:
    """ "_NA_" is not missing; the index survives; var_list="xz" is not two columns."""
    frame = example().rename(columns={"xc": "x"})
    frame.loc[frame["x"] == "b", "x"] = "_NA_"
    treatment = all_variables(outcome, var_list=["x", "z"])
    crossed = treatment.fit_transform(frame)
    np.testing.assert_array_equal(crossed["x_lev__NA_"], frame["x"].isna())
    np.testing.assert_array_equal(crossed["x_lev__NA__2"], frame["x"] == "_NA_")
    np.testing.assert_array_equal(crossed["x_is_bad"], frame["x"].isna())
    assert crossed.index.equals(frame.index)
    assert treatment.transform(frame.tail(3)).index.equals(frame.index[-3:])
    described = treatment.description_matrix().set_index("variable")["value"]
    assert described["x_lev__NA_"] is None
    assert described["x_lev__NA__2"] == "_NA_"
    with pytest.raises(TypeError, match="var_list='xz' must be a list of column names"):
        TREATMENTS[outcome](outcome_name=outcome, var_list="xz").fit(frame)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_lesson_16_derived_names_never_collide(outcome: str) -> None:
    """Not with each other, not with input columns, not with the outcome."""
    frame = example().rename(columns={"xc": "x"})
    frame["z_is_bad"] = np.arange(240) % 3
    frame["x_is_bad"] = np.arange(240) % 5
    frame["x_lev_a"] = (np.arange(240) ** 2) % 11
    frame["x_lev_b"] = frame[outcome]
    variables = ["x", "z", "z_is_bad", "x_is_bad", "x_lev_a"]
    treatment = all_variables(outcome, var_list=variables, outcome_name="x_lev_b")
    crossed = treatment.fit_transform(frame)
    assert len(set(crossed)) == crossed.shape[1]
    pd.testing.assert_series_equal(crossed["x_lev_b"], frame["x_lev_b"])
    for name in ("z_is_bad", "x_is_bad", "x_lev_a"):
        np.testing.assert_array_equal(crossed[name], frame[name])
    np.testing.assert_array_equal(crossed["z_is_bad_2"], frame["z"].isna())
    np.testing.assert_array_equal(crossed["x_is_bad_2"], frame["x"].isna())
    np.testing.assert_array_equal(crossed["x_lev_a_2"], frame["x"] == "a")
    np.testing.assert_array_equal(crossed["x_lev_b_2"], frame["x"] == "b")
    pd.testing.assert_frame_equal(
        treatment.transform(frame.head(9))[["x_lev_a_2"]], crossed[["x_lev_a_2"]].head(9)
    )
