"""Scores of several models, by metric and data set, read and checked."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import checked_weight, finite_numbers, near_one
from vtreat_py.evaluation._paired_rows import as_frame, units
from vtreat_py.evaluation._refusals import shown


@dataclass(frozen=True, eq=False)
class ScoredModels:
    """Scores of one metric on one data set, without rows in which one is missing.

    Attributes
    ----------
    data_set : hashable
        None where there is one only.
    metric : hashable
    scores : dict from model to ndarray of shape (n,)
    weight : ndarray of shape (n,)
    unit : ndarray of int, shape (n,)
        The group of each row.
    """

    data_set: Hashable
    metric: Hashable
    scores: dict[Hashable, FloatArray]
    weight: FloatArray
    unit: IntArray


def read_scores(
    scores: Any, groups: Any, sample_weight: Any, missing: str | float
) -> Iterator[ScoredModels]:
    """Read the scores of each data set, metric by metric."""
    _check_missing(missing)
    if not is_of_data_sets(scores):
        yield from _of_data_set(None, scores, groups, sample_weight, missing)
        return
    if not scores:
        raise InvalidOptionError("scores is an empty dict; give at least one data set's")
    for name, frame in scores.items():
        of_groups = _of_one(groups, "groups", name, scores)
        weight = _of_one(sample_weight, "sample_weight", name, scores)
        yield from _of_data_set(name, frame, of_groups, weight, missing)


def is_of_data_sets(scores: Any) -> bool:
    """Whether scores are a dict of frames, and not one of the columns of a frame."""
    return isinstance(scores, Mapping) and all(np.ndim(one) == 2 for one in scores.values())


def _of_one(values: Any, what: str, name: Hashable, scores: Mapping[Any, Any]) -> Any:
    """What belongs to one data set."""
    if values is None:
        return None
    if not isinstance(values, Mapping) or set(values) != set(scores):
        raise InvalidOptionError(
            f"{what} must be a dict of the data sets of scores, {listed(list(scores))}"
        )
    return values[name]


def _of_data_set(
    data_set: Hashable, scores: Any, groups: Any, sample_weight: Any, missing: str | float
) -> Iterator[ScoredModels]:
    table = as_frame(scores, "scores" if data_set is None else f"scores[{data_set!r}]")
    check_same_rows({"scores": table, "groups": groups, "sample_weight": sample_weight})
    unit = units(groups, len(table))
    weight = near_one(checked_weight(sample_weight, len(table)))[0]
    for metric, of_metric in _by_metric(table).items():
        names = of_metric.columns
        if len(names) < 2:
            raise InvalidOptionError(
                f"scores has models {listed(list(names))}; give at least two by {metric!r}, and "
                "weights as sample_weight"
            )
        if names.has_duplicates:
            twice = list(names[names.duplicated()].unique())
            raise InvalidOptionError(f"scores has several columns of the name {listed(twice)}")
        filled, kept = _without_missing(of_metric, missing)
        read: dict[Hashable, FloatArray] = {
            n: finite_numbers(filled[n].to_numpy()[kept], f"scores[{n!r}]") for n in names
        }
        own_units = np.unique(unit[kept], return_inverse=True)[1]
        yield ScoredModels(data_set, metric, read, weight[kept], own_units)


def _without_missing(scores: pd.DataFrame, missing: str | float) -> tuple[pd.DataFrame, BoolArray]:
    """Fill in what is missing, or say which rows have all scores."""
    everything = np.ones(len(scores), dtype=bool)
    if missing == "raise":
        return scores, everything
    if missing != "drop":
        return scores.astype(object).where(scores.notna(), missing), everything
    kept = scores.notna().all(axis=1).to_numpy()
    if not kept.any():
        raise InvalidOptionError("scores has no row in which no model's score is missing")
    return scores, kept


def _check_missing(missing: Any) -> None:
    is_number = isinstance(missing, Real) and not isinstance(missing, bool)
    if not (missing in ("raise", "drop") if isinstance(missing, str) else is_number):
        raise OptionTypeError(f'missing={shown(missing)}; it must be "raise", "drop" or a number')


def _by_metric(scores: pd.DataFrame) -> dict[Hashable, pd.DataFrame]:
    columns = scores.columns
    if columns.nlevels == 1:
        return {columns.name or "score": scores}
    if columns.nlevels > 2:
        raise InvalidOptionError(
            f"scores has columns of {columns.nlevels} levels; give one (model) or two "
            "(metric, model)"
        )
    metrics = columns.get_level_values(0)
    return {one: scores.loc[:, metrics == one].droplevel(0, axis=1) for one in metrics.unique()}
