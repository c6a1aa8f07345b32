"""Learning a categorical column: from its level table to its treatment and its cross-frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import LevelCode
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import LevelFacts
from vtreat_py.design.hints import hints_of_levels
from vtreat_py.design.level_codes import DerivedLevels, LevelLearner
from vtreat_py.design.missingness import kept_text
from vtreat_py.design.training_sets import TrainingSets
from vtreat_py.plan.level_statistics import LevelOutcome, LevelStatistics
from vtreat_py.plan.treatments import LevelCodes, LevelTreatment
from vtreat_py.plan.variables import DroppedCode
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import whole_view
from vtreat_py.statistics.outcome_sums import OutcomeSums


@dataclass(frozen=True, eq=False)
class LearnedLevels:
    """A treated categorical column, and what is needed to write its cross-frame.

    Attributes
    ----------
    table : LevelTable
        The (level, fold) cells.
    values : tuple of ndarray of shape (cells,)
        Out-of-fold value of each cell, for each variable of the treatment.
    slopes, means : tuple of ndarray of shape (folds,)
        y-aware scaling of each fold, when asked for.
    statistics : LevelStatistics
        The weight of each level, and where impact codes were asked for the outcome in it.
    hints : tuple of str
        What a user may want to know of the column.
    dropped : tuple of DroppedCode
        Codes that were dropped for what the outcome said.
    declined : tuple of str
        Codes of one's own that there are none of, and why.
    """

    treatment: LevelTreatment
    table: LevelTable
    values: tuple[FloatArray, ...]
    slopes: tuple[FloatArray, ...]
    means: tuple[FloatArray, ...]
    statistics: LevelStatistics
    hints: tuple[str, ...] = ()
    dropped: tuple[DroppedCode, ...] = ()
    declined: tuple[str, ...] = ()

    def cell_values(self, place: int, scale: bool) -> FloatArray:
        """Cross-frame value of each cell, for the variable at ``place``."""
        values = self.values[place]
        if not scale:
            return values
        slope, mean = np.append(self.slopes[place], 0.0), np.append(self.means[place], 0.0)
        fold = np.minimum(self.table.fold, len(slope) - 1)
        return np.asarray(slope[fold] * (values - mean[fold]))


@dataclass(frozen=True, eq=False)
class UnusedLevels:
    """A categorical column that nothing is derived from, although its levels were looked at."""

    reason: str
    statistics: LevelStatistics | None
    hints: tuple[str, ...] = ()
    dropped: tuple[DroppedCode, ...] = ()
    declined: tuple[()] = ()  # they are the reason


def learn_level_facts(
    facts: LevelFacts, context: DesignContext
) -> LearnedLevels | UnusedLevels | str:
    """Learn a categorical column from what is known of it; a string says why not."""
    if context.invalid_mark is not None:
        return _kept(facts, context.invalid_mark)
    if not has_levels(facts):
        return "it has one level only"
    seen, parts = learn_parts(facts, context, lambda one: one.level_codes)
    derived = [d for part in parts for d in part.derived]
    outcomes = tuple(part.outcome for part in parts if part.outcome is not None)
    statistics = LevelStatistics(facts.name, facts.levels, seen.weight, outcomes, seen.rows)
    hints = hints_of_levels(facts, context)
    dropped = tuple(one for part in parts for one in part.dropped)
    declined = tuple(dict.fromkeys(reason for part in parts for reason in part.declined))
    if not derived:
        # The levels of an identifier would be its rows.
        worth_keeping = outcomes and (seen.size > 1).any()
        kept = statistics if worth_keeping else None
        reason = "; ".join(declined) or context.codes_are_constant
        return UnusedLevels(reason, kept, hints, dropped)
    treatment = LevelTreatment(
        facts.name,
        facts.levels,
        tuple(p.codes for p in parts if p.derived),
        facts.digest,
        keys=() if facts.parts is None else facts.parts.keys,
    )
    return LearnedLevels(
        treatment,
        facts.coded[0],
        tuple(d.cells for d in derived),
        tuple(d.slopes for d in derived),
        tuple(d.means for d in derived),
        statistics,
        hints,
        dropped,
        declined,
    )


def _kept(facts: LevelFacts, mark: str) -> LearnedLevels:
    treatment, statistics = kept_text(facts, mark)
    return LearnedLevels(treatment, facts.coded[0], (), (), (), statistics)


def has_levels(facts: LevelFacts) -> bool:
    """Whether rows have two levels or more."""
    return int((facts.tables[0].by_level().size > 0).sum()) > 1


@dataclass(frozen=True, eq=False)
class LearnedPart:
    """The codes of a column that are built for one target, and the outcome in its levels."""

    codes: LevelCodes
    derived: list[DerivedLevels]
    outcome: LevelOutcome | None
    dropped: list[DroppedCode]
    declined: list[str]

    @classmethod
    def of(cls, target: Any, derived: list[DerivedLevels], learner: LevelLearner) -> LearnedPart:
        """Put together what a learner has derived."""
        slots = learner.slots()
        tables = {d.variable.code: d.table for d in derived if d.table is not None}
        texts = {d.variable.code: d.weights for d in derived if d.weights is not None}
        sums = {d.variable.code: d.parts for d in derived if d.parts is not None}
        variables = tuple(d.variable for d in derived)
        codes = LevelCodes(target, slots, tables, variables, texts, sums)
        outcome = learner.outcome(target, slots, derived)
        return cls(codes, derived, outcome, learner.dropped(target, derived), learner.declined)

    def scored_by(self, scored: list[list[DerivedLevels]]) -> LearnedPart:
        """Return the same part with the scores of each contrast."""
        derived = [DerivedLevels.of_contrasts(same) for same in zip(*scored, strict=True)]
        codes = replace(self.codes, variables=tuple(d.variable for d in derived))
        return replace(self, codes=codes, derived=derived)


def learn_parts(
    facts: LevelFacts,
    context: DesignContext,
    codes_of: Callable[[DesignContext], Sequence[LevelCode]],
) -> tuple[OutcomeSums, list[LearnedPart]]:
    """Learn the codes that are shared, and with several classes those of each class.

    The sums of the levels come with them. ``codes_of`` picks the codes that a context asks for.
    """
    scored: list[list[DerivedLevels]] = []
    parts: list[LearnedPart] = []
    seen: list[OutcomeSums] = []
    for k, (contrast, table) in enumerate(zip(context.contrasts, facts.tables, strict=True)):
        whole = whole_view(table)
        training = None
        if context.supervised:
            trained = facts.trained[k] if facts.trained else None
            grouped = facts.grouped[k][1] if facts.grouped else None
            training = TrainingSets(context.folds, facts.coded[k], trained, grouped)
        shared = LevelLearner(contrast, codes_of(contrast), facts, whole, training)
        derived = shared.derived()
        scored.append([d if not k else d.scores_only() for d in derived])
        if not k:
            seen.append(shared.seen)
            parts.append(LearnedPart.of(None, derived, shared))
        if context.n_classes:
            of_class = context.class_contexts[k]
            own = LevelLearner(of_class, codes_of(of_class), facts, whole, training)
            target, prefix = contrast.outcome.target, context.class_prefixes[k]
            derived = [_of_class(d, target, prefix) for d in own.derived()]
            parts.append(LearnedPart.of(target, derived, own))
    return seen[0], [parts[0].scored_by(scored), *parts[1:]]


def _of_class(derived: DerivedLevels, target: Any, prefix: str) -> DerivedLevels:
    variable = derived.variable
    return replace(
        derived, variable=replace(variable, target=target, name=f"{prefix}_{variable.name}")
    )
