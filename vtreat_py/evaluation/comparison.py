"""From the scores of several models to which of them differ by more than chance."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import combinations
from numbers import Integral
from typing import Any, get_args

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_flag, check_number
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.jobs import run_jobs
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._inputs import (
    check_jobs,
    check_one_of,
    near_one,
    random_numbers,
    times_power,
    whole_number,
)
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._scored_models import ScoredModels, is_of_data_sets, read_scores
from vtreat_py.evaluation._spread_intervals import check_level
from vtreat_py.evaluation._test_inversion import ROUNDINGS, SubsetMeans
from vtreat_py.evaluation.randomization import Alternative, randomization_test

# Intervals look at no more patterns than this: their ends wobble by less than their width tells.
_PATTERNS_OF_INTERVALS = 9_999
# A standard deviation below this share of the greatest difference is rounding.
_NO_DEVIATION = 1e-12


@renamed(rng="random_state")
def compare_models(
    scores: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    alternative: Alternative = "two-sided",
    adjust: str | None = "holm",
    level: float = 0.95,
    margin: float | None = None,
    missing: str | float = "raise",
    n_resamples: int = 99_999,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Compare every two models by Fisher's randomization test of their paired scores.

    Parameters
    ----------
    scores : DataFrame of shape (n, n_models), or dict of them
        A row for each row (or group, or query) that was scored, a column for each model, such as
        `per_row_loss`, `per_group_metric` and `ranking_metrics` give. For several metrics, columns
        of two levels, (metric, model), as ``pandas.concat({"log": losses, ...}, axis=1)`` makes
        them. Of several data sets a dict from the name of each to its scores.
    groups : array of shape (n,), default=None
        Rows of the same label go together, as in `randomization_test`. Of several data sets a
        dict.
    sample_weight : array of shape (n,), default=None
        Of several data sets a dict.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What ``p`` is for; "greater": model a has the larger mean score.
    adjust : str, default="holm"
        How p-values are adjusted for their number, over all pairs, metrics and data sets together:
        a method of `statsmodels.stats.multitest.multipletests`, such as "holm", "fdr_bh",
        "bonferroni". None: not at all.
    level : float, default=0.95
        Of the intervals.
    margin : float, default=None
        Mean differences smaller than this count as none: two models are equivalent where the
        difference is shown to lie between ``-margin`` and ``margin`` (two one-sided tests).
    missing : "raise", "drop" or float, default="raise"
        Scores that are missing, as those of queries without relevant documents: an error; rows
        in which a model's score by the metric is missing are left out; or they count as this
        number.
    n_resamples : int, default=99_999
        Patterns that the tests look at; intervals look at 9,999 of them at most.
    random_state : None, int or Generator, default=None
        A whole number is used for every pair anew: p is that of `randomization_test` with it.
    n_jobs : int, default=None
        Pairs at a time, as in scikit-learn. With a whole number for ``random_state`` the result
        does not depend on it.
    progress : bool, default=False
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.

    Returns
    -------
    DataFrame
        A row for each two models, metric and data set, and the columns

        * ``data_set``: where there are several;
        * ``model_a``, ``model_b``;
        * ``metric``: the metric, or the name of the columns of ``scores`` (such as the loss);
        * ``difference``: mean score of a minus that of b. Of losses, lower is better: a negative
          difference is in favour of model a. Of metrics of which higher is better, a positive one;
        * ``p``: p-value for the alternative;
        * ``adjusted_p``: p after adjustment;
        * ``p_greater``, ``p_less``: one-sided p-values;
        * ``standard_error``: of the difference, estimated from how rows (or groups) differ;
        * ``low``, ``high``: the mean differences that the test does not reject at 1 - ``level``;
          infinite where there are too few pairs to reject any, and on one side for one-sided
          alternatives;
        * ``effect_size``: difference over the standard deviation of the paired differences
          (Cohen's d of paired scores);
        * ``n``: rows that were compared;
        * ``p_equivalent``, ``adjusted_p_equivalent``: with a ``margin``, p-values of the hypothesis
          that the mean difference is that much or more, in either direction; adjusted by
          themselves.

    Raises
    ------
    InvalidOptionError
        If there are fewer than two models, two of the same name, missing scores, or an unknown
        method of adjustment.

    See Also
    --------
    comparison_report : The same with the performance of each model, to be read and drawn.
    queries_needed : How many rows it takes to find a difference.
    resampled_test : Of models trained on several samples.

    Notes
    -----
    "holm" bounds the probability of calling any difference real that is not, whatever the
    dependence between pairs. "fdr_bh" bounds the expected share of such differences among those
    called real.

    Intervals and tests of equivalence suppose that differences are symmetric about their mean,
    which is so under the hypothesis of `randomization_test`, and not always elsewhere. Of lopsided
    differences intervals of .95 hold the mean in .90 to .94 of studies with 50 rows, and a mean at
    the margin is called equivalent at .05 in .08 to .13 of them (benchmarks/comparison_study.txt).

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py.evaluation import compare_models
    >>> losses = pd.DataFrame(
    ...     {
    ...         "linear": [0.3, 0.2, 0.5, 0.4, 0.6, 0.3, 0.4, 0.5],
    ...         "trees": [0.2, 0.1, 0.3, 0.3, 0.4, 0.2, 0.2, 0.3],
    ...         "constant": [0.5, 0.1, 0.6, 0.3, 0.7, 0.4, 0.3, 0.7],
    ...     }
    ... )
    >>> found = compare_models(losses)
    >>> found[["model_a", "model_b", "difference", "p", "adjusted_p"]].round(3)
      model_a   model_b  difference      p  adjusted_p
    0  linear     trees        0.15  0.008       0.023
    1  linear  constant       -0.05  0.438       0.438
    2   trees  constant       -0.20  0.031       0.062
    >>> found[["low", "high", "effect_size"]].round(2)
        low  high  effect_size
    0  0.10  0.20         2.81
    1 -0.17  0.10        -0.38
    2 -0.33 -0.05        -1.32
    """
    _check_options(adjust, alternative, level, margin)
    check_jobs(n_jobs)
    pairs = [
        (scored, *pair)
        for scored in read_scores(scores, groups, sample_weight, missing)
        for pair in combinations(scored.scores, 2)
    ]
    compare = partial(
        _compared,
        alternative=alternative,
        level=level,
        margin=margin,
        n_resamples=whole_number(n_resamples, "n_resamples", 1),
    )
    jobs = list(zip(pairs, _seeds(random_state, len(pairs)), strict=True))
    rows = run_jobs(compare, jobs, n_jobs, progress=check_flag("progress", progress), unit="pair")
    table = _with_adjusted(pd.DataFrame(rows), adjust)
    return table if is_of_data_sets(scores) else table.drop(columns="data_set")


