"""A categorical column of a lazy frame: what a design asks of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.design.facts import LevelFacts
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.aggregates import Asked, floats, grouped
from vtreat_py.lazy.columns import LazyLevels, LazyNumber
from vtreat_py.lazy.level_queries import level_sums, level_values
from vtreat_py.lazy.ranges import LazyRanges
from vtreat_py.lazy.residuals import RESIDUAL, Residuals, sampled
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.score_queries import score_sums
from vtreat_py.lazy.spread_query import spread_p_value
from vtreat_py.lazy.tables import brought
from vtreat_py.significance.interaction_draws import Residuals as OutcomeShape
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.rates import rate_correlation, rate_effects
from vtreat_py.significance.row_tests import correlation_of, sample_of
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

_LEVEL, _NUMBER, _OWN = "tested_level", "tested_number", "own_level"


def engine_level_facts(
    rows: DesignRows, residuals: Residuals, column: LazyLevels
) -> LevelFacts | None:
    """Sum up a column; None where it has missing values only.

    Tests see the residuals: of the outcome, or of what a trend leaves of it.
    """
    levels, tables, n_rows = level_sums(rows, column)
    if not len(levels):
        return None
    made = _EngineRates if residuals.context.is_rate else _EngineLevels
    asked = made(rows, residuals, column, levels, n_rows)
    return LevelFacts(column.name, levels, tables, tables, [], asked, "")


def facts_of_ranges(
    rows: DesignRows, residuals: Residuals, column: LazyNumber, edges: FloatArray
) -> LevelFacts:
    """Sum up a column of numbers by ranges."""
    ranges = LazyRanges(**vars(column), edges=tuple(edges.tolist()))
    facts = engine_level_facts(rows, residuals, ranges)
    assert facts is not None
    return facts


@dataclass(frozen=True, eq=False)
class _EngineLevels:
    """The `LevelRows` of a column of a lazy frame."""

    rows: DesignRows
    residuals: Residuals
    column: LazyLevels
    levels: Levels
    n_rows: IntArray
    _sums: dict[int, OutcomeSums] = field(default_factory=dict)

    def level_effects(self, number: int) -> float:
        """p-value of the test whether the outcome differs from level to level."""
        return level_effects_test(*self._residual_sums(number))

    def correlation(self, number: int, values: FloatArray) -> float:
        """p-value of the correlation of the outcome with a number for each level."""
        sums, _ = self._residual_sums(number)
        share, square = self._weights
        apart = values - float((share * values).sum() / share.sum())
        outcome = self.residuals.outcome(number)
        spread = float(np.sqrt((square * apart * apart).sum() / outcome.n_rows))
        product = float((apart * sums.total).sum())
        return correlation_of(product, spread, lambda: self._weighted(apart), outcome)

    @cached_property
    def _weights(self) -> FloatArray:
        """Sums of the shares of rows, and of their squares, by level."""
        share = self.residuals.share
        if self.residuals.times is not None:
            return np.tile(self._residual_sums(0)[0].weight, (2, 1))
        asked: dict[str, Asked] = {"share": ("sum", share), "square": ("sum", share * share)}
        table = grouped(self.rows.counted([self.column]), {_LEVEL: self.column.level}, asked)
        found = np.zeros((2, len(self.levels) + 1))
        code = self.column.codes(self.levels, table[_LEVEL])
        found[:, code] = floats(table, "share"), floats(table, "square")
        return found

    def _weighted(self, apart: FloatArray) -> Sample:
        """A number for each level, times the weight, over all rows."""
        value = self.residuals.share * nw.col(_NUMBER)
        return sampled(self._with_number(apart), value, self.residuals.times)

    def _with_number(self, values: FloatArray) -> nw.LazyFrame[Any]:
        """Build the query of the rows with the number of their level, unless that is NaN."""
        numbers = pa.array(values[:-1], from_pandas=True)
        table = pa.table({_LEVEL: self.column.labels(self.levels), _NUMBER: numbers})
        frame = self.rows.counted([self.column]).with_columns(self.column.level.alias(_OWN))
        brought_along = brought(self.rows.source, table)
        joined = frame.join(brought_along, left_on=_OWN, right_on=_LEVEL, how="left")
        if not np.isnan(values[-1]):
            of_missing = nw.when(self.column.is_missing).then(nw.lit(float(values[-1])))
            joined = joined.with_columns(of_missing.otherwise(nw.col(_NUMBER)).alias(_NUMBER))
        return joined.filter(~nw.col(_NUMBER).is_null())

    def _residual_sums(self, number: int) -> tuple[OutcomeSums, OutcomePowers]:
        """Sums by level, and powers, of the rows' weighted residuals."""
        if number not in self._sums:
            frame = self.residuals.attached(self.residuals.counted([self.column]), number)
            self._sums[number] = level_values(
                self.column, self.levels, frame, nw.col(RESIDUAL), self.residuals.times
            )
        return self._sums[number], self.residuals.powers(number)

    def score_sums(self) -> OutcomeSums:
        """Sums by level of the outcome's normal scores, by one more query."""
        return score_sums(self.rows, self.residuals.context, self.column, self.levels)

    def apart(self, number: int, cell: IntArray, fitted: FloatArray, n_rows: float) -> OutcomeShape:
        """The outcome less what is fitted to cells, which levels are in."""
        frame = self._with_number(np.append(fitted, np.nan)[cell])
        left = self.residuals.y(number) - nw.col(_NUMBER)
        outcome = sampled(frame, left, self.residuals.times)
        return OutcomeShape(np.asarray(outcome.given), outcome.weight, n_rows)

    def effects_beyond(
        self,
        number: int,  # noqa: ARG002
        cell: IntArray,  # noqa: ARG002
        fitted: FloatArray,  # noqa: ARG002
    ) -> float:
        """Such tests take the rows."""
        raise InvalidOptionError(
            "composites of rates, and composites with weights of importance take the rows for "
            "their p-values; collect the lazy frame"
        )

    def spread(self) -> float | None:
        """p-value of the test of spread, on a part of very many rows."""
        return spread_p_value(self.residuals, self.column, self.levels, self.n_rows)


