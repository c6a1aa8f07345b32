"""Folds of the rows of a lazy frame: by a row id, by a column, or by groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.folds.making import DEFAULT_FOLDS
from vtreat_py.folds.named import (
    ORDERED,
    check_filled,
    check_fold_count,
    check_labels,
    deal_groups,
    names_fold_column,
    no_group,
)
from vtreat_py.folds.row_ids import RowIdFolds
from vtreat_py.frames.beside import check_column, no_fold, no_id
from vtreat_py.lazy.columns import (
    LazyEmpty,
    LazyLevels,
    PlainColumn,
    integer_column,
    lazy_column,
    named_column,
    typed_frame,
)
from vtreat_py.lazy.source import LazySource, collect
from vtreat_py.lazy.tables import brought

# Name of the column that holds a row's fold.
FOLD = "fold"
_KEY, _ROWS = "fold_key", "fold_rows"


@dataclass(frozen=True, eq=False)
class LazyFolds:
    """The folds of a lazy frame: each row is coded by the rows of all other folds.

    Attributes
    ----------
    n_folds : int
    n_rows : ndarray of shape (n_folds,)
        Rows of each fold, none of them 0.
    column : PlainColumn
        What tells a row's fold; a `typed_frame` must have it for `attached`.
    mixing : RowIdFolds or None
        How a row id tells it; None: by ``table``.
    table : pyarrow.Table or None
        Values of the column (``fold_key``) and their folds (``fold``, Int64).

    Examples
    --------
    >>> import polars as pl
    >>> source = LazySource.of(pl.LazyFrame({"part": ["b", "a", "b"]}))
    >>> folds = lazy_folds(source, cv="part")
    >>> folds.n_rows
    array([1, 2])
    >>> rows = folds.attached(typed_frame(source, [folds.column]))
    >>> sorted(rows.select("fold").collect().get_column("fold").to_list())
    [0, 1, 1]
    """

    source: LazySource
    n_folds: int
    n_rows: IntArray
    column: PlainColumn
    mixing: RowIdFolds | None = None
    table: pa.Table | None = None

    def attached(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Add the column ``fold`` (Int64, from 0) to a `typed_frame`; all else is kept."""
        if self.mixing is not None:
            return frame.with_columns(self.mixing.of(self.column.value).alias(FOLD))
        assert self.table is not None
        folds = brought(self.source, self.table)
        joined = frame.join(folds, left_on=self.column.alias, right_on=_KEY, how="left")
        return joined.select(*frame.collect_schema(), FOLD)


def lazy_folds(
    source: LazySource,
    *,
    cv: Any = None,
    row_id: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> LazyFolds:
    """Make the folds that the options ask for; one query counts their rows.

    A fold column is taken if ``cv`` names one, else groups, else the row id. That ids differ is not
    checked: rows of one share a fold. Folds are those of the same options in memory, where
    ``row_id`` is given too.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If nothing says which fold a row is in, a column is not there or of the wrong type, or
        there are less than 2 folds, or empty ones.
    FrameError, OutcomeError
        If ids, folds or groups are missing in rows.
    """
    if names_fold_column(cv):
        return _by_column(source, cv)
    n_folds = _fold_count(cv)
    if groups is not None:
        return _by_group(source, groups, n_folds, random_state)
    if row_id is None:
        raise InvalidOptionError(
            "the rows of a lazy frame have no order that folds could go by: name a column of "
            "integers that tells the rows apart (row_id=), a column that holds each row's fold "
            "(cv=), or a column of groups (groups=)"
        )
    return _by_row_id(source, row_id, n_folds, random_state)


def _fold_count(cv: Any) -> int:
    if cv is None:
        return DEFAULT_FOLDS
    if isinstance(cv, int | np.integer) and type(cv) is not bool:
        check_fold_count(int(cv))
        return int(cv)
    if isinstance(cv, str):
        raise InvalidOptionError(
            f'cv="{ORDERED}" goes by the order of the rows, and those of a lazy frame have none; '
            "collect it first, or give a number of folds or a column of folds"
        )
    raise OptionTypeError(
        f"cv={cv!r} cannot be used on a lazy frame, whose rows have no numbers; give a number of "
        "folds, or the name of a column that holds each row's fold"
    )


def _by_row_id(source: LazySource, row_id: Any, n_folds: int, random_state: Any) -> LazyFolds:
    column = integer_column(source, "row_id", row_id)
    mixing = RowIdFolds.seeded(n_folds, random_state)
    folds, counts, missing = _counted(source, column, mixing.of(column.value))
    if missing:
        raise no_id(row_id, missing)
    n_rows = np.zeros(n_folds, dtype=np.int64)
    n_rows[folds.to_numpy()] = counts
    check_filled(n_folds, n_rows)
    return LazyFolds(source, n_folds, n_rows, column, mixing)


def _by_column(source: LazySource, cv: str) -> LazyFolds:
    check_column("cv", cv, source.columns)
    typed = lazy_column(source, cv)
    if isinstance(typed, LazyEmpty):
        raise no_fold(cv)
    column = typed if isinstance(typed, LazyLevels) else integer_column(source, "cv", cv)
    labels, n_rows, missing = _counted(source, column, column.value)
    if missing:
        raise no_fold(cv)
    check_labels(cv, labels.to_pylist())
    return _of_table(source, column, labels, np.arange(len(labels)), n_rows)


def _by_group(source: LazySource, groups: Any, n_folds: int, random_state: Any) -> LazyFolds:
    column = named_column(source, "groups", groups)
    if isinstance(column, LazyEmpty):
        raise no_group()
    known = column.level if isinstance(column, LazyLevels) else column.good
    labels, n_rows, missing = _counted(source, column, known)
    if missing:
        raise no_group()
    return _of_table(source, column, labels, deal_groups(n_rows, n_folds, random_state), n_rows)


def _of_table(
    source: LazySource,
    column: PlainColumn,
    labels: pa.ChunkedArray,
    fold: IntArray,
    n_rows: IntArray,
) -> LazyFolds:
    rows_of_fold = np.bincount(fold, n_rows).astype(np.int64)
    table = pa.table({_KEY: labels, FOLD: pa.array(fold, pa.int64())})
    return LazyFolds(source, len(rows_of_fold), rows_of_fold, column, table=table)


def _counted(
    source: LazySource, column: PlainColumn, key: nw.Expr
) -> tuple[pa.ChunkedArray, IntArray, int]:
    """Distinct keys, sorted (text by code points), the rows of each, and the rows without one."""
    rows = typed_frame(source, [column]).select(key.alias(_KEY))
    counted = collect(rows.group_by(_KEY).agg(nw.len().alias(_ROWS)))
    missing = counted.filter(pc.field(_KEY).is_null())[_ROWS].to_pylist()
    present = counted.filter(pc.field(_KEY).is_valid()).sort_by(_KEY)
    n_rows = present[_ROWS].to_numpy().astype(np.int64)
    return present[_KEY], n_rows, sum(missing)
