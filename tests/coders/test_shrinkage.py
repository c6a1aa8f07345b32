from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.coders import naive
from tests.coders.coding import (
    RARE_COUNTS,
    cross_codes,
    is_class,
    naive_rows,
    pooled_whole,
    rows_to_code,
)
from tests.statistics.rows import OUTCOMES, Example, examples, law
from vtreat_py.coders.cat_b import cat_b
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.coders.prior import prior_of
from vtreat_py.coders.shrinkage import moments_weight, within_variance
from vtreat_py.statistics.level_view import held_out_view

CODERS = {"class": cat_b, "number": cat_n}


def example_of(code, y, outcome="number"):
    code, y = np.asarray(code), np.asarray(y)
    y = y.astype(np.int8 if outcome == "class" else float)
    return Example(code, int(code.max()) + 1, y, None, np.zeros(len(y), dtype=int), 1)


def codes_of(code, y, outcome="number"):
    return CODERS[outcome](pooled_whole(example_of(code, y, outcome)), "auto")[0]


@law
@given(rows_to_code(None), st.sampled_from(RARE_COUNTS))
def test_the_prior_weight_is_that_of_a_loop(example, rare_count):
    view = held_out_view(example.table(), example.n_folds)
    found = moments_weight(pool_levels(view, rare_count, None, is_class(example)))
    for fold in range(example.n_folds):
        rest = naive_rows(example.where(example.fold != fold))
        expected = naive.prior_weight(naive.levels_of(rest, rare_count))
        # Beliefs are compared, because a prior of 1e15 rows is as good as an infinite one.
        np.testing.assert_allclose(1 / (1 + found[fold]), 1 / (1 + expected), atol=1e-9)


def test_the_prior_weight_is_that_of_the_analysis_of_variance():
    # Balanced levels: the estimator of the textbook, (MSB - MSW) / n for the variance between.
    random = np.random.default_rng(1)
    code = np.repeat(np.arange(6), 5)
    y = random.normal(size=30) + 2 * random.normal(size=6)[code]
    means = y.reshape(6, 5).mean(axis=1)
    within = ((y - means[code]) ** 2).sum() / 24
    between = (5 * means.var(ddof=1) - within) / 5
    found = moments_weight(pooled_whole(example_of(code, y)))
    np.testing.assert_allclose(found, [within / between])


VALUES = {"class": st.integers(0, 1), "number": st.integers(-40, 40).map(lambda v: v / 4)}


@law
@given(st.sampled_from(OUTCOMES), st.data(), st.integers(2, 6))
def test_no_variance_between_levels_codes_all_as_exactly_zero(outcome, data, n_levels):
    y = data.draw(st.lists(VALUES[outcome], min_size=1, max_size=8))
    code = np.repeat(np.arange(n_levels), len(y))
    codes = codes_of(code, np.tile(y, n_levels), outcome)
    np.testing.assert_array_equal(codes, np.zeros(n_levels))


@law
@given(st.sampled_from(OUTCOMES), st.data())
def test_one_row_a_level_codes_all_as_exactly_zero(outcome, data):
    y = data.draw(st.lists(VALUES[outcome], min_size=1, max_size=20))
    np.testing.assert_array_equal(codes_of(np.arange(len(y)), y, outcome), np.zeros(len(y)))


@law
@given(st.sampled_from(OUTCOMES), st.data(), st.integers(0, 3))
def test_all_weight_in_one_level_codes_all_as_exactly_zero(outcome, data, n_others):
    y = data.draw(st.lists(VALUES[outcome], min_size=1, max_size=20))
    others = data.draw(st.lists(VALUES[outcome], min_size=n_others, max_size=n_others))
    example = example_of([0] * len(y) + list(range(1, n_others + 1)), y + others, outcome)
    example = replace(example, weight=np.repeat([1.0, 0.0], [len(y), n_others]))
    codes, novel = CODERS[outcome](pooled_whole(example), "auto")
    np.testing.assert_array_equal(codes, np.zeros(n_others + 1))
    np.testing.assert_array_equal(novel, [0.0])


@pytest.mark.parametrize("value", [1, 0.1, 1e6])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_that_does_not_vary_is_coded_as_exactly_zero(outcome, value):
    y = np.full(50, 1 if outcome == "class" else value)
    np.testing.assert_array_equal(codes_of(np.arange(50) % 7, y, outcome), np.zeros(7))


def test_rates_of_0_and_1_are_believed_but_for_half_a_row():
    sizes, rates = np.array([1, 2, 5, 1, 4]), np.array([1, 0, 1, 0, 1])
    code = np.repeat(np.arange(5), sizes)
    base = 10 / 13
    level_mean = (sizes / (sizes + 0.5) * rates).sum() / (sizes / (sizes + 0.5)).sum()
    chance = (sizes * rates + 0.5 * level_mean) / (sizes + 0.5)
    expected = np.log(chance / (1 - chance)) - np.log(base / (1 - base))
    np.testing.assert_allclose(codes_of(code, rates[code], "class"), expected, rtol=1e-12)
    # As numbers they have no noise at all.
    np.testing.assert_allclose(codes_of(code, rates[code]), rates - base, rtol=1e-12)


