"""Some rows of a lazy frame in memory, fetched once for all that looks at no more of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.design.some_rows import MOST_ROWS, hints_of_rows
from vtreat_py.folds.row_ids import picked
from vtreat_py.lazy.aggregates import floats
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.rows import DesignRows, Y, step_of
from vtreat_py.lazy.source import collect, selected
from vtreat_py.significance.newton import MANY_POINTS
from vtreat_py.statistics.coordinates import Coordinates

WEIGHT = "row_weight"
_ID = "picked_id"


@dataclass(frozen=True, eq=False)
class PickedRows:
    """Rows that count, with some columns of numbers, under their aliases, weight, outcome and fold.

    A smaller part is in a greater one, so that one query serves all.
    """

    rows: DesignRows
    columns: Sequence[LazyNumber]

    def of(self, most: int) -> pa.Table | None:
        """About ``most`` rows, 65,536 at most; None where a part is wanted, and no row id named."""
        step = step_of(self.rows.n_rows, most)
        if step <= 1:
            return self._table
        if self.rows.row_id is None:
            return None
        return self._table.filter(pa.array(picked(self._table[_ID].to_numpy(), step)))

    def near(self, column: LazyNumber) -> Coordinates | None:
        """Coordinates near the good values that these rows have, whatever their order; or None."""
        table = self.of(MANY_POINTS)
        if table is None:
            return None
        values = floats(table, column.alias)
        good = values[np.isfinite(values)]
        return Coordinates.near(np.sort(good)) if len(good) else None

    def hints(self, column: LazyNumber) -> tuple[str, ...]:
        """Say what some rows tell, if these can be had."""
        table, rows = self.of(MOST_ROWS), self.rows
        if table is None or rows.outcome is None:
            return ()
        y = floats(table, Y)
        contrasts = [(y == k).astype(np.int8) for k in rows.contrasted] or [y]
        weight = None if rows.weight is None else floats(table, WEIGHT)
        x = floats(table, column.alias)
        return hints_of_rows(x, [y], contrasts if column.kind == "number" else [], weight)

    @cached_property
    def _table(self) -> pa.Table:
        rows = self.rows
        part = rows.counted(self.columns, step_of(rows.n_rows, MANY_POINTS))
        wanted = {column.alias: column.value for column in self.columns}
        wanted |= {WEIGHT: rows.w, Y: nw.col(Y), FOLD: nw.col(FOLD)}
        if rows.row_id is not None:
            wanted[_ID] = rows.row_id.value
        return collect(selected(part, wanted))
