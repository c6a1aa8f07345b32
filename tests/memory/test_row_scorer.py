"""Rows one at a time: what `prepare` gives for a frame, to the bit."""

from __future__ import annotations

import datetime as dt
import pickle
import re
import struct
from collections import ChainMap
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.data import awkward_frame, awkward_plan
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, SchemaError

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


KINDS = ["numeric", "binomial", "multinomial", "unsupervised"]


def bits(values: Any) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]


def rows_of(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """Rows as dicts of Python's own values."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def assert_as_prepared(plan: vt.TreatmentPlan, frame: Any, rows: Any, **choice: Any) -> None:
    expected = vt.prepare(plan, frame, **choice)
    score = plan.row_scorer(output="tuple", **choice)
    assert score.names == tuple(expected.columns)
    for found, row in zip(score(rows), expected.to_numpy(), strict=True):
        assert bits(found) == bits(row)


@pytest.mark.halved
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"rare_count": 12, "collar_prob": 0.1}])
def test_rows_are_those_of_prepare(kind: str, options: dict[str, Any]) -> None:
    plan, frame = awkward_plan(kind, **options), awkward_frame(1, 60)
    frame.loc[:3, "few"] = ["never seen", "a\u0301", "A ", "nan"]
    for scale in (False, True):
        chosen = {"scale": scale and kind != "unsupervised", "collar": scale}
        assert_as_prepared(plan, frame, rows_of(frame), **chosen)
    assert_as_prepared(plan, frame, frame.to_dict("records"))
    names = plan.feature_names[::-1][:40]
    assert_as_prepared(plan, frame, rows_of(frame), variables=names)


def number_frame(n_rows: int = 300, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows)
    return pd.DataFrame(
        {
            "x": np.where(random.random(n_rows) < 0.1, np.nan, x),
            "far": random.choice([-1e300, 1e-300, 0.0, -0.0, 1e308], n_rows),
            "a": random.choice(["u:v", "w\\", "z", None], n_rows),
            "b": random.choice(["p", "q", "r"], n_rows),
            "state": random.choice(["N", "S"], n_rows),
            "town": [f"t{i}" for i in random.integers(0, 12, n_rows)],
            "zip": random.integers(10_000, 10_020, n_rows),
            "words": random.choice(["red wine", "white wine", "beer", "ale"], n_rows),
            "seen": pd.to_datetime("2020-01-01")
            + pd.to_timedelta(random.integers(0, 9**7, n_rows), "s"),
            "y": np.sin(2 * x) + random.normal(size=n_rows),
        }
    )


SHAPES = ["piecewise", "spline", "window", "isotonic", "bins"]
PLANS: dict[str, dict[str, Any]] = {
    "shapes": {"variables": ["x", "far"], "coders": ["clean", "isBAD", *SHAPES]},
    "joint": {
        "variables": ["x", "a", "b", "state", "town"],
        "composites": [("a", "b"), ("x", "b")],
        "hierarchies": {"town": "state"},
    },
    "dates": {"variables": ["seen"], "calendar": "auto"},
    "names": {"variables": ["zip", "a"], "categorical": ["zip"], "missing_values": ["z"]},
    "text": {
        "variables": ["words", "a"],
        "coders": ["text", "catN", "lev"],
        "significance": "classic",
    },
}


@pytest.mark.parametrize("case", PLANS)
@pytest.mark.parametrize("scale", [False, True])
def test_all_that_a_plan_may_hold(case: str, scale: bool) -> None:
    plan = vt.design_treatments(number_frame(), outcome="y", random_state=0, **PLANS[case])
    fresh = number_frame(120, seed=1)
    fresh.loc[:5, ["a", "words", "town"]] = [["new", "new wine", "t99"]] * 6
    assert_as_prepared(plan, fresh, rows_of(fresh), scale=scale, collar=scale)


def test_text_that_is_kept() -> None:
    plan = vt.design_missingness(number_frame()[["a", "x"]])
    fresh = number_frame(50, seed=2)
    expected = vt.prepare(plan, fresh)
    found = plan.row_scorer()(rows_of(fresh))
    assert found == expected.to_dict("records")
    assert plan.row_scorer(output="array")(rows_of(fresh)).dtype == object


# A value of each type, beside the column that it is given for.
VALUES = [
    ("number", 3), ("number", True), ("number", np.float32(0.1)), ("number", np.int64(-4)),
    ("number", Decimal("0.1")), ("number", pd.NA), ("number", pd.NaT), ("number", float("inf")),
    ("number", -float("inf")), ("number", float("nan")), ("number", None), ("number", 2**60),
    ("number", 10**400), ("number", np.bool_(True)), ("number", -0.0),
    ("text", "a"), ("text", "never"), ("text", None), ("text", float("nan")), ("text", "\ud800"),
    ("text", b"a"), ("text", np.str_("a")), ("text", "gone"),
    ("mixed", 1), ("mixed", 1.0), ("mixed", True), ("mixed", "one"), ("mixed", "1"),
    ("mixed", dt.date(2020, 1, 1)), ("mixed", float("nan")), ("mixed", 2.5),
    ("day", dt.date(1600, 2, 29)), ("day", None), ("day", np.datetime64("2020-02-03", "D")),
    ("moment", dt.datetime(2031, 5, 6, 7, 8, 9, 123_457)),
    ("moment", pd.Timestamp("2020-01-01 00:00:00.123456789")),
    ("moment", dt.datetime(2031, 5, 6, 7, tzinfo=dt.timezone(dt.timedelta(hours=5)))),
    ("moment", dt.datetime(1066, 10, 14)), ("moment", pd.Timestamp("0999-01-01")),
    ("moment", pd.Timestamp("2020-07-01 12:00", tz="America/New_York")),
    ("moment", float("nan")),
    ("span", dt.timedelta(days=2, microseconds=7)), ("span", None),
]  # fmt: skip


def of_types(n_rows: int = 120) -> pd.DataFrame:
    random = np.random.default_rng(3)

    def some(*values: Any) -> list[Any]:
        return [values[i] for i in random.integers(0, len(values), n_rows)]

    return pd.DataFrame(
        {
            "number": some(1.5, 2.5, -4.0, None, 0.0),
            "text": some("a", "b", "c", None),
            "mixed": pd.Series(some(1, "one", 2.5, dt.date(2020, 1, 1), None), dtype=object),
            "day": pd.Series(some(dt.date(2020, 2, 3), dt.date(1999, 1, 31)), dtype=object),
            "moment": some(*pd.date_range("2020-01-01", periods=9, freq="31h")),
            "span": some(*pd.to_timedelta(["1h", "2h", "90s"])),
            "y": random.normal(size=n_rows),
        }
    )


@pytest.fixture(scope="module")
def plan_of_types() -> vt.TreatmentPlan:
    options = {
        "significance": "classic",
        "missing_values": ["gone"],
        "calendar": ["month", "weekday"],
    }
    return vt.design_treatments(
        of_types(), outcome="y", min_fraction=0.0, random_state=0, **options
    )


@pytest.mark.parametrize(("column", "value"), VALUES, ids=repr)
def test_values_of_any_type(plan_of_types: vt.TreatmentPlan, column: str, value: Any) -> None:
    row = of_types().drop(columns="y").astype(object).iloc[0].to_dict() | {column: value}
    try:
        expected = vt.prepare(plan_of_types, [row])
    except vt.VtreatError as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            plan_of_types.row_scorer()(row)
        return
    found = plan_of_types.row_scorer(output="tuple")(row)
    assert bits(found) == bits(expected.to_numpy()[0])


@pytest.mark.parametrize(
    ("column", "value"),
    [("number", "1"), ("text", 1.0), ("day", "2020-01-01"), ("moment", dt.date(2020, 1, 1)),
     ("number", [1]), ("mixed", {}), ("span", 1.0)],
)  # fmt: skip
def test_another_type_is_refused(plan_of_types: vt.TreatmentPlan, column: str, value: Any) -> None:
    row = rows_of(of_types(1).drop(columns="y"))[0] | {column: value}
    with pytest.raises(vt.VtreatError, match=repr(column)):
        plan_of_types.row_scorer()(row)


def test_keys_that_a_row_lacks(plan_of_types: vt.TreatmentPlan) -> None:
    row = rows_of(of_types(1))[0]
    del row["text"], row["day"]
    with pytest.raises(SchemaError, match=re.escape("lacks 2 columns: 'text', 'day'")):
        plan_of_types.row_scorer()(row)
    found = plan_of_types.row_scorer(missing_keys="missing")(row)
    assert found == plan_of_types.row_scorer()(row | {"text": None, "day": None})


def test_outputs_have_the_same_values(plan_of_types: vt.TreatmentPlan) -> None:
    rows = rows_of(of_types(9))
    dicts, tuples, arrays = (
        plan_of_types.row_scorer(output=output) for output in ("dict", "tuple", "array")
    )
    assert [*map(tuple, (one.values() for one in dicts(rows)))] == tuples(rows)
    assert [*dicts(rows[0])] == plan_of_types.feature_names == [*dicts.names]
    assert arrays(rows).tolist() == [*map(list, tuples(iter(rows)))]
    assert arrays(rows[0]).shape == (len(dicts.names),)
    assert arrays([]).shape == (0, len(dicts.names))
    assert dicts(ChainMap(rows[0])) == dicts(rows[0])
    assert repr(dicts) == f"RowScorer(6 columns, {len(dicts.names)} variables)"


def test_scorers_travel_and_are_shared() -> None:
    plan, frame = awkward_plan("binomial"), awkward_frame(2, 60)
    score = plan.row_scorer(scale=True, output="tuple")
    rows = rows_of(frame)
    expected = score(rows)
    assert pickle.loads(pickle.dumps(score))(rows) == expected
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(score, rows)) == expected


@pytest.mark.parametrize("given", ["a row", 3, None, [3], [{}, "row"]])
def test_what_is_no_row(plan_of_types: vt.TreatmentPlan, given: Any) -> None:
    with pytest.raises(OptionTypeError, match="give a mapping from column names to values"):
        plan_of_types.row_scorer(missing_keys="missing")(given)


@pytest.mark.parametrize("given", [{"output": "list"}, {"missing_keys": None}])
def test_other_words_are_refused(plan_of_types: vt.TreatmentPlan, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidOptionError, match="it must be one of"):
        plan_of_types.row_scorer(**given)
