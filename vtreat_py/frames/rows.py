"""A list of dicts, a row each, as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from vtreat_py.base.errors import OptionTypeError


def has_rows_of_names(frame: Any) -> bool:
    """Whether it is a list with dicts in it."""
    return isinstance(frame, list | tuple) and any(isinstance(row, Mapping) for row in frame)


def frame_of_rows(rows: Sequence[Any]) -> pd.DataFrame:
    """Make columns in the order in which their names are met; what a row lacks is missing."""
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise OptionTypeError(
                f"frame is a list of rows, of which row {place} is of type {type(row).__name__}; "
                "give a dict for each row"
            )
    names = list(dict.fromkeys(name for row in rows for name in row))
    # Objects keep their types: pandas would make other values of some, and stumble over others.
    columns = [pd.Series([row.get(name) for row in rows], dtype=object) for name in names]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(len(rows)))
    return frame.set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)
