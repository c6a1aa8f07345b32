"""D9 in evaluation: what is given by mistake is refused in the package's own words, or works."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, mean_squared_error, roc_auc_score
from sklearn.model_selection import KFold

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, VtreatError
from vtreat_py.evaluation import (
    StreamingBinaryEvaluator,
    bias_variance,
    compare_models,
    confusion_scores,
    coverage_study,
    cv_spread,
    per_group_metric,
    per_row_loss,
    randomization_test,
    repeated_cross_val_predict,
    run_nested,
    same_score,
    weighted_cross_validate,
)

X = pd.DataFrame({"x": np.linspace(0, 1, 40)})
Y = np.arange(40) % 2
CHANCE = np.random.default_rng(0).random(40)
GROUPS = np.arange(40) // 10
MODEL = DummyClassifier()


def coin(size: int, rate: float, rng: Any) -> Any:
    return rng.random((size, 1)), rng.random(size) < rate


def study(**changed: Any) -> Any:
    options = {"sizes": [30], "rates": [0.5], "seeds": [0], "strategies": {"a": 2}} | changed
    return coverage_study(coin, {"m": MODEL}, scoring="nll", truth_size=50, **options)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("roc_auc", roc_auc_score),
        ("brier", brier_score_loss),
        ("neg_mean_squared_error", lambda y, p: -mean_squared_error(y, p)),
    ],
)
def test_d9_metrics_have_names(name: str, function: Any) -> None:
    found = per_group_metric(Y, CHANCE, GROUPS, metric=name)
    assert found.name == name
    np.testing.assert_allclose(found, per_group_metric(Y, CHANCE, GROUPS, metric=function))


def test_d9_a_named_metric_of_one_class_and_of_words() -> None:
    y = np.array(["no", "yes"])[Y]
    groups = np.where(np.arange(40) == 0, "alone", "others")
    found = per_group_metric(y, CHANCE, groups, metric="roc_auc")
    assert np.isnan(found["alone"])
    assert found["others"] == roc_auc_score(Y[1:], CHANCE[1:])


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "no rows": (lambda: per_group_metric([], [], []), "y is empty"),
    "no metric": (
        lambda: per_group_metric(Y, CHANCE, GROUPS),
        "metric=None; it must be a function",
    ),
    "unknown metric": (
        lambda: per_group_metric(Y, CHANCE, GROUPS, metric="auc"),
        "metric 'auc' is no metric",
    ),
    "a metric of two numbers": (
        lambda: per_group_metric(Y, CHANCE, GROUPS, metric=lambda y, p: [0, 1]),
        "must be one number for each group",
    ),
    "scalar models": (lambda: compare_models(3), "scores must be a frame with one row for each"),
    "a dict of scalars": (lambda: compare_models({"a": 1, "b": 2}), "scores must be a frame"),
    "unequal models": (lambda: compare_models({"a": [1], "b": [1, 2]}), "scores must be a frame"),
    "a regression": (
        lambda: cv_spread(LinearRegression()),
        "estimator is LinearRegression(), which predicts numbers",
    ),
    "no rows to divide": (lambda: cv_spread(MODEL), "X or y is missing"),
    "a class for a model": (
        lambda: cv_spread(LogisticRegression, X, Y),
        "LogisticRegression'>; an estimator is wanted",
    ),
    "more folds than rows": (
        lambda: bias_variance(LinearRegression(), X, Y, k=100),
        "k=100 folds, but there are 40 rows",
    ),
    "more folds than rows of a class": (
        lambda: repeated_cross_val_predict(MODEL, X, Y, k=30),
        "cannot divide these 40 rows: n_splits=30",
    ),
    "no rows to fit on": (lambda: bias_variance(LinearRegression()), "y is missing"),
    "one size": (lambda: study(sizes=20), "sizes=20 is one value; give a list"),
    "one rate": (lambda: study(rates=0.5), "rates=0.5 is one value"),
    "one seed": (lambda: study(seeds=1), "seeds=1 is one value"),
    "a size of words": (lambda: study(sizes=["a"]), "a size='a' must be a whole number"),
    "one method": (lambda: study(methods="iqr"), "methods='iqr' is one value"),
    "three counts": (lambda: confusion_scores(1, 2, 3), "takes counts (tp, fp, fn, tn), or labels"),
    "an unknown option": (lambda: confusion_scores(Y, Y, labels=1), "takes counts"),
    "ragged lists": (lambda: per_row_loss([[1], [2, 3]], [1, 2]), "y cannot be read as an array"),
    "a number in place of rows": (lambda: per_row_loss(1, 1), "y has shape (); one value a row"),
    "a loss that is none": (
        lambda: per_row_loss(Y, CHANCE, metric=3),
        "metric=3; it must be a name",
    ),
    "an alternative": (lambda: randomization_test(Y, CHANCE, alternative=[1]), "alternative=[1]"),
    "a seed of words": (
        lambda: randomization_test(Y, CHANCE, random_state="a"),
        "random_state='a' is no source",
    ),
    "a statistic of words": (
        lambda: randomization_test(Y, CHANCE, n_resamples=9, statistic=lambda a, b: "x"),
        "statistic must give numbers",
    ),
    "an adjustment": (lambda: compare_models({"a": Y, "b": CHANCE}, adjust=1), "adjust=1; it must"),
    "folds that are none": (
        lambda: weighted_cross_validate(MODEL, X, Y, cv=100),
        "cv=100 cannot divide these 40 rows",
    ),
    "a strategy that is none": (
        lambda: cv_spread(MODEL, X, Y, strategies={"a": KFold(100)}, scoring="nll"),
        "cannot divide these 40 rows",
    ),
    "a scoring that is none": (
        lambda: weighted_cross_validate(MODEL, X, Y, scoring="auc"),
        "scoring='auc' cannot be used",
    ),
    "rows of another length": (lambda: weighted_cross_validate(MODEL, X, Y[:9]), "are no rows"),
    "groups of another length": (
        lambda: cv_spread(MODEL, X, Y, groups=[1, 2]),
        "are no rows that a model can be fitted on",
    ),
    "complex numbers": (lambda: per_row_loss(Y, CHANCE * 1j), "must hold real numbers"),
    "two positive labels": (
        lambda: per_row_loss(Y, CHANCE, metric="log", pos_label=[0, 1]),
        "pos_label=[0, 1] must be one label of y",
    ),
    "folds of no rows": (
        lambda: weighted_cross_validate(MODEL, X, Y, cv=[([[0.5]], [1])]),
        "[[0.5]] are no numbers of rows",
    ),
    "a metric that is none": (
        lambda: weighted_cross_validate(MODEL, X, Y, scoring={"a": 1}),
        "scoring 'a' is 1; give the name of a metric",
    ),
    "no methods": (lambda: study(methods=[]), "methods is empty"),
    "labels that cannot be compared": (
        lambda: per_row_loss([{}] * 2, [{}] * 2, metric="zero-one"),
        "must hold labels",
    ),
    "no workers": (lambda: cv_spread(MODEL, X, Y, n_jobs="all"), "n_jobs='all' must be a whole"),
    "no task": (lambda: run_nested(3, [[1]]), "task is 3"),  # type: ignore[call-overload]
    "no groups": (lambda: run_nested(abs, [1, 2]), "group 0 is 1; a list"),  # type: ignore[list-item]
    "no score's name": (lambda: same_score("f1", ["f1"]), "['f1'] is no score"),  # type: ignore[arg-type]
    "a threshold of words": (lambda: StreamingBinaryEvaluator(threshold="x"), "threshold must"),
    "a threshold that is not there": (
        lambda: StreamingBinaryEvaluator().update(Y, CHANCE).confusion(3),
        "k=3, but thresholds are 0 to 0",
    ),
    "groups of words": (
        lambda: StreamingBinaryEvaluator().update(Y, CHANCE).calibration("x"),  # type: ignore[arg-type]
        "n_groups='x' must be a whole number",
    ),
    "another evaluator": (
        lambda: StreamingBinaryEvaluator().merge(3),  # type: ignore[arg-type]
        "other is 3; another evaluator is wanted",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_d9_mistakes_are_one_clear_error(case: str) -> None:
    call, message = CASES[case]
    with pytest.raises(VtreatError, match=re.escape(message)) as caught:
        call()
    assert isinstance(caught.value, InvalidOptionError | OptionTypeError)
    assert len(str(caught.value)) < 500


def test_d9_sizes_may_be_written_as_floats() -> None:
    assert study(sizes=[3e1]).table["size"].tolist() == study(sizes=[30]).table["size"].tolist()
