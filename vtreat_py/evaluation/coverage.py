"""How often intervals from cross-validation hold the true score: a study on known populations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.figures import axes_or_new
from vtreat_py.base.jobs import run_jobs
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._classifier_scorers import (
    DEFAULT_SCORING,
    ClassifierScorers,
    Scoring,
    check_classifier,
)
from vtreat_py.evaluation._fold_scores import LabelledRows, default_strategies, score_folds
from vtreat_py.evaluation._inputs import check_jobs, finite_numbers, one_dimensional, whole_number
from vtreat_py.evaluation._paired_rows import standard_error_of_mean
from vtreat_py.evaluation._populations import Population, Sampler, as_population
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation._spread_intervals import (
    METHODS,
    Interval,
    check_level,
    check_method,
    one_metric,
    score_intervals,
)
from vtreat_py.evaluation._weighted_model import fitted_clone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What a sample is drawn for.
_SAMPLE = ["size", "rate", "seed"]
_CELL = ["size", "rate", "model", "strategy", "metric", "method"]
_COLUMNS = ["size", "rate", "seed", "model", "strategy", "metric", "method"]
_COLUMNS += ["truth", "low", "high", "covered", "width"]


@dataclass(frozen=True, eq=False)
class CoverageStudy:
    """Intervals from cross-validation beside the truth.

    Attributes
    ----------
    table : DataFrame
        A row for each interval. Columns ``size``, ``rate``, ``seed``, ``model``, ``strategy``,
        ``metric`` and ``method`` say which one it is; ``truth``, ``low``, ``high`` and ``width``
        are numbers in the units of the metric; ``covered`` is whether the truth is between low
        and high. All of the latter are missing where the sample has fewer than two rows of
        a class, so that no split can learn it and test on it, and ``low``, ``high``, ``width``
        and ``covered`` where no fold has a defined score.
    level : float
        The coverage that the intervals are meant to have.

    See Also
    --------
    coverage_study : Makes one.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from vtreat_py.evaluation import coverage_study
    >>> def coin(size, rate, rng):
    ...     return rng.random((size, 1)), rng.random(size) < rate
    >>> study = coverage_study(
    ...     coin, {"prior": DummyClassifier()}, sizes=[200], rates=[0.3], seeds=range(3),
    ...     scoring=["brier"], methods=["nadeau-bengio"], truth_size=1000)
    >>> study.table[["seed", "strategy", "truth", "low", "high", "covered"]].round(3).head(2)
       seed    strategy  truth    low   high  covered
    0     0     vanilla  0.218  0.221  0.236    False
    1     0  stratified  0.218  0.228  0.228    False
    """

    table: pd.DataFrame
    level: float

    def coverage(self, by: Sequence[str] = tuple(_CELL)) -> pd.DataFrame:
        """Count the intervals that hold the truth.

        Parameters
        ----------
        by : list of str, default=("size", "rate", "model", "strategy", "metric", "method")
            Columns of ``table`` to tell apart; over all others, intervals are counted together.

        Returns
        -------
        DataFrame
            A row for each combination. Columns ``n`` (intervals that are defined), ``undefined``
            (those that are not, which count nowhere else), ``covered``, ``coverage``
            (``covered / n``), ``low`` and ``high`` (a 95% interval for the coverage), and
            ``width``, the mean width of the intervals.

        Notes
        -----
        Samples are independent, intervals of one sample (of several models, strategies or
        metrics) are not. ``low`` and ``high`` are Wilson's interval of as many independent
        intervals as would be worth as much: ``p (1 - p) / v``, with the variance v of the share p
        from how samples differ (W. Cochran, Sampling Techniques, 1977, sections 6.3 and 9.2), at
        most n, and the number of samples where the share is 0 or 1 or there is one sample. One
        interval a sample is Wilson's interval as such.

        Examples
        --------
        >>> from sklearn.dummy import DummyClassifier
        >>> from vtreat_py.evaluation import coverage_study
        >>> def coin(size, rate, rng):
        ...     return rng.random((size, 1)), rng.random(size) < rate
        >>> study = coverage_study(
        ...     coin, {"prior": DummyClassifier()}, sizes=[200], rates=[0.3], seeds=range(8),
        ...     scoring=["brier"], level=0.9, methods=["nadeau-bengio"], truth_size=1000)
        >>> study.coverage(["strategy"])[["n", "covered", "coverage"]].reset_index()
             strategy  n  covered  coverage
        0     vanilla  8        7     0.875
        1  stratified  8        0     0.000
        """
        by = [by] if isinstance(by, str) else _several("by", by)
        if not by or any(not isinstance(name, str) or name not in _COLUMNS[:7] for name in by):
            raise InvalidOptionError(
                f"by is {shown(by)}; one or more of {', '.join(_COLUMNS[:7])} are wanted"
            )
        rows = {}
        for of, group in self.table.groupby(by, sort=False):
            known = group[group["covered"].notna()]
            n, covered = len(known), int(known["covered"].sum())
            share = _share_of(known) if n else (np.nan, np.nan, np.nan)
            rows[of] = (n, len(group) - n, covered, *share, group["width"].mean())
        columns = ["n", "undefined", "covered", "coverage", "low", "high", "width"]
        index = pd.MultiIndex.from_tuples(rows, names=by)
        return pd.DataFrame(list(rows.values()), index, columns)

    def plot(self, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the coverage of each strategy and method beside the level.

        Parameters
        ----------
        metric, ax
            As for `CVSpread.plot`.

        Returns
        -------
        matplotlib Axes
            A dot for each strategy and method, over all sizes, rates, seeds and models, with its
            95% interval from how samples differ (see `coverage`); a line at the level.

        Examples
        --------
        >>> from sklearn.dummy import DummyClassifier
        >>> from vtreat_py.evaluation import coverage_study
        >>> def coin(size, rate, rng):
        ...     return rng.random((size, 1)), rng.random(size) < rate
        >>> study = coverage_study(
        ...     coin, {"prior": DummyClassifier()}, sizes=[200], rates=[0.3], seeds=range(3),
        ...     scoring=["brier"], methods=["nadeau-bengio"], truth_size=1000)
        >>> study.plot().get_xlabel()
        'share of samples whose interval holds the true brier'
        """
        metric = one_metric(self.table, metric)
        shares = self.coverage(["metric", "strategy", "method"]).loc[metric]
        places = -np.arange(len(shares))
        ax = axes_or_new(ax, figsize=(7.0, 1.4 + 0.45 * len(shares)))
        ax.axvline(self.level, color="#666666", lw=1, ls="--")
        ax.hlines(places, shares["low"], shares["high"], color="#0072B2", lw=3, alpha=0.4)
        ax.plot(shares["coverage"], places, "o", color="#0072B2")
        ax.set_yticks(places, [f"{strategy}, {method}" for strategy, method in shares.index])
        ax.set_xlim(0, 1)
        ax.set_ylim(0.6 - len(shares), 0.6)
        ax.set_xlabel(f"share of samples whose interval holds the true {metric}")
        ax.set_title(f"Intervals that are meant to hold it in {self.level:.0%}", loc="left")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return ax

    def __repr__(self) -> str:
        shown = self.coverage(["strategy", "metric", "method"]).round(4)
        n_samples = len(self.table.drop_duplicates(["size", "rate", "seed"]))
        return (
            f"CoverageStudy: intervals meant to hold the truth in {self.level:.0%} of samples, on "
            f"{n_samples} samples\n{shown.to_string()}"
        )


