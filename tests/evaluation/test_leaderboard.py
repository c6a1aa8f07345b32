"""The Ladder by hand and by laws, and what adaptive analysts make of it."""

from __future__ import annotations

import importlib.util
import math
import pickle
import re
from fractions import Fraction
from itertools import pairwise
from math import comb, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from vtreat_py.base.errors import BudgetError, InvalidOptionError, OptionTypeError
from vtreat_py.evaluation import Leaderboard, Thresholdout

STUDY = Path(__file__).parents[2] / "benchmarks" / "leaderboard_study.py"
TEN = np.array([1, 0] * 5)
LABELLED = pd.Series(TEN, list("abcdefghij"))


def with_wrong(n_wrong: int, y: Any = TEN) -> Any:
    """Calls of which so many are wrong, the first ones."""
    calls = y.copy()
    calls[:n_wrong] = 1 - calls[:n_wrong]
    return calls


def shares_of(y: Any, p: Any) -> Any:
    return p


def test_a_ladder_by_hand() -> None:
    board = Leaderboard(TEN, step=0.2)
    told = [board.submit(with_wrong(k)) for k in (7, 5, 4, 6, 3, 2, 1, 0)]
    # 7: .7 is halfway between .6 and .8: to the even multiple. 5: .5 < .8 - .2, halfway: .4.
    # 4, 6, 3, 2: not below .4 - .2. 1: is below, and halfway between 0 and .2: 0. 0: cannot be.
    assert told == [0.8, 0.4, 0.4, 0.4, 0.4, 0.4, 0.0, 0.0]
    assert board.history.tolist() == told
    assert board.history.index.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (board.best, board.best_submission, board.n_submissions) == (0.0, 7, 8)


def test_a_tie_is_no_step_in_spite_of_rounding() -> None:
    """As floats, .3 < .4 - .1, and 3 * .1 is not .3."""
    board = Leaderboard(TEN, step=0.1)
    assert [board.submit(with_wrong(k)) for k in (4, 3, 2)] == [0.4, 0.4, 0.2]
    thirds = Leaderboard(TEN, step=0.1)
    assert thirds.submit(with_wrong(3)) == 0.3


def test_the_parameter_free_ladder_by_hand() -> None:
    board = Leaderboard(TEN)
    assert board.submit(with_wrong(5)) == 0.5
    # One row better: d = (0, ..., 0, -1), mean -.1, standard error .1: not below -1 of them.
    assert board.submit(with_wrong(4)) == 0.5
    # Two rows better: mean -.2, standard error sqrt(1.6 / 9 / 10) = .1333.
    assert board.submit(with_wrong(3)) == 0.3
    # As good on other rows.
    assert board.submit(1 - with_wrong(7)) == 0.3


def test_paired_differences_count_not_single_losses() -> None:
    y = np.zeros(100)
    board = Leaderboard(y, shares_of, bounds=(0, 1))
    first = np.linspace(0, 1, 100)
    assert board.submit(first) == pytest.approx(0.5)
    # Better by .01 everywhere it can be: a tenth of the standard error of either mean.
    assert board.submit(np.clip(first - 0.02, 0, 1)) == 0.48


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=30),
    st.sampled_from([None, 0.01, 0.1, 0.25, 1 / 3]),
)
@settings(max_examples=60, deadline=None)
def test_laws(wrong: list[int], step: float | None) -> None:
    y = np.arange(40) % 2
    board = Leaderboard(y, step=step)
    told = [board.submit(with_wrong(k, y)) for k in wrong]
    grid = Fraction(repr(step)) if step else Fraction(1, 40)
    in_steps = [round(Fraction(score) / grid) for score in told]
    assert [float(k * grid) for k in in_steps] == told
    assert all(b == a or b <= a - 1 for a, b in pairwise(in_steps))
    least = [Fraction(min(wrong[: t + 1]), 40) for t in range(len(wrong))]
    reach = grid if step else Fraction(1 / sqrt(39))
    assert all(abs(k * grid - best) <= reach for k, best in zip(in_steps, least, strict=True))
    if step is None:
        assert in_steps[0] == wrong[0]
    first = told.index(told[-1])
    assert board.best_submission == first + 1
    bound = board.bound()
    assert bound > board.bound(0.5) > reach


