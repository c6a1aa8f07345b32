import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import examples, law, masks
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums


def moments_of(example, x, which=slice(None), x_centre=0.0, y_centre=0.0):
    weight = None if example.weight is None else example.weight[which]
    y = example.y[which] - y_centre if y_centre else example.y[which]
    x = x[which] - x_centre
    levels = example.code[which]
    return Moments.of_rows(levels, example.n_levels, x, y, weight, x_centre, y_centre)


def draw_x(data, example):
    quarters = st.lists(st.integers(-40, 40), min_size=len(example), max_size=len(example))
    return np.array(data.draw(quarters), dtype=float) / 4


def assert_same_moments(found, expected, scale=1.0):
    near = {"rtol": 1e-11, "atol": 1e-9 * scale}
    some = expected.weight > 0
    np.testing.assert_allclose(found.weight, expected.weight, **near)
    for mean, centre in (("x", "centre_x"), ("y", "centre_y")):
        ours = getattr(found, mean) + getattr(found, centre)
        theirs = getattr(expected, mean) + getattr(expected, centre)
        np.testing.assert_allclose(ours[some], theirs[some], **near)
    for squares in ("xx", "xy", "yy"):
        np.testing.assert_allclose(getattr(found, squares), getattr(expected, squares), **near)


@law
@given(st.data())
def test_moments_of_rows_are_those_of_numpy(data):
    example = data.draw(examples())
    x = draw_x(data, example)
    moments = moments_of(example, x)
    for level in range(example.n_levels):
        own = (example.code == level) & (example.w > 0)
        if own.any():
            together = np.cov(x[own], example.y[own], aweights=example.w[own], ddof=0)
            weight = example.w[own].sum()
            found = [[moments.xx[level], moments.xy[level]], [moments.xy[level], moments.yy[level]]]
            np.testing.assert_allclose(np.array(found) / weight, together, atol=1e-9)
            mean = np.average(x[own], weights=example.w[own])
            np.testing.assert_allclose(moments.x[level], mean, atol=1e-12)
        else:
            assert (moments.weight[level], moments.x[level], moments.xx[level]) == (0, 0, 0)


@law
@given(st.data())
def test_two_parts_add_up_to_the_whole(data):
    example = data.draw(examples())
    x, part = draw_x(data, example), data.draw(masks(len(example)))
    both = moments_of(example, x, part) + moments_of(example, x, ~part)
    assert_same_moments(both, moments_of(example, x))


@law
@given(st.data())
def test_the_whole_less_a_part_is_the_rest(data):
    example = data.draw(examples())
    x, part = draw_x(data, example), data.draw(masks(len(example)))
    rest = moments_of(example, x) - moments_of(example, x, part)
    assert_same_moments(rest, moments_of(example, x, ~part))


@law
@given(st.data())
def test_the_order_of_rows_does_not_matter(data):
    example = data.draw(examples())
    x = draw_x(data, example)
    order = np.array(data.draw(st.permutations(range(len(example)))), dtype=int)
    assert_same_moments(moments_of(example, x, order), moments_of(example, x))


@law
@given(st.data())
def test_a_whole_weight_stands_for_repeated_rows(data):
    example = data.draw(examples(weighted=True, whole_weights=True))
    x = draw_x(data, example)
    repeated = moments_of(example.repeated(), np.repeat(x, example.w.astype(int)))
    assert_same_moments(moments_of(example, x), repeated)


@law
@given(st.data())
def test_parts_about_different_centres_add_and_subtract(data):
    example = data.draw(examples(outcome="number"))
    x, part = draw_x(data, example), data.draw(masks(len(example)))
    one = moments_of(example, x, part, x_centre=4.0, y_centre=-2.0)
    other = moments_of(example, x, ~part)
    whole = moments_of(example, x)
    assert_same_moments(one + other, whole)
    assert_same_moments(whole - one, other)
    assert_same_moments(one.recentred(0.0, 0.0), one)


@law
@given(st.data())
def test_grouped_moments_are_those_of_coarser_groups(data):
    example = data.draw(examples())
    x, coarse = draw_x(data, example), np.arange(example.n_levels) // 2
    expected = Moments.of_rows(coarse[example.code], 3, x, example.y, example.weight)
    assert_same_moments(moments_of(example, x).grouped(coarse, 3), expected)


