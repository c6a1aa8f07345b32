"""Plans for missing values, learned and applied by engines of lazy frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import assert_same_bits, awkward_table

pytestmark = pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")

Lazy = Callable[[pa.Table], Any]
COLUMNS = ["x", "many", "bytes", "z", "flag", "day", "size"]


def test_designs_and_treated_frames_are_those_of_memory(engine: str, lazy: Lazy) -> None:
    table, later = awkward_table(), awkward_table(300, seed=5, novel=True)
    options = {"variables": COLUMNS, "categorical": ["size"], "imputation": 0.25}
    expected = vt.design_missingness(table, **options)
    designed = vt.design_missingness(lazy(table), **options)
    assert designed.feature_names == expected.feature_names
    treated = vt.prepare(expected, later, row_id="id")
    for plan in (expected, designed):
        found = vt.prepare(plan, lazy(later), row_id="id", extra_columns=["y"])
        assert_same_bits(found, vt.prepare(expected, later, row_id="id", extra_columns=["y"]))
    assert {"_invalid_", 'it\'s "q"'} <= set(treated["x"].to_pylist())


def test_columns_that_are_empty_are_marked(lazy: Lazy, engine: str) -> None:
    if engine != "polars":
        pytest.skip("the type of a column without values is the same line for each engine")
    plan = vt.design_missingness(awkward_table(), variables=["x"])
    found = vt.prepare(plan, lazy(pa.table({"x": pa.nulls(3)}))).collect()
    assert found["x"].to_list() == ["_invalid_"] * 3
