"""What the fields of CSV are: told by all values of a column, or by a plan."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.command_line.errors import CommandLineError
from vtreat_py.frames.joint import NAMES, TEXT, JointColumn
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment

# Mean missing in columns of anything but text, where NA may be a name.
_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
_DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_CLOCK = r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?"
_AFTER_THE_POINT = r"(\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?"
_INFINITE = r"[iI]nf(inity)?|INF"


@dataclass(frozen=True)
class FieldKind:
    """What all fields of a column may be.

    Attributes
    ----------
    name : str
    pattern : str
        What they look like, without spaces around them.
    type : pyarrow.DataType
    """

    name: str
    pattern: str
    type: pa.DataType

    def reads(self, text: pa.Array) -> bool:
        """Whether it can be made of all fields; see `plain`."""
        if not _all(_like(text, self.pattern)):
            return False
        try:
            self.read(text)
        except pa.ArrowInvalid:  # such as the 30th of February
            return False
        return True

    def read(self, text: pa.Array) -> pa.Array:
        """Make values of fields."""
        if self.name in ("number", "whole number"):
            text = pc.replace_substring_regex(text, r"^\+", "")
        return pc.cast(pc.utf8_lower(text) if self.name == "boolean" else text, self.type)


# Zeros before other digits are those of names, such as zip codes.
_WHOLE = FieldKind("whole number", r"[+-]?(0|[1-9]\d{0,18})", pa.int64())
# Floats would make one of many: these are names, such as those of cards.
_LONG = FieldKind("text", r"[+-]?(0|[1-9]\d*)", pa.string())
_NUMBER = FieldKind("number", rf"[+-]?((0|[1-9]\d*){_AFTER_THE_POINT}|{_INFINITE})", pa.float64())
# Of columns that are kept as they are: floats tell all of these apart.
_EXACT = FieldKind(
    "number", rf"[+-]?((0|[1-9]\d{{0,14}}){_AFTER_THE_POINT}|{_INFINITE})", pa.float64()
)
# Where numbers are names, zeros before them are none.
_ANY_WHOLE = FieldKind("whole number", r"[+-]?\d{1,19}", pa.int64())
_ANY_NUMBER = FieldKind("number", rf"[+-]?(\d+{_AFTER_THE_POINT}|{_INFINITE})", pa.float64())
_BOOLEAN = FieldKind("boolean", "true|false|True|False|TRUE|FALSE", pa.bool_())
_DAY = FieldKind("date", _DATE, pa.date32())
_TIME = FieldKind("point in time", f"{_DATE}[T ]{_CLOCK}", pa.timestamp("us"))
_MOMENT = FieldKind(
    "point in time with a zone",
    rf"{_DATE}[T ]{_CLOCK} ?(Z|[+-]\d\d:?\d\d)",
    pa.timestamp("us", "UTC"),
)
TEXT_FIELD = FieldKind("text", "", pa.string())
_KINDS = (_WHOLE, _LONG, _NUMBER, _BOOLEAN, _DAY, _TIME, _MOMENT)
_KINDS_KEPT = tuple(_EXACT if kind is _NUMBER else kind for kind in _KINDS)
# By what a plan says that a column holds.
_OF_PLAN = {
    "number": (_ANY_NUMBER, _BOOLEAN),
    NAMES: (_ANY_WHOLE, _ANY_NUMBER, _BOOLEAN),
    "date": (_DAY,),
    "datetime": (_TIME, _MOMENT),
}


@dataclass(eq=False)
class SeenFields:
    """What the fields of a column may be, as far as they were seen.

    Attributes
    ----------
    missing : sequence of str
        Texts that mean missing, beside those that always do.

    Examples
    --------
    >>> seen = SeenFields()
    >>> seen.look(pa.array(["12", "NA", None]))
    >>> seen.kind.name
    'whole number'
    >>> seen.look(pa.array(["012"]))
    >>> seen.kind.name
    'text'
    """

    missing: Sequence[str] = ()
    _possible: Sequence[FieldKind] = _KINDS
    _any: bool = field(default=False)

    @classmethod
    def of_kept(cls, missing: Sequence[str]) -> SeenFields:
        """Look at a column that is kept: numbers that floats would merge are text."""
        return cls(missing, _KINDS_KEPT)

    def look(self, text: pa.Array) -> None:
        """Look at more of them."""
        if not self._possible:
            return
        text = plain(text, self.missing)
        self._any |= text.null_count < len(text)
        self._possible = [kind for kind in self._possible if kind.reads(text)]

    @property
    def kind(self) -> FieldKind:
        """The most narrow of all that they may be; text without any."""
        kind = self._possible[0] if self._any and self._possible else TEXT_FIELD
        return TEXT_FIELD if kind is _LONG else kind

    @property
    def narrowest(self) -> FieldKind | None:
        """The same where all may be missing; None: they are of no kind."""
        return self._possible[0] if self._possible else None


def plain(text: pa.Array, missing: Sequence[str] = ()) -> pa.Array:
    """Take off spaces around fields; those that mean missing are null."""
    text = pc.utf8_trim_whitespace(text)
    lost = pc.is_in(text, value_set=pa.array([*_MISSING, *missing]))
    return pc.if_else(lost, pa.scalar(None, pa.string()), text)


def typed(text: pa.Array, kind: FieldKind, missing: Sequence[str] = ()) -> pa.Array:
    """Make values of fields of a kind."""
    return text if kind is TEXT_FIELD else kind.read(plain(text, missing))


def held(plan: Plan) -> dict[str, str]:
    """What the columns held that a plan was designed on, in a word, by name."""
    by_name: dict[Hashable, str] = {}
    made = {one.name for one in plan.made}
    for treatment in plan.treatments:
        if treatment.column not in made:
            numbers = isinstance(treatment, LevelTreatment) and treatment.holds_numbers
            levels = NAMES if numbers else TEXT
            by_name[treatment.column] = (
                levels if isinstance(treatment, LevelTreatment) else treatment.kind
            )
    for one in plan.made:
        if isinstance(one, JointColumn):
            parts = {part.column: part.kind for part in one.parts}
            by_name |= {name: kind for name, kind in parts.items() if name not in made - {one.name}}
        else:
            by_name[one.column] = one.kind
    return {str(name): word for name, word in by_name.items()}


def fields_of_plan(word: str, missing: Sequence[str] = ()) -> SeenFields | None:
    """What all fields must be looked at for, as parts may be of several types; None: they may not.

    Numbers are floats in all parts.
    """
    several = len(_OF_PLAN.get(word, ())) > 1 and word != "number"
    return SeenFields(missing, _OF_PLAN[word]) if several else None


def typed_by_plan(
    name: str,
    text: pa.Array,
    word: str,
    first_row: int,
    missing: Sequence[str] = (),
    kind: FieldKind | None = None,
) -> pa.Array:
    """Make of fields what a plan says that their column holds; of the kind that all of them are.

    Raises
    ------
    CommandLineError
        Naming the first that is something else, and its row.
    """
    if word == TEXT:
        return text
    if word not in _OF_PLAN:
        raise CommandLineError(
            f"column {name!r} holds a {word} in the plan, which CSV does not tell; use Parquet"
        )
    fields, kinds = plain(text, missing), _OF_PLAN[word] if kind is None else (kind,)
    for kind in kinds:
        if kind.reads(fields):
            return _as_the_plan_has_it(kind.read(fields), word)
    matched = _like(fields, "|".join(f"({kind.pattern})" for kind in kinds))
    place = pc.index(matched, False).as_py()
    if place < 0:
        alike = next((kind for kind in kinds if _all(_like(fields, kind.pattern))), None)
        if alike is None:
            raise mixed(name, word)
        place = _first_unread(fields, alike)
    raise CommandLineError(
        f"column {name!r} holds {text[place].as_py()!r} in row {first_row + place + 1}, and the "
        f"plan was designed on {_meant(word)}; correct it, or name it in --missing-values of the "
        "design"
    )


def _first_unread(fields: pa.Array, kind: FieldKind) -> int:
    """The first of fields that look right and cannot be read, such as the 30th of February."""
    good, bad = 0, len(fields)
    while bad - good > 1:
        middle = (good + bad) // 2
        if kind.reads(fields[:middle]):
            good = middle
        else:
            bad = middle
    return good


def mixed(name: str, word: str) -> CommandLineError:
    """Say that each field of a column could be read, but not all as one kind."""
    return CommandLineError(
        f"column {name!r} mixes fields of several kinds; {_meant(word)} are meant"
    )


def _meant(word: str) -> str:
    return "numbers" if word in ("number", NAMES) else f"{word}s"


def _as_the_plan_has_it(values: pa.Array, word: str) -> pa.Array:
    """One type of numbers, whatever is among the rows at hand."""
    return pc.cast(values, pa.float64()) if word == "number" else values


def _like(text: pa.Array, pattern: str) -> pa.Array:
    """Whether each looks like a pattern as a whole; null where missing."""
    return pc.match_substring_regex(text, f"^({pattern})$")


def _all(marks: pa.Array) -> bool:
    found: Any = pc.all(marks).as_py()
    return found is None or bool(found)
