"""Classifiers whose chances are known, for tests of how they are scored."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class FirstColumn(ClassifierMixin, BaseEstimator):
    """The chance of the positive class is the first column; fitting learns the classes alone."""

    def __init__(self, classes: Any = (0, 1)) -> None:
        self.classes = classes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FirstColumn:
        self.classes_ = np.array(self.classes)
        self.n_rows_, self.weight_ = len(y), sample_weight
        return self

    def predict_proba(self, X: Any) -> Any:
        chance = np.asarray(X, dtype=float)[:, 0]
        return np.column_stack([1.0 - chance, chance])


class CountedCalls(FirstColumn):
    """Counts what it is asked, over all clones."""

    fits = 0
    predictions = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FirstColumn:
        type(self).fits += 1
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X: Any) -> Any:
        type(self).predictions += 1
        return super().predict_proba(X)


class Unweighted(FirstColumn):
    """Takes no weights."""

    def fit(self, X: Any, y: Any) -> FirstColumn:
        return super().fit(X, y)


class ShareOfPositives(ClassifierMixin, BaseEstimator):
    """Gives every row the share of positive rows that it was fitted on."""

    def fit(self, X: Any, y: Any) -> ShareOfPositives:
        self.classes_ = np.array([0, 1])
        self.share_ = float(np.mean(y))
        return self
