"""Columns that no frame has, and that are made of those it has when they are read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.joint import JointColumn

MadeColumn = CalendarPart | JointColumn


def sources_of(columns: Iterable[Hashable], made: Iterable[MadeColumn]) -> list[Hashable]:
    """Name the columns of a frame that columns are read from."""
    of_name = {one.name: one for one in made}

    def own(name: Hashable) -> Iterable[Hashable]:
        one = of_name.get(name)
        if one is None:
            return (name,)
        # The child of a joint column may have its name.
        return (found for c in one.columns for found in (own(c) if c != name else (c,)))

    return list(dict.fromkeys(found for name in columns for found in own(name)))


def calendar_parts(made: Iterable[MadeColumn]) -> list[CalendarPart]:
    """Those that are made of dates."""
    return [one for one in made if isinstance(one, CalendarPart)]


def calendar_parts_of(
    columns: Iterable[Hashable], made: Iterable[MadeColumn]
) -> list[CalendarPart]:
    """Those that columns are, or are joined of."""
    of_name = {one.name: one for one in made}
    wanted = [of_name.get(name) for name in columns]
    joined = [part.column for one in wanted if isinstance(one, JointColumn) for part in one.parts]
    found = wanted + [of_name.get(name) for name in joined]
    return [one for one in found if isinstance(one, CalendarPart)]


def joint_columns(made: Iterable[MadeColumn]) -> list[JointColumn]:
    """Those that are made of several columns."""
    return [one for one in made if isinstance(one, JointColumn)]


def n_added(made: Iterable[MadeColumn]) -> int:
    """Number of columns that a frame has not."""
    return sum(one.name not in one.columns for one in made)
