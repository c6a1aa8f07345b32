"""Cross-validation where rows have weights: inside each fold, and across folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.base import is_classifier
from sklearn.model_selection import cross_validate
from sklearn.utils.validation import _num_samples

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, counted
from vtreat_py.base.figures import axes_or_new
from vtreat_py.base.jobs import run_jobs
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._inputs import check_jobs, check_one_of, checked_weight
from vtreat_py.evaluation._model_rows import check_model, indexable_rows
from vtreat_py.evaluation._numbers_shown import readable
from vtreat_py.evaluation._weighted_folds import FoldWeight, WeightedFolds, average
from vtreat_py.evaluation._weighted_model import (
    WeightedModel,
    check_weight_reaches,
    routing_enabled,
    row_metadata,
)
from vtreat_py.evaluation._weighted_scorer import WeightedScorer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NOT_SCORES = ("n", "weight")
# Folds of a smaller share of the weight have no room for their number in a picture.
_NARROWEST_NAMED = 0.02


@dataclass(frozen=True, eq=False)
class WeightedCrossValidation:
    """Scores of folds, and their weighted averages.

    Attributes
    ----------
    folds : DataFrame
        A row for each fold, in the order of the splits: ``n``, its test rows; ``weight``, what it
        counts in the averages (not yet divided by the sum); and a column for each scorer. A fold
        whose rows all have weight 0 has the score NaN and the weight 0.
    fold_weight : "mass", "size" or "equal"
        What the weight of a fold is.
    estimators : tuple
        The models, one a fold; empty unless asked for.

    See Also
    --------
    weighted_cross_validate : Makes one.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import KFold
    >>> from vtreat_py.evaluation import weighted_cross_validate
    >>> X, y, weight = [[0]] * 4, [1, 0, 1, 0], [200, 100, 1, 99]
    >>> scores = weighted_cross_validate(
    ...     DummyClassifier(), X, y, sample_weight=weight, scoring="accuracy", cv=KFold(2))
    >>> scores.folds.round(3).reset_index()
       fold  n  weight  accuracy
    0     0  2   300.0     0.333
    1     1  2   100.0     0.010
    """

    folds: pd.DataFrame
    fold_weight: FoldWeight
    estimators: tuple[Any, ...] = ()

    @property
    def mean(self) -> pd.Series[float]:
        """The weighted mean of each scorer. NaN if a fold that has a weight has no score."""
        return self._averages()[0]

    @property
    def std(self) -> pd.Series[float]:
        """The weighted standard deviation over folds, of each scorer (divided by the weights' sum).

        How far folds differ; not the standard error of the mean.
        """
        return self._averages()[1]

    def _averages(self) -> tuple[pd.Series[float], pd.Series[float]]:
        scores = self.folds.drop(columns=list(_NOT_SCORES))
        found = average(scores.to_numpy().T, self.folds["weight"].to_numpy())
        mean, std = (pd.Series(values, index=scores.columns) for values in found)
        return mean.rename("mean"), std.rename("std")

    @renamed(scorer="metric")
    def plot(self, ax: Axes | None = None, *, metric: str | None = None) -> Axes:
        """Draw the score of each fold over its share of the weight, and their mean.

        What lies above the mean has the area of what lies below: it is the mean of that picture,
        not of the heights of the steps.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        metric : str, default=None
            The column of ``folds`` to draw; the first one by default.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> from sklearn.dummy import DummyClassifier
        >>> from sklearn.model_selection import KFold
        >>> from vtreat_py.evaluation import weighted_cross_validate
        >>> X, y, weight = [[0]] * 4, [1, 0, 1, 0], [200, 100, 1, 99]
        >>> scores = weighted_cross_validate(
        ...     DummyClassifier(), X, y, sample_weight=weight, scoring="accuracy", cv=KFold(2))
        >>> scores.plot().get_ylabel()
        'accuracy'
        """
        scorers = list(self.mean.index)
        name = scorers[0] if metric is None else metric
        check_one_of(scorers, "metric", name)
        return _draw(axes_or_new(ax, figsize=(7, 4)), self.folds, name, self.mean[name])

    def __repr__(self) -> str:
        weight = self.folds["weight"]
        lines = [
            f"WeightedCrossValidation: {counted(len(weight), 'fold')} of {self.folds['n'].sum()} "
            f"rows, averaged by fold_weight={self.fold_weight!r}",
            pd.concat([self.mean, self.std], axis=1).map(readable, digits=6).to_string(),
        ]
        without = self.folds.index[weight == 0].tolist()
        if without:
            lines.append(f"not in the averages, for want of weight: {_folds_named(without)}")
        scores = self.folds[self.mean.index]
        undefined = self.folds.index[(weight > 0) & scores.isna().any(axis=1)].tolist()
        if undefined:
            lines.append(f"no score, so that the mean is NaN: {_folds_named(undefined)}")
        return "\n".join(lines)


def weighted_cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    scoring: Any = None,
    cv: Any = None,
    groups: Any = None,
    fit_weight: bool = True,
    score_weight: bool = True,
    fold_weight: FoldWeight = "mass",
    return_estimator: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> WeightedCrossValidation:
    """Cross-validate a model for the population that the weights stand for.

    Each model is trained on the other folds' rows with their weights; the score of a fold weights
    its rows; and the mean over folds weights the folds by what their rows weigh. The last is what
    plain cross-validation lacks: there, a fold of light rows counts as much as one of heavy rows.

    Parameters
    ----------
    estimator : estimator
        Is not changed: clones are fitted.
    X : data frame or array, of n rows
        pandas, polars, numpy, or what else scikit-learn takes.
    y : array of shape (n,)
    sample_weight : array of shape (n,), default=None
        How much a row matters: importance weights p(x) / q(x) of a population p and a sample q,
        inverse probabilities of being sampled, frequencies. Only ratios count, but for models
        that regularize, to which the sum matters. None: 1 for each row, and nothing is passed on.
    scoring : str, callable, list, tuple, set, dict, default=None
        As in scikit-learn. Scorers are given weights that sum to 1 in each fold.
    cv : int, splitter, iterable, default=None
        As in scikit-learn.
    groups : array of shape (n,), default=None
        Groups of rows for the splitter. With metadata routing on, also for each step that
        requests them.
    fit_weight, score_weight : bool, default=True
        Whether the weights are for training, and for the scores inside folds.
    fold_weight : {"mass", "size", "equal"}, default="mass"
        What a fold counts in the mean: the sum of its weights, its rows, or 1.
    return_estimator : bool, default=False
        Whether to keep the fitted models.
    n_jobs : int, default=None
        Folds at a time, as in scikit-learn. Results do not depend on it.
    progress : bool, default=False
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.

    Returns
    -------
    WeightedCrossValidation

    Raises
    ------
    InvalidOptionError
        If indexes differ; if a weight is negative, missing or infinite, or all are 0, in all rows
        or in the training rows of a fold; or if the model or a scorer takes no weights, but would
        have to.

    See Also
    --------
    FoldWeightedSearchCV : Chooses parameters by this score.
    fold_weights : The weights of folds alone.

    Notes
    -----
    With w_j the weights of test fold j and f_j the model of the other folds, the mean is
    ::

        sum_j |w_j| s(f_j, x_j, y_j, w_j / |w_j|) / sum_j |w_j|,    |w_j| the sum of w_j

    M. Sugiyama, M. Krauledat and K.-R. Mueller, "Covariate Shift Adaptation by Importance Weighted
    Cross Validation", Journal of Machine Learning Research 8 (2007): with one row a fold this is
    the (nearly) unbiased estimate of the risk in the population. For metrics that are a mean over
    rows, such as accuracy or log loss, it is the weighted metric of the predictions of all folds
    together. For others, such as precision or AUC, it is not.

    A fold whose rows all have weight 0 has no score: it is reported, and left out of the mean.

    With metadata routing off, weights reach the steps of a pipeline (and of pipelines inside it)
    whose ``fit`` takes them; a warning says so where some further inside cannot be reached. With
    routing on they go where they are requested, a request that was never set counting as true.

    Examples
    --------
    Three quarters of the weight are in the first fold, and the model of the second gets a third of
    it right:

    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import KFold
    >>> from vtreat_py.evaluation import weighted_cross_validate
    >>> X, y, weight = [[0]] * 4, [1, 0, 1, 0], [200, 100, 1, 99]
    >>> weighted_cross_validate(
    ...     DummyClassifier(), X, y, sample_weight=weight, scoring="accuracy", cv=KFold(2))
    WeightedCrossValidation: 2 folds of 4 rows, averaged by fold_weight='mass'
                mean       std
    accuracy  0.2525  0.140007
    >>> weighted_cross_validate(
    ...     DummyClassifier(), X, y, sample_weight=weight, scoring="accuracy", cv=KFold(2),
    ...     fold_weight="equal").mean
    accuracy    0.171667
    Name: mean, dtype: float64
    """
    check_one_of(get_args(FoldWeight), "fold_weight", fold_weight)
    check_same_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
    check_model(estimator)
    check_jobs(n_jobs)
    fit_weight, score_weight = (
        check_flag("fit_weight", fit_weight),
        check_flag("score_weight", score_weight),
    )
    X, y, groups = indexable_rows(X, y, groups)
    weight = checked_weight(sample_weight, _num_samples(X))
    weighted = sample_weight is not None
    scorer = WeightedScorer(estimator, scoring, requests=score_weight)
    folds = WeightedFolds(cv, X, y, weight, groups, is_classifier(estimator))
    if weighted and score_weight:
        scorer.check_takes_weight(estimator)
    if weighted and fit_weight:
        check_weight_reaches(estimator)
        folds.check_trainable()
    model = WeightedModel(estimator, weighted=fit_weight, routing=routing_enabled())
    validate = partial(
        cross_validate,
        model,
        X,
        y,
        scoring=scorer,
        params=row_metadata(weight if weighted else None, groups),
        return_estimator=check_flag("return_estimator", return_estimator),
        error_score="raise",
    )
    progress = check_flag("progress", progress)
    with config_context(enable_metadata_routing=True):
        of_folds = run_jobs(partial(_of_fold, validate), folds.splits, n_jobs, progress=progress)
    found = {key: [value for fold in of_folds for value in fold[key]] for key in of_folds[0]}
    name = scoring if isinstance(scoring, str) else "score"
    return WeightedCrossValidation(
        _fold_frame(folds, fold_weight, found, name),
        fold_weight,
        tuple(one.model for one in found.get("estimator", ())),
    )


def _of_fold(validate: Callable[..., dict[str, Any]], split: Any) -> dict[str, Any]:
    return validate(cv=[split])


def fold_weights(cv: Any, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> FloatArray:
    """Sums of the weights of each test fold: what a fold counts in a weighted mean of scores.

    Parameters
    ----------
    cv : splitter or iterable of (training rows, test rows)
        Not a number of folds: which folds those are depends on the model. A splitter that draws
        at random needs its ``random_state``, to draw the same folds for the scores.
    X : data frame or array, of n rows
    y : array of shape (n,) or None
    sample_weight : array of shape (n,) or None
        None: 1 for each row.
    groups : array of shape (n,), default=None

    Returns
    -------
    ndarray of shape (folds,)

    Raises
    ------
    InvalidOptionError
        If indexes differ; if ``cv`` is a number; if a weight is negative, missing or infinite, or
        all are 0.

    See Also
    --------
    weighted_cross_validate

    Examples
    --------
    To correct the mean of scores that other tools have computed:

    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from vtreat_py.evaluation import fold_weights
    >>> masses = fold_weights(KFold(2), [[0]] * 4, [1, 0, 1, 0], [200, 100, 1, 99])
    >>> masses
    array([300., 100.])
    >>> float(np.average([1 / 3, 0.01], weights=masses))
    0.2525
    """
    if cv is None or isinstance(cv, Integral):
        raise InvalidOptionError(
            f"cv={cv!r} makes stratified folds for a classifier, and plain ones for other models; "
            "give the splitter, such as KFold(5), or the list of its splits"
        )
    check_same_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
    X, y, groups = indexable_rows(X, y, groups)
    weight = checked_weight(sample_weight, _num_samples(X))
    return WeightedFolds(cv, X, y, weight, groups, classifier=False).mass


def _fold_frame(
    folds: WeightedFolds, fold_weight: FoldWeight, found: dict[str, Any], name: str
) -> pd.DataFrame:
    scores = {key.removeprefix("test_"): v for key, v in found.items() if key.startswith("test_")}
    if scores.keys() == {"score"}:
        scores = {name: scores["score"]}
    taken = [name for name in scores if name in _NOT_SCORES]
    if taken:
        raise InvalidOptionError(
            f"a scorer is named {taken[0]!r}, as a column of the result is; name it otherwise"
        )
    measured = {n: np.where(folds.mass > 0, v, np.nan) for n, v in scores.items()}
    columns = {"n": folds.size, "weight": folds.weights(fold_weight), **measured}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(folds.size), name="fold"))


def _folds_named(numbers: list[int]) -> str:
    return f"fold{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"


def _draw(ax: Axes, folds: pd.DataFrame, name: str, mean: float) -> Axes:
    used = folds[folds["weight"] > 0]
    edges = np.append(0.0, np.cumsum(used["weight"]) / used["weight"].sum())
    score, plain = used[name].to_numpy(), float(used[name].mean())
    ax.stairs(score, edges, baseline=mean, fill=True, color="tab:blue", alpha=0.25)
    ax.stairs(score, edges, baseline=None, color="tab:blue", linewidth=2)
    ax.axhline(mean, color="black", label=f"weighted mean {mean:.4g}")
    ax.axhline(plain, color="gray", linestyle=":", label=f"mean of folds {plain:.4g}")
    middles, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    for number, at, width, height in zip(used.index, middles, widths, score, strict=True):
        if width >= _NARROWEST_NAMED:
            place: dict[str, Any] = {
                "xytext": (0, 3),
                "textcoords": "offset points",
                "ha": "center",
            }
            ax.annotate(f"{number}", (at, height), color="tab:blue", **place)
    ax.set(xlim=(0, 1), xlabel="share of the weight, fold by fold", ylabel=name)
    without = len(folds) - len(used)
    note = f" ({without} without weight not drawn)" if without else ""
    ax.set_title(f"{name}: a fold counts by its width{note}")
    ax.margins(y=0.12)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax
