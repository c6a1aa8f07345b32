"""Intervals from given scores, and which folds hold the classes in fixed shares."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupShuffleSplit,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from tests.evaluation.classifiers import FirstColumn
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._classifier_scorers import ClassifierScorers
from vtreat_py.evaluation._fold_scores import LabelledRows, score_folds
from vtreat_py.evaluation._spread_intervals import score_intervals, strategies_of_fixed_shares


def folds_of(scores: list[float], n_train: Any = 80, n_test: Any = 20) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "strategy": "plain",
            "split": range(len(scores)),
            "metric": "nll",
            "score": scores,
            "n_train": n_train,
            "n_test": n_test,
        }
    )


def bounds(scores: list[float], level: float, method: str, **sizes: Any) -> tuple[float, float]:
    row = score_intervals(folds_of(scores, **sizes), level=level, method=method).iloc[0]
    assert row["width"] == pytest.approx(row["high"] - row["low"], nan_ok=True)
    return float(row["low"]), float(row["high"])


def test_quantiles() -> None:
    scores = [5.0, 1.0, 3.0, 2.0, 4.0]
    assert bounds(scores, 0.5, "iqr") == (2.0, 4.0)
    assert bounds(scores, 0.9, "iqr") == pytest.approx((1.2, 4.8))


def test_nadeau_and_bengio_by_hand() -> None:
    """Here s^2 = 5/3 and 1/4 + 20/80 = 1/2; the quantiles are from a table of Student's t."""
    error = np.sqrt(5 / 3 * 1 / 2)
    for level, t in ((0.5, 0.764892), (0.9, 2.353363)):
        expected = (2.5 - t * error, 2.5 + t * error)
        assert bounds([1, 2, 3, 4], level, "nadeau-bengio") == pytest.approx(expected, abs=1e-6)


def test_folds_of_different_sizes_overlap_by_their_mean() -> None:
    """Ratios 1/3 and 1/7 have mean 5/21, as 5 rows to 21 have."""
    scores = [1.0, 2.0]
    uneven = bounds(scores, 0.5, "nadeau-bengio", n_train=[75, 70], n_test=[25, 10])
    even = bounds(scores, 0.5, "nadeau-bengio", n_train=21, n_test=5)
    assert uneven == pytest.approx(even)


def test_more_splits_do_not_make_it_certain() -> None:
    low, high = bounds([-1.0, 1.0] * 5000, 0.5, "nadeau-bengio")
    assert high - low == pytest.approx(2 * 0.67449 * 0.5, rel=1e-3)


@pytest.mark.parametrize("method", ["iqr", "nadeau-bengio"])
@given(
    scores=st.lists(st.floats(-100, 100), min_size=2, max_size=20),
    levels=st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)),
)
@settings(max_examples=40, deadline=None)
def test_a_higher_level_reaches_further(
    method: str, scores: list[float], levels: tuple[float, float]
) -> None:
    inner, outer = (bounds(scores, level, method) for level in sorted(levels))
    assert outer[0] <= inner[0] + 1e-9
    assert inner[1] <= outer[1] + 1e-9


def test_undefined_scores_are_counted_and_in_no_interval() -> None:
    some = folds_of([1.0, np.nan, 3.0, 2.0, np.nan, 4.0, 5.0])
    for method in ("iqr", "nadeau-bengio"):
        with_gaps = score_intervals(some, level=0.5, method=method)
        without = score_intervals(some.dropna(), level=0.5, method=method)
        assert with_gaps[["splits", "undefined"]].to_numpy().tolist() == [[5, 2]]
        assert without[["splits", "undefined"]].to_numpy().tolist() == [[5, 0]]
        assert with_gaps["low"].equals(without["low"])
        assert with_gaps["high"].equals(without["high"])


def test_too_few_scores_give_no_interval() -> None:
    nothing = (pytest.approx(np.nan, nan_ok=True),) * 2
    assert bounds([np.nan] * 3, 0.5, "iqr") == nothing
    assert bounds([np.nan] * 3, 0.5, "nadeau-bengio") == nothing
    assert bounds([2.0], 0.5, "nadeau-bengio") == nothing
    assert bounds([2.0], 0.5, "iqr") == (2.0, 2.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0, "method": "iqr"}, "level is 1.0; a number between 0 and 1 is wanted"),
        ({"level": 0.5, "method": "t"}, "method is 't'; 'iqr', 'nadeau-bengio' are allowed"),
    ],
)
def test_bad_options_are_refused(options: Any, message: str) -> None:
    with pytest.raises(InvalidOptionError, match=re.escape(message)):
        score_intervals(folds_of([1.0, 2.0]), **options)


SHUFFLED = {"shuffle": True, "random_state": 0}
RANDOMLY = {"n_splits": 10, "test_size": 0.2, "random_state": 0}
SPLITTERS = [
    (StratifiedShuffleSplit(**RANDOMLY), True),
    (StratifiedKFold(5), True),
    (RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0), True),
    (StratifiedGroupKFold(5), True),
    (5, True),
    (ShuffleSplit(**RANDOMLY), False),
    (KFold(5, **SHUFFLED), False),
    (GroupShuffleSplit(**RANDOMLY), False),
]


@pytest.mark.parametrize(("cv", "fixed"), SPLITTERS, ids=lambda value: str(value).split("(")[0])
@pytest.mark.parametrize("rate", [0.02, 0.3])
def test_folds_of_fixed_shares_are_found(cv: Any, fixed: bool, rate: float) -> None:
    random = np.random.default_rng(1)
    y = (random.random(2000) < rate).astype(int)
    X, groups = np.full((2000, 1), rate), np.arange(2000) // 2
    given = {"groups": groups} if "Group" in str(cv) else {}
    splits = cv if isinstance(cv, int) else list(cv.split(X, y, **given))
    scorers = ClassifierScorers.of_scoring("brier", pos_label=1, weighted=False)
    folds = score_folds(FirstColumn(), LabelledRows.checked(X, y), scorers, {"these": splits})
    assert strategies_of_fixed_shares(folds) == (["these"] if fixed else [])
