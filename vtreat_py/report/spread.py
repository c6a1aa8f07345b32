"""How the values of a column are spread: a histogram of numbers, shares of levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import counted
from vtreat_py.base.markup import plain, share
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.report.svg import Axis, bar, drawing
from vtreat_py.report.values import value_text
from vtreat_py.statistics.number_profile import NumberProfile

# Bars are no narrower than this share of the axis, and stand out of the others by no more than so
# many times: else a single value would hide how the others are spread.
_NARROWEST, _HIGHEST = 0.02, 3.0
# A tail is drawn as far as the middle eight tenths are wide.
_STRIPS = 6


@dataclass(frozen=True)
class Histogram:
    """The bins of a profile as bars, whose areas are shares of the rows.

    Attributes
    ----------
    axis : Axis
        As far as it is drawn; tails go on.
    starts, ends : ndarray of shape (bins,)
        Places along the axis.
    heights : ndarray of shape (bins,)
        From 0 to 1.
    shares : ndarray of shape (bins,)
    """

    axis: Axis
    starts: FloatArray
    ends: FloatArray
    heights: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, profile: NumberProfile) -> Histogram:
        """Lay out the bins of a profile."""
        axis = _axis_of(profile)
        ends = axis.places(np.append(profile.edges, profile.high))
        starts = np.append(axis.place(profile.low), ends[:-1])
        narrowest = 100.0 * _NARROWEST
        wide = ends - starts
        if wide[0] <= 0 and len(wide) > 1:  # one value, which gets a bar like the others
            wide[0] = max(float(np.min(wide[1:], where=wide[1:] > 0, initial=100.0)), narrowest)
        starts = ends - np.maximum(wide, narrowest)
        first, last = starts.min(), ends.max()
        starts, ends = (100.0 * (at - first) / (last - first) for at in (starts, ends))
        shares = profile.counts / profile.counts.sum()
        heights = shares / (ends - starts)
        others = np.sort(heights)[-2:-1]
        top = min(heights.max(), _HIGHEST * float(others[0])) if len(others) else heights.max()
        before = first / 100.0
        with np.errstate(over="ignore"):
            start = np.nan_to_num(axis.low * (1.0 - before) + axis.high * before)
        drawn = Axis(float(start), axis.high)
        return cls(drawn, starts, ends, np.minimum(heights / top, 1.0), shares)

    def bars(self, height: int) -> list[str]:
        """Draw the bars so high."""
        return [
            bar(start, end, height * (1.0 - size), height, "b")
            for start, end, size in zip(self.starts, self.ends, self.heights, strict=True)
        ]


def _axis_of(profile: NumberProfile) -> Axis:
    low, high, edges = profile.low, profile.high, profile.edges
    if len(edges) < 2:
        return Axis(low, high)
    with np.errstate(over="ignore"):
        wide = float(edges[-1] - edges[0])
        return Axis(max(low, float(edges[0]) - wide), min(high, float(edges[-1]) + wide))


def quantile(profile: NumberProfile, part: float) -> float:
    """The smallest number that a share of the rows do not exceed, for tenths."""
    upto = np.cumsum(profile.counts)
    place = int(np.searchsorted(upto, part * upto[-1] * (1.0 - 1e-12)))
    return float(profile.edges[place]) if place < len(profile.edges) else profile.high


def number_spread(profile: NumberProfile, kind: str, height: int = 28) -> str:
    """Draw the histogram of a numeric column."""
    low, middle, high = (
        value_text(value, kind) for value in (profile.low, quantile(profile, 0.5), profile.high)
    )
    title = f"Histogram: from {low} to {high}, half of the rows up to {middle}"
    return drawing(title, height, Histogram.of(profile).bars(height))


def most_common(statistics: LevelStatistics) -> IntArray:
    """Codes of the levels that have rows, the most common first."""
    weight = statistics.count[: len(statistics.levels)]
    order = np.argsort(-weight, kind="stable")
    return np.asarray(order[weight[order] > 0])


def level_spread(statistics: LevelStatistics, height: int = 28) -> str:
    """Draw the shares of the most common levels, of all others, and of missing values."""
    order, n_levels = most_common(statistics), len(statistics.levels)
    weight = statistics.count[:-1] / statistics.count[:-1].sum()
    shown = order[:_STRIPS] if len(order) > _STRIPS + 1 else order
    strips = [(plain(statistics.levels[code], 24), float(weight[code]), "b") for code in shown]
    if rest := len(order) - len(shown):
        others = float(weight[order[len(shown) :]].sum())
        strips.append((counted(rest, "other level"), others, "rest"))
    if weight[n_levels] > 0:
        strips.append(("missing", float(weight[n_levels]), "gone"))
    ends = 100.0 * np.cumsum([part for _, part, _ in strips])
    marks = [
        bar(end - 100.0 * part, end, 4, height - 4, kind)
        for (_, part, kind), end in zip(strips, ends, strict=True)
    ]
    told = ", ".join(f"{name} {share(part)}" for name, part, _ in strips)
    return drawing(f"Shares: {told}", height, marks, "strip")


def extent(profile: NumberProfile, kind: str) -> str:
    """Smallest and largest number."""
    return f"{value_text(profile.low, kind)} … {value_text(profile.high, kind)}"
