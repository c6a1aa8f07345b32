"""Searches of parameters whose folds count by the weights of their rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from scipy.stats import rankdata
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, counted, listed
from vtreat_py.base.labels import relabelled, warn_of_other_rows
from vtreat_py.base.warn import warn
from vtreat_py.evaluation._inputs import checked_weight
from vtreat_py.evaluation._model_rows import check_model, indexable_rows
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation._weighted_folds import WeightedFolds, average
from vtreat_py.evaluation._weighted_model import (
    WeightedModel,
    check_takes_weight,
    routing_enabled,
    row_metadata,
    warn_of_parts_without_weight,
)
from vtreat_py.evaluation._weighted_scorer import WeightedScorer


def _model_has(name: str) -> Callable[[Any], bool]:
    """Make the check that a refit is asked for, and that the model has an attribute."""

    def check(search: Any) -> bool:
        if not search.search.refit:
            raise AttributeError(
                f"{name} is there after a refit only, but the search has refit=False; fit a model "
                "by best_params_ yourself, or let the search refit"
            )
        getattr(getattr(search, "best_estimator_", search.search.estimator), name)
        return True

    return check


def _of_model(name: str) -> Any:
    def method(self: Any, X: Any) -> Any:
        check_is_fitted(self)
        return getattr(self.best_estimator_, name)(X)

    method.__name__ = name
    method.__doc__ = f"""Call ``{name}`` of the model with the best parameters.

        There if the model has it, and the search refits.

        Parameters
        ----------
        X : data frame or array, of n rows

        Returns
        -------
        array or frame of n rows
        """
    return available_if(_model_has(name))(method)


class FoldWeightedSearchCV(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A grid or randomized search that chooses by the importance-weighted score.

    ``GridSearchCV.fit(X, y, sample_weight=w)`` weights rows when it trains, and inside each fold
    when it scores, and then takes the plain mean over folds: one of light rows has as much say
    as one of heavy rows, and the parameters chosen need not be the best for the population that
    the weights stand for. Here folds count by the sum of their weights, as in
    `weighted_cross_validate`.

    Parameters
    ----------
    search : GridSearchCV or RandomizedSearchCV
        What to search, and how. It is not changed: a clone does the work.

    Attributes
    ----------
    cv_results_ : dict
        As of scikit-learn's search, but that ``mean_test_*``, ``std_test_*`` and ``rank_test_*``
        are by the weights of the folds. The scores of each split are kept; they are NaN for a
        fold whose rows have no weight. ``mean_train_*``, if asked for, is the plain mean.
    fold_weights_ : ndarray of shape (n_splits_,)
        Sums of the weights of each fold's test rows.
    best_estimator_ : estimator
        Fitted once, by all rows and their weights; there unless ``refit=False``.
    best_index_, best_params_, best_score_
        The best candidate, as of scikit-learn's search: there unless ``refit=False`` with several
        metrics (``best_score_`` neither with a callable ``refit``).
    scorer_ : callable
        Scores a model; takes weights.
    multimetric_ : bool
        Whether there are several metrics.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds of the refit.
    classes_, n_features_in_, feature_names_in_
        Those of ``best_estimator_``.

    See Also
    --------
    weighted_cross_validate : The score of one model; its notes say how weights reach the steps
        of a pipeline, and whose method this is.

    Notes
    -----
    ``n_jobs`` and ``verbose`` are those of the search.

    ``HalvingGridSearchCV`` and ``HalvingRandomSearchCV`` are refused. They drop candidates after
    each iteration by plain means over folds, before anything could rank them anew: a candidate that
    is best by the weights of folds may be dropped in the first iteration, with few rows, and has no
    later scores. Their means of different iterations are not of the same rows, either: each draws
    its own, without regard to weights, so that a fold's weight is another in each iteration, and
    with ``resource="n_samples"`` few rows of great weight decide by whether they are drawn.

    Examples
    --------
    The second fold weighs ten times as much as the first; "no" is right for most of its weight:

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import GridSearchCV, KFold
    >>> from vtreat_py.evaluation import FoldWeightedSearchCV
    >>> X, y = np.zeros((8, 1)), np.array(["yes", "yes", "yes", "no", "yes", "yes", "no", "no"])
    >>> weight = [1, 1, 1, 1, 9, 9, 11, 11]
    >>> grid = GridSearchCV(
    ...     DummyClassifier(strategy="constant"), {"constant": ["yes", "no"]}, cv=KFold(2))
    >>> FoldWeightedSearchCV(grid).fit(X, y, sample_weight=weight).best_params_
    {'constant': 'no'}
    >>> grid.fit(X, y, sample_weight=weight).best_params_
    {'constant': 'yes'}
    """

    def __init__(self, search: Any) -> None:
        self.search = search

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search, choose by the weighted score, and fit the best model by all rows.

        Parameters
        ----------
        X : data frame or array, of n rows
        y : array of shape (n,), default=None
        sample_weight, groups : array of shape (n,), default=None
            As in `weighted_cross_validate`. Without weights, folds count by their rows.

        Returns
        -------
        self

        Warns
        -----
        VtreatWarning
            If two inputs carry different indexes; rows are paired by position then, as everywhere
            in scikit-learn.

        Raises
        ------
        OptionTypeError
            If ``search`` is of another kind; see the notes on successive halving.
        InvalidOptionError
            As `weighted_cross_validate`; and if ``refit`` names no metric where there are several.
        """
        search = self.search
        if not isinstance(search, GridSearchCV | RandomizedSearchCV):
            raise OptionTypeError(
                f"search is of type {type(search).__name__}; it must be a GridSearchCV or a "
                f"RandomizedSearchCV{_why_not(search)}"
            )
        warn_of_other_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        y, groups = relabelled(y, X), relabelled(groups, X)
        check_model(search.estimator)
        X, y, groups = indexable_rows(X, y, groups)
        weight = checked_weight(sample_weight, _num_samples(X))
        along = row_metadata(None if sample_weight is None else weight, groups)
        self.scorer_ = WeightedScorer(search.estimator, search.scoring)
        if self.scorer_.is_multiple:
            _check_refit(search.refit, self.scorer_.metrics)
        folds = WeightedFolds(search.cv, X, y, weight, groups, is_classifier(search.estimator))
        if sample_weight is not None:
            self.scorer_.check_takes_weight(search.estimator)
            _check_models(search)
            folds.check_trainable()
        searched = _searched(search, self.scorer_, folds, X, y, along)
        self.cv_results_ = _reranked(searched.cv_results_, folds.mass)
        self.multimetric_ = searched.multimetric_
        self.fold_weights_ = folds.mass
        self.n_splits_ = len(folds.splits)
        self._choose()
        if search.refit:
            self._refit(X, y, along)
        return self

    def _choose(self) -> None:
        refit, results = self.search.refit, self.cv_results_
        if self.multimetric_:
            _check_refit(refit, _metrics_of(results))
            if not refit:
                return
        if callable(refit):
            self.best_index_ = _checked_index(refit(results), len(results["params"]))
        else:
            metric = refit if self.multimetric_ else "score"
            self.best_index_ = int(results[f"rank_test_{metric}"].argmin())
            self.best_score_ = results[f"mean_test_{metric}"][self.best_index_]
        self.best_params_ = results["params"][self.best_index_]

    def _refit(self, X: Any, y: Any, along: dict[str, Any]) -> None:
        parameters = clone(self.best_params_, safe=False)  # they may be estimators
        model = clone(self.search.estimator).set_params(**parameters)
        start = time.perf_counter()
        WeightedModel(model, routing=routing_enabled()).fit(X, y, **along)
        self.refit_time_ = time.perf_counter() - start
        self.best_estimator_ = model
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    @available_if(_model_has("score"))  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Score the refitted model by the metric of the search.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.

        Returns
        -------
        float
            With several metrics, that which ``refit`` names; all, as a dict, if it is a function.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.dummy import DummyClassifier
        >>> from sklearn.model_selection import GridSearchCV, KFold
        >>> from vtreat_py.evaluation import FoldWeightedSearchCV
        >>> X, y = np.zeros((4, 1)), [1, 0, 1, 0]
        >>> grid = GridSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=KFold(2))
        >>> search = FoldWeightedSearchCV(grid).fit(X, y, sample_weight=[3, 1, 1, 1])
        >>> search.score(X, y), search.score(X, y, sample_weight=[3, 1, 1, 1])
        (0.5, 0.6666666666666667)
        """
        check_is_fitted(self)
        warn_of_other_rows({"X": X, "y": y, "sample_weight": sample_weight})
        weight = None
        if sample_weight is not None:
            self.scorer_.check_takes_weight(self.search.estimator)
            (X,) = indexable_rows(X)
            weight = checked_weight(sample_weight, _num_samples(X))
        score = self.scorer_(self.best_estimator_, X, y, sample_weight=weight)
        if self.multimetric_ and not callable(self.search.refit):
            return score[self.search.refit]
        return score

    predict = _of_model("predict")
    predict_proba = _of_model("predict_proba")
    predict_log_proba = _of_model("predict_log_proba")
    decision_function = _of_model("decision_function")
    score_samples = _of_model("score_samples")
    transform = _of_model("transform")
    inverse_transform = _of_model("inverse_transform")

    @property
    def classes_(self) -> Any:
        """Class labels; there for a classifier that was refitted."""
        _model_has("classes_")(self)
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> Any:
        """Number of columns seen in fit; there after a refit."""
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(f"{type(self).__name__} is not fitted yet") from error
        return self.best_estimator_.n_features_in_

    def __sklearn_tags__(self) -> Any:
        tags, of_model = get_tags(self.search), get_tags(self.search.estimator)
        tags.input_tags, tags.target_tags = of_model.input_tags, of_model.target_tags
        return tags


