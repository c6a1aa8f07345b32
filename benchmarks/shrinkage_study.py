"""How far impact codes are from the truth, beside the codes of others, over many seeds.

    python benchmarks/shrinkage_study.py [--output FILE]

Level effects are drawn, then rows, then estimated: by raw means, by m-estimates, by the default
smoothing (empirical Bayes), by scikit-learn and category_encoders as they come, and by an oracle:
the best linear estimator, which knows the mean and both variances. The first part asks what is
left of pure noise, the second how much worse than the oracle's the mean squared error is. The third
has effects and sizes of other kinds, beside moments and a nonparametric prior; the last two ask how
often intervals by the standard errors hold the true effects, of numbers and of classes.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import category_encoders
import numpy as np
import pandas as pd
from sklearn.preprocessing import TargetEncoder

import vtreat_py as vt

NOISE_LEVELS, NOISE_ROWS, NOISE_RATE, NOISE_SEEDS = 5_000, 4, 0.2, 100
SPREAD, WITHIN, RATE, ROWS, SEEDS = 0.1, 1.0, 0.3, 20, 20
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


@dataclass(frozen=True)
class Sample:
    """Rows of one column, and what is true of it."""

    level: Any
    y: Any
    truth: Any
    mean: float
    between: float
    within: float

    @property
    def size(self) -> Any:
        """Rows of each level."""
        return np.bincount(self.level)

    @property
    def raw(self) -> Any:
        """Mean of y in each level."""
        return np.bincount(self.level, self.y) / self.size

    @property
    def frame(self) -> pd.DataFrame:
        """The levels as text that sorts as they do."""
        names = np.array([f"{level:06d}" for level in range(self.level.max() + 1)], dtype=object)
        return pd.DataFrame({"x": names[self.level]})

    @property
    def outcome_type(self) -> str:
        """Type of the outcome."""
        return "numeric" if self.y.dtype.kind == "f" else "binomial"


def sample(seed: int, size: Any, outcome_type: str, spread: float, rate: float = RATE) -> Sample:
    """Draw level effects (normal, or rates from a beta distribution) and rows of these sizes."""
    random = np.random.default_rng(seed)
    level = random.permutation(np.repeat(np.arange(len(size)), size))
    if outcome_type == "numeric":
        truth = random.normal(0.0, spread, len(size))
        y = truth[level] + random.normal(0.0, np.sqrt(WITHIN), len(level))
        return Sample(level, y, truth, 0.0, spread**2, WITHIN)
    variance = rate * (1.0 - rate)
    truth = np.full(len(size), rate)
    if spread > 0:
        strength = variance / spread**2 - 1.0
        truth = random.beta(rate * strength, (1.0 - rate) * strength, len(size))
    y = (random.random(len(level)) < truth[level]).astype(int)
    return Sample(level, y, truth, rate, spread**2, variance - spread**2)


def oracle(drawn: Sample) -> Any:
    belief = drawn.between / (drawn.between + drawn.within / drawn.size)
    return drawn.mean + belief * (drawn.raw - drawn.mean)


def shrunk_by(m: float) -> Callable[[Sample], Any]:
    def estimate(drawn: Sample) -> Any:
        return (drawn.size * drawn.raw + m * drawn.y.mean()) / (drawn.size + m)

    return estimate


def rates(codes: Any, base: float) -> Any:
    """Put log odds above a base rate on the scale of probability."""
    return 1.0 / (1.0 + (1.0 - base) / base * np.exp(-codes))


def auto(drawn: Sample) -> Any:
    is_class = drawn.outcome_type == "binomial"
    plan = vt.design_treatments(
        drawn.frame,
        outcome=drawn.y,
        outcome_type=drawn.outcome_type,
        coders=["catB" if is_class else "catN"],
        random_state=0,
    )
    effects = plan.level_effects("x").query("kind == 'level'").sort_values("level")
    codes, base = effects["effect"].to_numpy(), float(drawn.y.mean())
    return rates(codes, base) if is_class else base + codes


def scikit_learn(drawn: Sample) -> Any:
    kind = "continuous" if drawn.outcome_type == "numeric" else "binary"
    return TargetEncoder(target_type=kind).fit(drawn.frame, drawn.y).encodings_[0]


def of_category_encoders(name: str) -> Callable[[Sample], Any]:
    def estimate(drawn: Sample) -> Any:
        frame = drawn.frame
        encoder = getattr(category_encoders, name)(cols=["x"]).fit(frame, drawn.y)
        return encoder.transform(frame.drop_duplicates().sort_values("x"))["x"].to_numpy()

    return estimate


OURS = 'vtreat_py, smoothing="auto"'
ESTIMATORS: dict[str, Callable[[Sample], Any]] = {
    OURS: auto,
    "raw means": shrunk_by(0),
    "m-estimate, m = 1": shrunk_by(1),
    "m-estimate, m = 10": shrunk_by(10),
    "m-estimate, m = 100": shrunk_by(100),
    'scikit-learn TargetEncoder(smooth="auto")': scikit_learn,
    "category_encoders.TargetEncoder()": of_category_encoders("TargetEncoder"),
    "category_encoders.MEstimateEncoder()": of_category_encoders("MEstimateEncoder"),
    "category_encoders.JamesSteinEncoder()": of_category_encoders("JamesSteinEncoder"),
}


def cross_codes(drawn: Sample) -> Any:
    """Out-of-fold codes of pure noise as rates; None where the column got no impact code."""
    made = vt.cross_frame_experiment(
        drawn.frame, outcome=drawn.y, outcome_type="binomial", coders=["catB"], random_state=0
    )
    if not made.plan.feature_names:
        return None
    return rates(made.cross_frame["x_catB"].to_numpy(), float(drawn.y.mean()))


def line(what: str, values: list[Any], form: str) -> None:
    say(f"{what:<46}" + "".join(f"{value:>10{form}}" for value in values))


def noise() -> None:
    say(
        f"1. Pure noise: {NOISE_LEVELS:,} levels of {NOISE_ROWS} rows, all with a target rate of "
        f"{NOISE_RATE}; {NOISE_SEEDS} seeds,\n   {SEEDS} for the others\n"
    )
    line("standard deviation of the estimated rates", ["mean", "largest"], "")
    spread: dict[str, list[float]] = defaultdict(list)
    coded, crossed = [], []
    for seed in range(NOISE_SEEDS):
        drawn = sample(seed, np.full(NOISE_LEVELS, NOISE_ROWS), "binomial", 0.0, NOISE_RATE)
        for name, estimate in ESTIMATORS.items():
            if seed < SEEDS or estimate is auto:
                spread[name].append(estimate(drawn).std())
        codes = cross_codes(drawn)
        if codes is not None:
            coded.append(spread[OURS][-1])
            crossed.append(codes.std())
    for name, values in spread.items():
        line(name, [np.mean(values), np.max(values)], ".4f")
        if name == OURS:
            given = f"  in the {len(coded)} seeds that give it a code"
            line(given, [np.mean(coded), np.max(coded)], ".4f")
            line("  the same, in the cross-frame", [np.mean(crossed), np.max(crossed)], ".4f")
    say("\nLevels that differ by chance only get no code; that counts as 0 in the first line.")


def uneven(n_levels: int) -> Any:
    """Sizes by Zipf's law, of the same mean: a few levels have most of the rows."""
    share = 1.0 / np.arange(1, n_levels + 1)
    return np.maximum(1, np.round(share / share.sum() * ROWS * n_levels)).astype(int)


