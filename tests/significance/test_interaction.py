"""Tests of pairs against permutations and draws by force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from vtreat_py.significance.interaction import ClassCells, NumberCells
from vtreat_py.significance.interaction_draws import Residuals
from vtreat_py.significance.interaction_form import InteractionForm
from vtreat_py.statistics.additive import additive_basis, additive_log_odds

RANDOM = np.random.default_rng(8)


def cells(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> NumberCells:
    shape = int(a.max()) + 1, int(b.max()) + 1
    place = a * shape[1] + b
    n, total, squares = (
        np.bincount(place, one, shape[0] * shape[1]).reshape(shape)
        for one in (np.ones(len(y)), y, y * y)
    )
    inner = np.maximum(squares - total**2 / np.maximum(n, 1.0), 0.0)
    return NumberCells(n.astype(float), total, inner)


def residuals_of(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> object:
    return lambda fitted: Residuals(y - fitted[a, b], None, float(len(y)))


def rows(sizes: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    n = np.array(sizes)
    place = np.repeat(np.arange(n.size), n.ravel())
    return place // n.shape[1], place % n.shape[1]


UNEQUAL = [[9, 3, 1, 2], [2, 8, 0, 5], [4, 1, 7, 6]]


def test_moments_are_those_of_the_matrix_over_rows() -> None:
    a, b = rows(UNEQUAL)
    size = cells(a, b, np.zeros(len(a))).size
    some = size > 0
    form = InteractionForm.of(size[some], size[some], additive_basis(size)[some.ravel()])
    cell = np.searchsorted(np.flatnonzero(some.ravel()), a * 4 + b)
    member = np.eye(len(size[some]))[cell] / np.sqrt(size[some])
    design = np.hstack([np.eye(3)[a], np.eye(4)[b]])
    apart = np.eye(len(a)) - design @ np.linalg.pinv(design)
    means = apart @ member @ np.diag(form.between) @ member.T @ apart
    matrix = means - apart @ np.diag(form.own[cell]) @ apart
    powers = [np.trace(np.linalg.matrix_power(matrix, r)) for r in (1, 2, 3, 4)]
    np.testing.assert_allclose(form.traces, powers, atol=1e-10)
    np.testing.assert_allclose(powers[0], 0.0, atol=1e-10)
    assert (form.n_additive, form.n_free) == (6, 5)
    y = RANDOM.normal(size=len(a))
    sums = np.bincount(cell, y)
    x = form.apart(sums / np.sqrt(size[some]))
    inner = np.bincount(cell, y * y) - sums**2 / size[some]
    np.testing.assert_allclose(form.statistic(x, inner), y @ matrix @ y)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "outlier"])
def test_p_values_are_the_share_of_permuted_residuals_that_reach_as_far(kind: str) -> None:
    a, b = rows([[3 * n for n in row] for row in UNEQUAL])
    random = np.random.default_rng(8)
    y = random.normal(size=len(a)) + 0.5 * a + 1.3 * ((a == 0) & (b == 0))
    y = np.exp(y) if kind == "lognormal" else y
    if kind == "outlier":
        y[5] += 12.0
    found = cells(a, b, y).interaction(residuals_of(a, b, y))
    design = np.hstack([np.eye(3)[a], np.eye(4)[b]])
    apart = np.eye(len(a)) - design @ np.linalg.pinv(design)
    left = apart @ y
    size = cells(a, b, y).size
    some = size > 0
    form = InteractionForm.of(size[some], size[some], additive_basis(size)[some.ravel()])
    cell = np.searchsorted(np.flatnonzero(some.ravel()), a * 4 + b)

    def statistic(permuted: np.ndarray) -> np.ndarray:
        member = np.eye(some.sum())[cell]
        sums, squares = permuted @ member, (permuted * permuted) @ member
        x = form.apart(sums / np.sqrt(size[some]))
        inner = squares - sums**2 / size[some]
        return form.statistic(x, inner) / ((x * x).sum(axis=-1) + inner.sum(axis=-1))

    drawn = statistic(random.permuted(np.tile(left, (20_000, 1)), axis=1))
    expected = float((drawn >= statistic(left)).mean())
    assert 0.0005 < expected < 0.08
    assert abs(found - expected) < 4.0 * np.sqrt(expected / 5_000) + 1e-3


def test_few_rows_have_few_permutations() -> None:
    a, b = rows([[2, 2], [2, 2]])
    y = (a ^ b).astype(float)
    assert cells(a, b, y).interaction(residuals_of(a, b, y)) > 0.999 / 2520.0


def test_an_additive_outcome_has_no_interaction() -> None:
    a, b = rows(UNEQUAL)
    y = 1e3 * a - 7.0 * b
    assert cells(a, b, y).interaction(residuals_of(a, b, y)) == 1.0


def test_a_class_is_held_against_draws_of_its_regression() -> None:
    a, b = rows([[12, 15, 11], [14, 9, 13]])
    hits = np.array([[2.0, 3.0, 1.0], [1.0, 5.0, 5.0]])
    size = cells(a, b, np.zeros(len(a))).size
    log_odds = additive_log_odds(size, hits)
    found = ClassCells(size, hits, log_odds).interaction()
    chi = ((hits - size * expit(log_odds)) ** 2 / (size * expit(log_odds))).sum()
    assert 0.3 < found / stats.chi2.sf(chi, 2) < 3.0


def test_classes_that_follow_the_first_column_alone_have_no_interaction() -> None:
    size = np.full((3, 3), 50.0)
    hits = np.repeat([[0.0], [50.0], [0.0]], 3, axis=1)
    assert ClassCells(size, hits, additive_log_odds(size, hits)).interaction() > 0.3
    size = np.diag([50.0, 60.0, 70.0])
    hits = size / 2.0
    assert ClassCells(size, hits, additive_log_odds(size, hits)).interaction() == 1.0


def test_rows_that_are_counted_in_billions_are_not_written_out() -> None:
    values, rows = np.array([3.0, -1.0, 2.0, 0.5]), np.array([5.0, 4e12, 4e12, 9e15])
    farthest = Residuals(values, rows, rows.sum()).farthest
    np.testing.assert_allclose(farthest / farthest[0], np.repeat([1.0, 2 / 3], [5, 123]))
