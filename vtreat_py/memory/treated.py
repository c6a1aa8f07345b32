"""Reading the columns of a frame that a plan treats."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pandas as pd

from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn, kind_of
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.made import sources_of
from vtreat_py.frames.schema import Changed, check_kinds, check_present
from vtreat_py.plan.treatments import LevelTreatment, Treatment


def read_treated(
    source: InputFrame, treatments: Sequence[Treatment], extra: Sequence[Hashable] = ()
) -> list[Column]:
    """Read the columns that treatments need; check all of them before any work is done.

    Raises
    ------
    SchemaError
        If columns are missing, ``extra`` ones included, or hold another type than at design.
    """
    needed = sources_of((t.column for t in treatments), source.made.values())
    check_present([*needed, *extra], source.columns, source.is_array)
    changed: list[Changed] = []
    columns = source.read_all(
        [t.column for t in treatments],
        [isinstance(t, LevelTreatment) and not t.levels.is_text for t in treatments],
        changed,
    )
    check_fit(treatments, columns, changed)
    return columns


def check_fit(
    treatments: Sequence[Treatment], columns: Sequence[Column], changed: Sequence[Changed] = ()
) -> None:
    """Refuse columns that hold another type than at design, naming all of them.

    ``changed`` are those that others are made of.
    """
    unfit = [
        (t.column, t.designed_on, kind_of(c) + _for_instance(c, t.designed_on))
        for t, c in zip(treatments, columns, strict=True)
        if not t.fits(c)
    ]
    check_kinds([*changed, *unfit])


def _for_instance(column: Column, designed_on: str) -> str:
    """A value of a column that is of another type than at the design, and its row."""
    if isinstance(column, EmptyColumn):
        return ""
    if isinstance(column, NumericColumn):
        good = column.values if column.bad is None else column.values[~column.bad]
        is_plain = column.kind == "number" and len(good)
        return f" such as {good[0].item()!r}" if is_plain else ""
    codes, levels = column.encode()
    labels, place = levels.to_list(), 0
    if designed_on == "number":  # what does not read as one, if any; all integers do
        small = [0 if isinstance(label, int) else label for label in labels]
        read = pd.to_numeric(pd.Series(small, dtype=object), errors="coerce")
        place = int(read.isna().to_numpy().argmax())
    return f" such as {labels[place]!r} in row {int((codes == place).argmax())}"
