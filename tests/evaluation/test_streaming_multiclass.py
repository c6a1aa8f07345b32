"""Several classes, each against the rest, against scikit-learn on all rows at once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, PlanFormatError
from vtreat_py.evaluation import StreamingBinaryEvaluator, StreamingMulticlassEvaluator

CLASSES = ["a", "b", "c"]
RANDOM = np.random.default_rng(0)
CHANCE = RANDOM.dirichlet([1, 2, 3], 600)
LABEL = np.array([RANDOM.choice(CLASSES, p=p) for p in CHANCE])
WEIGHT = RANDOM.integers(1, 4, 600) / 2


def evaluated(weighted: bool = False, **options: Any) -> StreamingMulticlassEvaluator:
    evaluator = StreamingMulticlassEvaluator(CLASSES, **options)
    for start in range(0, 600, 170):
        part = slice(start, start + 170)
        evaluator.update(LABEL[part], CHANCE[part], WEIGHT[part] if weighted else None)
    return evaluator


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_scikit_learn(weighted: bool) -> None:
    evaluator = evaluated(weighted, bits=24)
    weight = {"sample_weight": WEIGHT if weighted else None}
    call = np.array(CLASSES)[CHANCE.argmax(axis=1)]
    assert evaluator.accuracy() == pytest.approx(metrics.accuracy_score(LABEL, call, **weight))
    np.testing.assert_allclose(
        evaluator.confusion(), metrics.confusion_matrix(LABEL, call, **weight)
    )
    truth = LABEL[:, None] == CLASSES
    for average in ("macro", "weighted"):
        auc = metrics.roc_auc_score(truth, CHANCE, average=average, **weight)
        assert evaluator.auc(average) == pytest.approx(auc, abs=1e-5)
        low, high = evaluator.auc_bounds(average)
        assert low - 1e-12 <= auc <= high + 1e-12
        precise = metrics.average_precision_score(truth, CHANCE, average=average, **weight)
        assert evaluator.average_precision(average) == pytest.approx(precise, abs=1e-5)
        low, high = evaluator.average_precision_bounds(average)
        assert low - 1e-12 <= precise <= high + 1e-12
    brier = np.average(((CHANCE - truth) ** 2).sum(axis=1), weights=weight["sample_weight"])
    assert evaluator.brier() == pytest.approx(brier)


def test_each_class_has_an_evaluator() -> None:
    evaluator = evaluated()
    for k, label in enumerate(CLASSES):
        alone = StreamingBinaryEvaluator(pos_label=label).update(
            np.where(label == LABEL, label, "rest"), CHANCE[:, k]
        )
        pd.testing.assert_frame_equal(evaluator.of(label).fixed(), alone.fixed())
        assert evaluator.of(label).auc_bounds() == alone.auc_bounds()
    with pytest.raises(InvalidOptionError, match="'d' is no class; classes are 'a', 'b', 'c'"):
        evaluator.of("d")


def test_the_summary() -> None:
    table = evaluated(True).summary()
    assert table.index.tolist() == [*CLASSES, "macro", "weighted"]
    assert table.loc["macro", "auc"] == pytest.approx(evaluated(True).auc())
    assert table.loc["weighted", "auc"] == pytest.approx(evaluated(True).auc("weighted"))
    assert table.loc[CLASSES, "prevalence"].sum() == pytest.approx(1)
    assert table.loc["b", "brier"] == evaluated(True).of("b").brier()


def test_parts_merge_pickle_and_go_through_json() -> None:
    whole = evaluated(True)
    parts = [
        StreamingMulticlassEvaluator(CLASSES).update(LABEL[k::2], CHANCE[k::2], WEIGHT[k::2])
        for k in (0, 1)
    ]
    both = parts[0] + StreamingMulticlassEvaluator.from_json(parts[1].to_json())
    pd.testing.assert_frame_equal(both.confusion(), whole.confusion())
    pd.testing.assert_frame_equal(both.summary(), whole.summary())
    copied = pickle.loads(pickle.dumps(both))
    assert copied.to_json() == both.to_json()
    assert parts[0].n_rows == 300
    assert repr(both) == "StreamingMulticlassEvaluator(3 classes, 600 rows)"
    text = whole.to_json()
    place = text.index('"matrix": [[') + 12
    with pytest.raises(PlanFormatError, match="was changed after to_json wrote it"):
        StreamingMulticlassEvaluator.from_json(text[:place] + "9" + text[place + 1 :])


def test_missing_values_leave_a_row_out_of_all_classes() -> None:
    label = np.array(["a", None, "c", "b"], dtype=object)
    chance = CHANCE[:4].copy()
    chance[2, 0] = np.nan
    with pytest.raises(InvalidOptionError, match="is missing in row"):
        StreamingMulticlassEvaluator(CLASSES).update(label, chance)
    found = StreamingMulticlassEvaluator(CLASSES, missing="count")
    found.update(label, chance, [1.0, 2.0, 3.0, 4.0])
    assert (found.n_rows, found.n_missing) == (2, 2)
    assert found.confusion().to_numpy().sum() == 5
    assert [found.of(c).n_rows for c in CLASSES] == [2, 2, 2]
    assert "2 rows, 2 missing" in repr(found)


def test_what_is_missing_is_said() -> None:
    label, chance = np.array(["a", None], dtype=object), CHANCE[:2].astype(object)
    with pytest.raises(InvalidOptionError, match="y is missing in row 1"):
        StreamingMulticlassEvaluator(CLASSES).update(label, chance)
    for nothing in (None, pd.NA, np.nan):
        chance[0, 1] = nothing
        with pytest.raises(InvalidOptionError, match="score is missing in row 0"):
            StreamingMulticlassEvaluator(CLASSES).update(label, chance)
        found = StreamingMulticlassEvaluator(CLASSES, missing="count")
        assert found.update(["a", "b"], chance).n_missing == 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_scores_have_the_order_of_the_classes(frame: Any) -> None:
    columns = dict(zip(CLASSES, CHANCE[:9].T, strict=True))
    found = StreamingMulticlassEvaluator(CLASSES).update(LABEL[:9], frame(columns))
    assert found.to_json() == StreamingMulticlassEvaluator(CLASSES).update(
        LABEL[:9], CHANCE[:9]
    ).to_json()  # fmt: skip
    renamed = frame(dict(zip("xyz", CHANCE[:9].T, strict=True)))
    assert StreamingMulticlassEvaluator(CLASSES).update(LABEL[:9], renamed).n_rows == 9
    with pytest.raises(InvalidOptionError, match="put the columns in the order of the classes"):
        found.update(LABEL[:9], frame(dict(reversed(columns.items()))))


def test_classes_of_a_model_are_known() -> None:
    for classes in (np.array([1, 2, 3]), np.array(CLASSES)):
        evaluator = StreamingMulticlassEvaluator(classes).update(classes, CHANCE[:3])
        assert [evaluator.of(label).n_rows for label in classes] == [3, 3, 3]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ((["a", "d"], CHANCE[:2]), InvalidOptionError, "y has 'd', which is no class"),
        (
            (["a", "b"], CHANCE[:2, :2]),
            InvalidOptionError,
            r"score has shape \(2, 2\); a column is",
        ),
        (
            (["a"], pd.DataFrame(CHANCE[:1], columns=["c", "b", "a"])),
            InvalidOptionError,
            "score has the columns 'c', 'b', 'a', and classes are 'a', 'b', 'c'; put",
        ),
        ((["a"], CHANCE[:2]), InvalidOptionError, "score has 2 values, for 1 rows"),
        ((["a"], [["x", "y", "z"]]), InvalidOptionError, "score must hold numbers"),
        ((["a"], CHANCE[:1], [-1]), InvalidOptionError, "sample_weight is -1 in row 0"),
    ],
)
def test_what_is_refused_leaves_no_trace(data: Any, error: type[Exception], message: str) -> None:
    evaluator = evaluated()
    before = evaluator.to_json()
    with pytest.raises(error, match=message):
        evaluator.update(*data)
    assert evaluator.to_json() == before


@pytest.mark.parametrize(
    ("classes", "options", "message"),
    [
        (["a"], {}, "two labels or more are wanted"),
        (["a", "a"], {}, "each of them once"),
        ("ab", {}, "two labels or more are wanted"),
        (["a", None], {}, "one of them is missing"),
        ([1.0, np.nan], {}, "one of them is missing"),
        (CLASSES, {"pos_label": "a"}, "pos_label is not wanted"),
        (CLASSES, {"window": 3}, "window and half_life are options of StreamingBinaryEvaluator"),
        (CLASSES, {"bits": 3}, "bits is 3"),
    ],
)
def test_bad_options_are_refused(classes: Any, options: Any, message: str) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        StreamingMulticlassEvaluator(classes, **options)


def test_other_evaluators_are_not_merged() -> None:
    one = StreamingMulticlassEvaluator(CLASSES)
    with pytest.raises(
        InvalidOptionError, match="classes are 'a', 'b', 'c' here and 'a', 'b' there"
    ):
        one.merge(StreamingMulticlassEvaluator(["a", "b"]))
    with pytest.raises(InvalidOptionError, match="bins is"):
        one.merge(StreamingMulticlassEvaluator(CLASSES, bits=12))
    with pytest.raises(OptionTypeError, match="another evaluator is wanted"):
        one.merge(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="nothing was evaluated yet"):
        one.accuracy()
    with pytest.raises(InvalidOptionError, match="average='micro'; it must be one of"):
        evaluated().auc("micro")  # type: ignore[arg-type]
