"""D. Queries where engines end: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import dataclasses
import decimal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import FrameError, VtreatError

N = 40
MOMENTS = [10**18 + i * 1001 for i in range(N)]  # nanoseconds
BERLIN = pa.timestamp("ns", "Europe/Berlin")

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    connect = sqlite3.connect if request.param == "sqlite" else duckdb.connect
    with closing(connect(":memory:")) as connection:
        yield connection


def designed(column: Any, **options: Any) -> tuple[vt.TreatmentPlan, pa.Table]:
    frame = pa.table({"x": column})
    outcome = np.arange(len(frame)) % 7 + np.arange(len(frame)) / 9
    return vt.design_treatments(frame, outcome=outcome, random_state=0, **options), frame


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**63 + i * 2**40 for i in range(N)], pa.uint64()),
        pa.array(MOMENTS, pa.timestamp("ns", "UTC")),
        pa.array(MOMENTS, BERLIN),
        pa.array([decimal.Decimal(i) for i in range(N)], pa.decimal256(50, 2)),
        pa.array([decimal.Decimal(10) ** 45 * i for i in range(N)], pa.decimal256(60, 2)),
        pa.array([1] * N),  # nothing is derived of it
    ],
    ids=["uint64", "UTC", "zone", "decimal256", "more digits", "constant"],
)
def test_d8_columns_of_any_type_are_loaded(engine: Any, column: Any) -> None:
    plan, frame = designed(column)
    report = plan.check_sql(engine, frame)
    assert report.passed, report


@pytest.mark.parametrize(
    "column",
    [
        pa.array(MOMENTS, BERLIN),
        pa.array(range(N), pa.date32()),
        pa.array(np.arange(float(N))),
        pa.array(list("abcd") * (N // 4)),
        pa.array([b"a", b"b", b"c", None] * (N // 4)),
    ],
    ids=["datetime", "date", "number", "text", "bytes"],
)
@pytest.mark.parametrize("kind", [None, BERLIN, pa.timestamp("us"), pa.float64(), pa.string()])
def test_d8_columns_of_missing_values_only_are_of_the_type_that_is_due(
    engine: Any, column: Any, kind: Any
) -> None:
    plan, _ = designed(column)
    report = plan.check_sql(engine, pa.table({"x": pa.nulls(3, kind)}))
    assert report.passed, report


def test_d8_a_text_column_of_nan_only_is_missing(engine: Any) -> None:
    plan, _ = designed(pa.array(list("abc") * 9 + [None]))
    assert plan.check_sql(engine, pd.DataFrame({"x": [np.nan] * 3})).passed


NAMED = pd.DataFrame({0: list("abcd") * (N // 4)})
NAMED.columns = pd.Index(["x\ud800"], dtype=object)
LONE = pd.Series(["a", "b\ud800", "c", "d"] * (N // 4), dtype=object)
CATEGORIES = pd.Categorical.from_codes([0, 1, 2, 3] * (N // 4), pd.Index(LONE[:4], dtype=object))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"x": LONE}), "column 'x' cannot be loaded into a table"),
        (pd.DataFrame({"x": CATEGORIES}), "column 'x' cannot be loaded into a table"),
        (
            NAMED,
            "cannot be written as SQL: names must not be empty",
        ),
    ],
    ids=["levels", "categories", "name"],
)
def test_d8_lone_surrogates_are_refused(engine: Any, frame: pd.DataFrame, message: str) -> None:
    plan = vt.design_treatments(frame, outcome=np.arange(N) % 7, random_state=0)
    with pytest.raises(VtreatError, match=message):
        plan.check_sql(engine, frame)


def test_d8_moments_too_far_off_are_refused(engine: Any) -> None:
    plan, frame = designed(pa.array([i * 10**12 for i in range(N)], pa.timestamp("s")))
    with pytest.raises(FrameError, match="column 'x' cannot be loaded into a table"):
        plan.check_sql(engine, frame)


def test_d8_years_that_python_has_no_dates_of_are_refused() -> None:
    plan, frame = designed(pa.array([i * 10**7 for i in range(N)], pa.date32()))
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(FrameError, match="'x'"):
        plan.check_sql(connection, frame)


@pytest.mark.parametrize(
    "options",
    [
        {"variables": 3},
        {"variables": [["x"]]},
        {"variables": [pd.NA]},
        {"row_id": ("x", [1])},
        {"row_id": pd.NA},
        {"extra_columns": [[1]]},
        {"prune_sig": 10**400},
        {"source": b"t"},
    ],
)
def test_d8_options_that_are_junk_are_refused_in_our_words(options: dict[str, Any]) -> None:
    plan, _ = designed(pa.array(np.arange(float(N))))
    with pytest.raises(VtreatError):
        plan.to_sql(**({"source": "t"} | options))


@pytest.fixture(scope="module")
def of_many_levels() -> vt.TreatmentPlan:
    column = pa.array([f"l{i // 2}" for i in range(4400)])
    return designed(column, coders=["catN"], smoothing=1)[0]


@pytest.mark.parametrize(
    ("slope", "mean"),
    [(1e300, 0.5), (-1e308, -1.0), (5e307, -1e308), (1e-300, -1.7e308), (1e-320, 0.0), (2.0, 0.5)],
)
def test_d8_scaled_codes_of_coding_tables_stay_within_the_floats(
    engine: Any, of_many_levels: vt.TreatmentPlan, slope: float, mean: float
) -> None:
    (treatment,) = of_many_levels.treatments
    (part,) = treatment.parts
    table = part.tables["catN"].copy()
    table[:7] = [1e308, -1e308, 1e-300, -1e-300, 1.7e308, -1.7e308, mean]
    variable = dataclasses.replace(part.variables[0], slope=slope, mean=mean)
    part = dataclasses.replace(part, tables={"catN": table}, variables=(variable,))
    plan = dataclasses.replace(
        of_many_levels,
        treatments=(dataclasses.replace(treatment, parts=(part,)),),
        derived=(variable,),
    )
    frame = pd.DataFrame({"x": [*(f"l{i}" for i in range(300)), "new", None]})
    report = plan.check_sql(engine, frame, scale=True)
    assert report.passed, report
    assert "CASE WHEN" not in of_many_levels.to_sql("t", scale=True).partition("coalesce")[2]
