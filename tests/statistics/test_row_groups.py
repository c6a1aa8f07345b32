"""Sums over runs of rows are those of the rows of each group, block by block."""

import numpy as np
import pytest

from tests.statistics.test_moments import assert_same_moments
from vtreat_py.statistics import row_groups
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.row_groups import RowGroups


@pytest.fixture(params=[1, 7, 64, 1 << 14])
def block(request, monkeypatch):
    monkeypatch.setattr(row_groups, "_BLOCK", request.param)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("n_groups", [1, 3, 300])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("some_lost", [False, True])
@pytest.mark.parametrize("far", [0.0, 1e7])
def test_moments_are_those_of_the_rows_of_each_group(n_groups, weighted, some_lost, far):
    random = np.random.default_rng(3)
    n = 200
    group, x = random.integers(n_groups, size=n), far + random.normal(size=n)
    y = random.integers(2, size=n).astype(np.int8) if weighted else random.normal(size=n) - far
    weight = random.integers(0, 3, n) / 2.0 if weighted else None
    lost = random.random(n) < 0.3 if some_lost else None
    groups = RowGroups.of(group, n_groups, y, weight)
    kept = np.ones(n, dtype=bool) if lost is None else ~lost
    places = None if lost is None else np.flatnonzero(lost[groups.row])
    found = groups.moments(np.where(kept, x, np.nan).take, places)
    assert_same_moments(groups.some(np.flatnonzero(kept[groups.row])).moments(x.take), found)
    kept_weight = None if weight is None else weight[kept]
    expected = Moments.of_rows(group[kept], n_groups, x[kept], y[kept], kept_weight)
    assert_same_moments(found, expected)
    for _ in range(2):  # what is kept of the outcome serves another column
        assert_same_moments(groups.moments(x.take), Moments.of_rows(group, n_groups, x, y, weight))


@pytest.mark.usefixtures("block")
def test_rows_may_be_picked_and_repeated():
    x, y = np.arange(10.0) ** 2, np.sin(np.arange(10.0))
    rows, owner = np.array([3, 3, 9, 0, 1]), np.array([2, 0, 0, 2, 0])
    found = RowGroups.of(owner, 3, y[rows], None, 0.5, rows)
    expected = Moments.of_rows(owner, 3, x[rows], y[rows], None, centre_y=0.5)
    assert_same_moments(found.moments(x.take), expected)
    sums = found.outcome()
    np.testing.assert_array_equal(sums.weight, [3, 0, 2])
    assert (sums.centre, found.moments(x.take).centre_y) == (0.5, 0.5)
    np.testing.assert_array_equal(found.row, [3, 9, 1, 3, 0])


def test_without_rows_all_groups_are_empty():
    none = np.empty(0)
    found = RowGroups.of(none.astype(int), 2, none).moments(none.take)
    np.testing.assert_array_equal(found.weight, [0.0, 0.0])
    np.testing.assert_array_equal(found.xx, [0.0, 0.0])
