"""Levels that the design has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import OutcomeError, SchemaError

TRAIN = pd.DataFrame(
    {
        "town": ["Ayr", "Bath", "Cork", "Bath"] * 10,
        "shop": ["a", "?", None, "b"] * 10,
        "zip": [10_115, 10_117, 20_095, 10_117] * 10,
        "size": np.arange(40.0),
        "w": [1.0, 1.0, 0.0, 2.0] * 10,
        "y": [1.0, 4.0, 2.0, 7.0, 3.0] * 8,
        "id": range(40),
    }
)
LATER = pd.DataFrame(
    {
        "town": ["Deal", None, "Ely", "Deal", "Ayr", "Deal"],
        "shop": ["?", "new", None, "a", "?", "unknown"],
        "zip": [10_115, 7, 20_095, 7, 8, 8],
        "w": [0.5, 2.0, 9.0, 0.5, 1.0, 0.0],
    }
)
VARIABLES = ["size", "town", "shop", "zip"]


def plan_of(**options: Any) -> vt.TreatmentPlan:
    given = {
        "variables": VARIABLES,
        "categorical": ["zip"],
        "missing_values": ["?"],
        "outcome": "y",
        "smoothing": 1.0,
        "random_state": 0,
    }
    return vt.design_treatments(TRAIN, **given | options)


EXPECTED = [
    ("town", "Deal", 3, 3.0),
    ("town", "Ely", 1, 1.0),
    ("town", None, 1, 1.0),
    ("shop", "new", 1, 1.0),
    ("shop", "unknown", 1, 1.0),
    ("zip", 7, 2, 2.0),
    ("zip", 8, 2, 2.0),
]


def listed(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    assert list(table) == ["column", "level", "rows", "weight"]
    return list(table.itertuples(index=False, name=None))


@pytest.mark.parametrize("outcome_type", ["numeric", "multinomial"])
def test_levels_never_seen_are_listed_and_missing_values_are_one(outcome_type: str) -> None:
    plan = plan_of(outcome_type=outcome_type)
    found = plan.novel_levels(LATER)
    assert listed(found) == EXPECTED
    assert found.dtypes.to_list() == [object, object, np.int64, np.float64]
    assert listed(plan.novel_levels(TRAIN)) == []
    assert listed(vt.TreatmentPlan.from_json(plan.to_json()).novel_levels(LATER)) == EXPECTED


@pytest.mark.parametrize("kind", [pl.from_pandas, pa.Table.from_pandas])
def test_every_kind_of_frame_has_the_same(kind: Any) -> None:
    weighted = plan_of().novel_levels(LATER, sample_weight="w")
    assert listed(weighted)[:2] == [("town", "Ely", 1, 9.0), ("town", None, 1, 2.0)]
    assert ("shop", "unknown", 1, 0.0) in listed(weighted)
    found = plan_of().novel_levels(kind(LATER), sample_weight="w")
    pd.testing.assert_frame_equal(found, weighted)


def test_levels_of_rows_without_weight_were_not_seen() -> None:
    plan = plan_of(sample_weight="w")
    assert ("town", "Cork", 1, 1.0) in listed(plan.novel_levels(LATER.assign(town="Cork")[:1]))
    lazy = vt.design_treatments(
        pl.from_pandas(TRAIN).lazy(), outcome="y", variables=["town"], sample_weight="w",
        row_id="id", coders=["lev"],
    )  # fmt: skip
    assert listed(lazy.novel_levels(TRAIN)) == [("town", "Cork", 10, 10.0)]


def test_frames_without_rows_and_columns_without_values() -> None:
    plan = plan_of()
    assert listed(plan.novel_levels(LATER[:0])) == []
    empty = pa.table({name: pa.nulls(3) for name in VARIABLES})
    for frame in (empty, pl.from_arrow(empty).lazy()):
        assert listed(plan.novel_levels(frame)) == [
            ("town", None, 3, 3.0),
            ("zip", None, 3, 3.0),
        ]


def test_pooled_levels_are_not_new() -> None:
    rare = TRAIN.assign(town=["once", *TRAIN["town"][1:]])
    plan = vt.design_treatments(
        rare, outcome="y", variables=["town"], rare_count=2, rare_sig=0.01, random_state=0
    )
    found = listed(plan.novel_levels(pd.DataFrame({"town": ["once", "twice"]})))
    assert found == [("town", "twice", 1, 1.0)]


def test_what_cannot_be_read_is_refused() -> None:
    plan = plan_of()
    with pytest.raises(SchemaError, match="'shop'"):
        plan.novel_levels(LATER.drop(columns="shop"))
    with pytest.raises(OutcomeError, match="negative"):
        plan.novel_levels(LATER, sample_weight=-np.ones(6))
