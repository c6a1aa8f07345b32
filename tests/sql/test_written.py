"""Dialects that no engine runs here: their text by kind of column, and that it can be parsed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.sql.dialects import WrittenDialect, check_dialect

WRITTEN = get_args(WrittenDialect)
ROWS = 400


def many_knots(x: Any, y: Any, weight: Any) -> Any:
    return np.round(np.sin(3 * x), 2)


def frame() -> pd.DataFrame:
    """A column of each kind."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2015-01-01", periods=ROWS, freq="7D")
    moments = pd.date_range("2019-01-01", periods=ROWS, freq="7h17min")
    text = np.array(["a", "it's", "b\\c", "\u00e9", "a ", None], dtype=object)
    return pd.DataFrame(
        {
            "few": rng.choice(text, ROWS),
            "many": [f"k{i % 30}" for i in range(ROWS)],
            "z": rng.normal(size=ROWS),
            "share": rng.random(ROWS),
            "truth": rng.random(ROWS) < 0.5,
            "day": pd.Series(days.date, dtype=object),
            "at": moments,
            "zone": moments.tz_localize("UTC").tz_convert("Europe/Paris"),
            "clock": moments.time,
            "code": pd.Categorical(rng.integers(0, 5, ROWS)),
            "bin": [bytes([65 + i % 4, 0]) for i in range(ROWS)],
        }
    )


@pytest.fixture(scope="module")
def plan() -> vt.TreatmentPlan:
    rows = frame()
    outcome = rows["z"] + rows["truth"] + np.random.default_rng(1).normal(size=ROWS)
    return vt.design_treatments(
        rows,
        outcome=outcome,
        random_state=0,
        calendar=["month", "weekday", "week", "is_month_end", "hour"],
        composites=[("few", "truth")],
        custom_coders={"curve": vt.NumberCoder(many_knots)},
        coders=["clean", "isBAD", "lev", "catN", "catP", "curve"],
        min_fraction=0.03,
    )


def written(plan: vt.TreatmentPlan, dialect: str, *columns: str, **options: Any) -> str:
    names = [v.name for v in plan.derived if v.orig_variable in columns]
    return plan.to_sql("t", dialect=dialect, variables=names, **options)


CANNOT = {
    "tsql": {"zone_month", "zone_weekday", "zone_week", "zone_is_month_end", "zone_hour"},
    "oracle": {"clock"},
    "databricks": {"clock"},
}


@pytest.mark.long  # sqlglot takes seconds for the deepest of them
@pytest.mark.parametrize("dialect", WRITTEN)
def test_each_column_is_written_or_refused_by_name(dialect: str, plan: vt.TreatmentPlan) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    columns = list(dict.fromkeys(str(v.orig_variable) for v in plan.derived))
    assert {"few", "few:truth", "at_hour", "day_week", "z"} <= set(columns)
    for column in columns:
        if column in CANNOT.get(dialect, ()):
            with pytest.raises(InvalidOptionError, match=f"column {column!r}"):
                written(plan, dialect, column)
            continue
        codes = {v.code: v.name for v in plan.derived if v.orig_variable == column}
        names = [v.name for v in plan.derived if v.name in codes.values()]
        text = plan.to_sql("t", dialect=dialect, variables=names, scale=True, row_id="id")
        assert text.startswith(f"-- Unverified: written for {dialect} by rules that no test has")
        if dialect == "oracle":  # whose literals of BINARY_DOUBLE sqlglot does not know
            text = re.sub(r"(?<=\d)d\b", "", text)
        (tree,) = sqlglot.parse(text, read=dialect)
        assert tree.key == "select"
        assert [one.alias_or_name for one in tree.selects] == ["id", *names]


