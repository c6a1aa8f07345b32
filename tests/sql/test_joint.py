"""SQL of composites and hierarchies gives the bits of `prepare`."""

from __future__ import annotations

from typing import Any, get_args

import pandas as pd
import pytest

import vtreat_py as vt
from tests.design.test_joint import OPTIONS, new_rows, shops
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.sql.dialects import NativeDialect


@pytest.mark.parametrize(
    ("dialect", "many"),
    [*((d, False) for d in get_args(NativeDialect)), ("duckdb", True)],
)
def test_queries_give_the_same_bits(
    dialect: str, many: bool, request: pytest.FixtureRequest
) -> None:
    frame = shops(9000 if many else 600)
    if many:  # a coding table, which is joined
        frame["zip"] += 1000 * (frame.index % 20)
    given = OPTIONS | {"missing_values": ["s3", "a\\1"], "coders": ["catN", "catP"]}
    given |= {"composites": [("a", "z")] if many else [("a", "z"), ("a", "when_weekday")]}
    plan = vt.design_treatments(frame, **given)
    assert {"zip_catN", "a_colon_z_catN"} <= set(plan.feature_names)
    if dialect == "duckdb":
        connection: Any = pytest.importorskip("duckdb").connect()
    else:
        connection = request.getfixturevalue(dialect)
    for scale in (True,) if dialect == "spark" else (False, True):
        report = plan.check_sql(connection, new_rows(frame), scale=scale)
        assert report.passed, report
        assert report.largest_difference == 0.0
    if not many:
        nothing = new_rows(frame).assign(a=None, z=None, county=None, state=None)
        assert plan.check_sql(connection, nothing).passed


@pytest.mark.filterwarnings("ignore:column 'zip' is categorical and holds")
@pytest.mark.parametrize(
    ("factor", "more", "level"), [(1, 0.5, r"1\d+\.5"), (2.0**50, 0, r"1\d{18}")]
)
def test_names_that_are_no_whole_numbers_or_large_are_refused(
    factor: float, more: float, level: str
) -> None:
    frame = shops(900)
    frame["zip"] = frame["zip"] * factor + more
    plan = vt.design_treatments(frame, **OPTIONS)
    with pytest.raises(InvalidOptionError, match=rf"has the level {level}\d*, which engines write"):
        plan.to_sql("shops", dialect="duckdb")
    assert isinstance(vt.prepare(plan, new_rows(frame)), pd.DataFrame)
