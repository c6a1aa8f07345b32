"""Errors of effects of few levels."""

import numpy as np

from vtreat_py.coders.cat_b import cat_b, coded_rate
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.coders.uncertainty import KnownLevels
from vtreat_py.statistics.level_view import training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums


def test_rates_of_six_levels_are_mostly_within_their_errors():
    """Rates around .3 of levels of 40 rows; 1.645 errors hold about nine in ten."""
    random = np.random.default_rng(0)
    weight, held = np.full(6, 40.0), []
    for _ in range(60):
        truth = random.beta(2.7, 6.3, 6)
        hits = random.binomial(40, truth).astype(float)
        pooled = pool_levels(training_view([OutcomeSums(weight, hits)]), 0, None, True)
        overall, rate = hits.sum() / 240, hits / 40
        codes = coded_rate(cat_b(pooled, "auto")[0], overall)
        known = KnownLevels(weight, rate - overall, None, overall)
        error = np.sqrt(known.variance(weight, rate - overall, codes))
        held.append(np.abs(codes - truth) <= 1.645 * error)
    assert 0.8 < np.mean(held) < 0.95


def test_errors_of_the_mixed_model_are_finite_where_no_rate_says_anything():
    """The rate of all rows is next to 1, as one weight says it all."""
    overall, rate = 1.0 - 3.0 * 2.0**-53, np.array([1.0 - 2.0**-53, 0.75])
    weight = np.array([1e17 + 16.0, 8.0])
    known = KnownLevels(weight, rate - overall, None, overall, mixed=True)
    assert np.isfinite(known.log_odds_variance(weight, rate)).all()