def test_bound_by_hand() -> None:
    """Of 10 rows and a step of .5 there are 3 scores; one change before the third submission."""
    board = Leaderboard(TEN, step=0.5)
    assert math.isnan(board.bound())
    for k in (9, 2, 8):
        board.submit(with_wrong(k))
    assert board.history.tolist() == [1.0, 0.0, 0.0]
    ways = [comb(0, 0) * 1, comb(1, 1) * 3, comb(2, 2) * 3]
    exponents = [
        log(2 * w * s * (s + 1) * (j + 1) * (j + 2) / 0.1)
        for w, s, j in zip(ways, (1, 2, 3), (0, 1, 2), strict=True)
    ]
    assert board.bound(0.9) == pytest.approx(0.5 + sqrt(max(exponents) / 20))


def test_weights_are_frequencies_but_for_what_is_sure() -> None:
    weight = np.array([1, 2, 3, 4])
    y, wrong = np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1])
    weighted = Leaderboard(y, step=0.05, sample_weight=weight)
    repeated = Leaderboard(y.repeat(weight), step=0.05)
    assert weighted.submit(wrong) == repeated.submit(wrong.repeat(weight)) == 0.5
    equal = Leaderboard(y, step=0.05)
    equal.submit(wrong)
    # 1 / sum of squared shares is 100 / 30 rows of one weight, where there are 4.
    ratio = (weighted.bound() - 0.05) / (equal.bound() - 0.05)
    assert ratio == pytest.approx(sqrt(4 / (100 / 30)))


def test_groups_are_the_rows_of_the_bound() -> None:
    one = Leaderboard(TEN, step=0.1)
    five = Leaderboard(TEN.repeat(5), step=0.1, groups=np.arange(10).repeat(5))
    for k in (6, 2):
        assert one.submit(with_wrong(k)) == five.submit(with_wrong(k).repeat(5))
    assert one.bound() == pytest.approx(five.bound())
    free, grouped = (
        Leaderboard(TEN),
        Leaderboard(TEN.repeat(5), groups=np.arange(10).repeat(5)),
    )
    assert [free.submit(with_wrong(k)) for k in (5, 4, 3)] == [
        grouped.submit(with_wrong(k).repeat(5)) for k in (5, 4, 3)
    ]


def test_losses_with_bounds() -> None:
    y = np.array([0.0, 10.0, 20.0])
    board = Leaderboard(y, "absolute", step=0.5, bounds=(0, 6))
    assert board.submit([1.0, 8.0, 1e9]) == 3.0  # the last counts 6
    chances = Leaderboard(["no", "yes"], "brier", step=0.01, pos_label="yes")
    assert chances.submit([0.5, 0.5]) == 0.25
    infinite = Leaderboard(y, lambda y, p: np.where(p > y, np.inf, 0), step=0.5, bounds=(0, 3))
    assert infinite.submit([1.0, 0.0, 0.0]) == 1.0


def test_refused_predictions_are_no_submission() -> None:
    board = Leaderboard(TEN, step=0.1)
    with pytest.raises(InvalidOptionError, match="predictions has 9 values, for 10 rows"):
        board.submit(TEN[:9])
    labelled = Leaderboard(LABELLED, step=0.1)
    with pytest.raises(InvalidOptionError, match="index"):
        labelled.submit(LABELLED[::-1])
    assert board.n_submissions == labelled.n_submissions == 0
    assert math.isnan(board.best)
    assert board.best_submission is None
    assert board.history.empty


