"""The steps of a design: check, learn each column, put the plan together, look up codes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, UnsupportedColumnError
from vtreat_py.base.jobs import run_tasks
from vtreat_py.base.log import logger, timed
from vtreat_py.base.progress import progress_line
from vtreat_py.base.warn import warn
from vtreat_py.design.assembly import assemble
from vtreat_py.design.checks import no_names
from vtreat_py.design.context import DesignContext
from vtreat_py.design.levels import UnusedLevels
from vtreat_py.design.request import DesignRequest, joint_columns
from vtreat_py.folds.making import group_labels, make_folds
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.frames.beside import check_column, is_name, read_along, read_exactly
from vtreat_py.frames.calendar import CalendarPart, with_parts
from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn
from vtreat_py.frames.digest import digest
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.joint import JointColumn
from vtreat_py.memory.crossing import (
    LearnedLevelRows,
    LearnedNumberRows,
    learn_levels,
    learn_numbers,
)
from vtreat_py.memory.dates import filled, parts_of_dates
from vtreat_py.memory.joints import joint_part
from vtreat_py.memory.rows import DesignRows, together
from vtreat_py.memory.sparse import sparse_cross_frame
from vtreat_py.outcome.reading import read_outcome
from vtreat_py.outcome.weights import read_design_weight
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.options import CALIBRATED, ORDERED
from vtreat_py.plan.training_marks import TrainingMarks
from vtreat_py.plan.treatments import wanted_places
from vtreat_py.significance.series import correlation_of_neighbours

# Neighbours that correlate less do little harm.
_ALIKE = 0.2

Learned = LearnedNumberRows | LearnedLevelRows
Unused = UnusedLevels | str
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Design:
    """A design whose arguments have been checked: the steps, in the order they are taken."""

    source: InputFrame
    variables: tuple[Hashable, ...]
    rows: DesignRows
    n_jobs: int | None
    progress: bool
    row_id: Hashable | None = None
    _along: dict[Hashable, DesignRows] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: Any, request: DesignRequest) -> Design:
        """Check everything, in an order that gives the most telling error first."""
        source = InputFrame.of(frame)
        weight = read_design_weight(source, request.sample_weight, request.weight_kind)
        outcome = read_outcome(
            source,
            request.outcome,
            request.outcome_type,
            request.target,
            weight,
            request.max_classes,
            request.exposure,
        )
        groups, row_id = request.groups, request.row_id
        request.check_outcome(outcome, groups if is_name(groups, source) else None)
        if row_id is not None:
            check_column("row_id", row_id, source.columns)
        aside = [one for one in request.beside if is_name(one, source)]
        chosen = request.choose(source.columns, aside)
        for one in request.outcomes:
            _warn_of_outcome_among(chosen, one, source)
        along = None
        if outcome.kind == "unsupervised":
            request.check_unsupervised()
            folds = FoldPlan(np.zeros(source.n_rows, dtype=np.int8), 1)
        else:
            if groups is not None:
                along = read_exactly(source, "groups", groups)
            folds = make_folds(request.cv, along, request.random_state, outcome, source, row_id)
        in_order = folds.in_order
        if outcome.survival is not None:  # what is expected of a row is another number for each
            folds = folds.by_name()
        labels = None
        if along is not None:
            exposed = outcome.exposure
            weight = outcome.weight if exposed is None else exposed.weight
            labels = together(group_labels(along), weight)
        context = request.context(outcome.values(), folds.scheme, in_groups=labels is not None)
        rows = DesignRows(context, outcome, folds, labels)
        _check_series(request, rows, in_order)
        source = source.read_by(request.missing_values, request.categorical)
        parts = {}
        if context.uses_levels and request.parts != ():
            parts = parts_of_dates(source, chosen, request.parts, rows.counted)
        dates = [one for made in parts.values() for one in made]
        source, variables = source.making(dates), with_parts(chosen, parts)
        if context.uses_levels:
            beside = [one.name for one in dates]
            joints = request.joints([*source.columns, *beside], aside, chosen)
            made = joint_columns(joints, partial(joint_part, source, weight=rows.counted_in(None)))
            source = source.making([*dates, *made])
            variables = (*variables, *(one.name for one in made if not one.nested))
        return cls(source, variables, rows, request.n_jobs, request.progress, row_id)

    @property
    def context(self) -> DesignContext:
        """What engines share."""
        return self.rows.context

    @timed("design", level=logging.INFO)
    def learn(self) -> list[Learned | Unused]:
        """Learn each column; a string says why a column is not used."""
        logger.info(
            "design begun: %d rows, %d columns, %d folds, outcome %s",
            self.source.n_rows,
            len(self.variables),
            self.rows.folds.n_folds,
            self.rows.outcome.note,
        )
        return self.each_column(self._learn_column)

    def each_column(self, use: Callable[[Column], T]) -> list[T]:
        """Read each column and do something with it, in threads if asked."""
        with progress_line(len(self.variables), self.progress) as advance:

            def read(name: Hashable) -> T | UnsupportedColumnError:
                result: T | UnsupportedColumnError
                try:
                    with timed("column %r", name):
                        result = use(self.source.read(name))
                except UnsupportedColumnError as error:
                    result = error  # raised once all such columns are known
                advance()
                return result

            results = run_tasks(read, self.variables, self.n_jobs)
        failed = [one for one in results if isinstance(one, UnsupportedColumnError)]
        if failed:
            raise UnsupportedColumnError.of_all(failed)
        return [one for one in results if not isinstance(one, UnsupportedColumnError)]

    def _learn_column(self, column: Column) -> Learned | Unused:
        if isinstance(column, EmptyColumn):
            return "it has missing values only"
        if isinstance(column, NumericColumn):
            if column.name in self.source.categorical:
                raise no_names(column.name, column.kind)
            return learn_numbers(column, self.rows)
        made = self.source.made.get(column.name)
        joint = made if isinstance(made, JointColumn) else None
        return learn_levels(column, self._rows_for(column.name), joint)

    def _rows_for(self, name: Hashable) -> DesignRows:
        """Rows of the design, for a part of dates without the trend along those."""
        made = self.source.made.get(name)
        if not isinstance(made, CalendarPart) or self.context.calibrated is None:
            return self.rows
        if made.column not in self._along:
            dates = self.source.read(made.column)
            assert isinstance(dates, NumericColumn)
            self._along[made.column] = self.rows.along(filled(dates, self.rows.counted))
        return self._along[made.column]

    def plan(self, learned: Sequence[Learned | Unused]) -> Plan:
        """Put the learned columns together."""
        source = self.source
        made = tuple(source.made.values())
        plan = assemble(self.variables, learned, self.context, source.columns, source.n_rows, made)
        if not (plan.treatments and self.context.supervised):
            return plan
        used = [one for one in learned if isinstance(one, Learned)]
        marks = [one.marks for one in used if one.marks is not None]
        return replace(plan, marks=TrainingMarks.of(plan.treatments, marks))

    @timed("cross-frame", level=logging.INFO)
    def cross_frame(
        self,
        plan: Plan,
        learned: Sequence[Learned | Unused],
        choice: Choice,
    ) -> tuple[Any, FloatArray | None]:
        """Look up every row's out-of-fold codes; the rows' weights come with them."""
        place = {name: i for i, name in enumerate(choice.names)}
        logger.info("cross-frame begun: %d rows, %d variables", self.source.n_rows, len(place))
        used = [one for one in learned if isinstance(one, Learned)]
        folds, weight = self.rows.folds, self.rows.outcome.model_weight
        out: Any
        if choice.sparse:
            out = sparse_cross_frame(plan.treatments, used, place, folds.n_coded)
        else:
            out = np.empty((len(place), folds.n_coded))
            for treatment, one in zip(plan.treatments, used, strict=True):
                wanted = {own: out[at] for own, at in wanted_places(treatment, place).items()}
                one.write_cross(wanted, choice.scale, choice.collar)
        rows = None if folds.applies_once else folds.cross_rows()
        if not folds.covers_all_rows:
            _warn_of_left_out(folds)
        if rows is not None and folds.repeats is None:
            out = out[rows] if choice.sparse else out[:, rows]
        if rows is not None and weight is not None:
            weight = weight[rows]
        first = () if self.row_id is None else (self.row_id,)
        frame = out if choice.sparse else self.source.like(choice.names, out, (), rows, first)
        return frame, weight


def _check_series(request: DesignRequest, rows: DesignRows, in_order: bool) -> None:
    """Refuse a series of groups, and say so where rows are one and p-values do not know it."""
    if rows.groups is not None and rows.context.in_order:
        raise InvalidOptionError(
            f'significance="{ORDERED}" takes all rows for one series, and groups= for several; '
            "leave one of the two out"
        )
    if rows.groups is None and in_order and request.significance == CALIBRATED:
        seen = [one.y for one in rows.contrasts]
        if (exposure := rows.outcome.exposure) is not None and rows.context.is_survival:
            seen = [exposure.events - exposure.given]
        alike = max(correlation_of_neighbours(one[rows.counted]) for one in seen)
        if alike > _ALIKE:
            warn(
                f"the outcomes of neighbouring rows are alike (correlation {alike:.2f}), and "
                "p-values take rows as independent of each other: they may be much too small. "
                f'significance="{ORDERED}" reckons with it'
            )


def _warn_of_outcome_among(
    variables: tuple[Hashable, ...], outcome: Any, source: InputFrame
) -> None:
    """Say so if the outcome, given as a series, is a column to treat as well."""
    name = getattr(outcome, "name", None)
    if isinstance(name, Hashable) and name in variables:
        own = read_along(source, "outcome", outcome)
        if digest(own) == digest(source.read(name)):
            warn(
                f"column {name!r} is the outcome itself, and is treated as a variable too: a "
                f"model would train on the answer. Give the outcome by name ({name!r}) in place of "
                "the series, or leave the column out with variables=",
            )


def _warn_of_left_out(folds: FoldPlan) -> None:
    n_rows = len(folds.fold)
    left_out = n_rows - len(np.unique(folds.cross_rows()))
    warn(
        f"cv leaves {left_out} of {n_rows} rows out of all application sets: they are not in the "
        "cross-frame",
    )
