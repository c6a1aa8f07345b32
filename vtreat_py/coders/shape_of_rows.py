"""Shapes as R vtreat finds them: from rows, a training set at a time."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from vtreat_py.coders.code import CodeOptions
from vtreat_py.coders.curve import Curve, evenly
from vtreat_py.coders.curve_code import CurveCode
from vtreat_py.coders.forms import Curves
from vtreat_py.coders.rows import RowsOfNumbers
from vtreat_py.coders.shape_code import FEWEST_VALUES, NO_SHAPE, ShapeOfR
from vtreat_py.coders.shapes_of_r import in_log_odds


class ShapeOfRows(CurveCode):
    """What R vtreat's coder of a shape makes of rows."""

    def __init__(self, shape: ShapeOfR) -> None:
        self.name, self._shape = shape.name, shape

    def declined(self, column: Hashable) -> str:  # noqa: ARG002
        """Say that there are too few rows, or different values."""
        return NO_SHAPE

    def form(
        self,
        rows: RowsOfNumbers,
        column: Hashable,  # noqa: ARG002
        fold: int | None,  # noqa: ARG002
        options: CodeOptions,  # noqa: ARG002
        classes: bool,
    ) -> Curves | None:
        """Fit the shape; where it is no curve it is one through the different values."""
        x, y, weight = rows.good()
        if len(np.unique(x)) < FEWEST_VALUES:
            return None
        found = self._shape.of_rows(x, y, weight)
        if found is None:
            return None
        bad = self.without_curve(rows, classes)
        if isinstance(found, Curve) and not classes:
            return Curves((found.thinned(),), bad)
        knots = np.unique(x)
        knots = knots[evenly(len(knots))]
        values = found(knots)
        if classes:
            values = in_log_odds(values, y, weight)
        return Curves((Curve(knots, values).thinned(),), bad)

    def without_curve(self, rows: RowsOfNumbers, classes: bool) -> float:
        """Code of bad values, and of all rows where there is no curve: the mean outcome.

        Log odds are those above that, so that they are 0.
        """
        _, y, weight = rows.good()
        return 0.0 if classes else float(np.average(y, weights=weight))