def _why_not(search: Any) -> str:
    """Say why a search by successive halving cannot be ranked anew."""
    if not hasattr(search, "min_resources"):
        return ""
    return (
        ". Successive halving drops candidates by plain means after each iteration, so that those "
        "that are best by weight may be gone, and its iterations draw rows whose weights vary; "
        "search without halving, or with fewer candidates"
    )


def _metrics_of(results: dict[str, Any]) -> list[str]:
    return [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]


def _reranked(results: dict[str, Any], mass: FloatArray) -> dict[str, Any]:
    """Results of a search with means, standard deviations and ranks by the masses of folds."""
    ranked = dict(results)
    for metric in _metrics_of(results):
        splits = [f"split{j}_test_{metric}" for j in range(len(mass))]
        for j in np.flatnonzero(mass == 0):
            ranked[splits[j]] = np.full_like(results[splits[j]], np.nan)
        mean, std = average(np.stack([ranked[split] for split in splits], axis=1), mass)
        if np.isnan(mean).any():
            warn(
                f"mean_test_{metric} is NaN for {counted(int(np.isnan(mean).sum()), 'candidate')}: "
                "there is no score in some fold; they rank last"
            )
        ranked[f"mean_test_{metric}"], ranked[f"std_test_{metric}"] = mean, std
        # Ranks from 1 for the best; equals share the best of their ranks, NaN is worst.
        ranks = rankdata(np.where(np.isnan(mean), np.inf, -mean), method="min")
        ranked[f"rank_test_{metric}"] = ranks.astype(np.int32)
    return ranked