@law
@given(examples(weighted=True, whole_weights=True, min_rows=1), st.sampled_from(RARE_COUNTS))
def test_whole_weights_are_repeated_rows(example, rare_count):
    assume(example.w.sum() > 0)
    coder = cat_b if is_class(example) else cat_n
    weighted, repeated = (
        coder(pooled_whole(e, rare_count), "auto") for e in (example, example.repeated())
    )
    for ours, theirs in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("smoothing", ["auto", "moments"])
@law
@given(example=rows_to_code(None), data=st.data())
def test_own_outcomes_do_not_move_the_prior_that_codes_them(smoothing, example, data):
    row = data.draw(st.integers(0, len(example) - 1))
    y = example.y.copy()
    y[row] = 1 - y[row] if is_class(example) else y[row] + 100
    before, after = (
        prior_of(pool_levels(held_out_view(e.table(), e.n_folds), 0, None, is_class(e)), smoothing)
        for e in (example, replace(example, y=y))
    )
    fold = example.fold[row]
    for of in ("weight", "apart", "novel"):
        found, expected = getattr(after, of)[fold], getattr(before, of)[fold]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_variance_within_levels_is_pooled_over_them():
    example = example_of([0, 0, 1, 1, 1], [1, 3, 0, 0, 3])
    np.testing.assert_allclose(within_variance(pooled_whole(example)), [(2 + 6) / 3])


def test_variance_within_levels_of_one_row_is_that_of_all_rows():
    example = example_of([0, 1, 2], [1, 3, 5])
    np.testing.assert_allclose(within_variance(pooled_whole(example)), [4])
    assert within_variance(pooled_whole(example_of([0], [1]))) == np.inf


def test_levels_without_noise_are_believed():
    np.testing.assert_allclose(codes_of([0, 0, 1, 1], [1, 1, 3, 3]), [-1, 1])


def rates(codes, base):
    return 1 / (1 + (1 - base) / base * np.exp(-codes))


def noise(seed):
    """5,000 levels of 4 rows that all have the same chance, .2; five folds."""
    random = np.random.default_rng(seed)
    code, fold = np.repeat(np.arange(5000), 4), random.integers(5, size=20_000)
    y = (random.random(20_000) < 0.2).astype(np.int8)
    return Example(code, 5000, y, None, fold, 5)


@pytest.mark.parametrize("seed", range(8))
def test_pure_noise_is_shrunk_to_almost_nothing(seed):
    example = noise(seed)
    base = example.y.mean()
    codes, _ = cat_b(pooled_whole(example), "auto")
    assert rates(codes, base).std() <= 0.02
    crossed, _ = cross_codes(example, lambda levels: cat_b(levels, "auto"))
    assert rates(crossed, base).std() <= 0.02
    as_number = replace(example, y=example.y.astype(float))
    assert cat_n(pooled_whole(as_number), "auto")[0].std() <= 0.02


def test_some_noise_is_taken_for_signal():
    """Else the promise above would be kept by levels that no seed believes at all."""
    believed = [bool(cat_b(pooled_whole(noise(seed)), "auto")[0].any()) for seed in range(8)]
    assert 0 < sum(believed) < 8


def errors(seed, n_levels, outcome):
    """Mean squared error of the shrunken level means, and of the best linear estimator.

    Levels of 20 rows whose means have a standard deviation of .1: of numbers with a variance of
    1, or of rates about .3.
    """
    random = np.random.default_rng(seed)
    code = np.repeat(np.arange(n_levels), 20)
    if outcome == "number":
        mean, within = 0.0, 1.0
        truth = random.normal(0, 0.1, n_levels)
        y = truth[code] + random.normal(size=len(code))
    else:
        mean, within = 0.3, 0.3 * 0.7 - 0.1**2
        a_and_b = 0.3 * 0.7 / 0.1**2 - 1
        truth = random.beta(0.3 * a_and_b, 0.7 * a_and_b, n_levels)
        y = random.random(len(code)) < truth[code]
    raw = np.bincount(code, y) / 20
    codes = codes_of(code, y, outcome)
    found = rates(codes, y.mean()) if outcome == "class" else y.mean() + codes
    best = mean + 0.1**2 / (0.1**2 + within / 20) * (raw - mean)
    return [((estimate - truth) ** 2).mean() for estimate in (found, best)]


@pytest.mark.parametrize("n_levels", [500, 5000])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_shrunken_means_are_within_5_per_cent_of_the_best_linear_ones(n_levels, outcome):
    found, best = np.sum([errors(seed, n_levels, outcome) for seed in range(20)], axis=0)
    assert best < found <= 1.05 * best


def test_true_effects_are_shrunk_towards_the_truth():
    random = np.random.default_rng(3)
    truth = random.normal(size=500)
    code = np.repeat(np.arange(500), 4)
    y = truth[code] + 2 * random.normal(size=2000)
    raw, shrunk = (
        cat_n(pooled_whole(example_of(code, y)), smoothing)[0] for smoothing in (0.0, "auto")
    )
    truth -= truth.mean()
    assert ((shrunk - truth) ** 2).mean() < 0.6 * ((raw - truth) ** 2).mean()
    # The variances were 1 between levels and 4 within: a level of 4 rows is half believed.
    np.testing.assert_allclose(shrunk / raw, np.full(500, shrunk[0] / raw[0]))
    assert 0.4 < shrunk[0] / raw[0] < 0.6
