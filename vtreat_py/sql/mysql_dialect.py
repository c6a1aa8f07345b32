"""SQL as MySQL and MariaDB read it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.calendar import DAY
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import ERA_DAYS, MICROSECONDS, Dialect, decimal, floor_seconds, selected

# Text that reads the same whatever NO_BACKSLASH_ESCAPES and the character set of the connection.
_PLAIN = re.compile(r"[^\\\x00-\x1f\x7f-\U0010ffff]*")
_LONGEST_NAME = 64


class MySQL(Dialect):
    """MySQL 8.0.17 or newer, and MariaDB 10.5 or newer.

    Text is compared by its bytes in UTF-8: all collations but some of MySQL's own take text with
    spaces at its end for the same as without. Numbers without an exponent are DECIMAL there.
    """

    name = "mysql"
    text_type, double_type = "LONGTEXT", "DOUBLE"
    most_joins = 60  # of the 61 tables that it takes
    most_columns = 4096
    most_text = 16_777_215
    quote = "`"
    text_key = "CAST(CONVERT({} USING utf8mb4) AS BINARY)"
    has_infinity = False

    def identifier(self, name: str) -> str:
        """Quote a name, if the engine has such names."""
        if len(name) > _LONGEST_NAME or name != name.rstrip() or any(c > "\uffff" for c in name):
            raise InvalidOptionError(
                f"the name {name!r} cannot be written for MySQL: names have up to "
                f"{_LONGEST_NAME} characters of the basic plane of Unicode, the last of which is "
                "no space. Rename the column before the design, or choose other derived variables "
                "(variables=, coders=)"
            )
        return super().identifier(name)

    def text(self, value: str) -> str:
        """Write text, in one character set and collation."""
        return f"_utf8mb4{_written(value)}"

    def key(self, key: str | bytes | float) -> str:
        """Write a level; text by its bytes."""
        return f"_binary{_written(key)}" if isinstance(key, str) else super().key(key)

    def double(self, value: float) -> str:
        """Write a float."""
        return decimal(value)

    def concatenated(self, parts: Sequence[str]) -> str:
        """Write texts as one; two bars mean OR."""
        return f"concat({', '.join(parts)})"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and times: TIMESTAMP as the session's clock shows it."""
        if kind == "date":
            return f"CAST(datediff({column}, '1970-01-01') AS DOUBLE)"
        if kind == "datetime":
            micros = f"timestampdiff(MICROSECOND, '1970-01-01', {column})"
            return floor_seconds(micros, "DIV", "DOUBLE")
        if kind == "time":
            seconds = f"(hour({column}) * 3600 + minute({column}) * 60 + second({column}))"
            micros = f"({seconds} * {MICROSECONDS} + microsecond({column}))"
            return floor_seconds(micros, "DIV", "DOUBLE")
        return None

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS SIGNED) AS CHAR)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date, of one alike in the years from 1970 on: others may be after 9999."""
        days = f"CAST({self.floored(f'{seconds} / {DAY}')} AS SIGNED)"
        alike = f"(({days} % {ERA_DAYS} + {ERA_DAYS}) % {ERA_DAYS})"
        date = f"(DATE '1970-01-01' + INTERVAL {alike} DAY)"
        if field == "weekday":
            return f"(weekday({date}) + 1)"
        return f"week({date}, 3)" if field == "week" else f"{field}({date})"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals; MySQL and MariaDB do not agree on VALUES."""
        return f"{name} AS (\n{selected(rows, columns)}\n)"


def _written(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return "'" + value.replace("'", "''") + "'"
    return f" X'{value.encode().hex()}'"