def _searched(
    search: Any, scorer: WeightedScorer, folds: WeightedFolds, X: Any, y: Any, along: dict[str, Any]
) -> Any:
    """Let scikit-learn's search do all but choose."""
    parameters = search.get_params(deep=False) | {
        "estimator": WeightedModel(search.estimator, routing=routing_enabled()),
        "scoring": scorer,
        "cv": folds.splits,
        "refit": False,
    }
    inner = type(search)(**parameters)
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        # Of plain means, which are not for use; means by the folds' weights are looked at later.
        warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
        return inner.fit(X, y, **along)


def _check_models(search: Any) -> None:
    """Refuse candidates that take no weights before any is fitted.

    Where candidates have last steps of their own, each is looked at when it is fitted.
    """
    given = search.param_grid if isinstance(search, GridSearchCV) else search.param_distributions
    with refused_as(f"the parameters to search, {shown(given)}, cannot be used"):
        names = {n for grid in ([given] if isinstance(given, Mapping) else given) for n in grid}
    model = search.estimator
    if not isinstance(model, Pipeline) or model.steps[-1][0] not in names:
        check_takes_weight(model)
    warn_of_parts_without_weight(model)


def _check_refit(refit: Any, metrics: Iterable[str]) -> None:
    if (
        refit is not False
        and not callable(refit)
        and not (isinstance(refit, str) and refit in metrics)
    ):
        raise InvalidOptionError(
            f"refit={refit!r}, but there are several metrics; it must be the one to choose by "
            f"({listed(list(metrics))}), a function of cv_results_, or False"
        )


def _checked_index(index: Any, n_candidates: int) -> int:
    if not isinstance(index, int | np.integer):
        raise OptionTypeError(f"refit returned {index!r}; it must return a number of a candidate")
    if not 0 <= index < n_candidates:
        raise InvalidOptionError(
            f"refit returned {index}, but candidates are 0 to {n_candidates - 1}"
        )
    return int(index)
