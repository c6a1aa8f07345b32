"""Forms: how numbers become other numbers, alike for all rows and fold by fold."""

from __future__ import annotations

import numpy as np
import pytest

from vtreat_py.coders.forms import MARK, Copy, Form, Steps

VALUES = np.array([-1.0, 0.0, 0.5, 2.0, np.nan])
BAD = np.isnan(VALUES)


def coded(form: Form, fold: np.ndarray | None = None) -> list[float]:
    out = np.empty(len(VALUES))
    form.write(VALUES, BAD, fold, out)
    return out.tolist()


def test_a_copy_is_filled_in_and_cut_off() -> None:
    assert coded(Copy(9.0)) == [-1.0, 0.0, 0.5, 2.0, 9.0]
    assert coded(Copy(9.0, (0.0, 1.0))) == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert Copy(9.0).of_bad == 9.0
    assert Copy(9.0, (0.0, 1.0)).of_bad == 1.0


def test_steps_hold_values_up_to_their_edge() -> None:
    steps = Steps(np.array([0.0, 1.0]), np.array([10.0, 20.0, 30.0, 40.0]))
    assert coded(steps) == [10.0, 10.0, 20.0, 30.0, 40.0]
    assert steps.of_bad == 40.0
    assert coded(MARK) == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_rows_get_what_their_fold_says() -> None:
    fold = np.array([0, 1, 0, 1, 1])
    cuts = np.array([-1.0, 0.0]), np.array([0.25, 1.0])
    assert coded(Copy(np.array([5.0, 6.0])), fold) == [-1.0, 0.0, 0.5, 2.0, 6.0]
    assert coded(Copy(np.array([5.0, 6.0]), cuts), fold) == [-1.0, 0.0, 0.25, 1.0, 1.0]
    steps = Steps(np.array([0.0]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert coded(steps, fold) == [1.0, 2.0, 3.0, 4.0, 6.0]
    assert coded(MARK, fold) == coded(MARK)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (Copy(1.0), [3.0, 4.0]),
        (MARK, [0.0, 0.0]),
        (Steps(np.array([3.0]), np.array([5.0, 6.0, 7.0])), [5.0, 6.0]),
    ],
)
def test_good_values_need_no_mask(form: Form, expected: list[float]) -> None:
    out = np.empty(2)
    form.write(np.array([3, 4]), None, None, out)
    assert out.tolist() == expected
