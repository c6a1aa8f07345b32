"""Numbers that are names, such as zip codes and ids: levels, each exactly as it is."""

from __future__ import annotations

import math
from collections.abc import Hashable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.base.arrays import EXACT_INTEGERS
from vtreat_py.base.warn import warn
from vtreat_py.frames.columns import CodedColumn
from vtreat_py.frames.levels import Levels


def numbers_as_levels(
    name: Hashable, values: pd.Series[Any] | nw.Series[Any]
) -> CodedColumn | None:
    """Read a column of numbers as one of levels, in order of appearance; None for other types.

    They are the levels of the same numbers in any other frame, see `plain_number`.
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
    plain = [plain_number(value) for value in listed]
    if series.dtype.is_float():
        _warn_if_merged(name, plain)
    levels = Levels.of(list(dict.fromkeys(value for value in plain if value is not None)))
    return CodedColumn(name, np.append(levels.codes_of(plain), levels.missing)[codes], levels)


def _warn_if_merged(name: Hashable, numbers: list[Any]) -> None:
    """Say so if floats are names, and so large that they may stand for several integers."""
    large = [one for one in numbers if isinstance(one, int) and abs(one) >= EXACT_INTEGERS]
    if large:
        warn(
            f"column {name!r} is categorical and holds {large[0]} as a float, which may stand for "
            "several integers: beyond 2**53 floats are further apart. Read it as integers (of a "
            "nullable type, if some are missing) or as text"
        )


def _shortest(value: Decimal) -> Decimal:
    """The same decimal without zeros at its end."""
    digits = len(value.as_tuple().digits)
    return value.normalize(Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX))


def plain_number(value: Any) -> Any:
    """A number as a level; None where it is missing.

    Whole numbers are Python integers however they came: as floats, because others are missing, or
    as decimals. Other decimals are the floats that are written so, where there are such.
    """
    if value is None or value is pd.NA or value != value:
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return _plain_decimal(value) if isinstance(value, Decimal) and value.is_finite() else value


def _plain_decimal(value: Decimal) -> Any:
    number = float(value)
    if not math.isinf(number) and value == value.to_integral_value():
        return int(value)  # which of a power far beyond floats would take for ever
    return number if Decimal(repr(number)) == value else _shortest(value)