def effects() -> None:
    say(
        f"\n\n2. True effects of standard deviation {SPREAD}: numbers with variance {WITHIN:g} "
        f"inside levels,\n   and classes with rates around {RATE}; {SEEDS} seeds\n"
    )
    cells = {
        f"{n_levels:,} levels, {how}": size
        for n_levels in (500, 5_000)
        for how, size in (
            (f"{ROWS} rows each", np.full(n_levels, ROWS)),
            (f"{ROWS} rows on average (Zipf)", uneven(n_levels)),
        )
    }
    for outcome_type, what in (("numeric", "numbers"), ("binomial", "classes")):
        line(f"{what}: mean squared error over the oracle's", list("ABCD"), "")
        errors = [cell_errors(size, outcome_type) for size in cells.values()]
        for name in ESTIMATORS:
            line(name, [cell[name].sum() / cell["oracle"].sum() for cell in errors], ".3f")
            if name == OURS:
                worst = [(cell[name] / cell["oracle"]).max() for cell in errors]
                line("  the largest of the seeds", worst, ".3f")
        say()
    for letter, cell in zip("ABCD", cells, strict=True):
        say(f"{letter}: {cell}")
    say(
        f"\nThe prior weight that the oracle uses is {WITHIN / SPREAD**2:g} rows for the numbers, "
        f"{RATE * (1 - RATE) / SPREAD**2 - 1:g} for the classes:\na fixed m does well where it "
        "happens to be near."
    )


