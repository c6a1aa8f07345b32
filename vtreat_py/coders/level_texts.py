"""Levels as text."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.levels import Levels


def as_text(level: Any) -> str:
    """Write a level as text: bytes as UTF-8, other values as Python does."""
    if isinstance(level, bytes):
        return level.decode(errors="backslashreplace")
    return str(level)


def as_bytes(levels: Levels) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Write all levels in UTF-8 behind each other; where each starts, and the last ends."""
    if not levels.is_text:
        each = [_encoded(level) for level in levels.labels]
        return np.frombuffer(b"".join(each), np.uint8), np.cumsum([0, *map(len, each)])
    labels = levels.labels
    _, offsets, content = labels.buffers()
    if not len(labels) or content is None:  # no text, or all of it is empty
        return np.empty(0, np.uint8), np.zeros(len(labels) + 1, np.int64)
    ends = np.frombuffer(offsets, np.int64)[labels.offset : labels.offset + len(labels) + 1]
    return np.frombuffer(content, np.uint8), ends


def _encoded(level: Any) -> bytes:
    """Write a level in UTF-8: equal ones alike, such as 1, 1.0 and True."""
    if isinstance(level, bytes):
        return level
    if isinstance(level, Number | np.bool_):
        number: Any = level
        try:
            whole = int(number)
            level = whole if whole == number else float(number)
        except (ArithmeticError, TypeError, ValueError):
            pass  # it is complex, or not finite
    return as_text(level).encode(errors="surrogatepass")
