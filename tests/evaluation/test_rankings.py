"""Metrics of rankings beside fractions, all orders of ties, scikit-learn and ir_measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import groupby, permutations, product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import dcg_score, get_scorer_names, ndcg_score
from sklearn.pipeline import make_pipeline

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation import (
    bias_variance,
    compare_models,
    per_group_metric,
    ranking_metrics,
)

NAMES = ["ndcg", "dcg", "map", "mrr", "err", "precision", "recall"]
GREATEST = 3


def dcg(rel: Sequence[int], k: int) -> float:
    return float(sum((2**r - 1) / np.log2(i + 2) for i, r in enumerate(rel[:k])))


def ndcg(rel: Sequence[int], k: int) -> float:
    return dcg(rel, k) / dcg(sorted(rel, reverse=True), k)


def average_precision(rel: Sequence[int], k: int) -> Fraction:
    hits = [i for i, r in enumerate(rel) if r]
    return sum((Fraction(n + 1, i + 1) for n, i in enumerate(hits) if i < k), Fraction(0)) / len(
        hits
    )


def reciprocal_rank(rel: Sequence[int], k: int) -> Fraction:
    return next((Fraction(1, i + 1) for i, r in enumerate(rel[:k]) if r), Fraction(0))


def err(rel: Sequence[int], k: int) -> Fraction:
    left, found = Fraction(1), Fraction(0)
    for i, r in enumerate(rel[:k]):
        stops = Fraction(2**r - 1, 2**GREATEST)
        found += left * stops / (i + 1)
        left *= 1 - stops
    return found


def precision(rel: Sequence[int], k: int) -> Fraction:
    return Fraction(sum(r > 0 for r in rel[:k]), k)


def recall(rel: Sequence[int], k: int) -> Fraction:
    return Fraction(sum(r > 0 for r in rel[:k]), sum(r > 0 for r in rel))


BY_HAND: dict[str, Callable[[Sequence[int], int], Any]] = {
    "ndcg": ndcg, "dcg": dcg, "map": average_precision, "mrr": reciprocal_rank, "err": err,
    "precision": precision, "recall": recall,
}  # fmt: skip


def all_orders(rel: Sequence[int], scores: Sequence[float]) -> list[list[int]]:
    """Relevances in each order that the scores allow."""
    pairs = sorted(zip(scores, rel, strict=True), key=lambda pair: -pair[0])
    blocks = [[r for _, r in block] for _, block in groupby(pairs, key=lambda pair: pair[0])]
    return [
        [r for block in one for r in block] for one in product(*(permutations(b) for b in blocks))
    ]


def expected(name: str, rel: Sequence[int], scores: Sequence[float], k: int) -> float:
    """Mean over all orders; NaN where a metric is not defined."""
    if not any(rel) and name in ("ndcg", "map", "recall"):
        return float("nan")
    found = [BY_HAND[name](order, k) for order in all_orders(rel, scores)]
    return float(sum(found) / len(found))


QUERIES = st.lists(
    st.lists(st.tuples(st.integers(0, GREATEST), st.integers(0, 2)), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(QUERIES, st.integers(1, 7), st.randoms(use_true_random=False))
def test_ties_are_the_mean_over_all_orders(queries: Any, k: int, random: Any) -> None:
    rows = [(q, r, s) for q, docs in enumerate(queries) for r, s in docs]
    random.shuffle(rows)
    group, rel, score = (np.array(column) for column in zip(*rows, strict=True))
    names = [*NAMES, *(f"{name}@{k}" for name in NAMES)]
    found = ranking_metrics(rel, score, group, metrics=names, max_relevance=GREATEST)
    assert sorted(found.index) == list(range(len(queries)))
    for q, docs in enumerate(queries):
        truth, scores = [r for r, _ in docs], [s for _, s in docs]
        for name in NAMES:
            for column, most in ((name, len(docs)), (f"{name}@{k}", k)):
                by_hand = expected(name, truth, scores, most)
                assert found.loc[q, column] == pytest.approx(by_hand, rel=1e-13, nan_ok=True)


def simulated(n_queries: int, of_each: int, *, decimals: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    rel = random.choice(5, (n_queries, of_each), p=[0.55, 0.2, 0.15, 0.07, 0.03])
    return rel, (rel + random.normal(size=rel.shape)).round(decimals)


@pytest.mark.parametrize("decimals", [9, 0])
def test_gains_are_those_of_scikit_learn(decimals: int) -> None:
    rel, scores = simulated(40, 30, decimals=decimals)
    rel[3] = 0
    metrics = ["ndcg", "ndcg@10", "dcg@5"]
    found = ranking_metrics(
        rel.ravel(), scores.ravel(), sizes=[30] * 40, metrics=metrics, gain="linear",
        without_relevant=0,
    )  # fmt: skip
    for q in range(40):
        one = rel[q : q + 1], scores[q : q + 1]
        theirs = [ndcg_score(*one), ndcg_score(*one, k=10), dcg_score(*one, k=5)]
        np.testing.assert_allclose(found.loc[q], theirs, rtol=1e-13, atol=1e-15)
    of_powers = ranking_metrics(rel.ravel(), scores.ravel(), sizes=[30] * 40, metrics="ndcg@7")
    theirs = [ndcg_score(2.0 ** rel[[q]] - 1, scores[[q]], k=7) for q in (0, 1, 2)]
    np.testing.assert_allclose(of_powers["ndcg@7"].iloc[:3], theirs, rtol=1e-13)


def test_they_are_those_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, ERR, RR, P, R, nDCG

    rel, scores = simulated(25, 40, decimals=12, seed=1)
    judged = pd.DataFrame({
        "query_id": np.repeat(np.arange(25).astype(str), 40),
        "doc_id": np.tile(np.arange(40).astype(str), 25),
        "relevance": rel.ravel(),
    })  # fmt: skip
    run = judged.drop(columns="relevance").assign(score=scores.ravel())
    ours = {
        "map": AP, "map@10": AP @ 10, "mrr": RR, "precision@5": P @ 5, "recall@10": R @ 10,
    }  # fmt: skip
    linear = {"ndcg": nDCG, "ndcg@10": nDCG @ 10}
    by_query = judged["query_id"].to_numpy()
    found = ranking_metrics(rel.ravel(), scores.ravel(), by_query, metrics=list(ours))
    found = found.join(
        ranking_metrics(rel.ravel(), scores.ravel(), by_query, metrics=list(linear), gain="linear")
    )
    for name, measure in (ours | linear).items():
        theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], judged, run)}
        np.testing.assert_allclose(found[name], [theirs[q] for q in found.index], rtol=1e-6)
    assert ERR is not None  # of an engine of its own, which is not installed with the package


def test_a_large_tie_of_one_relevant_document() -> None:
    n = 100_000
    rel = np.zeros(n)
    rel[n // 3] = 1
    found = ranking_metrics(rel, np.zeros(n), sizes=[n], metrics=["mrr", "map", "recall@10"])
    harmonic = (1 / np.arange(1, n + 1)).sum()
    np.testing.assert_allclose(found.iloc[0], [harmonic / n, harmonic / n, 10 / n], rtol=1e-11)


def test_ties_as_they_come() -> None:
    rel, scores = [0, 1, 0, 2], [1.0, 1.0, 1.0, 1.0]
    found = ranking_metrics(rel, scores, sizes=[4], metrics=["mrr", "map"], ties="order")
    assert found.iloc[0].tolist() == [0.5, 0.5]


def test_queries_without_relevant_documents() -> None:
    rel, scores, query = [0, 0, 1, 0], [1, 2, 3, 4], ["none", "none", "some", "some"]

    def found(policy: Any) -> pd.DataFrame:
        return ranking_metrics(rel, scores, query, metrics=NAMES, without_relevant=policy)

    undefined = ["ndcg", "map", "recall"]
    of_none = found(float("nan")).loc["none"]
    assert of_none[undefined].isna().all()
    assert (of_none.drop(undefined) == 0).all()
    assert (found(1).loc["none", undefined] == 1).all()
    assert found("drop").index.tolist() == ["some"]


def test_weights_of_queries_or_of_their_documents() -> None:
    rel, scores, query = [0, 1, 1], [1, 2, 3], ["b", "a", "b"]
    for weight in ([2.0, 5.0], [2.0, 5.0, 2.0]):
        found = ranking_metrics(rel, scores, query, metrics="mrr", sample_weight=weight)
        assert found["weight"].to_dict() == {"b": 2.0, "a": 5.0}
    with pytest.raises(InvalidOptionError, match=r"2 in row 0, and 3 in another row of the same"):
        ranking_metrics(rel, scores, query, sample_weight=[2.0, 5.0, 3.0])


def test_weights_are_not_paired_by_position_with_other_labels() -> None:
    rel, scores, query = pd.Series([0, 1, 1], [5, 6, 7]), [1, 2, 3], ["b", "a", "b"]
    for weight in (pd.Series([5.0, 2.0], ["a", "b"]), pd.Series([2.0, 5.0, 2.0], [7, 6, 5])):
        with pytest.raises(InvalidOptionError, match="sample_weight have different indexes"):
            ranking_metrics(rel, scores, query, sample_weight=weight)
    ordered = pd.Series([2.0, 5.0], ["b", "a"])
    found = ranking_metrics(rel, scores, query, metrics="mrr", sample_weight=ordered)
    assert found["weight"].to_dict() == ordered.to_dict()


def test_any_name_of_a_ranker_leaves_rows_checked() -> None:
    rel, query = pd.Series([0, 1], [5, 6]), pd.Series([1, 1], [6, 5])
    with pytest.raises(InvalidOptionError, match="relevance and groups have different indexes"):
        ranking_metrics(rel, {"relevance": [1, 2]}, query)


def test_several_rankers_are_compared() -> None:
    rel, scores = simulated(30, 20, decimals=3)
    worse = np.random.default_rng(1).normal(size=rel.shape)
    sizes = [20] * 30
    rankers = {"good": scores.ravel(), "bad": worse.ravel()}
    found = ranking_metrics(rel.ravel(), rankers, sizes=sizes)
    assert found.columns.tolist() == [(m, r) for m in ("ndcg@10", "map") for r in rankers]
    for name, values in rankers.items():
        alone = ranking_metrics(rel.ravel(), values, sizes=sizes)
        pd.testing.assert_frame_equal(found.xs(name, axis=1, level=1), alone)
    pd.testing.assert_frame_equal(
        ranking_metrics(rel.ravel(), pd.DataFrame(rankers), sizes=sizes), found
    )
    compared = compare_models(found)
    assert compared["metric"].tolist() == ["ndcg@10", "map"]
    assert (compared["p"] < 0.001).all()
    assert (compared["difference"] > 0).all()
    weighted = ranking_metrics(rel.ravel(), rankers, sizes=sizes, sample_weight=np.ones(30))
    with pytest.raises(InvalidOptionError, match="at least two by 'weight', and weights as sample"):
        compare_models(weighted)


def test_containers_and_the_order_of_documents() -> None:
    rel, scores = (one.ravel() for one in simulated(8, 12, decimals=1))
    query = np.repeat([f"q{k}" for k in range(8)], 12)
    expected_table = ranking_metrics(rel, scores, query, metrics=NAMES)
    for container in (list, pd.Series, pl.Series):
        found = ranking_metrics(container(rel), container(scores), container(query), metrics=NAMES)
        pd.testing.assert_frame_equal(found, expected_table)
    mixed = np.random.default_rng(0).permutation(96)
    found = ranking_metrics(rel[mixed], scores[mixed], query[mixed], metrics=NAMES)
    pd.testing.assert_frame_equal(found.loc[expected_table.index], expected_table, rtol=1e-13)
    index = pd.RangeIndex(100, 196)
    with pytest.raises(InvalidOptionError, match="different indexes"):
        ranking_metrics(pd.Series(rel, index), pd.Series(scores, index[::-1]), query)


def test_infinite_scores_come_first_and_last() -> None:
    found = ranking_metrics([1, 0, 2], [-np.inf, np.inf, 0], sizes=[3], metrics="mrr")
    assert found.loc[0, "mrr"] == 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metrics": "ndgc@10"}, r"metrics has 'ndgc@10'; it must be one of .* did you mean"),
        ({"metrics": ["ndcg@0"]}, "metrics has 'ndcg@0'"),
        ({"metrics": ["map", 3]}, "metrics has 3"),
        ({"metrics": []}, "metrics is empty"),
        ({"metrics": ["map", "map"]}, "twice"),
        ({"metrics": 5}, "must be a name"),
        ({"sizes": None}, "give either groups"),
        ({"groups": [1, 1, 1]}, "give either groups"),
        ({"sizes": [2, 2]}, "sizes sum to 4, for 3 documents"),
        ({"sizes": [1e300]}, r"sizes sum to 1e\+300, for 3 documents"),
        ({"sizes": [3, 0]}, "sizes has 0 at place 1"),
        ({"sizes": None, "groups": [1, None, 1]}, "groups is missing in 1 row"),
        ({"relevance": [0, -1, 1]}, "relevance is -1 in row 1"),
        ({"relevance": [0, 1e4, 1]}, "relevance is 10000 in row 1"),
        ({"relevance": [0, np.nan, 1]}, "relevance has 1 values that are missing"),
        ({"relevance": []}, "relevance is empty"),
        ({"scores": [1, np.nan, 2]}, "scores is missing in 1 row, the first row 1"),
        ({"scores": {"new": [1, 2]}}, r"scores\['new'\] has 2 values, for 3 rows"),
        ({"scores": {}}, "scores is an empty dict"),
        ({"scores": [["a", "b"]] * 3}, r"scores\[0\] must hold numbers"),
        ({"gain": "log"}, "gain='log'"),
        ({"ties": "random"}, "ties='random'"),
        ({"max_relevance": 0.5}, "max_relevance=0.5, but relevance is up to 1"),
        ({"without_relevant": "skip"}, "without_relevant='skip'"),
        ({"without_relevant": None}, "without_relevant=None"),
        ({"sample_weight": [1, 2]}, "sample_weight has 2 values, for 3 rows"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"relevance": [0, 1, 1], "scores": [1, 2, 3], "sizes": [3]}
    given |= changes
    with pytest.raises((InvalidOptionError, OptionTypeError), match=message):
        ranking_metrics(given.pop("relevance"), given.pop("scores"), **given)


def test_all_zero_relevance_has_no_gain() -> None:
    found = ranking_metrics([0, 0], [1, 1], sizes=[2], metrics=["err", "dcg", "precision"])
    assert found.iloc[0].tolist() == [0.0, 0.0, 0.0]


def test_metrics_of_groups_by_name() -> None:
    rel, scores = (one.ravel() for one in simulated(9, 15, decimals=2))
    query = np.random.default_rng(0).permutation(np.repeat(np.arange(9), 15))
    both = {"one": scores, "two": -scores}
    found = per_group_metric(rel, both, query, metric="ndcg@5")
    expected_table = ranking_metrics(rel, both, query, metrics="ndcg@5")["ndcg@5"]
    pd.testing.assert_frame_equal(found, expected_table, check_names=False)
    assert found.columns.name == "ndcg@5"
    of_one = per_group_metric(rel, scores, query, metric="map")
    assert of_one.tolist() == ranking_metrics(rel, scores, query, metrics="map")["map"].tolist()


def test_names_that_are_also_of_classes_are_of_classes_without_a_number() -> None:
    assert {*NAMES} & {*get_scorer_names()} == {"precision", "recall"}
    y, called, groups = [1, 0, 1, 0], [1, 0, 0, 0], ["g"] * 4
    assert per_group_metric(y, called, groups, metric="precision").tolist() == [1.0]
    assert per_group_metric(y, called, groups, metric="recall").tolist() == [0.5]
    of_ranking = per_group_metric(y, called, groups, metric="precision@4")
    assert of_ranking.tolist() == [0.5]


class SizesRanker(RegressorMixin, BaseEstimator):
    """Checks that rows come query by query, and ranks by the first column."""

    seen: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any, group: Any = None) -> SizesRanker:
        query = X[:, 1]
        assert group is not None
        ends = np.cumsum(group)
        assert ends[-1] == len(y)
        for first, last in zip(np.append(0, ends[:-1]), ends, strict=True):
            assert len(set(query[first:last])) == 1
        assert len(group) == len(set(query))
        self.seen.append("sizes")
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


class IdsRanker(SizesRanker):
    def fit(self, X: Any, y: Any, qid: Any = None) -> IdsRanker:  # type: ignore[override]
        assert (np.diff(qid) >= 0).all()
        assert len(set(zip(qid.tolist(), X[:, 1].tolist(), strict=True))) == len(set(qid.tolist()))
        self.seen.append("ids")
        self.fitted_ = True
        return self


@pytest.mark.parametrize("ranker", [SizesRanker(), IdsRanker()])
@pytest.mark.parametrize("piped", [False, True])
def test_rankers_are_fitted_to_queries(ranker: Any, piped: bool) -> None:
    rel, scores = (one.ravel() for one in simulated(12, 10, decimals=3))
    mixed = np.random.default_rng(0).permutation(120)
    query = np.repeat(np.arange(12), 10)[mixed]
    X, y = np.column_stack([scores[mixed], query]), rel[mixed]
    SizesRanker.seen.clear()
    model = make_pipeline("passthrough", ranker) if piped else ranker
    found = bias_variance(model, X, y, metric="ndcg@10", ideal=1, groups=query, L=3, random_state=0)
    assert SizesRanker.seen == ["sizes" if type(ranker) is SizesRanker else "ids"] * 6
    ndcg = ranking_metrics(y, X[:, 0], query, metrics="ndcg@10")["ndcg@10"]
    of_each = found.iloc[0]
    assert of_each["error"] == pytest.approx(np.square(1 - ndcg).mean())
    assert of_each["variance"] == pytest.approx(0, abs=1e-15)


def test_lightgbm_rankers_by_both_metrics() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    random = np.random.default_rng(0)
    X, query = random.normal(size=(600, 4)), np.repeat(np.arange(30), 20)
    y = np.clip(np.round(X[:, 0] + X[:, 1] + random.normal(size=600)), 0, 4).astype(int)
    options = {"min_child_samples": 5, "verbose": -1, "n_jobs": 1, "random_state": 0}
    models = {
        "few": lightgbm.LGBMRanker(n_estimators=3, num_leaves=4, **options),
        "many": lightgbm.LGBMRanker(n_estimators=60, num_leaves=31, **options),
    }
    by_gain = bias_variance(
        models, X, y, metric="ndcg@10", ideal=1, groups=query, k=2, L=5, random_state=0
    )
    assert list(by_gain.index) == ["few", "many"]
    assert (by_gain["error"] < 0.1).all()
    by_square = bias_variance(models, X, y, groups=query, k=2, L=5, random_state=0)
    assert by_square.loc["many", "variance"] > by_square.loc["few", "variance"]
    np.testing.assert_allclose(by_gain["error"], by_gain["bias"] + by_gain["variance"])


def test_bias_of_rankings_asks_for_queries_and_an_ideal() -> None:
    predictions = np.ones((4, 2))
    with pytest.raises(InvalidOptionError, match="ideal is missing"):
        bias_variance(predictions, y=[0, 1, 0, 1], metric="map", groups=[1, 1, 2, 2])
    with pytest.raises(InvalidOptionError, match="groups is missing: the queries that 'map' is of"):
        bias_variance(predictions, y=[0, 1, 0, 1], metric="map", ideal=1)
    with pytest.raises(InvalidOptionError, match='a metric of rankings such as "ndcg@10"'):
        bias_variance(predictions, y=[0, 1, 0, 1], metric="auc", ideal=1)
    with pytest.raises(InvalidOptionError, match="metric map is not defined in 1 of 2 queries"):
        bias_variance(predictions, y=[0, 0, 0, 1], metric="map", ideal=1, groups=[1, 1, 2, 2])
