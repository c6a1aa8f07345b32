"""What the text of a query is: names, literals, forms, errors."""

from __future__ import annotations

import math
import re
import sqlite3
import struct
from contextlib import closing
from dataclasses import replace
from typing import Any, get_args

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vtreat_py as vt
from tests.sql.running import run
from vtreat_py.sql.dialects import NativeDialect, check_native

DIALECTS = [*get_args(NativeDialect)]


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


def unsupervised(frame: pd.DataFrame, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(frame, outcome_type="unsupervised", **options)


def simple_plan() -> vt.TreatmentPlan:
    frame = pd.DataFrame({"x": ["a", "b", None, "b"] * 5, "z": [1.0, 2.0, np.nan, 4.0] * 5})
    return vt.design_treatments(frame, outcome=np.arange(20.0), random_state=0)


def database(dialect: str) -> closing[Any]:
    return closing(duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:"))


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@settings(max_examples=60, deadline=None)
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_are_read_bit_for_bit(dialect: str, numbers: list[float]) -> None:
    double = check_native(dialect).double
    with database(dialect) as connection:
        values = ", ".join(f"({double(v)})" for v in numbers)
        rows = connection.execute(f"VALUES {values}").fetchall()
    for (found,), number in zip(rows, numbers, strict=True):
        assert bits(found) == bits(number), number


@pytest.mark.parametrize("fixture", ["postgres", "mysql", "clickhouse", "spark"])
def test_floats_are_read_bit_for_bit_by_servers(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    connection = request.getfixturevalue(fixture)
    rng = np.random.default_rng(0)
    numbers = rng.integers(-(2**63), 2**63, 400).view(np.float64)
    numbers = [v for v in numbers.tolist() if math.isfinite(v)] + [-0.0, 5e-324, 0.1, 1e22]
    double = check_native(fixture).double
    query = " UNION ALL ".join(f"SELECT {double(v)} AS v" for v in numbers[-200:])
    found = run(connection, query, fixture)
    assert sorted(bits(row[0]) for row in found) == sorted(
        bits(v + 0.0 if fixture == "mysql" else v)
        for v in numbers[-200:]  # -0.0 is 0.0
    )


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@settings(max_examples=30, deadline=None)
@given(levels=st.lists(st.text(), min_size=2, max_size=25, unique=True))
def test_levels_of_any_text_are_told_apart(dialect: str, levels: list[str]) -> None:
    rows = [level for i, level in enumerate(levels) for _ in range(i + 1)]
    plan = unsupervised(pd.DataFrame({"x": pd.Series(rows, dtype=object)}), coders=["catP"])
    asked = [*levels, *(level + " " for level in levels), *map(str.swapcase, levels), None]
    frame = pd.DataFrame({"x": pd.Series(asked, dtype=object)})
    with database(dialect) as connection:
        report = plan.check_sql(connection, frame)
    assert report.passed, report


@settings(max_examples=40, deadline=None)
@given(
    values=st.lists(st.floats() | st.none(), min_size=1),
    slope=st.floats(-1e6, 1e6),
    mean=st.floats(allow_nan=False, allow_infinity=False),
)
def test_any_number_is_scaled_as_in_memory(
    values: list[float | None], slope: float, mean: float
) -> None:
    plan = simple_plan()
    derived = tuple(
        replace(v, slope=slope, mean=mean) for v in plan.derived if v.orig_variable == "z"
    )
    plan = replace(plan, derived=derived)
    frame = pd.DataFrame({"z": np.array([np.nan if v is None else v for v in values])})
    for dialect in ("duckdb", "sqlite"):
        with database(dialect) as connection:
            assert plan.check_sql(connection, frame, scale=True).passed


def test_lesson_13_a_query_returns_a_row_for_a_row_and_reads_quotes_as_data() -> None:
    """Quotes in levels, spaces in names, infinite numbers, and several classes: rows stay rows."""
    rows = 20
    frame = pd.DataFrame(
        {"of whom": ["it's", 'a "b"'] * 10, "a number": [np.inf, 1.0, -2.0, np.nan, 0.5] * 4}
    )
    plan = vt.design_treatments(frame, outcome=["u", "v", "w", "u"] * 5, random_state=0)
    connection = duckdb.connect()
    report = plan.check_sql(connection, frame)
    assert report.passed, report
    assert report.n_rows_returned == rows
    connection.register("t", frame)
    found = connection.execute(plan.to_sql("t")).fetchall()
    assert len(found) == rows
    assert np.isfinite(np.array(found, dtype=float)).all()


def test_lesson_28_null_is_not_the_text_nan_and_digits_are_kept(
    sqlite: sqlite3.Connection,
) -> None:
    frame = pd.DataFrame({"x": [None] * 4 + ["nan"] * 3 + ["NULL"] * 2 + ["None"]})
    plan = unsupervised(frame, coders=["catP"])
    sqlite.execute("CREATE TABLE t (x TEXT)")
    sqlite.execute("INSERT INTO t VALUES (NULL), ('nan'), ('NULL'), ('None'), ('other')")
    found = sqlite.execute(plan.to_sql("t", dialect="sqlite")).fetchall()
    assert [v for (v,) in found] == [0.4, 0.3, 0.2, 0.1, 0.05]


def test_lesson_28_no_case_of_many_levels() -> None:
    """The number of CASE arms does not grow with the levels."""
    rng = np.random.default_rng(0)
    for n_levels, arms in ((21, 0), (1900, 0), (20, 20)):
        level = np.repeat(np.arange(n_levels), rng.integers(1, 4, n_levels))
        level = np.append(level, [0] * 9)
        plan = unsupervised(pd.DataFrame({"x": level.astype(str)}), coders=["catP"])
        text = plan.to_sql("t")
        listed = re.findall(r"'\d+'", text)
        assert len(listed) == n_levels
        assert (text.count("IN (") > 0) == (arms > 0)
        assert text.count('"t"') == 1


def test_one_join_serves_all_variables_of_a_column() -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(0, 200, 4000)
    frame = pd.DataFrame({"x": level.astype(str)})
    outcome = (level % 3) + rng.normal(size=4000)
    plan = vt.design_treatments(frame, outcome=outcome, random_state=0)
    text = plan.to_sql("t", scale=True)
    assert len(plan.derived) > 1
    assert text.count("LEFT JOIN") == 1


def test_columns_come_in_the_order_of_the_plan_between_row_id_and_extra_columns() -> None:
    plan = simple_plan()
    frame = pd.DataFrame({"id": [7], "x": ["b"], "z": [3.0], "kept": ["as it is"]})
    connection = duckdb.connect()
    connection.register("t", frame)
    result = connection.execute(plan.to_sql("t", row_id="id", extra_columns=["kept"]))
    assert [c[0] for c in result.description] == ["id", *plan.feature_names, "kept"]
    row = result.fetchone()
    assert row is not None
    assert (row[0], row[-1]) == (7, "as it is")


@pytest.mark.parametrize("end", [" -- all", " UNION ALL (SELECT 'b', 2)", ";"])
def test_a_query_in_parentheses_may_go_on_after_them(end: str) -> None:
    text = simple_plan().to_sql(f"(SELECT 'a' AS x, 1.0 AS z){end}")
    assert len(duckdb.connect().execute(text).fetchall()) == 1 + ("UNION" in end)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_names_that_differ_in_case_only_are_told_apart_as_in_lazy_frames(dialect: str) -> None:
    frame = pd.DataFrame({"x": ["a", "A"] * 8})
    plan = unsupervised(frame, coders=["lev"])
    assert plan.feature_names == ["x_lev_x_A", "x_lev_x_a"]
    told = f"{dialect} does not tell upper from lower case .*'x_lev_x_a' is called 'x_lev_x_a_2' in"
    with pytest.warns(vt.VtreatWarning, match=told):
        text = plan.to_sql("t", dialect=dialect, row_id="x")
    with pytest.warns(vt.VtreatWarning, match=told):  # whichever are chosen
        assert '"x_lev_x_a_2"' in plan.to_sql("t", dialect=dialect, variables=["x_lev_x_a"])
    with database(dialect) as connection:
        connection.execute("CREATE TABLE t AS SELECT 'a' AS x")
        connection.execute(f"CREATE TABLE treated AS {text}")
        result = connection.execute("SELECT * FROM treated")
        assert [c[0] for c in result.description] == ["x", "x_lev_x_A", "x_lev_x_a_2"]
        assert result.fetchall() == [("a", 0.0, 1.0)]
        with pytest.warns(vt.VtreatWarning, match=told):
            assert plan.check_sql(connection, frame).passed
    assert '"x_lev_x_a"' in plan.to_sql("t", dialect="postgres")


def test_a_row_id_must_not_be_a_derived_variable_in_other_case() -> None:
    plan = simple_plan()
    with pytest.raises(vt.VtreatError, match=r"would give 'Z_ISBAD' twice \(in upper or"):
        plan.to_sql("t", row_id="Z_ISBAD")
    assert '"Z_ISBAD"' in plan.to_sql("t", row_id="Z_ISBAD", dialect="postgres")


def test_a_source_is_a_name_or_parts_of_a_name_or_a_query() -> None:
    plan = unsupervised(pd.DataFrame({"z": [1.0, 2.0]}))
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 3.0 AS z")
    connection.execute('CREATE TABLE "s.t" AS SELECT 4.0 AS z')
    connection.execute('CREATE TABLE "SELECT 1" AS SELECT 5.0 AS z')
    connection.execute("CREATE TABLE vtreat_rows AS SELECT 6.0 AS z")
    for source, expected in [
        (("s", "t"), 3.0),
        ("s.t", 4.0),
        (("SELECT 1",), 5.0),
        ("vtreat_rows", 6.0),
        ("SELECT * FROM vtreat_rows -- all of them", 6.0),
        ("(SELECT 7.0 AS z)", 7.0),
        (" with q as (select 8.0 as z) select * from q;\n", 8.0),
    ]:
        assert connection.execute(plan.to_sql(source)).fetchall() == [(expected,)]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_column_that_the_table_lacks_is_an_error(dialect: str) -> None:
    """Not text of its name (SQLite), nor a column of the query itself (DuckDB)."""
    plan = unsupervised(pd.DataFrame({"c1": [1.0, 2.0], "x": ["a", "x"]}), coders=["clean", "lev"])
    with database(dialect) as connection:
        connection.execute("CREATE TABLE t (id int, x text)")
        connection.execute("CREATE TABLE u (id int, c1 float)")
        for table, lacking in (("t", "c1"), ("u", "x")):
            with pytest.raises((duckdb.BinderException, sqlite3.OperationalError), match=lacking):
                connection.execute(plan.to_sql(table, dialect=dialect, row_id="id"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": 3}, r"source=3 must be the name of a table"),
        ({"source": ()}, r"source is empty"),
        ({"dialect": 3}, r"dialect=3 must be a name"),
        ({"dialect": "oops"}, r"dialect='oops' is not known; tests execute duckdb, sqlite, .* "
                              r"by rules alone there are snowflake, bigquery"),
        ({"row_id": "z_isBAD"}, r"would give 'z_isBAD' twice"),
        ({"row_id": ["q"]}, r"row_id=\['q'\] is no name"),
        ({"row_id": "q", "extra_columns": ["q"]}, r"would give 'q' twice"),
        ({"extra_columns": ["z_isBAD"]}, r"extra_columns names 'z_isBAD'"),
        ({"row_id": "X"}, r"columns 'X' and 'x' have one name in duckdb"),
        ({"dialect": "postgres", "row_id": "q" * 64}, r"has 64 bytes; postgres cuts names after"),
        ({"variables": ["nope"]}, r"variables names \['nope'\]"),
        ({"scale": 1}, r"scale=1 must be True or False"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(vt.VtreatError, match=message):
        simple_plan().to_sql(**({"source": "t"} | options))


def test_a_query_of_no_columns_is_refused_and_one_of_row_ids_is_not() -> None:
    plan = simple_plan()
    with (
        pytest.warns(vt.VtreatWarning, match="no derived variable is left"),
        pytest.raises(vt.VtreatError, match="a query needs a column"),
    ):
        plan.to_sql("t", variables=[])
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        text = plan.to_sql("t", variables=[], row_id="id")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 5 AS id")
    assert connection.execute(text).fetchall() == [(5,)]


def test_unsupervised_plans_are_not_scaled() -> None:
    plan = unsupervised(pd.DataFrame({"z": [1.0, 2.0]}))
    with pytest.raises(vt.VtreatError, match="scale=True needs an outcome"):
        plan.to_sql("t", scale=True)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_levels_of_several_types_are_refused_by_name(dialect: str) -> None:
    frame = pd.DataFrame({"mixed": pd.Series([1, "one", 2.5, "1"] * 5, dtype=object)})
    plan = unsupervised(frame, coders=["lev"])
    with pytest.raises(vt.VtreatError, match="'mixed' has levels of type int, str, float"):
        plan.to_sql("t", dialect=dialect)


def test_large_integers_are_refused_as_levels() -> None:
    plan = unsupervised(pd.DataFrame({"id": pd.Categorical([2**53 + 1, 2**53] * 5)}))
    with pytest.raises(vt.VtreatError, match="'id' has the level 9007199254740993"):
        plan.to_sql("t")


@pytest.mark.parametrize(
    "levels",
    [
        [b"a\0'", b"A", b""],
        [True, False],
        [1.5, -0.0, math.inf],
        [pd.Timestamp("2024-02-29 12:00:00.25"), pd.Timestamp("1969-12-31")],
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_levels_that_are_not_text(
    dialect: str, levels: list[Any], request: pytest.FixtureRequest
) -> None:
    values = pd.Categorical([*levels, None] * 6, categories=levels)
    if dialect == "mysql":  # which has no infinite numbers
        values = values.remove_categories([one for one in levels if one == math.inf])
    plan = unsupervised(pd.DataFrame({"x": values}), coders=["lev", "catP"], min_fraction=0.01)
    connection = duckdb.connect() if dialect == "duckdb" else request.getfixturevalue(dialect)
    report = plan.check_sql(connection, pd.DataFrame({"x": values[:9]}))
    assert report.passed, report


def test_lone_surrogates_are_left_out_with_a_warning() -> None:
    plan = unsupervised(pd.DataFrame({"x": pd.Series(["a", "\ud800"] * 5, dtype=object)}))
    with pytest.warns(vt.VtreatWarning, match="'x' has 1 level that duckdb cannot hold in text"):
        text = plan.to_sql("t", coders=["lev"])
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 'a' AS x")
    assert connection.execute(text).fetchall() in ([(1.0, 0.0)], [(0.0, 1.0)])


@pytest.mark.parametrize("dialect", ["sqlite", "clickhouse", "spark"])
def test_kinds_without_a_type_are_refused_by_name(dialect: str) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"at": pd.to_datetime(["2020-01-01 10:00", "2020-01-01 11:00"]).time})
    plan = unsupervised(frame)
    with pytest.raises(vt.VtreatError, match=f"'at' holds values of kind 'time', which {dialect}"):
        plan.to_sql("t", dialect=dialect)


@pytest.mark.parametrize("fixture", ["duckdb", "postgres", "mysql", "spark"])
def test_durations_and_times(fixture: str, request: pytest.FixtureRequest) -> None:
    connection = duckdb.connect() if fixture == "duckdb" else request.getfixturevalue(fixture)
    micros = np.array([0, 1, -1, 86_400_000_001, -12_345_678_901, 3_600_000_000])
    frame = pd.DataFrame({"z": micros})
    if fixture != "mysql":
        frame["took"] = micros.astype("timedelta64[us]")
    if fixture != "spark":
        frame["at"] = pd.to_datetime(np.abs(micros) % 86_400_000_000, unit="us").time
    plan = unsupervised(frame)
    assert len(plan.derived) == len(frame.columns)
    report = plan.check_sql(connection, frame)
    assert report.passed, report


def test_sqlite_reads_iso_text_and_takes_anything_else_for_a_bad_value(
    sqlite: sqlite3.Connection,
) -> None:
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "1969-12-31", None]).date
    frame = pd.DataFrame({"day": pd.Series(days, dtype=object).where([True] * 3 + [False], None)})
    plan = unsupervised(frame, coders=["clean"], imputation=-1.0)
    sqlite.execute("CREATE TABLE t (day)")
    sqlite.execute("INSERT INTO t VALUES ('2024-02-29'), ('now'), (7), (NULL), ('1969-12-30')")
    found = sqlite.execute(plan.to_sql("t", dialect="sqlite")).fetchall()
    assert [v for (v,) in found] == [19782, -1, -1, -1, -2]
    plan = unsupervised(pd.DataFrame({"z": [1.0, 2.0]}), imputation=-1.0)
    sqlite.execute("CREATE TABLE u (z)")
    sqlite.execute("INSERT INTO u VALUES (3), ('3'), (X'33'), (NULL), (-9e999), (0.1)")
    found = sqlite.execute(plan.to_sql("u", dialect="sqlite")).fetchall()
    assert [v for (v,) in found] == [3, -1, -1, -1, -1, 0.1]


def test_sqlite_does_not_round_moments_to_milliseconds(sqlite: sqlite3.Connection) -> None:
    text = ["2020-01-01 00:00:59.9995", "1969-12-31T23:59:59.999999", "2020-02-28 23:59:59.9996"]
    frame = pd.DataFrame({"at": pd.to_datetime(text, format="ISO8601")})
    plan = unsupervised(frame, coders=["clean"], imputation=-1.0)
    report = plan.check_sql(sqlite, frame)
    assert report.passed, report
    sqlite.execute("CREATE TABLE t (at)")
    moments = ["1970-01-01 01:00:00.9999+01:00", "1970-01-01 00:00", "1970-01-01 00:00:00."]
    sqlite.executemany("INSERT INTO t VALUES (?)", [(v,) for v in moments])
    found = sqlite.execute(plan.to_sql("t", dialect="sqlite")).fetchall()
    assert [v for (v,) in found] == [0.9999, 0.0, -1.0]


@pytest.mark.parametrize(("dialect", "column"), [
    ("duckdb", "VARCHAR COLLATE NOCASE"), ("sqlite", "TEXT COLLATE NOCASE"),
    ("sqlite", "TEXT COLLATE RTRIM"), ("sqlite", "INTEGER"),
])  # fmt: skip
@pytest.mark.parametrize("n_levels", [4, 40])
def test_collations_of_the_table_do_not_matter(dialect: str, column: str, n_levels: int) -> None:
    levels = ["a", "A", "a ", "1"] + [f"l{i}" for i in range(n_levels - 4)]
    rows = [level for i, level in enumerate(levels) for _ in range(i + 1)]
    plan = unsupervised(pd.DataFrame({"x": rows}), coders=["catP"])
    asked = ["a", "A", "a ", "A ", "\u00c4"]
    with database(dialect) as connection:
        connection.execute(f"CREATE TABLE t (x {column})")
        connection.execute("INSERT INTO t VALUES " + ", ".join(f"('{v}')" for v in asked))
        found = connection.execute(plan.to_sql("t", dialect=dialect)).fetchall()
    expected = vt.prepare(plan, pd.DataFrame({"x": asked}))
    assert [v for (v,) in found] == expected["x_catP"].tolist()


def test_nondeterministic_collations_of_postgres_do_not_matter(postgres: Any) -> None:
    made = postgres.execute(
        "SELECT count(*) FROM pg_collation WHERE collname = 'und-x-icu'"
    ).fetchone()
    if not made[0]:
        pytest.skip("this PostgreSQL is built without ICU")
    plan = unsupervised(pd.DataFrame({"x": ["a", "A", "A"]}), coders=["lev"])
    with postgres.transaction(force_rollback=True):
        postgres.execute(
            "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', "
            "deterministic = false)"
        )
        postgres.execute("CREATE TABLE t (x text COLLATE blind)")
        postgres.execute("INSERT INTO t VALUES ('a')")
        found = postgres.execute(plan.to_sql("t", dialect="postgres")).fetchall()
    assert [sum(row) for row in found] == [1.0]


def test_postgres_settings_do_not_change_a_level(postgres: Any) -> None:
    frame = pd.DataFrame({"x": ["back\\slash", "\\'", "plain"], "z": [0.0, 0.25, 1.0]})
    plan = unsupervised(frame, coders=["lev", "clean"])
    with postgres.transaction(force_rollback=True):
        postgres.execute("SET LOCAL standard_conforming_strings = off")
        postgres.execute("SET LOCAL escape_string_warning = off")
        report = plan.check_sql(postgres, frame)
    assert report.passed, report


def test_spark_settings_do_not_change_a_level(spark: Any) -> None:
    frame = pd.DataFrame({"x": ["back\\slash", "\\'", "tab\t", "${spark.app.name}"]})
    plan = unsupervised(frame, coders=["lev"])
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        report = plan.check_sql(spark, frame)
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")
    assert report.passed, report


def test_sqlite_joins_only_so_many_tables(sqlite: sqlite3.Connection) -> None:
    rows = 60
    frame = pd.DataFrame({f"x{i}": np.arange(rows) % 30 for i in range(61)}).astype(str)
    frame.iloc[-1] = frame.iloc[0]
    plan = unsupervised(frame, coders=["catP", "lev"], min_fraction=0.01)
    with pytest.raises(vt.VtreatError, match="more than 60 columns have more than 20 levels"):
        plan.to_sql("t", dialect="sqlite")
    names = [v.name for v in plan.derived if v.orig_variable != "x7"]
    assert plan.check_sql(sqlite, frame.head(5), variables=names).passed


@pytest.mark.long
def test_engines_take_only_so_many_columns(sqlite: sqlite3.Connection) -> None:
    frame = pd.DataFrame({f"z{i}": [1.0, 2.0] for i in range(2001)})
    plan = unsupervised(frame)
    for dialect, most in (("sqlite", 2000), ("postgres", 1664)):
        with pytest.raises(vt.VtreatError, match=f"has 2001 columns; {dialect} takes {most}"):
            plan.to_sql("t", dialect=dialect)
    with pytest.raises(vt.VtreatError, match="has 2002 columns; sqlite"):
        plan.check_sql(sqlite, frame)
    names = plan.feature_names[:1999]
    assert plan.check_sql(sqlite, frame, variables=names).passed
