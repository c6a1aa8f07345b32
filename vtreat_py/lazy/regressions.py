"""Regressions of classes and rates on numeric columns of a lazy frame, many at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.number_queries import inner
from vtreat_py.lazy.picked_rows import PickedRows
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments

# So many regressions are summed by one query.
_BATCH = 64

Key = tuple[str, int, int | None, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Regression:
    """One regression of a class, or of a rate, on the clean copy of a column.

    Attributes
    ----------
    column : LazyNumber
    coordinates : Coordinates
    filled : float or dict from fold to float
        What stands for bad values, in inner coordinates.
    moments : Moments
        Of the clean copy and the outcome, over the rows that are fitted.
    reach : float
        Largest distance of the clean copy from its mean.
    number : int
        The class that is the target; 0 of a rate.
    left_out : int or None
        The fold whose rows are not fitted.
    """

    column: LazyNumber
    coordinates: Coordinates
    filled: float | Mapping[int, float]
    moments: Moments
    reach: float
    number: int
    left_out: int | None = None

    @property
    def key(self) -> Key:
        """What tells it from the other regressions of a design."""
        filled = self.filled
        values = tuple(filled.values()) if isinstance(filled, Mapping) else (filled,)
        return self.column.name, self.number, self.left_out, values

    @property
    def clean(self) -> nw.Expr:
        """The clean copy, in inner coordinates."""
        return clean_copy(self.column, self.coordinates, self.filled)

    def clean_of(self, values: FloatArray, fold: IntArray) -> FloatArray:
        """The same of rows in memory."""
        filled: float | FloatArray
        if isinstance(self.filled, float):
            filled = self.filled
        else:
            filled = np.array([self.filled[k] for k in range(len(self.filled))])[fold]
        good = np.isfinite(values)
        return np.where(good, self.coordinates.inner(np.where(good, values, 0.0)), filled)


def clean_copy(
    column: LazyNumber, coordinates: Coordinates, filled: float | Mapping[int, float]
) -> nw.Expr:
    """A column in inner coordinates, its bad values filled by one number, or one for each fold."""
    value = nw.lit(0.0)
    if isinstance(filled, float):
        value = nw.lit(filled)
    else:
        for fold, number in filled.items():
            value = nw.when(nw.col(FOLD) == fold).then(nw.lit(number)).otherwise(value)
    is_good = column.value.is_finite()
    return nw.when(is_good).then(inner(column.value, coordinates)).otherwise(value)


@dataclass(frozen=True, eq=False)
class Fits(ABC):
    """Regressions on the rows of a lazy frame, each made once.

    Attributes
    ----------
    picked : PickedRows
        Of many rows, those that give starting values.
    rough : bool
        Whether rows are many, and deviances of classes all that is wanted.
    """

    rows: DesignRows
    picked: PickedRows
    rough: bool = False
    _made: dict[Key, RegressionFit] = field(default_factory=dict, kw_only=True)

    def of(self, asked: Sequence[Regression]) -> list[RegressionFit]:
        """Return the fits of some regressions; those that are not made yet are, all at once."""
        missing = [r for r in asked if r.key not in self._made]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            fit = self.fitted(batch)
            for i, regression in enumerate(batch):
                self._made[regression.key] = RegressionFit(
                    fit.slope[[i]], fit.deviance[[i]], fit.null_deviance[[i]]
                )
        return [self._made[r.key] for r in asked]

    def keep(self, asked: Sequence[Regression], made: Sequence[RegressionFit | None]) -> None:
        """Take fits that were made in another way, where they were."""
        for regression, fit in zip(asked, made, strict=True):
            if fit is not None:
                self._made[regression.key] = fit

    @abstractmethod
    def fitted(self, batch: Sequence[Regression]) -> RegressionFit:
        """Fit some regressions by the same queries."""


def scale_of(asked: Sequence[Regression]) -> tuple[Moments, FloatArray]:
    """Moments and reach of regressions, one after the other."""
    return Moments.joined([r.moments for r in asked]), np.array([r.reach for r in asked])
