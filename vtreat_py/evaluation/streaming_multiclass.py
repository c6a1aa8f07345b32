"""Evaluation of a classifier of several classes in one pass: each class against the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.evaluation._inputs import check_length, check_one_of, counted_rows, one_dimensional
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation._rows import is_label, is_missing, plain, refuse_missing
from vtreat_py.evaluation._stream_state import KeepsState, checked_reading, plain_label
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

Average = Literal["macro", "weighted"]


class StreamingMulticlassEvaluator(KeepsState):
    """Scores of a classifier of several classes, each against the rest, over rows in chunks.

    There is a `StreamingBinaryEvaluator` for each class, and the matrix of truth and call, the call
    being the class of the greatest score (the first of those that tie).

    Parameters
    ----------
    classes : sequence of label
        All classes, in the order of the columns of scores: ``model.classes_``.
    **options
        Options of :class:`StreamingBinaryEvaluator` but ``pos_label``.

    Attributes
    ----------
    classes : list
        The classes.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If there are fewer than two classes, or one of them twice, or an option is not allowed.

    See Also
    --------
    evaluate_stream : Reads files and iterables of frames.

    Examples
    --------
    >>> from vtreat_py.evaluation import StreamingMulticlassEvaluator
    >>> evaluator = StreamingMulticlassEvaluator(["a", "b", "c"])
    >>> chances = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.5, 0.25, 0.25]]
    >>> evaluator.update(["a", "b", "c", "b"], chances).accuracy()
    0.75
    >>> round(evaluator.auc(), 4), round(evaluator.auc("weighted"), 4)
    (0.9028, 0.8958)
    >>> evaluator.confusion().to_numpy().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    >>> [round(bound, 4) for bound in evaluator.auc_bounds()]
    [0.8056, 1.0]
    >>> round(evaluator.average_precision(), 4), evaluator.brier()
    (0.7778, 0.4296875)
    >>> [round(bound, 4) for bound in evaluator.average_precision_bounds()]
    [0.7778, 1.0]
    >>> evaluator.summary()["auc"].round(4).to_dict()
    {'a': 0.8333, 'b': 0.875, 'c': 1.0, 'macro': 0.9028, 'weighted': 0.8958}
    >>> StreamingMulticlassEvaluator.from_json(evaluator.to_json()).merge(evaluator).n_rows
    8
    >>> evaluator.of("a").fixed()[["tp", "fp", "fn", "tn"]]
       tp  fp  fn  tn
    0   1   1   0   2
    """

    _KIND = "multiclass"

    def __init__(self, classes: Sequence[Any], **options: Any) -> None:
        self.classes = _checked_classes(classes)
        if "pos_label" in options:
            raise InvalidOptionError("pos_label is not wanted: each class is positive once")
        with refused_as("options are those of StreamingBinaryEvaluator"):
            self._evaluators = [
                StreamingBinaryEvaluator(pos_label=True, **options) for _ in self.classes
            ]
        if any(options.get(name) is not None for name in ("window", "half_life")):
            raise InvalidOptionError(
                "window and half_life are options of StreamingBinaryEvaluator; evaluate each class "
                "by one"
            )
        self._missing = options.get("missing", "raise")
        self._matrix = np.zeros((len(self.classes), len(self.classes)))

    @property
    def n_rows(self) -> int:
        """Rows that were evaluated."""
        return self._evaluators[0].n_rows

    @property
    def n_missing(self) -> int:
        """Rows that were left out, because their label or a score is missing."""
        return self._evaluators[0].n_missing

    def of(self, label: Any) -> StreamingBinaryEvaluator:
        """Return the evaluator of a class against the rest.

        Parameters
        ----------
        label : label
            One of the classes.

        Returns
        -------
        StreamingBinaryEvaluator
            Its positive label is True.

        Raises
        ------
        InvalidOptionError
            If there is no such class.
        """
        label = plain(label)
        for one, evaluator in zip(self.classes, self._evaluators, strict=True):
            if type(one) is type(label) and one == label:
                return evaluator
        raise InvalidOptionError(f"{shown(label)} is no class; classes are {listed(self.classes)}")

    def update(self, y: Any, score: Any, sample_weight: Any = None) -> StreamingMulticlassEvaluator:
        """Evaluate more rows; if they are refused, nothing is changed.

        Parameters
        ----------
        y : array of shape (n_rows,)
            Labels, each of them one of ``classes``.
        score : array of shape (n_rows, n_classes)
            Chances, or other scores: the higher, the more likely. A frame whose columns have the
            names of the classes must have them in that order.
        sample_weight : array of shape (n_rows,) or None, default=None
            None: 1 for each row.

        Returns
        -------
        StreamingMulticlassEvaluator
            This one.

        Raises
        ------
        InvalidOptionError
            If a label is no class, shapes or indexes differ, a value is missing (see ``missing``)
            or a weight is negative or missing.
        OptionTypeError
            If scores or weights are no numbers.
        """
        if not isinstance(y, np.ndarray) or not isinstance(score, np.ndarray):
            from vtreat_py.base.labels import check_same_rows

            check_same_rows({"y": y, "score": score, "sample_weight": sample_weight})
        labels, scores = one_dimensional(y, "y"), _score_table(score, self.classes)
        check_length(scores, len(labels), "score")
        truth = self._places(labels)
        without_score = np.asarray(np.isnan(scores).any(axis=1))
        absent = (truth < 0) | without_score
        if self._missing == "raise":
            refuse_missing(absent, without_score)
        # A missing value in one column leaves the row out of all classes.
        columns = np.where(absent[:, None], np.nan, scores)
        fresh = [evaluator._emptied() for evaluator in self._evaluators]
        for k, evaluator in enumerate(fresh):
            evaluator.update(truth == k, columns[:, k], sample_weight)
        for evaluator, more in zip(self._evaluators, fresh, strict=True):
            evaluator.merge(more)
        self._count(truth[~absent], scores[~absent], sample_weight, ~absent)
        return self

    def merge(self, other: StreamingMulticlassEvaluator) -> StreamingMulticlassEvaluator:
        """Evaluate the rows of another evaluator, too; the other one is not changed.

        Parameters
        ----------
        other : StreamingMulticlassEvaluator

        Returns
        -------
        StreamingMulticlassEvaluator
            This one.

        Raises
        ------
        InvalidOptionError
            If classes, bins or thresholds differ.
        """
        if not isinstance(other, StreamingMulticlassEvaluator):
            raise OptionTypeError(f"other is {shown(other)}; another evaluator is wanted")
        if [(type(c), c) for c in self.classes] != [(type(c), c) for c in other.classes]:
            raise InvalidOptionError(
                f"evaluators cannot be merged: classes are {listed(self.classes)} here and "
                f"{listed(other.classes)} there"
            )
        for one, another in zip(self._evaluators, other._evaluators, strict=True):
            one.merge(another)
        self._matrix += other._matrix
        return self

    def __add__(self, other: object) -> StreamingMulticlassEvaluator:
        if not isinstance(other, StreamingMulticlassEvaluator):
            return NotImplemented
        return deepcopy(self).merge(other)

    def __repr__(self) -> str:
        left_out = f", {self.n_missing:,} missing" if self.n_missing else ""
        return (
            f"StreamingMulticlassEvaluator({len(self.classes)} classes, "
            f"{counted_rows(self.n_rows)}{left_out})"
        )

    def confusion(self) -> pd.DataFrame:
        """Weight of the rows by truth and call, the call being that of the greatest score.

        Returns
        -------
        DataFrame
            A row a true class, a column a called one; integers unless some weight is a float.
        """
        matrix = self._counted()
        return pd.DataFrame(
            matrix.astype(self._evaluators[0]._tally.dtype_of_counts),
            pd.Index(self.classes, name="truth"),
            pd.Index(self.classes, name="call"),
        )

    def accuracy(self) -> float:
        """Share of the rows, by weight, whose class has the greatest score.

        Returns
        -------
        float
        """
        matrix = self._counted()
        return float(np.trace(matrix) / matrix.sum())

    def brier(self) -> float:
        """Brier score: the mean over rows of the sum over classes of squared differences.

        Returns
        -------
        float
            As ``brier_score_loss(scale_by_half=False)`` of scikit-learn; with two classes it is
            twice the score of one of them.

        Raises
        ------
        InvalidOptionError
            If a score is outside [0, 1].
        """
        return sum(evaluator.brier() for evaluator in self._evaluators)

    def auc(self, average: Average = "macro") -> float:
        """Mean over classes of the area under the ROC curve, each class against the rest.

        Parameters
        ----------
        average : {"macro", "weighted"}, default="macro"
            "macro": classes count the same. "weighted": by the weight of their rows.

        Returns
        -------
        float
            NaN, with scikit-learn's warning, if some class has no rows, or all of them.
        """
        return self._averaged(average, StreamingBinaryEvaluator.auc)

    def auc_bounds(self, average: Average = "macro") -> tuple[float, float]:
        """Return bounds of :meth:`auc`, given the bins of the scores.

        Parameters
        ----------
        average : {"macro", "weighted"}, default="macro"

        Returns
        -------
        tuple of float
        """
        return self._averaged_bounds(average, StreamingBinaryEvaluator.auc_bounds)

    def average_precision(self, average: Average = "macro") -> float:
        """Mean over classes of average precision, each class against the rest.

        Parameters
        ----------
        average : {"macro", "weighted"}, default="macro"
            "macro": classes count the same. "weighted": by the weight of their rows.

        Returns
        -------
        float
            Classes without rows count as 0, with scikit-learn's warning.
        """
        return self._averaged(average, StreamingBinaryEvaluator.average_precision)

    def average_precision_bounds(self, average: Average = "macro") -> tuple[float, float]:
        """Return bounds of :meth:`average_precision`, given the bins of the scores.

        Parameters
        ----------
        average : {"macro", "weighted"}, default="macro"

        Returns
        -------
        tuple of float
        """
        return self._averaged_bounds(average, StreamingBinaryEvaluator.average_precision_bounds)

    def summary(self) -> pd.DataFrame:
        """Scores of each class against the rest, and their means.

        Returns
        -------
        DataFrame
            One row a class, then "macro" and "weighted"; columns as of the ``summary`` of
            :class:`StreamingReport`.
        """
        self._counted()
        rows = [evaluator.report().summary for evaluator in self._evaluators]
        table = pd.DataFrame(rows, index=pd.Index(self.classes, name="class", dtype=object))
        share = table["prevalence"] / table["prevalence"].sum()
        macro = table.mean(skipna=False)
        weighted = table.mul(share, axis=0).sum(skipna=False)
        means = pd.DataFrame([macro, weighted], index=pd.Index(["macro", "weighted"], dtype=object))
        return pd.concat([table, means]).rename_axis("class")

    def _state(self) -> dict[str, Any]:
        return {
            "classes": [plain_label(label) for label in self.classes],
            "evaluators": [evaluator._state() for evaluator in self._evaluators],
            "matrix": self._matrix.tolist(),
        }

    @classmethod
    def _of_state(cls, state: dict[str, Any]) -> Self:
        with checked_reading():
            evaluator = cls(state["classes"])
            n = len(evaluator.classes)
            parts = [StreamingBinaryEvaluator._of_state(part) for part in state["evaluators"]]
            matrix = np.array(state["matrix"], dtype=np.float64)
            if len(parts) != n or matrix.shape != (n, n) or not (matrix >= 0).all():
                raise InvalidOptionError(f"there are not {n} evaluators and n x n counts")
            evaluator._evaluators, evaluator._matrix = parts, matrix
            evaluator._missing = parts[0]._missing
        return evaluator

    def _places(self, labels: Any) -> Any:
        """Number the labels by their classes; missing ones are -1."""
        places = np.full(len(labels), -1)
        for k, label in enumerate(self.classes):
            places[is_label(labels, label)] = k
        strays = labels[(places < 0) & ~is_missing(labels)]
        if len(strays):
            raise InvalidOptionError(
                f"y has {shown(plain(strays[0]))}, which is no class; classes are "
                f"{listed(self.classes)}"
            )
        return places

    def _count(self, truth: Any, scores: FloatArray, sample_weight: Any, kept: Any) -> None:
        n = len(self.classes)
        weight = None
        if sample_weight is not None:
            weight = one_dimensional(sample_weight, "sample_weight").astype(np.float64)[kept]
        cells = truth * n + np.argmax(scores, axis=1)
        self._matrix += np.bincount(cells, weight, minlength=n * n).reshape(n, n)

    def _counted(self) -> FloatArray:
        if not self._matrix.any():
            raise InvalidOptionError(
                "nothing was evaluated yet: call update() with rows whose weights are not all 0"
            )
        return self._matrix

    def _averaged(self, average: Any, score: Callable[[StreamingBinaryEvaluator], float]) -> float:
        check_one_of(("macro", "weighted"), "average", average)
        share = None if average == "macro" else self._counted().sum(axis=1)
        values = [score(evaluator) for evaluator in self._evaluators]
        return float(np.average(values, weights=share))

    def _averaged_bounds(
        self, average: Any, bounds: Callable[[StreamingBinaryEvaluator], tuple[float, float]]
    ) -> tuple[float, float]:
        found = {id(evaluator): bounds(evaluator) for evaluator in self._evaluators}
        low = self._averaged(average, lambda evaluator: found[id(evaluator)][0])
        return low, self._averaged(average, lambda evaluator: found[id(evaluator)][1])


def _checked_classes(classes: Any) -> list[Any]:
    with refused_as("classes must be several labels"):
        labels = [plain(label) for label in classes]
        if isinstance(classes, str) or len(labels) < 2 or len(set(labels)) < len(labels):
            raise InvalidOptionError(
                f"classes is {shown(classes)}; two labels or more are wanted, each of them once"
            )
        if any(pd.isna(label) for label in labels):
            raise InvalidOptionError(f"classes is {shown(labels)}; one of them is missing")
    return labels


def _score_table(score: Any, classes: list[Any]) -> FloatArray:
    columns = getattr(score, "column_names", getattr(score, "columns", []))  # pyarrow's, others'
    names = [plain(name) for name in columns]
    if names != classes and len(names) == len(classes) and set(names) == set(classes):
        raise InvalidOptionError(
            f"score has the columns {listed(names)}, and classes are {listed(classes)}; put the "
            "columns in the order of the classes"
        )
    with refused_as("score must hold numbers"):
        scores = np.asarray(score)
        if scores.dtype.kind == "O":
            scores = np.where(pd.isna(scores), np.nan, scores)
        if scores.dtype.kind not in "fiub":
            scores = scores.astype(np.float64)
    if scores.ndim != 2 or scores.shape[1] != len(classes):
        raise InvalidOptionError(
            f"score has shape {scores.shape}; a column is wanted for each of {len(classes)} classes"
        )
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)
