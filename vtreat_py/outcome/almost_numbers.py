"""What keeps an outcome of text, or of numbers beside text, from being one of numbers."""

from __future__ import annotations

import numpy as np

from vtreat_py.frames.columns import LevelColumn, NumericColumn
from vtreat_py.frames.text_that_reads import ReadText, read_text

# So many rows are numbers, of an outcome that is meant to be of numbers.
_MOST_ROWS = 0.5


def said_of_numbers(column: NumericColumn | LevelColumn) -> str:
    """Say that most rows are numbers, and name some that are none; empty where most are none."""
    text = _mostly_numbers(column)
    return "" if text is None else _said(text)


def said_of_fractions(column: NumericColumn | LevelColumn) -> str:
    """Do the same, but of what cannot be names of classes that happen to be written in digits."""
    text = _mostly_numbers(column)
    return "" if text is None or (text.is_text and not text.is_telling) else _said(text)


def _mostly_numbers(column: NumericColumn | LevelColumn) -> ReadText | None:
    if isinstance(column, NumericColumn):
        return None
    codes, levels = column.encode()
    rows = np.bincount(codes, minlength=len(levels))[: len(levels)]
    text = read_text(levels, rows.astype(np.float64))
    is_such = text is not None and text.numbers is not None and text.share >= _MOST_ROWS
    return text if is_such else None


def _said(text: ReadText) -> str:
    others = f", all but {', '.join(map(repr, text.others))}" if text.others else ""
    more = " and others" if text.n_others > len(text.others) else ""
    read = "read as" if text.is_text else "are"
    return f"{100.0 * text.share:.4g}% of its rows {read} numbers{others}{more}"
