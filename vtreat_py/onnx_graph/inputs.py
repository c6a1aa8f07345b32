"""The inputs of a model: the columns of the data, and what each is to hold."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.columns import is_utf8
from vtreat_py.frames.joint import NAMES, JointColumn
from vtreat_py.frames.made import MadeColumn
from vtreat_py.onnx_graph.codes import OnnxCodes
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.keyed_codes import KeyKind, level_keys
from vtreat_py.plan.treatments import LevelTreatment, Treatment

TEXT = "text"
# What the numbers of a column stand for.
UNITS: dict[str, str] = {
    "number": "numbers",
    "date": "days since 1970",
    "datetime": "seconds since 1970 (UTC)",
    "duration": "seconds",
    "time": "seconds since midnight",
}


def kinds_of_inputs(plan: Plan, choice: Choice) -> dict[Hashable, KeyKind]:
    """Tell what each column that is read holds: ``"text"``, or what its numbers stand for.

    Raises
    ------
    InvalidOptionError
        If a column holds what ONNX has no type for.
    """
    made = {one.name: one for one in plan.made}
    kinds: dict[Hashable, KeyKind] = {}
    for treatment in choice.treatments(plan):
        for column, kind in _read_by(treatment, made):
            if kind == "bytes":
                raise InvalidOptionError(
                    f"column {column!r} holds bytes, which ONNX has no type for. Convert the "
                    "column to text before the design, or choose variables of other columns "
                    "(variables=)"
                )
            if kinds.setdefault(column, kind) != kind:
                raise InvalidOptionError(
                    f"column {column!r} is read as {kinds[column]} and as {kind}, but an input of "
                    "ONNX is of one type. Choose variables that read it in one way (variables=)"
                )
    return kinds


def _read_by(
    treatment: Treatment, made: dict[Hashable, MadeColumn]
) -> Iterator[tuple[Hashable, KeyKind]]:
    """The columns that a treatment reads."""
    own = made.get(treatment.column)
    if isinstance(own, CalendarPart):
        yield own.column, _of_dates(own)
    elif isinstance(own, JointColumn):
        for part in own.parts:
            dates = made.get(part.column)
            if isinstance(dates, CalendarPart):
                yield dates.column, _of_dates(dates)
            else:
                yield part.column, "number" if part.kind == NAMES else part.kind
    elif isinstance(treatment, LevelTreatment):
        kind, _ = level_keys(treatment.column, treatment.levels, OnnxCodes.language)
        yield treatment.column, kind
    else:
        yield treatment.column, treatment.kind


def _of_dates(part: CalendarPart) -> KeyKind:
    return "date" if part.kind == "date" else "datetime"


def input_names(columns: dict[Hashable, KeyKind]) -> dict[Hashable, str]:
    """Name the input of each column: by the name of the column.

    Raises
    ------
    InvalidOptionError
        If two have one name, or a name cannot be written.
    """
    names = {column: str(column) for column in columns}
    taken: dict[str, Hashable] = {}
    for column, name in names.items():
        if not name or not is_utf8(name):
            raise InvalidOptionError(
                f"column {column!r} has a name that an input of ONNX cannot have; rename the "
                "column before the design"
            )
        if taken.setdefault(name, column) != column:
            raise InvalidOptionError(
                f"columns {taken[name]!r} and {column!r} have one name in ONNX; rename one before "
                "the design"
            )
    return names


def meaning_of(kind: KeyKind, missing_text: str) -> str:
    """Say what an input is to hold."""
    if kind == TEXT:
        return f"text; {missing_text!r} is a missing value"
    return f"{UNITS[kind]}; NaN is a missing value"
