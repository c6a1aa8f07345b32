"""Audits of lazy frames count what audits of frames in memory do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import OUTCOMES, awkward_table
from vtreat_py.base.errors import FrameError, SchemaError

pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived from")

Lazy = Callable[[pa.Table], Any]
COLUMNS = ["x", "z", "day"]


def plan_of(table: pa.Table, **given: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(
        table, outcome=OUTCOMES["numeric"], variables=COLUMNS, random_state=0, **given
    )


def moved(table: pa.Table) -> pa.Table:
    """Another frame: a level that is new, numbers out of range, more values missing."""
    new = table.slice(0, 150)
    z = new["z"].to_numpy(zero_copy_only=False).copy()
    z[:20] = 1e7
    x = new["x"].to_pylist()
    x[:30] = ["a level never seen"] * 30
    x[30:40] = [None] * 10
    new = new.set_column(new.schema.get_field_index("x"), "x", pa.array(x, pa.string()))
    return new.set_column(new.schema.get_field_index("z"), "z", pa.array(z, pa.float64()))


@pytest.mark.parametrize("weight", [None, "w"])
def test_audits_are_those_of_memory(weight: str | None, engine: str, lazy: Lazy) -> None:
    table = awkward_table(300)
    plan, later = plan_of(table, collar_prob=0.05), moved(table)
    expected = plan.audit(later, sample_weight=weight)
    found = plan.audit(lazy(later), sample_weight=weight)
    pd.testing.assert_frame_equal(found.frame, expected.frame, rtol=1e-12)
    assert found.flagged == expected.flagged != []
    ours, theirs = (report.levels("x", most=100).set_index(["level", "kind"]).sort_index()
                    for report in (found, expected))  # fmt: skip
    pd.testing.assert_frame_equal(ours, theirs, rtol=1e-12)


def test_columns_of_missing_values_only() -> None:
    table = awkward_table(200)
    plan = plan_of(table)
    empty = pa.table({name: pa.nulls(9) for name in COLUMNS})
    expected = plan.audit(empty)
    found = plan.audit(pl.from_arrow(empty).lazy())
    pd.testing.assert_frame_equal(found.frame, expected.frame)


def test_levels_that_are_numbers() -> None:
    table = pd.DataFrame({"size": pd.Categorical([1, 2, 3, 1] * 10), "y": np.arange(40.0)})
    plan = vt.design_treatments(table, outcome="y", random_state=0)
    later = pl.DataFrame({"size": [1, 2, None, 7, 7, 3]})
    expected = plan.audit(pd.DataFrame({"size": pd.Categorical([1, 2, None, 7, 7, 3])}))
    found = plan.audit(later.lazy())
    pd.testing.assert_frame_equal(found.frame, expected.frame)


def test_what_cannot_be_audited(lazy: Lazy, engine: str) -> None:
    if engine not in ("polars", "duckdb"):
        pytest.skip("the same lines for each engine")
    table = awkward_table(200)
    plan = plan_of(table)
    with pytest.raises(FrameError, match="the frame has no rows; an audit compares"):
        plan.audit(lazy(table.slice(0, 0)))
    with pytest.raises(SchemaError, match="the frame lacks 1 column: 'x'"):
        plan.audit(lazy(table.drop_columns(["x"])))
    text = table.set_column(table.schema.get_field_index("z"), "z", table["x"])
    with pytest.raises(SchemaError, match=r"'z' \(designed on number, found levels"):
        plan.audit(lazy(text))


@pytest.mark.parametrize("weight", [None, "w"])
def test_novel_levels_are_those_of_memory(weight: str | None, engine: str, lazy: Lazy) -> None:
    variables, late = ["x", "many", "bytes", "size"], awkward_table(120, seed=9, novel=True)
    plan = vt.design_treatments(
        awkward_table(60), outcome="y", variables=variables, categorical=["size"],
        missing_values=["NULL"], coders=["catP"], random_state=0,
    )  # fmt: skip
    size = pa.array([99 if i % 7 == 0 else i % 5 for i in range(120)], pa.int32())
    late = late.set_column(late.schema.get_field_index("size"), "size", size)
    expected = plan.novel_levels(late, sample_weight=weight)
    assert set(expected["column"]) == {"x", "many", "size"}
    found = plan.novel_levels(lazy(late), sample_weight=weight)
    pd.testing.assert_frame_equal(found, expected)
