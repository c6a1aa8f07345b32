"""Intervals of differences, tests of equivalence, and numbers of queries, by simulation.

    python benchmarks/comparison_study.py [studies a cell, 2000]

Paired differences of known mean are drawn: normal, with heavy tails, lopsided, in tenths with many
zeros, as those of NDCG and reciprocal rank are, and of rows in groups. Intervals by inverting the
randomization test (`compare_models`) should hold the true mean at their level; a mean at the margin
should be called equivalent at .05 or less often; and the test should find a difference with the
power that `queries_needed` was asked for, given a large first study of the true spread.

Writes comparison_study.txt.
"""

from __future__ import annotations

import bisect
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vtreat_py.evaluation import queries_needed
from vtreat_py.evaluation._test_inversion import SubsetMeans

HERE = Path(__file__).parent
Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Array]
PATTERNS = 1_999
SIZES = (10, 20, 50, 200)
# Differences of the first study that `queries_needed` is given.
PILOT = 20_000
LINES: list[str] = []


def tenths(random: np.random.Generator, n: int) -> Array:
    """Differences of reciprocal ranks, most of them 0; their mean is 0."""
    ranks = 1.0 / random.integers(1, 6, (2, n))
    return np.where(random.random(n) < 0.5, 0.0, ranks[0] - ranks[1])


# Differences of mean 0.
KINDS: dict[str, Draw] = {
    "normal": lambda random, n: random.normal(size=n),
    "t(3)": lambda random, n: random.standard_t(3, size=n),
    "reciprocal ranks": tenths,
    "lopsided (exponential)": lambda random, n: random.exponential(size=n) - 1.0,
    "very lopsided (lognormal)": lambda random, n: np.exp(random.normal(size=n)) - np.exp(0.5),
}


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def subsets(difference: Array, unit: NDArray[np.int64], random: np.random.Generator) -> SubsetMeans:
    return SubsetMeans.of(difference, np.ones(len(difference)), unit, PATTERNS, random)


def share(counts: float, n: int) -> str:
    p = counts / n
    return f"{p:.3f} ({np.sqrt(max(p * (1 - p), 1 / n) / n):.3f})"


def grouped(random: np.random.Generator, n: int) -> tuple[Array, NDArray[np.int64]]:
    """Groups of one to five rows that have an effect in common."""
    unit = np.repeat(np.arange(n), random.integers(1, 6, n))
    return random.normal(size=n)[unit] + random.normal(size=len(unit)), unit


def one(kind: str, random: np.random.Generator, n: int) -> SubsetMeans:
    """A study of n differences, or groups of them, of mean 0."""
    if kind == "groups":
        return subsets(*grouped(random, n), random)
    return subsets(KINDS[kind](random, n), np.arange(n), random)


def of_intervals(n_studies: int) -> None:
    say("Share of intervals that hold the true mean, at .90 and .95; and how often a mean at the")
    say("margin is called equivalent at .05, at the worse end. In brackets: standard errors.")
    say()
    say(f"{'differences':28s} {'n':>4s}  {'.90':14s} {'.95':14s} {'equivalent':14s}")
    for kind in [*KINDS, "groups"]:
        for n in SIZES:
            random = np.random.default_rng([n, *kind.encode()])
            held, wrong = np.zeros(2), np.zeros(2)
            for _ in range(n_studies):
                found = one(kind, random, n)
                for k, level in enumerate((0.90, 0.95)):
                    low, high = found.interval(level, "two-sided")
                    held[k] += low <= 0.0 <= high
                # The mean is at one of the margins, and far from the other.
                wrong += np.array([found.greater(0.0), found.less(0.0)]) <= 0.05
            row = [share(count, n_studies) for count in (*held, wrong.max())]
            say(f"{kind:28s} {n:4d}  " + " ".join(f"{cell:14s}" for cell in row))


def power_of_test(kind: str, n: int, shift: float, n_studies: int) -> float:
    random, found = np.random.default_rng([n, *kind.encode()]), 0
    for _ in range(n_studies):
        sample = KINDS[kind](random, n) + shift
        found += subsets(sample, np.arange(n), random).greater(0.0) <= 0.025
    return found / n_studies


def of_numbers(n_studies: int) -> None:
    say()
    say("Power of the test with the number of pairs that queries_needed gives, for differences of")
    say("so many standard deviations; and the pairs needed by simulation over that number.")
    say()
    columns = f"{'effect':>6s} {'asked':>5s} {'pairs':>5s}  {'power':14s} {'needed':>10s}"
    say(f"{'differences':28s} {columns}")
    for kind, draw in KINDS.items():
        known = draw(np.random.default_rng(0), 1_000_000)
        spread, pilot = float(known.std(ddof=1)), known[:PILOT]
        for effect in (0.2, 0.5):
            shift = effect * spread
            for power in (0.8, 0.9):
                n = queries_needed(pilot, np.zeros(len(pilot)), difference=shift, power=power)
                candidates = range(n // 2, 2 * n)
                needed = candidates[
                    bisect.bisect_left(
                        candidates,
                        power,
                        key=lambda m: power_of_test(kind, m, shift, n_studies),
                    )
                ]
                found = power_of_test(kind, n, shift, n_studies)
                say(
                    f"{kind:28s} {effect:6.1f} {power:5.1f} {n:5d}  "
                    f"{share(found * n_studies, n_studies):14s} {needed / n:10.3f}"
                )


def main() -> None:
    n_studies = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    say(f"python benchmarks/comparison_study.py {n_studies}")
    say()
    of_intervals(n_studies)
    of_numbers(n_studies)
    (HERE / "comparison_study.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
