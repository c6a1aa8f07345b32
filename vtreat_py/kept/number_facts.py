"""A numeric column whose sums by value were kept: what a design asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.clean import Imputer, imputed_value
from vtreat_py.coders.step_code import range_levels
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.design.facts import LevelFacts
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.levels import KeptLevels
from vtreat_py.kept.numbers import KeptNumbers
from vtreat_py.significance.logistic import logistic_fit
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.bins import bin_edges
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.number_profile import NumberProfile
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by
from vtreat_py.statistics.parts import PartedNumbers
from vtreat_py.statistics.quantiles import weighted_quantiles


class NumberTable:
    """The `NumberFacts` of a column of which sums by value and fold are known.

    Folds are trained on all rows that are not their own. Bins of values count as their mean.
    """

    digest = ""
    by_rows = None

    def __init__(self, kept: KeptNumbers, design: KeptDesign) -> None:
        self._design, self._table, self._missing = design, kept.table, kept.missing
        self._fold, self._class = np.divmod(self._table.block, design.n_classes)
        self.name, self.kind, self.has_good = kept.name, kept.kind, kept.has_values
        self.has_bad = bool(kept.missing.weight.any())

    @cached_property
    def coordinates(self) -> Coordinates:
        """Coordinates near the good values."""
        return self._table.coordinates()

    def _known_to(self, fold: int | None) -> tuple[FloatArray, FloatArray]:
        """Good values, and their weights, among all rows or a fold's training rows."""
        weight = self._table.cells.weight
        return self._table.points(weight if fold is None else weight * (self._fold != fold))

    def extent(self, fold: int | None) -> tuple[float, float] | None:
        """Smallest and largest good value; None without one."""
        values, _ = self._known_to(fold)
        return (float(values.min()), float(values.max())) if len(values) else None

    def imputed(self, fold: int | None, imputer: Imputer) -> float | None:
        """What an imputer makes of the good values, if any."""
        values, weight = self._known_to(fold)
        return imputed_value(self.name, imputer, values, weight) if len(values) else None

    def quantiles(self, fold: int | None, probabilities: Sequence[float]) -> FloatArray | None:
        """Quantiles of the good values, if any."""
        values, weight = self._known_to(fold)
        return weighted_quantiles(values, weight, probabilities) if len(values) else None

    def profile(self, bad_weight: float) -> NumberProfile:
        """How all good values are spread."""
        return NumberProfile.of_points(*self._known_to(None), bad_weight)

    def sums(self) -> list[NumericSums]:
        """Sums of each fold, for each contrast."""
        design, good = self._design, self._table.moments(self.coordinates)
        sums = NumericSums(good.grouped(self._table.block, design.n_blocks), self._missing)
        if not design.counts_classes:
            return [sums]
        return [sums.of_class(k, design.n_classes) for k in design.contrasted]

    def training_sums(self) -> None:
        """Folds are trained on all other rows."""

    def crossed_sums(self) -> list[NumericSums]:
        """Sums of the rows of the cross-frame, which are all rows."""
        return self.sums()

    def crossed_fits(self, imputed: FloatArray) -> list[RegressionFit]:
        """Fit each class on the clean column as the cross-frame has it."""
        return [self._fit(k, imputed[:-1]) for k in self._design.contrasted]

    def range_sums(self, edges: FloatArray, *, scored: bool) -> list[OutcomeSums] | None:
        """Sums of the good values in each range, and of the bad ones; of the outcome alone."""
        return None if scored else [table.by_level() for table in self.ranges(edges).tables]

    def binned(self) -> BinnedNumbers:
        """Sums of the good values by bin."""
        return self._binned

    @cached_property
    def _binned(self) -> BinnedNumbers:
        values, weight = self._known_to(None)
        near, design = self.coordinates, self._design
        extent = float(values[0]), float(values[-1])
        parted = PartedNumbers(values / near.unit, weight)
        edges = bin_edges(parted.count, extent, float(weight.sum()), near)
        place = np.searchsorted(edges, values)[self._table.place]
        cell = place * design.n_blocks + self._table.block
        sums = self._table.moments(near).grouped(cell, len(edges) * design.n_blocks)
        if not design.counts_classes:
            return BinnedNumbers(edges, near, [sums])
        classes = [sums.of_class(k, design.n_classes) for k in design.contrasted]
        return BinnedNumbers(edges, near, classes)

    def ranges(self, edges: FloatArray) -> LevelFacts:
        """The column as one of levels: a level for each range."""
        table, missing, n_blocks = self._table, self._missing, self._design.n_blocks
        place, cells = np.searchsorted(edges, table.value, side="left"), table.cells
        inner = None if missing.inner is None else cells.yy
        sums = OutcomeSums(cells.weight, cells.weight * cells.y, inner, cells.centre_y)
        ranges = LevelTable.of_cells(len(edges) + 1, n_blocks, place, table.block, sums)
        return KeptLevels(self.name, range_levels(edges), ranges, missing).facts(self._design)

    def link_fits(self, imputed: float) -> list[RegressionFit]:
        """Fit each class on the clean column, in inner coordinates."""
        return [self._fit(k, imputed) for k in self._design.contrasted]

    def link_slopes(self, imputed: FloatArray) -> list[FloatArray]:
        """Logistic slopes of the clean column in each fold, in inner coordinates."""
        return [
            np.array([self._fit(k, value, fold).slope[0] for fold, value in enumerate(imputed)])
            for k in self._design.contrasted
        ]

    def _fit(
        self, number: int, imputed: FloatArray | float, held_out: int | None = None
    ) -> RegressionFit:
        """Fit a class on the column, bad values imputed by fold, without the rows of one fold."""
        (fold, own), n_folds = self._design.fold_and_class, self._design.n_folds
        good, bad = self._table.cells.weight, self._missing.weight
        if held_out is not None:
            good, bad = good * (self._fold != held_out), bad * (fold != held_out)

        def by_point(good: FloatArray, bad: FloatArray) -> FloatArray:
            return np.append(self._by_value(good), sum_by(fold, bad, n_folds))

        x = np.append(self._values, self._inner(np.broadcast_to(imputed, n_folds)))
        total = by_point(good, bad)
        hits = by_point(good * (self._class == number), bad * (own == number))
        some = total > 0
        return logistic_fit(x[None, some], total[None, some], hits[None, some])

    @cached_property
    def _values(self) -> FloatArray:
        """The different good values, in inner coordinates."""
        return self._inner(self._known_to(None)[0])

    def _by_value(self, cell_weight: FloatArray) -> FloatArray:
        return sum_by(self._table.place, cell_weight, len(self._table.values))

    def sample(self, imputed: float) -> Sample:
        """The clean column over all rows, in inner coordinates."""
        values = np.append(self._values, self._inner(imputed))
        weight = self._by_value(self._table.cells.weight)
        return Sample.of_values(values, np.append(weight, self._missing.weight.sum()))

    def correlation(self, number: int, imputed: float | None) -> float | None:  # noqa: ARG002
        """Rows are not kept."""
        return None

    def _inner(self, values: FloatArray | float) -> FloatArray:
        return np.atleast_1d(self.coordinates.inner(np.asarray(values)))
