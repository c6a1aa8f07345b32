"""`smoothing="mixed"`: codes are predictions of mixed models, as other programs make them."""

import json
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import optimize
from sklearn.model_selection import KFold

import vtreat_py as vt
from tests.coders.coding import cross_codes, pooled_whole
from tests.coders.test_likelihood import drawn, example_of
from tests.oracle import BESIDE, Case, pairs
from vtreat_py.coders.cat_b import cat_b
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.coders.random_intercepts import RandomIntercepts, RandomInterceptsPoint
from vtreat_py.coders.uncertainty import KnownLevels
from vtreat_py.statistics.equal_rates import EqualRates
from vtreat_py.statistics.level_view import held_out_view, training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.testing import own_outcome_influence

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


def rate_of(log_odds):
    return 1 / (1 + np.exp(-log_odds))


def modes(weight, hits, mean, variance):
    """By bisection, a level at a time."""
    return np.array(
        [
            optimize.brentq(lambda e, n=n, y=y: e - mean - variance * (y - n * rate_of(e)), -99, 99)
            for n, y in zip(weight, hits, strict=True)
        ]
    )


def laplace(parameters, weight, hits):
    """Minus the logarithm of Laplace's likelihood, of the mean and the standard deviation."""
    mean, variance = parameters[0], parameters[1] ** 2
    e = modes(weight, hits, mean, variance)
    p = rate_of(e)
    off = hits - weight * p
    height = hits * e - weight * np.logaddexp(0, e) - variance * off**2 / 2
    return -(height - 0.5 * np.log1p(variance * weight * p * (1 - p))).sum()


def best(weight, hits):
    """The mean and the standard deviation of the greatest likelihood."""
    start = np.log(hits.sum() / (weight - hits).sum())
    found = [
        optimize.minimize(
            laplace,
            (start, spread),
            (weight, hits),
            "Nelder-Mead",
            options={"xatol": 1e-8, "fatol": 1e-11},
        )
        for spread in (0.3, 2.0)
    ]
    return min(found, key=lambda one: one.fun)


def model_of(weight, hits):
    sums = OutcomeSums(np.asarray(weight, float), np.asarray(hits, float))
    pooled = pool_levels(training_view([sums]), 0, None, True)
    return pooled.random_intercepts[0], cat_b(pooled, "mixed")


TABLES = {
    "alike": ([9, 8, 7, 12], [3, 3, 2, 4]),
    "apart": ([9, 8, 7, 12, 3], [8, 1, 2, 11, 3]),
    "pure": ([9, 8, 7, 4], [9, 0, 7, 0]),
    "rare": ([40, 90, 200, 15, 3], [0, 6, 1, 0, 1]),
    "large": ([400, 900, 2000, 150, 3000], [100, 306, 999, 70, 700]),
    "fractions": ([4.5, 9.25, 2.125, 0.5, 7.75], [4.0, 1.25, 1.5, 0.25, 3.5]),
    "one row each, but for one": ([1, 1, 1, 1, 6], [1, 0, 0, 1, 5]),
}


@pytest.mark.parametrize("table", TABLES)
def test_no_mean_and_variance_are_likelier_by_laplace(table):
    weight, hits = np.array(TABLES[table], float)
    model, (codes, novel) = model_of(weight, hits)
    found, expected = (model.intercept[0], np.sqrt(model.variance[0])), best(weight, hits)
    assert laplace(found, weight, hits) <= expected.fun + 1e-8
    log_odds = modes(weight, hits, found[0], model.variance[0])
    centre = (weight * log_odds).sum() / weight.sum()
    np.testing.assert_allclose(codes, log_odds - centre, atol=1e-8)
    np.testing.assert_allclose(novel, found[0] - centre, atol=1e-8)
    assert (model.variance[0] > 0) == (table not in ("alike", "one row each, but for one"))


def test_it_is_found_beyond_a_valley():
    # The likelihood falls at 0, and has its top elsewhere.
    weight, hits = np.array([1.0] * 30 + [40, 60, 90]), np.array([0.0] * 30 + [2, 14, 40])
    weight, hits = np.append(weight, [1.0] * 30), np.append(hits, [1.0] * 30)
    model, _ = model_of(weight, hits)
    found = model.intercept[0], np.sqrt(model.variance[0])
    assert laplace(found, weight, hits) <= best(weight, hits).fun + 1e-8


