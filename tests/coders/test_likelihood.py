"""The variance between levels by restricted maximum likelihood, and what is coded by it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import linalg, optimize

import vtreat_py as vt
from tests.coders.coding import pooled_whole
from tests.statistics.rows import Example
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.likelihood import Likelihood, Point
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.coders.prior import prior_of
from vtreat_py.statistics.equal_levels import EqualLevels
from vtreat_py.statistics.level_view import held_out_view, training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums


def example_of(code, y, weight=None, fold=None, n_folds=1):
    fold = np.zeros(len(y), dtype=int) if fold is None else fold
    return Example(code, int(code.max()) + 1, np.asarray(y, float), weight, fold, n_folds)


def drawn(seed, n_levels=40, rows=200, spread=0.7):
    """Levels of sizes as by Zipf's law."""
    random = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_levels + 1)
    code = random.choice(n_levels, rows, p=share / share.sum())
    truth = spread * random.normal(size=n_levels)
    return example_of(
        code, truth[code] + random.normal(size=rows), fold=random.integers(4, size=rows), n_folds=4
    )


def ratio_of(example):
    return pooled_whole(example).likelihood.ratio[0]


def deviance_of_rows(log_ratio, example):
    """Minus twice the restricted log likelihood, from the matrix of all rows."""
    same = example.code[:, None] == example.code
    covariance = np.eye(len(example)) + np.exp(log_ratio) * same
    factor = linalg.cho_factor(covariance, lower=True)
    ones = np.ones(len(example))
    weighed = linalg.cho_solve(factor, ones)
    off = example.y - weighed @ example.y / weighed.sum()
    squares = off @ linalg.cho_solve(factor, off)
    log_det = 2 * np.log(np.diag(factor[0])).sum()
    return (len(example) - 1) * np.log(squares) + log_det + np.log(weighed.sum())


@pytest.mark.parametrize("seed", range(6))
def test_no_ratio_is_likelier_by_the_matrix_of_all_rows(seed):
    example = drawn(seed, spread=[0.3, 0.7, 2][seed % 3])
    best = optimize.minimize_scalar(
        deviance_of_rows, (-8, 8), args=(example,), method="bounded", bounds=(-12, 8)
    )
    found = ratio_of(example)
    if found == 0:
        assert deviance_of_rows(-30, example) <= best.fun + 1e-6
    else:
        np.testing.assert_allclose(np.log(found), best.x, atol=1e-4)


def test_of_equal_levels_it_is_the_analysis_of_variance():
    random = np.random.default_rng(1)
    code = np.repeat(np.arange(6), 5)
    y = random.normal(size=30) + 2 * random.normal(size=6)[code]
    means = y.reshape(6, 5).mean(axis=1)
    within = ((y - means[code]) ** 2).sum() / 24
    np.testing.assert_allclose(
        ratio_of(example_of(code, y)), (means.var(ddof=1) - within / 5) / within, rtol=1e-9
    )


def test_levels_are_seen_alike_by_all_views():
    example = drawn(3, n_levels=700, rows=3000)  # so many that they are merged by their sizes
    table = example.table()
    held_out = pool_levels(held_out_view(table, 4), 0, None, False)
    parts = [table.held_out(k).by_level() for k in range(4)]
    whole = pool_levels(training_view(parts), 0, None, False)
    alone = [pool_levels(training_view([part]), 0, None, False) for part in parts]
    expected = np.concatenate([one.likelihood.ratio for one in alone])
    assert (expected > 0).all()
    for found in (held_out, whole):
        np.testing.assert_allclose(found.likelihood.ratio, expected, rtol=1e-9)
        for of in ("apart", "novel"):
            each = np.concatenate([getattr(prior_of(one, "auto"), of) for one in alone])
            np.testing.assert_allclose(getattr(prior_of(found, "auto"), of), each, rtol=1e-7)


def test_whole_weights_are_repeated_rows():
    example = drawn(4, n_levels=700, rows=3000)
    weighted = replace(example, weight=np.random.default_rng(0).choice([2.0, 5.0, 8.0], 3000))
    np.testing.assert_allclose(ratio_of(weighted), ratio_of(weighted.repeated()), rtol=1e-9)


def test_weights_that_are_nearly_counts_give_nearly_the_same_without_merging():
    example = drawn(4, n_levels=700, rows=3000)
    near = replace(example, weight=np.full(3000, 1 + 1e-9))
    np.testing.assert_allclose(ratio_of(near), ratio_of(example), rtol=1e-6)


@pytest.mark.parametrize("unit", [2.0**-300, 2.0**200])
def test_the_unit_of_the_outcome_does_not_matter(unit):
    example = drawn(5, n_levels=60, rows=600)
    scaled = replace(example, y=example.y * unit)
    for ours, theirs in zip(
        cat_n(pooled_whole(scaled), "auto"), cat_n(pooled_whole(example), "auto"), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs * unit)


def test_the_order_of_levels_does_not_matter():
    example = drawn(6)
    order = np.random.default_rng(0).permutation(example.n_levels)
    found = cat_n(pooled_whole(replace(example, code=order[example.code])), "auto")[0]
    np.testing.assert_allclose(found[order], cat_n(pooled_whole(example), "auto")[0], rtol=1e-9)


