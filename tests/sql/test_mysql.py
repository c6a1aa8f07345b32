"""What MySQL and MariaDB have of their own: collations, modes, clocks, transactions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.running import run
from tests.sql.test_check import many_levels
from vtreat_py.sql import mysql_connection


def unsupervised(frame: pd.DataFrame, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(frame, outcome_type="unsupervised", **options)


def asked(connection: Any, *statements: str) -> list[tuple[Any, ...]]:
    return [run(connection, statement, "mysql") for statement in statements][-1]


@pytest.fixture
def t(mysql: Any) -> Iterator[Any]:
    """The connection; a table t is gone afterwards."""
    yield mysql
    asked(mysql, "DROP TABLE IF EXISTS t", "SET sql_mode = DEFAULT", "SET time_zone = DEFAULT")


@pytest.mark.parametrize(
    "column",
    [
        "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "varchar(20) CHARACTER SET latin1",
        "varchar(20) CHARACTER SET utf16",
        "text CHARACTER SET utf8mb4",
        "varbinary(20)",
    ],
)
@pytest.mark.parametrize("n_levels", [5, 40])
def test_collations_of_the_table_do_not_matter(t: Any, column: str, n_levels: int) -> None:
    """A row comes once, though all collations but binary ones take some levels for one."""
    levels = ["a", "A", "a ", "\u00e9", "e"] + [f"l{i}" for i in range(n_levels - 5)]
    rows = [level for i, level in enumerate(levels) for _ in range(i + 1)]
    plan = unsupervised(pd.DataFrame({"x": rows}), coders=["catP"])
    given = ["a", "A", "a ", "A ", "\u00e9", "E", "a\t"]
    listed = ", ".join(f"({i}, '{v}')" for i, v in enumerate(given))
    asked(t, f"CREATE TABLE t (id int, x {column})", f"INSERT INTO t VALUES {listed}")
    text = plan.to_sql("t", dialect="mysql", row_id="id")
    found = asked(t, f"{text} ORDER BY 1")
    expected = vt.prepare(plan, pd.DataFrame({"x": given}))["x_catP"].tolist()
    assert found == list(enumerate(expected))


@pytest.mark.parametrize("mode", ["NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "PIPES_AS_CONCAT", ""])
def test_modes_do_not_change_a_query(t: Any, mode: str) -> None:
    levels = ["back\\slash", "\\'", 'say "so"', "a||b", "plain"]
    plan = unsupervised(pd.DataFrame({"x y": levels * 3, "z": [1.0, 2, 3, 4, 5] * 3}),
                        coders=["lev", "clean"])  # fmt: skip
    asked(t, "CREATE TABLE t (`x y` text, z double)")
    with t.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, 1)", [(one,) for one in levels])
    asked(t, f"SET sql_mode = '{mode}'")
    found = asked(t, plan.to_sql("t", dialect="mysql"))
    assert [sum(row) for row in found] == [2.0] * 5


def test_a_connection_of_another_character_set_gives_the_same(t: Any) -> None:
    plan = unsupervised(pd.DataFrame({"x": ["\u00e9", "e", "\U0001f600"] * 4}), coders=["lev"])
    asked(t, "CREATE TABLE t (x text CHARACTER SET utf8mb4)")
    asked(t, "INSERT INTO t VALUES (_utf8mb4 X'C3A9'), (_utf8mb4 X'F09F9880')")
    text = plan.to_sql("t", dialect="mysql", variables=plan.feature_names)
    asked(t, "SET NAMES latin1 COLLATE latin1_general_ci")
    try:
        found = asked(t, f"SELECT * FROM ({text.replace(chr(0xE9), 'q')}) AS q")
    finally:
        asked(t, "SET NAMES utf8mb4")
    assert [sum(row) for row in found] == [1.0, 1.0]


def test_timestamps_are_read_by_the_clock_of_the_session(t: Any) -> None:
    plan = unsupervised(pd.DataFrame({"at": pd.to_datetime(["2020-01-01", "2020-01-02"])}))
    text = plan.to_sql("t", dialect="mysql")
    asked(t, "SET time_zone = '+02:00'", "CREATE TABLE t (at timestamp(6) NULL)")
    asked(t, "INSERT INTO t VALUES ('1970-01-01 02:00:01.500000')")
    assert asked(t, text) == [(7201.5,)]
    assert asked(t, "SET time_zone = '+00:00'", text) == [(1.5,)]


def test_zero_dates_are_missing(t: Any) -> None:
    plan = unsupervised(
        pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"]).date}), imputation=-7.0
    )
    asked(t, "SET sql_mode = ''", "CREATE TABLE t (day date)")
    asked(t, "INSERT INTO t VALUES ('0000-00-00'), ('1970-01-03')")
    assert asked(t, plan.to_sql("t", dialect="mysql")) == [(-7.0,), (2.0,)]


def test_coding_tables_are_made_whole_or_not_at_all(
    mysql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, _ = many_levels()
    (name,) = plan.coding_tables()
    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = database()"
    with monkeypatch.context() as patch:
        patch.setattr(mysql_connection, "_for_mysql", lambda value: object())
        with pytest.raises(Exception, match=r"(?i)object"):
            plan.load_coding_tables(mysql)
    assert (name,) not in asked(mysql, tables)
    asked(mysql, "CREATE DATABASE codes")
    try:
        assert plan.load_coding_tables(mysql, coding_schema="codes") == [name]
        assert plan.load_coding_tables(mysql, coding_schema="codes") == [name]
        assert (name,) not in asked(mysql, tables)
        source = "(SELECT 'u3' AS `User Id`)"
        text = plan.to_sql(source, dialect="mysql", coding_schema="codes")
        expected = vt.prepare(plan, pd.DataFrame({"User Id": ["u3"]}))
        assert asked(mysql, text) == [tuple(expected.iloc[0])]
        key = asked(mysql, f"SHOW INDEX FROM codes.`{name}`")
        assert [row[4] for row in key] == ["level"]
    finally:
        asked(mysql, "DROP DATABASE codes")


def test_other_drivers_are_told_by_their_module(mysql: Any) -> None:
    plan, frame = many_levels()
    made = type("Driver", (), {"__module__": "MySQLdb.connections", "cursor": mysql.cursor})
    report = plan.check_sql(made(), frame.head(9))
    assert (report.dialect, report.passed) == ("mysql", True)
    with pytest.raises(vt.VtreatError, match="which is no connection to mysql"):
        plan.check_sql(type("Cursor", (), {"__module__": "pymysql.cursors"})(), frame.head(9))


def test_infinite_numbers_are_loaded_as_missing_ones(mysql: Any) -> None:
    frame = pd.DataFrame({"z": [1.0, np.inf, -np.inf, np.nan, 3.0] * 4})
    plan = unsupervised(frame)
    report = plan.check_sql(mysql, frame)
    assert report.passed, report
