"""What the levels of a column become, as SQL can say it: keys, and a number for each variable."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.errors import counted, listed
from vtreat_py.base.warn import warn
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.keyed_codes import Key, KeyedCodes, KeyKind, level_keys
from vtreat_py.sql.dialect import Dialect


@dataclass(frozen=True, eq=False)
class SqlCodes(KeyedCodes):
    """The codes of a column's levels in SQL."""

    language = "SQL"


def sql_keys(column: Hashable, levels: Levels) -> tuple[KeyKind, list[Key]]:
    """Turn levels into text, bytes or numbers, and say which; all must be of one of these."""
    return level_keys(column, levels, SqlCodes.language)


def held_codes(codes: SqlCodes, dialect: Dialect) -> SqlCodes:
    """Leave out levels that no table of an engine can hold, and say so."""
    held = np.array([dialect.holds(key) for key in codes.keys], dtype=bool)
    for values in codes.values.T if codes.values.dtype == object else ():
        held &= [dialect.holds(text) for text in values]
    if held.all():
        return codes
    lost = [key for key, keep in zip(codes.keys, held, strict=True) if not keep]
    place = " in text" if codes.kind == "text" else ""
    warn(
        f"column {codes.column!r} has {counted(len(lost), 'level')} that {dialect.name} cannot "
        f"hold{place}, and that are left out: {listed(lost)}. Where such values were changed "
        "when the table was loaded, they are coded as novel levels"
    )
    return codes.where(held)
