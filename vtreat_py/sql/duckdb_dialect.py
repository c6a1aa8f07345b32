"""SQL as DuckDB reads it."""

from __future__ import annotations

from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, floor_seconds


class DuckDB(Dialect):
    """DuckDB.

    Numbers with an exponent are DOUBLE there; without one they are DECIMAL. Text has no escapes.
    """

    name = "duckdb"
    blob = "unhex('{}')"
    # Text or an ENUM; the column, or the session, may have a collation of its own.
    text_key = 'CAST({} AS VARCHAR) COLLATE "binary"'

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and times; infinite ones are bad values."""
        if kind == "date":
            days = f"CAST({column} - DATE '1970-01-01' AS DOUBLE)"
            return f"CASE WHEN isfinite({column}) THEN {days} END"
        if kind == "datetime":
            # Not by epoch_us alone, which rounds nanoseconds.
            rest = f"(nanosecond({column}) % 1000000000)"
            whole = f"round((epoch_us({column}) - {rest} / 1e3) / 1e6)"
            return f"CASE WHEN isfinite({column}) THEN {whole} + {rest} / 1e9 END"
        if kind == "time":
            return f"(epoch_ns({column}) / 1e9)"
        return floor_seconds(f"epoch_us({column})", "//", "DOUBLE")

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone, which ICU knows."""
        return f"epoch(timezone({self.text(zone)}, to_timestamp({seconds})))"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date."""
        function = {"weekday": "isodow", "week": "weekofyear"}.get(field, field)
        days = self.floored(f"{seconds} / {DAY}")
        return f"{function}(DATE '1970-01-01' + CAST({days} AS INTEGER))"
