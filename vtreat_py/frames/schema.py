"""Whether a frame has what a plan was designed on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from vtreat_py.base.errors import SchemaError, counted


def check_present(
    needed: Sequence[Hashable], columns: Iterable[Hashable], is_array: bool = False
) -> None:
    """Refuse a frame that lacks columns, naming all of them."""
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
    """Refuse columns that changed: for each its name, what it was, and what it is."""
    if drifted:
        told = "; ".join(f"{n!r} (designed on {was}, found {now})" for n, was, now in drifted)
        raise SchemaError(
            f"{counted(len(drifted), 'column')} changed type since the design: {told}. Convert to "
            "the type of the design"
        )
