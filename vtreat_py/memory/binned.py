"""Sums of a numeric column by bins, from its rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.forms import filled
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.memory.rows import DesignRows
from vtreat_py.statistics.bins import SUMMED_ROWS, BinnedRows, bin_edges, bin_moments
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import sum_by
from vtreat_py.statistics.parts import PartedNumbers
from vtreat_py.statistics.places import places_among
from vtreat_py.statistics.tally import Rows


class ColumnBins:
    """The bins of a column in memory.

    Parameters
    ----------
    column : NumericColumn
        With a good value in a row that counts.
    rows : DesignRows
    near : Coordinates
        Near its values.
    extent : tuple of float
        Smallest and largest good value.
    """

    def __init__(
        self,
        column: NumericColumn,
        rows: DesignRows,
        near: Coordinates,
        extent: tuple[float, float],
    ) -> None:
        self._column, self._rows, self._near, self._extent = column, rows, near, extent

    @cached_property
    def sums(self) -> BinnedNumbers:
        """Sums by bin."""
        rows, folds = self._rows, self._rows.folds
        sums, trained, repeated, counted = self._by(None, rows.rows), None, None, None
        if folds.training is not None:
            trained = self._by(folds.training[0], rows.trained)
        if folds.repeats is not None:
            repeated = self._by(folds.repeats[0], rows.coded_rows)
        wholes = None
        if rows.outcome.survival is not None:
            all_rows = replace(rows.rows, fold=np.zeros_like(rows.rows.fold), n_folds=1)
            wholes = self._by(None, all_rows)
            none = np.zeros(len(all_rows.y))
            (counted,) = self._by(None, Rows(none, rows.counted_in(None), all_rows.fold, 1))
        return BinnedNumbers(self.edges, self._near, sums, trained, repeated, counted, wholes)

    @property
    def edges(self) -> FloatArray:
        """Where bins end."""
        return self._edges_and_place[0]

    @property
    def place(self) -> IntArray:
        """Bin of each row; of bad ones any."""
        return self._edges_and_place[1]

    def range_of_bin(self, edges: FloatArray) -> IntArray:
        """In which of some ranges each bin is; -1 where one of their edges is inside it."""
        last = np.searchsorted(edges, self.edges)
        first = np.append(0, np.searchsorted(edges, self.edges[:-1], side="right"))
        return np.where(first < last, -1, last)

    @cached_property
    def _edges_and_place(self) -> tuple[FloatArray, IntArray]:
        column, near, weight = self._column, self._near, self._rows.counted_in(None)
        values = column.values.astype(np.float64, copy=False)
        some = None if column.bad is None and weight is None else self._counted(None, weight)
        counted = values if some is None else values[some]
        if near.unit != 1.0:
            counted = counted / near.unit
        parted = PartedNumbers(counted, None if weight is None else weight[some])
        edges = bin_edges(parted.count, self._extent, len(counted), near)
        if weight is not None or near.unit != 1.0:
            place = places_among(edges, filled(values, column.bad, 0))
            return edges, place.astype(np.int16)
        if some is None:
            return edges, parted.places(edges).astype(np.int16, copy=False)
        place = np.zeros(len(values), dtype=np.int16)
        place[some] = parted.places(edges)
        return edges, place

    def _counted(self, rows: IntArray | None, weight: FloatArray | None) -> IntArray:
        """Places among rows, of which all have a weight, that are good and count."""
        bad = self._column.bad
        every = slice(None) if rows is None else rows
        kept = np.ones(len(self._column), dtype=bool)[every]
        if bad is not None:
            kept &= ~bad[every]
        if weight is not None:
            kept &= weight > 0
        return np.flatnonzero(kept)

    def _by(self, row: IntArray | None, taken: Rows) -> list[Moments]:
        """Sums by bin and group of rows, or of all rows, for each contrast.

        ``row`` has the numbers of those taken.
        """
        n_classes, n_bins = self._rows.context.n_classes, len(self.edges)
        some: IntArray | None = None  # places among those taken
        if self._column.bad is not None or taken.weight is not None:
            some = self._counted(row, taken.weight)
        n_groups = taken.n_folds * max(n_classes, 1)
        size = max(SUMMED_ROWS, 4 * n_bins * n_groups)  # adding up the sums of blocks costs little
        n_rows = len(taken.fold) if some is None else len(some)
        some_rows = (
            self._some(one if some is None else some[one], row, taken)
            for one in blocks(n_rows, size)
        )
        sums = bin_moments(some_rows, (n_bins, n_groups), taken.centre)
        if taken.noise is not None:
            return [self._with_noise(sums, some, row, taken)]
        return [sums.of_class(k, n_classes) for k in range(n_classes)] or [sums]

    def _some(self, at: IntArray | slice, row: IntArray | None, taken: Rows) -> BinnedRows:
        """What is summed of some rows."""
        n_classes, y, group = self._rows.context.n_classes, taken.y[at], taken.fold[at]
        rows = at if row is None else row[at]
        x = self._near.inner(self._column.values[rows])
        weight = None if taken.weight is None else taken.weight[at]
        if n_classes:
            pair = group.astype(np.intp) * n_classes + y.astype(np.intp)
            return self.place[rows], pair, x, None, weight
        return self.place[rows], group, x, y.astype(np.float64, copy=False), weight

    def _with_noise(
        self, sums: Moments, some: IntArray | None, row: IntArray | None, taken: Rows
    ) -> Moments:
        """The same with the squares that noise lets one expect; see `Rows`."""
        assert some is not None
        assert taken.count is not None
        rows = some if row is None else row[some]
        cell = self.place[rows].astype(np.intp) * taken.n_folds + taken.fold[some]
        n_rows = sum_by(cell, taken.count[some], len(sums.weight))
        fold = np.tile(np.arange(taken.n_folds), len(self.edges))
        return replace(sums, yy=taken.expected_squares(n_rows, fold))