def cell_errors(size: Any, outcome_type: str) -> dict[str, Any]:
    """Mean squared error of each estimator, seed by seed."""
    errors: dict[str, list[float]] = defaultdict(list)
    for seed in range(SEEDS):
        drawn = sample(seed, size, outcome_type, SPREAD)
        for name, estimate in {"oracle": oracle, **ESTIMATORS}.items():
            errors[name].append(((estimate(drawn) - drawn.truth) ** 2).mean())
    return {name: np.array(values) for name, values in errors.items()}


SHAPES: dict[str, Callable[[Any, Any], Any]] = {
    "normal": lambda random, share: random.normal(size=len(share)),
    "two points": lambda random, share: random.choice([-1.0, 1.0], len(share)),
    "t(3)": lambda random, share: random.standard_t(3, len(share)) / np.sqrt(3),
    "sparse": lambda random, share: sparse(random, len(share)),
    "with size": lambda random, share: 0.8 * by_size(share) + 0.6 * random.normal(size=len(share)),
}
SIZES: dict[str, Callable[[int], Any]] = {
    "equal": np.ones,
    "Zipf": lambda n: 1.0 / np.arange(1, n + 1),
    "one of 60%": lambda n: np.append(1.5 * (n - 1), np.ones(n - 1)),
}
# Levels, rows for each on average, standard deviation of their effects.
SCALES = ((200, 20, 0.3), (1_000, 5, 0.5))
NOISES = ("normal", "t(3)")
DRAWS, INTERVALS = 40, 200
# Seeds that were not in sight when it was chosen how novel levels are coded.
FIRST_NOVEL, NOVEL = 30_000, 2_000


def sparse(random: Any, n_levels: int) -> Any:
    return (random.random(n_levels) < 0.05) * random.normal(size=n_levels) / np.sqrt(0.05)


def by_size(share: Any) -> Any:
    """Logarithms of shares, with mean 0 and variance 1."""
    log = np.log(share)
    return (log - log.mean()) / (log.std() or 1.0)


def nonparametric(size: Any, raw: Any, within: float) -> Any:
    """Posterior means by the prior on 60 points that makes the means likeliest."""
    points = np.linspace(raw.min(), raw.max(), 60)
    likely = np.exp(-0.5 * size[:, None] * (raw[:, None] - points) ** 2 / within)
    likely /= likely.max(axis=1, keepdims=True)
    prior = np.full(60, 1 / 60)
    for _ in range(300):
        prior = prior * (likely / (likely @ prior)[:, None]).mean(axis=0)
    return likely * prior @ points / (likely @ prior)


def of_shape(random: Any, shape: str, share: Any, noise: str, rows: int, spread: float) -> Any:
    """Draw the true effects, and rows: their levels and outcomes."""
    truth = spread * SHAPES[shape](random, share)
    level = random.choice(len(share), rows * len(share), p=share / share.sum())
    long = random.standard_t(3, len(level)) / np.sqrt(3)
    return (
        truth,
        level,
        truth[level] + (long if noise == "t(3)" else random.normal(size=len(level))),
    )


def plan_of(level: Any, y: Any, **options: Any) -> Any:
    """Effects of the levels, in order, and of a novel one."""
    frame = pd.DataFrame({"x": np.char.mod("%06d", level).astype(object)})
    code = "catN" if y.dtype.kind == "f" else "catB"
    plan = vt.design_treatments(frame, outcome=y, coders=[code], random_state=0, **options)
    effects = plan.level_effects("x")
    seen = effects[effects["kind"] == "level"].sort_values("level")
    return seen, float(effects.loc[effects["kind"] == "novel", "effect"].iloc[0])


