"""The page on a streamed evaluation: its numbers, its text and its pictures."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from vtreat_py.evaluation._numbers_shown import at_most
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

mpl.use("Agg")


def evaluated(**options: Any) -> StreamingBinaryEvaluator:
    random = np.random.default_rng(0)
    score = random.beta(1, 4, 20_000)
    label = (random.random(20_000) < score).astype(int)
    evaluator = StreamingBinaryEvaluator(missing="count", threshold=[0.2, 0.5], **options)
    return evaluator.update([*label, 1], [*score, np.nan])


def test_the_report_has_what_the_evaluator_says() -> None:
    evaluator = evaluated()
    report = evaluator.report()
    low, high = evaluator.auc_bounds()
    assert report.summary.to_dict() == {
        "prevalence": evaluator.prevalence(),
        "auc": evaluator.auc(),
        "auc_low": low,
        "auc_high": high,
        "average_precision": evaluator.average_precision(),
        "average_precision_low": evaluator.average_precision_bounds()[0],
        "average_precision_high": evaluator.average_precision_bounds()[1],
        "rmse": evaluator.rmse(),
        "log_loss": evaluator.log_loss(),
        "brier": evaluator.brier(),
        "calibration_error": evaluator.calibration_error(),
    }
    for table in ("fixed", "roc_curve", "precision_recall_curve", "gain_curve", "calibration"):
        pd.testing.assert_frame_equal(getattr(report, table), getattr(evaluator, table)())


def test_the_report_reads_well() -> None:
    lines = repr(evaluated().report()).splitlines()
    assert lines[0] == "20,000 rows, 0.1984 positive, 1 row with a value missing left out"
    assert lines[1].startswith("AUC 0.7")
    assert ", certainly from 0.7" in lines[1]
    assert lines[2].startswith("average precision 0.")
    assert ", certainly from 0." in lines[2]
    assert [part.split(" 0.")[0] for part in lines[3].split(", ")] == [
        "rmse", "log loss", "brier", "calibration error"
    ]  # fmt: skip
    assert lines[4].split() == [
        "tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "f1", "lift"
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[6:]] == ["0.2", "0.5"]


def test_margins_have_no_log_loss() -> None:
    evaluator = StreamingBinaryEvaluator(bins="float", threshold=0)
    report = evaluator.update([1, 0, 1, 0], [3.0, -2.0, 0.5, 1.0]).report()
    assert not {"log_loss", "brier"} & set(report.summary.index)
    assert "left out" not in repr(report)
    last = report.plot()[1, 1]
    assert last.get_title(loc="left") == "Share of positive rows, by score"
    assert len(last.lines) == 1
    mpl.pyplot.close("all")


def test_pictures_show_the_curves() -> None:
    report = evaluated().report()
    axes = report.plot()
    for ax, line, x, y in (
        (axes[0, 0], 0, report.roc_curve["fpr"], report.roc_curve["tpr"]),
        (axes[1, 0], 2, report.gain_curve["population"], report.gain_curve["gain"]),
        (axes[1, 1], 0, report.calibration["mean_score"], report.calibration["positive_rate"]),
    ):
        drawn = ax.lines[line].get_xydata()
        np.testing.assert_array_equal(drawn, np.column_stack([x, y]))
    recall = axes[0, 1].lines[0].get_xdata()
    np.testing.assert_array_equal(recall, report.precision_recall_curve["recall"][1:])
    titles = [ax.get_title(loc="left") for ax in axes.flat]
    half = (report.summary["auc_high"] - report.summary["auc_low"]) / 2
    assert titles[0] == f"AUC {report.summary['auc']:.4f}, off by {at_most(half)} at most"
    low, mean, high = (report.summary[f"average_precision{e}"] for e in ("_low", "", "_high"))
    off = at_most(max(high - mean, mean - low))
    assert titles[1] == f"Average precision {mean:.4f}, off by {off} at most"
    assert titles[2].startswith("Top tenth of scores: 2")
    assert titles[3].startswith("Scores and rates differ by 0.0")
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in axes.flat)
    mpl.pyplot.close("all")


def test_the_report_of_one_class_warns() -> None:
    evaluator = StreamingBinaryEvaluator().update([1, 1], [0.5, 0.75])
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        report = evaluator.report()
    assert np.isnan(report.summary["auc"])
    assert repr(report).splitlines()[1] == "AUC nan, certainly from nan to nan"


@pytest.mark.parametrize(
    ("bound", "text"),
    [(0.00114, "0.0012"), (0.5, "0.5"), (0.25, "0.25"), (0.0996, "0.1"), (3e-7, "3e-07"), (0, "0")],
)
def test_bounds_are_rounded_up(bound: float, text: str) -> None:
    assert at_most(bound) == text
