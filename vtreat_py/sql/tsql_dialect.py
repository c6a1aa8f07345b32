"""SQL as SQL Server and Azure SQL (Transact-SQL) document it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import Dialect, decimal, floor_seconds, without_subnormal

# Text of which nothing is a control character: a backslash at the end of a line joins lines.
_CONTROLS = re.compile(r"([\x00-\x1f\x7f]+)")
_LONGEST_NAME = 128
# Behind all text that is compared, as spaces at its end would not count.
_END = "|"
_COLLATION = "Latin1_General_100_BIN2"


class TSQL(Dialect):
    """SQL Server 2016 or newer.

    There are neither infinite nor subnormal floats. Text is compared with a bar behind it, since
    spaces at its end do not count; bytes as text, since zeros at their end do not.
    """

    name = "tsql"
    executed = False
    most_columns = 4096
    text_key = f"(CAST({{}} AS NVARCHAR(MAX)) + N'{_END}') COLLATE {_COLLATION}"
    end = _END
    text_type, double_type = "NVARCHAR(4000)", "FLOAT"
    has_infinity = False
    traps_underflow = True

    def identifier(self, name: str) -> str:
        """Quote a name, if the engine has such names."""
        if len(name) > _LONGEST_NAME:
            raise InvalidOptionError(
                f"the name {name!r} has {len(name)} characters; names of tsql have up to "
                f"{_LONGEST_NAME}. Rename the column before the design, or choose other derived "
                "variables (variables=, coders=)"
            )
        return super().identifier(name)

    def quoted(self, name: str) -> str:
        """Quote a name that has been checked."""
        return f"[{name.replace(']', ']]')}]"

    def text(self, value: str) -> str:
        """Write text; control characters are put in by a function."""
        parts = [part for part in _CONTROLS.split(value) if part] or [""]
        written = [part for text in parts for part in _text_part(text)]
        return written[0] if len(written) == 1 else f"({' + '.join(written)})"

    def key(self, key: str | bytes | float) -> str:
        """Write a level."""
        if isinstance(key, float):
            return self.double(key)
        return self.text((key.hex() if isinstance(key, bytes) else key) + _END)

    def as_text(self, column: str) -> str:
        """Read a column as text, to be put together with other text."""
        return f"CAST({column} AS NVARCHAR(MAX)) COLLATE {_COLLATION}"

    def as_bytes(self, column: str) -> str:
        """Read bytes as their hexadecimal digits."""
        return self.text_key.format(f"LOWER(CONVERT(NVARCHAR(MAX), {column}, 2))")

    def of_table(self, level: str, kind: str) -> str:
        """Read the levels of a coding table as those of a column."""
        if kind == "bytes":
            return self.as_bytes(level)
        return self.text_key.format(level) if kind == "text" else level

    def of_list(self, level: str, kind: str) -> str:
        """Read the levels of a list of literals, which have the collation of the database."""
        return level if kind not in ("text", "bytes") else f"{level} COLLATE {_COLLATION}"

    def double(self, value: float) -> str:
        """Write a float."""
        return decimal(without_subnormal(value))

    def number(self, column: str, may_be_boolean: bool) -> str:  # noqa: ARG002
        """Read a column of numbers or bits as floats."""
        return f"CAST({column} AS FLOAT)"

    def concatenated(self, parts: Sequence[str]) -> str:
        """Write texts as one."""
        return " + ".join(parts)

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and times; DATETIMEOFFSET by the moment, others by the clock."""
        if kind == "date":
            return f"CAST(DATEDIFF(DAY, CAST('19700101' AS DATE), {column}) AS FLOAT)"
        if kind not in ("datetime", "time"):
            return None
        start = "'00:00:00' AS TIME" if kind == "time" else "'1970-01-01T00:00:00' AS DATETIME2"
        micros = f"DATEDIFF_BIG(MICROSECOND, CAST({start}), {column})"
        return floor_seconds(micros, "/", "FLOAT")

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"CAST(CAST({number} AS BIGINT) AS NVARCHAR(20))"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date; the first day of its weeks is a setting."""
        if field == "weekday":
            return self.weekday(seconds)
        date = f"DATEADD(DAY, CAST({self.day_alike(seconds)} AS INT), CAST('19700101' AS DATE))"
        return f"DATEPART({'ISO_WEEK' if field == 'week' else field.upper()}, {date})"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals; as a source VALUES may have any number of rows."""
        listed = ",\n".join(f"    ({', '.join(row)})" for row in rows)
        source = f"(VALUES\n{listed}\n  ) AS v ({', '.join(columns)})"
        return f"{name} AS (\n  SELECT * FROM {source}\n)"


def _text_part(text: str) -> list[str]:
    if _CONTROLS.fullmatch(text):
        return [f"NCHAR({ord(character)})" for character in text]
    return ["N'" + text.replace("'", "''") + "'"]
