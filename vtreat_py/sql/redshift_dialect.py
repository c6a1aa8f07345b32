"""SQL as Amazon Redshift documents it."""

from __future__ import annotations

from collections.abc import Sequence

from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, floor_seconds, selected, without_subnormal

_START = "TIMESTAMP '1970-01-01 00:00:00'"


class Redshift(Dialect):
    """Amazon Redshift.

    Names are in lower case, quoted or not. Text is compared with a bar behind it, since spaces at
    its end do not count; NUL ends it. A boolean is to be cast to INTEGER in a query of your own:
    there is no cast to floats.
    """

    name = "redshift"
    executed = False
    longest_name = 127
    most_text = 16_000_000
    most_columns = 1600
    blob = "FROM_HEX('{}')"
    text_key = "COLLATE(CAST({} AS VARCHAR(65535)) || '|', 'case_sensitive')"
    end = "|"
    text_type, double_type = "VARCHAR(65535)", "FLOAT8"
    has_infinity = False
    traps_underflow = True

    def holds(self, key: str | bytes | float) -> bool:
        """Whether a column can hold a level."""
        return super().holds(key) and not (isinstance(key, str) and "\0" in key)

    def text(self, value: str) -> str:
        """Write text; a backslash is put in by a function, as it may be an escape."""
        quoted = "'" + value.replace("'", "''") + "'"
        put_in = quoted.replace("\\", "' || CHR(92) || '")
        return quoted if "\\" not in value else f"({put_in})"

    def key(self, key: str | bytes | float) -> str:
        """Write a level."""
        return self.text(f"{key}|") if isinstance(key, str) else super().key(key)

    def as_text(self, column: str) -> str:
        """Read a column as text, to be put together with other text."""
        return f"COLLATE(CAST({column} AS VARCHAR(65535)), 'case_sensitive')"

    def of_table(self, level: str, kind: str) -> str:
        """Read the levels of a coding table as those of a column."""
        return self.text_key.format(level) if kind == "text" else level

    def of_list(self, level: str, kind: str) -> str:
        """Read the levels of a list of literals, which have the collation of the database."""
        return level if kind != "text" else f"COLLATE({level}, 'case_sensitive')"

    def double(self, value: float) -> str:
        """Write a float."""
        return f"CAST('{without_subnormal(value)!r}' AS FLOAT8)"

    def number(self, column: str, may_be_boolean: bool) -> str:  # noqa: ARG002
        """Read a column of numbers as floats."""
        return f"CAST({column} AS FLOAT8)"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and times, those with a zone by the clock of UTC."""
        if kind == "date":
            return f"CAST(DATEDIFF(day, DATE '1970-01-01', {column}) AS FLOAT8)"
        if kind not in ("datetime", "time"):
            return None
        start = "TIME '00:00:00'" if kind == "time" else _START
        return floor_seconds(f"DATEDIFF(microsecond, {start}, {column})", "/", "FLOAT8")

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        days = self.floored(f"{seconds} / {DAY}")
        within = f"CAST({seconds} - {days} * {DAY} AS INTEGER)"
        moment = f"DATEADD(second, {within}, DATEADD(day, CAST({days} AS INTEGER), {_START}))"
        local = f"CONVERT_TIMEZONE('UTC', {self.text(zone)}, {moment})"
        return f"CAST(DATEDIFF(second, {_START}, {local}) AS FLOAT8)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date."""
        if field == "weekday":
            return self.weekday(seconds)
        date = f"DATEADD(day, CAST({self.day_alike(seconds)} AS INTEGER), DATE '1970-01-01')"
        return f"EXTRACT({field} FROM {date})"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals; VALUES is for INSERT only."""
        return f"{name} AS (\n{selected(rows, columns)}\n)"
