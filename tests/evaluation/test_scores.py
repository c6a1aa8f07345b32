"""Scores from counts and from labels, against scikit-learn and against their formulas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._formulas import SCORES
from vtreat_py.evaluation.scores import confusion_scores

PEERS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "recall": metrics.recall_score,
    "precision": metrics.precision_score,
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
    "matthews_correlation": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "hard_auc": metrics.roc_auc_score,
}


def hard_calls(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth with both classes, calls of both kinds, weights."""
    random = np.random.default_rng(seed)
    truth = np.append(random.integers(0, 2, 40), [0, 0, 1, 1])
    return truth, np.append(random.integers(0, 2, 40), [0, 1, 0, 1]), random.random(44) + 0.1


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_labels_are_those_of_scikit_learn(name: str, weighted: bool) -> None:
    truth, call, weight = hard_calls(1)
    options = {"sample_weight": weight} if weighted else {}
    found = confusion_scores(truth, call, **options)
    assert found[name] == pytest.approx(PEERS[name](truth, call, **options), rel=1e-12)


def test_likelihood_ratios_are_those_of_scikit_learn() -> None:
    truth, call, _ = hard_calls(2)
    found = confusion_scores(truth, call)
    names = ["positive_likelihood_ratio", "negative_likelihood_ratio"]
    np.testing.assert_allclose(found[names], metrics.class_likelihood_ratios(truth, call))


@pytest.mark.parametrize("seed", range(5))
def test_the_auc_of_a_hard_classifier_is_its_balanced_accuracy(seed: int) -> None:
    truth, call, weight = hard_calls(seed)
    found = confusion_scores(truth, call, sample_weight=weight)
    positive, negative = truth == 1, truth == 0
    order = np.sign(call[positive][:, None] - call[negative][None, :])
    pairs = np.outer(weight[positive], weight[negative])
    chance = ((order > 0) + (order == 0) / 2) * pairs
    assert found["hard_auc"] == pytest.approx(chance.sum() / pairs.sum(), rel=1e-12)
    assert found["hard_auc"] == pytest.approx(found["balanced_accuracy"], rel=1e-12)
    auc = metrics.roc_auc_score(truth, call, sample_weight=weight)
    assert found["hard_auc"] == pytest.approx(auc, rel=1e-12)


def test_values_of_every_score_by_hand() -> None:
    expected = {
        "accuracy": 7 / 10, "error_rate": 3 / 10, "balanced_accuracy": 0.7, "hard_auc": 0.7,
        "sensitivity": 3 / 5, "recall": 3 / 5, "tpr": 3 / 5, "specificity": 4 / 5, "tnr": 4 / 5,
        "fpr": 1 / 5, "fnr": 2 / 5, "precision": 3 / 4, "inverse_precision": 4 / 6, "ppv": 3 / 4,
        "npv": 4 / 6, "false_discovery_rate": 1 / 4, "false_omission_rate": 2 / 6,
        "prevalence": 5 / 10, "detection_rate": 3 / 10, "detection_prevalence": 4 / 10,
        "lift": 1.5, "f1": 6 / 9, "jaccard": 3 / 6, "fowlkes_mallows": 3 / np.sqrt(20),
        "informedness": 0.4, "markedness": 3 / 4 + 4 / 6 - 1,
        "matthews_correlation": 10 / np.sqrt(600), "kappa": 0.4,
        "positive_likelihood_ratio": 3, "negative_likelihood_ratio": 0.5,
        "diagnostic_odds_ratio": 6,
    }  # fmt: skip
    found = confusion_scores(3, 1, 2, 4)
    assert found.index.tolist() == list(expected) == list(SCORES)
    np.testing.assert_allclose(found, list(expected.values()), rtol=1e-13)


def test_the_identity_of_the_specification() -> None:
    """748,401 rows, 664,374 of them positive, a recall of .970005 and a precision of .908369."""
    positive, recall, precision = 664_374, 0.970005, 0.908369
    tp = recall * positive
    fp = tp / precision - tp
    found = confusion_scores(tp, fp, positive - tp, 748_401 - positive - fp)
    assert found["accuracy"] == pytest.approx(0.88651, abs=1e-6)
    assert found["f1"] == pytest.approx(0.938176, abs=1e-6)
    assert round(found["lift"], 5) == 1.02326
    assert found["lift"] == pytest.approx(1.0232554, abs=1e-6)


