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
from vtreat_py.lazy.picked_rows import WEIGHT, PickedRows
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.lazy.source import with_columns
from vtreat_py.significance.logistic import SATURATED_ETA, Points
from vtreat_py.significance.newton import (
    MANY_POINTS,
    MAX_ETA,
    REPAIR_WEIGHT,
    Derivatives,
    RegressionFit,
    Regressions,
    maximum_likelihood,
)
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments

# So many regressions are summed by one query.
_BATCH = 64

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

    def clean_of(self, values: FloatArray, fold: IntArray) -> FloatArray:
        """The same of rows in memory."""
        filled: float | FloatArray
        if isinstance(self.filled, float):
            filled = self.filled
        else:
            filled = np.array([self.filled[k] for k in range(len(self.filled))])[fold]
        good = np.isfinite(values)
        return np.where(good, self.coordinates.inner(np.where(good, values, 0.0)), filled)


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
    is_good = column.value.is_finite()
    return nw.when(is_good).then(inner(column.value, coordinates)).otherwise(value)


@dataclass(frozen=True, eq=False)
class Fits:
    """Regressions on the rows of a lazy frame, each made once, many at a time.

    Attributes
    ----------
    rough : bool
        Whether their deviances are all that is wanted.
    picked : PickedRows
        Of many rows, those that give starting values.
    """

    rows: DesignRows
    rough: bool
    picked: PickedRows
    _made: dict[Key, RegressionFit] = field(default_factory=dict)

    def of(self, asked: Sequence[Regression]) -> list[RegressionFit]:
        """Return the fits of some regressions; those that are not made yet are, all at once."""
        missing = [r for r in asked if r.key not in self._made]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            known = _EngineRegressions.known(
                *_scale(batch), rows=self.rows, picked=self.picked, asked=batch, rough=self.rough
            )
            fit = maximum_likelihood(known)
            for i, regression in enumerate(batch):
                self._made[regression.key] = RegressionFit(
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
    picked: PickedRows
    asked: Sequence[Regression]

    def part(self) -> Points | None:
        """Some of many rows, by arithmetic on the row id, as points in memory."""
        rows = self.rows
        if rows.row_id is None or rows.n_rows < MANY_POINTS:
            return None
        table = self.picked.of(MANY_POINTS)
        assert table is not None
        y, fold = table[Y].to_numpy(), table[FOLD].to_numpy()
        x = np.stack([r.clean_of(floats(table, r.column.alias), fold) for r in self.asked])
        total = np.tile(floats(table, WEIGHT), (len(x), 1))
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
        scale = _scale(asked)
        return self.known(*scale, REPAIR_WEIGHT, rows=self.rows, picked=self.picked, asked=asked)

    def evaluate(self, which: IntArray, intercept: FloatArray, slope: FloatArray) -> Derivatives:
        """Sum over the rows of the frame."""
        asked = [self.asked[i] for i in which]
        sides = {_side(r.number): _hit_or_not(r.number) for r in asked}
        steps: list[dict[str, nw.Expr]] = [sides, {}, {}, {}, {}]
        sums: dict[str, Asked] = {}
        shrink = 1.0 / self.spread
        for k, i in enumerate(which.tolist()):
            x = (self.asked[i].clean - float(self.middle[i])) * float(shrink[i])
            if (left_out := self.asked[i].left_out) is not None:
                x = value_where(nw.col(FOLD) != left_out, x)
            steps[0][f"x{k}"] = x
            is_near = abs(intercept[k]) + abs(slope[k]) * self.reach[i] <= MAX_ETA
            along = nw.col(f"x{k}") * float(slope[k]) + float(intercept[k])
            margins = _margins(k, along * nw.col(_side(self.asked[i].number)), bool(is_near))
            for step, column in zip(steps[1:], margins, strict=True):
                step |= column
            sums |= self._sums(self.asked[i], k)
        frame = self._frame(asked)
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
        x, likely, other = (nw.col(f"{v}{place}") for v in ("x", "likely", "other"))
        side, curve = nw.col(_side(regression.number)), likely * other
        loss, error = 0.0 - likely.log(), other
        if self.flipped:  # beside each row lies its copy
            loss, error = loss - other.log() * self.flipped, other - likely * self.flipped
            curve = curve * (1.0 + self.flipped)
        residual = error * side
        terms = {
            "loss": loss,
            "residual": residual,
            "residual_x": residual * x,
            "curve_0_": curve,
            "curve_1_": curve * x,
            "curve_2_": curve * x * x,
        }
        if self.rough:
            bend = curve * (other - likely) * side
            terms |= {f"bend_{k}_": math.prod([x] * k, start=bend) for k in range(4)}
        return {f"{name}{place}": ("sum", self.rows.weighted(one)) for name, one in terms.items()}


def _side(number: int) -> str:
    """Name of the column that says on which side of a class a row is."""
    return f"side_of_{number}"


def _hit_or_not(number: int) -> nw.Expr:
    """1 where a row is of a class, else -1."""
    return nw.when(nw.col(Y) == number).then(nw.lit(1.0)).otherwise(nw.lit(-1.0))


def _margins(place: int, margin: nw.Expr, is_near: bool) -> list[dict[str, nw.Expr]]:
    """Probabilities of a row's own outcome and of the other, column by column.

    The margin is the linear predictor, from the side of the own outcome; where it may be out of
    range its end stands for it, as in `Points.evaluate`.
    """
    m = held = nw.col(f"margin{place}")
    if not is_near:
        end = float(SATURATED_ETA)
        held = nw.when(m > MAX_ETA).then(nw.lit(end)).otherwise(m)
        held = nw.when(m < -MAX_ETA).then(nw.lit(-end)).otherwise(held)
    named = {
        "margin": margin,
        "odds": (0.0 - held).exp(),
        "likely": 1.0 / (nw.col(f"odds{place}") + 1.0),
        "other": nw.col(f"odds{place}") * nw.col(f"likely{place}"),
    }
    return [{f"{name}{place}": column} for name, column in named.items()]
