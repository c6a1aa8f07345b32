"""Coding tables are loaded, and a comparison sees what differs and leaves nothing behind."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.sql.running import run
from tests.versions import older
from vtreat_py.sql import check, query

ENGINES = ["duckdb", "sqlite", "postgres", "mysql", "clickhouse", "spark"]


@pytest.fixture(params=ENGINES)
def connection(request: pytest.FixtureRequest) -> Any:
    if request.param == "duckdb":
        return duckdb.connect()
    return request.getfixturevalue(request.param)


def dialect_of(connection: Any) -> str:
    module = type(connection).__module__.partition(".")[0].strip("_")
    others = {"pymysql": "mysql", "chdb": "clickhouse", "pyspark": "spark"}
    return ({"sqlite3": "sqlite", "psycopg": "postgres"} | others).get(module, module)


def fetched(connection: Any, text: str) -> list[tuple[Any, ...]]:
    return run(connection, text, dialect_of(connection))


def tables_of(connection: Any) -> set[str]:
    text = {
        "duckdb": "SELECT table_name FROM information_schema.tables",
        "sqlite": "SELECT name FROM sqlite_master UNION ALL SELECT name FROM sqlite_temp_master",
        "postgres": "SELECT relname FROM pg_class WHERE relname LIKE 'vtreat%'",
        "spark": "SHOW VIEWS",
        "mysql": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'tests'",
        "clickhouse": "SELECT name FROM system.tables WHERE name LIKE 'vtreat%'",
    }[dialect_of(connection)]
    return {str(value) for row in fetched(connection, text) for value in row}


def many_levels(n_levels: int = 2100, seed: int = 0) -> tuple[vt.TreatmentPlan, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    level = np.repeat(np.arange(n_levels), 2)
    frame = pd.DataFrame({"User Id": [f"u{i}" for i in level]})
    outcome = rng.normal(size=n_levels)[level] + rng.normal(size=len(level)) / 4
    return vt.design_treatments(frame, outcome=outcome, random_state=0), frame


def test_coding_tables_are_named_by_what_is_in_them() -> None:
    plan, _frame = many_levels()
    ((name, table),) = plan.coding_tables().items()
    assert name.startswith("vtreat_user_id_")
    assert len(name.encode()) <= 63
    assert list(many_levels()[0].coding_tables()) == [name]
    assert list(many_levels(seed=1)[0].coding_tables()) != [name]
    assert list(vt.TreatmentPlan.from_json(plan.to_json()).coding_tables()) == [name]
    assert table.columns.tolist() == ["level", *(f"code_{i + 1}" for i in range(len(plan.derived)))]
    levels = pd.DataFrame({"User Id": table["level"]})
    np.testing.assert_array_equal(table.iloc[:, 1:].to_numpy(), vt.prepare(plan, levels).to_numpy())


def test_codes_are_in_the_order_of_the_plan() -> None:
    """With indicators and several classes, a column's own order is another."""
    rng = np.random.default_rng(0)
    level = np.append(np.repeat(np.arange(2100), 2), [7] * 900)
    frame = pd.DataFrame({"x": [f"u{i}" for i in level]})
    outcome = np.array(["a", "b", "c"])[(level + (rng.random(len(level)) < 0.2)) % 3]
    plan = vt.design_treatments(frame, outcome=outcome, random_state=0)
    assert [v.name for v in plan.derived] != [v.name for v in plan.treatments[0].variables]
    ((_, table),) = plan.coding_tables().items()
    expected = vt.prepare(plan, pd.DataFrame({"x": table["level"]}))
    np.testing.assert_array_equal(table.iloc[:, 1:].to_numpy(), expected.to_numpy())


def test_a_plan_of_few_levels_has_no_coding_tables() -> None:
    plan, _ = many_levels(2000)
    assert plan.coding_tables() == {}


