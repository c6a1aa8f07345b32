"""Noisy tables: all that a private plan is made of."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, NumberArray
from vtreat_py.frames.levels import Levels
from vtreat_py.private.budget import Budget, variance
from vtreat_py.private.noise import Noise, Whole
from vtreat_py.private.outcome import STEPS, Grid, PrivateOutcome, as_units, sums
from vtreat_py.private.plain import plain

# Standard errors below which noise hides a variance.
_HIDDEN = 2.0


@dataclass(frozen=True, eq=False)
class NoisyGroups:
    """Rows and outcomes of groups, with noise.

    Attributes
    ----------
    count : ndarray of shape (groups,)
    total : ndarray of shape (groups,)
        Of a class its rows; of numbers sums in steps.
    grains : int
        Of each of the two.
    """

    count: Whole
    total: Whole
    grains: int
    outcome: PrivateOutcome

    @classmethod
    def of(
        cls, group: Whole, n_groups: int, outcome: PrivateOutcome, budget: Budget, noise: Noise
    ) -> NoisyGroups:
        """Sum rows up by group; a row is in one group, or in none (-1)."""
        some = outcome.known & (group >= 0)
        group, y = group[some], outcome.y[some]
        if outcome.kind == "binomial":
            # A row adds 1 to one of the cells of group and class.
            grains = budget.grains
            cells = np.bincount(2 * group + y, minlength=2 * n_groups).astype(np.int64)
            cells = noise.add(cells, 1, grains).reshape(n_groups, 2)
            return cls(cells.sum(axis=1), cells[:, 1], grains, outcome)
        grains = budget.part(1 if outcome.kind == "unsupervised" else 2)
        count = noise.add(np.bincount(group, minlength=n_groups).astype(np.int64), 1, grains)
        total = np.zeros(n_groups, dtype=np.int64)
        if outcome.kind == "numeric":
            total = noise.add(sums(group, y, n_groups), STEPS, grains)
        return cls(count, total, grains, outcome)

    @property
    def n_counts(self) -> int:
        """How many numbers with noise a count is the sum of."""
        return 2 if self.outcome.kind == "binomial" else 1

    def take(self, groups: Any) -> NoisyGroups:
        """Some of the groups."""
        return NoisyGroups(self.count[groups], self.total[groups], self.grains, self.outcome)

    @property
    def rows(self) -> FloatArray:
        """Rows, of which every group is taken to have one."""
        return np.maximum(self.count, 1).astype(np.float64)

    @property
    def mean(self) -> FloatArray:
        """Mean outcome, within its range; the rate of a class."""
        grid = self.outcome.grid
        if grid is None:
            return np.clip(self.total / self.rows, 0.0, 1.0)
        return np.asarray(as_units(self.total / self.rows, grid))

    @property
    def noise_variance(self) -> FloatArray:
        """Variance of the mean that is of the noise."""
        grid, mean = self.outcome.grid, self.mean
        of_count = self.n_counts * variance(self.grains, 1)
        if grid is None:
            # A mean of hits and misses, each with noise.
            each = variance(self.grains, 1)
            return np.asarray((mean**2 + (1.0 - mean) ** 2) * each / self.rows**2)
        of_sum = variance(self.grains, STEPS) * (grid.half / STEPS) ** 2
        return np.asarray((of_sum + (mean - grid.middle) ** 2 * of_count) / self.rows**2)


@dataclass(frozen=True, eq=False)
class NoisyLevels:
    """The levels that are published, and missing values as the last of the groups."""

    levels: Levels
    groups: NoisyGroups
    threshold: int

    @classmethod
    def of(
        cls, codes: Whole, levels: Levels, outcome: PrivateOutcome, budget: Budget, noise: Noise
    ) -> NoisyLevels:
        """Publish levels whose noisy counts reach the threshold.

        Nothing is drawn for levels without rows: they cannot be published. The order of those that
        are is that of their names, as that of the rows would tell of them.
        """
        n_levels = len(levels)
        groups = NoisyGroups.of(codes, n_levels + 1, outcome, budget, noise)
        has_rows = np.bincount(codes[outcome.known], minlength=n_levels + 1)[:-1] > 0
        threshold = budget.threshold(groups.grains, groups.n_counts)
        codes_of = np.flatnonzero(has_rows & (groups.count[:-1] >= threshold)).tolist()
        published = [(plain(levels[code]), code) for code in codes_of]
        published.sort(key=lambda one: (type(one[0]).__name__, str(one[0])))
        kept = np.array([*(code for _, code in published), n_levels], dtype=np.intp)
        return cls(Levels.of([level for level, _ in published]), groups.take(kept), threshold)

    @classmethod
    def of_missing(
        cls, n_rows: int, outcome: PrivateOutcome, budget: Budget, noise: Noise
    ) -> NoisyLevels:
        """The same of a column that has no value."""
        return cls.of(np.zeros(n_rows, dtype=np.int64), Levels.of([]), outcome, budget, noise)


def noisy_variance(
    total: float, squares: float, rows: float, noise: tuple[float, float, float]
) -> float:
    """Variance of numbers, in steps.

    One that its noise hides is taken to be as large as that lets it be: what is divided by it is
    rather too small.

    Parameters
    ----------
    total, squares, rows : float
        Of the numbers; squares over STEPS.
    noise : tuple of float
        Variance of the noise of each of the three.
    """
    mean, square = total / rows, squares * STEPS / rows
    weights = -2.0 * mean, float(STEPS), 2.0 * mean * mean - square
    by_noise = sum(w * w * v for w, v in zip(weights, noise, strict=True)) / rows**2
    return max(square - mean * mean, _HIDDEN * float(np.sqrt(by_noise)), 1.0)


@dataclass(frozen=True, eq=False)
class NoisyMoments:
    """Moments of numbers and an outcome, in steps.

    Attributes
    ----------
    spread : float
        Variance of the numbers; see `noisy_variance`.
    product : float
        Covariance with the outcome.
    product_noise : ndarray
        Variances of its noise, of which each number with noise has one.
    """

    spread: float
    product: float
    product_noise: FloatArray


@dataclass(frozen=True, eq=False)
class NoisyNumbers:
    """Moments of a column of numbers, in steps.

    Attributes
    ----------
    groups : NoisyGroups
        Good values, and bad ones.
    x, xx, xy : float
        Sums over the good values: of numbers, their squares, and products with the outcome (of a
        class: of the numbers in the target's rows); those of products of two are over STEPS. Noise
        is as much as that of ``groups``, for sums that a row changes by STEPS.
    """

    name: Hashable
    grid: Grid
    groups: NoisyGroups
    x: float
    xx: float
    xy: float

    @property
    def moments(self) -> NoisyMoments:
        """Variance of the numbers, and covariance with the outcome."""
        groups, outcome, n = self.groups, self.groups.outcome, float(self.groups.rows[0])
        each, of_sum = variance(groups.grains, 1), variance(groups.grains, STEPS)
        x, mean = self.x / n, float(groups.mean[0])
        of_sum_of_x = of_sum if outcome.kind == "numeric" else 2.0 * of_sum
        of_rows = groups.n_counts * each
        # What a unit of each number with noise adds, times n; a row of a class is in one of two
        # sums of numbers, and of two counts.
        if outcome.grid is None:
            product = self.xy / n
            off = 2.0 * x * mean - product
            of_sums, of_counts = [1.0 - mean, mean], [off - x, off]
        else:
            mean = (mean - outcome.grid.middle) / outcome.grid.half * STEPS
            product = self.xy * STEPS / n
            of_sums, of_counts = [STEPS, mean, x], [2.0 * x * mean - product]
        noise = [one * one * of_sum for one in of_sums] + [one * one * each for one in of_counts]
        spread = noisy_variance(self.x, self.xx, n, (of_sum_of_x, of_sum, of_rows))
        return NoisyMoments(spread, product - x * mean, np.array(noise) / n**2)

    @classmethod
    def of(
        cls,
        name: Hashable,
        values: NumberArray,
        bad: BoolArray,
        grid: Grid,
        outcome: PrivateOutcome,
        budget: Budget,
        noise: Noise,
    ) -> NoisyNumbers:
        """Sum up numbers, cut off at the ends of their range."""
        parts = {"numeric": 5, "binomial": 3, "unsupervised": 3}[outcome.kind]
        each = Budget(budget.part(parts), 0.0)
        # Counts and sums of the outcome are two of the five.
        of_groups = Budget(each.grains * (2 if outcome.kind == "numeric" else 1), 0.0)
        groups = NoisyGroups.of(bad.astype(np.int64), 2, outcome, of_groups, noise)
        good = outcome.known & ~bad
        x, y = grid.steps(values[good]), outcome.y[good]
        squares = int(np.rint(x * x / STEPS).sum())
        if outcome.kind == "numeric":
            found = np.array([x.sum(), np.rint(x * y / STEPS).sum()]).astype(np.int64)
            (of_x,), (of_xy,) = (noise.add(found[[i]], STEPS, each.grains) for i in range(2))
        else:
            # A row is of one class: its number is in one of the two sums.
            by_class = noise.add(sums(y, x, 2), STEPS, each.grains)
            of_x, of_xy = by_class.sum(), by_class[1]
        (of_xx,) = noise.add(np.array([squares], dtype=np.int64), STEPS, each.grains)
        return cls(name, grid, groups, float(of_x), float(of_xx), float(of_xy))