@pytest.mark.parametrize(
    ("dialect", "column", "parts"),
    [
        ("snowflake", "few", ["COLLATE(CAST(vtreat_source.\"few\" AS VARCHAR), '')", "'b\\\\c'"]),
        ("snowflake", "many", ['SELECT column1 AS "level"', "FROM VALUES"]),
        ("snowflake", "at", ["DATE_PART(EPOCH_MICROSECOND, vtreat_source.\"at\")"]),
        ("snowflake", "zone_hour", ["CONVERT_TIMEZONE('UTC', 'Europe/Paris', TO_TIMESTAMP_NTZ("]),
        ("snowflake", "day_week", ["WEEKISO(DATEADD(DAY, "]),
        ("snowflake", "truth", ["WHEN 'true' THEN CAST('1.0' AS DOUBLE)", "TO_VARIANT"]),
        ("bigquery", "few", ["COLLATE(CAST(vtreat_source.`few` AS STRING), '')", r"'it\'s'"]),
        ("bigquery", "many", ["UNNEST(ARRAY<STRUCT<level STRING, code_1 FLOAT64"]),
        ("bigquery", "at", ["UNIX_MICROS(CAST(vtreat_source.`at` AS TIMESTAMP))"]),
        ("bigquery", "day", ["UNIX_DATE(vtreat_source.`day`)"]),
        ("bigquery", "zone_hour", ["DATETIME(TIMESTAMP_SECONDS(", "'Europe/Paris'"]),
        ("bigquery", "truth", ["LAX_FLOAT64(TO_JSON(vtreat_source.`truth`))"]),
        ("bigquery", "z", ["vtreat_curve_1.low = [", "RANGE_BUCKET(vtreat_rows.c1, ["]),
        ("bigquery", "bin", ["FROM_HEX('4100')"]),
        ("tsql", "few", ["N'it''s|'", "+ N'|') COLLATE Latin1_General_100_BIN2"]),
        ("tsql", "many", [") AS v (level, code_1", ".level COLLATE Latin1_General_100_BIN2"]),
        ("tsql", "at", ["DATEDIFF_BIG(MICROSECOND, CAST('1970-01-01T00:00:00' AS DATETIME2)"]),
        ("tsql", "bin", ["LOWER(CONVERT(NVARCHAR(MAX), vtreat_source.[bin], 2))", "N'4100|'"]),
        ("tsql", "day_week", ["DATEPART(ISO_WEEK, "]),
        ("tsql", "few:truth", ["N'\\NA'", "END + N':' + CASE"]),
        ("redshift", "few", ["'case_sensitive'", "'it''s|'", "('b' || CHR(92) || 'c|')"]),
        ("redshift", "many", ["SELECT 'k0|' AS level", "UNION ALL"]),
        ("redshift", "at", ["DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', "]),
        ("trino", "few", ["CAST(vtreat_source.\"few\" AS VARCHAR)", "'b\\c'"]),
        ("trino", "at", ["date_trunc('second', CAST(vtreat_source.\"at\" AS timestamp(6)))"]),
        ("trino", "day_week", ["week(date_add('day', "]),
        ("athena", "zone_hour", ["from_unixtime(", "'Europe/Paris'"]),
        ("databricks", "day", ["unix_date(vtreat_source.`day`)"]),
        ("oracle", "few", ["VARCHAR2(4000)) COLLATE BINARY", "TO_CHAR(UNISTR('\\00e9'))"]),
        ("oracle", "many", ["FROM dual", ' AS "level"', '."level" COLLATE BINARY']),
        ("oracle", "z", ['FROM "t" vtreat_source', "d)"]),
        ("oracle", "zone_hour", ["FROM_TZ(", "AT TIME ZONE 'Europe/Paris'"]),
        ("oracle", "bin", ["HEXTORAW('4100')"]),
    ],
)  # fmt: skip
def test_functions_are_those_of_the_engine(
    dialect: str, column: str, parts: list[str], plan: vt.TreatmentPlan
) -> None:
    text = written(plan, dialect, column)
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize(
    ("dialect", "value", "expected"),
    [
        ("snowflake", 0.1, "CAST('0.1' AS DOUBLE)"),
        ("snowflake", -np.inf, "CAST('-inf' AS DOUBLE)"),
        ("bigquery", -0.5, "(-0.5e0)"),
        ("bigquery", np.inf, "CAST('inf' AS FLOAT64)"),
        ("tsql", 0.1, "0.1e0"),
        ("tsql", 5e-324, "0.0e0"),
        ("redshift", 1e-310, "CAST('0.0' AS FLOAT8)"),
        ("trino", 1e22, "1e+22"),
        ("oracle", 0.1, "0.1e0d"),
        ("oracle", -2.5e-7, "(-2.5e-07d)"),
        ("oracle", 5e-324, "0.0e0d"),
        ("oracle", np.inf, "BINARY_DOUBLE_INFINITY"),
        ("oracle", -np.inf, "(-BINARY_DOUBLE_INFINITY)"),
    ],
)
def test_floats(dialect: str, value: float, expected: str) -> None:
    assert check_dialect(dialect).double(value) == expected


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("snowflake", "'\\\\ it''s \n\\u0000'"),
        ("bigquery", r"'\\ it\'s \u000a\u0000'"),
        ("tsql", "(N'\\ it''s ' + NCHAR(10) + NCHAR(0))"),
        ("trino", "U&'\\+00005C it''s \\+00000A\\+000000'"),
        ("databricks", "CAST(X'5c20697427732 00a00' AS STRING)".replace("32 0", "320")),
        ("oracle", "TO_CHAR(UNISTR('\\005c\\0020\\0069\\0074\\0027\\0073\\0020\\000a\\0000'))"),
    ],
)
def test_text_is_what_it_says(dialect: str, expected: str) -> None:
    assert check_dialect(dialect).text("\\ it's \n\0") == expected


