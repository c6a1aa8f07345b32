"""catQ: quantiles of a numeric outcome in levels."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.coders import codes
from vtreat_py.testing import own_outcome_influence

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")

NEW = pd.DataFrame({"town": ["town 1", None, "town 11", "never seen"]})


def frame(n_rows=400, n_towns=12, seed=8):
    random = np.random.default_rng(seed)
    town = random.integers(n_towns, size=n_rows)
    noise = random.standard_t(2, n_rows)
    return pd.DataFrame(
        {
            "town": [None if t == 5 else f"town {t}" for t in town],
            "noise": [f"{k}" for k in random.integers(15, size=n_rows) + 100],
            "y": np.sin(town) + noise,
            "w": random.integers(0, 4, n_rows).astype(float),
            "group": random.integers(0, 60, n_rows),
        }
    )


def crossed(train, **options):
    given = {"outcome": "y", "variables": ["town"], "coders": ["catQ"], "random_state": 0}
    return vt.cross_frame_experiment(train, **(given | options))


def level_of(train):
    return train["town"].fillna("missing")


@pytest.mark.parametrize("quantile", [0.5, 0.8])
def test_with_a_number_it_is_the_quantile_believed_by_rows(quantile):
    train = frame()
    made = crossed(train, smoothing=3, quantile=quantile)
    by_level = train.groupby(level_of(train))["y"]
    n, overall = by_level.size(), train["y"].quantile(quantile)
    expected = n / (n + 3) * (by_level.quantile(quantile) - overall)
    treated = vt.prepare(made.plan, NEW)["town_catQ"]
    of_new = [expected["town 1"], expected["missing"], expected["town 11"], 0.0]
    np.testing.assert_allclose(treated, of_new, rtol=1e-9)
    for training, applied in made.folds:
        known = train.iloc[training]
        by_level = known.groupby(level_of(known))["y"]
        n = by_level.size()
        apart = by_level.quantile(quantile) - known["y"].quantile(quantile)
        expected = level_of(train).iloc[applied].map(n / (n + 3) * apart)
        np.testing.assert_allclose(
            made.cross_frame["town_catQ"].iloc[applied], expected, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("options", [{}, {"smoothing": 2}, {"smoothing": 2, "rare_count": 50}])
def test_weights_are_repeated_rows(options):
    train = frame().assign(fold=np.arange(400) % 4)
    again = train.loc[np.repeat(train.index, train["w"].astype(int))]
    weighted = crossed(train, cv="fold", sample_weight="w", **options).plan
    repeated = crossed(again, cv="fold", **options).plan
    ours, theirs = vt.prepare(weighted, NEW), vt.prepare(repeated, NEW)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_rare_levels_share_the_quantile_of_their_pool():
    train = frame()
    size = train.groupby(level_of(train))["y"].transform("size")
    most = int(size.quantile(0.4))
    for cv in (KFold(4, shuffle=True, random_state=1), "ordered"):
        made = crossed(train, smoothing=1, rare_count=most, cv=cv)
        rare, overall = train.loc[size <= most, "y"], train["y"].median()
        expected = len(rare) / (len(rare) + 1) * (rare.median() - overall)
        treated = vt.prepare(made.plan, NEW)["town_catQ"]
        np.testing.assert_allclose(treated.iloc[-1], expected, rtol=1e-9)
        training, applied = made.folds[-1]
        known = train.iloc[training]
        size_known = level_of(known).map(level_of(known).value_counts())
        pool = known.loc[size_known <= most, "y"]
        expected = len(pool) / (len(pool) + 1) * (pool.median() - known["y"].median())
        pooled = level_of(train).iloc[applied].map(level_of(known).value_counts()) <= most
        found = (
            made.cross_frame["town_catQ"].iloc[-len(applied) :]
            if cv == "ordered"
            else (made.cross_frame["town_catQ"].iloc[applied])
        )
        np.testing.assert_allclose(found.to_numpy()[pooled], expected, rtol=1e-9)


def test_noise_is_shrunk_and_signal_is_kept():
    random = np.random.default_rng(3)
    code = np.repeat(np.arange(60), 15)
    noise = random.standard_t(2, 900)
    for spread, least, most in ((0.0, -0.1, 0.5), (3.0, 0.8, 1.01)):
        y = spread * random.normal(size=60)[code] + noise
        train = pd.DataFrame({"x": [f"level {k}" for k in code], "y": y})
        plan = vt.design_treatments(train, outcome="y", coders=["catQ"], random_state=0)
        raw = train.groupby("x")["y"].median() - train["y"].median()
        if not plan.feature_names:
            assert spread == 0.0
            continue
        treated = vt.prepare(plan, pd.DataFrame({"x": raw.index}))["x_catQ"]
        assert least < np.polyfit(raw, treated, 1)[0] < most


def test_units_and_outcomes_far_away_do_not_matter():
    train = frame()
    plain = vt.prepare(crossed(train).plan, NEW)
    for unit in (2.0**-200, 2.0**300):
        scaled = vt.prepare(crossed(train.assign(y=unit * train["y"])).plan, NEW)
        np.testing.assert_allclose(scaled, unit * plain, rtol=1e-9)
    far = train.copy()
    far.loc[far["y"].nlargest(8).index, "y"] = 1e6
    kept = vt.prepare(crossed(far).plan, NEW)
    np.testing.assert_allclose(kept, plain, atol=0.25)
    assert kept["town_catQ"].std() > 0.3


def test_levels_of_one_row_each_give_none():
    random = np.random.default_rng(4)
    train = pd.DataFrame({"town": [f"{k}" for k in range(90)], "y": random.normal(size=90)})
    plan = vt.design_treatments(train, outcome="y", coders=["catQ"], random_state=0)
    assert plan.feature_names == []
    # Levels may be of several rows, and yet tell the folds nothing.
    twice = train.assign(town=[f"{k // 2}" for k in range(90)])
    plan = crossed(twice, smoothing="mixed", cv=KFold(2)).plan
    assert plan.feature_names == []
    alternate = [(np.arange(k, 90, 2), np.arange(1 - k, 90, 2)) for k in range(2)]
    assert crossed(twice, cv=alternate).plan.feature_names == []


def test_it_is_built_where_it_is_asked_for_and_for_numbers():
    train = frame()
    everything = vt.design_treatments(train, outcome="y", variables=["town"], random_state=0)
    assert "catQ" not in set(everything.score_frame["code"])
    assert everything.options.coders == codes.names(c for c in codes.CODES if c.by_default)
    of_class = train.assign(y=train["y"] > 0)
    with pytest.raises(InvalidOptionError, match="no code for an outcome of type 'binomial'"):
        crossed(of_class)
    plan = crossed(train, coders=["catN", "catQ", "lev"], variables=["town", "noise"]).plan
    scores = plan.score_frame.set_index("variable")
    assert scores.loc["town_catQ", "sig"] < 1e-3
    assert scores.loc["town_catQ", "rsq"] > 0.02
    assert scores.loc["town_catQ", "needs_split"]
    assert "town_catQ" in vt.prepare(plan, NEW.assign(noise="101"), prune_sig=0.01)


@pytest.mark.parametrize(
    "options", [{}, {"sample_weight": "w"}, {"groups": "group"}, {"rare_sig": 0.9}]
)
def test_json_sql_and_lazy_frames_agree_with_prepare(options):
    plan = crossed(frame(), quantile=0.4, scale=True, **options).plan
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert again.options.quantile == 0.4
    treated = vt.prepare(plan, NEW, scale=True)
    pd.testing.assert_frame_equal(vt.prepare(again, NEW, scale=True), treated)
    with duckdb.connect() as connection:
        assert plan.check_sql(connection, NEW, scale=True).passed
    lazy = vt.prepare(plan, pl.from_pandas(NEW).lazy(), scale=True).collect()
    np.testing.assert_array_equal(lazy, treated)


def test_rows_elsewhere_are_refused():
    train = frame().assign(id=range(400))
    lazy, given = pl.from_pandas(train).lazy(), {"outcome": "y", "coders": ["catN", "catQ"]}
    for design in (vt.design_treatments, vt.cross_frame_experiment):
        with pytest.raises(InvalidOptionError, match=r"coders holds \['catQ'\].*lazy frame"):
            design(lazy, row_id="id", **given)
        with pytest.raises(InvalidOptionError, match=r"coders holds \['catQ'\].*keep_statistics"):
            design(train, keep_statistics=True, cv=3, row_id="id", **given)


@pytest.mark.parametrize("quantile", [0, 1, 1.5, -0.5, float("nan")])
def test_other_quantiles_are_refused(quantile):
    with pytest.raises(InvalidOptionError, match="quantile="):
        crossed(frame(), quantile=quantile)


PAIRS = [
    (np.setdiff1d(np.arange(120), np.arange(k, 120, 3))[7:], np.arange(k, 120, 3)) for k in range(3)
]


@pytest.mark.parametrize("cv", [KFold(4, shuffle=True, random_state=0), "ordered", PAIRS])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rare_count": 9},
        {"scale": True, "quantile": 0.8},
        {"smoothing": 2.0, "significance": "classic"},
    ],
)
def test_own_outcomes_do_not_move_own_codes(cv, options):
    train = frame(120, n_towns=8)
    y = 100 * np.sin(train["y"])
    treatment = vt.NumericOutcomeTreatment(cv=cv, coders=["catQ"], prune_sig=None, **options)
    given = {"sample_weight": train["w"] + 1.0, "rows": (60, 77, 118)}
    found = own_outcome_influence(treatment, train[["town"]], y, push=30.0, **given)
    assert found.moves.notna().to_numpy().any()
    assert found.largest <= 1e-10
