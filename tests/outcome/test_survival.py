"""Outcomes that are times to an event, some of which are censored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.duration.survfunc import survdiff

import vtreat_py as vt
from tests.outcome.lives import ASKED, FOLDS, GIVEN, expected_of, lives
from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
)
from vtreat_py.outcome.rates import counts_and_exposures


def glm(x: Any, frame: pd.DataFrame, weight: Any = None) -> tuple[float, float]:
    """Slope and share of deviance of a Poisson regression of events on what is expected."""
    hazard = expected_of(frame["days"], frame["died"], frame["days"], weight)
    some = hazard > 0.0
    fit = sm.GLM(
        frame["died"][some].astype(float),
        sm.add_constant(np.asarray(x, dtype=float)[some]),
        family=sm.families.Poisson(),
        offset=np.log(hazard[some]),
        freq_weights=None if weight is None else weight[some],
    ).fit(tol=1e-14)
    return float(fit.params.iloc[1]), 1.0 - fit.deviance / fit.null_deviance


@pytest.mark.parametrize("weighted", [False, True])
def test_each_fold_expects_what_its_training_rows_tell(weighted: bool) -> None:
    """By unsmoothed codes: logarithms of events over expected ones, both of training rows."""
    frame = lives(700)
    weight = np.random.default_rng(1).integers(0, 4, 700) if weighted else None
    given = GIVEN | {"smoothing": 0, "coders": ["catR"], "sample_weight": weight}
    made = vt.cross_frame_experiment(frame, **given).cross_frame["ward_catR"].to_numpy()
    count = np.ones(700) if weight is None else weight.astype(float)
    for training, coded in FOLDS.split(frame):
        time, event = frame["days"].to_numpy()[training], frame["died"].to_numpy()[training]
        known, ward = count[training], frame["ward"].iloc[training]
        seen = pd.Series(known * event).groupby(ward.to_numpy()).sum()
        expected = pd.Series(known * expected_of(time, event, time, known))
        ratio = seen / expected.groupby(ward.to_numpy()).sum()
        code = np.log(np.maximum(ratio[frame["ward"].iloc[coded]], 1e-6))
        np.testing.assert_allclose(made[coded], code, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_poisson_regressions_on_expected_events(weighted: bool) -> None:
    frame = lives(1000)
    weight = np.random.default_rng(1).integers(1, 4, len(frame)) if weighted else None
    experiment = vt.cross_frame_experiment(frame, **GIVEN, sample_weight=weight)
    plan = experiment.plan
    treated = vt.prepare(plan, frame[["ward", "age", "drug"]].sample(frac=1.0, random_state=0))
    treated = treated.sort_index()
    assert {v.code for v in plan.derived} == {"clean", "isBAD", "lev", "catP", "catR"}
    for variable, split in zip(plan.derived, plan.score_frame["needs_split"], strict=True):
        x = (experiment.cross_frame if split else treated)[variable.name]
        slope, rsq = glm(x, frame, weight)
        assert variable.rsq == pytest.approx(rsq, rel=1e-8, abs=1e-10), variable.name
        if not split:
            assert variable.slope == pytest.approx(slope, rel=1e-7), variable.name
    scaled = vt.prepare(plan, frame.sample(frac=1.0, random_state=0), scale=True).sort_index()
    for name in ("age", "age_isBAD", "drug_lev_x_new"):
        assert glm(scaled[name], frame, weight)[0] == pytest.approx(1.0, rel=1e-6)


def test_classic_p_values_are_likelihood_ratio_tests() -> None:
    """Deviances are those of events, not of rows of which as much is expected as on average."""
    frame = lives(700)
    given = GIVEN | {"coders": ["clean", "lev"], "significance": "classic"}
    plan = vt.design_treatments(frame, **given)
    hazard = expected_of(frame["days"], frame["died"], frame["days"])
    some, tested = hazard > 0.0, vt.prepare(plan, frame.iloc[:], prune_sig=None)
    for variable in plan.derived:
        fit = sm.GLM(
            frame["died"][some].astype(float),
            sm.add_constant(tested[variable.name][some]),
            family=sm.families.Poisson(),
            offset=np.log(hazard[some]),
        ).fit(tol=1e-14)
        expected = stats.chi2.sf(fit.null_deviance - fit.deviance, 1)
        np.testing.assert_allclose(variable.sig, expected, rtol=1e-6)


def two_arms(seed: int, n: int, effect: float, leave: float) -> tuple[Any, Any, Any]:
    """Times and events of two arms, the second of which leaves at a rate of its own."""
    rng = np.random.default_rng(seed)
    arm = rng.random(n) < 0.4
    death = rng.exponential(np.exp(-effect * arm))
    gone = rng.exponential(np.where(arm, leave, 1.5))
    return np.ceil(50.0 * np.minimum(death, gone)), death <= gone, arm


def z_of(time: FloatArray, event: BoolArray, arm: BoolArray, *coders: str) -> float:
    """Distance from 0 of a normal variable that has our p-value of the arms."""
    plan = vt.design_treatments(
        pd.DataFrame({"arm": np.where(arm, "a", "b")}), outcome=(time, event), **ASKED,
        cv=2, random_state=0, coders=coders, smoothing=0, min_fraction=0,
    )  # fmt: skip
    return float(stats.norm.isf((*plan.derived, *plan.dropped)[0].sig / 2.0))


@pytest.mark.parametrize("effect", [0.0, 0.5])
@pytest.mark.parametrize("leave", [1.5, 0.3], ids=["alike", "censored early"])
def test_an_indicator_has_the_log_rank_test(effect: float, leave: float) -> None:
    """Numerators and variances are the same; p-values are those of permutations."""
    for seed in range(12):
        lived = two_arms(seed, 300, effect, leave)
        log_rank = np.sqrt(survdiff(*lived)[0])
        for code in ("lev", "catR"):
            assert z_of(*lived, code) == pytest.approx(log_rank, rel=0.03, abs=0.01)


def test_few_events_of_an_arm_are_counted() -> None:
    """There the normal approximation of the log-rank test has too many small p-values."""
    for seed in range(12):
        lived = two_arms(seed, 100, 0.0, 0.1)
        assert z_of(*lived, "lev") <= np.sqrt(survdiff(*lived)[0]) + 0.05


def test_lifelines_has_the_same_log_rank_test() -> None:
    statistics = pytest.importorskip("lifelines.statistics")
    for seed in range(10):
        time, event, arm = two_arms(seed, 300, 0.4, 1.5 if seed < 5 else 0.3)
        theirs = statistics.logrank_test(time[arm], time[~arm], event[arm], event[~arm])
        ours = z_of(time, event, arm, "lev")
        assert ours == pytest.approx(np.sqrt(theirs.test_statistic), rel=0.02, abs=0.01)


def test_columns_are_in_the_order_of_cox_regressions() -> None:
    """Score tests at 0 for numbers, log-rank tests for levels."""
    rng = np.random.default_rng(4)
    n, k = 600, 40
    log_rate = rng.normal(0.0, 0.5, n)
    numbers = rng.normal(size=(n, k)) + np.linspace(0.0, 1.0, k) * log_rate[:, None]
    death, gone = rng.exponential(np.exp(-log_rate)), rng.exponential(1.5, n)
    time, event = np.minimum(death, gone), death <= gone
    given: dict[str, Any] = {"outcome": (time, event), **ASKED, "cv": 2, "random_state": 0}
    frame = pd.DataFrame(numbers).add_prefix("x")
    ours = stats.norm.isf(vt.design_treatments(frame, **given).score_frame["sig"] / 2.0)
    scores = []
    for x in numbers.T:
        model = PHReg(time, x[:, None], status=event)
        scores.append(model.score(np.zeros(1))[0] / np.sqrt(-model.hessian(np.zeros(1))[0, 0]))
    np.testing.assert_allclose(ours, np.abs(scores), rtol=0.02, atol=0.02)
    assert stats.spearmanr(ours, np.abs(scores)).statistic > 0.999
    levels = frame.apply(lambda x: pd.qcut(x, 5, labels=list("abcde")).astype(str))
    plan = vt.design_treatments(levels, **given, smoothing=0, coders=["catR", "lev"])
    tried = {v.orig_variable: v.sig for v in (*plan.derived, *plan.dropped) if v.code == "catR"}
    log_rank = [survdiff(time, event, levels[name])[1] for name in levels]
    assert stats.spearmanr([tried[name] for name in levels], log_rank).statistic > 0.99


def test_codes_of_few_rows_a_level_do_not_rest_on_folds() -> None:
    """Squares of few rows, each over what little was expected of it, hid what levels say."""
    random, beliefs, error = np.random.default_rng(0), [], []
    for _ in range(6):
        level, effect = random.integers(0, 30, 300), 0.5 * random.normal(size=30)
        frame = pd.DataFrame({"x": level.astype(str), "z": random.normal(size=300)})
        time = random.exponential(np.exp(-effect[level] - 0.5 * np.abs(frame["z"])))
        given = GIVEN | {"outcome": (time, random.random(300) < 0.8), "variables": ["x", "z"]}
        given |= {"coders": ["catR", "piecewise", "window"]}
        plans = [vt.design_treatments(frame, **given | {"cv": cv}) for cv in (2, 30)]
        new = frame.iloc[:50]
        one, other = (vt.prepare(plan, new, prune_sig=None) for plan in plans)
        same = one.columns.intersection(other.columns)
        np.testing.assert_allclose(one[same], other[same], rtol=1e-9, atol=1e-12)
        levels = plans[0].level_effects("x").query("kind == 'level'")
        beliefs.append(levels["belief"].mean())
        off = levels["effect"] - effect[levels["level"].astype(int)]
        error.append((off - off.mean()).pow(2).mean())
    # Eight events of a level, each of variance 1, and a variance of .25 between levels.
    assert 0.5 < np.mean(beliefs) < 0.8
    assert np.mean(error) < 0.13


def test_whole_weights_are_repeated_rows() -> None:
    weight = np.random.default_rng(0).integers(0, 4, 500)
    frame = lives(500).assign(fold=np.arange(500) % 4, weight=weight)
    given = GIVEN | {"cv": "fold", "smoothing": 0}
    one = vt.cross_frame_experiment(frame, **given, sample_weight="weight")
    rows = frame.index.repeat(weight)
    repeated = frame.loc[rows].drop(columns="weight").reset_index(drop=True)
    other = vt.cross_frame_experiment(repeated, **given)
    assert one.plan.feature_names == other.plan.feature_names
    np.testing.assert_array_equal(one.cross_weights, weight)
    assert other.cross_weights is None
    codes = [made.cross_frame.to_numpy() for made in (one, other)]
    np.testing.assert_allclose(codes[0][rows], codes[1], rtol=1e-9, atol=1e-11)
    for name in ("rsq", "sig"):
        scores = [made.plan.score_frame[name] for made in (one, other)]
        np.testing.assert_allclose(*scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "change", [lambda t: t * 365.25, lambda t: t * 1e-30, np.log1p, lambda t: np.exp(t / 9.0)]
)
def test_only_the_order_of_times_matters(change: Callable[[Any], Any]) -> None:
    frame = lives(600)
    one, other = (
        vt.cross_frame_experiment(f, **GIVEN)
        for f in (frame, frame.assign(days=change(frame["days"])))
    )
    assert one.plan == other.plan
    pd.testing.assert_frame_equal(one.cross_frame, other.cross_frame, check_exact=True)


@pytest.mark.halved
@pytest.mark.parametrize(
    "options",
    [
        {"collar_prob": 0.05, "imputation": "median"},
        {"scale": True, "smoothing": 3.0},
        {"scale": True, "sample_weight": np.arange(300) % 3},
        {"sample_weight": np.arange(300) % 3 + 0.5, "weight_kind": "importance", "scale": True},
        {"composites": [("ward", "drug"), ("drug", "age")], "rare_count": 2},
        {"hierarchies": {"ward": "drug"}, "smoothing": 2.0},
        {"smoothing": "mixed"},
    ],
)
def test_a_row_has_no_influence_on_its_own_codes(options: dict[str, Any]) -> None:
    frame = lives(300)
    made = vt.cross_frame_experiment(frame, **GIVEN, **options).cross_frame
    for row in (0, 24, int(frame["days"].argmax())):
        for days, died in ((0.0, False), (1e9, True)):
            changed = frame.copy()
            changed.loc[row, ["days", "died"]] = days, died
            changed["died"] = changed["died"].astype(bool)
            other = vt.cross_frame_experiment(changed, **GIVEN, **options).cross_frame
            same = [name for name in made.columns if name in other.columns]
            assert {"ward_catP", "ward_catR", "age"} <= set(same)
            np.testing.assert_array_equal(made.loc[row, same], other.loc[row, same])


def test_rows_that_tell_nothing_have_codes() -> None:
    """Of no weight, or gone before any event: their hazard is 0."""
    frame = lives(300)
    frame.loc[:9, ["days", "died"]] = 0.0, False
    frame.loc[10:19, "days"], weight = 0.0, np.where(frame.index < 20, frame.index < 10, 1)
    frame.loc[:4, "ward"] = "of them alone"
    for rare_count in (0, 6):
        given = GIVEN | {"sample_weight": weight, "rare_count": rare_count}
        experiment = vt.cross_frame_experiment(frame, **given)
        assert np.isfinite(experiment.cross_frame.to_numpy()).all()
        scores = experiment.plan.score_frame[["rsq", "sig"]]
        assert np.isfinite(scores.to_numpy(dtype=float)).all()


def test_rows_count_alike_where_the_outcome_is_not_asked() -> None:
    """Means that stand for missing values, and shares of levels."""
    frame = lives(900)
    plan = vt.design_treatments(frame, **GIVEN)
    new = pd.DataFrame({"ward": ["w01", "w02"], "age": [np.nan, np.nan], "drug": "new"})
    treated = vt.prepare(plan, new, prune_sig=None)
    assert treated["age"].to_numpy() == pytest.approx(frame["age"].mean(), rel=1e-14)
    shares = frame["ward"].value_counts(normalize=True)[["w01", "w02"]]
    np.testing.assert_allclose(treated["ward_catP"], shares, rtol=1e-14)


def test_plans_are_data_and_queries() -> None:
    frame = lives(900)
    plan = vt.design_treatments(frame, **GIVEN)
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    new = lives(60, seed=5)
    pd.testing.assert_frame_equal(vt.prepare(again, new), vt.prepare(plan, new))
    effects = plan.level_effects("ward")
    pd.testing.assert_frame_equal(again.level_effects("ward"), effects)
    np.testing.assert_allclose(effects["rate_ratio"], np.exp(effects["effect"]))
    assert plan.check_sql(duckdb.connect(), new).passed
    assert "times to an event" in plan.report()._repr_html_()
    importance = vt.variable_importance(frame, **GIVEN).set_index("variable")
    assert importance.loc["age", "sig"] < 0.05


def test_groups_and_series_have_tests_of_their_own() -> None:
    """A column that is constant in groups: tested against groups, not rows."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(100), 20)
    days = rng.exponential(1.0 / rng.gamma(1.0, size=100)[group])
    frame = pd.DataFrame(
        {"x": (group % 10).astype(str), "days": days, "died": rng.random(2000) < 0.8}
    )
    given: dict[str, Any] = {**ASKED, "outcome": ("days", "died"), "coders": ["catR", "lev"]}
    rows = vt.design_treatments(frame, **given, random_state=0)
    groups = vt.design_treatments(frame, **given, groups=group, random_state=0)
    ordered = vt.design_treatments(frame, **given, cv="ordered", significance="ordered")
    least = [plan.score_frame["sig"].min() for plan in (rows, groups, ordered)]
    assert least[0] < 0.001 < least[1]
    assert 0.0 <= least[2] <= 1.0


