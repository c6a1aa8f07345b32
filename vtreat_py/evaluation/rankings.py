"""How well rankers rank: metrics of each query."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias, TypeGuard, get_args

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, meant
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import (
    check_length,
    check_one_of,
    checked_weight,
    finite_numbers,
    one_dimensional,
)
from vtreat_py.evaluation._numbers_shown import readable
from vtreat_py.evaluation._paired_rows import as_frame, check_no_missing, units
from vtreat_py.evaluation._ranked import RankedQueries
from vtreat_py.evaluation._ranking_formulas import METRICS, Gains, Metric
from vtreat_py.evaluation._refusals import refused_as, shown

Gain: TypeAlias = Literal["exponential", "linear"]
Ties: TypeAlias = Literal["expected", "order"]

# Gains are two to the power of relevance, and floats are to hold sums of them.
_GREATEST = 900.0
_NAME = re.compile(r"([a-z]+)(?:@([1-9][0-9]{0,8}))?")


def ranking_metrics(
    relevance: Any,
    scores: Any,
    groups: Any = None,
    *,
    sizes: Any = None,
    metrics: Sequence[str] | str = ("ndcg@10", "map"),
    gain: Gain = "exponential",
    max_relevance: float | None = None,
    ties: Ties = "expected",
    without_relevant: float | Literal["drop"] = float("nan"),
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Find metrics of each query's ranking: documents in the order of their scores.

    Parameters
    ----------
    relevance : array of shape (n,)
        How relevant each document is to its query: 0, not at all, or more. Of metrics that tell
        relevant documents from others, those above 0 are relevant.
    scores : array of shape (n,), array or frame of shape (n, m), or dict
        Scores of one ranker, the greatest for what comes first; or a column for each ranker; or a
        dict from each ranker's name to its scores.
    groups : array of shape (n,), default=None
        Label of each document's query, in any order.
    sizes : array of int, shape (q,), default=None
        In place of ``groups``: numbers of documents of the queries, which follow each other, as
        LightGBM and XGBoost take them.
    metrics : sequence of str or str, default=("ndcg@10", "map")
        Of ``"ndcg"``, ``"dcg"``, ``"map"`` (average precision), ``"mrr"`` (reciprocal rank),
        ``"err"`` (expected reciprocal rank), ``"precision"`` and ``"recall"``, each over all
        documents, or over the first k of a ranking as in ``"ndcg@10"``.
    gain : {"exponential", "linear"}, default="exponential"
        What relevance is worth in ``"ndcg"`` and ``"dcg"``: ``2**relevance - 1``, as LightGBM
        has it, or the relevance itself, as scikit-learn and trec_eval do.
    max_relevance : float, default=None
        For ``"err"``: the greatest relevance that there may be, at which a reader stops with
        probability ``1 - 2**-max_relevance``. None: the greatest of all these documents, so that
        queries of another frame may be on another scale.
    ties : {"expected", "order"}, default="expected"
        Documents of one score: the mean over all their orders, which is exact; or as they come,
        as a ranker that sorts would return them.
    without_relevant : float or "drop", default=nan
        What queries without a relevant document have in ``"ndcg"``, ``"map"`` and ``"recall"``,
        which are not defined there (0 in scikit-learn and trec_eval, 1 in LightGBM); the others
        are 0. "drop": such queries are left out, whatever the metric.
    sample_weight : array of shape (n,) or (q,), default=None
        Weights of queries, in the order in which they come first; or of their documents, which
        must be the same in each query.

    Returns
    -------
    DataFrame
        A row for each query, in the order in which they come first, with its label as the index;
        and a column for each metric. Of several rankers, columns are (metric, ranker), as
        `compare_models` takes them. With weights there is a column ``"weight"`` behind
        (``("weight", "")`` of several rankers).

    Raises
    ------
    InvalidOptionError
        If lengths or indexes differ, a query has no label, relevance is missing, negative or
        beyond what floats hold, scores are missing, there is no such metric, or both or neither of
        ``groups`` and ``sizes`` are given.

    See Also
    --------
    compare_models : Which of several rankers differ by more than chance.

    Notes
    -----
    With relevance r and gain g at rank i, and R relevant documents in the query:

    * DCG is the sum of ``g / log2(i + 1)``, NDCG the same over that of the best order;
    * average precision is the sum, over relevant documents, of the share of relevant documents
      down to their rank, over R, also where only the first k count;
    * precision@k is over k, however many documents there are;
    * ERR is the sum of ``p / i`` times the probability that no earlier document satisfied, with
      ``p = (2**r - 1) / 2**max_relevance``.

    Ties cost no time but in "err", where it grows with the square of the documents in a tie.

    References
    ----------
    F. McSherry and M. Najork, "Computing information retrieval performance measures efficiently in
    the presence of tied scores", ECIR 2008.
    O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, "Expected reciprocal rank for graded
    relevance", CIKM 2009.

    Examples
    --------
    >>> from vtreat_py.evaluation import ranking_metrics
    >>> relevance, query = [2, 0, 1, 0, 1], ["a", "a", "a", "b", "b"]
    >>> ranking_metrics(relevance, [0.9, 0.5, 0.1, 0.7, 0.2], query, metrics=["ndcg", "mrr"])
          ndcg  mrr
    a  0.96394  1.0
    b  0.63093  0.5
    >>> both = {"old": [0.9, 0.5, 0.1, 0.7, 0.2], "new": [0.9, 0.5, 0.6, 0.7, 0.7]}
    >>> ranking_metrics(relevance, both, query, metrics="mrr")["mrr"]  # b ties in "new"
       old   new
    a  1.0  1.00
    b  0.5  0.75
    """
    asked = {name: _named(name) for name in _names(metrics)}
    _check_same_documents(relevance, scores, groups, sample_weight)
    query, labels = _queries(relevance, groups, sizes)
    truth = _relevance(relevance, len(query))
    gains = _gains(truth, gain, max_relevance)
    check_one_of(get_args(Ties), "ties", ties)
    instead = _instead(without_relevant)
    has_relevant = np.bincount(query, truth > 0, len(labels)) > 0
    found = {}
    for ranker, values in _rankers(scores).items():
        numbers = _scores(values, len(query), ranker)
        ranked = RankedQueries.of(truth, numbers, query, ties_in_order=ties == "order")
        for name, (metric, most) in asked.items():
            of_queries = metric(ranked, gains, most)
            found[name, ranker] = np.where(np.isnan(of_queries), instead, of_queries)
    table = _table(found, list(asked), labels)
    if sample_weight is not None:
        key: Hashable = "weight" if table.columns.nlevels == 1 else ("weight", "")
        table[key] = _weight_of_queries(sample_weight, query, labels)
    return table[has_relevant] if without_relevant == "drop" else table


