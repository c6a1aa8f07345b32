"""Values as JSON, exactly: names and levels of any type that JSON does not know are tagged."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import json
import math
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from vtreat_py.base.errors import PlanFormatError, listed

_UNBOUNDED = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}
_NUMPY = "numpy."
# A time zone is looked up in a folder, whatever its name.
_NOT_MADE = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


def described(found: Any) -> str:
    """Say what JSON holds in a place, for messages."""
    if isinstance(found, list | dict):
        return "a list" if isinstance(found, list) else "an object"
    if isinstance(found, str):
        return f"a string, {found!r}" if len(found) <= 40 else "a string"
    return f"a number, {found!r}" if type(found) in (int, float) else json.dumps(found)


def unexpected(where: str, expected: str, found: Any) -> PlanFormatError:
    """Build the error of something else than expected in a place."""
    return PlanFormatError(f"{where}: expected {expected}, found {described(found)}")


def number_to_json(number: float) -> float | str:
    """Return a float as it is, or the word for one that JSON has no number for."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def number_from_json(found: Any, where: str, *, infinite: bool = False) -> float:
    """Return a float; ``infinite`` allows the words for numbers that JSON does not have."""
    if infinite and isinstance(found, str) and found in _UNBOUNDED:
        return _UNBOUNDED[found]
    try:
        if type(found) in (int, float) and math.isfinite(found):
            return float(found)
    except OverflowError:
        pass
    raise unexpected(where, "a number" if infinite else "a finite number", found)


def value_to_json(value: Any, where: str) -> Any:
    """Write a level or a name: as it is, or as an object of its type and what makes it."""
    kind = type(value)
    if value is None or kind in (bool, int) or (kind is str and is_unicode(value)):
        return value
    if kind is float and math.isfinite(value):
        return value
    name: Any = kind.__name__
    form = _FORM_OF.get(kind)
    if isinstance(value, np.generic):
        name = value.dtype  # of text and bytes, and of moments, it says more than the type
        moment_or_text = kind.__name__ if name.kind in "mM" else name.kind
        form = _FORM_NAMED.get(_NUMPY + (moment_or_text if name.kind in "mMUS" else name.name))
    if form is None:
        raise PlanFormatError(
            f"{where}: {value!r} of type {name} cannot be written as JSON; convert the "
            "column (or the name) to text or numbers before the design"
        )
    try:
        return {"type": form.name, "value": form.write(value, where)}
    except ValueError as reason:  # a number of thousands of digits
        raise PlanFormatError(f"{where}: a {name} cannot be written as JSON: {reason}") from reason


def value_from_json(found: Any, where: str) -> Any:
    """Read what `value_to_json` has written."""
    if found is None or type(found) in (str, bool, int):
        return found
    if type(found) is float:
        return number_from_json(found, where)
    if not isinstance(found, dict) or set(found) != {"type", "value"}:
        raise unexpected(where, "a value, or an object of a type and a value", found)
    name, inner = found["type"], found["value"]
    form = _FORM_NAMED.get(name) if isinstance(name, str) else None
    if form is None:
        raise PlanFormatError(
            f"{where}.type: unknown type {name!r}; known are {listed(list(_FORM_NAMED))}"
        )
    try:
        value = form.read(inner, f"{where}.value")
        hash(value)  # signalling NaN has none, so that it could be looked up nowhere
    except PlanFormatError:
        raise
    except _NOT_MADE as reason:
        raise PlanFormatError(
            f"{where}.value: no {name} can be made of {described(inner)}: {reason}"
        ) from reason
    return value


@dataclass(frozen=True)
class _Form:
    """How values of a type are written and read."""

    name: str
    kind: type
    write: Callable[[Any, str], Any]
    read: Callable[[Any, str], Any]