@law
@given(st.data())
def test_merged_moments_are_those_of_one_group(data):
    example = data.draw(examples())
    x, one = draw_x(data, example), np.zeros(len(example), dtype=int)
    expected = Moments.of_rows(one, 1, x, example.y, example.weight)
    assert_same_moments(moments_of(example, x).merged(), expected)


@law
@given(examples())
def test_points_are_rows_that_share_a_value(example):
    value = np.arange(example.n_levels) * 1.5
    points = Moments.of_points(value, example.sums())
    assert_same_moments(points, moments_of(example, value[example.code]))


@law
@given(examples())
def test_moments_over_points_are_those_of_all_rows(example):
    x = np.arange(example.n_levels) * 3.0 + 1e3
    sums = example.sums()
    assert_same_moments(Moments.over_points(x, sums), Moments.of_points(x, sums).merged())


def test_the_value_of_an_empty_point_does_not_matter():
    sums = OutcomeSums.of_rows(np.array([0]), 2, np.array([1.0]))
    assert Moments.over_points(np.array([2.0, np.inf]), sums).x == [2.0]
    points = Moments.of_points(np.array([3.0, np.inf]), sums)
    np.testing.assert_array_equal(points.merged().x, [3.0])


@law
@given(st.data())
def test_replacing_groups_leaves_the_others(data):
    example = data.draw(examples())
    moments = moments_of(example, draw_x(data, example))
    twice = moments + moments
    replaced = moments.replaced(np.array([0]), twice.take(slice(0, 1)))
    assert_same_moments(replaced.take(slice(0, 1)), twice.take(slice(0, 1)))
    assert_same_moments(replaced.take(slice(1, None)), moments.take(slice(1, None)))


def test_offsets_of_a_billion_cost_no_digits():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 1000))
    group = np.arange(1000) % 3
    near = Moments.of_rows(group, 3, x, y)
    far = Moments.of_rows(group, 3, (x + 1e9) - 1e9, (y - 1e9) + 1e9, None, 1e9, -1e9)
    for squares in ("xx", "xy", "yy"):
        np.testing.assert_allclose(getattr(far, squares), getattr(near, squares), rtol=1e-5)
    first = far.take(slice(0, 1)) + far.take(slice(1, 2)).recentred(0.0, 0.0)
    expected = near.take(slice(0, 1)) + near.take(slice(1, 2))
    np.testing.assert_allclose(first.xx, expected.xx, rtol=1e-5)


@pytest.mark.parametrize("far", ["x", "y"])
def test_groups_a_billion_apart_keep_their_inner_squares(far):
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 1000))
    group = np.arange(1000) % 2
    expected = Moments.of_rows(group, 2, x, y)
    apart = 1e9 * group - 5e8
    x, y = (x + apart, y) if far == "x" else (x, y + apart)
    found = Moments.of_rows(group, 2, x, y)
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-5)
    np.testing.assert_allclose(found.yy, expected.yy, rtol=1e-5)
    np.testing.assert_allclose(found.xy, expected.xy, atol=1e-4)


def test_arrays_cannot_be_written_to():
    moments = Moments.of_rows(np.array([0]), 1, np.array([1.0]), np.array([1.0]))
    with pytest.raises(ValueError, match="read-only"):
        moments.xx[0] = 5.0


def test_joined_moments_share_their_reference_points():
    one = Moments.of_rows(np.array([0]), 1, np.array([1.0]), np.array([2.0]))
    other = one.recentred(3.0, -1.0)
    joined = Moments.joined([one, other])
    assert (joined.centre_x, joined.centre_y) == (0.0, 0.0)
    assert joined.x.tolist() == [1.0, 1.0]
    assert joined.y.tolist() == [2.0, 2.0]
    assert joined.weight.tolist() == [1.0, 1.0]


def test_another_unit_of_weight_changes_no_mean():
    group, x, y = np.array([0, 0, 1]), np.array([1.0, 4.0, 2.0]), np.array([0.0, 2.0, 5.0])
    found = Moments.of_rows(group, 2, x, y).scaled(2.5)
    assert_same_moments(found, Moments.of_rows(group, 2, x, y, np.full(3, 2.5)))
