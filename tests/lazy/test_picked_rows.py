"""Some rows say what is near all, whichever they are; they are the same on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.plans import assert_same_plan
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.folds.row_ids import PRIME, picked
from vtreat_py.lazy import picked_rows
from vtreat_py.lazy.columns import integer_column, typed_frame
from vtreat_py.lazy.folds import lazy_folds
from vtreat_py.lazy.source import LazySource, collect

Lazy = Callable[[pa.Table], Any]
IDS = [*range(-300, 300), PRIME, -PRIME, 2**63 - 1, -(2**63), 2**40 + 1]


def test_picked_rows_are_the_same_everywhere(engine: str, lazy: Lazy) -> None:
    source = LazySource.of(lazy(pa.table({"id": IDS})))
    column = integer_column(source, "row_id", "id")
    found = collect(typed_frame(source, [column]).filter(picked(column.value, 7)))
    golden = round(PRIME * (5**0.5 - 1) / 2)
    expected = [i for i in IDS if (i * golden) % PRIME < PRIME // 7]
    assert sorted(found[column.alias].to_pylist()) == sorted(expected)
    assert len(expected) > 60


@pytest.mark.parametrize("stride", [1, 2, 7, 10, 1000, 86_400])
def test_parts_are_even_and_lie_in_each_other(stride: int) -> None:
    ids = np.arange(100_000) * stride
    whole, part = picked(ids, 10), picked(ids, 40)
    assert abs(whole.mean() - 0.1) < 0.002
    assert abs(part.mean() - 0.025) < 0.002
    assert not (part & ~whole).any()
    by_block = whole.reshape(100, -1).mean(axis=1)
    assert by_block.std() < 0.01


def rows(n_rows: int = 600) -> pa.Table:
    random = np.random.default_rng(4)
    z = random.normal(size=n_rows) + 1e6
    far = random.normal(size=n_rows)
    far[random.permutation(n_rows)[:3]] = 1e90, -1e80, np.inf  # of another size than the others
    outlying = random.normal(size=n_rows)
    signal = outlying + random.logistic(size=n_rows) / 3
    outlying[:5] = 1e3 * np.sign(signal[:5])  # linear predictors out of range
    return pa.table(
        {
            "id": np.arange(n_rows),
            "z": pa.array(z, mask=np.arange(n_rows) % 9 == 2),
            "far": far,
            "outlying": outlying,
            "w": random.integers(0, 3, n_rows).astype(float),
            "c": np.where(signal > 0, "yes", "no"),
            "y": signal,
        }
    )


@pytest.mark.halved
@pytest.mark.parametrize("kind", ["polars", "duckdb"])
@pytest.mark.parametrize("outcome", ["c", "y"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_sums_are_right_whatever_the_picked_rows_say(
    kind: str, outcome: str, weight: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows()
    frame = pytest.importorskip(kind)
    lazy = frame.from_arrow(table).lazy() if kind == "polars" else frame.from_arrow(table)
    given: dict[str, Any] = {
        "outcome": outcome,
        "variables": ["z", "far", "outlying"],
        "row_id": "id",
        "sample_weight": weight,
        "significance": "classic",  # others look at ranges that the picked rows tell
    }
    expected = vt.design_treatments(lazy, **given)
    assert_same_plan(expected, vt.design_treatments(table, **given))
    monkeypatch.setattr(picked_rows, "MANY_POINTS", 40)  # few rows say what is near
    found = vt.design_treatments(lazy, **given).score_frame
    for name in ("rsq", "sig"):
        np.testing.assert_allclose(found[name], expected.score_frame[name], rtol=1e-9, err_msg=name)


def test_folds_that_the_first_rows_do_not_have_are_counted(engine: str, lazy: Lazy) -> None:
    ids = np.concatenate([np.zeros(400, int), np.arange(100)])
    folds = lazy_folds(LazySource.of(lazy(pa.table({"id": ids}))), row_id="id", random_state=0)
    assert folds.n_rows.sum() == 500
    assert folds.n_rows.min() > 10
    alike = pa.table({"id": np.zeros(400, int)})
    with pytest.raises(InvalidOptionError, match=r"no row id falls into fold \d of the 400 rows"):
        lazy_folds(LazySource.of(lazy(alike)), row_id="id", random_state=0)
