import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import assert_same_sums, examples, law, masks
from tests.statistics.test_moments import assert_same_moments, draw_x
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.row_groups import RowGroups


def draw_column(data, **options):
    """Draw rows with a numeric column, some values of it bad; the levels are not used."""
    example = data.draw(examples(**options))
    x = draw_x(data, example)
    bad = data.draw(st.none() | masks(len(example)))
    return example, x, bad


def sums_by_fold(example, x, bad):
    n, centre = example.n_folds, example.centre
    return sums_of(example.fold, n, x, bad, example.y, example.weight, centre)


def sums_of(group, n_groups, x, bad, y, weight, centre):
    groups = RowGroups.of(group, n_groups, y, weight, centre)
    return NumericSums.of_rows(groups, x, bad, Coordinates())


def good_rows(x, bad):
    return np.ones(len(x), dtype=bool) if bad is None else ~bad


@law
@given(st.data())
def test_good_and_bad_rows_are_summed_apart(data):
    example, x, bad = draw_column(data)
    sums, good = sums_by_fold(example, x, bad), good_rows(x, bad)
    kept, lost = example.where(good), example.where(~good)
    n = example.n_folds
    assert_same_moments(sums.good, Moments.of_rows(kept.fold, n, x[good], kept.y, kept.weight))
    assert_same_sums(sums.bad, OutcomeSums.of_rows(lost.fold, n, lost.y, lost.weight))


@law
@given(st.data())
def test_imputed_moments_are_those_of_the_cleaned_column(data):
    example, x, bad = draw_column(data)
    value = np.arange(example.n_folds) * 2.0 + 1.0
    cleaned = np.where(good_rows(x, bad), x, value[example.fold])
    n = example.n_folds
    expected = Moments.of_rows(example.fold, n, cleaned, example.y, example.weight)
    assert_same_moments(sums_by_fold(example, x, bad).imputed(value), expected)


@law
@given(st.data())
def test_the_outcome_is_that_of_all_rows(data):
    example, x, bad = draw_column(data)
    outcome = sums_by_fold(example, x, bad).outcome()
    expected = OutcomeSums.of_rows(example.fold, example.n_folds, example.y, example.weight)
    assert (outcome.inner is None) == (expected.inner is None)
    assert_same_sums(outcome, expected)


@law
@given(st.data())
def test_merged_sums_are_the_sums_of_one_group(data):
    example, x, bad = draw_column(data)
    merged = sums_by_fold(example, x, bad).merged()
    one = np.zeros(len(x), dtype=int)
    expected = sums_of(one, 1, x, bad, example.y, example.weight, 0.0)
    assert_same_moments(merged.good, expected.good)
    assert_same_sums(merged.bad, expected.bad)


@law
@given(st.data())
def test_all_but_own_is_what_the_rows_of_other_folds_say(data):
    example, x, bad = draw_column(data)
    others = sums_by_fold(example, x, bad).all_but_own()
    for fold in range(example.n_folds):
        rest = example.fold != fold
        one = np.zeros(int(rest.sum()), dtype=int)
        weight = None if example.weight is None else example.weight[rest]
        mark = None if bad is None else bad[rest]
        expected = sums_of(one, 1, x[rest], mark, example.y[rest], weight, 0.0)
        found = others.take(slice(fold, fold + 1))
        assert_same_moments(found.good, expected.good)
        assert_same_sums(found.bad, expected.bad)


@law
@given(st.data())
def test_a_whole_weight_stands_for_repeated_rows(data):
    example, x, bad = draw_column(data, weighted=True, whole_weights=True)
    times = example.w.astype(int)
    mark = None if bad is None else np.repeat(bad, times)
    repeated = sums_by_fold(example.repeated(), np.repeat(x, times), mark)
    sums = sums_by_fold(example, x, bad)
    assert_same_moments(sums.good, repeated.good)
    assert_same_sums(sums.bad, repeated.bad)


def test_centres_are_kept():
    y = np.array([1.0, 2.0])
    x, bad = np.array([5.0, np.nan]), np.array([False, True])
    sums = sums_of(np.array([0, 0]), 1, x, bad, y, None, 1e9)
    assert (sums.good.centre_y, sums.bad.centre, sums.outcome().centre) == (1e9, 1e9, 1e9)
    np.testing.assert_allclose(sums.outcome().mean, 1.5)
    np.testing.assert_allclose(sums.outcome().squares, 0.5)
    assert sums.all_but_own().good.centre_y == 1e9


@law
@given(st.data())
def test_sums_before_a_group_are_those_of_earlier_rows(data):
    example, x, bad = draw_column(data)
    before = sums_by_fold(example, x, bad).all_before()
    good = good_rows(x, bad)
    for fold in range(example.n_folds):
        past = example.fold < fold
        kept, lost = example.where(past & good), example.where(past & ~good)
        one = np.zeros(len(x), dtype=int)
        expected = Moments.of_rows(one[past & good], 1, x[past & good], kept.y, kept.weight)
        assert_same_moments(before.good.take(slice(fold, fold + 1)), expected)
        expected = OutcomeSums.of_rows(one[past & ~good], 1, lost.y, lost.weight)
        assert_same_sums(before.bad.take(slice(fold, fold + 1)), expected)


@law
@given(st.data())
def test_sums_by_class_hold_the_sums_of_each_class_against_the_others(data):
    example, x, bad = draw_column(data)
    n, n_classes = example.n_folds, 3
    own = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x))), int)
    pair, none = example.fold * n_classes + own, np.zeros(len(x), dtype=np.int8)
    by_class = sums_of(pair, n * n_classes, x, bad, none, example.weight, 0.0)
    for k in range(n_classes):
        y = (own == k).astype(np.int8)
        expected = sums_of(example.fold, n, x, bad, y, example.weight, 0.0)
        found = by_class.of_class(k, n_classes)
        assert_same_moments(found.good, expected.good)
        assert_same_sums(found.bad, expected.bad)
        assert_same_sums(found.outcome(), expected.outcome())
