"""Pictures of plans and cross-frames show what the tables say."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit, logit

import vtreat_py as vt
from tests.test_plots import screenless  # noqa: F401 (pictures need no screen here either)
from vtreat_py import plots
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError

N = 400
LONG = "a column of a name that nobody would want to read in a picture"
NUMBERS = ["kg", LONG]
SHAPES = ["clean", "isBAD", "lev", "catP", "catB", "catN", "spline"]
OUTCOMES = {"price": None, "sold": "yes", "size": None}


@cache
def rows() -> pd.DataFrame:
    random = np.random.default_rng(4)
    kg = random.gamma(2.0, 10.0, N)
    kg[:30] = np.nan
    town = random.choice([f"town {k:02}" for k in range(12)], N, p=np.r_[0.56, [0.04] * 11])
    price = np.sin(np.nan_to_num(kg) / 8) + (town == "town 00") + random.normal(size=N)
    return pd.DataFrame(
        {
            "town": np.where(random.random(N) < 0.1, None, town),
            "kg": kg,
            LONG: random.normal(size=N),
            "price": price,
            "sold": np.where(price > 0.5, "yes", "no"),
            "size": np.array(["low", "mid", "top"])[np.digitize(price, [0, 1.5])],
        }
    )


@cache
def plan_of(outcome: str, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(
        rows(),
        outcome=outcome,
        target=OUTCOMES[outcome],
        variables=["town", *NUMBERS],
        coders=[c for c in SHAPES if c != ("catB" if outcome == "price" else "catN")],
        random_state=0,
        **options,
    )


@cache
def experiment_of(outcome: str, **options: Any) -> vt.CrossFrameExperiment:
    given = {"variables": ["town", "kg"], "cv": 4, "random_state": 0} | options
    return vt.cross_frame_experiment(rows(), outcome=outcome, target=OUTCOMES[outcome], **given)


def cut(name: str) -> str:
    """A long name as it is drawn: the end of a variable's name says its code."""
    return name if len(name) <= 34 else f"{name[:18]}…{name[-15:]}"


