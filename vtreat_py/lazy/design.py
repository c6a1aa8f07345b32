"""A design on a lazy frame: the engine groups and sums, and tables of sums come back."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from vtreat_py.base.log import logger, queries_counted, timed
from vtreat_py.base.progress import progress_line
from vtreat_py.design.assembly import assemble
from vtreat_py.design.context import NO_CODE_APPLIES, DesignContext
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.design.levels import LearnedLevels, UnusedLevels, learn_level_facts
from vtreat_py.design.numbers import LearnedNumbers, learn_filled
from vtreat_py.design.request import DesignRequest, joint_columns
from vtreat_py.folds.plan import FoldScheme
from vtreat_py.frames.calendar import with_parts
from vtreat_py.frames.made import MadeColumn
from vtreat_py.frames.reading import warn_if_rounded
from vtreat_py.lazy.answer_size import check_level_answers
from vtreat_py.lazy.columns import (
    LazyColumn,
    LazyJoint,
    LazyLevels,
    LazyNumber,
    LazyPart,
    lazy_columns,
    row_id_column,
)
from vtreat_py.lazy.crossing import LevelCells, NumberFolds, cross_lazy
from vtreat_py.lazy.dates import ResidualsAlong, parts_of_dates
from vtreat_py.lazy.fold_checks import (
    check_groups_of_folds,
    check_tests_of_rows,
    check_weights_of_folds,
)
from vtreat_py.lazy.folds import lazy_folds
from vtreat_py.lazy.joints import joint_part
from vtreat_py.lazy.levels import engine_level_facts
from vtreat_py.lazy.logistic_queries import LogisticFits
from vtreat_py.lazy.number_queries import batches, extents_and_sums, with_infinite
from vtreat_py.lazy.numbers import EngineNumbers
from vtreat_py.lazy.outcome import with_outcome, with_weight
from vtreat_py.lazy.picked_rows import PickedRows
from vtreat_py.lazy.poisson_queries import PoissonFits
from vtreat_py.lazy.rates import with_rate
from vtreat_py.lazy.regressions import Fits, Regression
from vtreat_py.lazy.residuals import Residuals
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import LazySource
from vtreat_py.outcome.outcome import Weighting
from vtreat_py.outcome.rates import RATE
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.significance.newton import fits_may_be_rough

Learned = LearnedNumbers | LearnedLevels
Unused = UnusedLevels | str
_MISSING_ONLY = "it has missing values only"


@dataclass(frozen=True, eq=False)
class LazyDesign:
    """A design on a lazy frame whose arguments have been checked.

    Attributes
    ----------
    made : tuple of CalendarPart and JointColumn
        Columns that are made of others.
    """

    rows: DesignRows
    columns: Sequence[LazyColumn]
    context: DesignContext
    made: tuple[MadeColumn, ...]
    progress: bool
    _trends: dict[str, Residuals] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: Any, request: DesignRequest) -> LazyDesign:
        """Check everything, in the order that `vtreat_py.memory.design.Design` does."""
        request.check_no_times("lazy frames are designed on for other outcomes,")
        source = LazySource.of(frame)
        rows, groups = DesignRows(source), request.groups
        if request.row_id is not None:
            rows = replace(rows, row_id=row_id_column(source, request.row_id))
        rows, weighting = with_weight(rows, request.sample_weight, request.weight_kind)
        rows = _with_outcome(rows, weighting, request)
        outcome = rows.outcome
        assert outcome is not None
        request.check_outcome(outcome, groups)
        request.check_sums_suffice(outcome.kind, "those of a lazy frame are in its engine")
        named: list[Hashable] = [one for one in request.beside if isinstance(one, str)]
        chosen = request.choose(source.columns, named)
        typed = source.read_by(request.missing_values, request.categorical)
        columns = lazy_columns(typed, [str(name) for name in chosen])
        if outcome.kind == "unsupervised":
            request.check_unsupervised()
        else:
            folds = lazy_folds(
                source,
                cv=request.cv,
                row_id=request.row_id,
                groups=groups,
                random_state=request.random_state,
            )
            rows = replace(rows, folds=folds)
            check_weights_of_folds(rows)
            if request.fold_column is not None and groups is not None:
                check_groups_of_folds(rows, groups)
            check_tests_of_rows(request.significance, groups)
        context = request.context(outcome, FoldScheme(rows.n_folds))
        parts = {}
        if context.uses_levels and request.parts != ():
            parts = parts_of_dates(rows, columns, request.parts)
        dates = [part for made in parts.values() for part in made]
        typed, names = typed.making(dates), [*map(str, with_parts(chosen, parts))]
        if context.uses_levels:
            known = [*source.columns, *(part.name for part in dates)]
            joints = joint_columns(
                request.joints(known, named, chosen),
                lambda name: joint_part(typed, rows, str(name)),
            )
            typed = typed.making([*dates, *joints])
            names += [str(one.name) for one in joints if not one.nested]
        made = tuple(typed.made.values())
        return cls(rows, lazy_columns(typed, list(names)), context, made, request.progress)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _residuals(self) -> Residuals:
        return Residuals(self.rows, self.context)

    @queries_counted("design")
    @timed("design", level=logging.INFO)
    def learn(self) -> list[Learned | Unused]:
        """Learn each column; a string says why a column is not used."""
        logger.info(
            "design begun in %s: %d rows, %d columns, %d folds, outcome %s",
            self.rows.source.engine,
            self.rows.n_rows,
            len(self.columns),
            self.rows.n_folds,
            self.context.outcome.note,
        )
        if self.context.uses_levels:
            levels = [c for c in self.columns if isinstance(c, LazyLevels)]
            check_level_answers(self.rows, levels)
        learned: dict[str, Learned | Unused] = {}
        with progress_line(len(self.columns), self.progress) as advance:
            numbers = [c for c in self.columns if isinstance(c, LazyNumber)]
            for batch in batches(numbers):
                with timed("columns of numbers, %d at once", len(batch)):
                    learned |= self._learn_numbers(batch)
                advance(len(batch))
            for column in self.columns:
                if not isinstance(column, LazyNumber):
                    with timed("column %r", column.name):
                        learned[column.name] = self._learn_levels(column)
                    advance()
        return [learned[column.name] for column in self.columns]

    def _learn_numbers(self, columns: Sequence[LazyNumber]) -> dict[str, Learned | Unused]:
        """Learn numeric columns, each step by one query for all."""
        if not self.context.codes_of_numbers:
            return dict.fromkeys((c.name for c in columns), NO_CODE_APPLIES)
        picked = PickedRows(self.rows, columns)
        looked_at, all_sums = extents_and_sums(self.rows, columns, picked)
        known = dict(zip(columns, looked_at, strict=True))
        for column, found in known.items():
            if column.is_wide and found.has_good:
                warn_if_rounded(column.name, max(map(abs, found.ends)))
        nothing = [column for column in columns if not known[column].has_good]
        infinite = with_infinite(self.rows, nothing)
        learned: dict[str, Learned | Unused] = {
            column.name: "it has no finite value" if column.name in infinite else _MISSING_ONLY
            for column in nothing
        }
        good = [column for column in columns if known[column].has_good]
        if good:
            sums = dict(zip(columns, all_sums, strict=True))
            slopes_wanted = self.context.contrasts[0].link_slopes and not self.context.is_rate
            kind = PoissonFits if self.context.is_rate else LogisticFits
            fits = kind(self.rows, picked, fits_may_be_rough(self.rows.n_rows, slopes_wanted))
            facts = [
                EngineNumbers(column, known[column], sums[column], self._residuals, fits)
                for column in good
            ]
            filled = [FilledNumbers(one, self.context) for one in facts]
            self._fit(fits, facts, filled)
            for column, one in zip(good, filled, strict=True):
                made = learn_filled(one)
                if isinstance(made, LearnedNumbers) and not made.hints:
                    made = replace(made, hints=picked.hints(column))
                learned[column.name] = made
        return learned

    def _fit(
        self, fits: Fits, facts: Sequence[EngineNumbers], filled: Sequence[FilledNumbers]
    ) -> None:
        """Make the regressions that the columns need, all at once."""
        context = self.context
        if not context.contrasts[0].has_link or not context.copies_numbers:
            return
        asked: list[Regression] = []
        for one, own in zip(facts, filled, strict=True):
            if not own.varies:
                continue
            regressions = one.regressions(own.value)
            if fits.rough:
                fits.keep(regressions, one.fits_by_bins(own.value, own.profile.edges))
            asked += regressions
            if context.scaled_cross_frame and context.contrasts[0].link_slopes:
                asked += one.fold_regressions(own.fold_values[:-1])
            if context.options.force_split:
                asked += one.crossed_regressions(own.fold_values)
        fits.of(asked)

    def _learn_levels(self, column: LazyColumn) -> Learned | Unused:
        if not isinstance(column, LazyLevels):
            return _MISSING_ONLY
        if not self.context.uses_levels:
            return NO_CODE_APPLIES
        context, residuals = self.context, self._residuals
        if isinstance(column, LazyPart) and context.calibrated is not None:
            context = replace(context, without_trend=True)
            residuals = self._along(str(column.part.column))
        facts = engine_level_facts(self.rows, residuals, column)
        if facts is None:
            return _MISSING_ONLY
        joint = column.joint if isinstance(column, LazyJoint) else None
        return learn_level_facts(facts.made_of(joint), context)

    def _along(self, name: str) -> Residuals:
        """Residuals without the trend along a column of dates."""
        if name not in self._trends:
            (date,) = (c for c in self.columns if isinstance(c, LazyNumber) and c.name == name)
            self._trends[name] = ResidualsAlong(self.rows, self.context, date)
        return self._trends[name]

    def plan(self, learned: Sequence[Learned | Unused]) -> Plan:
        """Put the learned columns together."""
        dates = (c.part for c in self.columns if isinstance(c, LazyPart))
        joint = (c.joint for c in self.columns if isinstance(c, LazyJoint))
        columns, n_rows = self.rows.source.columns, self.rows.n_rows
        return assemble(self.names, learned, self.context, columns, n_rows, (*dates, *joint))

    def cross_frame(
        self,
        plan: Plan,
        learned: Sequence[Learned | Unused],
        choice: Choice,
    ) -> Any:
        """Build the query that looks up every row's out-of-fold codes."""
        used = [
            (column, one)
            for column, one in zip(self.columns, learned, strict=True)
            if isinstance(one, Learned)
        ]
        chosen = choice.names
        parts: list[LevelCells | NumberFolds] = []
        for treatment, (column, one) in zip(plan.treatments, used, strict=True):
            wanted = {i: v.name for i, v in enumerate(treatment.variables) if v.name in chosen}
            if isinstance(one, LearnedNumbers):
                assert isinstance(column, LazyNumber)
                for i, name in wanted.items():
                    part = one.parts[i]
                    scales = part.fold_scales() if choice.scale else None
                    parts.append(NumberFolds(column, name, part.fold_form(choice.collar), scales))
            elif wanted:
                assert isinstance(column, LazyLevels)
                levels, table = column.labels(one.treatment.levels), one.table
                values = {name: one.cell_values(i, choice.scale) for i, name in wanted.items()}
                parts.append(LevelCells(column, levels, table.level, table.fold, values))
        assert self.rows.folds is not None
        row_id = None if self.rows.row_id is None else self.rows.row_id.name
        return cross_lazy(self.rows.folds, parts, chosen, plan.feature_names, row_id)


def _with_outcome(rows: DesignRows, weighting: Weighting, request: DesignRequest) -> DesignRows:
    """Read and check the outcome."""
    given = request.outcome, request.outcome_type
    if request.type_asked == RATE:
        return with_rate(rows, weighting, *given, request.exposure, request.target)
    return with_outcome(rows, weighting, *given, request.target, request.max_classes)