@pytest.mark.parametrize("scale", [False, True])
def test_loaded_tables_serve_queries_of_all_options(connection: Any, scale: bool) -> None:
    plan, _frame = many_levels()
    names = plan.load_coding_tables(connection)
    assert names == list(plan.coding_tables())
    assert plan.load_coding_tables(connection) == names
    asked = ["u3", "u2099", "nobody"]
    rows = ", ".join(f"('{v}')" for v in asked)
    source = f'(SELECT v AS "User Id" FROM (VALUES {rows}) AS t(v))'
    if dialect_of(connection) == "sqlite":
        source = f'(SELECT column1 AS "User Id" FROM (VALUES {rows}))'
    if dialect_of(connection) in ("mysql", "clickhouse"):
        source = f"({' UNION ALL '.join(f'SELECT {q!r} AS `User Id`' for q in asked)})"
    if dialect_of(connection) == "spark":
        source = source.replace('"', "`")
    text = plan.to_sql(source, dialect=dialect_of(connection), row_id="User Id", scale=scale,
                       coders=["catN"])  # fmt: skip
    found = {row[0]: row[1] for row in fetched(connection, text)}
    expected = vt.prepare(plan, pd.DataFrame({"User Id": asked}), scale=scale, coders=["catN"])
    assert [found[v] for v in asked] == expected["User_Id_catN"].tolist()
    for name in names:
        if dialect_of(connection) == "spark":
            connection.catalog.dropTempView(name)
        else:
            fetched(connection, f"DROP TABLE {name}")


def test_nothing_is_left_behind(connection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, frame = many_levels()
    before = tables_of(connection)
    assert plan.check_sql(connection, frame.head(20)).passed
    assert tables_of(connection) == before

    def broken(*_: Any) -> str:
        return "SELECT no such thing"

    monkeypatch.setattr(check, "plan_to_sql", broken)
    with pytest.raises(Exception, match=r"(?i)no|such|thing"):
        plan.check_sql(connection, frame.head(20))
    assert tables_of(connection) == before


def test_transactions_of_the_caller_stay_as_they_are(
    sqlite: sqlite3.Connection, postgres: Any
) -> None:
    plan, frame = many_levels()
    sqlite.execute("CREATE TABLE kept (a)")
    sqlite.execute("INSERT INTO kept VALUES (1)")
    assert sqlite.in_transaction
    assert plan.check_sql(sqlite, frame.head(9)).passed
    assert sqlite.in_transaction
    sqlite.rollback()
    assert fetched(sqlite, "SELECT count(*) FROM kept") == [(0,)]
    assert plan.check_sql(sqlite, frame.head(9)).passed
    assert not sqlite.in_transaction
    with postgres.transaction(force_rollback=True):
        postgres.execute("CREATE TABLE kept (a int)")
        assert plan.check_sql(postgres, frame.head(9)).passed
        assert fetched(postgres, "SELECT count(*) FROM kept") == [(0,)]


def test_a_difference_is_seen() -> None:
    plan, frame = many_levels()
    original = query.plan_to_sql

    def off(*given: Any) -> str:
        inner = original(*given)
        return (
            f"SELECT vtreat_row, CASE WHEN vtreat_row = 3 THEN 0.5e0 + {name} "
            f"WHEN vtreat_row = 4 THEN NULL ELSE {name} END FROM ({inner}) AS q "
            "WHERE vtreat_row <> 7 UNION ALL "
            f"SELECT vtreat_row, {name} FROM ({inner}) AS q WHERE vtreat_row = 5"
        )

    name = "User_Id_catN"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "plan_to_sql", off)
        connection = duckdb.connect()
        report = plan.check_sql(connection, frame.head(10), variables=[name], tolerance=1e-9)
    assert not report.passed
    assert report.rows_that_differ == 3  # one is off, one NULL, one missing
    assert report.largest_difference == np.inf
    assert report.n_rows_returned == 10
    assert report.differences["rows_that_differ"].tolist() == [2]
    assert "FAILED" in repr(report)
    assert name in repr(report)


def test_a_row_that_comes_twice_is_seen() -> None:
    plan, frame = many_levels()
    original = query.plan_to_sql
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            check,
            "plan_to_sql",
            lambda *a: f"SELECT * FROM ({original(*a)}) UNION ALL SELECT * FROM ({original(*a)})",
        )
        report = plan.check_sql(duckdb.connect(), frame.head(4))
    assert (report.passed, report.n_rows_returned) == (False, 8)
    assert "the query returned 8 rows" in repr(report)


def test_a_tolerance_is_what_may_differ() -> None:
    plan, frame = many_levels()
    original = query.plan_to_sql

    def moved(*given: Any) -> str:
        return f"SELECT vtreat_row, User_Id_catN + 1e-9 FROM ({original(*given)})"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "plan_to_sql", moved)
        for tolerance, passed in ((0.0, False), (1e-8, True)):
            report = plan.check_sql(
                duckdb.connect(), frame.head(9), coders=["catN"], tolerance=tolerance
            )
            assert (report.passed, report.tolerance) == (passed, tolerance)


