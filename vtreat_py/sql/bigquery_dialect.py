"""SQL as BigQuery (GoogleSQL) documents it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import MICROSECONDS, Dialect, decimal, infinity

# Characters that names of columns of its tables cannot have.
_NOT_IN_NAMES = re.compile(r"[!\"$()*,./;?@\[\\\]^`{}~\x00-\x08\x0a-\x1f]")
# What text is written with by its code; all other text is what it is.
_ESCAPED = re.compile(r"[\\'\x00-\x1f\x7f]")


class BigQuery(Dialect):
    """BigQuery.

    Booleans are cast to text and to whole numbers, not to floats. A LEFT JOIN needs an equality.
    """

    name = "bigquery"
    text_type, double_type = "STRING", "FLOAT64"
    executed = False
    most_text = 1_000_000
    most_columns = 10_000
    quote = "`"
    blob = "FROM_HEX('{}')"
    text_key = "COLLATE(CAST({} AS STRING), '')"

    def identifier(self, name: str) -> str:
        """Quote a name, if the engine has such columns."""
        quoted, found = super().identifier(name), _NOT_IN_NAMES.search(name)
        if found or len(name) > 300:
            raise InvalidOptionError(
                f"the name {name!r} cannot be written for BigQuery, whose columns have names of "
                f"up to 300 characters without {found[0] if found else 'more'!r}. Rename the "
                "column before the design, or choose other derived variables (variables=, coders=)"
            )
        return quoted

    def table(self, parts: Sequence[str]) -> str:
        """Name a table, whose parts may stand between one pair of quotes."""
        for part in parts:
            if "`" in part or "\\" in part:
                raise InvalidOptionError(
                    f"the name {part!r} cannot be written for BigQuery, whose tables have names "
                    "without backticks and backslashes"
                )
        return ".".join(map(super().identifier, parts))

    def text(self, value: str) -> str:
        """Write text."""
        return "'" + _ESCAPED.sub(lambda found: _escape(found[0]), value) + "'"

    def double(self, value: float) -> str:
        """Write a float."""
        words = {"Infinity": "inf", "-Infinity": "-inf"}
        word = infinity(value)
        return decimal(value) if word is None else f"CAST('{words[word]}' AS FLOAT64)"

    def number(self, column: str, may_be_boolean: bool) -> str:
        """Read numbers, or booleans."""
        if not may_be_boolean:
            return f"CAST({column} AS FLOAT64)"
        return (
            f"CASE CAST({column} AS STRING) WHEN 'true' THEN {decimal(1.0)} WHEN 'false' "
            f"THEN {decimal(0.0)} ELSE LAX_FLOAT64(TO_JSON({column})) END"
        )

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates, times, TIMESTAMP by the moment, and DATETIME by the clock."""
        if kind == "date":
            return f"CAST(UNIX_DATE({column}) AS FLOAT64)"
        if kind == "datetime":
            return _seconds(f"UNIX_MICROS(CAST({column} AS TIMESTAMP))")
        if kind == "time":
            return _seconds(f"TIME_DIFF({column}, TIME '00:00:00', MICROSECOND)")
        return None

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS INT64) AS STRING)"

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        moment = f"TIMESTAMP_SECONDS(CAST({seconds} AS INT64))"
        return (
            f"CAST(UNIX_SECONDS(TIMESTAMP(DATETIME({moment}, {self.text(zone)}), 'UTC')) "
            "AS FLOAT64)"
        )

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date."""
        if field == "weekday":
            return self.weekday(seconds)
        date = f"DATE_FROM_UNIX_DATE(CAST({self.day_alike(seconds)} AS INT64))"
        return f"EXTRACT({'ISOWEEK' if field == 'week' else field.upper()} FROM {date})"

    def in_piece(self, number: str, table: str, lows: Sequence[str]) -> str:
        """Write the condition that a number is in a piece of a curve as an equality."""
        starts = f"[{', '.join(lows)}]"
        return f"{table}.low = {starts}[SAFE_OFFSET(RANGE_BUCKET({number}, {starts}) - 1)]"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals."""
        types = ", ".join(f"{c} {_type_of(v)}" for v, c in zip(rows[0], columns, strict=True))
        listed = ",\n".join(f"    ({', '.join(row)})" for row in rows)
        return f"{name} AS (\n  SELECT * FROM UNNEST(ARRAY<STRUCT<{types}>>[\n{listed}\n  ])\n)"


def _escape(character: str) -> str:
    return f"\\{character}" if character in "\\'" else f"\\u{ord(character):04x}"


def _type_of(literal: str) -> str:
    if literal.startswith("'"):
        return "STRING"
    return "BYTES" if literal.startswith("FROM_HEX") else "FLOAT64"


def _seconds(micros: str) -> str:
    """Turn whole microseconds into seconds; the remainder has the sign of the number."""
    rest = f"MOD(MOD({micros}, {MICROSECONDS}) + {MICROSECONDS}, {MICROSECONDS})"
    whole = f"DIV({micros} - {rest}, {MICROSECONDS})"
    return f"(CAST({whole} AS FLOAT64) + CAST({rest} AS FLOAT64) / {decimal(1e6)})"
