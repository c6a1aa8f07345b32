from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import assert_same_sums, examples, law, masks, naive_sums
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by, sum_many, weight_left


@law
@given(examples())
def test_sums_of_rows_are_those_of_a_loop(example):
    sums = example.sums()
    for level in range(example.n_levels):
        own = example.code == level
        found = sums.weight[level], sums.mean[level], sums.squares[level]
        np.testing.assert_allclose(found, naive_sums(example.y[own], example.w[own]), atol=1e-9)


@law
@given(st.data())
def test_two_parts_add_up_to_the_whole(data):
    example = data.draw(examples())
    part = data.draw(masks(len(example)))
    assert_same_sums(example.where(part).sums() + example.where(~part).sums(), example.sums())


@law
@given(st.data())
def test_the_whole_less_a_part_is_the_rest(data):
    example = data.draw(examples())
    part = data.draw(masks(len(example)))
    rest = example.sums() - example.where(part).sums()
    assert_same_sums(rest, example.where(~part).sums())


@law
@given(examples())
def test_the_whole_less_itself_is_exactly_nothing(example):
    nothing = example.sums() - example.sums()
    assert not nothing.weight.any()
    assert not nothing.total.any()
    assert not nothing.squares.any()


@law
@given(st.data())
def test_the_order_of_rows_does_not_matter(data):
    example = data.draw(examples())
    order = np.array(data.draw(st.permutations(range(len(example)))), dtype=int)
    assert_same_sums(example.where(order).sums(), example.sums())


@law
@given(examples(weighted=True, whole_weights=True))
def test_a_whole_weight_stands_for_repeated_rows(example):
    assert_same_sums(example.sums(), example.repeated().sums())


@law
@given(examples(), st.sampled_from([-3.0, 0.5, 20.0]))
def test_another_centre_changes_neither_means_nor_squares(example, centre):
    sums = example.sums()
    moved = sums.recentred(centre)
    assert moved.centre == centre
    assert_same_sums(moved, sums)


def test_the_same_centre_is_no_work():
    sums = OutcomeSums.of_rows(np.array([0]), 1, np.array([1.0]), centre=2.0)
    assert sums.recentred(2.0) is sums


@law
@given(st.data())
def test_parts_about_different_centres_add_and_subtract(data):
    example = data.draw(examples())
    part = data.draw(masks(len(example)))
    one, other = example.where(part).sums(), example.where(~part).sums()
    assert_same_sums(one + other.recentred(7.0), example.sums())
    assert_same_sums(one.recentred(7.0) + other, example.sums())
    assert_same_sums(example.sums() - one.recentred(7.0), other)
    assert_same_sums(example.sums().recentred(7.0) - one, other)


@law
@given(examples())
def test_nothing_is_neutral(example):
    sums = example.sums()
    nothing = OutcomeSums.nothing(example.n_levels, sums)
    for same in (sums + nothing, nothing + sums, sums - nothing):
        assert_same_sums(same, sums)


@law
@given(examples())
def test_grouped_sums_are_the_sums_of_coarser_groups(example):
    coarse = np.arange(example.n_levels) // 2
    expected = OutcomeSums.of_rows(coarse[example.code], 3, example.y, example.weight)
    assert_same_sums(example.sums().grouped(coarse, 3), expected)


@law
@given(examples())
def test_merged_sums_are_the_sums_of_one_group(example):
    one = np.zeros(len(example), dtype=int)
    expected = OutcomeSums.of_rows(one, 1, example.y, example.weight)
    assert_same_sums(example.sums().merged(), expected)


@law
@given(examples())
def test_taken_groups_join_to_the_whole_again(example):
    sums = example.sums()
    pieces = [sums.take(slice(0, 1)), sums.take(np.arange(1, example.n_levels)).recentred(3.0)]
    joined = OutcomeSums.joined(pieces)
    assert joined.centre == sums.centre
    assert_same_sums(joined, sums)


@law
@given(examples())
def test_replacing_groups_leaves_the_others_and_the_original(example):
    sums = example.sums()
    before = sums.squares.copy()
    twice = sums + sums
    replaced = sums.replaced(np.array([0]), twice.take(slice(0, 1)))
    assert_same_sums(replaced.take(slice(0, 1)), twice.take(slice(0, 1)))
    assert_same_sums(replaced.take(slice(1, None)), sums.take(slice(1, None)))
    np.testing.assert_array_equal(sums.squares, before)


def test_a_class_outcome_keeps_no_squares_because_counts_hold_them():
    sums = OutcomeSums.of_rows(np.array([0, 0, 0, 1]), 2, np.array([0, 1, 1, 0], dtype=np.int8))
    assert sums.inner is None
    np.testing.assert_allclose(sums.squares, [2 / 3, 0.0])


