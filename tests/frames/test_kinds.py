"""Every behaviour on every kind of frame: results are equal to the bit."""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import math
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vtreat_py as vt
from tests.conftest import FRAME_KINDS, FrameKind, arrays, assert_same_values, checkered

ROWS = 60
PLAINEST = FRAME_KINDS[0]
OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "pooled": {"rare_count": 6, "smoothing": 1, "collar_prob": 0.1, "imputation": "median"},
    "scaled": {"scale": True, "collar": True, "cat_scaling": True},
    "tested": {"rare_sig": 0.5, "cv": 3},
}


def wild_columns(n_rows: int = ROWS, seed: int = 0) -> dict[str, list[Any]]:
    """A column of every type that all kinds of frame can hold, and two outcomes."""
    random = np.random.default_rng(seed)
    start = dt.datetime(1969, 12, 30, 6)

    def draw(values: list[Any]) -> list[Any]:
        return [values[i] for i in random.integers(len(values), size=n_rows)]

    def some(make: Any) -> list[Any]:
        return [None if v < 8 else make(int(v)) for v in random.integers(50, size=n_rows)]

    text = draw(["b", "", "é", "a", None, "日本", " a"])
    signal = random.normal(size=n_rows) + [2.0 * (v in ("a", None)) for v in text]
    return {
        "text": text,
        "number": some(lambda v: v / 7),
        "infinite": draw([1.5, math.inf, -math.inf, 2.5, None]),
        "int": draw(list(range(-5, 9))),
        "some ints": some(lambda v: v),
        "flag": draw([True, False]),
        "some flags": draw([True, False, None]),
        "date": some(lambda v: dt.date(1970, 1, 1) + dt.timedelta(days=v - 20)),
        "when": some(lambda v: start + dt.timedelta(microseconds=v * 7654321012)),
        "zoned": some(lambda v: (start + dt.timedelta(hours=v)).replace(tzinfo=dt.UTC)),
        "span": some(lambda v: dt.timedelta(microseconds=(v - 20) * 123456789)),
        "time": some(lambda v: dt.time(v % 24, v, 1, v * 777)),
        "decimal": some(lambda v: decimal.Decimal(v * 12345).scaleb(-4)),
        "bytes": draw([b"q", b"", b"z\x00"]),
        "nothing": [None] * n_rows,
        "weight": draw([0, 1, 2]),
        "group": draw([f"g{i}" for i in range(9)]),
        "y": signal.tolist(),
        "c": ["yes" if v > 0 else "no" for v in signal],
    }


TREATED = [c for c in wild_columns(1) if c not in ("weight", "group", "y", "c")]
pytestmark = [
    pytest.mark.filterwarnings("ignore:nothing is derived from:vtreat_py.VtreatWarning"),
    pytest.mark.usefixtures("few_draws"),
]


def experiment(frame: Any, outcome: Any, **options: Any) -> vt.CrossFrameExperiment:
    return vt.cross_frame_experiment(
        frame, outcome=outcome, variables=TREATED, random_state=0, **options
    )


@pytest.fixture(scope="module")
def expected() -> dict[tuple[str, str], vt.CrossFrameExperiment]:
    """Experiments on the plainest kind of frame."""
    frame = PLAINEST.make(wild_columns())
    return {(y, name): experiment(frame, y, **OPTIONS[name]) for y in "yc" for name in OPTIONS}


@cache
def with_weights_and_groups(y: str) -> vt.CrossFrameExperiment:
    """An experiment on the plainest kind of frame."""
    roles = {"outcome": y, "sample_weight": "weight", "groups": "group"}
    return experiment(PLAINEST.make(wild_columns()), **roles)


@cache
def transformed(make: Any) -> tuple[vt.TreatmentPlan, Any, Any]:
    """The plan, the coded training rows and the treated new ones of the plainest kind of frame."""
    treatment = make(variables=TREATED, prune_sig=None, scale=True, random_state=0)
    y = "y" if make is vt.NumericOutcomeTreatment else "c"
    coded = treatment.fit_transform(PLAINEST.make(wild_columns()), y)
    return treatment.plan_, coded, treatment.transform(PLAINEST.make(wild_columns(30, 1)))


