"""Names and levels are data: nothing that they say is done."""

from __future__ import annotations

from typing import Any, get_args

import duckdb
import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.running import run
from vtreat_py.sql.dialects import NativeDialect, WrittenDialect, check_dialect, check_native

ATTACKS = [
    "'; DROP TABLE victim; --",
    '"; DROP TABLE victim; --',
    "`; DROP TABLE victim; --",
    "\\'; DROP TABLE victim; --",
    "') AS t; DROP TABLE victim; /*",
    "*/ ; DROP TABLE victim; --",
    "x\n; DROP TABLE victim;\n--",
    "x'); DELETE FROM victim; --",
    "\0'; DROP TABLE victim; --",
    "$$; DROP TABLE victim; $$",
]
COLUMNS = ['c"; DROP TABLE victim; --', "c'; DROP TABLE victim; --", "c\n/* ` \\ ;", "c) --"]


def attacked(levels: list[str]) -> tuple[vt.TreatmentPlan, pd.DataFrame]:
    rows = len(levels) * 8
    data = {c: np.roll(np.array(levels * 8, dtype=object), i) for i, c in enumerate(COLUMNS[:2])}
    data |= {c: np.arange(rows) % (7 + i) * 1.5 for i, c in enumerate(COLUMNS[2:])}
    frame = pd.DataFrame(data)
    outcome = np.arange(rows) % len(levels) + np.arange(rows) % 7
    plan = vt.design_treatments(
        frame, outcome=outcome, coders=["clean", "catN", "catP"], min_fraction=0, random_state=0
    )
    assert set(plan.variables) == {t.column for t in plan.treatments}
    return plan, frame


Victim = tuple[str, Any]


@pytest.fixture(params=["duckdb", "sqlite", "postgres", "mysql", "clickhouse", "spark"])
def victim(request: pytest.FixtureRequest) -> Victim:
    """A connection to a database that has a table to lose."""
    connection: Any
    if request.param == "duckdb":
        connection = duckdb.connect()
    else:
        connection = request.getfixturevalue(request.param)
    if request.param == "spark":
        connection.createDataFrame([(1,), (2,)], "id long").createOrReplaceTempView("victim")
    else:
        engine = " ENGINE = Memory" if request.param == "clickhouse" else ""
        for statement in (
            "DROP TABLE IF EXISTS victim",
            f"CREATE TABLE victim (id int){engine}",
            "INSERT INTO victim VALUES (1), (2)",
        ):
            run(connection, statement, request.param)
    return request.param, connection


def test_nothing_is_dropped_and_results_are_right(victim: Victim) -> None:
    dialect, connection = victim
    levels = [v for v in ATTACKS if "\0" not in v or dialect != "postgres"]
    plan, frame = attacked(levels)
    report = plan.check_sql(connection, frame.iloc[: len(levels) + 3])
    assert report.passed, report
    assert run(connection, "SELECT count(*) FROM victim", dialect) == [(2,)]


def test_names_of_tables_and_row_ids_are_data(victim: Victim) -> None:
    """A table and a row id of awkward names; the query alone, without our loading."""
    dialect, connection = victim
    quoted = check_native(dialect).quoted
    table, row_id = 't"`; DROP TABLE victim; --', "id'; DROP TABLE victim; --"
    frame = pd.DataFrame({row_id: [1, 2, 3], "z": [0.5, None, 2.0]})
    plan = vt.design_treatments(frame[["z"]], outcome_type="unsupervised")
    rows = "(1, 0.5), (2, NULL), (3, 2.0)"
    if dialect == "spark":
        table = "t_1"  # views of Spark have plain names
        columns = f"{quoted(row_id)} int, z double"
        made = connection.createDataFrame([(1, 0.5), (2, None), (3, 2.0)], columns)
        made.createOrReplaceTempView(table)
    else:
        kind = "Nullable(Float64)) ENGINE = Memory" if dialect == "clickhouse" else "float)"
        run(connection, f"CREATE TABLE {quoted(table)} ({quoted(row_id)} int, z {kind}", dialect)
        run(connection, f"INSERT INTO {quoted(table)} VALUES {rows}", dialect)
    found = run(connection, plan.to_sql(table, dialect=dialect, row_id=row_id), dialect)
    if dialect != "spark":
        run(connection, f"DROP TABLE {quoted(table)}", dialect)
    assert sorted(found) == [(1, 0.5, 0.0), (2, 1.25, 1.0), (3, 2.0, 0.0)]
    assert run(connection, "SELECT count(*) FROM victim", dialect) == [(2,)]


ALL = [*get_args(NativeDialect), *get_args(WrittenDialect)]


@pytest.mark.parametrize("dialect", get_args(WrittenDialect))
def test_levels_are_data_where_nothing_is_executed(dialect: str) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    written = check_dialect(dialect)
    for attack in [one for one in ATTACKS if written.holds(one)]:
        parsed = sqlglot.parse(f"SELECT {written.text(attack)} AS x", read=dialect)
        assert [tree.key for tree in parsed] == ["select"]
        (value,) = parsed[0].selects
        literal = value.unalias()
        if literal.key in ("literal", "national") and attack.isprintable():
            assert literal.name == attack
        assert len(list(parsed[0].find_all(sqlglot.exp.Column))) == 0


@pytest.mark.parametrize("name", ["a`; DROP TABLE victim; --", "a\\"])
def test_names_that_would_end_a_quoted_name_of_bigquery_are_refused(name: str) -> None:
    plan = vt.design_treatments(pd.DataFrame({"z": [1.0, 2.0]}), outcome_type="unsupervised")
    for given in ({"source": name}, {"source": "t", "row_id": name}):
        with pytest.raises(vt.VtreatError, match="cannot be written for BigQuery"):
            plan.to_sql(**given, dialect="bigquery")


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize("name", ["nul\0", "", "\ud800"])
def test_names_that_no_table_has_are_refused(dialect: str, name: str) -> None:
    plan = vt.design_treatments(pd.DataFrame({"z": [1.0, 2.0]}), outcome_type="unsupervised")
    with pytest.raises(vt.VtreatError, match="cannot be written as SQL: names must not be empty"):
        plan.to_sql("t", dialect=dialect, row_id=name)


def test_names_that_spark_would_change_are_refused() -> None:
    frame = pd.DataFrame({"${spark.app.name}": [1.0, 2.0]})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    assert "${spark.app.name}" in plan.to_sql("t")
    with pytest.raises(vt.VtreatError, match="Spark, which puts the value of a variable"):
        plan.to_sql("t", dialect="spark")
