"""Sums by level that calibrated tests ask for beyond those of a design; of all rows at once."""

from __future__ import annotations

from dataclasses import replace

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.design.context import DesignContext
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.aggregates import Asked, floats, grouped
from vtreat_py.lazy.columns import LazyLevels, exactly
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.significance.normal_scores import NormalScores
from vtreat_py.statistics.outcome_sums import OutcomeSums

_LEVEL, _CLASS = "level", "class_number"


def class_sums(rows: DesignRows, column: LazyLevels, levels: Levels) -> list[OutcomeSums]:
    """Weight of each level and class, for each contrast; missing values are the last level."""
    keys = {_LEVEL: column.level, _CLASS: nw.col(Y)}
    table = grouped(rows.counted([column]), keys, {"weight": _weight(rows)})
    hits = np.zeros((rows.n_classes, len(levels) + 1))
    hits[table[_CLASS].to_numpy(), column.codes(levels, table[_LEVEL])] = floats(table, "weight")
    return [OutcomeSums(hits.sum(axis=0), hits[k].copy()) for k in rows.contrasted]


def outcome_sums(rows: DesignRows, column: LazyLevels, levels: Levels) -> OutcomeSums:
    """Sums by level of a numeric outcome."""
    assert rows.outcome is not None
    return _number_sums(rows, column, levels, nw.col(Y), rows.outcome.centre)


def score_sums(
    rows: DesignRows, context: DesignContext, column: LazyLevels, levels: Levels
) -> OutcomeSums:
    """Sums by level of the outcome's normal scores; see `CombinedTests.scores`."""
    assert context.combined is not None
    scores = context.combined.scores
    assert scores is not None
    sums = _number_sums(rows, column, levels, _scored(scores))
    # Of very many values a condensed table is known, whose scores sum up to a little else.
    surplus = sums.total.sum() / sums.weight.sum() - scores.sample.mean
    return replace(sums, total=sums.total - surplus * sums.weight)


def _number_sums(
    rows: DesignRows, column: LazyLevels, levels: Levels, value: nw.Expr, centre: float = 0.0
) -> OutcomeSums:
    asked: dict[str, Asked] = {
        "weight": _weight(rows),
        "total": ("sum", rows.weighted(value)),
        "raw": ("sum", rows.weighted(value * value)),
    }
    table = grouped(rows.counted([column]), {_LEVEL: column.level}, asked)
    place = column.codes(levels, table[_LEVEL])
    sums = np.zeros((len(asked), len(levels) + 1))
    for one, name in zip(sums, asked, strict=True):
        one[place] = floats(table, name)
    return OutcomeSums.of_raw(sums, centre)


def _weight(rows: DesignRows) -> Asked:
    return ("count", nw.lit(1)) if rows.weight is None else ("sum", rows.w)


def _scored(scores: NormalScores) -> nw.Expr:
    """Score of the outcome of a row."""
    result = exactly(scores.values[-1])
    for edge, score in zip(scores.edges[::-1], scores.values[-2::-1], strict=True):
        result = nw.when(nw.col(Y) <= exactly(edge)).then(exactly(score)).otherwise(result)
    return result
