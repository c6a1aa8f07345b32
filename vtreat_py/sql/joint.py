"""SQL of joint columns: the text of their levels, as `JointColumn` has it in memory."""

from __future__ import annotations

from collections.abc import Sequence

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.joint import BETWEEN, ESCAPED, MISSING, NAMES, TEXT, JointColumn, JointPart
from vtreat_py.sql.dialect import LARGEST, Dialect

# Whole numbers up to this one are exact in floats.
_EXACT = 2.0**53
# Stands for a number that no level is.
_OTHER = "\\?"


def joint_keys(joint: JointColumn, parts: Sequence[str], dialect: Dialect) -> list[str]:
    """Write the text of a level, and of its keys (see `LevelParts`), given that of its parts."""
    keys = list(parts)
    if joint.nested:
        keys = [_together(parts[:n], dialect) for n in range(1, len(parts))]
    return [_together(parts, dialect), *keys]


def _together(parts: Sequence[str], dialect: Dialect) -> str:
    between = [dialect.text(BETWEEN)] * len(parts)
    together = [one for pair in zip(parts, between, strict=True) for one in pair]
    return dialect.concatenated(together[:-1])


def part_text(
    part: JointPart, column: str, missing_values: Sequence[str], dialect: Dialect
) -> str | None:
    """Write a part as text, given its column; None where the dialect knows no way."""
    missing = dialect.text(MISSING)
    if part.kind == TEXT:
        lost = [dialect.key(one) for one in missing_values if dialect.holds(one)]
        unknown = f"{column} IS NULL"
        if lost:
            unknown += f" OR {dialect.text_key.format(column)} IN ({', '.join(lost)})"
        return f"CASE WHEN {unknown} THEN {missing} ELSE {escaped(column, dialect)} END"
    if part.kind == NAMES:
        number = dialect.number(column, may_be_boolean=False)
        whole = f"abs({number}) < {dialect.double(_EXACT)} AND {number} = {dialect.floored(number)}"
        text = dialect.integer_text(number)
        return (
            f"CASE WHEN {whole} THEN {text} WHEN {_is_good(number, dialect)} "
            f"THEN {dialect.text(_OTHER)} ELSE {missing} END"
        )
    if part.kind == "number":
        number = dialect.number(column, all(0.0 <= edge <= 1.0 for edge in part.edges))
        good, name = _is_good(number, dialect), _range(part, number, dialect)
        return f"CASE WHEN {good} THEN {name} ELSE {missing} END"
    moment = dialect.moment(part.kind, column)
    if moment is None:
        return None
    return f"CASE WHEN {moment} IS NULL THEN {missing} ELSE {_range(part, moment, dialect)} END"


def _is_good(number: str, dialect: Dialect) -> str:
    return f"abs({number}) <= {dialect.double(LARGEST)}"


def _range(part: JointPart, number: str, dialect: Dialect) -> str:
    """Write the name of the range that a number is in."""
    *ranges, last = map(dialect.text, part.ranges)
    arms = [
        f"WHEN {number} <= {dialect.double(edge)} THEN {name}"
        for name, edge in zip(ranges, part.edges, strict=True)
    ]
    return f"CASE {' '.join(arms)} ELSE {last} END"


def escaped(column: str, dialect: Dialect) -> str:
    """Write text so that nothing in it stands between parts."""
    text = dialect.as_text(column)
    for plain, written in ESCAPED:
        text = f"replace({text}, {dialect.text(plain)}, {dialect.text(written)})"
    return text


def _is_exact(text: str) -> bool:
    """Whether it is a whole number that floats are exact at."""
    return text.lstrip("-").isdecimal() and abs(int(text)) < _EXACT


def check_whole(joint: JointColumn, keys: Sequence[str]) -> None:
    """Refuse names that are no whole numbers, or large: no two engines write them alike."""
    named = [k for k, part in enumerate(joint.parts) if part.kind == NAMES]
    for key in keys:
        texts = key.split(BETWEEN)
        for k in named:
            if texts[k] != MISSING and not _is_exact(texts[k]):
                raise InvalidOptionError(
                    f"column {joint.parts[k].column!r} has the level {texts[k]}, which engines "
                    "write in ways of their own; convert the column to text before the design, or "
                    "choose variables of other columns (variables=)"
                )
