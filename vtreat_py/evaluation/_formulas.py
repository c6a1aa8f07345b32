"""The scores of a binary classifier, each written once: for floats, exact fractions and symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.evaluation._inputs import near_one


class Counts(NamedTuple):
    """Rows by truth and call, as anything that can be added, multiplied and divided."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any

    @classmethod
    def of_rows(cls, positive: BoolArray, called: BoolArray) -> Counts:
        """Which rows each of them counts."""
        return cls(called & positive, called & ~positive, ~called & positive, ~(called | positive))

    @property
    def positives(self) -> Any:
        """Rows that are positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        """Rows that are negative."""
        return self.fp + self.tn

    @property
    def called(self) -> Any:
        """Rows that are called positive."""
        return self.tp + self.fp

    @property
    def not_called(self) -> Any:
        """Rows that are called negative."""
        return self.fn + self.tn

    @property
    def total(self) -> Any:
        """All rows."""
        return self.positives + self.negatives


Formula = Callable[[Counts], Any]


class Score(NamedTuple):
    """A score: ``formula``, over the square root of ``under_root``."""

    formula: Formula
    under_root: Formula = lambda _: 1


def score_values(name: str, counts: Counts) -> FloatArray:
    """Values of a score for arrays of counts: 0/0 is NaN, any other number over 0 infinite."""
    n = Counts(*near_one(np.array(counts, dtype=np.float64), axis=0)[0])
    score = SCORES[name]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(score.formula(n) / np.sqrt(score.under_root(n)))


def _sensitivity(n: Counts) -> Any:
    return n.tp / n.positives


def _specificity(n: Counts) -> Any:
    return n.tn / n.negatives


def _prevalence(n: Counts) -> Any:
    return n.positives / n.total


def _precision(n: Counts) -> Any:
    return n.tp / n.called


def _fpr(n: Counts) -> Any:
    return n.fp / n.negatives


def _fnr(n: Counts) -> Any:
    return n.fn / n.positives


def _by_bayes_rule(right: Any, share: Any, wrong: Any, share_of_others: Any) -> Any:
    """Chance that a row is of the class it is called of, as a ``share`` of all rows is.

    Rows of the class are called so with chance ``right``, others with chance ``wrong``. (1 less a
    share would lose the digits of a small one.)
    """
    right_calls = right * share
    return right_calls / (right_calls + wrong * share_of_others)


def _hard_auc(n: Counts) -> Any:
    ties = _sensitivity(n) * _fpr(n) + _fnr(n) * _specificity(n)
    return _sensitivity(n) * _specificity(n) + ties / 2


def _kappa(n: Counts) -> Any:
    """Agreement beyond chance, over what is left to it; both times the square of all rows."""
    beyond_chance = 2 * (n.tp * n.tn - n.fp * n.fn)
    return beyond_chance / (n.positives * n.not_called + n.negatives * n.called)


SCORES: dict[str, Score] = {
    "accuracy": Score(lambda n: (n.tp + n.tn) / n.total),
    "error_rate": Score(lambda n: (n.fp + n.fn) / n.total),
    "balanced_accuracy": Score(lambda n: (_sensitivity(n) + _specificity(n)) / 2),
    "hard_auc": Score(_hard_auc),
    "sensitivity": Score(_sensitivity),
    "recall": Score(_sensitivity),
    "tpr": Score(_sensitivity),
    "specificity": Score(_specificity),
    "tnr": Score(_specificity),
    "fpr": Score(_fpr),
    "fnr": Score(_fnr),
    "precision": Score(_precision),
    "inverse_precision": Score(lambda n: n.tn / n.not_called),
    "ppv": Score(
        lambda n: _by_bayes_rule(_sensitivity(n), _prevalence(n), _fpr(n), n.negatives / n.total)
    ),
    "npv": Score(
        lambda n: _by_bayes_rule(_specificity(n), n.negatives / n.total, _fnr(n), _prevalence(n))
    ),
    "false_discovery_rate": Score(lambda n: n.fp / n.called),
    "false_omission_rate": Score(lambda n: n.fn / n.not_called),
    "prevalence": Score(_prevalence),
    "detection_rate": Score(lambda n: n.tp / n.total),
    "detection_prevalence": Score(lambda n: n.called / n.total),
    "lift": Score(lambda n: _precision(n) / _prevalence(n)),
    "f1": Score(lambda n: 2 * n.tp / (2 * n.tp + n.fp + n.fn)),
    "jaccard": Score(lambda n: n.tp / (n.tp + n.fp + n.fn)),
    "fowlkes_mallows": Score(lambda n: n.tp, lambda n: n.called * n.positives),
    "informedness": Score(lambda n: _sensitivity(n) + _specificity(n) - 1),
    "markedness": Score(lambda n: _precision(n) + n.tn / n.not_called - 1),
    "matthews_correlation": Score(
        lambda n: n.tp * n.tn - n.fp * n.fn,
        lambda n: n.positives * n.negatives * n.called * n.not_called,
    ),
    "kappa": Score(_kappa),
    "positive_likelihood_ratio": Score(lambda n: _sensitivity(n) / _fpr(n)),
    "negative_likelihood_ratio": Score(lambda n: _fnr(n) / _specificity(n)),
    "diagnostic_odds_ratio": Score(lambda n: n.tp * n.tn / (n.fp * n.fn)),
}
