"""The importance-weighted score: numbers by hand, invariances, and what is never silent."""

from __future__ import annotations

import pickle
import re
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, make_scorer, max_error, precision_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import vtreat_py as vt
from tests.conftest import TREATED, example_columns
from tests.versions import older
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._weighted_folds import average
from vtreat_py.evaluation.weighted_validation import (
    WeightedCrossValidation,
    fold_weights,
    weighted_cross_validate,
)

mpl.use("Agg")

# Positive, negative | positive, negative; 0 is positive, because ties predict the lesser class.
FOUR_ROWS, POSITIVE_FIRST = np.zeros((4, 1)), np.array([0, 1, 0, 1])
TWO_FOLDS = KFold(2)
PRECISION = make_scorer(precision_score, pos_label=0, zero_division=0)
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
MAJORITY = DummyClassifier(strategy="prior")

FRAME = pd.DataFrame(example_columns(120))
NUMBERS = FRAME[["size"]].assign(z=FRAME["z"].fillna(0), flag=FRAME["flag"].astype(float))
CLASSES = (FRAME["c"] == "yes").astype(int).to_numpy()
WEIGHT = np.random.default_rng(0).gamma(0.7, size=120) + 0.01
GROUPS = np.arange(120) // 6
FOLDS = KFold(4)


def of_four_rows(weight: Any, scoring: Any, **options: Any) -> WeightedCrossValidation:
    given = {"sample_weight": weight, "scoring": scoring, "cv": TWO_FOLDS}
    return weighted_cross_validate(MAJORITY, FOUR_ROWS, POSITIVE_FIRST, **given | options)


@pytest.mark.parametrize(
    ("scoring", "weight", "expected", "plain"),
    [
        ("accuracy", [1, 999999, 1, 999999], 0.999999, 0.5),
        ("accuracy", [1e5, 2e5, 1e5, 2e5], 2 / 3, 0.5),
        ("accuracy", [1e5, 1e5, 1e5, 1e5], 0.5, 0.5),
        ("accuracy", [2e5, 1e5, 2e5, 1e5], 2 / 3, 0.5),
        ("accuracy", [999999, 1, 999999, 1], 0.999999, 0.5),
        ("accuracy", [2e6, 1e6, 1, 999999], 1000001 / 4000000, 0.5),
        (PRECISION, [2e6, 1e6, 1, 999999], 2.5e-7, 0.25),
        ("neg_log_loss", [2.5e6, 5e5, 2e5, 1e5], -0.5389724766, -0.8695396),
        ("neg_brier_score", [2.5e6, 5e5, 2e5, 1e5], -0.1742424242, -0.3194444),
    ],
)
def test_four_rows(scoring: Any, weight: Any, expected: float, plain: float) -> None:
    assert of_four_rows(weight, scoring).mean.item() == pytest.approx(expected, rel=1e-9)
    theirs = cross_validate(
        MAJORITY, FOUR_ROWS, POSITIVE_FIRST, scoring=scoring, cv=TWO_FOLDS,
        params={"sample_weight": np.array(weight)},
    )["test_score"].mean()  # fmt: skip
    assert theirs == pytest.approx(plain, abs=5e-8)
    same = of_four_rows(weight, scoring, score_weight=False, fold_weight="equal")
    assert same.mean.item() == pytest.approx(theirs, rel=1e-12)


def test_worked_example() -> None:
    weight = [200, 100, 1, 99]
    found = of_four_rows(weight, "accuracy")
    assert found.mean["accuracy"] == pytest.approx(0.2525, rel=1e-12)
    assert found.std["accuracy"] == pytest.approx(
        np.sqrt(0.75 * (1 / 3 - 0.2525) ** 2 + 0.25 * (0.01 - 0.2525) ** 2)
    )
    expected = pd.DataFrame(
        {"n": [2, 2], "weight": [300.0, 100.0], "accuracy": [1 / 3, 0.01]},
        index=pd.RangeIndex(2, name="fold"),
    )
    pd.testing.assert_frame_equal(found.folds, expected)
    equal = of_four_rows(weight, "accuracy", fold_weight="equal")
    assert equal.mean["accuracy"] == pytest.approx(103 / 600, rel=1e-12)
    assert of_four_rows(weight, "accuracy", fold_weight="size").mean.equals(equal.mean)
    masses = fold_weights(TWO_FOLDS, FOUR_ROWS, POSITIVE_FIRST, weight)
    assert masses.tolist() == [300.0, 100.0]


