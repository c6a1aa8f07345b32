"""Sums of a numeric column by bins, from its rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.forms import filled
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.memory.rows import DesignRows
from vtreat_py.statistics.bins import BinnedRows, bin_edges, bin_moments
from vtreat_py.statistics.blocks import ROWS, blocks
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.parts import PartedNumbers
from vtreat_py.statistics.places import places_among


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
        weight = rows.outcome.weight
        sums = self._by(None, folds.fold, folds.n_blocks, weight)
        trained, repeated = None, None
        if folds.training is not None:
            trained = self._by(*folds.training, folds.n_folds, weight)
        if folds.repeats is not None:
            repeated = self._by(*folds.repeats, folds.n_folds, rows.crossed_weight)
        return BinnedNumbers(self.edges, self._near, sums, trained, repeated)

    @property
    def edges(self) -> FloatArray:
        """Where bins end."""
        return self._edges_and_place[0]

    @property
    def place(self) -> IntArray:
        """Bin of each row; of bad ones any."""
        return self._edges_and_place[1]

    @cached_property
    def _edges_and_place(self) -> tuple[FloatArray, IntArray]:
        column, near, weight = self._column, self._near, self._rows.outcome.weight
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
        """Places among rows that are good and count."""
        bad = self._column.bad
        every = slice(None) if rows is None else rows
        kept = np.ones(len(self._column), dtype=bool)[every]
        if bad is not None:
            kept &= ~bad[every]
        if weight is not None:
            kept &= weight[every] > 0
        return np.flatnonzero(kept)

    def _by(
        self, rows: IntArray | None, group: IntArray, n_groups: int, weight: FloatArray | None
    ) -> list[Moments]:
        """Sums by bin and group of rows, or of all rows, for each contrast."""
        n_classes, n_bins = self._rows.context.n_classes, len(self.edges)
        if self._column.bad is not None or weight is not None:
            kept = self._counted(rows, weight)
            rows, group = kept if rows is None else rows[kept], group[kept]
        shape = n_bins, n_groups * max(n_classes, 1)
        size = max(ROWS, 4 * n_bins * shape[1])  # adding up the sums of blocks costs little
        some_rows = (
            self._some(one if rows is None else rows[one], group[one], weight)
            for one in blocks(len(group), size)
        )
        sums = bin_moments(some_rows, shape, self._rows.outcome.centre)
        return [sums.of_class(k, n_classes) for k in range(n_classes)] or [sums]

    def _some(
        self, rows: IntArray | slice, group: IntArray, weight: FloatArray | None
    ) -> BinnedRows:
        """What is summed of some rows."""
        n_classes, y = self._rows.context.n_classes, self._rows.outcome.y[rows]
        x = self._near.inner(self._column.values[rows])
        of_rows = None if weight is None else weight[rows]
        if n_classes:
            return (
                self.place[rows],
                group.astype(np.intp) * n_classes + y.astype(np.intp),
                x,
                None,
                of_rows,
            )
        return self.place[rows], group, x, y.astype(np.float64, copy=False), of_rows
