"""Measure the randomization test beside scipy's, in one run; ratios are what counts.

    python benchmarks/randomization.py [--output FILE]

Each line is a process of its own: seconds (best of a few runs), and peak memory above what was
there before. Then the same for its peers, and how many times our seconds and megabytes they take.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from run import machine, status
from scipy import stats

from vtreat_py.evaluation import randomization_test

Array = np.ndarray[Any, Any]
# Rows and resamples: a small test, the one the library promises to be fast at, a large one.
SIZES = ((200, 10_000), (2_000, 100_000), (100_000, 2_000))
BATCH_VALUES = 2_000_000  # that peers hold at a time
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def mean_difference(a: Array, b: Array, axis: int) -> Array:
    return a.mean(axis) - b.mean(axis)


def ours(a: Array, b: Array, resamples: int) -> float:
    return randomization_test(a, b, n_resamples=resamples, random_state=0).pvalue


def ours_of_callable(a: Array, b: Array, resamples: int) -> float:
    options = {"n_resamples": resamples, "random_state": 0}
    return randomization_test(a, b, statistic=mean_difference, **options).pvalue


def permutation_test(a: Array, b: Array, resamples: int) -> float:
    return float(
        stats.permutation_test(
            (a, b),
            mean_difference,
            permutation_type="samples",
            n_resamples=resamples,
            batch=BATCH_VALUES // len(a),
            vectorized=True,
            rng=np.random.default_rng(0),
        ).pvalue
    )


def monte_carlo_test(a: Array, b: Array, resamples: int) -> float:
    """Signs drawn as bits, a batch at a time, as a careful user of scipy would write it."""
    difference = a - b
    random = np.random.default_rng(0)

    def signed(size: tuple[int, int]) -> Array:
        bits = np.frombuffer(random.bytes(size[0] * -(-size[1] // 8)), dtype=np.uint8)
        signs = np.unpackbits(bits.reshape(size[0], -1), axis=1)[:, : size[1]]
        return (2.0 * signs - 1.0) * difference

    return float(
        stats.monte_carlo_test(
            difference,
            signed,
            lambda x, axis: x.mean(axis),
            n_resamples=resamples,
            batch=BATCH_VALUES // len(a),
            vectorized=True,
        ).pvalue
    )


TESTS: dict[str, Callable[[Array, Array, int], float]] = {
    "randomization_test": ours,
    "... of a callable": ours_of_callable,
    "scipy permutation_test": permutation_test,
    "scipy monte_carlo_test": monte_carlo_test,
}


def measured(name: str, rows: int, resamples: int) -> dict[str, float]:
    """Seconds, megabytes and p of one test, in this process."""
    random = np.random.default_rng(1)
    a, b = random.normal(size=(2, rows))
    a += 1.9 * np.sqrt(2.0 / rows)  # about two standard errors
    TESTS[name](a[:50], b[:50], 100)
    Path("/proc/self/clear_refs").write_text("5")  # start the high-water mark afresh
    before = status("VmRSS")
    seconds, p = [], 0.0
    while not seconds or (len(seconds) < 3 and sum(seconds) < 5):
        start = time.perf_counter()
        p = TESTS[name](a, b, resamples)
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds), "megabytes": (status("VmHWM") - before) / 1e6, "p": p}


def in_process(name: str, rows: int, resamples: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", name, str(rows), str(resamples)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(answer)  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        name, rows, resamples = arguments.one
        print(json.dumps(measured(name, int(rows), int(resamples))))
        return
    say(f"{date.today()}  {machine()}")
    say(", ".join(f"{package} {version(package)}" for package in ("numpy", "scipy")))
    for rows, resamples in SIZES:
        say()
        say(f"{rows:,} pairs, {resamples:,} resamples")
        say(f"{'':<26}{'seconds':>10}{'ratio':>8}{'MB':>9}{'p':>9}")
        base = None
        for name in TESTS:
            found = in_process(name, rows, resamples)
            base = base or found
            ratio = found["seconds"] / base["seconds"]
            say(
                f"{name:<26}{found['seconds']:>10.3f}{ratio:>7.1f}x{found['megabytes']:>9.1f}"
                f"{found['p']:>9.4f}"
            )
    arguments.output.write_text("\n".join(LINES).rstrip() + "\n")


if __name__ == "__main__":
    main()