def expected_accuracy(rows: int, positive: int, first: int, score: Any) -> float:
    """Mean, over all ways to deal the rows to two folds, of a score of (rows, positives) pairs."""
    among = np.arange(max(0, first - (rows - positive)), min(positive, first) + 1)
    odds = hypergeom(rows, positive, first).pmf(among)
    return float(odds @ [score((first, k), (rows - first, positive - k)) for k in among])


def accuracy_of_majority(test: tuple[int, int], other: tuple[int, int]) -> float:
    (rows, positive), (trained, learned) = test, other
    return (positive if 2 * learned >= trained else rows - positive) / rows


def by_hand(first: tuple[int, int], second: tuple[int, int]) -> float:
    scores = [accuracy_of_majority(first, second), accuracy_of_majority(second, first)]
    return float(np.average(scores, weights=[first[0], second[0]]))


def by_weights(first: tuple[int, int], second: tuple[int, int]) -> float:
    """The same by four rows, each as heavy as the rows it stands for."""
    weight = [n for rows, positive in (first, second) for n in (positive, rows - positive)]
    return float(of_four_rows(weight, "accuracy").mean.item())


def test_a_majority_rule_hardly_depends_on_the_sizes_of_folds() -> None:
    """Of 400 rows 201 are positive: the rule is expected to be right about half of the time."""
    expected = [expected_accuracy(400, 201, first, by_hand) for first in range(1, 400)]
    assert min(expected) == pytest.approx(0.48029, abs=5e-6)
    assert max(expected) == pytest.approx(0.50003, abs=5e-6)
    for first in (1, 2):
        assert expected_accuracy(400, 201, first, by_weights) == pytest.approx(expected[first - 1])
    for k in (90, 101):
        pair = (200, k), (200, 201 - k)
        assert by_weights(*pair) == pytest.approx(by_hand(*pair))


def test_weighting_inside_folds_of_one_row_does_nothing() -> None:
    options = {"scoring": "accuracy", "cv": LeaveOneOut(), "fit_weight": False}
    run = {"sample_weight": WEIGHT[:20]} | options
    tree = DecisionTreeClassifier(random_state=0)
    inside = weighted_cross_validate(tree, NUMBERS[:20], CLASSES[:20], **run, fold_weight="equal")
    without = weighted_cross_validate(tree, NUMBERS[:20], CLASSES[:20], **options)
    across = weighted_cross_validate(tree, NUMBERS[:20], CLASSES[:20], **run)
    assert inside.mean.equals(without.mean)
    right = across.folds["accuracy"]
    assert across.mean.item() == pytest.approx(np.average(right, weights=WEIGHT[:20]))
    assert across.mean.item() != pytest.approx(inside.mean.item(), abs=1e-3)


def test_the_formula_by_loops() -> None:
    model = LogisticRegression()
    total, score = 0.0, 0.0
    for train, test in FOLDS.split(NUMBERS):
        fitted = clone(model).fit(NUMBERS.iloc[train], CLASSES[train], WEIGHT[train])
        p = fitted.predict_proba(NUMBERS.iloc[test])
        mass = WEIGHT[test].sum()
        total += mass
        score -= mass * log_loss(CLASSES[test], p, sample_weight=WEIGHT[test] / mass)
    found = weighted_cross_validate(
        model, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring="neg_log_loss", cv=FOLDS
    )
    assert found.mean.item() == pytest.approx(score / total, rel=1e-12)
    assert found.folds["weight"].tolist() == fold_weights(FOLDS, NUMBERS, CLASSES, WEIGHT).tolist()


