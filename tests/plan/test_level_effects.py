"""What a plan says about each level: its rows, their mean, the effect and how sure it is."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

import vtreat_py as vt
from tests.coders import naive
from tests.conftest import FrameKind, example_columns
from tests.statistics.rows import law
from vtreat_py.base.errors import InvalidOptionError

IMPACT = {"numeric": "catN", "binomial": "catB"}
COLUMNS = {
    "level": object,
    "kind": object,
    "count": float,
    "mean": float,
    "mean_se": float,
    "effect": float,
    "effect_se": float,
    "belief": float,
    "pooled": bool,
    "suppressed": bool,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "raw": {"smoothing": 0},
    "smoothed": {"smoothing": 3},
    "pooled": {"rare_count": 30},
    "suppressed": {"rare_sig": 0.2},
    "pooled and suppressed": {"rare_count": 40, "rare_sig": 0.2, "smoothing": 1},
}
NOVEL = "a level never seen"
# Standard deviations between levels, in units of one over the root of the mean size.
NODES = [u / (1 - u) for u in (np.arange(96) + 0.5) / 96]


def weights_of(n_rows: int) -> np.ndarray:
    return np.random.default_rng(9).integers(0, 4, n_rows).astype(float)


def is_class(outcome: str) -> bool:
    return outcome == "c"


def naive_rows(frame: pd.DataFrame, outcome: str, weight: Any) -> list[naive.Row]:
    y = (frame["c"] == "yes") * 1.0 if is_class(outcome) else frame["y"]
    w = np.ones(len(frame)) if weight is None else weight
    return [
        (None if pd.isna(level) else level, Fraction(float(value)), Fraction(float(rows)))
        for level, value, rows in zip(frame["x"], y, w, strict=True)
    ]


class Reference:
    """The table, one number at a time, from the rows."""

    def __init__(self, rows: list[naive.Row], options: dict[str, Any], class_outcome: bool) -> None:
        smoothing = options.get("smoothing", "auto")
        rare_count, rare_sig = options.get("rare_count", 0), options.get("rare_sig")
        self.levels = levels = naive.levels_of(rows, rare_count, rare_sig, class_outcome)
        self.code = (naive.cat_b if class_outcome else naive.cat_n)(levels, smoothing)
        self.class_outcome = class_outcome
        self.auto = smoothing == "auto"
        self.prior = naive.prior_of(levels, smoothing, is_class=class_outcome).weight
        if class_outcome:
            self.prior = max(self.prior, 0.5 if self.auto else 1e-4)
        squares = sum(naive.squares_of(group) for group in levels.groups.values())
        self.reml = naive.Reml(levels, is_class=class_outcome)
        self.within = float(squares / (naive.weight_of(levels.rows) - len(levels.groups)))

    def own(self, level: Any) -> list[naive.Row]:
        if level == naive.POOL:
            return self.levels.groups.get(naive.POOL, [])
        return [row for row in self.levels.rows if row[0] == level]

    def group(self, level: Any) -> Any:
        """What a level is coded as: itself, the pool, or a novel level."""
        if level in self.levels.groups:
            return level
        return naive.POOL if naive.POOL in self.levels.groups else NOVEL

    def behind(self, level: Any) -> float:
        group = self.group(level)
        if group in self.levels.suppressed:
            return 0.0
        return float(naive.weight_of(self.levels.groups.get(group, [])))

    def rate(self, level: Any) -> float:
        logit = self.code(level) + naive.logit(float(naive.mean_of(self.levels.rows)))
        return 1 / (1 + math.exp(-logit))

    def beta_binomial(self, ratio: float) -> float:
        """Minus twice the log likelihood of a ratio, with the variance of the mean."""
        reml = self.reml
        centre, within, v, _ = reml.parts(ratio)
        assert reml.base is not None
        rate = min(max(reml.base + centre, 1e-6), 1 - 1e-6)
        a, b = rate / ratio, (1 - rate) / ratio
        found = math.log(sum(v) / within)
        for n, mean in zip(reml.n, reml.m, strict=True):
            hits = n * (reml.base + mean)
            found -= 2 * float(betaln(a + hits, b + n - hits) - betaln(a, b))
        return found

    def posterior_variance(self, level: Any, noise: float) -> float:
        """The integral over the ratio of the variances, as a sum over the same nodes."""
        reml = self.reml
        n = self.behind(level)
        own = self.levels.groups.get(self.group(level), [])
        mean = float(naive.mean_of(own) - naive.mean_of(self.levels.rows)) if own else 0.0
        unit = len(reml.n) / sum(reml.n)
        deviance = self.beta_binomial if self.class_outcome else reml.deviance
        least = min(deviance(unit * t * t) for t in NODES)
        inside, expected, shares = 0.0, [], []
        for t in NODES:
            ratio = unit * t * t
            shares.append(math.exp((least - deviance(ratio)) / 2) * (1 + t) ** 2)
            centre, within, v, _ = reml.parts(ratio)
            left = 1 / (1 + n * ratio)
            within = noise / (1 + left * ratio) if self.class_outcome else within
            inside += shares[-1] * within * (left * ratio + left**2 / sum(v))
            expected.append(left * centre + (1 - left) * mean)
        inside *= 1.0 if self.class_outcome else reml.free / (reml.free - 2)
        inside /= sum(shares)
        centre = np.average(expected, weights=shares)
        return inside + float(np.average((expected - centre) ** 2, weights=shares))

    def row(self, level: Any) -> list[float]:
        """Count, mean, its error, effect, its error, belief."""
        count, effect, n = naive.weight_of(self.own(level)), self.code(level), self.behind(level)
        mean = float(naive.mean_of(self.own(level))) if count else math.nan
        p = self.rate(level)
        variance = p * (1 - p) if self.class_outcome else self.within
        mean_se = math.sqrt(variance / float(count)) if count else math.nan
        if self.auto and self.class_outcome:
            effect_se = math.sqrt(self.posterior_variance(level, variance)) / variance
        elif self.auto:
            effect_se = math.sqrt(self.posterior_variance(level, variance))
        elif self.class_outcome:
            beta_sd = math.sqrt(p * (1 - p) / (n + self.prior + 1))
            effect_se = beta_sd / (p * (1 - p))
        elif n + self.prior == 0:
            effect_se = math.inf
        else:
            effect_se = math.sqrt(self.within / (n + self.prior))
        belief = n / (n + self.prior) if n else 0.0
        return [float(count), mean, mean_se, effect, effect_se, belief]


@pytest.mark.halved
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("outcome", ["y", "c"])
def test_the_table_is_that_of_a_loop_over_the_rows(
    frame: pd.DataFrame, outcome: str, options: dict[str, Any], weighted: bool
) -> None:
    weight = weights_of(len(frame)) if weighted else None
    plan = vt.design_treatments(
        frame, outcome=outcome, variables=["x"], sample_weight=weight, random_state=0, **options
    )
    found = plan.level_effects("x")
    reference = Reference(naive_rows(frame, outcome, weight), options, is_class(outcome))
    numbers = ["count", "mean", "mean_se", "effect", "effect_se", "belief"]
    special = {"missing": None, "rare": naive.POOL, "novel": NOVEL}
    levels = [special.get(kind, level) for kind, level in zip(found.kind, found.level, strict=True)]
    expected = [reference.row(level) for level in levels]
    np.testing.assert_allclose(found[numbers], expected, rtol=1e-9, atol=1e-12)
    groups = [reference.group(level) for level in levels]
    assert found["pooled"].tolist() == [group == naive.POOL for group in groups]
    assert found["suppressed"].tolist() == [g in reference.levels.suppressed for g in groups]


def test_the_table_has_these_columns_and_types(design: Any) -> None:
    table = design(rare_count=30).level_effects("x")
    assert dict(table.dtypes) == {name: np.dtype(kind) for name, kind in COLUMNS.items()}
    assert table.index.tolist() == list(range(len(table)))


def test_levels_stand_in_the_order_of_the_plan_and_special_rows_last(design: Any) -> None:
    plan = design(rare_count=30)
    table = plan.level_effects("x")
    levels = next(t for t in plan.treatments if t.column == "x").levels.to_list()
    assert table["level"].tolist() == [*levels, None, None, None]
    assert table["kind"].tolist() == ["level"] * 4 + ["missing", "rare", "novel"]
    assert design().level_effects("g")["kind"].tolist() == ["level"] * 3 + ["novel"]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_effects_are_the_codes_that_prepare_gives(
    design: Any, outcome: str, options: dict[str, Any]
) -> None:
    plan = design(**options)
    table = plan.level_effects("x").query("kind != 'rare'")
    rows = pd.DataFrame(example_columns(len(table), seed=1))
    rows["x"] = table["level"].where(table["kind"] != "novel", NOVEL).to_numpy()
    treated = vt.prepare(plan, rows)
    np.testing.assert_array_equal(table["effect"], treated[f"x_{IMPACT[plan.outcome_type]}"])


def test_effects_do_not_depend_on_the_kind_of_frame(
    kind: FrameKind, columns: dict[str, list[Any]]
) -> None:
    def effects(frame: Any) -> pd.DataFrame:
        given = {"outcome": "y", "variables": ["x"], "random_state": 0, "rare_count": 30}
        return vt.design_treatments(frame, **given).level_effects("x")

    pd.testing.assert_frame_equal(
        effects(kind.make(columns)), effects(pd.DataFrame(columns)), check_exact=True
    )


@pytest.mark.parametrize("rare_count", [0, 30])
def test_whole_weights_are_repeated_rows(frame: pd.DataFrame, rare_count: float) -> None:
    weight = weights_of(len(frame))
    given = {"outcome": "y", "random_state": 0, "rare_count": rare_count, "variables": ["x", "g"]}
    weighted = vt.design_treatments(frame, sample_weight=weight, **given)
    repeated = vt.design_treatments(frame.loc[frame.index.repeat(weight.astype(int))], **given)
    for column in ("x", "g"):
        tables = [plan.level_effects(column).sort_values("level") for plan in (weighted, repeated)]
        pd.testing.assert_frame_equal(*(t.reset_index(drop=True) for t in tables))


def noise(n_levels: int = 60, rows: int = 4) -> pd.DataFrame:
    """Levels whose rows all hold the same outcomes: less different than chance makes them."""
    level = [f"level {i}" for i in range(n_levels) for _ in range(rows)]
    y = np.tile(np.arange(rows) % 2, n_levels)
    return pd.DataFrame({"x": level, "c": y, "y": 10.0 + 4.0 * y})


@pytest.mark.filterwarnings("ignore:nothing is derived")
@pytest.mark.parametrize("coders", [None, ["catB", "catN"]])
@pytest.mark.parametrize(("outcome", "mean"), [("c", 0.5), ("y", 12.0)])
def test_levels_that_differ_by_chance_only_have_counts_means_and_no_effect(
    outcome: str, mean: float, coders: Any
) -> None:
    frame = noise()
    frame.loc[len(frame)] = {"x": "level 0", "c": 1, "y": 14.0}  # with catP, the column is used
    plan = vt.design_treatments(
        frame, outcome=outcome, variables=["x"], coders=coders, random_state=0
    )
    assert ("x_catP" in plan.feature_names) == (coders is None)
    assert "x_" + IMPACT[plan.outcome_type] not in plan.feature_names
    table = plan.level_effects("x")
    assert table["count"].tolist() == [5.0] + [4.0] * 59 + [0.0]
    np.testing.assert_array_equal(table["mean"][1:60], np.full(59, mean))
    assert (table["mean_se"][:60] > 0).all()
    for column in ("effect", "belief"):
        np.testing.assert_array_equal(table[column], np.zeros(61))
    # That levels differ is not excluded, but it is known that they differ little.
    assert (table["effect_se"] > 0).all()
    assert (
        table["effect_se"][:60] < 0.5 * table["mean_se"][:60] / (0.25 if outcome == "c" else 1)
    ).all()


@pytest.mark.filterwarnings("ignore:nothing is derived")
def test_a_prior_of_classic_designs_is_taken_for_known() -> None:
    plan = vt.design_treatments(
        noise(), outcome="y", variables=["x"], significance="classic", random_state=0
    )
    np.testing.assert_array_equal(plan.level_effects("x")["effect_se"], np.zeros(61))


@pytest.mark.filterwarnings("ignore:nothing is derived")
@pytest.mark.filterwarnings("ignore:column 'x' determines")
def test_outcomes_without_noise_have_no_errors() -> None:
    frame = pd.DataFrame({"x": list("aabbccdd"), "y": [1.0, 1, 3, 3, 4, 4, 7, 7]})
    plan = vt.design_treatments(frame, outcome="y", coders=["catN"], cv=2, random_state=0)
    assert (plan.level_effects("x")["effect_se"] == 0).all()


def test_the_effects_of_two_levels_are_those_of_the_code_that_indicators_replace(
    frame: pd.DataFrame,
) -> None:
    frame["two"] = np.where(frame["x"].isin(["a", "b"]), "up", "down")
    given = {"outcome": "y", "variables": ["two"], "random_state": 0}
    with_indicators = vt.design_treatments(frame, **given)
    assert "two_catN" not in with_indicators.feature_names
    alone = vt.design_treatments(frame, coders=["catN"], **given)
    assert alone.feature_names == ["two_catN"]
    tables = [plan.level_effects("two") for plan in (with_indicators, alone)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    assert (tables[0]["effect"][:2] != 0).all()


def test_a_level_that_only_weightless_rows_have_is_a_novel_one(frame: pd.DataFrame) -> None:
    weight = np.where(frame["x"] == "d", 0.0, 1.0)
    plan = vt.design_treatments(
        frame, outcome="y", variables=["x"], sample_weight=weight, random_state=0
    )
    table = plan.level_effects("x")
    rows = table[(table["level"] == "d") | (table["kind"] == "novel")].drop(
        columns=["level", "kind"]
    )
    assert rows["count"].tolist() == [0.0, 0.0]
    pd.testing.assert_series_equal(*(rows.iloc[i] for i in range(2)), check_names=False)


def test_levels_of_any_type_are_given_as_they_are() -> None:
    x = pd.Series(["\ud800", 1, b"b", None, 2.5, True] * 8, dtype=object)
    plan = vt.design_treatments(
        pd.DataFrame({"x": x}), outcome=np.arange(48) % 7 + 0.5, smoothing=0, random_state=0
    )
    table = plan.level_effects("x")
    # True is the level 1, as in Python.
    assert table["level"].tolist() == ["\ud800", 1, b"b", 2.5, None, None]
    assert table["count"].tolist() == [8.0, 16.0, 8.0, 8.0, 8.0, 0.0]


@pytest.fixture
def of_classes(frame: pd.DataFrame) -> pd.DataFrame:
    frame["m"] = np.array(["low", "mid", "high"])[np.digitize(frame["y"], [-1, 1])]
    return frame


def test_each_class_has_the_effects_of_that_class_against_the_others(
    of_classes: pd.DataFrame,
) -> None:
    given = {"variables": ["x"], "random_state": 0, "rare_sig": 0.2, "rare_count": 30}
    plan = vt.design_treatments(of_classes, outcome="m", **given)
    for target in plan.classes:
        one = vt.design_treatments(of_classes, outcome="m", target=target, **given)
        pd.testing.assert_frame_equal(
            plan.level_effects("x", target=target), one.level_effects("x"), check_exact=True
        )


@pytest.mark.filterwarnings("ignore:nothing is derived")
def test_columns_without_level_effects_say_why(of_classes: pd.DataFrame) -> None:
    of_classes["id"] = [f"row {i}" for i in range(len(of_classes))]
    of_classes["one"] = "same"
    variables = ["x", "g", "z", "id", "one"]

    def design(**options: Any) -> vt.TreatmentPlan:
        given: dict[str, Any] = {"outcome": "y", "variables": variables, "random_state": 0}
        return vt.design_treatments(of_classes, **given | options)

    those = "; columns that have them are 'x', 'g'$"
    numeric, classes = design(), design(outcome="m")
    cases = [
        (numeric, "q", None, "of 'q': the plan was not designed on it" + those),
        (numeric, ["x"], None, r"of \['x'\]: the plan was not designed on it" + those),
        (numeric, "z", None, "of column 'z': it holds numbers" + those),
        (numeric, "one", None, "of column 'one': it has one level only" + those),
        (numeric, "id", None, "of column 'id': the codes asked for would be constant"),
        (numeric, "x", "high", "target='high' is for outcomes of several classes; .* numeric"),
        (design(outcome="c"), "x", "yes", "target='yes' is for outcomes of several classes"),
        (classes, "x", None, "target= is missing: .* 'high', 'low', 'mid'$"),
        (classes, "x", "hi", "target='hi' is no class: .* 'high', 'low', 'mid'$"),
        (
            design(coders=["lev", "catD"]),
            "x",
            None,
            "told to build no impact code; no column has them$",
        ),
        (design(outcome="m", y_dependent_coders=[]), "x", "low", "told to build no impact code"),
        (design(outcome=None, outcome_type="unsupervised"), "x", None, "plan without outcome"),
    ]
    for plan, column, target, message in cases:
        with pytest.raises(InvalidOptionError, match=message):
            plan.level_effects(column, target=target)


@pytest.mark.filterwarnings("ignore:nothing is derived")
def test_a_plan_does_not_remember_the_levels_of_an_unused_identifier() -> None:
    n = 2000
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(n)], "y": np.arange(n) % 7})
    assert len(pickle.dumps(vt.design_treatments(frame, outcome="y", random_state=0))) < 2000


def test_level_effects_are_part_of_the_plan(design: Any, frame: pd.DataFrame) -> None:
    plan = design(rare_count=30)
    same = pickle.loads(pickle.dumps(plan))
    assert same == plan
    pd.testing.assert_frame_equal(same.level_effects("x"), plan.level_effects("x"))
    table = plan.level_effects("x")
    table["effect"] = 0.0
    assert not plan.level_effects("x").equals(table)
    for statistics in plan.level_statistics:
        held = [statistics.count]
        for outcome in statistics.outcomes:
            held += [outcome.mean, outcome.effect, outcome.slots]
        assert not any(array.flags.writeable for array in held)


def test_effects_of_a_plan_share_the_memory_of_its_codes(design: Any) -> None:
    plan = design()
    code = IMPACT[plan.outcome_type]
    tables = {t.column: t.parts[0].tables for t in plan.treatments if t.kind == "levels"}
    for statistics in plan.level_statistics:
        if code in tables[statistics.column]:
            assert statistics.outcomes[0].effect is tables[statistics.column][code]


def draw(seed: int, class_outcome: bool, k: float = 20.0) -> tuple[pd.DataFrame, np.ndarray]:
    """400 levels of 1 to 40 rows, and the true mean, or rate by a beta distribution, of each."""
    random = np.random.default_rng(seed)
    level = np.repeat(np.arange(400), random.integers(1, 41, 400))
    if class_outcome:
        truth = random.beta(0.3 * k, 0.7 * k, 400)
        y = (random.random(len(level)) < truth[level]) * 1
    else:
        truth = random.normal(5.0, 1.0, 400)
        y = truth[level] + random.normal(0, 2.0, len(level))
    return pd.DataFrame({"x": [f"{i:03d}" for i in level], "y": y}), truth


@pytest.mark.parametrize(("class_outcome", "k"), [(False, 20.0), (True, 20.0), (True, 1.5)])
def test_the_truth_is_as_far_from_the_effects_as_their_errors_say(
    class_outcome: bool, k: float
) -> None:
    squares, covered = [], []
    for seed in range(10):
        frame, truth = draw(seed, class_outcome, k)
        plan = vt.design_treatments(frame, outcome="y", variables=["x"], random_state=0)
        table = plan.level_effects("x").iloc[:400].sort_values("level")
        found, error, mean = table["effect"], table["effect_se"], frame["y"].mean()
        if class_outcome:  # from log odds to rates, the delta method undone
            found = 1 / (1 + (1 - mean) / mean * np.exp(-found))
            error = error * found * (1 - found)
        else:
            found = mean + found
        z = (truth - found) / error
        squares.append((z**2).mean())
        covered.append((abs(z) < 1.96).mean())
    assert 0.9 < np.mean(squares) < 1.1
    assert 0.93 < np.mean(covered) < 0.97


@law
@given(st.integers(0, 9), st.floats(0.1, 50))
def test_a_stronger_prior_makes_effects_surer_and_levels_less_believed(
    seed: int, smoothing: float
) -> None:
    frame, _ = draw(seed, False)
    given = {"outcome": "y", "variables": ["x"], "coders": ["catN"], "random_state": 0}
    less, more = (
        vt.design_treatments(frame, smoothing=s, **given).level_effects("x")
        for s in (smoothing, 2 * smoothing)
    )
    assert (more["effect_se"] < less["effect_se"]).all()
    assert (more["belief"][:400] < less["belief"][:400]).all()
    assert less["belief"].between(0, 1).all()


def test_weights_that_sum_to_less_than_two_rows_leave_effects_at_nothing() -> None:
    frame = pd.DataFrame({"x": list("aabbcc") * 3, "z": np.arange(18.0)})
    made = vt.design_treatments(frame, outcome=np.arange(18.0), sample_weight=[0.05] * 18)
    effects = made.level_effects("x")
    assert (effects["effect"] == 0).all()
    assert (effects["effect_se"] == 0).all()
