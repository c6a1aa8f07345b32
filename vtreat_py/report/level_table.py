"""The levels of a column: their sizes, the outcome in them, and what is believed of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.markup import NOTHING, number, share
from vtreat_py.frames.joint import JointColumn
from vtreat_py.plan.level_statistics import LevelOutcome, LevelStatistics
from vtreat_py.plan.options import DesignOptions
from vtreat_py.report.columns import PlanColumn
from vtreat_py.report.markup import above, cell, data, head, of_class
from vtreat_py.report.spread import most_common
from vtreat_py.report.svg import Axis, bar, dot, flat, silent, upright, written

# 90% of a normal distribution are within so many standard deviations.
_OF_90 = 1.645
_HEIGHT = 20
# Raw means are drawn where they are as long as the axis need not be so many times as long for it.
_STRETCH = 3.0
_KEY = (
    '<small class="key"><span><i class="k told"></i> believed, 90%</span> <span><i class="k raw">'
    '</i> raw</span> <span><i class="k base"></i> all rows</span></small>'
)


@dataclass(frozen=True)
class Beliefs:
    """What was seen of the outcome in levels, and what is believed of it.

    Attributes
    ----------
    target : object
        The class it is about, of several.
    is_share : bool
        Whether means are rates of a class.
    overall : float
        Mean over all rows.
    raw, believed, low, high : ndarray of shape (rows,)
        Means of the rows, what the impact code stands for, and the ends of its 90% interval.
    effect : ndarray of shape (rows,)
        The impact code.
    axis : Axis
        For all of them.
    """

    target: object
    is_share: bool
    overall: float
    raw: FloatArray
    believed: FloatArray
    low: FloatArray
    high: FloatArray
    effect: FloatArray
    axis: Axis

    def text(self, value: float) -> str:
        """A mean in words."""
        return share(value) if self.is_share and not math.isnan(value) else number(value)

    def in_words(self, row: int) -> tuple[str, str, str]:
        """Raw mean, belief, and its interval."""
        raw, believed = self.text(float(self.raw[row])), self.text(float(self.believed[row]))
        low, high = float(self.low[row]), float(self.high[row])
        interval = NOTHING if math.isnan(low) else f"{self.text(low)} … {self.text(high)}"
        return raw, believed, interval

    def drawn(self, row: int) -> str:
        """Interval, belief and raw mean of a row."""
        place, middle = self.axis.place, _HEIGHT / 2
        marks = [upright(place(self.overall), 0, _HEIGHT, "base")]
        low, high = float(self.low[row]), float(self.high[row])
        if not math.isnan(low):
            marks.append(flat(place(low), place(high), middle, "span"))
        raw, believed = float(self.raw[row]), float(self.believed[row])
        if not math.isnan(raw):
            marks.append(dot(place(raw), middle, "raw"))
        return silent(_HEIGHT, [*marks, dot(place(believed), middle, "told", 4.5)], "effect")

    def scale(self) -> str:
        """Numbers along the axis."""
        base = self.axis.place(self.overall)
        ends = [(0.0, self.axis.low, "start"), (100.0, self.axis.high, "end")]
        marks = [written(at, 10, self.text(value), how) for at, value, how in ends]
        if 25 < base < 75:
            marks.append(written(base, 10, self.text(self.overall)))
        return silent(13, marks, "scale")


def level_table(
    column: PlanColumn, options: DesignOptions, most: int, sure: bool, title: str
) -> str:
    """Show the most common levels, what comes beside levels, and the outcome in each.

    ``sure``: whether to say how sure it is, which takes longer than all else.
    """
    statistics = column.statistics
    if statistics is None:
        return ""
    order = most_common(statistics)
    beside = [len(statistics.levels), len(statistics.levels) + 1]  # missing, and the pool
    codes = [*order[:most].tolist(), *(code for code in beside if statistics.count[code] > 0)]
    in_parts = isinstance(column.made, JointColumn)
    beliefs = [
        _beliefs(statistics, outcome, options, codes, in_parts, sure)
        for outcome in statistics.outcomes
    ]
    sizes = _sizes(statistics, codes)
    labels = [_label(statistics, code) for code in codes]
    if beliefs:
        labels, sizes = [*labels, "<i>levels never seen</i>"], [*sizes, NOTHING]
    lines = [
        f'<tr><th scope="row">{label}</th>{cell(size, "num")}{_of_outcomes(beliefs, row)}</tr>'
        for row, (label, size) in enumerate(zip(labels, sizes, strict=True))
    ]
    left = len(order) - len(order[:most])
    caption = f"{title}: the {most} most common of {len(order):,}" if left else title
    if beliefs and not sure:
        caption += "; <code>plan.level_effects</code> has the intervals"
    if len(beliefs) > 1:
        caption += _KEY
    few = "" if beliefs else ' class="few"'
    body = f"{_head(beliefs)}<tbody>{''.join(lines)}</tbody>"
    return f"<table{few}><caption>{caption}</caption>{body}</table>"


def _label(statistics: LevelStatistics, code: int) -> str:
    beside = code - len(statistics.levels)
    if beside < 0:
        return data(statistics.levels[code], 40)
    return ("<i>missing</i>", "<i>rare levels together</i>")[beside]


def _sizes(statistics: LevelStatistics, codes: Sequence[int]) -> list[str]:
    weight = statistics.count[codes]
    total, largest = float(statistics.count[:-1].sum()), float(weight.max(initial=0.0)) or 1.0
    return [
        f"{number(one)} <small>{share(one / total)}</small>"
        + silent(4, [bar(0, 100 * one / largest, 0, 4, "b")], "size")
        for one in weight.tolist()
    ]


def _beliefs(
    statistics: LevelStatistics,
    outcome: LevelOutcome,
    options: DesignOptions,
    codes: Sequence[int],
    in_parts: bool,
    sure: bool,
) -> Beliefs:
    novel = len(statistics.levels) + 1
    count = np.append(statistics.count[codes], 0.0)
    raw = np.where(count > 0, outcome.mean[[*codes, novel]], np.nan)
    effect = outcome.effect[[*codes, novel]]
    error = np.full(len(effect), np.nan)
    if sure:
        table = statistics.effects(outcome, options, in_parts=in_parts)
        levels = [code for code in codes if code < novel - 1]
        error = table["effect_se"].to_numpy()[[*levels, *range(novel - 1, len(table))]]
    known = None if in_parts else statistics.known(outcome, options)
    base = outcome.overall if known is None else known.base
    is_share = outcome.within is None
    believed, low, high = (
        outcome.believed(at, base)
        for at in (effect, effect - _OF_90 * error, effect + _OF_90 * error)
    )
    inside = [believed[:-1], low[:-1], high[:-1], np.array([outcome.overall])]
    axis = _axis(raw[:-1], np.concatenate(inside))
    return Beliefs(
        outcome.target, is_share, outcome.overall, raw, believed, low, high, effect, axis
    )


def _axis(raw: FloatArray, believed: FloatArray) -> Axis:
    """An axis for what is believed, and for raw means that are not far beyond."""
    low, high = float(np.nanmin(believed)), float(np.nanmax(believed))
    with np.errstate(over="ignore"):
        reach = (_STRETCH - 1.0) * (high - low)
        low, high = (
            max(low - reach, min(low, float(np.nanmin(raw, initial=low)))),
            min(high + reach, max(high, float(np.nanmax(raw, initial=high)))),
        )
    return Axis(*np.nan_to_num([low, high]).tolist())


def _head(beliefs: Sequence[Beliefs]) -> str:
    first = [above("Level"), above("Rows", "num")]
    if len(beliefs) == 1:
        one = beliefs[0]
        what = "Share of the target" if one.is_share else "Mean outcome"
        first.append(above(f"{what}{_KEY}{one.scale()}", "pic"))
        first += [above(text, "num") for text in ("Raw", "Believed", "90% interval", "Code")]
        return head(*first)
    each = [
        above(f"{data(one.target, 24)}{one.scale()}", "pic", of_class(place))
        for place, one in enumerate(beliefs)
    ]
    return head(*first, *each)


def _of_outcomes(beliefs: Sequence[Beliefs], row: int) -> str:
    if len(beliefs) == 1:
        return _of_outcome(beliefs[0], row)
    return "".join(_of_class(one, row, place) for place, one in enumerate(beliefs))


def _of_outcome(beliefs: Beliefs, row: int) -> str:
    told, believed, interval = beliefs.in_words(row)
    code = f"{float(beliefs.effect[row]) + 0.0:+.2f}"
    numbers = (told, believed, interval, code)
    return cell(beliefs.drawn(row), "pic") + "".join(cell(one, "num") for one in numbers)


def _of_class(beliefs: Beliefs, row: int, place: int) -> str:
    told, believed, _ = beliefs.in_words(row)
    text = f"<small>{told} → {believed}</small>"
    return cell(f"{beliefs.drawn(row)}{text}", "pic", of_class(place))
