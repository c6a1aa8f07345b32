"""Searches that choose by the importance-weighted score, in all else as scikit-learn's."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import uniform
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    ShuffleSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import vtreat_py as vt
from tests.conftest import example_columns
from tests.versions import older
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation.weighted_search import FoldWeightedSearchCV
from vtreat_py.evaluation.weighted_validation import weighted_cross_validate

FRAME = pd.DataFrame(example_columns(120))
X = FRAME[["size"]].assign(z=FRAME["z"].fillna(0), flag=FRAME["flag"].astype(float))
Y = (FRAME["c"] == "yes").astype(int).to_numpy()
WEIGHT = np.random.default_rng(0).gamma(0.7, size=120) * np.repeat([0.2, 5.0, 1.0, 0.5], 30)
FOLDS = KFold(4)
GRID = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 10]}
TREE = DecisionTreeClassifier(random_state=0)


def grid(estimator: Any = TREE, parameters: Any = GRID, **options: Any) -> GridSearchCV:
    return GridSearchCV(estimator, parameters, **{"cv": FOLDS, "scoring": "accuracy"} | options)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")  # of y with infinity
@parametrize_with_checks(
    [
        FoldWeightedSearchCV(GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=2, error_score="raise")),
        FoldWeightedSearchCV(
            RandomizedSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2, n_iter=2, error_score="raise")
        ),
    ]
)
def test_the_contract_of_estimators(estimator: Any, check: Any) -> None:
    """No check is expected to fail."""
    check(estimator)


@pytest.mark.parametrize("routing", [False, True])
def test_results_are_those_of_the_weighted_score(routing: bool) -> None:
    with config_context(enable_metadata_routing=routing):
        found = FoldWeightedSearchCV(grid()).fit(X, Y, sample_weight=WEIGHT)
    results = found.cv_results_
    for i, parameters in enumerate(results["params"]):
        one = weighted_cross_validate(
            clone(TREE).set_params(**parameters), X, Y, sample_weight=WEIGHT, scoring="accuracy",
            cv=FOLDS,
        )  # fmt: skip
        assert results["mean_test_score"][i] == pytest.approx(one.mean.item(), rel=1e-12)
        assert results["std_test_score"][i] == pytest.approx(one.std.item(), rel=1e-12)
        splits = [results[f"split{j}_test_score"][i] for j in range(4)]
        assert splits == pytest.approx(one.folds["accuracy"].tolist(), rel=1e-12)
    mean = results["mean_test_score"]
    assert results["rank_test_score"].tolist() == [1 + int((mean > m).sum()) for m in mean]
    assert found.best_index_ == mean.argmax()
    assert found.best_score_ == mean.max()
    assert found.best_params_ == results["params"][found.best_index_]
    assert found.fold_weights_.tolist() == [WEIGHT[30 * j : 30 * j + 30].sum() for j in range(4)]
    assert found.n_splits_ == 4
    assert not found.multimetric_
    alone = clone(TREE).set_params(**found.best_params_).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(found.predict_proba(X), alone.predict_proba(X))
    theirs = grid().fit(X, Y, sample_weight=WEIGHT).cv_results_
    assert list(results) == list(theirs)
    if older("scikit-learn", "1.7"):  # whose searches do not weight their scores
        return
    for j in range(4):
        np.testing.assert_allclose(results[f"split{j}_test_score"], theirs[f"split{j}_test_score"])


class CountedTree(DecisionTreeClassifier):
    """Counts its fits, and those of clones."""

    fits = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        type(self).fits += 1
        return super().fit(X, y, sample_weight=sample_weight)


def test_the_best_model_is_fitted_once() -> None:
    found = FoldWeightedSearchCV(grid(CountedTree(random_state=0), {"max_depth": [1, 2, 3]}))
    found.fit(X, Y, sample_weight=WEIGHT)
    assert CountedTree.fits == 3 * 4 + 1
    assert not hasattr(found.search, "best_estimator_")
    assert not hasattr(found.search.estimator, "tree_")


def surveys(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Columns, outcome and town: z decides in three small towns, x in the large one."""
    random = np.random.default_rng(seed)
    town = np.repeat([0, 1, 2, 3], 80)
    x, z = random.choice(["a", "b"], 320), random.normal(size=320)
    odds = 2.5 * np.where(town == 3, np.where(x == "a", 1, -1), np.sign(z))
    y = (random.random(320) < 1 / (1 + np.exp(-odds))).astype(int)
    return pd.DataFrame({"x": x, "z": z}), y, town


