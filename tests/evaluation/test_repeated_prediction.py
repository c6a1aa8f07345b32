"""Each row predicted L times, never by a model that was trained on it or on its group."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeavePOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import vtreat_py as vt
from tests.versions import older
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation.repeated_prediction import repeated_cross_val_predict

X, Y = load_diabetes(return_X_y=True, as_frame=True)
X, Y = X.iloc[:120], Y.iloc[:120].rename("y")
CLASS = np.where(Y > 150, "high", "low")
ROWS = np.arange(6)
TARGET = np.array([0, 1, 2, 3, 4, 10.0])


class WeightedMean(RegressorMixin, BaseEstimator):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightedMean:
        self.mean_ = np.average(y, weights=sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def test_columns_are_repetitions_of_cross_validation() -> None:
    found = repeated_cross_val_predict(LinearRegression(), X, Y, L=4, k=3, random_state=0)
    assert found.shape == (120, 4)
    assert found.index.equals(X.index)
    assert found.columns.tolist() == [0, 1, 2, 3]
    seeds = np.random.default_rng(0).integers(2**31, size=4)
    for column, seed in zip(found, seeds, strict=True):
        folds = KFold(3, shuffle=True, random_state=int(seed))
        expected = cross_val_predict(LinearRegression(), X, Y, cv=folds)
        np.testing.assert_allclose(found[column], expected)


def test_a_row_is_not_predicted_by_a_model_that_saw_it() -> None:
    """One nearest neighbour would know the outcome of a row it was trained on."""
    model = KNeighborsRegressor(1)
    outcome = np.arange(120.0)
    found = repeated_cross_val_predict(model, X, outcome, random_state=0)
    assert (found.to_numpy() != outcome[:, None]).all()


def test_groups_stay_together() -> None:
    groups = np.repeat(np.arange(24), 5)
    place = groups[:, None] + 0.001
    model = KNeighborsRegressor(1)
    found = repeated_cross_val_predict(
        model, place, groups, groups=groups.astype(str), random_state=0
    )
    assert (found.to_numpy() != groups[:, None]).all()
    assert (found.groupby(groups).std() == 0).all(axis=None)
    without = repeated_cross_val_predict(model, place, groups, random_state=0)
    assert (without.to_numpy() == groups[:, None]).any()
    classes = np.repeat(np.arange(24) % 2, 5)
    dummy = DummyClassifier()
    found = repeated_cross_val_predict(
        dummy, place, classes, groups=groups, method="predict_proba", random_state=0
    )
    if not older("scikit-learn", "1.8"):  # which stratifies folds of groups that it shuffles
        np.testing.assert_allclose(found, 0.5)


def test_folds_of_classifiers_are_stratified() -> None:
    found = repeated_cross_val_predict(
        DummyClassifier(),
        np.zeros((40, 1)),
        [0] * 36 + [1] * 4,
        method="predict_proba",
        random_state=0,
    )
    np.testing.assert_allclose(found, 0.1)


def test_probabilities_are_of_the_second_class() -> None:
    model = LogisticRegression()
    found = repeated_cross_val_predict(model, X, CLASS, L=1, method="predict_proba", random_state=3)
    seed = int(np.random.default_rng(3).integers(2**31))
    folds = StratifiedKFold(2, shuffle=True, random_state=seed)
    expected = cross_val_predict(model, X, CLASS, cv=folds, method="predict_proba")
    np.testing.assert_allclose(found[0], expected[:, 1])
    labels = repeated_cross_val_predict(model, X, CLASS, L=1, random_state=3)
    assert labels[0].tolist() == np.where(expected[:, 1] > 0.5, "low", "high").tolist()


def test_a_class_that_was_not_learned_has_no_probability() -> None:
    plan = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    found = repeated_cross_val_predict(
        DummyClassifier(), np.zeros((4, 1)), [0, 0, 1, 1], method="predict_proba", cv=plan
    )
    assert found[0].tolist() == [1.0, 1.0, 0.0, 0.0]


def test_all_kinds_of_frames_give_the_same() -> None:
    expected = repeated_cross_val_predict(LinearRegression(), X, Y, L=2, random_state=0)
    shuffled = X.set_axis(np.arange(120)[::-1])
    for frame in (X.to_numpy(), pl.from_pandas(X), shuffled):
        found = repeated_cross_val_predict(
            LinearRegression(), frame, Y.to_numpy(), L=2, random_state=0
        )
        np.testing.assert_allclose(found, expected)
    assert found.index.equals(shuffled.index)


@pytest.mark.filterwarnings("ignore:nothing is derived from")
def test_treatments_are_fitted_anew_in_each_fold() -> None:
    frame = X.assign(sex=np.where(X["sex"] > 0, "f", "m"), noise=np.arange(120).astype(str))
    model = make_pipeline(vt.NumericOutcomeTreatment(random_state=0), LinearRegression())
    found = repeated_cross_val_predict(model, frame, Y, L=2, random_state=0)
    error = np.square(found.sub(Y, axis=0)).to_numpy().mean()
    assert 0.4 < error / Y.var() < 0.9


def test_jobs_and_seeds() -> None:
    model = DecisionTreeRegressor(random_state=0)
    alone = repeated_cross_val_predict(model, X, Y, L=3, random_state=5)
    with parallel_config(backend="threading"):
        found = repeated_cross_val_predict(model, X, Y, L=3, random_state=5, n_jobs=2)
    pd.testing.assert_frame_equal(found, alone)
    generator = np.random.default_rng(5)
    pd.testing.assert_frame_equal(
        repeated_cross_val_predict(model, X, Y, L=3, random_state=generator), alone
    )
    assert not repeated_cross_val_predict(model, X, Y, L=3, random_state=generator).equals(alone)


def two_fold_plans() -> list[list[tuple[Any, Any]]]:
    """All ten ways to halve six rows."""
    plans = []
    for others in combinations(range(1, 6), 2):
        half = np.array([0, *others])
        rest = np.setdiff1d(ROWS, half)
        plans.append([(half, rest), (rest, half)])
    return plans


@pytest.mark.parametrize(
    "cv",
    [
        two_fold_plans(),
        [pair for plan in two_fold_plans() for pair in plan],
        (pair for plan in two_fold_plans() for pair in plan),
        tuple(tuple((t.tolist(), p.tolist()) for t, p in plan) for plan in two_fold_plans()),
        LeavePOut(3),
    ],
)
def test_plans_come_in_several_forms(cv: Any) -> None:
    found = repeated_cross_val_predict(DummyRegressor(), ROWS[:, None], TARGET, cv=cv)
    assert found.shape == (6, 10)
    halves = list(combinations(range(6), 3))
    for row in ROWS:
        expected = sorted(TARGET[list(h)].mean() for h in halves if row not in h)
        assert sorted(found.loc[row]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("cv", "columns", "is_fixed"),
    [
        (KFold(3, shuffle=True), 7, False),  # has no random state of its own: L times
        (GroupKFold(3, shuffle=True), 7, False),
        (KFold(3, shuffle=True, random_state=1), 1, True),
        (KFold(3), 1, True),
        (RepeatedKFold(n_splits=2, n_repeats=4), 4, False),
        (RepeatedKFold(n_splits=2, n_repeats=4, random_state=1), 4, True),
        ([KFold(3), KFold(2), RepeatedKFold(n_splits=2, n_repeats=4)], 6, False),
        ([KFold(2, shuffle=True)] * 3, 3, False),
    ],
)
def test_splitters_say_how_often_rows_are_predicted(cv: Any, columns: int, is_fixed: bool) -> None:
    groups = np.arange(120) // 4 if isinstance(cv, GroupKFold) else None
    first, same, other = (
        repeated_cross_val_predict(
            LinearRegression(), X, Y, cv=cv, L=7, groups=groups, random_state=r
        )
        for r in (0, 0, 1)
    )
    assert first.shape == (120, columns)
    pd.testing.assert_frame_equal(first, same)
    assert first.equals(other) == is_fixed
    assert getattr(cv, "random_state", None) in (None, 1)  # the user's splitter stays as it was


def test_a_shuffled_column_differs_from_the_next() -> None:
    found = repeated_cross_val_predict(LinearRegression(), X, Y, cv=[KFold(2, shuffle=True)] * 3)
    assert not np.allclose(found[0], found[1])


def test_weights_reach_the_fit() -> None:
    weight = np.arange(1.0, 7.0)
    plan = [(ROWS[:3], ROWS[3:]), (ROWS[3:], ROWS[:3])]
    options: dict[str, Any] = {"cv": plan, "sample_weight": weight}
    late, early = (np.average(TARGET[s], weights=weight[s]) for s in (ROWS[3:], ROWS[:3]))
    expected = [late] * 3 + [early] * 3
    for model in (WeightedMean(), make_pipeline(StandardScaler(), WeightedMean())):
        found = repeated_cross_val_predict(model, ROWS[:, None], TARGET, **options)
        assert found[0].tolist() == pytest.approx(expected)
    with pytest.raises(InvalidOptionError, match=r"Neighbors.*\.fit takes no sample_weight, so"):
        repeated_cross_val_predict(KNeighborsRegressor(), ROWS[:, None], TARGET, **options)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            WeightedMean().set_fit_request(sample_weight=True),
        )
        found = repeated_cross_val_predict(routed, ROWS[:, None], TARGET, **options)
        assert found[0].tolist() == pytest.approx(expected)
        unasked = WeightedMean().set_fit_request(sample_weight=False)
        for given in (options, {"cv": plan}):
            found = repeated_cross_val_predict(unasked, ROWS[:, None], TARGET, **given)
            assert found[0].tolist() == pytest.approx([TARGET[3:].mean()] * 3 + [1.0] * 3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"L": 0}, InvalidOptionError, "L=0; it must be >= 1"),
        ({"L": 2.5}, OptionTypeError, "L=2.5 must be a whole number"),
        ({"k": 1}, InvalidOptionError, "k=1; it must be >= 2"),
        ({"method": "transform"}, InvalidOptionError, "method='transform'; it must be one of"),
        ({"method": "predict_proba"}, InvalidOptionError, 'method="predict_proba" is for two '
         "classes; y has"),
        ({"cv": 5}, OptionTypeError, "cv=5 must be a splitter, a list of (train, test) rows"),
        ({"cv": "kfold"}, OptionTypeError, "cv='kfold' must be a splitter"),
        ({"cv": ShuffleSplit(3, random_state=0)}, InvalidOptionError, "each row must be predicted "
         "equally often"),
        ({"cv": [([0, 1], [2, 3])]}, InvalidOptionError, "cv predicts row 2 1 times and row 0 0 "
         "times"),
        ({"cv": [([0, 1], [2, 3, 2])]}, InvalidOptionError, "cv predicts a row twice in one split"),
        ({"cv": [([0, 1], [120])]}, InvalidOptionError, "cv predicts row 120, but rows are 0 to"),
        ({"cv": [([-1, 1], [2])]}, InvalidOptionError, "cv trains on row -1, but rows are 0 to"),
        ({"cv": [([0.5, 1], [2])]}, OptionTypeError, "cv trains on"),
        ({"cv": [([1], np.array([], dtype=int))]}, InvalidOptionError, "cv predicts no row at all"),
        ({"cv": []}, InvalidOptionError, "cv has no splits"),
        ({"groups": [1, 2]}, InvalidOptionError, "groups has 2 values, for 120 rows"),
        ({"sample_weight": [1, 2]}, InvalidOptionError, "sample_weight has 2 values, for 120 rows"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        repeated_cross_val_predict(LinearRegression(), X, Y, **options)


def test_predictions_must_be_one_a_row() -> None:
    class Two(WeightedMean):
        def predict(self, X: Any) -> Any:
            return np.zeros((len(X), 2))

    with pytest.raises(InvalidOptionError, match=r"the prediction has shape \(60, 2\)"):
        repeated_cross_val_predict(Two(), X, Y)
