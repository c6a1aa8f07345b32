"""The codes computed row by row, in exact fractions: slow, and easy to check by eye.

A row is a tuple (level, y, weight); the missing level is None. Each coder learns from training
rows and returns a function from a level to its code. A level that was never seen is any other
value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, isnan, log, nan, sqrt

from scipy import optimize, stats

Row = tuple[Hashable, Fraction, Fraction]
Code = Callable[[Hashable], float]
POOL = "(the pool)"


def weight_of(rows: list[Row]) -> Fraction:
    return sum((w for _, _, w in rows), Fraction(0))


def total_of(rows: list[Row]) -> Fraction:
    return sum((w * y for _, y, w in rows), Fraction(0))


def mean_of(rows: list[Row]) -> Fraction:
    return total_of(rows) / weight_of(rows)


def squares_of(rows: list[Row]) -> Fraction:
    mean = mean_of(rows)
    return sum((w * (y - mean) ** 2 for _, y, w in rows), Fraction(0))


@dataclass
class Levels:
    """Training rows by level: rare levels are pooled, insignificant ones suppressed."""

    rows: list[Row]
    groups: dict[Hashable, list[Row]]
    suppressed: set[Hashable]

    def assign(
        self, codes: dict[Hashable, float], otherwise: float, novel: float | None = None
    ) -> Code:
        """Code a level by its own group, else by the pool if there is one, else as novel."""
        novel = otherwise if novel is None else novel

        def code(level: Hashable) -> float:
            group = level if level in self.groups else POOL
            if group not in self.groups:
                return novel
            if group in self.suppressed:
                return otherwise
            return codes[group]

        return code


def levels_of(
    rows: list[Row], rare_count: float = 0, rare_sig: float | None = None, is_class: bool = False
) -> Levels:
    rows = [(level, y, w) for level, y, w in rows if w > 0]  # other rows teach nothing
    groups: dict[Hashable, list[Row]] = {}
    for level, y, w in rows:
        rare = weight_of([row for row in rows if row[0] == level]) <= rare_count
        groups.setdefault(POOL if rare else level, []).append((level, y, w))
    p_value = class_p_value if is_class else numeric_p_value
    suppressed = set()
    for group, own in groups.items():
        if rare_sig is not None and rare_sig < 1 and p_value(own, rows) > rare_sig:
            suppressed.add(group)
    return Levels(rows, groups, suppressed)


def class_p_value(own: list[Row], rows: list[Row]) -> float:
    n, hits, all_n, all_hits = weight_of(own), total_of(own), weight_of(rows), total_of(rows)
    if n == all_n or all_hits in (0, all_n):
        return 1.0
    table = [[hits, n - hits], [all_hits - hits, all_n - n - (all_hits - hits)]]
    if min(min(row) for row in table) <= 10:
        return stats.fisher_exact([[round(cell) for cell in row] for row in table])[1]
    floats = [[float(cell) for cell in row] for row in table]
    return stats.chi2_contingency(floats, correction=True).pvalue


def numeric_p_value(own: list[Row], rows: list[Row]) -> float:
    n, all_n = weight_of(own), weight_of(rows)
    if n == all_n or all_n <= 2:
        return nan
    between = n * (mean_of(own) - mean_of(rows)) ** 2 * all_n / (all_n - n)
    within = squares_of(rows) - between
    if within == 0:
        return nan if between == 0 else 0.0
    return stats.f.sf(float(between / (within / (all_n - 2))), 1, float(all_n - 2))


def prior_weight(levels: Levels) -> float:
    """Variance of y within levels over the variance of the levels' true means."""
    groups, rows = levels.groups.values(), levels.rows
    n = weight_of(rows)
    spread = n - sum(weight_of(group) ** 2 for group in groups) / n
    if n <= len(groups) or spread == 0:
        return inf
    within = sum(squares_of(group) for group in groups) / (n - len(groups))
    between = sum(weight_of(group) * (mean_of(group) - mean_of(rows)) ** 2 for group in groups)
    variance = (between - (len(groups) - 1) * within) / spread
    return float(within / variance) if variance > 0 else inf


def logit(p: float) -> float:
    p = min(max(p, 1e-6), 1 - 1e-6)
    return log(p / (1 - p))


def cat_p(rows: list[Row]) -> Code:
    n = weight_of(rows)

    def code(level: Hashable) -> float:
        own = weight_of([row for row in rows if row[0] == level])
        return float(own / n) if own > 0 else float(Fraction(1, 2) / n)

    return code


