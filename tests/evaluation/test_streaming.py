"""A streamed evaluation: exact where it says so, within its bounds elsewhere, in any parts."""

from __future__ import annotations

import functools
import math
import operator
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation.scores import confusion_scores
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

BINS: list[dict[str, Any]] = [
    {"bins": "decimals", "decimals": 1},
    {"bins": "decimals", "decimals": 3},
    {"bins": "float", "bits": 8},
    {"bins": "float", "bits": 16},
    {},
]
THRESHOLDS = [0.3, 0.1, 0.7, 0.5]
COUNTS = ["tp", "fp", "fn", "tn"]


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores with many ties, weights."""
    random = np.random.default_rng(seed)
    score = random.choice([0.0, 0.1, 0.3, 0.5, 1.0, *random.random(30)], n)
    label = (random.random(n) < 0.2 + 0.6 * score).astype(int)
    return label, score, random.integers(0, 5, n) / 2


@st.composite
def scored_rows(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of both classes, scores with ties, weights."""
    score = st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.31, 0.5, 1.0]) | st.floats(0, 1)
    row = st.tuples(st.integers(0, 1), score, st.floats(0.125, 4))
    drawn = draw(st.lists(row, min_size=2, max_size=40))
    label, scores, weight = (np.array(column) for column in zip(*drawn, strict=True))
    label[:2] = [0, 1]
    return label, scores, weight


def same_state(one: StreamingBinaryEvaluator, other: StreamingBinaryEvaluator) -> None:
    """Counts are equal, sums to rounding."""
    pd.testing.assert_frame_equal(one.fixed()[COUNTS], other.fixed()[COUNTS])
    for curve in ("roc_curve", "precision_recall_curve", "gain_curve"):
        pd.testing.assert_frame_equal(getattr(one, curve)(), getattr(other, curve)())
    assert one.auc_bounds() == other.auc_bounds()
    assert (one.n_rows, one.n_missing) == (other.n_rows, other.n_missing)
    for mean in ("log_loss", "brier", "rmse"):
        assert getattr(one, mean)() == pytest.approx(getattr(other, mean)(), rel=1e-14)
    pd.testing.assert_frame_equal(one.calibration(), other.calibration(), rtol=1e-12)


# Closed forms and bounds


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_closed_form_of_the_areas(decimals: int) -> None:
    """Positive rows with density 2s, negative ones with 2(1 - s): the AUC is 5/6."""
    n = 10**decimals
    start, stop = np.arange(n) / n, np.arange(1, n + 1) / n
    middle = (start + stop) / 2
    positive = (2 * np.arange(n) + 1) / n**2
    evaluator = StreamingBinaryEvaluator(decimals=decimals)
    evaluator.update(np.ones(n), middle, positive).update(np.zeros(n), middle, positive[::-1])
    low, high = evaluator.auc_bounds()
    upper = 1 / (3 * n) - 1 / (3 * n**2) + 1 / (6 * n**3)
    assert evaluator.auc("riemann") - 5 / 6 == pytest.approx(upper, abs=1e-12)
    assert evaluator.auc() - 5 / 6 == pytest.approx(-1 / (3 * n**2), abs=1e-12)
    assert (low, high) == (evaluator.auc("lower"), evaluator.auc("riemann"))
    assert evaluator.auc() == (low + high) / 2


def test_the_identity_of_the_specification() -> None:
    """748,401 rows, 664,374 of them positive, a recall of .970005 and a precision of .908369."""
    tp = round(0.970005 * 664_374)
    fp = round(tp / 0.908369) - tp
    counts = [tp, fp, 664_374 - tp, 748_401 - 664_374 - fp]
    evaluator = StreamingBinaryEvaluator()
    evaluator.update(np.repeat([1, 0, 1, 0], counts), np.repeat([0.9, 0.9, 0.1, 0.1], counts))
    found = evaluator.fixed().iloc[0]
    assert found[COUNTS].tolist() == counts
    assert found["recall"] == pytest.approx(0.970005, abs=1e-6)
    assert found["precision"] == pytest.approx(0.908369, abs=1e-6)
    assert found["accuracy"] == pytest.approx(0.88651, abs=1e-6)
    assert found["f1"] == pytest.approx(0.938176, abs=1e-6)
    assert round(found["lift"], 5) == 1.02326