def _compared(
    job: tuple[tuple[ScoredModels, Hashable, Hashable], Any],
    *,
    alternative: Alternative,
    level: float,
    margin: float | None,
    n_resamples: int,
) -> dict[str, Any]:
    """Compare two models: a row of the table."""
    (scored, a, b), seed = job
    pair, exponent = near_one(np.stack([scored.scores[a], scored.scores[b]]))
    found = randomization_test(
        scored.scores[a],
        scored.scores[b],
        groups=scored.unit,
        sample_weight=scored.weight,
        alternative=alternative,
        n_resamples=n_resamples,
        random_state=seed,
    )
    subsets = _subset_means(pair, scored, n_resamples, seed)
    low, high = times_power(subsets.interval(level, alternative), exponent)
    row = {
        "data_set": scored.data_set,
        "model_a": a,
        "model_b": b,
        "metric": scored.metric,
        "difference": found.statistic,
        "p": found.pvalue,
        "adjusted_p": found.pvalue,
        "p_greater": found.pvalue_greater,
        "p_less": found.pvalue_less,
        "standard_error": found.standard_error,
        "low": low,
        "high": high,
        "effect_size": _effect_size(pair, scored.weight),
        "n": pair.shape[1],
    }
    if margin is not None:
        row["p_equivalent"] = row["adjusted_p_equivalent"] = subsets.equivalent(
            float(np.ldexp(margin, -exponent))
        )
    return row


def _subset_means(
    pair: FloatArray, scored: ScoredModels, n_resamples: int, seed: Any
) -> SubsetMeans:
    return SubsetMeans.of(
        pair[0] - pair[1],
        scored.weight,
        scored.unit,
        min(n_resamples, _PATTERNS_OF_INTERVALS),
        random_numbers(seed),
        greatest=float(np.abs(pair).max()),
    )


def _effect_size(pair: FloatArray, weight: FloatArray) -> float:
    """Mean difference over its standard deviation; NaN of one row, or where none differs more."""
    difference = pair[0] - pair[1]
    least = max(_NO_DEVIATION * np.abs(difference).max(), ROUNDINGS * np.abs(pair).max())
    mean = float(np.average(difference, weights=weight))
    squares = float(np.average(np.square(difference - mean), weights=weight))
    n = int(np.count_nonzero(weight))
    if n < 2 or squares <= least**2:
        return float("nan")
    return mean / float(np.sqrt(squares * n / (n - 1)))


def _seeds(random_state: Any, n_pairs: int) -> list[Any]:
    """What each pair draws by: a whole number anew, else numbers drawn from what was given."""
    if isinstance(random_state, Integral):
        return [random_state] * n_pairs
    return list(random_numbers(random_state).integers(2**63, size=n_pairs))


def _with_adjusted(table: pd.DataFrame, adjust: str | None) -> pd.DataFrame:
    adjusted = {
        column: _adjusted(table[column].to_numpy(), adjust)
        for column in ("adjusted_p", "adjusted_p_equivalent")
        if column in table
    }
    return table.assign(**adjusted)


def _adjusted(p: FloatArray, method: str | None) -> Any:
    if method is None:
        return p
    from statsmodels.stats.multitest import multipletests

    try:
        return multipletests(p, method=method)[1]
    except ValueError as reason:
        raise InvalidOptionError(
            f"adjust={method!r} is no method of statsmodels' multipletests, which knows "
            '"holm", "fdr_bh", "fdr_by", "bonferroni", "hommel" and others; or give None'
        ) from reason


def _check_options(adjust: Any, alternative: Any, level: Any, margin: Any) -> None:
    if adjust is not None and not isinstance(adjust, str):
        raise OptionTypeError(f"adjust={shown(adjust)}; it must be a name such as 'holm', or None")
    check_one_of(get_args(Alternative), "alternative", alternative)
    check_level(level)
    if margin is not None and not check_number("margin", margin, 0):
        raise InvalidOptionError("margin=0; no two models are equivalent within no distance")
