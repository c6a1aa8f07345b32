"""Scores of two classes, also where only one is there."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    get_scorer,
    log_loss,
    make_scorer,
    max_error,
    roc_auc_score,
)
from sklearn.svm import LinearSVC

from tests.evaluation.classifiers import CountedCalls, FirstColumn
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._classifier_scorers import DEFAULT_SCORING, ClassifierScorers

ALL = [*DEFAULT_SCORING, "neg_log_loss", "neg_brier_score"]
RANDOM = np.random.default_rng(3)
CHANCE = RANDOM.random(50)
Y = (RANDOM.random(50) < CHANCE).astype(int)
WEIGHT = RANDOM.integers(0, 4, 50)


def scorers_of(scoring: Any, pos_label: Any = 1, weighted: bool = False) -> ClassifierScorers:
    return ClassifierScorers.of_scoring(scoring, pos_label=pos_label, weighted=weighted)


def scored(
    chance: Any, y: Any, weight: Any = None, scoring: Any = ALL, classes: Any = (0, 1)
) -> dict[str, float]:
    X = np.reshape(chance, (-1, 1))
    scorers = scorers_of(scoring, classes[1], weight is not None)
    return scorers.scores(FirstColumn(classes).fit(X, y), X, np.asarray(y), weight)


@pytest.mark.parametrize(("label", "precision"), [(1, 1.0), (0, 0.0)])
def test_scores_of_one_class(label: int, precision: float) -> None:
    found = scored(np.linspace(0.01, 0.99, 3), [label] * 3)
    assert np.isnan(found.pop("roc_auc"))
    assert found == pytest.approx(
        {
            "average_precision": precision,
            "nll": 1.7694559008005124,
            "neg_log_loss": -1.7694559008005124,
            "brier": 0.41006666666666663,
            "neg_brier_score": -0.41006666666666663,
        },
        rel=1e-14,
    )


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_scores_are_those_of_scikit_learn(weight: Any) -> None:
    nll = log_loss(Y, CHANCE, sample_weight=weight)
    brier = brier_score_loss(Y, CHANCE, sample_weight=weight)
    expected = {
        "nll": nll,
        "brier": brier,
        "roc_auc": roc_auc_score(Y, CHANCE, sample_weight=weight),
        "average_precision": average_precision_score(Y, CHANCE, sample_weight=weight),
        "neg_log_loss": -nll,
        "neg_brier_score": -brier,
    }
    assert scored(CHANCE, Y, weight) == pytest.approx(expected)


@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(0, 1), st.integers(1, 3)), min_size=1))
@settings(max_examples=40, deadline=None)
def test_integer_weights_are_repeated_rows(rows: list[tuple[float, int, int]]) -> None:
    chance, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    repeated = scored(np.repeat(chance, weight), np.repeat(y, weight))
    assert scored(chance, y, weight) == pytest.approx(repeated, nan_ok=True)


@pytest.mark.parametrize("classes", [("no", "yes"), (False, True), (-1, 1), (1, 2)])
def test_any_labels_give_the_same_scores(classes: Any) -> None:
    assert scored(CHANCE, np.array(classes)[Y], classes=classes) == scored(CHANCE, Y)


def test_one_call_of_predict_proba_serves_all_names() -> None:
    X = CHANCE[:, None]
    model = CountedCalls().fit(X, Y)
    CountedCalls.predictions = 0
    scorers_of(ALL).scores(model, X, Y)
    assert CountedCalls.predictions == 1


def test_margins_are_ranked_where_there_are_no_chances() -> None:
    X = RANDOM.normal(size=(80, 2))
    y = (X[:, 0] + RANDOM.normal(size=80) > 0).astype(int)
    model = LinearSVC().fit(X, y)
    found = scorers_of(["roc_auc", "average_precision"]).scores(model, X, y)
    margin = model.decision_function(X)
    assert found["roc_auc"] == roc_auc_score(y, margin)
    assert found["average_precision"] == average_precision_score(y, margin)
    with pytest.raises(InvalidOptionError, match="predict_proba"):
        scorers_of("nll").scores(model, X, y)


def rows_above_half(model: Any, X: Any, y: Any) -> float:
    return float((model.predict_proba(X)[:, 1] > 0.5).sum())


def total(model: Any, X: Any, y: Any, **given: Any) -> float:
    return float(np.sum(given.get("sample_weight", np.ones(len(y)))))


def test_names_callables_and_dictionaries() -> None:
    theirs = get_scorer("neg_brier_score")
    found = scored(CHANCE, Y, scoring={"mine": rows_above_half, "loss": "nll", "theirs": theirs})
    assert list(found) == ["mine", "loss", "theirs"]
    assert found["mine"] == (CHANCE > 0.5).sum()
    assert found["loss"] == log_loss(Y, CHANCE)
    assert found["theirs"] == pytest.approx(-brier_score_loss(Y, CHANCE))
    assert list(scored(CHANCE, Y, scoring=[rows_above_half, "nll"])) == ["rows_above_half", "nll"]
    assert list(scored(CHANCE, Y, scoring=rows_above_half)) == ["rows_above_half"]
    of_set = scored(CHANCE, Y, scoring={"nll", "roc_auc", "brier", rows_above_half})
    assert list(of_set) == ["brier", "nll", "roc_auc", "rows_above_half"]


def test_all_names_of_scikit_learn_are_known() -> None:
    found = scored(CHANCE, Y, WEIGHT, scoring=["neg_log_loss", "neg_brier_score"])
    assert found["neg_log_loss"] == -log_loss(Y, CHANCE, sample_weight=WEIGHT)
    assert found["neg_brier_score"] == -brier_score_loss(Y, CHANCE, sample_weight=WEIGHT)


def test_callables_get_the_weights() -> None:
    assert scored(CHANCE, Y, WEIGHT, scoring=[total])["total"] == WEIGHT.sum()
    own = make_scorer(log_loss, response_method="predict_proba")
    found = scored(CHANCE, Y, WEIGHT, scoring={"own": own, "nll": "nll"})
    assert found["own"] == pytest.approx(found["nll"])


def test_weights_pass_with_metadata_routing() -> None:
    expected = scored(CHANCE, Y, WEIGHT)
    with config_context(enable_metadata_routing=True):
        assert scored(CHANCE, Y, WEIGHT) == expected


def test_proper_scores_are_known_under_any_name() -> None:
    own = make_scorer(log_loss, response_method="predict_proba")
    scoring = {"a": "neg_brier_score", "b": "roc_auc", "c": own, "d": total, "e": "nll"}
    assert scorers_of(scoring).proper == ("a", "c", "e")


@pytest.mark.parametrize(
    ("scoring", "error", "message"),
    [
        ("log_los", InvalidOptionError, "scoring 'log_los' is no metric; 'nll', 'brier'"),
        ([], InvalidOptionError, "scoring is empty; name one metric at least"),
        (["nll", "nll"], InvalidOptionError, "scoring names 'nll', 'nll', one of them twice"),
        (
            {"a": 3},
            OptionTypeError,
            "scoring 'a' is of type int; the name of a metric",
        ),
    ],
)
def test_bad_metrics_are_refused(scoring: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        scorers_of(scoring)


def test_metrics_without_weights_are_refused_by_name() -> None:
    unweighted = {"x": make_scorer(max_error), "rows": rows_above_half, "nll": "nll"}
    with pytest.raises(InvalidOptionError, match=r"scoring 'x', 'rows' takes no sample_weight"):
        scorers_of(unweighted, weighted=True)
    assert scorers_of(unweighted).names == ("x", "rows", "nll")
