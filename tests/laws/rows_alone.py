"""Prepare of a frame is prepare of each of its rows alone."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.laws import designs, frames
from tests.laws.designs import RefusedError, perhaps_for_scoring, refusable
from tests.laws.options import choice_options
from vtreat_py.base.errors import SchemaError, VtreatError


def rows_alone(random: Random) -> None:
    """No row is coded by its neighbours."""
    case = designs.case(random)
    plan = perhaps_for_scoring(random, case.design())
    new = case.new_rows(random, random.choice([1, 2, 3, 5, 9]))
    choice = choice_options(random, case.outcome_kind)
    treated = frames.treated_values(refusable(lambda: vt.prepare(plan, new, **choice)))
    if not treated.size:  # not all frames without columns keep the rows
        return
    for row in range(frames.n_rows(new)):
        try:
            alone = vt.prepare(plan, frames.rows_of(new, [row]), **choice)
        except SchemaError:
            # Alone, one of several Python objects may be a number in place of text.
            assert _holds_objects(case)
            return
        np.testing.assert_array_equal(frames.treated_values(alone)[0], treated[row])
    order = random.choices(range(len(treated)), k=4)
    some = frames.treated_values(vt.prepare(plan, frames.rows_of(new, order), **choice))
    np.testing.assert_array_equal(some, treated[order])


def rows_scored(random: Random) -> None:
    """A row scorer gives what `prepare` gives for a list of the one row, or refuses it likewise."""
    case = designs.case(random)
    plan = perhaps_for_scoring(random, case.design())
    new = case.new_rows(random, random.choice([1, 2, 3]))
    choice = choice_options(random, case.outcome_kind)
    score = refusable(lambda: plan.row_scorer(output="tuple", **choice))
    for row in _as_dicts(new):
        try:
            expected = frames.treated_values(vt.prepare(plan, [row], **choice))
        except VtreatError:
            with pytest.raises(VtreatError):
                score(row)
            continue
        np.testing.assert_array_equal(np.array([score(row)]), expected)


def _as_dicts(frame: Any) -> list[dict[Any, Any]]:
    """Rows as a service may get them, of values as the frame has them."""
    if isinstance(frame, pl.DataFrame):
        return frame.to_dicts()
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return frame.to_pylist()
    if not isinstance(frame, pd.DataFrame):
        frame = pd.DataFrame(frame, dtype=object).add_prefix("x")
    try:
        return [{c: frame[c].iloc[row] for c in frame.columns} for row in range(len(frame))]
    except pd.errors.OutOfBoundsTimedelta as error:
        raise RefusedError("a duration of Arrow's that pandas can show in no row") from error


def _holds_objects(case: designs.Case) -> bool:
    objects = any(one.family in ("mixed", "unlike") for one in case.kind.columns)
    return objects or case.kind.container == "array"
