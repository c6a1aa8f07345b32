"""What an audit needs to know of a lazy frame: counts, added up by its engine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.audit.counts import FrameCounts, LevelCounts, NumberCounts, no_rows
from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.schema import check_present
from vtreat_py.lazy.aggregates import Wanted, floats, grouped, one_where, totals, value_where
from vtreat_py.lazy.columns import LazyColumn, LazyEmpty, LazyLevels, LazyNumber, lazy_columns
from vtreat_py.lazy.number_queries import batches
from vtreat_py.lazy.outcome import with_weight
from vtreat_py.lazy.prepare import check_lazy_kinds
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.lazy.source import LazySource, collect
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import NumericTreatment

_LEVEL, _WEIGHT = "level", "weight"


def count_lazy(plan: Plan, frame: Any, sample_weight: Any) -> FrameCounts:
    """Count the rows of a lazy frame; see `vtreat_py.audit.counts.count_frame`."""
    source = LazySource.of(frame)
    check_present([t.column for t in plan.treatments], source.columns)
    columns = lazy_columns(source, [str(t.column) for t in plan.treatments])
    check_lazy_kinds(plan.treatments, columns)
    rows, _ = with_weight(DesignRows(source), sample_weight)
    n_rows, weight = _totals(rows)
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


def _totals(rows: DesignRows) -> tuple[int, float]:
    """Number of rows, and their weight."""
    (found,) = collect(rows.source.frame.select(n=nw.len())).to_pylist()
    if rows.weight is None:
        return int(found["n"]), float(found["n"])
    return int(found["n"]), totals(rows.of([]), {_WEIGHT: ("sum", rows.w)})[_WEIGHT]


def _count_numbers(
    rows: DesignRows, treatments: Sequence[NumericTreatment], columns: Sequence[LazyNumber]
) -> dict[str, NumberCounts]:
    """Count the rows of each bin of several columns by one query."""
    wanted: dict[str, nw.Expr] = {}
    for i, (treatment, column) in enumerate(zip(treatments, columns, strict=True)):
        x, good, profile = column.number, ~column.is_bad, treatment.profile
        conditions = {
            "bad": column.is_bad,
            "good": good,
            "below": good & (x < profile.low),
            "above": good & (x > profile.high),
            "clipped": good & ((x < treatment.lower) | (x > treatment.upper)),
            **{f"upto{k}": good & (x <= float(edge)) for k, edge in enumerate(profile.edges)},
        }
        wanted |= {f"{i}_{name}": condition for name, condition in conditions.items()}
    found = _weights_where(rows, columns, wanted)
    counts = {}
    for i, (treatment, column) in enumerate(zip(treatments, columns, strict=True)):
        own = {name: found[f"{i}_{name}"] for name in ("bad", "good", "below", "above", "clipped")}
        upto = [found[f"{i}_upto{k}"] for k in range(len(treatment.profile.edges))]
        bins = np.diff([0.0, *upto, own["good"]])
        counts[column.name] = NumberCounts(
            bins, own["below"], own["above"], own["clipped"], own["bad"]
        )
    return counts


def _weights_where(
    rows: DesignRows, columns: Sequence[LazyNumber], conditions: dict[str, nw.Expr]
) -> dict[str, float]:
    """Weight of the rows for which each condition holds."""
    marked = {
        name: one_where(c) if rows.weight is None else value_where(c, rows.w)
        for name, c in conditions.items()
    }
    plain = rows.of(columns).select(**marked)
    sums = [nw.col(n).count() if rows.weight is None else nw.col(n).sum() for n in marked]
    (found,) = collect(plain.select(*sums)).to_pylist()
    return {name: float(value or 0.0) for name, value in found.items()}


def _count_levels(
    rows: DesignRows, known: Levels, column: LazyColumn, weight: float
) -> LevelCounts:
    """Count the rows of each level."""
    if isinstance(column, LazyEmpty):
        return LevelCounts(np.zeros(len(known)), weight, Levels.of([]), np.empty(0))
    key = column.level if isinstance(column, LazyLevels) else column.number
    wanted: Wanted = {_WEIGHT: ("sum", rows.w)}
    table = grouped(rows.of([column]), {_LEVEL: key}, wanted).sort_by(_LEVEL)
    labels, of_level = table[_LEVEL].combine_chunks(), floats(table, _WEIGHT)
    code = _codes(labels, known)
    counts = np.zeros(len(known) + 1)
    np.add.at(counts, code[code <= known.missing], of_level[code <= known.missing])
    novel = np.flatnonzero((code == known.novel) & (of_level > 0))
    new = labels.take(pa.array(novel))
    levels = Levels.of_text(new) if isinstance(column, LazyLevels) else Levels.of(new.to_pylist())
    return LevelCounts(counts[:-1], float(counts[-1]), levels, of_level[novel])


def _codes(labels: pa.Array, known: Levels) -> IntArray:
    """Code of each label among the levels of the design; NaN is missing."""
    if pa.types.is_floating(labels.type):
        values = [None if v is None or v != v else v for v in labels.to_pylist()]
        return known.codes_of(values)
    codes = known.codes_of_text(labels)
    return known.codes_of(labels.to_pylist()) if codes is None else codes
