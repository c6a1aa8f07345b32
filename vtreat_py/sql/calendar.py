"""SQL of parts of dates: their text, as `CalendarPart` has it in memory."""

from __future__ import annotations

from vtreat_py.frames.calendar import DAY, LABELS, CalendarPart
from vtreat_py.sql.dialect import Dialect


def part_of_date(part: CalendarPart, column: str, dialect: Dialect) -> str | None:
    """Write a part as text, NULL where the date is bad; None where the dialect knows no way."""
    moment = dialect.moment("date" if part.kind == "date" else "datetime", column)
    return None if moment is None else text_of_part(part, moment, dialect)


def text_of_part(part: CalendarPart, moment: str, dialect: Dialect) -> str | None:
    """Write a part of days, or seconds, since 1970."""
    seconds: str | None = dialect.floored(moment)
    if part.kind == "date":
        seconds = f"({moment} * {DAY})"
    elif part.offset is None:
        seconds = dialect.at_zone(part.zone, dialect.floored(moment))
    elif part.offset:
        seconds = f"({seconds} + {part.offset})"
    if seconds is None:
        return None
    if part.part == "hour":
        return dialect.integer_text(_hour(seconds, dialect))
    if part.part == "is_month_end":
        seconds = f"({seconds} + {DAY})"
    of_field = "day" if part.part == "is_month_end" else part.part
    number = dialect.calendar_field(of_field, seconds)
    if number is None:
        return None
    if part.part == "is_month_end":
        return f"CASE WHEN {number} = 1 THEN 'True' WHEN {number} > 1 THEN 'False' END"
    if part.part in ("month", "weekday"):
        arms = (f"WHEN {i + 1} THEN '{name}'" for i, name in enumerate(LABELS[part.part]))
        return f"CASE {number} {' '.join(arms)} END"
    return dialect.integer_text(number)


def _hour(seconds: str, dialect: Dialect) -> str:
    days = dialect.floored(f"{seconds} / {DAY}.0")
    return dialect.floored(f"({seconds} - {days} * {DAY}) / 3600.0")
