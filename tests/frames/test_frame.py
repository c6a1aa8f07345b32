"""Any kind of frame goes in, the same kind comes back, and the caller's stays as it was."""

from __future__ import annotations

import copy
import datetime as dt
import io
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import vtreat_py as vt
from tests.conftest import (
    FRAME_KINDS,
    TREATED,
    FrameKind,
    arrays,
    assert_same_scores,
    assert_same_values,
    example_columns,
)
from vtreat_py.base.errors import FrameError, OptionTypeError
from vtreat_py.frames.frame import InputFrame


def experiment(frame: Any, outcome: str, **options: Any) -> vt.CrossFrameExperiment:
    return vt.cross_frame_experiment(
        frame, outcome=outcome, variables=TREATED, random_state=0, **options
    )


@pytest.fixture(scope="module")
def expected(columns: dict[str, list[Any]]) -> dict[str, vt.CrossFrameExperiment]:
    """Experiments on the plainest kind of frame."""
    frame = FRAME_KINDS[0].make(columns)
    return {name: experiment(frame, name) for name in ("y", "c")}


def test_plan_scores_do_not_depend_on_the_kind_of_frame(
    kind: FrameKind, columns: dict[str, list[Any]], outcome: str, expected: Any
) -> None:
    plan = vt.design_treatments(
        kind.make(columns), outcome=outcome, variables=TREATED, random_state=0
    )
    assert_same_scores(plan, expected[outcome].plan)


def test_cross_frames_do_not_depend_on_the_kind_of_frame(
    kind: FrameKind, columns: dict[str, list[Any]], outcome: str, expected: Any
) -> None:
    cross = experiment(kind.make(columns), outcome).cross_frame
    assert isinstance(cross, kind.native)
    assert_same_values(cross, expected[outcome].cross_frame)


@pytest.mark.parametrize("scale", [False, True])
def test_treated_frames_do_not_depend_on_the_kind_of_frame(
    kind: FrameKind, outcome: str, expected: Any, scale: bool
) -> None:
    new = example_columns(50, seed=9)
    new["x"][0], new["z"][1] = "new", None
    plan = expected[outcome].plan
    treated = vt.prepare(plan, kind.make(new), scale=scale)
    assert isinstance(treated, kind.native)
    assert_same_values(treated, vt.prepare(plan, FRAME_KINDS[0].make(new), scale=scale))


def test_a_plan_of_one_kind_of_frame_treats_any_other(
    kind: FrameKind, columns: dict[str, list[Any]], expected: Any
) -> None:
    plan = experiment(kind.make(columns), "y").plan
    new = example_columns(50, seed=9)
    for other in FRAME_KINDS:
        treated = vt.prepare(plan, other.make(new))
        assert_same_values(treated, vt.prepare(expected["y"].plan, FRAME_KINDS[0].make(new)))


def test_dates_mean_the_same_in_every_kind_of_frame(kind: FrameKind) -> None:
    start = dt.datetime(2020, 1, 1, 6)
    data = {
        "when": [start + dt.timedelta(hours=7 * i) if i % 4 else None for i in range(40)],
        "y": [float(i % 7) for i in range(40)],
    }
    plan = vt.design_treatments(kind.make(data), outcome="y", random_state=0)
    polars = vt.design_treatments(pl.DataFrame(data), outcome="y", random_state=0)
    assert_same_scores(plan, polars)
    treated = vt.prepare(plan, kind.make({"when": [dt.datetime(1970, 1, 2)]}))
    assert arrays(treated)["when"].tolist() == [86400.0]


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "uint64", "float32", "Int8", "Float32", "int64[pyarrow]"]
)
def test_numbers_mean_the_same_in_every_type(dtype: str) -> None:
    numbers = pd.Series((np.arange(240) * 7) % 100)
    given: dict[str, Any] = {"outcome": example_columns()["c"], "random_state": 0}
    given |= {"imputation": "median", "collar_prob": 0.1, "force_split": True}
    ours, theirs = (
        vt.cross_frame_experiment(pd.DataFrame({"n": n}), scale=True, collar=True, **given)
        for n in (numbers.astype(dtype), numbers.astype(float))
    )
    assert_same_scores(ours.plan, theirs.plan)
    assert_same_values(ours.cross_frame, theirs.cross_frame)


