"""Which frames are lazy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd
import pyarrow as pa

from vtreat_py.base.dependencies import check_optional


def is_lazy(frame: Any) -> bool:
    """Whether it is a lazy frame or a path to a file; imports no engine."""
    if isinstance(frame, str | Path):
        return True
    if isinstance(frame, pd.DataFrame | pa.Table):  # which may have columns that share a name
        return False
    return isinstance(wrapped_or_not(frame), nw.LazyFrame)


def wrapped_or_not(frame: Any) -> Any:
    """Wrap what narwhals knows; other things come back as they are."""
    check_optional(type(frame).__module__)
    return nw.from_native(frame, pass_through=True)
