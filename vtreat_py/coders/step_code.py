"""Codes of numbers that are a table: a number for each range of values."""

from __future__ import annotations

from typing import ClassVar, Literal

import pyarrow as pa

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.table_code import TableCode
from vtreat_py.frames.levels import Levels


class StepCode(TableCode):
    """A code that gives a number to each range of the values of a numeric column.

    It is a `TableCode` whose levels are the ranges: bad values are the missing level. Ranges are
    neither pooled nor set aside.

    Attributes
    ----------
    probabilities : tuple of float
        Between 0 and 1, ascending: the quantiles that ranges end at.
    """

    reads: ClassVar[Literal["levels", "numbers"]] = "numbers"
    probabilities: ClassVar[tuple[float, ...]]


def range_name(number: int) -> str:
    """What a range is called as a level."""
    return f"{number:05d}"


def range_levels(edges: FloatArray) -> Levels:
    """The ranges that end at edges, as levels."""
    names = list(map(range_name, range(len(edges) + 1)))
    return Levels.of_text(pa.array(names, pa.large_string()))
