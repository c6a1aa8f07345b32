"""Codes that the outcome rules out are tests that were made: they count."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import vtreat_py as vt
from vtreat_py.base.errors import PlanFormatError
from vtreat_py.plan.pruning import benjamini_hochberg, holm
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")

N_ROWS, N_COLUMNS, N_LEVELS = 300, 16, 12
RANDOM = np.random.default_rng(4)
NOISE = pd.DataFrame(
    {f"x{i}": RANDOM.integers(0, N_LEVELS, N_ROWS).astype(str) for i in range(N_COLUMNS)}
)
Y = RANDOM.normal(size=N_ROWS)


def plan_of(y: Any = Y, **options: Any) -> vt.TreatmentPlan:
    given = {"coders": ["catN"], "random_state": 0} | options
    return vt.design_treatments(NOISE, outcome=y, **given)


def test_every_column_is_a_test_built_or_not() -> None:
    plan = plan_of()
    tests = {v.orig_variable: v.sig for v in plan.derived}
    assert 0 < len(plan.dropped) < N_COLUMNS
    tests |= {one.column: one.sig for one in plan.dropped}
    assert len(tests) == N_COLUMNS
    powers = OutcomePowers.of_sample(Sample.of_values(Y))
    for column, sig in tests.items():
        codes, levels = pd.factorize(NOISE[column])
        p = level_effects_test(OutcomeSums.of_rows(codes, len(levels), Y), powers)
        assert sig == pytest.approx(p, rel=1e-9)
    table = plan.score_frame
    assert (table["default_threshold"] == 1 / N_COLUMNS).all()
    p_values = [*table["sig"], *(one.sig for one in plan.dropped)]
    for column, method in (("sig_fdr", "fdr_bh"), ("sig_fwer", "holm")):
        expected = multipletests(p_values, method=method)[1][: len(table)]
        np.testing.assert_allclose(table[column], expected, rtol=1e-14)


def test_rules_of_r_do_not_count_them() -> None:
    plan = plan_of(significance="classic")
    assert not plan.dropped
    assert (plan.score_frame["default_threshold"] == 1 / len(plan.derived)).all()


def test_each_class_has_its_own() -> None:
    y = np.array(["a", "b", "c"])[RANDOM.integers(0, 3, N_ROWS)]
    plan = plan_of(y, coders=["catB", "catP"])
    assert {one.target for one in plan.dropped} <= {"a", "b", "c"}
    built = sum(v.code == "catB" for v in plan.derived)
    assert built + len(plan.dropped) == 3 * N_COLUMNS


def test_indicators_that_are_suppressed_count() -> None:
    plan = plan_of(coders=["lev"], rare_sig=0.1, min_fraction=0.0)
    built = len(plan.derived)
    assert built + sum(one.n_tests for one in plan.dropped) == NOISE.nunique().sum()
    assert (plan.score_frame["default_threshold"] == 1 / NOISE.nunique().sum()).all()


def test_they_are_written_and_read() -> None:
    plan = plan_of()
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert again.dropped == plan.dropped
    other = plan.diff(plan_of(2.0 + np.arange(N_ROWS) % 7))["where"]
    assert other.str.contains(".dropped.catN.sig", regex=False).any()
    pd.testing.assert_frame_equal(again.score_frame, plan.score_frame)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("column", "z", "dropped[0].column: 'z' is not among the variables"),
        ("sig", 1.5, "dropped[0].sig: expected a p-value from 0 to 1, found 1.5"),
        ("n_tests", 0, "dropped[0].n_tests: expected 1 to 9007199254740992, found 0"),
        ("target", "a", "dropped[0].target: 'a' is not among the classes "),
    ],
)
def test_those_that_cannot_be_are_refused(field: str, value: Any, message: str) -> None:
    tree = json.loads(plan_of().to_json())
    tree["dropped"][0][field] = value
    with pytest.raises(PlanFormatError) as caught:
        vt.TreatmentPlan.from_json(json.dumps(tree))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("n_more", [0, 3])
def test_adjusted_p_values_are_those_of_statsmodels(n_more: int) -> None:
    p = RANDOM.random(25) ** 3
    p[:4] = p[4]
    every = np.append(p, np.ones(n_more))
    for ours, method in ((benjamini_hochberg, "fdr_bh"), (holm, "holm")):
        expected = multipletests(every, method=method)[1][: len(p)]
        np.testing.assert_allclose(ours(p, n_more), expected, rtol=1e-15)