@settings(deadline=None)
@given(scored_rows(), st.sampled_from(BINS))
def test_the_auc_is_within_its_bounds(data: Any, bins: dict[str, Any]) -> None:
    label, score, weight = data
    evaluator = StreamingBinaryEvaluator(**bins).update(label, score, weight)
    exact = metrics.roc_auc_score(label, score, sample_weight=weight)
    low, high = evaluator.auc_bounds()
    assert low - 1e-12 <= exact <= high + 1e-12
    assert abs(evaluator.auc() - exact) <= (high - low) / 2 + 1e-12


@settings(deadline=None)
@given(scored_rows(), st.sampled_from(BINS))
def test_the_auc_is_that_of_the_binned_scores(data: Any, bins: dict[str, Any]) -> None:
    label, score, weight = data
    evaluator = StreamingBinaryEvaluator(**bins).update(label, score, weight)
    binned = evaluator._bins.of(score)
    exact = metrics.roc_auc_score(label, binned, sample_weight=weight)
    assert evaluator.auc() == pytest.approx(exact, abs=1e-12)
    precision = metrics.average_precision_score(label, binned, sample_weight=weight)
    assert evaluator.average_precision() == pytest.approx(precision, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.floats(allow_nan=False)), min_size=2, max_size=40))
def test_margins_of_any_size_are_within_the_bounds(drawn: Any) -> None:
    label, score = (np.array(column) for column in zip(*drawn, strict=True))
    label[:2] = [0, 1]
    rank = np.unique(score, return_inverse=True)[1]  # scikit-learn takes no infinite scores
    low, high = StreamingBinaryEvaluator(bins="float").update(label, score).auc_bounds()
    assert low - 1e-12 <= metrics.roc_auc_score(label, rank) <= high + 1e-12


def test_sixteen_bits_are_close_and_need_no_range() -> None:
    random = np.random.default_rng(3)
    margin = 50 * random.normal(size=400_000)
    label = (random.random(400_000) < 1 / (1 + np.exp(-margin / 50))).astype(int)
    exact = metrics.roc_auc_score(label, margin)
    evaluator = StreamingBinaryEvaluator(bins="float", threshold=0).update(label, margin)
    assert evaluator.auc() == pytest.approx(exact, abs=2e-5)
    rare = StreamingBinaryEvaluator(bins="float").update(label, margin / 1e9)
    assert rare.auc() == pytest.approx(exact, abs=2e-5)


def test_scores_of_few_decimals_are_evaluated_exactly() -> None:
    random = np.random.default_rng(4)
    score = np.round(random.random(5_000), 3)
    label = (random.random(5_000) < score).astype(int)
    evaluator = StreamingBinaryEvaluator(decimals=3).update(label, score)
    assert evaluator.auc() == pytest.approx(metrics.roc_auc_score(label, score), abs=1e-13)
    assert evaluator.average_precision() == pytest.approx(
        metrics.average_precision_score(label, score), abs=1e-13
    )
    fpr, tpr, _ = metrics.roc_curve(label, score, drop_intermediate=False)
    curve = evaluator.roc_curve()
    np.testing.assert_allclose(curve[["fpr", "tpr"]], np.column_stack([fpr, tpr]), atol=1e-13)
    precision, recall, thresholds = metrics.precision_recall_curve(label, score)
    curve = evaluator.precision_recall_curve().iloc[::-1]
    expected = np.column_stack([precision, recall, np.append(thresholds, np.inf)])
    found = curve[["precision", "recall", "threshold"]]
    np.testing.assert_allclose(found, expected, atol=1e-13)


# Scores that do not depend on bins


@pytest.mark.parametrize("bins", BINS)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_exact(bins: dict[str, Any], weighted: bool) -> None:
    label, score, weight = rows(3_000)
    options = {"sample_weight": weight} if weighted else {}
    evaluator = StreamingBinaryEvaluator(threshold=THRESHOLDS, **bins)
    evaluator.update(label, score, **options)
    assert evaluator.log_loss() == pytest.approx(metrics.log_loss(label, score, **options))
    brier = metrics.brier_score_loss(label, score, **options)
    assert evaluator.brier() == pytest.approx(brier, rel=1e-13)
    assert evaluator.rmse() == pytest.approx(math.sqrt(brier), rel=1e-13)
    fixed = evaluator.fixed()
    assert fixed["threshold"].tolist() == THRESHOLDS == evaluator.thresholds
    for threshold, (_, found) in zip(THRESHOLDS, fixed.iterrows(), strict=True):
        called = (score >= threshold).astype(int)
        tn, fp, fn, tp = metrics.confusion_matrix(label, called, **options).ravel()
        assert found[COUNTS].tolist() == [tp, fp, fn, tn]
        expected = confusion_scores(label, called, **options)
        np.testing.assert_allclose(found[expected.index].astype(float), expected, rtol=1e-13)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=1, max_size=30), st.data())
