"""The state as JSON: the same after the way back, and refused where it was changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.test_streaming import rows, same_state
from vtreat_py.base.errors import PlanFormatError
from vtreat_py.evaluation import _stream_state
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator
from vtreat_py.evaluation.streaming_multiclass import StreamingMulticlassEvaluator

LABEL, SCORE, WEIGHT = rows(300)
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "decimals": {"decimals": 2, "threshold": [0.25, 0.5, 0.75]},
    "float": {"bits": 12, "missing": "count"},
    "window": {"window": 120},
    "half life": {"half_life": 33.3},
}


def evaluated(**options: Any) -> StreamingBinaryEvaluator:
    evaluator = StreamingBinaryEvaluator(**options)
    return evaluator.update(LABEL[:200], SCORE[:200]).update(LABEL[200:], SCORE[200:], WEIGHT[200:])


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_way_back(kind: str) -> None:
    evaluator = evaluated(**OPTIONS[kind])
    text = evaluator.to_json()
    read = StreamingBinaryEvaluator.from_json(text)
    assert read.to_json() == text
    assert repr(read) == repr(evaluator)
    same_state(read, evaluator)
    same_state(read.update(LABEL, SCORE, WEIGHT), evaluator.update(LABEL, SCORE, WEIGHT))
    assert read.to_json() == evaluator.to_json()


def test_nothing_and_margins_have_a_way_back() -> None:
    empty = StreamingBinaryEvaluator()
    assert StreamingBinaryEvaluator.from_json(empty.to_json()).update([1], [0.5]).n_rows == 1
    margins = StreamingBinaryEvaluator(pos_label="yes")
    margins.update(["yes", "no", "no"], np.array([3e38, -np.inf, 1e-300]))
    read = StreamingBinaryEvaluator.from_json(margins.to_json())
    assert read.to_json() == margins.to_json()
    assert read.rmse() == margins.rmse() == np.inf
    window = StreamingBinaryEvaluator(window=3).update([1, 0], np.float32([0.1, np.inf]))
    assert StreamingBinaryEvaluator.from_json(window.to_json()).to_json() == window.to_json()


def test_options_may_be_numbers_of_numpy() -> None:
    options: dict[str, Any]
    for options in ({"bits": 16}, {"decimals": 2}, {"window": 3}, {"half_life": 4}):
        numbers = {name: np.int64(value) for name, value in options.items()}
        text = StreamingBinaryEvaluator(**numbers).update([1, 0], [0.5, 0.25]).to_json()
        assert text == StreamingBinaryEvaluator(**options).update([1, 0], [0.5, 0.25]).to_json()


def test_parts_from_elsewhere_merge() -> None:
    parts = [StreamingBinaryEvaluator().update(LABEL[k::2], SCORE[k::2]) for k in (0, 1)]
    read = [StreamingBinaryEvaluator.from_json(part.to_json()) for part in parts]
    same_state(read[0] + read[1], StreamingBinaryEvaluator().update(LABEL, SCORE))


@pytest.mark.parametrize("name", ["state.json", "state.json.gz"])
def test_files(name: str, tmp_path: Path) -> None:
    evaluator = evaluated()
    assert evaluator.to_json(tmp_path / name) is None
    same_state(StreamingBinaryEvaluator.from_json(tmp_path / name), evaluator)
    with pytest.raises(FileNotFoundError):
        StreamingBinaryEvaluator.from_json(tmp_path / "none.json")


def test_labels_that_json_has_not() -> None:
    evaluator = StreamingBinaryEvaluator(pos_label=np.datetime64("2026-01-01"))
    with pytest.raises(PlanFormatError, match="which JSON has not"):
        evaluator.to_json()


@pytest.mark.parametrize("kind", ["default", "window"])
def test_every_change_of_a_number_is_noticed(kind: str) -> None:
    text = evaluated(**OPTIONS[kind]).to_json()
    places = [k for k, character in enumerate(text) if character.isdigit()]
    for place in places[:: max(1, len(places) // 60)]:
        other = "7" if text[place] != "7" else "3"
        changed = text[:place] + other + text[place + 1 :]
        if json.loads(changed) != json.loads(text):  # not only a digit that no float has
            with pytest.raises(PlanFormatError):
                StreamingBinaryEvaluator.from_json(changed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the text is no JSON"),
        ("[1]", "the text is no vtreat_py streamed evaluation"),
        ("{}", "the text is no vtreat_py streamed evaluation"),
        (" ", "the text is empty"),
        (
            '{"format": "vtreat_py streamed evaluation", "format_version": 2}',
            "this version reads 1",
        ),
        (StreamingMulticlassEvaluator([0, 1]).to_json(), "of kind 'multiclass', and 'binary' is"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(PlanFormatError, match=message):
        StreamingBinaryEvaluator.from_json(text)


def forged(change: Any, **options: Any) -> str:
    """A text whose digest is right, and whose numbers are not."""
    whole = json.loads(evaluated(**options).to_json())
    del whole["digest"]
    change(whole["state"])
    return json.dumps({**whole, "digest": _stream_state._digest(whole)})


def put(*path: Any, value: Any) -> Any:
    def change(state: Any) -> None:
        for key in path[:-1]:
            state = state[key]
        state[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("rows", "n_rows", value=-1), "n_rows is -1; a count is wanted"),
        (put("rows", "n_rows", value=0), "low, high and n_rows are not those of the rows"),
        (put("rows", "n_missing", value=0.5), "n_missing is 0.5; a count is wanted"),
        (put("rows", "low", value=0.9), "low, high and n_rows are not those of the rows"),
        (put("rows", "low", value=None), "low, high has None, which is no number"),
        (put("rows", "whole", value=1), "whole is 1; true or false is wanted"),
        (put("rows", "whole", value=True), "weights are said to be whole numbers"),
        (put("rows", "bins", "number", 0, value=0.5), "bins are not numbered by integers"),
        (put("rows", "bins", "number", 1, value=0), "the numbers of bins do not rise"),
        (put("rows", "bins", "number", -1, value=10**9), "or there are no such bins"),
        (put("rows", "bins", "negative", 0, value=-10.0), "a bin holds no rows"),
        (put("rows", "bins", "positive", 3, value=1e6), "do not count the same rows"),
        (put("rows", "bins", "positive", value=[]), r"positive is \[\]; .* numbers are wanted"),
        (put("rows", "confusion", 0, value=[0.0, 0.0]), "confusion is .*; 1 numbers are wanted"),
        (put("rows", "confusion", value=[[1.0]]), "confusion is not four rows of counts"),
        (put("rows", "squares", value=["nan", 0.0]), "squares has 'nan', which is no number"),
        (put("rows", value=3), "the state is not as to_json writes it"),
        (put("options", "bins", value="wide"), "bins is 'wide'; it can be"),
        (put("options", "more", value=1), "the state is not as to_json writes it: .*more"),
        (lambda state: state.pop("options"), "KeyError: 'options'"),
    ],
)
def test_numbers_that_cannot_be_are_refused(change: Any, message: str) -> None:
    with pytest.raises(PlanFormatError, match=message):
        StreamingBinaryEvaluator.from_json(forged(change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("rows", "rows", 0, "positive", 0, value=2), "neither positive .1. nor negative .0."),
        (put("rows", "rows", 0, "type", value="int8"), "have scores of type 'int8'"),
        (put("rows", "rows", 1, "weight", 0, value=-1), "weights of rows of a window are not fini"),
        (put("rows", "rows", 0, "score", value=[0.5]), "numbers are wanted"),
    ],
)
def test_rows_of_windows_that_cannot_be_are_refused(change: Any, message: str) -> None:
    with pytest.raises(PlanFormatError, match=message):
        StreamingBinaryEvaluator.from_json(forged(change, window=250))
