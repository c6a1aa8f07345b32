"""Logistic regressions of numeric columns: the sums of each iteration from one query for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.lazy.aggregates import Asked, floats, totals, value_where
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.picked_rows import WEIGHT, PickedRows
from vtreat_py.lazy.regressions import Fits, Regression, scale_of
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


@dataclass(frozen=True, eq=False)
class LogisticFits(Fits):
    """Regressions of classes."""

    def fitted(self, batch: Sequence[Regression]) -> RegressionFit:
        """Fit some regressions by the same queries."""
        known = _EngineRegressions.known(
            *scale_of(batch), rows=self.rows, picked=self.picked, asked=batch, rough=self.rough
        )
        return maximum_likelihood(known)


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
        whole = Points.of_moments(x, total, hits, *scale_of(self.asked), self.rough)
        return whole.on(x, total, hits)

    def _frame(self, asked: Sequence[Regression]) -> nw.LazyFrame[Any]:
        """The rows that count, with the columns of some regressions."""
        return self.rows.counted([r.column for r in asked])

    def doubled(self, which: IntArray) -> _EngineRegressions:
        """Regressions ``which``, with the flipped, lightly weighted copy of their data."""
        asked = [self.asked[i] for i in which]
        scale = scale_of(asked)
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
