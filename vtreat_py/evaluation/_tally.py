"""What is counted and summed of scored rows; everything else follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.evaluation._bin_sums import BinSums
from vtreat_py.evaluation._binning import DecimalBins, FloatBins
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._rows import Rows

# Rows at a time: what is computed of them fits into the processor's cache.
_BLOCK = 2**16
# 64-bit integers count no more.
_MOST_ROWS = 2.0**63
# Chances, of 2e-16 at least, whose product has one logarithm taken, which is what takes time.
_FACTORS = 8


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

    def fade(self, factor: float) -> None:
        """Multiply the sum; nothing is left of one, even an infinite one, by 0."""
        self.rounded = self.rounded * factor if factor else 0.0
        self.lost *= factor


class Tally:
    """Sums over rows; those of two sets of rows add up to those of all.

    By bin of the score there are the ``sums`` of weights and scores of each class; by `Counts` and
    threshold, the ``confusion``; of all, weighted log losses, and ``squares`` of the difference of
    score and truth. ``whole``: all weights are whole numbers.
    """

    def __init__(self, bins: DecimalBins | FloatBins, thresholds: FloatArray) -> None:
        self.bins, self.thresholds = bins, thresholds
        self.sums = BinSums()
        self.confusion = np.zeros((len(Counts._fields), len(thresholds)))
        self.log_losses, self.squares = RunningSum(), RunningSum()
        self.n_rows = self.n_missing = 0
        self.low, self.high = np.inf, -np.inf
        self.whole = True

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are in [0, 1]."""
        return self.low >= 0 and self.high <= 1

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.sums.weight.sum())

    @property
    def dtype_of_counts(self) -> type[np.int64 | np.float64]:
        """Type in which weights of rows are told: integers where all are, and few enough."""
        return np.int64 if self.whole and self.total < _MOST_ROWS else np.float64

    @property
    def positives(self) -> float:
        """Weight of the positive rows."""
        return float(self.sums.weight[:, 1].sum())

    def add(self, rows: Rows) -> None:
        """Count rows."""
        self.n_rows += len(rows.score)
        self.n_missing += rows.n_missing
        if not len(rows.score):
            return
        low, high = rows.low, rows.high
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.whole = self.whole and rows.has_whole_weights
        self.sums.cover(*self.bins.of(np.array([low, high])).tolist())
        # A block is counted into a table of its own first: where this is large, so is the block.
        block = min(max(_BLOCK, self.sums.weight.size), 4 * _BLOCK)
        for start in range(0, len(rows.score), block):
            self._add_block(rows.block(start, start + block))

    def merge(self, other: Tally) -> None:
        """Count the rows of another tally of the same bins and thresholds."""
        self.sums.merge(other.sums)
        self.confusion += other.confusion
        self.log_losses.add(other.log_losses.rounded, other.log_losses.lost)
        self.squares.add(other.squares.rounded, other.squares.lost)
        self.n_rows += other.n_rows
        self.n_missing += other.n_missing
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.whole = self.whole and other.whole

    def fade(self, factor: float) -> None:
        """Let all rows so far weigh less."""
        self.sums.fade(factor)
        self.confusion *= factor
        self.log_losses.fade(factor)
        self.squares.fade(factor)
        self.whole = False

    def _add_block(self, rows: Rows) -> None:
        positive, weight = rows.positive, rows.weight
        score = rows.score.astype(np.float64, copy=False)
        weighted = score if weight is None else _weighted(score, weight)
        with np.errstate(over="ignore", invalid="ignore"):
            self.sums.add(self.bins.of(score), positive, weighted, weight)
        for k, threshold in enumerate(self.thresholds):
            called = score >= threshold
            self.confusion[:, k] += _confusion(positive, called, weight)
        with np.errstate(over="ignore"):
            self.squares.add(_weighted_sum((score - positive) ** 2, weight))
        if self.are_probabilities:
            chance = score - ~positive
            np.abs(chance, out=chance)  # of what is true
            least, greatest = rows.smallest_chance, 1 - rows.smallest_chance
            if chance.min() < least or chance.max() > greatest:
                np.clip(chance, least, greatest, out=chance)
            self.log_losses.add(-_sum_of_logs(chance, weight))


def _confusion(positive: BoolArray, called: BoolArray, weight: FloatArray | None) -> list[float]:
    if weight is not None:
        groups = Counts.of_rows(positive, called)
        return [float(weight[group].sum()) for group in groups]
    tp = float(np.count_nonzero(called & positive))
    fp = float(np.count_nonzero(called)) - tp
    fn = float(np.count_nonzero(positive)) - tp
    return [tp, fp, fn, len(called) - tp - fp - fn]


def _sum_of_logs(chance: FloatArray, weight: FloatArray | None) -> float:
    """Sum logarithms of chances; those of whole products, which are no less than 1e-126."""
    if weight is not None:
        return _weighted_sum(np.log(chance, out=chance), weight)
    whole = len(chance) // _FACTORS * _FACTORS
    products = chance[:whole].reshape(_FACTORS, -1).prod(axis=0)
    return float(np.log(products).sum() + np.log(chance[whole:]).sum())


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
