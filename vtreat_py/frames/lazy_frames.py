"""Which frames are lazy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd
import pyarrow as pa

from vtreat_py.base.dependencies import check_optional

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".tsv", ".csv.gz", ".csv.zst")


def is_lazy(frame: Any) -> bool:
    """Whether it is a lazy frame, a path or a list of paths to files; imports no engine."""
    if isinstance(frame, str | Path) or is_list_of_paths(frame):
        return True
    if isinstance(frame, pd.DataFrame | pa.Table):  # which may have columns that share a name
        return False
    return isinstance(wrapped_or_not(frame), nw.LazyFrame)


def is_list_of_paths(frame: Any) -> bool:
    """Whether all of a list are paths; text is one if it ends like a file."""
    return isinstance(frame, list | tuple) and bool(frame) and all(map(_is_path, frame))


def _is_path(one: Any) -> bool:
    is_file = isinstance(one, str) and one.lower().endswith((*PARQUET, *CSV))
    return is_file or isinstance(one, Path)


def wrapped_or_not(frame: Any) -> Any:
    """Wrap what narwhals knows; other things come back as they are."""
    check_optional(type(frame).__module__)
    return nw.from_native(frame, pass_through=True)