@pytest.mark.parametrize("centre", [0.0, 1e9])
def test_an_offset_of_a_billion_costs_no_digits(centre):
    spread = np.random.default_rng(1).normal(size=1000)
    group = np.arange(1000) % 3
    sums = OutcomeSums.of_rows(group, 3, spread + 1e9 - centre, centre=centre)
    half = OutcomeSums.of_rows(group[:500], 3, spread[:500] + 1e9 - centre, centre=centre)
    expected = OutcomeSums.of_rows(group, 3, spread)
    np.testing.assert_allclose(sums.squares, expected.squares, rtol=1e-6)
    rest = OutcomeSums.of_rows(group[500:], 3, spread[500:])
    np.testing.assert_allclose((sums - half).squares, rest.squares, rtol=1e-6)


def test_levels_a_billion_apart_keep_their_inner_squares():
    spread = np.random.default_rng(2).normal(size=1000)
    group = np.arange(1000) % 2
    far = spread + 1e9 * group
    centre = far.mean()
    sums = OutcomeSums.of_rows(group, 2, far - centre, centre=centre)
    expected = OutcomeSums.of_rows(group, 2, spread)
    np.testing.assert_allclose(sums.squares, expected.squares, rtol=1e-6)


def test_arrays_cannot_be_written_to():
    sums = OutcomeSums.of_rows(np.array([0]), 1, np.array([1.0]))
    for values in (sums.weight, sums.total, sums.inner):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 5.0


def test_rounding_leaves_no_rows_behind():
    weight = np.random.default_rng(0).random(100)
    group = np.zeros(100, dtype=int)
    sums = OutcomeSums.of_rows(group, 1, np.ones(100), weight)
    order = np.argsort(weight)
    again = OutcomeSums.of_rows(group, 1, np.ones(100), weight[order])
    assert sums.weight[0] != again.weight[0]
    nothing = sums - again
    assert (nothing.weight[0], nothing.total[0], nothing.squares[0]) == (0.0, 0.0, 0.0)
    assert weight_left(np.array([1e9, 3.0]), np.array([1e9 - 1.0, 3.0])).tolist() == [1.0, 0.0]


def counted(example, rows):
    """The sums of an example, of which so many rows are told beside the weights."""
    return replace(example.sums(), rows=np.asarray(rows, dtype=float))


@law
@given(examples(), st.data())
def test_rows_go_where_weights_go(example, data):
    """Whatever is done to sums is done to their numbers of rows, where those are told."""
    n = example.n_levels
    drawn = st.lists(st.integers(0, 9), min_size=n, max_size=n)
    rows, others = (np.array(data.draw(drawn), dtype=float) for _ in range(2))
    sums, other = counted(example, rows), counted(example, others)
    np.testing.assert_array_equal(sums.size, rows)
    np.testing.assert_array_equal(example.sums().size, example.sums().weight)
    np.testing.assert_array_equal((sums + other).size, rows + others)
    np.testing.assert_array_equal(sums.merged().size, [rows.sum()])
    np.testing.assert_array_equal(sums.recentred(3.0).size, rows)
    np.testing.assert_array_equal(sums.take(slice(0, 1)).size, rows[:1])
    np.testing.assert_array_equal(OutcomeSums.joined([sums, other]).size, [*rows, *others])
    replaced = sums.replaced(np.array([0]), other.take(slice(0, 1)))
    np.testing.assert_array_equal(replaced.size, [others[0], *rows[1:]])
    coarse = np.arange(n) // 2
    np.testing.assert_array_equal(sums.grouped(coarse, 3).size, np.bincount(coarse, rows, 3))
    assert not OutcomeSums.nothing(n, sums).size.any()
    assert (sums - other).rows is None  # nobody asks what is left
    assert_same_sums(sums, example.sums())


@pytest.mark.parametrize("y", [np.array([0.5, 2.0, 4.0]), np.array([0, 1, 1], dtype=np.int8)])
def test_another_unit_of_weight_changes_no_mean(y):
    group = np.array([0, 0, 1])
    expected = OutcomeSums.of_rows(group, 2, y, np.full(3, 2.5))
    assert_same_sums(OutcomeSums.of_rows(group, 2, y).scaled(2.5), expected)


@pytest.mark.parametrize("n_rows", [0, 1_000, 1 << 16, 100_000])
def test_very_many_rows_have_the_same_sums_to_the_bit(n_rows):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 700, n_rows).astype(np.int32)
    for values in (None, rng.normal(size=n_rows), rng.integers(0, 9, n_rows).astype(float)):
        found = sum_many(group, values, 800)
        np.testing.assert_array_equal(found, sum_by(group, values, 800))
        assert found.dtype == np.float64
