"""Scores of a classifier on every split of every strategy: one flat queue, one fit a split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import (
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedShuffleSplit,
)
from sklearn.utils import _safe_indexing

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.base.jobs import run_groups
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._classifier_scorers import ClassifierScorers
from vtreat_py.evaluation._inputs import checked_weight, near_one, one_dimensional
from vtreat_py.evaluation._model_rows import indexable_rows, splits
from vtreat_py.evaluation._paired_rows import check_no_missing, sorted_classes
from vtreat_py.evaluation._weighted_model import fitted_clone

_COLUMNS = ["strategy", "split", "metric", "score", "n_train", "n_test", "rate_train", "rate_test"]


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows of two classes, and their weights; no weights: each row counts as one."""

    X: Any
    y: Any
    weight: FloatArray | None
    pos_label: Any

    @classmethod
    def checked(cls, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> LabelledRows:
        """Read an outcome of two classes; the last in sorted order is the positive one."""
        check_same_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        labels = one_dimensional(y, "y")
        check_no_missing(labels, "y", "; leave those rows out")
        classes = sorted_classes(labels)
        if len(classes) != 2:
            raise InvalidOptionError(
                f"y must hold two classes, and holds {len(classes)}: {listed(classes.tolist())}"
            )
        weight = None if sample_weight is None else checked_weight(sample_weight, len(labels))
        X, labels, _ = indexable_rows(X, labels, groups)
        return cls(X, labels, weight, classes.tolist()[1])

    def rows(self, chosen: IntArray) -> LabelledRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[chosen]
        return LabelledRows(_safe_indexing(self.X, chosen), self.y[chosen], weight, self.pos_label)

    @property
    def rate(self) -> float:
        """Weighted share of the positive class; NaN where no row counts."""
        weight = np.ones(len(self.y)) if self.weight is None else self.weight
        total = float(weight.sum())
        return float(weight[self.y == self.pos_label].sum()) / total if total else float("nan")


def default_strategies(groups: Any, random_state: Any) -> dict[str, Any]:
    """100 random splits, 20% of rows (or of groups) to test on: plain and stratified."""
    if isinstance(random_state, np.random.Generator):  # splitters take none
        random_state = int(random_state.integers(2**31))
    options = {"n_splits": 100, "test_size": 0.2, "random_state": random_state}
    if groups is not None:
        return {"grouped": GroupShuffleSplit(**options)}
    return {"vanilla": ShuffleSplit(**options), "stratified": StratifiedShuffleSplit(**options)}


def score_folds(
    estimator: Any,
    rows: LabelledRows,
    scorers: ClassifierScorers,
    strategies: Mapping[str, Any],
    *,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Fit and score every split; the long frame of ``CVSpread.folds``."""
    if not isinstance(strategies, Mapping):
        raise OptionTypeError(
            f"strategies is a {type(strategies).__name__}; a dictionary of splitters by name is "
            "wanted, such as {'vanilla': ShuffleSplit(100, test_size=0.2)}"
        )
    if not strategies:
        raise InvalidOptionError("strategies is empty; give one splitter at least")
    of_strategies = {
        strategy: splits(cv, rows.X, rows.y, groups, classifier=True, name=f"strategy {strategy!r}")
        for strategy, cv in strategies.items()
    }
    score = partial(_score_split, estimator, rows, scorers)
    scored = run_groups(score, of_strategies, n_jobs, progress=progress)
    lines = [
        (strategy, split, metric, scores[metric], *facts)
        for strategy, of_strategy in scored.items()
        for split, (scores, facts) in enumerate(of_strategy)
        for metric in scorers.names
    ]
    return pd.DataFrame(lines, columns=_COLUMNS)


def _score_split(
    estimator: Any, rows: LabelledRows, scorers: ClassifierScorers, split: tuple[IntArray, IntArray]
) -> tuple[dict[str, float], tuple[int, int, float, float]]:
    """Scores on the test rows, and the facts of the split."""
    train, test = split
    to_fit, to_score = rows.rows(train), rows.rows(test)
    facts = (len(train), len(test), to_fit.rate, to_score.rate)
    if not 0 < to_fit.rate < 1 or np.isnan(to_score.rate):
        return dict.fromkeys(scorers.names, float("nan")), facts
    model = fitted_clone(estimator, to_fit.X, to_fit.y, to_fit.weight)
    if to_score.weight is None:
        return scorers.scores(model, to_score.X, to_score.y), facts
    counting = np.flatnonzero(to_score.weight)
    scored, weight = to_score.rows(counting), near_one(to_score.weight[counting])[0]
    return scorers.scores(model, scored.X, scored.y, weight), facts