def is_unicode(text: str) -> bool:
    """Whether text holds no lone surrogates, of which JSON would make other characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fraction(text: str) -> fractions.Fraction:
    """Read a fraction as it was written: an exponent would make a number of any length."""
    if not _FRACTION.fullmatch(text):
        raise ValueError("it is no fraction of integers")
    return fractions.Fraction(text)


def _zone_to_json(moment: dt.datetime) -> str | float | None:
    """Name of a zone, or the seconds of a fixed offset."""
    # ZoneInfo calls its name so, pytz (which pandas before 3 takes zones from) otherwise.
    name = getattr(moment.tzinfo, "key", None) or getattr(moment.tzinfo, "zone", None)
    if isinstance(name, str):
        return name
    offset = moment.utcoffset()
    return None if offset is None else offset.total_seconds()


def _zone_from_json(zone: Any) -> dt.tzinfo:
    return ZoneInfo(zone) if isinstance(zone, str) else dt.timezone(dt.timedelta(seconds=zone))


def _datetime_to_json(moment: dt.datetime) -> list[Any]:
    zone = _zone_to_json(moment)
    utc = moment if zone is None else moment.astimezone(dt.UTC).replace(tzinfo=None)
    return [utc.isoformat(), zone]


def _datetime_from_json(found: Any) -> dt.datetime:
    utc, zone = found
    moment = dt.datetime.fromisoformat(utc)
    if zone is None:
        return moment
    return moment.replace(tzinfo=dt.UTC).astimezone(_zone_from_json(zone))


def _timestamp_to_json(moment: pd.Timestamp) -> list[Any]:
    return [str(moment.asm8), moment.unit, _zone_to_json(moment)]


def _timestamp_from_json(found: Any) -> pd.Timestamp:
    utc, unit, zone = found
    moment = pd.Timestamp(np.datetime64(utc, unit))
    if zone is None:
        return moment
    known = zone if isinstance(zone, str) else _zone_from_json(zone)
    return moment.tz_localize("UTC").tz_convert(known)


def _pandas_timedelta_from_json(found: Any) -> pd.Timedelta:
    ticks, unit = found
    return pd.Timedelta(np.timedelta64(ticks, unit))


def _interval_to_json(interval: Any, where: str) -> list[Any]:
    ends = [value_to_json(end, where) for end in (interval.left, interval.right)]
    return [*ends, interval.closed]


def _interval_from_json(found: Any, where: str) -> Any:
    left, right, closed = found
    return pd.Interval(value_from_json(left, where), value_from_json(right, where), closed)


def _tuple_to_json(values: tuple[Any, ...], where: str) -> list[Any]:
    return [value_to_json(value, f"{where}[{i}]") for i, value in enumerate(values)]


def _tuple_from_json(found: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(found, list):
        raise unexpected(where, "a list", found)
    return tuple(value_from_json(value, f"{where}[{i}]") for i, value in enumerate(found))


def _numpy_number(name: str) -> _Form:
    kind = np.dtype(name).type

    def write(value: Any, _: str) -> Any:
        number = value.item()
        return number_to_json(number) if isinstance(number, float) else number

    def read(found: Any, where: str) -> Any:
        if issubclass(kind, np.floating):
            return kind(number_from_json(found, where, infinite=True))
        if type(found) is not (bool if kind is np.bool_ else int):
            raise unexpected(where, f"a value of type {name}", found)
        return kind(found)

    return _Form(f"{_NUMPY}{name}", kind, write, read)


def _numpy_moment(kind: type) -> _Form:
    def write(value: Any) -> list[Any]:
        unit, multiple = np.datetime_data(value.dtype)
        return [int(value.astype(np.int64)), multiple, unit]

    def read(found: Any) -> Any:
        ticks, multiple, unit = found
        if unit == "generic":
            raise ValueError("it has no unit")
        return kind(ticks, (unit, multiple))

    return _plain(kind, write, read, f"{_NUMPY}{kind.__name__}")


def _plain(
    kind: type, write: Callable[[Any], Any], read: Callable[[Any], Any], name: str = ""
) -> _Form:
    """A form that needs no path for its messages."""
    return _Form(name or kind.__name__, kind, lambda v, _: write(v), lambda v, _: read(v))


_FORMS = [
    # By code point: a pair of surrogates that stood apart must not become one character.
    _plain(str, lambda v: [*map(ord, v)], lambda v: "".join(map(chr, v)), "text"),
    _plain(bytes, bytes.hex, bytes.fromhex),
    _Form(
        "float",
        float,
        lambda v, _: number_to_json(v),
        lambda v, where: number_from_json(v, where, infinite=True),
    ),
    *(_plain(kind, str, kind) for kind in (decimal.Decimal, uuid.UUID)),
    _plain(fractions.Fraction, str, _fraction),
    _plain(dt.date, dt.date.isoformat, dt.date.fromisoformat),
    _plain(dt.time, dt.time.isoformat, dt.time.fromisoformat),
    _plain(dt.datetime, _datetime_to_json, _datetime_from_json),
    _plain(dt.timedelta, lambda v: [v.days, v.seconds, v.microseconds], lambda v: dt.timedelta(*v)),
    _plain(pd.Timestamp, _timestamp_to_json, _timestamp_from_json),
    _plain(
        pd.Timedelta, lambda v: [int(v.asm8.astype(np.int64)), v.unit], _pandas_timedelta_from_json
    ),
    _plain(
        pd.Period,
        lambda v: [v.ordinal, v.freqstr],
        lambda v: pd.Period(ordinal=v[0], freq=v[1]),
    ),
    _Form("Interval", pd.Interval, _interval_to_json, _interval_from_json),
    _Form("tuple", tuple, _tuple_to_json, _tuple_from_json),
]
_NUMBERS = ["bool", "float16", "float32", "float64"]
_NUMBERS += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_NUMPY_FORMS = [
    *map(_numpy_number, _NUMBERS),
    _Form(
        "numpy.U",
        np.str_,
        lambda v, where: value_to_json(str(v), where),
        lambda v, where: np.str_(value_from_json(v, where)),
    ),
    _plain(np.bytes_, bytes.hex, lambda v: np.bytes_(bytes.fromhex(v)), "numpy.S"),
    *map(_numpy_moment, (np.datetime64, np.timedelta64)),
]
_FORM_OF = {form.kind: form for form in _FORMS}
_FORM_NAMED = {form.name: form for form in (*_FORMS, *_NUMPY_FORMS)}
