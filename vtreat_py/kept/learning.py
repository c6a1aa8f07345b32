"""Learning from kept sums: a column's treatment, and what its rows get in a cross-frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import IntArray
from vtreat_py.design.context import NO_CODE_APPLIES, DesignContext
from vtreat_py.design.levels import LearnedLevels, UnusedLevels, learn_level_facts
from vtreat_py.design.numbers import LearnedNumbers, learn_number_facts
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.frames.made import joint_columns
from vtreat_py.kept.columns import KeptColumn
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.levels import KeptLevels, level_codes
from vtreat_py.kept.number_facts import NumberTable
from vtreat_py.kept.numbers import KeptNumbers
from vtreat_py.kept.rate_facts import RateTable
from vtreat_py.kept.rates import KeptResiduals
from vtreat_py.memory.crossing import LearnedLevelRows, LearnedNumberRows
from vtreat_py.memory.numbers import NumberRows
from vtreat_py.memory.rows import DesignRows
from vtreat_py.statistics.tally import CellIndex


def learn_kept(
    kept: KeptColumn,
    design: KeptDesign,
    context: DesignContext,
    residuals: KeptResiduals | None = None,
) -> LearnedLevels | LearnedNumbers | UnusedLevels | str:
    """Learn a column from its sums; a string says why it is not used."""
    if isinstance(kept, KeptLevels):
        return _learn_levels(kept, design, context, residuals)
    if not context.codes_of_numbers:
        return NO_CODE_APPLIES
    if residuals is None:
        return learn_number_facts(NumberTable(kept, design), context)
    return learn_number_facts(RateTable(kept, design, residuals, context.outcome), context)


def _learn_levels(
    kept: KeptLevels,
    design: KeptDesign,
    context: DesignContext,
    residuals: KeptResiduals | None = None,
    also: IntArray | None = None,
) -> LearnedLevels | UnusedLevels | str:
    if not kept.has_values:
        return "it has missing values only"
    if not context.level_codes:
        return NO_CODE_APPLIES
    joint = next((one for one in joint_columns(design.made) if one.name == kept.name), None)
    return learn_level_facts(kept.facts(design, also, residuals).made_of(joint), context)


def learn_kept_rows(
    kept: KeptColumn,
    column: Column,
    design: KeptDesign,
    context: DesignContext,
    rows: DesignRows,
    residuals: KeptResiduals | None = None,
) -> LearnedLevelRows | LearnedNumberRows | UnusedLevels | str:
    """Learn a column from its sums, and code rows that are in them.

    Parameters
    ----------
    column : Column
        The rows.
    context : DesignContext
        That of the statistics.
    rows : DesignRows
        The rows.
    """
    if isinstance(kept, KeptNumbers):
        learned = learn_kept(kept, design, context, residuals)
        if not isinstance(learned, LearnedNumbers):
            assert not isinstance(learned, LearnedLevels)
            return learned
        everyone = replace(rows, outcome=replace(rows.outcome, weight=None))
        return LearnedNumberRows(learned, NumberRows(_as_numbers(column, kept), everyone))
    assert not isinstance(column, NumericColumn)
    codes, levels = level_codes(column)
    weight = rows.outcome.weight
    all_count = weight is None or bool(weight.all())
    if not all_count:  # the others may have levels of their own
        kept = kept + kept.of_no_rows(levels)
    place = np.append(kept.levels.codes_of_levels(levels), kept.levels.missing)
    codes, fold = place[codes], rows.folds.fold
    also = None
    if not all_count:
        also = (codes.astype(np.int64) * design.n_folds + fold)[weight == 0]
    made = _learn_levels(kept, design, context, residuals, also)
    if not isinstance(made, LearnedLevels):
        return made
    table = made.table
    cell = table.level.astype(np.int64) * table.n_folds + table.fold
    n_cells = table.n_levels * table.n_folds
    return LearnedLevelRows(made, CellIndex(codes, fold, table.n_folds, n_cells, None, cell))


def _as_numbers(column: Column, kept: KeptNumbers) -> NumericColumn:
    """A column of numbers; one of missing values only may have been read as another type."""
    if isinstance(column, NumericColumn):
        return column
    return NumericColumn.of(kept.name, np.full(len(column), np.nan), kept.kind)
