"""Cross-validation plans: which rows a code is learned on, and which it is applied to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.on_use import public_names
from vtreat_py.folds.making import deal_evenly

__all__ = ["CrossValidationPlan", "KWayCrossPlanYStratified"]
__dir__ = public_names(globals())


class CrossValidationPlan(ABC):
    """A way to split rows; subclass it to bring your own.

    Examples
    --------
    >>> import numpy as np
    >>> from vtreat_py.compat.cross_plan import CrossValidationPlan
    >>> class Alternate(CrossValidationPlan):
    ...     def split_plan(self, *, n_rows=None, k_folds=None, data=None, y=None):
    ...         fold = np.arange(n_rows) % k_folds
    ...         return [{"train": np.flatnonzero(fold != k), "app": np.flatnonzero(fold == k)}
    ...                 for k in range(k_folds)]
    >>> [part["app"].tolist() for part in Alternate().split_plan(n_rows=5, k_folds=2)]
    [[0, 2, 4], [1, 3]]
    """

    @abstractmethod
    def split_plan(
        self,
        *,
        n_rows: int | None = None,
        k_folds: int | None = None,
        data: Any = None,
        y: Any = None,
    ) -> list[dict[str, Any]]:
        """Split the rows.

        Parameters
        ----------
        n_rows : int, default=None
        k_folds : int, default=None
            Number of folds asked for.
        data : data frame, default=None
            The training frame.
        y : ndarray of shape (n_rows,), default=None
            The outcome.

        Returns
        -------
        list of dict
            One entry a fold: ``"train"`` and ``"app"``, row numbers from 0. No row is in both
            parts of a fold, nor in ``"app"`` of two folds.

        Examples
        --------
        >>> from vtreat_py.compat.cross_plan import KWayCrossPlanYStratified
        >>> folds = KWayCrossPlanYStratified().split_plan(n_rows=4, k_folds=2, y=[0, 0, 1, 1])
        >>> sorted(folds[0])
        ['app', 'train']
        """


class KWayCrossPlanYStratified(CrossValidationPlan):
    """Random folds of equal size in which the outcome is spread alike.

    Parameters
    ----------
    random_state : int, default=0
        Seed. The same number gives the same folds; numpy's global seed is neither read nor
        changed.

    Examples
    --------
    >>> from vtreat_py.compat.cross_plan import KWayCrossPlanYStratified
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> folds = KWayCrossPlanYStratified().split_plan(n_rows=6, k_folds=3, y=y)
    >>> [sum(y[row] for row in fold["app"]) for fold in folds]
    [1, 1, 1]
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"KWayCrossPlanYStratified(random_state={self.random_state!r})"

    def split_plan(
        self,
        *,
        n_rows: int | None = None,
        k_folds: int | None = None,
        data: Any = None,  # noqa: ARG002 (the interface's)
        y: Any = None,
    ) -> list[dict[str, Any]]:
        """Split the rows.

        Parameters
        ----------
        n_rows : int, default=None
            Rows of the frame; they must be told.
        k_folds : int, default=None
            Number of folds, from 2 to ``n_rows``; it must be told.
        data : ignored, default=None
        y : array of shape (n_rows,), default=None
            The outcome that is to be spread alike; None: the folds are random.

        Returns
        -------
        list of dict
            As `CrossValidationPlan.split_plan` says, with arrays of row numbers.

        Raises
        ------
        InvalidOptionError
            If the rows cannot be split into so many folds.

        Examples
        --------
        >>> from vtreat_py.compat.cross_plan import KWayCrossPlanYStratified
        >>> folds = KWayCrossPlanYStratified().split_plan(n_rows=4, k_folds=2, y=[0, 0, 1, 1])
        >>> [fold["app"].tolist() for fold in folds]
        [[1, 2], [0, 3]]
        """
        if n_rows is None or k_folds is None:
            raise InvalidOptionError("split_plan needs n_rows= and k_folds=")
        if not 2 <= k_folds <= n_rows:
            raise InvalidOptionError(
                f"k_folds={k_folds} cannot split {n_rows} rows: give a number from 2 to n_rows. "
                "With one fold each row would be coded by its own outcome"
            )
        values: Any = np.zeros(n_rows)
        if y is not None:
            values = np.asarray(y)[np.arange(n_rows)]
            if values.dtype.kind not in "biuf":
                values = pd.factorize(values)[0]
        plan = deal_evenly(values, k_folds, np.random.default_rng(self.random_state))
        return [{"train": train, "app": app} for train, app in plan.pairs()]


def index_pairs(plan: list[dict[str, Any]], n_rows: int) -> list[tuple[IntArray, IntArray]]:
    """Turn what a plan gave into (training rows, application rows) pairs.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If a fold lacks a part, holds rows that do not exist, or applies to rows of another
        fold; or if there are fewer than two folds.
    """
    if len(plan) < 2:
        raise InvalidOptionError(
            f"the cross_validation_plan gives {len(plan)} fold: at least 2 are needed, because "
            "with one each row would be coded by its own outcome"
        )
    pairs: list[tuple[IntArray, IntArray]] = []
    for k, part in enumerate(plan):
        if not isinstance(part, dict) or not {"train", "app"} <= set(part):
            raise OptionTypeError(
                f'fold {k} of the cross_validation_plan must be a dict with "train" and "app"'
            )
        train, app = (np.asarray(part[key], dtype=np.intp) for key in ("train", "app"))
        rows = np.append(train, app)
        if len(rows) and not 0 <= rows.min() <= rows.max() < n_rows:
            raise InvalidOptionError(
                f"fold {k} of the cross_validation_plan holds rows beyond 0 to {n_rows - 1}"
            )
        pairs.append((train, app))
    times = np.bincount(np.concatenate([app for _, app in pairs]), minlength=n_rows)
    if (times > 1).any():
        row = int(np.argmax(times > 1))
        raise InvalidOptionError(
            f'the cross_validation_plan has row {row} in "app" of {times[row]} folds; '
            "fit_transform returns each row once, so it may be in one only"
        )
    return pairs
