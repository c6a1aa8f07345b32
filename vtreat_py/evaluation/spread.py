"""How far cross-validation scores spread, and what that says about the score of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.base.figures import axes_or_new
from vtreat_py.base.warn import warn
from vtreat_py.evaluation._classifier_scorers import (
    DEFAULT_SCORING,
    ClassifierScorers,
    Scoring,
    check_classifier,
)
from vtreat_py.evaluation._fold_scores import LabelledRows, default_strategies, score_folds
from vtreat_py.evaluation._inputs import check_jobs
from vtreat_py.evaluation._spread_intervals import (
    Interval,
    one_metric,
    score_intervals,
    strategies_of_fixed_shares,
)
from vtreat_py.evaluation._weighted_model import check_weight_reaches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A class of a smaller share is rare: its share in a fold is most of what moves a proper score.
_RARE = 0.1


@dataclass(frozen=True, eq=False)
class CVSpread:
    """Scores of a classifier on the splits of one strategy or more.

    Attributes
    ----------
    folds : DataFrame
        A row for each strategy, split and metric. Columns:

        ``strategy``, ``split``, ``metric``
            The splits of a strategy count from 0.
        ``score``
            NaN where it is undefined: area under the ROC curve on test rows of one class, and
            every metric where nothing can be learned (training rows of one class) or nothing
            counts (test rows of weight 0).
        ``n_train``, ``n_test``
            Numbers of rows.
        ``rate_train``, ``rate_test``
            Weighted shares of the positive class.
    pos_label : label
        The positive class.
    rate : float
        Its weighted share of all rows.
    proper : tuple of str
        The metrics known to be proper scores: log loss and Brier score.

    See Also
    --------
    cv_spread : Makes one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import ShuffleSplit
    >>> from vtreat_py.evaluation import cv_spread
    >>> random = np.random.default_rng(0)
    >>> X, y = random.normal(size=(300, 2)), random.random(300) < 0.3
    >>> splits = {"vanilla": ShuffleSplit(20, test_size=0.2, random_state=0)}
    >>> spread = cv_spread(
    ...     LogisticRegression(), X, y, strategies=splits, scoring=["nll", "brier"])
    >>> spread.folds[["strategy", "split", "metric", "score", "n_test"]].round(3).head(2)
      strategy  split metric  score  n_test
    0  vanilla      0    nll  0.656      60
    1  vanilla      0  brier  0.231      60
    """

    folds: pd.DataFrame
    pos_label: Any
    rate: float
    proper: tuple[str, ...]

    def summary(self) -> pd.DataFrame:
        """Describe the scores.

        Returns
        -------
        DataFrame
            A row for each strategy and metric. Columns: those of ``DataFrame.describe``
            (``count`` is the number of splits with a defined score); ``iqr``, the width of the
            middle half; ``undefined``, the share of splits whose score is NaN; ``one_class``, the
            share of splits whose test rows are of one class; ``rate_train`` and ``rate_test``,
            mean shares of the positive class, and ``rate_test_std``, the standard deviation of
            the latter.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import ShuffleSplit
        >>> from vtreat_py.evaluation import cv_spread
        >>> random = np.random.default_rng(0)
        >>> X, y = random.normal(size=(300, 2)), random.random(300) < 0.3
        >>> splits = {"vanilla": ShuffleSplit(20, test_size=0.2, random_state=0)}
        >>> spread = cv_spread(
        ...     LogisticRegression(), X, y, strategies=splits, scoring=["nll", "brier"])
        >>> spread.summary()[["mean", "std", "iqr", "undefined"]].round(3).reset_index()
          strategy metric   mean    std    iqr  undefined
        0  vanilla    nll  0.617  0.044  0.071        0.0
        1  vanilla  brier  0.212  0.021  0.033        0.0
        """
        grouped = self.folds.groupby(["strategy", "metric"], sort=False)
        with np.errstate(over="ignore"):  # of metrics whose squares are beyond the range of floats
            table = grouped["score"].describe()
        table["iqr"] = table["75%"] - table["25%"]
        marked = self.folds.assign(
            undefined=self.folds["score"].isna(), one_class=self.folds["rate_test"].isin([0, 1])
        ).groupby(["strategy", "metric"], sort=False)
        shares = ["undefined", "one_class", "rate_train", "rate_test"]
        table[shares] = marked[shares].mean()
        table["rate_test_std"] = grouped["rate_test"].std()
        return table

    def interval(self, level: float = 0.5, method: Interval = "iqr") -> pd.DataFrame:
        """Give an interval for the score that the model would get on new rows.

        Parameters
        ----------
        level : float, default=0.5
            Share of samples in which such an interval is meant to hold the true score.
        method : {"iqr", "nadeau-bengio"}, default="iqr"
            "iqr": between two quantiles of the scores, of half the rest of the level each: at 0.5
            the interquartile range. It says where the score of a *fold* lies. The mean of many
            folds is surer than one fold, so that it is too wide: with 20% of rows to test on it
            holds the score of the model in about 0.8 of samples, not in 0.5.

            "nadeau-bengio": around the mean m of J scores with standard deviation s,

                m +- t * s * sqrt(1 / J + n_test / n_train),

            t a quantile of Student's distribution with J - 1 degrees of freedom. The second term
            stands for what the splits have in common, their rows: more splits do not take it away.
            From folds drawn without regard to the class it keeps its level for log loss and Brier
            score of models that have learned what there is to learn.

            It knows how scores vary with the rows to test on, not what a model still lacks for
            having seen 80% of the rows, and how that varies from sample to sample. Where many
            columns matter a little each, as ten do in ``benchmarks/coverage_study.txt``, intervals
            for the area under the ROC curve of a class of 2% are too narrow by about a fifth: with
            10, 40 or 100 positive rows they hold it in 120 of 300 samples where 150 are meant, and
            in 250 where 270 are. Of a class of 20% they hold it in 98 of 200 for 100, and in 174
            for 180, which may be chance. Nothing corrects for that here; take a higher level where
            it matters. Average precision is biased on small folds of a rare class besides, and its
            intervals are narrower still.

        Returns
        -------
        DataFrame
            A row for each strategy and metric. Columns ``low``, ``high``, ``width``, ``splits``
            (those with a defined score, on which the interval rests) and ``undefined`` (those
            without). NaN where too few scores are defined.

        Warns
        -----
        VtreatWarning
            Once, if a class has less than 10% of rows, the metric is a proper score, and the test
            folds of a strategy hold the classes in fixed shares, as stratified folds do. How many
            rows of the class the sample holds is then most of what is unknown, and these folds
            hide it: their intervals are far too narrow, by either method.

        Raises
        ------
        InvalidOptionError
            If the level is not between 0 and 1, or the method is another.

        References
        ----------
        C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52
        (2003), for the corrected resampled t-test; R. Bouckaert and E. Frank, "Evaluating the
        replicability of significance tests for comparing learning algorithms", PAKDD 2004, for
        its use with repeated k folds.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import ShuffleSplit
        >>> from vtreat_py.evaluation import cv_spread
        >>> random = np.random.default_rng(0)
        >>> X, y = random.normal(size=(300, 2)), random.random(300) < 0.3
        >>> splits = {"vanilla": ShuffleSplit(20, test_size=0.2, random_state=0)}
        >>> spread = cv_spread(
        ...     LogisticRegression(), X, y, strategies=splits, scoring=["nll", "brier"])
        >>> intervals = spread.interval(method="nadeau-bengio").reset_index()
        >>> intervals[["strategy", "metric", "low", "high", "splits"]].round(3)
          strategy metric    low   high  splits
        0  vanilla    nll  0.600  0.633      20
        1  vanilla  brier  0.205  0.220      20
        """
        table = score_intervals(self.folds, level=level, method=method)
        rarer = min(self.rate, 1.0 - self.rate)
        fixed = strategies_of_fixed_shares(self.folds)
        if rarer < _RARE and self.proper and fixed:
            warn(
                f"the folds of strategy {listed(fixed)} hold the classes in fixed shares, and one "
                f"class has {rarer:.2g} of the rows: intervals of {listed(self.proper)} from such "
                "folds are far too narrow. Use those of folds drawn without regard to the class, "
                "such as ShuffleSplit"
            )
        return table

    def plot(self, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the score of each split, a line of dots for each strategy.

        Parameters
        ----------
        metric : str, default=None
            The first of the metrics if not given.
        ax : matplotlib Axes, default=None
            Those of a new figure if not given.

        Returns
        -------
        matplotlib Axes
            A bar marks the middle half of the scores, a tick their median.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import ShuffleSplit
        >>> from vtreat_py.evaluation import cv_spread
        >>> random = np.random.default_rng(0)
        >>> X, y = random.normal(size=(300, 2)), random.random(300) < 0.3
        >>> splits = {"vanilla": ShuffleSplit(20, test_size=0.2, random_state=0)}
        >>> spread = cv_spread(
        ...     LogisticRegression(), X, y, strategies=splits, scoring=["nll", "brier"])
        >>> spread.plot("brier").get_xlabel()
        'brier of a fold'
        """
        metric = one_metric(self.folds, metric)
        of_metric = self.folds[self.folds["metric"] == metric]
        strategies = of_metric["strategy"].unique().tolist()
        ax = axes_or_new(ax, figsize=(7.0, 1.2 + 0.9 * len(strategies)))
        labels = []
        for place, strategy in enumerate(strategies):
            scores = of_metric.loc[of_metric["strategy"] == strategy, "score"]
            _draw_strip(ax, scores.dropna().to_numpy(), -place)
            missing = int(scores.isna().sum())
            labels.append(f"{strategy}\n{missing} undefined" if missing else str(strategy))
        widths = self.summary().xs(metric, level="metric")["iqr"]
        said = ", ".join(f"{widths[s]:.2g} ({s})" for s in strategies)
        ax.set_title(f"Width of the middle half of the folds: {said}", loc="left", fontsize=11)
        ax.set_yticks(-np.arange(len(strategies)), labels)
        ax.set_ylim(0.6 - len(strategies), 0.5)
        ax.set_xlabel(f"{metric} of a fold")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return ax

    def __repr__(self) -> str:
        splits = self.folds.groupby("strategy", sort=False)["split"].nunique()
        counts = ", ".join(f"{n} {strategy}" for strategy, n in splits.items())
        shown = self.summary()[["mean", "std", "25%", "50%", "75%", "iqr", "undefined"]]
        return (
            f"CVSpread: {counts} splits; class {self.pos_label!r} has {self.rate:.2%} of rows\n"
            f"{shown.round(4).to_string()}"
        )


