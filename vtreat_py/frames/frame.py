"""Data frames in and out: the caller's kind of frame comes back, with its index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from scipy.sparse import issparse

from vtreat_py.base.arrays import EXACT_INTEGERS, FloatArray, objects
from vtreat_py.base.errors import FrameError, OptionTypeError, UnsupportedColumnError
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.columns import Column, EmptyColumn
from vtreat_py.frames.joint import NAMES, JointPart
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.frames.made import MadeColumn
from vtreat_py.frames.reading import Held, read_column
from vtreat_py.frames.rows import frame_of_rows, has_rows_of_names
from vtreat_py.frames.schema import Changed, ChangedTypesError


@dataclass(frozen=True, eq=False)
class InputFrame:
    """A frame of the caller's, read column by column, never written to.

    Attributes
    ----------
    native : data frame
        Of pandas, polars, pyarrow or another that narwhals knows.
    columns : tuple of hashable
        Column names, all different.
    n_rows : int
    is_array : bool
        Whether it came as an array, and an array is to come back.
    categorical : frozenset of hashable
        Columns that are read as levels even where they hold numbers.
    missing_values : tuple of str
        Texts that mean missing.
    made : dict from name to CalendarPart or JointColumn
        Columns that are made of others when they are read.
    """

    native: Any
    columns: tuple[Hashable, ...]
    n_rows: int
    is_array: bool = False
    categorical: frozenset[Hashable] = frozenset()
    missing_values: tuple[str, ...] = ()
    made: Mapping[Hashable, MadeColumn] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: Any) -> InputFrame:
        """Wrap a pandas, polars or pyarrow frame, or something like a two-dimensional array.

        The columns of an array are called ``x0``, ``x1``, ... A record batch of pyarrow is a
        table, a list of dicts a pandas frame, of a row each.

        Raises
        ------
        OptionTypeError
            If it is no eager data frame and no dense array.
        FrameError
            If two columns share a name, or an array has not two dimensions.
        """
        if isinstance(frame, cls):
            return frame
        if isinstance(frame, pa.RecordBatch):
            frame = pa.Table.from_batches([frame])
        elif has_rows_of_names(frame):
            frame = frame_of_rows(frame)
        if isinstance(frame, pd.DataFrame | pa.Table):
            names = frame.columns if isinstance(frame, pd.DataFrame) else frame.column_names
            _check_distinct(list(names))
        if is_lazy(frame):
            raise OptionTypeError(
                f"frame is of type {type(frame).__name__}; lazy frames and paths to files are for "
                "design_treatments, cross_frame_experiment and prepare only. Give a pandas, "
                "polars or pyarrow data frame; a lazy one must be collected first"
            )
        if isinstance(frame, pd.DataFrame):
            return cls(frame, tuple(frame.columns), len(frame))
        try:
            wrapped = nw.from_native(frame, eager_only=True)
        except TypeError as reason:
            array = _as_array(frame)
            if array is None and hasattr(type(frame), "execute"):
                raise OptionTypeError(
                    f"frame is of type {type(frame).__name__}, a connection; give rows of it, such "
                    "as the relation connection.table('customers') of DuckDB, or a data frame"
                ) from reason
            if array is None:
                raise OptionTypeError(
                    f"frame is of type {type(frame).__name__}; give a pandas, polars or pyarrow "
                    "data frame, or a two-dimensional array"
                ) from reason
            columns = [f"x{i}" for i in range(array.shape[1])]
            # What pandas makes of objects depends on the rows that are there.
            held = held_in(pd.DataFrame, array, columns=columns)
            return cls(held, tuple(columns), len(held), is_array=True)
        return cls(wrapped.to_native(), tuple(wrapped.columns), len(wrapped))

    @cached_property
    def frame(self) -> nw.DataFrame[Any]:
        """The same frame as narwhals has it."""
        return nw.from_native(self.native, eager_only=True)

    def read_by(
        self, missing_values: tuple[str, ...], categorical: Iterable[Hashable] = ()
    ) -> InputFrame:
        """Read the columns by options of a design."""
        return replace(self, missing_values=missing_values, categorical=frozenset(categorical))

    def making(self, made: Iterable[MadeColumn]) -> InputFrame:
        """Make columns of others when they are read."""
        return replace(self, made={one.name: one for one in made})

    def renamed(self, names: Sequence[Hashable]) -> InputFrame:
        """Give the columns other names, in their order."""
        mapping: Any = dict(zip(self.columns, names, strict=True))
        return replace(self, native=self.frame.rename(mapping).to_native(), columns=tuple(names))

    def series(self, name: Hashable) -> nw.Series[Any]:
        """Return one column as it is."""
        return self.frame.get_column(name)  # type: ignore[arg-type]

    def read(self, name: Hashable, as_levels: bool = False) -> Column:
        """Read one column; see `read_column`."""
        made = self.made.get(name)
        if isinstance(made, CalendarPart):
            return made.of(self._own(made.column))
        if made is not None:
            return made.of(*(self._part(part) for part in made.parts))
        return self._own(name, as_levels)

    def _part(self, part: JointPart) -> Column:
        """Read a column that is a part of another, which may have its name."""
        made = self.made.get(part.column)
        if isinstance(made, CalendarPart):
            return self.read(made.name)
        return self._own(part.column, part.kind == NAMES)

    def _own(self, name: Hashable, as_levels: bool = False) -> Column:
        """Read a column that the frame has."""
        as_levels = as_levels or name in self.categorical
        return read_column(name, self.held(name), as_levels, self.missing_values)

    def held(self, name: Hashable) -> Held:
        """Return one column, of pandas as it is: narwhals takes as long as reading a row does."""
        return self.native[name] if isinstance(self.native, pd.DataFrame) else self.series(name)

    def read_all(
        self, names: Sequence[Hashable], as_levels: Sequence[bool], changed: list[Changed]
    ) -> list[Column]:
        """Read several columns; one error names all that cannot be read.

        Those made of columns that changed type are empty, and what they are made of is added to
        ``changed``.
        """
        columns: list[Column] = []
        failed = []
        for name, levels in zip(names, as_levels, strict=True):
            try:
                columns.append(self.read(name, levels))
            except UnsupportedColumnError as error:
                failed.append(error)
            except ChangedTypesError as error:
                changed += error.changed
                columns.append(EmptyColumn(name, self.n_rows))
        if failed:
            raise UnsupportedColumnError.of_all(failed)
        return columns

    def like(
        self,
        names: Sequence[str],
        columns: FloatArray,
        extra: Sequence[Hashable],
        rows: Any = None,
        first: Sequence[Hashable] = (),
        texts: Mapping[int, npt.NDArray[np.object_]] | None = None,
    ) -> Any:
        """Build a frame of the caller's kind; an array where one came.

        Parameters
        ----------
        names : sequence of str
        columns : ndarray of shape (len(names), n)
            The values, a row of the array for each column.
        extra : sequence of hashable
            Columns of this frame to append as they are.
        rows : ndarray of int or None
            The rows of this frame that the values stand for; None: all.
        first : sequence of hashable
            Columns of this frame to put in front as they are.
        texts : dict from place to ndarray of shape (n,)
            Text that takes the place of some of the values.
        """
        texts = texts or {}
        native = self.native
        if isinstance(native, pd.DataFrame):
            index = native.index if rows is None else native.index[rows]
            result: Any = columns.T
            if self.is_array and texts:
                result = result.astype(object)
                result[:, list(texts)] = np.column_stack(list(texts.values()))
            if not self.is_array:
                labels = _labels(tuple(names)).copy()
                result = pd.DataFrame(result, columns=labels, index=index, copy=False)
                for place, text in texts.items():
                    result.isetitem(place, _text_series(text, index))
            if not (first or extra):
                return result
            before, after = native[list(first)], native[list(extra)]
            if rows is not None:
                before, after = before.iloc[rows], after.iloc[rows]
            parts = [before, result, after]
            return np.hstack(parts) if self.is_array else pd.concat(parts, axis=1)

        def kept(name: Any) -> nw.Series[Any]:
            series = self.series(name)
            return series if rows is None else series[rows]

        data: dict[str, Any] = {str(name): kept(name) for name in first}
        for place, (name, values) in enumerate(zip(names, columns, strict=True)):
            held, dtype = (texts[place], nw.String) if place in texts else (values, nw.Float64)
            data[name] = nw.new_series(name, held, dtype, backend=self.frame.implementation)
        data |= {str(name): kept(name) for name in extra}
        if data:
            return nw.from_dict(data).to_native()
        none = np.zeros(self.n_rows if rows is None else len(rows))
        row = nw.new_series("row", none, nw.Float64, backend=self.frame.implementation)
        return row.to_frame().drop("row").to_native()


@lru_cache(maxsize=64)
def _labels(names: tuple[str, ...]) -> pd.Index[Any]:
    """Names as pandas' labels, which take it as long as a frame of one row; to be copied."""
    return pd.Index(list(names))


