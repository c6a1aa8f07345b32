"""SQL as SQLite reads it."""

from __future__ import annotations

import math
from fractions import Fraction

from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, infinity

_SHORT = 15  # digits that SQLite promises to read exactly
# Seconds after which the calendar, with its weekdays, repeats itself: 400 years.
_ERA = 146_097 * DAY
_FACTOR = 50  # 2 to this power is a short decimal, too


class SQLite(Dialect):
    """SQLite, where each value has a type of its own.

    Its decimals may be read a bit off, so floats that no short decimal equals are written as an
    integer times or over powers of two, which IEEE arithmetic computes without rounding.
    """

    name = "sqlite"
    text_type, double_type = "TEXT", "REAL"
    most_joins = 60  # of the 64 that it takes
    most_columns = 2000
    nul = "char(0)"
    # The sign takes away the column's affinity, which would convert levels.
    text_key = "(+{}) COLLATE BINARY"

    def double(self, value: float) -> str:
        """Write a float."""
        if infinity(value) is not None:
            return "9e999" if value > 0 else "(-9e999)"
        plain = f"{abs(value):.{_SHORT}g}"
        if "e" not in plain and Fraction(plain) == Fraction(abs(value)):
            plain = plain if "." in plain else f"{plain}.0"
        else:
            plain = _product(abs(value))
        return f"(-{plain})" if math.copysign(1.0, value) < 0 else plain

    def number(self, column: str, may_be_boolean: bool) -> str:  # noqa: ARG002
        """Read numbers; what is stored as text or bytes is no number."""
        return f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN CAST({column} AS REAL) END"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and datetimes that are ISO text; anything else is a bad value."""
        day = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
        if kind == "date":
            return f"CASE WHEN {column} GLOB '{day}' THEN {_seconds(column)} / 86400.0 END"
        if kind == "datetime":
            # strftime rounds to milliseconds, so .9996 of a second would be the next one.
            after = f"ltrim(substr({column}, 21), '0123456789')"
            is_parted = f"substr({column}, 20, 2) GLOB '.[0-9]'"
            whole = (
                f"CASE WHEN {is_parted} THEN substr({column}, 1, 19) || {after} ELSE {column} END"
            )
            fraction = f"CASE WHEN {is_parted} THEN substr({column}, 20) ELSE '' END"
            nanos = f"round(CAST('0' || {fraction} AS REAL) * 1000000000.0)"
            moment = f"{_seconds(whole)} + {nanos} / 1000000000.0"
            return f"CASE WHEN {column} GLOB '{day}*' THEN {moment} END"
        return None

    def floored(self, number: str) -> str:
        """Round down; a cast rounds towards 0."""
        whole = f"CAST({number} AS INTEGER)"
        return f"({whole} - ({number} < {whole}))"

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS INTEGER) AS TEXT)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date; the week is that of its Thursday, weekdays begin with Sunday."""
        if field in ("month", "day"):
            return _strftime("%m" if field == "month" else "%d", seconds)
        weekday = f"(({_strftime('%w', seconds)} + 6) % 7 + 1)"
        if field == "weekday":
            return weekday
        thursday = f"{seconds} + (4 - {weekday}) * {DAY}"
        return f"(({_strftime('%j', thursday)} - 1) / 7 + 1)"


def _strftime(field: str, seconds: str) -> str:
    """Read a field of a date; SQLite knows years up to 9999, so that of a year alike is read."""
    alike = f"(({seconds}) % {_ERA} + {_ERA}) % {_ERA}"
    return f"CAST(strftime('{field}', {alike}, 'unixepoch') AS INTEGER)"


def _seconds(text: str) -> str:
    return f"CAST(strftime('%s', {text}) AS INTEGER)"


def _product(value: float) -> str:
    """Write a positive float as an integer of at most 53 bits and powers of two."""
    fraction, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(fraction, 53)), exponent - 53
    while whole and whole % 2 == 0:
        whole, exponent = whole // 2, exponent + 1
    sign = "*" if exponent > 0 else "/"
    full, rest = divmod(abs(exponent), _FACTOR)
    factors = [_FACTOR] * full + [rest]
    return f"({whole}" + "".join(f" {sign} {2**factor}.0" for factor in factors) + ")"