def test_counts_at_a_threshold_are_those_of_the_scores(drawn: Any, data: st.DataObject) -> None:
    """The thresholds are scores, or next to one: bins could not tell them apart."""
    label, score = (np.array(column) for column in zip(*drawn, strict=True))
    near = data.draw(st.sampled_from(score.tolist()))
    thresholds = [near, np.nextafter(near, 2), np.nextafter(near, -1)]
    fixed = StreamingBinaryEvaluator(threshold=thresholds, decimals=1).update(label, score).fixed()
    for threshold, tp, fp in zip(thresholds, fixed["tp"], fixed["fp"], strict=True):
        assert tp == sum((score >= threshold) & (label == 1))
        assert fp == sum((score >= threshold) & (label == 0))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_log_loss_is_clipped_as_in_scikit_learn(dtype: type) -> None:
    label, score = [1, 0, 1, 0], np.array([0, 1, 1e-20, 0.25], dtype=dtype)
    found = StreamingBinaryEvaluator().update(label, score).log_loss()
    assert found == pytest.approx(metrics.log_loss(label, score), rel=1e-6)


def test_log_loss_and_brier_score_need_probabilities() -> None:
    evaluator = StreamingBinaryEvaluator(bins="float").update([1, 0], [0.5, 0.25])
    assert evaluator.are_probabilities
    evaluator.update([1], [3.5]).update([0], [0.5])
    assert not evaluator.are_probabilities
    with pytest.raises(InvalidOptionError, match=r"from 0.25 to 3.5; log loss needs probabil"):
        evaluator.log_loss()
    with pytest.raises(InvalidOptionError, match=r"the Brier score needs probabilities, from 0 to"):
        evaluator.brier()
    assert evaluator.rmse() == pytest.approx(math.sqrt((0.25 + 0.0625 + 6.25 + 0.25) / 4))


def test_scores_beyond_the_range_of_numbers() -> None:
    evaluator = StreamingBinaryEvaluator(bins="float", threshold=0)
    evaluator.update([1, 0, 1], [np.inf, -np.inf, 1e200]).update([0], [0.0])
    assert evaluator.auc() == 1.0
    assert evaluator.rmse() == np.inf
    assert evaluator.fixed()[COUNTS].iloc[0].tolist() == [2, 1, 0, 1]


def test_sums_forget_nothing() -> None:
    """A million small losses after a large one, one by one, are all there."""
    evaluator = StreamingBinaryEvaluator(bins="float").update([0], [1e8])
    for _ in range(1_000):
        evaluator.update([0], [1e-1])
    assert evaluator._tally.squares.value == pytest.approx(1e16 + 10.0, abs=1e-9)


# Parts, order and weights


@pytest.mark.parametrize("bins", BINS)
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_merge_to_the_whole(bins: dict[str, Any], weighted: bool) -> None:
    label, score, weight = rows(1_000)
    new = functools.partial(StreamingBinaryEvaluator, threshold=THRESHOLDS, **bins)

    def evaluated(part: Any) -> StreamingBinaryEvaluator:
        return new().update(label[part], score[part], weight[part] if weighted else None)

    whole = evaluated(slice(None))
    parts = [evaluated(slice(start, start + 137)) for start in range(0, 1_000, 137)]
    same_state(functools.reduce(operator.add, parts), whole)
    same_state(functools.reduce(operator.add, parts[::-1]), whole)
    same_state(sum(parts, start=new()), whole)
    same_state(evaluated(np.random.default_rng(1).permutation(1_000)), whole)
    chunked = new()
    for start in range(0, 1_000, 251):
        some = slice(start, start + 251)
        chunked.update(label[some], score[some], weight[some] if weighted else None)
    same_state(chunked, whole)
    assert parts[0].n_rows == 137  # + changes neither
    assert parts[0].merge(parts[1]) is parts[0]
    assert parts[0].n_rows == 274


@settings(max_examples=30, deadline=None)
@given(scored_rows(), st.data())
def test_any_split_merges_to_the_whole(rows: Any, data: st.DataObject) -> None:
    label, score, _ = rows
    cut = data.draw(st.integers(0, len(label)))
    new = functools.partial(StreamingBinaryEvaluator, threshold=THRESHOLDS)
    parts = new().update(label[cut:], score[cut:]) + new().update(label[:cut], score[:cut])
    same_state(parts, new().update(label, score))


