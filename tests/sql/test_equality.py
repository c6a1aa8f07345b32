"""A query gives the numbers of prepare, bit for bit, on every engine that runs here."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.data import LEVELS, NUMBERS, awkward_frame, awkward_plan, written_in
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.sql import coding_tables, query

# Levels and columns that differ in case only are what these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")

ENGINES = ["duckdb", "sqlite", "postgres", "mysql", "clickhouse", "spark"]
KINDS = ["numeric", "binomial", "multinomial", "unsupervised"]
# Text in PostgreSQL cannot hold NUL: a level with one is left out, with a warning.
WITHOUT_NUL = ["nul\0nul"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> tuple[str, Any]:
    """A connection, and the name of its dialect."""
    if request.param == "duckdb":
        return "duckdb", duckdb.connect()
    return request.param, request.getfixturevalue(request.param)


FORMS = ["by number of levels", "values", "coding tables"]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How levels are written: as they would be, or all in one way."""
    if request.param != "by number of levels":
        monkeypatch.setattr(query, "FEW_LEVELS", 0)
    if request.param == "coding tables":
        monkeypatch.setattr(query, "MANY_LEVELS", 0)
        monkeypatch.setattr(coding_tables, "MANY_LEVELS", 0)
    return str(request.param)


def new_rows(dialect: str) -> pd.DataFrame:
    """Rows the design has not seen, with levels it has not seen."""
    frame = awkward_frame(1, 400)
    frame.loc[:3, "few"] = ["never seen", "a\u0301", "A ", "nan"]
    frame["code"] = frame["code"].cat.add_categories([99])
    frame.loc[5:9, "code"] = [99, None, None, 99, 99]
    if dialect == "postgres":
        frame = frame.replace({name: dict.fromkeys(WITHOUT_NUL) for name in frame.columns[:2]})
    return frame


RARE = {"rare_count": 12, "collar_prob": 0.1}