@pytest.mark.parametrize("routing", [False, True])
def test_the_plain_search_picks_the_wrong_treatment(routing: bool) -> None:
    """Each town was asked as many people, but almost all people live in one."""
    frame, y, town = surveys(0)
    weight = np.where(town == 3, 10.0, 1.0)
    half = np.arange(320) % 2 == 0  # each fold tests on half of a town
    cv = [(np.flatnonzero(~(half & (town == t))), np.flatnonzero(half & (town == t)))
          for t in range(4)]  # fmt: skip
    treat = vt.BinomialOutcomeTreatment(cv=KFold(3), prune_sig=None)
    pipeline = Pipeline([("treat", treat), ("model", LogisticRegression())])
    candidates = {"treat__variables": [["z"], ["x"]]}
    plain = grid(pipeline, candidates, cv=cv, scoring="neg_log_loss")
    weights = {"treat__sample_weight": weight, "model__sample_weight": weight}
    unweighted = clone(plain).set_params(estimator=pipeline).fit(frame, y)
    with config_context(enable_metadata_routing=routing):
        ours = FoldWeightedSearchCV(plain).fit(frame, y, sample_weight=weight)
    plain.fit(frame, y, **weights)
    assert unweighted.best_params_ == {"treat__variables": ["z"]}
    assert plain.best_params_ == {"treat__variables": ["z"]}
    assert ours.best_params_ == {"treat__variables": ["x"]}
    new, truth, _ = surveys(1)
    losses = [
        log_loss(truth, search.predict_proba(new), sample_weight=weight) for search in (ours, plain)
    ]
    assert losses[0] < losses[1] - 0.1


def test_several_metrics() -> None:
    metrics = {"right": "accuracy", "loss": "neg_log_loss"}
    found = FoldWeightedSearchCV(grid(scoring=metrics, refit="loss"))
    found.fit(X, Y, sample_weight=WEIGHT)
    assert found.multimetric_
    for name, metric in metrics.items():
        alone = FoldWeightedSearchCV(grid(scoring=metric)).fit(X, Y, sample_weight=WEIGHT)
        for part in ("mean_test", "std_test", "rank_test", "split2_test"):
            np.testing.assert_array_equal(
                found.cv_results_[f"{part}_{name}"], alone.cv_results_[f"{part}_score"]
            )
        if name == "loss":
            assert found.best_params_ == alone.best_params_
            assert found.best_score_ == alone.best_score_
            assert found.score(X, Y) == alone.score(X, Y)
    not_refitted = FoldWeightedSearchCV(grid(scoring=metrics, refit=False))
    not_refitted.fit(X, Y, sample_weight=WEIGHT)
    assert not hasattr(not_refitted, "best_index_")
    for refit in (True, "accuracy"):
        with pytest.raises(InvalidOptionError, match=f"refit={refit!r}, but there are several"):
            FoldWeightedSearchCV(grid(scoring=metrics, refit=refit)).fit(X, Y)


