"""Effects of levels that are made of parts: of the parts, and what the level adds to those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.statistics.outcome_sums import ROUNDING, sum_by

# Ratios of variances that are tried first, from levels of a million rows to any.
_RATIOS = np.logspace(-6.0, 4.0, 11)
# A gain of likelihood below this one is rounding.
_SAME = 1e-9
# Times that a ratio may be from one that it is looked for near to, and is at first.
_APART = 1.01, 3.0
# Stands for 0 where there is a division by it.
_TINY = 1e-300
# Rounds in which crossed parts are fitted to what the others leave, and their variances are found.
_ROUNDS, _ESTIMATING = 60, 20
# Changes of variances, and of effects in units of the outcome, that are the last.
_NEAR, _CLOSE = 1e-6, 1e-12


@dataclass(frozen=True, eq=False)
class PartEffects:
    """The mean of a level is a sum of effects.

    Attributes
    ----------
    base : float
        Mean of levels whose parts were never seen.
    of_parts : tuple of ndarray
        Effect of each key (see `LevelParts`); 0 of those without rows.
    own : ndarray of shape (levels,)
        What each level adds.
    ratios : tuple of float
        Variance of what levels add, over that of rows inside them; then those of the keys.
    """

    base: float
    of_parts: tuple[FloatArray, ...]
    own: FloatArray
    ratios: tuple[float, ...]

    def without_rounding(self, size: float) -> PartEffects:
        """Have nothing where there is next to nothing beside effects of a size.

        What levels are that say nothing would rest on how the mean of all was rounded.
        """
        least = ROUNDING * size
        base = self.base if abs(self.base) > least else 0.0
        return replace(self, base=base, own=np.where(np.abs(self.own) > least, self.own, 0.0))

    def towards(self, other: PartEffects, share: float) -> PartEffects:
        """Go a share of the way to other effects, and have their ratios."""
        if share == 1.0:
            return other
        return PartEffects(
            self.base + share * (other.base - self.base),
            tuple(a + share * (b - a) for a, b in zip(self.of_parts, other.of_parts, strict=True)),
            self.own + share * (other.own - self.own),
            other.ratios,
        )


@dataclass(frozen=True, eq=False)
class JointMeans:
    """Levels as a training set sees them.

    Attributes
    ----------
    weight, mean : ndarray of shape (levels,)
        Rows of each, and their mean; 0 rows of levels that it has not seen.
    inside : float
        Squares inside levels.
    within : float or None
        Variance of a row inside levels; None: it is estimated.
    ratios : sequence of float, or None
        Ratios of variances that are given, of levels and of each kind of their parts; None: they
        are estimated.
    near : PartEffects or None
        Effects, and ratios, that those are looked for near to, first.
    """

    weight: FloatArray
    mean: FloatArray
    inside: float
    within: float | None
    ratios: Sequence[float] | None
    near: PartEffects | None = None

    @property
    def rows(self) -> float:
        """Number of rows."""
        return float(self.weight.sum())


def nested_effects(
    levels: JointMeans, keys: Sequence[IntArray], sizes: Sequence[int]
) -> PartEffects:
    """Effects of levels inside parts that are inside others, the outermost first.

    Parameters
    ----------
    levels : JointMeans
    keys : sequence of ndarray of int, shape (levels,)
        The part of each level, of each kind of parts.
    sizes : sequence of int
        Number of parts of each kind.

    Notes
    -----
    Effects are normal, with a variance for each kind of parts. From the levels up, the means of
    one kind are as far about those of the parts that they are inside as restricted maximum
    likelihood finds them (H. Patterson and R. Thompson, Biometrika 58, 1971), with the variances
    below it as they were found; on the way down each is shrunk to the effect of what it is inside.
    Given the variances, effects are the best linear predictions of the whole nested model.
    """
    weight, mean, within = levels.weight, levels.mean, levels.within
    up, inside = [], inside_of(keys, sizes)
    given = _upwards(levels.ratios)
    near = _upwards(levels.near.ratios if levels.near else None)
    for k, (parent, size) in enumerate(inside):
        beside = (0.0, 0.0) if k else (levels.inside, levels.rows)
        stage = _OneWay(weight, mean, parent, size, within, *beside)
        ratio = stage.most_likely(None if near is None else near[k]) if given is None else given[k]
        within = stage.within(ratio)
        up.append((stage, ratio))
        weight, mean = stage.parents(ratio)
    base = float(mean[0])
    believed, effects = np.full(1, base), []
    for stage, ratio in reversed(up):
        effect = stage.effects(ratio, believed)
        effects.append(effect)
        believed = believed[stage.group] + effect
    ratios = up[0][1], *(ratio for _, ratio in reversed(up[1:]))
    return PartEffects(base, tuple(effects[:-1]), effects[-1], ratios)


def _upwards(ratios: Sequence[float] | None) -> list[float] | None:
    """That of levels, then the innermost first."""
    return None if ratios is None else [ratios[0], *ratios[:0:-1]]


def inside_of(keys: Sequence[IntArray], sizes: Sequence[int]) -> list[tuple[IntArray, int]]:
    """For levels, then the kinds of parts from the innermost on: what each is inside, how many."""
    found = []
    inner: IntArray | None = None
    for key, size in zip(reversed(keys), reversed(sizes), strict=True):
        if inner is None:
            found.append((key, size))
        else:
            parent = np.zeros(found[-1][1], np.intp)
            parent[inner] = key
            found.append((parent, size))
        inner = key
    found.append((np.zeros(found[-1][1], np.intp), 1))
    return found


class _OneWay:
    """Means about those of the groups that they are in.

    Parameters
    ----------
    weight, mean : ndarray of shape (n,)
        Rows that each mean is worth, and the mean.
    group : ndarray of int, shape (n,)
    size : int
        Number of groups.
    within : float or None
        Variance of a row; None: it is at its best for each ratio.
    inside, rows : float
        Squares beside those of the means, and all rows; where the variance is to be found.
    """

    def __init__(
        self,
        weight: FloatArray,
        mean: FloatArray,
        group: IntArray,
        size: int,
        within: float | None,
        inside: float,
        rows: float,
    ) -> None:
        self.weight, self.mean, self.group, self.size = weight, mean, group, size
        self._within, self._inside = within, inside
        self._free = max(rows - float((sum_by(group, weight, size) > 0).sum()), 0.0)

    def parents(self, ratio: float) -> tuple[FloatArray, FloatArray]:
        """Rows that each group is worth, and its mean."""
        return self._groups(self._precision(ratio))

    def _groups(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        weight = sum_by(self.group, v, self.size)
        return weight, sum_by(self.group, v * self.mean, self.size) / np.maximum(weight, _TINY)

    def effects(self, ratio: float, believed: FloatArray) -> FloatArray:
        """How far each is believed to be from what is believed of its group."""
        belief = ratio * self.weight / (1.0 + ratio * self.weight)
        return np.where(self.weight > 0, belief * (self.mean - believed[self.group]), 0.0)

    def within(self, ratio: float) -> float:
        """Variance of a row."""
        v = self._precision(ratio)
        return self._within_of(v * self._squares_off(self._groups(v)[1]))

    def _within_of(self, between: FloatArray) -> float:
        if self._within is not None:
            return self._within
        return max((self._inside + float(between.sum())) / max(self._free, 1.0), _TINY)

    def most_likely(self, near: float | None) -> float:
        """The most likely ratio of variances; 0 where means differ no more than by chance."""
        if self._within is None and self._free <= 0:
            return 0.0
        return most_likely(self._deviance, self._slope, near)

    def _precision(self, ratio: float) -> FloatArray:
        return self.weight / (1.0 + ratio * self.weight)

    def _squares_off(self, of_group: FloatArray) -> FloatArray:
        off = self.mean - of_group[self.group]
        return off * off

    def _deviance(self, ratio: float) -> float:
        v = self._precision(ratio)
        weight, mean = self._groups(v)
        log = float(np.log1p(ratio * self.weight).sum() + np.log(weight[weight > 0]).sum())
        between = float((v * self._squares_off(mean)).sum())
        return log + spread_deviance(between, self._inside, self._free, self._within)

    def _slope(self, ratio: float) -> float:
        v = self._precision(ratio)
        weight, mean = self._groups(v)
        between = v * self._squares_off(mean)
        squares = sum_by(self.group, v * v, self.size)
        trace = float(v.sum()) - float((squares / np.maximum(weight, _TINY)).sum())
        return trace - float((v * between).sum()) / self._within_of(between)


def spread_deviance(between: float, inside: float, free: float, within: float | None) -> float:
    """What squares add to minus twice the logarithm of the likelihood."""
    if within is not None:
        return between / within
    return free * float(np.log(max(between + inside, _TINY)))


def most_likely(
    deviance: Callable[[float], float], slope: Callable[[float], float], near: float | None
) -> float:
    """The ratio of least deviance; 0 where none is clearly less than there.

    Where there is one near to a given ratio, it is that.
    """
    if near is not None:
        if not near and slope(float(_RATIOS[0])) > 0.0:
            return 0.0
        for apart in _APART if near else ():
            low, high = near / apart, near * apart
            if slope(low) < 0.0 < slope(high):
                return float(brentq(slope, low, high, xtol=1e-12 * low, rtol=_CLOSE))
    found = np.array([deviance(float(ratio)) for ratio in _RATIOS])
    best = int(found.argmin())
    low, high = (float(_RATIOS[min(max(best + k, 0), len(found) - 1)]) for k in (-1, 1))
    ratio, least = float(_RATIOS[best]), float(found[best])
    if slope(low) < 0.0 < slope(high):
        ratio = float(brentq(slope, low, high, xtol=1e-14 * low, rtol=1e-13))
        least = deviance(ratio)
    return ratio if least < deviance(0.0) - _SAME else 0.0


def crossed_effects(
    levels: JointMeans, keys: Sequence[IntArray], sizes: Sequence[int]
) -> PartEffects:
    """Effects of levels that are pairs, or more, of parts that go with any others.

    Parameters
    ----------
    levels, keys, sizes
        As for `nested_effects`.

    Notes
    -----
    All effects are normal, with a variance for each kind of parts and one for what levels add. They
    are fitted in turns, each kind to what the others leave (T. Hastie and R. Tibshirani,
    *Generalized Additive Models*, 1990), with the variance that is then the most likely one by
    restricted maximum likelihood; its determinant is taken for that of parts that go with all
    others equally often.
    """
    return _Crossed(levels, keys, sizes).effects()


class _Crossed:
    """The fit of crossed parts, as it comes nearer: to levels that have rows."""

    def __init__(self, levels: JointMeans, keys: Sequence[IntArray], sizes: Sequence[int]) -> None:
        self._levels, self._sizes = levels, sizes
        self._some = np.flatnonzero(levels.weight > 0)
        self._weight, self._mean = levels.weight[self._some], levels.mean[self._some]
        self._keys = [key[self._some] for key in keys]
        ratios: Sequence[float] = (0.0, *(1.0 for _ in keys))
        self._base = float((self._weight * self._mean).sum()) / max(levels.rows, _TINY)
        self._parts = [np.zeros(size) for size in sizes]
        if levels.near is not None:
            self._base, self._parts = levels.near.base, list(levels.near.of_parts)
            ratios = levels.near.ratios
        self._ratio, *self._ratios = levels.ratios or ratios

    def effects(self) -> PartEffects:
        """Fit in turns until nothing moves."""
        squares = float((self._weight * (self._mean - self._base) ** 2).sum())
        unit = np.sqrt(max(squares, _TINY))
        for number in range(0 if self._levels.ratios else _ESTIMATING):
            known = [self._ratio, *self._ratios]
            anywhere = self._levels.near is None and not number
            self._fit_parts(estimates=True, anywhere=anywhere)
            own = self._own()
            before = None if anywhere else self._ratio
            self._ratio = most_likely(own.deviance, own.slope, before)
            if np.allclose([self._ratio, *self._ratios], known, rtol=_NEAR, atol=0.0):
                break
        for _ in range(_ROUNDS):
            effects = np.concatenate([[self._base], *self._parts])
            self._fit_parts(estimates=False)
            after = np.concatenate([[self._base], *self._parts])
            if np.abs(after - effects).max() <= _CLOSE * unit:
                break
        belief = self._ratio * self._weight
        added = np.zeros(len(self._levels.weight))
        added[self._some] = belief / (1.0 + belief) * self._left()
        return PartEffects(self._base, tuple(self._parts), added, (self._ratio, *self._ratios))

    def _fit_parts(self, *, estimates: bool, anywhere: bool = False) -> None:
        for k in range(len(self._keys)):
            self._fit_part(k, estimates, None if anywhere else self._ratios[k])

    def _fit_part(self, k: int, estimates: bool, near: float | None) -> None:
        """Fit the parts of a kind, and the mean of all, to what the others leave."""
        key, size = self._keys[k], self._sizes[k]
        v = self._weight / (1.0 + self._ratio * self._weight)
        left = self._left(without=k) + self._base
        weight = sum_by(key, v, size)
        mean = sum_by(key, v * left, size) / np.maximum(weight, _TINY)
        off = left - mean[key]
        beside = float((v * off * off).sum()) + self._penalty(without=k)
        one = np.zeros(size, np.intp)
        levels = self._levels
        stage = _OneWay(weight, mean, one, 1, levels.within, levels.inside + beside, levels.rows)
        if estimates:
            self._ratios[k] = stage.most_likely(near)
        _, centre = stage.parents(self._ratios[k])
        self._base = float(centre[0])
        self._parts[k] = stage.effects(self._ratios[k], centre)

    def _left(self, without: int | None = None) -> FloatArray:
        """What parts, or all but one kind of them, leave of the means of levels."""
        left = self._mean - self._base
        for k, (part, key) in enumerate(zip(self._parts, self._keys, strict=True)):
            if k != without:
                left -= part[key]
        return left

    def _penalty(self, without: int | None = None) -> float:
        """Squares of effects, each in units of its variance."""
        some = [
            float((part * part).sum()) / ratio
            for k, (part, ratio) in enumerate(zip(self._parts, self._ratios, strict=True))
            if k != without and ratio > 0
        ]
        return sum(some)

    def _own(self) -> _Own:
        left, levels = self._left(), self._levels
        parts = list(zip(self._keys, self._sizes, self._ratios, strict=True))
        free = max(levels.rows - 1.0, 1.0)
        return _Own(
            self._weight, left * left, parts, self._penalty(), levels.inside, levels.within, free
        )


@dataclass(frozen=True, eq=False)
class _Own:
    """How likely ratios of variances of what levels add are, beside parts as they are.

    Attributes
    ----------
    weight, squares : ndarray of shape (levels,)
        Rows of each level, and the square of what its parts leave of its mean.
    parts : list of (ndarray of int, int, float)
        For each kind of parts: that of each level, how many there are, their ratio.
    penalty : float
        Squares of the effects of parts, each in units of its variance.
    inside : float
    within : float or None
        As of `JointMeans`.
    free : float
        Degrees of freedom.
    """

    weight: FloatArray
    squares: FloatArray
    parts: list[tuple[IntArray, int, float]]
    penalty: float
    inside: float
    within: float | None
    free: float

    def deviance(self, ratio: float) -> float:
        """Minus twice the logarithm of the likelihood, but for a constant."""
        v = self.weight / (1.0 + ratio * self.weight)
        log = float(np.log1p(ratio * self.weight).sum() + np.log(max(v.sum(), _TINY)))
        for key, size, own in self.parts:
            weight = sum_by(key, v, size)
            # The mean of the parts of a kind goes with the mean of all.
            shrunk = weight / (1.0 + own * weight)
            log += float(np.log1p(own * weight).sum())
            log += float(np.log(max(shrunk.sum(), _TINY) / max(weight.sum(), _TINY)))
        between = float((v * self.squares).sum()) + self.penalty
        return log + spread_deviance(between, self.inside, self.free, self.within)

    def slope(self, ratio: float) -> float:
        """How `deviance` grows with the ratio."""
        v = self.weight / (1.0 + ratio * self.weight)
        v_squares = v * v
        of_mean = float(v_squares.sum()) / max(float(v.sum()), _TINY)
        trace = float(v.sum()) - of_mean
        for key, size, own in self.parts:
            weight, own_squares = sum_by(key, v, size), sum_by(key, v_squares, size)
            shrinks = 1.0 + own * weight
            trace -= float((own * own_squares / shrinks).sum())
            shrunk = max(float((weight / shrinks).sum()), _TINY)
            trace += of_mean - float((own_squares / shrinks**2).sum()) / shrunk
        within = self.within
        if within is None:
            between = float((v * self.squares).sum()) + self.penalty
            within = max((self.inside + between) / self.free, _TINY)
        return trace - float((v_squares * self.squares).sum()) / within
