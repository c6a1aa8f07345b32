"""A numeric column by bins: sums that shapes are fitted to, and scored by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.folds.plan import FoldScheme
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.scan import all_but_one, all_of_those_before


@dataclass(frozen=True, eq=False)
class BinnedNumbers:
    """Sums of the good values of a column by bin and block of rows, in inner coordinates.

    Cell ``bin * groups + group``; see `bin_edges`.

    Attributes
    ----------
    edges : ndarray of shape (bins,)
        Different in inner coordinates, too.
    coordinates : Coordinates
    sums : list of Moments
        By block of rows, for each contrast.
    trained : list of Moments or None
        By training set; None where those follow from the blocks.
    repeated : list of Moments or None
        By fold, of the rows that the cross-frame has, where it has rows more than once.
    counted : Moments or None
        Of all rows, as often as they count, where that is not what they weigh.
    of_all : list of Moments or None
        By bin, for each contrast, where that is not the sum of the blocks.
    """

    edges: FloatArray
    coordinates: Coordinates
    sums: Sequence[Moments]
    trained: Sequence[Moments] | None = None
    repeated: Sequence[Moments] | None = None
    counted: Moments | None = None
    of_all: Sequence[Moments] | None = None

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return len(self.edges)

    @cached_property
    def inner_edges(self) -> FloatArray:
        """Edges in inner coordinates."""
        return self.coordinates.inner(self.edges)

    @cached_property
    def wholes(self) -> Sequence[Moments]:
        """Sums of each bin over all rows, for each contrast."""
        if self.of_all is not None:
            return self.of_all
        n_blocks = len(self.sums[0].weight) // self.n_bins
        of_bin = np.repeat(np.arange(self.n_bins), n_blocks)
        return [sums.grouped(of_bin, self.n_bins) for sums in self.sums]

    def outcomes(self, *, of_classes: bool) -> list[OutcomeSums]:
        """Sums of the outcome in each bin, for each contrast; of classes 0 and 1."""
        return [
            OutcomeSums(
                one.weight, one.weight * one.y, None if of_classes else one.yy, one.centre_y
            )
            for one in self.wholes
        ]

    @property
    def rows(self) -> Moments:
        """Sums of each bin over all rows, for what does not depend on the outcome."""
        return self.wholes[0] if self.counted is None else self.counted

    def by_block(self, number: int) -> Moments:
        """Sums of each block of rows over all bins."""
        sums = self.sums[number]
        n_blocks = len(sums.weight) // self.n_bins
        return sums.grouped(np.arange(len(sums.weight)) % n_blocks, n_blocks)

    def crossed(self, number: int, n_folds: int) -> Moments:
        """Sums by bin and fold, of the rows that the cross-frame has."""
        if self.repeated is not None:
            return self.repeated[number]
        sums = self.sums[number]
        block = np.arange(len(sums.weight)) % (len(sums.weight) // self.n_bins)
        return sums.take(np.flatnonzero(block < n_folds))

    def training(self, number: int, folds: FoldScheme) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What each fold's training rows know: weight and mean outcome of each bin, and squares.

        Only by adding up: no trace of a fold's own rows is left by rounding.

        Returns
        -------
        weight, mean : ndarray of shape (folds, bins)
        squares : ndarray of shape (folds,)
            Squares of the outcome about the means of bins.
        """
        if self.trained is not None:
            sums = self.trained[number]
            weight, mean = (values.T for values in self._by_bin(sums))
            squares = self._by_group(sums)[: folds.n_folds]
        else:
            sums = self.sums[number]
            weight, mean = self._by_bin(sums)
            weight, total = (_of_others(one, folds).T for one in (weight, weight * mean))
            mean = total / np.where(weight > 0, weight, 1.0)
            squares = _of_others(self._by_group(sums)[None], folds)[0]
        left = squares - (weight * mean * mean).sum(axis=1)
        return weight, mean, np.maximum(left, 0.0)

    def _by_group(self, sums: Moments) -> FloatArray:
        """Squares of the outcome, about its centre, of each group."""
        raw = sums.yy + sums.weight * sums.y * sums.y
        return np.asarray(raw.reshape(self.n_bins, -1).sum(axis=0))

    def training_moments(self, number: int, folds: FoldScheme) -> list[Moments]:
        """Sums of each bin in the training rows of each fold."""
        if self.trained is not None:
            return self._groups(self.trained[number])
        parts = self._groups(self.sums[number])
        none = parts[0].nothing(self.n_bins)
        others = all_of_those_before(parts, none) if folds.in_order else all_but_one(parts, none)
        return others[: folds.n_folds]

    def _groups(self, sums: Moments) -> list[Moments]:
        """Sums by bin of each group."""
        n_groups = len(sums.weight) // self.n_bins
        cells = np.arange(len(sums.weight)).reshape(self.n_bins, n_groups)
        return [sums.take(cells[:, k]) for k in range(n_groups)]

    def _by_bin(self, sums: Moments) -> tuple[FloatArray, FloatArray]:
        return sums.weight.reshape(self.n_bins, -1), sums.y.reshape(self.n_bins, -1)


def _of_others(values: FloatArray, folds: FoldScheme) -> FloatArray:
    """For each fold, the sum of the columns of the blocks that train it."""
    others = _before(values)
    if not folds.in_order:
        others = others + _before(values[:, ::-1])[:, ::-1]
    return others[:, : folds.n_folds]


def _before(values: FloatArray) -> FloatArray:
    """Sum of the columns before each."""
    before = np.zeros_like(values)
    np.cumsum(values[:, :-1], axis=1, out=before[:, 1:])
    return before
