"""Outcomes of several classes: each class against the others, from one pass and one split."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

import vtreat_py as vt
from tests.conftest import FrameKind, arrays, assert_close, example_columns

ROWS = 240
CLASSES = ("high", "low", "mid-range")
PREFIXES = {"high": "high", "low": "low", "mid-range": "mid_minus_range"}
COLUMNS = ["x", "g", "z", "flag", "size"]
SHARED = ("clean", "isBAD", "lev", "catP")
SPLIT = list(KFold(4, shuffle=True, random_state=0).split(np.zeros(ROWS)))


def with_classes(n_rows: int = ROWS, seed: int = 7) -> pd.DataFrame:
    """Make the shared example, its numeric outcome cut into three classes."""
    frame = pd.DataFrame(example_columns(n_rows, seed))
    signal = frame.pop("y") + frame["g"].map({"u": 1.5, "v": 0.0, "w": -1.5})
    y = np.array(["low", "mid-range", "high"])[np.digitize(signal, [-0.5, 1.5])]
    return frame.drop(columns="c").assign(y=y)


FRAME = with_classes()
NEW = with_classes(60, seed=8).drop(columns="y").assign(x=lambda d: d["x"].replace("d", "new"))


def designed(frame: Any = FRAME, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(frame, **arguments(options))


def crossed(frame: Any = FRAME, **options: Any) -> vt.CrossFrameExperiment:
    return vt.cross_frame_experiment(frame, **arguments(options))


def arguments(options: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": "y", "outcome_type": "multinomial", "cv": SPLIT} | options


def against_rest(target: str, **options: Any) -> vt.CrossFrameExperiment:
    """The same design for one class against the others, as an outcome of two classes."""
    return crossed(outcome_type="binomial", target=target, **options)


def own_columns(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """Columns built for one class, under the names they have for two classes."""
    start = f"{PREFIXES[target]}_"
    own = frame[[c for c in frame if c.startswith(start)]]
    return own.rename(columns=lambda c: c.removeprefix(start))


def shared_columns(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[c for c in frame if not c.startswith(tuple(f"{p}_" for p in PREFIXES.values()))]]


SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "R's smoothing": {"smoothing": 1.0},
    "rare levels": {"rare_count": 30, "min_fraction": 0.1},
    "tested levels": {"rare_sig": 0.2},
    "weights": {"sample_weight": np.arange(ROWS) % 4},
    "fractional weights": {"sample_weight": 0.1 + np.arange(ROWS) % 3},
    "scaled": {"scale": True},
    "scaled in link units": {"scale": True, "cat_scaling": True},
    "split scores": {"force_split": True},
    "in time": {"cv": list(TimeSeriesSplit(3).split(np.zeros(ROWS))), "scale": True},
    "all codes by class": {"y_dependent_coders": ["lev", "catP", "catB"]},
}
each_setting = pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)


@each_setting
@pytest.mark.filterwarnings("ignore:cv leaves", "ignore:nothing is derived from")
def test_codes_of_a_class_are_those_of_that_class_against_the_others(
    options: dict[str, Any],
) -> None:
    made = crossed(**options)
    coders = options.get("y_dependent_coders", ["catB"])
    scale = options.get("scale", False)
    for target in CLASSES:
        rest = {k: v for k, v in options.items() if k != "y_dependent_coders"}
        alone = against_rest(target, coders=coders, **rest)
        assert alone.plan.feature_names
        assert_close(own_columns(made.cross_frame, target), alone.cross_frame)
        ours = vt.prepare(made.plan, NEW, scale=scale)
        assert_close(own_columns(ours, target), vt.prepare(alone.plan, NEW, scale=scale))


@each_setting
@pytest.mark.filterwarnings("ignore:cv leaves", "ignore:nothing is derived from")
def test_scores_of_a_class_are_those_of_that_class_against_the_others(
    options: dict[str, Any],
) -> None:
    by_class = options.get("y_dependent_coders", ["catB"])
    rest = {k: v for k, v in options.items() if k not in ("y_dependent_coders", "scale")}
    scores = designed(**rest, y_dependent_coders=by_class).score_frame
    columns = ["orig_variable", "code", "level", "rsq", "sig", "needs_split", "extra_model_degrees"]
    for target in CLASSES:
        ours = scores[scores["outcome_target"] == target]
        own = ours["variable"].str.startswith(PREFIXES[target])
        blocks = [(ours[own], by_class, rest), (ours[~own], SHARED, rest | {"rare_sig": None})]
        for block, coders, given_options in blocks:
            alone = against_rest(target, coders=coders, **given_options).plan.score_frame
            order = ["code", "orig_variable", "level"]
            found, expected = (
                table[columns].sort_values(order, ignore_index=True, key=text)
                for table in (block, alone)
            )
            # A difference of deviances: of a weak variable all digits but the first few are lost.
            np.testing.assert_allclose(found.pop("rsq"), expected.pop("rsq"), 1e-9, 1e-14)
            pd.testing.assert_frame_equal(found, expected, rtol=1e-9, atol=1e-300)


def text(column: pd.Series) -> pd.Series:
    return column.astype(str)


def test_shared_codes_are_those_of_a_design_without_outcome() -> None:
    plan = designed(rare_count=30, min_fraction=0.1)
    without = vt.design_treatments(
        FRAME[COLUMNS], outcome_type="unsupervised", rare_count=30, min_fraction=0.1
    )
    shared = shared_columns(vt.prepare(plan, NEW))
    assert len(shared.columns) > 8
    assert_close(shared, vt.prepare(without, NEW))


@pytest.mark.filterwarnings("ignore:this looks like the frame")
def test_shared_codes_of_the_cross_frame_come_from_the_other_folds() -> None:
    """Prevalences and imputed values too, which R takes from all rows."""
    shared = shared_columns(crossed().cross_frame)
    alone = against_rest("low", coders=SHARED).cross_frame
    assert_close(shared, alone)
    assert (shared["x_catP"] != vt.prepare(designed(), FRAME)["x_catP"]).any()


@pytest.mark.parametrize("cat_scaling", [False, True])
def test_a_shared_slope_is_the_length_of_the_vector_of_slopes(cat_scaling: bool) -> None:
    options = {"scale": True, "cat_scaling": cat_scaling}
    made = crossed(**options)
    alone = [against_rest(target, coders=SHARED, **options) for target in CLASSES]
    ours = shared_columns(made.cross_frame).to_numpy()
    each = [one.cross_frame.to_numpy() for one in alone]
    np.testing.assert_allclose(np.abs(ours), np.sqrt(sum(e**2 for e in each)), rtol=1e-9)
    ours = shared_columns(vt.prepare(made.plan, NEW, scale=True)).to_numpy()
    each = [vt.prepare(one.plan, NEW, scale=True).to_numpy() for one in alone]
    np.testing.assert_allclose(np.abs(ours), np.sqrt(sum(e**2 for e in each)), rtol=1e-9)
    assert (np.abs(ours).max(axis=0) > 0).all()


def test_distances_in_a_scaled_frame_are_those_of_a_copy_for_each_class() -> None:
    scaled = vt.prepare(designed(), NEW, scale=True, coders=["clean"]).to_numpy()
    copies = np.hstack(
        [
            vt.prepare(against_rest(t, coders=["clean"]).plan, NEW, scale=True).to_numpy()
            for t in CLASSES
        ]
    )
    np.testing.assert_allclose(distances(scaled), distances(copies), rtol=1e-9, atol=1e-12)


def distances(rows: np.ndarray) -> np.ndarray:
    return np.linalg.norm(rows[:, None] - rows[None], axis=2)


def test_the_score_frame_has_a_row_for_each_variable_and_class() -> None:
    plan = designed(smoothing=1)
    table = plan.score_frame
    assert table.columns[-1] == "outcome_target"
    shared = [v for v in plan.feature_names if not v.endswith("catB")]
    expected = [(v, c) for c in CLASSES for v in shared]
    expected += [(f"{PREFIXES[c]}_{x}_catB", c) for c in CLASSES for x in ("x", "g")]
    assert list(zip(table["variable"], table["outcome_target"], strict=True)) == expected
    assert len(set(plan.feature_names)) == len(plan.feature_names)
    share = 1.0 / (table["code"].nunique() * table.groupby("code")["code"].transform("size"))
    np.testing.assert_allclose(table["default_threshold"], share)
    assert (table["recommended"] == (table["sig"] < table["default_threshold"])).all()


def test_pruning_keeps_what_matters_for_some_class() -> None:
    plan = designed()
    table = plan.score_frame
    for limit, chosen in (("recommended", table["recommended"]), (0.01, table["sig"] <= 0.01)):
        kept = set(table["variable"][chosen])
        expected = [v for v in plan.feature_names if v in kept]
        assert 0 < len(expected) < len(plan.feature_names)
        assert vt.prepare(plan, NEW, prune_sig=limit).columns.tolist() == expected


def test_a_class_may_lose_all_its_columns() -> None:
    random = np.random.default_rng(0)
    x = np.repeat(["a", "b", "c", "d"], 100)
    noise = random.random(400) < 0.1
    y = np.where(noise, "noise", np.where(np.isin(x, ["a", "b"]), "left", "right"))
    made = crossed(
        pd.DataFrame({"x": x, "y": y}), coders=["catB"], prune_sig=1e-6, cv=3, random_state=0
    )
    assert made.cross_frame.columns.tolist() == ["left_x_catB", "right_x_catB"]
    kept = vt.prepare(made.plan, pd.DataFrame({"x": ["a", "d"]}), prune_sig=1e-6)
    assert kept.columns.tolist() == ["left_x_catB", "right_x_catB"]


@pytest.mark.parametrize("coders", [None, ["clean", "lev"]])
def test_there_may_be_no_codes_by_class(coders: Any) -> None:
    made = crossed(coders=coders, y_dependent_coders=[])
    assert not any(v.target for v in made.plan.derived)
    assert made.cross_frame.columns.tolist() == vt.prepare(made.plan, NEW).columns.tolist()


def test_there_may_be_codes_by_class_only() -> None:
    plan = designed(coders=["catB"], smoothing=1)
    assert plan.feature_names == [f"{p}_{x}_catB" for p in PREFIXES.values() for x in ("x", "g")]


def test_codes_asked_for_limit_those_by_class() -> None:
    plan = designed(coders=["clean"], y_dependent_coders=["catB"])
    assert {v.code for v in plan.derived} == {"clean"}


def test_what_cannot_differ_by_class_is_not_built_by_class() -> None:
    with pytest.raises(vt.VtreatError, match=r"\['clean'\], which cannot differ from class"):
        designed(y_dependent_coders=["clean", "catB"])
    with pytest.raises(vt.VtreatError, match=r"y_dependent_coders= is for outcomes of several"):
        designed(outcome_type="binomial", target="low", y_dependent_coders=["catB"])


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("smoothing", ["auto", 0.0])
def test_the_own_class_is_not_in_the_own_codes(smoothing: Any, scale: bool) -> None:
    options = {"smoothing": smoothing, "scale": scale, "rare_count": 5}
    before = crossed(**options).cross_frame
    for row in (0, 17, 101):
        for target in CLASSES:
            changed = FRAME.copy()
            changed.loc[row, "y"] = target
            after = crossed(changed, **options).cross_frame
            np.testing.assert_array_equal(after.loc[row], before.loc[row])


@settings(max_examples=12, deadline=None)
@given(weight=st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_weights_are_repeated_rows(weight: list[int]) -> None:
    frame = with_classes(60)
    w = np.array(weight)
    w[[frame["y"].eq(c).to_numpy().argmax() for c in CLASSES]] += 1
    fold = np.arange(60) % 3
    times = np.repeat(np.arange(60), w)

    def pairs(fold: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]

    assume(all(w[fold != k].any() and (fold[times] == k).any() for k in range(3)))
    weighted = crossed(frame, sample_weight=w, cv=pairs(fold))
    repeated = crossed(frame.iloc[times].reset_index(drop=True), cv=pairs(fold[times]))
    assert weighted.plan.feature_names == repeated.plan.feature_names
    np.testing.assert_allclose(
        weighted.cross_frame.iloc[times], repeated.cross_frame, rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        weighted.plan.score_frame[["rsq", "sig"]],
        repeated.plan.score_frame[["rsq", "sig"]],
        rtol=1e-6,
        atol=1e-9,
    )


def test_a_class_of_weight_zero_is_none() -> None:
    weight = np.where(FRAME["y"] == "low", 0.0, 1.0)
    kept = np.flatnonzero(weight)
    plan = designed(sample_weight=weight, cv=3, random_state=0)
    assert plan.classes == ("high", "mid-range")
    without = designed(FRAME.iloc[kept], cv=3, random_state=0)
    np.testing.assert_allclose(vt.prepare(plan, NEW), vt.prepare(without, NEW), rtol=1e-12)
    weight = np.where(FRAME["y"] == "high", 1.0, 0.0)
    with pytest.raises(vt.VtreatError, match=r"'high' in every row of positive weight"):
        designed(sample_weight=weight)


def test_default_folds_have_their_share_of_each_class() -> None:
    made = crossed(cv=4, random_state=1)
    counts = pd.crosstab(made.fold_plan.fold, FRAME["y"])
    assert (counts.max() - counts.min() <= 2).all()


def test_groups_stay_together_and_classes_are_spread() -> None:
    groups = np.arange(ROWS) // 4
    made = crossed(groups=groups, cv=3, random_state=0)
    assert len(set(zip(groups.tolist(), made.fold_plan.fold.tolist(), strict=True))) == ROWS / 4
    same = crossed(groups=groups, cv=GroupKFold(3))
    assert same.cross_frame.shape == made.cross_frame.shape


OUTCOMES: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "text": (["a", "b b", "c"], ("a", "b b", "c"), "b_b"),
    "whole numbers": ([3, 20, 100], (3, 20, 100), "X20"),
    "whole floats": ([3.0, 20.0, 100.0], (3.0, 20.0, 100.0), "X20"),
    "floats": ([0.5, 1.5, 2.5], (0.5, 1.5, 2.5), "X1_5"),
    "categories": (pd.Categorical(["v", "u", "w"], ["w", "v", "u", "x"]), ("u", "v", "w"), "v"),
}


@pytest.mark.parametrize(("labels", "classes", "second"), OUTCOMES.values(), ids=OUTCOMES)
def test_classes_may_be_text_numbers_or_categories(
    labels: Any, classes: tuple[Any, ...], second: str
) -> None:
    place = FRAME["y"].map({c: i for i, c in enumerate(CLASSES)}).to_numpy()
    plan = designed(FRAME[COLUMNS], outcome=pd.Series(labels).take(place), coders=["catB"])
    assert plan.classes == classes
    assert [type(c) for c in plan.classes] == [type(c) for c in classes]
    assert plan.score_frame["outcome_target"].unique().tolist() == list(classes)
    assert plan.feature_names[2] == f"{second}_x_catB"


def test_names_of_classes_do_not_collide() -> None:
    y = FRAME["y"].map({"low": "a b", "mid-range": "a_b", "high": "a-b"})
    frame = FRAME[COLUMNS].assign(a_b_x_catB=1.0 * np.arange(ROWS), y=y)
    names = designed(frame).feature_names
    assert len(set(names)) == len(names)
    assert names[0:1] == ["x_catP"]
    assert "a_b_x_catB" in names  # the clean copy of the column
    assert {"a_b_x_catB_2", "a_b_1_x_catB", "a_minus_b_x_catB"} <= set(names)


def test_text_of_several_classes_is_multinomial_by_itself() -> None:
    plan = vt.design_treatments(FRAME, outcome="y", random_state=0)
    assert plan.outcome_type == "multinomial"
    assert "multinomial, because the outcome has 3 classes" in repr(plan)
    assert "outcome_target" in repr(plan)


def test_two_classes_may_be_taken_for_several() -> None:
    frame = FRAME.assign(y=np.where(FRAME["y"] == "low", "low", "not"))
    plan = designed(frame, coders=["catB"])
    codes = vt.prepare(plan, NEW).to_numpy()
    np.testing.assert_allclose(codes[:, :2], -codes[:, 2:], atol=1e-12)


@pytest.mark.halved
def test_all_kinds_of_frames_agree(kind: FrameKind) -> None:
    columns = FRAME.astype(object).where(FRAME.notna(), None).to_dict("list")
    made = crossed(kind.make(columns))
    assert isinstance(made.cross_frame, kind.native)
    expected = arrays(crossed().cross_frame)
    for name, values in arrays(made.cross_frame).items():
        np.testing.assert_array_equal(values, expected[name])


def test_levels_are_suppressed_by_class() -> None:
    """A level that tells one class from the others need not tell another one."""
    x = np.repeat(["a", "b", "c", "d"], 60)
    y = np.tile(["one", "two", "three"], 80)
    y[:60] = np.where(y[:60] == "one", "two", y[:60])
    frame = pd.DataFrame({"x": x, "y": y})
    plan = designed(frame, rare_sig=1e-3, y_dependent_coders=["lev"], cv=3, random_state=0)
    names = set(plan.feature_names)
    assert {"x_lev_x_a", "x_lev_x_b", "one_x_lev_x_a", "two_x_lev_x_a"} <= names
    assert "three_x_lev_x_a" not in names


def test_memory_is_that_of_the_sums_by_class_not_of_all_that_is_learned_from_them() -> None:
    n_rows, n_levels, n_classes, n_folds = 20_000, 5_000, 40, 5
    level = np.random.default_rng(0).integers(n_levels, size=n_rows)
    frame = pd.DataFrame({"x": level.astype(str)})
    y = (np.arange(n_rows) % n_classes).astype(str)
    tracemalloc.start()
    vt.design_treatments(frame, outcome=y, cv=n_folds, coders=["catP"], random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 8 * n_levels * n_folds * n_classes
