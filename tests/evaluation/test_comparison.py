"""Several models: every pair's test, their adjustment, and how often nothing is called real."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation.comparison import compare_models
from vtreat_py.evaluation.paired_scores import per_row_loss
from vtreat_py.evaluation.randomization import randomization_test

RANDOM = np.random.default_rng(0)
SHIFTS = np.array([0.0, 0.2, 0.4, 1.0])
SCORES = pd.DataFrame(RANDOM.normal(SHIFTS, size=(40, 4)), columns=list("abcd"))


@pytest.mark.parametrize("options", [{}, {"groups": np.arange(40) % 12},
                                     {"sample_weight": np.linspace(1, 2, 40)}])  # fmt: skip
def test_every_pair_is_tested_as_it_would_be_alone(options: dict[str, Any]) -> None:
    found = compare_models(SCORES, n_resamples=999, random_state=7, **options)
    assert found.columns.tolist() == [
        "model_a", "model_b", "metric", "difference", "p", "adjusted_p", "p_greater", "p_less",
        "standard_error", "low", "high", "effect_size", "n",
    ]  # fmt: skip
    assert list(zip(found["model_a"], found["model_b"], strict=True)) == [*combinations("abcd", 2)]
    assert (found["metric"] == "score").all()
    for row in found.itertuples():
        alone = randomization_test(
            SCORES[row.model_a], SCORES[row.model_b], n_resamples=999, random_state=7, **options
        )
        assert (row.difference, row.p) == (alone.statistic, alone.pvalue)
        assert (row.p_greater, row.p_less) == (alone.pvalue_greater, alone.pvalue_less)
        assert row.standard_error == alone.standard_error
    assert found["difference"].iloc[2] < -0.4


@pytest.mark.parametrize("adjust", ["holm", "fdr_bh", "bonferroni"])
def test_adjustment_is_that_of_statsmodels(adjust: str) -> None:
    found = compare_models(SCORES, adjust=adjust, n_resamples=999, random_state=0)
    np.testing.assert_array_equal(found["adjusted_p"], multipletests(found["p"], method=adjust)[1])
    assert (found["adjusted_p"] >= found["p"]).all()
    without = compare_models(SCORES, adjust=None, n_resamples=999, random_state=0)
    assert without["adjusted_p"].equals(without["p"])
    assert without["p"].equals(found["p"])


def test_several_metrics_are_adjusted_together() -> None:
    y = RANDOM.normal(size=40)
    losses = {loss: per_row_loss(y, SCORES, metric=loss) for loss in ("squared", "absolute")}
    found = compare_models(pd.concat(losses, axis=1), n_resamples=999, random_state=0)
    assert found["metric"].tolist() == ["squared"] * 6 + ["absolute"] * 6
    alone = compare_models(losses["absolute"], n_resamples=999, random_state=0)
    assert (alone["metric"] == "absolute").all()
    pd.testing.assert_frame_equal(found.iloc[6:, :5].reset_index(drop=True), alone.iloc[:, :5])
    assert found["adjusted_p"].tolist() == multipletests(found["p"], method="holm")[1].tolist()


def test_other_frames_and_names() -> None:
    expected = compare_models(SCORES, n_resamples=99, random_state=0)
    from_polars = compare_models(pl.from_pandas(SCORES), n_resamples=99, random_state=0)
    pd.testing.assert_frame_equal(from_polars, expected)
    from_array = compare_models(SCORES.to_numpy(), n_resamples=99, random_state=0)
    assert from_array["model_b"].tolist() == [1, 2, 3, 2, 3, 3]
    assert from_array["p"].equals(expected["p"])
    named = compare_models(SCORES.rename_axis(columns="log"), n_resamples=99, random_state=0)
    assert (named["metric"] == "log").all()


@pytest.mark.long
def test_holm_calls_nothing_real_too_rarely_to_matter() -> None:
    """Of models that are equally good, any pair is called different in 5% of studies at most."""
    random = np.random.default_rng(0)
    studies = random.integers(0, 10, (400, 8, 3)) / 10
    smallest = np.array([compare_models(study, adjust=None)["p"].min() for study in studies])
    for study, p in zip(studies[:5], smallest, strict=False):
        assert compare_models(study)["adjusted_p"].min() == pytest.approx(min(1.0, 3 * p))
    bound = stats.binom.ppf(0.999, len(studies), 0.05)
    assert (3 * smallest <= 0.05).sum() <= bound
    assert (smallest <= 0.05).sum() > bound  # without adjustment there are more


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (SCORES[["a"]], {}, "scores has models 'a'; give at least two"),
        (SCORES[["a", "b", "a"]], {}, "scores has several columns of the name 'a'"),
        (SCORES.assign(b=np.nan), {}, "scores['b'] has 40 values that are missing or infinite"),
        (SCORES, {"adjust": "scheffe"}, "adjust='scheffe' is no method of statsmodels'"),
        (pd.concat({1: pd.concat({2: SCORES}, axis=1)}, axis=1), {}, "scores has columns of 3 "
         "levels; give one (model) or two (metric, model)"),
        (SCORES, {"groups": [1, 2]}, "groups has 2 values, for 40 rows"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    scores: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidOptionError, match=re.escape(message)):
        compare_models(scores, n_resamples=9, **options)
