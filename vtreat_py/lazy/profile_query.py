"""How numbers of a lazy frame are spread: by some rows, fetched once for several columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.folds.row_ids import RowIdFolds
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import collect
from vtreat_py.lazy.values import condensed_values, distinct_values
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
        if self._step == 1 or self.rows.row_id is not None:
            part = self._table.filter(pc.is_finite(self._table[column.plain.alias]))
            if part.num_rows:
                weight = part[_WEIGHT].to_numpy() if self.rows.weight is not None else None
                found = part[column.plain.alias].to_numpy()
                return NumberProfile.of_part(found, weight, extent, bad_share)
        frame = self.rows.of([column]).filter(self.rows.counts, ~column.is_bad)
        weighted = None if self.rows.weight is None else self.rows.w
        table = distinct_values(frame, column.number, weighted)
        if table is None:
            table = condensed_values(frame, column.number, weighted)
        return NumberProfile.of_part(table.numbers, table.weight, extent, bad_share)

    @property
    def _step(self) -> int:
        return max(math.ceil(self.rows.n_rows / MOST_ROWS), 1)

    @cached_property
    def _table(self) -> pa.Table:
        """The rows, with a column for each of the columns."""
        frame, row_id = self.rows.of(self.columns), self.rows.row_id
        if self.rows.weight is not None:
            frame = frame.filter(self.rows.counts)
        if self._step > 1:
            assert row_id is not None
            frame = frame.filter(RowIdFolds.seeded(self._step, _SEED).of(row_id.value) == 0)
        numbers = {column.plain.alias: column.number for column in self.columns}
        return collect(frame.select(**numbers, **{_WEIGHT: self.rows.w}))
