"""What users of the Python package ``vtreat`` rely on: what is kept, converted, given back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import INPUTS, TREATMENTS, all_variables, example


@pytest.fixture(params=list(TREATMENTS))
def outcome(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("given", [True, False])
def test_frames_that_hold_the_outcome_keep_it(outcome: str, given: bool) -> None:
    """Unchanged, after the copied columns and before the derived ones; new rows need none."""
    frame, new = example(), example(seed=1).astype({outcome: object})
    frame["id"] = new["id"] = np.arange(len(frame))
    new.loc[new.index[:3], outcome] = None
    treatment = all_variables(outcome, cols_to_copy=["id"])
    crossed = treatment.fit_transform(frame, frame[outcome] if given else None)
    derived = treatment.get_feature_names()
    assert crossed.columns.tolist() == ["id", outcome, *derived]
    assert treatment.get_feature_names_out().tolist() == ["id", outcome, *derived]
    pd.testing.assert_series_equal(crossed[outcome], frame[outcome])
    treated = treatment.transform(new)
    pd.testing.assert_frame_equal(treated[["id", outcome]], new[["id", outcome]])
    assert treatment.transform(new[INPUTS]).columns.tolist() == derived


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas])
def test_other_frames_keep_the_outcome_too(make: Any) -> None:
    frame = example().reset_index(drop=True)
    crossed = all_variables("ym").fit_transform(make(frame))
    assert crossed.to_pandas()["ym"].tolist() == frame["ym"].tolist()


def test_a_place_of_its_own_for_the_outcome() -> None:
    """Where cols_to_copy names it; and once."""
    treatment = all_variables("y", cols_to_copy=["y", "yc"])
    assert treatment.fit_transform(example()).columns[:3].tolist() == ["y", "yc", "z_is_bad"]


def test_the_outcome_given_is_that_of_the_frame(outcome: str) -> None:
    """Else the frame would come out with another outcome than codes were learned on."""
    frame = example()
    other = frame[outcome].to_numpy().copy()
    other[7] = other[frame[outcome].to_numpy() != other[7]][0]
    for call in ("fit", "fit_transform"):
        with pytest.raises(vt.VtreatError, match=rf"y differs from X\['{outcome}'\].* in 1 of 240"):
            getattr(all_variables(outcome), call)(frame, other)
    gaps = frame.astype({outcome: object})
    gaps.loc[gaps.index[:2], outcome] = None
    with pytest.raises(vt.VtreatError, match="in 2 of 240 rows; leave y out, or give X without"):
        all_variables(outcome).fit(gaps, frame[outcome])
    crossed = all_variables("yc", outcome_target=1).fit_transform(frame, frame["yc"].astype(int))
    assert crossed["yc"].dtype == bool


def test_arrays_come_back_as_arrays(outcome: str) -> None:
    """The values of the same frame; with copied columns, too."""
    frame, new = example(), example(seed=1)
    y = frame[outcome].to_numpy()
    treatment = TREATMENTS[outcome](params={"filter_to_recommended": False})
    expected = TREATMENTS[outcome](params={"filter_to_recommended": False})
    for inputs in (["z"], ["z", "xc"]):
        crossed = treatment.fit_transform(frame[inputs].to_numpy(), y)
        assert isinstance(crossed, np.ndarray)
        assert crossed.dtype == np.float64
        np.testing.assert_array_equal(crossed, expected.fit_transform(frame[inputs], y))
        treated = treatment.transform(new[inputs].to_numpy())
        np.testing.assert_array_equal(treated, expected.transform(new[inputs]))
    assert treatment.get_feature_names()[:3] == ["0_is_bad", "1_is_bad", "0"]
    treatment = TREATMENTS[outcome](cols_to_copy=["1"], params={"filter_to_recommended": False})
    copying = treatment.fit_transform(frame[["z", "xc"]].to_numpy(), y)
    assert copying[:, 0].tolist() == frame["xc"].tolist()


def test_arrays_of_an_unsupervised_treatment_and_of_nothing() -> None:
    values = example()[["z"]].to_numpy()
    params = {"sparse_indicators": True}
    assert vtreat.UnsupervisedTreatment(params=params).fit_transform(values).shape == (240, 2)
    flat = np.tile([[1.0], [-1.0]], (20, 1))
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        nothing = vtreat.NumericOutcomeTreatment().fit_transform(flat, [1.0, 1.0, -1.0, -1.0] * 10)
    assert nothing.shape == (40, 0)
    assert nothing.dtype == np.float64


@pytest.mark.parametrize("names", [[0, 1], ["0", "1"]])
def test_frames_of_numbered_columns_are_arrays_and_back(names: list[Any]) -> None:
    values = example()[["z", "y"]].to_numpy()
    treatment = vtreat.NumericOutcomeTreatment(params={"filter_to_recommended": False})
    of_frame = treatment.fit(pd.DataFrame(values, columns=names), values[:, 1]).transform
    treated = of_frame(values[:50])
    assert isinstance(treated, np.ndarray)
    np.testing.assert_array_equal(of_frame(pd.DataFrame(values[:50], columns=names)), treated)
    of_array = treatment.fit(values, values[:, 1]).transform
    np.testing.assert_array_equal(of_array(pd.DataFrame(values[:50], columns=names)), treated)