@dataclass
class Prior:
    """Weight of the prior, in rows; mean of levels, and of novel ones, less the mean over rows."""

    weight: float
    apart: float = 0.0
    novel: float = 0.0

    def effect(self, own: list[Row], mean: Fraction) -> float:
        belief = float(weight_of(own)) / (float(weight_of(own)) + self.weight)
        return belief * float(mean_of(own) - mean) + (1 - belief) * self.apart


class Reml:
    """The restricted likelihood of levels, number by number."""

    def __init__(self, levels: Levels, *, is_class: bool = False) -> None:
        self.base = float(mean_of(levels.rows)) if is_class else None
        groups = list(levels.groups.values())
        mean = mean_of(levels.rows)
        self.n = [float(weight_of(group)) for group in groups]
        self.m = [float(mean_of(group) - mean) for group in groups]
        self.inside = float(sum((squares_of(group) for group in groups), Fraction(0)))
        self.free = float(weight_of(levels.rows)) - 1
        self.tells = weight_of(levels.rows) > len(groups) > 1 and squares_of(levels.rows) > 0

    def parts(self, ratio: float) -> tuple[float, float, list[float], list[float]]:
        """Mean of the levels, variance inside them; precision of each, and how far it is off."""
        v = [n / (1 + n * ratio) for n in self.n]
        mean = sum(p * m for p, m in zip(v, self.m, strict=True)) / sum(v)
        off = [m - mean for m in self.m]
        squares = sum(p * d * d for p, d in zip(v, off, strict=True))
        if self.base is not None:
            rate = min(max(self.base + mean, 1e-6), 1 - 1e-6)
            return mean, rate * (1 - rate) / (1 + ratio), v, off
        return mean, (self.inside + squares) / self.free, v, off

    def deviance(self, ratio: float) -> float:
        _, within, v, off = self.parts(ratio)
        if self.base is not None:
            squares = sum(p * d * d for p, d in zip(v, off, strict=True))
            log_within = squares / within + (len(v) - 1) * log(within)
        else:
            log_within = self.free * log(within)
        return log_within + sum(log(1 + n * ratio) for n in self.n) + log(sum(v))

    def slope(self, ratio: float) -> float:
        _, within, v, off = self.parts(ratio)
        pull = sum(p * p * d * d for p, d in zip(v, off, strict=True)) / within
        return pull - (sum(v) - sum(p * p for p in v) / sum(v))

    def best(self) -> float:
        """The ratio of variances that is likeliest, looked for all over."""
        if not self.tells:
            return 0.0
        if self.base is not None:
            return self.best_of_class()
        if self.inside == 0:
            return inf
        grid = [10 ** (k / 10) for k in range(-130, 170)]
        best = min(range(1, 299), key=lambda k: self.deviance(grid[k]))
        low, high = grid[best - 1], grid[best + 1]
        ratio = grid[best]
        if self.slope(low) > 0 > self.slope(high):
            ratio = optimize.brentq(self.slope, low, high, xtol=1e-300, rtol=1e-14)
        return ratio if self.deviance(ratio) < self.deviance(0) - 1e-9 else 0.0

    def best_of_class(self) -> float:
        """Where squares are as expected; of several such ratios, the package may take any."""
        if self.slope(0.0) <= 0:
            return 0.0
        return 2.0 if self.slope(2.0) > 0 else optimize.brentq(self.slope, 0.0, 2.0, rtol=1e-14)


def prior_of(
    levels: Levels, smoothing: float | str, least: float = 0.0, *, is_class: bool = False
) -> Prior:
    if smoothing == "moments":
        return Prior(max(prior_weight(levels), least))
    if smoothing != "auto":
        return Prior(max(float(smoothing), least))
    reml = Reml(levels, is_class=is_class)
    ratio = reml.best()
    if ratio == 0:
        return Prior(inf)
    weight = max(1 / ratio, least)
    apart, within, _, _ = reml.parts(min(1 / max(weight, 1e-15), 1e15))
    once = [(n, m) for n, m in zip(reml.n, reml.m, strict=True) if n <= 1]
    rows = sum(n for n, _ in once)
    if rows == 0:
        return Prior(weight, apart, apart)
    told = len(reml.n) >= 20 and ratio < inf and not is_class
    by_size = of_one_row(reml, ratio) if told else 0.0
    off = sum(n * m for n, m in once) / rows - apart - by_size
    between = min(ratio, 1e15)
    by_chance = within * (1 + between)
    if told:  # of one alone nothing is known
        mean = sum(n * m for n, m in once) / rows
        squares = sum(n * (m - mean) ** 2 for n, m in once)
        by_chance = 4 * max(by_chance, squares / (len(once) - 1)) if len(once) > 1 else inf
    by_chance /= rows
    farther = off - by_chance / off if off * off > by_chance else 0.0
    farther *= rows * between / ((rows + 1) * between + 1)
    return Prior(weight, apart, apart + by_size + farther)


