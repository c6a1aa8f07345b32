"""Two codes of a file each go through all that the package does, with no change elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from tests.coders import toy_level, toy_number
from vtreat_py.base.errors import PlanFormatError
from vtreat_py.coders import codes

TOYS = [toy_level.LevelMean(), toy_number.QuarterMeans()]
NAMES = [toy.name for toy in TOYS]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "CODES", [*codes.CODES, *TOYS])
    return


def frame(n_rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    town = rng.choice(["Ayr", "Bath", "Cork", "Deal", "Ely"], n_rows).astype(object)
    size = rng.normal(size=n_rows).round(2)
    effect = pd.Series(town).map({"Ayr": 0.0, "Bath": 1.0, "Cork": 2.0, "Deal": 3.0, "Ely": 1.5})
    y = effect.to_numpy() + (size > 0) + rng.normal(size=n_rows)
    town[::17], size[::19] = None, np.nan
    return pd.DataFrame(
        {
            "id": range(n_rows),
            "town": town,
            "size": size,
            "y": y,
            "big": (y > 2).astype(int),
            "kind": np.array(["low", "mid", "high"])[np.digitize(y, [1.0, 3.0])],
            "w": rng.integers(0, 4, n_rows),
        }
    )


OPTIONS: dict[str, Any] = {
    "variables": ["town", "size"],
    "row_id": "id",
    "cv": 4,
    "random_state": 0,
}
NEW = pd.DataFrame(
    {"town": ["Ayr", "Deal", None, "Xanten", "Ely"], "size": [-9.0, 0.1, np.nan, np.inf, 9.0]}
)


def design(outcome: str = "y", **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(frame(), outcome=outcome, **(OPTIONS | options))


@pytest.mark.parametrize("toy", [toy_level, toy_number])
def test_a_toy_is_short(toy: Any) -> None:
    assert len(Path(toy.__file__).read_text(encoding="utf-8").splitlines()) < 40


def test_a_plan_codes_new_rows_by_the_means_of_all_rows() -> None:
    plan, train = design(coders=NAMES), frame()
    assert plan.feature_names == ["town_mean", "size_quarters"]
    treated = vt.prepare(plan, NEW)
    mean = train.groupby("town", dropna=False)["y"].mean()
    expected = [mean["Ayr"], mean["Deal"], mean[np.nan], train["y"].mean(), mean["Ely"]]
    np.testing.assert_allclose(treated["town_mean"], expected)
    good = train.dropna(subset="size")
    edges = np.quantile(good["size"], [0.25, 0.5, 0.75], method="inverted_cdf")
    by_range = good.groupby(np.searchsorted(edges, good["size"]))["y"].mean() - train["y"].mean()
    bad = train.loc[train["size"].isna(), "y"].mean() - train["y"].mean()
    place = int(np.searchsorted(edges, 0.1))
    np.testing.assert_allclose(
        treated["size_quarters"], [by_range[0], by_range[place], bad, bad, by_range[3]]
    )


def test_training_rows_are_coded_by_the_other_folds() -> None:
    train = frame()
    made = vt.cross_frame_experiment(train, outcome="y", coders=NAMES, **OPTIONS)
    town = train["town"].fillna("missing")
    for training, applied in made.folds:
        means = train["y"].iloc[training].groupby(town.iloc[training]).mean()
        expected = town.iloc[applied].map(means)
        found = made.cross_frame["town_mean"].iloc[applied]
        np.testing.assert_allclose(found, expected)
    train.loc[7, "y"] += 1_000.0
    again = vt.cross_frame_experiment(train, outcome="y", coders=NAMES, **OPTIONS)
    pd.testing.assert_series_equal(made.cross_frame.loc[7], again.cross_frame.loc[7], rtol=1e-9)


@pytest.mark.parametrize("outcome", ["y", "big", "kind"])
@pytest.mark.parametrize("weights", [None, "w"])
def test_scores_tell_signal_from_noise(outcome: str, weights: str | None) -> None:
    train = frame()
    noise = train["town"].sample(frac=1, random_state=3).to_numpy()
    train = train.assign(noise=noise, blind=np.random.default_rng(4).normal(size=len(train)))
    options = OPTIONS | {"variables": ["town", "size", "noise", "blind"], "sample_weight": weights}
    plan = vt.design_treatments(train, outcome=outcome, coders=NAMES, **options)
    scores = plan.score_frame
    signal = scores["orig_variable"].isin(["town", "size"])
    assert set(scores["code"]) == set(NAMES)
    assert scores["needs_split"].all()
    assert (scores.loc[signal].groupby("orig_variable")["sig"].min() < 1e-3).all()
    assert (scores.loc[~signal, "sig"] > 1e-3).all()
    if outcome == "kind":
        assert len(scores) == 3 * 4
        assert "high_size_quarters" in set(scores["variable"])
    kept = vt.prepare(plan, train.head(9), prune_sig=1e-3)
    assert {name.split("_")[-2] for name in kept} == {"town", "size"}


def test_they_stand_beside_all_others_and_are_pruned_scaled_and_shown() -> None:
    train = frame()
    plan, before = design(), design(coders=codes.names(c for c in codes.CODES if c not in TOYS))
    assert set(plan.feature_names) - set(before.feature_names) == {"town_mean", "size_quarters"}
    assert "quarters" in plan._repr_html_()
    made = vt.cross_frame_experiment(train, outcome="y", scale=True, **OPTIONS)
    scaled = made.cross_frame[["town_mean", "size_quarters"]]
    for name in scaled:  # in units of the outcome: a regression on it has slope 1, or nearly
        assert np.polyfit(scaled[name], train["y"], 1)[0] == pytest.approx(1, abs=0.15)
    treated = vt.prepare(plan, NEW, variables=["size_quarters"], scale=True)
    (variable,) = (v for v in plan.derived if v.name == "size_quarters")
    plain = vt.prepare(plan, NEW, variables=["size_quarters"])
    pd.testing.assert_frame_equal(treated, variable.slope * (plain - variable.mean))


@pytest.mark.parametrize("outcome", ["y", "big", "kind"])
def test_json_brings_them_back_to_the_bit(outcome: str) -> None:
    plan = design(outcome)
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert len(plan.diff(again)) == 0
    pd.testing.assert_frame_equal(vt.prepare(again, NEW), vt.prepare(plan, NEW), check_exact=True)


@pytest.mark.parametrize("scale", [False, True])
def test_duckdb_computes_them_to_the_bit(scale: bool) -> None:
    for outcome in ("y", "kind"):
        with duckdb.connect() as connection:
            assert design(outcome).check_sql(connection, NEW, scale=scale).passed


@pytest.mark.parametrize("scale", [False, True])
def test_models_of_onnx_compute_them_to_the_bit(scale: bool) -> None:
    from tests.onnx_graph.runtime import assert_as_prepared

    for outcome in ("y", "kind"):
        assert_as_prepared(design(outcome), NEW, scale=scale)


@pytest.mark.parametrize("outcome", ["y", "big", "kind"])
@pytest.mark.parametrize("weights", [None, "w"])
def test_polars_designs_and_prepares_lazily(outcome: str, weights: str | None) -> None:
    train, options = frame(), OPTIONS | {"coders": NAMES, "sample_weight": weights}
    lazy = pl.from_pandas(train).lazy()
    ours, theirs = (
        vt.cross_frame_experiment(one, outcome=outcome, scale=True, **options)
        for one in (train, lazy)
    )
    assert ours.plan.feature_names == theirs.plan.feature_names
    np.testing.assert_allclose(
        ours.plan.score_frame[["rsq", "sig"]], theirs.plan.score_frame[["rsq", "sig"]], rtol=1e-7
    )
    crossed = theirs.cross_frame.collect().sort("id").to_pandas()
    pd.testing.assert_frame_equal(ours.cross_frame, crossed, rtol=1e-9)
    prepared = vt.prepare(ours.plan, pl.from_pandas(NEW).lazy(), scale=True).collect()
    pd.testing.assert_frame_equal(
        prepared.to_pandas(), vt.prepare(ours.plan, NEW, scale=True), check_exact=True
    )


@pytest.mark.parametrize("outcome", ["y", "big", "kind"])
def test_kept_statistics_merge_to_the_plan_of_all_rows(outcome: str) -> None:
    train, options = frame(), OPTIONS | {"coders": NAMES, "keep_statistics": True}
    whole = vt.design_treatments(train, outcome=outcome, **options)
    parts = [
        vt.design_treatments(train[some], outcome=outcome, **options).statistics
        for some in (train["id"] < 100, train["id"] >= 100)
    ]
    assert all(part is not None for part in parts)
    merged = (parts[0] + parts[1]).plan()  # type: ignore[operator]
    plain = vt.design_treatments(train, outcome=outcome, **(options | {"keep_statistics": False}))
    for plan in (whole, plain):
        pd.testing.assert_frame_equal(vt.prepare(merged, NEW), vt.prepare(plan, NEW), rtol=1e-9)
        np.testing.assert_allclose(
            merged.score_frame[["rsq", "sig"]], plan.score_frame[["rsq", "sig"]], rtol=1e-7
        )


TAMPERED: list[tuple[list[Any], Any, str]] = [
    (["ranges", 0, "edges"], [1.0, 1.0, 2.0], r"ranges\[0\].edges: expected ascending numbers"),
    (["ranges", 0, "values"], [1.0], r"ranges\[0\].values: expected 5 entries, two more than"),
    (["ranges", 0, "target"], "no", r"ranges\[0\].target: 'no' is not among the classes"),
    (["ranges", 0, "code"], "mean", r"variables\[0\].code: there are no ranges of 'quarters'"),
    (["ranges"], [], r"variables\[0\].code: there are no ranges of 'quarters'"),
    (["variables", 0, "code"], "isBAD", r"variables\[0\].code: there are ranges of 'isBAD'|ranges"),
    (["variables", 0, "code"], "mean", r"'mean' is a code of levels, but the column holds numbers"),
]


@pytest.mark.parametrize(("path", "value", "message"), TAMPERED)
def test_ranges_that_do_not_fit_are_refused(path: list[Any], value: Any, message: str) -> None:
    plan = design(variables=["size"], coders=["quarters"])
    tree = json.loads(plan.to_json())
    place = tree["treatments"][0]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(PlanFormatError, match=message):
        vt.TreatmentPlan.from_json(json.dumps(tree))


def test_ranges_without_a_variable_are_refused() -> None:
    tree = json.loads(design(variables=["size"], coders=["quarters", "clean"]).to_json())
    treatment = tree["treatments"][0]
    treatment["variables"] = [v for v in treatment["variables"] if v["code"] == "clean"]
    with pytest.raises(PlanFormatError, match=r"ranges: there is no variable of \('quarters'"):
        vt.TreatmentPlan.from_json(json.dumps(tree))