def rows_of(frame: Any, start: int, stop: int) -> Any:
    return frame.slice(start, stop - start) if isinstance(frame, pa.Table) else frame[start:stop]


@pytest.mark.parametrize(
    ("kind", "y", "name"),
    checkered(
        {kind.name: kind for kind in FRAME_KINDS},
        {"numeric": "y", "binomial": "c"},
        {name: name for name in OPTIONS},
    ),
)
def test_plan_and_cross_frame_are_the_same(
    kind: FrameKind, y: str, name: str, expected: Any
) -> None:
    made = experiment(kind.make(wild_columns()), y, **OPTIONS[name])
    assert made.plan == expected[y, name].plan
    assert isinstance(made.cross_frame, kind.native)
    assert_same_values(made.cross_frame, expected[y, name].cross_frame)


@pytest.mark.halved
@pytest.mark.parametrize("how", ["by name", "by array"])
@pytest.mark.parametrize("y", ["y", "c"])
def test_weights_and_groups_mean_the_same(kind: FrameKind, y: str, how: str) -> None:
    frame, theirs = kind.make(wild_columns()), with_weights_and_groups(y)
    roles = {"outcome": y, "sample_weight": "weight", "groups": "group"}
    if how == "by array":
        roles = {role: frame[name] for role, name in roles.items()}
    ours = experiment(frame, **roles)
    assert_same_values(ours.cross_frame, theirs.cross_frame)
    np.testing.assert_array_equal(ours.cross_weights, theirs.cross_weights)
    assert all(
        np.array_equal(a, b)
        for pairs in zip(ours.folds, theirs.folds, strict=True)
        for a, b in zip(*pairs, strict=True)
    )


@pytest.mark.halved
def test_a_plan_of_one_kind_prepares_every_other(kind: FrameKind, expected: Any) -> None:
    plan = experiment(kind.make(wild_columns()), "y").plan
    new = wild_columns(30, seed=1)
    new["text"][:2] = ["new", None]
    reference = vt.prepare(expected["y", "defaults"].plan, PLAINEST.make(new))
    for other in FRAME_KINDS:
        treated = vt.prepare(plan, other.make(new))
        assert isinstance(treated, other.native)
        assert_same_values(treated, reference)


def test_treated_values_are_finite_floats(kind: FrameKind, expected: Any) -> None:
    treated = arrays(vt.prepare(expected["y", "scaled"].plan, kind.make(wild_columns(30, 1))))
    assert all(v.dtype == np.float64 and np.isfinite(v).all() for v in treated.values())


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows_are_prepared(kind: FrameKind, expected: Any, n_rows: int) -> None:
    plan, columns = expected["y", "defaults"].plan, wild_columns(30, 1)
    frame = rows_of(kind.make(columns), 0, n_rows)
    treated = vt.prepare(plan, frame, extra_columns=["group"])
    assert isinstance(treated, kind.native)
    whole = arrays(vt.prepare(plan, PLAINEST.make(columns)))
    few = arrays(treated)
    assert list(few) == [*whole, "group"]
    for name, values in whole.items():
        np.testing.assert_array_equal(few[name], values[:n_rows], strict=True)


def test_slices_are_treated_as_frames_of_their_own(kind: FrameKind, expected: Any) -> None:
    columns = wild_columns()
    frame = kind.make({name: values * 2 for name, values in columns.items()})
    made = experiment(rows_of(frame, ROWS, 2 * ROWS), "y")
    assert made.plan == expected["y", "defaults"].plan
    assert_same_values(made.cross_frame, expected["y", "defaults"].cross_frame)


@pytest.mark.halved
def test_other_columns_and_their_order_do_not_matter(kind: FrameKind, expected: Any) -> None:
    plan = expected["y", "defaults"].plan
    columns = wild_columns(30, 1)
    reference = vt.prepare(plan, PLAINEST.make(columns))
    turned = {"other": ["o"] * 30} | dict(reversed(columns.items()))
    assert_same_values(vt.prepare(plan, kind.make(turned)), reference)
    only = [v for v in plan.feature_names if v.startswith(("text", "when"))]
    treated = arrays(
        vt.prepare(plan, kind.make({c: columns[c] for c in ("when", "text")}), variables=only)
    )
    assert list(treated) == only
    assert all(np.array_equal(v, arrays(reference)[name]) for name, v in treated.items())


