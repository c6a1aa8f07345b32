"""Bad input gives one telling error, or works: never a crash, never silence."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.conftest import FrameKind, arrays
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    SchemaError,
)

ROWS = 40


def table(n_rows: int = ROWS) -> dict[str, list[Any]]:
    random = np.random.default_rng(1)
    return {
        "x": random.choice(["a", "b", "c"], n_rows).tolist(),
        "z": random.normal(size=n_rows).tolist(),
        "n": random.integers(0, 9, n_rows).tolist(),
        "d": [dt.date(2020, 1, 1) + dt.timedelta(days=i % 11) for i in range(n_rows)],
        "y": random.normal(size=n_rows).tolist(),
        "c": random.choice(["p", "q"], n_rows).tolist(),
    }


VARIABLES = ["x", "z", "n", "d"]


@pytest.fixture(scope="module")
def plan() -> vt.TreatmentPlan:
    return vt.design_treatments(
        pd.DataFrame(table()), outcome="y", variables=VARIABLES, smoothing=0, random_state=0
    )


def test_every_error_is_a_vtreat_error_and_a_value_or_type_error() -> None:
    for error in (FrameError, InvalidOptionError, OutcomeError, SchemaError):
        assert issubclass(error, vt.VtreatError)
        assert issubclass(error, ValueError)
    assert issubclass(OptionTypeError, vt.VtreatError)
    assert issubclass(OptionTypeError, TypeError)
    assert issubclass(vt.VtreatWarning, UserWarning)


@pytest.mark.parametrize(
    "outcome", [{"outcome": "y"}, {"outcome": "c"}, {"outcome_type": "unsupervised"}]
)
def test_a_frame_of_zero_rows_cannot_be_designed_on(kind: FrameKind, outcome: Any) -> None:
    empty = kind.make(table())[:0]
    with pytest.raises(FrameError, match="the frame has no rows; a design needs at least two"):
        vt.design_treatments(empty, **outcome)


def test_zero_rows_can_be_prepared(plan: vt.TreatmentPlan, kind: FrameKind) -> None:
    empty = kind.make(table())[:0]
    treated = vt.prepare(plan, empty, scale=True, collar=True, extra_columns=["y"])
    assert isinstance(treated, kind.native)
    assert list(arrays(treated)) == [*plan.feature_names, "y"]
    assert len(arrays(treated)["z"]) == 0


def test_one_row_cannot_be_designed_on() -> None:
    with pytest.raises(OutcomeError, match="must vary"):
        vt.design_treatments(pd.DataFrame({"z": [1.0], "y": [2.0]}), outcome="y")


def test_two_rows_can_be_designed_on() -> None:
    frame = pd.DataFrame({"z": [1.0, 2.0], "x": ["a", "b"], "y": [0.5, 1.0]})
    made = vt.cross_frame_experiment(frame, outcome="y", cv=2, scale=True)
    assert made.cross_frame.shape == (2, 3)
    assert np.isfinite(made.cross_frame.to_numpy()).all()


def test_one_row_can_be_prepared(plan: vt.TreatmentPlan, kind: FrameKind) -> None:
    row = {name: values[:1] for name, values in table().items()}
    many = arrays(vt.prepare(plan, pd.DataFrame(table()).head(3)))
    for name, values in arrays(vt.prepare(plan, kind.make(row))).items():
        np.testing.assert_array_equal(values, many[name][:1])


def test_a_frame_with_the_outcome_only_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="no column to treat beside the outcome"):
        vt.design_treatments(pd.DataFrame({"y": [0.0, 1.0, 2.0]}), outcome="y")


UNUSABLE: dict[str, tuple[list[Any], str]] = {
    "constant numbers": ([2.5] * ROWS, "it is constant"),
    "constant flags": ([True] * ROWS, "it is constant"),
    "one level": (["a"] * ROWS, "it has one level only"),
    "missing text": ([None] * ROWS, "it has missing values only"),
    "missing numbers": ([np.nan] * ROWS, "it has (no finite value|missing values only)"),
    "infinite numbers": ([np.inf, -np.inf] * (ROWS // 2), "it has no finite value"),
}


@pytest.mark.parametrize(("values", "reason"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_column_without_information_is_reported_not_dropped_in_silence(
    values: list[Any], reason: str, outcome: str
) -> None:
    data = pd.DataFrame({"v": values, "z": table()["z"]})
    y = table()[outcome]
    with pytest.warns(vt.VtreatWarning, match=rf"nothing is derived from 1 column \('v': {reason}"):
        plan = vt.design_treatments(data, outcome=y, random_state=0)
    assert plan.feature_names == ["z"]
    ((column, said),) = plan.unused
    assert column == "v"
    assert "'v'" in repr(plan)
    assert said in repr(plan)


def test_when_no_column_can_be_used_the_plan_is_empty_and_says_so() -> None:
    frame = pd.DataFrame({"v": [1.0] * ROWS, "w": ["a"] * ROWS})
    with pytest.warns(vt.VtreatWarning, match=r"2 columns \('v': .* constant; 'w': .* one level"):
        plan = vt.design_treatments(frame, outcome=table()["y"])
    assert plan.feature_names == []
    assert plan.score_frame.shape == (0, 13)
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        treated = vt.prepare(plan, frame.head(7))
    assert treated.shape == (7, 0)
    assert "0 derived variables" in repr(plan)


def test_many_columns_that_cannot_be_used_are_counted_in_the_warning() -> None:
    frame = pd.DataFrame({f"v{i}": [i] * ROWS for i in range(8)} | {"z": table()["z"]})
    with pytest.warns(vt.VtreatWarning, match=r"from 8 columns .*'v4'.*; and 3 more \(see plan.un"):
        plan = vt.design_treatments(frame, outcome=table()["y"])
    assert [column for column, _ in plan.unused] == [f"v{i}" for i in range(8)]


def test_columns_that_nothing_is_derived_from_are_not_needed_in_prepare() -> None:
    frame = pd.DataFrame({"v": [1.0] * ROWS, "z": table()["z"]})
    with pytest.warns(vt.VtreatWarning, match="'v': it is constant"):
        plan = vt.design_treatments(frame, outcome=table()["y"])
    assert vt.prepare(plan, pd.DataFrame({"z": [1.0]})).columns.tolist() == ["z"]


def test_a_column_that_is_constant_but_for_missing_values_is_used() -> None:
    frame = pd.DataFrame({"v": [1.0, None] * (ROWS // 2), "x": ["a", None] * (ROWS // 2)})
    plan = vt.design_treatments(frame, outcome=table()["y"], imputation=0, random_state=0)
    assert plan.feature_names == ["v", "v_isBAD", "x_lev_NA", "x_lev_x_a"]
    mean = vt.design_treatments(frame, outcome=table()["y"], random_state=0)
    assert mean.feature_names == ["v_isBAD", "x_lev_NA", "x_lev_x_a"]


def test_many_columns_that_cannot_be_used_are_counted_in_print() -> None:
    frame = pd.DataFrame({f"v{i}": [i] * ROWS for i in range(15)} | {"z": table()["z"]})
    with pytest.warns(vt.VtreatWarning, match="nothing is derived from 15 columns"):
        plan = vt.design_treatments(frame, outcome=table()["y"])
    assert "not used: 'v9', it is constant" in repr(plan)
    assert "'v10'" not in repr(plan)
    assert "not used: 5 more columns" in repr(plan)


def test_an_unsupervised_design_has_no_cross_frame() -> None:
    with pytest.raises(InvalidOptionError, match=r"has no cross-frame.*use prepare"):
        vt.cross_frame_experiment(pd.DataFrame(table()), outcome_type="unsupervised")


@pytest.mark.parametrize("imputation", ["mean", "median", lambda values, weights: values.min()])
def test_a_fold_that_knows_no_good_number_takes_the_value_of_all_rows(imputation: Any) -> None:
    frame = pd.DataFrame({"z": [None] * 20 + [1.0, 4.0] * 9 + [None, 7.0]})
    halves = [(range(20), range(20, 40)), (range(20, 40), range(20))]
    made = vt.cross_frame_experiment(
        frame, outcome=table()["y"], cv=halves, imputation=imputation, scale=True, collar=True
    )
    plain = vt.cross_frame_experiment(
        frame, outcome=table()["y"], cv=halves, imputation=imputation, collar=True
    )
    assert np.isfinite(made.cross_frame.to_numpy()).all()
    whole = vt.prepare(made.plan, pd.DataFrame({"z": [None]}, dtype=float))["z"][0]
    assert plain.cross_frame["z"][38] == whole


def test_an_identifier_gives_no_impact_code_and_no_crash(kind: FrameKind, outcome: str) -> None:
    data = table() | {"id": [f"id{i}" for i in range(ROWS)]}
    made = vt.cross_frame_experiment(
        kind.make(data), outcome=outcome, variables=["id", "z"], random_state=0
    )
    assert "z" in made.plan.feature_names
    treated = arrays(vt.prepare(made.plan, kind.make({"id": ["new", None], "z": [1.0, 2.0]})))
    assert all(np.isfinite(values).all() for values in treated.values())


def test_infinite_and_missing_values_are_bad_alike() -> None:
    z = [1.0, np.inf, 3.0, -np.inf, np.nan, 5.0, 2.0, 7.0] * 5
    plan = vt.design_treatments(pd.DataFrame({"z": z}), outcome=table()["y"], random_state=0)
    treated = vt.prepare(plan, pd.DataFrame({"z": [np.inf, -np.inf, np.nan, None, 4.0]}))
    assert treated["z"].tolist() == pytest.approx([3.6] * 4 + [4.0])
    assert treated["z_isBAD"].tolist() == [1, 1, 1, 1, 0]


def test_prepare_lists_every_missing_column_at_once(plan: vt.TreatmentPlan) -> None:
    with pytest.raises(
        SchemaError, match=r"lacks 3 columns: 'x', 'n', 'd'\. Add them .*or prepare fewer variables"
    ):
        vt.prepare(plan, pd.DataFrame({"z": [1.0]}))


def test_prepare_lists_missing_extra_columns_too(plan: vt.TreatmentPlan) -> None:
    with pytest.raises(SchemaError, match=r"lacks 2 columns: 'd', 'who'\."):
        vt.prepare(plan, pd.DataFrame(table()).drop(columns="d"), extra_columns=["who"])


def test_prepare_needs_only_the_columns_of_the_chosen_variables(plan: vt.TreatmentPlan) -> None:
    treated = vt.prepare(plan, pd.DataFrame({"z": [1.0], "n": [3]}), variables=["z", "n"])
    assert treated.to_numpy().tolist() == [[1.0, 3.0]]


DRIFTED: dict[str, tuple[str, Any, str]] = {
    "text for number": (
        "z",
        ["a"],
        r"'z' \(designed on number, found levels such as 'a' in row 0\)",
    ),
    "category for number": (
        "z",
        pd.Categorical(["a"]),
        r"'z' \(designed on number, found levels such as 'a' in row 0\)",
    ),
    "digits for number": (
        "z",
        ["1.5"],
        r"'z' \(designed on number, found levels such as '1.5' in row 0\)",
    ),
    "date for number": ("z", [dt.date(2020, 1, 1)], r"'z' \(designed on number, found date\)"),
    "datetime for number": ("z", pd.to_datetime(["2020"]), r"designed on number, found datetime"),
    "duration for number": ("z", pd.to_timedelta(["1s"]), r"designed on number, found duration"),
    "number for text": ("x", [1.5], r"'x' \(designed on levels, found number such as 1.5\)"),
    "flag for text": ("x", [True], r"'x' \(designed on levels, found number such as 1\)"),
    "date for text": ("x", [dt.date(2020, 1, 1)], r"'x' \(designed on levels, found date\)"),
    "infinite for text": ("x", [np.inf], r"'x' \(designed on levels, found number\)"),
    "number for date": ("d", [18000], r"'d' \(designed on date, found number such as 18000\)"),
    "text for date": ("d", ["2020-01-01"], r"designed on date, found levels such as '2020-01-01'"),
    "datetime for date": ("d", pd.to_datetime(["2020"]), r"'d' \(designed on date, found dateti"),
}


@pytest.mark.parametrize(("column", "values", "message"), DRIFTED.values(), ids=DRIFTED)
def test_a_column_of_another_type_is_refused(
    plan: vt.TreatmentPlan, column: str, values: Any, message: str
) -> None:
    row = pd.DataFrame({name: v[:1] for name, v in table().items()} | {column: values})
    with pytest.raises(SchemaError, match=rf"1 column changed type.*{message}.*Convert"):
        vt.prepare(plan, row)


def test_of_a_number_that_comes_as_objects_the_value_that_is_none_is_named(
    plan: vt.TreatmentPlan,
) -> None:
    rows = pd.DataFrame({"z": pd.Series([1.5, None, "2", "n/a", 3], dtype=object)})
    match = r"such as 'n/a' in row 3\).*\(pandas.to_numeric\(..., errors=\"coerce\"\)\)$"
    with pytest.raises(SchemaError, match=match):
        vt.prepare(plan, rows, variables=["z"])


def test_a_column_whose_name_differs_in_case_is_meant(plan: vt.TreatmentPlan) -> None:
    with pytest.raises(SchemaError, match="lacks 1 column: 'z'; did you mean 'Z'\\? Add them"):
        vt.prepare(plan, pd.DataFrame({"Z": [1.0]}), variables=["z"])
    with pytest.raises(InvalidOptionError, match="did you mean 'x_catN'"):
        vt.prepare(plan, pd.DataFrame(table()), variables=["x_catn"])


def test_all_columns_of_another_type_are_reported_at_once(
    plan: vt.TreatmentPlan, kind: FrameKind
) -> None:
    row = kind.make({"x": [1.5], "z": ["a"], "n": [3], "d": [7]})
    with pytest.raises(SchemaError, match=r"(?s)^3 columns changed.*'x'.*'z'.*'d'") as caught:
        vt.prepare(plan, row)
    assert "'n'" not in str(caught.value)


@pytest.mark.parametrize("lazy", [False, True])
def test_so_are_those_that_other_columns_are_made_of(lazy: bool) -> None:
    frame = pd.DataFrame({"a": ["u", "v"] * 100, "b": np.arange(200) % 17, "y": np.arange(200) % 5})
    frame["d"] = pd.date_range("2020-01-01", periods=200, freq="5D")
    plan = vt.design_treatments(frame, outcome="y", composites=[("a", "b")], random_state=0)
    row: Any = pd.DataFrame({"a": [5], "b": ["q"], "d": ["z"]})
    if lazy:
        row = pytest.importorskip("polars").from_pandas(row).lazy()
    for name in "abd":
        with pytest.raises(SchemaError, match=rf"^3 columns changed type.*'{name}' \(designed on"):
            vt.prepare(plan, row)


SAME_TYPE: dict[str, tuple[str, Any, dict[str, float]]] = {
    "whole number for number": ("z", [2], {"z": 2.0}),
    "flag for number": ("z", [True], {"z": 1.0}),
    "objects for number": ("z", pd.Series([2], dtype=object), {"z": 2.0}),
    "nullable for number": ("z", pd.array([2], dtype="Int64"), {"z": 2.0}),
    "float32 for number": ("z", np.array([0.5], dtype="float32"), {"z": 0.5}),
    "float for whole number": ("n", [2.5], {"n": 2.5}),
    "category for text": ("x", pd.Categorical(["b"]), {"x_lev_x_a": 0, "x_lev_x_b": 1}),
}


@pytest.mark.parametrize(("column", "values", "expected"), SAME_TYPE.values(), ids=SAME_TYPE)
def test_a_column_of_a_like_type_is_welcome(
    plan: vt.TreatmentPlan, column: str, values: Any, expected: dict[str, float]
) -> None:
    row = pd.DataFrame({name: v[:1] for name, v in table().items()} | {column: values})
    treated = vt.prepare(plan, row)
    for name, value in expected.items():
        assert treated[name].tolist() == [value]


MIXED = [1, "a", 2.5, dt.date(2020, 1, 1), True, b"a", None]


@pytest.mark.parametrize("row", range(len(MIXED)))
def test_a_mixed_column_is_treated_whatever_is_in_the_rows_at_hand(row: int) -> None:
    # One row of such a column looks like a column of numbers, or of dates.
    frame = pd.DataFrame({"x": pd.Series(MIXED * 6, dtype=object)})
    plan = vt.design_treatments(
        frame, outcome=np.arange(len(frame)) % 5, smoothing=0, random_state=0
    )
    whole = vt.prepare(plan, frame.head(2 * len(MIXED)))
    alone = vt.prepare(plan, frame.iloc[[row]])
    assert alone.to_numpy().tolist() == whole.iloc[[row]].to_numpy().tolist()


ALL_MISSING: dict[str, Any] = {
    "objects": pd.Series([None, None], dtype=object),
    "floats": pd.Series([np.nan, np.nan]),
    "str": pd.Series([None, None], dtype="string"),
    "Int64": pd.Series([None, None], dtype="Int64"),
    "boolean": pd.Series([None, None], dtype="boolean"),
    "category": pd.Series(pd.Categorical([None, None])),
    "category of some": pd.Series(pd.Categorical([None, None], ["a", "b"])),
    "datetime": pd.Series(pd.to_datetime([None, None])),
    "datetime with zone": pd.Series(pd.to_datetime([None, None])).dt.tz_localize("UTC"),
    "timedelta": pd.Series(pd.to_timedelta([None, None])),
    "Arrow null": pd.Series([None, None], dtype=pd.ArrowDtype(pa.null())),
    "polars Null": pl.Series([None, None]),
    "polars Float64": pl.Series([None, None], dtype=pl.Float64),
    "polars NaN": pl.Series([np.nan, np.nan]),
    "polars Categorical": pl.Series([None, None], dtype=pl.Categorical),
    "polars Date": pl.Series([None, None], dtype=pl.Date),
    "pyarrow text": pa.array([None, None], pa.string()),
    "pyarrow time": pa.array([None, None], pa.timestamp("s")),
}


def frame_of(values: Any, rest: dict[str, list[Any]]) -> Any:
    """A frame of the kind of ``values``, with them as column v."""
    if isinstance(values, pl.Series):
        return pl.DataFrame(rest).with_columns(values.alias("v"))
    if isinstance(values, pa.Array):
        return pa.table(rest).append_column("v", values)
    return pd.DataFrame(rest).assign(v=values)


@pytest.mark.parametrize("values", ALL_MISSING.values(), ids=ALL_MISSING)
@pytest.mark.parametrize("designed_on", ["x", "z", "d"])
def test_a_column_of_missing_values_of_any_type_is_accepted(
    plan: vt.TreatmentPlan, designed_on: str, values: Any
) -> None:
    rest = {name: v[:2] for name, v in table().items() if name != designed_on}
    frame = frame_of(values, rest)
    if isinstance(frame, pa.Table):
        frame = frame.rename_columns([designed_on if n == "v" else n for n in frame.column_names])
    elif isinstance(frame, pl.DataFrame):
        frame = frame.rename({"v": designed_on})
    else:
        frame = frame.rename(columns={"v": designed_on})
    treated = arrays(vt.prepare(plan, frame))
    expected = vt.prepare(
        plan, pd.DataFrame(rest | {designed_on: pd.Series([None, None], dtype=object)})
    )
    for name, ours in treated.items():
        np.testing.assert_array_equal(ours, expected[name], err_msg=name)


def test_prepare_needs_a_plan() -> None:
    with pytest.raises(OptionTypeError, match=r"plan is of type dict; give .*plan_ of a fitted"):
        vt.prepare({}, pd.DataFrame(table()))  # type: ignore[arg-type]


def test_prepare_needs_a_frame(plan: vt.TreatmentPlan) -> None:
    with pytest.raises(OptionTypeError, match="frame is of type dict; give a pandas, polars or py"):
        vt.prepare(plan, {"x": [1, 2]})


def test_prepare_names_a_column_that_cannot_be_treated(plan: vt.TreatmentPlan) -> None:
    frame = pd.DataFrame(table()).head(2).assign(x=[["a"], ["b"]])
    with pytest.raises(FrameError, match=r"column 'x' holds values such as \['a'\]"):
        vt.prepare(plan, frame)


@pytest.mark.parametrize("huge", [1.7e308, -1.7e308, 5e-324, 1e200])
@pytest.mark.parametrize("cat_scaling", [False, True])
def test_huge_values_never_become_missing_or_infinite(
    huge: float, cat_scaling: bool, outcome: str
) -> None:
    data = table()
    z = [*data["z"][:-3], huge, huge / 2, np.nan]
    alternating = huge if abs(huge) > 1e-300 else 1e-300  # no float is the slope on 5e-324
    h = np.where(np.arange(ROWS) % 2, alternating, -alternating / 2)
    frame = pd.DataFrame({"z": z, "h": h})
    made = vt.cross_frame_experiment(
        frame, outcome=data[outcome], scale=True, cat_scaling=cat_scaling, random_state=0
    )
    assert np.isfinite(made.cross_frame.to_numpy()).all()
    assert np.isfinite(made.plan.score_frame[["rsq", "sig"]].to_numpy()).all()
    new = pd.DataFrame({"z": [huge, -huge, 0.0, np.nan], "h": [1.7e308, -1.7e308, 0.0, np.inf]})
    for scale in (False, True):
        for collar in (False, True):
            treated = vt.prepare(made.plan, new, scale=scale, collar=collar)
            assert np.isfinite(treated.to_numpy()).all()


def test_scaled_huge_values_are_in_the_units_of_the_outcome() -> None:
    # The distance from the mean is beyond the range of floats, its product with the slope is not.
    frame = pd.DataFrame({"z": [-1.7e308] * 30 + [1.7e308] * 10})
    y = np.arange(ROWS) / ROWS
    made = vt.cross_frame_experiment(frame, outcome=y, scale=True, random_state=0)
    treated = vt.prepare(made.plan, frame.iloc[[0, -1]], scale=True)["z"]
    low, high = treated.tolist()
    assert low == pytest.approx(-0.125)
    assert 0.25 < high < 0.3751  # .375, or what the largest distance gives
    assert made.cross_frame["z"].abs().max() < 1


@pytest.mark.parametrize("collar_prob", [0.1, 0.48])
@pytest.mark.parametrize("imputation", ["mean", "median"])
def test_cuts_and_medians_between_huge_values_are_finite(
    collar_prob: float, imputation: str
) -> None:
    z = [1.7e308, -1.7e308, None, None] * 10
    given = {"collar_prob": collar_prob, "imputation": imputation, "random_state": 0}
    for weight in (None, np.arange(ROWS) % 3 + 1.0):
        made = vt.cross_frame_experiment(
            pd.DataFrame({"z": z}), outcome=table()["y"], sample_weight=weight, collar=True, **given
        )
        assert np.isfinite(made.cross_frame.to_numpy()).all()


def noise(n_rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n_rows)


def test_an_outcome_that_is_a_treated_column_too_gives_a_warning() -> None:
    frame = pd.DataFrame({"z": noise(30), "y": noise(30, seed=1)})
    with pytest.warns(vt.VtreatWarning, match=r"column 'y' is the outcome itself.*by name \('y'\)"):
        vt.design_treatments(frame, outcome=frame["y"])


def test_a_series_that_shares_a_name_with_another_column_gives_no_warning() -> None:
    frame = pd.DataFrame({"z": noise(30), "y": noise(30, seed=1)})
    other = pd.Series(noise(30, seed=2), name="y")
    assert vt.design_treatments(frame, outcome=other).feature_names == ["z", "y"]


def test_an_unsupervised_design_refuses_what_it_has_no_use_for() -> None:
    frame = pd.DataFrame({"z": noise(30)})
    with pytest.raises(vt.VtreatError, match="takes no target or cv"):
        vt.design_treatments(frame, outcome_type="unsupervised", target=1, cv=5)


def test_columns_whose_codes_nobody_asked_for_give_no_warning() -> None:
    frame = pd.DataFrame({"z": noise(40), "x": list("abcd") * 10})
    plan = vt.design_treatments(frame, outcome=np.arange(40) % 4, coders=["lev"])
    assert dict(plan.unused) == {"z": "no code that was asked for applies to its type"}


def test_a_number_without_bad_values_gives_no_warning_where_only_those_are_marked() -> None:
    frame = pd.DataFrame({"z": noise(40), "x": list("abcd") * 10})
    plan = vt.design_treatments(frame, outcome=np.arange(40) % 4, coders=["lev", "isBAD"])
    assert dict(plan.unused) == {
        "z": "it has no bad value to mark, and no other code was asked for"
    }


def test_a_column_whose_codes_would_be_constant_is_said_to_be_so() -> None:
    frame = pd.DataFrame({"x": [f"id {i}" for i in range(60)], "z": noise(60)})
    with pytest.warns(vt.VtreatWarning, match="'x': the codes asked for would be constant: its le"):
        vt.design_treatments(frame, outcome=noise(60, seed=1), coders=["clean", "catN"])


@pytest.mark.parametrize(
    ("coder", "why"),
    [
        ("lev", "are too rare for indicators$"),
        ("catN", "differ no more than chance makes them$"),
        ("catP", "are equally frequent$"),
    ],
)
def test_why_codes_would_be_constant_is_said_of_those_asked_for(coder: str, why: str) -> None:
    frame = pd.DataFrame({"x": [f"id {i}" for i in range(60)], "z": noise(60)})
    with pytest.warns(vt.VtreatWarning, match="'x': the codes asked for would be constant"):
        plan = vt.design_treatments(frame, outcome=noise(60, seed=1), coders=["clean", coder])
    assert re.search(f"its levels {why}", dict(plan.unused)["x"])


def test_codes_that_apply_to_no_column_at_all_give_a_warning() -> None:
    frame = pd.DataFrame({"x": ["a", "b"] * 30})
    with pytest.warns(
        vt.VtreatWarning, match=r"\['spline'\] make no variable of any column, .* 'x'"
    ):
        plan = vt.design_treatments(frame, outcome=noise(60), coders=["spline"])
    assert not plan.feature_names


def test_a_series_in_place_of_a_frame_is_told_how_to_be_one() -> None:
    with pytest.raises(FrameError, match=r"X\.to_frame\(\) for one column"):
        vt.UnsupervisedTreatment().fit(pd.Series(["a", "b"] * 5))


def test_a_plan_is_not_written_to_a_folder_that_is_not_there(plan: vt.TreatmentPlan) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such folder; make it first.*'/no/such'"):
        plan.to_json("/no/such/plan.json")


def test_an_array_for_a_plan_of_named_columns_is_told_from_a_frame(plan: vt.TreatmentPlan) -> None:
    with pytest.raises(SchemaError, match=r"lacks 4 columns: .*; an array has .*data frame"):
        vt.prepare(plan, np.zeros((3, 4)))


def test_a_lazy_frame_must_be_collected_for_a_transformer() -> None:
    rows = pl.DataFrame(table())
    with pytest.raises(OptionTypeError, match=r"type LazyFrame; .*must be collected first"):
        vt.BinomialOutcomeTreatment().fit(rows.lazy(), rows["y"])


def test_a_lazy_frame_has_no_order_for_folds() -> None:
    with pytest.raises(vt.VtreatError, match="the rows of a lazy frame have no order"):
        vt.design_treatments(pl.DataFrame(table()).lazy(), outcome="y")


def test_an_array_of_more_columns_is_refused_by_a_transformer() -> None:
    values = noise(90).reshape(30, 3)
    treatment = vt.NumericOutcomeTreatment(prune_sig=None).fit(values, values.sum(axis=1))
    with pytest.raises(vt.VtreatError, match="X has 4 features, but NumericOutcomeTreatment is"):
        treatment.transform(np.c_[values, values[:, :1]])
