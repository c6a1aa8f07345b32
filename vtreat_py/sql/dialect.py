"""What differs between SQL dialects: names, literals, and how columns are read as numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.plan.json_values import is_unicode

LARGEST = float(np.finfo(np.float64).max)
SMALLEST = float(np.finfo(np.float64).tiny)
MICROSECONDS = 1_000_000
# Days after which the calendar, with its weekdays, repeats itself: 400 years.
ERA_DAYS = 146_097


class Dialect(ABC):
    """How one engine writes what `query` needs.

    Attributes
    ----------
    name : str
        As users name the dialect.
    folds_case : bool
        Whether the engine takes column names that differ by case only for one.
    longest_name : int or None
        Bytes of a name that the engine keeps; it would cut longer ones short in silence.
    most_joins : int or None
        How many tables a query may join.
    most_columns : int or None
        How many columns a query may read or return.
    nul : str
        The call of a function that gives the character NUL.
    quote : str
        Stands around a name, and twice for itself.
    blob, text_key : str
        How bytes are written in hex, and a column is read as text that is compared by code point;
        ``{}`` is the place of the digits, and of the column.
    traps_underflow : bool
        Whether a product too small for a float is an error, and not 0.
    has_infinity : bool
        Whether floats of the engine can be infinite.
    executed : bool
        Whether tests run its queries; if not, a comment says so.
    most_text : int or None
        How many bytes of text a query may have, unless a setting says otherwise.
    table_as : str
        What stands between a table and its alias.
    end : str
        What `key` and ``text_key`` put behind text.
    text_type, double_type : str
        Types of text and floats.
    """

    name: str
    folds_case = True
    longest_name: int | None = None
    most_joins: int | None = None
    most_columns: int | None = None
    nul = "chr(0)"
    quote = '"'
    blob = "X'{}'"
    text_key: str
    traps_underflow = False
    has_infinity = True
    executed = True
    most_text: int | None = None
    table_as = " AS "
    end = ""
    text_type = "VARCHAR"
    double_type = "DOUBLE"

    def identifier(self, name: str) -> str:
        """Quote a name, if the engine has such names."""
        if not name or "\0" in name or not is_unicode(name):
            raise InvalidOptionError(
                f"the name {name!r} cannot be written as SQL: names must not be empty, and hold no "
                "NUL and no lone surrogate; rename the column before the design"
            )
        size = len(name.encode())
        if self.longest_name is not None and size > self.longest_name:
            raise InvalidOptionError(
                f"the name {name!r} has {size} bytes; {self.name} cuts names after "
                f"{self.longest_name}. Rename the column before the design, or choose other "
                "derived variables (variables=, coders=)"
            )
        return self.quoted(name)

    def quoted(self, name: str) -> str:
        """Quote a name that has been checked."""
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def table(self, parts: Sequence[str]) -> str:
        """Name a table by the parts of its name."""
        return ".".join(map(self.identifier, parts))

    def own(self, name: str) -> str:
        """Write a plain name of ours, as the engine has it in lower case."""
        return name

    def holds(self, key: str | bytes | float) -> bool:
        """Whether a column of the engine can hold a level."""
        if isinstance(key, str):
            return is_unicode(key)
        return isinstance(key, bytes) or self.has_infinity or math.isfinite(key)

    def as_text(self, column: str) -> str:
        """Read a column as text, to be put together with other text."""
        return self.text_key.format(column)

    def as_bytes(self, column: str) -> str:
        """Read a column of bytes so that it can be compared with `key`."""
        return column

    def of_table(self, level: str, kind: str) -> str:  # noqa: ARG002
        """Read the levels of a coding table, which are text, bytes or numbers."""
        return level

    def of_list(self, level: str, kind: str) -> str:  # noqa: ARG002
        """Read the levels of a list of literals."""
        return level

    def in_piece(self, number: str, table: str, lows: Sequence[str]) -> str:  # noqa: ARG002
        """Write the condition that a number is in a piece of a curve, which start at ``lows``."""
        low, high = self.own("low"), self.own("high")
        return f"{number} >= {table}.{low} AND {number} < {table}.{high}"

    def key(self, key: str | bytes | float) -> str:
        """Write a level."""
        if isinstance(key, str):
            return self.text(key)
        return self.blob.format(key.hex()) if isinstance(key, bytes) else self.double(key)

    def value(self, value: float | str) -> str:
        """Write what a level becomes."""
        return self.text(value) if isinstance(value, str) else self.double(float(value))

    def text(self, value: str) -> str:
        """Write text; NUL ends a query, and is put in by a function."""
        quoted = "'" + value.replace("'", "''") + "'"
        put_in = quoted.replace("\0", f"' || {self.nul} || '")
        return quoted if "\0" not in value else f"({put_in})"

    def double(self, value: float) -> str:
        """Write a float (or an infinity), so that the engine reads the same bits."""
        word = infinity(value)
        return decimal(value) if word is None else f"CAST('{word}' AS DOUBLE)"

    @property
    def most(self) -> str:
        """The largest number that the engine has, which NaN is not below."""
        return self.double(math.inf if self.has_infinity else LARGEST)

    def concatenated(self, parts: Sequence[str]) -> str:
        """Write texts as one."""
        return " || ".join(parts)

    def number(self, column: str, may_be_boolean: bool) -> str:  # noqa: ARG002
        """Read a column of numbers or booleans as floats."""
        return f"CAST({column} AS DOUBLE)"

    @abstractmethod
    def moment(self, kind: Kind, column: str) -> str | None:
        """Read a date, time or duration as a float as `NumericColumn` has it; None: unknown."""

    def floored(self, number: str) -> str:
        """Round a float down."""
        return f"floor({number})"

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS BIGINT) AS VARCHAR)"

    def at_zone(self, zone: str, seconds: str) -> str | None:  # noqa: ARG002
        """Whole seconds by the clock of a zone, of those by UTC; None: unknown."""
        return None

    def calendar_field(self, field: str, seconds: str) -> str | None:  # noqa: ARG002
        """Month, weekday (1 is Monday), ISO week or day of the month of whole seconds."""
        return None

    def day_alike(self, seconds: str) -> str:
        """Days since 1970 of a date alike, within 400 years: others may be after the last one."""
        days = self.floored(f"{seconds} / {self.double(float(DAY))}")
        era = self.double(float(ERA_DAYS))
        return f"({days} - {self.floored(f'{days} / {era}')} * {era})"

    def weekday(self, seconds: str) -> str:
        """Day of the week, of which 1 is Monday, by arithmetic: 1 January 1970 was a Thursday."""
        days, week = f"({self.day_alike(seconds)} + {self.double(3.0)})", self.double(7.0)
        return f"({days} - {self.floored(f'{days} / {week}')} * {week} + {self.double(1.0)})"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals."""
        listed = ",\n".join(f"    ({', '.join(row)})" for row in rows)
        return f"{name} ({', '.join(columns)}) AS (\n  VALUES\n{listed}\n)"


