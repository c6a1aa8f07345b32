import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import vtreat_py as vt
from tests.coders import naive
from tests.coders.coding import assert_both, rows_to_code
from tests.statistics.rows import Example, law
from vtreat_py.coders.cat_p import cat_p
from vtreat_py.statistics.level_view import whole_view


@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(example=rows_to_code(None))
def test_codes_are_those_of_a_loop(assert_codes, example):
    assert_codes(example, lambda p: cat_p(p.view), lambda n: naive.cat_p(n.rows))


def test_codes_are_shares_of_the_weight_and_half_a_row_for_the_unseen():
    weight = np.array([1.0, 2.0, 5.0, 0.0])
    zeros = np.zeros(4, dtype=int)
    table = Example(np.array([0, 0, 1, 2]), 3, np.arange(4.0), weight, zeros, 1).table()
    codes, novel = cat_p(whole_view(table))
    np.testing.assert_allclose(codes, [3 / 8, 5 / 8, 0.5 / 8])
    np.testing.assert_allclose(novel, [0.5 / 8])


def test_folds_whose_shares_differ_by_rounding_take_those_of_all_rows():
    first = pd.DataFrame({"town": list("abbccdd"), "w": [1.11, 0.74, 0.37, 0.37, 0.74, 0.37, 0.74]})
    second = pd.DataFrame({"town": list("aabbcccd"), "w": [1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 5.0]})
    frame = pd.concat([first.assign(fold=0), second.assign(fold=1)], ignore_index=True)
    frame["y"] = np.arange(15) % 4
    made = vt.cross_frame_experiment(
        frame,
        outcome="y",
        variables=["town"],
        coders=["catP"],
        cv="fold",
        sample_weight="w",
        weight_kind="importance",
    )
    shares = vt.prepare(made.plan, second)["town_catP"]
    np.testing.assert_array_equal(made.cross_frame["town_catP"][7:], shares)
