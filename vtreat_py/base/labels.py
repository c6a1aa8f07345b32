"""Labels of rows (pandas indexes): inputs that carry others are not paired by position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.warn import warn


def check_same_rows(inputs: Mapping[str, Any]) -> pd.Index | None:
    """Return the labels of the rows; raise if two inputs carry others, or in another order."""
    found = _other_rows(inputs)
    if found:
        raise InvalidOptionError(
            f"{found}; align them, or give .to_numpy() of both if their rows are in the same order"
        )
    return _labels(inputs)


def warn_of_other_rows(inputs: Mapping[str, Any]) -> None:
    """Warn if two inputs carry other labels, or the same in another order: rows go by position."""
    found = _other_rows(inputs)
    if found:
        warn(
            f"{found}; rows are paired by position, as scikit-learn does. Align them, or give "
            ".to_numpy() of both if this is meant"
        )


def relabelled(values: Any, frame: Any) -> Any:
    """Give a series the labels of a frame, by position; anything else stays as it is."""
    both = isinstance(values, pd.Series) and isinstance(frame, pd.DataFrame)
    return values.set_axis(frame.index) if both and len(values) == len(frame) else values


def _other_rows(inputs: Mapping[str, Any]) -> str:
    """Say which two inputs do not carry the same labels row by row; empty if there are none."""
    indexed = {name: values.index for name, values in inputs.items() if _is_labelled(values)}
    for position, (name, index) in enumerate(indexed.items()):
        for first, expected in list(indexed.items())[:position]:
            if len(index) == len(expected) and not index.equals(expected):
                found = f"{first} and {name} have different indexes"
                if _holds_the_same(index, expected):
                    return f"{found} (the same labels in another order)"
                if not (_is_default(index) or _is_default(expected)):
                    return found
    return ""


def _labels(inputs: Mapping[str, Any]) -> pd.Index | None:
    """The index of the inputs: one that was made on purpose, if there is one."""
    indexes = [values.index for values in inputs.values() if _is_labelled(values)]
    return next((index for index in indexes if not _is_default(index)), next(iter(indexes), None))


def _is_labelled(values: Any) -> bool:
    return isinstance(values, pd.Series | pd.DataFrame)


def _is_default(index: pd.Index) -> bool:
    """Whether an index only counts rows, as pandas makes it where nobody asks for another."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _holds_the_same(index: pd.Index, other: pd.Index) -> bool:
    """Whether two indexes of a length hold the same labels, each as often."""
    if index.is_unique and other.is_unique:
        return bool(index.isin(other).all())
    counts, others = index.value_counts(), other.value_counts()
    return bool(counts.eq(others.reindex(counts.index, fill_value=0)).all())
