"""Folds of the rows of a lazy frame: by a row id, by a column, or by groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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
from vtreat_py.lazy.aggregates import totals
from vtreat_py.lazy.columns import (
    LazyEmpty,
    LazyLevels,
    LazyNumber,
    PlainColumn,
    group_column,
    integer_column,
    kept_column,
    lazy_column,
    native_module,
    row_id_column,
    typed_frame,
)
from vtreat_py.lazy.source import LazySource, collect
from vtreat_py.lazy.tables import brought

# Name of the column that holds a row's fold.
FOLD = "fold"
_KEY, _ROWS = "fold_key", "fold_rows"
# Some rows, so many a fold, have all folds as a rule: only where they have not, all are counted.
_FIRST_LOOK = 64


@dataclass(frozen=True, eq=False)
class LazyFolds:
    """The folds of a lazy frame: each row is coded by the rows of all other folds.

    Attributes
    ----------
    n_folds : int
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
    column: PlainColumn
    mixing: RowIdFolds | None = None
    table: pa.Table | None = None

    def attached(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Add the column ``fold`` (Int64, from 0) to a `typed_frame`; all else is kept."""
        if self.mixing is not None:
            return _mixed(self.source, frame, self.column, self.mixing)
        assert self.table is not None
        folds = brought(self.source, self.table)
        joined = frame.join(folds, left_on=self.column.alias, right_on=_KEY, how="left")
        return joined.select(*frame.collect_schema(), FOLD)

    @cached_property
    def n_rows(self) -> IntArray:
        """Rows of each fold, none of them 0; by a query."""
        rows = self.attached(typed_frame(self.source, [self.column]))
        folds, counts, _ = _counted(rows, nw.col(FOLD))
        return _placed(folds, counts, self.n_folds)


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
            "the rows of a lazy frame have no order that folds could go by: name a column that "
            "tells the rows apart (row_id=), a column that holds each row's fold (cv=), or a "
            "column of groups (groups=)"
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
    column = row_id_column(source, row_id)
    mixing = RowIdFolds.seeded(n_folds, random_state)
    given = kept_column(source, row_id)  # not mixed, which costs more than to count it
    frame = typed_frame(source, [given, column])
    found = totals(frame, {"all": ("count", nw.lit(1)), "known": ("count", given.value)})
    if missing := int(found["all"] - found["known"]):
        raise no_id(row_id, missing)
    folds = LazyFolds(source, n_folds, column, mixing)
    some, counts, _ = _counted(folds.attached(frame.head(_FIRST_LOOK * n_folds)), nw.col(FOLD))
    if not _placed(some, counts, n_folds).all():
        check_filled(n_folds, folds.n_rows)
    return folds


def _by_column(source: LazySource, cv: str) -> LazyFolds:
    check_column("cv", cv, source.columns)
    typed = lazy_column(source, cv)
    if isinstance(typed, LazyEmpty):
        raise no_fold(cv)
    column = typed if isinstance(typed, LazyLevels) else integer_column(source, "cv", cv)
    labels, _, missing = _counted(typed_frame(source, [column]), column.value)
    if missing:
        raise no_fold(cv)
    check_labels(cv, labels.to_pylist())
    return _of_table(source, column, labels, np.arange(len(labels)))


def _by_group(source: LazySource, groups: Any, n_folds: int, random_state: Any) -> LazyFolds:
    column = group_column(source, groups)
    if isinstance(column, LazyEmpty):
        raise no_group()
    known = column.value
    if isinstance(column, LazyLevels | LazyNumber):
        known = column.level if isinstance(column, LazyLevels) else column.good
    labels, n_rows, missing = _counted(typed_frame(source, [column]), known)
    if missing:
        raise no_group()
    return _of_table(source, column, labels, deal_groups(n_rows, n_folds, random_state))


def _of_table(
    source: LazySource, column: PlainColumn, labels: pa.ChunkedArray, fold: IntArray
) -> LazyFolds:
    table = pa.table({_KEY: labels, FOLD: pa.array(fold, pa.int64())})
    return LazyFolds(source, int(fold.max()) + 1, column, table=table)


def _placed(folds: pa.ChunkedArray, counts: IntArray, n_folds: int) -> IntArray:
    """Rows of each fold."""
    n_rows = np.zeros(n_folds, dtype=np.int64)
    n_rows[folds.to_numpy()] = counts
    return n_rows


def _mixed(
    source: LazySource, frame: nw.LazyFrame[Any], column: PlainColumn, mixing: RowIdFolds
) -> nw.LazyFrame[Any]:
    """Add folds by row id, step by step, so that no step is computed twice.

    Remainders of narwhals are never negative, which costs databases a second one each; those of
    their own may be, and are not here.
    """
    module, number = native_module(source), column.value
    if hasattr(module, "stepwise"):
        native = module.stepwise(frame.to_native(), column.alias, FOLD, mixing.steps)
        mixed: nw.LazyFrame[Any] = nw.from_native(native)
        return mixed
    for step in mixing.steps:
        frame, number = frame.with_columns(step(number).alias(FOLD)), nw.col(FOLD)
    return frame


def _counted(frame: nw.LazyFrame[Any], key: nw.Expr) -> tuple[pa.ChunkedArray, IntArray, int]:
    """Distinct keys, sorted (text by code points), the rows of each, and the rows without one."""
    rows = frame.select(key.alias(_KEY))
    counted = collect(rows.group_by(_KEY).agg(nw.len().alias(_ROWS)))
    missing = counted.filter(pc.field(_KEY).is_null())[_ROWS].to_pylist()
    present = counted.filter(pc.field(_KEY).is_valid()).sort_by(_KEY)
    n_rows = present[_ROWS].to_numpy().astype(np.int64)
    return present[_KEY], n_rows, sum(missing)
