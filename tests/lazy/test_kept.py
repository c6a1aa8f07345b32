"""Statistics kept of a lazy frame are those of the same rows in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import OUTCOMES, assert_same_bits, awkward_table, by_id
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.folds.row_ids import RowIdFolds
from vtreat_py.lazy import parts

TREATED = ["x", "many", "bytes", "z", "day", "size"]
N = 300
TABLE = awkward_table(N)


def options(outcome_type: str, **more: Any) -> dict[str, Any]:
    return {
        "outcome": OUTCOMES[outcome_type],
        "outcome_type": outcome_type,
        "variables": TREATED,
        "row_id": "id",
        "random_state": 1,
        "keep_statistics": True,
    } | more


def in_order(most: int) -> pa.Table:
    """The rows in the order in which they are brought."""
    ids = TABLE["id"].to_numpy()
    part = RowIdFolds.seeded(-(-N // most), 0).of(ids)
    return TABLE.take(np.lexsort((ids, part)))


@pytest.mark.halved
@pytest.mark.filterwarnings("ignore:duckdb does not tell", "ignore:spark does not tell")
@pytest.mark.filterwarnings("ignore:ibis does not tell")
@pytest.mark.parametrize(
    ("outcome_type", "most", "more"),
    [
        ("binomial", 100, {"composites": [("x", "many")], "variables": ["z"], "coders": ["catB"]}),
        ("multinomial", 1 << 20, {"calendar": ["weekday"]}),
        ("numeric", 100, {"scale": True}),
    ],
)
def test_it_is_that_of_memory(
    outcome_type: str,
    most: int,
    more: dict[str, Any],
    lazy: Callable[[pa.Table], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "MOST_ROWS", most)
    given = options(outcome_type, **more)
    expected = vt.cross_frame_experiment(in_order(most), **given)
    found = vt.cross_frame_experiment(lazy(TABLE), **given)
    of_frame = found.plan.statistics
    given.pop("scale", None)
    assert vt.design_treatments(lazy(TABLE), **given).statistics == of_frame
    assert of_frame.n_rows == N
    if outcome_type != "numeric":  # whose sums are added in another order
        assert of_frame == expected.plan.statistics
        assert found.plan == expected.plan
        assert_same_bits(found.cross_frame, expected.cross_frame)
        return
    ours, theirs = (one.plan.score_frame for one in (found, expected))
    assert list(ours["variable"]) == list(theirs["variable"])
    np.testing.assert_allclose(ours["rsq"], theirs["rsq"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours["sig"], theirs["sig"], rtol=1e-6)
    columns, others = by_id(found.cross_frame).values(), by_id(expected.cross_frame).values()
    for one, other in list(zip(columns, others, strict=True))[1:]:
        np.testing.assert_allclose(one.view(float), other.view(float), rtol=1e-9, atol=1e-11)


def test_it_adds_up_with_rows_in_memory() -> None:
    given = options("binomial", cv="part", categorical=["size"], sample_weight="w")
    half = TABLE["id"].to_numpy() < N // 6
    first, second = TABLE.filter(half), TABLE.filter(~half)
    statistics = [
        vt.design_treatments(frame, **given).statistics
        for frame in (pl.from_arrow(first).lazy(), second)
    ]
    whole = vt.design_treatments(TABLE, **given).statistics
    assert (statistics[0] + statistics[1]).n_rows == N
    found, expected = (statistics[0] + statistics[1]).plan(), whole.plan()
    assert list(found.score_frame["variable"]) != []
    found_rows, expected_rows = (vt.prepare(one, TABLE).to_pandas() for one in (found, expected))
    np.testing.assert_allclose(found_rows[expected_rows.columns], expected_rows, rtol=1e-12)


def test_it_is_kept_without_an_outcome() -> None:
    given: dict[str, Any] = {
        "outcome_type": "unsupervised",
        "variables": TREATED,
        "row_id": "id",
        "keep_statistics": True,
    }
    found = vt.design_treatments(pl.from_arrow(TABLE).lazy(), **given)
    del given["row_id"]
    assert found.statistics == vt.design_treatments(in_order(1 << 20), **given).statistics


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"row_id": None, "cv": "part"}, "tells them apart: name it as row_id="),
        ({"sample_weight": "w", "weight_kind": "importance"}, "scales weights by all of the rows"),
        ({"sample_weight": "w"}, "'w' is 0 in some rows"),
        ({"composites": [("x", "z")]}, "a column of numbers, which is cut"),
    ],
)
def test_what_cannot_be_kept(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        vt.cross_frame_experiment(pl.from_arrow(TABLE).lazy(), **options("binomial", **more))
