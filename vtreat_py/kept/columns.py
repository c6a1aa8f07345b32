"""Columns in kept statistics, of whatever type: read, added, taken away."""

from __future__ import annotations

from dataclasses import replace

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.kept.design import KeptDesign, check_part
from vtreat_py.kept.levels import KeptLevels
from vtreat_py.kept.numbers import KeptNumbers
from vtreat_py.kept.rows import KeptRows

KeptColumn = KeptLevels | KeptNumbers


def kept_column(column: Column, rows: KeptRows) -> KeptColumn:
    """Sum up the rows of a column."""
    if isinstance(column, NumericColumn):
        return KeptNumbers.of(column, rows)
    return KeptLevels.of(column, rows)


def added(one: KeptColumn, other: KeptColumn) -> KeptColumn:
    """Add the sums of two parts of the rows.

    Raises
    ------
    InvalidOptionError
        If the column is of two types.
    """
    if _is_untyped(one):
        return _with_missing(other, one)
    if _is_untyped(other):
        return _with_missing(one, other)
    _check_kinds(one, other)
    if isinstance(one, KeptLevels):
        assert isinstance(other, KeptLevels)
        return one + other
    assert isinstance(other, KeptNumbers)
    return one + other


def less(whole: KeptColumn, part: KeptColumn, design: KeptDesign) -> KeptColumn:
    """Take away the sums of a part of the rows.

    Raises
    ------
    InvalidOptionError
        If it has rows that the whole lacks, or the column is of two types.
    """
    check_part(
        whole.missing.weight,
        part.missing.weight,
        lambda block: f"column {whole.name!r}, missing values, {design.block_name(block)}",
    )
    left = _less_missing(whole, part)
    if _is_untyped(part) and not isinstance(left, KeptLevels):
        return left
    _check_kinds(whole, part)
    if isinstance(left, KeptLevels):
        assert isinstance(part, KeptLevels)
        return left.less(part, design)
    assert isinstance(part, KeptNumbers)
    return left.less(part, design)


def _lost(column: KeptColumn) -> float:
    """Rows of a rate without a value."""
    if isinstance(column, KeptNumbers):
        return column.missing_rows
    return 0.0 if column.pairs is None else float(column.pairs.weight[-1])


def _with_missing(one: KeptColumn, untyped: KeptColumn) -> KeptColumn:
    """Add rows without a value."""
    missing = one.missing + untyped.missing
    if isinstance(one, KeptNumbers):
        return replace(one, missing=missing, missing_rows=one.missing_rows + _lost(untyped))
    assert isinstance(untyped, KeptLevels)
    return replace(one + untyped, missing=missing)


def _less_missing(one: KeptColumn, part: KeptColumn) -> KeptColumn:
    """Take away rows without a value; those of levels have exposures, which `less` takes away."""
    missing = one.missing - part.missing
    if isinstance(one, KeptNumbers):
        return replace(one, missing=missing, missing_rows=one.missing_rows - _lost(part))
    return replace(one, missing=missing)


def _is_untyped(column: KeptColumn) -> bool:
    """Whether a column is missing throughout, so that its type cannot be told."""
    return isinstance(column, KeptLevels) and not column.has_values


def _check_kinds(one: KeptColumn, other: KeptColumn) -> None:
    if one.kind != other.kind:
        raise InvalidOptionError(
            f"column {one.name!r} holds {one.kind} in one of the statistics and {other.kind} in "
            "the other; convert it to one type before the design"
        )
