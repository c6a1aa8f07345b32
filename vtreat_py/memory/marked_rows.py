"""Which rows of a frame in memory hold what the design has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.memory.treated import read_treated
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import NumericTreatment, Treatment

MISSING, NOVEL, BELOW, ABOVE = "missing", "novel", "below", "above"


def marked_rows(plan: Plan, frame: Any) -> pd.DataFrame:
    """Mark the rows of a frame; see `TreatmentPlan.mark_rows`."""
    source = InputFrame.of(frame).read_by(plan.options.missing_values).making(plan.made)
    columns = read_treated(source, plan.treatments)
    index = frame.index if isinstance(frame, pd.DataFrame) else pd.RangeIndex(source.n_rows)
    names = pd.Index([t.column for t in plan.treatments], dtype=object, tupleize_cols=False)
    words = np.full((source.n_rows, len(names)), "", dtype=object)
    for place, (treatment, column) in enumerate(zip(plan.treatments, columns, strict=True)):
        _mark(treatment, column, words[:, place])
    return pd.DataFrame(words, index, names)


def _mark(treatment: Treatment, column: Column, words: NDArray[np.object_]) -> None:
    if not isinstance(treatment, NumericTreatment):
        codes = treatment.encode(column)
        words[codes == treatment.levels.missing] = MISSING
        words[codes == treatment.levels.novel] = NOVEL
        return
    if isinstance(column, NumericColumn):
        words[column.values < treatment.spread.low] = BELOW
        words[column.values > treatment.spread.high] = ABOVE
    bad = treatment.encode(column)[1]
    if bad is not None:
        words[bad] = MISSING