def test_columns_of_y_are_times_and_events() -> None:
    frame = lives(300)
    X, both = frame[["ward", "age", "drug"]], frame[["days", "died"]]
    by_name = vt.SurvivalOutcomeTreatment(cv=FOLDS)
    made = by_name.fit_transform(frame, ("days", "died"))
    pd.testing.assert_frame_equal(by_name.fit_transform(frame, ["days", "died"]), made)
    assert by_name.feature_names_in_.tolist() == ["ward", "age", "drug"]
    swapped = both[["died", "days"]]
    listed = list(both.itertuples(index=False, name=None))
    for y in (
        (frame["days"], frame["died"]), both, swapped, both.to_numpy(dtype=float), listed,
        swapped.to_records(index=False), pl.from_pandas(both), pl.from_pandas(swapped),
        pa.Table.from_pandas(both), pa.Table.from_pandas(swapped),
        (pd.to_timedelta(frame["days"], "D"), both["died"]), swapped.astype({"died": "boolean"}),
    ):  # fmt: skip
        treatment = vt.SurvivalOutcomeTreatment(cv=FOLDS)
        pd.testing.assert_frame_equal(treatment.fit_transform(X, y), made)
    every = (frame["days"], np.ones(300, dtype=bool))
    made = vt.SurvivalOutcomeTreatment(cv=FOLDS).fit_transform(X, every)
    alone = frame["days"].to_numpy()
    for y in (alone, frame["days"], alone[:, None], alone.tolist(), both[["days"]]):
        treatment = vt.SurvivalOutcomeTreatment(cv=FOLDS)
        pd.testing.assert_frame_equal(treatment.fit_transform(X, y), made)