def test_digits_behind_nul_are_no_part_of_its_code() -> None:
    assert check_dialect("snowflake").text("a\x0012") == "'a\\u000012'"


def test_text_of_redshift() -> None:
    redshift = check_dialect("redshift")
    assert redshift.text("\\ it's \n") == "('' || CHR(92) || ' it''s \n')"
    assert not redshift.holds("nul\0")


def test_levels_that_oracle_takes_for_null_are_left_out() -> None:
    rows = pd.DataFrame({"x": ["", "a", "b" * 4001, "a"] * 4})
    plan = vt.design_treatments(rows, outcome_type="unsupervised", coders=["catP"])
    with pytest.warns(vt.VtreatWarning, match="'x' has 2 levels that oracle cannot hold in text"):
        text = plan.to_sql("t", dialect="oracle")
    assert "IN ('a')" in text


@pytest.mark.parametrize("dialect", ["mysql", "tsql", "redshift"])
def test_infinite_levels_are_left_out_where_there_are_none(dialect: str) -> None:
    rows = pd.DataFrame({"x": pd.Categorical([1.0, np.inf, 2.0] * 4)})
    plan = vt.design_treatments(rows, outcome_type="unsupervised", coders=["lev"])
    with pytest.warns(vt.VtreatWarning, match=f"1 level that {dialect} cannot hold, and that are"):
        text = plan.to_sql("t", dialect=dialect)
    assert "IN (" in text
    assert not re.search(r"\binf", text.lower())


@pytest.mark.parametrize(
    ("dialect", "name", "message"),
    [
        ("bigquery", "a.b", r"for BigQuery, whose columns have names .* without '\.'"),
        ("bigquery", "q" * 301, "up to 300 characters"),
        ("tsql", "q" * 129, "has 129 characters; names of tsql have up to 128"),
        ("oracle", 'a"b', "names hold no double quotes"),
        ("oracle", "q" * 129, "has 129 bytes; oracle cuts names after 128"),
        ("mysql", "q" * 65, "names have up to 64 characters"),
        ("mysql", "a ", "the last of which is no space"),
        ("mysql", "\U0001f600", "of the basic plane"),
        ("redshift", "q" * 128, "redshift cuts names after 127"),
        ("snowflake", "q" * 256, "snowflake cuts names after 255"),
    ],
)  # fmt: skip
def test_names_that_an_engine_has_not(dialect: str, name: str, message: str) -> None:
    plan = vt.design_treatments(pd.DataFrame({"z": [1.0, 2.0]}), outcome_type="unsupervised")
    with pytest.raises(InvalidOptionError, match=message):
        plan.to_sql("t", dialect=dialect, row_id=name)


