"""The helper modules: util, stats_utils, effect_scaler, partial_pooling_estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import vtreat_py as vt
from vtreat_py.compat import stats_utils, util
from vtreat_py.compat.effect_scaler import EffectScaler
from vtreat_py.compat.partial_pooling_estimator import (
    pooled_effect_estimate,
    standard_effect_estimate,
)

GROUPS = pd.DataFrame({"location_id": list("aaabbc"), "observation": [1, 2, 3, 4, 5, 6]})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, True),
        (1.5, True),
        ("hi", False),
        ([1, None], True),
        (np.array([True, False]), True),
        (pd.Series([1, None], dtype="Int64"), True),
        (pd.Series(["1", "2"]), False),
        (pd.Series(["a", np.nan]), False),
        (pd.Series([1, "a"], dtype=object), False),
        (pd.Series([{}], dtype=object), False),
    ],
)
def test_can_convert_v_to_numeric(value: Any, expected: bool) -> None:
    assert util.can_convert_v_to_numeric(value) is expected


def test_is_bad_marks_missing_and_infinite_values_of_any_type() -> None:
    assert util.is_bad(None) is True
    assert util.is_bad(1.0) is False
    for values, expected in [
        (np.array([1.0, np.nan, -np.inf]), [False, True, True]),
        (pd.Series(["a", None]), [False, True]),
        (pd.Series([True, None, np.inf], dtype=object), [False, True, True]),
        (pd.Series([1, None], dtype="Int64"), [False, True]),
        (pd.to_datetime(pd.Series(["2020-01-01", None])), [False, True]),
    ]:
        assert np.asarray(util.is_bad(values)).tolist() == expected


def test_small_helpers() -> None:
    assert util.numeric_has_range([1, 2, np.nan])
    assert not util.numeric_has_range([1, np.inf, np.nan])
    assert not util.numeric_has_range([np.nan])
    assert util.summarize_column([1.0, 2.0, 9.0, np.inf], fn=np.median) == 2.0
    assert util.summarize_column([np.nan]) == 0.0
    assert util.unique_items_in_order([3, 1, 3, 2]) == [3, 1, 2]
    assert util.get_unique_value_count([1, 2, None, np.nan, 1]) == 3
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", None]})
    assert util.hash_data_frame(frame) == util.hash_data_frame(frame.copy())
    assert util.hash_data_frame(frame) != util.hash_data_frame(frame.rename(columns={"a": "c"}))
    assert util.hash_data_frame(frame) != util.hash_data_frame(frame.replace({1.0: 1.5}))


def test_frames_are_compared_within_a_tolerance() -> None:
    one, near, far = (pd.DataFrame({"a": [1.0, x]}) for x in (2.0, 2.00005, 2.1))
    util.check_matching_numeric_frames(res=one, expect=near)
    for other in (far, one.head(1), one.rename(columns={"a": "b"})):
        with pytest.raises(AssertionError):
            util.check_matching_numeric_frames(res=one, expect=other)


@pytest.mark.parametrize("is_classification", [False, True])
def test_score_variables_agree_with_reference_scores(is_classification: bool) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=50), "b": random.normal(size=50), "c": 1.0})
    y = frame["a"] + random.normal(size=50)
    y = (y > 0).astype(int) if is_classification else y
    table = util.score_variables(
        frame, variables=["a", "b", "c"], outcome=y, is_classification=is_classification
    )
    assert table is not None
    assert table["has_range"].tolist() == [True, True, False]
    for row in table.head(2).itertuples():
        r, p = stats.pearsonr(frame[row.variable], y)
        assert row.PearsonR == pytest.approx(r)
        if not is_classification:
            assert (row.R2, row.significance) == pytest.approx((r * r, p))
    if is_classification:
        import statsmodels.api as sm

        fit = sm.GLM(y, sm.add_constant(frame[["a"]]), family=sm.families.Binomial()).fit()
        expected = 1 - fit.deviance / fit.null_deviance
        assert table.loc[0, "R2"] == pytest.approx(expected)
    assert util.score_variables(frame, variables=[], outcome=y) is None


def test_correlation_and_pseudo_r2_have_their_corner_cases() -> None:
    for score in (stats_utils.our_corr_score, stats_utils.our_pseudo_R2):
        assert score(y_true=[1, 1, 1], y_pred=[0, 1, 0]) == (1, 1)
        assert score(y_true=[0, 1, 0], y_pred=[1, 1, 1]) == (0, 1)
        assert score(y_true=[1], y_pred=[0]) == (1, 1)


def test_scores_agree_with_r() -> None:
    """cor.test and anova(glm(..., family = binomial), test = "Chisq") of R."""
    y = [1, 1, 0, 1, 0, 1, 1, 0, 1, 0]
    x = [0.8, 1, 0.2, 0.5, 0.5, 0.8, 1, 0.2, 0.5, 0.5]
    found = stats_utils.our_corr_score(y_true=y, y_pred=x)
    assert found == pytest.approx((0.7404361, 0.01432), abs=1e-5)
    y = [1, 1, 0, 0, 0, 1, 1, 0, 1, 1]
    x = [0.8, 1, 1, 0.5, 0.5, 0.8, 1, 0.2, 0.5, 0.5]
    found = stats_utils.our_pseudo_R2(y_true=y, y_pred=x)
    assert found == pytest.approx((1 - 11.762 / 13.460, 0.1925211), abs=1e-4)


def test_logistic_regressions_return_fitted_probabilities() -> None:
    solve = stats_utils.solve_logistic_regression
    assert solve(y=[1, 0, 1, 0, 0], x=[1] * 5).tolist() == [0.4] * 5
    assert solve(y=[1, 1], x=[0, 1]).tolist() == [1, 1]
    np.testing.assert_allclose(
        solve(y=[1, 0, 1, 0, 0], x=[1, 0, 1, 0, 0]), [1, 0, 1, 0, 0], atol=1e-3
    )
    found = stats_utils.sklearn_solve_logistic(x=[1, 2, 3], y=[1, 0, 1])
    np.testing.assert_allclose(found, 2 / 3, atol=1e-6)
    y, p = [1, 0, 1], [0.9, 0.1, 1.0]
    expected = -2 * (2 * np.log(0.9) + np.log(1 - 1e-5))
    assert stats_utils.est_deviance(y=y, est=p) == pytest.approx(expected)


def test_xicor_follows_chatterjees_definition() -> None:
    """Without ties 1 - 3 * (sum of steps of the ranks) / (n^2 - 1), the same each time."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=30), random.normal(size=30)
    ranks = stats.rankdata(y)[np.argsort(x)]
    expected = 1 - 3 * np.abs(np.diff(ranks)).sum() / (30**2 - 1)
    assert stats_utils.xicor(x, y) == pytest.approx((expected, 0.0))
    assert stats_utils.xicor(x, x * x)[0] > 0.6
    assert np.isnan(stats_utils.xicor(x, np.ones(30))[0])
    tied = stats_utils.xicor([1, 1, 2, 2] * 5, range(20), n_reps=50)
    assert tied[1] > 0
    table = stats_utils.xicor_for_frame(pd.DataFrame({"x": x, "s": x * x}), x * x, n_reps=20)
    assert table["variable"].tolist() == ["x", "s"]
    assert (table["xicor"] > table["xicor_perm_mean"] + 3 * table["xicor_perm_stddev"]).all()
    with pytest.raises(vt.VtreatError, match="n_reps=0 must be at least 1"):
        stats_utils.xicor(x, y, n_reps=0)


