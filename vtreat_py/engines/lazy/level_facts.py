"""A categorical column of a lazy frame: what a design asks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vtreat_py._column_facts import LevelFacts
from vtreat_py._design_context import DesignContext
from vtreat_py._levels import Levels
from vtreat_py.engines.lazy.columns import LazyLevels
from vtreat_py.engines.lazy.level_queries import level_sums
from vtreat_py.engines.lazy.rows import DesignRows
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.statistics.outcome_sums import OutcomeSums


def engine_level_facts(
    rows: DesignRows, context: DesignContext, column: LazyLevels
) -> LevelFacts | None:
    """Sum up a column; None where it has missing values only."""
    found = level_sums(rows, column)
    if not len(found.levels):
        return None
    asked = _EngineLevels(rows, context, column, found.levels, found.tables[0].by_level().weight)
    return LevelFacts(column.name, found.levels, found.tables, found.tables, [], asked, "")


@dataclass(frozen=True, eq=False)
class _EngineLevels:
    """The `LevelRows` of a column of a lazy frame."""

    rows: DesignRows
    context: DesignContext
    column: LazyLevels
    levels: Levels
    weight: Any

    def residual_sums(self, number: int) -> tuple[OutcomeSums, OutcomePowers]:
        """Sums by level, and powers, of the rows' weighted residuals."""
        raise NotImplementedError

    def spread(self) -> float | None:
        """p-value of the test of spread, on a part of very many rows."""
        return None
