"""A cross-validation plan: which rows learn for which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class FoldScheme:
    """What is known of folds without the rows.

    Attributes
    ----------
    in_order : bool
        Whether each fold is trained on the rows of earlier folds only, rather than on all rows
        that are not its own, or on rows that it alone knows.
    """

    n_folds: int
    in_order: bool = False


@dataclass(frozen=True, eq=False)
class FoldPlan:
    """A checked split of the rows.

    Attributes
    ----------
    fold : ndarray of shape (n,)
        The fold whose application rows a row belongs to; ``n_folds`` for rows that are in none.
    n_folds : int
    training : tuple of (rows, fold) or None
        Training rows and the fold they train, one entry a pair. None: each fold is trained on
        all rows that are not its own, and sums of the others can be had from the fold sums.
    in_order : bool
        With ``training`` None: each fold is trained on the rows of earlier folds only.
    repeats : tuple of (rows, fold) or None
        When folds apply to a row more than once: all application rows and their folds, fold by
        fold. ``fold`` is of no use then, and 0.
    """

    fold: IntArray
    n_folds: int
    training: tuple[IntArray, IntArray] | None = None
    in_order: bool = False
    repeats: tuple[IntArray, IntArray] | None = None

    @property
    def scheme(self) -> FoldScheme:
        """The same without the rows."""
        return FoldScheme(self.n_folds, self.in_order)

    @property
    def coding(self) -> tuple[IntArray | slice, IntArray]:
        """Rows of the frame that get out-of-fold values, and the fold of each."""
        return (slice(None), self.fold) if self.repeats is None else self.repeats

    @property
    def n_coded(self) -> int:
        """Number of rows that get out-of-fold values."""
        return len(self.coding[1])

    @property
    def n_blocks(self) -> int:
        """Number of distinct values of ``fold``: folds, and the rows that are in none."""
        return self.n_folds + int(not self.covers_all_rows)

    @cached_property
    def covers_all_rows(self) -> bool:
        """Whether each row is an application row of some fold."""
        if self.repeats is not None:
            return len(np.unique(self.repeats[0])) == len(self.fold)
        return not len(self.fold) or int(self.fold.max()) < self.n_folds

    @property
    def applies_once(self) -> bool:
        """Whether each row is an application row of one fold."""
        return self.repeats is None and self.covers_all_rows

    def cross_rows(self) -> IntArray:
        """The row of the frame that each row of the cross-frame stands for."""
        if self.repeats is not None:
            return self.repeats[0]
        return np.flatnonzero(self.fold < self.n_folds)

    def training_weight(self, fold: int, weight: FloatArray | None) -> FloatArray:
        """Weight of each row in the training set of ``fold``."""
        if self.training is None:
            times = self._trains(fold).astype(np.float64)
        else:
            rows, owner = self.training
            times = np.bincount(rows[owner == fold], minlength=len(self.fold)).astype(np.float64)
        return times if weight is None else np.asarray(times * weight)

    def training_rows(self, fold: int) -> IntArray:
        """Rows that train ``fold``, as often as they do."""
        if self.training is None:
            return np.flatnonzero(self._trains(fold))
        rows, owner = self.training
        return np.asarray(rows[owner == fold])

    def _trains(self, fold: int) -> BoolArray:
        """Whether each row trains ``fold``, when that follows from its own fold."""
        return np.asarray(self.fold < fold if self.in_order else self.fold != fold)

    def trained_rows(self) -> tuple[IntArray | None, tuple[IntArray, IntArray] | None]:
        """Folds that all other rows train; or training rows by name, and the fold they train."""
        if self.training is None and not self.in_order:
            return self.fold, None
        return None, self.by_name().training

    def by_name(self) -> FoldPlan:
        """The same, with the training rows of each fold by name."""
        if self.training is not None:
            return self
        known = [self.training_rows(k) for k in range(self.n_folds)]
        owner = np.repeat(np.arange(self.n_folds), list(map(len, known)))
        return replace(self, training=(np.concatenate(known), owner), in_order=False)

    def pairs(self) -> list[tuple[IntArray, IntArray]]:
        """Return the plan as (training rows, application rows) index pairs."""

        def applied(k: int) -> IntArray:
            if self.repeats is None:
                return np.flatnonzero(self.fold == k)
            return np.asarray(self.repeats[0][self.repeats[1] == k])

        return [(self.training_rows(k), applied(k)) for k in range(self.n_folds)]
