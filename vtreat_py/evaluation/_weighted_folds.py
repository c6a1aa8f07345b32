"""Folds, how much their rows weigh, and averages over them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn.model_selection import check_cv

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError

FoldWeight = Literal["mass", "size", "equal"]
_FOLD_WEIGHTS = ("mass", "size", "equal")


@dataclass(frozen=True, eq=False)
class WeightedFolds:
    """The folds of a cross-validation.

    Attributes
    ----------
    splits : list of (training rows, test rows)
    size : ndarray of int, shape (folds,)
        Test rows of each fold.
    mass, trained_mass : ndarray of shape (folds,)
        Sums of the weights of each fold's test rows, and of its training rows.
    """

    splits: list[tuple[IntArray, IntArray]]
    size: IntArray
    mass: FloatArray
    trained_mass: FloatArray

    @classmethod
    def of(cls, cv: Any, X: Any, y: Any, weight: FloatArray, groups: Any, classifier: bool) -> Self:
        """Split once: a splitter that draws would draw other folds the next time."""
        splits = list(check_cv(cv, y, classifier=classifier).split(X, y, groups))
        return cls(
            splits,
            np.array([len(weight[test]) for _, test in splits]),
            np.array([weight[test].sum() for _, test in splits]),
            np.array([weight[train].sum() for train, _ in splits]),
        )

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


def check_fold_weight(by: Any) -> None:
    """Refuse a weight of folds that is not known."""
    if by not in _FOLD_WEIGHTS:
        raise InvalidOptionError(f"fold_weight={by!r}; it must be one of {list(_FOLD_WEIGHTS)}")


def check_splitter(cv: Any) -> None:
    """Refuse a number of folds, where no model says which folds that number makes."""
    if cv is None or isinstance(cv, Integral):
        raise InvalidOptionError(
            f"cv={cv!r} makes stratified folds for a classifier, and plain ones for other models; "
            "give the splitter, such as KFold(5), or the list of its splits"
        )


def average(scores: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted mean and standard deviation over the folds that have a weight.

    Parameters
    ----------
    scores : ndarray of shape (..., folds)
    weight : ndarray of shape (folds,)

    Returns
    -------
    mean, std : ndarrays of shape (...,)
        NaN where a fold that has a weight has no score.
    """
    used = weight > 0
    share = weight[used] / weight[used].sum()
    # Summed row by row, so that equal rows of scores have means that are equal to the bit.
    mean = (scores[..., used] * share).sum(axis=-1)
    variance = ((scores[..., used] - mean[..., None]) ** 2 * share).sum(axis=-1)
    return mean, np.sqrt(variance)
