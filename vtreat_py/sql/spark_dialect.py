"""SQL as Spark reads it."""

from __future__ import annotations

import math
import re

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, decimal, floor_seconds

# Text that reads the same whatever spark.sql.parser.escapedStringLiterals is, and in which
# spark.sql.variable.substitute finds nothing to put in.
_PLAIN = re.compile(r"[^'\"\\$\x00-\x1f\x7f]*")


class Spark(Dialect):
    """Spark SQL 3.4 or newer.

    Awkward text is written by its bytes. Columns of type CHAR(n) are read as Spark gives them,
    padded with spaces.
    """

    name = "spark"
    text_type, double_type = "STRING", "DOUBLE"
    quote = "`"
    text_key = "CAST({} AS STRING)"  # which takes away a collation of the column

    def identifier(self, name: str) -> str:
        """Quote a name."""
        if "${" in name:
            raise InvalidOptionError(
                f"the name {name!r} cannot be written for Spark, which puts the value of a "
                "variable in place of ${...} even inside names; rename the column before the design"
            )
        return super().identifier(name)

    def text(self, value: str) -> str:
        """Write text."""
        if _PLAIN.fullmatch(value):
            return f"'{value}'"
        return f"CAST({self.key(value.encode())} AS STRING)"

    def double(self, value: float) -> str:
        """Write a float."""
        if not math.isfinite(value):
            return super().double(value)
        return f"({'-' * (math.copysign(1.0, value) < 0)}{decimal(abs(value))}D)"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and datetimes: without time zone by the clock, with one by the moment."""
        if kind == "date":
            return f"CAST(unix_date({column}) AS DOUBLE)"
        if kind == "datetime":
            start = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
            micros = (
                f"CASE WHEN typeof({column}) = 'timestamp_ntz' "
                f"THEN timestampdiff(MICROSECOND, {start}, {column}) "
                f"ELSE unix_micros({column}) END"
            )
            return floor_seconds(micros, "div", "DOUBLE")
        if kind == "duration":
            micros = f"CAST(CAST({column} AS DECIMAL(38, 6)) * 1000000 AS BIGINT)"
            return floor_seconds(micros, "div", "DOUBLE")
        return None

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS BIGINT) AS STRING)"

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        moment = f"timestamp_seconds(CAST({seconds} AS BIGINT))"
        local = f"from_utc_timestamp({moment}, {self.text(zone)})"
        return f"CAST(unix_seconds({local}) AS DOUBLE)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date; Spark's weekdays begin with 0."""
        date = f"date_from_unix_date(CAST({self.floored(f'{seconds} / {DAY}')} AS INT))"
        if field == "weekday":
            return f"(weekday({date}) + 1)"
        return f"{'weekofyear' if field == 'week' else field}({date})"


class Databricks(Spark):
    """Databricks, which reads the SQL of Spark."""

    name = "databricks"
    executed = False
    most_text = 16_000_000
