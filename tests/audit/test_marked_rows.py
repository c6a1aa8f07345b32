"""Rows that hold what the design has not seen are marked where they do."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import OptionTypeError, SchemaError

MAY = pd.DataFrame(
    {
        "town": ["Ayr", "Bath", "?", "Cork"] * 10,
        "zip": [10, 20, 20, 30] * 10,
        "kg": np.r_[np.nan, np.arange(1.0, 40.0)],
        "day": pd.date_range("2020-01-01", periods=40),
        "y": [1.0, 4.0, 2.0, 7.0, 3.0] * 8,
    }
)
JUNE: dict[str, list[Any]] = {
    "town": ["Ayr", "?", "Deal", None, "Bath", "Cork"],
    "zip": [10, 20, 30, 40, None, 10],
    "kg": [1.0, 39.0, 0.5, 40.0, None, float("inf")],
    "day": [
        None if day is None else dt.datetime.fromisoformat(day)
        for day in ("2019-12-31", "2020-01-01", "2020-02-09", "2020-02-10", None, "2020-01-05")
    ],
}
MARKS = {
    "town": ["", "missing", "novel", "missing", "", ""],
    "zip": ["", "", "", "novel", "missing", ""],
    "kg": ["", "", "below", "above", "missing", "missing"],
    "day": ["below", "", "", "above", "missing", ""],
}  # fmt: skip


@pytest.fixture(scope="module")
def plan() -> vt.TreatmentPlan:
    return vt.design_treatments(
        MAY, outcome="y", missing_values=["?"], categorical=["zip"], calendar=(), random_state=0
    )


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame, pa.table])
def test_each_row_is_marked_in_its_columns(plan: vt.TreatmentPlan, of: Any) -> None:
    found = plan.mark_rows(of(JUNE))
    assert {column: found[column].tolist() for column in found} == MARKS
    assert found.index.tolist() == list(range(6))


def test_the_index_of_a_pandas_frame_stays(plan: vt.TreatmentPlan) -> None:
    june = pd.DataFrame(JUNE, index=list("abcdef"))
    found = plan.mark_rows(june)
    assert found.index.tolist() == list("abcdef")
    assert june[(found != "").any(axis=1)].index.tolist() == list("abcdef")
    assert (plan.mark_rows(june[:0]).shape) == (0, 4)


def test_shares_of_marks_are_those_of_the_audit(plan: vt.TreatmentPlan) -> None:
    june = pd.DataFrame(JUNE)
    marks, report = plan.mark_rows(june), plan.audit(june).frame.set_index("column")
    for word, name in (
        ("missing", "missing_now"), ("novel", "novel_now"), ("below", "below"), ("above", "above"),
    ):  # fmt: skip
        share = (marks == word).mean()
        expected = report[name].fillna(0.0)
        np.testing.assert_allclose(share, expected[share.index])


def test_rows_of_the_design_are_marked_where_they_are_missing(plan: vt.TreatmentPlan) -> None:
    marks = plan.mark_rows(MAY)
    assert set(marks.to_numpy().ravel()) == {"", "missing"}
    np.testing.assert_array_equal(marks["kg"] == "missing", MAY["kg"].isna())


def test_columns_of_missing_values_and_frames_that_do_not_fit(plan: vt.TreatmentPlan) -> None:
    nothing = pd.DataFrame(JUNE).assign(kg=None, town=None)
    assert (plan.mark_rows(nothing)[["kg", "town"]] == "missing").all(axis=None)
    with pytest.raises(SchemaError, match="kg"):
        plan.mark_rows(pd.DataFrame(JUNE).drop(columns="kg"))
    with pytest.raises(OptionTypeError, match="frame is lazy, and has no rows to mark"):
        plan.mark_rows(pl.LazyFrame(JUNE))


def test_a_notebook_marks_the_columns_that_drifted() -> None:
    frame = pd.DataFrame({"calm": [1.0, 2.0] * 50, "kg": np.arange(100.0), "y": [1, 2, 3, 5] * 25})
    plan = vt.design_treatments(frame, outcome="y", random_state=0)
    report = plan.audit(frame.assign(kg=lambda t: t["kg"] * 9))
    rows = report._repr_html_().split("<tr")[2:]
    assert report.flagged == ["kg"]
    assert [row.startswith(' class="vtreat-drifted"') for row in rows] == [True, False]
    assert "<td>kg</td><td>number</td><td>yes</td>" in rows[0]
    assert "<td>calm</td><td>number</td><td>no</td>" in rows[1]
