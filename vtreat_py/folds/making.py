"""Cross-validation plans: which rows a code is learned on, which rows it is applied to."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import BaseShuffleSplit, TimeSeriesSplit

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.seeds import random_numbers
from vtreat_py.folds.named import (
    ORDERED,
    check_fold_count,
    check_group_count,
    fold_by_column,
    fold_by_group,
    fold_by_row_id,
    names_fold_column,
    no_group,
)
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.frames.columns import Column, complete_values
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.outcome import OutcomeRows
from vtreat_py.statistics.outcome_sums import OutcomeSums

DEFAULT_FOLDS = 5
# cv="ordered": rows are coded by those before them, block by block.
_ORDERED_BLOCKS = 10
# Permutations of the folds that blocks of rows draw from.
_PERMUTATIONS = 1024
# Up to this many rows folds are stratified, on numbers or on classes of so many rows; above it
# random folds are balanced to a fraction of a percent, and cost less than the codes do.
_STRATIFIED_ROWS = 1 << 16
# Up to so many classes a look for the rows of each costs less than to put all in order.
_FEW_CLASSES = 4


def make_folds(
    cv: Any,
    groups: Column | None,
    random_state: Any,
    outcome: OutcomeRows,
    frame: InputFrame,
    row_id: Any = None,
) -> FoldPlan:
    """Make the fold plan that ``cv`` asks for.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If ``cv`` is not a number of folds, a splitter, a sound list of index pairs, or a column
        of folds; or if the column ``row_id`` does not tell folds.
    """
    n_rows, labels = frame.n_rows, None if groups is None else group_labels(groups)
    if cv is None:
        cv = DEFAULT_FOLDS
    # What another class makes of TimeSeriesSplit may be anything: it is checked like all splits.
    in_time = (isinstance(cv, str) and cv == ORDERED) or type(cv) is TimeSeriesSplit
    if in_time:
        plan = _in_time(cv, outcome, n_rows)
    elif names_fold_column(cv):
        plan = FoldPlan(*fold_by_column(frame, cv))
    elif isinstance(cv, int | np.integer) and type(cv) is not bool:
        check_fold_count(int(cv))
        if row_id is None:
            plan = _counted(int(cv), labels, random_state, outcome, n_rows)
        elif groups is None:
            plan = FoldPlan(fold_by_row_id(frame, row_id, int(cv), random_state), int(cv))
        else:
            plan = FoldPlan(fold_by_group(groups, int(cv), random_state), int(cv))
    elif hasattr(cv, "split") and not isinstance(cv, str | bytes | type):
        plan = folds_of_pairs(_split_by(cv, labels, outcome, n_rows), n_rows)
    elif _is_listed(cv):
        plan = folds_of_pairs(list(cv), n_rows)
    else:
        raise OptionTypeError(
            f'cv={cv!r} is not understood; give a number of folds, "{ORDERED}", the name of a '
            "column of folds, a scikit-learn splitter, or a list of (training rows, application "
            "rows) index pairs"
        )
    if labels is not None:
        _check_groups(plan, labels)
    if not in_time:  # the first rows have no past
        _check_training_counts(plan, outcome.weight)
    return plan


def _is_listed(cv: Any) -> bool:
    """Whether it may hold index pairs: text does not, nor does an array without dimensions."""
    if isinstance(cv, np.ndarray):
        return bool(cv.ndim)
    return isinstance(cv, Iterable) and not isinstance(cv, str | bytes | Mapping | type)


def _in_time(cv: Any, outcome: OutcomeRows, n_rows: int) -> FoldPlan:
    """Folds that are trained on the past; the first rows, which have none, are a fold too."""
    if isinstance(cv, str):
        if n_rows < 2:
            raise InvalidOptionError(f'cv="{ORDERED}" needs two rows at least; found {n_rows}')
        n_blocks = min(_ORDERED_BLOCKS, n_rows)
        return FoldPlan(np.arange(n_rows) * n_blocks // n_rows, n_blocks, in_order=True)
    pairs = _split_by(cv, None, outcome, n_rows)
    first = np.setdiff1d(np.arange(n_rows), np.concatenate([rows for _, rows in pairs]))
    pairs = [(np.empty(0, dtype=np.intp), first), *pairs]
    fold = np.empty(n_rows, dtype=np.min_scalar_type(len(pairs)))
    rows, number = _with_fold([rows for _, rows in pairs])
    fold[rows] = number
    in_order = all(len(train) == np.count_nonzero(fold < k) for k, (train, _) in enumerate(pairs))
    if in_order:
        return FoldPlan(fold, len(pairs), in_order=True)
    return FoldPlan(fold, len(pairs), _with_fold([train for train, _ in pairs]))


def _with_fold(rows: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Put the rows of all folds one after the other, with the fold of each."""
    return np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(r) for r in rows])


