"""Sparse output holds the numbers of the dense result, and takes no more room than they need."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import RepeatedKFold
from sklearn.preprocessing import OneHotEncoder

import vtreat_py as vt
from tests.conftest import TREATED, FrameKind, arrays, example_columns
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError

INDICATORS = ["lev", "isBAD"]
pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived from:vtreat_py.VtreatWarning")


def assert_sparse_equal(matrix: Any, dense: Any) -> None:
    """A proper CSR matrix, equal to the columns of a dense frame to the bit."""
    columns = list(arrays(dense).values())
    expected = np.column_stack(columns) if columns else np.empty((len(dense), 0))
    assert sparse.issparse(matrix)
    assert matrix.format == "csr"
    assert matrix.dtype == np.float64
    assert matrix.has_canonical_format
    assert (matrix.data == 1.0).all()
    np.testing.assert_array_equal(matrix.toarray(), expected, strict=True)


def both(function: Any, *given: Any, **options: Any) -> tuple[Any, Any]:
    return function(*given, sparse_output=True, **options), function(*given, **options)


def test_prepare_gives_the_dense_result(
    kind: FrameKind, columns: dict[str, list[Any]], outcome: str
) -> None:
    plan = vt.design_treatments(
        kind.make(columns), outcome=outcome, variables=TREATED, random_state=0, rare_count=30
    )
    new = example_columns(50, seed=3)
    new["x"][:2] = ["new", None]
    matrix, dense = both(vt.prepare, plan, kind.make(new), coders=INDICATORS)
    assert_sparse_equal(matrix, dense)
    assert matrix.shape[1] == len(plan.select(coders=INDICATORS)) > 3


def test_the_cross_frame_is_the_dense_one(
    kind: FrameKind, columns: dict[str, list[Any]], outcome: str
) -> None:
    made, dense = both(
        vt.cross_frame_experiment,
        kind.make(columns),
        outcome=outcome,
        variables=TREATED,
        coders=INDICATORS,
        random_state=0,
    )
    assert made.plan == dense.plan
    assert_sparse_equal(made.cross_frame, dense.cross_frame)


def test_a_level_that_some_folds_pool_has_two_ones() -> None:
    x = ["a"] * 20 + ["b"] * 5 + ["c"] * 5 + ["d"] * 9 + ["e"]
    folds = [(range(0, 40, 2), range(1, 40, 2)), (range(1, 40, 2), range(0, 40, 2))]
    made, dense = both(
        vt.cross_frame_experiment,
        pd.DataFrame({"x": x, "y": np.arange(40.0) % 3}),
        outcome="y",
        coders=["lev"],
        rare_count=4,
        min_fraction=0.01,
        cv=folds,
    )
    assert_sparse_equal(made.cross_frame, dense.cross_frame)
    assert made.cross_frame.sum(axis=1).max() == 2.0


def test_rows_in_no_application_set_are_left_out() -> None:
    frame = pd.DataFrame(example_columns(60))
    folds = [(range(20), range(20, 30)), (range(30), range(30, 55))]
    with pytest.warns(vt.VtreatWarning, match="leaves 25 of 60 rows out"):
        made, dense = both(
            vt.cross_frame_experiment,
            frame, outcome="y", variables=["x", "z"], coders=INDICATORS, cv=folds,
        )  # fmt: skip
    assert made.cross_frame.shape[0] == 35
    assert_sparse_equal(made.cross_frame, dense.cross_frame)


def test_indicators_of_several_classes_and_repeated_rows_are_sparse_too() -> None:
    frame = pd.DataFrame(example_columns(90))
    folds = list(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(frame))
    made, dense = both(
        vt.cross_frame_experiment,
        frame,
        outcome=np.digitize(frame["y"], [-1, 1]).astype(str),
        outcome_type="multinomial",
        variables=["x", "g", "z"],
        coders=INDICATORS,
        y_dependent_coders=["lev"],
        cv=folds,
        rare_count=8,
    )
    assert made.cross_frame.shape[0] == 180
    assert_sparse_equal(made.cross_frame, dense.cross_frame)
    assert_sparse_equal(*both(vt.prepare, made.plan, frame.head(30)))


@st.composite
def frames(draw: Any) -> pd.DataFrame:
    n_rows = draw(st.integers(10, 60))
    levels = draw(st.integers(2, 12))

    def column(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=n_rows, max_size=n_rows))

    return pd.DataFrame(
        {
            "x": pd.Series(column(st.sampled_from([None, *map(str, range(levels))])), dtype=object),
            "z": column(st.sampled_from([1.0, 2.0, np.nan, np.inf])),
            "g": pd.Categorical(column(st.sampled_from("abc")), list("dcba")),
            "y": [0.0, 1.0, *column(st.sampled_from([0.0, 1.0, 2.0]))[2:]],
            "w": [1.0, 1.0, 1.0, *column(st.sampled_from([0.0, 1.0, 2.0]))[3:]],
        }
    )


@pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    frame=frames(),
    rare_count=st.sampled_from([0, 1, 2, 4]),
    rare_sig=st.sampled_from([None, 0.3]),
    min_fraction=st.sampled_from([0.0, 0.02, 0.1]),
    weighted=st.booleans(),
    binomial=st.booleans(),
    shuffled=st.booleans(),
)
def test_random_frames_give_the_dense_result(
    frame: pd.DataFrame,
    rare_count: float,
    rare_sig: float | None,
    min_fraction: float,
    weighted: bool,
    binomial: bool,
    shuffled: bool,
) -> None:
    made, dense = both(
        vt.cross_frame_experiment,
        frame,
        outcome="y",
        target=1.0 if binomial else None,
        outcome_type="binomial" if binomial else "numeric",
        variables=["x", "z", "g"],
        sample_weight="w" if weighted else None,
        coders=INDICATORS,
        rare_count=rare_count,
        rare_sig=rare_sig,
        min_fraction=min_fraction,
        cv=3,
        random_state=0,
    )
    assert_sparse_equal(made.cross_frame, dense.cross_frame)
    new = frame.sample(frac=1.0, random_state=0) if shuffled else frame.iloc[::2]
    new = new.assign(x=new["x"].replace("1", "new"))
    assert_sparse_equal(*both(vt.prepare, made.plan, new))


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows_and_columns_of_missing_values_only(n_rows: int) -> None:
    frame = pd.DataFrame(example_columns())
    plan = vt.design_treatments(
        frame, outcome="y", variables=["x", "z"], coders=INDICATORS, random_state=0
    )
    new = pd.DataFrame({"x": [None] * 3, "z": [None] * 3}).head(n_rows)
    matrix, dense = both(vt.prepare, plan, new)
    assert_sparse_equal(matrix, dense)
    assert matrix.sum() == 2 * n_rows


def test_no_variable_is_an_empty_matrix() -> None:
    plan = vt.design_treatments(pd.DataFrame({"x": ["a", "b"] * 9}), outcome=np.arange(18.0) % 7)
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        matrix = vt.prepare(plan, pd.DataFrame({"x": ["a"]}), variables=[], sparse_output=True)
    assert matrix.shape == (1, 0)


def test_columns_are_those_of_the_plan_in_its_order(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=TREATED, coders=INDICATORS)
    names = plan.feature_names
    assert names[0] == "z_isBAD"
    matrix = vt.prepare(plan, frame.head(9), sparse_output=True)
    for name in names:
        one = vt.prepare(plan, frame.head(9), variables=[name])
        np.testing.assert_array_equal(matrix[:, [names.index(name)]].toarray(), one.to_numpy())


def one_hot(frame: pd.DataFrame) -> Any:
    return OneHotEncoder().fit_transform(frame[["g"]])


def test_the_matrix_is_of_the_class_that_scikit_learn_returns(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["g"], coders=["lev"])
    matrix = vt.prepare(plan, frame, sparse_output=True)
    encoded = one_hot(frame)
    assert type(matrix) is type(encoded)
    assert matrix.indices.dtype == encoded.indices.dtype == matrix.indptr.dtype
    if "sparse_interface" in sklearn.get_config():
        with sklearn.config_context(sparse_interface="sparray"):
            matrix = vt.prepare(plan, frame, sparse_output=True)
            assert type(matrix) is type(one_hot(frame)) is sparse.csr_array


def test_dense_codes_are_refused_by_name(frame: pd.DataFrame) -> None:
    options: dict[str, Any] = {"outcome": "y", "variables": ["x"], "random_state": 0}
    refused = (
        r"3 of the 8 .*: 'x_catP' \(catP\), 'x_catN' \(catN\), .*coders=\[\"lev\", \"isBAD\"\]"
    )
    plan = vt.design_treatments(frame, **options)
    with pytest.raises(InvalidOptionError, match=refused):
        vt.prepare(plan, frame.head(3), sparse_output=True)
    with pytest.raises(InvalidOptionError, match=refused):
        vt.cross_frame_experiment(frame, sparse_output=True, **options)


def test_many_dense_variables_are_counted() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(30, 9))).add_prefix("v")
    plan = vt.design_treatments(frame, outcome=random.normal(size=30))
    with pytest.raises(InvalidOptionError, match=r"9 of the 9 .*'v4' \(clean\) and 4 more\. Only"):
        vt.prepare(plan, frame.head(3), sparse_output=True)


@pytest.mark.parametrize("options", [{"scale": True}, {"extra_columns": ["y"]}])
def test_options_that_a_matrix_cannot_serve_are_refused(
    frame: pd.DataFrame, options: dict[str, Any]
) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["x"], coders=["lev"])
    (name,) = options
    with pytest.raises(InvalidOptionError, match=rf"sparse_output=True .*{name}"):
        vt.prepare(plan, frame.head(3), sparse_output=True, **options)


def test_a_scaled_cross_frame_is_refused_before_any_work(frame: pd.DataFrame) -> None:
    with pytest.raises(InvalidOptionError, match=r"sparse_output=True and scale=True exclude"):
        vt.cross_frame_experiment(frame, outcome="y", sparse_output=True, scale=True)


@pytest.mark.parametrize("given", [1, "yes", None])
def test_the_flag_must_be_a_flag(frame: pd.DataFrame, given: Any) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["x"], coders=["lev"])
    with pytest.raises(OptionTypeError, match="sparse_output="):
        vt.prepare(plan, frame.head(3), sparse_output=given)
    with pytest.raises(OptionTypeError, match="sparse_output="):
        vt.cross_frame_experiment(frame, outcome="y", coders=["lev"], sparse_output=given)


TREATMENTS: dict[str, Any] = {
    "y": vt.NumericOutcomeTreatment,
    "c": vt.BinomialOutcomeTreatment,
    "nothing": vt.UnsupervisedTreatment,
}


def treatment_of(name: str, **options: Any) -> Any:
    given: dict[str, Any] = {"variables": TREATED, "coders": INDICATORS}
    if name != "nothing":
        given |= {"prune_sig": None, "random_state": 0, "rare_count": 30}
    return TREATMENTS[name](**given | options)


@pytest.mark.parametrize("name", TREATMENTS)
def test_the_transformers_give_the_dense_result(name: str, frame: pd.DataFrame) -> None:
    y = None if name == "nothing" else frame[name]
    ours, theirs = treatment_of(name, sparse_output=True), treatment_of(name)
    assert_sparse_equal(ours.fit_transform(frame, y), theirs.fit_transform(frame, y))
    new = frame.iloc[::-3].assign(x="new")
    matrix = ours.transform(new)
    assert_sparse_equal(matrix, theirs.transform(new))
    names = ours.get_feature_names_out().tolist()
    assert names == theirs.get_feature_names_out().tolist()
    assert matrix.shape[1] == len(names)


@pytest.mark.parametrize("container", ["pandas", "polars"])
@pytest.mark.parametrize("name", ["y", "nothing"])
def test_a_matrix_cannot_be_put_into_a_frame(
    name: str, container: str, frame: pd.DataFrame
) -> None:
    refused = f"{container.capitalize()} output does not support sparse data: set sparse_output="
    treatment = treatment_of(name, sparse_output=True)
    set_up = treatment_of(name, sparse_output=True).set_output(transform=container)
    with pytest.raises(InvalidOptionError, match=refused):
        set_up.fit_transform(frame, frame["y"])
    with pytest.raises(InvalidOptionError, match=refused):
        set_up.fit(frame, frame["y"]).transform(frame.head(3))
    with (
        sklearn.config_context(transform_output=container),
        pytest.raises(InvalidOptionError, match=refused),
    ):
        treatment.fit_transform(frame, frame["y"])
    assert sparse.issparse(set_up.set_output(transform="default").transform(frame.head(3)))


def test_a_transformer_that_scales_is_refused_before_any_work(frame: pd.DataFrame) -> None:
    with pytest.raises(InvalidOptionError, match=r"sparse_output=True and scale=True exclude"):
        treatment_of("y", sparse_output=True, scale=True).fit_transform(frame, frame["y"])


def peak_of(work: Any) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_grows_with_the_ones_not_with_rows_times_columns() -> None:
    n_rows, n_levels = 20_000, 500
    values = pd.Series(np.arange(n_rows) % n_levels).astype(str).astype("category")
    frame = pd.DataFrame({"x": values})
    plan = vt.design_treatments(
        frame, outcome_type="unsupervised", coders=["lev"], min_fraction=0.001
    )
    assert len(plan.derived) == n_levels
    dense_bytes = n_rows * n_levels * 8
    peak = peak_of(lambda: vt.prepare(plan, frame, sparse_output=True))
    assert peak < dense_bytes / 20
