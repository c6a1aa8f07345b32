"""SQL as ClickHouse reads it."""

from __future__ import annotations

from collections.abc import Sequence

from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import ERA_DAYS, Dialect, decimal, floor_seconds, infinity

_DOUBLE = "Nullable(Float64)"
# The first day of Date32, which has the 400 years after which the calendar repeats itself.
_FIRST = -25_567


class ClickHouse(Dialect):
    """ClickHouse.

    What a join finds no row for is the default of the column's type, unless the type is Nullable:
    so all that is joined is.
    """

    name = "clickhouse"
    text_type, double_type = "Nullable(String)", "Nullable(Float64)"
    folds_case = False
    most_text = 262_144
    quote = "`"
    blob = "unhex('{}')"
    text_key = "CAST({} AS Nullable(String))"

    def quoted(self, name: str) -> str:
        """Quote a name, in which backslashes are escapes as in text."""
        return f"`{_escaped(name, '`')}`"

    def text(self, value: str) -> str:
        """Write text."""
        return f"'{_escaped(value, chr(39))}'"

    def double(self, value: float) -> str:
        """Write a float."""
        word = infinity(value)
        return decimal(value) if word is None else "inf" if value > 0 else "(-inf)"

    def number(self, column: str, may_be_boolean: bool) -> str:  # noqa: ARG002
        """Read a column of numbers or booleans as floats."""
        return f"CAST({column} AS {_DOUBLE})"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates, and points in time, whatever zone they are shown in."""
        if kind == "date":
            return f"CAST(toInt32({column}) AS {_DOUBLE})"
        if kind == "datetime":
            micros = f"toUnixTimestamp64Micro(toDateTime64({column}, 6))"
            return floor_seconds(micros, "DIV", _DOUBLE)
        return None

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS Nullable(Int64)) AS Nullable(String))"

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        return f"({seconds} + timezoneOffset(toDateTime64({seconds}, 0, {self.text(zone)})))"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date, of one alike in the years from 1900 on."""
        days = f"CAST({self.floored(f'{seconds} / {DAY}')} AS Nullable(Int64))"
        alike = f"((({days}) - {_FIRST}) % {ERA_DAYS} + {ERA_DAYS}) % {ERA_DAYS} + {_FIRST}"
        function = {"weekday": "toDayOfWeek", "week": "toISOWeek", "day": "toDayOfMonth"}
        return f"{function.get(field, 'toMonth')}(toDate32({alike}))"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals."""
        kind = ["Nullable(String)" if "'" in value else _DOUBLE for value in rows[0]]
        declared = self.text(", ".join(f"{c} {k}" for c, k in zip(columns, kind, strict=True)))
        listed = ",\n".join(f"    ({', '.join(row)})" for row in rows)
        return f"{name} AS (\n  SELECT * FROM values({declared},\n{listed})\n)"


def _escaped(text: str, quote: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return escaped.replace("\0", "\\0")
