"""The randomization test beside full enumeration in exact fractions, scipy, and its own claims."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import stats
from sklearn.metrics import roc_auc_score

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation import _sign_flips
from vtreat_py.evaluation.randomization import RandomizationTestResult, randomization_test

mpl.use("Agg")

RIGHT = np.array([1] * 7 + [0] * 3)
A = [0.3, 0.7, 0.2, 0.9, 0.6, 0.5, 0.8, 0.1, 0.4, 1, 0.7, 0.6]
B = [0.1, 0.6, 0.4, 0.6, 0.3, 0.5, 0.7, 0.2, 0.1, 0.9, 0.8, 0.2]


def enumerated(
    a: Sequence[int], b: Sequence[int], weight: Sequence[int], groups: Sequence[Any]
) -> tuple[Fraction, Fraction, Fraction]:
    """Two-sided, greater and less p-value, by looking at every pattern of every group."""
    sums = {g: Fraction(0) for g in groups}
    for x, y, w, g in zip(a, b, weight, groups, strict=True):
        sums[g] += w * (Fraction(x) - Fraction(y))
    patterns = product((1, -1), repeat=len(sums))
    values = [sum(s * v for s, v in zip(p, sums.values(), strict=True)) for p in patterns]
    observed = sum(sums.values())
    return (
        Fraction(sum(abs(v) >= abs(observed) for v in values), len(values)),
        Fraction(sum(v >= observed for v in values), len(values)),
        Fraction(sum(v <= observed for v in values), len(values)),
    )


def p_values(result: RandomizationTestResult) -> tuple[float, float, float]:
    assert result.alternative == "two-sided"
    return result.pvalue, result.pvalue_greater, result.pvalue_less


def mean_difference(a: Any, b: Any, axis: int) -> Any:
    return a.mean(axis) - b.mean(axis)


def median_difference(a: Any, b: Any, axis: int = -1) -> Any:
    return np.median(a, axis) - np.median(b, axis)


def noise(n: int, seed: int = 0, shift: float = 0.0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    return random.normal(size=n) + shift, random.normal(size=n)


def test_seven_of_ten_is_no_proof() -> None:
    result = randomization_test(RIGHT, 1 - RIGHT)
    assert p_values(result) == (0.34375, 0.171875, 0.9453125)
    assert result.exact
    assert result.statistic == 0.4
    assert (result.n, result.n_groups, len(result.null_distribution)) == (10, 10, 1024)


def test_values_in_tenths_tie_in_spite_of_rounding() -> None:
    result = randomization_test(A, B)
    assert p_values(result)[:2] == (0.0810546875, 0.04052734375)
    tenths = [[round(10 * v) for v in values] for values in (A, B)]
    assert p_values(result) == enumerated(*tenths, [1] * 12, range(12))
    # plain sums of floats do not tie:
    signs = np.array(list(product((1, -1), repeat=12)))
    plain = (signs * np.subtract(A, B)).mean(axis=1)
    assert (plain >= np.mean(np.subtract(A, B))).mean() != result.pvalue_greater


def test_values_of_the_null_distribution_can_be_compared_as_they_stand() -> None:
    result = randomization_test(A, B)
    null, observed = result.null_distribution, result.statistic
    assert (null >= observed).mean() == result.pvalue_greater
    assert (null <= observed).mean() == result.pvalue_less
    assert (np.abs(null) >= observed).mean() == result.pvalue


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 10), st.integers(0, 10), st.integers(0, 3), st.integers(0, 6)
        ),
        min_size=1,
        max_size=9,
    ).filter(lambda rows: any(row[2] for row in rows)),
    unit=st.sampled_from([1, 10, 100, 3, 7]),
    grouped=st.booleans(),
)  # fmt: skip
def test_exact_p_values_are_those_of_full_enumeration(
    rows: list[tuple[int, int, int, int]], unit: int, grouped: bool
) -> None:
    a, b, weight, groups = (list(values) for values in zip(*rows, strict=True))
    expected = enumerated(a, b, weight, groups if grouped else range(len(a)))
    for of_weight in (1, 0.1):
        result = randomization_test(
            np.divide(a, unit),
            np.divide(b, unit),
            sample_weight=np.multiply(weight, of_weight),
            groups=groups if grouped else None,
        )
        assert result.exact
        assert p_values(result) == pytest.approx([float(p) for p in expected], abs=0)


@given(
    st.lists(st.tuples(*[st.integers(0, 10)] * 6), min_size=1, max_size=8),
    st.sampled_from([1e-300, 1e-9, 1.0, 1e12]),
)
@settings(max_examples=60, deadline=None)
def test_scores_that_were_computed_tie_too(rows: list[tuple[int, ...]], scale: float) -> None:
    """Means of three scores in tenths, as of three seeds, whatever their unit."""
    means = np.array(rows).reshape(-1, 2, 3) / 10 * scale
    a, b = (means[:, i].mean(axis=1) for i in (0, 1))
    sums = np.array(rows).reshape(-1, 2, 3).sum(axis=2)
    expected = enumerated(sums[:, 0].tolist(), sums[:, 1].tolist(), [1] * len(a), range(len(a)))
    assert p_values(randomization_test(a, b)) == tuple(map(float, expected))


def test_real_differences_are_no_ties() -> None:
    """A difference of a millionth of a millionth, in a thousand rows of other differences."""
    a = np.array([1.0, 1.0 + 1e-12])
    assert randomization_test(a, [0.0, 0.0]).pvalue == 0.5
    null = randomization_test(a, [0.0, 0.0]).null_distribution
    assert len(np.unique(null)) == 4


def test_pairs_that_agree_have_no_part() -> None:
    short = randomization_test(A, B)
    long = randomization_test(A + [0.37] * 5000, B + [0.37] * 5000)
    assert p_values(long) == p_values(short)
    assert long.exact
    assert (long.n, len(long.null_distribution)) == (5012, 2048)
    assert long.statistic == pytest.approx(short.statistic * 12 / 5012)
    with_callable = randomization_test(A + [0.37] * 50, B + [0.37] * 50, statistic=mean_difference)
    assert with_callable.exact
    assert p_values(with_callable) == p_values(short)


def test_no_difference_at_all() -> None:
    for result in (
        randomization_test(A, A),
        randomization_test(A, A, statistic=mean_difference),
        randomization_test([0.3, 0.3], [0.1 + 0.2, 0.3]),
    ):
        assert p_values(result) == (1.0, 1.0, 1.0)
        assert result.statistic == pytest.approx(0.0, abs=1e-15)
        assert result.exact


def test_a_group_changes_places_as_one() -> None:
    a, b = noise(40, shift=0.5)
    groups = np.repeat(list("abcdefgh"), 5)
    result = randomization_test(a, b, groups=groups)
    sums = pd.Series(a - b).groupby(groups).sum()
    by_hand = randomization_test(sums, np.zeros(8))
    assert p_values(result) == p_values(by_hand)
    assert result.statistic == pytest.approx((a - b).mean())
    assert (result.n, result.n_groups, result.exact) == (40, 8, True)
    by_callable = randomization_test(a, b, groups=groups, statistic=mean_difference)
    assert p_values(by_callable) == p_values(result)
    mixed = randomization_test(a, b, groups=[*groups[:-5].tolist(), *[3] * 5])
    assert p_values(mixed) == p_values(result)


def test_a_group_whose_differences_cancel_has_no_part() -> None:
    a, b, groups = [0.1, 0.2, 0.0, 1.0], [0.0, 0.0, 0.3, 0.0], [1, 1, 1, 2]
    result = randomization_test(a, b, groups=groups)
    assert p_values(result) == (1.0, 0.5, 1.0)
    assert len(result.null_distribution) == 2


@given(
    st.lists(
        st.tuples(st.integers(0, 10), st.integers(0, 10), st.integers(1, 4)),
        min_size=2,
        max_size=8,
    )
)
@settings(max_examples=50, deadline=None)
def test_whole_weights_are_rows_repeated_that_stay_together(
    rows: list[tuple[int, int, int]],
) -> None:
    a, b, weight = (np.array(values) for values in zip(*rows, strict=True))
    weighted = randomization_test(a / 10, b / 10, sample_weight=weight)
    repeated = randomization_test(
        np.repeat(a / 10, weight),
        np.repeat(b / 10, weight),
        groups=np.repeat(range(len(a)), weight),
    )
    assert p_values(weighted) == p_values(repeated)
    assert weighted.statistic == pytest.approx(repeated.statistic, abs=1e-15)
    assert weighted.standard_error == pytest.approx(repeated.standard_error, abs=1e-15)


def test_rows_of_weight_0_are_not_there() -> None:
    a, b = noise(12)
    left_out = randomization_test(a[:9], b[:9])
    weighted = randomization_test(a, b, sample_weight=[2.5] * 9 + [0.0] * 3)
    assert p_values(weighted) == p_values(left_out)
    assert weighted.statistic == pytest.approx(left_out.statistic)


def test_exchanging_a_and_b_exchanges_the_sides() -> None:
    for n, resamples in ((12, 99_999), (30, 499)):
        a, b = noise(n, shift=0.4)
        first = randomization_test(a, b, n_resamples=resamples, random_state=1)
        second = randomization_test(b, a, n_resamples=resamples, random_state=1)
        assert first.statistic == -second.statistic
        if first.exact:
            assert first.pvalue_greater == second.pvalue_less
            assert first.pvalue == second.pvalue


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("shift", [0.5, -0.3])
def test_scipy_agrees(alternative: Any, shift: float) -> None:
    a, b = noise(11, shift=shift)
    for ours, theirs in (
        ("mean", mean_difference),
        (median_difference, median_difference),
        (lambda a, b: median_difference(a, b), median_difference),
        (lambda a, b, axis: np.exp(a).mean(axis) / np.exp(b).mean(axis),) * 2,
    ):
        expected = stats.permutation_test(
            (a, b), theirs, permutation_type="samples", alternative=alternative, axis=-1
        )
        found = randomization_test(a, b, statistic=ours, alternative=alternative)
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.pvalue == pytest.approx(expected.pvalue)
        np.testing.assert_allclose(
            np.sort(found.null_distribution), np.sort(expected.null_distribution), atol=1e-12
        )


def test_any_metric_of_two_models_can_be_tested() -> None:
    """The difference of AUCs: predictions change places, the outcome stays."""
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    good, poor = y + random.normal(size=200), y + 4 * random.normal(size=200)
    found = randomization_test(
        stats.rankdata(good),
        stats.rankdata(poor),
        statistic=lambda a, b: roc_auc_score(y, a) - roc_auc_score(y, b),
        n_resamples=99,
        random_state=0,
    )
    assert found.statistic == pytest.approx(roc_auc_score(y, good) - roc_auc_score(y, poor))
    assert found.pvalue == 2 / 100
    assert np.isnan(found.standard_error)


def test_the_observed_pattern_counts_as_one_of_the_random_ones() -> None:
    result = randomization_test(np.ones(40), np.zeros(40), n_resamples=99, random_state=0)
    assert not result.exact
    assert p_values(result) == (0.01, 0.01, 1.0)
    one = randomization_test(*noise(10), n_resamples=1, random_state=0)
    assert set(p_values(one)) <= {0.5, 1.0}


def test_exact_if_and_only_if_all_patterns_can_be_listed() -> None:
    a, b = noise(6)
    for statistic in ("mean", median_difference):
        listed = randomization_test(a, b, n_resamples=64, statistic=statistic)
        drawn = randomization_test(a, b, n_resamples=63, statistic=statistic, random_state=0)
        assert (listed.exact, len(listed.null_distribution)) == (True, 64)
        assert (drawn.exact, len(drawn.null_distribution)) == (False, 63)


@pytest.mark.parametrize("statistic", ["mean", mean_difference])
def test_random_patterns_come_close_to_all_of_them(statistic: Any) -> None:
    a, b = noise(15, shift=0.4)
    exact = randomization_test(a, b, statistic=statistic)
    drawn = randomization_test(a, b, statistic=statistic, n_resamples=20_000, random_state=2)
    assert exact.exact
    assert not drawn.exact
    for p, q in zip(p_values(exact), p_values(drawn), strict=True):
        assert abs(p - q) < 4 * np.sqrt(p * (1 - p) / 20_000) + 1e-4


def test_signs_are_fair_and_independent() -> None:
    """Each draw's signs can be read off sums of powers of two; 150 values are three words."""
    places = [0, 1, 7, 8, 63, 64, 71, 72, 127, 128, 149]
    values = np.zeros(150, dtype=np.int64)
    values[places] = 2 ** np.arange(len(places))
    n_draws = 40_000
    totals = _sign_flips.drawn_sums(values, n_draws, np.random.default_rng(0))
    positive = (totals + values.sum()) // 2
    signs = 2 * ((positive[:, None] >> np.arange(len(places))) & 1) - 1
    moments = signs.T @ signs / n_draws
    bound = 4.5 / np.sqrt(n_draws)
    np.testing.assert_allclose(moments, np.eye(len(places)), atol=bound)
    np.testing.assert_allclose(signs.mean(axis=0), 0.0, atol=bound)
    triple = signs[:, 0] * signs[:, 4] * signs[:, 5]
    assert abs(triple.mean()) < bound


