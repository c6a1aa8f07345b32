"""A mixture in place of a normal distribution: where it is clearly better, and only there."""

from dataclasses import replace

import numpy as np
import pytest

from tests.coders.coding import cross_codes, pooled_whole
from tests.statistics.rows import Example
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.coders.prior import prior_of
from vtreat_py.statistics.level_view import held_out_view

EFFECTS = {
    "normal": lambda random, n: 0.4 * random.normal(size=n),
    "two": lambda random, n: random.choice([-0.5, 0.5], n),
    "sparse": lambda random, n: 2 * (random.random(n) < 0.05) * random.normal(size=n),
}
NOISE = {
    "normal": lambda random, n: random.normal(size=n),
    "t": lambda random, n: random.standard_t(3, n) / np.sqrt(3),
    "skew": lambda random, n: random.exponential(size=n) - 1,
}


def drawn(seed, effects, noise="normal", n_levels=200, rows=20):
    random = np.random.default_rng(seed)
    truth = EFFECTS[effects](random, n_levels)
    code = random.integers(n_levels, size=n_levels * rows)
    y = truth[code] + NOISE[noise](random, len(code))
    return Example(code, n_levels, y, None, random.integers(3, size=len(code)), 3), truth


def errors(example, truth):
    """Mean squared error of the codes, and of those by a normal distribution."""
    levels = pooled_whole(example)
    normal = prior_of(levels, "auto").effects(
        levels.view.entries, levels.view.group, levels.view.whole.mean
    )
    mean = example.y.mean()
    return [((code + mean - truth) ** 2).mean() for code in (cat_n(levels, "auto")[0], normal)]


@pytest.mark.parametrize(("effects", "most"), [("sparse", 0.5), ("two", 0.8), ("normal", 1.05)])
def test_it_is_much_better_where_effects_are_sparse_and_not_worse_elsewhere(effects, most):
    found, normal = np.sum([errors(*drawn(seed, effects)) for seed in range(6)], axis=0)
    assert found < most * normal


@pytest.mark.parametrize("noise", ["t", "skew"])
@pytest.mark.parametrize("effects", ["normal", "sparse"])
def test_long_tails_and_skewness_of_rows_are_not_taken_for_levels(effects, noise):
    for seed in range(4):
        levels = pooled_whole(drawn(seed, effects, noise)[0])
        assert not prior_of(levels, "auto", normal=True).mixtures


def test_many_levels_are_merged_for_the_search():
    example, truth = drawn(1, "sparse", n_levels=3000, rows=10)
    found, normal = errors(example, truth)
    assert found < 0.5 * normal


def test_there_is_none_where_no_level_has_two_rows():
    # Weights below two rows: what is inside levels is known, but not how it is spread.
    random = np.random.default_rng(0)
    y = random.standard_t(1, 400)
    code = np.repeat(np.arange(200), 2)
    example = Example(code, 200, y, np.full(400, 0.9), np.zeros(400, dtype=int), 1)
    assert not prior_of(pooled_whole(example), "auto", normal=True).mixtures


@pytest.mark.parametrize("rare_count", [0, 3])
def test_folds_may_be_more_than_a_pattern_has_room_for(rare_count):
    example, _ = drawn(3, "sparse", rows=6)
    fold = np.random.default_rng(1).integers(60, size=len(example))
    view = held_out_view(replace(example, fold=fold, n_folds=60).table(), 60)
    prior = prior_of(pool_levels(view, rare_count, None, False), "auto", normal=True)
    assert len(prior.mixtures) == 60


def test_levels_of_one_row_cannot_tell_that_rows_are_normal():
    random = np.random.default_rng(0)
    code = np.concatenate([np.arange(300), [300, 300, 300]])
    y = np.append(random.standard_t(1, 300), [0.0, 0.1, 0.2])
    example = Example(code, 301, y, None, np.zeros(len(y), dtype=int), 1)
    assert not prior_of(pooled_whole(example), "auto", normal=True).mixtures


def test_out_of_fold_the_own_outcome_has_no_part_in_it():
    example, _ = drawn(2, "sparse")
    before = cross_codes(example, lambda levels: cat_n(levels, "auto"))[0]
    y = example.y.copy()
    y[0] += 1e6
    after = cross_codes(
        Example(example.code, example.n_levels, y, None, example.fold, 3),
        lambda levels: cat_n(levels, "auto"),
    )[0]
    own = example.fold == example.fold[0]
    np.testing.assert_allclose(after[own], before[own], rtol=1e-9, atol=1e-9)