def names_of(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def legend_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def points_of(ax: Any) -> list[Any]:
    """The scatters of a picture that have points."""
    return [c for c in ax.collections if hasattr(c, "get_offsets") and len(c.get_offsets())]


def scatters(ax: Any) -> list[Any]:
    return [c for c in points_of(ax) if isinstance(c, mpl.collections.PathCollection)]


def segments(collection: Any) -> np.ndarray:
    return np.array([path.vertices for path in collection.get_paths()])


def is_white(colours: Any) -> np.ndarray:
    return (np.asarray(colours)[:, :3] == 1.0).all(axis=1)


def beside(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts[: len(names_of(ax))]]


def note_of(ax: Any) -> str:
    """What is told under a picture, in one line."""
    return " ".join(ax.texts[-1].get_text().split())


# Scores


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_scores_are_those_of_the_score_frame(outcome: str) -> None:
    plan = plan_of(outcome)
    ax = plots.scores(plan)
    table = plan.score_frame
    place = {name: i for i, name in enumerate(dict.fromkeys(names_of(ax)))}
    short = {name: cut(name) for name in table["variable"]}
    assert set(place) == set(short.values())
    assert len(place) == len(plan.derived)
    expected = sorted(
        (rsq, place[short[name]], not passed)
        for rsq, name, passed in zip(
            table["rsq"], table["variable"], table["recommended"], strict=True
        )
    )
    found = sorted(
        (x, y, hollow)
        for drawn in scatters(ax)
        for (x, y), hollow in zip(
            drawn.get_offsets().tolist(), is_white(drawn.get_facecolors()), strict=True
        )
    )
    assert found == expected
    groups = table["outcome_target"] if plan.classes else table["code"]
    assert legend_of(ax) == list(dict.fromkeys(groups))
    looks = {(tuple(d.get_edgecolors()[0]), len(d.get_paths()[0].vertices)) for d in scatters(ax)}
    assert len(looks) == len(scatters(ax))
    smallest = table.groupby("variable")["sig"].min()
    for name, text in zip(place, beside(ax), strict=True):
        full = next(one for one, shown in short.items() if shown == name)
        assert float(text.lstrip("< ")) == pytest.approx(smallest[full], rel=0.5, abs=5e-4)
    assert ax.get_title() == f"Scores of {len(plan.derived)} variables"
    assert note_of(ax) == f"Filled: recommended, sig below {plan.limits}."


def test_variables_of_a_column_stand_together_the_best_column_on_top() -> None:
    plan = plan_of("price")
    of = {v.name: v.orig_variable for v in plan.derived}
    ax = plots.scores(plan)
    columns = [of.get(name, LONG) for name in names_of(ax)]
    runs = [c for c, before in zip(columns, [None, *columns], strict=False) if c != before]
    assert len(runs) == len(set(runs)) == 3
    best = plan.score_frame.groupby("orig_variable")["rsq"].max()
    assert runs == best.sort_values(ascending=False).index.to_list()
    lines = [line.get_ydata()[0] for line in ax.lines]
    ends = [i + 0.5 for i in range(len(columns) - 1) if columns[i] != columns[i + 1]]
    assert lines == ends
    few = plots.scores(plan, most=3)
    assert names_of(few) == names_of(ax)[:3]
    assert note_of(few).endswith(f"{len(plan.derived) - 3} more in score_frame.")


def test_scores_of_one_class_and_of_noise() -> None:
    plan = plan_of("size")
    ax = plots.scores(plan, target="mid")
    table = plan.score_frame
    assert sum(len(d.get_offsets()) for d in scatters(ax)) == (table.outcome_target == "mid").sum()
    assert legend_of(ax)[0] in set(table["code"])
    noise = pd.DataFrame({"z": np.tile([1.0, 2.0], 20), "y": np.repeat([1.0, 2.0, 3.0, 4.0], 10)})
    none = plots.scores(vt.design_treatments(noise, outcome="y", random_state=0))
    assert is_white(scatters(none)[0].get_facecolors()).all()
    own = plt.figure().add_subplot()
    assert plots.scores(plan, own) is own


def test_scores_that_cannot_be_drawn() -> None:
    with pytest.raises(OptionTypeError, match="plan is of type DataFrame; give a TreatmentPlan"):
        plots.scores(rows())  # type: ignore[arg-type]
    alone = vt.design_treatments(rows()[["kg"]], outcome_type="unsupervised")
    with pytest.raises(InvalidOptionError, match="a plan without outcome has no scores to draw"):
        plots.scores(alone)
    with pytest.raises(InvalidOptionError, match="target='x' is no class; those are 'low', 'mid'"):
        plots.scores(plan_of("size"), target="x")
    with pytest.raises(InvalidOptionError, match="target='yes' is for outcomes of several classes"):
        plots.scores(plan_of("sold"), target="yes")
    with pytest.raises(InvalidOptionError, match="most=0; it must be a whole number"):
        plots.scores(plan_of("sold"), most=0)
    many = rows()[["kg"]].assign(c=[f"c{k % 7}" for k in range(N)])
    plan = vt.design_treatments(many, outcome="c", random_state=0)
    with pytest.raises(InvalidOptionError, match="has 7 classes, of which 6 can be told apart"):
        plots.scores(plan)
    assert plots.scores(plan, target="c3").get_title() == "Scores of 2 variables"


# Effects of levels


@pytest.mark.parametrize(
    ("outcome", "target", "options"),
    [
        ("price", None, {}),
        ("sold", None, {}),
        ("size", "mid", {}),
        ("sold", None, {"smoothing": "mixed"}),
        ("price", None, {"rare_count": 12}),
    ],
)
def test_levels_have_what_was_seen_and_what_is_believed(
    outcome: str, target: Any, options: dict[str, Any]
) -> None:
    plan = plan_of(outcome, **options)
    ax = plots.level_effects(plan, "town", target=target)
    table = plan.level_effects("town", target)
    words = {"missing": "missing", "rare": "rare levels", "novel": "novel levels"}
    table["name"] = [words.get(k) or v for k, v in zip(table["kind"], table["level"], strict=True)]
    shown = table.set_index("name").loc[names_of(ax)]
    assert len(shown) == len(table)
    levels = shown[shown["kind"] == "level"]
    assert levels["effect"].is_monotonic_increasing
    assert (shown["kind"].iloc[len(levels) :] != "level").all()
    seen, own, others = scatters(ax)
    some = np.flatnonzero(shown["count"] > 0)
    np.testing.assert_array_equal(seen.get_offsets()[:, 1], some)
    np.testing.assert_allclose(seen.get_offsets()[:, 0], shown["mean"].iloc[some])
    count = shown["count"].iloc[some].to_numpy()
    np.testing.assert_allclose(seen.get_sizes(), np.maximum(220 * count / count.max(), 6))
    assert beside(ax) == [f"{n:,.0f}" for n in shown["count"]]
    statistics = plan.level_statistics[0]
    overall = next(o for o in statistics.outcomes if o.target == target).overall
    base = overall
    if "smoothing" in options:  # effects are about the mean of log odds
        y = rows()["sold"] == "yes"
        assert overall == pytest.approx(y.mean())
        outcome_of = statistics.outcomes[0]
        base = statistics.base(outcome_of, plan.options)
        assert base != overall
    ends = [shown["effect"] + k * 1.645 * shown["effect_se"] for k in (0, -1, 1)]
    if outcome == "price":
        believed, low, high = (base + one for one in ends)
    else:
        believed, low, high = (expit(logit(base) + one) for one in ends)
    drawn = np.vstack([own.get_offsets(), others.get_offsets()])
    np.testing.assert_allclose(drawn[:, 0], believed)
    interval = segments(next(c for c in ax.collections if hasattr(c, "get_segments")))
    np.testing.assert_allclose(interval[:, :, 0], np.array([low, high]).T)
    hollow = [*is_white(own.get_facecolors()), *is_white(others.get_facecolors())]
    assert hollow == shown["pooled"].tolist()
    assert len(own.get_paths()[0].vertices) != len(others.get_paths()[0].vertices)
    assert ax.lines[0].get_xdata() == [overall, overall]


def test_the_largest_levels_are_drawn_and_the_picture_says_what_of() -> None:
    ax = plots.level_effects(plan_of("sold"), "town", most=1)
    assert names_of(ax) == ["town 00", "missing", "novel levels"]
    assert ax.get_title() == "Rate of yes by 'town', 1 largest of 12 levels"
    assert ax.get_xlabel() == "rate of yes in sold"
    assert plots.level_effects(plan_of("price"), "town").get_title() == "price by 'town'"
    own = plt.figure().add_subplot()
    assert plots.level_effects(plan_of("size"), "town", own, target="low") is own
    assert own.get_title() == "Rate of low by 'town'"
    frame = rows().assign(town=lambda t: t["town"].map(lambda v: v and f"{v} $x$\n" + "y" * 40))
    long = vt.design_treatments(frame[["town", "price"]], outcome="price", random_state=0)
    drawn = plots.level_effects(long, "town")
    names = [name.replace("\\$", "$") for name in names_of(drawn)]
    assert all(len(name) <= 34 and "\n" not in name for name in names)
    drawn.figure.canvas.draw()  # a dollar is no formula
    with pytest.raises(InvalidOptionError, match="no level effects of column 'kg': it holds num"):
        plots.level_effects(plan_of("price"), "kg")
    with pytest.raises(InvalidOptionError, match="target= is missing"):
        plots.level_effects(plan_of("size"), "town")


def test_effects_of_composites_are_about_the_same_base() -> None:
    frame = rows().assign(shop=lambda t: (t["kg"] > 15).map({True: "a", False: "b"}))
    given: dict[str, Any] = {"outcome": "sold", "target": "yes", "smoothing": "mixed"}
    frame = frame[["town", "shop", "sold"]]
    plan = vt.design_treatments(frame, composites=[("town", "shop")], random_state=0, **given)
    ax = plots.level_effects(plan, "town:shop", most=3)
    table = plan.level_effects("town:shop").set_index("level")
    own = scatters(ax)[1].get_offsets()[:, 0]
    overall = (frame["sold"] == "yes").mean()
    expected = expit(logit(overall) + table.loc[names_of(ax)[:3], "effect"])
    np.testing.assert_allclose(own, expected)


# The outcome along a number


@pytest.mark.parametrize(("outcome", "target"), [("price", None), ("sold", None), ("size", "top")])
def test_ranges_have_their_means_and_codes_their_lines(outcome: str, target: Any) -> None:
    plan = plan_of(outcome)
    ax = plots.number_effect(plan, "kg", target=target)
    table = plan.number_effects("kg", target)
    ranges, bad = table[table["kind"] == "range"], table[table["kind"] == "bad"].iloc[0]
    (steps,) = [
        c for c in ax.collections if hasattr(c, "get_segments") and len(c.get_paths()) == 10
        and np.ptp(segments(c)[0][:, 1]) == 0
    ]  # fmt: skip
    found = segments(steps)
    np.testing.assert_array_equal(
        found[:, :, 1], np.repeat(ranges["mean"].to_numpy(), 2).reshape(10, 2)
    )
    np.testing.assert_array_equal(found[:-1, 1, 0], ranges["high"].iloc[:-1])
    seen, missing = ax.containers[:2]
    np.testing.assert_allclose(
        segments(seen.lines[2][0])[:, :, 1],
        np.column_stack([ranges["mean"] + k * 1.645 * ranges["mean_se"] for k in (-1, 1)]),
    )
    assert missing.lines[0].get_ydata() == [bad["mean"]]
    y = rows()["price"] if outcome == "price" else rows()[outcome] == (target or "yes")
    lines = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    np.testing.assert_allclose(lines.pop("all rows").get_ydata(), y.mean())
    name = "kg_spline" if target is None else f"{target}_kg_spline"
    assert list(lines) == (["kg", name] if target is None else [name])
    x = lines[name].get_xdata()
    codes = vt.prepare(plan, pd.DataFrame({"town": [None] * len(x), "kg": x, LONG: 0.0}))
    curve = codes[name] if outcome == "price" else expit(logit(y.mean()) + codes[name])
    np.testing.assert_allclose(lines[name].get_ydata(), curve)
    if target is None:
        (clean,) = [v for v in plan.derived if v.name == "kg"]
        line = y.mean() + clean.slope * (x - clean.mean)
        np.testing.assert_allclose(lines["kg"].get_ydata(), line)
        styles = {line.get_linestyle() for line in lines.values()}
        assert len(styles) == 2
    assert legend_of(ax)[-2:] == ["seen (90% interval)", f"missing ({bad['count']:.0f})"]


def test_the_histogram_has_areas_in_proportion_to_rows() -> None:
    plan = plan_of("price")
    ax = plots.number_effect(plan, LONG)
    profile = next(t for t in plan.treatments if t.column == LONG).profile
    bars = ax.patches
    inner = slice(1, -1)
    width = np.diff(profile.edges)
    np.testing.assert_allclose([bar.get_width() for bar in bars[inner]], width)
    area = np.array([bar.get_height() * bar.get_width() for bar in bars[inner]])
    np.testing.assert_allclose(area / area[0], profile.counts[inner] / profile.counts[1])
    assert max(bar.get_height() for bar in bars) == pytest.approx(0.13)
    assert ax.get_title() == f"price along '{cut(LONG)}'"


def test_a_picture_ends_before_what_lies_far_off_and_says_so() -> None:
    frame = rows()[["kg", "price"]].assign(kg=lambda t: t["kg"].where(t.index != 50, 1e6))
    plan = vt.design_treatments(frame, outcome="price", random_state=0)
    ax = plots.number_effect(plan, "kg")
    assert ax.get_xlim()[1] < 120
    assert ax.get_xlabel() == "kg (largest 1e+06)"
    assert plots.number_effect(plan_of("price"), LONG).get_xlabel().startswith("a column of a")


def test_dates_flags_and_single_values_are_drawn() -> None:
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2020", periods=N),
            "flag": np.arange(N) % 3 == 0,
            "one": np.where(np.arange(N) % 4 == 0, np.nan, 7.0),
            "odds": np.arange(N) % 2 == 0,
        }
    )
    plan = vt.design_treatments(frame, outcome="odds", random_state=0, calendar=())
    ax = plots.number_effect(plan, "day")
    assert [round(v) for v in ax.get_xlim()] == [18262 - 8, 18262 + 407]
    assert all(t.get_text().startswith("20") for t in ax.get_xticklabels())
    flag = plots.number_effect(plan, "flag")
    assert flag.get_xlim() == (-0.02, 1.02)
    bottom, top = flag.get_ylim()
    assert all(0 <= tick <= 1 for tick in flag.get_yticks() if bottom <= tick <= top)
    alone = plots.number_effect(plan, "one")
    assert alone.get_xlim() == (6.98, 7.02)
    for one in (ax, flag, alone):
        one.figure.canvas.draw()
    own = plt.figure().add_subplot()
    assert plots.number_effect(plan, "flag", own) is own
    with pytest.raises(InvalidOptionError, match="it holds levels; level_effects shows"):
        plots.number_effect(plan_of("price"), "town")


