"""Columns that go together: composites, and children with their parents."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

import vtreat_py as vt
from vtreat_py.base.errors import (
    InvalidOptionError,
    OptionTypeError,
    PlanFormatError,
    SchemaError,
)
from vtreat_py.testing import own_outcome_influence

# Codes are compared on rows that they were learned from.
pytestmark = pytest.mark.filterwarnings("ignore:this looks like the frame")
PLACES = {"zip": "county", "county": "state"}


def shops(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """States of counties of zip codes, dates, and pairs that say something together."""
    random = np.random.default_rng(seed)
    county = random.integers(0, 30, n)
    zips = county * 12 + random.integers(0, 12, n)
    a, z = random.integers(0, 8, n), random.normal(size=n)
    mean = random.normal(size=6)[county // 5] + random.normal(size=30)[county]
    mean += 0.5 * random.normal(size=360)[zips] + np.where((a % 2 == 0) == (z > 0), 1.0, -1.0)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 19_000, n), unit="h")
    frame = pd.DataFrame(
        {
            "state": [f"s{i // 5}" for i in county],
            "county": [f"c:{i}" for i in county],
            "zip": 10_000 + zips,
            "a": [f"a\\{i}" for i in a],
            "z": z,
            "when": when,
            "y": mean + random.normal(size=n),
            "fold": np.arange(n) % 5,
        }
    )
    frame.loc[random.random(n) < 0.03, "county"] = None
    frame.loc[random.random(n) < 0.03, "z"] = np.nan
    return frame


OPTIONS: dict[str, Any] = {
    "outcome": "y",
    "cv": "fold",
    "categorical": ["zip"],
    "calendar": ["weekday"],
    "composites": [("a", "z"), ("a", "when_weekday"), ("a", "state", "z")],
    "hierarchies": PLACES,
}


def new_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows with pairs, children and parents that were never seen, and missing ones."""
    new = frame.iloc[:300].copy()
    new.loc[:20, "zip"] = 99_999
    new.loc[21:30, "county"] = "c:new"
    new.loc[31:40, "a"] = "n:n"
    new.loc[35:45, "z"] = np.nan
    new.loc[50:60, "state"] = None
    new.loc[61, ["a", "county", "state"]] = None
    return new


def matrix(plan: vt.TreatmentPlan, frame: Any) -> np.ndarray:
    return np.asarray(vt.prepare(plan, frame), dtype=float)


def test_a_pair_that_says_everything_together_is_found() -> None:
    random = np.random.default_rng(4)
    sides = [random.permutation(np.arange(12) % 2) for _ in range(2)]
    first, second = random.integers(0, 12, (2, 5000))
    mean = np.where(sides[0][first] == sides[1][second], 1.0, -1.0)
    frame = pd.DataFrame({"a": first.astype(str), "b": second.astype(str)})
    frame["y"] = mean + random.normal(size=5000)
    scores = vt.design_treatments(
        frame, outcome="y", composites=[("a", "b")], random_state=0
    ).score_frame
    one = scores.set_index("variable").loc["a_colon_b_catN"]
    assert one["orig_variable"] == "a:b"
    assert one["recommended"]
    assert one["sig"] < 1e-100
    assert one["rsq"] == pytest.approx(np.corrcoef(mean, frame["y"])[0, 1] ** 2, abs=0.03)


def test_columns_that_add_up_make_nothing_of_their_pairs() -> None:
    recommended, errors = 0, []
    for seed in range(8):
        random = np.random.default_rng(seed)
        effect, known = random.normal(size=(2, 12)), random.random((12, 12)) < 0.75
        pairs = np.argwhere(known)[random.integers(0, known.sum(), 3000)]
        new = np.argwhere(~known)[random.integers(0, (~known).sum(), 4000)]
        y = effect[0][pairs[:, 0]] + effect[1][pairs[:, 1]] + random.normal(size=3000)
        frame = pd.DataFrame(pairs.astype(str), columns=["a", "b"])
        plan = vt.design_treatments(frame, outcome=y, composites=[("a", "b")], random_state=0)
        scores = plan.score_frame.set_index("orig_variable")
        recommended += int(scores.loc["a:b", "recommended"].any())
        assert scores.loc[["a", "b"]].query("code == 'catN'")["recommended"].all()
        effects = plan.level_effects("a:b").query("kind == 'level'")
        assert (effects["effect"] - effects["of_parts"]).abs().max() < 0.15
        code = vt.prepare(plan, pd.DataFrame(new.astype(str), columns=["a", "b"]))
        truth = effect[0][new[:, 0]] + effect[1][new[:, 1]]
        left = code["a_colon_b_catN"].to_numpy() + y.mean() - truth
        errors.append(1.0 + float((left**2).mean()))  # a row varies by 1
    assert recommended <= 2
    assert max(errors) < 1.05


