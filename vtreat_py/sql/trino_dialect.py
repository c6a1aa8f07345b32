"""SQL as Trino, and Amazon Athena, document it."""

from __future__ import annotations

from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import MICROSECONDS, Dialect, decimal

_DIGITS = len(str(MICROSECONDS)) - 1
_START = "TIMESTAMP '1970-01-01 00:00:00'"


class Trino(Dialect):
    """Trino.

    Numbers with an exponent are DOUBLE there. Timestamps are read by their own clock: those with
    a zone are to be shown in UTC.
    """

    name = "trino"
    executed = False
    most_text = 1_000_000
    text_key = "CAST({} AS VARCHAR)"

    def text(self, value: str) -> str:
        """Write text; characters that are no part of a line are written by their code."""
        if value.isprintable():
            return super().text(value)
        written = "".join(c if c.isprintable() and c != "\\" else f"\\+{ord(c):06X}" for c in value)
        return "U&'" + written.replace("'", "''") + "'"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and times."""
        if kind == "date":
            return f"CAST(date_diff('day', DATE '1970-01-01', {column}) AS DOUBLE)"
        if kind not in ("datetime", "time"):
            return None
        type_ = "time" if kind == "time" else "timestamp"
        start = "TIME '00:00:00'" if kind == "time" else _START
        exact = f"CAST({column} AS {type_}({_DIGITS}))"
        whole = f"date_diff('second', {start}, date_trunc('second', {exact}))"
        rest = f"CAST(substr(CAST({exact} AS VARCHAR), -{_DIGITS}) AS DOUBLE)"
        return f"(CAST({whole} AS DOUBLE) + {rest} / {decimal(1e6)})"

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        local = f"CAST(from_unixtime({seconds}, {self.text(zone)}) AS timestamp(0))"
        return f"CAST(date_diff('second', {_START}, {local}) AS DOUBLE)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date."""
        date = f"date_add('day', CAST({self.day_alike(seconds)} AS BIGINT), DATE '1970-01-01')"
        return f"{'day_of_week' if field == 'weekday' else field}({date})"


class Athena(Trino):
    """Amazon Athena, which takes shorter queries."""

    name = "athena"
    most_text = 262_144
