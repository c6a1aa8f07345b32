"""Transforms that users bring: out of fold when they see y, kept as fitted on all rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import all_variables, example


class LevelMean(vtreat.transform.UserTransform):
    """Mean outcome of each level: as y-aware as can be."""

    def __init__(self, column: str = "k") -> None:
        super().__init__(treatment="level_mean")
        self.column = column

    def fit(self, X: Any, y: Any) -> Self:
        levels = np.asarray(X[self.column])
        self.means = {level: float(y[levels == level].mean()) for level in set(levels)}
        self.n_rows = len(levels)
        self.incoming_vars_, self.derived_vars_ = [self.column], [f"{self.column}_mean"]
        return self

    def transform(self, X: Any) -> Any:
        codes = [self.means.get(level, 0.0) for level in X[self.column]]
        return pd.DataFrame({f"{self.column}_mean": codes})


class Powers(vtreat.transform.UserTransform):
    """Polynomials of the numeric columns, fitted by ridge regression."""

    def __init__(self, degree: int) -> None:
        super().__init__("poly")
        self.degree = degree

    def terms(self, values: Any) -> Any:
        return np.column_stack([np.asarray(values) ** d for d in range(1, self.degree + 1)])

    def fit(self, X: Any, y: Any) -> Self:
        numeric = [c for c in X if vtreat.util.can_convert_v_to_numeric(X[c])]
        self.models = {c: Ridge().fit(self.terms(X[c]), y) for c in numeric}
        self.incoming_vars_, self.derived_vars_ = numeric, [f"{c}_poly" for c in numeric]
        return self

    def transform(self, X: Any) -> Any:
        return pd.DataFrame(
            {f"{c}_poly": m.predict(self.terms(X[c])) for c, m in self.models.items()}
        )


class Length(vtreat.transform.UserTransform):
    """Length of a text: sees no outcome."""

    def __init__(self) -> None:
        super().__init__("length")
        self.y_aware_ = False

    def fit(self, X: Any, y: Any) -> Self:
        assert y is None
        return self

    def transform(self, X: Any) -> Any:
        return pd.DataFrame({"length": [len(str(v)) for v in X["k"]]})


def treatment_with(*transforms: Any, outcome: str = "y", **params: Any) -> Any:
    params = {"user_transforms": list(transforms), "coders": {"clean_copy"}, **params}
    return all_variables(outcome, var_list=["k", "z"], params=params)


def test_training_rows_are_coded_from_the_other_folds() -> None:
    frame = example()
    treatment = treatment_with(LevelMean())
    crossed = treatment.fit_transform(frame)
    expected = np.zeros(len(frame))
    k, y = frame["k"].to_numpy(), frame["y"].to_numpy()
    for part in treatment.cross_plan_:
        means = pd.Series(y[part["train"]]).groupby(k[part["train"]]).mean()
        expected[part["app"]] = means[k[part["app"]]]
    np.testing.assert_allclose(crossed["k_mean"], expected, rtol=1e-12)
    row = treatment.score_frame_.set_index("variable").loc["k_mean"]
    assert (row["orig_variable"], row["treatment"], row["y_aware"]) == ("k", "level_mean", True)
    r = np.corrcoef(expected, y)[0, 1]
    assert row["PearsonR"] == pytest.approx(r)
    assert row["R2"] == pytest.approx(r * r)


def test_own_outcome_does_not_move_own_code() -> None:
    """With folds that do not look at y, one row's y leaves that row's code alone."""
    frame = example()

    class Alternate(vtreat.cross_plan.CrossValidationPlan):
        def split_plan(self, *, n_rows: int, **asked: Any) -> list[dict[str, Any]]:
            fold = np.arange(n_rows) % 3
            return [
                {"train": np.flatnonzero(fold != k), "app": np.flatnonzero(fold == k)}
                for k in range(3)
            ]

    treatment = treatment_with(LevelMean(), cross_validation_plan=Alternate())
    before = treatment.fit_transform(frame)["k_mean"].to_numpy()
    frame.iloc[5, frame.columns.get_loc("y")] += 100
    after = treatment.fit_transform(frame)["k_mean"].to_numpy()
    assert after[5] == before[5]
    assert (after != before).any()


def test_new_rows_are_coded_from_all_rows() -> None:
    frame, new = example(), example(seed=1)
    treated = treatment_with(LevelMean()).fit(frame).transform(new)
    means = frame["y"].groupby(frame["k"]).mean()
    np.testing.assert_allclose(treated["k_mean"], new["k"].map(means), rtol=1e-12)
    assert treated.index.equals(new.index)


def test_several_columns_of_a_transform_find_their_origin() -> None:
    """An overfit of noise shows itself in the score frame: its R2 is out of fold."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.uniform(-1, 1, 120), "noise": random.uniform(-1, 1, 120)})
    y = np.sin(3 * frame["x"]) + 0.1 * random.normal(size=120)
    treatment = vtreat.NumericOutcomeTreatment(
        params={"user_transforms": [Powers(9)], "filter_to_recommended": False}
    ).fit(frame, y)
    table = treatment.score_frame_.set_index("variable")
    assert table["orig_variable"].to_dict() == {
        "x": "x", "noise": "noise", "x_poly": "x", "noise_poly": "noise"
    }  # fmt: skip
    assert table.loc["x_poly", "R2"] > 0.8 > table.loc["x", "R2"]
    assert table.loc["x_poly", "recommended"]
    assert table.loc["noise_poly", "R2"] < 0.05


