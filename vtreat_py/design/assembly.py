"""Putting the learned columns together: from treatments to the plan."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from vtreat_py.base.errors import counted
from vtreat_py.base.names import NameRegister
from vtreat_py.base.version import __version__
from vtreat_py.base.warn import warn
from vtreat_py.design.context import NO_BAD_VALUES, NO_CODE_APPLIES, DesignContext
from vtreat_py.design.hints import DETERMINES
from vtreat_py.design.levels import UnusedLevels
from vtreat_py.frames.made import MadeColumn, calendar_parts
from vtreat_py.plan.data import Plan
from vtreat_py.plan.for_scoring import are_whole, counts_of
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.treatments import Treatment
from vtreat_py.plan.variables import DerivedVariable, DroppedCode

_SHOWN = 5


class Learned(Protocol):
    """What was learned of a column that can be used."""

    @property
    def treatment(self) -> Treatment:
        """How the column is treated."""

    @property
    def statistics(self) -> LevelStatistics | None:
        """The weight of each level of a categorical column."""

    @property
    def hints(self) -> tuple[str, ...]:
        """What a user may want to know of it."""

    @property
    def dropped(self) -> Sequence[DroppedCode]:
        """Codes that were dropped for what the outcome said."""

    @property
    def declined(self) -> Sequence[str]:
        """Codes of one's own that there are none of, and why."""


def assemble(
    variables: tuple[Hashable, ...],
    learned: Sequence[Learned | UnusedLevels | str],
    context: DesignContext,
    columns: Iterable[Hashable],
    n_rows: int,
    made: tuple[MadeColumn, ...],
) -> Plan:
    """Put the learned columns together, under names that do not collide.

    Parameters
    ----------
    variables : tuple of hashable
        The columns to treat.
    learned : sequence
        What was learned of each; a string says why a column is not used.
    columns : iterable of hashable
        All columns of the frame: no variable gets the name of one.
    n_rows : int
        Rows of the frame.
    made : tuple of CalendarPart and JointColumn
        Columns that are made of others.
    """
    outcome = context.outcome
    register = NameRegister(str(c) for c in columns)
    made_here = {one.name for one in calendar_parts(made)}
    treatments, unused, statistics = [], [], []
    hints: list[tuple[Hashable, str]] = []
    declined: list[tuple[Hashable, str]] = []
    dropped: list[DroppedCode] = []
    for name, one in zip(variables, learned, strict=True):
        if isinstance(one, str):
            unused.append((name, one))
            continue
        hints += [(name, h) for h in one.hints if name not in made_here or h == DETERMINES]
        if one.declined:
            declined.append((name, "; ".join(one.declined)))
        dropped += one.dropped
        if one.statistics is not None:
            statistics.append(one.statistics)
        if isinstance(one, UnusedLevels):
            unused.append((name, one.reason))
            continue
        names = [
            register.claim(v.name, context.named(v.code).keeps_name(name))
            for v in one.treatment.variables
        ]
        treatments.append(one.treatment.renamed(names))
    everything = [v for t in treatments for v in t.variables]
    derived: list[DerivedVariable] = []
    for target in (None, *outcome.classes):
        of_target = [v for v in everything if v.target == target]
        derived += [v for v in of_target if v.slot is None]
        derived += [v for v in of_target if v.slot is not None]
    if told := [one for one in unused if one[0] not in made_here]:
        _warn_of_unused(told)
        if all(reason == NO_CODE_APPLIES for _, reason in unused) and not everything:
            warn(
                f"nothing is derived: coders={list(context.options.coders)} make no variable of "
                f"any column, such as {unused[0][0]!r}; name codes of its type"
            )
    if hints:
        _warn_of_hints(hints)
    return Plan(
        outcome.kind,
        outcome.name,
        outcome.target,
        outcome.note,
        variables,
        tuple(treatments),
        (*unused, *declined),
        tuple(derived),
        context.options.without_functions(),
        n_rows,
        __version__,
        outcome.classes,
        tuple(statistics),
        tuple(hints),
        dropped=tuple(dropped),
        made=made,
        weighs=_weighs(context) and are_whole(counts_of(treatments, statistics)),
    )


def _weighs(context: DesignContext) -> bool:
    """Whether rows count by something else than their number."""
    return context.is_rate or not context.outcome.weighting.counts_rows


def _warn_of_hints(hints: list[tuple[Hashable, str]]) -> None:
    shown = "; ".join(f"column {name!r} {hint}" for name, hint in hints[:_SHOWN])
    more = f"; and {len(hints) - _SHOWN} more (see plan.hints)" if len(hints) > _SHOWN else ""
    warn(f"{shown}{more}")


def _warn_of_unused(unused: list[tuple[Hashable, str]]) -> None:
    as_asked = (NO_CODE_APPLIES, NO_BAD_VALUES)
    unused = [(name, reason) for name, reason in unused if reason not in as_asked]
    if not unused:
        return
    shown = "; ".join(f"{name!r}: {reason}" for name, reason in unused[:_SHOWN])
    more = f"; and {len(unused) - _SHOWN} more (see plan.unused)" if len(unused) > _SHOWN else ""
    warn(
        f"nothing is derived from {counted(len(unused), 'column')} ({shown}{more})",
    )