@settings(max_examples=3, deadline=None)
@given(count=st.lists(st.integers(0, 4), min_size=24, max_size=24))
def test_whole_weights_are_repeated_rows(count: list[int]) -> None:
    """Copies share a fold by their group."""
    X, y, group = NUMBERS[:30].to_numpy(), np.arange(30) % 2, np.arange(30) % 3
    weight = np.array([1] * 6 + count)  # each fold has both classes
    again = np.repeat(np.arange(30), weight)
    options = {"scoring": ["accuracy", "neg_log_loss"], "cv": LeaveOneGroupOut()}
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10))
    copied = weighted_cross_validate(model, X[again], y[again], groups=group[again], **options)
    weighted = weighted_cross_validate(model, X, y, sample_weight=weight, groups=group, **options)
    np.testing.assert_allclose(weighted.mean, copied.mean, rtol=1e-5)
    np.testing.assert_allclose(weighted.std, copied.std, rtol=1e-3, atol=1e-7)
    assert weighted.folds["weight"].tolist() == copied.folds["weight"].tolist()
    assert copied.folds["weight"].tolist() == copied.folds["n"].tolist()


@settings(max_examples=3, deadline=None)
@given(exponent=st.integers(-30, 30), seed=st.integers(0, 99))
def test_only_ratios_of_weights_count(exponent: int, seed: int) -> None:
    weight = np.random.default_rng(seed).gamma(0.5, size=120) + 1e-6
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    precision = make_scorer(precision_score, zero_division=0)
    scoring = {"precision": precision, "loss": "neg_log_loss", "auc": "roc_auc"}
    options = {"scoring": scoring, "cv": FOLDS}
    once, scaled = (
        weighted_cross_validate(tree, NUMBERS, CLASSES, sample_weight=w, **options)
        for w in (weight, weight * 2.0**exponent)
    )
    np.testing.assert_allclose(scaled.mean, once.mean, rtol=1e-9)
    np.testing.assert_allclose(scaled.std, once.std, rtol=1e-9)


@settings(max_examples=3, deadline=None)
@given(weight=st.floats(1e-3, 1e3), n_splits=st.integers(2, 7))
def test_equal_weights_count_rows(weight: float, n_splits: int) -> None:
    """Means by rows, which is what scikit-learn's scores averaged by sizes of folds are."""
    cv = KFold(n_splits)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    theirs = cross_validate(tree, NUMBERS, CLASSES, scoring="accuracy", cv=cv)["test_score"]
    sizes = [len(test) for _, test in cv.split(NUMBERS)]
    expected = np.average(theirs, weights=sizes)
    given_weight = np.full(120, weight)
    for options in (
        {"fold_weight": "size"},
        {"fold_weight": "size", "sample_weight": given_weight},
        {"fold_weight": "mass", "sample_weight": given_weight},
        {},
    ):
        found = weighted_cross_validate(
            tree, NUMBERS, CLASSES, scoring="accuracy", cv=cv, **options
        )
        assert found.mean.item() == pytest.approx(expected, rel=1e-9)


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 999))
def test_pooled_predictions_agree_for_means_over_rows_only(seed: int) -> None:
    weight = np.random.default_rng(seed).gamma(0.5, size=120) + 0.01
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    pooled = cross_val_predict(tree, NUMBERS, CLASSES, cv=FOLDS, method="predict_proba")
    found = weighted_cross_validate(
        tree, NUMBERS, CLASSES, sample_weight=weight, cv=FOLDS, fit_weight=False,
        scoring=["accuracy", "neg_log_loss", "neg_brier_score", "precision"],
    ).mean  # fmt: skip
    label = pooled[:, 1] > 0.5
    assert found["accuracy"] == pytest.approx(np.average(label == CLASSES, weights=weight))
    assert found["neg_log_loss"] == pytest.approx(-log_loss(CLASSES, pooled, sample_weight=weight))
    brier = np.average((pooled[:, 1] - CLASSES) ** 2, weights=weight)
    assert found["neg_brier_score"] == pytest.approx(-brier)
    together = precision_score(CLASSES, label, sample_weight=weight)
    assert abs(found["precision"] - together) > 1e-6


