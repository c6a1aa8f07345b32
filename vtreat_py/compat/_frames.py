"""Frames on their way in and out of the treatments."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, OutcomeError
from vtreat_py.frames.columns import EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame, held_in
from vtreat_py.outcome.reading import incomplete

# Rows that tell most columns from identifiers.
_FIRST_ROWS = 1000


def read_frame(X: Any) -> InputFrame:
    """Wrap a frame; the columns of an array are called ``"0"``, ``"1"``, ..."""
    source = InputFrame.of(X)
    if source.is_array:
        source = source.renamed([str(place) for place in range(len(source.columns))])
    return source


def named_as(source: InputFrame, known: Collection[Hashable]) -> InputFrame:
    """Give columns of pandas the names of a known frame that read alike: 0 is "0"."""
    if not isinstance(source.native, pd.DataFrame):
        return source
    lost = {str(name): name for name in known if name not in source.columns}
    names = [c if c in known else lost.get(str(c), c) for c in source.columns]
    return source if source.columns == tuple(names) else source.renamed(names)


def read_vector(y: Any, n_rows: int) -> Any:
    """Outcome values as a one-dimensional array, as they were given; none may be missing."""
    try:
        values = nw.from_native(y, series_only=True).to_numpy()
    except TypeError:
        values = np.asarray(held_in(pd.Series, y)) if isinstance(y, list | tuple) else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise OptionTypeError(f"y must be a one-dimensional array of {n_rows} values")
    if len(values) != n_rows:
        raise FrameError(f"y has {len(values)} values, but X has {n_rows} rows")
    missing = pd.isna(values)
    if missing.any():
        raise incomplete(int(missing.sum()), 0, n_rows, int(missing.argmax()))
    return values


def check_same_outcome(source: InputFrame, name: Hashable, y: Any) -> None:
    """Refuse outcomes that are not those of the frame, whose column comes out unchanged."""
    if name not in source.columns:
        return
    own = source.series(name).to_numpy()
    known = ~np.asarray(pd.isna(own), dtype=bool)
    same = known.copy()
    dtype = None if {own.dtype.kind, y.dtype.kind} <= set("biuf") else object
    same[known] = np.asarray(own[known], dtype=dtype) == np.asarray(y[known], dtype=dtype)
    if not same.all():
        raise OutcomeError(
            f"y differs from X[{name!r}], the column of outcome_name, in {int((~same).sum())} of "
            f"{source.n_rows} rows; leave y out, or give X without that column"
        )


def part(source: InputFrame, columns: Sequence[Hashable], rows: IntArray | None = None) -> Any:
    """Some columns and rows of a frame, of the caller's kind."""
    native = source.native
    if isinstance(native, pd.DataFrame):
        chosen = native[list(columns)]
        return chosen if rows is None else chosen.iloc[rows]
    frame = source.frame.select([str(c) for c in columns])
    return (frame if rows is None else frame[rows]).to_native()


def extended(
    source: InputFrame, columns: Sequence[Hashable], extra: Mapping[str, FloatArray]
) -> Any:
    """Some columns of a frame with new ones beside them, of the caller's kind."""
    native = part(source, columns)
    if not extra:
        return native
    if isinstance(native, pd.DataFrame):
        return pd.concat([native, pd.DataFrame(dict(extra), native.index, copy=False)], axis=1)
    backend = source.frame.implementation
    series = [nw.new_series(name, v, nw.Float64, backend=backend) for name, v in extra.items()]
    return nw.from_native(native, eager_only=True).with_columns(*series).to_native()


def output(
    source: InputFrame,
    treated: Any,
    names: Mapping[str, str],
    copied: Sequence[Hashable],
    sparse: Sequence[str],
) -> Any:
    """Put copied columns before the treated ones that ``names`` has, under their new names.

    Those of the new names in ``sparse`` become pandas' sparse arrays. An array goes out where one
    came in.
    """
    if isinstance(treated, pd.DataFrame):
        result = treated[list(names)].set_axis(list(names.values()), axis=1)
        if sparse and not source.is_array:
            result = result.astype(dict.fromkeys(sparse, pd.SparseDtype("float64", 0.0)))
        if copied:
            result = pd.concat([part(source, copied), result], axis=1)
        if source.is_array:
            return result.to_numpy(dtype=None if copied else np.float64)
        return result
    if sparse:
        raise InvalidOptionError(
            "sparse_indicators=True makes sparse columns of pandas; this frame is of another "
            "kind, so set it to False"
        )
    if not names:
        return part(source, copied)
    frame = nw.from_native(treated, eager_only=True)
    result = frame.select([nw.col(old).alias(new) for old, new in names.items()])
    if copied:
        before = nw.from_native(part(source, copied), eager_only=True)
        result = nw.concat([before, result], how="horizontal")
    return result.to_native()


def has_gaps(source: InputFrame, column: Hashable) -> bool:
    """Whether a column is missing in some rows, and not in all."""
    return 0 < source.series(column).null_count() < source.n_rows


def holds_levels(source: InputFrame, column: Hashable) -> bool:
    """Whether the values of a column are levels."""
    dtype = source.series(column).dtype
    if dtype == nw.Object:
        return not isinstance(source.read(column), NumericColumn | EmptyColumn)
    return isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Binary)


def is_identifier(source: InputFrame, column: Hashable) -> bool:
    """Whether a column has another value in each row."""
    series = source.series(column)
    if source.n_rows < 2 or series.null_count():
        return False
    try:
        return all(rows.n_unique() == len(rows) for rows in (series.head(_FIRST_ROWS), series))
    except TypeError:  # values that cannot be hashed
        return False
