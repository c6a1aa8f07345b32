"""B in evaluation: numbers at the edge of floats give the same scores, or are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation import (
    StreamingBinaryEvaluator,
    StreamingReport,
    bias_variance,
    compare_models,
    confusion_scores,
    cv_spread,
    per_row_loss,
    randomization_test,
    ranking_metrics,
    resampled_test,
    weighted_cross_validate,
)

RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 2, 60)
SCORE = RANDOM.random(60).round(2)
WEIGHT = RANDOM.random(60)
POWERS = [2.0**532, 2.0**-664, 2.0**950]


def report(weight: Any) -> StreamingReport:
    return StreamingBinaryEvaluator().update(Y, SCORE, weight).report()


@pytest.mark.parametrize("power", POWERS)
def test_b_streamed_scores_do_not_depend_on_a_power_of_two_in_the_weights(power: float) -> None:
    one, other = report(WEIGHT), report(WEIGHT * power)
    pd.testing.assert_series_equal(one.summary, other.summary, check_exact=True)
    for name in ("roc_curve", "precision_recall_curve", "gain_curve"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)
    weighed = ["threshold", "tp", "fp", "fn", "tn"]
    pd.testing.assert_frame_equal(
        one.fixed.drop(columns=weighed), other.fixed.drop(columns=weighed), check_exact=True
    )


@pytest.mark.parametrize("weight", [1e160, 1e-200])
def test_b_the_auc_of_extreme_weights(weight: float) -> None:
    found = StreamingBinaryEvaluator().update(Y, SCORE, np.full(60, weight)).auc()
    assert found == pytest.approx(StreamingBinaryEvaluator().update(Y, SCORE).auc(), rel=1e-12)


@pytest.mark.parametrize("weight", [1e-320, 1e-295, 1e299, 1.7e308])
def test_b_weights_that_cannot_be_summed_are_refused(weight: float) -> None:
    weights = np.full(60, weight)
    with pytest.raises(InvalidOptionError, match="multiply all weights by one number"):
        StreamingBinaryEvaluator().update(Y, SCORE, weights)
    with pytest.raises(InvalidOptionError, match="multiply all weights by one number"):
        confusion_scores(Y, Y, sample_weight=weights)


@pytest.mark.parametrize("power", POWERS)
def test_b_confusion_scores_of_extreme_counts(power: float) -> None:
    one = confusion_scores([3.0, 1, 0], [1.0, 1, 2], [2.0, 5, 0], [4.0, 0, 1])
    factors = power, 1.0, power
    counts = ([3.0, 1, 0], [1.0, 1, 2], [2.0, 5, 0], [4.0, 0, 1])
    other = confusion_scores(*(np.multiply(count, factors) for count in counts))
    pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("power", POWERS)
def test_b_the_randomization_test_at_any_size(power: float) -> None:
    a, b, weight = RANDOM.random((3, 9))
    one = randomization_test(a, b, sample_weight=weight)
    other = randomization_test(a * power, b * power, sample_weight=weight * power)
    assert (one.pvalue, one.pvalue_greater) == (other.pvalue, other.pvalue_greater)
    assert one.statistic * power == other.statistic
    assert one.standard_error * power == other.standard_error
    np.testing.assert_array_equal(one.null_distribution * power, other.null_distribution)


def test_b_differences_beyond_the_range_of_floats() -> None:
    found = randomization_test([1.7e308] * 5, [-1.7e308] * 5)
    assert (found.pvalue, found.statistic) == (1 / 16, np.inf)
    with pytest.raises(InvalidOptionError, match="divide both scores by one number"):
        found.plot()
    table = compare_models(pd.DataFrame({"a": [1.7e308] * 5, "b": [-1.7e308] * 5}), adjust=None)
    assert table["p"].tolist() == [1 / 16]
    assert randomization_test([5e-324] * 5, [0] * 5).pvalue == 1 / 16


@pytest.mark.parametrize("size", [1.7e308, 1e200, 1e-200, 1e-310])
def test_b_squares_that_floats_cannot_hold_are_refused(size: float) -> None:
    y = np.linspace(-1, 1, 8) * size
    with pytest.raises(InvalidOptionError, match="whose square floats cannot hold"):
        per_row_loss(y, -y)
    with pytest.raises(InvalidOptionError, match="whose square floats cannot hold"):
        bias_variance(np.column_stack([y, -y]), y=y)
    if size < 1e308:
        np.testing.assert_array_equal(per_row_loss(y, -y, metric="absolute"), np.abs(2 * y))
    else:
        with pytest.raises(InvalidOptionError, match=r"absolute loss of prediction has .* values"):
            per_row_loss(y, -y, metric="absolute")


def test_b_infinite_scores_of_rows_that_weigh_nothing() -> None:
    scores, weight = [np.inf, 1.0, -1e308, 2.0, -np.inf, 0.5], [0, 1, 0, 1, 0, 2]
    y = [1, 0, 0, 1, 1, 0]
    evaluator = StreamingBinaryEvaluator(bins="float").update(y, scores, weight)
    assert evaluator.rmse() == pytest.approx(np.sqrt((1 + 1 + 0.5) / 4))
    assert evaluator.calibration()["mean_score"].tolist() == [0.5, 1.0, 2.0]
    whole = StreamingBinaryEvaluator(bins="float").update([0, 1], [-np.inf, np.inf])
    assert np.isnan(whole.calibration(1)["mean_score"]).all()


class Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model whose chance is the number it is given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.column_stack([1 - X[:, 0], X[:, 0]])


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_b_means_and_deviations_of_metrics_of_any_size(size: float) -> None:
    X = np.linspace(0, 1, 12)[:, None]

    def metric(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        return float(X[0, 0])

    def great(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        return metric(model, X, y) * size

    scoring = {"one": metric, "great": great}
    y = np.arange(12) % 2
    found = weighted_cross_validate(Given(), X, y, scoring=scoring, cv=3)
    assert found.std["great"] == pytest.approx(found.std["one"] * size, rel=1e-12)
    spread = cv_spread(Given(), X, y, scoring=scoring, strategies={"a": 3})
    intervals = spread.interval(method="nadeau-bengio").loc["a"]
    assert intervals.loc["great", "low"] == pytest.approx(intervals.loc["one", "low"] * size)
    spread.summary()


@pytest.mark.parametrize("power", POWERS)
def test_b_metrics_of_extreme_weights(power: float) -> None:
    X, y, weight = SCORE[:, None], Y, WEIGHT
    options = {"scoring": ["nll", "roc_auc"], "strategies": {"a": 2}}
    one = cv_spread(Given(), X, y, sample_weight=weight, **options)
    other = cv_spread(Given(), X, y, sample_weight=weight * power, **options)
    np.testing.assert_allclose(one.folds["score"], other.folds["score"], rtol=1e-12)


@pytest.mark.parametrize("method", ["corrected-t", "5x2cv-f"])
@pytest.mark.parametrize("power", [-540, -1000, 520, 1000])
def test_b_resampled_tests_of_scores_of_any_size(method: Any, power: int) -> None:
    a, b = RANDOM.random((2, 5, 2))
    sizes: dict[str, Any] = {}
    if method == "corrected-t":
        a, b, sizes = a.ravel(), b.ravel(), {"n_train": 80, "n_test": 20}
    one = resampled_test(a, b, method=method, **sizes)
    other = resampled_test(np.ldexp(a, power), np.ldexp(b, power), method=method, **sizes)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-12)
    assert np.ldexp(other.standard_error, -power) == pytest.approx(one.standard_error, rel=1e-12)
    if method == "corrected-t":
        assert other.probabilities() == pytest.approx(one.probabilities(), rel=1e-12)


def test_b_scores_that_differ_by_rounding_do_not_differ() -> None:
    same, rounded = np.full(10, 0.3), np.array([0.1 + 0.2] * 9 + [0.3])
    found = resampled_test(rounded, same, n_train=80, n_test=20)
    assert (found.pvalue, found.probabilities()) == (1.0, (0.0, 1.0, 0.0))
    of_folds = rounded.reshape(5, 2), same.reshape(5, 2)
    assert resampled_test(*of_folds, method="5x2cv-f").pvalue == 1.0
    assert np.isnan(compare_models({"a": rounded, "b": same})["effect_size"].iloc[0])


@pytest.mark.parametrize("many", [1e9, 1e12])
def test_b_scores_of_rare_classes_keep_their_digits(many: float) -> None:
    rare, common = confusion_scores(1, 1, 1, many), confusion_scores(many, 1, 1, 1)
    for one, of_rare, of_common in ((rare, "ppv", "npv"), (common, "npv", "ppv")):
        assert one["kappa"] == pytest.approx((many - 1) / (2 * (many + 1)), rel=1e-15)
        assert one[of_rare] == 0.5
        assert one[of_common] == pytest.approx(many / (many + 1), rel=1e-15)


def test_b_little_relevance_has_a_gain() -> None:
    metrics: dict[str, Any] = {"sizes": [3], "metrics": "ndcg"}
    ranks = [ranking_metrics([1 * e, 3 * e, 2 * e], [3, 2, 1], **metrics) for e in (1e-9, 1e-300)]
    linear = ranking_metrics([1, 3, 2], [3, 2, 1], gain="linear", **metrics).iloc[0, 0]
    assert ranks[0].iloc[0, 0] == pytest.approx(linear, abs=1e-9)
    assert ranks[1].iloc[0, 0] == pytest.approx(linear, rel=1e-15)


def test_b_no_count_is_negative() -> None:
    for _ in range(50):
        y, score, weight = RANDOM.integers(0, 2, 50), RANDOM.random(50), RANDOM.random(50)
        evaluator = StreamingBinaryEvaluator().update(y, score, weight)
        found = evaluator.at_share([0.1, 0.5, 1.0])
        assert (found[["tp", "fp", "fn", "tn"]].to_numpy() >= 0).all()
    largest = np.full(4, 2**63, dtype=np.uint64)
    evaluator = StreamingBinaryEvaluator().update([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.2], largest)
    assert evaluator.fixed()["tp"].tolist() == [2.0**64]