def test_a_child_never_seen_has_the_code_of_its_parent() -> None:
    frame = shops()
    plan = vt.design_treatments(frame, **OPTIONS)
    effects = plan.level_effects("zip").set_index("level")
    one = frame.iloc[0]
    key = f"{one['state']}:{one['county'].replace(':', chr(92) + 'c')}:{one['zip']}"
    rows = pd.DataFrame([one, one, one, one])
    rows["zip"] = [one["zip"], 99_999, 99_999, 99_999]
    rows["county"] = [one["county"], one["county"], "c:new", "c:new"]
    rows["state"] = [one["state"], one["state"], one["state"], "snew"]
    codes = vt.prepare(plan, rows)["zip_catN"].to_numpy()
    assert codes[0] == effects.loc[key, "effect"]
    assert codes[1] == effects.loc[key, "of_parts"]
    of_county = frame["county"] == one["county"]
    county_mean = frame["y"][of_county].mean() - frame["y"].mean()
    assert abs(codes[1] - county_mean) < 0.4
    novel = effects.query("kind == 'novel'")["effect"].iloc[0]
    assert codes[3] == novel
    treatment = next(t for t in plan.treatments if t.column == "zip")
    variable = next(v for v in treatment.variables if v.name == "zip_catN")
    base, of_state, _ = treatment.sums(variable)
    state = treatment.keys[0].to_list().index(one["state"])
    assert (codes[3], codes[2]) == (base[0], base[0] + of_state[state])
    assert codes[2] != codes[3]
    # A child with another parent is another child.
    moved = rows.iloc[:1].assign(county="c:1" if one["county"] != "c:1" else "c:2")
    assert vt.prepare(plan, moved)["zip_catN"].iloc[0] != codes[0]


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_plans_are_the_same_on_all_frames_and_read_as_they_were_written(kind: str) -> None:
    frame = shops()
    if kind != "numeric":
        frame = frame.iloc[:900].copy()
        bounds = [0.0] if kind == "binomial" else [-1.0, 1.0]
        frame["y"] = np.array(["low", "mid", "top"])[np.digitize(frame["y"], bounds)]
    plan = vt.design_treatments(frame, **OPTIONS)
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert again.made == plan.made
    new = new_rows(frame)
    expected = matrix(plan, new)
    np.testing.assert_array_equal(matrix(again, new), expected)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    others = [pl.from_arrow(table)] if kind == "multinomial" else [table, pl.from_arrow(table)]
    for other in others:
        assert vt.design_treatments(other, **OPTIONS) == plan
    np.testing.assert_array_equal(
        matrix(plan, pa.Table.from_pandas(new, preserve_index=False)), expected
    )
    some = [0, 5, 25, 32, 36, 42, 55, 61, 70]
    one_by_one = np.vstack([matrix(plan, new.iloc[[i]]) for i in some])
    np.testing.assert_array_equal(one_by_one, expected[some])
    impact = "catN" if kind == "numeric" else "catB"
    assert {"zip", "a:z"} <= set(plan.score_frame.query(f"code == '{impact}'")["orig_variable"])
    scaled = vt.prepare(plan, new, scale=True)
    assert np.isfinite(scaled.to_numpy()).all()


