"""What ClickHouse has of its own: joins that find nothing, types around types, long queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.running import run
from tests.sql.test_written import wide_plan
from vtreat_py.sql.dialects import check_native

text_of = check_native("clickhouse").text


def asked(connection: Any, *statements: str) -> list[tuple[Any, ...]]:
    return [run(connection, statement, "clickhouse") for statement in statements][-1]


@pytest.fixture
def t(clickhouse: Any) -> Iterator[Any]:
    """The session; a table t and a view v are gone afterwards."""
    yield clickhouse
    asked(clickhouse, "DROP VIEW IF EXISTS v", "DROP TABLE IF EXISTS t")


def plan_of(n_levels: int) -> tuple[vt.TreatmentPlan, list[str]]:
    levels = ["a", "A", "a ", "", "l'"] + [f"l{i}" for i in range(n_levels - 5)]
    rows = [level for i, level in enumerate(levels) for _ in range(i % 40 + 1)]
    outcome = np.arange(len(rows)) % 7 + np.random.default_rng(0).normal(size=len(rows))
    frame = pd.DataFrame({"x": rows})
    plan = vt.design_treatments(
        frame, outcome=outcome, coders=["catN", "catP"], random_state=0, min_fraction=0
    )
    return plan, ["a", "A ", "", "never seen", "l'"]


@pytest.mark.parametrize("n_levels", [8, 60, 2300])
@pytest.mark.parametrize("join_use_nulls", [0, 1])
def test_views_code_novel_levels_whatever_joins_give(
    t: Any, n_levels: int, join_use_nulls: int
) -> None:
    plan, given = plan_of(n_levels)
    asked(t, "CREATE TABLE t (id UInt8, x String) ENGINE = Memory")
    listed = ", ".join(f"({i}, {text_of(v)})" for i, v in enumerate(given))
    asked(t, f"INSERT INTO t VALUES {listed}")
    text = plan.to_sql("t", dialect="clickhouse", row_id="id")
    names = plan.load_coding_tables(t, query=text)
    assert len(names) == (n_levels > 2000)
    settings = f"SETTINGS join_use_nulls = {join_use_nulls}"
    found = asked(t, f"CREATE VIEW v AS {text}", f"SELECT * FROM v ORDER BY id {settings}")
    expected = vt.prepare(plan, pd.DataFrame({"x": given}))
    assert [row[1:] for row in found] == [tuple(row) for row in expected.to_numpy()]
    for name in names:
        asked(t, f"DROP TABLE {name}")


@pytest.mark.parametrize(
    "column",
    ["LowCardinality(String)", "LowCardinality(Nullable(String))", "Nullable(String)",
     "Enum8('a' = 1, 'B' = 2)", "FixedString(5)"],
)  # fmt: skip
def test_text_is_read_in_all_types_of_it(t: Any, column: str) -> None:
    plan, _ = plan_of(30)
    asked(t, f"CREATE TABLE t (x {column}) ENGINE = Memory", "INSERT INTO t VALUES ('a'), ('B')")
    found = asked(t, plan.to_sql("t", dialect="clickhouse"))
    expected = vt.prepare(plan, pd.DataFrame({"x": ["a", "B"]}))
    assert sorted(found) == sorted(tuple(row) for row in expected.to_numpy())


def test_numbers_are_read_in_all_types_of_them(t: Any) -> None:
    frame = pd.DataFrame({"z": [0.5, 1.5, np.nan, 2.5] * 5})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    query = plan.to_sql("t", dialect="clickhouse")
    for column, value, expected in [
        ("UInt8", "7", 7.0), ("Nullable(Int64)", "NULL", 1.5), ("Float32", "0.25", 0.25),
        ("Float64", "nan", 1.5), ("Float64", "inf", 1.5), ("Decimal(9, 2)", "1.25", 1.25),
        ("Bool", "true", 1.0), ("UInt64", str(2**63), float(2**63)),
    ]:  # fmt: skip
        asked(t, "DROP TABLE IF EXISTS t", f"CREATE TABLE t (z {column}) ENGINE = Memory")
        asked(t, f"INSERT INTO t VALUES ({value})")
        assert asked(t, query)[0][0] == expected, column


def test_moments_are_read_whatever_zone_they_are_shown_in(t: Any) -> None:
    frame = pd.DataFrame({"at": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    for column in ("DateTime64(6)", "DateTime64(3, 'Asia/Tokyo')", "DateTime('Europe/Paris')"):
        asked(t, "DROP TABLE IF EXISTS t", f"CREATE TABLE t (at {column}) ENGINE = Memory")
        asked(t, "INSERT INTO t SELECT toDateTime64(86401, 0)")
        assert asked(t, plan.to_sql("t", dialect="clickhouse")) == [(86401.0,)]


def test_queries_are_short_enough_for_the_settings(clickhouse: Any) -> None:
    plan = wide_plan(8)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {f"x{i}": [f"level {v} of {i}" for v in rng.integers(0, 1600, 300)] for i in range(8)}
    )
    report = plan.check_sql(clickhouse, frame)
    assert report.passed, report


def test_coding_tables_are_made_once_and_in_a_schema(clickhouse: Any) -> None:
    plan, _ = plan_of(2300)
    asked(clickhouse, "CREATE DATABASE codes")
    try:
        names = plan.load_coding_tables(clickhouse, coding_schema="codes")
        assert names == list(plan.coding_tables())
        assert plan.load_coding_tables(clickhouse, coding_schema="codes") == names
        source = "(SELECT 'a' AS x)"
        text = plan.to_sql(source, dialect="clickhouse", coding_schema="codes")
        expected = vt.prepare(plan, pd.DataFrame({"x": ["a"]}))
        assert asked(clickhouse, text) == [tuple(expected.iloc[0])]
    finally:
        asked(clickhouse, "DROP DATABASE codes")


def test_connections_of_the_database_interface_will_do(clickhouse: Any) -> None:
    interface = pytest.importorskip("chdb.dbapi")
    plan, given = plan_of(30)
    connection = interface.connect()
    report = plan.check_sql(connection, pd.DataFrame({"x": given}))
    assert report.passed, report
    connection.close()