class _EngineRates(_EngineLevels):
    """The same of a rate: residuals vary as exposures do; see `RateTests`."""

    def level_effects(self, number: int) -> float:
        """p-value of the test whether the rate differs from level to level."""
        levels, powers = self._residual_sums(number)
        _, varies, own = self._exposures
        return rate_effects(levels, varies, own, powers)

    def correlation(self, number: int, values: FloatArray) -> float:
        """p-value of the correlation of the rate with a number for each level."""
        sums, _ = self._residual_sums(number)
        exposed, varies, _ = self._exposures
        apart = values - float((exposed * values).sum() / exposed.sum())
        product, spread = float((apart * sums.total).sum()), float((varies * apart * apart).sum())
        x = sample_of(values, sums.weight)
        residual, rate = self.residuals.outcome(number), self.residuals.mean(number)
        return rate_correlation(product, spread, x, residual, rate)

    @cached_property
    def _exposures(self) -> FloatArray:
        """Sums by level of exposures, and of what variances are proportional to and its squares."""
        exposed, varies, times = self.residuals.share, self.residuals.varies, self.residuals.times
        of_rows = {"exposed": exposed, "varies": varies, "own": varies * varies}
        asked: dict[str, Asked] = {
            name: ("sum", one if times is None else one * times.value)
            for name, one in of_rows.items()
        }
        table = grouped(self.residuals.counted([self.column]), {_LEVEL: self.column.level}, asked)
        found = np.zeros((3, len(self.levels) + 1))
        found[:, self.column.codes(self.levels, table[_LEVEL])] = [floats(table, n) for n in asked]
        return found