def test_cut_numbers_have_an_eighth_of_the_rows_each() -> None:
    frame = pd.DataFrame({"z": np.arange(800.0), "a": ["x", "y"] * 400, "y": np.arange(800) % 7})
    frame.loc[3, "z"] = np.inf
    plan = vt.design_treatments(
        frame, outcome="y", outcome_type="numeric", composites=[("z", "a")], random_state=0
    )
    (made,) = plan.made
    assert made.parts[0].kind == "number"
    assert len(made.parts[0].edges) == 7
    effects = plan.level_effects("z:a").query("kind == 'level'")
    counts = effects.set_index("level")["count"]
    assert counts.drop("\\NA:y").between(49, 51).all()
    assert counts["\\NA:y"] == 1
    assert any(level.startswith("to ") for level in counts.index)
    weighted = vt.design_treatments(
        frame,
        outcome="y",
        outcome_type="numeric",
        composites=[("z", "a")],
        sample_weight=np.where(frame["z"] < 400, 0.0, 1.0),
        random_state=0,
    )
    assert min(weighted.made[0].parts[0].edges) > 400


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_a_row_has_no_influence_on_its_own_codes(kind: str) -> None:
    frame = shops(400)
    make = vt.NumericOutcomeTreatment if kind == "numeric" else vt.BinomialOutcomeTreatment
    treatment = make(
        categorical=["zip"],
        composites=[("a", "z")],
        hierarchies=PLACES,
        cv=KFold(4, shuffle=True, random_state=0),
        prune_sig=None,
        scale=True,
    )
    y = frame["y"] if kind == "numeric" else frame["y"] > 0
    found = own_outcome_influence(
        treatment, frame.drop(columns=["y", "fold"]), y, rows=(3, 77), push=64.0
    )
    impact = "catN" if kind == "numeric" else "catB"
    assert {f"zip_{impact}", f"a_colon_z_{impact}"} <= set(found.moves)
    assert found.largest <= 1e-9


@pytest.mark.long
def test_noise_of_pairs_and_children_is_not_recommended() -> None:
    small, tests = 0, 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        frame = pd.DataFrame(random.integers(0, 8, (1500, 3)).astype(str), columns=list("abc"))
        frame["b"] = frame["a"] + frame["b"]
        y = random.normal(size=1500) if seed % 2 else (random.random(1500) < 0.1).astype(int)
        scores = vt.design_treatments(
            frame,
            outcome=y,
            composites=[("a", "c"), ("a", "b", "c")],
            hierarchies={"b": "a"},
            random_state=0,
        ).score_frame
        own = scores[scores["orig_variable"].isin(["b", "a:c", "a:b:c"])]
        small += int((own["sig"] < 0.01).sum())
        tests += len(own)
    assert small <= 0.03 * tests


def test_where_rows_go_together_p_values_know_it() -> None:
    frame = shops(1000).assign(w=np.random.default_rng(0).lognormal(size=1000))
    given = OPTIONS | {"composites": [("a", "z")], "hierarchies": None}
    weighted = vt.design_treatments(frame, **given, sample_weight="w", weight_kind="importance")
    assert weighted.score_frame.set_index("variable").loc["a_colon_z_catN", "sig"] < 1e-4
    grouped = vt.design_treatments(frame, **given | {"cv": 5, "groups": "state"}, random_state=0)
    assert grouped.score_frame.set_index("variable").loc["a_colon_z_catN", "sig"] < 1e-4
    assert weighted.score_frame["sig"].between(0, 1).all()


def test_what_goes_together_must_be_there_and_go_together() -> None:
    frame = shops(200)

    def refused(error: type[Exception], message: str, **given: Any) -> None:
        with pytest.raises(error, match=message):
            vt.design_treatments(frame, **{"outcome": "y", "random_state": 0} | given)

    refused(OptionTypeError, "composites='ab' must be a list of tuples", composites="ab")
    refused(InvalidOptionError, r"holds \('a',\); it takes tuples of two", composites=[("a",)])
    refused(InvalidOptionError, "two or more different", composites=[("a", "a")])
    refused(InvalidOptionError, "more than once", composites=[("a", "z"), ("a", "z")])
    refused(InvalidOptionError, r"names \['b'\], which the frame", composites=[("a", "b")])
    refused(InvalidOptionError, r"names \['y'\], which is the outcome", composites=[("a", "y")])
    refused(OptionTypeError, "must be a dict from the column of a child", hierarchies=["zip"])
    refused(InvalidOptionError, "goes in a circle", hierarchies={"a": "z", "z": "a"})
    refused(InvalidOptionError, "goes in a circle", hierarchies={"a": "a"})
    refused(
        InvalidOptionError, r"children \['zip'\]", hierarchies={"zip": "a"}, variables=["a", "z"]
    )
    refused(InvalidOptionError, "'zip', a column of numbers", hierarchies={"zip": "county"})
    refused(InvalidOptionError, "'when', a column of numbers", hierarchies={"when": "county"})
    frame["none"] = None
    refused(InvalidOptionError, "'none', which has missing", composites=[("a", "none")])
    refused(
        InvalidOptionError, "column of numbers, which is cut",
        composites=[("a", "z")], keep_statistics=True,
    )  # fmt: skip


