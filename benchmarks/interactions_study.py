"""Interactions: how often noise passes, what is found beside an F test, time and memory.

``size``: pairs of columns whose effects add up, or that have none; shares of ``sig`` that are
small. ``power``: one pair that acts as the exclusive or of its halves. ``planted``: whether that
pair comes first of 4,950. ``job``: 100 columns of 1,000,000 rows. Writes interactions_study.csv
and interactions_study.txt.

Run: python benchmarks/interactions_study.py [share of the cases, 1]
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit
from simulation import Array, in_parallel

import vtreat_py as vt

HERE = Path(__file__).parent
ROWS, COLUMNS, FRAMES, FOUND, PLANTED = 1_000, 20, 30, 200, 3
SIZES = (0.05, 0.01, 0.001)
STRENGTH = 0.3
# Columns, outcome, whether columns have effects, weights, rows.
CELLS = [
    ("mixed", "normal", False, "", ROWS),
    ("mixed", "normal", True, "", ROWS),
    ("mixed", "normal", True, "", 200),
    ("mixed", "lognormal", False, "", ROWS),
    ("mixed", "lognormal", True, "", ROWS),
    ("mixed", "t(2)", False, "", ROWS),
    ("mixed", "t(2)", True, "", ROWS),
    ("numbers", "lognormal", True, "", 200),
    ("two levels", "t(2)", True, "", ROWS),
    ("ten levels", "lognormal", True, "", ROWS),
    ("Zipf", "normal", True, "", ROWS),
    ("Zipf", "lognormal", True, "", ROWS),
    ("mixed", "50%", False, "", ROWS),
    ("mixed", "50%", True, "", ROWS),
    ("mixed", "5%", False, "", ROWS),
    ("mixed", "5%", True, "", 5 * ROWS),
    ("mixed", "3 classes", True, "", ROWS),
    ("mixed", "lognormal", True, "importance", ROWS),
    ("mixed", "50%", True, "importance", ROWS),
    ("correlated", "normal", True, "", ROWS),
    ("correlated", "normal", True, "", 20 * ROWS),
    ("correlated", "50%", True, "", 20 * ROWS),
]
POWER = [
    (columns, outcome)
    for columns in ("numbers", "ten levels", "Zipf")
    for outcome in ("normal", "lognormal", "t(2)")
]


def column(kind: str, number: int, shared: Array, random: np.random.Generator) -> Any:
    """A column of noise; of mixed ones every other is of numbers."""
    n = len(shared)
    if kind == "correlated":
        return np.sqrt(0.5) * (shared + random.normal(size=n))
    if kind == "numbers" or (kind == "mixed" and number % 2):
        return random.normal(size=n)
    levels = {"two levels": 2, "ten levels": 10}.get(kind, 50)
    share = 1.0 / np.arange(1, levels + 1) ** (kind in ("mixed", "Zipf"))
    return pd.Categorical(random.choice(levels, n, p=share / share.sum()))


def effect(of: Any, random: np.random.Generator) -> Array:
    """A straight line of numbers, or an effect for each level."""
    if isinstance(of, pd.Categorical):
        return STRENGTH * random.normal(size=len(of.categories))[of.codes]
    return STRENGTH * of


def outcome(kind: str, mean: Array, random: np.random.Generator) -> Array:
    """An outcome whose means, or log odds, are given but for a constant."""
    n = len(mean)
    if kind == "normal":
        return mean + random.normal(size=n)
    if kind == "lognormal":
        return mean + random.lognormal(size=n)
    if kind == "t(2)":
        return mean + random.standard_t(2, n)
    if kind == "3 classes":
        share = np.exp(np.column_stack([mean, -mean, np.zeros(n)]))
        share /= share.sum(axis=1, keepdims=True)
        return np.array(["a", "b", "c"])[(random.random((n, 1)) > share.cumsum(axis=1)).sum(axis=1)]
    return (random.random(n) < expit(mean + (0.0 if kind == "50%" else -2.94))).astype(np.int8)


def type_of(kind: str) -> str:
    if kind == "3 classes":
        return "multinomial"
    return "binomial" if kind.endswith("%") else "numeric"


def interactions(frame: pd.DataFrame, y: Array, kind: str, **options: Any) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        return vt.find_interactions(
            frame, outcome=y, outcome_type=type_of(kind), random_state=0, **options
        )


def size_cell(frames: int, columns: str, kind: str, adds: bool, weights: str, n: int) -> Any:
    """Pairs that add up, and how many of them have a small ``sig``; errors are between frames."""
    random = np.random.default_rng(
        [n, ord(columns[0]), ord(kind[0]), len(kind), adds, len(weights)]
    )
    found = []
    for _ in range(frames):
        shared = random.normal(size=n)
        made = [column(columns, k, shared, random) for k in range(COLUMNS)]
        mean = sum(effect(one, random) for one in made) if adds else np.zeros(n)
        options: dict[str, Any] = {}
        if weights == "importance":
            options = {
                "sample_weight": random.lognormal(0.0, 0.7, n),
                "weight_kind": "importance",
            }
        frame = pd.DataFrame({f"x{k}": one for k, one in enumerate(made)})
        y = outcome(kind, mean, random)
        found.append(interactions(frame, y, kind, **options)["sig"].to_numpy())
    sig = np.array(found)
    row = {"columns": columns, "outcome": kind, "effects": adds, "weights": weights, "rows": n}
    row["pairs"] = sig.size
    for size in SIZES:
        share = (sig <= size).mean(axis=1)
        row |= {f"at {size}": share.mean(), f"error {size}": share.std(ddof=1) / np.sqrt(frames)}
    return row


def halves(of: Any) -> Array:
    values = of.codes % 2 if isinstance(of, pd.Categorical) else of > 0
    return np.asarray(values, dtype=np.float64) - 0.5


def cut(of: Any) -> Array:
    """Codes as the search has them, but for the order of levels."""
    if isinstance(of, pd.Categorical):
        count = np.bincount(of.codes)
        common = np.flatnonzero(count >= 20)
        codes = np.where(np.isin(of.codes, common), of.codes, 99)
        return np.searchsorted(np.append(common, 99), codes)
    return np.searchsorted(np.quantile(of, np.arange(1, 8) / 8), of)


def f_test(a: Array, b: Array, y: Array) -> float:
    """p-value of the interaction in a two-way analysis of variance."""
    both = pd.factorize(a * 100 + b)[0]
    count = np.bincount(both)
    mean = np.bincount(both, y) / count
    first = np.unique(both, return_index=True)[1]
    design = np.hstack([np.eye(a.max() + 1)[a[first]], np.eye(b.max() + 1)[b[first]]])
    root = np.sqrt(count)
    fit, _, rank, _ = np.linalg.lstsq(root[:, None] * design, root * mean, rcond=None)
    between = float(((root * (mean - design @ fit)) ** 2).sum())
    within = float(((y - mean[both]) ** 2).sum())
    free, left = len(count) - rank, len(y) - len(count)
    return float(stats.f.sf(between / free / (within / left), free, left))


def power_cell(n: int, columns: str, kind: str) -> dict[str, Any]:
    """How often the exclusive or of a pair is found, by ``sig`` and by the F test."""
    random = np.random.default_rng([n, len(columns), ord(columns[0]), len(kind)])
    strength = {"normal": 0.45, "lognormal": 0.8, "t(2)": 1.2}[kind]
    shared, found = np.zeros(ROWS), []
    for _ in range(n):
        a, b = (column(columns, 1, shared, random) for _ in range(2))
        y = outcome(kind, strength * 2.0 * halves(a) * 2.0 * halves(b) / 2.0, random)
        table = interactions(pd.DataFrame({"a": a, "b": b}), y, kind)
        found.append((table.loc[0, "sig"], f_test(cut(a), cut(b), y)))
    p = np.array(found)
    row: dict[str, Any] = {"columns": columns, "outcome": kind, "pairs": n}
    for size in (0.05, 0.001):
        ours, theirs = (p <= size).T
        row |= {f"sig at {size}": ours.mean(), f"F test at {size}": theirs.mean()}
        gain = ours.astype(float) - theirs
        row[f"error of difference {size}"] = gain.std(ddof=1) / np.sqrt(n)
    return row


def planted_cell(seed: int, kind: str) -> dict[str, Any]:
    """Where a planted pair of 100 columns comes, and of what ``sig_fdr``."""
    random = np.random.default_rng([seed, len(kind)])
    n = 5 * ROWS
    made = {f"x{k}": column("mixed", k, np.zeros(n), random) for k in range(100)}
    a, b = random.choice(100, 2, replace=False)
    mean = sum(effect(one, random) for one in made.values()) / 3.0
    mean = mean + 0.5 * 2.0 * halves(made[f"x{a}"]) * 2.0 * halves(made[f"x{b}"])
    table = interactions(pd.DataFrame(made), outcome(kind, mean, random), kind)
    of_pair = table[["first", "second"]].isin([f"x{a}", f"x{b}"])
    place = int(np.flatnonzero(of_pair.all(axis=1))[0])
    next_one = table["sig_fdr"].iloc[int(place == 0)]
    return {"seed": seed, "outcome": kind, "place": place + 1, "pairs": len(table),
            "sig": table["sig"].iloc[place], "sig_fdr of the best other": next_one}  # fmt: skip


def job(n: int) -> dict[str, Any]:
    """Time and memory of 100 columns: half of them numbers, half of up to 32 levels."""
    random = np.random.default_rng(11)
    made: dict[str, Any] = {}
    for k in range(100):
        made[f"x{k}"] = random.normal(size=n)
        if k % 2:
            codes = np.minimum(random.zipf(1.5, n) - 1, 99).astype(np.int8)
            made[f"x{k}"] = pd.Categorical.from_codes(codes, [f"l{i}" for i in range(100)])
    frame, y = pd.DataFrame(made), random.normal(size=n)
    del made
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    table = interactions(frame, y, "normal")
    row = {"rows": n, "columns": 100, "pairs": len(table)}
    row |= {"seconds": time.perf_counter() - wall, "of processor": time.process_time() - cpu}
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    row |= {"MB above start": more, "MB of codes": 100 * n / 2**20}
    return row | {f"at {size}": (table["sig"] <= size).mean() for size in SIZES}


def lines(table: pd.DataFrame, digits: int = 4) -> str:
    return table.to_string(index=False, float_format=lambda x: f"{x:.{digits}f}") + "\n"


def report(sizes: pd.DataFrame, power: pd.DataFrame, planted: pd.DataFrame, jobs: Any) -> str:
    """The tables as text, with what holds."""
    over = []
    for size in SIZES:
        # What would be seen of pairs of which as many pass as should.
        error = np.maximum(sizes[f"error {size}"], np.sqrt(size * (1 - size) / sizes["pairs"]))
        high = sizes[sizes[f"at {size}"] > size + 3.0 * error]
        over += [
            f"{r['columns']}, {r['outcome']}, {r['rows']} rows: {r[f'at {size}']:.4f} at {size}"
            for _, r in high.iterrows()
        ]
    shown = planted.assign(sig=planted["sig"].map("{:.1e}".format))
    return (
        f"size: frames of {COLUMNS} columns, 190 pairs each; shares of sig at .05, .01 and .001, "
        "with errors between\nframes. mixed: numbers and Zipf columns in turn. effects: straight "
        f"lines of numbers ({STRENGTH} of their\nunit), normal effects of levels. correlated: "
        "numbers of correlation .5, whose lines go on inside ranges.\n\n"
        f"{lines(sizes)}\n"
        "More than three errors above: " + ("; ".join(over) if over else "none") + ".\n\n\n"
        f"power: one pair of {ROWS} rows that acts as the exclusive or of its halves (odd and even "
        "levels). F test: of\nthe interaction in a two-way analysis of variance of the same "
        "cells.\n\n"
        f"{lines(power, 3)}\n\n"
        f"planted: the exclusive or of one pair (.5) of 100 columns of {5 * ROWS} rows with "
        "effects.\n\n"
        f"{lines(shown)}\n"
        f"First in {(planted['place'] == 1).sum()} of {len(planted)}.\n\n\n"
        "job: seconds, one process; MB: the most above what making the frame had needed.\n\n"
        f"{lines(jobs, 4)}"
    )


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    frames, n_found = (max(int(n * share), 2) for n in (FRAMES, FOUND))
    jobs = pd.DataFrame([job(int(1_000_000 * min(share, 1.0)))])
    sizes = pd.DataFrame(in_parallel(size_cell, [(frames, *cell) for cell in CELLS]))
    power = pd.DataFrame(in_parallel(power_cell, [(n_found, *cell) for cell in POWER]))
    seeds = [(seed, kind) for kind in ("normal", "t(2)") for seed in range(PLANTED)]
    planted = pd.DataFrame(in_parallel(planted_cell, seeds[:: max(int(1 / share), 1)]))
    parts = {"size": sizes, "power": power, "planted": planted, "job": jobs}
    table = pd.concat([rows.assign(part=part) for part, rows in parts.items()])
    table.insert(0, "part", table.pop("part"))
    table.to_csv(HERE / "interactions_study.csv", index=False, float_format="%.4g")
    text = report(sizes, power, planted, jobs)
    (HERE / "interactions_study.txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
