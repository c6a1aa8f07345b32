"""Sums over scored rows by bin of their score and by class, of the bins that are in use."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import BoolArray, FloatArray

# Sums this small are of rows that have faded away; smaller ones would make arithmetic slow.
_FADED = 1e-290


class HeldBins(NamedTuple):
    """Bins that hold rows, in ascending order of their scores.

    By class, there are the weight of the rows and the sum of their weighted scores.
    """

    number: npt.NDArray[np.int64]
    negative: FloatArray
    positive: FloatArray
    negative_scores: FloatArray
    positive_scores: FloatArray


class BinSums:
    """Weights, and weighted scores, by bin and class.

    Tables cover the bins from ``first`` on that are in use: where scores are in [0, 1], most bins
    of floats are not. Columns are negative and positive rows.
    """

    def __init__(self) -> None:
        self.first = 0
        self.weight, self.scores = np.zeros((0, 2)), np.zeros((0, 2))

    def cover(self, first: int, last: int) -> None:
        """Have a place for each bin from one to another."""
        stop = self.first + len(self.weight)
        if not len(self.weight):
            self.first = stop = first
        before, after = max(0, self.first - first), max(0, last + 1 - stop)
        if before or after:
            self.first -= before
            more = ((before, after), (0, 0))
            self.weight, self.scores = np.pad(self.weight, more), np.pad(self.scores, more)

    def add(
        self,
        bins: npt.NDArray[np.int64],
        positive: BoolArray,
        weighted_score: FloatArray,
        weight: FloatArray | None,
    ) -> None:
        """Add rows, whose bins are covered; ``bins`` is used up."""
        place = bins
        place -= self.first
        place <<= 1
        place |= positive
        _add_to(self.weight, place, 1.0 if weight is None else weight)
        _add_to(self.scores, place, weighted_score)

    def merge(self, other: BinSums) -> None:
        """Add the sums of others."""
        if len(other.weight):
            self.cover(other.first, other.first + len(other.weight) - 1)
            start = other.first - self.first
            place = slice(start, start + len(other.weight))
            self.weight[place] += other.weight
            self.scores[place] += other.scores

    def fade(self, factor: float) -> None:
        """Multiply all sums."""
        for sums in (self.weight, self.scores):
            with np.errstate(invalid="ignore"):  # 0 times infinite
                sums *= factor
            sums[~(np.abs(sums) >= _FADED)] = 0.0

    def held(self) -> HeldBins:
        """Return the bins in which rows weigh something."""
        places = np.flatnonzero(self.weight[:, 0] + self.weight[:, 1])
        weight, scores = self.weight[places], self.scores[places]
        return HeldBins(places + self.first, *weight.T.copy(), *scores.T.copy())

    def put(self, held: HeldBins) -> None:
        """Add what bins hold."""
        if len(held.number):
            self.cover(int(held.number[0]), int(held.number[-1]))
            place = held.number - self.first
            self.weight[place] += np.column_stack([held.negative, held.positive])
            self.scores[place] += np.column_stack([held.negative_scores, held.positive_scores])


def _add_to(table: FloatArray, place: npt.NDArray[np.int64], values: Any) -> None:
    """Add values at places of a table; where it is large, without going through all of it."""
    if table.size > len(place):
        np.add.at(table.reshape(-1), place, values)
    else:
        weights = None if isinstance(values, float) else values
        table += np.bincount(place, weights, minlength=table.size).reshape(table.shape)