def test_frames_that_lack_a_part_or_hold_another_type_are_refused() -> None:
    frame = shops()
    plan = vt.design_treatments(frame, **OPTIONS)
    wanted = {"variables": ["a_colon_z_catN", "zip_catN"]}
    for lost in ("a", "z", "zip", "county", "state"):
        with pytest.raises(SchemaError, match=f"the frame lacks 1 column: '{lost}'"):
            vt.prepare(plan, frame.drop(columns=lost), **wanted)
    for column, values in (("z", "high"), ("a", 1.0), ("zip", "10001")):
        with pytest.raises(SchemaError, match=f"'{column}' .designed on"):
            vt.prepare(plan, frame.assign(**{column: values}), **wanted)
    nothing = frame.assign(a=None, z=None, zip=None, county=None, state=None)
    assert np.isfinite(vt.prepare(plan, nothing, **wanted).to_numpy()).all()


def test_texts_and_numbers_that_look_alike_are_different_parts() -> None:
    random = np.random.default_rng(0)
    values = np.array(["a:b", "a", "b", "\\NA", None, "a\\", ":"], dtype=object)
    frame = pd.DataFrame({name: values[random.integers(0, 7, 600)] for name in ("p", "q")})
    frame["y"] = random.normal(size=600)
    plan = vt.design_treatments(frame, outcome="y", composites=[("p", "q")], random_state=0)
    effects = plan.level_effects("p:q").query("kind == 'level'")
    pairs = frame.fillna("missing").groupby(["p", "q"]).size()
    assert sorted(effects["count"]) == sorted(pairs)
    mixed = frame.assign(p=[1 if p == "a" else p for p in frame["p"]])
    codes = vt.prepare(plan, mixed)["p_colon_q_catN"]  # the number 1 is no text
    known = vt.prepare(plan, frame)["p_colon_q_catN"]
    changed = (frame["p"] == "a").to_numpy()
    np.testing.assert_array_equal(codes[~changed], known[~changed])
    assert (codes[changed] != known[changed]).all()


def test_sums_that_are_kept_make_the_same_plan(tmp_path: Path) -> None:
    frame = shops()
    given = OPTIONS | {"composites": [("a", "state")], "calendar": None}
    direct = vt.design_treatments(frame, **given)
    kept = vt.design_treatments(frame, **given, keep_statistics=True)
    np.testing.assert_allclose(matrix(kept, frame), matrix(direct, frame), atol=1e-12)
    left, right = direct.score_frame, kept.score_frame
    np.testing.assert_allclose(left["rsq"], right["rsq"], atol=1e-14)
    pairs = left["orig_variable"].isin(["a:state"]) & (left["code"] == "catN")
    np.testing.assert_allclose(left.loc[pairs, "sig"], right.loc[pairs, "sig"], rtol=1e-9)
    assert kept.statistics is not None
    kept.statistics.save(tmp_path / "kept.zip")
    statistics = vt.DesignStatistics.load(tmp_path / "kept.zip")
    first = statistics.of_rows(frame.iloc[:1000], folds="fold")
    second = statistics.of_rows(frame.iloc[1000:], folds="fold")
    assert (first + second).plan().made == kept.made
    np.testing.assert_allclose(
        matrix((first + second).plan(), frame), matrix(kept, frame), atol=1e-9
    )


