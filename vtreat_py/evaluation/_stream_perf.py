"""The numbers that the program ``perf`` prints, by its names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from vtreat_py.evaluation._bin_sums import HeldBins
from vtreat_py.evaluation._calibration import bin_means, score_groups
from vtreat_py.evaluation._curves import Ranking
from vtreat_py.evaluation._formulas import Counts, score_values
from vtreat_py.evaluation._stream_calibrated import Calibrates
from vtreat_py.evaluation._stream_ranked import Ranks

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd

_AT_THRESHOLD = {
    "ACC": "accuracy",
    "PPV": "precision",
    "NPV": "inverse_precision",
    "SEN": "sensitivity",
    "SPC": "specificity",
    "PRE": "precision",
    "REC": "recall",
    "PRF": "f1",
    "LFT": "lift",
}
_SLQ_GROUPS = 100
_FIRST_NEGATIVES = 50


class KnowsPerf(Ranks, Calibrates):
    """Prints what ``perf`` prints."""

    def perf_scores(self) -> pd.Series[float]:
        """Scores by the names of ``perf``, the program of KDD Cup 2004 (R. Caruana).

        Returns
        -------
        Series of float
            By name, see below. Without "SAR", "SLQ", "CXE", "NRM1" and "CA1" if a score is outside
            [0, 1].

        Notes
        -----
        ============================ =============================================================
        ACC PPV NPV SEN SPC PRE REC  accuracy, precision, inverse precision, sensitivity,
        PRF LFT                      specificity, precision, recall, F1 and lift, all at the first
                                     threshold
        SAR                          mean of ACC, ROC and 1 - RMS
        PRB                          :meth:`break_even_point`
        APR, AUPRC                   :meth:`average_precision`, :meth:`precision_recall_auc`
        ROC                          :meth:`auc`
        R50                          mean true positive rate while the first 50 negative rows are
                                     called positive (all, if there are fewer)
        RKL                          rank of the last positive row, at worst
        TOP1, TOP10                  1 if the first row is positive, or one of the first ten is,
                                     for certain; else 0
        SLQ                          mean of (1 - 2 share)^2 over 100 parts of [0, 1], the share
                                     being that of the rarer class
        CXE                          :meth:`log_loss` in bits
        NRM1, RMS                    mean absolute error, and :meth:`rmse`
        CA1                          mean distance of mean score and positive rate in the 19 windows
                                     of [0, 1] of width .1; 0 in those without rows
        ============================ =============================================================

        What ``perf`` takes options for is in other methods: costs in :meth:`cost` and
        :meth:`least_cost`, shares of the rows (its per cents) and the positive rows among the first
        n in :meth:`at_share`, the threshold of greatest accuracy in :meth:`best_threshold`, plots
        in the curves and :meth:`by_threshold`. Not defined here are norms of errors but the first
        and the second; CA2, which goes through the rows in the order of their scores; and means
        over blocks, for which there are :func:`ranking_metrics` and :func:`per_group_metric`.

        All that rests on the order of scores is that of the binned scores. Ties in APR are taken as
        scikit-learn takes them; ``perf`` averages over their orders.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.perf_scores()[["PRB", "APR", "RKL"]].round(4).to_dict()
        {'PRB': 0.5, 'APR': 0.8333, 'RKL': 3.0}
        """
        import pandas as pd

        return pd.Series(self._perf_values())

    def _perf_values(self) -> dict[str, float]:
        tally = self._counted()
        ranking, held = self._ranking(), tally.sums.held()
        counts = Counts(*tally.confusion[:, 0])
        values = {name: float(score_values(score, counts)) for name, score in _AT_THRESHOLD.items()}
        low, high = ranking.auc_bounds()
        auc, rmse = (low + high) / 2, float(np.sqrt(self._mean(tally.squares.value)))
        if tally.are_probabilities:
            values["SAR"] = (values["ACC"] + auc + 1 - rmse) / 3
        values |= {
            "PRB": self.break_even_point(),
            "APR": ranking.average_precision(),
            "AUPRC": self.precision_recall_auc(),
            "ROC": auc,
            "R50": _first_negatives(ranking),
            **_of_first_and_last(ranking),
        }
        if tally.are_probabilities:
            values |= {
                "SLQ": score_groups(held, _SLQ_GROUPS, "uniform").purity(),
                "CXE": self._mean(tally.log_losses.value) / math.log(2),
                "NRM1": self._mean(_absolute_error(held)),
                "CA1": _windowed_error(held),
            }
        return values | {"RMS": rmse}


def _first_negatives(ranking: Ranking) -> float:
    end = min(_FIRST_NEGATIVES / max(ranking.total - ranking.positives, 1e-300), 1.0)
    return ranking.partial_auc_bounds(end)[1] / end


def _of_first_and_last(ranking: Ranking) -> dict[str, float]:
    weight = ranking.negative + ranking.positive
    stop = np.cumsum(weight)
    with_positives = np.flatnonzero(ranking.positive)
    last = float(stop[with_positives[-1]]) if len(with_positives) else math.nan
    # At worst, the positive rows of a bin follow the negative ones.
    among_ten = (ranking.positive > 0) & (stop - ranking.positive < 10)
    first_is_positive = float(ranking.negative[0] == 0)
    return {"RKL": last, "TOP1": first_is_positive, "TOP10": float(among_ten.any())}


def _absolute_error(held: HeldBins) -> float:
    of_positives = held.positive - held.positive_scores
    return float(held.negative_scores.sum() + of_positives.sum())


def _windowed_error(held: HeldBins) -> float:
    means, weight = bin_means(held), held.negative + held.positive
    errors = []
    for start in np.arange(19) / 20:
        inside = (means >= start - 1e-12) & (means <= start + 0.1 + 1e-12)
        gap = (weight * means - held.positive)[inside].sum()
        errors.append(abs(gap) / weight[inside].sum() if inside.any() else 0.0)
    return float(np.mean(errors))