def decimal(value: float) -> str:
    """Write a finite float as the shortest decimal that reads as the same float."""
    text = repr(value)
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text  # never two minus signs: a comment


def without_subnormal(value: float) -> float:
    """Write floats nearer 0 than engines have them as 0."""
    return value if abs(value) >= SMALLEST else math.copysign(0.0, value)


def infinity(value: float) -> str | None:
    """Return the word for an infinity; None for other floats."""
    return None if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def floor_seconds(micros: str, divide: str, double: str) -> str:
    """Turn whole microseconds into seconds with the roundings of the path in memory.

    ``divide`` is the engine's operator of integer division, ``double`` its type of floats.
    """
    rest = f"((({micros}) % {MICROSECONDS} + {MICROSECONDS}) % {MICROSECONDS})"
    whole = f"((({micros}) - {rest}) {divide} {MICROSECONDS})"
    return f"(CAST({whole} AS {double}) + CAST({rest} AS {double}) / {decimal(1e6)})"


def selected(rows: Sequence[Sequence[str]], columns: Sequence[str], source: str = "") -> str:
    """Write literals without VALUES, whose columns some dialects lose: a SELECT for each row."""
    selects = [
        "  SELECT " + ", ".join(f"{v} AS {c}" for v, c in zip(row, columns, strict=True)) + source
        for row in rows
    ]
    return "\n  UNION ALL\n".join(selects)