def cv_spread(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    strategies: Mapping[str, Any] | None = None,
    scoring: Scoring = DEFAULT_SCORING,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> CVSpread:
    """Score a classifier of two classes on many random splits, made by one strategy or more.

    Parameters
    ----------
    estimator : classifier
        Cloned and fitted once a split, for all metrics.
    X : data frame (pandas, polars) or array of n rows, default=None
    y : sequence of n labels, default=None
        Of two classes. The last in sorted order is the positive one, as in scikit-learn.
    strategies : dict of {str: splitter}, default=None
        Splitters of scikit-learn, or anything else its ``check_cv`` takes. By default
        ``{"vanilla": ShuffleSplit, "stratified": StratifiedShuffleSplit}``, each of 100 splits
        with ``test_size=0.2`` and the ``random_state``; with ``groups``,
        ``{"grouped": GroupShuffleSplit}`` of the same.
    scoring : str, callable, list or dict, default=("nll", "brier", "roc_auc", "average_precision")
        Names: "nll" (mean negative log likelihood, in nats) and "brier" (mean squared difference
        of chance and outcome) are losses: 0 is perfect, and less is better. "roc_auc" and
        "average_precision": more is better. All other names are those of scikit-learn with the
        sign they have there: "neg_log_loss" is minus "nll". Callables take a fitted estimator, X
        and y (and ``sample_weight`` if there are weights), as scikit-learn's scorers do.

        On test rows of one class the two losses are defined, the average precision is 1 (all
        positive) or 0, and the area under the ROC curve is NaN. All those names do so; for others
        it is as scikit-learn or the callable has it.
    sample_weight : sequence of n numbers, default=None
        Weights of rows, 0 or more: passed to every metric, and to ``fit`` as
        ``weighted_cross_validate`` does (see its notes).
    groups : sequence of n values, default=None
        Passed to the splitters.
    random_state : int, Generator or RandomState, default=None
        Of the default strategies.
    n_jobs : int, default=None
        Splits of all strategies are one queue of jobs. The result is the same for any number.
    progress : bool, default=False
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.

    Returns
    -------
    CVSpread

    Warns
    -----
    VtreatWarning
        Once, if the training or test rows of some splits are of one class. A split whose training
        rows are is not fitted, and its scores are NaN; it is counted, and in no mean.

    Raises
    ------
    InvalidOptionError
        If indexes differ, y is missing somewhere or not of two classes, weights are negative,
        missing or taken neither by the estimator nor a metric, or a metric is unknown; if the
        estimator is no classifier, or a strategy cannot divide the rows.
    OptionTypeError
        If ``strategies`` or an entry of ``scoring`` is of another type.

    Notes
    -----
    Stratified folds hold the same number of rows of each class. If one class is rare, the number
    of its rows is most of what moves log loss and Brier score from sample to sample, so that
    these look much surer on stratified folds than they are: compare ``iqr`` in the summary.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from vtreat_py.evaluation import cv_spread
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(1000, 2))
    >>> y = random.random(1000) < 0.04
    >>> spread = cv_spread(LogisticRegression(), X, y, scoring=["nll"], random_state=0)
    >>> spread.summary()["iqr"].round(3)
    strategy    metric
    vanilla     nll       0.050
    stratified  nll       0.004
    Name: iqr, dtype: float64
    """
    check_classifier(estimator)
    check_jobs(n_jobs)
    if X is None or y is None:
        raise InvalidOptionError("X or y is missing: the rows to divide, and their classes")
    rows = LabelledRows.checked(X, y, sample_weight, groups)
    scorers = ClassifierScorers.of_scoring(
        scoring, pos_label=rows.pos_label, weighted=sample_weight is not None
    )
    if rows.weight is not None:
        check_weight_reaches(estimator)
    if strategies is None:
        strategies = default_strategies(groups, random_state)
    folds = score_folds(
        estimator,
        rows,
        scorers,
        strategies,
        groups=groups,
        n_jobs=n_jobs,
        progress=check_flag("progress", progress),
    )
    _warn_of_missing_classes(folds)
    return CVSpread(folds, rows.pos_label, rows.rate, scorers.proper)


def _warn_of_missing_classes(folds: pd.DataFrame) -> None:
    """Count the splits in which a class is missing, and name the scores that are undefined."""
    splits = folds.drop_duplicates(["strategy", "split"])
    found = [
        f"{number} of {len(group)} {part} folds of strategy {strategy!r}"
        for strategy, group in splits.groupby("strategy", sort=False)
        for part, rate in (("test", "rate_test"), ("training", "rate_train"))
        if (number := int((~group[rate].between(0, 1, inclusive="neither")).sum()))
    ]
    if found:
        undefined = folds.loc[folds["score"].isna(), "metric"].unique().tolist()
        scores = f"{listed(undefined)} are undefined (NaN) in some" if undefined else "all defined"
        warn(f"fewer than two classes in {' and '.join(found)}; of the scores, {scores}")


def _draw_strip(ax: Any, scores: Any, place: int) -> None:
    """Dots in a strip around a place on the y axis, with their quartiles."""
    shift = np.random.default_rng(0).uniform(-0.18, 0.18, len(scores))
    ax.plot(scores, place + shift, "o", ms=4, mew=0, alpha=0.45, color="#0072B2")
    if len(scores):
        low, median, high = np.quantile(scores, [0.25, 0.5, 0.75])
        ax.plot([low, high], [place, place], lw=5, color="#D55E00", solid_capstyle="butt")
        ax.plot(median, place, "|", ms=22, mew=2, color="#D55E00")
