"""Checks of the folds of a lazy frame against its weights and groups."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.warn import warn
from vtreat_py.folds.making import check_trained
from vtreat_py.folds.named import no_group
from vtreat_py.lazy.aggregates import Asked, floats, grouped, one_where
from vtreat_py.lazy.columns import LazyEmpty, group_column
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.plan.options import CLASSIC, ORDERED


def check_weights_of_folds(rows: DesignRows) -> None:
    """Refuse folds whose training rows all have weight 0."""
    if rows.weight is None:
        return
    table = grouped(rows.of([]), {FOLD: nw.col(FOLD)}, {"rows": ("count", one_where(rows.counts))})
    by_fold = np.zeros(rows.n_folds)
    by_fold[table[FOLD].to_numpy()] = floats(table, "rows")
    check_trained(by_fold.sum() - by_fold)


def check_tests_of_rows(significance: str, groups: Any) -> None:
    """Refuse tests that need rows in order, and say which ones do not know of groups."""
    if significance == ORDERED:
        raise InvalidOptionError(
            f'significance="{ORDERED}" shifts the outcome along the rows, and a lazy frame has no '
            "order; collect the frame, or a sample of it, sorted by time"
        )
    if groups is not None and significance != CLASSIC:
        warn(
            "groups= keep rows together in folds, but codes and p-values of a lazy frame take rows "
            "of one group as independent of each other: p-values may be much too small, and levels "
            "of few groups be believed too much. Both know of groups if you design on the "
            "collected frame, or on a sample of groups"
        )


def check_groups_of_folds(rows: DesignRows, groups: Any) -> None:
    """Refuse a fold column that puts rows of one group into several folds."""
    column = group_column(rows.source, groups)
    if isinstance(column, LazyEmpty):
        raise no_group()
    asked: dict[str, Asked] = {"low": ("min", nw.col(FOLD)), "high": ("max", nw.col(FOLD))}
    table = grouped(rows.of([column]), {"group": column.value}, asked)
    split = np.flatnonzero(floats(table, "low") < floats(table, "high"))
    if len(split):
        raise InvalidOptionError(
            f"cv has rows of one group of groups= on both sides: group "
            f"{table['group'][int(split[0])].as_py()!r} is in several folds. Give folds that keep "
            "groups together, or a number of folds"
        )