def test_extra_columns_keep_their_type_and_values(kind: FrameKind, expected: Any) -> None:
    frame = kind.make(wild_columns(30, 1))
    extra = ["text", "zoned", "some flags", "group"]
    treated = vt.prepare(
        expected["y", "defaults"].plan, frame, variables=["int"], extra_columns=extra
    )
    if kind.native is pd.DataFrame:
        pd.testing.assert_frame_equal(treated[extra], frame[extra])
    else:
        assert treated.select(extra).equals(frame.select(extra))


@pytest.mark.halved
@pytest.mark.parametrize("y", ["y", "c"])
def test_transformers_give_the_same(kind: FrameKind, y: str) -> None:
    make = vt.NumericOutcomeTreatment if y == "y" else vt.BinomialOutcomeTreatment
    ours = make(variables=TREATED, prune_sig=None, scale=True, random_state=0)
    plan, of_training, of_new = transformed(make)
    coded = ours.fit_transform(kind.make(wild_columns()), y)
    assert isinstance(coded, kind.native)
    assert_same_values(coded, of_training)
    assert ours.plan_ == plan
    treated = ours.transform(kind.make(wild_columns(30, 1)))
    assert isinstance(treated, kind.native)
    assert_same_values(treated, of_new)


def test_unsupervised_plans_are_the_same(kind: FrameKind) -> None:
    ours, theirs = (
        vt.UnsupervisedTreatment(variables=TREATED).fit(k.make(wild_columns()))
        for k in (kind, PLAINEST)
    )
    assert ours.plan_ == theirs.plan_
    new = wild_columns(30, 1)
    assert_same_values(ours.transform(kind.make(new)), theirs.transform(PLAINEST.make(new)))


def test_the_training_frame_is_recognised(kind: FrameKind, expected: Any) -> None:
    with pytest.warns(vt.VtreatWarning, match="designed on"):
        vt.prepare(expected["y", "defaults"].plan, kind.make(wild_columns()))


def test_the_frame_of_the_caller_is_left_as_it_was(kind: FrameKind) -> None:
    frame = kind.make(wild_columns())
    before = copy.deepcopy(frame)
    made = experiment(frame, "y", scale=True, collar=True)
    vt.prepare(made.plan, rows_of(frame, 0, 20), scale=True, extra_columns=["text"])
    assert frame.equals(before)