def pipelines() -> dict[str, Any]:
    treatment = vt.BinomialOutcomeTreatment(cv=KFold(3), coders=["clean", "isBAD", "catB", "lev"])
    return {
        "model": (make_pipeline(LogisticRegression()), NUMBERS),
        "bare": (LogisticRegression(), NUMBERS),
        "treatment": (
            Pipeline([("treat", treatment.set_params(prune_sig=None)), ("scale", StandardScaler()),
                      ("pick", PCA()), ("model", LogisticRegression())]),
            FRAME[TREATED],
        ),
        "nested": (
            Pipeline([("off", "passthrough"), ("inner", make_pipeline(
                StandardScaler(), DecisionTreeClassifier(max_depth=2, random_state=0)))]),
            NUMBERS,
        ),
        "calibrated": (CalibratedClassifierCV(STUMP, cv=2), NUMBERS),
        "vote": (VotingClassifier([("a", LogisticRegression()), ("b", MAJORITY)], voting="soft"),
                 NUMBERS),
        "search": (GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]},
                                cv=3, scoring="accuracy"), NUMBERS),
    }  # fmt: skip


@pytest.mark.parametrize("kind", pipelines())
def test_routing_changes_nothing_and_weights_arrive(kind: str) -> None:
    model, X = pipelines()[kind]
    if kind == "search":
        if older("scikit-learn", "1.7"):
            pytest.skip("its searches weight scores with metadata routing only")
        with config_context(enable_metadata_routing=True):
            model.set_params(scoring=make_scorer(precision_score).set_score_request(
                sample_weight=True))  # fmt: skip
    options = {"sample_weight": WEIGHT, "scoring": "neg_log_loss", "cv": FOLDS}
    off = weighted_cross_validate(model, X, CLASSES, **options)
    with config_context(enable_metadata_routing=True):
        on = weighted_cross_validate(model, X, CLASSES, **options)
    unweighted = weighted_cross_validate(model, X, CLASSES, **options, fit_weight=False)
    pd.testing.assert_frame_equal(on.folds, off.folds, check_exact=True)
    assert off.mean.item() != pytest.approx(unweighted.mean.item(), rel=1e-6)


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what each fit was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Recorder:
        self.classes_, self.weight_, self.groups_ = np.unique(y), sample_weight, groups
        return self

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        return self.fit(X, y, sample_weight, groups).transform(X)

    def transform(self, X: Any) -> Any:
        return X

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("routing", [False, True])
def test_every_step_gets_the_weights_of_its_rows(routing: bool) -> None:
    steps = [("first", Recorder()), ("deep", Pipeline([("in", Recorder()), ("on", Recorder())]))]
    model = Pipeline(steps)
    with config_context(enable_metadata_routing=routing):
        found = weighted_cross_validate(
            model, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring="accuracy", cv=FOLDS,
            return_estimator=True, groups=None,
        )  # fmt: skip
    assert len(found.estimators) == 4
    for (train, _), fitted in zip(FOLDS.split(NUMBERS), found.estimators, strict=True):
        for part in (fitted["first"], fitted["deep"]["in"], fitted["deep"]["on"]):
            np.testing.assert_array_equal(part.weight_, WEIGHT[train])
    assert not hasattr(model["first"], "weight_")


def test_requests_of_routing_are_heeded() -> None:
    with config_context(enable_metadata_routing=True):
        model = Pipeline([
            ("no", Recorder().set_fit_request(sample_weight=False, groups=True)),
            ("yes", Recorder().set_fit_request(groups=False)),
        ])  # fmt: skip
        found = weighted_cross_validate(
            model, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring="accuracy", cv=GroupKFold(3),
            groups=GROUPS, return_estimator=True,
        )  # fmt: skip
    train, _ = next(GroupKFold(3).split(NUMBERS, groups=GROUPS))
    fitted = found.estimators[0]
    assert fitted["no"].weight_ is None
    np.testing.assert_array_equal(fitted["no"].groups_, GROUPS[train])
    np.testing.assert_array_equal(fitted["yes"].weight_, WEIGHT[train])
    assert fitted["yes"].groups_ is None


