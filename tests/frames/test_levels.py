"""Levels are told apart exactly, and found again in frames of any kind."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.conftest import FrameKind, arrays
from tests.versions import older
from vtreat_py.frames.columns import TextColumn
from vtreat_py.frames.levels import Levels

COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
LOOKALIKES = [
    "a", "A", "a ", " a", "", "NA", "NaN", "None", "nan", "null", "<NA>", "rare", "zap", "x a",
    "_NA_", COMPOSED, DECOMPOSED, "1", "1.0", "\U0001f600", "a\x00b", "a\nb", None,
]  # fmt: skip


def indicators(plan: vt.TreatmentPlan, column: str = "x") -> dict[Any, str]:
    """Name of the indicator of each level."""
    return {v.level: v.name for v in plan.derived if v.code == "lev" and v.orig_variable == column}


def unsupervised(frame: Any, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(frame, outcome_type="unsupervised", min_fraction=0, **options)


def assert_all_distinct(frame: Any, levels: list[Any]) -> None:
    """Each row of the frame has a level of its own, in the order given."""
    plan = unsupervised(frame, coders=["lev"])
    names = indicators(plan)
    assert set(names) == set(levels)
    treated = arrays(vt.prepare(plan, frame))
    for row, level in enumerate(levels):
        expected = np.zeros(len(levels))
        expected[row] = 1.0
        np.testing.assert_array_equal(treated[names[level]], expected, err_msg=repr(level))


def test_levels_that_look_alike_are_distinct(kind: FrameKind) -> None:
    assert_all_distinct(kind.make({"x": LOOKALIKES}), LOOKALIKES)


def test_categories_that_look_alike_are_distinct() -> None:
    levels = LOOKALIKES
    if older("pandas", "3.0"):  # which makes one category of texts that agree up to a NUL
        levels = [level for level in LOOKALIKES if "\0" not in (level or "")]
    assert_all_distinct(pd.DataFrame({"x": pd.Categorical(levels)}), levels)
    assert_all_distinct(
        pl.DataFrame({"x": pl.Series(LOOKALIKES, dtype=pl.Categorical)}), LOOKALIKES
    )
    assert_all_distinct(pa.table({"x": pa.array(LOOKALIKES).dictionary_encode()}), LOOKALIKES)


def test_many_rows_of_levels_that_look_alike_are_found_again(kind: FrameKind) -> None:
    # Above a few hundred rows another lookup is used.
    frame = kind.make({"x": LOOKALIKES * 20})
    plan = unsupervised(frame, coders=["lev"])
    treated = arrays(vt.prepare(plan, frame))
    for row, level in enumerate(LOOKALIKES):
        column = treated[indicators(plan)[level]]
        assert np.flatnonzero(column).tolist() == list(range(row, len(column), len(LOOKALIKES)))


@pytest.mark.parametrize("make", [list, pd.Categorical], ids=["objects", "category"])
def test_one_and_one_point_zero_are_one_level_and_text_another(make: Any) -> None:
    values = pd.Series(
        make([1, 1, "1", "b", None]), dtype=None if make is pd.Categorical else object
    )
    plan = unsupervised(pd.DataFrame({"x": values}), coders=["lev"])
    assert set(indicators(plan)) == {1, "1", "b", None}
    new = pd.DataFrame({"x": pd.Series([1.0, "1", 1, "1.0"], dtype=object)})
    treated = vt.prepare(plan, new)
    assert treated[indicators(plan)[1]].tolist() == [1, 0, 1, 0]
    assert treated[indicators(plan)["1"]].tolist() == [0, 1, 0, 0]


def test_one_and_one_point_zero_are_counted_together() -> None:
    frame = pd.DataFrame({"x": pd.Series([1, 1.0, 1, "1", "b", "b"], dtype=object)})
    plan = unsupervised(frame, coders=["catP"])
    assert vt.prepare(plan, frame)["x_catP"].tolist() == pytest.approx(
        [1 / 2, 1 / 2, 1 / 2, 1 / 6, 1 / 3, 1 / 3]
    )


SURROGATES = ["\ud800", "\udfff", "\ud800x", "a", None]


def test_text_that_is_no_utf_8_works() -> None:
    assert_all_distinct(pd.DataFrame({"x": pd.Series(SURROGATES, dtype=object)}), SURROGATES)
    categories = pd.Categorical.from_codes([0, 1, 2, 3, -1], pd.Index(SURROGATES[:4], dtype=object))
    assert_all_distinct(pd.DataFrame({"x": categories}), SURROGATES)


def test_text_that_is_no_utf_8_is_novel_to_a_plan_of_ordinary_text() -> None:
    plan = unsupervised(pd.DataFrame({"x": ["a", "b", "b"]}), coders=["lev"])
    new = pd.DataFrame({"x": pd.Series(["\ud800", "a"], dtype=object)})
    assert vt.prepare(plan, new).to_numpy().tolist() == [[0, 0], [1, 0]]


def test_a_plan_of_text_that_is_no_utf_8_treats_ordinary_text() -> None:
    plan = unsupervised(pd.DataFrame({"x": pd.Series(["\ud800", "a"], dtype=object)}))
    for n_rows in (1, 300):  # few and many rows are looked up differently
        treated = arrays(vt.prepare(plan, pa.table({"x": ["a"] * n_rows})))
        assert (treated["x_lev_x_a"] == 1).all()


def test_bytes_and_text_are_different_levels() -> None:
    values = [b"a", "a", None]
    assert_all_distinct(pd.DataFrame({"x": pd.Series(values, dtype=object)}), values)


@pytest.mark.parametrize("n_rows", [3, 600])
def test_bytes_are_novel_to_a_plan_of_text_and_the_reverse(n_rows: int) -> None:
    text = pa.table({"x": ["a", "b", "b"] * (n_rows // 3)})
    binary = pa.table({"x": [b"a", b"b", b"b"] * (n_rows // 3)})
    for train, new in ((text, binary), (binary, text)):
        treated = arrays(vt.prepare(unsupervised(train, coders=["lev"]), new))
        assert not np.stack(list(treated.values())).any()


def test_a_category_is_treated_like_the_text_it_stands_for() -> None:
    text = ["b", "a", "b", None, "c"] * 4
    plan = unsupervised(pd.DataFrame({"x": pd.Categorical(text, ["z", "c", "b", "a"])}))
    frames = [
        pd.DataFrame({"x": text}),
        pl.DataFrame({"x": pl.Series(text, dtype=pl.Enum(["a", "b", "c"]))}),
        pa.table({"x": pa.array(text).dictionary_encode()}),
        pa.table({"x": text}),
    ]
    expected = arrays(vt.prepare(plan, frames[0]))
    assert list(expected) == ["x_catP", "x_lev_NA", "x_lev_x_a", "x_lev_x_b", "x_lev_x_c"]
    for frame in frames[1:]:
        for name, values in arrays(vt.prepare(plan, frame)).items():
            np.testing.assert_array_equal(values, expected[name], err_msg=name)


def test_a_category_that_no_row_has_is_not_a_level_of_the_plan() -> None:
    plan = unsupervised(pd.DataFrame({"x": pd.Categorical(["a", "b", "b"], ["a", "b", "never"])}))
    assert set(indicators(plan)) == {"a", "b"}
    new = pd.DataFrame({"x": ["never", "new"]})
    treated = vt.prepare(plan, new)
    assert treated.iloc[0].equals(treated.iloc[1].rename(0))


def test_dates_and_numbers_among_text_are_levels() -> None:
    values = [dt.date(2020, 1, 1), "2020-01-01", 20, "20", True, None]
    assert_all_distinct(pd.DataFrame({"x": pd.Series(values, dtype=object)}), values)


def test_indicators_are_ordered_by_code_point_with_missing_and_pool_first() -> None:
    values = ["b"] * 5 + ["B"] * 5 + ["\u00e9"] * 5 + ["a"] * 5 + [None] * 5 + ["few", "less"]
    plan = unsupervised(pd.DataFrame({"x": values}), coders=["lev"], rare_count=1)
    assert plan.feature_names == [
        "x_lev_NA", "x_lev_rare", "x_lev_x_B", "x_lev_x_a", "x_lev_x_b", "x_lev_x_\u00e9",
    ]  # fmt: skip


def test_the_pool_is_not_a_level_called_rare() -> None:
    values = ["rare"] * 5 + ["a"] * 5 + ["once", "twice", "twice"]
    plan = unsupervised(pd.DataFrame({"x": values}), coders=["lev"], rare_count=2)
    treated = vt.prepare(plan, pd.DataFrame({"x": ["rare", "once", "new", "a"]}))
    assert treated["x_lev_x_rare"].tolist() == [1, 0, 0, 0]
    assert treated["x_lev_rare"].tolist() == [0, 1, 1, 0]


def test_codes_of_levels_missing_and_novel() -> None:
    levels = Levels.of(["b", "a"])
    assert levels.codes_of(["a", "b", None, "c"]).tolist() == [1, 0, 2, 3]
    assert (levels.missing, levels.novel, len(levels)) == (2, 3, 2)
    assert levels[1] == "a"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_levels_of_text_pickle_to_the_same_bytes_whatever_its_arrow_type(kind: pa.DataType) -> None:
    codes, levels = TextColumn("x", pa.array(["b", "a", "b"], kind)).encode()
    assert codes.tolist() == [0, 1, 0]
    assert pickle.dumps(levels) == pickle.dumps(Levels.of(["b", "a"]))


def test_levels_compare_and_pickle_by_value() -> None:
    for values in (["b", "a"], [1, "a"], ["\ud800"]):
        levels = Levels.of(values)
        levels.codes_of(values)
        assert levels == Levels.of(list(values))
        assert pickle.loads(pickle.dumps(levels)) == levels
    assert Levels.of(["a"]) != Levels.of(["b"])
    assert Levels.of(["a"]) != ["a"]


def test_how_levels_are_kept_depends_on_their_values_alone() -> None:
    mixed = Levels.of([1, "a", b"b", "c"])
    assert not mixed.is_text
    assert mixed.take(np.array([1, 3])).labels.equals(Levels.of(["a", "c"]).labels)
    assert mixed.take(np.array([2])).labels.equals(
        TextColumn("x", pa.array([b"b"])).encode()[1].labels
    )
    assert not mixed.take(np.array([1, 2])).is_text


def test_levels_of_two_parts_are_joined() -> None:
    for one, other in (
        (["b", "a"], ["a", "c"]),
        ([1, "a"], ["a", 2]),
        ([b"a"], ["a"]),
        ([], ["a"]),
    ):
        ours, theirs = Levels.of(one), Levels.of(other)
        new = [value for value in other if value not in one]
        codes = [one.index(v) if v in one else ours.novel for v in other]
        assert ours.codes_of_levels(theirs).tolist() == codes
        joined = ours.joined(Levels.of(new))
        assert joined == Levels.of([*one, *new])
        assert joined.is_text == Levels.of([*one, *new]).is_text


@pytest.mark.parametrize("n", [10, 1000])
def test_codes_of_many_levels_can_be_written_to(n: int) -> None:
    ours = Levels.of([str(i) for i in range(n)])
    codes = ours.codes_of_levels(Levels.of([str(i) for i in range(n - 1, n + 2)]))
    assert codes.tolist() == [n - 1, ours.novel, ours.novel]
    codes[0] = 0