def _share_of(known: pd.DataFrame) -> tuple[float, float, float]:
    """Share of intervals that hold the truth, and its 95% interval from how samples differ."""
    held = known["covered"].to_numpy(dtype=np.float64)
    sample = known.groupby(_SAMPLE, sort=False).ngroup().to_numpy()
    n, share = len(held), float(held.mean())
    worth = float(sample.max() + 1)
    if 0.0 < share < 1.0 and worth > 1.0:
        variance = standard_error_of_mean(held, np.ones(n), sample) ** 2
        worth = n if variance == 0.0 else min(float(n), share * (1.0 - share) / variance)
    if len(np.unique(sample)) == n:
        worth = n
    return share, *_wilson(share, worth)


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's 95% interval of a share of n, which need not be whole."""
    z = stats.norm.ppf(0.975)
    middle = (share + z**2 / (2.0 * n)) / (1.0 + z**2 / n)
    reach = z / (1.0 + z**2 / n) * np.sqrt(share * (1.0 - share) / n + (z / (2.0 * n)) ** 2)
    return max(0.0, float(middle - reach)), min(1.0, float(middle + reach))


@renamed(estimators="estimator")
def coverage_study(
    population: Sampler | tuple[Any, Any],
    estimator: Any,
    *,
    sizes: Iterable[int],
    rates: Iterable[float],
    seeds: Iterable[int],
    strategies: Mapping[str, Any] | None = None,
    scoring: Scoring = DEFAULT_SCORING,
    level: float = 0.5,
    methods: Sequence[Interval] = METHODS,
    truth_size: int = 100_000,
    n_jobs: int | None = None,
    progress: bool = False,
) -> CoverageStudy:
    """Draw samples, make intervals by cross-validation, and see which hold the true score.

    The true score is what a user of cross-validation wants to know: the expected score, on new
    rows of the population, of the model fitted on *all* rows of the sample. So it differs from
    sample to sample. (Cross-validation estimates it by models fitted on fewer rows, one of the
    reasons why no interval is exact.)

    Parameters
    ----------
    population : callable, or tuple of (X, y)
        A callable of size, rate and a ``numpy.random.Generator`` that returns X and y: so many
        rows, each of the positive class (the last in sorted order) with probability ``rate``.

        Or a table of two classes that is taken as the population itself: a row of a sample is of
        the positive class with probability ``rate``, and then any row of its class, drawn with
        replacement.
    estimator : classifier, or dict of {str: classifier}
        A model, or models by name.
    sizes, rates, seeds : sequences of int, float, int
        A sample is drawn for each size, rate and seed. It depends on these three numbers alone,
        and all models get the same one.
    strategies : dict of {str: splitter}, default=None
        As in ``cv_spread``; the defaults get the seed as their ``random_state``. Give your own
        splitters a ``random_state``, so that the study can be repeated.
    scoring
        As in ``cv_spread``.
    level : float, default=0.5
        Coverage that the intervals are meant to have.
    methods : list of str, default=("iqr", "nadeau-bengio")
        Kinds of interval, as in ``CVSpread.interval``.
    truth_size : int, default=100_000
        Rows of the independent sample on which the true score is measured, drawn anew for each
        sample. The score of a table's model is exact: it is that of all rows of the table,
        weighted so that the classes have their rates. (All metrics must take weights, then.)
    n_jobs : int, default=None
        Samples and models are one queue of jobs. The result is the same for any number.
    progress
        As in ``cv_spread``.

    Returns
    -------
    CoverageStudy

    Raises
    ------
    InvalidOptionError
        If the level is not between 0 and 1, a rate is not, a method or metric is unknown, one of
        the sequences is empty, or the estimator is no classifier.
    OptionTypeError
        If the population is neither a callable nor a tuple of X and y, or the estimator is none.

    Notes
    -----
    What such a study finds for log loss, Brier score and area under the ROC curve, at a level of
    0.5 (``benchmarks/coverage_study.txt``): the range between the quartiles of 25 vanilla folds
    holds the truth in about .7 of samples, that of 100 folds in .8; Nadeau and Bengio's interval
    on vanilla folds holds log loss and Brier score in .5, and the area under the curve in .5 where
    a model has learned what there is to learn, but, of a class of 2%, in .4 where ten columns
    matter a little each.
    On stratified folds of a class of 2%, it holds log loss and Brier score in .2. Average precision
    is a case apart: on the few positive rows of a fold it is biased, and Nadeau and Bengio's
    interval holds the truth too rarely.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
    >>> from vtreat_py.evaluation import coverage_study
    >>> def coin(size, rate, rng):
    ...     return rng.random((size, 1)), rng.random(size) < rate
    >>> study = coverage_study(
    ...     coin,
    ...     {"prior": DummyClassifier()},
    ...     sizes=[1000],
    ...     rates=[0.05],
    ...     seeds=range(20),
    ...     strategies={
    ...         "vanilla": ShuffleSplit(25, test_size=0.2, random_state=0),
    ...         "stratified": StratifiedShuffleSplit(25, test_size=0.2, random_state=0),
    ...     },
    ...     scoring=["brier"],
    ... )
    >>> study.coverage(["strategy", "method"])["covered"].reset_index()
         strategy         method  covered
    0     vanilla            iqr       10
    1     vanilla  nadeau-bengio        9
    2  stratified            iqr        0
    3  stratified  nadeau-bengio        0
    """
    check_level(level)
    check_jobs(n_jobs)
    methods = _several("methods", methods)
    if not methods:
        raise InvalidOptionError(f"methods is empty; {', '.join(METHODS)} are kinds of interval")
    for method in methods:
        check_method(method)
    models = estimator if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
    for name, model in models.items():
        check_classifier(model, f"the estimator {name!r}")
    sizes = [_whole("a size", size, 1) for size in _several("sizes", sizes)]
    seeds = [_whole("a seed", seed, 0) for seed in _several("seeds", seeds)]
    cells = list(product(sizes, _checked_rates(rates), seeds, models))
    if not cells:
        raise InvalidOptionError("sizes, rates, seeds and estimator must each name one at least")
    drawn_from = as_population(population, truth_size)
    study = partial(_intervals, drawn_from, models, strategies, scoring, level, methods)
    progress = check_flag("progress", progress)
    found = run_jobs(study, cells, n_jobs, progress=progress, unit="job")
    return CoverageStudy(pd.concat(found, ignore_index=True), level)


