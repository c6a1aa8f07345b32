"""From the predictions of several models to which of them differ by more than chance."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from typing import Any

import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.evaluation._inputs import finite_numbers
from vtreat_py.evaluation._paired_rows import as_frame
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation.randomization import randomization_test


def compare_models(
    scores: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    adjust: str | None = "holm",
    n_resamples: int = 99_999,
    rng: Any = None,
) -> pd.DataFrame:
    """Compare every two models by Fisher's randomization test of their paired scores.

    Parameters
    ----------
    scores : DataFrame of shape (n, n_models)
        A row for each row (or group) that was scored, a column for each model, such as
        `per_row_loss` and `per_group_metric` give. For several metrics, columns of two levels,
        (metric, model), as ``pandas.concat({"log": losses, ...}, axis=1)`` makes them.
    groups : array of shape (n,) or None
        Rows of the same label go together, as in `randomization_test`.
    sample_weight : array of shape (n,) or None
    adjust : str or None
        How p-values are adjusted for their number, over all pairs and metrics together: a method
        of `statsmodels.stats.multitest.multipletests`, such as "holm", "fdr_bh", "bonferroni".
        None: not at all.
    n_resamples : int
    rng : None, int or Generator
        A whole number is used for every pair anew: p is that of `randomization_test` with it.

    Returns
    -------
    DataFrame
        A row for each two models and metric, and the columns

        * ``model_a``, ``model_b``;
        * ``metric``: the metric, or the name of the columns of ``scores`` (such as the loss);
        * ``difference``: mean score of a minus that of b. Of losses, lower is better: a negative
          difference is in favour of model a. Of metrics of which higher is better, a positive one;
        * ``p``: two-sided p-value;
        * ``adjusted_p``: p after adjustment.

    Raises
    ------
    InvalidOptionError
        If there are fewer than two models, two of the same name, missing scores, or an unknown
        method of adjustment.

    Notes
    -----
    "holm" bounds the probability of calling any difference real that is not, whatever the
    dependence between pairs. "fdr_bh" bounds the expected share of such differences among those
    called real.

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
    >>> compare_models(losses).round(3).drop(columns="metric")
      model_a   model_b  difference      p  adjusted_p
    0  linear     trees        0.15  0.008       0.023
    1  linear  constant       -0.05  0.438       0.438
    2   trees  constant       -0.20  0.031       0.062
    """
    scores = as_frame(scores, "scores")
    if adjust is not None and not isinstance(adjust, str):
        raise OptionTypeError(f"adjust={shown(adjust)}; it must be a name such as 'holm', or None")
    options: dict[str, Any] = {"groups": groups, "sample_weight": sample_weight}
    options |= {"n_resamples": n_resamples, "rng": rng}
    rows = []
    for metric, of_metric in _by_metric(scores).items():
        names = of_metric.columns
        if len(names) < 2:
            raise InvalidOptionError(f"scores has models {listed(list(names))}; give at least two")
        if names.has_duplicates:
            twice = list(names[names.duplicated()].unique())
            raise InvalidOptionError(f"scores has several columns of the name {listed(twice)}")
        for name in names:
            finite_numbers(of_metric[name], f"scores[{name!r}]")
        for a, b in combinations(names, 2):
            found = randomization_test(of_metric[a], of_metric[b], **options)
            rows.append((a, b, metric, found.statistic, found.pvalue))
    table = pd.DataFrame(rows, columns=["model_a", "model_b", "metric", "difference", "p"])
    return table.assign(adjusted_p=_adjusted(table["p"].to_numpy(), adjust))


def _by_metric(scores: pd.DataFrame) -> dict[Hashable, pd.DataFrame]:
    columns = scores.columns
    if columns.nlevels == 1:
        return {columns.name or "score": scores}
    if columns.nlevels > 2:
        raise InvalidOptionError(
            f"scores has columns of {columns.nlevels} levels; give one (model) or two "
            "(metric, model)"
        )
    return {metric: scores[metric] for metric in columns.get_level_values(0).unique()}


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
