"""A categorical column whose rows are in memory: what a design asks of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.rows import RowsOfLevels
from vtreat_py.design.facts import LevelFacts
from vtreat_py.frames.columns import LevelColumn
from vtreat_py.frames.digest import digest
from vtreat_py.frames.levels import Levels
from vtreat_py.memory.rows import DesignRows, RowsInGroups
from vtreat_py.significance.interaction_draws import Residuals
from vtreat_py.statistics.grouped_levels import GroupCells, GroupedLevels
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums, raw_sums
from vtreat_py.statistics.tally import CellIndex, tally_classes


def level_facts(
    column: LevelColumn, design_rows: DesignRows
) -> tuple[LevelFacts, CellIndex, IntArray]:
    """Sum up a column.

    The cell of each row of the cross-frame, and the code of each row, come with the sums.
    """
    codes, levels = column.encode()
    return *facts_of_codes(column.name, codes, levels, design_rows, digest(column)), codes


def facts_of_codes(
    name: Hashable, codes: IntArray, levels: Levels, design_rows: DesignRows, digest: str = ""
) -> tuple[LevelFacts, CellIndex]:
    """Sum up rows of these levels."""
    folds, n_levels = design_rows.folds, len(levels) + 1
    tables, index = tally_classes(codes, n_levels, design_rows.rows)
    coded = tables
    if folds.repeats is not None:
        repeated = codes[folds.repeats[0]]
        coded, index = tally_classes(repeated, n_levels, design_rows.coded_rows)
    trained = _training_tables(design_rows, codes, n_levels)
    rows = _CodedRows(codes, n_levels, design_rows)
    order = cache(lambda: design_rows.order.of(codes, n_levels))
    training = [
        partial(_training_rows, codes, design_rows, number)
        for number in range(len(design_rows.contrasts))
    ]
    grouped = _grouped(codes, n_levels, design_rows)
    facts = LevelFacts(
        name, levels, tables, coded, trained, rows, digest, order, training, grouped=grouped
    )
    return facts, index


def _training_rows(
    codes: IntArray, design_rows: DesignRows, number: int, fold: int | None
) -> RowsOfLevels:
    """Training rows of a fold, or all that count."""
    rows, y, weight = design_rows.training_rows(number, fold)
    return RowsOfLevels(codes[rows], y, weight)


@dataclass(frozen=True, eq=False)
class _CodedRows:
    """The `LevelRows` of a column in memory."""

    codes: IntArray
    n_levels: int
    rows: DesignRows

    def level_effects(self, number: int) -> float:
        """p-value of the test whether the outcome differs from level to level."""
        return self.rows.tests[number].level_effects(self._counted, self.n_levels)

    def correlation(self, number: int, values: FloatArray) -> float:
        """p-value of the correlation of the outcome with a number for each level."""
        return self.rows.tests[number].correlation(values[self._counted])

    def apart(self, number: int, cell: IntArray, fitted: FloatArray, n_rows: float) -> Residuals:
        """The outcome less what is fitted to cells, which levels are in."""
        counted, contrast = self.rows.counted, self.rows.contrasts[number]
        own = cell[self._counted]
        known = own < len(fitted)
        left = contrast.y[counted][known] - fitted[own[known]]
        weight = None if contrast.weight is None else contrast.weight[counted][known]
        return Residuals(left, weight, n_rows)

    def effects_beyond(self, number: int, cell: IntArray, fitted: FloatArray) -> float:
        """p-value of the test whether that differs from cell to cell."""
        contrast, own = self.rows.contrasts[number], cell[self.codes]
        left = replace(contrast, y=contrast.y - np.append(fitted, 0.0)[own])
        counted = np.arange(len(own))[self.rows.counted]
        rows = counted[own[counted] < len(fitted)]
        return self.rows.tests_of(left, rows).level_effects(own[rows], len(fitted))

    @cached_property
    def _counted(self) -> IntArray:
        """Levels of the rows that count."""
        return self.codes[self.rows.counted]

    def score_sums(self) -> OutcomeSums:
        """Sums by level of the outcome's normal scores."""
        y, weight = self.rows.scores, self.rows.outcome.weight
        return OutcomeSums.of_raw(raw_sums(self.codes, self.n_levels, y, weight))

    def spread(self) -> float:
        """p-value of the test of spread."""
        return self.rows.spread.p_value(self.codes, self.n_levels)


def _training_tables(design_rows: DesignRows, codes: IntArray, n_levels: int) -> list[LevelTable]:
    """Sums by (level, training set) for each contrast; none where the folds' own tables will do."""
    folds = design_rows.folds
    if folds.training is None:
        return []
    return tally_classes(codes[folds.training[0]], n_levels, design_rows.trained)[0]


def _grouped(
    codes: IntArray, n_levels: int, design_rows: DesignRows
) -> list[tuple[GroupedLevels, GroupedLevels]]:
    """For each contrast, how levels go with groups, in all rows and as folds know it."""
    if not design_rows.shrinks_by_groups:
        return []
    folds, by_block = design_rows.folds, _by_block(codes, n_levels, design_rows.in_groups)
    if folds.training is not None:
        trained = _by_block(codes, n_levels, design_rows.trained_in_groups)
        return [(one.whole(), known) for one, known in zip(by_block, trained, strict=True)]
    return [(one.whole(), one.known_to(folds.n_folds, in_order=folds.in_order)) for one in by_block]


def _by_block(codes: IntArray, n_levels: int, rows: RowsInGroups) -> list[GroupedLevels]:
    """How levels go with groups in each block of rows, for each contrast."""
    own = codes if rows.place is None else codes[rows.place]
    tables, index = tally_classes(own, n_levels, rows.rows)
    spent = None
    if rows.squares is not None:
        weight = tables[0].cells.weight
        spent = index.sum(rows.squares) / np.where(weight > 0, weight, 1.0)
    cells = [GroupCells(table, rows.block, rows.n_blocks, spent) for table in tables]
    return [GroupedLevels.of_cells(one) for one in cells]