def _several(name: str, values: Any) -> list[Any]:
    """Read the values of an option that takes several."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionTypeError(f"{name}={shown(values)} is one value; give a list, such as [...]")
    with refused_as(f"{name} must be a list"):
        return list(values)


def _whole(name: str, value: Any, least: int) -> int:
    """Read a whole number, which may be written as a float, such as 1e4."""
    is_whole = isinstance(value, float) and value.is_integer()
    return whole_number(int(value) if is_whole else value, name, least)


def _checked_rates(rates: Iterable[float]) -> list[float]:
    checked: list[float] = finite_numbers(_several("rates", rates), "rates").tolist()
    outside = [rate for rate in checked if not 0 < rate < 1]
    if outside:
        raise InvalidOptionError(
            f"rates holds {outside[0]:g}; shares of the positive class, between 0 and 1, are wanted"
        )
    return checked


def _intervals(
    population: Population,
    models: Mapping[str, Any],
    strategies: Mapping[str, Any] | None,
    scoring: Scoring,
    level: float,
    methods: Sequence[str],
    cell: tuple[int, float, int, str],
) -> pd.DataFrame:
    """Draw a sample, fit a model, and set its intervals beside its true scores."""
    size, rate, seed, model = cell
    rng = np.random.default_rng([seed, size, int(np.float64(rate).view(np.uint64))])
    with refused_as("population must return X and y"):
        X, y = population.sample(size, rate, rng)
    large = population.truth(rate, rng)
    scorers = ClassifierScorers.of_scoring(
        scoring, pos_label=large.pos_label, weighted=large.weight is not None
    )
    if strategies is None:
        strategies = default_strategies(None, seed)
    if not _can_be_split(y):
        named = list(product(strategies, scorers.names, methods))
        table = pd.DataFrame(named, columns=["strategy", "metric", "method"])
        table[["truth", "low", "high", "width"]] = np.nan
    else:
        estimator = models[model]
        folds = score_folds(estimator, LabelledRows.checked(X, y), scorers, strategies)
        table = _all_intervals(folds, level, methods)
        true = scorers.scores(fitted_clone(estimator, X, y), large.X, large.y, large.weight)
        table["truth"] = table["metric"].map(true)
    table["covered"] = table["truth"].between(table["low"], table["high"]).astype("boolean")
    table.loc[table[["truth", "low", "high"]].isna().any(axis=1), "covered"] = pd.NA
    return table.assign(size=size, rate=rate, seed=seed, model=model)[_COLUMNS]


def _all_intervals(folds: pd.DataFrame, level: float, methods: Sequence[str]) -> pd.DataFrame:
    tables = [
        score_intervals(folds, level=level, method=method).assign(method=method).reset_index()
        for method in methods
    ]
    return pd.concat(tables).sort_index(kind="stable")  # the methods of a metric side by side


def _can_be_split(y: Any) -> bool:
    """Whether both classes have two rows, one to learn from and one to test on."""
    sizes = np.unique(one_dimensional(y, "y"), return_counts=True)[1]
    return len(sizes) > 1 and bool(sizes.min() > 1)
