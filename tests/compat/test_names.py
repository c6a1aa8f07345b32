"""Derived columns are called what the Python package calls them."""

from __future__ import annotations

import string

import numpy as np
import pandas as pd
import pytest

import vtreat_py.compat as vtreat
from tests.compat.data import all_variables, example
from vtreat_py.compat.util import clean_string

OF_LEVELS = ["xc_lev__NA_", "xc_lev_a", "xc_lev_b", "xc_lev_c_d"]


@pytest.mark.parametrize(
    ("outcome", "codes"),
    [
        ("y", ["xc_prevalence_code", "xc_impact_code", "xc_deviation_code"]),
        ("yc", ["xc_prevalence_code", "xc_logit_code"]),
    ],
)
def test_every_code_has_its_name_and_treatment(outcome: str, codes: list[str]) -> None:
    treatment = all_variables(outcome, var_list=["z", "xc"])
    crossed = treatment.fit_transform(example()).drop(columns=outcome)
    marks = ["z_is_bad", "xc_is_bad"]
    assert crossed.columns.tolist() == [*marks, "z", *codes, *OF_LEVELS]
    table = treatment.score_frame_.set_index("variable")
    assert table["treatment"].to_dict() == {
        **dict.fromkeys(marks, "missing_indicator"),
        "z": "clean_copy",
        **{code: code.removeprefix("xc_") for code in codes},
        **dict.fromkeys(OF_LEVELS, "indicator_code"),
    }
    assert table["orig_variable"].tolist() == ["z", "xc", "z"] + ["xc"] * (len(crossed.columns) - 3)
    aware = {"xc_impact_code", "xc_deviation_code", "xc_logit_code"}
    assert table["y_aware"].to_dict() == {name: name in aware for name in crossed.columns}


def test_an_unsupervised_treatment_has_the_codes_without_outcome() -> None:
    treatment = vtreat.UnsupervisedTreatment(var_list=["z", "xc"])
    names = treatment.fit_transform(example()).columns.tolist()
    assert names == ["z_is_bad", "xc_is_bad", "z", "xc_prevalence_code", *OF_LEVELS]


def test_brackets_comparisons_dots_and_spaces_of_levels_are_spelt() -> None:
    """All other signs stay, quotes included; observed in the Python package 1.3.1."""
    spelt = {"(": "_op_", ")": "_cp_", "[": "_osq_", "]": "_csq_", "<": "_lt_", ">": "_gt_"}
    for sign in string.punctuation + "é":
        expected = spelt.get(sign, "_" if sign == "." else sign)
        assert clean_string(f"a{sign}b") == f"a{expected}b"
    assert clean_string("  a \t b ") == "a_b"


def test_levels_that_read_alike_get_numbers() -> None:
    """ "a b", "a.b", "a_b": three indicators, three names."""
    frame = pd.DataFrame({"x": ["a b", "a.b", "a_b", "c"] * 5})
    treated = vtreat.UnsupervisedTreatment(params={"coders": {"indicator_code"}}).fit_transform(
        frame
    )
    assert treated.columns.tolist() == ["x_lev_a_b", "x_lev_a_b_2", "x_lev_a_b_3", "x_lev_c"]
    for name, level in zip(treated.columns, ["a b", "a.b", "a_b", "c"], strict=True):
        np.testing.assert_array_equal(treated[name], frame["x"] == level)


def test_only_marks_that_mark_something_are_made() -> None:
    """A column of levels without gaps has no mark; numbers mixed with None are no levels."""
    frame = pd.DataFrame(
        {
            "text": ["a", "b"] * 10,
            "number": pd.Series([1, None, 2, 3] * 5, dtype=object),
            "category": pd.Categorical(["u", None, "v", "v"] * 5),
        }
    )
    treated = vtreat.UnsupervisedTreatment().fit_transform(frame)
    marks = [name for name in treated.columns if name.endswith("_is_bad")]
    assert marks == ["number_is_bad", "category_is_bad"]
    np.testing.assert_array_equal(treated["category_is_bad"], frame["category"].isna())
    np.testing.assert_array_equal(treated["number_is_bad"], frame["number"].isna())