def _names(metrics: Any) -> list[str]:
    names = [metrics] if isinstance(metrics, str) else list(_iterable(metrics))
    if not names:
        raise InvalidOptionError("metrics is empty; give at least one name, such as 'ndcg@10'")
    if len(set(map(str, names))) < len(names):
        raise InvalidOptionError(f"metrics={shown(metrics)} names one of them twice")
    return names


def _iterable(metrics: Any) -> Any:
    with refused_as(f"metrics={shown(metrics)} must be a name, or a list of names"):
        return iter(metrics)


def is_ranking_metric(name: Any) -> TypeGuard[str]:
    """Whether a metric is one of rankings, by its name."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    return match is not None and match[1] in METRICS


def ranking_scorer(name: str, relevance: Any, groups: Any) -> Callable[[Any, str], FloatArray]:
    """Give the function from scores, and what they are called, to a metric of each query."""

    def score(values: Any, what: str) -> FloatArray:
        check_length(values, len(relevance), what)
        found = ranking_metrics(relevance, values, np.asarray(groups), metrics=name)
        return found[name].to_numpy()

    return score


def _named(name: Any) -> tuple[Metric, float]:
    """The metric of a name, and of how many documents it is."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None or match[1] not in METRICS:
        known = ", ".join(f'"{one}"' for one in METRICS)
        raise InvalidOptionError(
            f"metrics has {shown(name)}; it must be one of {known}, of all documents or of the "
            f'first k, as "ndcg@10"{meant(str(name).partition("@")[0], METRICS)}'
        )
    return METRICS[match[1]], float(match[2] or "inf")


def _check_same_documents(relevance: Any, scores: Any, groups: Any, sample_weight: Any) -> None:
    named = {"scores": scores}
    if isinstance(scores, Mapping):
        named = {f"scores[{ranker!r}]": values for ranker, values in scores.items()}
    others = {"groups": groups, "sample_weight": sample_weight}
    check_same_rows({"relevance": relevance, **named, **others})


