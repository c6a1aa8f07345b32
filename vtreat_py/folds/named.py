"""Folds that depend on columns alone, by name: the same in memory and on lazy frames."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from vtreat_py.base.arrays import IntArray, NumberArray
from vtreat_py.base.errors import InvalidOptionError, OutcomeError, listed
from vtreat_py.base.seeds import random_numbers
from vtreat_py.folds.row_ids import RowIdFolds
from vtreat_py.folds.text_ids import numbers_of_ids
from vtreat_py.frames.beside import check_column, integers, no_fold, wrong_type
from vtreat_py.frames.columns import Column, NumericColumn, complete_values
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.levels import Levels

# cv="ordered" asks for folds in order of time; any other text is the name of a fold column.
ORDERED = "ordered"
TOO_FEW = "at least 2 folds are needed, because with one each row would be coded by its own outcome"


def names_fold_column(cv: Any) -> bool:
    """Whether ``cv`` is the name of a column that holds each row's fold."""
    return isinstance(cv, str) and cv != ORDERED


def fold_by_column(frame: InputFrame, cv: str) -> tuple[IntArray, int]:
    """Fold of each row by the column ``cv``, and their number.

    Folds are numbered by their sorted labels: integers by size, text by code points. There must be
    two or more, and each row must have one.
    """
    check_column("cv", cv, frame.columns)
    column = frame.read(cv)
    if isinstance(column, NumericColumn):
        fold, found = _numbered(integers(frame, "cv", cv))
    else:
        complete = complete_values(column)
        if complete is None:
            raise no_fold(cv)
        fold, found = _numbered(*complete)
        if not all(isinstance(label, str) for label in found):
            raise wrong_type("cv", cv, "several, such as " + listed(found))
    check_labels(cv, found)
    return fold.astype(np.min_scalar_type(len(found))), len(found)


def fold_by_row_id(frame: InputFrame, row_id: Any, n_folds: int, random_state: Any) -> IntArray:
    """Fold of each row by its id, of which each has one; see `RowIdFolds`."""
    ids = numbers_of_ids(frame, row_id)
    fold: IntArray = RowIdFolds.seeded(n_folds, random_state).of(ids)
    check_filled(n_folds, np.bincount(fold, minlength=n_folds))
    return fold.astype(np.min_scalar_type(n_folds))


def fold_by_group(groups: Column, n_folds: int, random_state: Any) -> IntArray:
    """Fold of each row by its group, of which each has one; see `deal_groups`."""
    complete = complete_values(groups)
    if complete is None:
        raise no_group()
    number, _ = _numbered(*complete)
    return deal_groups(np.bincount(number), n_folds, random_state)[number]


def _numbered(values: NumberArray, levels: Levels | None = None) -> tuple[IntArray, list[Any]]:
    """Number of each row's value, or level, among the sorted ones, and these."""
    if levels is None:
        found, number = np.unique(values, return_inverse=True)
        return number, found.tolist()
    labels = sorted(levels.to_list(), key=lambda label: (type(label).__name__, label))
    number = np.empty(len(levels), dtype=np.intp)
    number[levels.codes_of(labels)] = np.arange(len(levels))
    return number[values], labels


def deal_groups(n_rows: IntArray, n_folds: int, random_state: Any) -> IntArray:
    """Deal whole groups to folds, so that folds are balanced by rows.

    Large groups first, those of one size in random order, each to the fold that has the fewest
    rows yet. That depends on nothing but the sizes, in sorted order of the groups, and the seed.

    Parameters
    ----------
    n_rows : ndarray of shape (groups,)
        Rows of each group, the groups sorted: numbers by size, text by code points.

    Returns
    -------
    ndarray of shape (groups,)
        The fold of each.

    Examples
    --------
    >>> import numpy as np
    >>> deal_groups(np.array([1, 5, 2, 2]), 2, random_state=0)
    array([1, 0, 1, 1])
    """
    check_group_count(n_folds, len(n_rows))
    order = random_numbers(random_state).permutation(len(n_rows))
    order = order[np.argsort(-n_rows[order], kind="stable")]
    folds = [(0, fold) for fold in range(n_folds)]
    dealt = np.empty(len(n_rows), dtype=np.intp)
    for group in order:
        rows, fold = folds[0]
        dealt[group] = fold
        heapq.heapreplace(folds, (rows + int(n_rows[group]), fold))
    return dealt


def check_fold_count(n_folds: int) -> None:
    """Refuse a single fold."""
    if n_folds < 2:
        raise InvalidOptionError(f"cv={n_folds}: {TOO_FEW}")


def check_group_count(n_folds: int, n_groups: int) -> None:
    """Refuse fewer groups than folds."""
    if n_groups < n_folds:
        raise InvalidOptionError(
            f"cv={n_folds} folds need as many groups, but groups= holds {n_groups}"
        )


def check_labels(cv: str, labels: Sequence[Any]) -> None:
    """Refuse a fold column of one fold."""
    if len(labels) < 2:
        raise InvalidOptionError(f"cv={cv!r} holds {listed(labels)} only: {TOO_FEW}")


def check_filled(n_folds: int, n_rows: IntArray) -> None:
    """Refuse a fold that no row's id falls into."""
    empty = np.flatnonzero(n_rows == 0)
    if len(empty):
        raise InvalidOptionError(
            f"cv={n_folds}: no row id falls into fold {empty[0]} of the {int(n_rows.sum())} rows; "
            "use fewer folds, another random_state, or name a column of folds as cv"
        )


def no_group() -> OutcomeError:
    """Error for rows without a group."""
    return OutcomeError("groups has missing values; each row needs a group")
