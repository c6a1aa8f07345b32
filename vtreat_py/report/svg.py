"""Drawings: places along an axis, in percent of the width, and the marks that stand there.

Places are percentages, so that a drawing is as wide as it may be and its marks keep their shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import numpy as np

from vtreat_py.base.arrays import FloatArray


@dataclass(frozen=True)
class Axis:
    """A stretch of numbers; places are from 0 to 100, and those beyond its ends are at them.

    Attributes
    ----------
    low, high : float
        Finite; an axis of one number has it in the middle.

    Examples
    --------
    >>> axis = Axis(10.0, 20.0)
    >>> axis.place(12.5), axis.place(99.0)
    (25.0, 100.0)
    """

    low: float
    high: float

    def places(self, values: FloatArray) -> FloatArray:
        """Where numbers are."""
        return np.array([self.place(value) for value in values.tolist()])

    def place(self, value: float) -> float:
        """Where a number is."""
        unit = max(abs(self.low), abs(self.high)) or 1.0  # differences of large floats overflow
        low, high = self.low / unit, self.high / unit
        if high <= low:
            return 50.0
        return 100.0 * (min(max(value, self.low), self.high) / unit - low) / (high - low)


def drawing(title: str, height: int, marks: Iterable[str], kind: str = "") -> str:
    """A drawing as wide as its place in the page, with a name for those who hear it."""
    named = f' class="{kind}"' if kind else ""
    return (
        f'<svg{named} role="img" height="{height}"><title>{escape(title)}</title>'
        f"{''.join(marks)}</svg>"
    )


def silent(height: int, marks: Iterable[str], kind: str = "") -> str:
    """A drawing of what the text beside it says."""
    named = f' class="{kind}"' if kind else ""
    return f'<svg{named} aria-hidden="true" height="{height}">{"".join(marks)}</svg>'


def bar(start: float, end: float, top: float, bottom: float, kind: str = "") -> str:
    """A bar from one place to another; heights are in pixels."""
    named = f' class="{kind}"' if kind else ""
    return (
        f'<rect{named} x="{_percent(start)}" width="{_percent(end - start)}" y="{_short(top)}" '
        f'height="{_short(bottom - top)}"/>'
    )


def dot(place: float, height: float, kind: str, radius: float = 4.0) -> str:
    """A dot."""
    return f'<circle class="{kind}" cx="{_percent(place)}" cy="{_short(height)}" r="{radius:g}"/>'


def upright(place: float, top: float, bottom: float, kind: str) -> str:
    """An upright line."""
    return (
        f'<line class="{kind}" x1="{_percent(place)}" x2="{_percent(place)}" '
        f'y1="{_short(top)}" y2="{_short(bottom)}"/>'
    )


def flat(start: float, end: float, height: float, kind: str) -> str:
    """A line from left to right."""
    return (
        f'<line class="{kind}" x1="{_percent(start)}" x2="{_percent(end)}" '
        f'y1="{_short(height)}" y2="{_short(height)}"/>'
    )


def written(place: float, height: float, text: str, anchor: str = "middle") -> str:
    """A few words, such as those of an axis."""
    held = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{_percent(place)}" y="{_short(height)}"{held}>{escape(text)}</text>'


def strokes(lines: Iterable[tuple[float, float, float, float]], height: int, kind: str) -> str:
    """Lines from one point to another, each as x and y and x and y, in a drawing so high."""
    unit = 100.0 / height
    parts = "".join(
        f"M{_short(x)},{_short(unit * y)}L{_short(to_x)},{_short(unit * to_y)}"
        for x, y, to_x, to_y in lines
    )
    return (
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none">'
        f'<path class="{kind}" d="{parts}"/></svg>'
    )


def path(places: FloatArray, heights: FloatArray, kind: str) -> str:
    """A line through points; heights are from 0 (top) to 100 of the drawing's."""
    points = " ".join(
        f"{_short(x)},{_short(y)}" for x, y in zip(places.tolist(), heights.tolist(), strict=True)
    )
    return (
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none">'
        f'<polyline class="{kind}" points="{points}"/></svg>'
    )


def _percent(place: float) -> str:
    return f"{_short(place)}%"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
