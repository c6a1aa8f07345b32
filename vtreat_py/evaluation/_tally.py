"""What is counted and summed of scored rows; everything else follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.evaluation._binning import DecimalBins, FloatBins
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._rows import Rows
from vtreat_py.evaluation._running_sums import RunningSum

# Rows at a time: what is computed of them fits into the processor's cache.
_BLOCK = 2**16


@dataclass(eq=False)
class Tally:
    """Sums over rows; those of two sets of rows add up to those of all.

    Attributes
    ----------
    negative, positive : ndarray, shape (n_bins,)
        Weight of negative and of positive rows by bin of their score.
    score_sums : ndarray, shape (n_bins,)
        Weighted sum of the scores of each bin.
    confusion : ndarray, shape (4, n_thresholds)
        Weight of true positives, false positives, false negatives and true negatives.
    log_losses, squares : RunningSum
        Weighted log losses, and squared differences of score and truth.
    n_rows, n_missing : int
        Rows counted, and rows left out because their label or score is missing.
    low, high : float
        The least and the greatest score.
    whole : bool
        Whether all weights are whole numbers.
    """

    bins: DecimalBins | FloatBins
    thresholds: FloatArray
    log_losses: RunningSum = field(default_factory=RunningSum)
    squares: RunningSum = field(default_factory=RunningSum)
    n_rows: int = 0
    n_missing: int = 0
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True

    def __post_init__(self) -> None:
        self.negative = np.zeros(self.bins.number)
        self.positive = np.zeros(self.bins.number)
        self.score_sums = np.zeros(self.bins.number)
        self.confusion = np.zeros((len(Counts._fields), len(self.thresholds)))

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are in [0, 1]."""
        return self.low >= 0 and self.high <= 1

    def add(self, rows: Rows) -> None:
        """Count rows."""
        self.n_rows += len(rows.score)
        self.n_missing += rows.n_missing
        self.low, self.high = min(self.low, rows.low), max(self.high, rows.high)
        self.whole = self.whole and rows.has_whole_weights
        # A block is counted into bins of its own first: where these are many, it must be large.
        block = max(_BLOCK, 2 * self.bins.number)
        for start in range(0, len(rows.score), block):
            self._add_block(rows.block(start, start + block))

    def merge(self, other: Tally) -> None:
        """Count the rows of another tally of the same bins and thresholds."""
        self.negative += other.negative
        self.positive += other.positive
        self.score_sums += other.score_sums
        self.confusion += other.confusion
        self.log_losses.merge(other.log_losses)
        self.squares.merge(other.squares)
        self.n_rows += other.n_rows
        self.n_missing += other.n_missing
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.whole = self.whole and other.whole

    def _add_block(self, rows: Rows) -> None:
        positive, weight = rows.positive, rows.weight
        score = rows.score.astype(np.float64, copy=False)
        self._add_to_bins(positive, score, weight)
        for k, threshold in enumerate(self.thresholds):
            called = score >= threshold
            groups = (called & positive, called & ~positive, ~called & positive)
            sums = [_weight_of(group, weight) for group in groups]
            self.confusion[:, k] += [*sums, _weight_of(~(called | positive), weight)]
        with np.errstate(over="ignore"):
            self.squares.add(_weighted_sum((score - positive) ** 2, weight))
        if self.are_probabilities:
            chance_of_truth = np.abs(score - ~positive)
            clipped = np.clip(chance_of_truth, rows.smallest_chance, 1 - rows.smallest_chance)
            self.log_losses.add(-_weighted_sum(np.log(clipped), weight))

    def _add_to_bins(
        self, positive: BoolArray, score: FloatArray, weight: FloatArray | None
    ) -> None:
        bins, number = self.bins.of(score), self.bins.number
        sums = np.bincount(bins + positive * np.int32(number), weight, minlength=2 * number)
        self.negative += sums[:number]
        self.positive += sums[number:]
        weighted = score if weight is None else weight * score
        self.score_sums += np.bincount(bins, weighted, minlength=number)


def _weight_of(group: BoolArray, weight: FloatArray | None) -> float:
    return float(np.count_nonzero(group) if weight is None else weight[group].sum())


def _weighted_sum(values: FloatArray, weight: FloatArray | None) -> float:
    return float(values.sum() if weight is None else (weight * values).sum())
