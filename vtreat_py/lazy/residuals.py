"""Weighted residuals of the rows of a lazy frame, for tests that sums by level do not tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.design.context import DesignContext
from vtreat_py.lazy.columns import LazyColumn, PlainColumn
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.values import table_of_values
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.row_tests import sample_of
from vtreat_py.significance.sample import Sample

RESIDUAL = "weighted_residual"


@dataclass(frozen=True, eq=False)
class Residuals:
    """What the rows add to the sums of their levels, for each contrast.

    See `ImportanceTests` and, of rates, `RateTests`. Where weights count rows, each row is there as
    often; else each is one.
    """

    rows: DesignRows
    context: DesignContext
    _powers: dict[int, OutcomePowers] = field(default_factory=dict, kw_only=True)
    _outcomes: dict[int, Sample] = field(default_factory=dict, kw_only=True)

    def counted(self, columns: list[LazyColumn]) -> nw.LazyFrame[Any]:
        """Build the query of `DesignRows.counted` for columns, and what residuals rest on."""
        return self.rows.counted(columns)

    def attached(self, frame: nw.LazyFrame[Any], number: int) -> nw.LazyFrame[Any]:
        """Add those of a contrast to a query, as the column `RESIDUAL`."""
        return frame.with_columns((self.share * self.apart(number)).alias(RESIDUAL))

    def apart(self, number: int) -> nw.Expr:
        """The outcome of a contrast less its mean, from the side of the rarer class."""
        mean = self.mean(number)
        return self.context.contrasts[number].outcome.side(mean) * (self.y(number) - mean)

    def mean(self, number: int) -> float:
        """Mean of the outcome of a contrast: of a rate, that of all rows."""
        outcome = self.context.contrasts[number].outcome
        return float(np.average(outcome.y, weights=outcome.weight))

    @property
    def share(self) -> nw.Expr:
        """Weight of a row in units of the largest; 1 where weights count rows.

        Of rates, exposure in units of the mean, times weights that do not count rows.
        """
        if self.context.is_rate:
            scale = self.rows.mean_weights[0]
            return self.rows.share if self._counts_rows else self.rows.w / scale
        if self._counts_rows:
            return nw.lit(1.0)
        return self.rows.w / self.rows.largest_weight

    @property
    def varies(self) -> nw.Expr:
        """What variances of residuals of rates are proportional to; see `RateTests`."""
        if self._counts_rows or self.rows.times is None:
            return self.share
        return self.rows.w * self.rows.times.value / self.rows.mean_weights[1]

    @property
    def times(self) -> PlainColumn | None:
        """How often each row is there; None: once."""
        return self.rows.times if self._counts_rows else None

    @property
    def _counts_rows(self) -> bool:
        return self.context.outcome.weighting.counts_rows

    def y(self, number: int) -> nw.Expr:
        """The outcome of a contrast."""
        if self.context.contrasts[number].outcome.kind != "binomial":
            return nw.col(Y)
        target = number if self.context.n_classes else 1
        return nw.when(nw.col(Y) == target).then(nw.lit(1.0)).otherwise(nw.lit(0.0))

    def powers(self, number: int) -> OutcomePowers:
        """Their powers; of more than 2**20 different ones of a condensed table of their values."""
        if number not in self._powers:
            frame = self.attached(self.counted([]), number)
            sample = sampled(frame, nw.col(RESIDUAL), self.times)
            self._powers[number] = OutcomePowers.of_sample(sample)
        return self._powers[number]

    def outcome(self, number: int) -> Sample:
        """The outcome as correlations see it, each row counting as one, or as often as it is."""
        if number not in self._outcomes:
            found = sampled(self.counted([]), self.tested(number), self.times)
            self._outcomes[number] = found
        return self._outcomes[number]

    def tested(self, number: int) -> nw.Expr:
        """What `outcome` has for each row: of rates the residual."""
        return self.share * self.apart(number) if self.context.is_rate else self.y(number)


def sampled(frame: nw.LazyFrame[Any], value: nw.Expr, times: PlainColumn | None = None) -> Sample:
    """Values of an expression, each row counting as one, or so many times."""
    table = table_of_values(frame, value, times)
    return sample_of(table.numbers, table.weight)