def _split_by(cv: Any, labels: IntArray | None, outcome: OutcomeRows, n_rows: int) -> list[Any]:
    """Ask a splitter of the scikit-learn kind for its pairs."""
    if isinstance(cv, BaseShuffleSplit):
        raise InvalidOptionError(
            f"cv: {type(cv).__name__} draws its application sets independently, so that a row is "
            "in several of them or in none, by chance. Give a splitter that applies each row "
            "equally often, such as KFold(shuffle=True) or RepeatedKFold"
        )
    try:
        with warnings.catch_warnings():  # whether groups stay together is checked
            warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
            return list(cv.split(np.zeros((n_rows, 1)), outcome.labels, labels))
    except ValueError as reason:
        raise InvalidOptionError(
            f"cv: {type(cv).__name__} cannot split these rows: {reason}"
        ) from reason


def _counted(
    n_folds: int, labels: IntArray | None, random_state: Any, outcome: OutcomeRows, n_rows: int
) -> FoldPlan:
    if n_folds > n_rows:
        raise InvalidOptionError(f"cv={n_folds} folds need as many rows, but there are {n_rows}")
    if labels is None:
        return FoldPlan(_stratified(n_folds, outcome.y, random_state), n_folds)
    check_group_count(n_folds, int(labels.max()) + 1)
    return FoldPlan(_grouped(n_folds, labels, outcome, random_state)[labels], n_folds)


def _grouped(n_folds: int, labels: IntArray, outcome: OutcomeRows, random_state: Any) -> IntArray:
    """Deal whole groups to folds, stratified on their y; the fold of each group."""
    n_groups, n_classes = int(labels.max()) + 1, len(outcome.classes)
    if not n_classes:
        y = outcome.y.astype(np.float64)
        means = OutcomeSums.of_rows(labels, n_groups, y, outcome.weight).mean
        return _stratified(n_folds, means, random_state)
    pair = labels * n_classes + outcome.y
    shares = np.bincount(pair, outcome.weight, n_groups * n_classes).reshape(n_groups, n_classes)
    return _stratified(n_folds, shares.argmax(axis=1).astype(outcome.y.dtype), random_state)


def _stratified(n_folds: int, y: Any, random_state: Any) -> IntArray:
    """Deal the rows to folds so that every fold gets the same share of each class or range of y.

    Rows of like y are in random order: dealt in the frame's order, the rows of a level that
    stand together would share their y evenly among the folds, and the others' mean would tell
    a row what its own y is.
    """
    random = random_numbers(random_state)
    dealt = _dealt(n_folds, len(y), random)
    fold = np.empty_like(dealt)
    if y.dtype.kind == "f":
        if len(y) > _STRATIFIED_ROWS:
            return dealt
        fold[np.lexsort((random.random(len(y)), y))] = dealt
        return fold
    end = 0
    for rows in _rows_of_classes(y):
        start, end = end, end + len(rows)
        fold[rows] = _shuffled(dealt[start:end], n_folds, random)
    return fold


def _rows_of_classes(y: IntArray) -> list[IntArray]:
    """Rows of each class; of a few classes they are looked for, which is faster than an order."""
    n_classes = int(y.max()) + 1
    if n_classes <= _FEW_CLASSES:
        return [np.flatnonzero(y == k) for k in range(n_classes)]
    return np.split(np.argsort(y, kind="stable"), np.cumsum(np.bincount(y))[:-1])


