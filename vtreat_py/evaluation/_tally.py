"""What is counted and summed of scored rows; everything else follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.evaluation._binning import DecimalBins, FloatBins
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._rows import Rows

# Rows at a time: what is computed of them fits into the processor's cache.
_BLOCK = 2**16


@dataclass
class RunningSum:
    """A sum, of terms in any order, and what rounding took (T. Dekker and D. Knuth's two-sum)."""

    rounded: float = 0.0
    lost: float = 0.0

    @property
    def value(self) -> float:
        """The sum."""
        return self.rounded + self.lost

    def add(self, *terms: float) -> None:
        """Add more terms."""
        for term in terms:
            before, self.rounded = self.rounded, self.rounded + term
            if math.isfinite(self.rounded):
                of_term = self.rounded - before
                self.lost += (before - (self.rounded - of_term)) + (term - of_term)


class Tally:
    """Sums over rows; those of two sets of rows add up to those of all.

    By bin of the score there are the weight of ``negative`` and of ``positive`` rows, and weighted
    ``score_sums``; by `Counts` and threshold, the ``confusion``; of all, weighted log losses, and
    ``squares`` of the difference of score and truth. ``whole``: all weights are whole numbers.
    """

    def __init__(self, bins: DecimalBins | FloatBins, thresholds: FloatArray) -> None:
        self.bins, self.thresholds = bins, thresholds
        self.negative, self.positive, self.score_sums = (np.zeros(bins.number) for _ in range(3))
        self.confusion = np.zeros((len(Counts._fields), len(thresholds)))
        self.log_losses, self.squares = RunningSum(), RunningSum()
        self.n_rows = self.n_missing = 0
        self.low, self.high = np.inf, -np.inf
        self.whole = True

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
        self.log_losses.add(other.log_losses.rounded, other.log_losses.lost)
        self.squares.add(other.squares.rounded, other.squares.lost)
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
            groups = Counts.of_rows(positive, called)
            self.confusion[:, k] += [_weight_of(group, weight) for group in groups]
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
        weighted = score if weight is None else _weighted(score, weight)
        self.score_sums += np.bincount(bins, weighted, minlength=number)


def _weight_of(group: BoolArray, weight: FloatArray | None) -> float:
    return float(np.count_nonzero(group) if weight is None else weight[group].sum())


def _weighted_sum(values: FloatArray, weight: FloatArray | None) -> float:
    with np.errstate(over="ignore"):
        return float((values if weight is None else _weighted(values, weight)).sum())


def _weighted(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Values times weights; rows that weigh nothing have no part, however great their values."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = weight * values
        if np.isnan(product.sum()):
            product[weight == 0] = 0.0
    return product