def test_block_sizes_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = noise(100)
    options = {"n_resamples": 997, "random_state": 5}
    before = [randomization_test(a, b, statistic=s, **options).null_distribution
              for s in ("mean", median_difference)]  # fmt: skip
    monkeypatch.setattr(_sign_flips, "_SUMS_AT_ONCE", 13)
    monkeypatch.setattr(_sign_flips, "_VALUES_AT_ONCE", 701)
    for statistic, expected in zip(("mean", median_difference), before, strict=True):
        found = randomization_test(a, b, statistic=statistic, n_resamples=997, random_state=5)
        np.testing.assert_array_equal(found.null_distribution, expected)


def test_random_state_is_a_seed_or_a_generator() -> None:
    a, b = noise(50)
    first, same, other = (
        randomization_test(a, b, n_resamples=500, random_state=r) for r in (3, 3, 4)
    )
    generator = np.random.default_rng(3)
    through, next_one = (
        randomization_test(a, b, n_resamples=500, random_state=generator) for _ in "ab"
    )
    np.testing.assert_array_equal(first.null_distribution, same.null_distribution)
    np.testing.assert_array_equal(first.null_distribution, through.null_distribution)
    assert (first.null_distribution != other.null_distribution).any()
    assert (first.null_distribution != next_one.null_distribution).any()
    np.random.seed(0)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    randomization_test(a, b, n_resamples=500)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("statistic", ["mean", mean_difference])
