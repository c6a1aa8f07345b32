"""What two columns say by adding up, from the table of their cells."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from vtreat_py.statistics import additive
from vtreat_py.statistics.additive import additive_basis, additive_log_odds, projected


def indicators(a: int, b: int) -> np.ndarray:
    """Of the rows and the columns of a table, cell by cell."""
    return np.hstack([np.kron(np.eye(a), np.ones((b, 1))), np.kron(np.ones((a, 1)), np.eye(b))])


def table(seed: int, a: int = 4, b: int = 5) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, 30, (a, b)) * (random.random((a, b)) < 0.7).astype(float)


@pytest.mark.parametrize("unit", [1.0, 1e-90, 1e90])
def test_projections_are_weighted_least_squares(unit: float) -> None:
    weight, values = table(1) * unit, np.random.default_rng(2).normal(size=20)
    root = np.sqrt(weight.ravel() / unit)
    basis = additive_basis(weight)
    expected = root * (
        indicators(4, 5)
        @ np.linalg.lstsq(root[:, None] * indicators(4, 5), root * values, rcond=None)[0]
    )
    np.testing.assert_allclose(projected(basis, root * values), expected, atol=1e-10)
    rank = np.linalg.matrix_rank(root[:, None] * indicators(4, 5))
    np.testing.assert_allclose((basis * basis).sum(), rank, rtol=1e-9)


def test_columns_that_say_the_same_add_nothing() -> None:
    basis = additive_basis(np.diag([3.0, 5.0, 7.0]))
    np.testing.assert_allclose((basis * basis).sum(), 3.0)


def test_several_tables_at_once() -> None:
    tables = np.stack([table(k) for k in range(3)])
    together = additive_basis(tables)
    for one, basis in zip(tables, together, strict=True):
        alone = additive_basis(one)
        np.testing.assert_allclose(basis @ basis.T, alone @ alone.T, atol=1e-12)


def test_what_else_may_be_added_is_in_the_basis_once() -> None:
    weight, more = table(6), np.random.default_rng(7).normal(size=(3, 4, 5))
    more[1], more[2] = 2.0 * more[0], np.arange(4.0)[:, None]
    basis = additive_basis(weight, more)
    root = np.sqrt(weight.ravel())[:, None]
    design = root * np.hstack([indicators(4, 5), more.reshape(3, -1).T])
    expected = design @ np.linalg.pinv(design)
    np.testing.assert_allclose(basis @ basis.T, expected, atol=1e-9)
    assert not additive_basis(np.zeros((4, 5)), more).any()


def test_log_odds_go_along_with_what_else_may_be_added() -> None:
    weight, more = np.full((4, 5), 80.0), np.random.default_rng(7).normal(size=(1, 4, 5))
    hits = np.random.default_rng(4).binomial(80, 1 / (1 + np.exp(-0.5 * more[0]))).astype(float)
    design = np.column_stack([np.delete(indicators(4, 5), 4, axis=1), more.ravel()])
    counts = np.column_stack([hits.ravel(), 80.0 - hits.ravel()])
    expected = sm.GLM(counts, design, family=sm.families.Binomial()).fit().fittedvalues
    found = additive_log_odds(weight, hits, None, more)
    np.testing.assert_allclose(1 / (1 + np.exp(-found.ravel())), expected, rtol=1e-3)


def test_log_odds_are_those_of_logistic_regression() -> None:
    weight = np.maximum(table(3), 4.0)
    hits = np.random.default_rng(4).binomial(weight.astype(int), 0.4).astype(float)
    hits[0, 0], hits[1] = 1.0, np.clip(hits[1], 1.0, weight[1] - 1.0)
    design = np.delete(indicators(4, 5), 4, axis=1)
    counts = np.column_stack([hits.ravel(), (weight - hits).ravel()])
    expected = sm.GLM(counts, design, family=sm.families.Binomial()).fit().fittedvalues
    found = additive_log_odds(weight, hits)
    np.testing.assert_allclose(1 / (1 + np.exp(-found.ravel())), expected, rtol=1e-5)
    near = additive_log_odds(np.stack([weight, 2 * weight]), np.stack([hits, 2 * hits]), found)
    np.testing.assert_allclose(near, np.stack([found, found]), rtol=1e-5)


def test_levels_of_one_class_are_as_far_off_as_log_odds_go() -> None:
    weight, hits = np.full((3, 3), 10.0), np.full((3, 3), 5.0)
    hits[0], hits[2] = 0.0, 10.0
    found = additive_log_odds(weight, hits)
    np.testing.assert_allclose(found[0], -15.0)
    np.testing.assert_allclose(found[2], 15.0)
    np.testing.assert_allclose(found[1], 0.0, atol=1e-4)


def test_steps_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(additive, "_MOST_STEPS", 1)
    hits = np.array([[1.0, 60.0], [90.0, 2.0]])
    assert np.isfinite(additive_log_odds(np.full((2, 2), 100.0), hits)).all()
