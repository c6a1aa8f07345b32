"""Level tests, pools, indicators and codes against R vtreat's numbers."""

import numpy as np
import pytest

from tests.coders.coding import pooled_whole
from tests.statistics.r_numbers import read_units
from tests.statistics.rows import Example
from vtreat_py.coders.cat_b import cat_b_of_r
from vtreat_py.coders.cat_d import cat_d, has_scorable_level
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.cat_p import cat_p
from vtreat_py.coders.lev import tracked_levels
from vtreat_py.significance.linear import linear_slope
from vtreat_py.significance.logistic import logistic_fit
from vtreat_py.statistics.moments import Moments

RESTRICTIONS = read_units("level_restriction")
IMPACT_CODES = read_units("impact_codes")


def encoded(case, outcome):
    """Rows of a case, and R's key of each level code: levels in sorted order, then missing."""
    values = sorted({v for v in case["v"] if v is not None})
    if None in case["v"]:
        values.append(None)
    code = np.array([values.index(v) for v in case["v"]])
    is_class = outcome == "C"
    y = np.array(case["y"] if is_class else case["yn"])
    y = y.astype(np.int8 if is_class else float)
    weight = np.array(case["w"], dtype=float) if "w" in case else None
    example = Example(code, len(values), y, weight, np.zeros(len(code), dtype=int), 1)
    return example, [key_of(v) for v in values]


def key_of(value):
    return "NA" if value is None else f"x {value}"


def restricted(case, outcome):
    example, keys = encoded(case, outcome)
    return pooled_whole(example, case["rareCount"], case["rareSig"]), keys


def named(keys, which, pool):
    """R's sorted list of the keys that are marked, the pool's among them."""
    marked = {key for key, mark in zip(keys, which, strict=True) if mark}
    return sorted(marked | ({"rare"} if pool else set()))


@pytest.mark.parametrize("outcome", ["C", "N"])
@pytest.mark.parametrize("case", RESTRICTIONS, ids=range(len(RESTRICTIONS)))
def test_safe_suppressed_and_tracked_levels_are_those_of_r(case, outcome):
    pooled, keys = restricted(case, outcome)
    expected = case[outcome]
    assert named(keys, ~pooled.pooled, pooled.pool_known[0]) == expected["safeLevs"]
    suppressed = named(keys, pooled.suppressed, pooled.pool_suppressed[0])
    assert suppressed == expected["supressedLevs"]
    levels, pools = tracked_levels(pooled, case["minFraction"])
    assert named(keys, levels, pools[0]) == expected["tracked"]


@pytest.mark.parametrize("outcome", ["C", "N"])
@pytest.mark.parametrize("case", RESTRICTIONS, ids=range(len(RESTRICTIONS)))
def test_values_are_recoded_as_r_recodes_them(case, outcome):
    pooled, keys = restricted(case, outcome)
    pool = "zap" if pooled.pool_suppressed[0] else "rare"
    recoded = []
    for value in case["recode_in"]:
        key = key_of(value)
        place = keys.index(key) if key in keys else None
        if place is None or pooled.pooled[place]:
            recoded.append(pool)
        else:
            recoded.append("zap" if pooled.suppressed[place] else key)
    assert recoded == case[f"recode_{outcome}"]


CODERS = {
    "catB": ("C", lambda pooled, smoothing: cat_b_of_r(pooled, smoothing)),
    "catN": ("N", lambda pooled, smoothing: cat_n(pooled, smoothing)),
    "catD": ("N", lambda pooled, smoothing: cat_d(pooled)),
    "catP": ("N", lambda pooled, smoothing: cat_p(pooled.view)),
}


def coded(case, name):
    outcome, coder = CODERS[name]
    example, keys = encoded(case, outcome)
    pooled = pooled_whole(example, case["rareCount"])
    codes, novel = coder(pooled, case["smFactor"])
    return pooled, keys, codes, float(novel[0])


@pytest.mark.parametrize("name", CODERS)
@pytest.mark.parametrize("case", IMPACT_CODES, ids=range(len(IMPACT_CODES)))
def test_codes_are_those_of_r(case, name):
    pooled, keys, codes, novel = coded(case, name)
    expected = case[name]["scores"]
    for key, code in zip(keys, codes, strict=True):
        own_or_pool = expected.get(key, expected.get("rare"))
        np.testing.assert_allclose(code, own_or_pool, rtol=1e-10, atol=1e-10)
    pool = {"rare"} if pooled.pool_known[0] and name != "catP" else set()
    kept = keys if name == "catP" else named(keys, ~pooled.pooled, False)
    assert set(expected) == set(kept) | pool
    assert case[name]["extraModelDegrees"] == len(keys) - 1
    unseen = {
        "catP": case[name]["rare_score"],
        "catD": expected.get("rare", case[name]["unhandledNovelCode"]),
    }.get(name, expected.get("rare", 0.0))
    np.testing.assert_allclose(novel, unseen, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("case", IMPACT_CODES, ids=range(len(IMPACT_CODES)))
def test_levels_with_two_rows_have_a_deviation_as_in_r(case):
    pooled, keys, *_ = coded(case, "catD")
    enough = pooled.view.entries.weight >= 2
    pool = pooled.pool_known[0] and pooled.pool.weight[0] >= 2
    assert named(keys, enough & ~pooled.pooled, pool) == case["catD"]["scorable"]
    assert has_scorable_level(pooled)


# The slope of catB is logistic; R was given the numeric outcome for the others.
@pytest.mark.parametrize("name", CODERS)
@pytest.mark.parametrize("case", IMPACT_CODES, ids=range(len(IMPACT_CODES)))
def test_slopes_of_codes_are_those_of_r(case, name):
    pooled, _, codes, _ = coded(case, name)
    sums = pooled.view.entries
    moments = Moments.of_points(codes, sums).merged()
    if CODERS[name][0] == "C":
        slope = logistic_fit(codes[None], sums.weight[None], sums.total[None]).slope[0]
    else:
        slope = linear_slope(moments)[0]
    expected = case[name]["a"], case[name]["b"]
    found = slope, -slope * moments.x[0]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
