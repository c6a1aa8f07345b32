"""Rows of a lazy frame brought into memory, some at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import narwhals.stable.v2 as nw
import pyarrow as pa

from vtreat_py.folds.row_ids import RowIdFolds
from vtreat_py.lazy.columns import PlainColumn, kept_column, typed_frame
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import collect

# Rows at a time, about.
MOST_ROWS = 1 << 20
_SEED = 0
_ID = "part_id"


def parts_of_rows(rows: DesignRows, names: Sequence[str]) -> Iterator[tuple[pa.Table, pa.Array]]:
    """Bring some columns as they are, and the fold of each row; by a query for about 2**20 rows.

    Rows of a part are in the order of their ids, whatever order the engine has them in.
    """
    assert rows.row_id is not None
    kept = {name: kept_column(rows.source, name) for name in names}
    beside: list[PlainColumn] = [rows.row_id]
    if rows.folds is not None:
        beside.append(rows.folds.column)
    frame = typed_frame(rows.source, [*kept.values(), *beside])
    fold = nw.lit(0).cast(nw.Int64())
    frame = (
        frame.with_columns(fold.alias(FOLD)) if rows.folds is None else rows.folds.attached(frame)
    )
    of_id = rows.row_id.value
    frame = frame.with_columns(of_id.alias(_ID))
    mixing = RowIdFolds.seeded(math.ceil(rows.n_rows / MOST_ROWS), _SEED)
    for number in range(mixing.n_folds):
        part = frame if mixing.n_folds == 1 else frame.filter(mixing.of(of_id) == number)
        wanted = [*(one.alias for one in kept.values()), FOLD, _ID]
        table = collect(part.select(*wanted)).sort_by(_ID)
        if table.num_rows:
            yield table.select(wanted[:-2]).rename_columns(list(kept)), table[FOLD]
