"""Scores of a classifier of two classes that have an answer for test rows of one class, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeAlias

import numpy as np
from sklearn import get_config
from sklearn.base import is_regressor
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    check_scoring,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.evaluation._model_rows import check_model
from vtreat_py.evaluation._refusals import refused_as, shown

Metric: TypeAlias = str | Callable[..., Any]
Scoring: TypeAlias = Metric | Sequence[Metric] | AbstractSet[Metric] | Mapping[str, Metric]

DEFAULT_SCORING = ("nll", "brier", "roc_auc", "average_precision")


def nll(y: Any, chance: FloatArray, *, pos_label: Any, sample_weight: Any = None) -> float:
    """Mean negative log likelihood, in nats."""
    is_positive = np.asarray(y) == pos_label
    return float(log_loss(is_positive, chance, labels=[False, True], sample_weight=sample_weight))


def brier(y: Any, chance: FloatArray, *, pos_label: Any, sample_weight: Any = None) -> float:
    """Mean squared difference of the chance and what happened (1 or 0)."""
    is_positive = np.asarray(y) == pos_label
    return float(mean_squared_error(is_positive, chance, sample_weight=sample_weight))


def roc_auc(y: Any, score: FloatArray, *, pos_label: Any, sample_weight: Any = None) -> float:
    """Area under the ROC curve; NaN for one class."""
    is_positive = np.asarray(y) == pos_label
    if is_positive.all() or not is_positive.any():
        return float("nan")
    return float(roc_auc_score(is_positive, score, sample_weight=sample_weight))


def average_precision(
    y: Any, score: FloatArray, *, pos_label: Any, sample_weight: Any = None
) -> float:
    """Average precision; 1 where all rows are positive, and 0 where none is."""
    is_positive = np.asarray(y) == pos_label
    if not is_positive.any():
        return 0.0
    return float(average_precision_score(is_positive, score, sample_weight=sample_weight))


_CHANCE, _ANY_SCORE = "predict_proba", ("predict_proba", "decision_function")
# Name: function, what of the model it looks at, whether greater is better (or the sign is kept).
_OWN: dict[str, tuple[Callable[..., float], Any, bool]] = {
    "nll": (nll, _CHANCE, True),
    "brier": (brier, _CHANCE, True),
    "neg_log_loss": (nll, _CHANCE, False),
    "neg_brier_score": (brier, _CHANCE, False),
    "roc_auc": (roc_auc, _ANY_SCORE, True),
    "average_precision": (average_precision, _ANY_SCORE, True),
}
_PROPER = (nll, brier, log_loss, brier_score_loss)


@dataclass(frozen=True, eq=False)
class ClassifierScorers:
    """The metrics of an evaluation, by name.

    ``named`` are scikit-learn's scorers of a name: they share one call of ``predict_proba``.
    ``given`` are callables of the user: each calls the model as it likes.
    """

    named: dict[str, Any]
    given: dict[str, Any]
    names: tuple[str, ...]

    @classmethod
    def of_scoring(cls, scoring: Scoring, *, pos_label: Any, weighted: bool) -> ClassifierScorers:
        """Read names, callables, or a dictionary of both; if weighted, all must take weights."""
        named, given = {}, {}
        items = _by_name(scoring)
        for name, item in items.items():
            if isinstance(item, str):
                named[name] = named_scorer(item, pos_label)
            elif callable(item):
                given[name] = item
            else:
                raise OptionTypeError(
                    f"scoring {shown(name)} is of type {type(item).__name__}; the name of a metric "
                    "or a callable of an estimator, X and y is wanted"
                )
        if weighted:
            _check_weights_are_taken(named | given)
            if get_config()["enable_metadata_routing"]:
                named = {n: s.set_score_request(sample_weight=True) for n, s in named.items()}
        return cls(named, given, tuple(items))

    @property
    def proper(self) -> tuple[str, ...]:
        """The metrics known to be proper scores: log loss and Brier score, whatever their sign."""
        scorers = self.named | self.given
        return tuple(n for n in self.names if getattr(scorers[n], "_score_func", 0) in _PROPER)

    def scores(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
        """Score a fitted model on rows, by every metric."""
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        found: dict[str, Any] = {}
        if self.named:
            with refused_as(f"scoring {listed(list(self.named))} has no score of {shown(model)}"):
                found |= check_scoring(model, scoring=self.named)(model, X, y, **weight)
        found |= {name: scorer(model, X, y, **weight) for name, scorer in self.given.items()}
        return {name: _number(name, found[name]) for name in self.names}


def check_classifier(model: Any, name: str = "estimator") -> None:
    """Refuse what is no estimator, or one of numbers."""
    check_model(model, name)
    if is_regressor(model):
        raise InvalidOptionError(
            f"{name} is {shown(model)}, which predicts numbers; scores of classes need a "
            "classifier, such as LogisticRegression(). For other models there is "
            "weighted_cross_validate"
        )


def _number(name: str, score: Any) -> float:
    with refused_as(f"scoring {shown(name)} gives {shown(score)}; a number is wanted"):
        return float(score)


def takes_weight(function: Any) -> bool:
    """Whether a function has a parameter ``sample_weight``, or takes any."""
    parameters = signature(function).parameters
    return "sample_weight" in parameters or any(
        p.kind is Parameter.VAR_KEYWORD for p in parameters.values()
    )


def _by_name(scoring: Scoring) -> dict[str, Any]:
    if isinstance(scoring, Mapping):
        items = dict(scoring)
    else:
        if not isinstance(scoring, Iterable) and not callable(scoring):
            raise OptionTypeError(f"scoring={shown(scoring)}; name a metric, or give a callable")
        metrics = [scoring] if isinstance(scoring, str) or callable(scoring) else list(scoring)
        if isinstance(scoring, AbstractSet):
            metrics.sort(key=_metric_name)  # the order of a set changes from run to run
        names = [_metric_name(metric) for metric in metrics]
        if len(set(names)) < len(names):
            raise InvalidOptionError(
                f"scoring names {listed(names)}, one of them twice; give a dictionary of metrics "
                "by different names"
            )
        items = dict(zip(names, metrics, strict=True))
    if not items:
        raise InvalidOptionError("scoring is empty; name one metric at least, such as 'nll'")
    return items


def _metric_name(metric: Metric) -> str:
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))


def named_scorer(name: str, pos_label: Any, what: str = "scoring") -> Any:
    """Return scikit-learn's scorer of a name, or ours."""
    if name in _OWN:
        function, response, keeps_sign = _OWN[name]
        return make_scorer(
            function, response_method=response, greater_is_better=keeps_sign, pos_label=pos_label
        )
    if name not in get_scorer_names():
        raise InvalidOptionError(
            f"{what} {shown(name)} is no metric; {listed(DEFAULT_SCORING)}, the names of "
            "sklearn.metrics.get_scorer_names() and callables are allowed"
        )
    return get_scorer(name)


def _check_weights_are_taken(scorers: dict[str, Any]) -> None:
    refusing = [n for n, s in scorers.items() if not takes_weight(getattr(s, "_score_func", s))]
    if refusing:
        raise InvalidOptionError(
            f"scoring {listed(refusing)} takes no sample_weight, so it would count every row as "
            "one; leave it out of scoring, or leave out sample_weight"
        )
