"""What an audit needs to know of a lazy frame: counts, added up by its engine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from vtreat_py.audit.counts import FrameCounts, LevelCounts, NumberCounts, no_rows
from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.schema import check_present
from vtreat_py.lazy.aggregates import Asked, floats, grouped, totals
from vtreat_py.lazy.columns import LazyColumn, LazyEmpty, LazyLevels, LazyNumber
from vtreat_py.lazy.number_queries import batches
from vtreat_py.lazy.outcome import with_weight
from vtreat_py.lazy.prepare import treated_columns
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import LazySource
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import NumericTreatment

_LEVEL, _WEIGHT = "level", "weight"


def count_lazy(plan: Plan, frame: Any, sample_weight: Any) -> FrameCounts:
    """Count the rows of a lazy frame; see `vtreat_py.memory.audit.count_frame`."""
    source = LazySource.of(frame)
    check_present([t.column for t in plan.treatments], source.columns)
    columns = treated_columns(source, plan, plan.treatments)
    rows, _ = with_weight(DesignRows(source), sample_weight)
    n_rows = source.count_rows()
    weight = float(n_rows)
    if rows.weight is not None:
        weight = totals(rows.of([]), {_WEIGHT: ("sum", rows.w)})[_WEIGHT]
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
            bins = np.zeros(len(treatment.profile.counts))
            counts[treatment.column] = NumberCounts(bins, 0.0, 0.0, 0.0, weight)
        else:
            counts[treatment.column] = _count_levels(rows, known[treatment.column], column, weight)
    return FrameCounts(n_rows, weight, counts)


def _count_numbers(
    rows: DesignRows, treatments: Sequence[NumericTreatment], columns: Sequence[LazyNumber]
) -> dict[str, NumberCounts]:
    """Count the rows of each bin of several columns by one query."""
    asked: dict[str, Asked] = {}
    for i, (treatment, column) in enumerate(zip(treatments, columns, strict=True)):
        x, good, profile = column.value, ~column.is_bad, treatment.profile
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
        upto = [found[f"{i}_upto{k}"] for k in range(len(treatment.profile.edges))]
        names = ("good", "below", "above", "clipped", "bad")
        whole, *others = (found[f"{i}_{name}"] for name in names)
        counts[column.name] = NumberCounts(np.diff([0.0, *upto, whole]), *others)
    return counts


def _count_levels(
    rows: DesignRows, known: Levels, column: LazyColumn, weight: float
) -> LevelCounts:
    """Count the rows of each level."""
    if isinstance(column, LazyEmpty):
        return LevelCounts(np.zeros(len(known)), weight, Levels.of([]), np.empty(0))
    level = column.level if isinstance(column, LazyLevels) else column.value
    table = grouped(rows.of([column]), {_LEVEL: level}, {_WEIGHT: ("sum", rows.w)})
    table = table.sort_by(_LEVEL)
    labels, of_level = table[_LEVEL].combine_chunks(), floats(table, _WEIGHT)
    if isinstance(column, LazyLevels) and column.of_integers:
        labels = pa.array([v if v is None else int(v) for v in labels.to_pylist()], pa.int64())
    code = _codes(labels, known)
    counts = np.zeros(len(known) + 1)
    np.add.at(counts, code[code <= known.missing], of_level[code <= known.missing])
    novel = np.flatnonzero((code == known.novel) & (of_level > 0))
    new = labels.take(pa.array(novel))
    is_text = not (pa.types.is_floating(new.type) or pa.types.is_integer(new.type))
    levels = Levels.of_text(new) if is_text else Levels.of(new.to_pylist())
    return LevelCounts(counts[:-1], float(counts[-1]), levels, of_level[novel])


def _codes(labels: pa.Array, known: Levels) -> IntArray:
    """Code of each label among the levels of the design; NaN is missing."""
    if pa.types.is_floating(labels.type):
        values = [None if v is None or v != v else v for v in labels.to_pylist()]
        return known.codes_of(values)
    codes = known.codes_of_text(labels)
    return known.codes_of(labels.to_pylist()) if codes is None else codes