@pytest.mark.parametrize(
    ("weight", "hits"), [([1, 1, 1], [0, 1, 1]), ([5, 7], [5, 7]), ([5, 0], [3, 0])]
)
def test_tables_that_tell_nothing_give_no_codes(weight, hits):
    model, (codes, novel) = model_of(weight, hits)
    assert not model.tells[0]
    assert not codes.any()
    assert not novel.any()


@pytest.mark.parametrize("rare_count", [0, 3])
def test_all_views_and_mergings_give_the_same(rare_count):
    example = drawn(3, n_levels=300, rows=3000)
    example = replace(example, y=(example.y > 0.4).astype(np.int8))
    table = example.table()
    held_out = pool_levels(held_out_view(table, 4), rare_count, None, True)
    parts = [table.held_out(k).by_level() for k in range(4)]
    whole = pool_levels(training_view(parts), rare_count, None, True)
    alone = [pool_levels(training_view([part]), rare_count, None, True) for part in parts]
    expected = [cat_b(one, "mixed") for one in alone]
    codes, novel = cat_b(whole, "mixed")
    np.testing.assert_array_equal(codes, np.concatenate([one[0] for one in expected]))
    np.testing.assert_array_equal(novel, np.concatenate([one[1] for one in expected]))
    crossed, _ = cat_b(held_out, "mixed")
    entry = table.fold.astype(int) * table.n_levels + table.level
    np.testing.assert_allclose(crossed, codes[entry], atol=1e-9)
    near = replace(example, weight=np.full(3000, 1 + 1e-9))  # too odd to be merged
    np.testing.assert_allclose(
        cat_b(pooled_whole(near, rare_count * (1 + 1e-6)), "mixed")[0],
        cat_b(pooled_whole(example, rare_count), "mixed")[0],
        atol=1e-6,
    )


def test_levels_are_merged_by_rows_and_hits():
    sums = OutcomeSums(np.array([2.0, 3, 2, 0.5, 2, 200, 0]), np.array([1.0, 3, 1, 0.5, 2, 7, 0]))
    equal = EqualRates.of_view(training_view([sums]), 0.0)
    cells = list(zip(equal.weight, equal.hits, equal.count, strict=True))
    assert cells == [(2, 1, 2), (2, 2, 1), (3, 3, 1), (0.5, 0.5, 1), (200, 7, 1)]
    assert equal.place.tolist() == [0, 2, 0, 3, 1, 4, -1]


def test_a_training_set_has_no_part_in_the_search_of_another():
    example = drawn(4, n_levels=200, rows=2000)
    example = replace(example, y=(example.y > 1).astype(np.int8))
    codes, novel = cross_codes(example, lambda pooled: cat_b(pooled, "mixed"))
    for row in range(40):
        y = example.y.copy()
        y[row] = 1 - y[row]
        again, novel_again = cross_codes(replace(example, y=y), lambda p: cat_b(p, "mixed"))
        assert again[row] == codes[row]
        assert novel_again[example.fold[row]] == novel[example.fold[row]]


def test_derivatives_are_those_of_the_likelihood():
    equal = EqualRates.of_view(
        training_view([OutcomeSums(*np.array(TABLES["fractions"], float))]), 0.0
    )
    model = RandomIntercepts(equal, OutcomeSums(equal.weight, equal.hits).merged())
    low, at, high = (RandomInterceptsPoint(model, np.array([s])) for s in (0.7999, 0.8, 0.8001))
    slope = (high.likelihood() - low.likelihood()) / 2e-4
    bend = (high.slope - low.slope) / 2e-4
    np.testing.assert_allclose(at.slope, slope, rtol=1e-6)
    np.testing.assert_allclose(at.step(), 0.8 * np.expm1(-slope / (slope + 0.8 * bend)), rtol=1e-5)


# Made by statsmodels 0.15.0: mixedlm("y ~ 1", groups=level).fit(reml=True), the intercept and the
# random effects, less the mean of y.
OF_STATSMODELS = [
    -0.160683,
    0.856120,
    -0.907442,
    -0.380842,
    0.708562,
    -0.747920,
    -0.258329,
    0.719812,
]
INTERCEPT_OF_STATSMODELS = -0.021340