def shape_errors(
    seed: int, shape: str, size: str, noise: str, scale: tuple[int, int, float]
) -> list[float]:
    """Squared errors of the default, moments and the nonparametric prior; and `novel_errors`."""
    n_levels, rows, spread = scale
    random, share = np.random.default_rng(seed), SIZES[size](n_levels)
    truth, level, y = of_shape(random, shape, share, noise, rows, spread)
    known = np.unique(level)
    (found, novel), (old, _) = plan_of(level, y), plan_of(level, y, significance="classic")
    raw, count = found["mean"].to_numpy(), found["count"].to_numpy()
    within = float((y**2).sum() - (count * raw**2).sum()) / (len(y) - len(count))
    estimates = [y.mean() + one["effect"].to_numpy() for one in (found, old)]
    estimates.append(nonparametric(count, raw, within))
    errors = [float(((one - truth[known]) ** 2).mean()) for one in estimates]
    return [*errors, *novel_errors(shape, share, spread, truth, known, y.mean() + novel)]


def novel_errors(
    shape: str, share: Any, spread: float, truth: Any, known: Any, novel: float
) -> list[float]:
    """Of levels that were not seen: squared error of their code, and means of effects and squares.

    And what the mean of their effects is expected to be by whoever knows which they are.
    """
    unseen = np.setdiff1d(np.arange(len(share)), known)
    if not len(unseen):
        return [0.0] * 4
    weight = share[unseen] / share[unseen].sum()
    effects = truth[unseen]
    expected = 0.8 * spread * weight @ by_size(share)[unseen] if shape == "with size" else 0.0
    squared = ((effects - novel) ** 2, effects, effects**2)
    return [*(float(weight @ one) for one in squared), float(expected)]


def over_constant(drawn: Any, *, known: bool = False) -> tuple[float, float]:
    """Squared error over that of the constant that is best in all seeds, and its standard error.

    Or over what knows of each seed which levels were not seen.
    """
    each = np.array(drawn)
    ours, mean, square, expected = each[each[:, 2] > 0].T
    constant = expected if known else expected.mean()
    best = square - 2.0 * constant * mean + constant**2
    ratio = ours.mean() / best.mean()
    return ratio, (ours - ratio * best).std() / np.sqrt(len(ours)) / best.mean()


def shapes() -> None:
    say(
        f"\n\n3. Effects and sizes of other kinds, variance 1 inside levels; {DRAWS} seeds:\n"
        "   mean squared error over the smallest of the three, with a standard error of ours, and\n"
        "   that of novel levels over what the best constant has\n"
    )
    for noise in NOISES:
        for scale in SCALES:
            say(f"{scale[0]} levels, {scale[1]} rows each, effects of {scale[2]}, {noise} noise")
            line("", ["ours", "+-", "moments", "npmle", "novel"], "")
            for shape in SHAPES:
                for size in SIZES:
                    if (shape, size) == ("with size", "equal"):
                        continue
                    drawn = [shape_errors(seed, shape, size, noise, scale) for seed in range(DRAWS)]
                    each = np.array(drawn)
                    mean = each.mean(axis=0)
                    least = mean[:3].min()
                    apart = (each[:, 0] - each[:, mean[:3].argmin()]).std() / np.sqrt(DRAWS)
                    often = np.count_nonzero(each[:, 5]) > DRAWS / 2
                    novel = over_constant(each[:, 3:])[0] if often else np.nan
                    row = [mean[0] / least, apart / least, *(mean[1:3] / least), novel]
                    line(f"  {shape}, {size}", row, ".2f")
            say()
    say(
        "nan: no level was unseen in most of the seeds. Of 200 by Zipf's law, one or two are:\n"
        "ratios of theirs have standard errors of up to 0.15 here, and follow with more seeds.\n"
    )
    few_unseen()


def few_unseen() -> None:
    """Codes of the one or two levels that 200 by Zipf's law leave unseen, in more seeds."""
    n_levels, rows, _ = SCALES[0]
    say(
        f"Novel levels of {n_levels} by Zipf's law, {rows} rows each: squared error over\n"
        f"what the best constant has, and its standard error; {NOVEL:,} seeds, three quarters of\n"
        "which leave a level unseen\n"
    )
    say(" " * 32 + "".join(f"{f'{noise} noise':>20}" for noise in NOISES))
    for shape in SHAPES:
        drawn = [novel_draws(shape, noise) for noise in NOISES]
        row_of_novel(shape, [over_constant(one) for one in drawn])
    row_of_novel("  over who knows which", [over_constant(one, known=True) for one in drawn])
    say(
        "\nThe last line is over what knows in each seed which levels were not seen, and so how\n"
        "large they are, as no code can."
    )


