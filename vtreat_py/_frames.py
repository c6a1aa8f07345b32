"""Data frames in and out: the caller's kind of frame comes back, with its index."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from vtreat_py._columns import Column
from vtreat_py._errors import FrameError, OptionTypeError, UnsupportedColumnError
from vtreat_py._reading import read_column
from vtreat_py._typing import FloatArray


@dataclass(frozen=True, eq=False)
class InputFrame:
    """A frame of the caller's, read column by column, never written to.

    Attributes
    ----------
    frame : narwhals.DataFrame
    columns : tuple of hashable
        Column names, all different.
    n_rows : int
    """

    frame: nw.DataFrame[Any]
    columns: tuple[Hashable, ...]
    n_rows: int

    @classmethod
    def of(cls, frame: Any) -> InputFrame:
        """Wrap a pandas, polars or pyarrow frame, or a two-dimensional array.

        Raises
        ------
        OptionTypeError
            If it is no eager data frame.
        FrameError
            If two columns share a name.
        """
        if isinstance(frame, np.ndarray) and frame.ndim == 2:
            columns = [f"x{i}" for i in range(frame.shape[1])]
            frame = pd.DataFrame(frame, columns=columns, copy=False)
        if isinstance(frame, pd.DataFrame | pa.Table):
            names = frame.columns if isinstance(frame, pd.DataFrame) else frame.column_names
            _check_distinct(list(names))
        try:
            wrapped = nw.from_native(frame, eager_only=True)
        except TypeError as reason:
            raise OptionTypeError(
                f"frame is of type {type(frame).__name__}; give a pandas, polars or pyarrow "
                "data frame, or a two-dimensional array"
            ) from reason
        return cls(wrapped, tuple(wrapped.columns), len(wrapped))

    def read(self, name: Hashable, as_levels: bool = False) -> Column:
        """Read one column; see `read_column`."""
        series = self.frame.get_column(name)  # type: ignore[arg-type]
        return read_column(name, series, as_levels)

    def read_all(self, names: Sequence[Hashable], as_levels: Sequence[bool]) -> list[Column]:
        """Read several columns; one error names all that cannot be read."""
        columns, failed = [], []
        for name, levels in zip(names, as_levels, strict=True):
            try:
                columns.append(self.read(name, levels))
            except UnsupportedColumnError as error:
                failed.append(error)
        if failed:
            raise UnsupportedColumnError.of_all(failed)
        return columns

    def like(
        self, names: Sequence[str], columns: FloatArray, extra: Sequence[Hashable], rows: Any = None
    ) -> Any:
        """Build a frame of the caller's kind.

        Parameters
        ----------
        names : sequence of str
        columns : ndarray of shape (len(names), n)
            The values, a row of the array for each column.
        extra : sequence of hashable
            Columns of this frame to append as they are.
        rows : ndarray of int or None
            The rows of this frame that the values stand for; None: all.
        """
        native = self.frame.to_native()
        if isinstance(native, pd.DataFrame):
            index = native.index if rows is None else native.index[rows]
            result = pd.DataFrame(columns.T, columns=list(names), index=index, copy=False)
            if not extra:
                return result
            as_they_are = native[list(extra)]
            if rows is not None:
                as_they_are = as_they_are.iloc[rows]
            return pd.concat([result, as_they_are], axis=1)
        data: dict[str, Any] = {
            name: nw.new_series(name, values, nw.Float64, backend=self.frame.implementation)
            for name, values in zip(names, columns, strict=True)
        }
        for name in extra:
            series = self.frame.get_column(name)  # type: ignore[arg-type]
            data[str(name)] = series if rows is None else series[rows]
        if not data:
            kept = self.frame if rows is None else self.frame[rows]
            return kept.drop(self.frame.columns).to_native()
        return nw.from_dict(data).to_native()


def read_vector(what: str, values: Any, n_rows: int) -> Column:
    """Read a one-dimensional array or series that runs along the rows of a frame.

    Raises
    ------
    OptionTypeError
        If it is not one-dimensional.
    FrameError
        If its length is not ``n_rows``.
    """
    try:
        series = nw.from_native(values, series_only=True)
    except TypeError:
        array = values if isinstance(values, np.ndarray) else _object_or_numbers(values)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise OptionTypeError(
                f"{what} must be a column name or a one-dimensional array of {n_rows} values; "
                f"found {type(values).__name__} of shape {array.shape}"
            ) from None
        series = nw.from_native(pd.Series(array, copy=False), series_only=True)
    if len(series) != n_rows:
        raise FrameError(f"{what} has {len(series)} values, but the frame has {n_rows} rows")
    return read_column(what, series)


def _object_or_numbers(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return pd.Series(list(values)).to_numpy()
    return np.asarray(values)


def _check_distinct(names: list[Hashable]) -> None:
    if len(set(names)) == len(names):
        return
    repeated = dict.fromkeys(repr(n) for n in names if names.count(n) > 1)
    raise FrameError(
        f"several columns share a name: {', '.join(repeated)}; "
        "rename them, so that each column has a name of its own"
    )
