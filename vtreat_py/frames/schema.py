"""Whether a frame has what a plan was designed on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from vtreat_py.base.errors import SchemaError, counted, meant


def check_present(
    needed: Sequence[Hashable], columns: Iterable[Hashable], is_array: bool = False
) -> None:
    """Refuse a frame that lacks columns, naming all of them."""
    present = set(columns)
    missing = [name for name in needed if name not in present]
    if missing:
        nameless = "; an array has x0, x1, ..., so give a data frame" if is_array else ""
        alike = meant(missing[0], present) if len(missing) == 1 else ""
        raise SchemaError(
            f"the frame lacks {counted(len(missing), 'column')}: "
            f"{', '.join(map(repr, missing))}{nameless}{alike or '.'} "
            "Add them (missing values are fine), or prepare fewer variables"
        )


# A column's name, what it was, and what it is.
Changed = tuple[Hashable, str, str]

# How pandas converts to what a column was designed on.
_CONVERT = {
    "number": 'pandas.to_numeric(..., errors="coerce")',
    "date": "pandas.to_datetime",
    "datetime": "pandas.to_datetime",
    "duration": "pandas.to_timedelta",
    "levels": '.astype("string")',
}


class ChangedTypesError(SchemaError):
    """Columns hold something else than at the design.

    Attributes
    ----------
    changed : sequence of Changed
    """

    def __init__(self, changed: Sequence[Changed]) -> None:
        self.changed = changed
        told = "; ".join(f"{n!r} (designed on {was}, found {now})" for n, was, now in changed)
        ways = dict.fromkeys(_CONVERT[was] for _, was, _ in changed if was in _CONVERT)
        how = f" ({', '.join(ways)})" if ways else ""
        super().__init__(
            f"{counted(len(changed), 'column')} changed type since the design: {told}. Convert to "
            f"the type of the design{how}"
        )

    def __reduce__(self) -> tuple[type[ChangedTypesError], tuple[Sequence[Changed]]]:
        return type(self), (self.changed,)


def check_kinds(changed: Iterable[Changed]) -> None:
    """Refuse columns that changed, naming each once."""
    each: dict[Hashable, Changed] = {}
    for name, was, now in changed:
        each.setdefault(name, (name, was, now))
    if each:
        raise ChangedTypesError(list(each.values()))