def test_p_values_of_nothing_are_uniform(statistic: Any) -> None:
    """With 19 patterns p is one of .05, .1, ..., 1; all of them are equally likely.

    A two-sided p of a callable, twice a one-sided one, has the even half of them.
    """
    random = np.random.default_rng(0)
    a, b = random.exponential(size=(2, 2000, 12))
    found = np.array(
        [
            p_values(
                randomization_test(x, y, n_resamples=19, statistic=statistic, random_state=random)
            )
            for x, y in zip(a, b, strict=True)
        ]
    )
    for side in range(3):
        steps = 10 if side == 0 and statistic != "mean" else 20
        counts = np.bincount(np.rint(found[:, side] * steps).astype(int), minlength=steps + 1)
        assert counts[0] == 0
        assert stats.chisquare(counts[1:]).pvalue > 1e-3


def test_exact_p_values_are_conservative() -> None:
    random = np.random.default_rng(1)
    scores = random.integers(0, 4, (1500, 2, 8)) / 10
    found = np.array([randomization_test(a, b).pvalue for a, b in scores])
    for level in (0.01, 0.05, 0.2):
        assert (found <= level).sum() <= stats.binom.ppf(0.999, len(found), level)


def test_standard_error_is_that_of_paired_differences() -> None:
    a, b = noise(30, shift=0.3)
    found = randomization_test(a, b)
    assert found.statistic / found.standard_error == pytest.approx(stats.ttest_rel(a, b).statistic)
    groups = np.arange(30) % 7
    weight = np.linspace(0.5, 2, 30)
    grouped = randomization_test(a, b, groups=groups)
    by_clusters = sm.OLS(a - b, np.ones(30)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    assert grouped.standard_error == pytest.approx(by_clusters.bse[0])
    weighted = randomization_test(a, b, groups=groups, sample_weight=weight)
    by_clusters = sm.WLS(a - b, np.ones(30), weight).fit(
        cov_type="cluster", cov_kwds={"groups": groups}
    )
    assert weighted.statistic == pytest.approx(by_clusters.params[0])
    assert weighted.standard_error == pytest.approx(by_clusters.bse[0])
    assert np.isnan(randomization_test([1.0], [0.0]).standard_error)


@pytest.mark.parametrize(("rows", "resamples"), [(2_000, 100_000), (300_000, 2_000)])
def test_memory_does_not_grow_with_rows_times_resamples(rows: int, resamples: int) -> None:
    a, b = noise(rows)
    tracemalloc.start()
    try:
        randomization_test(a, b, n_resamples=resamples, random_state=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40e6


def test_repr_says_what_was_found() -> None:
    assert repr(randomization_test(A, B, alternative="greater")) == (
        "RandomizationTestResult: statistic 0.1167, p = 0.04053 (greater)\n"
        "12 pairs, 2,048 patterns (all; p >= 0.000488), standard error 0.055"
    )
    grouped = randomization_test(
        *noise(60), groups=np.arange(60) // 2, n_resamples=999, random_state=0
    )
    assert "60 pairs in 30 groups, 999 patterns (random; p >= 0.001)" in repr(grouped)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("statistic", ["mean", lambda a, b: a.mean() / b.mean()])
def test_plot_shows_the_null_and_the_share_beyond(alternative: Any, statistic: Any) -> None:
    result = randomization_test(A, B, alternative=alternative, statistic=statistic)
    ax = result.plot()
    everything, extreme = (sum(bar.get_height() for bar in bars) for bars in ax.containers)
    assert everything == len(result.null_distribution)
    assert extreme / everything == pytest.approx(result.pvalue)
    assert ax.lines[0].get_xdata()[0] == result.statistic
    assert f"p = {result.pvalue:.2g}" in ax.get_title()
    assert ax.get_xlabel()
    mpl.pyplot.close("all")


def test_plot_of_no_difference_and_on_given_axes() -> None:
    _, given = mpl.pyplot.subplots()
    assert randomization_test(A, A).plot(given) is given
    rare = randomization_test(np.ones(40), np.zeros(40), n_resamples=99, random_state=0)
    assert sum(bar.get_height() for bar in rare.plot().containers[1]) == 0
    mpl.pyplot.close("all")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"a": [1, np.nan]}, InvalidOptionError, "a has 1 values that are missing or infinite"),
        ({"b": ["x", "y"]}, OptionTypeError, "b must hold numbers"),
        ({"b": [1, 2, 3]}, InvalidOptionError, "b has 3 values, for 2 rows"),
        ({"a": [], "b": []}, InvalidOptionError, "a and b are empty"),
        ({"groups": ["x", None]}, InvalidOptionError, "groups is missing in 1 row, the first row"
         " 1; each row needs a label"),
        ({"groups": ["x"]}, InvalidOptionError, "groups has 1 values, for 2 rows"),
        ({"sample_weight": [1, -1]}, InvalidOptionError, "sample_weight is -1 in row 1"),
        ({"alternative": "both"}, InvalidOptionError, "alternative='both'; it must be one of"
         " ['two-sided', 'greater', 'less']"),
        ({"n_resamples": 0}, InvalidOptionError, "n_resamples=0; it must be >= 1"),
        ({"n_resamples": 10.0}, OptionTypeError, "n_resamples=10.0 must be a whole number"),
        ({"n_resamples": True}, OptionTypeError, "n_resamples=True must be a whole number"),
        ({"statistic": "median"}, InvalidOptionError, "statistic='median'; it must be \"mean\" or"),
        ({"statistic": lambda a, b: a}, InvalidOptionError, "statistic gives values of shape"),
        ({"statistic": lambda a, b, axis: 1.0}, InvalidOptionError, "along axis=-1"),
        ({"statistic": lambda a, b: np.nan}, InvalidOptionError, "statistic is nan when some"),
        ({"statistic": max, "sample_weight": [1, 2]}, InvalidOptionError, "sample_weight has no"
         " part in a callable statistic"),
        ({"a": pd.Series([1, 2]), "b": pd.Series([3, 4], index=[1, 0])}, InvalidOptionError,
         "a and b have different indexes (the same labels in another order); align them"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    given = {"a": [1, 2], "b": [2, 5]} | options
    with pytest.raises(error, match=re.escape(message)):
        randomization_test(given.pop("a"), given.pop("b"), **given)


def test_functions_that_do_not_tell_their_parameters_are_called_pair_by_pair() -> None:
    class Untold:
        """As some functions written in C: it has no signature."""

        @property
        def __signature__(self) -> None:
            raise ValueError("no signature found")

        def __call__(self, a: Any, b: Any) -> float:
            return float(a.sum() - b.sum())

    assert randomization_test(A, B, statistic=Untold()).pvalue == 0.0810546875


@pytest.mark.parametrize(
    ("n_groups", "alternative", "least"),
    [(4, "two-sided", 0.125), (4, "greater", 0.0625), (5, "two-sided", 0.0625), (1, "less", 0.5)],
)
def test_the_smallest_p_of_few_groups_is_reached(
    n_groups: int, alternative: Any, least: float
) -> None:
    groups = np.repeat(np.arange(n_groups), 3)
    better = np.ones(len(groups)) if alternative != "less" else -np.ones(len(groups))
    for statistic in ("mean", lambda a, b: float(np.mean(a - b))):
        found = randomization_test(
            better, np.zeros(len(groups)), groups=groups, alternative=alternative,
            statistic=statistic,
        )  # fmt: skip
        assert found.pvalue == found.smallest_pvalue == least
    assert f"p >= {least:.3g}" in repr(found)
    undecided = randomization_test(A, B, groups=np.arange(len(A)) % n_groups)
    assert undecided.pvalue >= undecided.smallest_pvalue


def test_the_smallest_p_of_random_patterns_and_of_none() -> None:
    ones, zeros = np.ones(40), np.zeros(40)
    drawn = randomization_test(ones, zeros, n_resamples=99, random_state=0)
    assert drawn.pvalue == drawn.smallest_pvalue == 0.01
    doubled = randomization_test(
        ones, zeros, n_resamples=99, random_state=0, statistic=lambda a, b: float(np.mean(a - b))
    )
    assert doubled.pvalue == doubled.smallest_pvalue == 0.02
    assert randomization_test(ones, ones).smallest_pvalue == 1.0


def test_jobs_change_nothing() -> None:
    a, b = noise(50)
    options = {"statistic": median_difference, "n_resamples": 3000, "random_state": 0}
    one = randomization_test(a, b, **options)
    with parallel_config("threading"):
        two = randomization_test(a, b, n_jobs=2, **options)
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)


def test_large_statistics_are_shown_whole() -> None:
    assert "statistic 15555, p" in repr(randomization_test([15555.0] * 4, [0.0] * 4))