def of_one_row(reml: Reml, ratio: float) -> float:
    """Where a line through logarithms of sizes has levels of one row, as it is believed."""
    _, within, v, off = reml.parts(ratio)
    logs = [log(n) for n in reml.n]
    mean = sum(p * z for p, z in zip(v, logs, strict=True)) / sum(v)
    spread = sum(p * (z - mean) ** 2 for p, z in zip(v, logs, strict=True))
    product = sum(p * d * (z - mean) for p, d, z in zip(v, off, logs, strict=True))
    line = [product / spread * (z - mean) for z in logs]
    left = zip(v, off, line, logs, strict=True)
    seen = sum((p * (d - at) * (z - mean)) ** 2 for p, d, at, z in left)
    by_chance = 4 * max(within * spread, seen)
    if not product**2 > by_chance:
        return 0.0
    n_levels = [sum(k < n <= k + 1 for n in reml.n) for k in range(10)]
    slope = (product - by_chance / product) / spread
    return slope * (log_rows_of_one(n_levels) - mean)


def log_rows_of_one(n_levels: list[int]) -> float:
    """Posterior mean of the logarithm of a + b, if levels of k rows have a + b * k on average."""
    likely = {}
    for i in range(65):
        for j in range(32):
            rows, share = 2.0 ** (i * 6 / 64 - 2), (j + 0.5) / 32
            a, b = rows * (1 - share), rows * share
            chances = [1.0]
            for k in range(1, 10):
                chances.append(chances[-1] * (a + b * k) / (k + 1))
            each = [n * log(c / sum(chances)) for n, c in zip(n_levels, chances, strict=True)]
            likely[rows, share] = sum(each)
    most = max(likely.values())
    weights = {key: exp(one - most) for key, one in likely.items()}
    return sum(w * log(rows) for (rows, _), w in weights.items()) / sum(weights.values())


def cat_n(levels: Levels, smoothing: float | str) -> Code:
    prior, mean = prior_of(levels, smoothing), mean_of(levels.rows)
    codes = {group: prior.effect(own, mean) for group, own in levels.groups.items()}
    return levels.assign(codes, 0.0, prior.novel)


def cat_b(levels: Levels, smoothing: float | str, *, of_r: bool = False) -> Code:
    n, hits = float(weight_of(levels.rows)), float(total_of(levels.rows))
    codes, novel, base = {}, 0.0, hits / n
    if isinstance(smoothing, str):
        prior = prior_of(levels, smoothing, 0.5, is_class=True)
        novel = logit(base + prior.novel) - logit(base)
    for group, own in levels.groups.items():
        own_n, own_hits = float(weight_of(own)), float(total_of(own))
        if hits in (0, n):  # rows of one class say nothing about levels
            chance = base
        elif isinstance(smoothing, str):
            chance = base + prior.effect(own, mean_of(levels.rows))
        elif not of_r:
            rows = max(smoothing, 1e-4)
            chance = (own_hits + rows * base) / (own_n + rows)
        else:
            s = max(smoothing, 1e-4)
            inner = min(max(base, 1e-6), 1 - 1e-6)
            as_hit = inner * (own_hits + s) / (hits + s)
            as_miss = (1 - inner) * (own_n - own_hits + s) / (n - hits + s)
            chance = as_hit / (as_hit + as_miss)
        codes[group] = logit(chance) - logit(base)
    return levels.assign(codes, 0.0, novel)


def deviation(rows: list[Row]) -> float:
    return sqrt(squares_of(rows) / max(weight_of(rows) - 1, 1))


def cat_d(levels: Levels) -> Code:
    scorable = {
        group: deviation(own)
        for group, own in levels.groups.items()
        if weight_of(own) >= 2 and group not in levels.suppressed
    }
    largest = max(scorable.values(), default=deviation(levels.rows))
    codes = {group: scorable.get(group, largest) for group in levels.groups}
    return levels.assign(codes, largest)


def lev(levels: Levels, min_fraction: float) -> set[Hashable]:
    """Levels that get an indicator, the pool among them."""
    n = float(weight_of(levels.rows))
    return {
        group
        for group, own in levels.groups.items()
        if float(weight_of(own)) / n >= min_fraction and group not in levels.suppressed
    }


def clean(values: list[float], weights: list[float], training: list[bool]) -> list[float]:
    """Fill in bad values by the weighted mean of the good ones of the training rows."""
    total = weight = 0.0
    for value, w, known in zip(values, weights, training, strict=True):
        if known and not isnan(value):
            total += w * value
            weight += w
    return [total / weight if isnan(value) else value for value in values]
