"""How far mean scores are from the shares of positive rows, in groups of bins."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import FloatArray
from vtreat_py.evaluation._bin_sums import HeldBins

Strategy = Literal["quantile", "uniform"]
# Means of equal scores are this near to them; a score on a border belongs to what is below.
_ROUNDING = 1e-12


class ScoreGroups(NamedTuple):
    """Groups of rows by score, the lowest first, as arrays of one value a group."""

    weight: FloatArray
    mean_score: FloatArray
    positive_rate: FloatArray

    def calibration_error(self) -> float:
        """Mean distance of mean score and positive rate."""
        gap = np.abs(self.mean_score - self.positive_rate)
        return float((self.weight * gap).sum() / self.weight.sum())

    def reliability(self) -> float:
        """Mean squared distance of mean score and positive rate."""
        gap = self.mean_score - self.positive_rate
        return float((self.weight * gap**2).sum() / self.weight.sum())

    def resolution(self) -> float:
        """Mean squared distance of the groups' positive rates and that of all rows."""
        share = self.weight / self.weight.sum()
        rate = float((share * self.positive_rate).sum())
        return float((share * (self.positive_rate - rate) ** 2).sum())

    def purity(self) -> float:
        """Mean squared difference of the shares of both classes."""
        share = self.weight / self.weight.sum()
        return float((share * (2 * self.positive_rate - 1) ** 2).sum())


def score_groups(held: HeldBins, n: int, strategy: Strategy) -> ScoreGroups:
    """Group bins: to groups of like weight, or by their mean scores to equal parts of [0, 1]."""
    weight = held.negative + held.positive
    if strategy == "quantile":
        middle = np.cumsum(weight) - weight / 2
        group = np.minimum((n * middle / weight.sum()).astype(np.int64), n - 1)
    else:
        borders = np.linspace(0.0, 1.0, n + 1)[1:-1] + _ROUNDING
        group = np.searchsorted(borders, bin_means(held)).astype(np.int64)
    return _grouped(held, group)


def bin_means(held: HeldBins) -> FloatArray:
    """Mean score of each bin."""
    scores = held.negative_scores + held.positive_scores
    return np.asarray(scores / (held.negative + held.positive))


def _grouped(held: HeldBins, group: npt.NDArray[np.int64]) -> ScoreGroups:
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    weight = np.add.reduceat(held.negative + held.positive, starts)
    positive = np.add.reduceat(held.positive, starts)
    with np.errstate(over="ignore", invalid="ignore"):  # of scores that are infinite, or nearly
        scores = np.add.reduceat(held.negative_scores + held.positive_scores, starts)
        return ScoreGroups(weight, scores / weight, positive / weight)
