"""What bins tell beside the AUC: bounds, thresholds, calibration, and the numbers of `perf`."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

from tests.evaluation.test_streaming import BINS, rows, scored_rows
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._curves import Ranking, harmonic_gap
from vtreat_py.evaluation._numbers_shown import readable
from vtreat_py.evaluation.scores import confusion_scores
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

NARROW = {
    "logistic": lambda random, n: 1 / (1 + np.exp(5.2 - 1.5 * random.normal(size=n))),
    "strong": lambda random, n: 1 / (1 + np.exp(7.5 - 3 * random.normal(size=n))),
    "beta": lambda random, n: random.beta(0.5, 32, n),
    "flat": lambda random, n: random.random(n) / 33.3,
}


def evaluated(n: int = 2_000, **options: Any) -> tuple[Any, Any, StreamingBinaryEvaluator]:
    label, score, _ = rows(n)
    return label, score, StreamingBinaryEvaluator(**options).update(label, score)


# Bounds


@settings(deadline=None)
@given(scored_rows(), st.sampled_from(BINS), st.sampled_from(["none", "whole", "any"]))
def test_average_precision_is_within_its_bounds(data: Any, bins: Any, kind: str) -> None:
    label, score, weight = data
    given = {"none": None, "whole": np.ceil(weight).astype(int), "any": weight}[kind]
    evaluator = StreamingBinaryEvaluator(**bins).update(label, score, given)
    exact = metrics.average_precision_score(label, score, sample_weight=given)
    low, high = evaluator.average_precision_bounds()
    assert low - 1e-12 <= exact <= high + 1e-12
    assert low <= evaluator.average_precision() + 1e-12
    assert evaluator.average_precision() <= high + 1e-12


@pytest.mark.parametrize(
    "bins", [[(1, 2)], [(2, 1)], [(2, 2)], [(1, 1), (1, 1)], [(2, 0), (1, 1)], [(0, 2)]]
)
def test_bounds_are_the_extremes_over_all_orders_and_ties(bins: list[tuple[int, int]]) -> None:
    """Bins, the highest first, as pairs of negative and positive rows."""
    label = [y for n, p in bins for y in [0] * n + [1] * p]
    places = [k for k, (n, p) in enumerate(bins) for _ in range(n + p)]
    ranks = [range(len(label)) for _ in label]
    found = []
    for rank in itertools.product(*ranks):
        score = np.array(rank) - 100 * np.array(places)
        found.append(metrics.average_precision_score(label, score))
    negative, positive = (np.array(v, dtype=float)[::-1] for v in zip(*bins, strict=True))
    low, high = Ranking(np.arange(len(bins)), negative, positive).average_precision_bounds(True)
    assert (low, high) == pytest.approx((min(found), max(found)), abs=1e-11)
    below = Ranking(np.arange(len(bins)), negative, positive).average_precision_bounds(False)[0]
    assert below <= low + 1e-15


def test_rows_of_next_to_no_weight_come_near_the_lower_bound() -> None:
    """One bin of a negative row of weight 1 and positive ones that weigh 1 in all."""
    label = [0] + [1] * 10_000
    weight = [1.0] + [1e-4] * 10_000
    score = np.append(0.505, np.linspace(0.504, 0.5001, 10_000))
    exact = metrics.average_precision_score(label, score, sample_weight=weight)
    evaluator = StreamingBinaryEvaluator(decimals=1).update(label, score, weight)
    low, high = evaluator.average_precision_bounds()
    assert (low, high) == pytest.approx((1 - math.log(2), 1.0), abs=1e-12)
    assert low < exact < low + 1e-4


@pytest.mark.parametrize("start", [0, 1, 19, 20, 21, 1_000, 10**9])
@pytest.mark.parametrize("n", [0, 1, 5, 20, 21, 300])
def test_harmonic_sums(start: int, n: int) -> None:
    exact = sum((Fraction(1, start + i) for i in range(1, n + 1)), Fraction(0))
    found = harmonic_gap(np.array([float(start)]), np.array([float(n)]))[0]
    assert found == pytest.approx(float(exact), rel=2e-14, abs=0)


@pytest.mark.parametrize("kind", NARROW)
def test_default_bins_suit_rare_events(kind: str) -> None:
    random = np.random.default_rng(0)
    score = NARROW[kind](random, 1_000_000)
    label = (random.random(1_000_000) < score).astype(int)
    assert 0.014 < label.mean() < 0.018
    evaluator = StreamingBinaryEvaluator().update(label, score)
    low, high = evaluator.average_precision_bounds()
    assert high - low < 0.002
    exact = metrics.average_precision_score(label, score)
    assert low <= exact <= high
    decimals = StreamingBinaryEvaluator(bins="decimals").update(label, score)
    assert np.diff(evaluator.auc_bounds())[0] < np.diff(decimals.auc_bounds())[0] / 10


def test_default_bins_bound_the_auc_of_even_scores_as_three_decimals_do() -> None:
    random = np.random.default_rng(0)
    score = random.random(200_000)
    label = (random.random(200_000) < score).astype(int)
    evaluator = StreamingBinaryEvaluator().update(label, score)
    decimals = StreamingBinaryEvaluator(bins="decimals").update(label, score)
    assert np.diff(evaluator.auc_bounds())[0] <= np.diff(decimals.auc_bounds())[0]


def test_bounds_without_positive_rows() -> None:
    evaluator = StreamingBinaryEvaluator().update([0, 0], [0.5, 0.25])
    with pytest.warns(UserWarning, match="No positive class found in y_true"):
        assert evaluator.average_precision_bounds() == (0.0, 0.0)
    assert math.isnan(evaluator.break_even_point())
    assert np.isnan(evaluator.break_even_bounds()).all()
    assert np.isnan(evaluator.partial_auc_bounds(0.5)).all()
    assert math.isnan(evaluator.precision_recall_auc())


@settings(deadline=None)
@given(scored_rows(), st.sampled_from(BINS), st.sampled_from([0.05, 0.3, 0.5, 1.0]))
def test_partial_areas(data: Any, bins: Any, max_fpr: float) -> None:
    label, score, weight = data
    evaluator = StreamingBinaryEvaluator(**bins).update(label, score, weight)
    options = {"sample_weight": weight, "max_fpr": max_fpr}
    low, high = evaluator.partial_auc_bounds(max_fpr)
    exact = metrics.roc_auc_score(label, score, **options)
    if max_fpr == 1:  # which scikit-learn does not standardize; it is the same
        assert evaluator.partial_auc(1.0) == pytest.approx(evaluator.auc(), abs=1e-12)
    assert low - 1e-9 <= exact <= high + 1e-9
    binned = metrics.roc_auc_score(label, evaluator._bins.of(score), **options)
    assert evaluator.partial_auc(max_fpr) == pytest.approx(binned, abs=1e-9)
    area = evaluator.partial_auc(max_fpr, standardize=False)
    least = max_fpr**2 / 2
    standardized = (1 + (area - least) / (max_fpr - least)) / 2
    assert standardized == pytest.approx(evaluator.partial_auc(max_fpr))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=1, max_size=30), st.data()
)
def test_shares_are_within_their_bounds(drawn: Any, data: Any) -> None:
    """Scores that are all different, in bins that hold up to ten of them."""
    label = np.array([y for y, _ in drawn])
    score = np.array([b / 10 for _, b in drawn]) + np.arange(len(drawn)) / 1_000
    score = np.minimum(score, 0.9999)
    evaluator = StreamingBinaryEvaluator(decimals=1).update(label, score)
    n = data.draw(st.integers(1, len(label)))
    found = evaluator.at_share(n / len(label)).iloc[0]
    exact = label[np.argsort(-score)][:n].sum()
    assert found["tp_low"] - 1e-9 <= exact <= found["tp_high"] + 1e-9
    assert found["tp_low"] - 1e-9 <= found["tp"] <= found["tp_high"] + 1e-9
    assert found[["tp", "fp", "fn", "tn"]].sum() == pytest.approx(len(label))
    assert found["tp"] + found["fp"] == pytest.approx(n)


def test_shares_end_with_a_row_whatever_rounding_does() -> None:
    score = np.arange(1, 101) / 1000
    evaluator = StreamingBinaryEvaluator(decimals=3).update(np.arange(100) % 2, score)
    shares = np.arange(1, 101) / 100
    found = evaluator.at_share(shares)  # .07 * 100 is more than 7
    np.testing.assert_allclose(found["threshold"], score[::-1])
    assert evaluator.at_share(np.array(0.07))["threshold"].tolist() == [score[-7]]
    with pytest.raises(InvalidOptionError, match="share is"):
        evaluator.at_share(np.array(0.0))


def test_shares_of_scores_in_bins_of_their_own_are_exact() -> None:
    label, score = [1, 0, 1, 0, 0], [0.875, 0.75, 0.5, 0.25, 0.125]
    evaluator = StreamingBinaryEvaluator().update(label, score)
    found = evaluator.at_share([0.2, 0.6, 1])
    assert found["threshold"].tolist() == [0.875, 0.5, 0.125]
    expected = confusion_scores([1, 2, 2], [0, 1, 3], [1, 0, 0], [3, 2, 0])
    for name in ("precision", "recall", "lift"):
        np.testing.assert_allclose(found[name], expected[name])
    assert evaluator.break_even_point() == 0.5
    assert evaluator.break_even_bounds() == (0.5, 0.5)
    tied = StreamingBinaryEvaluator().update(label, [0.5] * 5)
    assert tied.break_even_point() == pytest.approx(0.4)
    assert tied.break_even_bounds() == (0.0, 1.0)
    for share in (0, 1.5, -1, []):
        with pytest.raises(InvalidOptionError, match="shares of the rows are above 0"):
            evaluator.at_share(share)
    with pytest.raises(OptionTypeError, match="share must hold numbers"):
        evaluator.at_share("half")


# Thresholds


@pytest.mark.parametrize("metric", ["f1", "accuracy", "informedness", "error_rate", "fnr"])
def test_the_best_threshold_is_best_of_all(metric: str) -> None:
    label, score, evaluator = evaluated(300)
    found = evaluator.best_threshold(metric)
    exact = confusion_scores(label, (score >= found["threshold"]).astype(int))[metric]
    assert found[metric] == pytest.approx(exact)
    tried = [
        confusion_scores(label, (score >= t).astype(int))[metric] for t in [*np.unique(score), 2]
    ]
    best = min if metric in ("error_rate", "fnr") else max
    assert found[metric] == pytest.approx(best(tried))


def test_scores_by_threshold_are_those_of_the_scores() -> None:
    label, score, evaluator = evaluated(300)
    table = evaluator.by_threshold()
    assert table["tp"].dtype == np.int64
    assert table["threshold"][0] == np.inf
    for _, found in table.iterrows():
        called = (score >= found["threshold"]).astype(int)
        expected = confusion_scores(label, called)
        np.testing.assert_allclose(found[expected.index].astype(float), expected, rtol=1e-12)


def test_the_highest_of_several_best_thresholds_is_taken() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 0, 1], [0.75, 0.5, 0.25])
    assert evaluator.best_threshold("accuracy")["threshold"] == 0.75
    assert evaluator.least_cost()["threshold"] == 0.75


@pytest.mark.parametrize("metric", ["prevalence", "f2", 3, None])
def test_unknown_scores_have_no_best_threshold(metric: Any) -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 0], [0.75, 0.5])
    with pytest.raises(
        InvalidOptionError, match="it can be a score of confusion_scores that calls"
    ):
        evaluator.best_threshold(metric)
    with pytest.raises(InvalidOptionError, match="recall is not defined at any threshold"):
        StreamingBinaryEvaluator().update([0], [0.5]).best_threshold("recall")


def test_costs() -> None:
    label, score, evaluator = evaluated(500, threshold=[0.3, 0.5])
    prices = {"false_positive": 2.0, "false_negative": 7.0, "true_positive": -3, "true_negative": 1}

    def cost(threshold: float) -> float:
        called = score >= threshold
        tn, fp, fn, tp = metrics.confusion_matrix(label, called).ravel()
        return float(2 * fp + 7 * fn - 3 * tp + tn)

    fixed = evaluator.cost(**prices)
    assert fixed["cost"].tolist() == [cost(0.3), cost(0.5)]
    assert fixed["mean_cost"].tolist() == [cost(0.3) / 500, cost(0.5) / 500]
    least = evaluator.least_cost(**prices)
    assert least["cost"] == cost(least["threshold"]) == min(map(cost, [*np.unique(score), 2]))
    with pytest.raises(InvalidOptionError, match="false_positive has 1 values that are missing"):
        evaluator.cost(false_positive=math.nan)


def test_the_least_cost_is_where_chances_say() -> None:
    random = np.random.default_rng(0)
    score = random.random(400_000)
    label = (random.random(400_000) < score).astype(int)
    evaluator = StreamingBinaryEvaluator().update(label, score)
    assert evaluator.least_cost(false_negative=4)["threshold"] == pytest.approx(0.2, abs=0.02)


# Calibration


def binned(evaluator: StreamingBinaryEvaluator, score: Any) -> Any:
    """Each score as the mean of its bin."""
    places = evaluator._bins.of(score)
    return pd.Series(score).groupby(places).transform("mean").to_numpy()


@pytest.mark.parametrize("bins", BINS)
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n", [1, 4, 10])
def test_calibration_is_that_of_scikit_learn(bins: Any, strategy: Any, n: int) -> None:
    random = np.random.default_rng(0)
    score = random.permutation(np.linspace(0.001, 0.999, 1_000))
    label = (random.random(1_000) < score**2).astype(int)
    evaluator = StreamingBinaryEvaluator(**bins).update(label, score)
    seen = binned(evaluator, score)
    if strategy == "quantile" and len(np.unique(seen)) < 1_000:
        return  # where rows tie, percentiles are not groups of like weight
    rate, mean = calibration_curve(label, seen, n_bins=n, strategy=strategy)
    found = evaluator.calibration(n, strategy)
    np.testing.assert_allclose(found["positive_rate"], rate, atol=1e-12)
    np.testing.assert_allclose(found["mean_score"], mean, atol=1e-12)
    error = float((found["weight"] * np.abs(rate - mean)).sum() / 1_000)
    assert evaluator.calibration_error(n, strategy) == pytest.approx(error, abs=1e-12)


def test_equal_masses_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    score = random.permutation(np.linspace(0.001, 0.999, 1_000))
    label = (random.random(1_000) < score**2).astype(int)
    found = StreamingBinaryEvaluator(bits=24).update(label, score).calibration(10)
    rate, mean = calibration_curve(label, score, n_bins=10, strategy="quantile")
    np.testing.assert_allclose(found["positive_rate"], rate, atol=1e-12)
    np.testing.assert_allclose(found["mean_score"], mean, atol=1e-12)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_brier_score_is_the_sum_of_its_parts(strategy: Any, weighted: bool) -> None:
    label, score, weight = rows(2_000)
    given = weight if weighted else None
    evaluator = StreamingBinaryEvaluator().update(label, score, given)
    parts = evaluator.brier_decomposition(7, strategy)
    assert parts["brier"] == pytest.approx(
        metrics.brier_score_loss(label, score, sample_weight=given), rel=1e-13
    )
    groups = evaluator.calibration(7, strategy)
    rate, share = evaluator.prevalence(), groups["weight"] / groups["weight"].sum()
    assert parts["uncertainty"] == pytest.approx(rate * (1 - rate))
    resolution = (share * (groups["positive_rate"] - rate) ** 2).sum()
    assert parts["resolution"] == pytest.approx(resolution, abs=1e-14)
    of_groups = parts["reliability"] - parts["resolution"] + parts["uncertainty"]
    # The Brier score of scikit-learn, of each row's group in place of its score.
    truth = np.repeat([1, 0], len(groups))
    chance = np.tile(groups["mean_score"], 2)
    masses = np.append(
        groups["weight"] * groups["positive_rate"], groups["weight"] * (1 - groups["positive_rate"])
    )
    of_sklearn = metrics.brier_score_loss(truth, chance, sample_weight=masses)
    assert of_groups == pytest.approx(of_sklearn, abs=1e-13)
    assert parts["within"] == pytest.approx(parts["brier"] - of_sklearn, abs=1e-13)


def test_margins_are_no_chances() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 0], [3.0, -1.0])
    assert evaluator.calibration(2)["mean_score"].tolist() == [-1.0, 3.0]
    for ask in (
        evaluator.calibration_error,
        evaluator.brier_decomposition,
        lambda: evaluator.calibration(strategy="uniform"),
    ):
        with pytest.raises(InvalidOptionError, match="needs probabilities, from 0 to 1"):
            ask()
    with pytest.raises(InvalidOptionError, match="strategy='kmeans'; it must be one of"):
        evaluator.calibration(strategy="kmeans")  # type: ignore[arg-type]


# The numbers of perf


def test_perf() -> None:
    """Scores that each have a bin of their own, but for a tie, by their definitions."""
    random = np.random.default_rng(1)
    score = random.permutation(np.linspace(0.003, 0.997, 200)).round(3)
    score[:2] = score[2]
    label = (random.random(200) < score).astype(int)
    label[np.argmax(score)] = 1
    evaluator = StreamingBinaryEvaluator(decimals=3).update(label, score)
    found = evaluator.perf_scores()
    called = (score >= 0.5).astype(int)
    accuracy, auc = metrics.accuracy_score(label, called), metrics.roc_auc_score(label, score)
    rms = math.sqrt(metrics.brier_score_loss(label, score))
    precision, recall, _ = metrics.precision_recall_curve(label, score)
    order = np.argsort(-score, kind="stable")
    tpr_before = [(label[score > s].sum() + label[score >= s].sum()) / 2 / label.sum()
                  for s in np.sort(score[label == 0])[::-1][:50]]  # fmt: skip
    group = np.searchsorted(np.linspace(0, 1, 101)[1:-1], score)
    rate = pd.Series(label).groupby(group).mean()
    expected = {
        "ACC": accuracy,
        "PPV": metrics.precision_score(label, called),
        "SEN": metrics.recall_score(label, called),
        "SPC": metrics.recall_score(1 - label, 1 - called),
        "NPV": metrics.precision_score(1 - label, 1 - called),
        "PRF": metrics.f1_score(label, called),
        "SAR": (accuracy + auc + 1 - rms) / 3,
        "APR": metrics.average_precision_score(label, score),
        "AUPRC": metrics.auc(recall, precision),
        "ROC": auc,
        "R50": np.mean(tpr_before),
        "RKL": 1 + np.flatnonzero(label[order])[-1],
        "TOP1": 1,
        "TOP10": 1,
        "SLQ": float((pd.Series(group).map((1 - 2 * rate) ** 2)).mean()),
        "CXE": metrics.log_loss(label, score) / math.log(2),
        "NRM1": np.abs(label - score).mean(),
        "RMS": rms,
    }
    assert found[list(expected)].to_dict() == pytest.approx(expected, abs=1e-12)
    assert found["PRB"] == evaluator.break_even_point()
    windows = [(score >= k / 20 - 1e-9) & (score <= k / 20 + 0.1 + 1e-9) for k in range(19)]
    errors = [abs(label[w].mean() - score[w].mean()) for w in windows]
    assert found["CA1"] == pytest.approx(np.mean(errors))


def test_perf_of_margins_and_of_few_rows() -> None:
    evaluator = StreamingBinaryEvaluator(threshold=0).update([0, 1, 0], [3.0, 2.0, -1.0])
    found = evaluator.perf_scores()
    assert not {"SAR", "SLQ", "CXE", "NRM1", "CA1"} & set(found.index)
    assert found[["TOP1", "TOP10", "RKL", "R50"]].tolist() == [0, 1, 2, 0.5]


@pytest.mark.parametrize(("n_tied", "found"), [(9, 1), (10, 0)])
def test_a_tie_within_the_first_ten_has_its_positive_row_there(n_tied: int, found: int) -> None:
    label = [0] * n_tied + [1, 0]
    evaluator = StreamingBinaryEvaluator().update(label, [0.5] * (n_tied + 1) + [0.25])
    assert evaluator.perf_scores()[["TOP1", "TOP10"]].tolist() == [0, found]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (15555, "15555"),
        (15555.02, "15555.0"),
        (1234567.891, "1234567.9"),
        (-20000.0, "-20000"),
        (9999.4, "9999"),
        (9999.96, "10000.0"),
        (0.123456, "0.1235"),
        (1e20, "1e+20"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_integers_are_shown_whole(value: float, text: str) -> None:
    assert readable(value) == text


def test_the_repr_has_bounds() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
    assert repr(evaluator) == (
        "StreamingBinaryEvaluator(4 rows; FloatBins(bits=19); AUC 0.750000 to 0.750000, "
        "average precision 0.833333 to 0.833334)"
    )
    assert repr(StreamingBinaryEvaluator(half_life=15555)) == (
        "StreamingBinaryEvaluator(0 rows; FloatBins(bits=19), half_life=15555)"
    )
