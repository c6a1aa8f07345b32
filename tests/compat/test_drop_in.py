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


def treated(design: Any, new: Any, **arguments: Any) -> pd.DataFrame:
    """Indicators, marks and numbers of new rows of a column, after a design on another."""
    wanted = {"coders": {"clean_copy", "missing_indicator", "indicator_code"}}
    params = {"filter_to_recommended": False, **wanted, **arguments}
    levels = pd.Series(list(design) * 20, dtype=object).infer_objects()
    y = np.arange(len(levels)) % len(design) + np.arange(len(levels)) / 99
    treatment = vtreat.NumericOutcomeTreatment(params=params)
    return treatment.fit(pd.DataFrame({"x": levels}), y).transform(pd.DataFrame({"x": new}))


DAYS = ["2020-01-01", "2020-01-02", "2020-01-03"]


@pytest.mark.parametrize(
    ("design", "new", "level_of_each"),
    [
        (["1", "2", "3"], [3, 1, 7], ["3", "1", ""]),
        (["1", "2", "3"], [3.0, np.nan, 1.0], ["3", "", "1"]),
        (["1", "2", "3"], [3.5, 2.0], ["", "2"]),
        (["1.5", "2.0", "x"], [1.5, 2, np.nan], ["1.5", "2.0", ""]),
        (["True", "False", "x"], [True, False], ["True", "False"]),
        (["1", "2", "3"], pd.Series([2, 1], dtype="Int64"), ["2", "1"]),
        (["1", "2", "3"], pd.Series([2, 1]).astype("category"), ["2", "1"]),
        (["1", "2", "3"], pd.Series(["a", 1, "2"], dtype=object), ["", "1", "2"]),
        (["a", 1, "2"], [1, 2], ["1", "2"]),
        (["a", 1, "2"], ["1", "2", "a"], ["1", "2", "a"]),
        (["a", 1, "2"], ["1.0", "b"], ["1", ""]),
        (["a", 1, "2"], [True, False, 2], ["", "", "2"]),
        (DAYS, pd.to_datetime([*DAYS[:2], None]), [*DAYS[:2], ""]),
        (DAYS, pd.to_datetime(DAYS[:2]).date, DAYS[:2]),
    ],
)
def test_what_reads_as_a_level_is_that_level(design: Any, new: Any, level_of_each: Any) -> None:
    """Numbers, booleans, dates where the design saw text; and the other way round."""
    result = treated(design, new)
    names = [f"x_lev_{vtreat.util.clean_string(level)}" for level in map(str, design)]
    expected = [[float(str(level) == found) for level in design] for found in level_of_each]
    assert result[names].to_numpy().tolist() == expected


def test_levels_of_one_spelling_keep_apart() -> None:
    """1 and "1" are two levels where the design saw both."""
    names = ["x_lev_1", "x_lev_1_2"]
    both = treated([1, "1", "b"], pd.Series([1, "1", 1.0, "b"], dtype=object))[names]
    assert both.to_numpy().tolist() == [[1, 0], [0, 1], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (["1.5", " 7 ", None], [1.5, 7.0, 2.0]),
        (pd.Series(["2", 3, None, "inf", True], dtype=object), [2.0, 3.0, 2.0, 2.0, 1.0]),
        (pd.Series(["2", "3"], dtype="string"), [2.0, 3.0]),
        (pd.Series(["2", "3", None]).astype("category"), [2.0, 3.0, 2.0]),
        (pd.Series([2, 3]).astype("category"), [2.0, 3.0]),
        ([None, None], [2.0, 2.0]),
    ],
)
def test_text_that_reads_as_numbers_is_numbers(new: Any, expected: list[float]) -> None:
    result = treated([1, 2, 3], new)
    np.testing.assert_allclose(result["x"], expected)


def test_text_that_reads_as_no_number_is_refused() -> None:
    """By its value; so are dates, which are numbers of days or seconds of their own."""
    with pytest.raises(vt.VtreatError, match=r"holds 'b' \(and 1 more\), which does not read as"):
        treated([1, 2, 3], ["1", "b", ""])
    assert treated([1, 2, 3], ["1", "gone"], missing_values=["gone"])["x"].tolist() == [1, 2]
    for new in (pd.to_datetime(DAYS), pd.to_timedelta([1], "D")):
        with pytest.raises(vt.VtreatError, match="changed type"):
            treated([1, 2, 3], new)
    with pytest.raises(vt.VtreatError, match="changed type"):
        treated(pd.to_datetime(DAYS), [1, 2])


