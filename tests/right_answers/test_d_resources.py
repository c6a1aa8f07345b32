"""D. Exceptions of others: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import FrameError, InvalidOptionError

N = 60


def test_d1_names_may_hold_nul(y: Any) -> None:
    frame = pl.DataFrame({"a\0b": np.arange(float(N)), "c\0": ["u", "v"] * (N // 2)})
    made = vt.design_treatments(frame, outcome=y, random_state=0)
    plain = frame.rename({"a\0b": "a_b", "c\0": "c_"})
    expected = vt.design_treatments(plain, outcome=y, random_state=0)
    found = vt.prepare(made, frame[:5]).to_numpy()
    np.testing.assert_array_equal(found, vt.prepare(expected, plain[:5]).to_numpy())


def test_d3_durations_of_any_length_are_read_alike(y: Any) -> None:
    some = [
        dt.timedelta(days=-3, microseconds=7),
        dt.timedelta(hours=5, microseconds=123_457),
        None,
    ]
    longest = [*some, dt.timedelta.max, dt.timedelta.min, pd.Timedelta(5, "ns")]
    frames = [pd.DataFrame({"t": pd.Series(v * 10, dtype=object)}) for v in (some * 2, longest)]
    for frame in frames:
        vt.design_treatments(frame, outcome=y, random_state=0)
    made = vt.design_treatments(frames[0], outcome=y, random_state=0)
    short, long = (vt.prepare(made, frame[:3], variables=["t"]) for frame in frames)
    np.testing.assert_array_equal(short, long)
    assert vt.prepare(made, frames[1]).iloc[3, 0] == dt.timedelta.max.total_seconds()


@pytest.mark.parametrize("kind", [list, np.array, lambda text: np.array(text, dtype=object)])
def test_d4_classes_may_hold_lone_surrogates(rows: pd.DataFrame, kind: Any) -> None:
    outcome = kind(["a\ud800", "b"] * (N // 2))
    made = vt.design_treatments(rows, outcome=outcome, random_state=0)
    assert made.target in ("a\ud800", "b")


def test_d11_record_batches_are_frames(rows: pd.DataFrame, y: Any, plan: vt.TreatmentPlan) -> None:
    batch = pa.RecordBatch.from_pandas(rows)
    made = vt.design_treatments(batch, outcome=y, random_state=0)
    assert made.feature_names == plan.feature_names
    assert isinstance(vt.prepare(plan, batch.slice(0, 5)), pa.Table)


def test_d12_names_that_are_alike_are_asked_for(
    rows: pd.DataFrame, y: Any, plan: vt.TreatmentPlan
) -> None:
    frame = rows.assign(bought=y)
    with pytest.raises(FrameError, match="did you mean 'bought'"):
        vt.design_treatments(frame, outcome="bougt")
    with pytest.raises(InvalidOptionError, match="did you mean 'z'"):
        vt.design_treatments(frame, outcome="bought", variables=["zz"])
    with pytest.raises(InvalidOptionError, match="did you mean 'bought'"):
        vt.design_treatments(rows.assign(bought=range(N)), outcome=y, row_id="bouht")
    with pytest.raises(InvalidOptionError, match="did you mean 'c_catP'"):
        vt.prepare(plan, rows[:5], variables=["c_catPP"])
