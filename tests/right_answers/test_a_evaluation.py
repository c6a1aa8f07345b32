"""A1 in evaluation: rows that carry other labels are not paired by position without a word."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, GroupShuffleSplit, ShuffleSplit

from vtreat_py.base.errors import InvalidOptionError, VtreatWarning
from vtreat_py.evaluation import (
    FoldWeightedSearchCV,
    StreamingBinaryEvaluator,
    bias_variance,
    compare_models,
    confusion_scores,
    coverage_study,
    cv_spread,
    evaluate_stream,
    fold_weights,
    per_group_metric,
    repeated_cross_val_predict,
    weighted_cross_validate,
)

N = 40
X = pd.DataFrame({"x": np.linspace(0, 1, N)}, index=pd.RangeIndex(100, 100 + N))
Y = pd.Series(np.arange(N) % 2, index=X.index)
WEIGHT = pd.Series(1.0, index=X.index)
GROUPS = pd.Series(np.arange(N) // 2, index=X.index)
SHUFFLED = np.random.default_rng(0).permutation(X.index)
MODEL = LogisticRegression()
SPLITS = {"one": GroupShuffleSplit(2, random_state=0)}


def spread(y: Any, w: Any, g: Any) -> Any:
    return cv_spread(MODEL, X, y, sample_weight=w, groups=g, strategies=SPLITS, scoring="nll")


def study(y: Any) -> Any:
    options = {"scoring": "nll", "strategies": {"one": ShuffleSplit(2, random_state=0)}}
    return coverage_study((X, y), {"m": MODEL}, sizes=[30], rates=[0.5], seeds=[0], **options)


GIVEN: dict[str, Callable[[Any, Any, Any], Any]] = {
    "weighted_cross_validate": lambda y, w, g: weighted_cross_validate(
        MODEL, X, y, sample_weight=w, groups=g, cv=GroupKFold(2)
    ),
    "fold_weights": lambda y, w, g: fold_weights(GroupKFold(2), X, y, w, g),
    "cv_spread": spread,
    "repeated_cross_val_predict": lambda y, w, g: repeated_cross_val_predict(
        MODEL, X, y, sample_weight=w, groups=g, L=1
    ),
    "bias_variance": lambda y, w, g: bias_variance(MODEL, X, y, ideal=w, groups=g, L=2),
    "update": lambda y, w, g: StreamingBinaryEvaluator().update(y, X["x"], w),
    "evaluate_stream": lambda y, w, g: evaluate_stream(
        {"y": y, "x": X["x"], "w": w}, label="y", score="x", sample_weight="w"
    ),
    "confusion_scores": lambda y, w, g: confusion_scores(Y, y, sample_weight=w),
    "counts": lambda y, w, g: confusion_scores(Y, y, w, g),
    "compare_models": lambda y, w, g: compare_models(
        pd.DataFrame({"a": X["x"], "b": Y}), sample_weight=w, groups=g, n_resamples=99
    ),
    "per_group_metric": lambda y, w, g: per_group_metric(Y, y, g, metric=lambda a, b: 0),
    "coverage_study": lambda y, w, g: study(y),
}
HAVE_NO = {
    "y": {"compare_models"},
    "sample_weight": {"per_group_metric", "coverage_study"},
    "groups": {"update", "evaluate_stream", "confusion_scores", "coverage_study"},
}


@pytest.mark.parametrize("function", GIVEN)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a1_functions_refuse_rows_of_other_labels(function: str, place: int) -> None:
    given, name = [Y, WEIGHT, GROUPS], list(HAVE_NO)[place]
    run = GIVEN[function]
    run(*given)
    if function in HAVE_NO[name]:
        return
    original = given[place]
    given[place] = original.loc[SHUFFLED]
    with pytest.raises(InvalidOptionError, match=r"same labels in another order.*to_numpy"):
        run(*given)
    given[place] = original.set_axis(original.index + 1)
    with pytest.raises(InvalidOptionError, match="have different indexes"):
        run(*given)
    given[place] = original.reset_index(drop=True)  # which only counts rows
    run(*given)
    given[place] = original.to_numpy()
    run(*given)


def test_a1_the_ideal_of_groups_is_not_that_of_rows() -> None:
    groups = [f"g{i}" for i in range(N)]
    ideal = pd.Series(0.0, index=groups)
    predictions = pd.DataFrame({"a": X["x"], "b": X["x"] + 0.1})
    found = bias_variance(
        predictions, y=Y, groups=groups, ideal=ideal, metric=lambda y, p: float(abs(y - p).mean())
    )
    assert found["error"].notna().all()


def test_a1_the_search_warns_once_and_goes_on_by_position() -> None:
    grid = GridSearchCV(
        DummyClassifier(strategy="constant"), {"constant": [0, 1]}, cv=GroupKFold(2)
    )
    weight = WEIGHT + np.arange(N)
    expected = FoldWeightedSearchCV(grid).fit(X, Y, sample_weight=weight.to_numpy(), groups=GROUPS)
    with pytest.warns(VtreatWarning, match="X and sample_weight have different indexes") as caught:
        found = FoldWeightedSearchCV(grid).fit(
            X, Y, sample_weight=weight.set_axis(SHUFFLED), groups=GROUPS
        )
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert found.best_score_ == expected.best_score_
    with pytest.warns(VtreatWarning, match="X and y have different indexes"):
        found.score(X, Y.set_axis(SHUFFLED))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found.score(X, Y.reset_index(drop=True))
