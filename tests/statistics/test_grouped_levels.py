import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import law
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.statistics.grouped_levels import GroupCells, GroupedLevels
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums

N_LEVELS = 4


def by_levels(level, y, weight=None):
    return OutcomeSums.of_rows(level, N_LEVELS, y, weight)


def table_of(level, group, y, weight=None):
    """Sums by level and group, which are numbered from 0."""
    n = int(group.max()) + 1
    cells = OutcomeSums.of_rows(level * n + group, N_LEVELS * n, y, weight)
    at = np.flatnonzero(cells.weight > 0)
    return LevelTable.of_cells(N_LEVELS, n, at // n, at % n, cells.take(at))


def naive_share(level, group, y, weight, *, counts):
    """Intraclass correlation by the sums of squares of the textbook, cell by cell.

    Means take a row from theirs; of weights that do not count rows, squares over weights.
    """

    def spent(own):
        return 1.0 if counts else (weight[own] ** 2).sum() / weight[own].sum()

    rows = weight.sum()
    inside = between = over = of_cells = of_levels = 0.0
    for one in np.unique(level):
        own = level == one
        mean = np.average(y[own], weights=weight[own])
        of_levels += spent(own)
        for at in np.unique(group[own]):
            cell = own & (group == at)
            of_cell = np.average(y[cell], weights=weight[cell])
            inside += (weight[cell] * (y[cell] - of_cell) ** 2).sum()
            between += weight[cell].sum() * (of_cell - mean) ** 2
            over += weight[cell].sum() ** 2 / weight[own].sum()
            of_cells += spent(cell)
    if rows - of_cells <= 1e-9:
        return 0.0
    if rows - over <= 1e-9:
        return 1.0
    within = inside / (rows - of_cells)
    effects = max(between - (of_cells - of_levels) * within, 0.0) / (rows - over)
    return effects / (within + effects) if effects > 1e-9 else 0.0


def naive_worth(own, group, weight, share):
    """Rows that some are worth, by the variance of their mean about that of all."""
    rows, n = weight.sum(), weight[own].sum()
    apart = sum(
        (weight[own & (group == at)].sum() / n - weight[group == at].sum() / rows) ** 2
        for at in np.unique(group)
    )
    times = n * apart / (1.0 - n / rows) if rows - n > 1e-9 else 1.0
    return n / max(1.0 - share + share * times, 1.0)


def naive(level, group, y, weight, *, counts=True):
    """Share and worth of each level."""
    share, worth = naive_share(level, group, y, weight, counts=counts), np.zeros(N_LEVELS)
    for one in np.unique(level):
        worth[one] = naive_worth(level == one, group, weight, share)
    return share, worth


def believed(grouped, sums, rare_count=0.0):
    """Levels of one training set with the rows that theirs are worth."""
    return pool_levels(training_view([sums]), rare_count, None, False, grouped).worth


@st.composite
def rows_in_groups(draw):
    n = draw(st.integers(2, 25))
    group = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    level = np.array(draw(st.lists(st.integers(0, N_LEVELS - 1), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), dtype=float)
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), dtype=float)
    block = np.array(draw(st.lists(st.integers(0, 2), min_size=6, max_size=6)))
    return level, group, y, weight, block


@law
@given(rows_in_groups())
def test_all_rows_are_worth_what_sums_of_squares_say(rows):
    level, group, y, weight, block = rows
    grouped = GroupedLevels.of_cells(
        GroupCells(table_of(level, group, y, weight), block, 3)
    ).whole()
    sums = by_levels(level, y, weight)
    share, worth = naive(level, group, y, weight)
    np.testing.assert_allclose(grouped.intraclass_correlation(sums), [share], atol=1e-9)
    found = believed(grouped, sums).view
    np.testing.assert_allclose(found.entries.weight, worth, atol=1e-9)
    np.testing.assert_allclose(found.whole.weight, worth.sum(), atol=1e-9)
    known = sums.weight > 0
    np.testing.assert_allclose(found.entries.mean[known], sums.mean[known], atol=1e-9)
    np.testing.assert_allclose(found.whole.mean, np.average(y, weights=weight), atol=1e-9)
    np.testing.assert_array_equal(found.entries.size, sums.weight)


@law
@given(rows_in_groups(), st.booleans())
def test_folds_know_of_groups_what_their_training_rows_say(rows, in_order):
    level, group, y, weight, block = rows
    table = table_of(level, group, y, weight)
    sets = GroupedLevels.of_cells(GroupCells(table, block, 3)).known_to(3, in_order=in_order)
    for fold in range(3):
        own = (block < fold if in_order else block != fold)[group]
        sums = by_levels(level[own], y[own], weight[own])
        worth = naive(level[own], group[own], y[own], weight[own])[1] if own.any() else 0.0
        found = believed(sets.of_set(fold), sums).view
        np.testing.assert_allclose(found.entries.weight, worth, atol=1e-9)


