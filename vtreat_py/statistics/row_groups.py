"""Rows in order of their groups, a block at a time: sums by group are sums over runs of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.moments import Moments, Point
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# Rows are looked at in blocks that fit into the processor's cache.
_BLOCK = 1 << 14
# They are put in order inside blocks, whose rows are then near to each other in memory; if groups
# are many in longer ones, so that runs have about so many rows.
_RUN = 1 << 8


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Rows in order of their groups, with their outcomes: put in order once for all columns.

    Attributes
    ----------
    row : ndarray of int, shape (n,)
        Numbers of the rows: of a block those of group 0 first, and so on.
    y : ndarray of shape (n,)
        Their outcomes, relative to ``centre``.
    weight : ndarray of shape (n,) or None
        Their weights.
    group : ndarray of int, shape (n,)
        Their groups.
    n_groups : int
    centre : float
        Reference point of ``y``.

    Examples
    --------
    >>> groups = RowGroups.of(np.array([1, 0, 1]), 2, np.array([1.0, 5.0, 2.0]))
    >>> moments = groups.moments(np.array([3.0, 9.0, 5.0]).take)
    >>> moments.x, moments.xy
    (array([9., 4.]), array([0., 1.]))
    """

    row: IntArray
    y: NumberArray
    weight: FloatArray | None
    group: IntArray
    n_groups: int
    centre: float = 0.0

    @classmethod
    def of(
        cls,
        group: IntArray,
        n_groups: int,
        y: NumberArray,
        weight: FloatArray | None = None,
        centre: float = 0.0,
        rows: IntArray | None = None,
    ) -> RowGroups:
        """Put rows in order: all of them, or ``rows``, an entry of the other arrays each."""
        small = group.astype(np.min_scalar_type(max(n_groups - 1, 0)), copy=False)  # sorts fast
        order = _in_blocks(small, max(_BLOCK, _RUN * n_groups))
        kind: Any = np.int32 if len(y) < 1 << 31 else np.int64
        row: IntArray = (order if rows is None else rows[order]).astype(kind)
        in_order = None if weight is None else weight.take(order)
        return cls(row, y.take(order), in_order, small.take(order), n_groups, centre)

    @cached_property
    def _runs(self) -> IntArray:
        """Where runs of rows of one group start, each inside one block."""
        new = np.flatnonzero(self.group[1:] != self.group[:-1]) + 1
        return np.union1d(np.arange(0, len(self.row), _BLOCK), new)

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        """Blocks of rows, and of the runs in them."""
        starts = np.arange(0, max(len(self.row), 1), _BLOCK)
        first = np.append(np.searchsorted(self._runs, starts), len(self._runs))
        for k, start in enumerate(starts.tolist()):
            yield slice(start, start + _BLOCK), slice(int(first[k]), int(first[k + 1]))

    def some(self, places: IntArray) -> RowGroups:
        """Keep the rows at some places of the order."""
        weight = None if self.weight is None else self.weight[places]
        return replace(
            self,
            row=self.row[places],
            y=self.y[places],
            weight=weight,
            group=self.group[places],
        )

    def outcome(self) -> OutcomeSums:
        """Sums of the outcome in each group."""
        return OutcomeSums.of_rows(self.group, self.n_groups, self.y, self.weight, self.centre)

    def moments(
        self, values: Callable[[IntArray], FloatArray], lost: IntArray | None = None
    ) -> Moments:
        """Moments of a column and the outcome.

        Parameters
        ----------
        values : callable
            Gives the values of rows by number, as an array of its own.
        lost : ndarray of int or None
            Places of the order, ascending, that do not count as they have no value.
        """
        lost = np.empty(0, dtype=np.intp) if lost is None else lost
        return Moments.of_sums(partial(self._sums, values, lost), centre_y=self.centre)

    def _sums(
        self, values: Callable[[IntArray], FloatArray], lost: IntArray, at: Point
    ) -> list[FloatArray]:
        """Sums of weights, x, y, xx, xy and yy by group, about a point of each."""
        as_all = at is None and not len(lost)

        def summands(rows: slice) -> list[FloatArray]:
            group = self.group[rows]
            weight = None if self.weight is None else self.weight[rows]
            x, y = values(self.row[rows]), self.y[rows].astype(np.float64, copy=False)
            if at is not None:
                x, y = x - at[0][group], y - at[1][group]
            here = lost[slice(*np.searchsorted(lost, [rows.start, rows.stop]))] - rows.start
            if len(here):
                weight = np.ones(len(x)) if weight is None else weight.copy()
                x[here] = weight[here] = 0.0
            wx = x if weight is None else weight * x
            of_column = [wx, wx * x, wx * y]
            return of_column if as_all else of_column + _of_outcome(y, weight)

        x, xx, xy, *of_outcome = self._by_group(summands)
        n, y, yy = self._outcome_sums if as_all else of_outcome
        return [n, x, y, xx, xy, yy]

    @cached_property
    def _outcome_sums(self) -> list[FloatArray]:
        """Sums of weights, y and yy by group."""

        def summands(rows: slice) -> list[FloatArray]:
            y = self.y[rows].astype(np.float64, copy=False)
            return _of_outcome(y, None if self.weight is None else self.weight[rows])

        return self._by_group(summands)

    def _by_group(self, summands: Callable[[slice], list[FloatArray]]) -> list[FloatArray]:
        """Sums by group of what is found for blocks of rows."""
        found = []
        for rows, runs in self._blocks():
            start = self._runs[runs] - rows.start
            found.append([np.add.reduceat(summand, start) for summand in summands(rows)])
        owner = self.group[self._runs]
        of_runs = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        return [sum_by(owner, sums, self.n_groups) for sums in of_runs]


def _in_blocks(group: IntArray, size: int) -> IntArray:
    """Put rows in order of their groups, block by block."""
    order = np.empty(len(group), dtype=np.intp)
    for rows in blocks(len(group), size):
        np.add(np.argsort(group[rows], kind="stable"), rows.start, out=order[rows])
    return order


def _of_outcome(y: FloatArray, weight: FloatArray | None) -> list[FloatArray]:
    """Weights, weighted outcomes and weighted squares of rows."""
    if weight is None:
        return [np.ones(len(y)), y, y * y]
    return [weight, weight * y, weight * y * y]
