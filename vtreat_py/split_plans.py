"""Ready-made split plans: lists of (training rows, application rows) to give as ``cv=``.

A number or a scikit-learn splitter as ``cv`` is enough for most work. These plans are the ones
that R vtreat comes with, to look at, keep, change and use again: a plan is a plain list, the same
for every design it is given to.

>>> import vtreat_py as vt
>>> vt.split_plans.k_way(n_rows=5, n_splits=2, random_state=0)
[(array([0, 1]), array([2, 3, 4])), (array([2, 3, 4]), array([0, 1]))]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vtreat_py.base.arrays import IntArray, NumberArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, OutcomeError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.on_use import public_names
from vtreat_py.base.seeds import random_numbers
from vtreat_py.folds.making import DEFAULT_FOLDS, deal_evenly, group_labels
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.frames.beside import exact_column
from vtreat_py.frames.columns import Column, complete_values
from vtreat_py.frames.frame import held_vector
from vtreat_py.frames.reading import Held, read_column
from vtreat_py.statistics.outcome_sums import OutcomeSums

__all__ = [
    "k_way",
    "k_way_grouped",
    "k_way_stratified_y",
    "k_way_stratified_y_replace",
    "one_way_holdout",
]
__dir__ = public_names(globals())

SplitPlan = list[tuple[IntArray, IntArray]]


def k_way(*, n_rows: int, n_splits: int = DEFAULT_FOLDS, random_state: Any = None) -> SplitPlan:
    """Deal the rows to folds at random.

    Parameters
    ----------
    n_rows : int
        Rows of the frame.
    n_splits : int, default=5
        Number of folds, from 2 to ``n_rows``. R vtreat quietly changes a number that does not
        fit; here it is an error.
    random_state : int or RandomState, default=None
        Seed.

    Returns
    -------
    list of (training rows, application rows)
        Each row is applied once; fold sizes differ by one at most. Rows are in ascending order.

    Raises
    ------
    OptionTypeError
        If a number is no whole number.
    InvalidOptionError
        If there are fewer rows than folds, or fewer than two.

    See Also
    --------
    k_way_stratified_y : Folds that are alike in the outcome; better for most work.

    Examples
    --------
    >>> import vtreat_py as vt
    >>> plan = vt.split_plans.k_way(n_rows=7, n_splits=3, random_state=0)
    >>> [len(application) for training, application in plan]
    [3, 2, 2]
    """
    n_rows = _whole("n_rows", n_rows)
    n_splits = _check_splits(n_splits, n_rows, "rows")
    shuffled = random_numbers(random_state).permutation(n_rows)
    fold = np.empty(n_rows, dtype=np.intp)
    fold[shuffled] = np.arange(n_rows) % n_splits
    return FoldPlan(fold, n_splits).pairs()


def k_way_stratified_y(
    *, y: Any, n_splits: int = DEFAULT_FOLDS, random_state: Any = None
) -> SplitPlan:
    """Deal the rows to folds at random, so that every fold has the same distribution of y.

    Of any ``n_splits`` rows that are neighbours in the order of y, each goes to another fold.

    Parameters
    ----------
    y : array of shape (n,)
        Numbers, or classes, which may be text.
    n_splits : int, default=5
        Number of folds, from 2 to n.
    random_state : int or RandomState, default=None
        Seed.

    Returns
    -------
    list of (training rows, application rows)
        Each row is applied once; fold sizes differ by one at most. A y that is the same in all
        rows gives the folds of `k_way`.

    Raises
    ------
    OptionTypeError
        If y is no array, or ``n_splits`` no whole number.
    OutcomeError
        If y has missing or infinite values.
    InvalidOptionError
        If there are fewer rows than folds, or fewer than two.

    Examples
    --------
    >>> import vtreat_py as vt
    >>> y = ["no", "no", "no", "no", "yes", "yes"]
    >>> plan = vt.split_plans.k_way_stratified_y(y=y, n_splits=2, random_state=0)
    >>> [[y[row] for row in application] for training, application in plan]
    [['no', 'no', 'yes'], ['no', 'no', 'yes']]
    """
    values = _outcome(y)
    n_splits = _check_splits(n_splits, len(values), "rows")
    return deal_evenly(values, n_splits, random_numbers(random_state)).pairs()


def k_way_stratified_y_replace(
    *, y: Any, n_splits: int = DEFAULT_FOLDS, random_state: Any = None
) -> SplitPlan:
    """Stratified folds whose training rows are drawn with replacement: a bootstrap by fold.

    Application rows are dealt as in `k_way_stratified_y`. A fold's training rows are n draws
    from the rows that it does not apply, so that a row may train it several times or not at all.

    Parameters
    ----------
    y, n_splits, random_state
        As for `k_way_stratified_y`.

    Returns
    -------
    list of (training rows, application rows)

    Raises
    ------
    OptionTypeError, OutcomeError, InvalidOptionError
        As those of `k_way_stratified_y`.

    Examples
    --------
    >>> import vtreat_py as vt
    >>> plan = vt.split_plans.k_way_stratified_y_replace(y=[1, 2, 3, 4], n_splits=2, random_state=1)
    >>> plan[0]
    (array([0, 3, 3, 3]), array([1, 2]))
    """
    values = _outcome(y)
    n_rows = len(values)
    n_splits = _check_splits(n_splits, n_rows, "rows")
    random = random_numbers(random_state)
    pairs = deal_evenly(values, n_splits, random).pairs()
    return [(np.sort(random.choice(others, n_rows)), application) for others, application in pairs]


def k_way_grouped(
    *, groups: Any, y: Any = None, n_splits: int = DEFAULT_FOLDS, random_state: Any = None
) -> SplitPlan:
    """Deal whole groups to folds at random; the rows of a group share a fold.

    For rows that know about one another: visits of one patient, orders of one customer.

    Parameters
    ----------
    groups : array of shape (n,)
        Numbers or text; equal values are one group.
    y : array of shape (n,), default=None
        Stratify the groups by their means of y; for classes, of their numbers.
    n_splits : int, default=5
        Number of folds, from 2 to the number of groups.
    random_state : int or RandomState, default=None
        Seed.

    Returns
    -------
    list of (training rows, application rows)
        Each row is applied once. Folds hold the same number of groups, give or take one, not
        of rows.

    Raises
    ------
    InvalidOptionError
        If groups and y carry different indexes, or groups are fewer than folds.

    Examples
    --------
    >>> import vtreat_py as vt
    >>> who = ["ann", "bob", "ann", "cid", "bob"]
    >>> plan = vt.split_plans.k_way_grouped(groups=who, n_splits=3, random_state=0)
    >>> [[who[row] for row in application] for training, application in plan]
    [['ann', 'ann'], ['cid'], ['bob', 'bob']]
    """
    check_same_rows({"groups": groups, "y": y})
    labels = group_labels(exact_column("groups", "groups", _held("groups", groups)))
    n_groups = int(labels.max()) + 1 if len(labels) else 0
    n_splits = _check_splits(n_splits, n_groups, "groups")
    means = np.zeros(n_groups)
    if y is not None:
        values = _outcome(y)
        if len(values) != len(labels):
            raise InvalidOptionError(f"y has {len(values)} values, but groups has {len(labels)}")
        _, power = np.frexp(np.abs(values).max(initial=0.0))  # squares must not be too large
        small = np.ldexp(values.astype(np.float64), -max(int(power), 0))
        means = OutcomeSums.of_rows(labels, n_groups, small, None).mean
    fold_of_group = deal_evenly(means, n_splits, random_numbers(random_state)).fold
    return FoldPlan(fold_of_group[labels], n_splits).pairs()


def one_way_holdout(*, n_rows: int) -> SplitPlan:
    """Leave one row out: as many folds as rows.

    For very small data only: the plan holds ``n_rows`` squared numbers, and it leaks. What all
    the other rows know about a level is lower just where the row's own outcome is higher, and a
    model can find that. A few large folds hide it far better.

    Parameters
    ----------
    n_rows : int
        Rows of the frame, at least 2.

    Returns
    -------
    list of (training rows, application rows)

    Raises
    ------
    OptionTypeError
        If ``n_rows`` is no whole number.
    InvalidOptionError
        If there are fewer than two rows.

    Examples
    --------
    >>> import vtreat_py as vt
    >>> vt.split_plans.one_way_holdout(n_rows=3)
    [(array([1, 2]), array([0])), (array([0, 2]), array([1])), (array([0, 1]), array([2]))]
    """
    n_rows = _whole("n_rows", n_rows)
    _check_splits(n_rows, n_rows, "rows")
    return FoldPlan(np.arange(n_rows), n_rows).pairs()


def _outcome(y: Any) -> NumberArray:
    """Read y as numbers; classes are numbered."""
    column = _column("y", y)
    if not len(column):
        return np.empty(0)
    complete = complete_values(column)
    if complete is None:
        raise OutcomeError(
            "y has missing or infinite values; leave those rows out before splitting"
        )
    return complete[0]


def _column(what: str, values: Any) -> Column:
    return read_column(what, _held(what, values))


def _held(what: str, values: Any) -> Held:
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise OptionTypeError(f"{what}={values!r} must be an array or a series of one value a row")
    return held_vector(what, values, len(values))


def _whole(what: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise OptionTypeError(f"{what}={number!r} must be a whole number")
    return int(number)


def _check_splits(n_splits: Any, n_units: int, units: str) -> int:
    if n_units < 2:
        raise InvalidOptionError(f"a split needs at least 2 {units}; found {n_units}")
    number = _whole("n_splits", n_splits)
    if not 2 <= number <= n_units:
        raise InvalidOptionError(
            f"n_splits={number}; with {n_units} {units} it must be from 2 to {n_units}"
        )
    return number
