import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import assert_same_sums, law
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.scan import all_before, all_but_one, all_but_own


def parts_of(n, seed=0):
    """Sums of n groups of a few rows each."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(n), random.integers(1, 4, n))
    return OutcomeSums.of_rows(group, n, random.normal(size=len(group)))


def in_segments(sizes):
    size = np.repeat(sizes, sizes).astype(np.intp)
    rank = np.concatenate([np.arange(s) for s in sizes] or [np.empty(0)]).astype(np.intp)
    return rank, size


def naive_all_but_own(parts, sizes):
    """Merge the other parts of each part's segment, one by one."""
    others, start = [], 0
    for size in sizes:
        for own in range(start, start + size):
            rest = [i for i in range(start, start + size) if i != own]
            others.append(parts.take(np.array(rest, dtype=int)).merged())
        start += size
    return others


@law
@given(st.lists(st.integers(1, 9), max_size=6))
def test_all_but_own_merges_the_others_of_the_segment(sizes):
    parts = parts_of(sum(sizes))
    found = all_but_own(parts, *in_segments(sizes), OutcomeSums.nothing(1, parts))
    assert len(found.weight) == sum(sizes)
    for i, expected in enumerate(naive_all_but_own(parts, sizes)):
        assert_same_sums(found.take(slice(i, i + 1)), expected)


def test_all_but_own_of_one_long_segment():
    n = 5000
    parts = parts_of(n)
    found = all_but_own(parts, *in_segments([n]), OutcomeSums.nothing(1, parts))
    whole = parts.merged()
    rest = OutcomeSums.joined([whole] * n) - parts
    np.testing.assert_array_equal(found.weight, rest.weight)
    np.testing.assert_allclose(found.total, rest.total, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(found.squares, rest.squares, rtol=1e-12)
    for i in (0, 1, 2500, n - 1):
        others = np.delete(np.arange(n), i)
        assert_same_sums(found.take(slice(i, i + 1)), parts.take(others).merged(), scale=1e3)


def test_all_but_own_of_lone_parts_is_nothing():
    parts = parts_of(3)
    found = all_but_own(parts, *in_segments([1, 1, 1]), OutcomeSums.nothing(1, parts))
    assert not found.weight.any()
    assert not found.squares.any()


def test_the_own_part_leaves_no_trace():
    parts = parts_of(9)
    other = parts.replaced(np.array([4]), OutcomeSums(np.ones(1), np.full(1, 1e15), np.ones(1)))
    segments, nothing = in_segments([9]), OutcomeSums.nothing(1, parts)
    before, after = (all_but_own(p, *segments, nothing) for p in (parts, other))
    assert before.total[4] == after.total[4]
    assert before.squares[4] == after.squares[4]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_all_but_one_is_all_but_own_of_a_list(n):
    parts = parts_of(n)
    nothing = OutcomeSums.nothing(1, parts)
    others = all_but_one([parts.take(slice(i, i + 1)) for i in range(n)], nothing)
    assert len(others) == n
    for found, expected in zip(others, naive_all_but_own(parts, [n]), strict=True):
        assert_same_sums(found, expected)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_all_before_merges_what_stands_before(n):
    parts = parts_of(n)
    found = all_before(parts, n, OutcomeSums.nothing(1, parts))
    assert len(found.weight) == n
    assert found.weight[0] == found.total[0] == found.squares[0] == 0
    for i in range(1, n):
        assert_same_sums(found.take(slice(i, i + 1)), parts.take(slice(i)).merged())