TIMES = lives(300)["days"]
EVENTS = lives(300)["died"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"outcome": (-TIMES, EVENTS)}, OutcomeError, "300 times .* the first is -142 in row 0"),
        (
            {"outcome": (TIMES.where(TIMES.index != 3), EVENTS)},
            OutcomeError,
            "has 1 times that are no numbers from 0 on, the first is nan in row 3; give the time",
        ),
        ({"outcome": (TIMES * np.inf, EVENTS)}, OutcomeError, "the first is inf in row 0"),
        ({"outcome": ("ward", "died")}, OptionTypeError, "times must be numbers or durations"),
        (
            {"outcome": (pd.to_datetime(TIMES, unit="D"), EVENTS)},
            OptionTypeError,
            "durations since each row began",
        ),
        ({"outcome": ("days", "drug")}, OptionTypeError, "events must be True or 1 where"),
        ({"outcome": (TIMES, EVENTS + 1)}, OutcomeError, "are 2 in row 0; .* give status == 2"),
        ({"outcome": (EVENTS, TIMES)}, OutcomeError, "142 in row 0; .*Times come first"),
        (
            {"outcome": (TIMES, EVENTS.where(EVENTS.index != 3, np.nan).astype(float))},
            OutcomeError,
            "events of the outcome are missing in 1 row, the first is row 3",
        ),
        ({"outcome": (TIMES, EVENTS & False)}, OutcomeError, "no event is seen in a row that"),
        ({"sample_weight": 1 - EVENTS}, OutcomeError, "all times are censored"),
        ({"outcome": np.ones((300, 3))}, OutcomeError, "has 3 columns; times to an event have two"),
        (
            {"outcome": TIMES * 0.0},
            OutcomeError,
            "all events are at the last time, when no row is left",
        ),
        ({"outcome": ("dayz", "died")}, FrameError, "times of the outcome='dayz' .* mean 'days'"),
        ({"outcome": ("days", "dyed")}, FrameError, "events of the outcome='dyed' .* mean 'died'"),
        ({"outcome": (TIMES, EVENTS[:9])}, FrameError, "events of the outcome has 9 values"),
        ({"outcome": None}, OutcomeError, "outcome is missing"),
        (
            {"variables": ["age", "died"]},
            InvalidOptionError,
            r"variables names \['died'\], which is",
        ),
        ({"cv": "days"}, InvalidOptionError, "cv='days' is the outcome: folds must not depend"),
        ({"groups": "died"}, InvalidOptionError, "groups='died' is the outcome"),
        ({"target": 1}, OutcomeError, 'outcome_type="survival" has none'),
        ({"exposure": "age"}, InvalidOptionError, 'this one is "survival"'),
        ({"coders": ["catN"]}, InvalidOptionError, "no code for an outcome of type 'survival'"),
        ({"keep_statistics": True}, InvalidOptionError, 'not of outcome_type="survival"'),
    ],
)
def test_errors(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        vt.design_treatments(lives(300), **GIVEN | change)


def test_other_verbs_say_that_they_do_not_know_times() -> None:
    frame = lives(300)
    named: dict[str, Any] = {**ASKED, "outcome": ("days", "died")}
    with pytest.raises(InvalidOptionError, match=r'designed on .* not of outcome_type="survival"'):
        vt.design_treatments(pl.from_pandas(frame).lazy(), **named)
    with pytest.raises(InvalidOptionError, match='"survival": interactions are looked for in'):
        vt.find_interactions(frame, **named)
    for components in (vt.YAwarePCA, vt.YAwareScaler):
        with pytest.raises(InvalidOptionError, match='"survival": y-aware components are of'):
            components(outcome_type="survival").fit(frame[["days"]], frame[["days", "died"]])
    with pytest.raises(InvalidOptionError, match="privacy= with outcome_type='survival'"):
        vt.design_treatments(frame, **named, privacy=vt.DifferentialPrivacy(1.0, 1e-6))
    plan = vt.design_treatments(frame, **GIVEN)
    with pytest.raises(InvalidOptionError, match="does not know how many rows a level has"):
        plan.for_scoring(min_rows=3)


def test_marks_of_few_rows_have_the_slopes_of_poisson_regressions() -> None:
    random = np.random.default_rng(5)
    frame = lives(2000)
    frame.loc[:11, "ward"], frame.loc[:11, "days"], frame.loc[:11, "died"] = "short", 1.0, True
    frame["ward"] = np.where(random.random(2000) < 0.5, frame["ward"], "other")
    frame.loc[:11, "ward"] = "short"
    given = ASKED | {"outcome": ("days", "died"), "cv": FOLDS, "coders": ["lev"]}
    plan = vt.design_treatments(frame, **given, min_fraction=0.001)
    mark = (frame["ward"] == "short").astype(float)
    slope, rsq = glm(mark, frame)
    (found,) = (v for v in plan.derived if v.name == "ward_lev_x_short")
    assert found.slope == pytest.approx(slope, rel=1e-6)
    assert found.rsq == pytest.approx(rsq, rel=1e-6)


def hardly_watched() -> pd.DataFrame:
    """A ward whose patients leave before the first death, and numbers missing where it is short."""
    frame = lives(600)
    early = np.arange(600) < 80
    frame.loc[early, ["ward", "days", "died"]] = "early", 0.5, False
    frame.loc[frame["days"] < 20, "age"] = np.nan
    return frame


def test_audits_compare_rows_with_rows() -> None:
    frame = hardly_watched()
    plan = vt.design_treatments(frame, **GIVEN)
    again = frame.sample(frac=1.0, random_state=0).reset_index(drop=True)
    audit = plan.audit(again)
    assert not audit.frame["drifted"].any()
    np.testing.assert_allclose(audit.frame["missing_then"], audit.frame["missing_now"], atol=1e-12)
    assert plan.novel_levels(again).empty
    assert vt.TreatmentPlan.from_json(plan.to_json()).audit(again).frame.equals(audit.frame)


def test_rows_of_outcomes_in_two_arrays_are_compared_with_those_of_the_frame() -> None:
    frame = lives(200)
    X, days, died = frame[["ward"]], frame["days"], frame["died"]
    for y in ((days, died[::-1]), (days[::-1], died[::-1])):
        with pytest.warns(UserWarning, match="of y have different indexes"):
            vt.SurvivalOutcomeTreatment(random_state=0).fit(X, y)
    for y in ((days, died), [days, died], [days.to_numpy(), died.to_numpy()]):
        vt.SurvivalOutcomeTreatment(random_state=0).fit(X, y)


def test_what_would_mislead_is_said() -> None:
    frame = lives(300)
    pair = frame[["days", "died"]]
    with (
        pytest.warns(UserWarning, match="'died' is the outcome itself"),
        pytest.warns(UserWarning, match="'days' is the outcome itself"),
    ):
        vt.SurvivalOutcomeTreatment(random_state=0).fit(frame, pair)
    random = np.random.default_rng(0)
    time = random.exponential(np.exp(-2.5 * np.sin(np.arange(300) / 15.0)))
    with pytest.warns(UserWarning, match="the outcomes of neighbouring rows are alike"):
        vt.design_treatments(
            frame[["ward"]], outcome=(time, np.ones(300, dtype=bool)), cv="ordered", **ASKED
        )


@pytest.mark.parametrize("make", [vt.SurvivalOutcomeTreatment, vt.RateOutcomeTreatment])
def test_outcomes_without_columns_are_refused(make: Any) -> None:
    for y in (np.zeros((40, 0)), pd.DataFrame(index=range(40))):
        with pytest.raises(OutcomeError, match="has 0 columns"):
            make().fit(lives(40)[["ward"]], y)


def test_tuples_that_are_no_times_and_events_are_named() -> None:
    frame = lives(40)
    days, died = frame["days"], frame["died"]
    with pytest.raises(OutcomeError, match="a tuple of 3; times to an event have two"):
        vt.SurvivalOutcomeTreatment().fit(frame[["ward"]], (days, died, days))
    with pytest.raises(OutcomeError, match=r"a tuple of 2 arrays: .*outcome_type=\"survival\""):
        vt.design_treatments(frame[["ward"]], outcome=(days, died))
    plan = vt.design_treatments(lives(500), **GIVEN)
    with pytest.raises(InvalidOptionError, match="what times to an event let one expect"):
        plan.for_scoring(min_rows=2)


def test_two_numbers_are_no_two_arrays() -> None:
    y = [np.float64(3.0), np.float64(1.0)]
    count, exposure = counts_and_exposures(y)
    assert count is y
    assert exposure is None