def right_and_one(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
    right = np.average(estimator.predict(X) == y, weights=sample_weight)
    return {"right": float(right), "one": 1.0}


def test_a_scorer_of_several_metrics() -> None:
    found = FoldWeightedSearchCV(grid(scoring=right_and_one, refit="right"))
    found.fit(X, Y, sample_weight=WEIGHT)
    alone = FoldWeightedSearchCV(grid()).fit(X, Y, sample_weight=WEIGHT)
    assert found.multimetric_
    assert found.best_index_ == alone.best_index_
    assert found.score(X, Y, sample_weight=WEIGHT) == pytest.approx(
        alone.score(X, Y, sample_weight=WEIGHT)
    )
    with pytest.raises(InvalidOptionError, match="it must be the one to choose by"):
        FoldWeightedSearchCV(grid(scoring=right_and_one)).fit(X, Y)


def last(results: dict[str, Any]) -> int:
    return len(results["params"]) - 1


@pytest.mark.parametrize("scoring", ["accuracy", ["accuracy", "roc_auc"]])
def test_refit_may_be_a_function(scoring: Any) -> None:
    found = FoldWeightedSearchCV(grid(scoring=scoring, refit=last)).fit(X, Y, sample_weight=WEIGHT)
    assert found.best_index_ == 5
    assert found.best_estimator_.get_params().items() >= found.best_params_.items()
    assert not hasattr(found, "best_score_")
    assert isinstance(found.score(X, Y), dict) == (scoring != "accuracy")
    for result, message in ((1.0, "must return a number of a cand"), (6, "candidates are 0 to 5")):
        with pytest.raises((OptionTypeError, InvalidOptionError), match=message):
            FoldWeightedSearchCV(grid(refit=lambda _, r=result: r)).fit(X, Y)


def test_without_refit_there_are_results_only() -> None:
    found = FoldWeightedSearchCV(grid(refit=False)).fit(X, Y, sample_weight=WEIGHT)
    best = FoldWeightedSearchCV(grid()).fit(X, Y, sample_weight=WEIGHT)
    assert found.best_params_ == best.best_params_
    assert found.best_score_ == best.best_score_
    for name in ("predict", "score", "classes_", "best_estimator_"):
        assert not hasattr(found, name)
    with pytest.raises(AttributeError, match="FoldWeightedSearchCV' has no attribute 'predict'"):
        found.predict(X)


def test_randomized_searches_draw_what_they_draw_alone() -> None:
    search = RandomizedSearchCV(
        Ridge(), {"alpha": uniform(0, 9)}, n_iter=4, cv=FOLDS, random_state=0
    )
    ours = FoldWeightedSearchCV(search).fit(X, FRAME["y"], sample_weight=WEIGHT)
    search.fit(X, FRAME["y"])
    assert ours.cv_results_["params"] == search.cv_results_["params"]


def test_without_weights_folds_count_by_their_rows() -> None:
    tests = [np.arange(10), np.arange(10, 120)]
    cv = [(np.setdiff1d(np.arange(120), test), test) for test in tests]
    found = FoldWeightedSearchCV(grid(cv=cv)).fit(X, Y).cv_results_
    splits = np.stack([found["split0_test_score"], found["split1_test_score"]])
    np.testing.assert_allclose(found["mean_test_score"], np.average(splits, 0, weights=[10, 110]))
    neighbours = grid(KNeighborsClassifier(), {"n_neighbors": [3, 5]})
    assert FoldWeightedSearchCV(neighbours).fit(X, Y).best_score_ > 0.5


def test_steps_may_be_exchanged() -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("model", "passthrough")])
    models = [LogisticRegression(), DummyClassifier()]
    search = grid(pipeline, {"model": models}, scoring="roc_auc")
    found = FoldWeightedSearchCV(search).fit(X, Y, sample_weight=WEIGHT)
    assert found.best_params_["model"] is models[0]
    assert found.best_estimator_["model"] is not models[0]
    none = grid(pipeline, {"model": [KNeighborsClassifier()]}, error_score="raise")
    with pytest.raises(InvalidOptionError, match=r"KNeighborsClassifier\.fit takes no"):
        FoldWeightedSearchCV(none).fit(X, Y, sample_weight=WEIGHT)


def test_a_fold_without_weight_has_no_score_and_no_say() -> None:
    weight = np.where(np.arange(120) < 30, 0.0, WEIGHT)
    found = FoldWeightedSearchCV(grid()).fit(X, Y, sample_weight=weight)
    results = found.cv_results_
    assert np.isnan(results["split0_test_score"]).all()
    assert np.isfinite(results["mean_test_score"]).all()
    assert found.fold_weights_[0] == 0
    others = FoldWeightedSearchCV(grid(cv=list(FOLDS.split(X))[1:])).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(results["mean_test_score"], others.cv_results_["mean_test_score"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_candidates_that_fail_rank_last_and_are_told_of() -> None:
    search = grid(parameters={"max_depth": [-1, 2]})
    with pytest.warns(vt.VtreatWarning, match="mean_test_score is NaN for 1 candidate: there is"):
        found = FoldWeightedSearchCV(search).fit(X, Y, sample_weight=WEIGHT)
    assert found.cv_results_["rank_test_score"].tolist() == [2, 1]
    assert found.best_params_ == {"max_depth": 2}


def test_a_splitter_that_draws_is_asked_once() -> None:
    constant = {"strategy": ["constant", "most_frequent"], "constant": [1]}
    cv = ShuffleSplit(5, test_size=0.5)
    found = FoldWeightedSearchCV(grid(DummyClassifier(), constant, cv=cv)).fit(X, Y)
    assert found.fold_weights_.tolist() == [60.0] * 5
    assert len(found.cv_results_["split4_test_score"]) == 2


@pytest.mark.parametrize("routing", [False, True])
def test_groups_reach_the_splitter(routing: bool) -> None:
    groups = np.arange(120) // 7
    splits = list(GroupKFold(3).split(X, groups=groups))
    with config_context(enable_metadata_routing=routing):
        found = FoldWeightedSearchCV(grid(cv=GroupKFold(3)))
        found.fit(X, Y, sample_weight=WEIGHT, groups=groups)
    expected = [WEIGHT[test].sum() for _, test in splits]
    assert found.fold_weights_.tolist() == expected


def test_methods_are_those_of_the_model() -> None:
    search = FoldWeightedSearchCV(grid(make_pipeline(StandardScaler(), LogisticRegression()),
                                       {"logisticregression__C": [0.1, 1.0]}))  # fmt: skip
    assert is_classifier(search)
    assert hasattr(search, "decision_function")
    assert not hasattr(search, "transform")
    assert not hasattr(search, "n_features_in_")
    found = search.fit(X, Y, sample_weight=WEIGHT)
    model = found.best_estimator_
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(found, name)(X), getattr(model, name)(X))
        assert getattr(type(found), name).__doc__.startswith(f"Call ``{name}``")
    assert found.classes_.tolist() == [0, 1]
    assert found.n_features_in_ == 3
    assert found.feature_names_in_.tolist() == X.columns.tolist()
    right = found.predict(X) == Y
    assert found.score(X, Y) == pytest.approx(right.mean())
    assert found.score(X, Y, WEIGHT) == pytest.approx(np.average(right, weights=WEIGHT))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict_proba(X), found.predict_proba(X))
    blank = clone(found)
    assert not hasattr(blank, "cv_results_")
    blank.set_params(search__cv=KFold(2), search__estimator__logisticregression__C=3.0)
    assert blank.fit(X, Y).n_splits_ == 2


