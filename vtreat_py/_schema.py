"""Whether a frame has what a plan was designed on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from vtreat_py._errors import InvalidOptionError, OptionTypeError, SchemaError, counted


def check_present(
    needed: Sequence[Hashable], columns: Iterable[Hashable], is_array: bool = False
) -> None:
    """Refuse a frame that lacks columns.

    Raises
    ------
    SchemaError
        Naming all of them.
    """
    present = set(columns)
    missing = [name for name in needed if name not in present]
    if missing:
        nameless = "; an array has x0, x1, ..., so give a data frame" if is_array else ""
        raise SchemaError(
            f"the frame lacks {counted(len(missing), 'column')}: "
            f"{', '.join(map(repr, missing))}{nameless}. "
            "Add them (missing values are fine), or prepare fewer variables"
        )


def check_kinds(drifted: Sequence[tuple[Hashable, str, str]]) -> None:
    """Refuse columns that changed: for each its name, what it was, and what it is.

    Raises
    ------
    SchemaError
        Naming all of them.
    """
    if drifted:
        told = "; ".join(f"{n!r} (designed on {was}, found {now})" for n, was, now in drifted)
        raise SchemaError(
            f"{counted(len(drifted), 'column')} changed type since the design: {told}. Convert to "
            "the type of the design"
        )


def check_extra(extra_columns: Iterable[Hashable], names: Sequence[str]) -> list[Hashable]:
    """Return the columns to take along; none may have the name of a derived variable.

    Raises
    ------
    InvalidOptionError, OptionTypeError
    """
    if isinstance(extra_columns, str) or not isinstance(extra_columns, Iterable):
        raise OptionTypeError(f"extra_columns={extra_columns!r} must be a list of column names")
    extra = list(extra_columns)
    taken = [name for name in extra if name in names]
    if taken:
        raise InvalidOptionError(
            f"extra_columns names {taken}, which are derived variables too; rename them, or leave "
            "the derived ones out with variables="
        )
    return extra


def check_row_id(
    row_id: Hashable | None, names: Sequence[str], extra: Sequence[Hashable]
) -> list[Hashable]:
    """Return the column to put in front, as a list; empty without one.

    Raises
    ------
    InvalidOptionError
        If a derived variable has its name, or it is to be appended, too.
    """
    if row_id is None:
        return []
    if row_id in names:
        raise InvalidOptionError(
            f"row_id={row_id!r} is the name of a derived variable, too; rename the column, or "
            "leave the derived one out with variables="
        )
    if row_id in extra:
        raise InvalidOptionError(f"extra_columns names {row_id!r}, which row_id= puts in front")
    return [row_id]
