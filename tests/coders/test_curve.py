"""Curves through knots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vtreat_py import Curve
from vtreat_py.base.errors import VtreatError
from vtreat_py.coders.curve import MOST_KNOTS
from vtreat_py.coders.forms import Curves


def test_a_linear_curve_is_that_of_numpy() -> None:
    rng = np.random.default_rng(1)
    x, y = np.unique(rng.normal(size=50)), rng.normal(size=50)
    at = np.append(rng.normal(size=200) * 2, x)
    np.testing.assert_allclose(Curve(x, y)(at), np.interp(at, x, y), atol=1e-13)


def test_a_constant_curve_has_the_value_of_the_knot_before() -> None:
    curve = Curve([0, 1, 2], [5.0, 6.0, 7.0], "constant")
    assert curve([-1, 0, 0.99, 1, 1.5, 2, 9]).tolist() == [5, 5, 5, 6, 6, 7, 7]
    assert curve.within(0.5, 1.5)([0, 0.7, 1, 9]).tolist() == [5, 5, 6, 6]


def test_a_curve_ends_where_the_training_rows_do() -> None:
    curve = Curve([0.0, 10.0], [0.0, 1.0]).within(2.0, 4.0)
    np.testing.assert_allclose(curve([0.0, 3.0, 9.0]), [0.2, 0.3, 0.4])
    assert len(Curve([0.0, 10.0], [0.0, 1.0]).within(3.0, 3.0).x) == 1


def test_knots_inside_straight_stretches_and_too_many_ones_go() -> None:
    steps = Curve(np.arange(9.0), [0, 0, 0, 0, 1, 1, 1, 1, 1]).thinned()
    assert steps.x.tolist() == [0, 3, 4, 8]
    assert Curve(np.arange(4.0), [1, 1, 2, 2], "constant").thinned().x.tolist() == [0, 2, 3]
    assert Curve([0, 1], [2, 2]).thinned().x.tolist() == [0, 1]
    x = np.sort(np.random.default_rng(1).normal(size=900))
    assert Curve(x, 1 / 3 + x / 7).thinned().x.tolist() == x[[0, -1]].tolist()
    bow = np.linspace(0, 1e-4, 5_000)  # each step is straight, all of them are not
    np.testing.assert_allclose(Curve(bow, 1 + bow**2).thinned()(bow), 1 + bow**2, rtol=2e-13)
    many = Curve(np.arange(3.0 * MOST_KNOTS), np.sin(np.arange(3.0 * MOST_KNOTS))).thinned()
    assert len(many.x) == MOST_KNOTS
    assert many.x[[0, -1]].tolist() == [0, 3 * MOST_KNOTS - 1]


def test_numbers_at_the_ends_of_floats_do_not_break_it() -> None:
    far = np.finfo(float).max
    assert Curve([-far, far], [0.0, 1.0])([-far, 0.0, far]).tolist() == [0.0, 0.5, 1.0]
    assert Curve([0.0, far], [0.0, 1e-30])([far / 2, far]).tolist() == [5e-31, 1e-30]
    tiny = 5e-324
    steep = Curve([0.0, tiny, 4 * tiny], [0.0, 1e100, 4e100])
    assert steep([0.0, tiny, 2 * tiny]).tolist() == [0.0, 1e100, 2e100]
    assert steep.thinned().x.tolist() == [0.0, 4 * tiny]


@pytest.mark.parametrize("power", [-250, 250, 1010])
def test_curves_have_the_same_values_in_any_unit(power: int) -> None:
    x = np.array([-2.5, -1.0, 0.3, 3.9])
    y, at = np.array([1e-7, 3e-7, -1e-7, 0.0]), np.linspace(-3.0, 3.9, 50)
    one, other = Curve(x, y), Curve(np.ldexp(x, power), y)
    np.testing.assert_array_equal(other(np.ldexp(at, power)), one(at))


def test_folds_have_curves_of_their_own() -> None:
    form = Curves((Curve([0, 1], [0, 1]), Curve([0, 1], [5, 5])), np.array([-1.0, -2.0]))
    out = np.empty(4)
    bad = np.array([False, False, True, True])
    form.write(np.array([0.5, 0.5, np.nan, np.inf]), bad, np.array([0, 1, 0, 1]), out)
    assert out.tolist() == [0.5, 5.0, -1.0, -2.0]


BAD: dict[str, tuple[tuple[Any, ...], str]] = {
    "method": (([0], [1], "cubic"), "method='cubic'; it must be one of"),
    "text": ((["a"], [1]), "x of a curve must be numbers"),
    "infinite": (([0, 1], [1, np.inf]), "y of a curve must be finite"),
    "flat": ((0.0, 1.0), "x of a curve must be finite numbers in one dimension"),
    "length": (([0, 1], [1]), "2 x and 1 y"),
    "empty": (([], []), "0 x and 0 y"),
    "order": (([1, 1], [1, 2]), "ascending, and all different"),
    "large": (([0, 1], [1, 1e300]), "numbers beyond 1e"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_curve_is_refused(what: str) -> None:
    given, message = BAD[what]
    with pytest.raises(VtreatError, match=message):
        Curve(*given)