def test_lines_of_own_codes_and_of_link_units_pass_through_the_mean() -> None:
    def steps(x: Any, y: Any, weight: Any) -> vt.Curve:
        return vt.Curve([0.0, 20.0], [5.0, 6.0], method="constant")

    coder = vt.NumberCoder(steps)
    frame = rows()[["kg", "sold"]]
    given: dict[str, Any] = {"outcome": "sold", "target": "yes", "random_state": 0}
    plan = vt.design_treatments(
        frame, custom_coders={"step": coder}, coders=["clean", "step"], cat_scaling=True, **given
    )
    ax = plots.number_effect(plan, "kg")
    rate = (frame["sold"] == "yes").mean()
    lines = {line.get_label(): line for line in ax.lines}
    for variable in plan.derived:
        line = lines[variable.name]
        code = line.get_xdata() if variable.code == "clean" else 5.0 + (line.get_xdata() >= 20)
        expected = expit(logit(rate) + variable.slope * (code - variable.mean))
        np.testing.assert_allclose(line.get_ydata(), expected)


# Cross-frames and folds


@pytest.mark.parametrize("scale", [False, True])
def test_codes_of_folds_stand_around_those_of_the_plan(scale: bool) -> None:
    experiment = experiment_of("sold", scale=scale)
    ax = plots.cross_frame(experiment, "town_catB", rows(), scale=scale)
    folds, plan = scatters(ax)
    frame = rows().assign(
        town=rows()["town"].fillna("missing"),
        code=np.asarray(experiment.cross_frame["town_catB"]),
        fold=experiment.fold_numbers,
    )
    cells = frame.groupby(["town", "fold"])["code"].agg(["first", "nunique", "size"]).reset_index()
    assert (cells["nunique"] == 1).all()
    place = {name: i for i, name in enumerate(names_of(ax))}
    expected = sorted(zip(cells["first"], cells["town"].map(place), strict=True))
    assert sorted(map(tuple, folds.get_offsets().tolist())) == expected
    names = pd.Series(names_of(ax)).replace("missing", None)
    new = pd.DataFrame({"town": names, "kg": 1.0})
    treated = vt.prepare(experiment.plan, new, scale=scale)["town_catB"]
    np.testing.assert_array_equal(plan.get_offsets()[:, 0], treated)
    assert treated.is_monotonic_increasing
    sizes = frame["town"].value_counts()
    assert beside(ax) == [f"{sizes[name]:,.0f}" for name in place]
    assert legend_of(ax) == ["in the cross-frame, a fold each", "in the plan"]


