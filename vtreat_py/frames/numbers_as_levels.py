"""Numbers that are names, such as zip codes and ids: levels, each exactly as it is."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.frames.columns import CodedColumn
from vtreat_py.frames.levels import Levels


def numbers_as_levels(
    name: Hashable, values: pd.Series[Any] | nw.Series[Any]
) -> CodedColumn | None:
    """Read a column of numbers as one of levels, in order of appearance; None for other types.

    Whole numbers are Python integers however they came: as floats, because others are missing, or
    as decimals. So they are the levels of the same numbers in any other frame.
    """
    if isinstance(values, pd.Series) and isinstance(values.dtype, pd.CategoricalDtype):
        return None  # whose type narwhals tells by a look at all categories
    series: nw.Series[Any] = nw.from_native(values, series_only=True, pass_through=True)
    if not (series.dtype.is_numeric() or series.dtype == nw.Boolean):
        return None
    if isinstance(values, pd.Series):
        codes, labels = pd.factorize(values)
        listed = labels.tolist()
    elif series.dtype in (nw.Int128, nw.UInt128):  # for which Arrow has no type
        codes, labels = pd.factorize(pd.Series(series.to_list(), dtype=object))
        listed = labels.tolist()
    else:
        table = series.alias("").to_arrow().dictionary_encode()
        codes = np.asarray(table.indices.fill_null(-1))
        listed = table.dictionary.to_pylist()
    plain = [_plain(value) for value in listed]
    levels = Levels.of(list(dict.fromkeys(value for value in plain if value is not None)))
    return CodedColumn(name, np.append(levels.codes_of(plain), levels.missing)[codes], levels)


def _plain(value: Any) -> Any:
    """A number as a level; None where it is missing."""
    if value is None or value is pd.NA or value != value:
        return None
    if isinstance(value, float | Decimal):
        number = float(value)
        return int(value) if np.isfinite(number) and value == int(value) else number
    return value
