"""Nodes of the variables of numeric columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import LARGEST, Copy, Curves, Form, Steps
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.places import UP_TO, places_among
from vtreat_py.plan.variables import DerivedVariable

# What is nearer to 1, or to 0, may be that as a number of 32 bits.
_NEAR_ONE, _NEAR_ZERO = 1e-7, 1e-44


@dataclass(frozen=True, eq=False)
class Numbers:
    """Columns of numbers beside each other, so that one node treats all of them.

    Attributes
    ----------
    matrix : str
        The numbers, of shape (n, n_columns).
    good : str
        Whether each is finite.
    """

    graph: Graph
    matrix: str
    good: str
    n_columns: int

    @classmethod
    def of(cls, graph: Graph, columns: list[str]) -> Numbers:
        """Put columns beside each other."""
        matrix = graph.together(columns)
        return cls(graph, matrix, is_good(graph, matrix), len(columns))

    def variables(self, wanted: list[tuple[int, Form]]) -> tuple[str, list[int]]:
        """Treat columns in forms, each given with the place of its column.

        Returns
        -------
        str
            A matrix with a column for each.
        list of int
            Which of ``wanted`` they are.
        """
        copies = [i for i, (_, form) in enumerate(wanted) if isinstance(form, Copy)]
        marks = [i for i, (_, form) in enumerate(wanted) if _is_mark(form)]
        found = []
        if copies:
            found.append(self._copies([wanted[i] for i in copies]))
        if marks:
            found.append(self._marks([wanted[i] for i in marks]))
        done = {*copies, *marks}
        others = [i for i in range(len(wanted)) if i not in done]
        found += [self._other(*wanted[i]) for i in others]
        return self.graph.together(found), copies + marks + others

    def _copies(self, wanted: list[tuple[int, Form]]) -> str:
        """Fill bad values in; what is beyond the cuts stays at them."""
        graph, places = self.graph, [place for place, _ in wanted]
        forms = [form for _, form in wanted if isinstance(form, Copy)]
        imputed = graph.constant([float(form.imputed) for form in forms])
        found = graph.node("Where", self._good(places), self._columns(places), imputed)
        cuts = [form.cuts or (-LARGEST, LARGEST) for form in forms]
        if any(form.cuts for form in forms):
            low, high = (graph.constant(ends) for ends in zip(*cuts, strict=True))
            found = graph.node("Min", graph.node("Max", found, low), high)
        return found

    def _marks(self, wanted: list[tuple[int, Form]]) -> str:
        """A number for good values, and one for bad ones."""
        values = [form.values.tolist() for _, form in wanted if isinstance(form, Steps)]
        good, bad = (self.graph.constant(ends) for ends in zip(*values, strict=True))
        return self.graph.node("Where", self._good([place for place, _ in wanted]), good, bad)

    def _other(self, place: int, form: Form) -> str:
        number = self.graph.node("Where", self.good, self.matrix, self.graph.constant(0.0))
        number = self.graph.columns(number, [place], self.n_columns)
        if isinstance(form, Curves):
            found = _along(self.graph, form.curves[0], number)
        else:
            assert isinstance(form, Steps)
            found = self._steps(form.edges, form.values[:-1], number)
        bad = self.graph.constant(form.of_bad)
        return self.graph.node("Where", self._good([place]), found, bad)

    def _steps(self, edges: FloatArray, values: FloatArray, number: str) -> str:
        place = places_among(self.graph, edges, number)
        return self.graph.rows_of(values[:, None], place)

    def _columns(self, places: list[int]) -> str:
        return self.graph.columns(self.matrix, places, self.n_columns)

    def _good(self, places: list[int]) -> str:
        return self.graph.columns(self.good, places, self.n_columns)


def is_good(graph: Graph, numbers: str) -> str:
    """Whether numbers are finite."""
    return graph.node("LessOrEqual", graph.node("Abs", numbers), graph.constant(LARGEST))


def scaled(graph: Graph, matrix: str, variables: list[DerivedVariable]) -> str:
    """Scale variables as `scale_in_place` does."""
    slopes, means = np.array([(v.slope, v.mean) for v in variables]).T
    return scaled_by(graph, matrix, slopes, means)


def scaled_by(graph: Graph, matrix: str, slopes: FloatArray, means: FloatArray) -> str:
    """Scale columns by a slope and a mean for each.

    onnxruntime leaves operations out that seem to do nothing, where they have one number; so a
    column of such numbers is scaled beside its copy.
    """
    if len(slopes) == 1 and _seem_to_do_nothing(slopes[0], means[0]):
        twice = graph.together([matrix, matrix])
        both = scaled_by(graph, twice, np.repeat(slopes, 2), np.repeat(means, 2))
        return graph.columns(both, [0], 2)
    for operator, numbers in (("Sub", means), ("Mul", slopes)):
        matrix = held(graph, graph.node(operator, matrix, graph.constant(numbers)), LARGEST)
    return matrix


def _seem_to_do_nothing(slope: float, mean: float) -> bool:
    """Whether a slope is 1, or a mean 0, as a number of 32 bits alone."""
    return 0.0 < abs(slope - 1.0) < _NEAR_ONE or 0.0 < abs(mean) < _NEAR_ZERO


def held(graph: Graph, matrix: str, largest: float) -> str:
    """What would leave a range stays at its end."""
    return graph.node("Clip", matrix, graph.constant(-largest), graph.constant(largest))


def _is_mark(form: Form) -> bool:
    return isinstance(form, Steps) and not len(form.edges)


def _along(graph: Graph, curve: Curve, number: str) -> str:
    """The value of a curve at numbers, counted as `Curve` does."""
    at = held_between(graph, number, float(curve.x[0]), float(curve.x[-1]))
    place = places_among(graph, curve.x[1:], at, UP_TO)
    y, slope, low, unit = (
        graph.rows_of(table[:, None], place)
        for table in (curve.y, curve.slopes, curve.x / curve.units, curve.units)
    )
    if (curve.units != 1.0).any():
        at = graph.node("Div", at, unit)
    return graph.node("Add", y, graph.node("Mul", slope, graph.node("Sub", at, low)))


def held_between(graph: Graph, numbers: str, low: float, high: float) -> str:
    """Numbers beyond two others stay at them."""
    return graph.node("Clip", numbers, graph.constant(low), graph.constant(high))
