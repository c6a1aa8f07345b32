"""Scorers that weight the rows of a fold by their shares of its weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from sklearn import config_context
from sklearn.metrics import check_scoring
from sklearn.utils.metadata_routing import MetadataRequest

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation._weighted_model import WeightedModel


class WeightedScorer:
    """What ``scoring`` asks for, of the rows of a fold.

    The weights of the fold are divided by their sum. Where all are 0, rows count alike, and the
    score is not for use. Scorers get weights as an argument, not by metadata routing; ``requests``
    is whether to ask for them. Scores of several metrics, and those of a callable that returns a
    dict, come as a dict. ``metrics`` are by name; one alone is "score".
    """

    def __init__(self, estimator: Any, scoring: Any, *, requests: bool = True) -> None:
        with refused_as(f"scoring={shown(scoring)} cannot be used"):
            self._scorer: Any = check_scoring(estimator, scoring)
        self._requests = requests
        self.is_multiple = isinstance(scoring, list | tuple | set | Mapping)
        self.metrics = _by_name(scoring) if self.is_multiple else {"score": scoring}
        self._functions: dict[str, Callable[..., float]] = {}
        if self.is_multiple:
            self._functions = {n: m for n, m in self.metrics.items() if _is_plain_function(m)}
            own = {n: m for n, m in self.metrics.items() if n not in self._functions}
            # Together, scikit-learn's own scorers predict once.
            self._scorer = check_scoring(estimator, own) if own else None

    def check_takes_weight(self, estimator: Any) -> None:
        """Refuse metrics that would leave the weights aside."""
        for name, metric in self.metrics.items():
            scorer = check_scoring(estimator, metric)
            taking = estimator.score if metric is None else getattr(scorer, "_score_func", scorer)
            if "sample_weight" not in signature(taking).parameters:
                shown = f"{metric!r}" if isinstance(metric, str) else f"{name!r} ({scorer!r})"
                raise InvalidOptionError(
                    f"the scorer {shown} takes no sample_weight; choose another, or score without "
                    "weights inside the folds (weighted_cross_validate has score_weight=False)"
                )

    def __call__(self, estimator: Any, X: Any, y: Any = None, *, sample_weight: Any = None) -> Any:
        """Score a fitted model on rows: a number, or a dict of them."""
        model = estimator.model if isinstance(estimator, WeightedModel) else estimator
        rows = (X,) if y is None else (X, y)
        weight: dict[str, Any] = {}
        if sample_weight is not None and sample_weight.any():
            weight["sample_weight"] = sample_weight / sample_weight.sum()
        with config_context(enable_metadata_routing=False):
            if not self.is_multiple:
                return self._scorer(model, *rows, **weight)
            scores = self._scorer(model, *rows, **weight) if self._scorer else {}
            for name, function in self._functions.items():
                scores[name] = function(model, *rows, **weight)
        return {name: scores[name] for name in self.metrics}

    def get_metadata_routing(self) -> Any:
        """Say whether weights are wanted."""
        request = MetadataRequest(owner=type(self).__name__)
        request.score.add_request(param="sample_weight", alias=self._requests)
        return request


def _by_name(scoring: Any) -> dict[str, Any]:
    if isinstance(scoring, Mapping):
        for name, metric in scoring.items():
            if not (metric is None or isinstance(metric, str) or callable(metric)):
                raise OptionTypeError(
                    f"scoring {shown(name)} is {shown(metric)}; give the name of a metric or a "
                    "callable"
                )
        return dict(scoring)
    # The order of a set changes from run to run.
    return {name: name for name in (sorted(scoring) if isinstance(scoring, set) else scoring)}


def _is_plain_function(metric: Any) -> bool:
    return callable(metric) and not type(metric).__module__.startswith("sklearn.")
