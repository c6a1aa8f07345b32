"""How a column of numbers of a lazy frame is spread."""

from __future__ import annotations

import pyarrow.compute as pc

from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.picked_rows import WEIGHT, PickedRows
from vtreat_py.lazy.values import table_of_values
from vtreat_py.statistics.number_profile import MOST_ROWS, NumberProfile


def profiled(
    looked_at: PickedRows, column: LazyNumber, extent: tuple[float, float], bad_share: float
) -> NumberProfile:
    """Profile a column whose range and share of bad values are known.

    By all rows where there are no more than 16,384; else by so many, chosen by arithmetic on the
    row id; without a row id by the different values of the column, or bins of them.
    """
    rows, table = looked_at.rows, looked_at.of(MOST_ROWS)
    if table is not None:
        part = table.filter(pc.is_finite(table[column.alias]))
        if part.num_rows:
            weight = part[WEIGHT].to_numpy() if rows.weight is not None else None
            return NumberProfile.of_part(part[column.alias].to_numpy(), weight, extent, bad_share)
    frame = rows.of([column]).filter(rows.counts, ~column.is_bad)
    values = table_of_values(frame, column.value, rows.weight)
    return NumberProfile.of_part(values.numbers, values.weight, extent, bad_share)
