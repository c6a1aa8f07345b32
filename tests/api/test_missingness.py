"""Plans that take missing values out, and leave text as text."""

from __future__ import annotations

import json
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.conftest import FrameKind, arrays
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    PlanFormatError,
    SchemaError,
)

TRAIN: dict[str, list[Any]] = {
    "size": [1.0, None, 3.0, float("inf"), 5.0] * 3,
    "town": ["Ayr", "Bath", None, "Ayr", ""] * 3,
    "flag": [True, False, True, True, False] * 3,
    "same": [2] * 15,
    "one": ["only"] * 15,
}
LATER: dict[str, list[Any]] = {
    "size": [None, -float("inf"), 2.0] * 5,
    "town": ["Oslo", None, "Bath"] * 5,
    "flag": [True, False, True] * 5,
    "same": [2, 3, 4] * 5,
    "one": [None, "only", "other"] * 5,
}
MARK = "_invalid_"


def treated_values(frame: Any) -> dict[str, list[Any]]:
    return {name: values.tolist()[:3] for name, values in arrays(frame).items()}


def test_numbers_are_filled_and_text_is_kept(kind: FrameKind) -> None:
    plan = vt.design_missingness(kind.make(TRAIN))
    later = kind.make(LATER)
    treated = vt.prepare(plan, later)
    assert isinstance(treated, kind.native)
    assert treated_values(treated) == {
        "size": [3.0, 3.0, 2.0],
        "size_isBAD": [1.0, 1.0, 0.0],
        "town": [MARK, MARK, "Bath"],
        "flag": [1.0, 0.0, 1.0],
        "same": [2.0, 3.0, 4.0],
        "one": [MARK, "only", MARK],
    }
    dtypes = nw.from_native(treated).schema
    assert dtypes["town"] in (nw.String, nw.Object)
    if isinstance(treated, pd.DataFrame):
        assert treated.index.equals(later.index)
        assert treated["town"].dtype == pd.Series(["x"]).dtype


def test_plans_are_those_of_every_kind_and_come_back_from_json(kind: FrameKind) -> None:
    plan = vt.design_missingness(kind.make(TRAIN), imputation="median")
    expected = vt.design_missingness(pd.DataFrame(TRAIN), imputation="median")
    assert plan == expected
    text = plan.to_json()
    assert json.loads(text)["format_version"] == 3
    again = vt.TreatmentPlan.from_json(text)
    assert again == plan
    pd.testing.assert_frame_equal(*(vt.prepare(p, pd.DataFrame(LATER)) for p in (again, plan)))


def test_the_training_frame_may_be_treated() -> None:
    frame = pd.DataFrame(TRAIN)
    treated = vt.prepare(vt.design_missingness(frame), frame)
    assert not treated.isna().any(axis=None)
    known = frame["town"].notna()
    assert (treated["town"][known] == frame["town"][known]).all()
    assert (treated["town"][~known] == MARK).all()


def test_other_options_choose_variables() -> None:
    frame = pd.DataFrame(LATER, index=[f"row {i}" for i in range(15)])
    plan = vt.design_missingness(pd.DataFrame(TRAIN))
    texts = vt.prepare(plan, frame, coders=["kept"], extra_columns=["same"], row_id="flag")
    assert list(texts) == ["flag", "town", "one", "same"]
    assert list(vt.prepare(plan, frame, variables=["size", "town"], collar=True)) == [
        "size",
        "town",
    ]
    assert vt.prepare(plan, frame, coders=["isBAD"], sparse_output=True).shape == (15, 1)
    with pytest.raises(InvalidOptionError, match=r"are dense: .*'town' \(kept\)"):
        vt.prepare(plan, frame, sparse_output=True)
    with pytest.raises(InvalidOptionError, match="scale=True needs an outcome"):
        vt.prepare(plan, frame, scale=True)
    assert list(vt.prepare(plan, frame[:0])) == plan.feature_names


def test_columns_without_a_value_are_left_out_and_said() -> None:
    frame = pd.DataFrame(TRAIN).assign(empty=None, infinite=float("inf"))
    with pytest.warns(vt.VtreatWarning, match="'empty': it has missing values only"):
        plan = vt.design_missingness(frame)
    assert dict(plan.unused) == {
        "empty": "it has missing values only",
        "infinite": "it has no finite value",
    }
    gone = vt.prepare(plan, pd.DataFrame(LATER).assign(town=None, size=None))
    assert gone["town"].tolist() == [MARK] * 15
    assert gone["size"].tolist() == [3.0] * 15


def test_levels_that_are_no_text_are_written() -> None:
    values = [1, "1", 2.5, b"b", b"\xff", None, True]
    frame = pd.DataFrame({"x": pd.Series([*values, "a\ud800"], dtype=object)})
    treated = vt.prepare(vt.design_missingness(frame), frame)["x"]
    assert treated.tolist() == ["1", "1", "2.5", "b", "\\xff", MARK, "1", "a\ud800"]


