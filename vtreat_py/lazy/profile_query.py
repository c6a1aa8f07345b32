"""How numbers of a lazy frame are spread: by some rows, fetched once for several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import collect, selected
from vtreat_py.lazy.values import table_of_values
from vtreat_py.statistics.number_profile import MOST_ROWS, NumberProfile

_SEED = 1969
_WEIGHT = "weight"


@dataclass(frozen=True, eq=False)
class ProfileRows:
    """The rows that histograms of numeric columns look at.

    All rows where there are no more than 16,384; else so many, chosen by arithmetic on the row id;
    without a row id the different values of each column, or bins of them.
    """

    rows: DesignRows
    columns: Sequence[LazyNumber]

    def profile(
        self, column: LazyNumber, extent: tuple[float, float], bad_share: float
    ) -> NumberProfile:
        """Profile a column whose range and share of bad values are known."""
        if self._table is not None:
            part = self._table.filter(pc.is_finite(self._table[column.alias]))
            if part.num_rows:
                weight = part[_WEIGHT].to_numpy() if self.rows.weight is not None else None
                found = part[column.alias].to_numpy()
                return NumberProfile.of_part(found, weight, extent, bad_share)
        frame = self.rows.of([column]).filter(self.rows.counts, ~column.is_bad)
        table = table_of_values(frame, column.value, self.rows.weight)
        return NumberProfile.of_part(table.numbers, table.weight, extent, bad_share)

    @cached_property
    def _table(self) -> pa.Table | None:
        """The rows, with a column for each of the columns; None where none can be picked."""
        rows = self.rows
        part = rows.part(rows.counted(self.columns), rows.n_rows, MOST_ROWS, _SEED)
        if part is None:
            return None
        numbers = {column.alias: column.value for column in self.columns}
        return collect(selected(part, numbers | {_WEIGHT: rows.w}))