def novel_draws(shape: str, noise: str) -> list[list[float]]:
    """The same of one cell, seed by seed."""
    n_levels, rows, spread = SCALES[0]
    share, drawn = SIZES["Zipf"](n_levels), []
    for seed in range(FIRST_NOVEL, FIRST_NOVEL + NOVEL):
        random = np.random.default_rng(seed)
        truth, level, y = of_shape(random, shape, share, noise, rows, spread)
        code = y.mean() + plan_of(level, y)[1]
        drawn.append(novel_errors(shape, share, spread, truth, np.unique(level), code))
    return drawn


def row_of_novel(name: str, ratios: list[tuple[float, float]]) -> None:
    cells = "".join(f"{f'{ratio:.3f} +- {error:.3f}':>20}" for ratio, error in ratios)
    say(f"  {name:<30}{cells}")


def intervals() -> None:
    say(
        "\n\n4. Of intervals of 90%, effect +- 1.645 effect_se, those that hold the truth, and\n"
        f"   of mean +- 1.645 mean_se; normal effects, 20 rows a level; {INTERVALS} seeds\n"
    )
    line("", ["effect", "classic", "mean"], "")
    for n_levels in (3, 5, 10, 30):
        for size in SIZES:
            for spread in (0.1, 0.3, 1.0):
                held = [held_by(seed, n_levels, size, spread) for seed in range(INTERVALS)]
                row = list(np.mean(held, axis=0))
                line(f"{n_levels} levels, {size}, effects of {spread}", row, ".3f")


def held_by(seed: int, n_levels: int, size: str, spread: float) -> list[float]:
    random, share = np.random.default_rng(seed), SIZES[size](n_levels)
    truth, level, y = of_shape(random, "normal", share, "normal", 20, spread)
    truth, held = truth[np.unique(level)], []
    for options in ({}, {"significance": "classic"}):
        found, _ = plan_of(level, y, **options)
        off = np.abs(y.mean() + found["effect"].to_numpy() - truth)
        held.append(float((off <= 1.645 * found["effect_se"].to_numpy()).mean()))
    off = np.abs(found["mean"].to_numpy() - truth)
    return [*held, float((off <= 1.645 * found["mean_se"].to_numpy()).mean())]


def class_intervals() -> None:
    say(
        "\n\n5. The same of a class, effects as log odds less those of all rows; normal log odds\n"
        f"   about -1, as many rows a level; {INTERVALS} seeds\n"
    )
    line("", ["effect", "classic", "mean"], "")
    for rows in (20, 100):
        for n_levels in (5, 10, 30):
            for spread in (0.3, 1.0, 2.0):
                held = [held_by_class(seed, n_levels, rows, spread) for seed in range(INTERVALS)]
                row = list(np.mean(held, axis=0))
                line(f"{n_levels} levels, {rows} rows, deviation {spread}", row, ".3f")


def held_by_class(seed: int, n_levels: int, rows: int, spread: float) -> list[float]:
    random, level = np.random.default_rng(seed), np.repeat(np.arange(n_levels), rows)
    truth = spread * random.normal(size=n_levels) - 1.0
    rate, held = 1.0 / (1.0 + np.exp(-truth)), []
    y = (random.random(len(level)) < rate[level]).astype(np.int8)
    for options in ({}, {"significance": "classic"}):
        found, _ = plan_of(level, y, **options)
        off = np.abs(found["effect"].to_numpy() + np.log(y.mean() / (1.0 - y.mean())) - truth)
        held.append(float((off <= 1.645 * found["effect_se"].to_numpy()).mean()))
    off = np.abs(found["mean"].to_numpy() - rate)
    return [*held, float((off <= 1.645 * found["mean_se"].to_numpy()).mean())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    output = parser.parse_args().output
    warnings.filterwarnings("ignore")
    packages = ("vtreat_py", "scikit-learn", "category_encoders", "numpy")
    noise()
    effects()
    shapes()
    intervals()
    class_intervals()
    say("\n" + ", ".join(f"{package} {version(package)}" for package in packages))
    output.write_text("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
