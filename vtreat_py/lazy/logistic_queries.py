"""Logistic regressions of numeric columns: the sums of each iteration from one query for all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.lazy.aggregates import Asked, floats, totals, value_where
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.number_queries import inner
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.source import collect, selected, with_columns
from vtreat_py.significance.logistic import SATURATED_ETA, Points
from vtreat_py.significance.newton import (
    MANY_POINTS,
    MAX_ETA,
    REPAIR_WEIGHT,
    Derivatives,
    LogisticFit,
    Regressions,
    maximum_likelihood,
)
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments

# So many regressions are summed by one query.
_BATCH = 64
_SEED = 1944
_WEIGHT = "row_weight"

Key = tuple[str, int, int | None, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Regression:
    """One regression of a class on the clean copy of a column.

    Attributes
    ----------
    column : LazyNumber
    coordinates : Coordinates
    filled : float or dict from fold to float
        What stands for bad values, in inner coordinates.
    moments : Moments
        Of the clean copy and the class, over the rows that are fitted.
    reach : float
        Largest distance of the clean copy from its mean.
    number : int
        The class that is the target.
    left_out : int or None
        The fold whose rows are not fitted.
    """

    column: LazyNumber
    coordinates: Coordinates
    filled: float | Mapping[int, float]
    moments: Moments
    reach: float
    number: int
    left_out: int | None = None

    @property
    def key(self) -> Key:
        """What tells it from the other regressions of a design."""
        filled = self.filled
        values = tuple(filled.values()) if isinstance(filled, Mapping) else (filled,)
        return self.column.name, self.number, self.left_out, values

    @property
    def clean(self) -> nw.Expr:
        """The clean copy, in inner coordinates."""
        return clean_copy(self.column, self.coordinates, self.filled)


def clean_copy(
    column: LazyNumber, coordinates: Coordinates, filled: float | Mapping[int, float]
) -> nw.Expr:
    """A column in inner coordinates, its bad values filled by one number, or one for each fold."""
    value = nw.lit(0.0)
    if isinstance(filled, float):
        value = nw.lit(filled)
    else:
        for fold, number in filled.items():
            value = nw.when(nw.col(FOLD) == fold).then(nw.lit(number)).otherwise(value)
    return nw.when(column.is_bad).then(value).otherwise(inner(column.value, coordinates))


@dataclass(frozen=True, eq=False)
class Fits:
    """Regressions on the rows of a lazy frame, each made once, many at a time.

    Attributes
    ----------
    rough : bool
        Whether their deviances are all that is wanted.
    """

    rows: DesignRows
    rough: bool
    _made: dict[Key, LogisticFit] = field(default_factory=dict)

    def of(self, asked: Sequence[Regression]) -> list[LogisticFit]:
        """Return the fits of some regressions; those that are not made yet are, all at once."""
        missing = [r for r in asked if r.key not in self._made]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            known = _EngineRegressions.known(
                *_scale(batch), rows=self.rows, asked=batch, rough=self.rough
            )
            fit = maximum_likelihood(known)
            for i, regression in enumerate(batch):
                self._made[regression.key] = LogisticFit(
                    fit.slope[[i]], fit.deviance[[i]], fit.null_deviance[[i]]
                )
        return [self._made[r.key] for r in asked]


def _scale(asked: Sequence[Regression]) -> tuple[Moments, FloatArray]:
    """Moments and reach of regressions, one after the other."""
    return Moments.joined([r.moments for r in asked]), np.array([r.reach for r in asked])


@dataclass(frozen=True, eq=False, kw_only=True)
class _EngineRegressions(Regressions):
    """Regressions on the rows of a lazy frame."""

    rows: DesignRows
    asked: Sequence[Regression]

    def part(self) -> Points | None:
        """Some of many rows, by arithmetic on the row id, as points in memory."""
        rows = self.rows
        if rows.row_id is None or rows.n_rows < MANY_POINTS:
            return None
        part = rows.part(self._frame(self.asked), rows.n_rows, MANY_POINTS, _SEED)
        assert part is not None
        wanted = {f"x{i}": r.clean for i, r in enumerate(self.asked)}
        wanted |= {Y: nw.col(Y), FOLD: nw.col(FOLD), _WEIGHT: rows.w}
        table = collect(selected(part, wanted))
        x = np.stack([floats(table, f"x{i}") for i in range(len(self.asked))])
        y, fold = table[Y].to_numpy(), table[FOLD].to_numpy()
        total = np.tile(floats(table, _WEIGHT), (len(x), 1))
        for i, r in enumerate(self.asked):
            if r.left_out is not None:
                total[i, fold == r.left_out] = 0.0
        hits = total * np.stack([y == r.number for r in self.asked])
        whole = Points.of_moments(x, total, hits, *_scale(self.asked), self.rough)
        return whole.on(x, total, hits)

    def _frame(self, asked: Sequence[Regression]) -> nw.LazyFrame[Any]:
        """The rows that count, with the columns of some regressions."""
        return self.rows.counted([r.column for r in asked])

    def doubled(self, which: IntArray) -> _EngineRegressions:
        """Regressions ``which``, with the flipped, lightly weighted copy of their data."""
        asked = [self.asked[i] for i in which]
        return self.known(*_scale(asked), REPAIR_WEIGHT, rows=self.rows, asked=asked)

    def evaluate(self, which: IntArray, intercept: FloatArray, slope: FloatArray) -> Derivatives:
        """Sum over the rows of the frame."""
        steps: list[dict[str, nw.Expr]] = [{}, {}, {}, {}]
        sums: dict[str, Asked] = {}
        shrink = 1.0 / self.spread
        for k, i in enumerate(which.tolist()):
            x = (self.asked[i].clean - float(self.middle[i])) * float(shrink[i])
            eta = nw.col(f"x{k}") * float(slope[k]) + float(intercept[k])
            for step, column in zip(steps, _columns(k, x, eta), strict=True):
                step |= column
            sums |= self._sums(self.asked[i], k)
        frame = self._frame([self.asked[i] for i in which])
        for step in steps:
            frame = with_columns(frame, step)
        found = totals(frame, sums)

        def read(name: str) -> FloatArray:
            return np.nan_to_num([found[f"{name}{k}"] for k in range(len(which))])

        gradient = np.stack([read("residual"), read("residual_x")])
        curvature = np.stack([read(f"curve_{k}_") for k in range(3)])
        third = np.stack([read(f"bend_{k}_") for k in range(4)]) if self.rough else None
        return Derivatives(read("loss"), gradient, curvature, third)

    def _sums(self, regression: Regression, place: int) -> dict[str, Asked]:
        """Sums over the rows that are fitted; ``place`` tells their names from others."""
        x, eta, decay, likelier = (nw.col(f"{v}{place}") for v in ("x", "eta", "decay", "likelier"))
        other = decay * likelier
        rate = nw.when(eta > 0).then(likelier).otherwise(other)
        is_hit = nw.col(Y) == regression.number
        hit = nw.when(is_hit).then(nw.lit(1.0)).otherwise(nw.lit(self.flipped))  # and its copy
        copies = 1.0 + self.flipped
        # Where the line is out of range its end stands for it, as in `Points.evaluate`.
        held = (
            nw.when(eta > MAX_ETA)
            .then(nw.lit(float(SATURATED_ETA)))
            .otherwise(nw.when(eta < -MAX_ETA).then(nw.lit(-float(SATURATED_ETA))).otherwise(eta))
        )
        loss = (nw.when(eta > 0).then(held).otherwise(0.0) - likelier.log()) * copies - held * hit
        residual, curve = hit - rate * copies, other * likelier * copies
        terms = {
            "loss": loss,
            "residual": residual,
            "residual_x": residual * x,
            "curve_0_": curve,
            "curve_1_": curve * x,
            "curve_2_": curve * x * x,
        }
        if self.rough:
            bend = curve * (1.0 - rate * 2.0)
            terms |= {f"bend_{k}_": math.prod([x] * k, start=bend) for k in range(4)}
        values = {name: self.rows.weighted(term) for name, term in terms.items()}
        if regression.left_out is not None:
            included = nw.col(FOLD) != regression.left_out
            values = {name: value_where(included, value) for name, value in values.items()}
        return {f"{name}{place}": ("sum", value) for name, value in values.items()}


def _columns(place: int, x: nw.Expr, eta: nw.Expr) -> list[dict[str, nw.Expr]]:
    """Columns that are computed one after the other, as each needs those before it."""
    size = nw.col(f"eta{place}").abs()
    reached = nw.when(size > MAX_ETA).then(nw.lit(-float(SATURATED_ETA))).otherwise(0.0 - size)
    likelier = 1.0 / (1.0 + nw.col(f"decay{place}"))
    named = {"x": x, "eta": eta, "decay": reached.exp(), "likelier": likelier}
    return [{f"{name}{place}": column} for name, column in named.items()]
