"""Windows and half-lives: the numbers of the rows that count, however rows were cut into chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.test_streaming import COUNTS, rows, same_state
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

LABEL, SCORE, WEIGHT = rows(400)


def fed(cuts: list[int], weighted: bool, **options: Any) -> StreamingBinaryEvaluator:
    evaluator = StreamingBinaryEvaluator(**options)
    for start, stop in zip([0, *cuts], [*cuts, len(LABEL)], strict=True):
        weight = WEIGHT[start:stop] if weighted else None
        evaluator.update(LABEL[start:stop], SCORE[start:stop], weight)
    return evaluator


CUTS = st.lists(st.integers(0, 400), max_size=6).map(sorted)


@settings(max_examples=20, deadline=None)
@given(CUTS, st.booleans(), st.sampled_from([1, 7, 100, 399, 400, 1000]))
def test_a_window_holds_the_last_rows(cuts: list[int], weighted: bool, window: int) -> None:
    found = fed(cuts, weighted, window=window)
    if weighted and not WEIGHT[-window:].any():
        return
    weight = WEIGHT[-window:] if weighted else None
    alone = StreamingBinaryEvaluator().update(LABEL[-window:], SCORE[-window:], weight)
    if 0 < alone.prevalence() < 1:
        same_state(found, alone)
    assert found.n_rows == min(window, 400)


@settings(max_examples=20, deadline=None)
@given(CUTS, st.booleans(), st.sampled_from([0.5, 30.0, 1e6]))
def test_a_half_life_is_a_weight(cuts: list[int], weighted: bool, half_life: float) -> None:
    found = fed(cuts, weighted, half_life=half_life)
    faded = 0.5 ** (np.arange(400)[::-1] / half_life) * (WEIGHT if weighted else 1)
    alone = StreamingBinaryEvaluator().update(LABEL, SCORE, faded)
    assert found.n_rows == 400
    np.testing.assert_allclose(found.fixed()[COUNTS], alone.fixed()[COUNTS], rtol=1e-9, atol=1e-9)
    for score in ("auc", "average_precision", "log_loss", "brier", "prevalence"):
        assert getattr(found, score)() == pytest.approx(getattr(alone, score)(), rel=1e-9)
    assert found.auc_bounds() == pytest.approx(alone.auc_bounds(), rel=1e-9)


def test_rows_fade_away() -> None:
    evaluator = StreamingBinaryEvaluator(half_life=1).update([1, 0], [0.5, 0.25])
    for _ in range(30):
        evaluator.update([0, 1] * 50, [0.75, 0.875] * 50)
    assert evaluator.calibration()["mean_score"].tolist() == pytest.approx([0.75, 0.875])
    assert evaluator.prevalence() == pytest.approx(2 / 3)


def test_infinite_scores_fade_away() -> None:
    evaluator = StreamingBinaryEvaluator(half_life=1).update([1, 0], [np.inf, -np.inf])
    evaluator.update(np.zeros(2_000), np.full(2_000, 0.5))
    assert evaluator.rmse() == 0.5
    assert StreamingBinaryEvaluator.from_json(evaluator.to_json()).rmse() == 0.5


def test_a_window_does_not_hold_the_arrays_that_it_was_given() -> None:
    score = SCORE.copy()
    evaluator = StreamingBinaryEvaluator(window=10).update(LABEL, score)
    before = evaluator.brier()
    score[:] = 0.5
    evaluator.update([], [])
    assert evaluator.brier() == before
    assert sum(part.score.base is None for part in evaluator._ages.parts) == 1  # type: ignore[union-attr]


def test_missing_rows_are_counted_and_do_not_age_others() -> None:
    y, score = [1, None, 0, 1], [0.75, 0.5, None, 0.25]
    window = StreamingBinaryEvaluator(window=2, missing="count").update(y, score)
    assert (window.n_rows, window.n_missing) == (2, 2)
    fading = StreamingBinaryEvaluator(half_life=1, missing="count").update(y, score)
    assert fading.fixed()[COUNTS].iloc[0].tolist() == [0.5, 0, 1, 0]


@pytest.mark.parametrize("options", [{"window": 5}, {"half_life": 5}])
def test_rows_with_an_age_are_not_merged(options: dict[str, Any]) -> None:
    aged = StreamingBinaryEvaluator(**options)
    name = next(iter(options))
    for one, other in ((aged, StreamingBinaryEvaluator()), (StreamingBinaryEvaluator(), aged)):
        with pytest.raises(
            InvalidOptionError, match=f"cannot be merged, {name}=5: which rows came"
        ):
            one.merge(other)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"window": 0}, InvalidOptionError, "window=0; it must be >= 1"),
        ({"window": 2.5}, OptionTypeError, "window=2.5 must be a whole number"),
        ({"half_life": 0}, InvalidOptionError, "half_life=0; it must be a number of rows above 0"),
        ({"half_life": np.inf}, InvalidOptionError, "half_life has 1 values that are missing"),
        ({"half_life": "x"}, OptionTypeError, "half_life must hold numbers"),
        ({"window": 3, "half_life": 2}, InvalidOptionError, "window=3 and half_life=2: rows count"),
    ],
)
def test_bad_ages_are_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        StreamingBinaryEvaluator(**options)


def test_refused_rows_leave_a_window_as_it_was() -> None:
    evaluator = StreamingBinaryEvaluator(window=3).update([1, 0], [0.75, 0.5])
    with pytest.raises(InvalidOptionError):
        evaluator.update([1, 2], [0.5, 0.5])
    pd.testing.assert_frame_equal(
        evaluator.fixed(), StreamingBinaryEvaluator().update([1, 0], [0.75, 0.5]).fixed()
    )
