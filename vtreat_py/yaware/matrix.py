"""Frames of numbers as matrices, read block by block."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, NumberArray
from vtreat_py.base.errors import FrameError, OptionTypeError, UnsupportedColumnError
from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn, kind_of
from vtreat_py.frames.frame import InputFrame
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.coordinates import Coordinates

# Numbers in a block: they stay in the processor's cache while they are multiplied.
_BLOCK = 1 << 17
_LEAST_ROWS = 256
_SHOWN = 5
# Slopes on smaller numbers leave the range of floats.
_SMALL = 1e-140


@dataclass(frozen=True, eq=False)
class NumericMatrix:
    """The numeric columns of a frame, in coordinates in which squares keep their digits.

    Attributes
    ----------
    values : list of ndarray of shape (n,)
        Columns as they came; never written to.
    """

    values: list[NumberArray]

    @classmethod
    def of(cls, values: list[NumberArray], weight: FloatArray | None) -> NumericMatrix:
        """Hold columns; a row that does not count, wherever it lies, is as one that does."""
        if weight is None or weight.all():
            return cls(values)
        lost, counted = weight == 0, int(np.flatnonzero(weight)[0])
        return cls([np.where(lost, v[counted], v) for v in values])

    @cached_property
    def coordinates(self) -> list[Coordinates]:
        """Coordinates of each column, chosen for it."""
        return [Coordinates.near(v) for v in self.values]

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Rows, and their inner coordinates as a matrix of shape (columns, rows)."""
        unit, centre = self.unit[:, None], self.centre[:, None]
        scaled = bool((unit != 1.0).any())
        for rows in blocks(len(self.values[0]), max(_BLOCK // len(self.values), _LEAST_ROWS)):
            x = np.stack([v[rows] for v in self.values], dtype=np.float64, casting="unsafe")
            if scaled:
                x /= unit
            x -= centre
            yield rows, x

    def inner(self, column: int) -> FloatArray:
        """Inner coordinates of one column."""
        return self.coordinates[column].inner(self.values[column])

    @property
    def unit(self) -> FloatArray:
        """Unit of each column's inner coordinates."""
        return np.array([at.unit for at in self.coordinates])

    @property
    def centre(self) -> FloatArray:
        """Centre of each column, in its unit."""
        return np.array([at.centre / at.unit for at in self.coordinates])

    def outer(self, inner: FloatArray) -> FloatArray:
        """Turn one inner coordinate of each column into values."""
        return np.array([at.outer(v) for at, v in zip(self.coordinates, inner, strict=True)])


def read_numbers(source: InputFrame, columns: Sequence[Hashable]) -> list[NumberArray]:
    """Read columns of numbers.

    Raises
    ------
    OptionTypeError, FrameError
        If some column holds something else, or has missing or infinite values; either names all
        columns that cannot be taken.
    """
    if not source.n_rows:
        return [np.empty(0) for _ in columns]
    read: list[Column | UnsupportedColumnError] = []
    for name in columns:
        try:
            read.append(source.read(name))
        except UnsupportedColumnError as error:
            read.append(error)
    found = zip(columns, read, strict=True)
    wrong = [f"{name!r} {what}" for name, one in found if (what := _what_is_wrong(one))]
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        numeric = [isinstance(c, EmptyColumn) or getattr(c, "kind", "") == "number" for c in read]
        kind = FrameError if all(numeric) else OptionTypeError
        raise kind(
            "the argument must be free of strings and of missing values, with finite numbers "
            f"only, but column {'; '.join(wrong[:_SHOWN])}{more}. A treatment makes such numbers "
            "of any column (NumericOutcomeTreatment, BinomialOutcomeTreatment, "
            "MultinomialOutcomeTreatment)"
        )
    return [one.values for one in read if isinstance(one, NumericColumn)]


def _what_is_wrong(column: Column | UnsupportedColumnError) -> str | None:
    match column:
        case UnsupportedColumnError():
            return f"holds {column.what}"
        case EmptyColumn():
            return "has missing values (NaN) only"
        case NumericColumn(kind="number", values=values, bad=bad) if bad is not None:
            missing = int(np.isnan(values[bad]).sum())
            infinite = int(bad.sum()) - missing
            parts = [f"{missing} missing values (NaN)"] if missing else []
            parts += [f"{infinite} infinite values"] if infinite else []
            return f"has {' and '.join(parts)}, the first in row {int(np.argmax(bad))}"
        case NumericColumn(kind="number", values=values):
            largest = float(max(abs(values.min()), abs(values.max())))
            lost = f"below {_SMALL:g} only, whose squares are lost: use a smaller unit"
            return f"holds numbers {lost}" if 0.0 < largest < _SMALL else None
    return f"holds {kind_of(column).removesuffix('s')}s"
