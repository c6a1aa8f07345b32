"""Weighted residuals of the rows of a lazy frame, where weights do not count rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.design.context import DesignContext
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.values import table_of_values
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample

RESIDUAL = "weighted_residual"


@dataclass(frozen=True, eq=False)
class Residuals:
    """What the rows add to the sums of their levels, for each contrast; see `ImportanceTests`."""

    rows: DesignRows
    context: DesignContext
    _powers: dict[int, OutcomePowers] = field(default_factory=dict)
    _outcomes: dict[int, Sample] = field(default_factory=dict)

    def attached(self, frame: nw.LazyFrame[Any], number: int) -> nw.LazyFrame[Any]:
        """Add those of a contrast to a query, as the column `RESIDUAL`."""
        outcome = self.context.contrasts[number].outcome
        mean = float(np.average(outcome.y, weights=outcome.weight))
        added = self.share * outcome.side(mean) * (self._y(number) - mean)
        return frame.with_columns(added.alias(RESIDUAL))

    @property
    def share(self) -> nw.Expr:
        """Weight of a row in units of the largest."""
        return self.rows.w / self.rows.largest_weight

    def _y(self, number: int) -> nw.Expr:
        if self.context.contrasts[number].outcome.kind != "binomial":
            return nw.col(Y)
        target = number if self.context.n_classes else 1
        return nw.when(nw.col(Y) == target).then(nw.lit(1.0)).otherwise(nw.lit(0.0))

    def powers(self, number: int) -> OutcomePowers:
        """Their powers; of more than 2**20 different ones of a condensed table of their values."""
        if number not in self._powers:
            frame = self.attached(self.rows.counted([]), number)
            self._powers[number] = OutcomePowers.of_sample(sampled(frame, nw.col(RESIDUAL)))
        return self._powers[number]

    def outcome(self, number: int) -> Sample:
        """The outcome itself, each row counting as one."""
        if number not in self._outcomes:
            self._outcomes[number] = sampled(self.rows.counted([]), self._y(number))
        return self._outcomes[number]


def sampled(frame: nw.LazyFrame[Any], value: nw.Expr) -> Sample:
    """Values of an expression, each row counting as one."""
    table = table_of_values(frame, value, None)
    return Sample.of_values(table.numbers, table.weight)
