"""Error is bias and variance: by hand, by identities, and on data where the answer is known."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from joblib import parallel_config
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, mean_absolute_error
from sklearn.tree import DecisionTreeRegressor

from tests.evaluation.test_repeated_prediction import ROWS, TARGET, two_fold_plans
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation.error_decomposition import bias_variance
from vtreat_py.evaluation.paired_scores import per_row_loss
from vtreat_py.evaluation.repeated_prediction import repeated_cross_val_predict

X, Y = load_diabetes(return_X_y=True, as_frame=True)
COLUMNS = ["error", "bias", "variance", "standard_error"]
METRICS = [[1, 0.5], [0.8, 0.6], [0, 1]]
FINITE = st.floats(-1e3, 1e3)


def parts(found: pd.DataFrame) -> list[float]:
    assert len(found) == 1
    return found.iloc[0, :3].tolist()


def test_mean_predictor_in_all_ways_to_halve_the_rows() -> None:
    model = DummyRegressor()
    found = bias_variance(model, ROWS[:, None], TARGET, cv=two_fold_plans())
    assert parts(found) == pytest.approx([16.8888889, 15.2, 1.6888889], abs=5e-8)
    assert found.index.tolist() == ["DummyRegressor"]
    assert found.columns.tolist() == COLUMNS


def test_metrics_of_ones_own() -> None:
    found = bias_variance(METRICS, ideal=1)
    assert parts(found) == pytest.approx([0.2416667, 0.1341667, 0.1075], abs=5e-8)
    assert found["standard_error"].item() == pytest.approx(
        np.std([0.125, 0.1, 0.5], ddof=1) / np.sqrt(3)
    )
    assert found.index.tolist() == ["predictions"]
    as_outcome = bias_variance(METRICS, None, [1, 1, 1])
    pd.testing.assert_frame_equal(as_outcome, found)


def test_a_deep_tree_varies_and_a_stump_does_not() -> None:
    deep, stump = (DecisionTreeRegressor(max_depth=d, random_state=0) for d in (None, 1))
    found = bias_variance({"deep": deep, "stump": stump}, X, Y, L=10, k=2, random_state=0)
    assert found["variance"]["deep"] > 3 * found["variance"]["stump"]
    assert found["bias"]["deep"] < found["bias"]["stump"]
    predicted = repeated_cross_val_predict(deep, X, Y, L=10, k=2, random_state=0)
    pd.testing.assert_frame_equal(bias_variance({"deep": predicted}, y=Y), found.loc[["deep"]])


@given(
    arrays(float, st.tuples(st.integers(2, 6), st.integers(2, 5)), elements=FINITE),
    st.integers(0, 2**31),
)
@settings(max_examples=60, deadline=None)
def test_error_is_bias_and_variance(matrix: Any, seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=len(matrix))
    for correct in (False, True):
        error, bias, variance = parts(bias_variance(matrix, y=y, correct=correct))
        assert error == pytest.approx(np.square(matrix - y[:, None]).mean())
        assert bias + variance == pytest.approx(error)
        expected = matrix.var(axis=1, ddof=int(correct)).mean()
        assert variance == pytest.approx(expected, abs=1e-9)


def test_correction_is_right_on_average() -> None:
    """Two repetitions show half the variance of a row's predictions, and correction doubles it."""
    random = np.random.default_rng(0)
    matrix = random.normal(3.0, 2.0, size=(40_000, 2))
    plain, corrected = (
        parts(bias_variance(matrix, ideal=0.0, correct=correct)) for correct in (False, True)
    )
    assert plain[2] == pytest.approx(2.0, rel=0.03)
    assert corrected[2] == pytest.approx(4.0, rel=0.03)
    assert corrected[1] == pytest.approx(9.0, rel=0.03)
    assert corrected[0] == plain[0]
    repeated = bias_variance(np.tile([[1.0, 1.0]], (3, 1)), ideal=1.0, correct=True)
    assert parts(repeated) == [0.0, 0.0, 0.0]


def test_metrics_of_rows() -> None:
    predicted = repeated_cross_val_predict(LinearRegression(), X, Y, L=4, random_state=0)

    def absolute(y: Any, prediction: Any) -> Any:
        return np.abs(y - prediction)

    found = bias_variance(predicted, y=Y, metric=absolute, ideal=0)
    losses = per_row_loss(Y, predicted, metric="absolute")
    pd.testing.assert_frame_equal(found, bias_variance(losses, ideal=0))
    assert found["error"].item() == pytest.approx(np.square(losses).to_numpy().mean())
    from_model = bias_variance(
        LinearRegression(), X, Y, metric=absolute, ideal=0, L=4, random_state=0
    )
    np.testing.assert_array_equal(from_model, found)


def test_metrics_of_groups() -> None:
    groups = np.array(["x", "y", "z"])[np.arange(len(Y)) % 3]
    predicted = repeated_cross_val_predict(LinearRegression(), X, Y, L=4, random_state=0)
    found = bias_variance(predicted, y=Y, metric=mean_absolute_error, ideal=0, groups=groups)
    by_hand = [
        [mean_absolute_error(Y[groups == g], predicted.loc[groups == g, c]) for c in range(4)]
        for g in "xyz"
    ]
    np.testing.assert_allclose(found, bias_variance(by_hand, ideal=0))
    ideals = [40.0, 45.0, 50.0]
    found = bias_variance(predicted, y=Y, metric=mean_absolute_error, ideal=ideals, groups=groups)
    np.testing.assert_allclose(found, bias_variance(by_hand, ideal=ideals))


