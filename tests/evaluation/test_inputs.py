"""What is refused before any evaluation starts, and how."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._inputs import checked_weight, finite_numbers, one_dimensional


def test_columns_and_series_and_lists_are_read() -> None:
    for values in ([1, 2], (1, 2), pd.Series([1, 2], index=[7, 9]), np.array([[1], [2]])):
        assert one_dimensional(values, "a").tolist() == [1, 2]
    assert finite_numbers([True, 2], "a").dtype == np.float64
    assert finite_numbers(np.array([1, 2.5], dtype=object), "a").tolist() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (np.ones((2, 2)), InvalidOptionError, "a has shape (2, 2); one value a row is wanted"),
        (1.0, InvalidOptionError, "a has shape (); one value a row"),
        (["x", "y"], OptionTypeError, "a must hold numbers"),
        ([0.0, np.nan, np.inf], InvalidOptionError, "a has 2 values that are missing or infinite,"
         " the first in row 1 (nan)"),
        (pd.Series([1, None], dtype="Int64"), InvalidOptionError, "a has 1 values"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused(values: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        finite_numbers(values, "a")


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, -2.0, 1.0], "sample_weight is -2 in row 1; weights must be 0 or more"),
        ([1.0, np.nan, 1.0], "sample_weight has 1 values that are missing or infinite"),
        ([0, 0, 0], "sample_weight is 0 in every row"),
        ([1, 2], "sample_weight has 2 values, for 3 rows"),
    ],
)
def test_bad_weights_are_refused(weight: Any, message: str) -> None:
    with pytest.raises(InvalidOptionError, match=re.escape(message)):
        checked_weight(weight, 3)


def test_masked_values_are_missing() -> None:
    masked = np.ma.masked_array([1.0, 99.0], mask=[False, True])
    with pytest.raises(InvalidOptionError, match="1 values that are missing"):
        finite_numbers(masked, "values")
    np.testing.assert_array_equal(finite_numbers(np.ma.masked_array([1, 2]), "values"), [1, 2])


def test_no_weights_count_rows() -> None:
    assert checked_weight(None, 3).tolist() == [1.0, 1.0, 1.0]
    assert checked_weight([0, 2, 1], 3).tolist() == [0.0, 2.0, 1.0]
