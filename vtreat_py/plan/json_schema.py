"""Parts that a JSON schema is put together from: each writes a value, and checks what it reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from vtreat_py.base.errors import PlanFormatError, listed
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.json_values import (
    number_from_json,
    number_to_json,
    unexpected,
    value_from_json,
    value_to_json,
)
from vtreat_py.plan.options import NamedFunction, function_name


class Part(ABC):
    """What may stand in a place; ``where`` is its path, for messages."""

    @abstractmethod
    def to_json(self, value: Any, where: str) -> Any:
        """Write a value as lists, dicts, text, numbers, booleans and None."""

    @abstractmethod
    def from_json(self, found: Any, where: str) -> Any:
        """Read such a value, or raise a `PlanFormatError` that names the place."""


@dataclass(frozen=True)
class Record(Part):
    """A dataclass: an object with all of its fields and no other.

    Fields in ``may_lack`` are left out where they are empty.
    """

    make: Callable[..., Any]
    fields: Mapping[str, Part]
    may_lack: Sequence[str] = ()

    def to_json(self, value: Any, where: str) -> Any:
        return {
            name: part.to_json(getattr(value, name), _inside(where, name))
            for name, part in self.fields.items()
            if name not in self.may_lack or getattr(value, name)
        }

    def from_json(self, found: Any, where: str) -> Any:
        if not isinstance(found, dict):
            raise unexpected(where or "the text", "an object", found)
        for name in self.fields:
            if name not in found and name not in self.may_lack:
                raise PlanFormatError(f"{_inside(where, name)} is missing")
        for name in found:
            if name not in self.fields:
                raise PlanFormatError(f"{_inside(where, name)} is no field of this format")
        return self.make(
            **{
                name: part.from_json(found[name], _inside(where, name))
                for name, part in self.fields.items()
                if name in found
            }
        )


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


@dataclass(frozen=True)
class OneOfRecords(Part):
    """One of several records: the value of a field that all of them have says which."""

    field: str
    records: Mapping[str, Record]

    def to_json(self, value: Any, where: str) -> Any:
        return self.records[getattr(value, self.field)].to_json(value, where)

    def from_json(self, found: Any, where: str) -> Any:
        if not isinstance(found, dict):
            raise unexpected(where, "an object", found)
        if self.field not in found:
            raise PlanFormatError(f"{_inside(where, self.field)} is missing")
        words = Text(tuple(self.records))
        word = words.from_json(found[self.field], _inside(where, self.field))
        return self.records[word].from_json(found, where)


@dataclass(frozen=True)
class Several(Part):
    """A tuple: a list of parts of one sort."""

    part: Part

    def to_json(self, value: Any, where: str) -> Any:
        return [self.part.to_json(one, f"{where}[{i}]") for i, one in enumerate(value)]

    def from_json(self, found: Any, where: str) -> Any:
        parts = _checked_list(found, where)
        return tuple(self.part.from_json(one, f"{where}[{i}]") for i, one in enumerate(parts))


@dataclass(frozen=True)
class Pairs(Part):
    """A dict, or a tuple of pairs: a list of objects of two fields, in order."""

    names: tuple[str, str]
    parts: tuple[Part, Part]
    make: Callable[[Any], Any] = tuple

    @property
    def _several(self) -> Several:
        fields = dict(zip(self.names, self.parts, strict=True))
        return Several(Record(lambda **pair: tuple(pair.values()), fields))

    def to_json(self, value: Any, where: str) -> Any:
        pairs = value.items() if isinstance(value, Mapping) else value
        named = [SimpleNamespace(**dict(zip(self.names, pair, strict=True))) for pair in pairs]
        return self._several.to_json(named, where)

    def from_json(self, found: Any, where: str) -> Any:
        pairs = self._several.from_json(found, where)
        check_distinct([first for first, _ in pairs], where)
        return self.make(pairs)


@dataclass(frozen=True)
class Maybe(Part):
    """None, or something."""

    part: Part

    def to_json(self, value: Any, where: str) -> Any:
        return None if value is None else self.part.to_json(value, where)

    def from_json(self, found: Any, where: str) -> Any:
        return None if found is None else self.part.from_json(found, where)


@dataclass(frozen=True)
class Text(Part):
    """Text, perhaps of a few known words, which a function may give."""

    words: Sequence[str] | Callable[[], Sequence[str]] | None = None

    def to_json(self, value: Any, _: str) -> Any:
        return value

    def from_json(self, found: Any, where: str) -> Any:
        if not isinstance(found, str):
            raise unexpected(where, "a string", found)
        words = self.words() if callable(self.words) else self.words
        if words is not None and found not in words:
            raise unexpected(where, f"one of {listed(words)}", found)
        return found


@dataclass(frozen=True)
class Flag(Part):
    """True or false."""

    def to_json(self, value: Any, _: str) -> Any:
        return bool(value)

    def from_json(self, found: Any, where: str) -> Any:
        if not isinstance(found, bool):
            raise unexpected(where, "true or false", found)
        return found


@dataclass(frozen=True)
class Whole(Part):
    """A whole number, 0 or more."""

    def to_json(self, value: Any, _: str) -> Any:
        return int(value)

    def from_json(self, found: Any, where: str) -> Any:
        if type(found) is not int or found < 0:
            raise unexpected(where, "a whole number, 0 or more", found)
        return found


@dataclass(frozen=True)
class Number(Part):
    """A float; words beside numbers, or "Infinity", only where they may occur."""

    words: Sequence[str] = ()
    infinite: bool = False

    def to_json(self, value: Any, _: str) -> Any:
        return value if isinstance(value, str) else number_to_json(float(value))

    def from_json(self, found: Any, where: str) -> Any:
        if isinstance(found, str) and found in self.words:
            return found
        if isinstance(found, str) and self.words:
            raise unexpected(where, f"a number or one of {listed(self.words)}", found)
        return number_from_json(found, where, infinite=self.infinite)


@dataclass(frozen=True)
class ImputerPart(Number):
    """A number, a word, or a function, which is written by its name alone."""

    def to_json(self, value: Any, where: str) -> Any:
        name = function_name(value)
        return super().to_json(value, where) if name is None else {"function": name}

    def from_json(self, found: Any, where: str) -> Any:
        if not isinstance(found, dict):
            return super().from_json(found, where)
        return Record(NamedFunction, {"function": Text()}).from_json(found, where)


@dataclass(frozen=True)
class Value(Part):
    """A level, a class or a name, of any type."""

    def to_json(self, value: Any, where: str) -> Any:
        return value_to_json(value, where)

    def from_json(self, found: Any, where: str) -> Any:
        return value_from_json(found, where)


@dataclass(frozen=True)
class Numbers(Part):
    """An array of finite floats."""

    def to_json(self, value: Any, _: str) -> Any:
        return value.tolist()

    def from_json(self, found: Any, where: str) -> Any:
        numbers = _checked_list(found, where)
        if all(type(number) is float for number in numbers):
            array = np.array(numbers, dtype=np.float64)
            if np.isfinite(array).all():
                return array
        one_by_one = [number_from_json(n, f"{where}[{i}]") for i, n in enumerate(numbers)]
        return np.array(one_by_one, dtype=np.float64)


@dataclass(frozen=True)
class Slots(Part):
    """An array of codes of levels, or -1."""

    def to_json(self, value: Any, _: str) -> Any:
        return value.tolist()

    def from_json(self, found: Any, where: str) -> Any:
        codes = _checked_list(found, where)
        for i, code in enumerate(codes):
            if type(code) is not int or not -1 <= code < len(codes):
                raise unexpected(f"{where}[{i}]", f"a code below {len(codes)}, or -1", code)
        return np.array(codes, dtype=np.int32)


@dataclass(frozen=True)
class Tables(Part):
    """A dict from some of the known codes to arrays."""

    codes: Callable[[], Sequence[str]]

    def to_json(self, value: Any, where: str) -> Any:
        return {code: Numbers().to_json(table, where) for code, table in value.items()}

    def from_json(self, found: Any, where: str) -> Any:
        if not isinstance(found, dict):
            raise unexpected(where, "an object", found)
        known = self.codes()
        for code in found:
            if code not in known:
                raise PlanFormatError(f"{where}.{code} is no known code; those are {listed(known)}")
        return {code: Numbers().from_json(one, f"{where}.{code}") for code, one in found.items()}


@dataclass(frozen=True)
class LevelsPart(Part):
    """The levels of a column: a list of different values."""

    def to_json(self, value: Levels, where: str) -> Any:
        return [value_to_json(one, f"{where}[{i}]") for i, one in enumerate(value.to_list())]

    def from_json(self, found: Any, where: str) -> Any:
        levels = Several(Value()).from_json(found, where)
        check_distinct(levels, where)
        for i, level in enumerate(levels):
            if level is None or level != level:
                raise PlanFormatError(f"{where}[{i}]: a missing value is no level")
        return Levels.of(levels)


def check_distinct(values: Sequence[Any], where: str) -> None:
    """Refuse values of which two are equal."""
    if len(set(values)) < len(values):
        seen: set[Any] = set()
        for value in values:
            if value in seen:
                raise PlanFormatError(f"{where}: {value!r} is listed twice")
            seen.add(value)


def _checked_list(found: Any, where: str) -> list[Any]:
    if not isinstance(found, list):
        raise unexpected(where, "a list", found)
    return found
