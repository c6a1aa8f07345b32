import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import law
from vtreat_py.statistics.grouped_levels import GroupedLevels
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


def naive(level, group, y, weight):
    """Share and worth, by the sums of squares of the textbook, level by level."""
    rows = weight.sum()
    inside = between = over = 0.0
    n_cells = n_seen = 0
    for one in np.unique(level):
        own = level == one
        mean = np.average(y[own], weights=weight[own])
        n_seen += 1
        for at in np.unique(group[own]):
            cell = own & (group == at)
            of_cell = np.average(y[cell], weights=weight[cell])
            inside += (weight[cell] * (y[cell] - of_cell) ** 2).sum()
            between += weight[cell].sum() * (of_cell - mean) ** 2
            over += weight[cell].sum() ** 2 / weight[own].sum()
            n_cells += 1
    share = 0.0
    if rows - n_cells > 1e-9:
        share = 1.0
        if n_cells > n_seen:
            within = inside / (rows - n_cells)
            effects = max(between - (n_cells - n_seen) * within, 0.0) / (rows - over)
            share = effects / (within + effects) if effects > 0 else 0.0
    worth = np.zeros(N_LEVELS)
    for one in np.unique(level):
        n = weight[level == one].sum()
        apart = sum(
            (weight[(level == one) & (group == at)].sum() / n - weight[group == at].sum() / rows)
            ** 2
            for at in np.unique(group)
        )
        times = n * apart / (1.0 - n / rows) if n < rows else 1.0
        worth[one] = n / max(1.0 - share + share * times, 1.0)
    return share, worth


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
    grouped = GroupedLevels.of_table(table_of(level, group, y, weight), block, 3).whole()
    sums = by_levels(level, y, weight)
    share, worth = naive(level, group, y, weight)
    np.testing.assert_allclose(grouped.intraclass_correlation(sums), [share], atol=1e-9)
    found = grouped.worth(training_view([sums]))
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
    sets = GroupedLevels.of_table(table, block, 3).known_to(3, in_order=in_order)
    for fold in range(3):
        own = (block < fold if in_order else block != fold)[group]
        sums = by_levels(level[own], y[own], weight[own])
        worth = naive(level[own], group[own], y[own], weight[own])[1] if own.any() else 0.0
        found = sets.of_set(fold).worth(training_view([sums]))
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
        return GroupedLevels.of_table(cells, block, 3).known_to(3, in_order=False).of_set(1)

    own = block[group] == 1
    one, other = known(y), known(np.where(own, 7.1 * y + 0.3, y))
    np.testing.assert_array_equal(one.inside, other.inside)


def test_groups_of_one_size_that_have_one_level_each_have_the_design_effect_of_the_textbook():
    per_level, size = 5, 8
    rng = np.random.default_rng(1)
    group = np.arange(N_LEVELS * per_level).repeat(size)
    level = group // per_level
    y = 2.0 * rng.normal(size=N_LEVELS * per_level)[group] + rng.normal(size=len(group))
    grouped = GroupedLevels.of_table(table_of(level, group, y), np.zeros(len(group), int), 1)
    means = y.reshape(-1, size).mean(axis=1)
    inside = y.reshape(-1, size).var(axis=1, ddof=1).mean()
    between = size * means.reshape(N_LEVELS, per_level).var(axis=1, ddof=1).mean()
    share = (between - inside) / (between + (size - 1) * inside)
    sums = by_levels(level, y)
    np.testing.assert_allclose(grouped.intraclass_correlation(sums), [share])
    effect = 1.0 + share * (size - 1.0)
    view = grouped.worth(training_view([sums]))
    np.testing.assert_allclose(view.entries.weight, per_level * size / effect)
    # What is left of a level's squares tells the variance of a row: inside and between groups.
    within = view.entries.squares.sum() / (view.entries.weight - 1.0).sum()
    assert within == pytest.approx(inside + (between - inside) / size, rel=0.02)


def test_groups_with_the_same_rows_of_each_level_leave_all_bits_as_they_are():
    rng = np.random.default_rng(2)
    group, level = np.arange(30).repeat(N_LEVELS), np.tile(np.arange(N_LEVELS), 30)
    y = 3.0 * rng.normal(size=30)[group] + rng.normal(size=len(group))
    grouped = GroupedLevels.of_table(table_of(level, group, y), np.zeros(30, dtype=int), 1)
    sums = by_levels(level, y)
    view = grouped.worth(training_view([sums]))
    np.testing.assert_array_equal(view.entries.weight, sums.weight)
    np.testing.assert_array_equal(view.entries.total, sums.total)
