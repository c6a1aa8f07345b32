"""Columns of numbers cut in ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import IntArray
from vtreat_py.coders.step_code import range_levels
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.columns import LazyLevels, exactly


@dataclass(frozen=True)
class LazyRanges(LazyLevels):
    """A column of numbers whose levels are ranges, in their order; bad values are missing.

    Engines have numbers in place of names, which they group by in less time.
    """

    edges: tuple[float, ...] = ()

    @property
    def known(self) -> Levels:  # type: ignore[override]
        """All levels, whether rows have them or not."""
        return range_levels(np.array(self.edges))

    @property
    def level(self) -> nw.Expr:
        """Int64, from 0; null where the number is bad."""
        place = place_of(self.value, [*self.edges, np.inf]).cast(nw.Int64())
        return nw.when(self.value.is_finite()).then(place)

    def labels(self, levels: Levels) -> pa.Array:
        """The levels as the column has them."""
        return pa.array(np.arange(len(levels)))

    def codes(self, levels: Levels, labels: pa.ChunkedArray) -> IntArray:
        """Code of each label of an answer; null is missing."""
        return np.asarray(labels.cast(pa.int64()).fill_null(levels.missing).to_numpy())


def place_of(number: nw.Expr, edges: Sequence[float]) -> nw.Expr:
    """Number of edges below a number, but the last; found by halves, so that few are looked at."""

    def among(first: int, last: int) -> nw.Expr:
        if first == last:
            return nw.lit(first)
        middle = (first + last) // 2
        at_most = number <= exactly(edges[middle])
        return nw.when(at_most).then(among(first, middle)).otherwise(among(middle + 1, last))

    return among(0, len(edges) - 1)
