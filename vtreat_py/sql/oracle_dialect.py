"""SQL as Oracle documents it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.columns import Kind
from vtreat_py.sql.dialect import (
    MICROSECONDS,
    Dialect,
    decimal,
    infinity,
    selected,
    without_subnormal,
)

_PLAIN = re.compile(r"[ -~]*")
_LONGEST_TEXT = 4000
_START = "DATE '1970-01-01'"


class Oracle(Dialect):
    """Oracle Database 12.2 or newer.

    Empty text is NULL there, and so what missing values are. Names are quoted, our own as well:
    LEVEL and START are words of the language.
    """

    name = "oracle"
    text_type, double_type = "VARCHAR2(4000)", "BINARY_DOUBLE"
    executed = False
    folds_case = False
    longest_name = 128
    most_columns = 1000
    blob = "HEXTORAW('{}')"
    text_key = "CAST({} AS VARCHAR2(4000)) COLLATE BINARY"
    table_as = " "

    def identifier(self, name: str) -> str:
        """Quote a name, if the engine has such names."""
        if '"' in name:
            raise InvalidOptionError(
                f"the name {name!r} cannot be written for Oracle: names hold no double quotes. "
                "Rename the column before the design, or choose other derived variables "
                "(variables=, coders=)"
            )
        return super().identifier(name)

    def own(self, name: str) -> str:
        """Quote a name of ours."""
        return self.quoted(name)

    def holds(self, key: str | bytes | float) -> bool:
        """Whether a column can hold a level."""
        if isinstance(key, float):
            return True
        size = len(key.encode(errors="replace") if isinstance(key, str) else key)
        return super().holds(key) and 0 < size <= _LONGEST_TEXT

    def text(self, value: str) -> str:
        """Write text; what is not ASCII by its code, in the character set of the database."""
        if _PLAIN.fullmatch(value) and "\\" not in value:
            return "'" + value.replace("'", "''") + "'"
        units = value.encode("utf-16-be")
        codes = "".join(f"\\{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
        return f"TO_CHAR(UNISTR('{codes}'))"

    def of_table(self, level: str, kind: str) -> str:
        """Read the levels of a coding table by their bytes."""
        return level if kind != "text" else f"{level} COLLATE BINARY"

    def of_list(self, level: str, kind: str) -> str:
        """Read the levels of a list of literals likewise."""
        return self.of_table(level, kind)

    def double(self, value: float) -> str:
        """Write a float."""
        if infinity(value) is not None:
            return "BINARY_DOUBLE_INFINITY" if value > 0 else "(-BINARY_DOUBLE_INFINITY)"
        text = decimal(without_subnormal(value))
        return f"{text[:-1]}d)" if text.endswith(")") else f"{text}d"

    def number(self, column: str, may_be_boolean: bool) -> str:  # noqa: ARG002
        """Read a column of numbers as floats."""
        return f"CAST({column} AS BINARY_DOUBLE)"

    def moment(self, kind: Kind, column: str) -> str | None:
        """Read dates and timestamps, those with a zone by their own clock; there are no times."""
        if kind == "date":
            return f"CAST(TRUNC(CAST({column} AS DATE)) - {_START} AS BINARY_DOUBLE)"
        if kind != "datetime":
            return None
        at = f"CAST({column} AS TIMESTAMP(6))"
        days = f"(TRUNC(CAST({at} AS DATE)) - {_START})"
        clock = f"EXTRACT(HOUR FROM {at}) * 3600 + EXTRACT(MINUTE FROM {at}) * 60"
        seconds = f"({days} * 86400 + {clock} + EXTRACT(SECOND FROM {at}))"
        whole, rest = f"FLOOR({seconds})", f"MOD(EXTRACT(SECOND FROM {at}), 1) * {MICROSECONDS}"
        return (
            f"(CAST({whole} AS BINARY_DOUBLE) + CAST({rest} AS BINARY_DOUBLE) / {self.double(1e6)})"
        )

    def integer_text(self, number: str) -> str:
        """Write whole numbers as text."""
        return f"TO_CHAR(CAST({number} AS NUMBER(38, 0)))"

    def at_zone(self, zone: str, seconds: str) -> str | None:
        """Seconds by the clock of a zone."""
        moment = f"CAST({_START} + CAST({seconds} AS NUMBER) / 86400 AS TIMESTAMP(0))"
        local = f"CAST(FROM_TZ({moment}, 'UTC') AT TIME ZONE {self.text(zone)} AS DATE)"
        return f"CAST(ROUND(({local} - {_START}) * 86400) AS BINARY_DOUBLE)"

    def calendar_field(self, field: str, seconds: str) -> str | None:
        """Fields of a date; the first day of its weeks is a setting."""
        if field == "weekday":
            return self.weekday(seconds)
        date = f"({_START} + CAST({self.day_alike(seconds)} AS NUMBER))"
        if field == "week":
            return f"TO_NUMBER(TO_CHAR({date}, 'IW'))"
        return f"EXTRACT({field.upper()} FROM {date})"

    def values_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a named query of literals."""
        return f"{name} AS (\n{selected(rows, columns, ' FROM dual')}\n)"