def test_errors_say_what_is_wrong(postgres: Any) -> None:
    plan, frame = many_levels()
    with pytest.raises(vt.VtreatError, match="connection is of type int; give a connection of"):
        plan.check_sql(5, frame)
    with pytest.raises(vt.VtreatError, match="connection is of type str"):
        plan.load_coding_tables("data.db")
    with pytest.raises(vt.VtreatError, match="tolerance=-1; it must be >= 0"):
        plan.check_sql(duckdb.connect(), frame, tolerance=-1)
    with pytest.raises(vt.VtreatError, match="dialect='bigquery' is written, and cannot be run"):
        plan.check_sql(duckdb.connect(), frame, dialect="bigquery")
    with pytest.raises(vt.VtreatError, match=r"column 'User Id' holds 'a\\x00b', which postgres"):
        plan.check_sql(postgres, pd.DataFrame({"User Id": ["a\0b", "c"]}))
    mixed = pd.DataFrame({"User Id": pd.Series(["u1", 2], dtype=object)})
    with pytest.raises(vt.VtreatError, match="column 'User Id' cannot be loaded into a table"):
        plan.check_sql(duckdb.connect(), mixed)


def test_a_dialect_can_be_named_for_connections_of_another_type(
    sqlite: sqlite3.Connection,
) -> None:
    class Wrapped:
        def __getattr__(self, name: str) -> Any:
            return getattr(sqlite, name)

    plan, frame = many_levels()
    assert plan.check_sql(Wrapped(), frame.head(9), dialect="sqlite").dialect == "sqlite"


@pytest.mark.parametrize(
    ("make", "dialect"),
    [
        (lambda sqlite: sqlite.cursor(), None),
        (lambda sqlite: sqlite, "duckdb"),
        (lambda _: duckdb.connect(), "postgres"),
    ],
)
def test_what_is_no_connection_of_a_dialect_is_refused(
    sqlite: sqlite3.Connection, make: Any, dialect: str | None
) -> None:
    plan, _ = many_levels(3)
    with pytest.raises(vt.VtreatError, match="is no connection to"):
        plan.load_coding_tables(make(sqlite), dialect=dialect)


def test_rows_may_be_anything_to_the_caller(sqlite: sqlite3.Connection) -> None:
    plan, frame = many_levels()
    sqlite.row_factory = sqlite3.Row
    assert plan.load_coding_tables(sqlite) == plan.load_coding_tables(sqlite)
    assert plan.check_sql(sqlite, frame.head(9)).passed


def test_arrays_are_compared_too() -> None:
    array = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]] * 4)
    plan = vt.design_treatments(array, outcome=np.arange(12.0), random_state=0)
    report = plan.check_sql(duckdb.connect(), array, scale=True)
    assert report.passed, report


def test_a_derived_variable_may_be_named_like_a_row_id() -> None:
    frame = pd.DataFrame({"vtreat row": [1.0, 2.0, 4.0]})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    assert plan.feature_names == ["vtreat_row"]
    assert plan.check_sql(duckdb.connect(), frame).passed


@pytest.mark.skipif(older("duckdb", "1.5"), reason="DuckDB before 1.5 cuts times to microseconds")
def test_times_of_nanoseconds_are_read_by_duckdb() -> None:
    frame = pa.table({"at": pa.array([1, 43_200_123_456_789, None], pa.time64("ns"))})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    report = plan.check_sql(duckdb.connect(), frame)
    assert report.passed, report


def test_columns_that_an_engine_has_no_type_for(sqlite: sqlite3.Connection) -> None:
    half = pa.table({"z": pa.array(np.arange(5).astype(np.float16))})
    plan = vt.design_treatments(half, outcome_type="unsupervised")
    assert plan.check_sql(duckdb.connect(), half).passed
    frame = pd.DataFrame({"took": pd.to_timedelta([1, 2, 3], unit="s")})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    with pytest.raises(vt.VtreatError, match="'took' holds values of kind 'duration', which"):
        plan.check_sql(sqlite, frame)


def test_no_variable_means_nothing_to_differ() -> None:
    plan, frame = many_levels()
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        report = plan.check_sql(duckdb.connect(), frame.head(3), variables=[])
    assert report.passed
    assert report.largest_difference == 0


def test_load_is_undone_where_it_fails(sqlite: sqlite3.Connection) -> None:
    plan, _ = many_levels()
    (name,) = plan.coding_tables()
    sqlite.execute(f"CREATE TABLE {name}_level (a)")  # the name of the index is taken
    with pytest.raises(sqlite3.OperationalError, match="already"):
        plan.load_coding_tables(sqlite)
    assert name not in tables_of(sqlite)
