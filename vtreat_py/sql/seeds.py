"""Coding tables as seeds of dbt: CSV, in which levels are written so that none is read amiss."""

from __future__ import annotations

import csv
import io

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.sql.coding_tables import LEVEL, CodingTable
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.level_codes import held_codes

MOST_BYTES = 1 << 20  # up to which dbt compares the content of seeds
# What readers of CSV take for the end of a line, or of text. The first makes room for the others.
_ESCAPED = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\0"))
# Behind all text: empty text and "null" would be read as missing, "1" as a number.
_END = "|"


def seed_level(level: str) -> str:
    """Write a level of text."""
    for plain, written in _ESCAPED:
        level = level.replace(plain, written)
    return level + _END


def seed_key(key: str, dialect: Dialect) -> str:
    """Write the key of a column of text as seeds have it."""
    for plain, written in _ESCAPED:
        if dialect.holds(plain):
            key = f"replace({key}, {dialect.text(plain)}, {dialect.text(written)})"
    return key if dialect.end else dialect.concatenated([key, dialect.text(_END)])


def seed_text(table: CodingTable, dialect: Dialect) -> str:
    """Write a coding table as CSV.

    Raises
    ------
    InvalidOptionError
        If its levels are bytes, or it is too large.
    """
    codes = held_codes(table.codes, dialect)
    if codes.kind == "bytes":
        raise InvalidOptionError(_refused(table, "has levels that are bytes"))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([LEVEL, *table.columns[1:]])
    for key, values in zip(codes.keys, codes.values.tolist(), strict=True):
        level = seed_level(key) if isinstance(key, str) else repr(key)
        writer.writerow([level, *(v if isinstance(v, str) else repr(v) for v in values)])
    size = len(text.getvalue().encode())
    if size > MOST_BYTES:
        raise InvalidOptionError(
            _refused(table, f"would be {size:,} bytes, and seeds are up to {MOST_BYTES:,}")
        )
    return text.getvalue()


def _refused(table: CodingTable, reason: str) -> str:
    return (
        f"the coding table {table.name} of column {table.codes.column!r} {reason}: no seed of dbt "
        "can be made of it. Say in which schema it is (coding_schema=, --coding-schema), and load "
        "it there (load_coding_tables, or the frames of coding_tables)"
    )
