"""What cells say of other rows, and sums of cells by group of rows."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from vtreat_py.statistics.additive import additive_log_odds
from vtreat_py.statistics.interaction_gain import gain_of_classes, gain_of_numbers
from vtreat_py.statistics.pair_cells import PairCells

RANDOM = np.random.default_rng(5)
SHAPE = (2, 3, 4)
ROWS = RANDOM.integers(5, 15, SHAPE).astype(float)
EFFECT = 2.0 * RANDOM.normal(size=SHAPE[1:])


def cells(weight: np.ndarray, mean: np.ndarray, of_squares: np.ndarray | None = None) -> PairCells:
    return PairCells(weight, weight * mean, weight * (mean**2 + 1.0), of_squares)


def test_gain_is_that_of_a_fit_of_the_other_rows_by_hand() -> None:
    mean = EFFECT + RANDOM.normal(size=SHAPE) / np.sqrt(ROWS)
    groups = cells(ROWS, mean)
    trained = groups.others()
    by_hand = 0.0
    for k in range(2):
        n, m = ROWS[1 - k].ravel(), mean[1 - k].ravel()
        design = np.hstack(
            [np.kron(np.eye(3), np.ones((4, 1))), np.kron(np.ones((3, 1)), np.eye(4))]
        )
        root = np.sqrt(n)[:, None]
        hat = (root * design) @ np.linalg.pinv(root * design)
        left = (np.eye(12) - hat) @ (root[:, 0] * m)
        free = 1.0 - np.diag(hat)
        effects = max((left**2 - free * noise(n)).sum() / (n * free).sum(), 0.0)
        gamma = left / root[:, 0] * n * effects / (n * effects + noise(n))
        additive = m - left / root[:, 0]
        held = mean[k].ravel()
        nearer = (held - additive) ** 2 - (held - additive - gamma) ** 2
        by_hand += float((ROWS[k].ravel() * nearer).sum())
    found = gain_of_numbers(trained.size, trained.total, trained.inner, groups.weight, groups.total)
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
    assert found > 0


def noise(n: np.ndarray) -> float:
    return float(n.sum() / (n.sum() - 12.0))


def test_cells_of_one_row_have_their_noise_from_what_adding_up_leaves() -> None:
    one = np.ones(SHAPE)
    total, nothing = np.broadcast_to(EFFECT, SHAPE), np.zeros(SHAPE)
    assert gain_of_numbers(one, total, nothing, one, total) < 1e-12  # all may be noise
    assert gain_of_numbers(nothing, nothing, nothing, one, total) == 0.0  # nothing is known


def test_gain_of_classes_is_deviance() -> None:
    rows = 40.0 * np.ones(SHAPE)
    hits = np.rint(rows * expit(EFFECT))
    start = additive_log_odds(rows.sum(axis=0), hits.sum(axis=0))
    gain = gain_of_classes(rows, hits, start, rows, hits)
    rate, best = expit(additive_log_odds(rows[0], hits[0])), (hits / rows)[0]

    def deviance(p: np.ndarray) -> float:
        p = np.clip(p, 1e-12, 1 - 1e-12)
        return -4.0 * float((hits[0] * np.log(p) + (rows - hits)[0] * np.log(1 - p)).sum())

    most = deviance(rate) - deviance(best)
    assert 0.7 * most < gain < most
    additive = np.rint(1000.0 * expit(np.add.outer([0.0, 1.0, 2.0], [0.0, 1.0, 0.0, -1.0])))
    many = np.full((2, 3, 4), 1000.0)
    none = gain_of_classes(many, np.stack([additive] * 2), start, many, np.stack([additive] * 2))
    assert abs(none) < 1e-6


def test_sums_of_other_rows_and_of_earlier_ones() -> None:
    groups = PairCells(*(RANDOM.integers(1, 9, (4, 3, 2)).astype(float) for _ in range(4)))
    whole = groups.merged()
    np.testing.assert_allclose(groups.others().total, whole.total - groups.total)
    np.testing.assert_allclose(groups.earlier().weight[2], groups.weight[:2].sum(axis=0))
    assert not groups.earlier().of_squares[0].any()  # type: ignore[index]
    assert groups.first(3).squares.shape == (3, 3, 2)


def test_columns_are_related_where_cells_are_not_as_margins_say() -> None:
    nothing, margins = np.zeros((3, 3)), np.outer([10.0, 20.0, 0.0], [5.0, 7.0, 9.0])
    assert not PairCells(margins, nothing, nothing, None).are_related
    assert PairCells(margins + 40.0 * np.eye(3), nothing, nothing, None).are_related


def test_cells_are_worth_as_many_rows_as_their_weights_are_like() -> None:
    alike = cells(np.array([[[6.0, 0.0]]]), np.ones((1, 1, 2)), np.array([[[18.0, 0.0]]]))
    np.testing.assert_allclose(alike.size, [[[2.0, 0.0]]])  # two rows of weight 3
    np.testing.assert_allclose(alike.inner, [[[2.0, 0.0]]])
    np.testing.assert_allclose(alike.worth, [[[1.0 / 3.0, 0.0]]])


def test_a_row_and_a_column_of_a_table_are_left_out() -> None:
    weight = np.arange(12.0).reshape(1, 3, 4) + 1.0
    cells = PairCells(weight, 2.0 * weight, 3.0 * weight, None)
    left = cells.without(2, 0)
    expected = weight.copy()
    expected[:, 2] = expected[:, :, 0] = 0.0
    np.testing.assert_array_equal(left.weight, expected)
    np.testing.assert_array_equal(left.squares, 3.0 * expected)
    np.testing.assert_array_equal(cells.without(None, None).total, cells.total)
    assert cells.weight[0, 2, 0] == 9.0
