"""Codes of levels that users write; see `LevelCoder`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.coders.asking import Asked, vary
from vtreat_py.coders.code import (
    SUPERVISED,
    ColumnLevels,
    LevelCode,
    LevelVariable,
    LevelVariables,
    TrainingLevels,
)
from vtreat_py.coders.custom import LevelCoder
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.rows import labels_of
from vtreat_py.coders.table_code import one_of_table
from vtreat_py.frames.levels import Levels
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import sum_by


class OwnLevelCode(LevelCode):
    """A code that a user's function makes of levels."""

    outcomes = SUPERVISED
    y_aware = True
    is_table = True

    def __init__(self, name: str, coder: LevelCoder) -> None:
        self.name, self._coder, self.takes_rows = name, coder, coder.needs_rows

    def made(self, column: ColumnLevels) -> LevelVariables | str | None:
        """Make the variable; where the function returns None, a string says so."""
        asked = Asked(self.name, column.name, None)
        table = self._table(column, asked, column.pooled)
        if table is None:
            return asked.declined
        values, sums = table[:-1], column.pooled.view.entries
        if not vary(values[sums.weight > 0]):
            return None
        variable = LevelVariable(self.name, partial(self._in_folds, column), table)
        return one_of_table(variable, values, sums, Moments.over_points(values, sums))

    def ruled_out(self, column: ColumnLevels, n_made: int) -> int:  # noqa: ARG002
        """Count the variable, where the function, which saw the outcome, did not make it."""
        return int(not n_made)

    def _in_folds(self, column: ColumnLevels, folds: TrainingLevels) -> _TablesOfFolds:
        """Ask the function on the training rows of each fold."""
        tables = [self._of_fold(column, k, folds) for k in range(folds.pooled.view.n_groups)]
        return _TablesOfFolds(np.array(tables))

    def _of_fold(self, column: ColumnLevels, fold: int, folds: TrainingLevels) -> FloatArray:
        """Codes by the training rows of a fold; constant where there are none, or no values."""
        levels = folds.alone(fold)
        nothing = np.zeros(len(column.levels) + 2)
        if not levels.view.whole.weight[0] > 0:
            return nothing
        table = self._table(column, Asked(self.name, column.name, fold), levels)
        if table is not None:
            return table
        mean = levels.view.whole.mean[0] + levels.view.whole.centre
        return nothing if self._coder.center else nothing + mean

    def _table(self, column: ColumnLevels, asked: Asked, levels: PooledLevels) -> FloatArray | None:
        """Code of each level, of the missing one, and of those never seen."""
        if self._coder.needs_rows:
            assert column.rows is not None
            given = column.rows(asked.fold)
            labels = labels_of(column.levels, given.codes)
            found = asked.call(self._coder.function, labels, given.y.copy(), given.weight.copy())
            level, weight, what = given.codes, given.weight, "rows"
        else:
            sums = levels.view.entries
            level = np.flatnonzero(sums.weight > 0)
            weight, what = sums.weight[level], "levels"
            found = asked.call(self._coder.function, _sums_table(column.levels, levels, level))
        if found is None:
            return None
        values = asked.numbers(found, len(level), what)
        by_rows = None if column.options.follows_r else weight
        return self._of_values(values, level, weight, by_rows, len(column.levels) + 1)

    def _of_values(
        self,
        values: FloatArray,
        level: IntArray,
        weight: FloatArray,
        weight_in_level: FloatArray | None,
        n_levels: int,
    ) -> FloatArray:
        """Means by level, and of all for levels never seen."""
        overall = float(np.average(values, weights=weight))
        codes = np.full(n_levels + 1, overall)
        codes[level] = values  # so that levels of equal values keep them to the bit
        apart = values - codes[level]
        rows = sum_by(level, weight_in_level, n_levels + 1)
        weighted = apart if weight_in_level is None else weight_in_level * apart
        codes += sum_by(level, weighted, n_levels + 1) / np.where(rows > 0, rows, 1.0)
        return codes - overall if self._coder.center else codes


@dataclass(frozen=True, eq=False)
class _TablesOfFolds:
    """Values by fold: `FoldValues`."""

    tables: FloatArray

    def values(self, levels: PooledLevels) -> FloatArray:
        """Values of the entries of a view of the training sets."""
        return np.asarray(self.tables[levels.view.group, levels.view.level])

    def lacking(self, levels: PooledLevels) -> BoolArray:
        """No training set lacks the variable."""
        return np.zeros(levels.view.n_groups, dtype=bool)


def _sums_table(levels: Levels, pooled: PooledLevels, present: IntArray) -> pd.DataFrame:
    """Sums of the levels that have rows."""
    sums = pooled.view.entries.take(present)
    return pd.DataFrame(
        {
            "level": pd.Series(labels_of(levels, present), dtype=object),
            "weight": sums.weight,
            "mean": sums.mean + sums.centre,
            "squares": sums.squares,
        }
    )
