"""How often intervals hold the truth: the study itself, and what it must find."""

from __future__ import annotations

import re
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from statsmodels.stats.proportion import proportion_confint

from tests.evaluation.classifiers import ShareOfPositives
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._populations import as_population
from vtreat_py.evaluation.coverage import CoverageStudy, coverage_study

mpl.use("Agg")
COIN = (np.zeros((2, 1)), np.array([0, 1]))
PRIOR = {"prior": DummyClassifier()}


def folds(n_splits: int, *names: str) -> dict[str, Any]:
    kinds = {"vanilla": ShuffleSplit, "stratified": StratifiedShuffleSplit}
    return {name: kinds[name](n_splits, test_size=0.2, random_state=0) for name in names}


def slopes(size: int, rate: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Rows of two columns, the first of which tells the classes apart a little."""
    y = (rng.random(size) < rate).astype(int)
    return rng.normal(size=(size, 2)) + np.outer(y, [1.0, 0.0]), y


def small(**changed: Any) -> CoverageStudy:
    options = {
        "sizes": [60, 80],
        "rates": [0.3],
        "seeds": [3, 4],
        "strategies": folds(4, "vanilla", "stratified"),
        "scoring": ["brier", "nll"],
        "truth_size": 500,
        **changed,
    }
    population = options.pop("population", slopes)
    models = options.pop("estimator", {"logistic": LogisticRegression(), **PRIOR})
    return coverage_study(population, models, **options)


@pytest.fixture(scope="module")
def study() -> CoverageStudy:
    return small()


def squared_error(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Brier score of a model that gives every row the same chance, without any checks."""
    return float(np.average((y - model.share_) ** 2, weights=sample_weight))


@pytest.fixture(scope="module")
def of_coins() -> CoverageStudy:
    """The chance of a coin that rarely shows heads: its error is that of a mean of rows."""
    return coverage_study(
        COIN,
        {"share": ShareOfPositives()},
        sizes=[1000],
        rates=[0.05],
        seeds=range(100),
        strategies=folds(20, "vanilla", "stratified"),
        scoring={"error": squared_error},
    )


def covered(study: CoverageStudy, strategy: str, method: str) -> tuple[int, int]:
    row = study.coverage(["strategy", "method"]).loc[(strategy, method)]
    return int(row["covered"]), int(row["n"])


@pytest.mark.long
def test_quartiles_of_vanilla_folds_cover_too_often(of_coins: CoverageStudy) -> None:
    """About .7, not .5: the score of a fold has twice the standard error of the mean."""
    k, n = covered(of_coins, "vanilla", "iqr")
    assert n == 100
    assert stats.binomtest(k, n, 0.5, alternative="greater").pvalue < 1e-3
    assert stats.binomtest(k, n, 0.7).pvalue > 0.01


@pytest.mark.long
def test_nadeau_and_bengio_cover_as_often_as_they_should(of_coins: CoverageStudy) -> None:
    k, n = covered(of_coins, "vanilla", "nadeau-bengio")
    assert stats.binomtest(k, n, 0.5).pvalue > 0.01


def test_stratified_folds_hardly_ever_cover(of_coins: CoverageStudy) -> None:
    for method in ("iqr", "nadeau-bengio"):
        k, n = covered(of_coins, "stratified", method)
        assert stats.binomtest(k, n, 0.1, alternative="less").pvalue < 1e-3


def test_the_truth_of_a_table_is_exact(of_coins: CoverageStudy) -> None:
    """Of a share s the expected squared error is (s - rate)^2 + rate (1 - rate)."""
    least = 0.05 * 0.95
    shares = np.arange(1001) / 1000
    possible = (shares - 0.05) ** 2 + least
    truth = of_coins.table["truth"].to_numpy()
    assert np.abs(truth[:, None] - possible).min(axis=1).max() < 1e-12
    assert truth.min() >= least


def test_samples_of_a_table_have_the_rate_on_average() -> None:
    X = np.arange(7)[:, None]
    y = np.array([0, 0, 0, 0, 1, 1, 1])
    drawn, labels = as_population((X, y), 1).sample(20_000, 0.1, np.random.default_rng(0))
    np.testing.assert_array_equal(labels, drawn[:, 0] >= 4)
    for value, chance in [(0, 0.9 / 4), (3, 0.9 / 4), (4, 0.1 / 3), (6, 0.1 / 3)]:
        seen = int((drawn[:, 0] == value).sum())
        assert stats.binomtest(seen, 20_000, chance).pvalue > 1e-3


def test_the_truth_is_the_score_of_the_model_of_all_rows_on_a_large_sample() -> None:
    row = small(sizes=[60], seeds=[3]).table.query("model == 'logistic' and metric == 'brier'")
    seed = [3, 60, int(np.float64(0.3).view(np.uint64))]
    rng = np.random.default_rng(seed)
    X, y = slopes(60, 0.3, rng)
    large, outcome = slopes(500, 0.3, rng)
    chance = LogisticRegression().fit(X, y).predict_proba(large)[:, 1]
    assert row["truth"].tolist() == pytest.approx([brier_score_loss(outcome, chance)] * 4)


def test_table(study: CoverageStudy) -> None:
    table = study.table
    assert table.columns.tolist() == [
        *("size", "rate", "seed", "model", "strategy", "metric", "method"),
        *("truth", "low", "high", "covered", "width"),
    ]
    assert len(table) == 2 * 2 * 2 * 2 * 2 * 2
    assert table["covered"].dtype == "boolean"
    inside = (table["low"] <= table["truth"]) & (table["truth"] <= table["high"])
    assert table["covered"].tolist() == inside.tolist()
    assert table["width"].tolist() == (table["high"] - table["low"]).tolist()
    truths = table.groupby(["size", "seed", "model", "metric"])["truth"].nunique()
    assert (truths == 1).all()
    assert table["truth"].nunique() == 16


def test_a_sample_depends_on_its_size_rate_and_seed_alone(study: CoverageStudy) -> None:
    table = study.table
    part = small(sizes=[80], seeds=[4], estimator=PRIOR).table
    same = table.query("size == 80 and seed == 4 and model == 'prior'")
    pd.testing.assert_frame_equal(part, same.reset_index(drop=True))


def test_one_model_has_the_name_of_its_class() -> None:
    options = {"sizes": [60], "seeds": [4], "scoring": "brier"}
    named = small(estimator={"DummyClassifier": DummyClassifier()}, **options).table
    pd.testing.assert_frame_equal(small(estimator=DummyClassifier(), **options).table, named)


def test_jobs_change_nothing() -> None:
    options = {"sizes": [60], "scoring": "brier"}
    one = small(**options)
    with parallel_config("threading"):
        two = small(n_jobs=2, **options)
    pd.testing.assert_frame_equal(one.table, two.table)


def test_default_splits_are_those_of_the_seed() -> None:
    options = {"sizes": [60], "seeds": [5], "scoring": "brier", "estimator": PRIOR}
    seeded = {
        "vanilla": ShuffleSplit(100, test_size=0.2, random_state=5),
        "stratified": StratifiedShuffleSplit(100, test_size=0.2, random_state=5),
    }
    default, given = small(strategies=None, **options), small(strategies=seeded, **options)
    pd.testing.assert_frame_equal(default.table, given.table)


def test_tables_may_be_of_any_kind_and_labels_text() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
    options = {"sizes": [60], "seeds": [5]}
    array = small(population=(X, y), **options).table
    frame = small(population=(pl.DataFrame(X, schema=["a", "b"]), pl.Series(y)), **options).table
    pd.testing.assert_frame_equal(array, frame)


def test_samples_that_cannot_be_split_are_counted() -> None:
    """Of ten rows at a rate of .1, most samples have fewer than two positive rows."""
    study = small(
        population=COIN, estimator=PRIOR, sizes=[10], rates=[0.1], seeds=range(12),
        scoring=["brier", "roc_auc"], strategies=folds(3, "vanilla"),
    )  # fmt: skip
    undefined = study.table["covered"].isna()
    assert study.table.loc[undefined, ["low", "high", "width"]].isna().all(axis=None)
    brier = study.table["metric"] == "brier"
    assert study.table.loc[undefined & brier, "truth"].isna().all()
    counted = study.coverage(["metric", "method"])
    assert (counted["n"] + counted["undefined"] == 12).all()
    assert 0 < counted.loc[("brier", "iqr"), "n"] < 12
    assert counted["undefined"].sum() == undefined.sum()


def test_one_interval_a_sample_has_wilsons(study: CoverageStudy) -> None:
    cells = study.coverage()
    assert cells.index.names == ["size", "rate", "model", "strategy", "metric", "method"]
    assert (cells["n"] == 2).all()
    of_models = study.coverage(["model", "strategy", "metric", "method"])
    assert (of_models["n"] == 4).all()
    for row in of_models.itertuples():
        expected = proportion_confint(row.covered, row.n, method="wilson")
        assert (row.low, row.high) == pytest.approx(expected)
    pooled = study.coverage(["strategy", "method"])
    for of, row in pooled.iterrows():
        group = study.table.query(f"strategy == {of[0]!r} and method == {of[1]!r}")
        assert row["covered"] == group["covered"].sum()
        assert row["coverage"] == row["covered"] / row["n"]
        assert row["width"] == pytest.approx(group["width"].mean())


def copies(held: list[list[bool]]) -> CoverageStudy:
    """A study by hand: of each sample, whether the intervals of its models hold the truth."""
    rows = [
        {"size": 9, "rate": 0.5, "seed": seed, "model": model, "strategy": "s", "metric": "m",
         "method": "iqr", "truth": 0.0, "low": 0.0, "high": 1.0, "covered": covered, "width": 1.0}
        for seed, of_sample in enumerate(held)
        for model, covered in enumerate(of_sample)
    ]  # fmt: skip
    return CoverageStudy(pd.DataFrame(rows).astype({"covered": "boolean"}), 0.5)


def test_models_that_agree_on_each_sample_are_worth_one() -> None:
    once = [[True]] * 12 + [[False]] * 8
    four = copies([of_sample * 4 for of_sample in once]).coverage(["method"]).iloc[0]
    # The variance between samples is that of one model, with n - 1 in place of n.
    wilson = proportion_confint(11.4, 19, method="wilson")
    assert (four["low"], four["high"]) == pytest.approx(wilson)
    assert (four["n"], four["coverage"]) == (80, 0.6)


def test_models_that_have_nothing_in_common_are_worth_no_more_than_many() -> None:
    apart = copies([[True, False]] * 20).coverage(["method"]).iloc[0]
    wilson = proportion_confint(20, 40, method="wilson")
    assert (apart["low"], apart["high"]) == pytest.approx(wilson)
    alone = copies([[True, False, True, True]]).coverage(["method"]).iloc[0]  # one sample
    wilson = proportion_confint(0.75, 1, method="wilson")
    assert (alone["low"], alone["high"]) == pytest.approx(wilson)
    always = copies([[True, True]] * 20).coverage(["method"]).iloc[0]
    wilson = proportion_confint(20, 20, method="wilson")
    assert (always["low"], always["high"]) == pytest.approx(wilson)


def test_nothing_defined_has_no_coverage() -> None:
    study = small(
        population=COIN, estimator=PRIOR, sizes=[5], rates=[0.001], strategies=folds(3, "vanilla")
    )
    counted = study.coverage(["method"])
    assert counted["n"].tolist() == [0, 0]
    assert counted["undefined"].tolist() == [4, 4]
    assert counted[["coverage", "low", "high", "width"]].isna().all(axis=None)


def test_methods_and_level() -> None:
    half = small(sizes=[60], methods=["iqr"])
    most = small(sizes=[60], methods=["iqr"], level=0.9)
    assert half.table["method"].unique().tolist() == ["iqr"]
    assert (most.table["width"] > half.table["width"]).mean() > 0.5
    assert (most.table["width"] >= half.table["width"]).all()
    assert (half.level, most.level) == (0.5, 0.9)


def test_picture(study: CoverageStudy) -> None:
    ax = study.plot("nll")
    shares = study.coverage(["metric", "strategy", "method"]).loc["nll"]
    level, dots = ax.lines
    assert list(level.get_xdata()) == [0.5, 0.5]
    assert list(dots.get_xdata()) == shares["coverage"].tolist()
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "vanilla, iqr",
        "vanilla, nadeau-bengio",
        "stratified, iqr",
        "stratified, nadeau-bengio",
    ]
    ends = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    assert ends == shares[["low", "high"]].to_numpy().tolist()
    assert ax.get_xlabel() == "share of samples whose interval holds the true nll"
    assert study.plot(ax=ax) is ax
    with pytest.raises(InvalidOptionError, match="metric is 'auc'; 'brier', 'nll' are here"):
        study.plot("auc")
    mpl.pyplot.close("all")