def test_codes_of_numbers_are_predictions_of_statsmodels():
    k = np.arange(60)
    level = (k * k + k // 7) % 8
    y = np.sin(level * 2.0) + 1.5 * np.sin(k * 5.0)
    codes, novel = cat_n(pooled_whole(example_of(level, y)), "mixed")
    np.testing.assert_allclose(codes, OF_STATSMODELS, atol=2e-6)
    np.testing.assert_allclose(novel, INTERCEPT_OF_STATSMODELS, atol=2e-6)


def test_levels_that_stand_out_make_a_mixture_by_auto_alone():
    random = np.random.default_rng(3)
    code = np.repeat(np.arange(100), 8)
    example = example_of(code, random.normal(size=800) + 6.0 * (code < 5))
    pooled = pooled_whole(example)
    mixed, auto = cat_n(pooled, "mixed")[0], cat_n(pooled, "auto")[0]
    assert np.abs(mixed - auto).max() > 0.1
    means = pd.Series(example.y).groupby(code).mean()
    line = np.polyfit(means, mixed, 1)
    np.testing.assert_allclose(mixed, np.polyval(line, means), atol=1e-9)


@pytest.mark.skipif(not BESIDE.exists(), reason="the oracle is not beside this checkout")
@pytest.mark.parametrize("name", ["i3_radon_pooled_N", "i4_radon_pooled_C"])
def test_codes_are_those_of_lme4(name):
    case = Case(BESIDE / name)
    config, train, test = case.config, case.frame("train"), case.frame("test")
    kind = config["kind"]
    ours, theirs = ("county_catN" if kind == "N" else "county_catB"), f"county_pool{kind}"
    made = vt.cross_frame_experiment(
        train,
        outcome=config["outcome"],
        variables=["county"],
        smoothing="mixed",
        cv=pairs(config["split_plan"]),
    )
    # Where glmer stopped, the likelihood is 2e-7 below ours.
    near = {"rtol": 1e-4, "atol": 1e-4}
    seen = test["county"].isin(train["county"]).to_numpy()
    treated = vt.prepare(made.plan, test)
    np.testing.assert_allclose(
        treated[ours][seen], case.frame("treated_test")[theirs][seen], **near
    )
    crossed = case.frame("cross_frame")[theirs].to_numpy()
    for training, applied in pairs(config["split_plan"]):
        known = applied[train["county"].iloc[applied].isin(train["county"].iloc[training])]
        assert len(known) > 150
        np.testing.assert_allclose(made.cross_frame[ours].iloc[known], crossed[known], **near)


def frame(n_rows=400):
    random = np.random.default_rng(8)
    town = random.integers(12, size=n_rows)
    signal = np.sin(town) + 0.7 * random.normal(size=n_rows)
    return pd.DataFrame(
        {
            "id": np.arange(n_rows),
            "town": [None if t == 5 else f"town {t}" for t in town],
            "y": signal.round(3),
            "big": (signal > 0.8).astype(int),
            "kind": np.array(["low", "mid", "high"])[np.digitize(signal, [-0.5, 0.8])],
            "w": random.integers(0, 4, n_rows),
            "group": random.integers(0, 60, n_rows),
        }
    )


OPTIONS = {"variables": ["town"], "smoothing": "mixed", "row_id": "id", "cv": 4, "random_state": 0}
NEW = pd.DataFrame({"town": ["town 1", None, "town 11", "never seen"]})


@pytest.mark.halved
@pytest.mark.parametrize("outcome", ["y", "big", "kind"])
@pytest.mark.parametrize("weights", [None, "w"])
def test_json_sql_engines_and_kept_statistics_agree(outcome, weights):
    train, options = frame(), OPTIONS | {"outcome": outcome, "sample_weight": weights}
    made = vt.cross_frame_experiment(train, scale=True, **options)
    plan, treated = made.plan, vt.prepare(made.plan, NEW)
    impact = [n for n in treated if n.endswith(("catN", "catB"))]
    assert len(impact) == {"y": 1, "big": 1, "kind": 3}[outcome]
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert again.options.smoothing == "mixed"
    with duckdb.connect() as connection:
        assert plan.check_sql(connection, NEW).passed
    lazy = vt.cross_frame_experiment(pl.from_pandas(train).lazy(), scale=True, **options)
    np.testing.assert_allclose(vt.prepare(lazy.plan, NEW), treated, rtol=1e-8)
    crossed = lazy.cross_frame.collect().sort("id").to_pandas()
    np.testing.assert_allclose(crossed, made.cross_frame, rtol=1e-7)
    parts = [
        vt.design_treatments(train[some], keep_statistics=True, **options).statistics
        for some in (train["id"] < 150, train["id"] >= 150)
    ]
    merged = (parts[0] + parts[1]).plan()
    np.testing.assert_allclose(vt.prepare(merged, NEW)[impact], treated[impact], rtol=1e-8)
    target = "high" if outcome == "kind" else None
    effects = plan.level_effects("town", target=target)
    assert effects["effect_se"].gt(0).all()
    pd.testing.assert_frame_equal(effects, again.level_effects("town", target=target))


TREATMENTS = {
    "y": vt.NumericOutcomeTreatment,
    "big": vt.BinomialOutcomeTreatment,
    "kind": vt.MultinomialOutcomeTreatment,
}


@pytest.mark.halved
@pytest.mark.parametrize("outcome", TREATMENTS)
@pytest.mark.parametrize("significance", ["calibrated", "classic"])
@pytest.mark.parametrize("cv", [KFold(4, shuffle=True, random_state=0), "ordered"])
def test_own_outcomes_do_not_move_own_codes(outcome, significance, cv):
    train = frame(120)
    y = train[outcome] * 100 if outcome == "y" else train[outcome]
    treatment = TREATMENTS[outcome](
        cv=cv, smoothing="mixed", significance=significance, prune_sig=None
    )
    given = {"sample_weight": train["w"] + 1.0, "rows": (3, 77, 118)}
    found = own_outcome_influence(treatment, train[["town"]], y, push=100.0, **given)
    assert found.largest <= 1e-10


def test_groups_stay_in_a_fold():
    made = vt.cross_frame_experiment(
        frame(),
        outcome="big",
        variables=["town"],
        smoothing="mixed",
        groups="group",
        random_state=0,
    )
    assert made.cross_frame["town_catB"].std() > 0.1


@pytest.mark.parametrize("given", ["REML", "moments", ""])
def test_other_words_are_refused(given):
    with pytest.raises(vt.VtreatError, match=r'smoothing=.*give a number >= 0, "auto" or "mixed"'):
        vt.design_treatments(frame(), outcome="y", smoothing=given)
    text = vt.design_treatments(frame(), outcome="y", **OPTIONS).to_json()
    text = json.dumps(json.loads(text)).replace('"mixed"', f'"{given}"')
    with pytest.raises(vt.VtreatError, match="smoothing: expected a number or one of"):
        vt.TreatmentPlan.from_json(text)


@pytest.mark.long
def test_errors_of_log_odds_cover_nine_in_ten():
    """Levels of 15 rows, ten of them, a rate of about .2; 1.645 standard errors."""
    random = np.random.default_rng(2)
    within = []
    for _ in range(50):
        truth = -1.4 + 0.9 * random.normal(size=10)
        weight = np.full(10, 15.0)
        hits = random.binomial(15, rate_of(truth)).astype(float)
        _, (codes, _) = model_of(weight, hits)
        overall = hits.sum() / weight.sum()
        known = KnownLevels(weight, hits / weight - overall, None, overall, mixed=True)
        error = np.sqrt(known.log_odds_variance(weight, hits / weight))
        log_odds = codes + np.log(known.base / (1 - known.base))
        within.append(np.abs(log_odds - truth) <= 1.645 * error)
    assert 0.84 < np.mean(within) < 0.97


def test_where_nothing_is_told_errors_are_those_of_codes_of_0():
    weight, rate = np.ones(3), np.array([0.0, 1.0, 1.0])
    known = KnownLevels(weight, rate - 2 / 3, None, 2 / 3, mixed=True)
    np.testing.assert_array_equal(known.log_odds_variance(weight, rate), np.zeros(3))
    np.testing.assert_allclose(known.base, 2 / 3)
