"""Splits that predict each row several times, each time by a model of other training rows."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._model_rows import splits
from vtreat_py.evaluation._refusals import refused_as, shown

# Rows to train on, rows to predict, and the number of each one's prediction, from 0 on.
Split: TypeAlias = tuple[IntArray, IntArray, IntArray]


def repeated_splits(
    cv: Any, X: Any, y: Any, groups: Any, L: int, random: np.random.Generator
) -> list[Split]:
    """Split the rows so that each is predicted equally often; refuse a ``cv`` that does not."""
    n_rows = len(y)
    times = np.zeros(n_rows, dtype=np.int64)
    found: list[Split] = []
    for train, test in _pairs(cv, X, y, groups, L, random):
        _check_rows(train, test, n_rows)
        found.append((train, test, times[test]))
        times[test] += 1
    if not found:
        raise InvalidOptionError("cv has no splits; it must predict each row at least once")
    most, least = int(times.argmax()), int(times.argmin())
    if times[most] != times[least]:
        raise InvalidOptionError(
            f"cv predicts row {most} {times[most]} times and row {least} {times[least]} times; "
            "each row must be predicted equally often, as by KFold, RepeatedKFold or a list of "
            "such plans"
        )
    return found


def shuffled_folds(k: int, *, stratify: bool, grouped: bool) -> Any:
    """Folds that are drawn anew each time: of like shares of the classes, of whole groups."""
    if grouped:
        return StratifiedGroupKFold(k, shuffle=True) if stratify else GroupKFold(k, shuffle=True)
    return StratifiedKFold(k, shuffle=True) if stratify else KFold(k, shuffle=True)


def _pairs(
    cv: Any, X: Any, y: Any, groups: Any, L: int, random: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of training and test rows from a splitter, from pairs, or from plans of either."""
    if _is_splitter(cv):
        shuffles_anew = getattr(cv, "shuffle", False) and cv.random_state is None
        for _ in range(L if shuffles_anew else 1):
            yield from splits(_seeded(cv, random), X, y, groups)
    elif isinstance(cv, Iterable) and not isinstance(cv, str | bytes):
        for part in cv:
            if _is_pair(part):
                with refused_as(f"cv holds {shown(part)}, which are no numbers of rows"):
                    yield np.asarray(part[0]), np.asarray(part[1])
            else:
                yield from _pairs(part, X, y, groups, 1, random)
    else:
        raise OptionTypeError(
            f"cv={shown(cv)} must be a splitter, a list of (train, test) rows, or a list of such "
            "plans; "
            "k is the number of folds"
        )


def _is_splitter(part: Any) -> bool:
    return hasattr(part, "split") and not isinstance(part, str)


def _seeded(splitter: Any, random: np.random.Generator) -> Any:
    """Copy a splitter; one without a random state of its own gets one."""
    splitter = copy.copy(splitter)
    shuffles = getattr(splitter, "shuffle", True)
    if shuffles and getattr(splitter, "random_state", 0) is None:
        splitter.random_state = int(random.integers(2**31))
    return splitter


def _is_pair(part: Any) -> bool:
    """Tell (train, test) rows from a plan of two such pairs, or of two splitters."""
    if not isinstance(part, tuple | list) or len(part) != 2 or _is_splitter(part[0]):
        return False
    return len(part[0]) > 0 and np.ndim(part[0][0]) == 0


def _check_rows(train: IntArray, test: IntArray, n_rows: int) -> None:
    for name, rows in (("trains on", train), ("predicts", test)):
        if rows.dtype.kind not in "iu" or rows.ndim != 1:
            raise OptionTypeError(f"cv {name} {shown(rows)}; an array of row numbers is wanted")
        if not len(rows):
            raise InvalidOptionError(f"cv {name} no row at all in one split")
        outside = rows[(rows < 0) | (rows >= n_rows)]
        if len(outside):
            raise InvalidOptionError(f"cv {name} row {outside[0]}, but rows are 0 to {n_rows - 1}")
    if len(np.unique(test)) < len(test):
        raise InvalidOptionError("cv predicts a row twice in one split")