def test_searches_without_an_outcome() -> None:
    search = GridSearchCV(KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3]}, cv=FOLDS)
    found = FoldWeightedSearchCV(search).fit(X, sample_weight=WEIGHT)
    np.testing.assert_array_equal(found.transform(X), found.best_estimator_.transform(X))
    assert found.score(X) == pytest.approx(found.best_estimator_.score(X))


def test_jobs_and_kinds_of_frames_change_nothing() -> None:
    alone = FoldWeightedSearchCV(grid()).fit(X, Y, sample_weight=WEIGHT).cv_results_
    for frame, n_jobs in ((X.to_numpy(), None), (pl.from_pandas(X), None), (X, 2)):
        found = FoldWeightedSearchCV(grid(n_jobs=n_jobs)).fit(frame, Y, sample_weight=WEIGHT)
        for name in ("mean_test_score", "std_test_score", "rank_test_score"):
            np.testing.assert_array_equal(found.cv_results_[name], alone[name])


def test_a_search_in_a_cross_validation() -> None:
    found = weighted_cross_validate(
        FoldWeightedSearchCV(grid()), X, Y, sample_weight=WEIGHT, scoring="accuracy", cv=FOLDS,
        return_estimator=True,
    )  # fmt: skip
    train, _ = next(FOLDS.split(X))
    alone = FoldWeightedSearchCV(grid()).fit(X.iloc[train], Y[train], sample_weight=WEIGHT[train])
    assert found.estimators[0].best_params_ == alone.best_params_
    np.testing.assert_array_equal(found.estimators[0].fold_weights_, alone.fold_weights_)


def refused(message: str, search: Any, weight: Any = WEIGHT) -> None:
    with pytest.raises((InvalidOptionError, OptionTypeError), match=re.escape(message)):
        FoldWeightedSearchCV(search).fit(X, Y, sample_weight=weight)


def test_what_cannot_be_weighted_is_refused() -> None:
    neighbours = KNeighborsClassifier()
    name = "KNeighborsClassifier.fit takes no sample_weight"
    refused(name, grid(neighbours, {"n_neighbors": [1]}))
    refused(name, grid(make_pipeline(StandardScaler(), neighbours), {"standardscaler": [None]}))
    random = RandomizedSearchCV(neighbours, [{"n_neighbors": [1]}], n_iter=1)
    refused(name, random)
    refused("the scorer 'adjusted_rand_score' takes no", grid(scoring="adjusted_rand_score"))
    refused("sample_weight is -1 in row 0", grid(), -np.ones(120))
    refused("sample_weight has 120 values that are missing", grid(), np.full(120, np.nan))
    refused("all training rows of fold 0", grid(), np.where(np.arange(120) < 30, 1.0, 0.0))
    refused("search is of type DecisionTreeClassifier; it must be a GridSearchCV or a Rand", TREE)
    refused(
        "or a RandomizedSearchCV. Successive halving drops candidates by plain means",
        HalvingGridSearchCV(TREE, GRID),
    )