def test_an_evaluator_merged_with_itself_counts_twice() -> None:
    label, score, _ = rows(200)
    twice = StreamingBinaryEvaluator().update(label, score)
    twice.merge(twice)
    both = np.append(label, label), np.append(score, score)
    same_state(twice, StreamingBinaryEvaluator().update(*both))


def test_rows_of_more_than_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    label, score, weight = rows(5_000)
    whole = StreamingBinaryEvaluator(decimals=1).update(label, score, weight)
    monkeypatch.setattr("vtreat_py.evaluation._tally._BLOCK", 64)
    same_state(StreamingBinaryEvaluator(decimals=1).update(label, score, weight), whole)


def test_whole_weights_are_repeated_rows() -> None:
    label, score, weight = rows(500)
    times = (2 * weight).astype(int)
    weighted = StreamingBinaryEvaluator(threshold=THRESHOLDS).update(label, score, times)
    repeated = StreamingBinaryEvaluator(threshold=THRESHOLDS)
    repeated.update(np.repeat(label, times), np.repeat(score, times))
    assert weighted.n_rows == 500
    weighted._tally.n_rows = repeated.n_rows
    same_state(weighted, repeated)
    assert (weighted.fixed().dtypes[COUNTS] == np.int64).all()
    fractions = StreamingBinaryEvaluator().update(label, score, weight)
    assert (fractions.fixed().dtypes[COUNTS] == np.float64).all()
    assert (fractions + fractions).fixed()["tp"][0] == weighted.fixed()["tp"][3]


def _part(label: Any, score: Any) -> StreamingBinaryEvaluator:
    return StreamingBinaryEvaluator(threshold=THRESHOLDS).update(label, score)


def test_map_and_reduce() -> None:
    label, score, _ = rows(900)
    jobs = (delayed(_part)(label[k::3], score[k::3]) for k in range(3))
    parts = Parallel(n_jobs=2, prefer="threads")(jobs)
    same_state(functools.reduce(operator.add, parts), _part(label, score))


def test_evaluators_can_be_pickled() -> None:
    label, score, weight = rows(300)
    evaluator = StreamingBinaryEvaluator(bins="float", threshold=THRESHOLDS, missing="count")
    evaluator.update([*label, 1], [*score, np.nan], [*weight, 1])
    copied = pickle.loads(pickle.dumps(evaluator))
    same_state(copied, evaluator)
    same_state(copied.update(label, score), evaluator.update(label, score))


# Containers, labels, missing values


FRAMES = {
    "lists": lambda column: column.tolist(),
    "columns": lambda column: column.reshape(-1, 1),
    "objects": lambda column: column.astype(object),
    "pandas": lambda column: pd.Series(column, index=range(7, 7 + len(column))),
    "nullable pandas": lambda column: pd.Series(column).convert_dtypes(),
    "arrow in pandas": lambda column: pd.Series(column, dtype=pd.ArrowDtype(pa.float64())),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda column: pa.chunked_array([column[:10], column[10:]]),
}  # fmt: skip


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_every_kind(kind: str) -> None:
    label, score, weight = rows(50)
    expected = StreamingBinaryEvaluator().update(label, score, weight)
    read = FRAMES[kind]
    found = StreamingBinaryEvaluator().update(read(label), read(score), read(weight))
    same_state(found, expected)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([True, False], True),
        ([True, False], 1),
        ([1.0, 0.0], 1),
        ([1, -1], 1),
        ([2, 7], 2),
        (["yes", "no"], "yes"),
        (np.array(["yes", "no"]), "yes"),
        (pd.Categorical(["yes", "no"]), "yes"),
        (pl.Series(["yes", "no"], dtype=pl.Categorical), "yes"),
        (pa.array(["yes", "no"]).dictionary_encode(), "yes"),
    ],
)
def test_labels_of_every_kind(labels: Any, pos_label: Any) -> None:
    evaluator = StreamingBinaryEvaluator(pos_label=pos_label).update(labels, [0.9, 0.6])
    assert evaluator.fixed()[COUNTS].iloc[0].tolist() == [1, 1, 0, 0]


def test_missing_values_are_refused() -> None:
    evaluator = StreamingBinaryEvaluator().update([0, 1], [0.25, 0.75])
    with pytest.raises(InvalidOptionError, match=r"score is missing in row 2, and rows with a mis"):
        evaluator.update([1, 0, 1, None], [0.5, 0.5, np.nan, 0.5])
    with pytest.raises(InvalidOptionError, match=r"y is missing in row 0, .* are 1 of 1; leave"):
        evaluator.update(pa.array([None], pa.int8()), [0.5])
    assert evaluator.n_rows == 2


