"""Reading the columns of a frame that a plan treats."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from vtreat_py._column_treatment import LevelTreatment, Treatment
from vtreat_py._columns import Column, EmptyColumn, NumericColumn, kind_of
from vtreat_py._errors import SchemaError, counted
from vtreat_py._frames import InputFrame


def read_treated(
    source: InputFrame, treatments: Sequence[Treatment], extra: Sequence[Hashable] = ()
) -> list[Column]:
    """Read the columns that treatments need; check all of them before any work is done.

    Raises
    ------
    SchemaError
        If columns are missing, ``extra`` ones included, or hold another type than at design.
    """
    present = set(source.columns)
    needed = [*(t.column for t in treatments), *extra]
    missing = [name for name in needed if name not in present]
    if missing:
        nameless = "; an array has x0, x1, ..., so give a data frame" if source.is_array else ""
        raise SchemaError(
            f"the frame lacks {counted(len(missing), 'column')}: "
            f"{', '.join(map(repr, missing))}{nameless}. "
            "Add them (missing values are fine), or prepare fewer variables"
        )
    columns = source.read_all(
        [t.column for t in treatments],
        [isinstance(t, LevelTreatment) and not t.levels.is_text for t in treatments],
    )
    drifted = [
        f"{t.column!r} (designed on {t.kind}, found {kind_of(c)}{_for_instance(c)})"
        for t, c in zip(treatments, columns, strict=True)
        if not t.fits(c)
    ]
    if drifted:
        raise SchemaError(
            f"{counted(len(drifted), 'column')} changed type since the design: "
            f"{'; '.join(drifted)}. Convert to the type of the design"
        )
    return columns


def _for_instance(column: Column) -> str:
    """A level of a column, which shows digits or dates that are text."""
    if isinstance(column, NumericColumn | EmptyColumn):
        return ""
    return f" such as {column.encode()[1][0]!r}"