def _dealt(n_folds: int, n_rows: int, random: Any) -> IntArray:
    """Folds of rows: each block of ``n_folds`` rows gets a permutation, from a pool of them."""
    n_blocks = -(-n_rows // n_folds)
    kind = np.min_scalar_type(n_folds)
    deck = np.tile(np.arange(n_folds, dtype=kind), (min(n_blocks, _PERMUTATIONS), 1))
    deck = random.permuted(deck, axis=1)
    if n_blocks > _PERMUTATIONS:
        deck = deck.take(random.integers(_PERMUTATIONS, size=n_blocks), axis=0, mode="clip")
    return np.asarray(deck.ravel()[:n_rows])


def _shuffled(dealt: IntArray, n_folds: int, random: Any) -> IntArray:
    """Folds in random order; of many rows, as many folds drawn afresh, which is faster."""
    if len(dealt) <= max(_STRATIFIED_ROWS, 1000 * n_folds):
        return np.asarray(random.permutation(dealt))
    return np.asarray(random.integers(n_folds, size=len(dealt), dtype=dealt.dtype))


def deal_evenly(values: NumberArray, n_folds: int, random: np.random.Generator) -> FoldPlan:
    """Deal the rows so that every block of ``n_folds`` of them in the order of values meets all.

    Rows of equal value are put in random order first, and each block gets a random permutation.
    """
    order = random.permutation(len(values))
    order = order[np.argsort(values[order], kind="stable")]
    n_blocks = -(-len(values) // n_folds)
    blocks = random.permuted(np.tile(np.arange(n_folds), (n_blocks, 1)), axis=1)
    fold = np.empty(len(values), dtype=np.intp)
    fold[order] = blocks.ravel()[: len(values)]
    return FoldPlan(fold, n_folds)


def group_labels(groups: Column) -> IntArray:
    """Return the number of each row's group; every row must have one."""
    complete = complete_values(groups)
    if complete is None:
        raise no_group()
    return np.asarray(np.unique(complete[0], return_inverse=True)[1])


def folds_of_pairs(pairs: list[Any], n_rows: int) -> FoldPlan:
    """Check (training rows, application rows) index pairs, and make a plan of them."""
    if len(pairs) < 2:
        raise InvalidOptionError(
            f"cv gives {len(pairs)} fold: at least 2 are needed, because with one each row would "
            "be coded by its own outcome"
        )
    trains: list[IntArray] = []
    applications: list[IntArray] = []
    complementary = True
    for k, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise OptionTypeError(f"cv[{k}] is not a pair (training rows, application rows)")
        train = _rows(pair[0], f"training rows of cv[{k}]", n_rows)
        application = _rows(pair[1], f"application rows of cv[{k}]", n_rows)
        trains.append(train)
        applications.append(application)
        found, times = np.unique(application, return_counts=True)
        if (times > 1).any():
            raise InvalidOptionError(
                f"application rows of cv[{k}] hold row {found[times > 1][0]} more than once; a row "
                "has one code from a fold"
            )
        trained = np.zeros(n_rows, dtype=bool)
        trained[train] = True
        both = application[trained[application]]
        if len(both):
            raise InvalidOptionError(
                f"cv[{k}] uses {len(both)} rows for training and application, for instance row "
                f"{both[0]}: their codes would see their own outcome"
            )
        whole = len(train) == int(trained.sum()) == n_rows - len(application)
        complementary = complementary and whole
    rows, number = repeats = _with_fold(applications)
    if (np.bincount(rows, minlength=n_rows) > 1).any():
        none = np.zeros(n_rows, dtype=np.int8)
        return FoldPlan(none, len(pairs), _with_fold(trains), repeats=repeats)
    fold = np.full(n_rows, len(pairs), dtype=np.min_scalar_type(len(pairs)))
    fold[rows] = number
    return FoldPlan(fold, len(pairs), None if complementary else _with_fold(trains))


def _rows(given: Any, what: str, n_rows: int) -> IntArray:
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
        raise OptionTypeError(f"{what} must be row numbers; found an array of {rows.dtype}")
    if not len(rows):
        raise InvalidOptionError(f"{what} are empty")
    if rows.min() < 0 or rows.max() >= n_rows:
        wrong = int(rows.min() if rows.min() < 0 else rows.max())
        raise InvalidOptionError(f"{what} hold {wrong}, but rows are 0 to {n_rows - 1}")
    return rows.astype(np.intp)


def _check_groups(plan: FoldPlan, labels: IntArray) -> None:
    """Refuse folds that train on a group they are applied to."""
    for k, (train, application) in enumerate(plan.pairs()):
        trained = np.zeros(int(labels.max()) + 1, dtype=bool)
        trained[labels[train]] = True
        split = application[trained[labels[application]]]
        if len(split):
            raise InvalidOptionError(
                f"cv[{k}] has rows of one group of groups= on both sides: row {split[0]} is "
                "applied to, others of its group are trained on. Give folds that keep groups "
                "together, such as GroupKFold, or a number of folds"
            )


def _check_training_counts(plan: FoldPlan, weight: FloatArray | None) -> None:
    """Refuse folds whose training rows all have weight 0."""
    if weight is None:
        return
    if plan.training is None:
        by_fold = np.bincount(plan.fold, weight > 0, plan.n_blocks)
        trained = by_fold.sum() - by_fold[: plan.n_folds]
    else:
        rows, owner = plan.training
        trained = np.bincount(owner, weight[rows] > 0, plan.n_folds)
    check_trained(trained)


def check_trained(trained: FloatArray | IntArray) -> None:
    """Refuse folds without a training row that counts, given the number of those of each."""
    if (trained <= 0).any():
        k = int(np.flatnonzero(trained <= 0)[0])
        raise InvalidOptionError(
            f"fold {k} has no training row of positive weight; use fewer folds"
        )