@pytest.mark.parametrize("read", [list, pl.Series, pa.array, lambda v: pd.Series(v, dtype=object)])
def test_missing_values_are_counted_if_asked(read: Any) -> None:
    evaluator = StreamingBinaryEvaluator(missing="count")
    evaluator.update(read([1, None, 0, 1]), read([0.75, 0.5, None, 0.25]), [1, 1, 1, 2])
    assert (evaluator.n_rows, evaluator.n_missing) == (2, 2)
    assert evaluator.fixed()[COUNTS].iloc[0].tolist() == [1, 0, 2, 0]
    assert "2 rows, 2 missing" in repr(evaluator)
    merged = evaluator + evaluator
    assert (merged.n_rows, merged.n_missing) == (4, 4)


def test_a_weight_may_not_be_missing() -> None:
    with pytest.raises(InvalidOptionError, match="sample_weight has 1 values that are missing"):
        StreamingBinaryEvaluator(missing="count").update([1, 0], [0.5, 0.5], [1, np.nan])


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only(label: int) -> None:
    evaluator = StreamingBinaryEvaluator().update([label] * 3, [0.2, 0.6, 0.7])
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present in y_true") as seen:
        assert math.isnan(evaluator.auc())
    assert seen[0].filename == __file__
    roc = evaluator.roc_curve()
    assert roc["fpr"].isna().all() == (label == 1)
    assert roc["tpr"].isna().all() == (label == 0)
    assert evaluator.log_loss() == pytest.approx(
        metrics.log_loss([label] * 3, [0.2, 0.6, 0.7], labels=[0, 1])
    )
    if label:
        assert evaluator.average_precision() == 1.0
    else:
        with pytest.warns(UserWarning, match="No positive class found in y_true"):
            assert evaluator.average_precision() == 0.0


def test_classes_may_come_one_after_the_other() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 1], [0.75, 0.5])
    assert evaluator.update([], []).update([0], [0.625]).auc() == 0.5


# Curves


def test_gain_curve() -> None:
    evaluator = StreamingBinaryEvaluator(decimals=3)
    evaluator.update([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.2])
    expected = pd.DataFrame(
        {
            "threshold": [np.inf, 0.9, 0.8, 0.7, 0.2],
            "population": [0, 0.2, 0.4, 0.6, 1],
            "gain": [0, 0.5, 0.5, 1, 1],
            "lift": [np.nan, 2.5, 1.25, 1 / 0.6, 1],
        }
    )
    pd.testing.assert_frame_equal(evaluator.gain_curve(), expected)


@pytest.mark.parametrize("bins", [BINS[1], BINS[3]])
def test_calibration_has_exact_means_of_groups_of_like_weight(bins: dict[str, Any]) -> None:
    random = np.random.default_rng(2)
    score = random.random(10_000)
    label = (random.random(10_000) < score**2).astype(int)
    found = StreamingBinaryEvaluator(**bins).update(label, score).calibration(5)
    assert len(found) == 5
    assert found["weight"].between(1_900, 2_100).all()
    stop = found["weight"].cumsum().astype(int).tolist()
    order = np.argsort(score)
    groups = np.split(order, stop[:-1])
    np.testing.assert_allclose(found["mean_score"], [score[g].mean() for g in groups], rtol=1e-12)
    np.testing.assert_allclose(
        found["positive_rate"], [label[g].mean() for g in groups], rtol=1e-12
    )


def test_bins_are_not_divided_between_groups() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.75])
    found = evaluator.calibration()
    assert found["weight"].tolist() == [3, 1]
    assert found["mean_score"].tolist() == [0.5, 0.75]
    with pytest.raises(InvalidOptionError, match="n_groups=0; it must be >= 1"):
        evaluator.calibration(0)