def test_a_transform_without_outcome_is_fitted_once() -> None:
    """It is not shown y, and its columns are the same in and out of fold."""
    frame = example()
    treatment = treatment_with(Length())
    frame["k"] = frame["k"] * 2
    frame.loc[frame.index[:99], "k"] = "one"
    crossed = treatment.fit_transform(frame)
    np.testing.assert_array_equal(crossed["length"], frame["k"].str.len())
    row = treatment.score_frame_.set_index("variable").loc["length"]
    assert (row["treatment"], row["y_aware"]) == ("length", False)


def test_unsupervised_treatments_take_transforms_too() -> None:
    frame = example()
    frame.loc[frame.index[:99], "k"] = "one"
    params = {"user_transforms": [Length()]}
    treated = vtreat.UnsupervisedTreatment(var_list=["k"], params=params).fit_transform(frame)
    np.testing.assert_array_equal(treated["length"], frame["k"].str.len())


def test_names_of_transforms_do_not_collide() -> None:
    """Not with an input column, not with a derived variable."""
    frame = example().rename(columns={"z": "k_mean"})
    params = {"user_transforms": [LevelMean(), LevelMean()]}
    crossed = all_variables("y", var_list=["k", "k_mean"], params=params).fit_transform(frame)
    assert {"k_mean", "k_mean_2", "k_mean_3"} <= set(crossed)
    np.testing.assert_array_equal(crossed["k_mean_2"], crossed["k_mean_3"])
    assert crossed["k_mean"].corr(frame["k_mean"]) > 0.99


def test_polars_frames_reach_the_transform_as_they_are() -> None:
    frame = pl.from_pandas(example())
    treatment = treatment_with(LevelMean())
    crossed = treatment.fit_transform(frame)
    assert isinstance(crossed, pl.DataFrame)
    expected = treatment_with(LevelMean()).fit_transform(example())
    np.testing.assert_allclose(crossed["k_mean"].to_numpy(), expected["k_mean"])


class Wrong(LevelMean):
    """Returns what it is told to."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result

    def transform(self, X: Any) -> Any:
        return self.result(X)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda X: 3, "Wrong.transform returned int; it must return a data frame"),
        (lambda X: pd.DataFrame({"a": [1.0]}), "returned 1 rows for 240 rows"),
        (lambda X: pd.DataFrame({"a": ["u"] * len(X)}), "column 'a', which holds no numbers"),
        (lambda X: pd.DataFrame({f"a{len(X)}": np.ones(len(X))}), "always return the same ones"),
    ],
)
def test_what_a_transform_must_not_return(result: Any, message: str) -> None:
    with pytest.raises(vt.VtreatError, match=message):
        treatment_with(Wrong(result)).fit(example())


def test_a_transform_reads_treated_columns_only() -> None:
    """Not the outcome, whatever it says it reads."""

    class Peeking(LevelMean):
        def fit(self, X: Any, y: Any) -> Self:
            super().fit(X, y)
            self.incoming_vars_ = ["y"]
            return self

    with pytest.raises(vt.VtreatError, match=r"incoming_vars_ names \['y'\], which are not"):
        treatment_with(Peeking()).fit(example())


def test_only_the_transforms_that_are_needed_run() -> None:
    """A restriction to other variables asks for no column of theirs."""
    frame = example()
    treatment = treatment_with(LevelMean()).fit(frame)
    treatment.set_result_restriction(["z"])
    assert treatment.transform(frame[["z"]].head(4)).columns.tolist() == ["z"]
    treatment.set_result_restriction(["k_mean"])
    with pytest.raises(vt.VtreatError, match="lacks 1 column: 'k'"):
        treatment.transform(frame[["z"]].head(4))
