"""The scaler is `prepare(scale=True)` for frames of numbers, and as strict about what they hold."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit

import vtreat_py as vt
from tests.conftest import arrays, assert_close, assert_same_values
from tests.yaware.data import classes, shared_causes
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    SchemaError,
)
from vtreat_py.testing import own_outcome_influence

RANDOM = np.random.default_rng(3)
X, NUMBERS = shared_causes(240, 2, RANDOM)
X["far"] = 1e9 + RANDOM.normal(size=240)
X["huge"] = 1e300 * RANDOM.normal(size=240)
X["whole"] = RANDOM.integers(0, 5, 240)
X["flag"] = RANDOM.random(240) < 0.3
NEW = X.iloc[::-3] * 1
WEIGHT = RANDOM.integers(0, 4, 240).astype(float)
KINDS = ["numeric", "binomial", "multinomial"]


@pytest.mark.halved
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(
    ("kind", "link"), [*((k, False) for k in KINDS), ("binomial", True), ("multinomial", True)]
)
def test_the_same_bits_as_prepare_and_cross_frame(kind: str, link: bool, weight: Any) -> None:
    y = classes(NUMBERS, kind)
    scaler = vt.YAwareScaler(link=link, random_state=1)
    options: dict[str, Any] = {"coders": ["clean"], "cat_scaling": link, "random_state": 1}
    experiment = vt.cross_frame_experiment(
        X, outcome=y, sample_weight=weight, scale=True, **options
    )
    crossed = scaler.fit_transform(X, y, sample_weight=weight)
    assert_same_values(crossed, experiment.cross_frame)
    expected = vt.prepare(experiment.plan, NEW, scale=True)
    assert_same_values(scaler.transform(NEW), expected)
    assert_same_values(scaler.fit(X, y, sample_weight=weight).transform(NEW), expected)
    assert scaler.outcome_type_ == kind


def test_scaled_columns_have_slope_one_and_mean_zero() -> None:
    frame = X.drop(columns="huge")
    scaled = vt.YAwareScaler().fit(frame, NUMBERS).transform(frame)
    for name in frame:
        assert scaled[name].mean() == pytest.approx(0.0, abs=1e-7)
        assert np.polyfit(scaled[name], NUMBERS, 1)[0] == pytest.approx(1.0)


def test_a_constant_becomes_zero() -> None:
    frame = X[["x0"]].assign(k=7.0)
    scaler = vt.YAwareScaler()
    assert (scaler.fit_transform(frame, NUMBERS)["k"] == 0).all()
    assert scaler.scale_[1] == 0.0
    assert scaler.mean_[1] == 7.0
    assert (scaler.transform(frame)["k"] == 0).all()
    assert scaler.transform(frame.head(0)).shape == (0, 2)
    first_out = frame.assign(k=np.where(np.arange(240) == 0, 9.0, 7.0))
    weight = (np.arange(240) > 0).astype(float)
    assert vt.YAwareScaler().fit(first_out, NUMBERS, sample_weight=weight).mean_[1] == 7.0


def test_weights_repeat_rows() -> None:
    repeated = np.repeat(np.arange(240), WEIGHT.astype(int))
    weighted = vt.YAwareScaler().fit(X, NUMBERS, sample_weight=WEIGHT)
    spelt_out = vt.YAwareScaler().fit(X.iloc[repeated], NUMBERS[repeated])
    np.testing.assert_allclose(weighted.scale_, spelt_out.scale_, rtol=1e-9)
    np.testing.assert_allclose(weighted.mean_, spelt_out.mean_, rtol=1e-9)


def test_outcome_weights_and_groups_may_be_columns() -> None:
    frame = X[["x0", "x1"]].assign(y=NUMBERS, w=WEIGHT, g=np.arange(240) // 4)
    named = vt.YAwareScaler(random_state=0).fit_transform(frame, "y", "w", "g")
    given = vt.YAwareScaler(random_state=0).fit_transform(
        X[["x0", "x1"]], NUMBERS, WEIGHT, np.arange(240) // 4
    )
    assert_same_values(named, given)


def test_no_outcome_is_in_its_own_row() -> None:
    scaler = vt.YAwareScaler(cv=KFold(4, shuffle=True, random_state=0))
    influence = own_outcome_influence(scaler, X[["x0", "x1", "noise1_2"]], NUMBERS)
    assert influence.largest < 1e-10
    grouped = vt.YAwareScaler(cv=GroupKFold(4))
    groups = np.arange(240) // 6
    assert own_outcome_influence(grouped, X[["x0"]], NUMBERS, groups=groups).largest < 1e-10


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_callers_kind_of_frame_comes_back(make: Any) -> None:
    frame = make({"a": X["x0"].to_numpy(), "b": X["x1"].to_numpy()})
    scaled = vt.YAwareScaler().fit(frame, NUMBERS).transform(frame)
    assert type(scaled) is type(frame)
    array = X[["x0", "x1"]].to_numpy()
    expected = vt.YAwareScaler().fit(array, NUMBERS).transform(array)
    assert type(expected) is np.ndarray
    np.testing.assert_allclose(np.array([*arrays(scaled).values()]).T, expected, rtol=1e-12)


def test_index_names_and_pickles() -> None:
    frame = X.set_index(np.arange(240)[::-1])
    scaler = vt.YAwareScaler().fit(frame, NUMBERS)
    assert scaler.get_feature_names_out().tolist() == list(X)
    assert scaler.transform(frame).index.equals(frame.index)
    assert_close(pickle.loads(pickle.dumps(scaler)).transform(NEW), scaler.transform(NEW))


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ({"a": [1.0, np.nan] * 120}, FrameError, "120 missing values (NaN), the first in row 1"),
        ({"a": [np.inf, 1.0] * 120}, FrameError, "'a' has 120 infinite values, the first in row 0"),
        ({"a": [None] * 240}, FrameError, "column 'a' has missing values (NaN) only"),
        ({"a": ["u", "v"] * 120}, OptionTypeError, "column 'a' holds levels. A treatment makes"),
        ({"a": pd.date_range("2020", periods=240)}, OptionTypeError, "column 'a' holds datetimes"),
        ({"a": [{}] * 240}, OptionTypeError, "column 'a' holds values such as {} of type dict"),
    ],
)  # fmt: skip
def test_what_is_no_finite_number_is_refused(
    bad: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame = X[["x0"]].assign(**bad)
    with pytest.raises(error, match=re.escape(message)):
        vt.YAwareScaler().fit(frame, NUMBERS)
    fitted = vt.YAwareScaler().fit(X[["x0"]].assign(a=1.0 * np.arange(240)), NUMBERS)
    with pytest.raises(error, match=re.escape(message)):
        fitted.transform(frame)


def test_all_bad_columns_are_named_at_once() -> None:
    frame = pd.DataFrame({f"c{k}": ["u", "v"] * 120 for k in range(7)})
    with pytest.raises(
        OptionTypeError, match=r"'c0' holds levels; .*'c4' holds levels; and 2 more"
    ):
        vt.YAwareScaler().fit(frame, NUMBERS)


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="link=True asks for slopes in log odds"):
        vt.YAwareScaler(link=True).fit(X, NUMBERS)
    with pytest.raises(OutcomeError, match="name another outcome_type"):
        vt.YAwareScaler(outcome_type="unsupervised").fit(X, NUMBERS)
    with pytest.raises(ValueError, match="requires y to be passed"):
        vt.YAwareScaler().fit(X)
    with pytest.raises(FrameError, match="0 feature"):
        vt.YAwareScaler().fit(pd.DataFrame({"y": NUMBERS}), "y")
    with pytest.raises(FrameError, match="1 sample"):
        vt.YAwareScaler().fit(X.head(1), NUMBERS[:1])
    with pytest.raises(FrameError, match="no rows"):
        vt.YAwareScaler().fit(X.head(0), NUMBERS[:0])
    with pytest.raises(SchemaError, match="now missing"):
        vt.YAwareScaler().fit(X, NUMBERS).transform(X.drop(columns="x1"))
    with pytest.raises(InvalidOptionError, match="ShuffleSplit"):
        vt.YAwareScaler(cv=ShuffleSplit(3)).fit(X, NUMBERS)
    halves = [(range(120), range(120, 240)), (range(120), range(130, 240))]
    with pytest.raises(InvalidOptionError, match="must return every row once"):
        vt.YAwareScaler(cv=halves).fit_transform(X, NUMBERS)
