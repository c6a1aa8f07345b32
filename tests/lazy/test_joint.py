"""Composites and hierarchies on lazy frames: the plans, codes and cross-frames of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.design.test_joint import OPTIONS, new_rows, shops
from vtreat_py.base.errors import InvalidOptionError, SchemaError, UnsupportedColumnError

GIVEN = OPTIONS | {
    "composites": [("a", "z"), ("a", "when_weekday")],
    "row_id": "id",
    "variables": ["a", "z", "when", "zip", "county", "state"],
    "missing_values": ["s3", "a\\1"],
    "coders": ["catN", "catB", "catP", "lev"],
}


def sorted_rows(found: Any) -> pd.DataFrame:
    """Rows of an engine, in the order of their ids."""
    for how in ("toArrow", "collect", "compute", "to_pyarrow", "to_pandas", "df"):
        if not isinstance(found, pd.DataFrame) and hasattr(found, how):
            found = getattr(found, how)()
    frame = pd.DataFrame(found)
    return frame.sort_values("id").reset_index(drop=True).astype(float)


@pytest.mark.halved
@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_engines_make_the_plan_and_the_codes_of_memory(
    engine: str, lazy: Callable[[pa.Table], Any], kind: str
) -> None:
    if kind == "binomial" and engine not in ("polars", "duckdb"):
        pytest.skip("the same lines for each engine")
    frame = shops(600).assign(id=np.arange(600))
    if kind == "binomial":
        frame["y"] = np.where(frame["y"] > 0, "yes", "no")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    expected = vt.cross_frame_experiment(table, **GIVEN)
    found = vt.cross_frame_experiment(lazy(table), **GIVEN)
    assert found.plan.made == expected.plan.made
    ours, theirs = found.plan.score_frame, expected.plan.score_frame
    assert list(ours["variable"]) == list(theirs["variable"])
    np.testing.assert_allclose(ours["rsq"], theirs["rsq"], atol=1e-11)
    np.testing.assert_allclose(ours["sig"], theirs["sig"], rtol=1e-8)
    crossed = sorted_rows(found.cross_frame)
    wanted = expected.cross_frame.to_pandas()
    np.testing.assert_allclose(crossed[wanted.columns], wanted, atol=1e-9)
    new = pa.Table.from_pandas(new_rows(frame), preserve_index=False)
    treated = vt.prepare(expected.plan, lazy(new), row_id="id", scale=True)
    direct = vt.prepare(expected.plan, new, row_id="id", scale=True).to_pandas()
    np.testing.assert_array_equal(sorted_rows(treated)[direct.columns], direct)


def test_tails_are_those_of_what_columns_leave_of_a_number() -> None:
    polars = pytest.importorskip("polars")
    random = np.random.default_rng(0)
    a, b = random.integers(0, 4, (2, 200))
    y = random.standard_t(3, 200) + 40.0 * a + 25.0 * b  # by itself of light tails
    names = np.array(["u", "v", "w", "x"])
    one, other = (np.where(random.random(200) < 0.1, None, names[k]) for k in (a, b))
    frame = pd.DataFrame({"a": one, "b": other, "y": y, "fold": np.arange(200) % 3})
    given: dict[str, Any] = {"outcome": "y", "cv": "fold", "composites": [("a", "b")]}
    memory, engine = (
        vt.design_treatments(rows, **given).score_frame["sig"]
        for rows in (frame, polars.from_pandas(frame).lazy())
    )
    np.testing.assert_allclose(engine, memory, rtol=1e-8)


def test_numbers_next_to_zero_and_the_largest_ones_are_cut_as_in_memory() -> None:
    polars = pytest.importorskip("polars")
    z = [-1e308] * 13 + [2.3e-308] * 7 + [0.6] * 10
    frame = pd.DataFrame(
        {"a": ["u", "v"] * 15, "z": z, "y": np.arange(30.0), "fold": [0, 1, 2] * 10}
    )
    given: dict[str, Any] = {"outcome": "y", "cv": "fold", "composites": [("a", "z")]}
    memory = vt.design_treatments(frame, **given)
    found = vt.design_treatments(polars.from_pandas(frame).lazy(), **given)
    assert found.made == memory.made
    assert memory.made[0].parts[1].edges == (-1e308, 2.3e-308, 0.6)


def test_what_no_engine_can_tell_is_refused() -> None:
    polars = pytest.importorskip("polars")
    frame = shops(300).assign(id=np.arange(300), b=[b"x", b"y", b"z"] * 100)
    lazy = polars.from_pandas(frame).lazy()
    given = {"outcome": "y", "cv": "fold"}
    with pytest.raises(UnsupportedColumnError, match="bytes"):
        vt.design_treatments(lazy, **given, composites=[("a", "b")])
    with pytest.raises(InvalidOptionError, match="weights of importance take the rows"):
        vt.design_treatments(
            lazy.with_columns(w=polars.col("id") + 1.5),
            **given,
            composites=[("a", "state")],
            sample_weight="w",
            weight_kind="importance",
        )
    with pytest.raises(InvalidOptionError, match="'none', which has missing values only"):
        vt.design_treatments(
            lazy.with_columns(none=polars.lit(None)), **given, composites=[("a", "none")]
        )
    plan = vt.design_treatments(frame, **given, composites=[("a", "z")])
    with pytest.raises(SchemaError, match=r"'z' .designed on number, found text"):
        vt.prepare(plan, lazy.with_columns(z=polars.lit("high")), variables=["a_colon_z_catN"])
    missing = lazy.with_columns(a=polars.lit(None))
    found = vt.prepare(plan, missing, variables=["a_colon_z_catN"]).collect().to_numpy()
    memory = vt.prepare(plan, frame.assign(a=None), variables=["a_colon_z_catN"]).to_numpy()
    np.testing.assert_array_equal(found, memory)
