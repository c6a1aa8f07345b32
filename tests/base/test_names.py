"""Names are R vtreat's where nothing collides, and never collide."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vtreat_py as vt
from vtreat_py.base.names import NameRegister, munge

# The words that signs become (R vtreat 1.6).
SIGNS = {
    "!": "bang", "@": "at", "#": "hash", "$": "dollar", "%": "percent", "^": "pow", "&": "amp",
    "*": "star", "(": "oparen", ")": "cparen", "-": "minus", "+": "plus", "=": "eq", "<": "lt",
    ">": "gt", ":": "colon", ";": "semi", "'": "tick", "`": "btick", "~": "tilde", '"': "quote",
    ",": "comma", "?": "qmark", "/": "slash", "\\": "bslash", "|": "bar", "{": "obrace",
    "}": "cbrace", "[": "obrack", "]": "cbrack",
}  # fmt: skip


@pytest.mark.parametrize(("sign", "word"), SIGNS.items(), ids=SIGNS.values())
def test_a_sign_becomes_a_word(sign: str, word: str) -> None:
    assert munge([f"a{sign}b"]) == [f"a_{word}_b"]
    assert munge([f"a{sign}"]) == [f"a_{word}_"]
    assert munge([sign]) == [f"X_{word}_"]


@pytest.mark.parametrize(
    ("proposed", "name"),
    [
        ("age", "age"),
        ("hours-per-week", "hours_minus_per_minus_week"),
        ("a%", "a_percent_"),
        (">= 5", "X_gt_eq_5"),
        ("a--b", "a_minus_minus_b"),
        ("a__b", "a_b"),
        ("a._ .b", "a_b"),
        ("a b\tc\nd", "a_b_c_d"),
        ("a.b", "a_b"),
        ("", "X"),
        (" ", "X_"),
        ("_u", "X_u"),
        (".u", "X_u"),
        ("1abc", "X1abc"),
        ("2024", "X2024"),
        ("gr\u00f6\u00dfe", "gr\u00f6\u00dfe"),
        ("\u5e74\u9f62", "\u5e74\u9f62"),
        ("a\U0001f600b", "a_b"),
        ("\U0001f600", "X_"),
        ("NA", "NA_"),
        ("NaN", "NaN_"),
        ("TRUE", "TRUE_"),
        ("if", "if_"),
        ("function", "function_"),
        ("NA_real_", "NA_real__"),
        ("true", "true"),
        ("class", "class"),
    ],
)
def test_a_name_becomes_a_plain_one(proposed: str, name: str) -> None:
    assert munge([proposed]) == [name]


RESERVED = [
    "if", "else", "repeat", "while", "function", "for", "next", "break", "in",
    "TRUE", "FALSE", "NULL", "Inf", "NaN", "NA",
]  # fmt: skip


@pytest.mark.parametrize("word", RESERVED)
def test_a_reserved_word_gets_an_underscore(word: str) -> None:
    assert munge([word]) == [f"{word}_"]


@pytest.mark.parametrize(
    ("proposed", "names"),
    [
        (["a b", "a_b"], ["a_b", "a_b_1"]),
        (["a b", "a.b", "a_b"], ["a_b", "a_b_1", "a_b_2"]),
        # A name that needs no change by the rule of syntax keeps its spelling.
        (["1a", "X1a"], ["X1a_1", "X1a"]),
        (["1a", "1 a", "X1a"], ["X1a_1", "X1_a", "X1a"]),
        (["1a", "_1a", "1a"], ["X1a", "X_1a", "X1a_1"]),
    ],
)
def test_repeats_get_numbers(proposed: list[str], names: list[str]) -> None:
    assert munge(proposed) == names


def designed(data: dict[str, Any], outcome: Any = "y", **options: Any) -> vt.TreatmentPlan:
    given: dict[str, Any] = {"outcome": outcome, "random_state": 0, "smoothing": 0}
    return vt.design_treatments(pd.DataFrame(data), **given | options)


Y = np.tile([0.0, 1.0, 3.0, 6.0, 1.0, 2.0, 5.0, 9.0, 2.0, 4.0], 6)
LEVELS = np.tile(["a", "b", "c", None, "a"], 12)
NUMBERS = np.where(np.arange(60) % 7 == 0, np.nan, np.arange(60) % 9)


def test_derived_names_and_their_order() -> None:
    plan = designed({"age": NUMBERS, "x": LEVELS, "y": Y})
    assert plan.feature_names == [
        "age", "age_isBAD", "x_catP", "x_catN", "x_catD",
        "x_lev_NA", "x_lev_x_a", "x_lev_x_b", "x_lev_x_c",
    ]  # fmt: skip


def test_derived_names_of_a_class_outcome() -> None:
    plan = designed({"x": LEVELS, "y": np.where(Y > 2.5, "p", "q")}, coders=["catP", "catB"])
    assert plan.feature_names == ["x_catP", "x_catB"]


def test_derived_names_of_an_empty_string_and_of_a_pool() -> None:
    levels = ["", "a", "b", "", "a"] * 11 + ["c", "d", "e", "f", "g"]
    plan = designed({"x": levels, "y": Y}, coders=["lev"], rare_count=1)
    assert plan.feature_names == ["x_lev_rare", "x_lev_x_", "x_lev_x_a", "x_lev_x_b"]


def test_derived_names_follow_the_order_of_the_frame() -> None:
    data = {"q": NUMBERS, "b": LEVELS, "a": LEVELS, "y": Y}
    originals = [v.orig_variable for v in designed(data, coders=["clean", "catP"]).derived]
    assert originals == ["q", "b", "a"]


def test_derived_names_follow_the_order_of_variables() -> None:
    data = {"q": NUMBERS, "b": LEVELS, "a": LEVELS, "y": Y}
    plan = designed(data, coders=["clean", "catP"], variables=["a", "q", "b"])
    assert [v.orig_variable for v in plan.derived] == ["a", "q", "b"]


CLASHING = ["a b", "a_b", "a.b", "a_b_1", "a-b", "a_minus_b"]


def test_levels_whose_names_would_collide_have_indicators_of_their_own() -> None:
    frame = pd.DataFrame({"x": np.tile(CLASHING, 10)})
    plan = designed({"x": frame["x"], "y": Y}, coders=["lev"])
    names = plan.feature_names
    assert len(set(names)) == len(CLASHING)
    treated = vt.prepare(plan, frame)
    for variable in plan.derived:
        assert (treated[variable.name] == (frame["x"] == variable.level)).all()


def test_columns_whose_names_would_collide_have_names_of_their_own() -> None:
    plan = designed({"a b": NUMBERS, "a_b": NUMBERS * 2, "a.b": NUMBERS * 3, "y": Y})
    assert plan.feature_names == [
        "a_b_2", "a_b_isBAD", "a_b", "a_b_isBAD_2", "a_b_3", "a_b_isBAD_3",
    ]  # fmt: skip
    treated = vt.prepare(plan, pd.DataFrame({"a b": [1.0], "a_b": [2.0], "a.b": [3.0]}))
    assert treated[["a_b_2", "a_b", "a_b_3"]].to_numpy().tolist() == [[1, 2, 3]]


def test_a_column_called_like_a_derived_variable_keeps_its_name() -> None:
    data = {"x": LEVELS, "x_catN": NUMBERS, "x_lev_NA": Y + NUMBERS.clip(1, 2), "y": Y}
    plan = designed(data | {"z": NUMBERS, "z_isBAD": np.arange(60)})
    named = {(v.orig_variable, v.code, v.level): v.name for v in plan.derived}
    assert named["x_catN", "clean", None] == "x_catN"
    assert named["x", "catN", None] == "x_catN_2"
    assert named["x_lev_NA", "clean", None] == "x_lev_NA"
    assert named["x", "lev", None] == "x_lev_NA_2"
    assert named["z_isBAD", "clean", None] == "z_isBAD"
    assert named["z", "isBAD", None] == "z_isBAD_2"


def test_a_column_called_like_a_derived_variable_is_not_mixed_up_with_it() -> None:
    data = {"z": NUMBERS, "z_isBAD": np.arange(60), "y": Y}
    treated = vt.prepare(designed(data), pd.DataFrame(data).drop(columns="y"))
    np.testing.assert_array_equal(treated["z_isBAD"], np.arange(60))
    np.testing.assert_array_equal(treated["z_isBAD_2"], np.isnan(NUMBERS))


def test_the_name_of_the_outcome_is_taken() -> None:
    plan = designed({"z": NUMBERS, "z_isBAD": Y}, outcome="z_isBAD")
    assert plan.feature_names == ["z", "z_isBAD_2"]
    plan = designed({"a b": NUMBERS, "a_b": Y}, outcome="a_b", coders=["clean"])
    assert plan.feature_names == ["a_b_2"]


def test_the_names_of_columns_that_are_not_treated_are_taken() -> None:
    data = {"z": NUMBERS, "z_isBAD": Y, "y": Y}
    plan = designed(data, variables=["z"])
    assert plan.feature_names == ["z", "z_isBAD_2"]
    treated = vt.prepare(plan, pd.DataFrame(data), extra_columns=["z_isBAD", "y"])
    assert treated.columns.tolist() == ["z", "z_isBAD_2", "z_isBAD", "y"]


def test_the_cross_frame_has_the_names_of_the_plan() -> None:
    data = {"x": np.tile(CLASHING, 10), "x_catN": NUMBERS, "a b": NUMBERS, "a_b": -NUMBERS, "y": Y}
    made = vt.cross_frame_experiment(pd.DataFrame(data), outcome="y", smoothing=0, random_state=0)
    assert made.cross_frame.columns.tolist() == made.plan.feature_names
    np.testing.assert_array_equal(made.cross_frame["a_b_2"], -made.cross_frame["a_b"])


def test_a_register_gives_the_first_number_that_is_free() -> None:
    register = NameRegister(["x", "x_isBAD", "x_isBAD_2"])
    assert register.claim("x", "x") == "x"
    assert register.claim("x_isBAD") == "x_isBAD_3"
    assert register.claim("new") == "new"
    assert register.claim("new") == "new_2"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=4), max_size=8))
def test_a_register_never_gives_a_name_twice_or_one_that_is_taken(columns: list[str]) -> None:
    register = NameRegister(columns)
    given_out = [register.claim(munge([c])[0], c) for c in columns]
    given_out += [register.claim(munge([f"{c}_isBAD"])[0]) for c in columns]
    assert len(set(given_out)) == len(given_out)
    for name, column in zip(given_out, columns + [None] * len(columns), strict=True):
        assert name == column or name not in columns


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=6), max_size=8))
def test_plain_names_are_identifiers_that_start_with_a_letter(proposed: list[str]) -> None:
    for name in munge(proposed):
        assert name[0].isalpha()
        assert all(c.isalnum() or c == "_" for c in name)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(st.text(st.sampled_from("ab _.1-\u00e9"), max_size=4), unique=True, min_size=2))
def test_indicators_of_any_levels_have_names_of_their_own(levels: list[str]) -> None:
    frame = pd.DataFrame({"x": levels})
    plan = vt.design_treatments(frame, outcome_type="unsupervised", min_fraction=0, coders=["lev"])
    treated = vt.prepare(plan, frame)
    assert len(set(treated.columns)) == len(levels)
    for variable in plan.derived:
        assert (treated[variable.name] == (frame["x"] == variable.level)).all()


HASHED = """
import hashlib, sys
import pandas as pd
import vtreat_py as vt
text = ["a b", "a_b", "B", "b", "\\u00e9", None, "a.b", "q"] * 12
frame = pd.DataFrame({"x": text, "a b": range(96), "a_b": [i % 5 for i in range(96)],
                      "y": [(i * i + i // 8) % 11 for i in range(96)]})
made = vt.cross_frame_experiment(frame, outcome="y", random_state=0, smoothing=1)
new = pd.DataFrame({"x": ["b", "new", None, "B"], "a b": [1, 2, 3, 4], "a_b": [0, 1, 2, None]})
for table in (made.plan.score_frame, made.cross_frame, vt.prepare(made.plan, new)):
    values = table.select_dtypes("number").to_numpy().tobytes()
    print(list(table.columns), hashlib.sha256(values).hexdigest())
print(made.plan.feature_names)
"""


def test_names_and_numbers_do_not_depend_on_hash_seeds() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", HASHED],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed.pop().count(b"\n") == 4
