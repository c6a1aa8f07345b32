"""Parts that a JSON schema is put together from: each writes a value, and checks what it reads."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from vtreat_py.base.errors import PlanFormatError, listed
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.json_arrays import (
    checked_list,
    numbers_from_json,
    numbers_to_json,
    slots_from_json,
    slots_to_json,
)
from vtreat_py.plan.json_values import (
    number_from_json,
    number_to_json,
    unexpected,
    value_from_json,
    value_to_json,
)
from vtreat_py.plan.options import IMPUTERS, NamedFunction, function_name


@dataclass(frozen=True)
class Part:
    """What may stand in a place: two functions of it, and of its path for messages.

    Attributes
    ----------
    to_json : callable
        Writes a value as lists, dicts, text, numbers, booleans and None.
    from_json : callable
        Reads such a value, or raises a `PlanFormatError` that names the place.
    """

    to_json: Callable[[Any, str], Any]
    from_json: Callable[[Any, str], Any]


def read(part: Part, found: Any, where: str = "") -> Any:
    """Read a whole text; it may nest values in values in values, but not for ever."""
    try:
        return part.from_json(found, where)
    except RecursionError as reason:
        raise PlanFormatError("the text has values in values, too deep to be read") from reason


def record(
    make: Callable[..., Any], may_lack: Sequence[str] | Mapping[str, Any] = (), /, **fields: Part
) -> Part:
    """Describe an object of fields, all of them and no other.

    Those in ``may_lack`` are left out where they are empty, or what they are there.
    """
    lacked = may_lack if isinstance(may_lack, Mapping) else dict.fromkeys(may_lack)

    def is_left_out(value: Any, name: str) -> bool:
        if isinstance(value, np.ndarray):
            return False
        return name in lacked and (not value or value == lacked[name])

    def to_json(value: Any, where: str) -> Any:
        return {
            name: part.to_json(getattr(value, name), _inside(where, name))
            for name, part in fields.items()
            if not is_left_out(getattr(value, name), name)
        }

    def from_json(found: Any, where: str) -> Any:
        _check_object(found, where or "the text")
        for name in fields:
            if name not in found and name not in may_lack:
                raise PlanFormatError(f"{_inside(where, name)} is missing")
        for name in found:
            if name not in fields:
                raise PlanFormatError(f"{_inside(where, name)} is no field of this format")
        return make(
            **{
                name: part.from_json(found[name], _inside(where, name))
                for name, part in fields.items()
                if name in found
            }
        )

    return Part(to_json, from_json)


def fields_of(cls: type[Any], **special: Part) -> dict[str, Part]:
    """Describe the fields of a dataclass by their types, but those whose type says too little."""
    each = dataclasses.fields(cls)
    return {field.name: special.get(field.name) or _OF_TYPE[str(field.type)] for field in each}


def one_of_records(field: str, records: Mapping[str, Part]) -> Part:
    """Describe one of several records: the value of a field that all of them have says which."""

    def from_json(found: Any, where: str) -> Any:
        _check_object(found, where)
        if field not in found:
            raise PlanFormatError(f"{_inside(where, field)} is missing")
        word = text(tuple(records)).from_json(found[field], _inside(where, field))
        return records[word].from_json(found, where)

    return Part(
        lambda value, where: records[getattr(value, field)].to_json(value, where), from_json
    )


def several(part: Part) -> Part:
    """Describe a tuple: a list of parts of one sort."""

    def from_json(found: Any, where: str) -> Any:
        parts = checked_list(found, where)
        return tuple(part.from_json(one, f"{where}[{i}]") for i, one in enumerate(parts))

    return Part(
        lambda value, where: [part.to_json(one, f"{where}[{i}]") for i, one in enumerate(value)],
        from_json,
    )


def pairs(make: Callable[[Any], Any] = tuple, /, **parts: Part) -> Part:
    """Describe a dict, or a tuple of pairs: a list of objects of two fields, in order."""
    of_names = pairs_in_order(**parts)

    def from_json(found: Any, where: str) -> Any:
        each = of_names.from_json(found, where)
        check_distinct([first for first, _ in each], where)
        return make(each)

    return Part(of_names.to_json, from_json)


def pairs_in_order(**parts: Part) -> Part:
    """Describe a tuple of pairs, several of which may begin with the same."""
    objects = several(record(lambda **pair: tuple(pair.values()), **parts))

    def to_json(value: Any, where: str) -> Any:
        each = value.items() if isinstance(value, Mapping) else value
        named = [SimpleNamespace(**dict(zip(parts, pair, strict=True))) for pair in each]
        return objects.to_json(named, where)

    return Part(to_json, lambda found, where: tuple(objects.from_json(found, where)))


def maybe(part: Part) -> Part:
    """Describe None, or something."""
    return Part(
        lambda value, where: None if value is None else part.to_json(value, where),
        lambda found, where: None if found is None else part.from_json(found, where),
    )


def text(words: Sequence[str] | Callable[[], Sequence[str]] | None = None) -> Part:
    """Describe text, perhaps of a few known words, which a function may give."""

    def from_json(found: Any, where: str) -> Any:
        if not isinstance(found, str):
            raise unexpected(where, "a string", found)
        known = words() if callable(words) else words
        if known is not None and found not in known:
            raise unexpected(where, f"one of {listed(known)}", found)
        return found

    return Part(lambda value, _: value, from_json)


def number(words: Sequence[str] = (), *, infinite: bool = False) -> Part:
    """Describe a float; words beside numbers, or "Infinity", only where they may occur."""

    def from_json(found: Any, where: str) -> Any:
        if isinstance(found, str) and found in words:
            return found
        if isinstance(found, str) and words:
            raise unexpected(where, f"a number or one of {listed(words)}", found)
        return number_from_json(found, where, infinite=infinite)

    return Part(lambda v, _: v if isinstance(v, str) else number_to_json(float(v)), from_json)


def tables(known: Sequence[str], held: Part | None = None) -> Part:
    """Describe a dict from some of the known codes to arrays, or to something else."""
    part = NUMBERS if held is None else held

    def from_json(found: Any, where: str) -> Any:
        _check_object(found, where)
        for code in found:
            if code not in known:
                raise PlanFormatError(f"{where}.{code} is no known code; those are {listed(known)}")
        return {code: part.from_json(one, f"{where}.{code}") for code, one in found.items()}

    def to_json(value: Any, where: str) -> Any:
        return {code: part.to_json(one, f"{where}.{code}") for code, one in value.items()}

    return Part(to_json, from_json)


def _flag(found: Any, where: str) -> Any:
    if not isinstance(found, bool):
        raise unexpected(where, "true or false", found)
    return found


def _whole(found: Any, where: str) -> Any:
    if type(found) is not int or found < 0:
        raise unexpected(where, "a whole number, 0 or more", found)
    return found


def _levels_to_json(levels: Levels, where: str) -> Any:
    found = levels.to_list()
    # Arrow's text has no lone surrogates: there is nothing to look at.
    is_plain = levels.is_text and (not found or type(found[0]) is str)
    return found if is_plain else _VALUES.to_json(found, where)


def _levels(found: Any, where: str) -> Any:
    if isinstance(found, list) and all(type(level) is str for level in found):
        check_distinct(found, where)
        return Levels.of(found)
    levels = _VALUES.from_json(found, where)
    check_distinct(levels, where)
    for i, level in enumerate(levels):
        if level is None or not _equals_itself(level):
            raise PlanFormatError(f"{where}[{i}]: a missing value is no level")
    return Levels.of(levels)


def _equals_itself(level: Any) -> bool:
    """Whether a value, and what a tuple holds, can be found again."""
    return all(map(_equals_itself, level)) if isinstance(level, tuple) else bool(level == level)


def _imputer_to_json(value: Any, where: str) -> Any:
    name = function_name(value)
    return _IMPUTED.to_json(value, where) if name is None else {"function": name}


def _imputer_from_json(found: Any, where: str) -> Any:
    return (_FUNCTION if isinstance(found, dict) else _IMPUTED).from_json(found, where)


TEXT = text()
FLAG = Part(lambda value, _: bool(value), _flag)
WHOLE = Part(lambda value, _: int(value), _whole)
NUMBER = number()
# A level, a class or a name, of any type.
VALUE = Part(value_to_json, value_from_json)
_VALUES = several(VALUE)
# Arrays of finite floats, and of codes of levels or -1.
NUMBERS = Part(numbers_to_json, numbers_from_json)
SLOTS = Part(slots_to_json, slots_from_json)
# Different values, none of them missing.
LEVELS = Part(_levels_to_json, _levels)
# A number, a word, or a function, which is written by its name alone.
IMPUTER = Part(_imputer_to_json, _imputer_from_json)
_IMPUTED = number(IMPUTERS)
_FUNCTION = record(NamedFunction, function=TEXT)
_MOST_ALIKE = 100  # values of one hash, which by accident are two, or a few
_OF_TYPE = {
    "str": TEXT,
    "bool": FLAG,
    "int": WHOLE,
    "int | None": maybe(WHOLE),
    "float": NUMBER,
    "float | None": maybe(NUMBER),
    "Any": VALUE,
    "Hashable": VALUE,
    "Hashable | None": VALUE,
    "tuple[Any, ...]": _VALUES,
    "tuple[Hashable, ...]": _VALUES,
    "FloatArray": NUMBERS,
    "IntArray": SLOTS,
}


def distinct(part: Part) -> Part:
    """Describe a list of different values."""

    def from_json(found: Any, where: str) -> Any:
        values = part.from_json(found, where)
        check_distinct(values, where)
        return values

    return Part(part.to_json, from_json)


def check_distinct(values: Sequence[Any], where: str) -> None:
    """Refuse values of which two are equal, and many of one hash, which take ages to compare."""
    alike = Counter(map(hash, values)).most_common(1)
    if alike and alike[0][1] > _MOST_ALIKE:
        raise PlanFormatError(
            f"{where}: {alike[0][1]} values have one hash; they are listed twice, or were made to "
            "be slow to tell apart"
        )
    if len(set(values)) < len(values):
        seen: set[Any] = set()
        for value in values:
            if value in seen:
                raise PlanFormatError(f"{where}: {value!r} is listed twice")
            seen.add(value)


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _check_object(found: Any, where: str) -> None:
    if not isinstance(found, dict):
        raise unexpected(where, "an object", found)
