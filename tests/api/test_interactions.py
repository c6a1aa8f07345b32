"""What pairs of columns say of the outcome beyond the two alone."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from sklearn.model_selection import KFold, RepeatedKFold, TimeSeriesSplit

import vtreat_py as vt
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    UnsupportedColumnError,
)

COLUMNS = ["size", "age", "town", "day", "rare", "constant"]


def made(n: int = 600) -> pd.DataFrame:
    random = np.random.default_rng(4)
    size, town = random.normal(size=n), random.choice(["Ayr", "Bath", "Cork"], n)
    frame = pd.DataFrame(
        {
            "size": np.where(random.random(n) < 0.1, np.nan, size),
            "age": random.integers(0, 5, n),
            "town": town,
            "day": random.choice(["Sat", "Sun", None], n),
            "rare": [f"id {k}" for k in range(n)],
            "constant": 1,
        }
    )
    frame["y"] = size * (town == "Bath") + 0.3 * frame["age"] + random.normal(size=n)
    return frame.assign(w=random.integers(0, 4, n).astype(float))


FRAME = made()


def found(frame: Any = FRAME, **options: Any) -> pd.DataFrame:
    given = {"outcome": "y", "variables": COLUMNS, "random_state": 0} | options
    return vt.find_interactions(frame, **given)


def by_pair(table: pd.DataFrame) -> pd.DataFrame:
    """Scores by pair, in no order of the two."""
    pairs = [" ".join(sorted(map(str, one))) for one in zip(table["first"], table["second"])]  # noqa: B905
    return table.set_index(pd.Index(pairs)).drop(columns=["first", "second"]).sort_index()


def same(one: pd.DataFrame, other: pd.DataFrame, rtol: float = 1e-7) -> None:
    pd.testing.assert_frame_equal(by_pair(one), by_pair(other), rtol=rtol, atol=1e-12)


def test_all_pairs_are_there_the_surest_first() -> None:
    table = found()
    assert list(table) == ["first", "second", "rsq", "sig", "sig_fdr"]
    assert len(table) == 15
    assert tuple(table.loc[0, ["first", "second"]]) == ("size", "town")
    assert table["sig"].is_monotonic_increasing
    assert table.loc[0, "sig_fdr"] < 1e-4 < 0.05 < table["sig_fdr"][1]
    assert table.loc[0, "rsq"] > 0.1
    dull = table[(table == "rare").any(axis=1) | (table == "constant").any(axis=1)]
    assert len(dull) == 9
    assert (dull["sig"] == 1).all()
    assert (dull["rsq"] == 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_balanced_tables_have_the_f_test_of_two_way_analysis_of_variance(seed: int) -> None:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": np.repeat(list("abc"), 40), "b": np.tile(list("wxyz"), 30)})
    effect = 0.3 * seed * (frame["a"] == "a") * (frame["b"] == "x") + 2.0 * (frame["a"] == "b")
    frame["y"] = effect + random.uniform(size=120)
    table = sm.stats.anova_lm(smf.ols("y ~ C(a) * C(b)", frame).fit(), typ=2)
    sig = vt.find_interactions(frame, outcome="y")["sig"][0]
    expected = table.loc["C(a):C(b)", "PR(>F)"]
    np.testing.assert_allclose(sig, expected, rtol=1e-7)


@pytest.mark.parametrize(
    "outcome",
    [
        {},
        {"outcome": FRAME["y"] > 0},
        {"outcome": np.digitize(FRAME["y"], [0, 1]).astype(str)},
        {"sample_weight": "w"},
        {"sample_weight": FRAME["w"] * 0.37, "weight_kind": "importance"},
        {"outcome": FRAME["y"] > 0, "sample_weight": FRAME["w"] + 0.5},
    ],
)
def test_neither_names_nor_orders_nor_kinds_of_frames_matter(outcome: dict[str, Any]) -> None:
    cv = np.arange(len(FRAME)) % 5
    frame = FRAME.assign(fold=cv)
    given = {k: np.asarray(v) if k != "weight_kind" and not isinstance(v, str) else v
             for k, v in outcome.items()}  # fmt: skip
    first = found(frame, cv="fold", **given)
    same(first, found(pl.from_pandas(frame), cv="fold", **given), 0)
    same(first, found(pa.Table.from_pandas(frame), cv="fold", **given), 0)
    same(first, found(frame, cv="fold", n_jobs=2, **given), 0)
    order = np.random.default_rng(1).permutation(len(frame))
    turned = {k: v[order] if isinstance(v, np.ndarray) else v for k, v in given.items()}
    other = (
        frame.iloc[order]
        .reset_index(drop=True)
        .assign(town=lambda f: f["town"].map({"Ayr": "z", "Bath": "y", "Cork": "x"}))
    )
    backwards = found(other, cv="fold", **turned | {"variables": COLUMNS[::-1]})
    same(first, backwards)


def test_the_unit_of_the_outcome_does_not_matter() -> None:
    for unit in (2.0**-90, 2.0**200):
        same(found(), found(FRAME.assign(y=FRAME["y"] * unit)), 1e-12)
    turned = FRAME.assign(y=7.0 - 3.0 * FRAME["y"])
    same(found(cv=KFold(4)), found(turned, cv=KFold(4)), 1e-6)


@pytest.mark.parametrize("of_class", [False, True])
def test_whole_weights_are_repeated_rows(of_class: bool) -> None:
    frame = FRAME.assign(fold=np.arange(len(FRAME)) % 3)
    frame["y"] = (frame["y"] > 0).astype(int) if of_class else frame["y"]
    rows = np.repeat(np.arange(len(frame)), frame["w"].astype(int))
    repeated = frame.iloc[rows].reset_index(drop=True)
    same(found(frame, sample_weight="w", cv="fold"), found(repeated, cv="fold"), 1e-6)


def test_importance_weights_have_no_unit() -> None:
    options = {"sample_weight": FRAME["w"] + 0.3, "weight_kind": "importance"}
    tiny = options | {"sample_weight": options["sample_weight"] * 1e-90}
    same(found(**options), found(**tiny), 1e-6)


def test_a_column_again_says_nothing_beside_itself() -> None:
    frame = FRAME.assign(again=FRAME["town"].map({"Ayr": 3, "Bath": 1, "Cork": 2}))
    table = by_pair(found(frame, variables=["town", "again", "size"]))
    assert tuple(table.loc["again town", ["rsq", "sig"]]) == (0.0, 1.0)
    assert table.loc["again size", "sig"] == pytest.approx(table.loc["size town", "sig"])


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", ["line", "square", "class"])
def test_numbers_that_go_together_do_not_seem_to_interact(kind: str, weights: bool) -> None:
    random = np.random.default_rng(3)
    common, n = random.normal(size=20_000), 20_000
    frame = pd.DataFrame({k: common + random.normal(size=n) for k in "abc"}).assign(
        band=np.digitize(common, [-1.0, 1.0]).astype(str)
    )
    frame.loc[:500, "c"] = np.nan
    both = frame["a"] + frame["b"]
    y = frame["a"] ** 2 + frame["b"] ** 2 if kind == "square" else both
    y = y + random.normal(size=n) if kind != "class" else random.random(n) < 1 / (1 + np.exp(-both))
    options = {"sample_weight": random.random(n), "weight_kind": "importance"} if weights else {}
    table = vt.find_interactions(frame[["a", "b"]], outcome=y.to_numpy(), random_state=0, **options)
    assert table["sig"][0] > 0.02  # of cells alone it is below 1e-6
    acts = y.astype(float) + (frame["a"] > 0) * (frame["c"] > 0)
    if kind != "class":
        table = vt.find_interactions(frame, outcome=acts, variables=["a", "c", "band"], **options)
        assert table["sig"][0] < 1e-5


def test_that_a_value_is_missing_may_matter_beside_another_column() -> None:
    random = np.random.default_rng(5)
    x, town = random.normal(size=500), random.choice(["a", "b"], 500)
    missing = random.random(500) < 0.3
    frame = pd.DataFrame({"x": np.where(missing, np.nan, x), "town": town, "none": [None] * 500})
    y = missing * (town == "a") * 2.0 + random.normal(size=500)
    table = vt.find_interactions(frame, outcome=y, outcome_type="numeric", random_state=0)
    assert table["sig"][0] < 1e-6 < 0.9 < table["sig"][1]


def test_many_levels_are_the_commonest_and_the_others() -> None:
    random = np.random.default_rng(6)
    level = np.append(np.repeat(np.arange(50), 40), np.repeat(np.arange(50, 60), 60))
    sign = random.choice([-1.0, 1.0], len(level))
    frame = pd.DataFrame({"level": level, "sign": sign})
    for acts, seen in ((55, True), (12, True), (45, False)):  # of equal ones, 20 are kept by name
        y = 3.0 * sign * (level == acts) + random.normal(size=len(level))
        sig = vt.find_interactions(frame, outcome=y, categorical=["level"])["sig"][0]
        assert bool(sig < 1e-12) is seen


@pytest.mark.parametrize(
    "cv",
    [3, "ordered", TimeSeriesSplit(4), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)],
)
@pytest.mark.parametrize("of_class", [False, True])
def test_all_folds_tell_what_a_pair_explains(cv: Any, of_class: bool) -> None:
    frame = FRAME.assign(y=FRAME["y"] > 0) if of_class else FRAME
    table = found(frame, cv=cv)
    assert tuple(table.loc[0, ["first", "second"]]) == ("size", "town")
    assert 0.005 < table["rsq"][0] < 0.3
    np.testing.assert_allclose(by_pair(table)["sig"], by_pair(found(frame))["sig"])


def test_names_may_be_anything() -> None:
    frame = pd.DataFrame(FRAME[["size", "town", "y"]].to_numpy(), columns=[("a", 1), 2, "y"])
    table = vt.find_interactions(frame, outcome="y", outcome_type="numeric", random_state=0)
    assert [table["first"][0], table["second"][0]] == [("a", 1), 2]
    array = np.random.default_rng(0).normal(size=(50, 3))
    table = vt.find_interactions(array, outcome=array[:, 0] * array[:, 1])
    assert set(table["first"]) | set(table["second"]) == {"x0", "x1", "x2"}


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"outcome": None}, OutcomeError, "outcome"),
        ({"outcome": "z"}, FrameError, "z"),
        ({"outcome_type": "unsupervised", "outcome": None}, InvalidOptionError, "unsupervised"),
        ({"outcome": np.append(np.nan, FRAME["y"][1:])}, OutcomeError, "missing"),
        ({"outcome": np.ones(5)}, FrameError, "5 values"),
        ({"variables": ["town"]}, InvalidOptionError, "one column to pair, 'town'"),
        ({"cv": 1}, InvalidOptionError, "cv"),
        ({"n_jobs": 0}, InvalidOptionError, "n_jobs"),
        ({"sample_weight": -FRAME["w"] - 1}, OutcomeError, "negative"),
        ({"weight_kind": "none"}, InvalidOptionError, "weight_kind"),
    ],
)
def test_errors_name_what_is_wrong(options: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(vt.VtreatError, match=said) as caught:
        found(**options)
    assert isinstance(caught.value, error)


def test_frames_that_cannot_be_read_are_errors() -> None:
    with pytest.raises(UnsupportedColumnError, match="list"):
        found(FRAME.assign(size=[[1]] * len(FRAME)))
    with pytest.raises(InvalidOptionError, match="'when', which holds values of type datetime"):
        found(
            FRAME.assign(when=pd.date_range("2026-01-01", periods=len(FRAME))),
            variables=["when", "town"],
            categorical=["when"],
        )
    with pytest.raises(OptionTypeError, match="must be collected first"):
        found(pl.from_pandas(FRAME).lazy())
    with pytest.raises(OptionTypeError, match="by name"):
        vt.find_interactions(FRAME, "y", outcome="y")  # type: ignore[misc]


def test_options_are_those_of_a_design() -> None:
    ours, theirs = map(inspect.signature, (vt.find_interactions, vt.design_treatments))
    for name, one in ours.parameters.items():
        if name != "outcome":
            assert one == theirs.parameters[name]


def test_progress_counts_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    found(progress=True, n_jobs=2)
    assert "100%" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_many_uncommon_levels_are_not_one_that_does_not_add_up(kind: str) -> None:
    """60 levels of two columns that go with some of each other only, and that add up."""
    found = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        effect, known = random.normal(size=(2, 60)), random.random((60, 60)) < 0.3
        pairs = np.argwhere(known)[random.integers(0, known.sum(), 8000)]
        mean = effect[0][pairs[:, 0]] + effect[1][pairs[:, 1]]
        y = mean + random.logistic(size=8000)
        y = y if kind == "numeric" else (y > 0).astype(int)
        frame = pd.DataFrame(pairs.astype(str), columns=["a", "b"])
        found.append(vt.find_interactions(frame, outcome=y, random_state=0)["sig"][0])
        plan = vt.design_treatments(frame, outcome=y, composites=[("a", "b")], random_state=0)
        found.append(plan.score_frame.query("orig_variable == 'a:b'")["sig"].min())
    assert min(found) > 1e-3
    rare = pd.DataFrame({"a": [str(i) for i in range(300)], "b": ["x", "y"] * 150})
    nothing = vt.find_interactions(rare, outcome=np.arange(300) % 7, outcome_type="numeric")
    assert nothing.loc[0, ["rsq", "sig"]].tolist() == [0.0, 1.0]
