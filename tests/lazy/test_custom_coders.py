"""Coders of one's own that are functions of tables work on engines, and with kept statistics."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError, PlanFormatError


def frame(n_rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    town = rng.choice(["Ayr", "Bath", "Cork", "Deal"], n_rows).astype(object)
    y = pd.Series(town).map({"Ayr": 0.0, "Bath": 1.0, "Cork": 2.0, "Deal": 3.0}).to_numpy()
    y = y + rng.normal(size=n_rows)
    town[::17] = None
    kind = np.array(["low", "mid", "high"])[np.digitize(y, [0.5, 2.0])]
    return pd.DataFrame({"id": range(n_rows), "town": town, "y": y, "kind": kind, "x": y**2})


def bayes(table: pd.DataFrame) -> Any:
    return (table["weight"] * table["mean"] + 3) / (table["weight"] + 3)


def spread(table: pd.DataFrame) -> Any:
    return np.sqrt(table["squares"] / table["weight"])


CODERS: dict[str, Any] = {
    "bayes": vt.LevelCoder(bayes, of="table"),
    "spread": vt.LevelCoder(spread, of="table", center=True),
}
ROWS: dict[str, Any] = {
    "rows": vt.LevelCoder(lambda levels, y, weight: y),
    "number": vt.NumberCoder(lambda x, y, weight: y),
}
OPTIONS: dict[str, Any] = {
    "variables": ["town"],
    "custom_coders": CODERS,
    "row_id": "id",
    "cv": 4,
    "random_state": 0,
}
NEW = pd.DataFrame({"town": ["Ayr", None, "Xanten", "Deal"]})


def check_same(ours: Any, theirs: vt.TreatmentPlan) -> None:
    assert ours.feature_names == theirs.feature_names
    pd.testing.assert_frame_equal(vt.prepare(ours, NEW), vt.prepare(theirs, NEW), rtol=1e-9)
    scores = ["rsq", "sig"]
    np.testing.assert_allclose(ours.score_frame[scores], theirs.score_frame[scores], rtol=1e-7)


@pytest.mark.parametrize("outcome", ["y", "kind"])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_tables_are_the_same_on_engines(outcome: str, engine: str) -> None:
    train = frame()
    options = OPTIONS | {"outcome": outcome, "coders": list(CODERS), "scale": True}
    ours = vt.cross_frame_experiment(train, **options)
    lazy = pl.from_pandas(train).lazy() if engine == "polars" else duckdb.from_df(train)
    theirs = vt.cross_frame_experiment(lazy, **options)
    check_same(ours.plan, theirs.plan)
    found = theirs.cross_frame
    crossed = found.collect().to_pandas() if engine == "polars" else found.df()
    crossed = crossed.sort_values("id").reset_index(drop=True)
    pd.testing.assert_frame_equal(crossed, ours.cross_frame, rtol=1e-9)


def test_functions_of_rows_are_refused_by_name() -> None:
    train = frame()
    options = OPTIONS | {"outcome": "y", "variables": ["town", "x"], "custom_coders": CODERS | ROWS}
    message = r"coders holds \['rows', 'number'\], made of the rows of a column in memory; "
    with pytest.raises(InvalidOptionError, match=message + "those of a lazy frame are"):
        vt.design_treatments(pl.from_pandas(train).lazy(), **options)
    with pytest.raises(InvalidOptionError, match=message + "keep_statistics=True keeps sums"):
        vt.design_treatments(train, keep_statistics=True, **options)
    plan = vt.design_treatments(
        pl.from_pandas(train).lazy(), **options, coders=["clean", "bayes"]
    )  # those that are not asked for are in nobody's way
    assert plan.feature_names == ["town_bayes", "x"]


@pytest.mark.parametrize("outcome", ["y", "kind"])
def test_kept_statistics_merge_to_the_plan_of_all_rows(outcome: str, tmp_path: Path) -> None:
    train = frame()
    options = OPTIONS | {"outcome": outcome, "coders": list(CODERS), "keep_statistics": True}
    parts = [
        vt.design_treatments(train[some], **options).statistics
        for some in (train["id"] < 100, train["id"] >= 100)
    ]
    whole = vt.design_treatments(train, **(options | {"keep_statistics": False}))
    merged = parts[0] + parts[1]  # type: ignore[operator]
    check_same(merged.plan(), whole)
    check_same(pickle.loads(pickle.dumps(merged)).plan(), whole)
    with pytest.raises(PlanFormatError, match=r"functions of custom_coders=\['bayes', 'spread'\]"):
        merged.save(tmp_path / "statistics")
