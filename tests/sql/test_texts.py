"""Queries of plans that keep text as text."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.data import awkward_frame
from vtreat_py.sql import check, coding_tables, query

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case"),
    pytest.mark.filterwarnings("ignore:column .* has [12] levels? that postgres cannot hold"),
]

CASES = [
    (engine, form)
    for engine in ("duckdb", "sqlite", "postgres", "mysql", "clickhouse")
    for form in ("by number of levels", "coding tables")
] + [("spark", "by number of levels")]


def texts(seed: int) -> pd.DataFrame:
    """Text, categories of numbers and bytes."""
    frame = awkward_frame(seed, 400)[["few", 'x"', "many", "z", "code", "whole"]]
    return frame.assign(bytes=[None if i % 9 == 0 else bytes([65 + i % 7]) for i in range(400)])


@pytest.mark.parametrize(("engine", "form"), CASES)
def test_queries_give_the_text_of_prepare(
    engine: str, form: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection: Any = duckdb.connect() if engine == "duckdb" else request.getfixturevalue(engine)
    if form == "coding tables":
        monkeypatch.setattr(query, "FEW_LEVELS", 0)
        monkeypatch.setattr(query, "MANY_LEVELS", 0)
        monkeypatch.setattr(coding_tables, "MANY_LEVELS", 0)
    plan = vt.design_missingness(
        texts(0), categorical=["whole"], missing_values=["NULL"], invalid_mark="it's \\ invalid"
    )
    later = texts(1)
    later.loc[:3, "few"] = ["never seen", "a\u0301", "A ", "NULL"]
    later["code"] = later["code"].cat.add_categories([99])
    later.loc[5:9, "code"] = [99, None, None, 99, 99]
    if engine == "postgres":
        later = later.replace({name: {"nul\0nul": None} for name in ("few", 'x"')})
    found = plan.check_sql(connection, later)
    assert found.passed, found
    assert found.n_rows == 400
    assert plan.check_sql(connection, later[:0]).passed


def test_a_difference_of_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"x": ["a", "b", None]})
    plan, connection = vt.design_missingness(frame), duckdb.connect()
    assert "WHEN vtreat_rows.c1 IN ('b') THEN 'b'\n    ELSE '_invalid_'" in plan.to_sql("t")
    written = check.plan_to_sql
    monkeypatch.setattr(
        check, "plan_to_sql", lambda *given: written(*given).replace("THEN 'b'", "THEN 'c'")
    )
    found = plan.check_sql(connection, frame)
    assert not found.passed
    assert (found.rows_that_differ, found.largest_difference) == (1, float("inf"))
