"""SQL as Snowflake documents it."""

from __future__ import annotations

from collections.abc import Sequence

from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, floor_seconds, infinity


class Snowflake(Dialect):
    """Snowflake.

    Names are quoted, so that they are taken by their case, our own as well: START is a word of the
    language. Numbers are DECIMAL unless they are cast; text in quotes has escapes.
    """

    name = "snowflake"
    executed = False
    folds_case = False
    longest_name = 255
    most_text = 1_000_000
    blob = "TO_BINARY('{}', 'HEX')"
    text_key = "COLLATE(CAST({} AS VARCHAR), '')"

    def own(self, name: str) -> str:
        """Quote a name of ours."""
        return self.quoted(name)

    def text(self, value: str) -> str:
        """Write text; NUL by its code, as digits behind a bare 0 would be octal."""
        escaped = value.replace("\\", "\\\\").replace("'", "''")
        return "'" + escaped.replace("\0", "\\u0000") + "'"

    def double(self, value: float) -> str:
        """Write a float."""
        words = {"Infinity": "inf", "-Infinity": "-inf"}
        return f"CAST('{words.get(infinity(value) or '', repr(value))}' AS DOUBLE)"

    def number(self, column: str, may_be_boolean: bool) -> str:
        """Read numbers, or booleans, which are cast to text and to whole numbers only."""
        if not may_be_boolean:
            return f"CAST({column} AS DOUBLE)"
        return (
            f"CASE CAST({column} AS VARCHAR) WHEN 'true' THEN {self.double(1.0)} WHEN 'false' "
            f"THEN {self.double(0.0)} ELSE TO_DOUBLE(TO_VARIANT({column})) END"
        )

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates, times, timestamps without zone by the clock, others by the moment."""
        if kind == "date":
            return f"CAST(DATEDIFF(DAY, DATE '1970-01-01', {column}) AS DOUBLE)"
        if kind == "datetime":
            return floor_seconds(f"DATE_PART(EPOCH_MICROSECOND, {column})", "/", "DOUBLE")
        if kind == "time":
            micros = f"DATEDIFF(MICROSECOND, TIME '00:00:00', {column})"
            return floor_seconds(micros, "/", "DOUBLE")
        return None

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        moment = f"TO_TIMESTAMP_NTZ(CAST({seconds} AS NUMBER(38, 0)))"
        local = f"CONVERT_TIMEZONE('UTC', {self.text(zone)}, {moment})"
        return f"CAST(DATE_PART(EPOCH_SECOND, {local}) AS DOUBLE)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date."""
        date = f"DATEADD(DAY, CAST({self.day_alike(seconds)} AS NUMBER(38, 0)), DATE '1970-01-01')"
        function = {"weekday": "DAYOFWEEKISO", "week": "WEEKISO"}.get(field, field.upper())
        return f"{function}({date})"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals."""
        named = ", ".join(f"column{i + 1} AS {column}" for i, column in enumerate(columns))
        listed = ",\n".join(f"    ({', '.join(row)})" for row in rows)
        return f"{name} AS (\n  SELECT {named} FROM VALUES\n{listed}\n)"