def test_effect_scaler_puts_columns_into_units_of_the_outcome() -> None:
    """Each scaled column is its own regression of y, less the mean."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": random.normal(size=40), "b": random.normal(size=40), "c": 1.0}, index=range(7, 47)
    )
    y = 3 * X["a"] - X["b"] + 5
    scaled = EffectScaler().fit_transform(X, y)
    assert scaled.index.equals(X.index)
    for name in "ab":
        line = stats.linregress(X[name], y)
        np.testing.assert_allclose(scaled[name], line.slope * X[name] + line.intercept - y.mean())
    assert (scaled["c"] == 0).all()
    pd.testing.assert_frame_equal(
        EffectScaler().fit(np.array([[0.5], [-0.5]]), [1, -1]).transform(np.array([[0.5], [-0.5]])),
        pd.DataFrame([1.0, -1.0]),
    )


def test_effect_scaler_takes_weights_and_refuses_what_it_cannot_scale() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0]})
    row = [0, 1, 1, 2]
    weighted = EffectScaler().fit(X, [1, 2, 9], sample_weight=[1, 2, 1]).transform(X)
    repeated = EffectScaler().fit(X.iloc[row], np.array([1, 2, 9])[row]).transform(X)
    pd.testing.assert_frame_equal(weighted, repeated)
    scaler = EffectScaler().fit(X, [1, 2, 9])
    with pytest.raises(vt.VtreatError, match="was fitted on"):
        scaler.transform(X.rename(columns={"a": "b"}))
    with pytest.raises(vt.VtreatError, match=r"columns \['a'\] have missing"):
        scaler.transform(pd.DataFrame({"a": [np.nan]}))
    with pytest.raises(vt.VtreatError, match="y has missing"):
        EffectScaler().fit(X, [1, np.nan, 2])
    with pytest.raises(vt.VtreatError, match="X has 3 rows"):
        EffectScaler().fit(X, [1, 2])


def test_effects_are_not_those_of_masked_values() -> None:
    X, y = pd.DataFrame({"x": [1.0, 2.0, 3.0]}), np.ma.array([1.0, 2.0, 1e6], mask=[0, 0, 1])
    with pytest.raises(ValueError, match="y has missing"):
        EffectScaler().fit(X, y)
    with pytest.raises(ValueError, match="sample_weight has missing"):
        EffectScaler().fit(X, [1, 2, 3], sample_weight=y)


def test_group_means_by_themselves() -> None:
    expected = pd.DataFrame(
        {
            "location_id": list("abc"),
            "mean": [2.0, 4.5, 6.0],
            "var": [1.0, 0.5, np.nan],
            "size": [3, 2, 1],
            "estimate": [2.0, 4.5, 6.0],
            "grand_mean": [3.5] * 3,
            "impact": [-1.5, 1.0, 2.5],
        }
    )
    pd.testing.assert_frame_equal(standard_effect_estimate(GROUPS), expected, check_dtype=False)


def test_pooled_group_means_lie_between_their_own_and_the_grand_mean() -> None:
    """Small groups are pulled further; groups that differ by chance only, all the way."""
    table = pooled_effect_estimate(GROUPS)
    share = table["impact"] / (table["mean"] - table["grand_mean"])
    assert share.between(0, 1, inclusive="neither").all()
    assert share.is_monotonic_decreasing  # sizes are 3, 2, 1
    pd.testing.assert_series_equal(
        table["estimate"], table["grand_mean"] + table["impact"], check_names=False
    )
    noise = pd.DataFrame({"location_id": list("ab") * 20, "observation": [1, 1, 2, 2] * 10})
    assert (pooled_effect_estimate(noise)["impact"] == 0).all()
    constant = noise.assign(observation=3)
    assert (pooled_effect_estimate(constant)["estimate"] == 3).all()


def test_util_has_the_group_statistics_by_x() -> None:
    x, y = ["b", "a", "b", "c"], [1.0, 2.0, 4.0, 5.0]
    found, pooled = util.grouped_by_x_statistics(x, y), util.pooled_impact_estimate(x, y)
    assert found["x"].tolist() == pooled["x"].tolist() == ["a", "b", "c"]
    assert found["_group_mean"].tolist() == pooled["mean"].tolist() == [2.0, 2.5, 5.0]
    assert found["_ni"].tolist() == [1, 2, 1]
    assert found["_gm"].tolist() == [3.0] * 3
    assert found["_var"].tolist() == [4.5] * 3
