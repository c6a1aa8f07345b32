"""A categorical column of a lazy frame: what a design asks of it."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import LevelFacts
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.columns import LazyLevels, LazyNumber, LazyRanges
from vtreat_py.lazy.level_queries import level_sums, level_values
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.spread_query import spread_p_value
from vtreat_py.lazy.values import table_of_values
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

_RESIDUAL = "weighted_residual"


def engine_level_facts(
    rows: DesignRows, context: DesignContext, column: LazyLevels
) -> LevelFacts | None:
    """Sum up a column; None where it has missing values only."""
    levels, tables, n_rows = level_sums(rows, column)
    if not len(levels):
        return None
    asked = _EngineLevels(rows, context, column, levels, n_rows)
    return LevelFacts(column.name, levels, tables, tables, [], asked, "")


def facts_of_ranges(
    rows: DesignRows, context: DesignContext, column: LazyNumber, edges: FloatArray
) -> LevelFacts:
    """Sum up a column of numbers by ranges."""
    ranges = LazyRanges(**vars(column), edges=tuple(edges.tolist()))
    facts = engine_level_facts(rows, context, ranges)
    assert facts is not None
    return facts


@dataclass(frozen=True, eq=False)
class _EngineLevels:
    """The `LevelRows` of a column of a lazy frame."""

    rows: DesignRows
    context: DesignContext
    column: LazyLevels
    levels: Levels
    n_rows: IntArray

    def residual_sums(self, number: int) -> tuple[OutcomeSums, OutcomePowers]:
        """Sums by level, and powers, of the rows' weighted residuals.

        Where these have more than 2**20 different values, the powers are those of a condensed
        table (`table_of_values`).
        """
        outcome, y, residual = self.context.contrasts[number].outcome, nw.col(Y), nw.col(_RESIDUAL)
        if outcome.kind == "binomial":
            target = number if self.context.n_classes else 1
            y = nw.when(y == target).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        assert outcome.weight is not None
        mean = float(np.average(outcome.y, weights=outcome.weight))
        share = self.rows.w / self.rows.largest_weight
        added = share * (y - mean) * outcome.side(mean)  # to the sum of a row's level
        frame = self.rows.counted([self.column]).with_columns(added.alias(_RESIDUAL))
        table = table_of_values(frame, residual, None)
        powers = OutcomePowers.of_sample(Sample.of_values(table.numbers, table.weight))
        return level_values(self.column, self.levels, frame, residual), powers

    def spread(self) -> float | None:
        """p-value of the test of spread, on a part of very many rows."""
        return spread_p_value(self.rows, self.column, self.levels, self.n_rows)
