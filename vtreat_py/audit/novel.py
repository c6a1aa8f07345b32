"""Levels of a frame that the design has not seen."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.audit.counts import LevelTally
from vtreat_py.base.arrays import FloatArray
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment


def most_first(levels: Sequence[Any], weight: FloatArray) -> list[int]:
    """Places of levels by their weights, in an order that does not depend on that of the rows."""
    keys = [(-n, str(v), type(v).__name__) for v, n in zip(levels, weight, strict=True)]
    return sorted(range(len(levels)), key=keys.__getitem__)


def novel_levels(plan: Plan, tallies: Mapping[Hashable, LevelTally]) -> pd.DataFrame:
    """List them, column by column; see `TreatmentPlan.novel_levels`."""
    seen = {
        t.column: (t.levels, np.ones(len(t.levels) + 1, dtype=bool))
        for t in plan.treatments
        if isinstance(t, LevelTreatment)  # of plans for scoring that is all
    }
    seen |= {s.column: (s.levels, s.size[:-1] > 0) for s in plan.level_statistics}
    columns: list[Hashable] = []
    labels: list[Any] = []
    rows, weights = [np.empty(0)], [np.empty(0)]
    for column, tally in tallies.items():
        known, was_seen = seen[column]
        code = np.append(known.codes_of_levels(tally.levels), known.missing)
        new = np.flatnonzero(~np.append(was_seen, False)[code] & (tally.rows > 0))
        own = [*tally.levels.to_list(), None]
        order = new[most_first([own[i] for i in new], tally.weight[new])]
        columns += [column] * len(order)
        labels += [own[i] for i in order]
        rows.append(tally.rows[order])
        weights.append(tally.weight[order])
    return pd.DataFrame(
        {
            "column": pd.Series(columns, dtype=object),
            "level": pd.Series(labels, dtype=object),
            "rows": np.concatenate(rows).astype(np.int64),
            "weight": np.concatenate(weights),
        }
    )
