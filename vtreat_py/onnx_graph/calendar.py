"""Nodes of parts of dates: the arithmetic of `CalendarPart`, traced, and clocks as tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.frames.calendar import DAY, LABELS, CalendarPart, local_seconds, number_of
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.numbers import is_good
from vtreat_py.onnx_graph.places import UP_TO, places_among

# The calendar, and with it the rule by which summers begin and end, repeats itself after 400 years.
# Clocks are looked at from 1800 on: earlier they are by the sun. The rule alone holds from 2100 on.
_ERA = 146_097 * DAY
_FIRST, _BY_RULE = (
    float(np.datetime64(day, "s").astype(np.int64)) for day in ("1800-01-01", "2100-01-01")
)


def label_of_part(graph: Graph, part: CalendarPart, dates: str) -> tuple[str, str]:
    """Number of a part, a place in its `LABELS`, for each date; and whether it is a date."""
    good = is_good(graph, dates)
    moment: Any = Traced(graph, graph.node("Where", good, dates, graph.constant(0.0)))
    by_clock = local_seconds if part.offset is not None else _by_table
    number: Any = number_of(part.part, by_clock(moment, part))
    number = number.item() if isinstance(number, np.ndarray) else number
    return graph.cast(number.name, "INT64"), good


def labels_of(part: CalendarPart) -> tuple[str, ...]:
    """Text of each number."""
    return LABELS[part.part]


class Traced:
    """Numbers of a graph, of which arithmetic makes others."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def __array_ufunc__(self, ufunc: np.ufunc, *_: Any) -> Traced:
        """Round down, which is all that calendars ask numpy for."""
        assert ufunc is np.floor, f"{ufunc} is not traced"
        return Traced(self.graph, self.graph.node("Floor", self.name))

    def _with(self, operator: str, other: Traced | float) -> Traced:
        right = other.name if isinstance(other, Traced) else self.graph.constant(float(other))
        return Traced(self.graph, self.graph.node(operator, self.name, right))

    def __add__(self, other: Traced | float) -> Traced:
        return self._with("Add", other)

    def __sub__(self, other: Traced | float) -> Traced:
        return self._with("Sub", other)

    def __mul__(self, other: Traced | float) -> Traced:
        return self._with("Mul", other)

    def __truediv__(self, other: Traced | float) -> Traced:
        return self._with("Div", other)


def _by_table(moment: Any, part: CalendarPart) -> Any:
    """Whole seconds by a clock whose distance from UTC changes."""
    graph, seconds = moment.graph, np.floor(moment)
    eras = np.floor((seconds - _BY_RULE) / _ERA)
    alike = seconds - eras * _ERA
    is_late = graph.node("GreaterOrEqual", seconds.name, graph.constant(_BY_RULE))
    known = graph.node("Where", is_late, alike.name, seconds.name)
    starts, offsets = _clock(part.zone)
    place = places_among(graph, starts, known, UP_TO)
    return seconds + Traced(graph, graph.rows_of(offsets[:, None], place))


@cache
def _clock(zone: str) -> tuple[FloatArray, FloatArray]:
    """When the distance of a clock from UTC changes, and its seconds before, between and after."""
    part = CalendarPart("", "", "datetime", "hour", zone)

    def offsets(seconds: FloatArray) -> FloatArray:
        return np.asarray(local_seconds(seconds, part) - seconds)

    days = np.arange(_FIRST, _BY_RULE + _ERA + DAY, DAY)
    found = offsets(days)
    last = np.flatnonzero(np.diff(found))
    before, after = days[last], days[last + 1]
    while (after - before > 1).any():
        middle = np.floor((before + after) / 2)
        is_old = offsets(middle) == found[last]
        before, after = np.where(is_old, middle, before), np.where(is_old, after, middle)
    return after, np.append(found[last], found[-1])