# What is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"bins": "equal"}, InvalidOptionError, "bins is 'equal'; it can be 'float', 'decimals'"),
        ({"missing": "drop"}, InvalidOptionError, "missing is 'drop'; it can be 'raise', 'count'"),
        ({"decimals": 0}, InvalidOptionError, "decimals is 0"),
        ({"bins": "float", "bits": 40}, InvalidOptionError, "bits is 40"),
        ({"threshold": [0.5, np.nan]}, InvalidOptionError, "threshold has 1 values that are"),
        ({"threshold": "half"}, OptionTypeError, "threshold must hold numbers"),
    ],
)
def test_bad_options_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        StreamingBinaryEvaluator(**options)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (([1, 0], [0.5, 1.5]), InvalidOptionError, "a score is 1.5, and bins='decimals' needs sco"),
        (([1, 0], [-1, 1.5]), InvalidOptionError, "a score is -1, and bins='decimals' needs sco"),
        (([1, 0], [0.5]), InvalidOptionError, "score has 1 values, for 2 rows"),
        (([1, 0], [0.5, 0.5], [1]), InvalidOptionError, "sample_weight has 1 values, for 2 rows"),
        (([1, 0], [0.5, 0.5], [1, -1]), InvalidOptionError, "sample_weight is -1 in row 1"),
        (([1, 2], [0.5, 0.5]), InvalidOptionError, "y has the labels 0 and 2 beside pos_label=1"),
        ((["a", "b"], [0.5, 0.5]), InvalidOptionError, "y has the labels 0 and 'a' beside pos_l"),
        (([1, 0], ["a", "b"]), OptionTypeError, "score must hold numbers"),
        (([1, 0], [{}, 1]), OptionTypeError, "score must hold numbers"),
        (([[1, 0]], [0.5, 0.5]), InvalidOptionError, "y has shape (1, 2); one value a row"),
    ],
)  # fmt: skip
def test_what_is_refused_leaves_no_trace(data: Any, error: type[Exception], message: str) -> None:
    new = functools.partial(StreamingBinaryEvaluator, bins="decimals")
    evaluator = new().update([1, 0], [0.75, 0.25])
    with pytest.raises(error, match=re.escape(message)):
        evaluator.update(*data)
    same_state(evaluator, new().update([1, 0], [0.75, 0.25]))


def test_labels_of_another_type_than_pos_label_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="the label 'yes', which is not of the type of"):
        StreamingBinaryEvaluator().update(["yes", "yes"], [0.5, 0.5])
    with pytest.raises(InvalidOptionError, match="y has the labels 'yes' and 'no' beside pos_labe"):
        StreamingBinaryEvaluator().update(["yes", "no"], [0.5, 0.5])
    with pytest.raises(InvalidOptionError, match="the label 0, which is not of the type"):
        StreamingBinaryEvaluator(pos_label="yes").update([0, 0], [0.5, 0.5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimals": 2}, "bins is FloatBins(bits=19) here and DecimalBins(decimals=2) there"),
        ({"bits": 16}, "bins is FloatBins(bits=19) here and FloatBins(bits=16) there"),
        ({"threshold": 0.25}, "thresholds is [0.5] here and [0.25] there"),
        ({"pos_label": 0}, "pos_label is 1 here and 0 there"),
    ],
)
def test_evaluators_of_other_options_are_not_merged(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOptionError, match=re.escape(message)):
        StreamingBinaryEvaluator().merge(StreamingBinaryEvaluator(**options))


def test_evaluators_of_other_labels_are_not_merged() -> None:
    zero = StreamingBinaryEvaluator().update([0, 1], [0.5, 0.5])
    minus_one = StreamingBinaryEvaluator().update([-1, 1], [0.5, 0.5])
    with pytest.raises(InvalidOptionError, match="the other label is 0 here and -1 there"):
        zero.merge(minus_one)
    both = StreamingBinaryEvaluator().merge(minus_one)
    with pytest.raises(InvalidOptionError, match="y has the labels -1 and 0 beside pos_label=1"):
        both.update([0], [0.5])
    with pytest.raises(TypeError, match="unsupported operand"):
        zero + 1  # type: ignore[operator]


@pytest.mark.parametrize(
    "ask", ["fixed", "auc", "log_loss", "brier", "rmse", "roc_curve", "calibration", "report"]
)
def test_nothing_is_made_up_of_no_rows(ask: str) -> None:
    evaluator = StreamingBinaryEvaluator()
    with pytest.raises(InvalidOptionError, match=r"nothing was evaluated yet: call update\(\)"):
        getattr(evaluator, ask)()
    weightless = evaluator.update([1, 0], [0.5, 0.5], [0, 0])
    with pytest.raises(InvalidOptionError, match="nothing was evaluated yet"):
        getattr(weightless, ask)()


def test_unknown_rules_are_refused() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 0], [0.5, 0.5])
    with pytest.raises(InvalidOptionError, match="rule is 'simpson'; it can be 'trapezoid', 'rie"):
        evaluator.auc("simpson")  # type: ignore[arg-type]
