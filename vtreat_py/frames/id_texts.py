"""Columns of text, or of UUIDs, that tell rows apart: as Arrow text."""

from __future__ import annotations

from typing import Any, TypeAlias
from uuid import UUID

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.beside import wrong_type

_UUID_BYTES = 16
# Where the hexadecimal digits of a UUID stand in its text; a dash stands elsewhere.
_PLACES = np.array([i for i in range(36) if i not in (8, 13, 18, 23)])
_DIGITS = np.array([list(f"{byte:02x}".encode()) for byte in range(256)], dtype=np.uint8)

Texts: TypeAlias = pa.Array | pa.ChunkedArray


def id_texts(row_id: Any, series: nw.Series[Any]) -> Texts:
    """Text of ids: text as it is, a UUID as it is written in lower case; null where missing.

    UUIDs are Python's, or Arrow's: its type of that name, or any 16 bytes of fixed size.

    Raises
    ------
    InvalidOptionError
        If the column holds anything else.

    Examples
    --------
    >>> import uuid
    >>> import narwhals.stable.v2 as nw
    >>> import pandas as pd
    >>> values = pd.Series([uuid.UUID(int=10**30), None, "cust-00017"])
    >>> id_texts("id", nw.from_native(values, series_only=True)).to_pylist()
    ['0000000c-9f2c-9cd0-4674-edea40000000', None, 'cust-00017']
    """
    native = series.to_native()
    if isinstance(native, pd.Series) and native.dtype == "category":
        labels = pd.Series(native.cat.categories)
        texts = id_texts(row_id, nw.from_native(labels, series_only=True))
        codes = native.cat.codes.to_numpy()
        return texts.take(pa.array(codes, mask=codes < 0))
    if series.dtype == nw.Object or (isinstance(native, pd.Series) and native.dtype == object):
        return _of_objects(row_id, np.asarray(native.to_numpy()))
    held = _in_arrow(series)
    texts = None if held is None else _of_arrow(held)
    if texts is None:
        raise wrong_type("row_id", row_id, type_of(series))
    return texts


def type_of(series: nw.Series[Any]) -> Any:
    """Type of a column for messages, also where narwhals has no name for it."""
    if series.dtype != nw.Unknown:
        return series.dtype
    native = series.to_native()
    return native.type if isinstance(native, pa.ChunkedArray) else native.dtype


def _of_objects(row_id: Any, values: npt.NDArray[np.object_]) -> pa.Array:
    """Text of Python's own values."""
    present = ~pd.isna(values)
    for value in values[present]:
        if not isinstance(value, str | UUID):
            raise InvalidOptionError(
                f"row_id={row_id!r} holds {value!r} of type {type(value).__name__}; objects must "
                "be text or UUIDs there. Convert the column to text, or to integers of 64 bits"
            )
    texts = np.full(len(values), None, dtype=object)
    texts[present] = [str(value) for value in values[present]]
    try:
        return pa.array(texts, pa.large_string())
    except (UnicodeEncodeError, pa.ArrowInvalid) as reason:
        raise InvalidOptionError(
            f"row_id={row_id!r} holds text with lone surrogates, which has no UTF-8; mend it, or "
            "name a column of integers"
        ) from reason


def _in_arrow(series: nw.Series[Any]) -> Texts | None:
    """A column as Arrow has it; None where it has nothing of the kind."""
    native = series.to_native()
    try:
        if isinstance(native, pd.Series):
            return pa.array(native.array, from_pandas=True)
        return series.alias("").to_arrow()  # Arrow takes no NUL in a name
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return None


def _of_arrow(values: Texts) -> Texts | None:
    """Text of an Arrow array; None if it holds anything else."""
    kind, t = values.type, pa.types
    if t.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if t.is_string(kind) or t.is_large_string(kind) or t.is_string_view(kind):
        return values.cast(pa.large_string())
    if is_uuid(kind) or (t.is_fixed_size_binary(kind) and kind.byte_width == _UUID_BYTES):
        return uuid_texts(values)
    return None


def is_uuid(kind: pa.DataType) -> bool:
    """Whether it is Arrow's type of UUIDs."""
    return isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"


def uuid_texts(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Text (large_string) of UUIDs, or of 16 bytes."""
    if is_uuid(values.type):
        values = values.cast(values.type.storage_type)
    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    filled = whole.fill_null(bytes(_UUID_BYTES))
    held = np.frombuffer(filled.buffers()[1], np.uint8)[_UUID_BYTES * filled.offset :]
    held = held[: _UUID_BYTES * len(filled)].reshape(-1, _UUID_BYTES)
    text = np.full((len(held), 36), ord("-"), dtype=np.uint8)
    text[:, _PLACES] = _DIGITS[held].reshape(-1, len(_PLACES))
    ends = np.arange(len(held) + 1, dtype=np.int64) * 36
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(text)]
    texts = pa.Array.from_buffers(pa.large_string(), len(held), buffers)
    return texts.take(pa.array(np.arange(len(held)), mask=np.asarray(whole.is_null())))
