"""The test of spread on rows of a lazy frame: all of them, or a part of very many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.folds.row_ids import RowIdFolds
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.columns import LazyLevels
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.source import collect
from vtreat_py.lazy.tables import brought
from vtreat_py.significance.spread import MOST_ROWS, SpreadTest, sampled_levels

_SEED = 1953
_LEVEL, _WEIGHT, _ID, _CHOSEN = "level", "weight", "row_id", "chosen_level"


@dataclass(frozen=True, eq=False)
class SpreadRows:
    """Where the rows for the test of spread come from.

    Attributes
    ----------
    n_rows : ndarray of shape (n_levels + 1,)
        Rows of each level that count, and of the missing one.
    """

    rows: DesignRows
    column: LazyLevels
    levels: Levels
    n_rows: IntArray

    def p_value(self) -> float | None:
        """p-value by at most about 32,768 rows.

        All rows where there are no more; else a part by arithmetic on the row id or, where levels
        have few rows, all rows of some levels. None where there are more, and no row id is named.
        """
        chosen = sampled_levels(len(self.n_rows), int(self.n_rows.sum()))
        expected = int(self.n_rows.sum() if chosen is None else self.n_rows[chosen].sum())
        frame = self._of_levels(chosen)
        if expected > MOST_ROWS:
            if self.rows.row_id is None:
                return None
            part = RowIdFolds.seeded(math.ceil(expected / MOST_ROWS), _SEED)
            frame = frame.filter(part.of(self.rows.row_id.value) == 0)
        level, y, weight = self._fetched(frame)
        return SpreadTest(y, weight).p_value(level, len(self.n_rows))

    def _of_levels(self, chosen: BoolArray | None) -> nw.LazyFrame[Any]:
        """The rows of some levels."""
        frame = self.rows.of([self.column])
        if self.rows.weight is not None:
            frame = frame.filter(self.rows.counts)
        if chosen is None:
            return frame
        codes = np.flatnonzero(chosen[:-1])
        labels = self.levels.labels.take(pa.array(codes))
        table = brought(self.rows.source, pa.table({_CHOSEN: labels}))
        named = frame.join(table, left_on=self.column.plain.alias, right_on=_CHOSEN, how="inner")
        found = named.select(*frame.collect_schema())
        if not chosen[-1]:
            return found
        return nw.concat([found, frame.filter(self.column.is_missing)], how="vertical")

    def _fetched(self, frame: nw.LazyFrame[Any]) -> tuple[IntArray, FloatArray, FloatArray | None]:
        """Level, outcome and weight of the rows, in the order of their ids."""
        rows = self.rows
        wanted = {_LEVEL: self.column.level, Y: nw.col(Y)}
        if rows.weight is not None:
            wanted[_WEIGHT] = rows.w
        if rows.row_id is not None:
            wanted[_ID] = rows.row_id.value
        table = collect(frame.select(**wanted))
        if rows.row_id is not None:
            table = table.sort_by(_ID)
        text = table[_LEVEL].combine_chunks().cast(self.levels.labels.type)
        codes = self.levels.codes_of_text(text)
        assert codes is not None
        weight = None
        if rows.weight is not None:
            assert rows.outcome is not None
            assert rows.outcome.weighting is not None
            weight = table[_WEIGHT].to_numpy() * rows.outcome.weighting.unit
        return codes, table[Y].to_numpy(), weight