def test_the_largest_levels_of_a_cross_frame_whose_folds_leave_rows_out() -> None:
    cv = [(np.arange(0, 200), np.arange(200, 300)), (np.arange(200, 400), np.arange(0, 100))]
    with pytest.warns(vt.VtreatWarning, match="cv leaves 200 of 400 rows out"):
        experiment = vt.cross_frame_experiment(rows(), outcome="price", variables=["town"], cv=cv)
    ax = plots.cross_frame(experiment, "town_catN", rows(), most=2)
    part = (
        rows()
        .iloc[experiment.cross_rows]
        .assign(code=np.asarray(experiment.cross_frame["town_catN"]))
    )
    sizes = part["town"].fillna("missing").value_counts()
    assert set(names_of(ax)) == set(sizes.index[:2])
    assert ax.get_title() == f"Codes of 'town', 2 largest of {len(sizes)} levels"
    drawn = scatters(ax)[0].get_offsets()[:, 0]
    own = part[part["town"].fillna("missing").isin(sizes.index[:2])]
    assert sorted(drawn) == sorted(set(own["code"]))


def test_cross_frames_that_cannot_be_drawn() -> None:
    experiment, frame = experiment_of("sold"), rows()
    for variable, message in (
        ("kg", "variable='kg': it is of numbers, or the same in all folds; those of levels that"),
        ("town_catX", "the plan does not derive it; did you mean 'town_cat"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            plots.cross_frame(experiment, variable, frame)
    with pytest.raises(InvalidOptionError, match="frame has 10 rows, but the experiment was made"):
        plots.cross_frame(experiment, "town_catB", frame[:10])
    with pytest.raises(OptionTypeError, match="frame is lazy; collect it"):
        plots.cross_frame(experiment, "town_catB", pl.from_pandas(frame).lazy())
    with pytest.raises(OptionTypeError, match="experiment is of type TreatmentPlan; give a Cross"):
        plots.cross_frame(experiment.plan, "town_catB", frame)  # type: ignore[arg-type]
    sparse = dataclasses.replace(experiment, cross_frame=experiment.cross_frame.to_numpy())
    with pytest.raises(OptionTypeError, match="whose cross-frame is a data frame in memory"):
        plots.cross_frame(sparse, "town_catB", frame)
    left = experiment.cross_frame.drop(columns="town_catB")
    pruned = dataclasses.replace(experiment, cross_frame=left)
    with pytest.raises(InvalidOptionError, match="has no column 'town_catB': it was pruned"):
        plots.cross_frame(pruned, "town_catB", frame)


def test_folds_have_their_rows_means_and_classes() -> None:
    experiment = experiment_of("price")
    parts = [rows().iloc[own] for _, own in experiment.folds]
    plain = plots.folds(experiment)
    assert [bar.get_width() for bar in plain.patches] == [len(part) for part in parts]
    assert names_of(plain) == [f"fold {k}" for k in range(4)]
    means = plots.folds(experiment, rows()["price"])
    (drawn,) = means.containers
    np.testing.assert_allclose(drawn.lines[0].get_xdata(), [p["price"].mean() for p in parts])
    reach = segments(drawn.lines[2][0])[:, :, 0]
    error = [p["price"].sem() for p in parts]
    np.testing.assert_allclose(np.diff(reach, axis=1)[:, 0], 2 * 1.645 * np.array(error))
    assert beside(means) == [str(len(part)) for part in parts]
    sizes = experiment_of("size")
    classes = plots.folds(sizes, rows()["size"], most=3)
    assert legend_of(classes) == ["low", "mid", "top"]
    assert classes.get_title() == "4 folds of 400 rows, the first 3"
    for k, name in enumerate(["low", "mid", "top"]):
        bars = classes.containers[k]
        own = [(rows().iloc[part]["size"] == name).sum() for _, part in sizes.folds[:3]]
        assert [bar.get_width() for bar in bars] == own
    assert len({bar.get_hatch() for bar in (c[0] for c in classes.containers)}) == 3
    shares = [t.get_text() for t in classes.texts]
    assert all(re.fullmatch(r"\d+\.\d%", text) for text in shares)
    first = rows().iloc[sizes.folds[0][1]]["size"]
    assert f"{(first == 'low').mean():.1%}" in shares


def test_names_are_no_formulas_and_none_is_left_out_of_a_legend() -> None:
    odd = np.array(["_no", "$a^$", "b\x00", "c\udc80"], dtype=object)
    levels = odd[np.random.default_rng(0).integers(4, size=120)]
    frame = pd.DataFrame({"$x^$": pd.Series(levels, dtype=object)})
    frame["_k"] = np.arange(120) % 17
    frame["y"] = frame["$x^$"]
    plan = vt.design_treatments(frame, outcome="y", variables=["$x^$", "_k"], random_state=0)
    experiment = vt.cross_frame_experiment(frame, outcome="y", random_state=0)
    axes = [
        plots.importance(plan.variable_importance()),
        plots.level_effects(plan, "$x^$", target="_no"),
        plots.scores(plan),
        plots.folds(experiment, frame["y"]),
    ]
    for ax in axes:
        ax.figure.canvas.draw()
    assert axes[1].get_title() == r"Rate of  _no by '\$x^\$'"
    for ax in axes[2:]:
        named = [text.get_text() for text in ax.get_legend().get_texts()]
        assert named == [r"\$a^\$", " _no", r"b\x00", r"c\udc80"]
    plt.close("all")


def test_folds_that_cannot_be_drawn() -> None:
    experiment = experiment_of("price")
    with pytest.raises(InvalidOptionError, match=r"y has shape \(3,\), but there are 400 rows"):
        plots.folds(experiment, [1, 2, 3])
    with pytest.raises(InvalidOptionError, match="y has missing or infinite values"):
        plots.folds(experiment, rows()["price"].where(rows().index > 3))
    with pytest.raises(InvalidOptionError, match="y must hold numbers, as the outcome does"):
        plots.folds(experiment, rows()["sold"])
    with pytest.raises(InvalidOptionError, match="y mixes values that have no order"):
        plots.folds(experiment_of("size"), pd.Series([1, "a"] * 200, dtype=object))
    with pytest.raises(InvalidOptionError, match="y is missing in 1 row, the first in row 0"):
        plots.folds(experiment_of("size"), rows()["size"].where(rows().index > 0))
    with pytest.raises(InvalidOptionError, match="y has 12 classes, of which 6 can be told apart"):
        plots.folds(experiment_of("size"), rows()["town"].fillna("town 00"))
    with pytest.raises(OptionTypeError, match="experiment is of type DataFrame"):
        plots.folds(rows())  # type: ignore[arg-type]
