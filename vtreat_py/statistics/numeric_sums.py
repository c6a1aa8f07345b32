"""Sums of a numeric column: its good values, and the rows where it is bad."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.row_groups import RowGroups
from vtreat_py.statistics.scan import all_before, all_but_own


@dataclass(frozen=True, eq=False)
class NumericSums:
    """Sums of a numeric column in several groups of rows.

    Attributes
    ----------
    good : Moments
        Of the rows with a good value.
    bad : OutcomeSums
        Of the rows without one.
    """

    good: Moments
    bad: OutcomeSums

    @classmethod
    def of_rows(
        cls,
        groups: RowGroups,
        values: NumberArray,
        bad: BoolArray | None,
        coordinates: Coordinates,
    ) -> NumericSums:
        """Sum the rows of each group, in inner coordinates."""

        def inner(rows: IntArray) -> FloatArray:
            return coordinates.inner(values.take(rows))

        lost = _lost(groups, bad)
        return cls(groups.moments(inner, lost), groups.some(lost).outcome())

    def imputed(self, value: FloatArray) -> Moments:
        """Moments of the cleaned column, when the bad rows of each group get ``value``."""
        return self.good + Moments.of_points(value, self.bad)

    def outcome(self) -> OutcomeSums:
        """Outcome sums over good and bad rows together."""
        good = self.good
        inner = None if self.bad.inner is None else good.yy
        return self.bad + OutcomeSums(good.weight, good.weight * good.y, inner, good.centre_y)

    def of_class(self, number: int, n_classes: int) -> NumericSums:
        """Turn sums by ``group * n_classes + class`` into sums by group of one class.

        The outcome is then 1 for rows of that class and 0 for the others.
        """
        group, own = np.divmod(np.arange(len(self.good.weight)), n_classes)
        n_groups = len(group) // n_classes
        hit = (own == number).astype(np.float64)
        bad = OutcomeSums(self.bad.weight, self.bad.weight * hit)
        return NumericSums(self.good.of_class(number, n_classes), bad.grouped(group, n_groups))

    def take(self, which: IntArray | slice) -> NumericSums:
        """Return some of the groups."""
        return NumericSums(self.good.take(which), self.bad.take(which))

    def merged(self) -> NumericSums:
        """Merge all groups into one."""
        return NumericSums(self.good.merged(), self.bad.merged())

    def all_but_own(self) -> NumericSums:
        """For each group, merge the others."""
        n = len(self.good.weight)
        rank, size = np.arange(n), np.full(n, n)
        none = self._nothing()
        return NumericSums(
            all_but_own(self.good, rank, size, none.good),
            all_but_own(self.bad, rank, size, none.bad),
        )

    def all_before(self) -> NumericSums:
        """For each group, merge those before it."""
        n, none = len(self.good.weight), self._nothing()
        return NumericSums(all_before(self.good, n, none.good), all_before(self.bad, n, none.bad))

    def _nothing(self) -> NumericSums:
        """Sums of no rows."""
        return NumericSums(self.good.nothing(1), OutcomeSums.nothing(1, self.bad))


def lost_sums(groups: RowGroups, bad: BoolArray | None) -> OutcomeSums:
    """Sums of the bad rows of each group."""
    return groups.some(_lost(groups, bad)).outcome()


def _lost(groups: RowGroups, bad: BoolArray | None) -> IntArray:
    """Places of the bad rows in the order of the groups."""
    return np.empty(0, dtype=np.intp) if bad is None else np.flatnonzero(bad.take(groups.row))
