"""What a design saw of the outcome in each level, and what it made of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders import codes
from vtreat_py.coders.prior import BY_LIKELIHOOD, MIXED
from vtreat_py.coders.table_code import ImpactCode
from vtreat_py.coders.uncertainty import KnownLevels
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.options import DesignOptions


@dataclass(frozen=True, eq=False)
class LevelOutcome:
    """The outcome in each level of a column, and the impact codes that come of it.

    Attributes
    ----------
    target : object
        The class it is about, of several; None: the outcome.
    mean : ndarray of shape (n_levels + 2,)
        Mean of y (rate of the target) in each level, the missing one, the pool; 0 without rows.
    effect : ndarray of shape (n_levels + 2,)
        Impact code of each level, the missing one, the pool and novel levels.
    slots : ndarray of int, shape (n_levels + 2,)
        What a code is taken for; see `LevelCodes`.
    overall : float
        Mean of y (rate of the target) over all rows.
    prior_weight : float
        Weight of ``overall``, in rows, in what is believed of a level.
    within : float or None
        Variance of y inside levels; None for a class, where it follows from the rates.
    per_exposure : bool
        Whether y is a rate of events per exposure.
    worth : ndarray of shape (n_levels + 2,) or None
        Rows of their own that the rows of each level, the missing one and the pool are worth, where
        those of a group are alike (see `GroupedLevels`); None: as many as they are.
    """

    target: Any
    mean: FloatArray
    effect: FloatArray
    slots: IntArray
    overall: float
    prior_weight: float
    within: float | None
    per_exposure: bool = False
    worth: FloatArray | None = None

    def __post_init__(self) -> None:
        for array in (self.mean, self.effect, self.slots, self.worth):
            if array is not None:
                array.setflags(write=False)

    @property
    def code(self) -> ImpactCode:
        """The impact code that its effects are."""
        if self.per_exposure:
            return codes.impact_code("rate")
        return codes.impact_code("binomial" if self.within is None else "numeric")

    def believed(self, effect: FloatArray, base: float) -> FloatArray:
        """Mean of y that effects stand for, where ``base`` is that of no effect."""
        return self.code.believed(effect, base)

    def known(self, weight: FloatArray, mean: FloatArray, *, mixed: bool) -> KnownLevels:
        """All levels, which say how much they differ."""
        return KnownLevels(weight, mean - self.overall, self.within, self.overall, mixed)

    def mean_error(
        self, weight: FloatArray, effect: FloatArray, known: KnownLevels | None
    ) -> FloatArray:
        """Standard error of the mean of levels of these weights and effects."""
        base = self.overall if known is None else known.base
        variance = self.code.variance(effect, base, self.within)
        rows = np.where(weight > 0, weight, 1.0)
        return np.asarray(np.where(weight > 0, np.sqrt(variance / rows), np.nan))

    def effect_error(
        self,
        weight: FloatArray,
        mean: FloatArray,
        effect: FloatArray,
        known: KnownLevels | None,
    ) -> FloatArray:
        """Posterior standard deviation of effects that come of rows of these weights and means.

        ``known`` are all levels, where the prior was estimated.
        """
        if known is None:
            return self.code.error(effect, self.overall, self.within, weight, self.prior_weight)
        return self.code.whole_error(effect, self.overall, known, weight, mean)


@dataclass(frozen=True, eq=False)
class LevelStatistics:
    """The levels of a column, with their weights and the outcome in them.

    Attributes
    ----------
    levels : Levels
        The training levels.
    count : ndarray of shape (n_levels + 2,)
        Weight of each level, of the missing one, and of the pool of rare levels.
    outcomes : tuple of LevelOutcome
        One; with several classes one for each of them. None where no impact code was asked for.
    rows : ndarray of shape (n_levels + 2,) or None
        Number of rows of each, where weights say something else: of times to an event.
    """

    column: Hashable
    levels: Levels
    count: FloatArray
    outcomes: tuple[LevelOutcome, ...]
    rows: FloatArray | None = None

    def __post_init__(self) -> None:
        for one in (self.count, self.rows):
            if one is not None:
                one.setflags(write=False)

    @property
    def size(self) -> FloatArray:
        """How often each was seen."""
        return self.count if self.rows is None else self.rows

    def known(self, outcome: LevelOutcome, options: DesignOptions) -> KnownLevels | None:
        """All levels, where they say how much they differ; None where an option does."""
        if options.shrinkage not in BY_LIKELIHOOD:
            return None
        kept = np.append(self.count[:-1] > options.rare_weight, self.count[-1] > 0)
        mixed = options.shrinkage == MIXED
        return outcome.known(self._worth(outcome)[kept], outcome.mean[kept], mixed=mixed)

    def effects(
        self, outcome: LevelOutcome, options: DesignOptions, *, in_parts: bool = False
    ) -> pd.DataFrame:
        """Put the levels beside one of the outcomes; `TreatmentPlan.level_effects` has the columns.

        What was learned of a level is its own, or the pool's where it has ``rare_count`` rows or
        less, or nothing where that is suppressed. ``in_parts``: whether effects are about what the
        parts of levels say, which is then taken for known.
        """
        rare_weight = options.rare_weight
        rows, n_pool = self._rows(), self.count[-1]
        count, effect = self.count[rows], outcome.effect[rows] + 0.0  # no effect is -0.0
        worth = self._worth(outcome)
        of_pool, worth = worth[-1], worth[rows]
        count[-1] = worth[-1] = 0.0
        pooled = ((count <= rare_weight) | (rows == self.levels.novel)) & (n_pool > 0)
        suppressed = outcome.slots[rows] < 0
        behind = np.where(suppressed, 0.0, np.where(pooled, of_pool, worth))
        learned = np.where(behind > 0, behind, 1.0)
        own = np.where(pooled, outcome.mean[-1], outcome.mean[rows])
        known = None if in_parts else self.known(outcome, options)
        with np.errstate(over="ignore"):  # a large variance over a tiny weight
            mean_error = outcome.mean_error(worth, effect, known)
            effect_error = outcome.effect_error(behind, own, effect, known)
        return pd.DataFrame(
            {
                "level": pd.Series(self._labels()[rows], dtype=object),
                "kind": pd.Series(self._kinds(rows), dtype=object),
                "count": count,
                "mean": np.where(count > 0, outcome.mean[rows], np.nan),
                "mean_se": mean_error,
                "effect": effect,
                "effect_se": effect_error,
                "belief": np.where(behind > 0, learned / (learned + outcome.prior_weight), 0.0),
                "pooled": pooled,
                "suppressed": suppressed,
            }
        )

    def base(
        self, outcome: LevelOutcome, options: DesignOptions, *, in_parts: bool = False
    ) -> float:
        """Mean of y (rate of the target) that an effect of 0 stands for."""
        known = None if in_parts else self.known(outcome, options)
        return outcome.overall if known is None else known.base

    def _worth(self, outcome: LevelOutcome) -> FloatArray:
        """Rows of each level that codes count."""
        return self.count if outcome.worth is None else outcome.worth

    def _rows(self) -> IntArray:
        """Codes in the order they are shown; missing and the pool where there are rows of them."""
        shown = np.ones(len(self.count), dtype=bool)
        shown[self.levels.missing :] = self.count[self.levels.missing :] > 0
        return np.append(np.flatnonzero(shown), self.levels.novel)

    def _labels(self) -> NDArray[np.object_]:
        labels = np.empty(len(self.count), dtype=object)
        labels[: len(self.levels)] = self.levels.to_array()
        return labels

    def _kinds(self, rows: IntArray) -> NDArray[np.object_]:
        kinds = np.array(["level", "missing", "rare", "novel"], dtype=object)
        place = np.maximum(rows - len(self.levels) + 1, 0)
        place[-1] = 3
        return kinds[place]
