"""Models of plans in onnxruntime: what `prepare` gives for a frame, to the bit."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from tests.onnx_graph.runtime import assert_as_prepared, bits, outputs, treated
from tests.sql.data import awkward_frame, awkward_plan

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")

KINDS: dict[str, dict[str, Any]] = {
    "numeric": {},
    "binomial": {"rare_count": 12, "collar_prob": 0.1},
    "multinomial": {"collar_prob": 0.1},
    "unsupervised": {},
}
# The awkward levels have almost every text, the empty one among them.
MARK = "\0"


@cache
def plan_of(kind: str) -> vt.TreatmentPlan:
    return awkward_plan(kind, **KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_models_give_what_prepare_gives(kind: str) -> None:
    plan, frame = plan_of(kind), awkward_frame(1, 150)
    frame.loc[:3, "few"] = ["never seen", "a\u0301", "A ", "nan"]
    for scale in (False, True):
        chosen = {"scale": scale and kind != "unsupervised", "collar": scale}
        assert_as_prepared(plan, frame, MARK, **chosen)
    names = plan.feature_names[::-1][:40]
    assert_as_prepared(plan, frame, MARK, variables=names)


def test_each_variable_alone() -> None:
    plan, frame = plan_of("numeric"), awkward_frame(2, 40)
    expected = vt.prepare(plan, frame)
    for name in plan.feature_names[::19]:
        model = plan.to_onnx(missing_text=MARK, variables=[name])
        assert len(model.graph.input) == 1
        found = treated(model, frame)
        np.testing.assert_array_equal(bits(found), bits(expected[[name]]))


def rows(n_rows: int = 300, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows)

    def some(*values: Any) -> pd.Series[Any]:
        listed = np.empty(len(values), dtype=object)
        listed[:] = values
        return pd.Series(random.choice(listed, n_rows), dtype=object)

    return pd.DataFrame(
        {
            "x": np.where(random.random(n_rows) < 0.1, np.nan, x),
            "far": random.choice([-1e300, 1e-300, 0.0, -0.0, 1e308, np.inf], n_rows),
            "a": some("u:v", "w\\", "\\c", "\\NA", "z", "gone", None),
            "b": some("p", "q", "r"),
            "state": some("N", "S", None),
            "county": some("c1", "c2", "c3"),
            "town": [f"t{i}" for i in random.integers(0, 12, n_rows)],
            "zip": random.integers(10_000, 10_020, n_rows),
            "share": random.choice([0.5, -0.0, 1e-300, np.nan, -7.25], n_rows),
            "flag": some(True, False, None),
            "seen": pd.to_datetime("2020-01-01")
            + pd.to_timedelta(random.integers(0, 9**7, n_rows), "s"),
            "there": pd.to_datetime("2019-01-01", utc=True).tz_convert("America/New_York")
            + pd.to_timedelta(random.integers(0, 9**8, n_rows), "s"),
            "day": some(*(dt.date(2019, 12, 28) + dt.timedelta(9 * i) for i in range(90)), None),
            "span": pd.to_timedelta(random.integers(-(10**9), 10**9, n_rows), "us"),
            "time": some(*(dt.time(h, 59, s) for h in range(24) for s in range(3)), None),
            "y": np.sin(2 * x) + random.normal(size=n_rows),
        }
    )


def largest(levels: Any, y: Any, weight: Any) -> Any:
    return pd.Series(y).groupby(pd.Series(levels, dtype=object), dropna=False).transform("max")


def squeezed(x: Any, y: Any, weight: Any) -> Any:
    return np.tanh(x)


SHAPES = ["piecewise", "spline", "window", "isotonic", "bins"]
OWN = {"largest": vt.LevelCoder(largest), "squeezed": vt.NumberCoder(squeezed)}
PLANS: dict[str, dict[str, Any]] = {
    "shapes": {"variables": ["x", "far", "span"], "coders": ["clean", "isBAD", *SHAPES]},
    "pairs": {
        "variables": ["x", "a", "b", "flag", "seen", "zip", "share"],
        "composites": [("a", "b"), ("x", "b", "flag"), ("seen", "a"), ("zip", "share")],
        "categorical": ["zip", "share"],
        "missing_values": ["gone"],
    },
    "parts of dates": {
        "variables": ["a", "seen", "there"],
        "calendar": ["month", "hour"],
        "composites": [("seen_month", "a")],
    },
    "nested": {
        "variables": ["state", "county", "town"],
        "hierarchies": {"town": "county", "county": "state"},
    },
    "dates": {
        "variables": ["seen", "there", "day", "span", "time"],
        "calendar": ["month", "week", "day", "is_month_end", "weekday", "hour"],
        "coders": ["clean", "isBAD", "lev", "catN", "catQ", "piecewise"],
    },
    "names": {
        "variables": ["zip", "a", "share", "flag"],
        "categorical": ["zip", "share", "flag"],
        "missing_values": ["z", "\ud800"],
        "min_fraction": 0.0,
    },
    "own": {
        "variables": ["x", "a"],
        "coders": ["lev", "catD", "largest", "squeezed"],
        "custom_coders": OWN,
    },
}  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_all_that_a_plan_may_hold(case: str) -> None:
    options = {"significance": "classic"} | PLANS[case]
    plan = vt.design_treatments(rows(), outcome="y", random_state=0, **options)
    fresh = rows(200, seed=1)
    fresh.loc[:5, ["a", "town", "county"]] = [["new", "t99", "c9"]] * 6
    fresh.loc[3:8, ["zip", "share"]] = [[1, np.inf], [99, 3.5]] * 3
    fresh.loc[6:9, ["seen", "there"]] = pd.NaT
    for scale in (False, True):
        assert_as_prepared(plan, fresh, scale=scale, collar=scale)


@pytest.mark.parametrize("code", ["catP", "catN", "lev"])
def test_one_code_of_pairs(code: str) -> None:
    frame, options = rows()[["a", "b", "y"]], {"composites": [("a", "b")], "min_fraction": 0.0}
    plan = vt.design_treatments(frame, outcome="y", random_state=0, **options)
    (joint,) = plan.made
    names = [v.name for v in plan.derived if (v.orig_variable, v.code) == (joint.name, code)]
    assert names
    assert_as_prepared(plan, rows(90, seed=1)[["b", "a"]], scale=True, variables=names)


def test_outcomes_that_are_0_as_numbers_of_32_bits() -> None:
    frame = rows()[["town", "county", "y"]].assign(y=lambda all_rows: all_rows["y"] * 1e-107)
    plan = vt.design_treatments(
        frame, outcome="y", random_state=0, hierarchies={"town": "county"}, coders=["catN"]
    )
    fresh = rows(9, seed=1)[["town", "county"]]
    fresh.loc[:5, "town"], fresh.loc[:2, "county"] = "never seen", "nor this"
    for scale in (False, True):
        assert_as_prepared(plan, fresh, scale=scale)


def test_codes_of_many_classes() -> None:
    frame = rows()
    outcome = np.digitize(frame.pop("y"), [-0.5, 0.5])
    plan = vt.design_treatments(
        frame[["x", "a", "b", "town", "state"]], outcome=outcome, outcome_type="multinomial",
        composites=[("a", "b")], hierarchies={"town": "state"}, coders=["catB", "spline", "lev"],
        random_state=0, significance="classic",
    )  # fmt: skip
    fresh = rows(100, seed=2)
    fresh.loc[:5, ["a", "town"]] = ["new", "t99"]
    assert_as_prepared(plan, fresh, scale=True)


def test_very_many_levels_and_knots() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"id": random.permutation(20_000) // 2, "x": random.normal(size=20_000)})
    frame["name"] = frame["id"].map("n{}".format)
    curve = vt.NumberCoder(lambda x, y, weight: vt.Curve(np.sort(x), np.cos(np.sort(x) * 9)))
    plan = vt.design_treatments(
        frame, outcome=frame["x"] + frame["id"] % 3, categorical=["id"], random_state=0,
        custom_coders={"own": curve}, coders=["catP", "catN", "own"], significance="classic",
    )  # fmt: skip
    assert max(
        len(curve.curve.x) for one in plan.treatments for curve in getattr(one, "curves", ())
    )
    fresh = frame.iloc[::37].assign(x=lambda rows: rows["x"] + 1e-3)
    fresh.loc[fresh.index[:3], "id"] = -1
    assert_as_prepared(plan, fresh)


@pytest.mark.parametrize("zone", ["Europe/Paris", "Africa/Casablanca", "Australia/Lord_Howe"])
def test_clocks_of_zones(zone: str) -> None:
    random = np.random.default_rng(1)

    def moments(first: str, last: str, n_rows: int) -> pd.DataFrame:
        first, last = (np.datetime64(one, "s").astype(int) for one in (first, last))
        drawn = random.integers(first, last, n_rows).astype("M8[s]")
        return pd.DataFrame({"at": pd.Series(drawn).dt.tz_localize("UTC").dt.tz_convert(zone)})

    plan = vt.design_treatments(
        moments("2015-01-01", "2025-01-01", 400), outcome_type="unsupervised",
        calendar=["hour", "day"], coders=["lev"], min_fraction=0.0,
    )  # fmt: skip
    assert any(one.offset is None for one in plan.made)
    assert_as_prepared(plan, moments("1850-01-01", "9990-01-01", 4000))


def test_numbers_in_single_precision() -> None:
    plan, frame = plan_of("numeric"), awkward_frame(3, 90)
    model = plan.to_onnx(missing_text=MARK, dtype="float32")
    found = treated(model, frame)
    assert found.dtype == np.float32
    expected = vt.prepare(plan, frame).to_numpy()
    largest = float(np.finfo(np.float32).max)
    np.testing.assert_array_equal(found, np.clip(expected, -largest, largest).astype(np.float32))
    assert np.abs(expected).max() > largest


@pytest.mark.parametrize(("unit", "slope"), [(1.0, 1.0 - 1e-9), (1e-46, 1e46)])
def test_scales_that_seem_to_do_nothing(unit: float, slope: float) -> None:
    x = unit * rows()["x"].dropna()
    plan = vt.design_treatments(pd.DataFrame({"x": x, "y": slope * x}), outcome="y")
    assert_as_prepared(plan, pd.DataFrame({"x": x}), variables=["x"], scale=True)


def test_no_rows_and_one() -> None:
    plan, frame = plan_of("binomial"), awkward_frame(4, 1)
    model = assert_as_prepared(plan, frame, MARK)
    feeds = {name: one[:0] for name, one in vt.onnx_models.inputs(model, frame).items()}
    assert outputs(model, feeds)[0].shape == (0, len(plan.feature_names))


def test_frames_of_other_kinds_and_lists_of_rows() -> None:
    frame = rows(60)[["x", "a", "zip", "flag", "seen", "day", "y"]]
    plan = vt.design_treatments(frame, outcome="y", random_state=0, min_fraction=0.0)
    fresh = rows(20, seed=3).drop(columns=["time", "span"])
    expected = bits(vt.prepare(plan, fresh))
    model = plan.to_onnx()
    held = pl.from_pandas(fresh)
    for one in (held, held.to_arrow(), held.to_dicts()):
        np.testing.assert_array_equal(bits(treated(model, one)), expected)
