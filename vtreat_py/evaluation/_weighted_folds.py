"""Folds, how much their rows weigh, and averages over them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._inputs import near_one
from vtreat_py.evaluation._model_rows import splits

FoldWeight = Literal["mass", "size", "equal"]


class WeightedFolds:
    """Folds: training and test rows of each, how many it tests, and sums of both's weights."""

    def __init__(
        self, cv: Any, X: Any, y: Any, weight: FloatArray, groups: Any, classifier: bool
    ) -> None:
        """Split once: a splitter that draws would draw other folds the next time."""
        self.splits = list(splits(cv, X, y, groups, classifier=classifier))
        self.size = np.array([len(weight[test]) for _, test in self.splits])
        self.mass = np.array([weight[test].sum() for _, test in self.splits])
        self.trained_mass = np.array([weight[train].sum() for train, _ in self.splits])

    def check_trainable(self) -> None:
        """Refuse folds to whose models no row would matter."""
        empty = np.flatnonzero(self.trained_mass == 0)
        if len(empty):
            raise InvalidOptionError(
                f"all training rows of fold {empty[0]} have weight 0: nothing can be learned from "
                "them; use other folds, or fit without weights (fit_weight=False)"
            )

    def weights(self, by: FoldWeight) -> FloatArray:
        """Weight of each fold in an average; 0 for a fold whose rows have none."""
        if by == "mass":
            return self.mass
        weight = self.size if by == "size" else np.ones(len(self.size))
        return np.where(self.mass > 0, weight, 0.0)


def average(scores: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted mean and standard deviation over the folds, of the last axis, that have a weight.

    NaN where a fold that has a weight has no score.
    """
    used = weight > 0
    share = weight[used] / weight[used].sum()
    scores, exponent = near_one(scores[..., used], axis=-1)
    # Summed row by row, so that equal rows of scores have means that are equal to the bit.
    mean = (scores * share).sum(axis=-1)
    variance = ((scores - mean[..., None]) ** 2 * share).sum(axis=-1)
    of_last = exponent[..., 0] if exponent.ndim else exponent
    return np.ldexp(mean, of_last), np.ldexp(np.sqrt(variance), of_last)
