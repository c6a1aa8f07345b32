"""Models, the rows they are fitted on, and how these are divided: read as scikit-learn does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.validation import _num_samples

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.errors import OptionTypeError
from vtreat_py.evaluation._refusals import refused_as, shown


def check_model(model: Any, name: str = "estimator") -> None:
    """Refuse what is no estimator."""
    if isinstance(model, type) or not hasattr(model, "fit"):
        raise OptionTypeError(
            f"{name} is {shown(model)}; an estimator is wanted, such as LogisticRegression()"
        )


def indexable_rows(X: Any, *others: Any) -> tuple[Any, ...]:
    """Return X, and what has a value for each of its rows, so that rows can be chosen; or None."""
    with refused_as("X, y, weights and groups are no rows that a model can be fitted on"):
        _num_samples(X)
        return tuple(indexable(X, *others))


def splits(
    cv: Any, X: Any, y: Any, groups: Any, *, classifier: bool = False, name: str = "cv"
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield training and test rows, of anything that ``check_cv`` takes."""
    with refused_as(f"{name}={shown(cv)} cannot divide these {_num_samples(X)} rows"):
        for train, test in check_cv(cv, y, classifier=classifier).split(X, y, groups):
            yield _row_numbers(train), _row_numbers(test)


def _row_numbers(rows: Any) -> IntArray:
    numbers = np.asarray(rows)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iub":
        raise OptionTypeError(f"{shown(rows)} are no numbers of rows")
    return numbers