@law
@given(rows_in_groups())
def test_no_trace_of_a_folds_own_rows_is_left(rows):
    level, group, y, weight, block = rows
    n_groups = int(group.max()) + 1

    def known(outcome):
        cells = LevelTable.of_cells(
            N_LEVELS,
            n_groups,
            *np.divmod(np.arange(N_LEVELS * n_groups), n_groups),
            OutcomeSums.of_rows(level * n_groups + group, N_LEVELS * n_groups, outcome, weight),
        )
        return (
            GroupedLevels.of_cells(GroupCells(cells, block, 3))
            .known_to(3, in_order=False)
            .of_set(1)
        )

    own = block[group] == 1
    one, other = known(y), known(np.where(own, 7.1 * y + 0.3, y))
    np.testing.assert_array_equal(one.sums[0], other.sums[0])


@law
@given(rows_in_groups(), st.floats(1.0, 12.0), st.booleans())
def test_levels_that_are_taken_for_one_are_worth_what_their_groups_are(rows, rare_count, in_order):
    level, group, y, weight, block = rows
    cells = GroupCells(table_of(level, group, y, weight), block, 3)
    sets = GroupedLevels.of_cells(cells).known_to(3, in_order=in_order)
    for fold in range(3):
        known = (block < fold if in_order else block != fold)[group]
        if not known.any():
            continue
        level_, group_, y_, weight_ = (one[known] for one in (level, group, y, weight))
        sums = by_levels(level_, y_, weight_)
        share, worth = naive(level_, group_, y_, weight_)
        found = believed(sets.of_set(fold), sums, rare_count)
        rare = (sums.weight > 0) & (sums.weight <= rare_count)
        if rare.any():
            expected = naive_worth(rare[level_], group_, weight_, share)
            np.testing.assert_allclose(found.pool.weight, expected, atol=1e-9)
            expected += sum(worth[one] for one in np.unique(level_) if not rare[one])
            np.testing.assert_allclose(found.view.whole.weight, expected, atol=1e-9)
        alone = (worth > 0) & (worth <= 1.0 + 1e-12) & ~rare
        expected = naive_worth(alone[level_], group_, weight_, share) if alone.any() else 0.0
        np.testing.assert_allclose(found.alone, expected, atol=1e-9)


@law
@given(rows_in_groups(), st.integers(1, 7))
def test_weights_that_do_not_count_rows_take_from_means_as_they_vary(rows, seed):
    level, group, y, _, block = rows
    weight = np.random.default_rng(seed).uniform(0.1, 2.0, len(y))
    table = table_of(level, group, y, weight)
    squares = table_of(level, group, y, weight * weight).cells.weight
    cells = GroupCells(table, block, 3, squares / table.cells.weight)
    share, worth = naive(level, group, y, weight, counts=False)
    sums = by_levels(level, y, weight)
    grouped = GroupedLevels.of_cells(cells).whole()
    np.testing.assert_allclose(grouped.intraclass_correlation(sums), [share], atol=1e-7)
    np.testing.assert_allclose(believed(grouped, sums).view.entries.weight, worth, atol=1e-6)


def test_groups_of_one_size_that_have_one_level_each_have_the_design_effect_of_the_textbook():
    per_level, size = 5, 8
    rng = np.random.default_rng(1)
    group = np.arange(N_LEVELS * per_level).repeat(size)
    level = group // per_level
    y = 2.0 * rng.normal(size=N_LEVELS * per_level)[group] + rng.normal(size=len(group))
    cells = GroupCells(table_of(level, group, y), np.zeros(len(group), int), 1)
    grouped = GroupedLevels.of_cells(cells)
    means = y.reshape(-1, size).mean(axis=1)
    inside = y.reshape(-1, size).var(axis=1, ddof=1).mean()
    between = size * means.reshape(N_LEVELS, per_level).var(axis=1, ddof=1).mean()
    share = (between - inside) / (between + (size - 1) * inside)
    sums = by_levels(level, y)
    np.testing.assert_allclose(grouped.intraclass_correlation(sums), [share])
    effect = 1.0 + share * (size - 1.0)
    view = believed(grouped, sums).view
    np.testing.assert_allclose(view.entries.weight, per_level * size / effect)
    # What is left of a level's squares tells the variance of a row: inside and between groups.
    within = view.entries.squares.sum() / (view.entries.weight - 1.0).sum()
    assert within == pytest.approx(inside + (between - inside) / size, rel=0.02)


def test_groups_with_the_same_rows_of_each_level_leave_all_bits_as_they_are():
    rng = np.random.default_rng(2)
    group, level = np.arange(30).repeat(N_LEVELS), np.tile(np.arange(N_LEVELS), 30)
    y = 3.0 * rng.normal(size=30)[group] + rng.normal(size=len(group))
    cells = GroupCells(table_of(level, group, y), np.zeros(30, dtype=int), 1)
    grouped = GroupedLevels.of_cells(cells)
    sums = by_levels(level, y)
    view = believed(grouped, sums).view
    np.testing.assert_array_equal(view.entries.weight, sums.weight)
    np.testing.assert_array_equal(view.entries.total, sums.total)
