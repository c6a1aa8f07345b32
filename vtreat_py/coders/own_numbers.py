"""Codes of numbers that users write; see `NumberCoder`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.warn import warn
from vtreat_py.coders.asking import Asked
from vtreat_py.coders.code import CodeOptions
from vtreat_py.coders.curve import Curve, evenly
from vtreat_py.coders.curve_code import CurveCode
from vtreat_py.coders.custom import NumberCoder, is_estimator
from vtreat_py.coders.forms import Curves
from vtreat_py.coders.rows import RowsOfNumbers
from vtreat_py.coders.shape_code import log_odds
from vtreat_py.statistics.outcome_sums import sum_by


class OwnNumberCode(CurveCode):
    """A code that a user's function or estimator makes of numbers."""

    takes_rows = True

    def __init__(self, name: str, coder: NumberCoder) -> None:
        self.name, self._coder = name, coder

    def declined(self, column: Hashable) -> str:
        """Say that the function returned None."""
        return Asked(self.name, column, None).declined

    def form(
        self,
        rows: RowsOfNumbers,
        column: Hashable,
        fold: int | None,
        options: CodeOptions,
        classes: bool,
    ) -> Curves | None:
        """Ask the function, and make a curve of what it returns."""
        asked, (x, y, weight) = Asked(self.name, column, fold), rows.good()
        function, of_class = self._coder.function, self._is_of_class
        if of_class and not classes:
            raise InvalidOptionError(
                f"custom_coders[{self.name!r}] is a classifier, and the outcome is a number; give "
                "a regressor"
            )
        if is_estimator(function):
            found = _fitted(function, asked, x, y, weight, of_class=of_class)
        else:
            found = asked.call(function, x.copy(), y.copy(), weight.copy())
        if found is None:
            return None
        by_rows = None if options.follows_r else weight
        curve = _as_curve(found, asked, x, by_rows)
        return Curves((curve,), self.without_curve(rows, classes))

    def without_curve(self, rows: RowsOfNumbers, classes: bool) -> float:  # noqa: ARG002
        """Code of bad values, and of all rows where there is no curve."""
        _, y, weight = rows.good()
        is_centred = self._coder.center or self._is_of_class
        return 0.0 if is_centred else float(np.average(y, weights=weight))

    @property
    def _is_of_class(self) -> bool:
        """Whether it gives log odds, less those of all rows that it gets."""
        return is_estimator(self._coder.function) and is_classifier(self._coder.function)


def _as_curve(found: Any, asked: Asked, x: FloatArray, weight: FloatArray | None) -> Curve:
    """Make a curve of what was returned; ``weight`` is None for means of rows that count alike."""
    if isinstance(found, Curve):
        return found.within(float(x.min()), float(x.max())).thinned()
    if callable(found) and not isinstance(found, np.ndarray):
        knots = np.unique(x)
        knots = knots[evenly(len(knots))]
        values = asked.numbers(asked.call(found, knots.copy()), len(knots), "numbers")
        return Curve(knots, values).thinned()
    values = asked.numbers(found, len(x), "rows")
    knots, first, place = np.unique(x, return_index=True, return_inverse=True)
    at_knots = values[first]  # equal values stay what they are
    apart = values - at_knots[place]
    rows = sum_by(place, weight, len(knots))
    weighted = apart if weight is None else weight * apart
    return Curve(knots, at_knots + sum_by(place, weighted, len(knots)) / rows).thinned()


def _weight_parameter(model: Any) -> str | None:
    """What a model, or the last step of a pipeline, takes weights by."""
    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if isinstance(model, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = model.steps[-1]
        return f"{name}__sample_weight" if has_fit_parameter(last, "sample_weight") else None
    return None


def _fitted(
    estimator: Any, asked: Asked, x: FloatArray, y: FloatArray, weight: FloatArray, of_class: bool
) -> Any:
    """Fit a clone, and return what can be called with numbers."""
    model, options = clone(estimator), {}
    if (weight != 1.0).any():
        taken = _weight_parameter(model)
        if taken is not None:
            options[taken] = weight
        elif asked.fold is None:
            warn(
                f"custom_coders[{asked.coder!r}] of column {asked.column!r} is fitted without the "
                f"weights, because {type(model).__name__} takes no sample_weight; wrap it in a "
                "function of (x, y, weight) that uses them"
            )
    if not of_class:
        asked.call(model.fit, x[:, None], y, **options)
        return lambda at: model.predict(at[:, None])
    if y.min() == y.max():  # one class says nothing of the other
        return np.zeros_like(y)
    asked.call(model.fit, x[:, None], y.astype(np.int64), **options)
    overall = log_odds(np.asarray(np.average(y, weights=weight)))
    return lambda at: log_odds(model.predict_proba(at[:, None])[:, 1]) - overall
