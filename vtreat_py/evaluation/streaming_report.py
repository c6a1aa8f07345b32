"""Everything about a streamed evaluation on one page, in numbers and in pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.figures import new_figure
from vtreat_py.evaluation._inputs import counted_rows
from vtreat_py.evaluation._numbers_shown import at_most, outwards, readable

_SHOWN = ["tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "f1", "lift"]
_LINE = {"color": "#1f5a93", "linewidth": 2}
_REFERENCE = {"color": "0.6", "linewidth": 1, "linestyle": "--"}


@dataclass(frozen=True, eq=False)
class StreamingReport:
    """What one pass over the rows has found.

    Attributes
    ----------
    n_rows, n_missing : int
        Rows evaluated, and rows left out because label or score is missing.
    summary : Series
        ``prevalence``, ``auc``, ``auc_low``, ``auc_high``, ``average_precision``,
        ``average_precision_low``, ``average_precision_high``, ``rmse``, and, if all scores are in
        [0, 1], ``log_loss``, ``brier`` and ``calibration_error``.
    fixed : DataFrame
        Scores at the thresholds, one row each.
    roc_curve, precision_recall_curve, gain_curve, calibration : DataFrame
        As the evaluator's methods give them.

    See Also
    --------
    StreamingBinaryEvaluator.report : Makes one.

    Examples
    --------
    >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
    >>> evaluator = StreamingBinaryEvaluator()
    >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
    >>> report = evaluator.report()
    >>> report.n_rows, float(report.summary["prevalence"])
    (5, 0.4)
    """

    n_rows: int
    n_missing: int
    summary: pd.Series[Any]
    fixed: pd.DataFrame
    roc_curve: pd.DataFrame
    precision_recall_curve: pd.DataFrame
    gain_curve: pd.DataFrame
    calibration: pd.DataFrame

    def __repr__(self) -> str:
        found = self.summary
        left_out = f", {counted_rows(self.n_missing)} with a value missing left out"
        lines = [
            f"{counted_rows(self.n_rows)}, {found['prevalence']:.4g} positive"
            + (left_out if self.n_missing else ""),
            _area("AUC", found, "auc"),
            _area("average precision", found, "average_precision"),
            ", ".join(
                f"{name.replace('_', ' ')} {readable(value, 6)}"
                for name, value in found.items()
                if name in ("log_loss", "brier", "rmse", "calibration_error")
            ),
            self.fixed.set_index("threshold")[_SHOWN].round(4).to_string(),
        ]
        return "\n".join(lines)

    def plot(self) -> Any:
        """Draw the ROC, precision-recall, gain and calibration curves.

        Returns
        -------
        ndarray of matplotlib Axes, shape (2, 2)

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.report().plot().shape
        (2, 2)
        """
        axes = new_figure(2, 2, figsize=(9, 8.5))[1]
        self._plot_roc(axes[0, 0])
        self._plot_precision_recall(axes[0, 1])
        self._plot_gain(axes[1, 0])
        self._plot_calibration(axes[1, 1])
        for ax in axes.flat:
            ax.spines[["top", "right"]].set_visible(False)
        return axes

    def _plot_roc(self, ax: Any) -> None:
        curve = self.roc_curve
        ax.fill_between(curve["fpr"], curve["tpr"], color="#1f5a93", alpha=0.12, linewidth=0)
        ax.plot(curve["fpr"], curve["tpr"], **_LINE)
        ax.plot([0, 1], [0, 1], **_REFERENCE)
        half = (self.summary["auc_high"] - self.summary["auc_low"]) / 2
        _say(ax, f"AUC {self.summary['auc']:.4f}, off by {at_most(half)} at most")
        ax.set(xlabel="false positive rate", ylabel="true positive rate")

    def _plot_precision_recall(self, ax: Any) -> None:
        curve, rate = self.precision_recall_curve, self.summary["prevalence"]
        ax.step(curve["recall"][1:], curve["precision"][1:], where="pre", **_LINE)
        ax.axhline(rate, **_REFERENCE)
        ax.set_ylim(0, 1.02)
        low, mean, high = (self.summary[f"average_precision{end}"] for end in ("_low", "", "_high"))
        off = at_most(max(high - mean, mean - low))
        _say(ax, f"Average precision {mean:.4f}, off by {off} at most")
        ax.set(xlabel="recall", ylabel="precision")

    def _plot_gain(self, ax: Any) -> None:
        curve, rate = self.gain_curve, self.summary["prevalence"]
        ax.plot([0, rate, 1], [0, 1, 1], **_REFERENCE | {"linestyle": ":"})
        ax.plot([0, 1], [0, 1], **_REFERENCE)
        ax.plot(curve["population"], curve["gain"], **_LINE)
        first = float(np.interp(0.1, curve["population"], curve["gain"]))
        _say(ax, f"Top tenth of scores: {first:.0%} of the positive rows")
        ax.set(xlabel="share of all rows, highest scores first", ylabel="share of positive rows")

    def _plot_calibration(self, ax: Any) -> None:
        groups = self.calibration
        ax.plot(groups["mean_score"], groups["positive_rate"], marker="o", **_LINE)
        ax.set(xlabel="mean score of a tenth of the rows", ylabel="share that is positive")
        if "brier" not in self.summary:
            _say(ax, "Share of positive rows, by score")
            return
        ends = [groups["mean_score"].min(), groups["mean_score"].max()]
        ax.plot(ends, ends, **_REFERENCE)
        gap = (groups["positive_rate"] - groups["mean_score"]).abs().max()
        _say(ax, f"Scores and rates differ by {gap:.2g} at most")


def _area(name: str, found: Any, key: str) -> str:
    bounds = outwards(found[f"{key}_low"], found[f"{key}_high"])
    return f"{name} {found[key]:.6f}, certainly from {bounds}"


def _say(ax: Any, message: str) -> None:
    ax.set_title(message, loc="left", fontsize=10)
