"""A report of several models: performance, tests and pictures over metrics and data sets."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation import compare_models, comparison_report, ranking_metrics

RANDOM = np.random.default_rng(0)
MODELS = {"good": 0.5, "same": 0.5, "bad": 3.0}


def of_data_set(n_queries: int) -> pd.DataFrame:
    rel = RANDOM.integers(0, 4, n_queries * 15)
    scores = {name: rel + noise * RANDOM.normal(size=len(rel)) for name, noise in MODELS.items()}
    return ranking_metrics(
        rel, scores, sizes=[15] * n_queries, metrics=["ndcg@10", "map", "mrr"], without_relevant=0
    )


DATA_SETS = {"small": of_data_set(12), "middle": of_data_set(30), "large": of_data_set(60)}


@pytest.fixture(scope="module")
def report() -> Any:
    return comparison_report(DATA_SETS, n_resamples=999, random_state=0)


def test_performance_and_pairs_of_all_data_sets(report: Any) -> None:
    assert report.performance.index.tolist() == [(d, m) for d in DATA_SETS for m in MODELS]
    assert report.performance.columns.tolist() == ["ndcg@10", "map", "mrr"]
    for name, scores in DATA_SETS.items():
        for model in MODELS:
            for metric in ("ndcg@10", "map", "mrr"):
                expected = scores[metric, model].mean()
                assert report.performance.loc[(name, model), metric] == pytest.approx(expected)
    assert len(report.pairs) == 3 * 3 * 3
    alone = compare_models(DATA_SETS["middle"], n_resamples=999, random_state=0)
    own = report.pairs.query("data_set == 'middle'").drop(columns=["data_set", "adjusted_p"])
    pd.testing.assert_frame_equal(own.reset_index(drop=True), alone.drop(columns="adjusted_p"))
    assert (report.pairs["adjusted_p"] >= report.pairs["p"]).all()
    two = report.pairs.query("model_a == 'good' and model_b == 'bad' and metric == 'ndcg@10'")
    assert (two["low"] > 0).all()
    assert ((two["low"] < two["difference"]) & (two["difference"] < two["high"])).all()


def test_it_is_read(report: Any) -> None:
    text = repr(report)
    assert text.startswith("Mean scores\n")
    assert "adjusted by 'holm' for 27 comparisons" in text
    assert "large" in text
    html = report._repr_html_()
    assert html.count("<table") == 2
    assert "&#x27;holm&#x27;" in html


def test_it_is_drawn(report: Any) -> None:
    ax = report.plot("map", data_set="small")
    pairs = report.pairs.query("metric == 'map' and data_set == 'small'")
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        "good - same", "good - bad", "same - bad"
    ]  # fmt: skip
    drawn = np.concatenate([c.get_offsets()[:, 0] for c in ax.collections[-2:]])
    np.testing.assert_allclose(np.sort(drawn), np.sort(pairs["difference"]))
    assert "map, small" in ax.get_xlabel()
    plt.close(ax.figure)
    few = comparison_report(DATA_SETS["small"].iloc[:4], margin=0.1)
    assert np.isinf(few.pairs["low"]).all()
    ax = few.plot()
    assert np.isfinite(ax.get_xlim()).all()
    plt.close(ax.figure)
    with pytest.raises(InvalidOptionError, match="metric='auc'; 'ndcg@10', 'map', 'mrr' are here"):
        report.plot("auc")
    with pytest.raises(InvalidOptionError, match="data_set='huge'"):
        report.plot(data_set="huge")
    with pytest.raises(InvalidOptionError, match="data_set='small'; the scores are of one"):
        few.plot(data_set="small")


def test_equivalence_is_shown_within_a_margin() -> None:
    found = compare_models(DATA_SETS["large"], margin=0.05, n_resamples=9_999, random_state=0)
    by_pair = found.set_index(["metric", "model_a", "model_b"])
    assert by_pair.loc[("ndcg@10", "good", "same"), "adjusted_p_equivalent"] < 0.05
    assert by_pair.loc[("ndcg@10", "good", "bad"), "p_equivalent"] > 0.5
    for row in found.itertuples():
        low, high = row.low, row.high
        assert (row.p_equivalent <= 0.025) == (low >= -0.05 and high <= 0.05)


@pytest.mark.parametrize("level", [0.0, 1e4])
def test_a_difference_at_the_margin_is_not_less(level: float) -> None:
    b = np.round(level + np.arange(12) * 0.37, 2)
    scores = pd.DataFrame({"a": np.round(b + 0.1, 2), "b": b})  # differences of .1, but rounded
    assert compare_models(scores, margin=0.1)["p_equivalent"].tolist() == [1.0]
    assert compare_models(scores, margin=0.11)["p_equivalent"].tolist() == [2.0**-12]


def test_missing_scores() -> None:
    scores = DATA_SETS["small"]["map"].copy()
    scores.iloc[2, 0] = np.nan
    with pytest.raises(InvalidOptionError, match="scores\\['good'\\] has 1 values"):
        compare_models(scores)
    dropped = compare_models(scores, missing="drop", random_state=0)
    assert (dropped["n"] == 11).all()
    expected = compare_models(scores.drop(index=2), random_state=0)
    pd.testing.assert_frame_equal(dropped, expected)
    for number in (0, np.int64(0), np.float32(0)):
        filled = compare_models(scores, missing=number, random_state=0)
        pd.testing.assert_frame_equal(filled, compare_models(scores.fillna(0.0), random_state=0))
    nullable = pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64"), "b": [3, 4, 5]})
    assert compare_models(nullable, missing=0.5)["difference"][0] == pytest.approx(3.5 / 3 - 4)
    with pytest.raises(InvalidOptionError, match="no row in which no model's score is missing"):
        compare_models(scores.assign(good=np.nan), missing="drop")
    with pytest.raises(OptionTypeError, match="missing='skip'"):
        compare_models(scores, missing="skip")


def test_groups_and_weights_of_data_sets() -> None:
    groups = {name: np.arange(len(scores)) // 3 for name, scores in DATA_SETS.items()}
    weight = {name: np.arange(len(scores)) + 1.0 for name, scores in DATA_SETS.items()}
    options: dict[str, Any] = {"n_resamples": 199, "random_state": 1}
    found = comparison_report(DATA_SETS, groups=groups, sample_weight=weight, **options)
    alone = compare_models(
        DATA_SETS["small"], groups=groups["small"], sample_weight=weight["small"], **options
    )
    own = found.pairs.query("data_set == 'small'")
    assert own["p"].tolist() == alone["p"].tolist()
    mean = np.average(DATA_SETS["small"]["map", "bad"], weights=weight["small"])
    assert found.performance.loc[("small", "bad"), "map"] == pytest.approx(mean)
    with pytest.raises(InvalidOptionError, match="groups must be a dict of the data sets of scor"):
        comparison_report(DATA_SETS, groups=groups["small"], **options)
    with pytest.raises(InvalidOptionError, match="scores is an empty dict"):
        comparison_report({})


def test_workers_and_seeds_do_not_matter() -> None:
    one, two = (
        compare_models(DATA_SETS["large"], n_resamples=199, random_state=3, n_jobs=n)
        for n in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)
    generators = (np.random.default_rng(5) for _ in range(2))
    of_generators = [
        compare_models(DATA_SETS["large"], n_resamples=199, random_state=g) for g in generators
    ]
    pd.testing.assert_frame_equal(*of_generators)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided(alternative: Any) -> None:
    found = compare_models(
        DATA_SETS["middle"], alternative=alternative, n_resamples=499, random_state=0
    )
    assert found["p"].tolist() == found[f"p_{alternative}"].tolist()
    end = "high" if alternative == "greater" else "low"
    assert np.isinf(found[end]).all()


def test_effect_sizes() -> None:
    scores = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 0.0, 1.0]})
    found = compare_models(scores).iloc[0]
    assert found["effect_size"] == pytest.approx(2.0 / 1.0)
    same = compare_models(scores.assign(b=scores["a"] - 0.3)).iloc[0]
    assert np.isnan(same["effect_size"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level is 95"),
        ({"margin": 0}, "margin=0; no two models"),
        ({"margin": -1}, "margin=-1; it must be >= 0"),
        ({"alternative": "both"}, "alternative='both'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"n_resamples": 0}, "n_resamples=0"),
        ({"random_state": "x"}, "random"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidOptionError, OptionTypeError), match=message):
        compare_models(DATA_SETS["small"], **options)
