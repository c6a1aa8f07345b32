"""Shapes that R's options ask for are those of R vtreat, from the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.polynomial import Chebyshev
from scipy.interpolate import BSpline, make_smoothing_spline

from vtreat_py.coders.curve import Curve
from vtreat_py.coders.shapes_of_r import (
    in_log_odds,
    isotonic_of_r,
    monotone_of_r,
    piecewise_of_r,
    segments_of_r,
    window_of_r,
)
from vtreat_py.coders.spline_of_r import SplineFits, spline_of_r

DATA = Path(__file__).parents[1] / "data"
Array = np.ndarray[Any, np.dtype[np.float64]]


def numbers(name: str) -> Any:
    return json.loads((DATA / "units" / f"{name}.json").read_text())


R = numbers("shape_coders")
X, Y, W, BINARY = (np.array(R[name], float) for name in ("x", "y", "w", "y_binary"))
SINE = pd.read_csv(DATA / "own_coders" / "sine" / "train.csv")
SHAPES = {
    "segments": lambda x, y, w: segments_of_r(x, y, w, 8)(x),
    "piecewise": lambda x, y, w: piecewise_of_r(x, y, w)(x),
    "window": lambda x, y, w: window_of_r(x, y),
    "isotonic": lambda x, y, w: isotonic_of_r(x, y, w)(x),
    "spline": lambda x, y, w: spline_of_r(x, y, w)(x),
}


def ones(x: Array) -> Array:
    return np.ones(len(x))


def close(ours: Any, theirs: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)


def bumps(n: int, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.sin(3 * x) + 0.3 * rng.normal(size=n), rng.uniform(0.5, 3.0, size=n)


@pytest.mark.parametrize("weight", ["unweighted", "weighted"])
def test_segments_are_those_of_r(weight: str) -> None:
    for both in R["fit_segments"]:
        one = both[weight]
        curve = segments_of_r(X, Y, W if weight == "weighted" else ones(X), one["k"])
        np.testing.assert_array_equal(curve.x, [*one["xs"], one["maxx"]])
        close(curve.y, np.cumsum(one["coef"]))
        close(curve(X), one["pred"])
        close(curve(one["x_new"][:-1]), one["pred_new"][:-1])  # the last is missing


@pytest.mark.parametrize(
    "table", numbers("shape_tables"), ids=lambda t: "-".join(list(t.values())[:3])
)
def test_tables_are_those_of_r(table: dict[str, Any]) -> None:
    x, y = (SINE[table[name]].to_numpy(float) for name in ("variable", "outcome"))
    if table["code"] == "pw16":
        curve = segments_of_r(x, y, ones(x), 16)
        np.testing.assert_array_equal(curve.x, table["x"])
        close(curve.y, table["y"])
    else:
        found = window_of_r(x, y)
        found = in_log_odds(found, y, ones(x)) if table["outcome"] == "yc" else found
        close(pd.Series(found, index=x)[table["x"]], table["y"])


def test_segments_go_through_extremes() -> None:
    rng = np.random.default_rng(0)
    one = segments_of_r(np.full(4, 7.0), np.array([1.0, 2.0, 3.0, 4.0]), np.arange(4) + 1.0, 3)
    assert (one.x.tolist(), one.y.tolist()) == ([7.0], [3.0])
    x, y = np.array([-1.7e308, *rng.normal(size=20), 1e12, 1.7e308]), rng.normal(size=23)
    assert np.isfinite(segments_of_r(x, y, 10.0 ** rng.integers(-200, 200, 23), 9)(x)).all()


def test_few_rows_are_piecewise_as_in_r() -> None:
    one = R["solve_piecewise_small"]
    x = np.array(one["x"])
    curve = piecewise_of_r(x, np.array(one["y"], float), ones(x))
    np.testing.assert_array_equal(curve.x, one["approx_x"])
    close(curve.y, one["approx_y"])
    close(curve(x), one["est"])


def test_pieces_are_as_many_as_the_rows_tell() -> None:
    x, y, w = bumps(1000)

    def knots(x: Array, y: Array, w: Array) -> int:
        return len(piecewise_of_r(x, y, w).x)

    scores = {}
    for k in (1, 4, 8, 16, 32, 64):
        curve = segments_of_r(x, y, w, k)
        scores[len(curve.x)] = (
            np.average((y - curve(x)) ** 2, weights=w) / (1 - len(curve.x) / 1000) ** 2
        )
    assert knots(x, y, w) == min(scores, key=scores.__getitem__) > 8
    assert knots(x, y, 1e-9 * w) == knots(x, y, w)
    assert knots(x, 3 * x - 1, w) == 2  # errors are of rounding only
    assert knots(x, ones(x), w) == 2
    assert knots(np.repeat([0.0, 1.0, 2.0], 99), np.tile(np.arange(3.0), 99), np.ones(297)) == 2
    assert knots(x[:21], y[:21], w[:21]) == 2


@pytest.mark.parametrize("x", [[1.0, 2.0], [1.0, 2.0, 2.0], [5.0] * 30])
def test_there_is_no_shape_of_too_little(x: list[float]) -> None:
    rows = np.array(x), np.arange(len(x)) + 0.0, np.ones(len(x))
    assert piecewise_of_r(*rows) is None
    assert spline_of_r(*rows) is None


def test_windows_are_those_of_r() -> None:
    close(window_of_r(X, Y), R["square_window"])
    for one in R["square_window_first_n"]:
        found = window_of_r(X[: one["n"]], Y[: one["n"]])
        if one["result"] is None:
            assert found is None
        else:
            close(found, one["result"])
    close(in_log_odds(window_of_r(X, BINARY), BINARY, ones(X)), R["square_windowc"])


def test_windows_share_what_ties_get() -> None:
    x, y = np.repeat([1.0, 2.0, 3.0], [5, 2, 5]), np.arange(12.0)
    # Of sorted rows i - 2 to i + 1, of which the means of the ties are 2, 5.5 and 9.
    tied = [2, 2, 2, 2, 2.875, 3.75, 5.5, 7.25, 8.125, 9, 9, 9]
    expected = np.repeat([np.mean(tied[:5]), np.mean(tied[5:7]), np.mean(tied[7:])], [5, 2, 5])
    order = np.random.default_rng(0).permutation(12)
    close(window_of_r(x, y), expected)
    close(window_of_r(x[order], y[order]), expected[order])


def test_log_odds_have_those_of_the_weighted_mean_as_base() -> None:
    found = in_log_odds(np.array([0.75, 1.0, -2.0]), np.array([1.0, 0.0]), np.array([3.0, 1.0]))
    far = np.log(1e6 - 1)
    close(found, [0.0, far - np.log(3), -far - np.log(3)])


def test_isotonic_is_that_of_r() -> None:
    theirs = numbers("isotonic")
    x, y, w = (np.array(theirs[name], float) for name in ("x", "y", "w"))
    close(isotonic_of_r(x, y, ones(x))(x), theirs["non_decreasing"])
    close(isotonic_of_r(x, y, ones(x))(x), theirs["isoreg_non_decreasing"])
    close(isotonic_of_r(x, y, w)(x), theirs["non_decreasing_weighted"])
    close(isotonic_of_r(-x, y, w)(-x), theirs["non_decreasing_weighted"])
    close(monotone_of_r(x, y, ones(x), increasing=False)(x), theirs["non_increasing"])


def test_isotonic_rises_where_both_ways_are_as_good() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 0.0, 1.0])
    assert isotonic_of_r(x, y, ones(x)).y.tolist() == [0.0, 0.5, 0.5, 1.0]
    level = isotonic_of_r(np.arange(3.0), np.array([1.0, 0.0, 1.0]), np.ones(3))
    close(level.y, [0.5, 0.5, 1.0])


@pytest.mark.parametrize("unit", [1.0, 2.0**-40])
def test_nearly_equal_numbers_have_one_isotonic_value(unit: float) -> None:
    x = unit * np.array([0.0, 0.3, 0.1 + 0.2, 0.3 + 2e-6, 1.0])
    found = isotonic_of_r(x, np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.ones(5))
    assert found(x).tolist() == [0.0, 1.5, 1.5, 3.0, 4.0]


def test_a_chain_of_near_numbers_is_not_one() -> None:
    x = np.arange(0.0, 1.0, 5e-7)[:1000]
    x = np.append(x, [1.0, 1e12])
    assert len(np.unique(isotonic_of_r(x, np.arange(1002.0), ones(x)).y)) > 300


def test_isotonic_goes_through_extremes() -> None:
    x, y = np.array([-1.7e308, -1.0, 0.0, 5e-324, 1.7e308]), np.arange(5.0)
    close(isotonic_of_r(x, y, ones(x)).y, [0.0, 1.0, 2.5, 2.5, 4.0])
    close(isotonic_of_r(np.array([0.0, 5e-324]), y[:2], np.ones(2)).y, y[:2])
    assert isotonic_of_r(x[:1], y[:1], np.ones(1)).y.tolist() == [0.0]


def test_splines_are_nearly_those_of_r() -> None:
    # R ends its search for the smoothness at 1e-4 of its scale; 3.3e-5 is reached.
    spline = spline_of_r(X, Y, ones(X))
    close(spline(X), R["spline_variable"], 1e-4)
    close(spline(np.array(R["spline_grid"], float)), R["spline_grid_values"], 1e-4)


def unit_rows(n: int) -> tuple[Array, Array, Array]:
    x, y, w = bumps(n)
    x = np.sort(x)
    return (x - x[0]) / (x[-1] - x[0]), y[np.argsort(bumps(n)[0])], w


def solved(fits: SplineFits, x: Array, y: Array, w: Array, smoothness: float) -> BSpline:
    """The same by normal equations, with the integral from many points."""
    at = np.linspace(0, 1, 4_001)
    p = len(fits.knots) - 4
    second = BSpline(fits.knots, np.eye(p), 3)(at, nu=2)
    penalty = second.T @ (second * np.r_[0.5, np.ones(len(at) - 2), 0.5][:, None]) / (len(at) - 1)
    basis = BSpline.design_matrix(x, fits.knots, 3).toarray()
    inner = basis.T @ (w[:, None] * basis)
    ratio = np.trace(inner) / np.trace(penalty)
    assert fits.ratio == pytest.approx(ratio, rel=1e-3)
    return BSpline(
        fits.knots, np.linalg.solve(inner + smoothness * ratio * penalty, basis.T @ (w * y)), 3
    )


@pytest.mark.parametrize("smoothness", [1e-2, 1.0, 1e3])
def test_splines_solve_their_problem(smoothness: float) -> None:
    x, y, w = unit_rows(40)
    fits, at = SplineFits(x, y, w), np.linspace(0, 1, 99)
    close(fits.at(smoothness)(at), solved(fits, x, y, w, smoothness)(at), 1e-3)


@pytest.mark.parametrize("smoothness", [1e-2, 1.0, 1e3])
def test_errors_of_numbers_left_out_are_those_without_them(smoothness: float) -> None:
    x, y, w = unit_rows(25)
    fits, errors = SplineFits(x, y, w), []
    for i in range(len(x)):
        without = w.copy()
        without[i] = 1e-13  # the knots stay
        other = SplineFits(x, y, without)
        errors.append(w[i] * (y[i] - other.at(smoothness * fits.ratio / other.ratio)(x[i])) ** 2)
    assert fits.left_out(smoothness) == pytest.approx(sum(errors), rel=1e-6)


def test_smooth_splines_are_those_with_all_knots() -> None:
    x, y, w = unit_rows(60)
    fits, at = SplineFits(x, y, w), np.linspace(0, 1, 99)
    for smoothness, apart in ((300.0, 2e-2), (1e5, 2e-4), (1e7, 1e-6)):
        close(
            fits.at(smoothness)(at),
            make_smoothing_spline(x, y, w, lam=smoothness * fits.ratio)(at),
            apart,
        )


def test_the_smoothness_predicts_best_what_is_left_out() -> None:
    x, y, w = unit_rows(80)
    fits = SplineFits(x, y, w)
    best = fits.best()
    assert 1e-6 < best < 1e6
    around = [fits.left_out(best * factor) for factor in (0.5, 0.99, 1.01, 2.0)]
    assert fits.left_out(best) < min(around)


def test_a_weight_is_as_many_rows() -> None:
    x, y, w = bumps(60)
    w = np.ceil(w)
    again = w.astype(int)
    many = spline_of_r(np.repeat(x, again), np.repeat(y, again), np.ones(again.sum()))
    # The interquartile range differs, and with it what is equal.
    close(many(x), spline_of_r(x, y, w)(x), 1e-5)


def test_nearly_equal_numbers_are_one_of_a_spline() -> None:
    x, y, w = bumps(50)
    twice, weights = np.append(x, x + 1e-9), np.append(w, w)
    close(spline_of_r(twice, np.append(y + 1, y - 1), weights)(x), spline_of_r(x, y, w)(x), 1e-5)
    few = np.repeat([0.0, 1.0, 2.0], 9)
    assert spline_of_r(few + 1e-9 * np.arange(27), np.arange(27.0), np.ones(27)) is None


def test_a_spline_goes_on_level() -> None:
    x, y, w = bumps(30)
    ends = np.array([x.min(), x.max()])
    spline = spline_of_r(x, y, w)
    close(spline(np.array([-np.inf, np.inf])), spline(ends), 0)
    close(spline(np.array([-1e300, 1e300])), spline(ends), 0)


def test_a_spline_of_four_numbers_and_of_many_equal_ones() -> None:
    x = np.repeat([0.0, 1.0, 3.0, 4.0], 5)
    close(spline_of_r(x, 2 * x + 1, ones(x))(x), 2 * x + 1, 1e-6)
    close(spline_of_r(x, 0 * x + 5, ones(x))(x), 5, 0)
    rng = np.random.default_rng(0)
    mostly = np.where(rng.uniform(size=200) < 0.9, 0.0, rng.uniform(size=200))
    assert np.ptp(np.quantile(mostly, [0.25, 0.75])) == 0  # R gives up
    assert np.abs(spline_of_r(mostly, mostly, ones(mostly))(mostly) - mostly).max() < 1e-3


@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_of_rows_has_no_part(shape: str) -> None:
    x, y, w = bumps(300)
    x, order = np.round(x, 1), np.random.default_rng(1).permutation(300)
    there = SHAPES[shape](x, y, w)
    close(SHAPES[shape](x[order], y[order], w[order]), there[order], 1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [12, 13, 100])
def test_shapes_follow_units(shape: str, n: int) -> None:
    x, y, w = bumps(n)
    there = SHAPES[shape](x, y, w)
    for scale, size, load in ((2.0**40, 2.0**-60, 1e-9), (2.0**-400, 2.0**300, 1e9)):
        close(SHAPES[shape](x * scale, y * size, w * load) / size, there, 1e-5)
    close(SHAPES[shape](np.round(x, 3) + 1e9, y, w), SHAPES[shape](np.round(x, 3), y, w), 1e-4)
    close(SHAPES[shape](x, y + 1e9, w) - 1e9, there, 1e-4)


@pytest.mark.parametrize(
    "x",
    [
        np.random.default_rng(0).lognormal(0, 3, 400),
        np.random.default_rng(0).standard_cauchy(500),
        np.round(bumps(400)[0]) + 1e-8 * bumps(400, 1)[0],
        np.append(bumps(400)[0], 1e12),
        np.append(bumps(400)[0], [-1.7e308, 1.7e308]),
        5e-324 * np.arange(40),
        np.arange(5.0),
    ],
    ids=["lognormal", "cauchy", "clusters", "outlier", "largest", "smallest", "five"],
)
def test_shapes_hold_anything(x: Array) -> None:
    rng = np.random.default_rng(1)
    y, weight = rng.integers(0, 2, len(x)) + 0.0, 10.0 ** rng.integers(-30, 30, len(x))
    for w in (np.ones(len(x)), weight):
        assert isinstance(segments_of_r(x, y, w, 32), Curve)
        assert isinstance(piecewise_of_r(x, y, w), Curve)
        assert isotonic_of_r(x, y, w)(x).min() >= -1e-9
        spline = spline_of_r(x, y, w)
        assert spline is None or np.isfinite(spline(x)).all()


def test_the_least_error_is_found_to_all_digits() -> None:
    apart = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, weight = np.sort(rng.random(40)), rng.integers(1, 4, 40).astype(float)
        x, y = (x - x[0]) / np.ptp(x), np.sin(6.0 * x) + rng.normal(size=40)
        fits = SplineFits(x, y, weight)
        best = float(np.log(fits.best()))
        errors = Chebyshev.interpolate(
            np.vectorize(lambda z, fits=fits: fits.left_out(np.exp(z))),
            12,
            domain=[best - 0.3, best + 0.3],
        )
        apart.append(np.abs(errors.deriv().roots() - best).min())
    assert max(apart) < 1e-8  # of the logarithm; by errors alone 3e-7
