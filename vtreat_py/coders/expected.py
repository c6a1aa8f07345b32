"""The means that are expected where effects are not known, on the scale of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.links import Link
from vtreat_py.coders.part_effects import PartEffects, inside_of
from vtreat_py.statistics.outcome_sums import sum_by

# Nothing that is not known moves means further than this on the scale.
_FARTHEST = 60.0
# Places of a normal distribution, near enough to each other for effects a hundred times its width.
_PLACES = np.linspace(-8.0, 8.0, 1025)


@dataclass(frozen=True, eq=False)
class LinkedMeans:
    """Means of levels, and the scale that their effects are on.

    Attributes
    ----------
    link : Link
    at : float
        Where the mean of all rows is on the scale; effects are from there.
    weight, mean : ndarray of shape (levels,)
        What each level is worth, in units of which one is believed by half where the ratio of
        variances is 1, and its mean.
    """

    link: Link
    at: float
    weight: FloatArray
    mean: FloatArray

    def off(self, weight: FloatArray, effect: FloatArray) -> float:
        """How far from all effects those are with which the mean of the levels is right."""
        total, at = float((weight * self.mean).sum()), self.at + effect

        def too_high(move: float) -> float:
            return float((weight * self.link.mean(at + move)).sum()) - total

        if too_high(-_FARTHEST) >= 0.0:
            return -_FARTHEST
        if too_high(_FARTHEST) <= 0.0:
            return _FARTHEST
        return float(brentq(too_high, -_FARTHEST, _FARTHEST, xtol=1e-13))

    def effects_of(self, mean: FloatArray) -> FloatArray:
        """The effects that have these means."""
        return np.clip(self.link.of_mean(mean) - self.at, -_FARTHEST, _FARTHEST)


def expected_effects(
    levels: LinkedMeans, keys: Sequence[IntArray], fitted: PartEffects, *, nested: bool
) -> PartEffects:
    """Effects whose sums give expected means, where not all of them are known.

    Effects that lie evenly about 0 do not do so in rates: those that are not known put the mean
    of a class nearer to one half, and a mean of events higher, than it is where they are 0. So
    what is known of a level that was never seen is moved by as much as makes the mean of all
    levels right, each counted as its rows are believed (the credibility-weighted mean: H. Buehlmann
    and A. Gisler, *A Course in Credibility Theory*, 2005, section 4.2); where the effect of a part
    is believed in part, that part of its move is made. Levels with rows stay where they are: theirs
    is the mean of all as it is. Of ``nested`` parts each counts in the next as it is believed.
    """
    ratio, *ratios = fitted.ratios
    weight = levels.weight / (1.0 + ratio * levels.weight)
    sums = _sums(fitted.base, keys, fitted.of_parts)
    of_levels, of_parts = sums[-1] + fitted.own, list(fitted.of_parts)
    off = levels.off(weight, sums[-1])
    for k in reversed(range(len(keys))):
        of_part = sum_by(keys[k], weight, len(of_parts[k]))
        unknown = 1.0 / (1.0 + ratios[k] * of_part)
        if nested:
            weight = weight * unknown[keys[k]]
        without = levels.off(weight, sums[k])
        of_parts[k] = of_parts[k] + (off - without) * (1.0 - unknown)
        off = without
    base = fitted.base + off
    own = of_levels - _sums(base, keys, of_parts)[-1]
    return PartEffects(base, tuple(of_parts), own, fitted.ratios)


def flattened(levels: LinkedMeans, keys: Sequence[IntArray], fitted: PartEffects) -> PartEffects:
    """Effects of parts as means show them where what levels add is not known.

    Among rates that lie about others, differences are smaller: by the slope of
    ``link(E mean(x + u))`` at the middle, with u normal as what levels add, which for log odds is
    below 1 (S. Zeger, K. Liang and P. Albert, "Models for Longitudinal Data: A Generalized
    Estimating Equation Approach", Biometrics 44, 1988). Levels with rows stay where they are.
    """
    if levels.link.adds_up:
        return fitted
    weights = np.exp(-0.5 * _PLACES**2)
    means = levels.link.mean(levels.at + fitted.base + np.sqrt(fitted.ratios[0]) * _PLACES)
    mean, bend = (np.average(one, weights=weights) for one in (means, levels.link.bend(means)))
    slope = float(bend / levels.link.bend(np.asarray(mean)))
    of_parts = tuple(slope * one for one in fitted.of_parts)
    lost = sum((1.0 - slope) * one[key] for key, one in zip(keys, fitted.of_parts, strict=True))
    return replace(fitted, of_parts=of_parts, own=fitted.own + lost)


def means_of_children(
    levels: LinkedMeans, keys: Sequence[IntArray], fitted: PartEffects
) -> PartEffects:
    """Effects of parts inside others that give each the mean of what it holds.

    Shares of a class go up and down about one half unlike above it, so that one move for all, as
    `expected_effects` has it, does not do. The mean of a part is that of its levels, each counted
    as its rows are believed (the credibility-weighted mean, see there), and is believed itself as
    its effect is, beside that of what it is inside. Levels with rows stay where they are.
    """
    ratio, *ratios = fitted.ratios
    weight, mean = levels.weight / (1.0 + ratio * levels.weight), levels.mean
    inside = inside_of(keys, [len(one) for one in fitted.of_parts])
    up = []
    for (key, size), own in zip(inside, (*reversed(ratios), 0.0), strict=True):
        total = sum_by(key, weight, size)
        mean = sum_by(key, weight * mean, size) / np.where(total > 0, total, 1.0)
        up.append((mean, own * total / (1.0 + own * total)))
        weight = total / (1.0 + own * total)
    (believed, _), *down = reversed(up)
    at, parts = [levels.effects_of(believed)], []
    for (mean, belief), (key, _) in zip(down, reversed(inside[1:]), strict=True):
        believed = believed[key] + belief * (mean - believed[key])
        at.append(levels.effects_of(believed))
        parts.append(at[-1] - at[-2][key])
    base = float(at[0][0])
    adds = fitted.own + _sums(fitted.base, keys, fitted.of_parts)[-1] - _sums(base, keys, parts)[-1]
    return PartEffects(base, tuple(parts), adds, fitted.ratios)


def _sums(
    base: float, keys: Sequence[IntArray], of_parts: Sequence[FloatArray]
) -> list[FloatArray]:
    """What is believed of each level by none of its parts, by the first, the first two, ..."""
    sums = [np.full(len(keys[0]), base)]
    for key, effect in zip(keys, of_parts, strict=True):
        sums.append(sums[-1] + effect[key])
    return sums