def test_treatments_take_them_and_are_cloned() -> None:
    frame = shops()
    treatment = vt.NumericOutcomeTreatment(
        composites=[("a", "z")], hierarchies=PLACES, categorical=["zip"], random_state=0
    )
    assert clone(treatment).get_params() == treatment.get_params()
    crossed = treatment.fit_transform(frame.drop(columns=["y", "fold"]), frame["y"])
    assert {"zip_catN", "a_colon_z_catN"} <= set(crossed.columns)
    np.testing.assert_array_equal(
        treatment.transform(new_rows(frame)[list(treatment.feature_names_in_)]).columns,
        treatment.get_feature_names_out(),
    )
    array = frame[["a", "state"]].to_numpy(dtype=object)
    named = vt.NumericOutcomeTreatment(
        composites=[("x0", "x1")], prune_sig=None, random_state=0
    ).fit(array, frame["y"])
    names = named.get_feature_names_out(["town", "shop"])
    assert "town_colon_shop_catP" in set(names)
    unsupervised = vt.UnsupervisedTreatment(composites=[("a", "z")]).fit(frame[["a", "z"]])
    assert "a_colon_z_catP" in set(unsupervised.get_feature_names_out())


def test_plans_tell_of_them() -> None:
    frame = shops()
    plan = vt.design_treatments(frame, **OPTIONS)
    assert "6 columns ->" in repr(plan)
    new = new_rows(frame)
    novel = plan.novel_levels(new)
    assert {"zip", "a:z"} <= set(novel["column"])
    assert {"zip", "a:z"} <= set(plan.audit(new).frame["column"])
    importance = plan.variable_importance()
    assert {"zip", "a:z"} <= set(importance["variable"])
    other = vt.design_treatments(frame.iloc[:2500], **OPTIONS)
    where = plan.diff(other)["where"]
    assert where.str.startswith("columns['a:z'].made_of['z']").any()
    effects = plan.level_effects("zip")
    assert list(effects).index("of_parts") == list(effects).index("effect") + 1
    assert (effects["effect_se"].dropna() >= 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["made"][1].update(nested=True), "has the name of its last part"),
        (lambda t: t["made"][1]["parts"].pop(), "expected two or more"),
        (lambda t: t["made"][1]["parts"][1].update(edges=[2.0, 1.0]), "ascending numbers"),
        (lambda t: t["made"][1]["parts"][0].update(edges=[1.0]), "ascending numbers"),
        (lambda t: t["made"][1]["parts"][1].update(kind="number"), "ascending numbers"),
        (lambda t: t["made"][1].update(kind="cross"), "expected one of"),
        (lambda t: t["made"].pop(1), "keys: expected 0"),
        (lambda t: pair_of(t)["keys"].pop(), "keys: expected 2"),
        (lambda t: pair_of(t)["keys"][0].reverse(), "not those of the levels"),
        (lambda t: pair_of(t)["levels"].__setitem__(0, "x"), "has not 2 parts"),
        (lambda t: pair_of(t)["parts"][0].pop("sums"), "expected those of impact codes"),
        (lambda t: sums_of(t).pop(), "expected 3 arrays"),
        (lambda t: sums_of(t).clear(), "expected 3 arrays"),
        (lambda t: sums_of(t)[0].append(1.0), "one number"),
        (lambda t: sums_of(t)[1].append(1.0), "one a key"),
    ],
)
def test_a_text_that_was_tampered_with_is_refused(change: Any, message: str) -> None:
    text = json.loads(text_of_a_pair())
    change(text)
    with pytest.raises(PlanFormatError, match=message):
        vt.TreatmentPlan.from_json(json.dumps(text))


def test_a_column_inside_another_may_be_a_part_of_a_pair() -> None:
    frame = shops(300)
    given = OPTIONS | {"composites": [("zip", "a")]}
    plan = vt.design_treatments(frame, **given)
    assert "zip:a" in {t.column for t in plan.treatments}
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    new = new_rows(frame)
    pd.testing.assert_frame_equal(vt.prepare(again, new), vt.prepare(plan, new))


@cache
def text_of_a_pair() -> str:
    given = OPTIONS | {"composites": [("a", "state")], "hierarchies": None}
    return vt.design_treatments(shops(300), **given).to_json()


def pair_of(text: dict[str, Any]) -> Any:
    (one,) = (t for t in text["treatments"] if t["column"] == "a:state")
    return one


def sums_of(text: dict[str, Any]) -> Any:
    return pair_of(text)["parts"][0]["sums"]["catN"]
