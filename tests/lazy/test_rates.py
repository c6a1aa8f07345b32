"""Rates are the same wherever the frame is."""

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
from tests.outcome.claims import claims
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, OutcomeError, VtreatError
from vtreat_py.lazy import poisson_queries
from vtreat_py.lazy.source import collect

pytestmark = pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")

Lazy = Callable[[pa.Table], Any]
GIVEN: dict[str, Any] = {
    "outcome": "claims", "exposure": "years", "row_id": "id", "random_state": 1,
    "categorical": ["zone"], "scale": True, "calendar": ["weekday"],
}  # fmt: skip
WEIGHTS: dict[str, dict[str, Any]] = {
    "none": {},
    "frequency": {"sample_weight": "w"},
    "importance": {"sample_weight": "w", "weight_kind": "importance"},
}


@cache
def table() -> pa.Table:
    """Claims with ids, weights of which some are 0, dates and zones that are numbers."""
    frame = claims(600)
    random = np.random.default_rng(0)
    frame = frame.assign(
        id=np.arange(600), w=random.integers(0, 3, 600).astype(float),
        when=pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(600) * 12, "h"),
        zone=random.integers(0, 4, 600),
    )  # fmt: skip
    return pa.Table.from_pandas(frame, preserve_index=False)


def experiments(lazy: Lazy, **options: Any) -> tuple[Any, Any]:
    """In memory, and where the frame is."""
    given, names = GIVEN | options, table().column_names
    if "sample_weight" not in given:
        names = [name for name in names if name != "w"]
    known = table().select(names)
    return vt.cross_frame_experiment(known, **given), vt.cross_frame_experiment(
        lazy(known), **given
    )


def assert_same(found: Any, expected: Any) -> None:
    """Scores, slopes and the cross-frame agree.

    Where a fold has no event in a level, its slope has no end, and is where Newton's method stops.
    """
    one, other = (p.plan.score_frame.set_index("variable") for p in (found, expected))
    assert set(one.index) == set(other.index)
    for name in ("rsq", "sig"):
        np.testing.assert_allclose(one.loc[other.index, name], other[name], rtol=1e-8, atol=1e-12)
    slopes = [{v.name: v.slope for v in p.plan.derived} for p in (found, expected)]
    for name, slope in slopes[1].items():
        assert slopes[0][name] == pytest.approx(slope, rel=1e-9, abs=1e-12), name
    rows = collect(nw.from_native(found.cross_frame).lazy()).sort_by("id")
    for name in expected.cross_frame.column_names:
        values = rows[name].to_numpy(), expected.cross_frame[name].to_numpy()
        np.testing.assert_allclose(*values, rtol=1e-6, atol=1e-12)


@pytest.mark.halved
@pytest.mark.parametrize("weights", WEIGHTS)
def test_plans_and_cross_frames_are_those_of_memory(lazy: Lazy, weights: str) -> None:
    expected, found = experiments(lazy, **WEIGHTS[weights])
    assert {v.code for v in found.plan.derived} == {"clean", "isBAD", "lev", "catP", "catR"}
    assert_same(found, expected)


SHAPES = ["piecewise", "spline", "window", "isotonic", "bins"]


@pytest.mark.halved
@pytest.mark.parametrize("options", [
    {"coders": ["clean", *SHAPES], "variables": ["age", "when", "zone"]},
    {"force_split": True, "significance": "classic", "calendar": None},
    {"exposure": None, "outcome_type": "rate"},
    {"hierarchies": {"town": "fuel"}, "collar": True, "collar_prob": 0.1},
])  # fmt: skip
def test_options_mean_the_same(options: dict[str, Any]) -> None:
    expected, found = experiments(lambda rows: pl.from_arrow(rows).lazy(), **options)
    assert_same(found, expected)


def test_many_rows_start_from_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poisson_queries, "MANY_POINTS", 100)
    expected, found = experiments(lambda rows: pl.from_arrow(rows).lazy())
    assert_same(found, expected)


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        ({"years": -1.0}, {}, OutcomeError, "600 values that are no numbers above 0; remove"),
        ({"years": None}, {}, OutcomeError, "no numbers above 0"),
        ({"years": 1e60}, {}, OutcomeError, "give it in another unit"),
        ({"claims": -1.0}, {}, OutcomeError, "negative numbers, the smallest is -1"),
        ({"claims": None}, {}, OutcomeError, "missing values"),
        ({"claims": 0.0}, {}, OutcomeError, "a rate needs some event"),
        ({"claims": 1e60}, {}, OutcomeError, "more than the 1e\\+50 events"),
        ({"claims": 2.0, "years": 4.0}, {}, OutcomeError, "the rate is 0.5 in every row"),
        ({}, {"exposure": "town"}, OptionTypeError, "exposure must hold numbers above 0"),
        ({}, {"exposure": "yaers"}, VtreatError, "did you mean 'years'"),
        ({}, {"exposure": np.ones(600)}, OptionTypeError, "it must be the name of a column"),
        ({}, {"outcome": "town"}, OutcomeError, "holds no numbers"),
        ({}, {"target": 1}, OutcomeError, "target= names a class"),
        ({}, {"composites": [("town", "fuel")]}, InvalidOptionError, "composites of rates"),
        ({}, {"significance": "ordered"}, InvalidOptionError, "a lazy frame has no order"),
    ],
)  # fmt: skip
def test_errors(
    change: dict[str, Any], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    changed = [pl.lit(v, pl.Float64).alias(name) for name, v in change.items()]
    frame = pl.from_arrow(table()).lazy().with_columns(changed)
    given = {name: GIVEN[name] for name in ("outcome", "exposure", "row_id")}
    with pytest.raises(error, match=message):
        vt.design_treatments(frame, **given | options)
