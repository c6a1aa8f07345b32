"""Row ids of text as whole numbers, by a mix that every engine has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.md5 import md5_heads
from vtreat_py.frames.beside import check_column, integers, no_id, of_integers
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.id_texts import Texts, id_texts

# Numbers are below it.
LIMIT = 2**60
# Where the hexadecimal digits of an MD5 stand, from 1, that make the number: first, how many.
HEX_PLACES = ((16, 1), (13, 2), (11, 2), (9, 2), (7, 2), (5, 2), (3, 2), (1, 2))


def numbers_of_ids(frame: InputFrame, row_id: Any) -> IntArray:
    """Row ids as integers of 64 bits: integers themselves, text and UUIDs as `numbers_of_texts`.

    Raises
    ------
    InvalidOptionError, FrameError
        If there is no such column, it holds anything else, or ids are missing.
    """
    check_column("row_id", row_id, frame.columns)
    series = frame.series(row_id)
    if of_integers(series).dtype.is_integer():
        return integers(frame, "row_id", row_id)
    texts = id_texts(row_id, series)
    if texts.null_count:
        raise no_id(row_id, texts.null_count)
    return np.asarray(numbers_of_texts(texts))


def numbers_of_texts(texts: Texts) -> pa.Array:
    """Mix texts into whole numbers, from 0 to 2**60 - 1: those that engines make of them.

    The number of a text is the remainder modulo 2**60 of the first eight bytes of the MD5 of its
    UTF-8 bytes, read as a little-endian number. MD5 is what engines have in common; nothing here
    rests on that nobody can forge it.

    Parameters
    ----------
    texts : pyarrow.Array or ChunkedArray of large_string, n texts

    Returns
    -------
    pyarrow.Array of int64, n numbers
        Null where the text is.

    Examples
    --------
    >>> import hashlib
    >>> import pyarrow as pa
    >>> numbers_of_texts(pa.array(["cust-00017", None], pa.large_string())).to_pylist()
    [77869735685890693, None]
    >>> int.from_bytes(hashlib.md5(b"cust-00017").digest()[:8], "little") % 2**60
    77869735685890693
    """
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    if not len(whole):
        return pa.array([], pa.int64())
    _, ends, data = whole.buffers()
    heads = md5_heads(
        np.frombuffer(data or b"", np.uint8),
        np.frombuffer(ends, np.int64)[whole.offset : whole.offset + len(whole) + 1],
    )
    numbers = (heads % np.uint64(LIMIT)).astype(np.int64)
    return pa.array(numbers, mask=np.asarray(whole.is_null()))