def test_errors_of_a_group_go_together_in_the_standard_error() -> None:
    predicted = repeated_cross_val_predict(LinearRegression(), X, Y, L=3, random_state=0)
    groups = np.arange(len(Y)) // 8
    found = bias_variance(predicted, y=Y, groups=groups)
    errors = np.square(predicted.sub(Y, axis=0)).mean(axis=1)
    fit = sm.OLS(errors, np.ones(len(Y))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    assert found["standard_error"].item() == pytest.approx(fit.bse.item())
    assert parts(found) == parts(bias_variance(predicted, y=Y))


def test_classes_are_compared_as_labels_or_as_probabilities() -> None:
    small, high = X.iloc[:200], (Y > 150).iloc[:200].astype(int)
    model = LogisticRegression()
    labels = bias_variance(model, small, high, L=3, random_state=0)
    predicted = repeated_cross_val_predict(model, small, high, L=3, random_state=0)
    assert labels["error"].item() == pytest.approx((predicted.ne(high, axis=0)).to_numpy().mean())
    text = high.map({0: "a", 1: "b"})
    numbers, words = (
        bias_variance(model, small, y, L=3, method="predict_proba", random_state=0)
        for y in (high, text)
    )
    pd.testing.assert_frame_equal(numbers, words)
    assert words["error"].item() < labels["error"].item()
    chances = repeated_cross_val_predict(
        model, small, text, L=3, method="predict_proba", random_state=0
    )
    given = bias_variance(chances, y=text, method="predict_proba")
    np.testing.assert_array_equal(given, words)
    groups = np.arange(200) % 4
    of_log = bias_variance(chances, y=text, metric=log_loss, ideal=0, groups=groups)
    assert of_log["error"].item() > 0


def test_several_models_get_the_same_rows_whatever_the_jobs() -> None:
    models = {"mean": DummyRegressor(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}
    together = bias_variance(models, X, Y, L=3, random_state=4)
    assert together.index.tolist() == ["mean", "tree"]
    for name, model in models.items():
        alone = bias_variance({name: model}, X, Y, L=3, random_state=4)
        pd.testing.assert_frame_equal(alone, together.loc[[name]])
    with parallel_config(backend="threading"):
        parallel = bias_variance(
            models, pl.from_pandas(X), Y.to_numpy(), L=3, random_state=4, n_jobs=2
        )
    pd.testing.assert_frame_equal(parallel, together)
    mixed = {
        "given": repeated_cross_val_predict(models["tree"], X, Y, L=3, random_state=4)
    } | models
    found = bias_variance(mixed, X, Y, L=3, random_state=4)
    assert found.index.tolist() == ["given", "mean", "tree"]
    np.testing.assert_array_equal(found.loc["given"], found.loc["tree"])


@pytest.mark.parametrize(
    ("estimator", "options", "error", "message"),
    [
        ({}, {}, InvalidOptionError, "estimator is an empty dict"),
        (METRICS, {"y": None}, InvalidOptionError, "y is missing; give it, or, for a matrix of"),
        (METRICS, {"y": [1, 2]}, InvalidOptionError, "y has 2 values, for 3 rows"),
        (METRICS, {"y": list("abc")}, OptionTypeError, "y must hold numbers"),
        (METRICS, {"ideal": [1, 2]}, InvalidOptionError, "ideal has 2 values, for 3 rows"),
        (METRICS, {"ideal": np.nan}, InvalidOptionError, "ideal has 1 values that are missing"),
        ([[1], [2], [3]], {}, InvalidOptionError, "the predictions of 'predictions' are one a row;"
         " variance shows in two or more: raise L"),
        ([1, 2, 3], {}, InvalidOptionError, "the predictions of 'predictions' have shape (3,)"),
        ({"m": [[1, 2], [np.nan, 2], [1, 1]]}, {}, InvalidOptionError, "the predictions of 'm' has "
         "1 values that are missing or infinite"),
        (METRICS, {"metric": "mae"}, InvalidOptionError, "metric='mae'; it must be \"mse\", a "),
        (METRICS, {"metric": np.subtract}, InvalidOptionError, "ideal is missing: what the metric"),
        (METRICS, {"metric": np.subtract, "y": None}, InvalidOptionError, "y is missing, which the"
         " metric is given"),
        (METRICS, {"metric": mean_absolute_error, "ideal": 0}, InvalidOptionError, "metric "
         "mean_absolute_error gives one number for all rows, which tells nothing of bias"),
        (METRICS, {"metric": lambda y, p: y[:2], "ideal": 0}, InvalidOptionError, "metric <lambda> "
         "gives values of shape (2,) for 3 rows"),
        (METRICS, {"metric": lambda y, p: y * np.nan, "ideal": 0}, InvalidOptionError, "metric "
         "<lambda> has 6 values that are missing or infinite"),
        (METRICS, {"correct": 1}, OptionTypeError, "correct=1 must be True or False"),
        (METRICS, {"groups": [1, 2]}, InvalidOptionError, "groups has 2 values, for 3 rows"),
        ({"m": pd.DataFrame(METRICS, index=[2, 1, 0])}, {"y": pd.Series([1, 2, 3])},
         InvalidOptionError, "y and 'm' have different indexes"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    estimator: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        bias_variance(estimator, **({"y": [1, 2, 3]} | options))


def test_one_repetition_shows_no_variance() -> None:
    with pytest.raises(InvalidOptionError, match="are one a row; variance shows in two or more"):
        bias_variance(DummyRegressor(), X, Y, L=1)
