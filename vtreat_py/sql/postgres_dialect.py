"""SQL as PostgreSQL reads it."""

from __future__ import annotations

from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, decimal, floor_seconds, infinity


class Postgres(Dialect):
    """PostgreSQL 12 or newer.

    Text cannot hold NUL there, so a level with one occurs in no table.
    """

    name = "postgres"
    text_type, double_type = "text", "float8"
    folds_case = False
    longest_name = 63
    most_columns = 1664
    blob = "decode('{}', 'hex')"
    text_key = 'CAST({} AS text) COLLATE "C"'  # that of the column may ignore case or accents
    traps_underflow = True

    def holds(self, key: str | bytes | float) -> bool:
        """Whether a column can hold a level."""
        return super().holds(key) and not (isinstance(key, str) and "\0" in key)

    def text(self, value: str) -> str:
        """Write text; a backslash means the same whatever standard_conforming_strings is."""
        quoted = "'" + value.replace("'", "''") + "'"
        return quoted if "\\" not in value else "E" + quoted.replace("\\", "\\\\")

    def double(self, value: float) -> str:
        """Write a float."""
        return f"float8 '{infinity(value) or repr(value)}'"

    def number(self, column: str, may_be_boolean: bool) -> str:
        """Read numbers, or booleans, which have no cast to floats.

        As text all types can be cast; of float4 it is the shortest decimal that reads as the same
        float4, and of float8 likewise.
        """
        if not may_be_boolean:
            return f"CAST({column} AS float8)"
        text = f"CAST({column} AS text)"
        return (
            f"CASE {text} WHEN 'true' THEN {decimal(1.0)} WHEN 'false' THEN {decimal(0.0)} "
            f"ELSE CASE WHEN pg_typeof({column}) = 'real'::regtype "
            f"THEN CAST(CAST({text} AS float4) AS float8) ELSE CAST({text} AS float8) END END"
        )

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and times; infinite ones are bad values."""
        if kind == "date":
            days = f"CAST({column} - DATE '1970-01-01' AS float8)"
            return f"CASE WHEN isfinite({column}) THEN {days} END"
        seconds = floor_seconds(
            f"CAST(extract(epoch FROM {column}) * 1000000 AS bigint)", "/", "float8"
        )
        return seconds if kind == "time" else f"CASE WHEN isfinite({column}) THEN {seconds} END"

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS bigint) AS text)"

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        local = f"to_timestamp({seconds}) AT TIME ZONE {self.text(zone)}"
        return f"CAST(extract(epoch FROM {local}) AS float8)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date."""
        days = self.floored(f"{seconds} / {DAY}")
        date = f"DATE '1970-01-01' + CAST({days} AS integer)"
        return f"extract({'isodow' if field == 'weekday' else field} FROM {date})"
