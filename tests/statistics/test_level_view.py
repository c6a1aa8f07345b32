from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import Example, assert_same_sums, examples, law
from vtreat_py.statistics.level_view import held_out_view, training_view, whole_view
from vtreat_py.statistics.outcome_sums import OutcomeSums

FUNCTIONS = {
    "levels": lambda sums: (sums.weight > 0).astype(float),
    "weight of frequent levels": lambda sums: np.where(sums.weight > 2, sums.weight, 0.0),
    "squares between": lambda sums: sums.total * sums.mean,
    "squares inside": lambda sums: sums.squares,
}
SCORES = {
    "mean": lambda sums: np.where(sums.weight > 0, sums.mean, -np.inf),
    "minus weight": lambda sums: np.where(sums.weight > 0, -sums.weight, -np.inf),
    "deviation of frequent levels": lambda sums: np.where(sums.weight > 2, sums.squares, -np.inf),
}


def view_of_training_sets(table, n_folds):
    return training_view([table.held_out(k).by_level() for k in range(n_folds)])


views = pytest.mark.parametrize("view_of", [held_out_view, view_of_training_sets])


def never_held_out(data):
    """Draw rows; those of the last block may be held out by no fold."""
    example = data.draw(examples(min_folds=2))
    return example, example.n_folds - data.draw(st.integers(0, 1))


def level_sums(example):
    """Sums of the levels, as a loop over the levels would add them up."""
    return [example.where(example.code == level).sums().merged() for level in range(9)]


def assert_over_levels(found, example, function, over, nothing):
    """Compare one number a fold with the function of each level's sums, put together."""
    for fold, number in enumerate(found):
        rest = example.where(example.fold != fold)
        parts = [function(sums)[0] for sums in level_sums(rest)]
        np.testing.assert_allclose(number, over(parts, initial=nothing), rtol=1e-10, atol=1e-9)


@views
@pytest.mark.parametrize("name", FUNCTIONS)
@law
@given(data=st.data())
def test_sums_run_over_all_levels_of_each_training_set(view_of, name, data):
    example, n_folds = never_held_out(data)
    found = view_of(example.table(), n_folds).sum(FUNCTIONS[name])
    assert len(found) == n_folds
    assert_over_levels(found, example, FUNCTIONS[name], np.sum, 0.0)


@views
@pytest.mark.parametrize("name", SCORES)
@law
@given(data=st.data())
def test_maxima_run_over_all_levels_of_each_training_set(view_of, name, data):
    example, n_folds = never_held_out(data)
    found = view_of(example.table(), n_folds).max(SCORES[name])
    assert len(found) == n_folds
    assert_over_levels(found, example, SCORES[name], np.max, -np.inf)


@views
@pytest.mark.parametrize("weighted", [False, True])
def test_dozens_of_training_sets_are_seen_like_a_few(view_of, weighted):
    random = np.random.default_rng(1)
    n, n_folds = 150, 60
    weight = random.integers(0, 4, n) / 2 if weighted else None
    code, fold = random.integers(8, size=n), random.integers(n_folds, size=n)
    example = Example(code, 8, random.integers(-9, 9, n) / 2, weight, fold, n_folds)
    view = view_of(example.table(), n_folds)
    for function in FUNCTIONS.values():
        assert_over_levels(view.sum(function), example, function, np.sum, 0.0)
    for score in SCORES.values():
        assert_over_levels(view.max(score), example, score, np.max, -np.inf)


def test_the_own_rows_of_a_fold_leave_no_trace_in_sums():
    random = np.random.default_rng(2)
    code, fold = random.integers(9, size=60), random.integers(4, size=60)
    before = Example(code, 9, random.normal(size=60), None, fold, 4)
    y = before.y.copy()
    y[0] = 1e9
    after = replace(before, y=y)
    for function in FUNCTIONS.values():
        sums = [held_out_view(e.table(), 4).sum(function)[fold[0]] for e in (before, after)]
        assert sums[0] == sums[1]


@law
@given(examples())
def test_the_whole_view_has_one_training_set_of_all_rows(example):
    view = whole_view(example.table())
    assert view.n_groups == 1
    assert_same_sums(view.entries, example.sums())
    assert_same_sums(view.whole, example.sums().merged())
    for function in FUNCTIONS.values():
        np.testing.assert_allclose(view.sum(function), [function(example.sums()).sum()], atol=1e-9)
    for score in SCORES.values():
        np.testing.assert_allclose(view.max(score), [score(example.sums()).max()], atol=1e-9)


@law
@given(st.data())
def test_entries_of_held_out_cells_are_what_the_rows_outside_say(data):
    example, n_folds = never_held_out(data)
    view = held_out_view(example.table(), n_folds)
    cells = sorted(set(zip(example.code.tolist(), example.fold.tolist(), strict=True)))
    held_out = [(level, fold) for level, fold in cells if fold < n_folds]
    assert list(zip(view.level.tolist(), view.group.tolist(), strict=True)) == held_out
    for entry, (level, fold) in enumerate(held_out):
        rest = example.where((example.fold != fold) & (example.code == level))
        assert_same_sums(view.entries.take(slice(entry, entry + 1)), rest.sums().merged())
    for fold in range(n_folds):
        rest = example.where(example.fold != fold).sums().merged()
        assert_same_sums(view.whole.take(slice(fold, fold + 1)), rest)


@law
@given(st.data())
def test_entries_of_a_training_view_stand_set_by_set(data):
    parts = [
        example.sums()
        for example in data.draw(
            st.lists(examples(max_levels=1, max_rows=5), min_size=1, max_size=3)
        )
    ]
    parts = [part for part in parts if (part.inner is None) == (parts[0].inner is None)]
    parts = [OutcomeSums.joined([part, part + part]) for part in parts]
    view = training_view(parts)
    assert view.level.tolist() == [0, 1] * len(parts)
    assert view.group.tolist() == [k for k in range(len(parts)) for _ in range(2)]
    for k, part in enumerate(parts):
        assert_same_sums(view.entries.take(slice(2 * k, 2 * k + 2)), part)
        assert_same_sums(view.whole.take(slice(k, k + 1)), part.merged())
