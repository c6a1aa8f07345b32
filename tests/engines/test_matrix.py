"""Plans and cross-frames are the same wherever the frame is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.engines.frames import OUTCOMES, TREATED, assert_same_bits, awkward_table
from tests.engines.plans import assert_same_plan
from vtreat_py._errors import FrameError, InvalidOptionError, OptionTypeError, OutcomeError
from vtreat_py.engines.lazy import (
    level_queries,
    logistic_queries,
    quantile_queries,
    spread_query,
    values,
)
from vtreat_py.engines.lazy.source import collect

pytestmark = [
    pytest.mark.filterwarnings("ignore:Dask support is moving out of Narwhals"),
    pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case"),
    pytest.mark.filterwarnings("ignore:nothing is derived from"),
]

Lazy = Callable[[pa.Table], Any]
# What rests on counts alone is the same to the bit for a class outcome.
COUNTED = ("catB", "catP", "lev", "isBAD")
# Engines that take seconds to plan a query get few columns, and few cases.
FEW = ["x", "z", "day"]
SLOW = ("spark", "dask")
EAGER = {"pandas": pa.Table.to_pandas, "polars": pl.from_arrow, "pyarrow": lambda table: table}


@cache
def table() -> pa.Table:
    rows = awkward_table(400).sort_by("id")  # levels then appear in the order of their ids
    random = np.random.default_rng(9)
    shifted = 1e6 + random.normal(size=400)
    return (
        rows.append_column("share", pa.array(random.random(400) + 0.1))
        .append_column("shifted", pa.array(shifted))
        .append_column("nothing", pa.nulls(400, pa.string()))
        .append_column("one", pa.array(np.ones(400)))
        .append_column("endless", pa.array(np.full(400, np.inf)))
    )


def options(of: str, engine: str, **given: Any) -> dict[str, Any]:
    columns = FEW if engine in SLOW else [*TREATED, "shifted", "nothing", "one", "endless"]
    plain: dict[str, Any] = {
        "outcome": OUTCOMES.get(of),
        "variables": columns,
        "row_id": "id",
        "cv": "part",
    }
    return plain | given


def counted(outcome: str) -> tuple[str, ...]:
    return () if outcome == "numeric" else COUNTED


@pytest.mark.parametrize("kind", EAGER)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_plans_in_memory(outcome: str, kind: str) -> None:
    rows = table().drop_columns(["day"]) if kind == "pandas" else table()
    columns = [c for c in TREATED if c in rows.column_names]
    given = options(outcome, "", variables=columns)
    found = vt.design_treatments(EAGER[kind](rows), **given)
    assert_same_plan(found, vt.design_treatments(rows, **given), COUNTED)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_plans_cross_frames_and_json(outcome: str, engine: str, lazy: Lazy) -> None:
    given = options(outcome, engine)
    rows = lazy(table())
    found = vt.cross_frame_experiment(rows, **given)
    expected = vt.cross_frame_experiment(table(), **given)
    assert_same_plan(found.plan, expected.plan, counted(outcome))
    assert type(found.cross_frame) is type(rows)
    assert_close(found.cross_frame, expected.cross_frame)
    again = vt.TreatmentPlan.from_json(found.plan.to_json())
    assert_same_plan(again, found.plan)
    assert_same_bits(
        vt.prepare(again, rows, row_id="id"), vt.prepare(found.plan, table(), row_id="id")
    )


def assert_close(found: Any, expected: Any) -> None:
    """Cross-frames have the same numbers to 1e-12 of the largest of their column."""
    ours, theirs = (rows_of(f) for f in (found, expected))
    for mine, name in zip(ours.column_names, theirs.column_names, strict=True):
        a, b = ours[mine].to_numpy(), theirs[name].to_numpy()
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max(), err_msg=name)


def rows_of(frame: Any) -> pa.Table:
    wrapped = nw.from_native(frame)
    found = collect(wrapped) if isinstance(wrapped, nw.LazyFrame) else wrapped.to_arrow()
    return found.sort_by("id")


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "counting weights": ("binomial", {"sample_weight": "w"}),
    "counting weights, numbers": ("numeric", {"sample_weight": "w"}),
    "weights": ("binomial", {"sample_weight": "share"}),
    "weights, numbers": ("numeric", {"sample_weight": "share"}),
    "weights, classes": ("multinomial", {"sample_weight": "share"}),
    "groups": ("binomial", {"groups": "town", "cv": 3, "random_state": 1}),
    "row ids": ("numeric", {"cv": 3, "random_state": 2}),
    "rare": ("binomial", {"rare_count": 9, "rare_sig": 0.3}),
    "rare, numbers": ("numeric", {"rare_count": 9, "rare_sig": 0.3}),
    "collar": ("numeric", {"collar_prob": 0.07, "imputation": "median"}),
    "collar, weights": (
        "binomial", {"collar_prob": 0.07, "imputation": "median", "sample_weight": "share"},
    ),
    "link units": ("binomial", {"cat_scaling": True}),
    "link units, classes": ("multinomial", {"cat_scaling": True, "variables": ["z", "x"]}),
    "classic": ("binomial", {"significance": "classic", "smoothing": 0.0}),
    "classic, numbers": ("numeric", {"significance": "classic", "smoothing": 2.0}),
    "all split": ("binomial", {"force_split": True}),
    "all split, numbers": ("numeric", {"force_split": True}),
    "codes of classes": ("multinomial", {"y_dependent_coders": ["lev", "catP", "catB"]}),
    "imputed": ("binomial", {"imputation": 3.0, "imputation_map": {"z": "median"}}),
    "classes by number": ("", {"outcome": "size", "outcome_type": "multinomial",
                               "variables": ["x", "z"]}),
    "flag": ("", {"outcome": "w", "target": 2, "variables": ["x", "z"]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
@pytest.mark.parametrize("case", CASES)
def test_options(case: str, kind: str) -> None:
    outcome, more = CASES[case]
    given = options(outcome, kind, **more) | {"scale": True, "collar": True}
    found = vt.cross_frame_experiment(engine_frame(kind), **given)
    expected = vt.cross_frame_experiment(table(), **given)
    assert_same_plan(found.plan, expected.plan)
    assert_close(found.cross_frame, expected.cross_frame)


def engine_frame(kind: str) -> Any:
    if kind == "polars":
        return pl.from_arrow(table()).lazy()
    return pytest.importorskip("duckdb").connect().from_arrow(table())


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_unsupervised(kind: str) -> None:
    given: dict[str, Any] = {"outcome_type": "unsupervised", "variables": TREATED, "row_id": "id"}
    found = vt.design_treatments(engine_frame(kind), **given)
    assert_same_plan(found, vt.design_treatments(table(), **given), COUNTED)


def test_levels_without_row_id_are_in_order() -> None:
    given = options("binomial", "polars", row_id=None)
    found = vt.design_treatments(engine_frame("polars"), **given)
    levels = [t.levels.to_list() for t in found.treatments if t.column == "x"]
    assert levels == [sorted(levels[0])]
