"""Losses of rows beside scikit-learn's means of them, metrics of groups beside a loop."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation.paired_scores import per_group_metric, per_row_loss

RANDOM = np.random.default_rng(0)
Y = RANDOM.normal(size=30)
P = Y + RANDOM.normal(size=30)
CLASS = (Y > 0).astype(int)
CHANCE = np.clip(0.5 + 0.3 * P, 0, 1)
INDEX = pd.Index(RANDOM.permutation(30) + 100)


@pytest.mark.parametrize(
    ("loss", "y", "prediction", "of_all"),
    [
        ("squared", Y, P, metrics.mean_squared_error),
        ("absolute", Y, P, metrics.mean_absolute_error),
        ("poisson", np.round(np.abs(Y)), np.exp(P), metrics.mean_poisson_deviance),
        ("log", CLASS, CHANCE, metrics.log_loss),
        ("brier", CLASS, CHANCE, metrics.brier_score_loss),
        ("zero-one", CLASS, (CHANCE > 0.5).astype(int), metrics.zero_one_loss),
    ],
)
def test_means_are_those_of_scikit_learn(loss: Any, y: Any, prediction: Any, of_all: Any) -> None:
    assert ((prediction == 0).any() and (prediction == 1).any()) or loss not in (
        "log",
        "brier",
        "zero-one",
    )
    found = per_row_loss(y, prediction, metric=loss)
    assert found.mean() == pytest.approx(of_all(y, prediction))
    assert found.name == loss
    assert (found >= 0).all()


def test_losses_by_hand() -> None:
    assert per_row_loss([1, 2], [3, 2]).tolist() == [4.0, 0.0]
    assert per_row_loss([1, 2], [3, 2], metric="absolute").tolist() == [2.0, 0.0]
    assert per_row_loss([1, 0], [0.25, 0.25], metric="log").tolist() == pytest.approx(
        [np.log(4), np.log(4 / 3)]
    )
    assert per_row_loss([1, 0], [0.25, 0.25], metric="brier").tolist() == [0.5625, 0.0625]
    assert per_row_loss(["x", "y"], ["y", "y"], metric="zero-one").tolist() == [1.0, 0.0]
    certain = per_row_loss([1], [0.0], metric="log")
    assert certain.tolist() == pytest.approx([-np.log(np.finfo(float).eps)])


def test_a_function_is_given_y_and_predictions() -> None:
    def pinball(y: Any, prediction: Any) -> Any:
        return np.maximum(0.9 * (y - prediction), 0.1 * (prediction - y))

    found = per_row_loss(Y, {"a": P, "b": np.zeros(30)}, metric=pinball)
    assert found.columns.name == "pinball"
    expected = metrics.mean_pinball_loss(Y, P, alpha=0.9)
    assert found["a"].mean() == pytest.approx(expected)


@pytest.mark.parametrize("pos_label", ["yes", "no"])
def test_probabilities_are_of_the_class_that_is_named(pos_label: str) -> None:
    y = np.where(CLASS == 1, "yes", "no")
    chance = CHANCE if pos_label == "yes" else 1 - CHANCE
    for loss in ("log", "brier"):
        found = per_row_loss(y, chance, metric=loss, pos_label=pos_label)
        pd.testing.assert_series_equal(found, per_row_loss(CLASS, CHANCE, metric=loss))
    one_class = per_row_loss([0, 0], [0.5, 0.25], metric="brier")
    assert one_class.tolist() == [0.25, 0.0625]
    assert per_row_loss([True, False], [0.5, 0.25], metric="brier").tolist() == [0.25, 0.0625]


def test_frames_give_frames_and_indexes_are_kept() -> None:
    frame = pd.DataFrame({"a": P, "b": -P}, index=INDEX)
    found = per_row_loss(pd.Series(Y, index=INDEX), frame)
    assert found.index.equals(INDEX)
    assert found.columns.tolist() == ["a", "b"]
    assert found.columns.name == "squared"
    np.testing.assert_array_equal(found["b"], np.square(Y + P))
    np.testing.assert_array_equal(per_row_loss(Y, frame).index, INDEX)
    for other in (pl.DataFrame({"a": P, "b": -P}), np.column_stack([P, -P])):
        np.testing.assert_array_equal(per_row_loss(Y, other), found)
    assert per_row_loss(pl.Series(Y), pl.DataFrame({"a": P})).columns.tolist() == ["a"]
    one = per_row_loss(pd.Series(Y, index=INDEX), P)
    assert one.index.equals(INDEX)


def test_repetitions_of_a_model_in_a_dict_are_averaged() -> None:
    repeated = pd.DataFrame({0: P, 1: P + 1, 2: P - 2}, index=INDEX)
    found = per_row_loss(Y, {"often": repeated, "once": P})
    np.testing.assert_allclose(found["often"], per_row_loss(Y, repeated).mean(axis=1))
    np.testing.assert_allclose(found["once"], np.square(P - Y))
    assert found.index.equals(INDEX)
    assert found.columns.name == "squared"


def test_metrics_of_groups_are_those_of_their_rows() -> None:
    groups = np.array(list("bbacc") * 6)
    found = per_group_metric(CLASS, CHANCE, groups, metric=metrics.roc_auc_score)
    assert found.index.tolist() == ["b", "a", "c"]
    assert found.name == "roc_auc_score"
    for group, value in found.items():
        rows = groups == group
        assert value == metrics.roc_auc_score(CLASS[rows], CHANCE[rows])
    several = per_group_metric(
        CLASS,
        {"m": CHANCE, "twice": np.column_stack([CHANCE, -CHANCE])},
        groups,
        metric=metrics.roc_auc_score,
    )
    pd.testing.assert_series_equal(several["m"], found, check_names=False)
    assert several["twice"].tolist() == pytest.approx([0.5] * 3)
    assert several.columns.name == "roc_auc_score"


def test_an_undefined_metric_of_a_group_is_shown() -> None:
    with pytest.warns(UserWarning, match="Only one class"):
        found = per_group_metric(
            [0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4], [1, 1, 2, 2], metric=metrics.roc_auc_score
        )
    assert found.isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("y", "prediction", "options", "error", "message"),
    [
        ([1, 2], [1, 2, 3], {}, InvalidOptionError, "prediction has 3 values, for 2 rows"),
        ([1, 2], {"m": [1]}, {}, InvalidOptionError, "prediction['m'] has 1 values, for 2"),
        ([1, 2], {}, {}, InvalidOptionError, "prediction is an empty dict"),
        ([1, 2], np.empty((2, 0)), {}, InvalidOptionError, "prediction has no columns"),
        ([1, np.nan], [1, 2], {}, InvalidOptionError, "y has 1 values that are missing"),
        ([1, 2], {"m": [1, np.nan]}, {}, InvalidOptionError, "prediction['m'] has 1 values "
         "that are missing"),
        (["x", "y"], [1, 2], {}, OptionTypeError, "y must hold numbers"),
        ([1, 2], [1, 2], {"metric": "hinge"}, InvalidOptionError, "metric='hinge'; it must be"),
        ([0, 1], [0.5, 1.5], {"metric": "log"}, InvalidOptionError, "prediction is 1.5 in row 1; "
         "this loss takes probabilities"),
        ([0, -1], [1, 1], {"metric": "poisson"}, InvalidOptionError, "y is -1 in row 1; this loss "
         "takes counts"),
        ([0, 1], {"m": [1, 0]}, {"metric": "poisson"}, InvalidOptionError, "prediction['m'] is 0 "
         "in row 1; this loss takes what is expected"),
        ([0, 1, 2], [0, 1, 1], {"metric": "brier"}, InvalidOptionError, "y has 3 classes, 0, 1, 2; "
         "this loss is of two"),
        (["no", "yes"], [0, 1], {"metric": "log"}, InvalidOptionError, "pos_label=1 is none of the "
         "classes of y, 'no', 'yes'"),
        ([None, 1], [0, 1], {"metric": "log"}, InvalidOptionError, "y is missing in 1 row, the "
         "first row 0"),
        ([0, 1], [0.2, 1.0], {"metric": "zero-one"}, InvalidOptionError, "prediction holds 0.2, "
         "but y 0, 1; the zero-one loss takes predicted classes"),
        (["no", "yes"], ["N", "Y"], {"metric": "zero-one"}, InvalidOptionError, "prediction holds "
         "'N', 'Y', but y 'no', 'yes'"),
        (["x", "y"], ["x", None], {"metric": "zero-one"}, InvalidOptionError, "prediction is "
         "missing in 1 row, the first row 1"),
        ([1, 2], [1, 2], {"metric": lambda y, p: 1.0}, InvalidOptionError, "the <lambda> loss of "
         "prediction has shape ()"),
        ([1, 2], [1, 2], {"metric": lambda y, p: y[:1]}, InvalidOptionError, "the <lambda> loss of "
         "prediction has 1 values, for 2 rows"),
        ([1, 2], [1, 2], {"metric": lambda y, p: y / 0.0}, InvalidOptionError, "the <lambda> loss "
         "of prediction has 2 values that are missing or infinite"),
        (pd.Series([1, 2]), pd.Series([1, 2], index=[1, 0]), {}, InvalidOptionError,
         "y and prediction have different indexes"),
        ([1, 2], {"a": pd.Series([1, 2]), "b": pd.Series([1, 2], index=[1, 0])}, {},
         InvalidOptionError, "prediction['a'] and prediction['b'] have different indexes"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_makes_no_sense_is_refused(
    y: Any, prediction: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        per_row_loss(y, prediction, **options)


def test_groups_must_fit() -> None:
    with pytest.raises(InvalidOptionError, match="groups has 1 values, for 2 rows"):
        per_group_metric([1, 2], [1, 2], ["x"], metric=metrics.mean_squared_error)
    with pytest.raises(InvalidOptionError, match="prediction has 3 values, for 2 rows"):
        per_group_metric([1, 2], [1, 2, 3], ["x", "x"], metric=metrics.mean_squared_error)
    with pytest.raises(InvalidOptionError, match="groups is missing in 1 row"):
        per_group_metric([1, 2], [1, 2], ["x", None], metric=metrics.mean_squared_error)


def test_counts_and_times_have_metrics_by_the_names_of_others() -> None:
    groups = ["x", "y"] * 15
    counts, expected = np.round(np.abs(Y)), np.exp(P)
    found = per_group_metric(counts, expected, groups, metric="neg_mean_poisson_deviance")
    for group, rows in (("x", slice(0, None, 2)), ("y", slice(1, None, 2))):
        by_hand = metrics.mean_poisson_deviance(counts[rows], expected[rows])
        assert found[group] == pytest.approx(-by_hand)


def test_concordance_is_that_of_scikit_survival() -> None:
    survival = pytest.importorskip("sksurv.metrics")
    times = np.empty(30, dtype=[("died", bool), ("days", float)])
    times["died"], times["days"] = CLASS.astype(bool), np.exp(Y)
    groups = np.repeat(["x", "y", "z"], [14, 14, 2])
    times["died"][28:] = False
    found = per_group_metric(times, {"a": P}, groups, metric="concordance_index_censored")["a"]
    first = slice(0, 14)
    by_hand = survival.concordance_index_censored(
        times["died"][first], times["days"][first], P[first]
    )
    assert found["x"] == pytest.approx(by_hand[0])
    assert np.isnan(found["z"])  # nobody died


@pytest.mark.parametrize(
    "kinds", [[("died", float), ("days", float)], [("died", bool)], [("a", bool), ("b", bool)]]
)
def test_concordance_takes_events_and_times(kinds: Any) -> None:
    y = np.zeros(3, dtype=kinds)
    with pytest.raises(OptionTypeError, match="no structured array of events"):
        per_group_metric(y, [1.0, 2.0, 3.0], [1, 1, 1], metric="concordance_index_censored")
