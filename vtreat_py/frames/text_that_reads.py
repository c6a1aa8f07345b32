"""Text that is numbers or dates, and numbers beside text: how much of it, and which numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.frames.levels import Levels

# Levels that are looked at first, and in all; messages name a few that do not read.
_FIRST, _MOST, _NAMED = 32, 4096, 3
# Durations of NumPy's are integers to Python.
_NO_NUMBERS = bool | np.bool_ | np.timedelta64
_DATE = re.compile(
    r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|\d{8})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?\s*"
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class ReadText:
    """What the levels of a column of text read as.

    Attributes
    ----------
    n_levels : int
        All levels.
    share : float
        Share of the rows whose level reads; of evenly spaced levels where they are many.
    places : ndarray of int
        The levels that read.
    numbers : ndarray or None
        What they read as; None for dates.
    is_telling : bool
        Whether they cannot be names that happen to be written in digits: dates, fractions.
    is_text : bool
        Whether all levels are text.
    others : list
        Some levels that do not read.
    n_others : int
        How many there are, of those that were looked at.
    """

    n_levels: int
    share: float
    places: IntArray
    numbers: FloatArray | None
    is_telling: bool
    is_text: bool
    others: list[Any]
    n_others: int


def read_text(levels: Levels, weight: FloatArray) -> ReadText | None:
    """Read levels as numbers, or as dates; ``weight`` is that of the rows of each.

    None of levels that are no text, or of which none reads. Of several types, numbers beside text
    are read.
    """
    n_levels = len(levels)
    if not levels.is_text:
        return _read_objects(levels, weight)
    if not pa.types.is_large_string(levels.labels.type):
        return None
    first = spaced(n_levels, _FIRST)
    if not any(map(_may_read, levels.labels.take(first).to_pylist())):
        return None
    places = spaced(n_levels, _MOST)
    labels = levels.labels.take(places).to_pylist()
    numbers: FloatArray | None = pd.to_numeric(pd.Series(labels), errors="coerce").to_numpy(float)
    assert numbers is not None
    reads = np.isfinite(numbers)
    dates = np.array([_DATE.fullmatch(label) is not None for label in labels])
    read = (label for label, one in zip(labels, reads, strict=True) if one)
    is_telling = not all(map(_DIGITS.fullmatch, read))
    if (dates & ~reads).any():
        reads, numbers, is_telling = dates, None, True
    return _read(levels, weight, places, reads, numbers, is_telling)


def _read_objects(levels: Levels, weight: FloatArray) -> ReadText | None:
    """Read numbers beside text."""
    places = spaced(len(levels), _MOST)
    labels = [levels[place] for place in places.tolist()]
    if not any(isinstance(label, str) for label in labels):
        return None
    numbers = np.array([_number(label) for label in labels])
    reads = np.isfinite(numbers)
    is_telling = bool((numbers[reads] % 1.0 != 0.0).any())
    return _read(levels, weight, places, reads, numbers, is_telling)


def _number(label: Any) -> float:
    """A number, not of text, or NaN."""
    is_number = isinstance(label, Real) and not isinstance(label, _NO_NUMBERS)
    try:
        return float(label) if is_number else np.nan
    except OverflowError:  # of an integer beyond all floats
        return np.nan


def _read(
    levels: Levels,
    weight: FloatArray,
    places: IntArray,
    reads: BoolArray,
    numbers: FloatArray | None,
    is_telling: bool,
) -> ReadText | None:
    seen = weight[places]
    if not seen.sum() > 0:
        return None
    others = np.flatnonzero(~reads & (seen > 0))
    return ReadText(
        len(levels),
        float(seen[reads].sum() / seen.sum()),
        places[reads],
        None if numbers is None else numbers[reads],
        is_telling,
        levels.is_text,
        [levels[place] for place in places[others[:_NAMED]].tolist()],
        len(others),
    )


def spaced(number: int, most: int) -> IntArray:
    """Places of so many things, or of evenly spaced ones where they are more than the most."""
    if number <= most:
        return np.arange(number)
    return np.linspace(0, number - 1, most).astype(np.intp)


def _may_read(label: str) -> bool:
    """Whether a text starts as numbers and dates do."""
    return label.lstrip(" +-.")[:1].isdigit()