INDEXES: dict[str, Any] = {
    "pairs": pd.MultiIndex.from_product([range(ROWS // 2), ["l", "r"]], names=["i", "side"]),
    "duplicated": pd.Index([0, 1] * (ROWS // 2), name="id"),
    "moments": pd.date_range("2020", periods=ROWS, tz="UTC", name="day"),
    "categories": pd.CategoricalIndex(["p", "q", "q"] * (ROWS // 3)),
    "missing": pd.Index([None, "a"] * (ROWS // 2)),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
@pytest.mark.parametrize(
    "pandas_kind", [k for k in FRAME_KINDS if k.native is pd.DataFrame], ids=lambda k: k.name
)
def test_every_pandas_frame_keeps_its_index(
    pandas_kind: FrameKind, index: pd.Index, expected: Any
) -> None:
    made = experiment(pandas_kind.make(wild_columns()).set_index(index), "y")
    pd.testing.assert_index_equal(made.cross_frame.index, index)
    assert_same_values(made.cross_frame, expected["y", "defaults"].cross_frame)
    some = pandas_kind.make(wild_columns(seed=1)).set_index(index)[::-3]
    treated = vt.prepare(made.plan, some, extra_columns=["group"])
    pd.testing.assert_index_equal(treated.index, some.index)
    pd.testing.assert_series_equal(treated["group"], some["group"])


@pytest.mark.parametrize("step", [2, -1])
@pytest.mark.parametrize(
    "made",
    [
        lambda v: np.asarray(v, dtype=np.float64),
        lambda v: np.asarray(v, dtype=">f8"),
        lambda v: np.asarray(v, dtype=np.int16),
        lambda v: np.asarray(v) > 2,
        lambda v: np.asarray(v, dtype="datetime64[D]").astype("datetime64[ns]"),
        lambda v: np.asarray([f"t{i}" for i in v], dtype=object),
        lambda v: np.asarray([f"t{i}" for i in v]),
    ],
    ids=["floats", "big-endian", "int16", "bools", "dates", "objects", "fixed text"],
)
def test_strided_and_read_only_arrays_are_read_as_any_other(made: Any, step: int) -> None:
    y = np.arange(40.0) % 7
    values = [(7 * i) % 11 for i in range(40)]
    strided = made(np.repeat(values, 2) if step == 2 else values[::-1])
    strided.flags.writeable = False
    frame = pd.DataFrame({"x": pd.Series(strided, copy=False)}, copy=False)[::step]
    plain = pd.DataFrame({"x": made(values)})
    ours, theirs = (vt.cross_frame_experiment(f, outcome=y, random_state=0) for f in (frame, plain))
    assert ours.plan == theirs.plan
    assert_same_values(ours.cross_frame, theirs.cross_frame)
    pd.testing.assert_index_equal(ours.cross_frame.index, frame.index)


DECIMALS = [decimal.Decimal(f"{i}.{i:04d}7") for i in range(997, 1037)]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": DECIMALS}),
        pl.DataFrame({"x": DECIMALS}),
        pa.table({"x": DECIMALS}),
        pa.table({"x": pa.array(DECIMALS, pa.decimal256(50, 9))}),
    ],
    ids=["objects", "polars", "pyarrow", "pyarrow, wide"],
)
def test_decimals_are_read_to_the_nearest_float(frame: Any) -> None:
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    treated = arrays(vt.prepare(plan, frame))["x"]
    assert treated.tolist() == [float(v) for v in DECIMALS]


@pytest.mark.parametrize(
    "empty",
    [
        pd.Series([None] * 20, dtype=object),
        pd.Series([None] * 20, dtype=float),
        pd.Series([None] * 20, dtype="datetime64[ns]"),
        pd.Series([None] * 20, dtype="Float64"),
        pd.Series(pd.Categorical([None] * 20, ["a", "b"])),
        pl.Series([None] * 20),
        pl.Series([None] * 20, dtype=pl.Enum(["a", "b"])),
        pl.Series([math.nan] * 20),
        pa.array([None] * 20, pa.dictionary(pa.int8(), pa.string())),
        pa.array([math.nan, None] * 10, pa.float32()),
    ],
    ids=lambda v: f"{type(v).__module__.split('.')[0]} {getattr(v, 'dtype', '') or v.type}",
)
def test_a_column_without_a_present_value_has_no_type(empty: Any) -> None:
    make = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(empty), pa.table)
    with pytest.warns(vt.VtreatWarning, match="'x': it has missing values only"):
        plan = vt.design_treatments(
            make({"x": empty, "z": range(20)}), outcome=np.arange(20.0) % 3, random_state=0
        )
    assert plan.unused == (("x", "it has missing values only"),)
    for values in (["a", "b"] * 10, [1.0, math.nan] * 10):
        full = vt.design_treatments(pd.DataFrame({"x": values}), outcome_type="unsupervised")
        treated = arrays(vt.prepare(full, make({"x": empty})))
        missing = vt.prepare(full, pd.DataFrame({"x": [None] * 20}))
        assert_same_values(pd.DataFrame(treated), missing)


def test_unused_categories_are_as_unknown_as_any_new_level() -> None:
    values = ["a", "b", "b", "c"] * 10
    frame = pd.DataFrame({"x": pd.Categorical(values, ["unused", "c", "b", "a"])})
    options: dict[str, Any] = {"outcome": np.arange(40.0) % 9, "rare_count": 10, "smoothing": 1}
    ours = vt.design_treatments(frame, random_state=0, **options)
    theirs = vt.design_treatments(pd.DataFrame({"x": values}), random_state=0, **options)
    assert ours == theirs
    new = pd.DataFrame({"x": ["unused", "new"]})
    treated = vt.prepare(ours, new).to_numpy()
    np.testing.assert_array_equal(treated[0], treated[1])


def test_intervals_of_numbers_are_levels() -> None:
    values = np.arange(40.0)
    frame = pd.DataFrame({"x": pd.cut(values, 4)})
    plan = vt.design_treatments(frame, outcome=values % 7, coders=["lev"], random_state=0)
    assert len(plan.derived) == 4
    treated = vt.prepare(plan, frame[::-1])
    assert treated.sum(axis=1).tolist() == [1.0] * 40
    assert treated.sum().tolist() == [10.0] * 4


@pytest.mark.filterwarnings("ignore:column .* holds the integer:vtreat_py.VtreatWarning")
def test_sums_of_large_integers_do_not_depend_on_their_type() -> None:
    random = np.random.default_rng(0)
    values = random.integers(-(2**62), 2**62, 70_000)
    y = random.normal(size=len(values))
    plans = [
        vt.design_treatments(make({"x": values}), outcome=y, random_state=0)
        for make in (pd.DataFrame, pl.DataFrame, pa.table)
    ]
    plans.append(
        vt.design_treatments(pd.DataFrame({"x": values.astype(float)}), outcome=y, random_state=0)
    )
    assert all(plan == plans[0] for plan in plans)
    by_outcome = [
        vt.design_treatments(pd.DataFrame({"x": y}), outcome=given, random_state=0)
        for given in (values, values.astype(float), pl.Series(values), pa.array(values))
    ]
    assert all(plan == by_outcome[0] for plan in by_outcome)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
COLUMNS = {
    "text": st.one_of(st.none(), st.sampled_from(["a", "A", "", "é"]), TEXT),
    "number": st.one_of(st.none(), st.floats(-1e300, 1e300), st.sampled_from([math.inf, 0.0])),
    "int": st.one_of(st.none(), st.integers(-(2**40), 2**40)),
    "flag": st.one_of(st.none(), st.booleans()),
    "date": st.one_of(st.none(), st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))),
    "when": st.one_of(st.none(), st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))),
}


@st.composite
def frames(draw: Any) -> tuple[dict[str, list[Any]], list[float]]:
    """Columns of mixed types, some with few distinct values, and an outcome."""
    n_rows = draw(st.integers(12, 40))
    data = {}
    for name, values in COLUMNS.items():
        pool = draw(st.lists(values, min_size=2, max_size=8))
        rows = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        data[name] = rows
    data["text"][0], data["number"][0] = "first", 0.5
    y = draw(st.lists(st.integers(0, 5).map(float), min_size=n_rows, max_size=n_rows))
    y[:2] = [0.0, 1.0]
    return data, y


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(given=frames(), rare_count=st.sampled_from([0, 2]), scale=st.booleans())
def test_random_frames_of_every_kind_give_the_same_finite_numbers(
    given: tuple[dict[str, list[Any]], list[float]], rare_count: int, scale: bool
) -> None:
    data, y = given
    options: dict[str, Any] = {"outcome": y, "rare_count": rare_count, "random_state": 0, "cv": 3}
    reference = vt.cross_frame_experiment(PLAINEST.make(data), scale=scale, **options)
    assert all(np.isfinite(v).all() for v in arrays(reference.cross_frame).values())
    tail = {name: values[5:] for name, values in data.items()}
    treated = vt.prepare(reference.plan, PLAINEST.make(tail), scale=scale)
    assert all(np.isfinite(v).all() for v in arrays(treated).values())
    for kind in FRAME_KINDS[1:]:
        made = vt.cross_frame_experiment(kind.make(data), scale=scale, **options)
        assert made.plan == reference.plan
        assert_same_values(made.cross_frame, reference.cross_frame)
        frame = rows_of(kind.make(data), 5, len(y))
        ours = vt.prepare(reference.plan, frame, scale=scale)
        assert_same_values(ours, treated)
        if kind.native is pd.DataFrame:
            pd.testing.assert_index_equal(made.cross_frame.index, pd.RangeIndex(len(y)))
            pd.testing.assert_index_equal(ours.index, frame.index)
