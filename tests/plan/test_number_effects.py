"""What a plan says about a number: the rows of each range, and the outcome in them."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError

COLUMNS = ["low", "high", "kind", "count", "mean", "mean_se", "effect"]
N = 300
# How p-values are made decides whether a design has the sums for them, or asks once more.
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "classic": {"significance": "classic"},
    "ordered": {"significance": "ordered"},
    "groups": {"groups": np.arange(N) // 3},
    "shapes": {"coders": ["spline"], "variables": ["kg"]},
    "weights": {"sample_weight": np.random.default_rng(2).integers(0, 4, N)},
    "fractions": {"sample_weight": np.random.default_rng(3).random(N)},
    "marks alone": {"coders": ["isBAD"], "variables": ["kg"]},
}


def rows() -> pd.DataFrame:
    random = np.random.default_rng(1)
    kg = np.round(random.gamma(2.0, 10.0, N), 1)
    kg[:60] = 0.0  # a spike has a range to itself
    kg[::11] = np.nan
    price = 3.0 + 0.1 * np.nan_to_num(kg) + random.normal(size=N)
    return pd.DataFrame(
        {
            "id": np.arange(N),
            "kg": kg,
            "flag": random.random(N) < 0.3,
            "town": random.choice(["Ayr", "Bath"], N),
            "price": price,
            "odd": price + np.where(random.random(N) < 0.03, 200.0, 0.0),  # of heavy tails
            "sold": np.where(price > 5, "yes", "no"),
            "size": np.array(["s", "m", "l"])[np.digitize(price, [4.0, 6.0])],
        }
    )


def plan_of(outcome: str, frame: Any = None, **options: Any) -> vt.TreatmentPlan:
    given = {"outcome": outcome, "variables": ["kg", "flag", "town"], "random_state": 0} | options
    return vt.design_treatments(rows() if frame is None else frame, **given)


def expected(
    plan: vt.TreatmentPlan, outcome: str, target: Any, weight: np.ndarray, column: str = "kg"
) -> list[list[Any]]:
    """The table, range by range, from the rows."""
    frame = rows()
    x = frame[column].to_numpy(dtype=float)
    is_class = outcome in ("sold", "size")
    y = (frame[outcome] == target).to_numpy(dtype=float) if is_class else frame[outcome].to_numpy()
    overall = float(np.average(y, weights=weight))
    (profile,) = [t.profile for t in plan.treatments if t.column == column]
    ends = [profile.low, *profile.edges, profile.high]
    parts = [
        (low, high, "range", ((x > low) | ((k == 0) & (x == low))) & (x <= high))
        for k, (low, high) in enumerate(itertools.pairwise(ends))
    ]
    if (np.isnan(x) & (weight > 0)).any():
        parts.append((math.nan, math.nan, "bad", np.isnan(x)))
    found = []
    for low, high, kind, own in parts:
        w, values = weight[own], y[own]
        n, mean = w.sum(), float(np.average(values, weights=w))
        if is_class:
            p = (n * mean + overall) / (n + 1)
            error = math.sqrt(p * (1 - p) / n)
            effect = math.log(p / (1 - p)) - math.log(overall / (1 - overall))
        else:
            within = float(np.average((values - mean) ** 2, weights=w))
            error = math.sqrt(within / (n - 1)) if n > 1 else math.nan
            effect = mean - overall
        found.append([low, high, kind, n, mean, error, effect])
    return found


def assert_rows(table: pd.DataFrame, rows_of: list[list[Any]], rtol: float = 1e-11) -> None:
    assert list(table) == COLUMNS
    assert table["kind"].tolist() == [row[2] for row in rows_of]
    numbers = [[v for v in row if not isinstance(v, str)] for row in rows_of]
    np.testing.assert_allclose(
        table.drop(columns="kind").to_numpy(dtype=float), numbers, rtol=rtol, atol=1e-13
    )


@pytest.mark.parametrize("of", OPTIONS)
@pytest.mark.parametrize("outcome", ["price", "odd", "sold", "size"])
def test_ranges_are_those_of_the_rows(outcome: str, of: str) -> None:
    options = OPTIONS[of]
    plan = plan_of(outcome, **options, **({"target": "yes"} if outcome == "sold" else {}))
    weight = np.asarray(options.get("sample_weight", np.ones(N)), dtype=float)
    for target in plan.classes or [None]:
        of_class = "yes" if outcome == "sold" else target
        table = plan.number_effects("kg", target)
        assert_rows(table, expected(plan, outcome, of_class, weight))
        assert table["count"].sum() == pytest.approx(weight.sum())
    assert vt.TreatmentPlan.from_json(plan.to_json()) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_a_spike_and_a_flag_have_ranges_of_their_own() -> None:
    plan = plan_of("price")
    spike = plan.number_effects("kg").iloc[0]
    assert (spike["low"], spike["high"]) == (0.0, 0.0)
    assert spike["count"] == (rows()["kg"] == 0).sum()
    flag = plan.number_effects("flag")
    assert_rows(flag, expected(plan, "price", None, np.ones(N), "flag"))
    assert flag["kind"].tolist() == ["range", "range"]


def test_the_rate_of_the_other_class_is_the_rest() -> None:
    yes, no = (plan_of("sold", target=t).number_effects("kg") for t in ("yes", "no"))
    np.testing.assert_allclose(yes["mean"] + no["mean"], 1.0)
    np.testing.assert_allclose(yes["mean_se"], no["mean_se"])
    np.testing.assert_allclose(yes["effect"], -no["effect"])


def test_one_row_has_a_mean_and_no_error() -> None:
    frame = rows().assign(kg=[np.nan, *range(1, N)])
    bad = plan_of("price", frame).number_effects("kg").iloc[-1]
    assert (bad["kind"], bad["count"], bad["mean"]) == ("bad", 1.0, frame["price"][0])
    assert math.isnan(bad["mean_se"])
    alone = plan_of("sold", frame, target="yes").number_effects("kg").iloc[-1]
    assert alone["mean"] in (0.0, 1.0)
    assert 0 < alone["mean_se"] < 0.5


@pytest.mark.parametrize(
    ("outcome", "significance"),
    [("price", "classic"), *((one, "calibrated") for one in ("price", "odd", "sold", "size"))],
)
def test_lazy_frames_and_kept_sums_say_the_same(outcome: str, significance: str) -> None:
    given: dict[str, Any] = {"significance": significance, "row_id": "id"}
    plan = plan_of(outcome, **given)
    lazy = plan_of(outcome, pl.from_pandas(rows()).lazy(), **given)
    kept = plan_of(outcome, significance=significance, keep_statistics=True)
    assert kept.statistics is not None
    for target in plan.classes or [None]:
        table = plan.number_effects("kg", target)
        for other in (lazy, kept, kept.statistics.plan()):
            found = other.number_effects("kg", target)
            pd.testing.assert_frame_equal(found, table, rtol=1e-12, atol=1e-13)


@pytest.mark.filterwarnings("ignore:nothing is derived from 1 column")
def test_columns_without_effects_say_why() -> None:
    plan = plan_of("price", rows().assign(one=1.0), variables=["kg", "town", "one"])
    for column, message in (
        ("town", "column 'town': it holds levels; level_effects shows what those do; columns that"),
        ("one", "column 'one': it is constant; columns that have them are 'kg'"),
        ("nope", "no effects of 'nope': the plan was not designed on it; columns that have"),
        ([], r"no effects of \[\]: the plan was not designed on it"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            plan.number_effects(column)
    with pytest.raises(InvalidOptionError, match="target='s' is for outcomes of several classes"):
        plan.number_effects("kg", "s")
    with pytest.raises(InvalidOptionError, match="target= is missing: the effects are those on"):
        plan_of("size").number_effects("kg")
    with pytest.raises(InvalidOptionError, match="target='x' is no class: the effects are those"):
        plan_of("size").number_effects("kg", "x")
    alone = vt.design_treatments(rows()[["kg"]], outcome_type="unsupervised")
    with pytest.raises(InvalidOptionError, match="a plan without outcome has no effects of num"):
        alone.number_effects("kg")


def test_plans_that_did_not_keep_the_outcome_are_read_and_say_so() -> None:
    plan = plan_of("price")
    written = json.loads(plan.to_json())
    for treatment in written["treatments"]:
        treatment.pop("by_range", None)
    read = vt.TreatmentPlan.from_json(json.dumps(written))
    assert json.loads(read.to_json()) == written
    assert read != plan
    with pytest.raises(
        InvalidOptionError,
        match=f"'kg': vtreat_py {plan.version}, which wrote the plan, did not keep the outcome in "
        "its ranges; make the design again; no column has them",
    ):
        read.number_effects("kg")


def test_what_moved_in_a_range_is_in_the_diff() -> None:
    plan = plan_of("size")
    frame = rows()
    frame.loc[frame["kg"].isna(), "size"] = "m"
    changed = plan.diff(plan_of("size", frame)).set_index("where")
    ours, theirs = changed.loc["columns['kg'].by_range.mean['m']"]
    assert ours[:-1] == theirs[:-1]
    assert theirs[-1] == 1.0 > ours[-1]
    assert "columns['kg'].by_range.count" not in changed.index
    numbers = plan_of("price").diff(plan_of("price", rows().assign(price=lambda t: t.price * 2)))
    within = numbers.set_index("where").loc["columns['kg'].by_range.within"]
    np.testing.assert_allclose(within["other"], 4 * np.array(within["self"]))


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial", "rate", "survival"])
@pytest.mark.parametrize("weighted", [False, True])
def test_effects_of_numbers_are_the_same_beside_shapes(kind: str, weighted: bool) -> None:
    """Sums of ranges are then made of those of bins, some of which end inside a range."""
    random, n = np.random.default_rng(4), 3000
    frame = pd.DataFrame({"a": random.normal(size=n), "b": random.integers(0, 7, n) * 1.0})
    frame.loc[random.random(n) < 0.1, "a"] = np.nan
    frame["years"] = random.gamma(2.0, 0.5, n) + 0.01
    y = np.sin(frame["b"].to_numpy()) + random.normal(size=n)
    outcomes: dict[str, Any] = {
        "numeric": y,
        "binomial": (y > 0).astype(int),
        "multinomial": np.digitize(y, [-0.5, 0.5]),
        "rate": random.poisson(np.exp(y / 2.0)),
        "survival": (random.exponential(size=n), random.random(n) < 0.7),
    }
    given: dict[str, Any] = {"outcome": outcomes[kind], "outcome_type": kind, "random_state": 0}
    if weighted:
        given["sample_weight"] = random.choice([0.0, 1.0, 2.5], n)
    if kind == "rate":
        given["exposure"] = "years"
    target = {"target": 1} if kind == "multinomial" else {}
    alone, beside = (
        vt.design_treatments(frame, variables=["a", "b"], coders=coders, **given)
        for coders in (["clean"], ["clean", "window"])
    )
    for column in ("a", "b"):
        found, expected = (plan.number_effects(column, **target) for plan in (beside, alone))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9)