def test_pickles_go_on() -> None:
    board = Leaderboard(TEN)
    board.submit(with_wrong(5))
    copy = pickle.loads(pickle.dumps(board))
    assert copy.submit(with_wrong(3)) == board.submit(with_wrong(3)) == 0.3
    assert repr(copy) == repr(board)
    assert repr(board) == (
        "Leaderboard: 2 submissions, best zero-one loss 0.3 (submission 2)\n"
        "10 rows; a step is its standard error"
    )


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((TEN, "squared"), {}, InvalidOptionError, "bounds is missing: metric='squared' has none"),
        ((TEN, shares_of), {}, InvalidOptionError, "bounds is missing"),
        ((TEN, "log"), {"bounds": 3}, OptionTypeError, "bounds=3; give (least, greatest)"),
        ((TEN, "log"), {"bounds": (3, 1)}, InvalidOptionError, "the first must be the lesser"),
        ((TEN,), {"step": 0}, InvalidOptionError, "step=0; it must be >= 1e-12"),
        ((TEN,), {"step": 1.5}, InvalidOptionError, "step=1.5 is more than the losses' range of 1"),
        ((TEN,), {"step": "big"}, OptionTypeError, "step='big' must be a number"),
        (
            ([1, 0], "log"),
            {"bounds": [[0], [1, 2]]},
            InvalidOptionError,
            "bounds=[[0], [1, 2]]; give (least, greatest)",
        ),
        (([1],), {}, InvalidOptionError, "of the holdout that count are 1; two at"),
        (([1, None],), {}, InvalidOptionError, "y is missing in 1 row"),
        ((TEN,), {"sample_weight": -TEN}, InvalidOptionError, "weights must be 0 or more"),
        ((LABELLED,), {"sample_weight": LABELLED[::-1]}, InvalidOptionError, "index"),
    ],
)
def test_bad_holdouts_are_refused(
    arguments: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        Leaderboard(*arguments, **options)


def test_bad_losses_and_confidences_are_refused() -> None:
    one_number = Leaderboard(TEN, lambda y, p: float(np.mean(y != p)), bounds=(0, 1))
    with pytest.raises(InvalidOptionError, match=r"gives values of shape .* only means of rows"):
        one_number.submit(TEN)
    missing = Leaderboard(TEN, lambda y, p: np.where(y == p, np.nan, 0), bounds=(0, 1))
    with pytest.raises(InvalidOptionError, match=r"is NaN in some rows$"):
        missing.submit(TEN)
    with pytest.raises(InvalidOptionError, match="confidence=1"):
        one_number.bound(1)


def test_thresholdout_by_hand() -> None:
    holdout = Thresholdout(TEN, budget=2, threshold=0.25, noise=0)
    asked = [(5, 0.3), (5, 0.2), (1, 0.3), (9, 0.3)]
    assert [holdout.submit(with_wrong(k), near) for k, near in asked] == [0.3, 0.5, 0.3, 0.9]
    assert holdout.history["from_holdout"].tolist() == [False, True, False, True]
    assert holdout.history["training_score"].tolist() == [0.3, 0.2, 0.3, 0.3]
    assert (holdout.n_submissions, holdout.budget_left) == (4, 0)
    with pytest.raises(BudgetError, match="the budget of 2 answers from the holdout is spent"):
        holdout.submit(TEN, 0.0)
    assert holdout.n_submissions == 4


def test_thresholdout_bound_by_hand() -> None:
    holdout = Thresholdout(TEN, budget=2, threshold=0.25, noise=0.01, random_state=0)
    for k, near in [(9, 0.1), (9, 0.1)]:
        holdout.submit(with_wrong(k), near)
    assert holdout.history["from_holdout"].all()
    exponents = [log(2 * 1 * 2 * 2 / 0.05), log(2 * 11 * 6 * 6 / 0.05)]
    noise = 4 * 0.01 * log(2 * 2 * 3 / 0.05)
    assert holdout.bound(0.9) == pytest.approx(sqrt(max(exponents) / 20) + 0.25 + noise)


def test_answers_have_laplaces_noise_and_are_rounded() -> None:
    y = np.arange(1000) % 2
    calls = with_wrong(500, y)
    told = [
        Thresholdout(y, budget=1, threshold=0.1, noise=0.02, random_state=seed).submit(calls, 0.0)
        for seed in range(400)
    ]
    answers = np.array([score for score in told if score])
    assert len(answers) > 380  # a few are within threshold and noise
    assert np.abs(answers * 1000 - np.rint(answers * 1000)).max() < 1e-9
    assert stats.kstest(answers, stats.laplace(0.5, 0.02).cdf).pvalue > 0.001


def test_the_tail_of_the_noise_that_the_bound_supposes() -> None:
    """P(Lap(2 g) + Lap(4 g) > x) is (16 exp(-x / 4g) - 4 exp(-x / 2g)) / 24, below 2/3 of one."""
    rng = np.random.default_rng(0)
    drawn = rng.laplace(scale=2, size=400_000) + rng.laplace(scale=4, size=400_000)
    for x in (1, 5, 12):
        exactly = (16 * np.exp(-x / 4) - 4 * np.exp(-x / 2)) / 24
        assert stats.binomtest(int((drawn > x).sum()), len(drawn), exactly).pvalue > 1e-3
        assert exactly <= 2 / 3 * np.exp(-x / 4)


def test_thresholdout_is_repeatable_and_pickles() -> None:
    first, same = (Thresholdout(TEN, budget=9, random_state=3) for _ in "ab")
    asked = [(9, 0.0), (4, 0.4), (8, 0.0)]
    told = [first.submit(with_wrong(k), near) for k, near in asked[:2]]
    assert [same.submit(with_wrong(k), near) for k, near in asked[:2]] == told
    copy = pickle.loads(pickle.dumps(first))
    assert copy.submit(with_wrong(8), 0.0) == first.submit(with_wrong(8), 0.0)
    assert repr(copy) == repr(first)


def test_thresholdout_takes_what_its_theorem_takes() -> None:
    with pytest.raises(InvalidOptionError, match=r"must count the same .* 2 times .* Leaderboard"):
        Thresholdout(TEN, budget=1, sample_weight=[1] * 9 + [2])
    with pytest.raises(InvalidOptionError, match="must count the same"):
        Thresholdout(TEN, budget=1, groups=[0] * 6 + [1] * 4)
    Thresholdout(TEN, budget=1, groups=TEN, sample_weight=[3] * 10)
    for options in ({"budget": 0}, {"budget": 1, "noise": -1}, {"budget": 1, "threshold": -1}):
        with pytest.raises(InvalidOptionError, match="must be >="):
            Thresholdout(TEN, **options)
    with pytest.raises(InvalidOptionError, match="training_score=2"):
        Thresholdout(TEN, budget=1).submit(TEN, 2)
    assert math.isnan(Thresholdout(TEN, budget=1).bound())


@pytest.fixture(scope="module")
def study() -> Any:
    if not STUDY.exists():
        pytest.skip("the studies are not in what is distributed")
    spec = importlib.util.spec_from_file_location("leaderboard_study", STUDY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_plain_holdouts_drift_as_theory_says_and_guarded_ones_do_not(study: Any) -> None:
    found = study.attacked(study.boosting, (300,), range(6), 300)
    of = dict(list(found.groupby("holdout")))
    drift = 0.5 - of.pop("plain holdout")["fitted"]
    assert stats.ttest_1samp(drift, study.promised(300, 300)).pvalue > 0.001
    assert drift.min() > 0.15
    assert len(of) == 3
    for guarded in of.values():
        assert abs(0.5 - guarded["fitted"].mean()) < 0.06
        assert (guarded["error"] < guarded["bound"]).all()
        assert guarded["error"].mean() < drift.mean() / 2


def test_selected_columns_fit_a_plain_holdout_alone(study: Any) -> None:
    found = study.attacked(study.selection, (300,), range(6), 300)
    of = dict(list(found.groupby("holdout")))
    plain = of.pop("plain holdout")
    assert (plain["reported"] < 0.4).all()
    for guarded in of.values():
        assert (guarded["error"] < guarded["bound"]).all()
        assert abs(0.5 - guarded["fitted"].mean()) < 0.06


@pytest.mark.parametrize("n", [7, 40, 100, 500, 2_001])
def test_one_row_better_is_no_step_whatever_the_number_of_rows(n: int) -> None:
    """It is better by one standard error, which rounding took for more: labels could be read."""
    y = np.random.default_rng(0).integers(0, 2, n)
    board, guess = Leaderboard(y), np.zeros(n, int)
    first = board.submit(guess)
    for row in range(min(n, 100)):
        tried = guess.copy()
        tried[row] = 1
        assert board.submit(tried) == first