def held_in(kind: Callable[..., Any], values: Any, **given: Any) -> Any:
    """A series or frame of values; objects stay objects, and so does text that is no UTF-8."""
    is_of_objects = getattr(values, "dtype", None) == np.dtype(object)
    try:
        return kind(values, dtype=object if is_of_objects else None, copy=False, **given)
    except UnicodeEncodeError:
        return kind(values, dtype=object, **given)


def _text_series(text: npt.NDArray[np.object_], index: pd.Index[Any]) -> pd.Series[Any]:
    """Text of pandas' default type for it."""
    try:
        return pd.Series(text, index, dtype=pd.Series([""]).dtype)
    except UnicodeEncodeError:  # lone surrogates: Python text, but no UTF-8
        return pd.Series(text, index, dtype=object)


def read_vector(what: str, values: Any, n_rows: int) -> Column:
    """Read a one-dimensional array or series; see `held_vector`."""
    return read_column(what, held_vector(what, values, n_rows))


def held_vector(what: str, values: Any, n_rows: int) -> Held:
    """Take a one-dimensional array or series that runs along the rows of a frame.

    Raises
    ------
    OptionTypeError
        If it is no array or series.
    FrameError
        If it has not one dimension, or its length is not ``n_rows``.
    """
    series: Any = values
    if not isinstance(values, pd.Series | np.ndarray):
        try:
            series = nw.from_native(values, series_only=True)
        except TypeError:
            series = _listed(values) if isinstance(values, list | tuple) else np.asanyarray(values)
    if isinstance(series, np.ndarray):
        series = held_in(pd.Series, _along_rows(what, series, values, n_rows))
    if len(series) != n_rows:
        raise FrameError(f"{what} has {len(series)} values, but the frame has {n_rows} rows")
    held = nw.to_native(series, pass_through=True)
    return held if isinstance(held, pd.Series) else series