# Every engine is asked in every form for each kind of outcome, once: in each form for both options,
# scaled and not. Spark takes seconds for a query, and is asked in one form for each kind.
CASES = [
    (engine, form, kind, [{}, RARE][(i + j + k) % 2], (j + k // 2) % 2 == 1)
    for (i, engine), (j, form), (k, kind) in product(
        enumerate(ENGINES[:5]), enumerate(FORMS), enumerate(KINDS)
    )
] + [("spark", FORMS[i % len(FORMS)], kind, RARE, True) for i, kind in enumerate(KINDS)]


@pytest.mark.halved
@pytest.mark.parametrize(
    ("engine", "form", "kind", "options", "scale"), CASES, indirect=["engine", "form"]
)
@pytest.mark.filterwarnings("ignore:column .* has 1 level that postgres cannot hold")
def test_queries_give_the_bits_of_prepare(
    engine: tuple[str, Any], form: str, kind: str, options: dict[str, Any], scale: bool
) -> None:
    dialect, connection = engine
    plan = awkward_plan(kind, **options)
    names = written_in(dialect, plan)
    assert ("Zone_month_catP" in names) == (dialect not in ("sqlite", "mysql"))
    chosen = {"scale": scale and kind != "unsupervised", "collar": scale, "variables": names}
    report = plan.check_sql(connection, new_rows(dialect), **chosen)
    assert report.passed, report
    assert report.largest_difference == 0
    assert report.n_rows == 400
    assert len(report.differences) == len(names)


def test_compiled_queries_of_spark_give_the_same_bits(spark: Any) -> None:
    plan = awkward_plan("numeric", **RARE)
    compiled = {
        "spark.sql.codegen.wholeStage": "true",
        "spark.sql.codegen.factoryMode": "CODEGEN_ONLY",
    }
    before = {name: spark.conf.get(name) for name in compiled}
    for name, value in compiled.items():
        spark.conf.set(name, value)
    try:
        report = plan.check_sql(spark, new_rows("spark"), scale=True, prune_sig=0.05)
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert report.passed, report


def test_each_awkward_level_is_itself(engine: tuple[str, Any], form: str) -> None:
    """An indicator for each level: each row sets its own and no other."""
    dialect, connection = engine
    levels = [v for v in LEVELS if dialect != "postgres" or v not in WITHOUT_NUL]
    frame = pd.DataFrame({"x": pd.Series(levels * 20, dtype=object)})
    plan = vt.design_treatments(
        frame, outcome_type="unsupervised", coders=["lev"], min_fraction=0.01
    )
    assert len(plan.derived) == len(levels)
    one_each = frame.iloc[: len(levels)]
    assert vt.prepare(plan, one_each).to_numpy().sum() == len(levels)
    report = plan.check_sql(connection, one_each)
    assert report.passed, report


LARGEST = 1.7976931348623157e308
EDGES = [LARGEST, -LARGEST, 1.5e-323, 1e-310, -1e-310, -3.0, np.nextafter(-3.0, 0.0)]


MEANS = [0.0, -3.0, 5e-324, 1e300, -1.7e308]
SLOPES = [0.0, 1.0, -0.3, 1e-200, 1e200, -1e-320, -1e305, LARGEST]


@pytest.mark.parametrize("collar", [False, True])
def test_numbers_at_the_ends_of_their_range(engine: tuple[str, Any], collar: bool) -> None:
    """Huge and tiny numbers, scaled by huge and tiny slopes, as in memory: clipped, not lost."""
    _, connection = engine
    scalings = [(slope, mean) for slope in SLOPES for mean in MEANS]
    names = [f"z{i}" for i in range(len(scalings))]
    train = pd.DataFrame(dict.fromkeys(names, [-5.0, -4.0, 2.0, 9.0, np.nan] * 5))
    plan = vt.design_treatments(train, outcome=np.arange(25.0), random_state=0)
    scaling = dict(zip(names, scalings, strict=True))
    derived = [
        replace(v, slope=scaling[v.orig_variable][0], mean=scaling[v.orig_variable][1])
        for v in plan.derived
    ]
    plan = replace(plan, derived=tuple(derived))
    values = np.array([*NUMBERS, *EDGES], dtype=float)
    frame = pd.DataFrame(dict.fromkeys(names, values))
    report = plan.check_sql(connection, frame, scale=True, collar=collar)
    assert report.passed, report


@pytest.mark.parametrize("scale", [False, True])
def test_columns_of_many_levels(engine: tuple[str, Any], scale: bool) -> None:
    dialect, connection = engine
    rng = np.random.default_rng(0)
    rows = 7000
    frame = pd.DataFrame(
        {
            "user": [f"u'{i}" for i in rng.integers(0, 2500, rows)],
            "shop": rng.integers(0, 2300, rows),
            "town": [f"t{i}" for i in rng.integers(0, 500, rows)],
        }
    )
    frame["shop"] = frame["shop"].astype("category")
    outcome = frame["user"].str.len() + rng.normal(size=rows) + frame["shop"].cat.codes / 100
    plan = vt.design_treatments(frame, outcome=outcome, random_state=0)
    tables = plan.coding_tables()
    assert [name[:11] for name in tables] == ["vtreat_user", "vtreat_shop"]
    text = plan.to_sql("t", dialect=dialect)
    assert [name in text for name in tables] == [True, True]
    assert text.count("LEFT JOIN") == 3
    assert len(text) < 80_000
    new = frame.iloc[:900].assign(town="nowhere")
    new.loc[:5, "user"] = [None, "", "u'", None, "new", "u'1"]
    report = plan.check_sql(connection, new, scale=scale)
    assert report.passed, report


def test_all_missing_and_empty_frames(engine: tuple[str, Any]) -> None:
    _dialect, connection = engine
    plan = awkward_plan("numeric", coders=["clean", "isBAD", "lev", "catN"])
    names = [
        v.name
        for v in plan.derived
        if v.orig_variable in ("few", "many", "z", "small", "maybe", "code")
    ]
    empty = pd.DataFrame({c: [None] * 3 for c in ("few", "many", "z", "small", "maybe", "code")})
    report = plan.check_sql(connection, empty.astype({"few": object, "many": object}),
                            variables=names)  # fmt: skip
    assert report.passed, report


def test_nanoseconds_are_read_by_duckdb() -> None:
    ticks = np.random.default_rng(0).integers(-(10**17), 10**18, 300)
    frame = pd.DataFrame({"at": ticks.astype("datetime64[ns]")})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    report = plan.check_sql(duckdb.connect(), frame)
    assert report.passed, report


@pytest.mark.parametrize("make", ["polars", "pyarrow"])
@pytest.mark.filterwarnings("ignore:column .* has 1 level that postgres cannot hold")
def test_frames_of_other_kinds(make: str, engine: tuple[str, Any]) -> None:
    polars = pytest.importorskip("polars")
    dialect, connection = engine
    plan = awkward_plan("numeric")
    frame = new_rows(dialect).drop(columns="code")
    codes = {v.name for v in plan.derived if v.orig_variable == "code"}
    names = [name for name in written_in(dialect, plan) if name not in codes]
    native = polars.from_pandas(frame) if make == "polars" else polars.from_pandas(frame).to_arrow()
    report = plan.check_sql(connection, native, variables=names, prune_sig=0.99)
    assert report.passed, report


@pytest.mark.parametrize("zone", [None, "UTC-03:30", "America/New_York"])
def test_parts_of_dates(engine: tuple[str, Any], zone: str | None) -> None:
    dialect, connection = engine
    moment = pd.date_range("1965-03-05 00:30", periods=500, freq="41h31min10s", tz="UTC")
    ends = ["1903-12-31 23:59:59", "2000-02-29 23:00", "2036-02-28 12:00"]
    ends += ["0001-01-02 12:00", "9999-11-30 23:00", "9999-12-31 12:00"]
    others = pd.DatetimeIndex(np.array(ends, dtype="M8[us]")).tz_localize("UTC")
    moment = moment.as_unit("us").append(others).tz_convert(zone)
    frame = pd.DataFrame({"moment": moment if zone else moment.tz_localize(None)})
    frame["day"] = pd.array(moment.tz_localize(None).date, dtype="date32[day][pyarrow]")
    frame.loc[5, "moment"], frame.loc[7, "day"] = None, None
    plan = vt.design_treatments(
        frame,
        outcome_type="unsupervised",
        calendar="auto",
        coders=["lev", "catP"],
        min_fraction=0.03,
    )
    assert len(plan.made) == 11
    if dialect in ("sqlite", "mysql") and zone == "America/New_York":
        with pytest.raises(InvalidOptionError, match="'moment_month' is made of the dates"):
            plan.to_sql("t", dialect=dialect)
        return
    report = plan.check_sql(connection, frame)
    assert report.passed, report
    assert report.largest_difference == 0