def test_levels_are_pulled_to_the_mean_of_levels_not_of_rows():
    # One level has most of the rows, and is unlike the others.
    random = np.random.default_rng(2)
    code = np.concatenate([np.zeros(600, dtype=int), np.repeat(np.arange(1, 101), 4)])
    truth = np.append(3.0, 0.5 * random.normal(size=100))
    y = truth[code] + random.normal(size=len(code))
    found, by_moments = (cat_n(pooled_whole(example_of(code, y)), s) for s in ("auto", "moments"))
    errors = [((codes + y.mean() - truth)[1:] ** 2).mean() for codes, _ in (found, by_moments)]
    assert errors[0] < 0.6 * errors[1]
    assert abs(found[1][0] + y.mean()) < 0.3
    assert by_moments[1][0] == 0


def test_novel_levels_are_coded_as_rare_ones_where_these_are_unlike_the_others():
    random = np.random.default_rng(3)
    code = np.concatenate([np.repeat(np.arange(50), 20), np.arange(50, 250)])
    truth = np.where(np.arange(250) < 50, 2.0, 0.0) + 0.5 * random.normal(size=250)
    y = truth[code] + random.normal(size=len(code))
    novel = cat_n(pooled_whole(example_of(code, y)), "auto")[1][0] + y.mean()
    assert abs(novel) < 0.25  # which is where those of one row are
    alike = truth - np.where(np.arange(250) < 50, 2.0, 0.0)
    y = alike[code] + random.normal(size=len(code))
    levels = pooled_whole(example_of(code, y))
    prior = prior_of(levels, "auto")
    assert abs(prior.novel - prior.apart)[0] < 0.1


@pytest.mark.parametrize("n_once", [1, 2, 5])
def test_an_odd_row_of_a_level_seen_once_does_not_move_novel_levels(n_once: int) -> None:
    random, size = np.random.default_rng(5), np.repeat([8, 4, 2, 1], [30, 30, 30, n_once])
    code = np.repeat(np.arange(len(size)), size)
    y = 0.4 * random.normal(size=len(size))[code] + random.normal(size=len(code))
    y[code == 90] = 15.0
    prior = prior_of(pooled_whole(example_of(code, y)), "auto")
    assert abs(prior.novel - prior.apart)[0] < 0.1


@pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")
def test_weights_that_sum_to_less_than_a_row_tell_nothing() -> None:
    frame = pd.DataFrame({"x": list("aabbcc") * 3})
    y, weight = 1e9 * np.arange(18.0), np.full(18, 0.01)
    plan = vt.design_treatments(
        frame, outcome=y, sample_weight=weight, coders=["catN", "catP"], random_state=0
    )
    assert "catN" not in {v.code for v in plan.derived}


@pytest.mark.parametrize(
    ("size", "hits"),
    [
        ([10, 5, 2, 5, 40, 8], [0, 0, 0, 0, 4, 0]),  # the curve bends up at 0
        ([1, 1, 1, 4], [0, 0, 0, 2]),
        ([9000, 9, 7, 5, 3, 1], [900, 0, 0, 0, 0, 0]),
    ],
)
def test_rates_that_differ_by_more_than_chance_have_the_ratio_that_explains_it(size, hits):
    levels = OutcomeSums(np.array(size, float), np.array(hits, float))
    equal = EqualLevels.of_levels(np.zeros(len(size), dtype=int), levels)
    likelihood = Likelihood(equal, levels.squares.sum(keepdims=True), levels.merged())
    ratio = likelihood.ratio
    assert Point(likelihood, np.zeros(1)).slope > 0
    assert ratio > 0
    np.testing.assert_allclose(Point(likelihood, ratio).slope, 0, atol=1e-9)


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.7, 1.1, 2.3, 33.1])
def test_a_training_set_of_one_level_does_not_disturb_the_search_of_another(weight) -> None:
    size, hits = np.array([10.0, 5, 2, 5, 40, 8]), np.array([0.0, 0, 0, 0, 4, 0])
    group = np.append(np.zeros(6, dtype=int), 1)
    levels = OutcomeSums(np.append(size, weight), np.append(hits, 0.3 * weight))
    equal = EqualLevels.of_levels(group, levels)
    inside = levels.grouped(group, 2).squares
    ratio = Likelihood(equal, inside, levels.grouped(group, 2)).ratio
    assert ratio[0] > 0
    assert ratio[1] == 0


@pytest.mark.parametrize("outcome", [0.18, 0.181, 0.182])
def test_outcomes_that_are_all_the_same_number_do_not_overflow(outcome) -> None:
    levels = OutcomeSums(np.array([1.0, 2.0]), np.array([outcome, 2 * outcome]), np.zeros(2))
    equal = EqualLevels.of_levels(np.zeros(2, dtype=int), levels)
    with np.errstate(over="raise"):
        step = Point(Likelihood(equal, np.zeros(1), levels.merged()), np.zeros(1)).step()
    assert np.isfinite(step).all()


def test_rates_that_rise_from_0_by_rounding_alone_are_coded_alike_for_both_classes() -> None:
    size, hits = np.array([2.0, 8.0, 11.0]), np.array([2.0, 2.0, 3.0])
    for of in (hits, size - hits):  # the slope at 0 is 0 in fractions
        levels = OutcomeSums(size, of)
        equal = EqualLevels.of_levels(np.zeros(3, dtype=int), levels)
        likelihood = Likelihood(equal, levels.squares.sum(keepdims=True), levels.merged())
        assert likelihood.ratio == 0