def test_levels_that_nothing_reads_as_are_reported() -> None:
    """That the column is another one is likelier than that all its levels are new."""
    with pytest.warns(vt.VtreatWarning, match="no value of column 'x', such as 8, reads as"):
        assert not treated(["a", "b", "c"], [8, 9]).any(axis=None)


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas])
def test_other_frames_are_converted_too(make: Any) -> None:
    frame = pd.DataFrame({"t": ["1", "2", "3"] * 20, "n": [1.0, 2.0, 3.0] * 20})
    treatment = vtreat.NumericOutcomeTreatment(params={"filter_to_recommended": False})
    treatment.fit(make(frame), np.arange(60) % 3 + np.arange(60) / 99)
    new = pd.DataFrame({"t": ["3", "1", None], "n": [2.5, 1.0, None]})
    expected = treatment.transform(make(new)).to_pandas()
    other = make(pd.DataFrame({"t": [3.0, 1.0, None], "n": ["2.5", "1", None]}))
    pd.testing.assert_frame_equal(treatment.transform(other).to_pandas(), expected)


def test_numbers_as_levels_may_come_as_text() -> None:
    params = {"categorical": ["x"]}
    result = treated([1, 2, 3], ["1", "3.0", "x"], **params)
    assert result.to_numpy().tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert treated([1, 2, 3], [2, 9], **params).to_numpy().tolist() == [[0, 1, 0], [0, 0, 0]]
    with pytest.raises(vt.VtreatError, match="designed on numbers as levels"):
        treated([1, 2, 3], ["x", "y"], **params)


def test_prepare_goes_on_refusing() -> None:
    frame = pd.DataFrame({"x": ["1", "2", "3"] * 20, "y": np.arange(60) / 9})
    treatment = vtreat.NumericOutcomeTreatment(outcome_name="y").fit(frame)
    with pytest.raises(vt.VtreatError, match="changed type"):
        vt.prepare(treatment.plan_, pd.DataFrame({"x": [1, 2]}))


class Shown(vtreat.transform.UserTransform):
    """Length of the text in one column; remembers which columns it was shown."""

    def __init__(self, made: str, column: str = "k") -> None:
        super().__init__(made)
        self.y_aware_ = False
        self.made, self.column = made, column

    def fit(self, X: Any, y: Any) -> Shown:
        self.incoming_vars_, self.derived_vars_ = [self.column], [self.made]
        return self

    def transform(self, X: Any) -> Any:
        self.columns = list(X)
        return pd.DataFrame({self.made: [len(str(v)) for v in X[self.column]]})


def test_transforms_may_share_a_column_and_are_shown_the_others() -> None:
    """They see it as the design saw it; only what they name is asked for."""
    frame = pd.DataFrame({"k": ["1", "22", "333"] * 20, "z": np.arange(60.0)})
    params = {"user_transforms": [Shown("a"), Shown("b")]}
    treatment = vtreat.UnsupervisedTreatment(params=params).fit(frame)
    for new in (frame.head(3), pd.DataFrame({"k": [1.0, 22.0, 333.0], "z": ["1", "2", "3"]})):
        result = treatment.transform(new)
        assert result[["a", "b"]].to_numpy().tolist() == [[1, 1], [2, 2], [3, 3]]
        shown = [extra.transform.columns for extra in treatment._learned.extra]
        assert shown == [["k", "z"], ["k", "z"]]
    treatment.set_result_restriction(["a"])
    assert treatment.transform(frame[["k"]]).columns.tolist() == ["a"]


def test_a_transform_is_an_object_that_returns_a_frame() -> None:
    class Flat(Shown):
        def transform(self, X: Any) -> Any:
            return np.ones(len(X))

    frame = example()[INPUTS]
    with pytest.raises(vt.VtreatError, match=r"Flat.transform returned ndarray; it must return a"):
        vtreat.UnsupervisedTreatment(params={"user_transforms": [Flat("f")]}).fit(frame)
    with pytest.raises(vt.VtreatError, match=r"no UserTransform .*; make one of the class"):
        vtreat.UnsupervisedTreatment(params={"user_transforms": [Shown]}).fit(frame)