def test_tables_of_bigquery_may_have_all_parts_between_two_quotes() -> None:
    plan = vt.design_treatments(pd.DataFrame({"z": [1.0, 2.0]}), outcome_type="unsupervised")
    assert "FROM `project.shop.visits` AS" in plan.to_sql("project.shop.visits", dialect="bigquery")
    parts = ("project", "shop", "visits")
    assert "FROM `project`.`shop`.`visits` AS" in plan.to_sql(parts, dialect="bigquery")


def test_what_nothing_is_known_about_is_refused() -> None:
    plan = vt.design_treatments(pd.DataFrame({"z": [1.0, 2.0]}), outcome_type="unsupervised")
    told = r"dialect='presto' is not known; tests execute duckdb, .* by rules alone .* oracle"
    with pytest.raises(InvalidOptionError, match=told):
        plan.to_sql("t", dialect="presto")


@pytest.mark.parametrize("dialect", WRITTEN)
def test_coding_tables_have_a_place_and_a_case(dialect: str) -> None:
    level = np.repeat(np.arange(2100), 1 + np.arange(2100) % 3)
    rows = pd.DataFrame({"who": [f"u{i}" for i in level]})
    plan = vt.design_treatments(rows, outcome_type="unsupervised", coders=["catP"])
    text = plan.to_sql("t", dialect=dialect, coding_schema=("db", "s"), coding_upper_case=True)
    ((name, table),) = plan.coding_tables(query=text, upper_case=True).items()
    assert name == name.upper()
    assert table.columns.tolist() == ["LEVEL", "CODE_1"]
    quoted = check_dialect(dialect).quoted
    assert f"LEFT JOIN {'.'.join(map(quoted, ('db', 's', name)))}" in text
    assert f"coalesce(vtreat_levels_1.{quoted('CODE_1')}, " in text
    plain = plan.to_sql("t", dialect=dialect)
    assert quoted(name.lower()) in plain
    assert quoted("db") not in plain


def wide_plan(columns: int, levels: int = 1500) -> vt.TreatmentPlan:
    rng = np.random.default_rng(0)
    level = np.repeat(np.arange(levels), 1 + np.arange(levels) % 3)
    rows = {f"x{i}": [f"level {v} of {i}" for v in rng.permutation(level)] for i in range(columns)}
    frame = pd.DataFrame(rows)
    return vt.design_treatments(frame, outcome_type="unsupervised", coders=["catP"])


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "athena", "clickhouse"])
def test_columns_get_coding_tables_until_the_text_fits(dialect: str) -> None:
    plan = wide_plan(8)
    most = check_dialect(dialect).most_text
    assert most is not None
    assert plan.coding_tables() == {}
    text = plan.to_sql("t", dialect=dialect, row_id="id")
    assert len(text.encode()) <= most
    tables = plan.coding_tables(query=text)
    assert len(tables) == (8 if most < 300_000 else 0)
    assert all(name in text for name in tables)
    assert plan.coding_tables(query=plan.to_sql("t")) == {}


def test_text_that_is_too_long_all_the_same_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = wide_plan(2, 30)
    monkeypatch.setattr(type(check_dialect("bigquery")), "most_text", 500)
    told = r"the query has [\d,]+ bytes, and bigquery takes 500, .* Choose variables \(variables="
    with pytest.raises(InvalidOptionError, match=told):
        plan.to_sql("t", dialect="bigquery")


def test_a_place_of_coding_tables_is_a_name() -> None:
    plan = wide_plan(1, 30)
    with pytest.raises(vt.VtreatError, match=r"coding_schema=\('a', 3\) must be the name of a"):
        plan.to_sql("t", coding_schema=("a", 3))  # type: ignore[arg-type]
    with pytest.raises(vt.VtreatError, match="coding_upper_case='yes' must be True or False"):
        plan.to_sql("t", coding_upper_case="yes")  # type: ignore[arg-type]


def test_underflow_is_no_product_where_it_may_be_an_error() -> None:
    rows = pd.DataFrame({"z": [1.0, 2.0, 4.0, 5.0] * 5})
    plan = vt.design_treatments(rows, outcome=np.arange(20.0), random_state=0)
    derived = tuple(replace(v, slope=1e-310) for v in plan.derived)
    text = replace(plan, derived=derived).to_sql("t", dialect="tsql", scale=True)
    assert "BETWEEN" in text