def _queries(relevance: Any, groups: Any, sizes: Any) -> tuple[IntArray, pd.Index]:
    """Query of each document, and the labels of queries."""
    if (groups is None) == (sizes is None):
        raise InvalidOptionError(
            "give either groups, the query of each document, or sizes, how many each query has"
        )
    n_rows = len(one_dimensional(relevance, "relevance"))
    if not n_rows:
        raise InvalidOptionError("relevance is empty; give at least one document")
    if groups is not None:
        query = units(groups, n_rows)
        with refused_as("groups must hold labels"):
            return query, pd.Index(one_dimensional(groups, "groups")).unique()
    counts = finite_numbers(sizes, "sizes")
    bad = np.flatnonzero((counts < 1) | (counts != np.floor(counts)))
    if len(bad):
        raise InvalidOptionError(
            f"sizes has {counts[bad[0]]:g} at place {bad[0]}; each query has a whole number of "
            "documents, 1 or more"
        )
    if counts.sum() != n_rows:
        raise InvalidOptionError(f"sizes sum to {readable(counts.sum())}, for {n_rows} documents")
    return np.repeat(np.arange(len(counts)), counts.astype(np.int64)), pd.RangeIndex(len(counts))


def _relevance(relevance: Any, n_rows: int) -> FloatArray:
    truth = finite_numbers(relevance, "relevance")
    check_length(truth, n_rows, "relevance")
    low, high = int(np.argmin(truth)), int(np.argmax(truth))
    if truth[low] < 0 or truth[high] > _GREATEST:
        row = low if truth[low] < 0 else high
        raise InvalidOptionError(
            f"relevance is {truth[row]:g} in row {row}; it must be from 0 to {_GREATEST:g}"
        )
    return truth


def _gains(truth: FloatArray, gain: Any, max_relevance: Any) -> Gains:
    check_one_of(get_args(Gain), "gain", gain)
    greatest = float(truth.max())
    if max_relevance is not None:
        given = check_number("max_relevance", max_relevance, 0, _GREATEST)
        if given < greatest:
            raise InvalidOptionError(
                f"max_relevance={given:g}, but relevance is up to {greatest:g}"
            )
        greatest = given
    return Gains(gain == "exponential", greatest)


def _instead(without_relevant: Any) -> float:
    """What a metric has where it is not defined."""
    if isinstance(without_relevant, str):
        check_one_of(["drop"], "without_relevant", without_relevant)
        return float("nan")
    if isinstance(without_relevant, bool) or not isinstance(without_relevant, Real):
        raise OptionTypeError(
            f'without_relevant={shown(without_relevant)}; it must be a number, NaN, or "drop"'
        )
    return float(without_relevant)


def _rankers(scores: Any) -> dict[Any, Any]:
    """Scores by ranker; of one that has no name by None."""
    if isinstance(scores, Mapping):
        if not scores:
            raise InvalidOptionError("scores is an empty dict; give at least one ranker's")
        return dict(scores)
    with refused_as("scores cannot be read as an array"):
        is_one = np.ndim(scores) == 1
    if is_one:
        return {None: scores}
    frame = as_frame(scores, "scores")
    if not frame.shape[1]:
        raise InvalidOptionError("scores has no columns")
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InvalidOptionError(f"scores has several columns of the name {twice!r}")
    return dict(frame.items())


def _scores(values: Any, n_rows: int, ranker: Any) -> FloatArray:
    """Read the scores of one ranker; infinite ones can be ranked, too."""
    what = "scores" if ranker is None else f"scores[{ranker!r}]"
    array = one_dimensional(values, what)
    check_length(array, n_rows, what)
    check_no_missing(array, what)
    with refused_as(f"{what} must hold numbers"):
        return np.asarray(array, dtype=np.float64)


def _weight_of_queries(sample_weight: Any, query: IntArray, labels: pd.Index) -> FloatArray:
    given, n_queries = one_dimensional(sample_weight, "sample_weight"), len(labels)
    if len(given) == n_queries:
        if n_queries < len(query):
            check_same_rows({"queries": labels.to_series(), "sample_weight": sample_weight})
        return checked_weight(given, n_queries)
    weight = checked_weight(given, len(query))
    of_query = np.empty(n_queries)
    of_query[query] = weight
    differs = np.flatnonzero(weight != of_query[query])
    if len(differs):
        raise InvalidOptionError(
            f"sample_weight is {weight[differs[0]]:g} in row {differs[0]}, and "
            f"{of_query[query[differs[0]]]:g} in another row of the same query; a query has one "
            "weight"
        )
    return of_query


def _table(
    found: Mapping[tuple[str, Any], FloatArray], metrics: list[str], labels: pd.Index
) -> pd.DataFrame:
    """Put metrics beside each other; of several rankers, columns are (metric, ranker)."""
    rankers = list(dict.fromkeys(ranker for _, ranker in found))
    keys = [(metric, ranker) for metric in metrics for ranker in rankers]
    table = pd.DataFrame(np.column_stack([found[key] for key in keys]), index=labels)
    one = rankers == [None]
    table.columns = pd.Index(metrics) if one else pd.MultiIndex.from_tuples(keys)
    return table