def test_columns_that_are_not_needed_may_hold_anything(frame: pd.DataFrame) -> None:
    frame["odd"] = [[1]] * len(frame)
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    assert vt.prepare(plan, frame.head(3)).columns.tolist() == ["z", "z_isBAD"]


ROWS = 40


def plain(index: Any = None) -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "x": random.choice(["a", "b", "c"], ROWS),
            "z": random.normal(size=ROWS),
            "y": random.normal(size=ROWS),
        },
        index=index,
    )


INDEXES: dict[str, Any] = {
    "range from 5": pd.RangeIndex(5, 5 + ROWS, name="row"),
    "text": pd.Index([f"r{i}" for i in range(ROWS)], name="id"),
    "falling": pd.Index(range(ROWS, 0, -1)),
    "duplicated": pd.Index([0, 1] * (ROWS // 2)),
    "missing": pd.Index([np.nan, 1.0] * (ROWS // 2)),
    "dates": pd.date_range("2020", periods=ROWS, name="day"),
    "pairs": pd.MultiIndex.from_product([range(ROWS // 2), ["l", "r"]], names=["i", "side"]),
    "duplicated pairs": pd.MultiIndex.from_arrays([[0] * ROWS, ["l", "r"] * (ROWS // 2)]),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_a_pandas_index_comes_back(index: pd.Index) -> None:
    frame = plain(index)
    made = vt.cross_frame_experiment(frame, outcome="y", smoothing=0, random_state=0)
    reference = vt.cross_frame_experiment(plain(), outcome="y", smoothing=0, random_state=0)
    pd.testing.assert_index_equal(made.cross_frame.index, index)
    assert_same_values(made.cross_frame, reference.cross_frame)
    new = frame.iloc[3:9]
    treated = vt.prepare(made.plan, new, extra_columns=["y"])
    pd.testing.assert_index_equal(treated.index, new.index)
    pd.testing.assert_series_equal(treated["y"], new["y"])


def test_rows_left_out_of_the_cross_frame_are_left_out_of_its_index() -> None:
    index = pd.Index([f"r{i}" for i in range(ROWS)])
    folds = [(range(20), range(20, 30)), (range(30), range(30, 38))]
    with pytest.warns(vt.VtreatWarning, match="leaves 22 of 40 rows out"):
        made = vt.cross_frame_experiment(plain(index), outcome="y", cv=folds)
    assert made.cross_frame.index.tolist() == index[20:38].tolist()


def test_an_outcome_is_matched_by_position_not_by_index() -> None:
    frame = plain()
    shuffled = pd.Series(frame["y"].to_numpy(), index=range(ROWS, 0, -1))
    by_name = vt.design_treatments(frame, outcome="y", random_state=0)
    by_series = vt.design_treatments(frame.drop(columns="y"), outcome=shuffled, random_state=0)
    assert_same_scores(by_name, by_series)


def test_the_callers_pandas_frame_is_never_changed(outcome: str) -> None:
    frame = pd.DataFrame(example_columns(60))
    before = frame.copy(deep=True)
    made = experiment(frame, outcome, scale=True, collar=True)
    vt.prepare(made.plan, frame.head(20), scale=True, collar=True, extra_columns=["y"])
    pd.testing.assert_frame_equal(frame, before)


def test_the_callers_frame_is_never_changed(kind: FrameKind, outcome: str) -> None:
    frame = kind.make(example_columns(60))
    before = copy.deepcopy(frame)
    made = experiment(frame, outcome, scale=True, collar=True)
    vt.prepare(made.plan, kind.make(example_columns(20)), scale=True, collar=True)
    assert frame.equals(before)


def test_changing_the_result_does_not_change_the_callers_frame() -> None:
    frame = plain()
    before = frame.copy(deep=True)
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    treated = vt.prepare(plan, frame, extra_columns=["y"])
    treated.iloc[:, :] = -1.0
    pd.testing.assert_frame_equal(frame, before)


def test_read_only_arrays_are_enough() -> None:
    arrays_in = {
        "z": np.random.default_rng(0).normal(size=60),
        "n": np.arange(60),
        "x": np.array(["a", "b", None] * 20, dtype=object),
    }
    arrays_in["z"][5] = np.nan
    y, weight = np.arange(60) % 7 / 2.0, np.arange(60) % 3 + 1.0
    for values in (*arrays_in.values(), y, weight):
        values.flags.writeable = False
    frame = pd.DataFrame(arrays_in, copy=False)
    made = vt.cross_frame_experiment(
        frame, outcome=y, sample_weight=weight, scale=True, collar=True, smoothing=1
    )
    assert np.isfinite(made.cross_frame.to_numpy()).all()
    assert np.isfinite(vt.prepare(made.plan, frame.head(9), scale=True).to_numpy()).all()


def test_a_treated_pandas_frame_can_be_written_to() -> None:
    plan = vt.design_treatments(plain(), outcome="y", variables=["z"])
    treated = vt.prepare(plan, pd.DataFrame({"z": [1.0, 2.0]}))
    treated.loc[0, "z"] = 5.0
    assert treated["z"].tolist() == [5, 2]


def test_pandas_columns_may_have_integer_names() -> None:
    frame = plain().set_axis([0, 1, 2], axis=1)
    plan = vt.design_treatments(frame, outcome=2, smoothing=0, random_state=0)
    assert plan.variables == (0, 1)
    assert {v.orig_variable for v in plan.derived} == {0, 1}
    treated = vt.prepare(plan, frame.head(4), extra_columns=[2])
    assert treated.columns.tolist() == [*plan.feature_names, 2]
    assert all(isinstance(name, str) for name in plan.feature_names)


def test_pandas_columns_may_have_pairs_as_names() -> None:
    frame = plain().set_axis(pd.MultiIndex.from_tuples([("l", 1), ("l", 2), ("r", 1)]), axis=1)
    plan = vt.design_treatments(
        frame, outcome=frame["r", 1].to_numpy(), variables=[("l", 1), ("l", 2)]
    )
    assert {v.orig_variable for v in plan.derived} <= {("l", 1), ("l", 2)}
    assert vt.prepare(plan, frame.head(4)).columns.tolist() == plan.feature_names


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["x", "x", "y"]),
        pa.table([[1], [2], [3]], names=["x", "x", "y"]),
    ],
    ids=["pandas", "pyarrow"],
)
def test_columns_that_share_a_name_are_refused(frame: Any) -> None:
    with pytest.raises(FrameError, match=r"share a name: 'x'; rename them"):
        vt.design_treatments(frame, outcome="y")


def test_columns_that_share_a_name_are_refused_in_prepare() -> None:
    plan = vt.design_treatments(plain(), outcome="y")
    twice = pd.concat([plain(), plain()], axis=1)
    with pytest.raises(FrameError, match=r"share a name: 'x', 'z', 'y'; rename them"):
        vt.prepare(plan, twice)


@pytest.mark.parametrize(
    "given",
    [
        {"x": [1, 2]},
        None,
        csr_array(np.eye(3)),
        io.StringIO("x"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_is_no_frame_is_refused_by_its_type(given: Any) -> None:
    with pytest.raises(OptionTypeError, match=rf"of type {type(given).__name__}.*(?i:give a )"):
        vt.design_treatments(given, outcome="y")


def test_sparse_input_is_refused_with_what_to_do() -> None:
    with pytest.raises(OptionTypeError, match=r"sparse input is not supported.*X\.toarray\(\)"):
        vt.design_treatments(csr_array(np.eye(3)), outcome=[0, 1, 0])


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([1, 2], "1D array"),
        (np.zeros(3), "1D array"),
        (np.zeros((2, 2, 2)), "3D array"),
        (np.float64(1), "scalar array"),
        (pd.Series([1, 2]), "1D array"),
        (pl.Series([1, 2]), "1D array"),
    ],
)
def test_an_array_must_have_two_dimensions(given: Any, found: str) -> None:
    message = rf"Expected 2D array, got {found} instead \({type(given).__name__}\). Reshape your"
    with pytest.raises(FrameError, match=message):
        vt.design_treatments(given, outcome_type="unsupervised")


@pytest.mark.parametrize("given", [[], ()])
def test_a_list_of_nothing_names_no_columns(given: Any) -> None:
    message = rf"frame is an empty {type(given).__name__}, which names no columns; give rows, or a"
    with pytest.raises(FrameError, match=message):
        vt.design_treatments(given, outcome_type="unsupervised")


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(FrameError, match="X cannot be read as rows of one length"):
        vt.design_treatments([[1, 2], [3]], outcome_type="unsupervised")


def test_an_array_of_complex_numbers_is_refused() -> None:
    with pytest.raises(FrameError, match=r"Complex data not supported: X is an array of complex"):
        vt.design_treatments(np.eye(3) * 1j, outcome_type="unsupervised")


def test_lists_and_structs_are_refused_by_the_name_of_their_column(kind: FrameKind) -> None:
    data: dict[str, list[Any]] = {"y": [0.0, 1.0, 2.0] * 2, "tags": [["a"], ["b"], ["a"]] * 2}
    with pytest.raises(FrameError, match=r"column 'tags' holds .* leave it out with variables="):
        vt.design_treatments(kind.make(data), outcome="y")


def test_all_columns_that_cannot_be_treated_are_named_at_once() -> None:
    lists = [["a"], ["b"], ["a"]] * 2
    frame = pl.DataFrame({"y": [0.0, 1.0, 2.0] * 2, "tags": lists, "marks": lists})
    with pytest.raises(FrameError, match=r"(?s)'tags'.*'marks'"):
        vt.design_treatments(frame, outcome="y")


def test_an_array_is_a_frame_of_numbered_columns() -> None:
    values = np.random.default_rng(0).normal(size=(30, 3))
    plan = vt.design_treatments(values, outcome=values.sum(axis=1))
    assert plan.feature_names == ["x0", "x1", "x2"]
    treated = vt.prepare(plan, values[:5] + 1.0)
    assert type(treated) is np.ndarray
    np.testing.assert_array_equal(treated, values[:5] + 1.0, strict=True)


def test_an_array_comes_back_with_its_extra_columns() -> None:
    values = np.random.default_rng(0).normal(size=(30, 3))
    plan = vt.design_treatments(values, outcome="x2", variables=["x0"])
    treated = vt.prepare(plan, values[:5] + 1.0, extra_columns=["x2", "x1"])
    np.testing.assert_array_equal(treated, values[:5][:, [0, 2, 1]] + 1.0, strict=True)


def test_the_cross_frame_of_an_array_is_an_array() -> None:
    values = np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32)
    values[::7, 0] = np.nan
    y = np.arange(30.0) % 4
    folds = [(np.arange(10, 30), np.arange(10)), (np.arange(20), np.arange(20, 30))]
    with pytest.warns(vt.VtreatWarning, match="leaves 10 of 30 rows out"):
        made = vt.cross_frame_experiment(values, outcome=y, cv=folds)
    with pytest.warns(vt.VtreatWarning, match="leaves 10 of 30 rows out"):
        framed = vt.cross_frame_experiment(
            pd.DataFrame(values, columns=["x0", "x1"]), outcome=y, cv=folds
        )
    assert made.cross_frame.dtype == np.float64
    np.testing.assert_array_equal(made.cross_frame, framed.cross_frame.to_numpy(), strict=True)


class Rows:
    """What only says how to become an array."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)


@pytest.mark.parametrize("make", [list, tuple, Rows], ids=lambda make: make.__name__)
def test_what_holds_rows_is_read_as_an_array(make: Any) -> None:
    rows = [["a", 1.0], ["b", None], [None, 3.0], ["a", 4.0]] * 5
    array = np.array(rows, dtype=object)
    plan = vt.design_treatments(make(rows), outcome_type="unsupervised")
    assert plan == vt.design_treatments(array, outcome_type="unsupervised")
    treated = vt.prepare(plan, make(rows))
    np.testing.assert_array_equal(treated, vt.prepare(plan, array), strict=True)


def test_numbers_among_text_in_a_list_of_rows_stay_numbers() -> None:
    plan = vt.design_treatments([["a", 1.5], ["b", 2.5]] * 5, outcome_type="unsupervised")
    assert plan.treatments[1].kind == "number"


def test_masked_values_of_an_array_are_missing() -> None:
    values = np.ma.array([[1.0], [2.0], [3.0]], mask=[[False], [True], [False]])
    plan = vt.design_treatments(values, outcome_type="unsupervised")
    assert plan.feature_names == ["x0", "x0_isBAD"]
    assert vt.prepare(plan, values).tolist() == [[1, 0], [2, 1], [3, 0]]


def test_an_array_of_objects_may_hold_text_and_missing_values() -> None:
    values = np.array([["a", 1.0], ["b", None], [None, 3.0], ["a", 4.0]] * 5, dtype=object)
    plan = vt.design_treatments(values, outcome_type="unsupervised")
    assert plan.feature_names == [
        "x0_catP", "x1", "x1_isBAD", "x0_lev_NA", "x0_lev_x_a", "x0_lev_x_b",
    ]  # fmt: skip


def test_an_empty_selection_keeps_the_rows(kind: FrameKind) -> None:
    plan = vt.design_treatments(plain(), outcome="y", variables=["z"])
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        treated = vt.prepare(plan, kind.make({"z": [1.0, 2.0, 3.0]}), variables=[])
    assert isinstance(treated, kind.native)
    # An older polars has no frames with rows and without columns.
    rows = pl.DataFrame({"z": [1, 2, 3]}).drop("z").height if kind.native is pl.DataFrame else 3
    assert treated.shape == (rows, 0)


def test_extra_columns_come_back_as_they_are(kind: FrameKind) -> None:
    plan = vt.design_treatments(plain(), outcome="y", variables=["z"])
    new = kind.make({"z": [1.0, 2.0], "id": ["p", None], "y": [1, 2]})
    treated = vt.prepare(plan, new, extra_columns=["y", "id"])
    names = list(arrays(treated))
    assert names == ["z", "y", "id"]
    for name in ("y", "id"):
        ours = InputFrame.of(treated).frame.get_column(name)
        theirs = InputFrame.of(new).frame.get_column(name)
        assert ours.dtype == theirs.dtype
        assert ours.to_list() == theirs.to_list()


def test_many_extra_columns_come_back_without_a_warning() -> None:
    plan = vt.design_treatments(plain(), outcome="y", variables=["z"])
    new = pd.DataFrame({"z": [1.0, 2.0]} | {f"e{i}": [i, i] for i in range(150)})
    treated = vt.prepare(plan, new, extra_columns=[f"e{i}" for i in range(150)])
    assert treated.shape == (2, 151)


def test_treated_columns_are_floats(kind: FrameKind, columns: dict[str, list[Any]]) -> None:
    plan = vt.design_treatments(kind.make(columns), outcome="c", variables=TREATED)
    treated = vt.prepare(plan, kind.make(example_columns(20)))
    assert {str(values.dtype) for values in arrays(treated).values()} == {"float64"}


def test_integers_in_lists_of_dicts_are_ids_and_folds() -> None:
    rows = [{"id": i, "f": i % 3, "t": "ab"[i % 2], "y": float(i * 7 % 11)} for i in range(60)]
    for options in ({"row_id": "id"}, {"cv": "f"}):
        given = {"outcome": "y", "random_state": 0} | options
        found = vt.cross_frame_experiment(rows, **given)
        expected = vt.cross_frame_experiment(pd.DataFrame(rows), **given)
        np.testing.assert_array_equal(found.cross_frame, expected.cross_frame)
    rows[3] |= {"id": None, "f": None}
    for option, name in (("row_id", "id"), ("cv", "f")):
        with pytest.raises(FrameError, match=f"{option}='{name}' has .*missing values"):
            vt.design_treatments(rows, outcome="y", **{option: name})
