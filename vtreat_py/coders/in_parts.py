"""Impact codes of levels that are made of parts: shrunk to what those say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import CodeOptions, ColumnLevels, LevelVariables
from vtreat_py.coders.expected import (
    LinkedMeans,
    expected_effects,
    flattened,
    means_of_children,
)
from vtreat_py.coders.likelihood import MOST_OF_CLASS
from vtreat_py.coders.links import Link
from vtreat_py.coders.part_effects import (
    JointMeans,
    PartEffects,
    crossed_effects,
    nested_effects,
)
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.shrinkage import within_variance
from vtreat_py.coders.table_code import Impact, ImpactCode
from vtreat_py.frames.joint import LevelParts
from vtreat_py.statistics.moments import Moments

# A level is never believed more than if so many rows of prior stood beside it.
_LEAST_ROWS = 1e-6
# Rows vary by this share of the square of their mean at least: the rest is rounding.
_LEAST_DISPERSION = 1e-12
# Steps of Fisher scoring at most; in the first ones variances are found. Longer ones are cut, the
# last are shorter.
_STEPS, _ESTIMATING, _FAR, _CLOSE = 100, 6, 5.0, 1e-11


class InParts(Impact):
    """An impact code of a joint column (see `JointColumn`).

    A level of a pair is shrunk to the sum of the effects of its two parts, a child to the effect of
    its parent: what is its own is what its rows say beyond that, as far as all levels say that
    there is such a thing. A level that was never seen has what its parts say.

    Numbers follow the normal models of `crossed_effects` and `nested_effects`. Those of a class are
    fitted to log odds, those of rates to their logarithms, by penalized quasi-likelihood
    (N. Breslow and D. Clayton, "Approximate Inference in Generalized Linear Mixed Models", JASA 88,
    1993): codes are log odds, or logarithms, less those of all rows. Of levels that were never seen
    they are at the mean that is expected of them (see `expected_effects`, and `means_of_children`).

    With a number for ``smoothing`` so many rows of prior stand beside each level and each part.
    """

    is_of_r = False

    def __init__(self, code: ImpactCode, parts: LevelParts) -> None:
        self.name, self._code, self._parts = code.name, code, parts
        self._keys = [np.append(key, 0) for key in parts.of_level]  # of missing values, too
        self._fitted: dict[PooledLevels, list[PartEffects]] = {}

    def made(self, column: ColumnLevels) -> LevelVariables | None:
        """Make the one variable, with the effects of parts."""
        made = super().made(column)
        if made is None:
            return None
        levels = column.pooled.worth
        (fitted,) = self._fits(levels, column.options)
        unit = self._unit(levels)
        parts = tuple(unit * one for one in (np.array([fitted.base]), *fitted.of_parts))
        (variable,) = made.variables
        return replace(made, variables=[replace(variable, parts=parts)])

    def effects(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels, as all rows have them or as the training sets of the folds do."""
        view, counts = levels.view, ~(levels.pooled | levels.suppressed)
        codes, novel = np.zeros(len(view.level)), np.zeros(view.n_groups)
        unit = self._unit(levels)
        for group, fitted in enumerate(self._fits(levels, options)):
            own = np.flatnonzero(view.group == group)
            level, value = view.level[own], np.full(len(own), fitted.base)
            for key, effect in zip(self._keys, fitted.of_parts, strict=True):
                value += effect[key[level]]
            value += np.where(counts[own], fitted.own[level], 0.0)
            codes[own], novel[group] = unit * value, unit * fitted.base
        return codes, novel

    def unit(self, levels: PooledLevels) -> FloatArray:
        """What effects are held against, in each training set."""
        return self._code.unit(levels)

    def size(self, present: FloatArray, moments: Moments) -> float:
        """What differences of codes are held against."""
        return self._code.size(present, moments)

    def prior(self, levels: PooledLevels, options: CodeOptions) -> FloatArray:
        """Weight, in rows, of what parts say, for each training set."""
        ratio = np.array([fitted.ratios[0] for fitted in self._fits(levels, options)])
        if (link := self._code.link) is not None:
            ratio = ratio * link.bend(levels.view.whole.mean) / self._dispersion(levels)
        return np.where(ratio > 0, 1.0 / np.where(ratio > 0, ratio, 1.0), np.inf)

    def within(self, levels: PooledLevels) -> float | None:
        """Variance of the outcome inside levels; None where it follows from the codes."""
        return self._code.within(levels)

    def _unit(self, levels: PooledLevels) -> float:
        """What effects of the model are in."""
        return 1.0 if self._code.link is not None else float(levels.likelihood.equal.unit)

    def _dispersion(self, levels: PooledLevels) -> FloatArray:
        """Variance of rows inside levels, over how fast means grow on the scale of effects."""
        if levels.likelihood.of_class:
            return np.ones(levels.view.n_groups)
        whole = levels.view.whole
        some = whole.mean > 0
        mean = np.where(some, whole.mean, 1.0)
        within = np.maximum(within_variance(levels), _LEAST_DISPERSION * mean * mean)
        return np.where(some & np.isfinite(within), within / mean, mean)

    def _fits(self, levels: PooledLevels, options: CodeOptions) -> list[PartEffects]:
        if levels not in self._fitted:
            groups = range(levels.view.n_groups)
            self._fitted[levels] = [self._fit(levels, group, options) for group in groups]
        return self._fitted[levels]

    def _fit(self, levels: PooledLevels, group: int, options: CodeOptions) -> PartEffects:
        sums, mean = levels.view.sums_in(group), float(levels.view.whole.mean[group])
        rows = options.shrinkage
        given = None if isinstance(rows, str) else 1.0 / max(float(rows), _LEAST_ROWS)
        if (link := self._code.link) is not None:
            unit = link.unit(mean)
            dispersion = float(self._dispersion(levels)[group]) / unit
            means = np.where(sums.weight > 0, sums.mean / unit, 0.0)
            fitted = self._fit_link(link, sums.weight, means, mean / unit, dispersion, given)
            return fitted.without_rounding(1.0)
        unit = self._unit(levels)
        means = np.where(sums.weight > 0, (sums.mean - mean) / unit, 0.0)
        inside = float(sums.squares.sum()) / unit / unit
        fitted = self._effects(JointMeans(sums.weight, means, inside, None, self._ratios(given)))
        return fitted.without_rounding(float(np.abs(means).max(initial=0.0)))

    def _fit_link(
        self,
        link: Link,
        weight: FloatArray,
        level_mean: FloatArray,
        overall: float,
        dispersion: float,
        given: float | None,
    ) -> PartEffects:
        """Fit effects on the scale of a link, less that of all rows, step by step."""
        varies = float(link.bend(np.array(overall))) / dispersion
        none, effect = tuple(np.zeros(size) for size in self._sizes), np.zeros(len(weight))
        fitted = PartEffects(0.0, none, effect, (0.0,) * (len(none) + 1))
        if not varies > 0:  # rows of one class say nothing about levels
            return fitted
        base, most = float(link.of_mean(np.array(overall))), MOST_OF_CLASS / varies
        ratios: Sequence[float] | None = self._ratios(
            None if given is None else given / (link.rows * varies)
        )
        near: PartEffects | None = None
        for step in range(_STEPS):
            mean = link.mean(base + effect)
            bends = link.bend(mean)
            working = effect + (level_mean - mean) / bends
            known = np.where(weight > 0, working, 0.0)
            means = JointMeans(weight * bends / dispersion, known, 0.0, 1.0, ratios, near)
            new = self._effects(means)
            if ratios is None and max(new.ratios) > most:  # parts tell the classes apart
                bounded = [min(ratio, most) for ratio in new.ratios]
                new = self._effects(replace(means, ratios=bounded))
            near = new
            step_length = float(np.abs(self._of_levels(new) - effect).max())
            fitted = fitted.towards(new, min(_FAR / max(step_length, _FAR), 1.0))
            effect = self._of_levels(fitted)
            if step >= _ESTIMATING and step_length <= _FAR:
                ratios = new.ratios
            if step > _ESTIMATING and step_length < _CLOSE:
                break
        levels = LinkedMeans(link, base, weight * varies, level_mean)
        if self._parts.nested and not link.adds_up:
            return means_of_children(levels, self._keys, fitted)
        if given is None:  # a number of rows does not say how far levels differ
            fitted = flattened(levels, self._keys, fitted)
        return expected_effects(levels, self._keys, fitted, nested=self._parts.nested)

    def _of_levels(self, fitted: PartEffects) -> FloatArray:
        value = fitted.base + fitted.own
        for key, effect in zip(self._keys, fitted.of_parts, strict=True):
            value = value + effect[key]
        return value

    def _ratios(self, given: float | None) -> list[float] | None:
        return None if given is None else [given] * (len(self._keys) + 1)

    @property
    def _sizes(self) -> list[int]:
        return [len(key) for key in self._parts.keys]

    def _effects(self, levels: JointMeans) -> PartEffects:
        fit = nested_effects if self._parts.nested else crossed_effects
        return fit(levels, self._keys, self._sizes)
