"""Outcome and weights of a lazy frame: a table of the outcome's values, by one GROUP BY."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import EXACT_INTEGERS, FloatArray
from vtreat_py.base.errors import OptionTypeError, OutcomeError
from vtreat_py.frames.columns import Column, NumericColumn, TextColumn
from vtreat_py.lazy.aggregates import Asked, one_where, totals
from vtreat_py.lazy.columns import (
    LazyColumn,
    LazyEmpty,
    LazyLevels,
    LazyNumber,
    LazyWeight,
    named_column,
    typed_frame,
)
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.values import MOST_VALUES, ValueTable, condensed_values, distinct_values
from vtreat_py.outcome.outcome import MOST_SPELT_OUT, OutcomeRows, Weighting
from vtreat_py.outcome.reading import (
    OF_CLASSES,
    check_asked,
    check_size_of_numbers,
    incomplete,
    no_outcome,
    outcome_of,
)
from vtreat_py.outcome.weights import (
    FREQUENCY,
    IMPORTANCE,
    check_size_of_weights,
    effective_rows,
    warn_of_few_rows,
)


def with_weight(
    rows: DesignRows, sample_weight: Any, weight_kind: str | None = None
) -> tuple[DesignRows, Weighting]:
    """Read and check weights; one query looks at all of them.

    Those whose ratios alone count become effective rows.

    Raises
    ------
    OutcomeError, OptionTypeError
        If weights are no column of finite numbers, 0 or more, some of them above 0.
    """
    if sample_weight is None:
        return rows, Weighting()
    column = named_column(rows.source, "sample_weight", sample_weight)
    if not isinstance(column, LazyNumber) or column.kind != "number":
        raise OptionTypeError("sample_weight must hold numbers: frequency weights, 0 or more")
    w = column.good
    asked: dict[str, Asked] = {
        "bad": ("count", one_where(column.is_bad)),
        "negative": ("count", one_where(w < 0)),
        "fractions": ("count", one_where(w != w.floor())),
        "positive": ("count", one_where(w > 0)),
        "smallest": ("min", w),
        "largest": ("max", w),
        "least": ("min", nw.when(w > 0).then(w)),
        "total": ("sum", w),
        "squares": ("sum", w * w),
    }
    found = totals(typed_frame(rows.source, [column]), asked)
    if found["bad"]:
        raise OutcomeError(
            f"sample_weight has {found['bad']:.0f} missing or infinite values; weights are finite "
            "numbers, 0 or more"
        )
    if found["negative"]:
        raise OutcomeError(
            f"sample_weight has {found['negative']:.0f} negative values, the smallest is "
            f"{found['smallest']:g}; use 0 to leave a row out of the design"
        )
    if not found["largest"] > 0:  # NaN: there are no rows
        raise OutcomeError("sample_weight is zero in every row; some row must count")
    check_size_of_weights(found["least"], found["total"])
    is_importance = weight_kind == IMPORTANCE
    unit = effective_rows(found["total"], found["squares"]) if is_importance else 1.0
    if weight_kind == FREQUENCY:
        warn_of_few_rows(found["total"], int(found["positive"]))
    if found["smallest"] == found["largest"] and found["largest"] * unit == 1.0:
        return rows, Weighting()
    weight = LazyWeight(**vars(column), unit=unit)
    rows = replace(rows, weight=weight, largest_weight=found["largest"] * unit)
    if is_importance:
        return rows, Weighting(found["least"] == found["largest"])
    if not found["fractions"] and found["total"] <= MOST_SPELT_OUT:
        return rows, Weighting()
    return rows, Weighting(False, found["total"] / found["squares"])


def with_outcome(
    rows: DesignRows,
    weighting: Weighting,
    outcome: Any,
    outcome_type: str | None,
    target: Any,
    max_classes: int,
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
        n_rows = rows.source.count_rows()
        check_asked(n_rows, outcome, outcome_type)
        weight = None if rows.weight is None else np.ones(1)
        nothing = no_outcome(np.zeros(1), weight)
        return rows.with_outcome(nothing.values(weighting), n_rows)
    check_asked(1, outcome, outcome_type)
    column = named_column(rows.source, "outcome", outcome)
    if isinstance(column, LazyEmpty):
        raise OutcomeError("the outcome has missing values only")
    frame = typed_frame(rows.source, [column] if rows.weight is None else [column, rows.weight])
    table = distinct_values(frame, column.value, rows.weight)
    if table is None:
        read, n_rows = _many_numbers(rows, frame, column, outcome_type, target)
        return rows.with_outcome(read.values(weighting), n_rows, column)
    n_rows = int(table.rows.sum())
    check_asked(n_rows, outcome, outcome_type)
    _check_complete(column, table)
    of_classes = target is not None or outcome_type in OF_CLASSES
    if of_classes and isinstance(column, LazyNumber) and _are_large(table.numbers):
        raise OutcomeError(
            f"the outcome holds {table.numbers.max():.0f} or so, and classes of a lazy frame that "
            "are numbers are floats, which do not tell integers beyond 2**53 apart; cast it to text"
        )
    values = _tabled(column, table)
    read = outcome_of(values, n_rows, outcome, outcome_type, target, table.weight, max_classes)
    return rows.with_outcome(read.values(weighting), n_rows, column, table.values)


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
        kind = pa.large_binary() if column.kind == "bytes" else pa.large_string()
        return TextColumn(column.name, text.cast(kind))
    numbers = table.numbers
    whole = column.dtype.is_integer() and not _are_large(numbers)
    return NumericColumn(
        column.name, column.kind, numbers.astype(np.int64) if whole else numbers, None
    )


def _are_large(numbers: FloatArray) -> bool:
    """Whether they are so large that floats are further apart than integers."""
    return bool(np.abs(numbers).max(initial=0.0) >= EXACT_INTEGERS)


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
    asked: dict[str, Asked] = {
        "rows": ("count", nw.lit(1)),
        "bad": ("count", one_where(column.is_bad)),
        "infinite": ("count", one_where(column.is_bad & ~column.value.is_nan())),
        "weight": rows.weight_where(~column.is_bad),
        "low": ("min", column.good),
        "high": ("max", column.good),
        "total": ("sum", rows.weighted(column.good)),
    }
    found = totals(frame, asked)
    n_rows, bad, infinite = (int(found[name]) for name in ("rows", "bad", "infinite"))
    if bad:
        raise incomplete(bad - infinite, infinite, n_rows)
    check_size_of_numbers(found["low"], found["high"])
    centre = found["total"] / found["weight"]
    table = condensed_values(frame, column.good - centre, rows.weight)
    values = NumericColumn(column.name, column.kind, table.numbers, None)
    read = outcome_of(values, n_rows, column.name, "numeric", target, table.weight)
    if outcome_type is None:
        read = replace(read, note="numeric, because the outcome holds numbers other than 0 and 1")
    return replace(read, y=table.numbers, centre=centre), n_rows