def test_numbers_can_be_names_and_texts_can_be_missing() -> None:
    train = pd.DataFrame({"zip": [10_115, 10_117, 20_095], "shop": ["a", "?", "b"]})
    plan = vt.design_missingness(train, categorical=["zip"], missing_values=["?"])
    later = pd.DataFrame({"zip": [10_117.0, np.nan, 7.0], "shop": ["?", "b", "c"]})
    treated = vt.prepare(plan, later)
    assert treated["zip"].tolist() == ["10117", MARK, MARK]
    assert treated["shop"].tolist() == [MARK, "b", MARK]
    assert plan.novel_levels(later)["level"].tolist() == [7, None, "c"]


def test_arrays_come_back_as_arrays() -> None:
    given = np.array([["a", 1.0], ["b", None], [None, 3.0]], dtype=object)
    treated = vt.prepare(vt.design_missingness(given), given)
    assert treated.tolist() == [["a", 1.0, 0.0], ["b", 2.0, 1.0], [MARK, 3.0, 0.0]]


def test_names_do_not_collide() -> None:
    frame = pd.DataFrame({"a b": [1.0, None], "a_b": ["x", None], "a_b_isBAD": ["u", "v"]})
    plan = vt.design_missingness(frame)
    assert plan.feature_names == ["a_b_2", "a_b_isBAD_2", "a_b", "a_b_isBAD"]
    twice = frame.set_axis(["a", "a", "b"], axis=1)
    with pytest.raises(FrameError, match="several columns share a name: 'a'"):
        vt.design_missingness(twice)


def test_other_verbs_of_plans_work() -> None:
    plan = vt.design_missingness(pd.DataFrame(TRAIN))
    other = vt.design_missingness(pd.DataFrame(TRAIN), invalid_mark="none")
    where = plan.diff(other)["where"].tolist()
    assert where == ["columns['town'].mark", "columns['one'].mark"]
    report = plan.audit(pd.DataFrame(LATER)).frame.set_index("column")
    assert report.loc["town", "novel_now"] == pytest.approx(1 / 3)
    assert set(plan.score_frame["code"]) == {"clean", "isBAD", "kept"}
    assert "town" in repr(plan)
    assert "town" in plan._repr_html_()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"invalid_mark": None}, OptionTypeError, "invalid_mark=None must be text"),
        ({"invalid_mark": "a\0"}, InvalidOptionError, "holds NUL or a lone surrogate"),
        ({"invalid_mark": "\ud800"}, InvalidOptionError, "holds NUL or a lone surrogate"),
        ({"invalid_mark": "Ayr"}, InvalidOptionError, "column 'town' has the level 'Ayr', which"),
        ({"variables": ["size", "place"]}, InvalidOptionError, r"variables names \['place'\]"),
        ({"imputation": "mode"}, InvalidOptionError, "imputation='mode'"),
    ],
)
def test_what_cannot_be_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        vt.design_missingness(pd.DataFrame(TRAIN), **options)


def test_misuse_is_refused() -> None:
    with pytest.raises(OptionTypeError, match="options are given by name"):
        vt.design_missingness(pd.DataFrame(TRAIN), ["size"])
    plan = vt.design_missingness(pd.DataFrame(TRAIN))
    with pytest.raises(SchemaError, match="'town'"):
        vt.prepare(plan, pd.DataFrame(LATER).assign(town=1.0))
    with pytest.raises(InvalidOptionError, match="holds unknown codes"):
        vt.design_treatments(pd.DataFrame(TRAIN), outcome="size", coders=["kept"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mark": "Ayr"}, r"treatments\[1\].mark: 'Ayr' is a level, too"),
        ({"mark": 1}, r"treatments\[1\].mark: expected a string"),
        ({"kind": "levels"}, r"treatments\[1\].parts is missing"),
    ],
)
def test_tampered_text_is_refused(change: dict[str, Any], message: str) -> None:
    tree = json.loads(vt.design_missingness(pd.DataFrame(TRAIN)).to_json())
    tree["treatments"][1] |= change
    with pytest.raises(PlanFormatError, match=message):
        vt.TreatmentPlan.from_json(json.dumps(tree))


@pytest.mark.parametrize("change", [{"code": "lev"}, {"slot": 0}, {"level": "Ayr"}])
def test_tampered_variables_are_refused(change: dict[str, Any]) -> None:
    tree = json.loads(vt.design_missingness(pd.DataFrame(TRAIN)).to_json())
    tree["treatments"][1]["variable"] |= change
    (field,) = change
    with pytest.raises(PlanFormatError, match=rf"treatments\[1\].variable.{field}: expected"):
        vt.TreatmentPlan.from_json(json.dumps(tree))
