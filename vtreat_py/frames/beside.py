"""What runs beside the columns: by name, or as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from pandas.api.types import infer_dtype

from vtreat_py.base import names
from vtreat_py.base.arrays import EXACT_INTEGERS, IntArray
from vtreat_py.base.errors import FrameError, InvalidOptionError, listed, meant
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.frames.frame import InputFrame, held_vector, read_vector
from vtreat_py.frames.reading import Held, read_column

_LARGEST_ID = 2**63 - 1


def read_along(frame: InputFrame, what: str, given: Any) -> Column:
    """Read a column by name, or an array along the rows."""
    if not _names_column(frame, what, given):
        return read_vector(what, given, frame.n_rows)
    return frame.read(given)


def read_exactly(frame: InputFrame, what: str, given: Any) -> Column:
    """Read what is told apart, by name or as an array; see `exact_column`."""
    if _names_column(frame, what, given):
        return exact_column(what, given, frame.held(given))
    return exact_column(what, what, held_vector(what, given, frame.n_rows))


def exact_column(what: str, name: Hashable, held: Held) -> Column:
    """Read values that are told apart: as levels, where they are numbers that floats would merge.

    Raises
    ------
    InvalidOptionError
        If they are points in time or the like that floats would merge.
    """
    values = nw.from_native(held, series_only=True)
    if values.dtype == nw.Object and infer_dtype(values.to_numpy()) == "integer":
        values = of_integers(values)
    if values.dtype.is_integer() and _are_large(values):
        return read_column(name, held, as_levels=True)
    column = read_column(name, held)
    if not _is_merged(column, values):
        return column
    column = read_column(name, held, as_levels=True)
    if isinstance(column, NumericColumn):
        raise InvalidOptionError(
            f"{what} holds values of type {values.dtype} that are the same as floats, such as "
            "points in time that are nanoseconds apart; give them as text or as integers"
        )
    return column


def _names_column(frame: InputFrame, what: str, given: Any) -> bool:
    """Whether it is the name of a column, which the frame must have then."""
    if not is_name(given, frame):
        return False
    if given not in set(frame.columns):
        raise FrameError(
            f"{what}={given!r} is not a column of the frame; its columns are "
            f"{listed(list(frame.columns))}{meant(given, frame.columns)}"
        )
    return True


def _are_large(integers: nw.Series[Any]) -> bool:
    """Whether floats are further apart than integers among them."""
    ends = integers.min(), integers.max()
    return any(end is not None and abs(int(end)) > EXACT_INTEGERS for end in ends)


def _is_merged(column: Column, values: nw.Series[Any]) -> bool:
    """Whether a column of numbers has fewer different ones than there are."""
    if not isinstance(column, NumericColumn) or column.bad is not None:
        return False
    if values.dtype.is_float() or values.dtype.is_integer():  # large ones are levels by now
        return False
    return len(np.unique(column.values)) < values.n_unique()


def is_name(given: Any, frame: InputFrame) -> bool:
    """Whether an argument names a column, rather than being an array."""
    if isinstance(given, tuple):
        return names.is_name(given) and given in set(frame.columns)
    return isinstance(given, str) or (np.isscalar(given) and not isinstance(given, float))


def integers(frame: InputFrame, option: str, name: Any) -> IntArray:
    """Read a column of integers exactly, as numbers of 64 bits."""
    series = of_integers(frame.series(name))
    if not series.dtype.is_integer():
        raise wrong_type(option, name, series.dtype)
    missing = int(series.null_count())
    if missing:
        raise no_fold(name) if option == "cv" else no_id(name, missing)
    check_integers(option, name, (series.min(), series.max()))
    values: IntArray = series.cast(nw.Int64).to_numpy()
    return values.astype(np.int64)


def of_integers(series: nw.Series[Any]) -> nw.Series[Any]:
    """Objects that are all integers as a column of integers; other columns as they are."""
    if series.dtype != nw.Object:
        return series
    try:
        values = pa.array(series.to_list(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # of several types, or too large
        return series
    return nw.from_native(pa.chunked_array([values]), series_only=True)


def check_integers(option: str, name: Any, ends: Sequence[Any]) -> None:
    """Refuse the smallest and the largest integer that do not fit into 64 bits; None: no rows."""
    for end in ends:
        if end is not None and not -_LARGEST_ID - 1 <= int(end) <= _LARGEST_ID:
            raise InvalidOptionError(
                f"{option}={name!r} holds {int(end)}, which is beyond 64-bit integers with a sign"
            )


def check_column(option: str, name: Any, columns: Sequence[Any]) -> None:
    """Refuse a name that no column has."""
    if not names.is_name(name) or name not in set(columns):
        raise InvalidOptionError(
            f"{option}={name!r} names no column of the frame; it has {listed(list(columns))}"
            f"{meant(name, columns)}"
        )


def wrong_type(option: str, name: Any, dtype: Any) -> InvalidOptionError:
    """Error for ids and folds of another type."""
    allowed = "integers or text" if option == "cv" else "integers, text or UUIDs"
    return InvalidOptionError(f"{option}={name!r} is of type {dtype}; it must hold {allowed}")


def no_id(row_id: Any, missing: int) -> FrameError:
    """Error for rows without an id."""
    return FrameError(f"row_id={row_id!r} has {missing} missing values; each row needs an id")


def no_fold(cv: str) -> FrameError:
    """Error for rows without a fold."""
    return FrameError(f"cv={cv!r} has missing values; each row needs a fold")