def test_arrays_of_counts_give_a_row_each() -> None:
    counts = pd.DataFrame({"tp": [3, 5, 0], "fp": [1, 5, 0], "fn": [2, 0, 5], "tn": [4, 0, 5]})
    counts.index = pd.Index([0.5, 0.0, 1.0], name="threshold")
    found = confusion_scores(**{name: counts[name] for name in counts})
    assert found.index.equals(counts.index)
    for threshold, row in counts.iterrows():
        pd.testing.assert_series_equal(
            found.loc[threshold], confusion_scores(*row), check_names=False
        )
    lists = confusion_scores(*(counts[name].tolist() for name in counts))
    np.testing.assert_array_equal(lists, found)


def test_what_is_not_defined_is_nan_and_over_zero_is_infinite() -> None:
    none_called = confusion_scores(0, 0, 3, 4)
    assert np.isnan(none_called[["precision", "ppv", "lift", "matthews_correlation"]]).all()
    assert (none_called[["recall", "f1", "informedness"]] == 0).all()
    no_false_alarm = confusion_scores(2, 0, 1, 4)
    assert no_false_alarm["positive_likelihood_ratio"] == np.inf
    assert no_false_alarm["diagnostic_odds_ratio"] == np.inf
    assert confusion_scores(0, 0, 0, 0).isna().all()
    only_negatives = confusion_scores(0, 1, 0, 2)
    assert only_negatives["precision"] == 0
    assert np.isnan(only_negatives["ppv"])  # Bayes' rule needs rows of both classes


@given(st.tuples(*[st.integers(0, 30)] * 4), st.sampled_from([0.25, 3.0, 1e6]))
def test_scores_do_not_depend_on_the_unit_of_the_counts(
    counts: tuple[int, int, int, int], unit: float
) -> None:
    scaled = confusion_scores(*(unit * count for count in counts))
    np.testing.assert_allclose(scaled, confusion_scores(*counts), rtol=1e-9, atol=1e-12)


def test_labels_of_every_kind() -> None:
    truth, call = ["yes", "no", "yes", "no"], ["yes", "yes", "no", "no"]
    expected = confusion_scores(1, 1, 1, 1)
    for read in (list, np.array, pd.Series, pd.Categorical, pl.Series):
        found = confusion_scores(read(truth), read(call), pos_label="yes")
        pd.testing.assert_series_equal(found, expected)
    found = confusion_scores(y_true=[True, False, True, False], y_pred=[1, 1, 0, 0])
    pd.testing.assert_series_equal(found, expected)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ((1, -1, 0, 0), {}, InvalidOptionError, "fp is -1; counts are finite, and 0 or more"),
        ((1, 1, 0, [0, np.nan]), {}, InvalidOptionError, "tn is nan; counts"),
        (([1, 2], 1, 0, 0), {}, InvalidOptionError, "have shapes (), (2,); give four numbers"),
        (([[1]], 1, 0, 0), {}, InvalidOptionError, "tp has shape (1, 1); give a number or one"),
        (("a", 1, 0, 0), {}, OptionTypeError, "tp must hold counts"),
        (([1, 0], [1]), {}, InvalidOptionError, "y_pred has 1 values, for 2 rows"),
        (([1, 0, 2], [1, 0, 0]), {}, InvalidOptionError, "have the labels 1, 0, 2; two labels"),
        ((["a", "b"], ["a", "b"]), {}, InvalidOptionError, "one of them pos_label=1"),
        (([1, None], [1, 0]), {}, InvalidOptionError, "y_true has 1 missing labels, the first in"),
        (([1, 0], [1, np.nan]), {}, InvalidOptionError, "in row 1; leave those rows out"),
        (([1, 0], [1, 0]), {"sample_weight": [1, -1]}, InvalidOptionError, "sample_weight is -1"),
        (([1, 0],), {}, TypeError, "y_pred"),
        ((1, 2, 3), {}, OptionTypeError, "found 3 arguments"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused(
    data: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        confusion_scores(*data, **options)


def test_every_score_is_described() -> None:
    assert confusion_scores.__doc__ is not None
    table = confusion_scores.__doc__.partition("Notes\n")[2].partition("PPV and NPV")[0]
    named = re.findall(r"\w+(?=[, ])", "\n".join(line[:43] for line in table.splitlines()))
    assert set(SCORES) <= set(named)