def _along_rows(what: str, array: npt.NDArray[Any], given: Any, n_rows: int) -> npt.NDArray[Any]:
    """One dimension of an array, which may have a second one of a single column."""
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        kind = FrameError if array.ndim else OptionTypeError
        raise kind(
            f"{what} must be a column name or a one-dimensional array of {n_rows} values; "
            f"found {type(given).__name__} of shape {array.shape}"
        )
    return array


def _listed(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Take a list as pandas does, but integers that its floats would merge as they are."""
    array = held_in(pd.Series, [*values]).to_numpy()
    large = (one for one in values if isinstance(one, int) and abs(one) > EXACT_INTEGERS)
    return objects(values) if array.dtype.kind == "f" and any(large) else np.asarray(array)


def _as_array(given: Any) -> npt.NDArray[Any] | None:
    """Read a two-dimensional array, whatever holds it; None if it is nothing of the kind."""
    if issparse(given):
        raise OptionTypeError(
            f"X is of type {type(given).__name__}: sparse input is not supported. Give a data "
            "frame, or a dense array such as X.toarray()"
        )
    if isinstance(given, list | tuple) and not given:
        raise FrameError(
            f"frame is an empty {type(given).__name__}, which names no columns; give rows, or a "
            "data frame that has the columns and no rows, such as frame.head(0)"
        )
    if not isinstance(given, list | tuple) and not hasattr(given, "__array__"):
        return None
    try:
        array: npt.NDArray[Any] = np.asanyarray(given)
        if array.dtype.kind in "US" and not hasattr(given, "dtype"):
            array = np.asarray(given, dtype=object)  # the numbers among text stay numbers
    except ValueError as reason:
        raise FrameError(
            f"X cannot be read as rows of one length ({reason}); give a data frame"
        ) from reason
    if array.ndim != 2:
        found = "scalar" if array.ndim == 0 else f"{array.ndim}D"
        ways = "X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
        if hasattr(given, "to_frame"):
            ways = "X.to_frame() for one column"
        raise FrameError(
            f"Expected 2D array, got {found} array instead ({type(given).__name__}). Reshape your "
            f"data: give a data frame, or {ways}"
        )
    if array.dtype.kind == "c":
        raise FrameError(
            f"Complex data not supported: X is an array of {array.dtype}; give real and imaginary "
            "parts, or moduli and arguments, as columns of their own"
        )
    return array


def _check_distinct(names: list[Hashable]) -> None:
    if len(set(names)) == len(names):
        return
    repeated = [repr(name) for name, n in Counter(names).items() if n > 1]
    raise FrameError(
        f"several columns share a name: {', '.join(repeated)}; "
        "rename them, so that each column has a name of its own"
    )
