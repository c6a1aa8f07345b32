"""A row's own outcome does not move its own code."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.coders.coding import RARE_COUNTS, RARE_SIGS, SMOOTHINGS, cross_codes, rows_to_code
from tests.statistics.rows import Example, law
from vtreat_py.coders.cat_b import cat_b
from vtreat_py.coders.cat_d import cat_d
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.cat_p import cat_p

NUMBER_CODERS = {
    **{f"catN {s}": lambda pooled, s=s: cat_n(pooled, s) for s in SMOOTHINGS},
    "catD": cat_d,
    "catP": lambda pooled: cat_p(pooled.view),
}
CLASS_CODERS = {
    **{f"catB {s}": lambda pooled, s=s: cat_b(pooled, s) for s in SMOOTHINGS},
    "catP": lambda pooled: cat_p(pooled.view),
}


def assert_does_not_move(coder, before, row, own_outcome, rare_count, rare_sig):
    y = before.y.copy()
    y[row] = own_outcome
    after = replace(before, y=y)
    codes = [cross_codes(e, coder, rare_count, rare_sig)[0][row] for e in (before, after)]
    assert abs(codes[0] - codes[1]) < 1e-10


options = {"rare_count": st.sampled_from(RARE_COUNTS), "rare_sig": st.sampled_from(RARE_SIGS)}


@pytest.mark.parametrize("coder", NUMBER_CODERS)
@law
@given(example=rows_to_code("number"), data=st.data(), **options)
def test_adding_100_to_the_own_number_does_not_move_the_own_code(
    coder, example, data, rare_count, rare_sig
):
    row = data.draw(st.integers(0, len(example) - 1))
    own = example.y[row] + 100
    assert_does_not_move(NUMBER_CODERS[coder], example, row, own, rare_count, rare_sig)


@pytest.mark.parametrize("coder", CLASS_CODERS)
@law
@given(example=rows_to_code("class"), data=st.data(), **options)
def test_flipping_the_own_class_does_not_move_the_own_code(
    coder, example, data, rare_count, rare_sig
):
    row = data.draw(st.integers(0, len(example) - 1))
    own = 1 - example.y[row]
    assert_does_not_move(CLASS_CODERS[coder], example, row, own, rare_count, rare_sig)


@pytest.mark.parametrize("rare_count", [0, 6])
@pytest.mark.parametrize("coder", NUMBER_CODERS)
def test_a_huge_own_number_does_not_move_the_own_code(coder, rare_count):
    random = np.random.default_rng(1)
    code, fold = random.integers(20, size=200), random.integers(3, size=200)
    y = random.normal(size=200) + 0.5 * random.normal(size=20)[code]
    example = Example(code, 20, y, None, fold, 3)
    assert_does_not_move(NUMBER_CODERS[coder], example, 0, 1e9, rare_count, None)
