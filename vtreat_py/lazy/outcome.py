"""Outcome and weights of a lazy frame: a table of the outcome's values, by one GROUP BY."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.errors import OptionTypeError, OutcomeError
from vtreat_py.frames.beside import check_column
from vtreat_py.frames.columns import Column, NumericColumn, TextColumn
from vtreat_py.lazy.columns import (
    LazyColumn,
    LazyEmpty,
    LazyLevels,
    LazyNumber,
    lazy_column,
    typed_frame,
)
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import collect
from vtreat_py.lazy.values import MOST_VALUES, ValueTable, condensed_values, distinct_values
from vtreat_py.outcome.outcome import MOST_SPELT_OUT, OutcomeRows, Weighting
from vtreat_py.outcome.reading import check_asked, incomplete, no_outcome, outcome_of


def with_weight(rows: DesignRows, sample_weight: Any) -> tuple[DesignRows, Weighting]:
    """Read and check frequency weights; one query looks at all of them.

    Raises
    ------
    OutcomeError, OptionTypeError
        If weights are no column of finite numbers, 0 or more, some of them above 0.
    """
    if sample_weight is None:
        return rows, Weighting()
    column = named_column(rows, "sample_weight", sample_weight)
    if not isinstance(column, LazyNumber) or column.kind != "number":
        raise OptionTypeError("sample_weight must hold numbers: frequency weights, 0 or more")
    w = nw.col("w")
    frame = typed_frame(rows.source, [column]).select(
        column.good.alias("w"), column.is_bad.alias("bad")
    )
    (found,) = collect(
        frame.select(
            bad=nw.when(nw.col("bad")).then(nw.lit(1)).count(),
            negative=nw.when(w < 0).then(nw.lit(1)).count(),
            fractions=nw.when(w != w.floor()).then(nw.lit(1)).count(),
            smallest=w.min(),
            largest=w.max(),
            total=w.sum(),
            squares=(w * w).sum(),
        )
    ).to_pylist()
    if found["bad"]:
        raise OutcomeError(
            f"sample_weight has {found['bad']} missing or infinite values; weights are finite "
            "numbers, 0 or more"
        )
    if found["negative"]:
        raise OutcomeError(
            f"sample_weight has {found['negative']} negative values, the smallest is "
            f"{found['smallest']:g}; use 0 to leave a row out of the design"
        )
    if not found["largest"]:
        raise OutcomeError("sample_weight is zero in every row; some row must count")
    if found["smallest"] == found["largest"] == 1.0:
        return rows, Weighting()
    rows = replace(rows, weight=column.plain, largest_weight=found["largest"])
    if not found["fractions"] and found["total"] <= MOST_SPELT_OUT:
        return rows, Weighting()
    return rows, Weighting(False, found["total"] / found["squares"])


def named_column(rows: DesignRows, option: str, given: Any) -> LazyColumn:
    """Take a column by name; a lazy frame has no rows that an array could go along."""
    if not isinstance(given, str):
        raise OptionTypeError(
            f"{option} is of type {type(given).__name__}; on a lazy frame it must be the name of a "
            "column"
        )
    check_column(option, given, rows.source.columns)
    return lazy_column(rows.source, given)


def with_outcome(
    rows: DesignRows, weighting: Weighting, outcome: Any, outcome_type: str | None, target: Any
) -> DesignRows:
    """Read and check the outcome, by its different values and the weight of each.

    Of a numeric outcome with more than 2**20 different values, a condensed table stands for them
    (`condensed_values`) in the tests by permutation; sums by level and moments are of all rows.

    Raises
    ------
    OutcomeError
        As `vtreat_py.outcome.reading.read_outcome` does.
    """
    if outcome is None:
        n_rows = collect(rows.source.frame.select(nw.len().alias("n")))["n"][0].as_py()
        check_asked(n_rows, outcome, outcome_type)
        weight = None if rows.weight is None else np.ones(1)
        nothing = no_outcome(np.zeros(1), weight)
        return rows.with_outcome(nothing.values(weighting), n_rows)
    check_asked(1, outcome, outcome_type)
    column = named_column(rows, "outcome", outcome)
    if isinstance(column, LazyEmpty):
        raise OutcomeError("the outcome has missing values only")
    frame = typed_frame(rows.source, [column], [] if rows.weight is None else [rows.weight])
    table = distinct_values(frame, column.plain.value, _weight(rows))
    if table is None:
        read, n_rows = _many_numbers(rows, frame, column, outcome_type, target)
        return rows.with_outcome(read.values(weighting), n_rows, column.plain)
    n_rows = int(table.rows.sum())
    check_asked(n_rows, outcome, outcome_type)
    _check_complete(column, table)
    values = _tabled(column, table)
    read = outcome_of(values, n_rows, outcome, outcome_type, target, table.weight)
    return rows.with_outcome(read.values(weighting), n_rows, column.plain, table.values)


def _weight(rows: DesignRows) -> nw.Expr | None:
    return None if rows.weight is None else rows.weight.value


def _check_complete(column: LazyNumber | LazyLevels, table: ValueTable) -> None:
    """Refuse rows whose outcome is not known."""
    if isinstance(column, LazyLevels):
        missing, infinite = np.asarray(pc.is_null(table.values)), np.zeros(len(table.rows), bool)
    else:
        numbers = table.numbers
        missing, infinite = np.isnan(numbers), np.isinf(numbers)
    n_rows = int(table.rows.sum())
    if missing.all():
        raise OutcomeError("the outcome has missing values only")
    if missing.any() or infinite.any():
        raise incomplete(int(table.rows[missing].sum()), int(table.rows[infinite].sum()), n_rows)


def _tabled(column: LazyNumber | LazyLevels, table: ValueTable) -> Column:
    """The different values as a column; integers are integers, as in memory."""
    if isinstance(column, LazyLevels):
        text = table.values.combine_chunks()
        kind = pa.large_binary() if column.is_binary else pa.large_string()
        return TextColumn(column.name, text.cast(kind))
    numbers = table.numbers
    is_integer = column.plain.dtype.is_integer()
    values = numbers.astype(np.int64) if is_integer else numbers
    return NumericColumn(column.name, column.kind, values, None)


def _many_numbers(
    rows: DesignRows,
    frame: nw.LazyFrame[Any],
    column: LazyColumn,
    outcome_type: str | None,
    target: Any,
) -> tuple[OutcomeRows, int]:
    """Condense a numeric outcome of very many values."""
    if not isinstance(column, LazyNumber) or outcome_type not in (None, "numeric"):
        raise OutcomeError(
            f"the outcome has more than {MOST_VALUES} classes, too many to be meant: name the one "
            "to predict with target=, or convert the outcome to numbers"
        )
    number, infinite = column.good, column.is_bad & ~column.number.is_nan()
    (found,) = collect(
        frame.select(
            n_rows=nw.len(),
            bad=nw.when(column.is_bad).then(nw.lit(1)).count(),
            infinite=nw.when(infinite).then(nw.lit(1)).count(),
            weight=rows.total(~column.is_bad),
            total=rows.weighted(number).sum(),
        )
    ).to_pylist()
    if found["bad"]:
        raise incomplete(found["bad"] - found["infinite"], found["infinite"], found["n_rows"])
    centre = found["total"] / found["weight"]
    table = condensed_values(frame, number - centre, _weight(rows))
    values = NumericColumn(column.name, column.kind, table.numbers, None)
    read = outcome_of(values, found["n_rows"], column.name, "numeric", target, table.weight)
    if outcome_type is None:
        read = replace(read, note="numeric, because the outcome holds numbers other than 0 and 1")
    return replace(read, y=table.numbers, centre=centre), found["n_rows"]