def test_repr(study: CoverageStudy) -> None:
    text = repr(study)
    assert text.startswith(
        "CoverageStudy: intervals meant to hold the truth in 50% of samples, on 4 samples\n"
    )
    assert "undefined" in text


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"level": 0}, InvalidOptionError, "level is 0; a number between 0 and 1 is wanted"),
        ({"rates": [0.2, 1.0]}, InvalidOptionError, "rates holds 1; shares of the positive"),
        ({"seeds": []}, InvalidOptionError, "sizes, rates, seeds and estimator must each"),
        ({"methods": ["t"]}, InvalidOptionError, "method is 't'; 'iqr', 'nadeau-bengio' are"),
        ({"scoring": "gini"}, InvalidOptionError, "scoring 'gini' is no metric"),
        ({"strategies": {}}, InvalidOptionError, "strategies is empty; give one splitter"),
        ({"truth_size": 0}, InvalidOptionError, "truth_size=0; it must be >= 1"),
        ({"estimator": LinearRegression()}, InvalidOptionError, "the estimator 'LinearReg"),
        ({"population": [1, 2]}, OptionTypeError, "population is a list; a callable of size, rate"),
        ({"population": (np.zeros((2, 1)), [1, 1])}, InvalidOptionError, "y must hold two"),
    ],
)  # fmt: skip
def test_bad_questions_are_refused(changed: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        small(**changed)


@pytest.mark.parametrize("by", [[], ["width"], ["metric", "colour"]])
def test_coverage_is_told_apart_by_what_names_an_interval(
    by: list[str], study: CoverageStudy
) -> None:
    with pytest.raises(InvalidOptionError, match="one or more of size, rate, seed, model, strat"):
        study.coverage(by)
