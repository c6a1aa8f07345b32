"""What an audit needs to know of a lazy frame: counts, added up by its engine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.audit.counts import FrameCounts, LevelCounts, LevelTally, NumberCounts, no_rows
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.made import sources_of
from vtreat_py.frames.schema import check_present
from vtreat_py.lazy.aggregates import Asked, floats, grouped, totals
from vtreat_py.lazy.columns import LazyColumn, LazyEmpty, LazyLevels, LazyNumber
from vtreat_py.lazy.number_queries import batches
from vtreat_py.lazy.outcome import with_weight
from vtreat_py.lazy.prepare import treated_columns
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import LazySource
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment

_LEVEL, _ROWS, _WEIGHT = "level", "rows", "weight"


def count_lazy(plan: Plan, frame: Any, sample_weight: Any) -> FrameCounts:
    """Count the rows of a lazy frame; see `vtreat_py.memory.audit.count_frame`."""
    source = LazySource.of(frame)
    check_present(sources_of([t.column for t in plan.treatments], plan.made), source.columns)
    columns = treated_columns(source, plan, plan.treatments)
    rows, _ = with_weight(DesignRows(source), sample_weight)
    n_rows = source.count_rows()
    weight = _all_weight(rows, n_rows)
    if not n_rows:
        raise no_rows()
    known = {s.column: s.levels for s in plan.level_statistics}
    of_number = {t.column: t for t in plan.treatments if isinstance(t, NumericTreatment)}
    numbers: dict[str, NumberCounts] = {}
    for batch in batches([c for c in columns if isinstance(c, LazyNumber) and c.name in of_number]):
        numbers |= _count_numbers(rows, [of_number[c.name] for c in batch], batch)
    counts: dict[Hashable, NumberCounts | LevelCounts] = {}
    for treatment, column in zip(plan.treatments, columns, strict=True):
        if column.name in numbers:
            counts[treatment.column] = numbers[column.name]
        elif isinstance(treatment, NumericTreatment):
            bins = np.zeros(len(treatment.spread.counts))
            counts[treatment.column] = NumberCounts(bins, 0.0, 0.0, 0.0, weight)
        else:
            tally = _tally_levels(rows, column, n_rows, weight)
            counts[treatment.column] = LevelCounts.of(known[treatment.column], tally)
    return FrameCounts(n_rows, weight, counts)


def tally_lazy(plan: Plan, frame: Any, sample_weight: Any) -> dict[Hashable, LevelTally]:
    """Tally the levels of a lazy frame; see `vtreat_py.memory.audit.tally_frame`."""
    source = LazySource.of(frame)
    treatments = [t for t in plan.treatments if isinstance(t, LevelTreatment)]
    check_present(sources_of([t.column for t in treatments], plan.made), source.columns)
    columns = treated_columns(source, plan, treatments)
    rows, _ = with_weight(DesignRows(source), sample_weight)
    n_rows, weight = 0, 0.0
    if any(isinstance(column, LazyEmpty) for column in columns):
        n_rows = source.count_rows()
        weight = _all_weight(rows, n_rows)
    return {
        treatment.column: _tally_levels(rows, column, n_rows, weight)
        for treatment, column in zip(treatments, columns, strict=True)
    }


def _all_weight(rows: DesignRows, n_rows: int) -> float:
    if rows.weight is None:
        return float(n_rows)
    return totals(rows.of([]), {_WEIGHT: ("sum", rows.w)})[_WEIGHT]


def _count_numbers(
    rows: DesignRows, treatments: Sequence[NumericTreatment], columns: Sequence[LazyNumber]
) -> dict[str, NumberCounts]:
    """Count the rows of each bin of several columns by one query."""
    asked: dict[str, Asked] = {}
    for i, (treatment, column) in enumerate(zip(treatments, columns, strict=True)):
        x, good, profile = column.value, ~column.is_bad, treatment.spread
        conditions = {
            "bad": column.is_bad,
            "good": good,
            "below": good & (x < profile.low),
            "above": good & (x > profile.high),
            "clipped": good & ((x < treatment.lower) | (x > treatment.upper)),
            **{f"upto{k}": good & (x <= float(edge)) for k, edge in enumerate(profile.edges)},
        }
        asked |= {f"{i}_{name}": rows.weight_where(where) for name, where in conditions.items()}
    weights = totals(rows.of(columns), asked)
    found = {name: float(np.nan_to_num(weight)) for name, weight in weights.items()}
    counts = {}
    for i, (treatment, column) in enumerate(zip(treatments, columns, strict=True)):
        upto = [found[f"{i}_upto{k}"] for k in range(len(treatment.spread.edges))]
        names = ("good", "below", "above", "clipped", "bad")
        whole, *others = (found[f"{i}_{name}"] for name in names)
        counts[column.name] = NumberCounts(np.diff([0.0, *upto, whole]), *others)
    return counts


def _tally_levels(rows: DesignRows, column: LazyColumn, n_rows: int, weight: float) -> LevelTally:
    """Count the rows of each level; ``n_rows`` and ``weight`` are those of all rows."""
    if isinstance(column, LazyEmpty):
        return LevelTally.of_missing(n_rows, weight)
    level = column.level if isinstance(column, LazyLevels) else column.value
    asked: dict[str, Asked] = {_WEIGHT: ("sum", rows.w), _ROWS: ("sum", nw.lit(1.0))}
    table = grouped(rows.of([column]), {_LEVEL: level}, asked).sort_by(_LEVEL)
    labels = table[_LEVEL].combine_chunks()
    if pa.types.is_floating(labels.type):
        labels = pa.array([v if v == v else None for v in labels.to_pylist()], labels.type)
    is_missing = np.asarray(labels.is_null())
    return LevelTally(
        _levels(column, labels.drop_null()),
        *(
            np.append(of_level[~is_missing], of_level[is_missing].sum())
            for of_level in (floats(table, _ROWS), floats(table, _WEIGHT))
        ),
    )


def _levels(column: LazyNumber | LazyLevels, labels: pa.Array) -> Levels:
    return (
        column.levels(labels) if isinstance(column, LazyLevels) else Levels.of(labels.to_pylist())
    )
