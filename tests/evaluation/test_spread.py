"""The spread of cross-validation scores: the numbers of the specification, and what is reported."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.evaluation.classifiers import CountedCalls, FirstColumn
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, VtreatWarning
from vtreat_py.evaluation.spread import CVSpread, cv_spread

mpl.use("Agg")
OBSERVED = Path(__file__).parents[3] / "shared" / "spec" / "cv_observed.npz"

RANDOM = np.random.default_rng(5)
ROWS = 400
CHANCE = RANDOM.uniform(0.01, 0.09, ROWS)
X = np.column_stack([CHANCE, RANDOM.normal(size=ROWS)])
RARE = (RANDOM.random(ROWS) < CHANCE).astype(int)
COMMON = (RANDOM.random(ROWS) < 0.4).astype(int)
FEW = {"vanilla": ShuffleSplit(8, test_size=0.25, random_state=1)}
BOTH = {**FEW, "stratified": StratifiedShuffleSplit(8, test_size=0.25, random_state=1)}


@pytest.fixture(scope="module")
def observed() -> CVSpread:
    if not OBSERVED.exists():
        pytest.skip(f"the sample of the specification is not part of the repository: {OBSERVED}")
    data = np.load(OBSERVED)
    return cv_spread(
        LogisticRegression(), data["X"], data["y"], scoring=["nll", "brier"], random_state=0
    )


@pytest.mark.parametrize(
    ("metric", "strategy", "numbers"),
    [
        ("nll", "stratified", [0.0856, 0.0018, 0.0816, 0.0845, 0.0855, 0.0865, 0.0907]),
        ("nll", "vanilla", [0.0868, 0.0153, 0.0587, 0.0752, 0.0856, 0.0972, 0.1291]),
        ("brier", "stratified", [0.0167, 0.0001, 0.0165, 0.0166, 0.0167, 0.0167, 0.0169]),
        ("brier", "vanilla", [0.0169, 0.0036, 0.0100, 0.0145, 0.0167, 0.0196, 0.0273]),
    ],
)
def test_table_of_the_specification(
    observed: CVSpread, metric: str, strategy: str, numbers: list[float]
) -> None:
    found = observed.summary().loc[(strategy, metric)]
    assert found["count"] == 100
    columns = ["mean", "std", "min", "25%", "50%", "75%", "max"]
    assert found[columns].round(4).tolist() == numbers
    assert found["iqr"] == found["75%"] - found["25%"]


def test_class_rates_of_the_specification(observed: CVSpread) -> None:
    assert observed.rate == 86 / 5000
    rates = observed.summary().xs("nll", level="metric")
    assert rates["rate_test_std"]["vanilla"] > 0.003
    assert rates["rate_test_std"]["stratified"] == 0
    assert (rates[["undefined", "one_class"]] == 0).all(axis=None)


def test_folds_are_those_of_a_loop() -> None:
    spread = cv_spread(LogisticRegression(), X, RARE, strategies=BOTH, scoring=["nll", "brier"])
    expected = []
    for strategy, cv in BOTH.items():
        for split, (train, test) in enumerate(cv.split(X, RARE)):
            chance = LogisticRegression().fit(X[train], RARE[train]).predict_proba(X[test])[:, 1]
            rates = (RARE[train].mean(), RARE[test].mean())
            for metric, function in (("nll", log_loss), ("brier", brier_score_loss)):
                score = function(RARE[test], chance)
                expected.append((strategy, split, metric, score, 300, 100, *rates))
    columns = ["strategy", "split", "metric", "score", "n_train", "n_test"]
    columns += ["rate_train", "rate_test"]
    pd.testing.assert_frame_equal(spread.folds, pd.DataFrame(expected, columns=columns))
    assert (spread.pos_label, spread.rate, spread.proper) == (1, RARE.mean(), ("nll", "brier"))


def test_defaults() -> None:
    spread = cv_spread(FirstColumn(), X, COMMON, random_state=7)
    assert spread.summary().index.tolist() == [
        (strategy, metric)
        for strategy in ("vanilla", "stratified")
        for metric in ("nll", "brier", "roc_auc", "average_precision")
    ]
    assert (spread.summary()["count"] == 100).all()
    assert (spread.folds[["n_train", "n_test"]] == [320, 80]).all(axis=None)


def test_the_random_state_is_that_of_the_default_splits() -> None:
    first, again, other = (
        cv_spread(FirstColumn(), X, COMMON, scoring="brier", random_state=seed)
        for seed in (7, 7, 8)
    )
    pd.testing.assert_frame_equal(first.folds, again.folds)
    assert (first.folds["score"] != other.folds["score"]).mean() > 0.9


def test_one_fit_and_one_prediction_a_split_serve_all_metrics() -> None:
    CountedCalls.fits = CountedCalls.predictions = 0
    cv_spread(CountedCalls(), X, COMMON, strategies=BOTH)
    assert (CountedCalls.fits, CountedCalls.predictions) == (16, 16)


def test_jobs_change_nothing() -> None:
    options = {"strategies": BOTH, "scoring": ["nll", "roc_auc"]}
    one, two = (
        cv_spread(LogisticRegression(), X, COMMON, n_jobs=n_jobs, **options) for n_jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one.folds, two.folds)


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, lambda x: pl.DataFrame(x, schema=["a", "b"]), np.ndarray.tolist]
)
def test_any_frame_and_any_labels(kind: Any) -> None:
    expected = cv_spread(LogisticRegression(), X, COMMON, strategies=BOTH, scoring="nll")
    frame = kind(X)
    if isinstance(frame, pd.DataFrame):
        frame = frame.set_axis(["a", "b"], axis=1).set_axis(np.arange(ROWS)[::-1])
    labels = pd.Series(np.array(["no", "yes"])[COMMON], index=np.arange(ROWS)[::-1])
    found = cv_spread(LogisticRegression(), frame, labels, strategies=BOTH, scoring="nll")
    pd.testing.assert_frame_equal(found.folds, expected.folds)
    assert found.pos_label == "yes"


def test_weights_reach_fit_scores_and_rates() -> None:
    weight = RANDOM.integers(1, 4, ROWS)
    model = LogisticRegression()
    spread = cv_spread(
        model, X, COMMON, strategies=FEW, scoring=["nll", "brier"], sample_weight=weight
    )
    for split, (train, test) in enumerate(FEW["vanilla"].split(X)):
        fitted = clone(model).fit(X[train], COMMON[train], sample_weight=weight[train])
        times = weight[test]
        y, chance = np.repeat(COMMON[test], times), fitted.predict_proba(X[test])[:, 1]
        chance = np.repeat(chance, times)
        of_split = spread.folds[spread.folds["split"] == split].set_index("metric")
        assert of_split["score"]["nll"] == pytest.approx(log_loss(y, chance))
        assert of_split["score"]["brier"] == pytest.approx(brier_score_loss(y, chance))
        assert of_split["rate_test"].tolist() == pytest.approx([y.mean()] * 2)
        assert of_split["n_test"].tolist() == [100, 100]
    assert spread.rate == pytest.approx(np.average(COMMON, weights=weight))


def test_weights_reach_each_step_of_a_pipeline() -> None:
    weight = np.random.default_rng(3).integers(0, 4, ROWS)
    often = np.repeat(np.arange(ROWS), weight)
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10))
    fit = clone(model).fit(X[often], COMMON[often])
    chance = fit.predict_proba(X[often])[:, 1]
    cv = [(np.arange(ROWS), np.arange(ROWS))]
    spread = cv_spread(
        model, X, COMMON, strategies={"all": cv}, scoring="nll", sample_weight=weight
    )
    assert spread.folds["score"][0] == pytest.approx(log_loss(COMMON[often], chance))


def test_it_is_said_where_weights_do_not_reach() -> None:
    options: dict[str, Any] = {"strategies": FEW, "sample_weight": np.ones(ROWS)}
    for refusing in (KNeighborsClassifier(), make_pipeline(KNeighborsClassifier())):
        with pytest.raises(InvalidOptionError, match=r"KNeighbors.*fit takes no sample_weight"):
            cv_spread(refusing, X, COMMON, **options)
    columns = ColumnTransformer([("scale", StandardScaler(), [0, 1])])
    with pytest.warns(VtreatWarning, match="no weights on to StandardScaler inside it"):
        cv_spread(make_pipeline(columns, LogisticRegression()), X, COMMON, **options)


def by_split(spread: CVSpread) -> pd.DataFrame:
    return spread.folds.set_index(["split", "metric"])["score"].unstack()  # noqa: PD010


def test_rows_of_weight_zero_count_nowhere_in_a_score() -> None:
    """Two test folds: one in which only negative rows count, and one in which no row does."""
    y = np.array([0, 1] * 4)
    weight = np.array([1, 1, 1, 1, 1, 0, 0, 0])
    splits = [([0, 1, 2, 3], [4, 5]), ([0, 1, 2, 3], [6, 7])]
    chance = np.linspace(0.1, 0.8, 8)[:, None]
    with pytest.warns(
        VtreatWarning, match="fewer than two classes in 2 of 2 test folds of strategy 'given'"
    ):
        spread = cv_spread(
            FirstColumn(), chance, y, strategies={"given": splits}, sample_weight=weight
        )
    scores = by_split(spread)
    assert scores.loc[0].to_dict() == pytest.approx(
        {"nll": -np.log(0.5), "brier": 0.25, "average_precision": 0.0, "roc_auc": np.nan},
        nan_ok=True,
    )
    assert scores.loc[1].isna().all()
    assert np.isnan(spread.folds["rate_test"].iloc[-1])
    assert spread.summary()["undefined"].tolist() == [0.5, 0.5, 1.0, 0.5]


def test_groups_stay_together() -> None:
    groups = np.arange(ROWS) // 4
    spread = cv_spread(FirstColumn(), X, COMMON, groups=groups, scoring="brier", random_state=0)
    assert spread.folds["strategy"].unique().tolist() == ["grouped"]
    cv = GroupShuffleSplit(100, test_size=0.2, random_state=0)
    expected = [
        brier_score_loss(COMMON[test], CHANCE[test]) for _, test in cv.split(X, COMMON, groups)
    ]
    assert spread.folds["score"].tolist() == pytest.approx(expected)
    own = {"mine": GroupShuffleSplit(100, test_size=0.2, random_state=0)}
    again = cv_spread(FirstColumn(), X, COMMON, groups=groups, scoring="brier", strategies=own)
    assert again.folds["score"].tolist() == spread.folds["score"].tolist()


ONE_CLASS = [([2, 3, 4, 5], [0, 1]), ([0, 1, 2, 3], [4, 5]), ([0, 3, 4], [1, 2, 5])]


def one_class() -> CVSpread:
    """Six rows, two of them positive; a training fold and a test fold are of one class."""
    chance = np.array([[0.5], [0.2], [0.1], [0.3], [0.4], [0.25]])
    y = np.array([1, 1, 0, 0, 0, 0])
    CountedCalls.fits = 0
    with pytest.warns(VtreatWarning) as caught:
        spread = cv_spread(CountedCalls(), chance, y, strategies={"given": ONE_CLASS})
    assert [str(warning.message) for warning in caught] == [
        "fewer than two classes in 2 of 3 test folds of strategy 'given' and 1 of 3 training "
        "folds of strategy 'given'; of the scores, 'nll', 'brier', 'roc_auc', "
        "'average_precision' are undefined (NaN) in some"
    ]
    return spread


def test_folds_of_one_class_are_counted() -> None:
    spread = one_class()
    assert CountedCalls.fits == 2
    scores = by_split(spread)
    assert scores.loc[0].isna().all()
    assert scores.loc[1].to_dict() == pytest.approx(
        {
            "nll": -np.log([0.6, 0.75]).mean(),
            "brier": (0.4**2 + 0.25**2) / 2,
            "roc_auc": np.nan,
            "average_precision": 0.0,
        },
        nan_ok=True,
    )
    assert scores.loc[2, "roc_auc"] == 0.5
    summary = spread.summary()
    assert summary["count"].tolist() == [2, 2, 1, 2]
    assert summary["undefined"].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1 / 3])
    assert summary["one_class"].tolist() == pytest.approx([2 / 3] * 4)
    assert summary["rate_train"].tolist() == pytest.approx([(0 + 1 / 2 + 1 / 3) / 3] * 4)
    assert summary["rate_test"].tolist() == pytest.approx([(1 + 0 + 1 / 3) / 3] * 4)
    assert spread.interval()["undefined"].tolist() == [1, 1, 2, 1]
    assert "undefined" in repr(spread)


def test_losses_of_one_class_test_folds_are_not_called_undefined() -> None:
    splits = [([0, 1, 2, 3], [4, 5]), ([0, 1, 4, 5], [2, 3])]
    y = np.array([1, 0, 0, 1, 0, 0])
    with pytest.warns(VtreatWarning, match="of the scores, all defined"):
        cv_spread(FirstColumn(), X[:6], y, strategies={"given": splits}, scoring=["nll"])


def test_errors_of_the_model_are_raised() -> None:
    broken = LogisticRegression(C=-1.0)
    with pytest.raises(ValueError, match="'C' parameter"):
        cv_spread(broken, X, COMMON, strategies=FEW)


def warnings_of_interval(spread: CVSpread, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spread.interval(**options)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("method", ["iqr", "nadeau-bengio"])
def test_fixed_shares_of_a_rare_class_are_warned_of_once(method: str) -> None:
    spread = cv_spread(FirstColumn(), X, RARE, strategies=BOTH, scoring=["nll", "brier", "roc_auc"])
    assert warnings_of_interval(spread, method=method) == [
        f"the folds of strategy 'stratified' hold the classes in fixed shares, and one class has "
        f"{RARE.mean():.2g} of the rows: intervals of 'nll', 'brier' from such folds are far too "
        "narrow. Use those of folds drawn without regard to the class, such as ShuffleSplit"
    ]


def test_a_rare_negative_class_is_rare_too() -> None:
    spread = cv_spread(FirstColumn(), X, 1 - RARE, strategies=BOTH, scoring="nll")
    assert len(warnings_of_interval(spread)) == 1


@pytest.mark.parametrize(
    ("y", "options"),
    [
        (RARE, {"strategies": FEW, "scoring": ["nll"]}),
        (RARE, {"strategies": BOTH, "scoring": ["roc_auc", "average_precision"]}),
        (COMMON, {"strategies": BOTH, "scoring": ["nll"]}),
    ],
    ids=["vanilla folds", "no proper score", "no rare class"],
)
def test_there_is_no_warning_where_it_does_not_apply(y: Any, options: Any) -> None:
    assert warnings_of_interval(cv_spread(FirstColumn(), X, y, **options)) == []


def test_interval_of_the_table_is_the_middle_half() -> None:
    spread = cv_spread(FirstColumn(), X, COMMON, strategies=BOTH)
    summary, interval = spread.summary(), spread.interval()
    assert interval["low"].tolist() == summary["25%"].tolist()
    assert interval["high"].tolist() == summary["75%"].tolist()
    assert interval.index.equals(summary.index)
    wider = spread.interval(0.9, "nadeau-bengio")["width"]
    assert (wider > spread.interval(method="nadeau-bengio")["width"]).all()


def test_picture() -> None:
    spread = cv_spread(FirstColumn(), X, COMMON, strategies=BOTH)
    ax = spread.plot("brier")
    widths = spread.summary().xs("brier", level="metric")["iqr"]
    assert ax.get_xlabel() == "brier of a fold"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["vanilla", "stratified"]
    assert f"{widths['vanilla']:.2g} (vanilla), {widths['stratified']:.2g}" in ax.get_title("left")
    dots, bar, tick = (line.get_xdata() for line in ax.lines[:3])
    scores = spread.folds.query("strategy == 'vanilla' and metric == 'brier'")["score"]
    np.testing.assert_array_equal(dots, scores)
    assert list(bar) == scores.quantile([0.25, 0.75]).tolist()
    assert tick == scores.median()
    assert len(ax.lines) == 6
    assert spread.plot(ax=ax) is ax
    with pytest.raises(InvalidOptionError, match="metric is 'auc'; 'nll', 'brier', 'roc_auc'"):
        spread.plot("auc")
    mpl.pyplot.close("all")


def test_picture_tells_what_is_undefined() -> None:
    ax = one_class().plot("roc_auc")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["given\n2 undefined"]
    assert len(ax.lines[0].get_xdata()) == 1
    mpl.pyplot.close("all")


def test_picture_of_a_score_that_is_defined_nowhere() -> None:
    splits = [([0, 1, 2, 3], [4, 5]), ([0, 1, 2, 3], [4])]
    with pytest.warns(VtreatWarning):
        spread = cv_spread(FirstColumn(), X[:6], [1, 0, 0, 1, 0, 0], strategies={"given": splits})
    ax = spread.plot("roc_auc")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["given\n2 undefined"]
    assert len(ax.lines[0].get_xdata()) == 0
    mpl.pyplot.close("all")


def test_repr() -> None:
    text = repr(cv_spread(FirstColumn(), X, RARE, strategies=BOTH, scoring="nll"))
    assert text.startswith(
        f"CVSpread: 8 vanilla, 8 stratified splits; class 1 has {RARE.mean():.2%} of rows\n"
    )
    assert "iqr  undefined" in text


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"y": np.zeros(ROWS)}, InvalidOptionError, "y must hold two classes, and holds 1: 0.0"),
        ({"y": np.arange(ROWS) % 3}, InvalidOptionError, "holds 3: 0, 1, 2"),
        ({"y": [None, *COMMON[1:]]}, InvalidOptionError, "the first row 0; leave those rows out"),
        ({"y": COMMON[1:]}, ValueError, "inconsistent numbers of samples: [400, 399]"),
        ({"sample_weight": -np.ones(ROWS)}, InvalidOptionError, "sample_weight is -1 in row 0"),
        ({"sample_weight": [1.0]}, InvalidOptionError, "sample_weight has 1 values, for 400 rows"),
        ({"strategies": ShuffleSplit(3)}, OptionTypeError, "strategies is a ShuffleSplit; a "
         "dictionary of splitters by name is wanted"),
        ({"strategies": {}}, InvalidOptionError, "strategies is empty; give one splitter"),
        ({"scoring": "gini"}, InvalidOptionError, "scoring 'gini' is no metric"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(changed: Any, error: type[Exception], message: str) -> None:
    options = {"X": X, "y": COMMON, "strategies": FEW, **changed}
    with pytest.raises(error, match=re.escape(message)):
        cv_spread(FirstColumn(), options.pop("X"), options.pop("y"), **options)
