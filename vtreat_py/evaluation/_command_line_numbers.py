"""The numbers that the command line prints, and what it says of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vtreat_py.evaluation._formulas import Counts, score_values
from vtreat_py.evaluation._numbers_shown import at_most
from vtreat_py.evaluation._stream_thresholds import checked_shares
from vtreat_py.evaluation._thresholds import Costs, best_place
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

_FIXED = {"ACC": "accuracy", "PRE": "precision", "REC": "recall", "PRF": "f1", "LFT": "lift"}
_ALSO_FIXED = ("PPV", "NPV", "SEN", "SPC", "SAR")
_PER_CENT = 100


@dataclass
class Found:
    """Numbers by name, notes on some of them, bounds by name, and warnings."""

    values: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def area(self, name: str, value: float, bounds: tuple[float, float]) -> None:
        """Add an area, and how far it can be off."""
        low, high = bounds
        self.values[name] = value
        self.bounds |= {f"{name}_low": low, f"{name}_high": high}
        if low <= high:  # not NaN
            self.notes[name] = f"off by {at_most(max(high - value, value - low))} at most"


def command_line_numbers(
    evaluator: StreamingBinaryEvaluator,
    everything: bool,
    percent: float | None,
    costs: Sequence[float] | None,
) -> Found:
    """Compute what is asked for, without pandas."""
    found = Found()
    with warnings.catch_warnings(record=True, action="always") as caught:
        _add_basic(found, evaluator)
        if everything:
            _add_perf(found, evaluator)
            _add_calibration(found, evaluator)
            _add_best(found, evaluator)
        if percent is not None:
            _add_share(found, evaluator, percent)
        if costs is not None:
            _add_cost(found, evaluator, *costs)
    found.warnings = list(dict.fromkeys(str(warning.message) for warning in caught))
    return found


def _add_basic(found: Found, evaluator: StreamingBinaryEvaluator) -> None:
    counts = evaluator.confusion(0)
    found.values |= {short: float(score_values(name, counts)) for short, name in _FIXED.items()}
    found.notes |= dict.fromkeys(_FIXED, f"threshold {evaluator.thresholds[0]:g}")
    low, high = evaluator.auc_bounds()
    found.area("ROC", (low + high) / 2, (low, high))
    found.area("APR", evaluator.average_precision(), evaluator.average_precision_bounds())
    found.values["RMS"] = evaluator.rmse()


def _add_perf(found: Found, evaluator: StreamingBinaryEvaluator) -> None:
    values = evaluator._perf_values()
    found.values |= {name: value for name, value in values.items() if name not in found.values}
    found.notes |= {
        name: f"threshold {evaluator.thresholds[0]:g}" for name in _ALSO_FIXED if name in values
    }
    found.area("PRB", evaluator.break_even_point(), evaluator.break_even_bounds())


def _add_calibration(found: Found, evaluator: StreamingBinaryEvaluator) -> None:
    if evaluator.are_probabilities:
        parts = evaluator.brier_decomposition()
        found.values |= {
            "ECE": evaluator.calibration_error(),
            "BRR": parts["reliability"],
            "BRS": parts["resolution"],
            "BRU": parts["uncertainty"],
        }


def _add_best(found: Found, evaluator: StreamingBinaryEvaluator) -> None:
    threshold, counts = _by_threshold(evaluator)
    values = score_values("f1", counts)
    if not np.isnan(values).all():
        best = best_place("f1", counts)
        found.values |= {"BTH": float(threshold[best]), "BF1": float(values[best])}
        found.notes["BF1"] = f"threshold {threshold[best]:g}"


def _add_share(found: Found, evaluator: StreamingBinaryEvaluator, percent: float) -> None:
    share = checked_shares(percent / _PER_CENT)
    ranking = evaluator._ranking()
    called = ranking.at_share(share)
    tp, low, high = float(called.tp[0]), float(called.tp_low[0]), float(called.tp_high[0])
    weight, positives = float(called.called[0]), ranking.positives
    found.area("PPRE", tp / weight, (low / weight, high / weight))
    if positives:
        found.area("PREC", tp / positives, (low / positives, high / positives))
        lift = positives * float(share[0])
        found.area("PLFT", tp / lift, (low / lift, high / lift))
    for name in ("PPRE", "PREC", "PLFT"):
        if name in found.notes:
            found.notes[name] = f"{percent:g} per cent called positive, {found.notes[name]}"


def _add_cost(
    found: Found, evaluator: StreamingBinaryEvaluator, of_positive: float, of_negative: float
) -> None:
    costs = Costs.checked(
        true_positive=0.0, false_positive=of_positive, false_negative=of_negative, true_negative=0.0
    )
    threshold, counts = _by_threshold(evaluator)
    all_costs = costs.of(counts)
    best = int(np.argmin(all_costs))
    found.values |= {
        "CST": float(costs.of(evaluator.confusion(0))),
        "CMIN": float(all_costs[best]),
        "CTH": float(threshold[best]),
    }
    found.notes["CST"] = f"threshold {evaluator.thresholds[0]:g}"
    found.notes["CMIN"] = f"threshold {threshold[best]:g}"


def _by_threshold(evaluator: StreamingBinaryEvaluator) -> tuple[np.ndarray, Counts]:
    ranking = evaluator._ranking()
    return np.insert(ranking.threshold, 0, np.inf), ranking.counts()