def test_a_treatment_gets_the_weights_in_the_pipeline_as_outside_of_it() -> None:
    treatment = vt.BinomialOutcomeTreatment(cv=KFold(3), prune_sig=None)
    X, weight = FRAME[TREATED], np.arange(120) % 3 + 1
    found = weighted_cross_validate(
        make_pipeline(treatment, StandardScaler(), LogisticRegression()), X, CLASSES,
        sample_weight=weight, scoring="neg_log_loss", cv=FOLDS, return_estimator=True,
    )  # fmt: skip
    for (train, test), fitted, score in zip(
        FOLDS.split(X), found.estimators, found.folds["neg_log_loss"], strict=True
    ):
        treated = clone(treatment)
        w = weight[train]
        cross = treated.fit_transform(X.iloc[train], CLASSES[train], sample_weight=w)
        assert fitted[0].plan_ == treated.plan_
        scale = StandardScaler().fit(cross, sample_weight=w)
        model = LogisticRegression().fit(scale.transform(cross), CLASSES[train], w)
        p = model.predict_proba(scale.transform(treated.transform(X.iloc[test])))
        assert score == pytest.approx(-log_loss(CLASSES[test], p, sample_weight=weight[test]))


def test_a_model_on_a_cross_frame() -> None:
    experiment = vt.cross_frame_experiment(
        FRAME[[*TREATED, "c"]], outcome="c", target="yes", sample_weight=np.arange(120) % 3 + 1,
        cv=FOLDS,
    )  # fmt: skip
    found = weighted_cross_validate(
        make_pipeline(StandardScaler(), LogisticRegression()), experiment.cross_frame, CLASSES,
        sample_weight=experiment.cross_weights, scoring="roc_auc", cv=FOLDS,
    )  # fmt: skip
    assert 0.6 < found.mean["roc_auc"] < 1


@pytest.mark.parametrize("kind", ["array", "lists", "polars"])
def test_frames_of_every_kind(kind: str) -> None:
    make: Any = {"array": np.asarray, "lists": lambda X: X.to_numpy().tolist(),
                 "polars": pl.from_pandas}[kind]  # fmt: skip
    options = {"sample_weight": WEIGHT, "scoring": "accuracy", "cv": FOLDS}
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    ours = weighted_cross_validate(tree, make(NUMBERS), CLASSES, **options)
    pd.testing.assert_frame_equal(
        ours.folds, weighted_cross_validate(tree, NUMBERS, CLASSES, **options).folds
    )
    assert fold_weights(FOLDS, make(NUMBERS), None, WEIGHT).sum() == pytest.approx(WEIGHT.sum())


