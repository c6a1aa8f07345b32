"""The variables of a numeric column that are a number for each range of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.forms import Steps
from vtreat_py.coders.step_code import StepCode
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import NumberFacts
from vtreat_py.design.level_codes import DerivedLevels
from vtreat_py.design.levels import has_levels, learn_parts
from vtreat_py.plan.treatments import RangeCodes
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.statistics.level_table import LevelTable


def step_parts(facts: NumberFacts, context: DesignContext) -> Iterator[StepPart]:
    """Learn the codes of a column that are made range by range; its ranges are levels to them."""
    for probabilities in dict.fromkeys(code.probabilities for code in context.step_codes):
        edges = _edges(facts, probabilities)
        ranges = facts.ranges(edges)
        if not has_levels(ranges):
            continue
        _, parts = learn_parts(ranges, context.of_ranges, _codes_at(probabilities))
        for part in parts:
            for one in part.derived:
                assert one.table is not None
                of_ranges = one.table[:-1]  # no range is a novel one
                codes = RangeCodes(one.variable.code, one.variable.target, edges, of_ranges)
                yield StepPart(codes, one, ranges.coded[0], context.folds.n_folds)


@dataclass(frozen=True, eq=False)
class StepPart:
    """One variable: a `NumberPart`."""

    codes: RangeCodes
    derived: DerivedLevels
    table: LevelTable
    n_folds: int

    @property
    def variable(self) -> DerivedVariable:
        """The variable."""
        return self.derived.variable

    def fold_form(self, collar: bool) -> Steps:  # noqa: ARG002
        """How rows are coded, by fold."""
        values = np.zeros((self.table.n_levels, self.n_folds + 1))
        values[self.table.level, self.table.fold] = self.derived.cells
        return Steps(self.codes.edges, values)

    def fold_scales(self) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""
        return np.append(self.derived.slopes, 0.0), np.append(self.derived.means, 0.0)


def _edges(facts: NumberFacts, probabilities: tuple[float, ...]) -> FloatArray:
    """Where ranges end: the quantiles that are different, but for the largest value."""
    found, extent = facts.quantiles(None, probabilities), facts.extent(None)
    assert found is not None
    assert extent is not None
    edges = np.unique(found)
    return np.asarray(edges[edges < extent[1]] + 0.0)  # no edge is -0.0


def _codes_at(probabilities: tuple[float, ...]) -> Callable[[DesignContext], list[StepCode]]:
    def codes_of(context: DesignContext) -> list[StepCode]:
        return [code for code in context.step_codes if code.probabilities == probabilities]

    return codes_of
