"""Codes of levels whose rows come in groups."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold

import vtreat_py as vt
from vtreat_py.base.errors import PlanFormatError

IMPACT = {"numeric": "catN", "binomial": "catB", "multinomial": "catB", "rate": "catR"}


def customers(seed=0, n_shops=20, n=300, rows=10, kind="numeric", apart=3.0):
    """Customers of one shop each, who differ ``apart`` times as much as the shops."""
    rng = np.random.default_rng(seed)
    shop, effect = rng.integers(0, n_shops, n), rng.normal(size=n_shops)
    of_row = np.arange(n).repeat(rows)
    signal = (effect[shop] + apart * rng.normal(size=n))[of_row]
    noise = rng.normal(size=len(of_row))
    y = {
        "numeric": signal + noise,
        "binomial": np.where(signal + noise > 0, "yes", "no"),
        "multinomial": np.array(["a", "b", "c"])[np.digitize(signal + noise, [-2.0, 2.0])],
        "rate": rng.poisson(np.exp(0.4 * signal)),
    }[kind]
    frame = pd.DataFrame({"shop": np.char.mod("s%d", shop[of_row]), "customer": of_row, "y": y})
    return frame, effect


def designed(frame, kind="numeric", **options):
    given = {"groups": "customer", "random_state": 0, "prune_sig": None} | options
    return vt.cross_frame_experiment(
        frame,
        outcome="y",
        outcome_type=kind,
        target="yes" if kind == "binomial" else None,
        variables=["shop"],
        coders=[IMPACT[kind]],
        **given,
    )


def slope_of_true_effects(n_shops, seeds, **options):
    """Slope of the true effects on codes, about their means over rows."""
    product = square = 0.0
    for seed in seeds:
        frame, effect = customers(seed, n_shops)
        found = designed(frame, **options).plan.level_effects("shop")
        found = found[found["kind"] == "level"]
        code, weight = found["effect"].to_numpy(), found["count"].to_numpy()
        true = effect[[int(name[1:]) for name in found["level"]]]
        code, true = (x - np.average(x, weights=weight) for x in (code, true))
        product, square = product + code @ true, square + code @ code
    return product / square


@pytest.mark.filterwarnings("ignore:nothing is derived", "ignore:no derived variable")
@pytest.mark.parametrize(("n_shops", "least", "by_rows"), [(20, 0.8, 0.75), (150, 0.55, 0.25)])
def test_codes_are_as_far_apart_as_true_effects(n_shops, least, by_rows):
    assert least < slope_of_true_effects(n_shops, range(8)) < 1.25
    folds = {"groups": None, "cv": 3}
    assert slope_of_true_effects(n_shops, range(8), **folds) < by_rows


@pytest.mark.parametrize("kind", IMPACT)
def test_a_level_of_few_groups_is_believed_less(kind):
    frame, _ = customers(3, kind=kind)
    target = "a" if kind == "multinomial" else None
    effects = [
        designed(frame, kind, **options).plan.level_effects("shop", target)
        for options in ({}, {"groups": None})
    ]
    alike, apart = (found[found["kind"] == "level"] for found in effects)
    assert (alike["count"] == apart["count"]).all()
    assert (alike["belief"] < apart["belief"]).all()
    assert (alike["mean_se"] > 1.5 * apart["mean_se"]).all()
    assert (alike["effect_se"] > apart["effect_se"]).all()


def folds_of(frame, n_folds=3):
    """Index pairs that keep customers together, so that they can be given without groups, too."""
    return list(GroupKFold(n_folds).split(frame, groups=frame["customer"]))


@pytest.mark.parametrize("kind", IMPACT)
def test_customers_who_went_to_each_shop_once_leave_codes_as_they_are(kind):
    frame, _ = customers(4, n_shops=1, n=60, rows=8, kind=kind, apart=0.7)
    frame["shop"] = np.char.mod("s%d", np.arange(len(frame)) % 8)
    frame["y"] = np.where(frame["shop"] == "s3", frame["y"].max(), frame["y"])
    cv = folds_of(frame)
    alike, apart = (designed(frame, kind, cv=cv, groups=g) for g in ("customer", None))
    assert list(alike.cross_frame) == list(apart.cross_frame)
    pd.testing.assert_frame_equal(alike.cross_frame, apart.cross_frame, rtol=1e-12)


def earlier(pairs):
    """Folds that are trained on the ones before."""
    held = [held_out for _, held_out in pairs]
    return [(np.concatenate(held[:k]), held[k]) for k in range(1, len(held))]


FOLDS = {
    "all other folds": folds_of,
    "those before": lambda frame: earlier(folds_of(frame, 4)),
    "some of the others": lambda frame: [(a[len(a) // 2 :], b) for a, b in folds_of(frame)],
}


@pytest.mark.halved
@pytest.mark.filterwarnings("ignore:cv leaves")
@pytest.mark.parametrize("kind", IMPACT)
@pytest.mark.parametrize("folds", FOLDS)
def test_the_cross_frame_has_what_a_design_on_the_training_rows_makes(kind, folds):
    frame, _ = customers(5, n_shops=6, n=180, rows=4, kind=kind, apart=0.4)
    cv = FOLDS[folds](frame)
    whole = designed(frame, kind, cv=cv)
    row = pd.Series(np.arange(len(whole.cross_frame)), whole.cross_rows)
    for train, held_out in cv:
        part = designed(frame.iloc[train], kind, cv=2)
        expected = vt.prepare(part.plan, frame.iloc[held_out], prune_sig=None)
        found = whole.cross_frame.iloc[row[held_out]]
        assert list(expected)
        for name in set(expected) & set(found):  # one may be dropped for what all rows say
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-12)


def test_the_outcome_of_a_group_does_not_move_its_own_codes():
    frame, _ = customers(6, n_shops=6, n=120, rows=4, apart=0.7)
    cv = folds_of(frame)
    moved = frame.copy()
    moved.loc[frame["customer"] == 7, "y"] += [4.0, -3.0, 2.0, 0.5]
    before, after = (designed(f, cv=cv).cross_frame["shop_catN"] for f in (frame, moved))
    own = (frame["customer"] == 7).to_numpy()
    np.testing.assert_allclose(before[own], after[own], rtol=1e-12)
    assert np.abs(before - after)[~own].max() > 1e-3


@pytest.mark.parametrize("rows", [4, 1])  # one row of weight 2 is two of its group, too
@pytest.mark.parametrize("kind", IMPACT)
def test_weights_are_repeated_rows(kind, rows):
    frame, _ = customers(7, n_shops=6, n=240 // rows, rows=rows, kind=kind, apart=0.7)
    weight = np.random.default_rng(0).integers(1, 4, len(frame))
    by_weight = designed(frame, kind, sample_weight=weight)
    again = designed(frame.loc[frame.index.repeat(weight)], kind)
    target = "a" if kind == "multinomial" else None
    one, other = (made.plan.level_effects("shop", target) for made in (by_weight, again))
    pd.testing.assert_frame_equal(one, other, rtol=1e-8)
    scores = (made.plan.score_frame["sig"].tolist() for made in (by_weight, again))
    np.testing.assert_allclose(*scores, rtol=1e-8)


@pytest.mark.parametrize("smoothing", [10.0, "mixed"])
def test_other_shrinkage_counts_rows(smoothing):
    frame, _ = customers(8, n_shops=6, n=60, rows=4, apart=0.7)
    cv = folds_of(frame)
    alike, apart = (
        designed(frame, cv=cv, groups=g, smoothing=smoothing) for g in ("customer", None)
    )
    pd.testing.assert_frame_equal(alike.cross_frame, apart.cross_frame, check_exact=True)


def test_joint_columns_and_their_parts_are_shrunk_by_groups():
    frame, _ = customers(9, n_shops=40, n=300, rows=6)
    frame["region"] = frame["shop"].str[:2]
    made = {
        groups: vt.design_treatments(
            frame,
            outcome="y",
            variables=["shop"],
            hierarchies={"shop": "region"},
            coders=["catN"],
            groups=groups,
            random_state=0,
        ).level_effects("shop")
        for groups in ("customer", None)
    }
    alike, apart = (one["effect"].to_numpy() for one in made.values())
    assert 0 < np.std(alike) < 0.8 * np.std(apart)


def test_what_rows_are_worth_is_written_and_compared():
    frame, _ = customers(10, n_shops=6, n=60, rows=4, apart=0.7)
    plan = designed(frame).plan
    text = plan.to_json()
    assert vt.TreatmentPlan.from_json(text) == plan
    assert vt.TreatmentPlan.from_json(text).to_json() == text
    other = designed(frame.iloc[4:]).plan
    assert plan.diff(other)["where"].str.contains("worth").any()
    assert "worth" not in designed(frame, groups=None).plan.to_json()


@pytest.mark.parametrize("worth", [0.0, -1.0, 1e9])
def test_rows_are_not_worth_more_than_they_are(worth):
    frame, _ = customers(11, n_shops=6, n=60, rows=4, apart=0.7)
    held = json.loads(designed(frame).plan.to_json())
    held["level_statistics"][0]["outcomes"][0]["worth"][2] = worth
    with pytest.raises(PlanFormatError, match=r"worth: expected as much as count, or less"):
        vt.TreatmentPlan.from_json(json.dumps(held))


def test_a_plan_for_scoring_does_not_tell_of_levels_of_one_group():
    frame, _ = customers(12, n_shops=40, n=60, rows=4, apart=0.7)
    frame["y"] = frame.groupby("customer")["y"].transform("mean")
    frame.loc[frame["shop"] == "s3", "y"] += 9.0
    plan = designed(frame).plan
    n_customers = frame.groupby("shop")["customer"].transform("nunique")
    rows = int((n_customers == 1).sum())
    of_novel = {
        least: vt.prepare(
            plan.for_scoring(min_rows=least), pd.DataFrame({"shop": ["?"]}), prune_sig=None
        ).iloc[0, 0]
        for least in (rows, rows + 1)
    }
    assert of_novel[rows] != 0.0
    assert of_novel[rows + 1] == 0.0


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_weights_of_importance_leave_how_alike_rows_are(spread):
    frame, _ = customers(14, n_shops=10, n=400, rows=3, apart=3.0)
    weight = np.exp(spread * np.random.default_rng(1).normal(size=len(frame)))
    plan = designed(frame, sample_weight=weight, weight_kind="importance").plan
    cell = weight / weight.sum()
    alike = cell.sum() ** 2 / (np.bincount(frame["customer"], cell) ** 2).sum()
    (statistics,) = plan.level_statistics
    assert statistics.outcomes[0].worth.sum() == pytest.approx(alike, rel=0.25)


def customers_with_levels_of_their_own(seed):
    """Three customers whose rows are levels of one row each; all others went to six shops."""
    frame, _ = customers(seed, n_shops=1, n=60, rows=20)
    rows = np.arange(len(frame))
    frame["y"] += np.random.default_rng(seed).normal(size=6)[rows % 6]
    few = frame["customer"] < 3
    frame["shop"] = np.where(few, np.char.mod("r%d", rows), np.char.mod("s%d", rows % 6))
    return frame, few


def test_a_pool_is_worth_what_a_level_of_its_rows_is():
    frame, few = customers_with_levels_of_their_own(15)
    pooled = designed(frame, rare_count=5, cv=3).plan.level_effects("shop")
    named = designed(frame.assign(shop=frame["shop"].mask(few, "r")), cv=3).plan
    named = named.level_effects("shop")
    of_pool = pooled.loc[pooled["kind"] == "rare", ["effect", "belief", "mean_se"]]
    of_level = named.loc[named["level"] == "r", ["effect", "belief", "mean_se"]]
    np.testing.assert_allclose(of_pool, of_level, rtol=0.05)
    assert 0.1 < of_pool["belief"].item() < 0.3  # of three customers, where 60 rows have .8


@pytest.mark.filterwarnings("ignore:nothing is derived", "ignore:no derived variable")
def test_levels_of_one_row_of_the_same_customers_say_less_of_levels_never_seen():
    apart = []
    for seed in range(6):
        frame, _ = customers_with_levels_of_their_own(16 + seed)
        folds = folds_of(frame)
        effects = [
            designed(frame, groups=groups, cv=folds).plan.level_effects("shop")
            for groups in ("customer", None)
        ]
        apart.append([e.loc[e["kind"] == "novel", "effect"].item() for e in effects])
    of_groups, of_rows = np.sqrt(np.mean(np.square(apart), axis=0))
    assert of_groups < 0.9 * of_rows


@pytest.mark.parametrize("kind", ["frequency", "importance"])
def test_groups_that_weigh_nothing_teach_nothing(kind):
    frame, _ = customers(22, n_shops=6, n=80, rows=3, apart=0.7)
    weight = (frame["customer"] >= 30).to_numpy().astype(float)
    known = weight > 0
    one, other = (
        designed(frame[rows], sample_weight=weight[rows], weight_kind=kind).plan
        for rows in (np.ones(len(frame), dtype=bool), known)
    )
    effects = (plan.level_effects("shop").set_index("level") for plan in (one, other))
    columns = ["count", "mean", "effect", "belief"]
    first, second = (table.loc[table["kind"] == "level", columns] for table in effects)
    pd.testing.assert_frame_equal(first.sort_index(), second.sort_index(), rtol=1e-9)