def own_metric(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    return float(np.average(estimator.predict(X) == y, weights=sample_weight))


def without_weights(estimator: Any, X: Any, y: Any) -> float:
    return float((estimator.predict(X) == y).mean())


def several(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
    return {"right": own_metric(estimator, X, y, sample_weight), "one": 1.0}


@pytest.mark.parametrize(
    ("scoring", "names"),
    [
        (None, ["score"]),
        ("accuracy", ["accuracy"]),
        (own_metric, ["score"]),
        (several, ["right", "one"]),
        (["roc_auc", "accuracy"], ["roc_auc", "accuracy"]),
        ({"roc_auc", "accuracy"}, ["accuracy", "roc_auc"]),
        ({"b": "accuracy", "a": own_metric, "c": None}, ["b", "a", "c"]),
        ({"only": own_metric}, ["only"]),
    ],
)
@pytest.mark.parametrize("routing", [False, True])
def test_scoring_is_as_in_scikit_learn(scoring: Any, names: list[str], routing: bool) -> None:
    model = make_pipeline(LogisticRegression())
    with config_context(enable_metadata_routing=routing):
        found = weighted_cross_validate(
            model, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring=scoring, cv=FOLDS
        )
    assert found.mean.index.tolist() == found.std.index.tolist() == names
    accuracy = weighted_cross_validate(
        model, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring="accuracy", cv=FOLDS
    ).mean.item()
    same = {name: found.mean[name] for name in names if name not in ("one", "roc_auc")}
    assert same == pytest.approx(dict.fromkeys(same, accuracy))


class Seen(BaseEstimator):
    """Keeps the weights that a scorer is given."""

    def __init__(self) -> None:
        self.sums: list[float] = []

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        self.sums.append(float("nan") if sample_weight is None else float(sample_weight.sum()))
        return 0.0


def test_weights_inside_a_fold_sum_to_one_or_are_not_given() -> None:
    seen = Seen()
    run = {"sample_weight": WEIGHT, "scoring": seen, "cv": FOLDS}
    weighted_cross_validate(MAJORITY, NUMBERS, CLASSES, **run)
    assert seen.sums == pytest.approx([1.0] * 4)
    seen.sums.clear()
    weighted_cross_validate(MAJORITY, NUMBERS, CLASSES, **run, score_weight=False)
    weighted_cross_validate(MAJORITY, NUMBERS, CLASSES, scoring=seen, cv=FOLDS)
    assert np.isnan(seen.sums).tolist() == [True] * 8


@pytest.mark.parametrize("fold_weight", ["mass", "size", "equal"])
@pytest.mark.parametrize("score_weight", [True, False])
def test_a_fold_without_weight_is_reported_and_not_averaged(
    fold_weight: Any, score_weight: bool
) -> None:
    weight = np.where(np.arange(120) < 30, 0.0, WEIGHT)
    options = {"scoring": ["accuracy", "neg_log_loss"], "fold_weight": fold_weight}
    options |= {"sample_weight": weight, "score_weight": score_weight}
    found = weighted_cross_validate(MAJORITY, NUMBERS, CLASSES, cv=FOLDS, **options)
    assert found.folds["weight"].iloc[0] == 0
    assert found.folds["n"].tolist() == [30] * 4
    assert found.folds[["accuracy", "neg_log_loss"]].isna().any(axis=1).tolist() == [
        True, False, False, False,
    ]  # fmt: skip
    assert "not in the averages, for want of weight: fold 0" in repr(found)
    others = list(FOLDS.split(NUMBERS))[1:]
    without = weighted_cross_validate(MAJORITY, NUMBERS, CLASSES, cv=others, **options)
    pd.testing.assert_series_equal(found.mean, without.mean)
    pd.testing.assert_series_equal(found.std, without.std)
    assert "want of weight" not in repr(without)


def no_score_in_the_first_fold(estimator: Any, X: Any, y: Any) -> float:
    return float("nan") if X.index[0] == 0 else 0.5


def test_a_score_that_is_nan_makes_the_mean_nan_and_is_named() -> None:
    found = weighted_cross_validate(
        MAJORITY, NUMBERS, CLASSES, scoring=no_score_in_the_first_fold, cv=FOLDS
    )
    assert np.isnan(found.mean.item())
    assert repr(found).endswith("no score, so that the mean is NaN: fold 0")


def test_the_result_reads_well_and_pickles() -> None:
    found = of_four_rows([200, 100, 1, 99], "accuracy")
    assert repr(found) == (
        "WeightedCrossValidation: 2 folds of 4 rows, averaged by fold_weight='mass'\n"
        "            mean       std\n"
        "accuracy  0.2525  0.140007"
    )
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    assert found.estimators == ()


def test_the_picture_shows_scores_by_shares_of_the_weight() -> None:
    weight = np.where(np.arange(120) < 30, 0.0, WEIGHT)
    found = weighted_cross_validate(
        LogisticRegression(), NUMBERS, CLASSES, sample_weight=weight, cv=FOLDS,
        scoring=["accuracy", "roc_auc"],
    )  # fmt: skip
    ax = found.plot(metric="roc_auc")
    filled, outline = ax.patches
    used = found.folds[1:]
    for steps in (filled, outline):
        values, edges, _ = steps.get_data()
        np.testing.assert_allclose(values, used["roc_auc"])
        np.testing.assert_allclose(np.diff(edges), used["weight"] / used["weight"].sum())
    above = (values - filled.get_data().baseline) @ np.diff(edges)
    assert above == pytest.approx(0, abs=1e-12)
    assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx(
        [found.mean["roc_auc"], used["roc_auc"].mean()]
    )
    assert [text.get_text() for text in ax.texts] == ["1", "2", "3"]
    assert "1 without weight not drawn" in ax.get_title()
    assert ax.get_ylabel() == "roc_auc"
    first = found.plot(mpl.figure.Figure().subplots())
    assert first.get_ylabel() == "accuracy"
    with pytest.raises(InvalidOptionError, match=r"metric='f1'; it must be one of \['accuracy'"):
        found.plot(metric="f1")


def test_jobs_change_nothing() -> None:
    options = {"sample_weight": WEIGHT, "scoring": ["accuracy", "roc_auc"], "cv": FOLDS}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    alone = weighted_cross_validate(model, NUMBERS, CLASSES, **options)
    with config_context(enable_metadata_routing=True):
        found = weighted_cross_validate(model, NUMBERS, CLASSES, **options, n_jobs=2)
    pd.testing.assert_frame_equal(found.folds, alone.folds, check_exact=True)


def test_a_number_of_folds_is_stratified_for_classifiers() -> None:
    found = weighted_cross_validate(MAJORITY, NUMBERS, CLASSES, sample_weight=WEIGHT, cv=3)
    masses = fold_weights(StratifiedKFold(3), NUMBERS, CLASSES, WEIGHT)
    assert found.folds["weight"].tolist() == masses.tolist()
    found = weighted_cross_validate(LinearRegression(), NUMBERS, CLASSES, sample_weight=WEIGHT)
    assert found.folds["weight"].tolist() == fold_weights(KFold(5), NUMBERS, None, WEIGHT).tolist()


def test_a_splitter_that_draws_is_asked_once() -> None:
    found = weighted_cross_validate(
        MAJORITY, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring=Rows(), cv=ShuffleSplit(5)
    )
    assert found.folds["weight"].to_numpy() == pytest.approx(found.folds["score"].to_numpy())


class Rows(BaseEstimator):
    """Scores the rows of a fold by their weights."""

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        return float(WEIGHT[X.index].sum())


def test_models_that_take_weights_in_other_ways() -> None:
    target = TransformedTargetRegressor(LinearRegression(), func=np.exp, inverse_func=np.log)
    y = FRAME["y"].to_numpy() / 10
    options = {"sample_weight": WEIGHT, "scoring": "neg_mean_squared_error", "cv": FOLDS}
    weighted = weighted_cross_validate(target, NUMBERS, y, **options)
    unweighted = weighted_cross_validate(target, NUMBERS, y, **options, fit_weight=False)
    assert weighted.mean.item() != pytest.approx(unweighted.mean.item(), rel=1e-9)
    boosted = AdaBoostClassifier(n_estimators=2, random_state=0)
    options["scoring"] = "accuracy"
    assert 0 < weighted_cross_validate(boosted, NUMBERS, CLASSES, **options).mean.item() < 1


def refused(message: str, model: Any = MAJORITY, **options: Any) -> None:
    given: dict[str, Any] = {"sample_weight": WEIGHT, "scoring": "accuracy", "cv": FOLDS}
    with pytest.raises(ValueError, match=re.escape(message)):
        weighted_cross_validate(model, NUMBERS, CLASSES, **given | options)


def test_bad_weights_are_refused() -> None:
    refused("sample_weight is -1 in row 3", sample_weight=np.where(np.arange(120) == 3, -1, 1))
    refused("sample_weight has 1 values that are missing", sample_weight=[np.nan] + [1.0] * 119)
    refused("sample_weight is 0 in every row", sample_weight=np.zeros(120))
    refused("sample_weight has 3 values, for 120 rows", sample_weight=[1, 2, 3])
    one_fold = np.where(np.arange(120) < 30, 1.0, 0.0)
    refused("all training rows of fold 0 have weight 0", sample_weight=one_fold)
    found = weighted_cross_validate(
        MAJORITY, NUMBERS, CLASSES, sample_weight=one_fold, cv=FOLDS, fit_weight=False
    )
    assert found.mean.item() == found.folds["score"].iloc[0]
    for bad in (-WEIGHT, WEIGHT * np.nan):
        with pytest.raises(ValueError, match="sample_weight"):
            fold_weights(FOLDS, NUMBERS, CLASSES, bad)


def test_options_are_checked() -> None:
    refused("fold_weight='rows'; it must be one of ['mass', 'size', 'equal']", fold_weight="rows")
    refused("a scorer is named 'n', as a column of the result is", scoring={"n": "accuracy"})
    for cv in (5, None):
        with pytest.raises(InvalidOptionError, match=f"cv={cv} makes stratified folds for a class"):
            fold_weights(cv, NUMBERS, CLASSES, WEIGHT)


@pytest.mark.parametrize("routing", [False, True])
def test_a_model_without_weights_is_named(routing: bool) -> None:
    neighbours = KNeighborsClassifier()
    with config_context(enable_metadata_routing=routing):
        for model in (neighbours, make_pipeline(StandardScaler(), make_pipeline(neighbours))):
            refused("KNeighborsClassifier.fit takes no sample_weight, so it would", model=model)
            found = weighted_cross_validate(
                model, NUMBERS, CLASSES, sample_weight=WEIGHT, cv=FOLDS, fit_weight=False
            )
            assert 0 < found.mean.item() < 1
        refused("'passthrough'.fit takes no", model=Pipeline([("last", "passthrough")]))
        grid = GridSearchCV(neighbours, {"n_neighbors": [1, 3]})
        refused("KNeighborsClassifier.fit takes no sample_weight", model=grid)


@pytest.mark.parametrize(
    ("scoring", "name"),
    [
        ("adjusted_rand_score", "'adjusted_rand_score'"),
        (["accuracy", "adjusted_rand_score"], "'adjusted_rand_score'"),
        (make_scorer(max_error), "'score' (make_scorer(max_error"),
        ({"worst": make_scorer(max_error)}, "'worst' (make_scorer(max_error"),
        (without_weights, "'score' (<function without_weights"),
        ({"mine": without_weights, "b": "accuracy"}, "'mine' (<function without_weights"),
    ],
)
@pytest.mark.parametrize("routing", [False, True])
def test_a_scorer_without_weights_is_named(scoring: Any, name: str, routing: bool) -> None:
    with config_context(enable_metadata_routing=routing):
        refused(f"the scorer {name}", scoring=scoring)
        found = weighted_cross_validate(
            MAJORITY, NUMBERS, CLASSES, sample_weight=WEIGHT, scoring=scoring, cv=FOLDS,
            score_weight=False,
        )  # fmt: skip
    assert found.mean.notna().all()


def test_parts_that_weights_cannot_reach_are_told_of() -> None:
    columns = ColumnTransformer([("scale", StandardScaler(), ["z"])], remainder="passthrough")
    model = make_pipeline(columns, FunctionTransformer(), LogisticRegression())
    options = {"sample_weight": WEIGHT, "scoring": "neg_log_loss", "cv": FOLDS}
    with pytest.warns(
        vt.VtreatWarning, match="ColumnTransformer passes no weights on to StandardS"
    ):
        weighted_cross_validate(model, NUMBERS, CLASSES, **options)
    with config_context(enable_metadata_routing=True):
        found = weighted_cross_validate(
            model, NUMBERS, CLASSES, **options, return_estimator=True
        ).estimators[0]
    train, _ = next(FOLDS.split(NUMBERS))
    mean = np.average(NUMBERS["z"].iloc[train], weights=WEIGHT[train])
    assert found[0].named_transformers_["scale"].mean_ == pytest.approx(mean)


def test_errors_of_a_fit_are_raised() -> None:
    refused("The 'max_depth' parameter", model=DecisionTreeClassifier(max_depth=-1))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 9)), min_size=1, max_size=6))
def test_equal_rows_of_scores_have_equal_means(pairs: list[tuple[float, float]]) -> None:
    scores, weight = (np.array(column) for column in zip(*pairs, strict=True))
    if weight.sum() < 1e-3:
        weight = weight + 1
    mean, std = average(np.tile(scores, (7, 1)), weight)
    assert len(set(mean.tolist())) == len(set(std.tolist())) == 1
    assert mean[0] == pytest.approx(np.average(scores, weights=weight))
