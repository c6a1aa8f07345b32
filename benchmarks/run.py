"""Measure vtreat_py beside its peers, in one process; ratios are what counts.

    python benchmarks/run.py [--rows N] [--output FILE]

Each line gives nanoseconds a row (best of a few runs), the same for the peer on the same data,
and the peer's time over ours. Peak memory is measured in processes of their own.
"""

from __future__ import annotations

import argparse
import gc
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

import vtreat_py as vt

try:
    import category_encoders
except ImportError:
    category_encoders = None  # type: ignore[assignment]

MAIN_LEVELS = (100, 10_000, 1_000_000)
DESIGN_LEVELS = (10, 100, 1_000, 10_000, 100_000)
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def best(run: Callable[[], Any], rows: int, times: int = 3) -> float:
    """Nanoseconds a row of the fastest of a few runs."""
    shortest = float("inf")
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest * 1e9 / rows


def line(
    what: str, ours: float, peer: float | None = None, name: str = "", digits: int = 1
) -> None:
    ratio = "" if peer is None else f"{peer:>10.0f}  {peer / ours:>6.{digits}f}x  {name}"
    say(f"{what:<58}{ours:>8.0f}{ratio}")


def text_column(random: np.random.Generator, rows: int, levels: int) -> tuple[pd.Series, Any]:
    """Codes of random levels, and the text they stand for."""
    codes = random.integers(0, levels, rows)
    labels = pa.array([f"level_{i:07d}" for i in range(levels)], pa.large_string())
    text = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), labels)
    return pd.Series(text.cast(pa.large_string()).to_pandas(), dtype="str"), codes


def one_column(rows: int, levels: int, seed: int = 0) -> tuple[pd.DataFrame, Any, Any]:
    """A text column, a class outcome and a numeric outcome that depend on it."""
    random = np.random.default_rng(seed)
    text, codes = text_column(random, rows, levels)
    effect = random.normal(size=levels)[codes]
    y = (random.random(rows) < 1.0 / (1.0 + np.exp(1.0 - effect))).astype(int)
    return pd.DataFrame({"x": text}), y, effect + random.normal(size=rows)


def wide_frame(rows: int) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    """Five text and ten numeric columns, three of them with missing values; a class outcome."""
    random = np.random.default_rng(0)
    columns, eta = {}, np.full(rows, -1.0)
    for levels in DESIGN_LEVELS:
        columns[f"text_{levels}"], codes = text_column(random, rows, levels)
        eta += 0.5 * random.normal(size=levels)[codes]
    text = list(columns)
    for i in range(10):
        values = random.normal(size=rows)
        eta += 0.1 * values
        if i < 3:
            values[random.random(rows) < 0.1] = np.nan
        columns[f"number_{i}"] = values
    frame = pd.DataFrame(columns)
    return frame, frame[text], (random.random(rows) < 1.0 / (1.0 + np.exp(-eta))).astype(int)


def binomial(**options: Any) -> vt.BinomialOutcomeTreatment:
    return vt.BinomialOutcomeTreatment(coders=["catB"], prune_sig=None, random_state=0, **options)


def impact_codes(rows: int) -> None:
    say(f"Impact code of one text column, fit_transform, {rows:,} rows")
    for levels in MAIN_LEVELS:
        X, y, numeric = one_column(rows, levels)
        ours = best(lambda X=X, y=y: binomial().fit_transform(X, y), rows)
        peer = best(lambda X=X, y=y: TargetEncoder(cv=5).fit_transform(X, y), rows, 1)
        line(f"  class outcome, {levels:,} levels", ours, peer, "TargetEncoder(cv=5)")
        if category_encoders is not None and levels <= 10_000:
            encoder = category_encoders.TargetEncoder(cols=["x"])
            peer = best(lambda e=encoder, X=X, y=y: e.fit_transform(X, y), rows, 1)
            line("  ... in-sample codes only", ours, peer, "category_encoders.TargetEncoder")
        treatment = vt.NumericOutcomeTreatment(coders=["catN"], prune_sig=None, random_state=0)
        ours = best(lambda t=treatment, X=X, y=numeric: t.fit_transform(X, y), rows)
        peer = best(lambda X=X, y=numeric: TargetEncoder(cv=5).fit_transform(X, y), rows, 1)
        line(f"  numeric outcome, {levels:,} levels", ours, peer, "TargetEncoder(cv=5)")
        C = X.astype("category")
        ours = best(lambda X=C, y=y: binomial().fit_transform(X, y), rows)
        peer = best(lambda X=C, y=y: TargetEncoder(cv=5).fit_transform(X, y), rows, 1)
        line(f"  class outcome, {levels:,} levels, category dtype", ours, peer, "TargetEncoder")
    say()


def folds(rows: int) -> None:
    say(f"Folds: the same with 50 folds and with 5, {rows:,} rows (ratio: 5 folds / 50 folds)")
    for levels in (100, 1_000, 10_000):
        X, y, _ = one_column(rows, levels)
        few = best(lambda X=X, y=y: binomial(cv=5).fit_transform(X, y), rows, 5)
        many = best(lambda X=X, y=y: binomial(cv=50).fit_transform(X, y), rows, 5)
        line(f"  class outcome, {levels:,} levels, 50 folds", many, few, "5 folds")
    say()


def design(rows: int) -> None:
    say(f"Whole default design, 5 text + 10 numeric columns, {rows:,} rows")
    X, text, y = wide_frame(rows)
    options: dict[str, Any] = {"outcome": y, "outcome_type": "binomial", "random_state": 0}
    peer = best(lambda: TargetEncoder(cv=5).fit_transform(text, y), rows, 1)
    name = "TargetEncoder on the 5 text columns"
    ours, classic = by_significance(X, rows, options)
    line("  design_treatments, scores included", ours, peer, name)
    line("  ... class outcome, calibrated significance", ours, classic, "classic significance", 2)
    numbers = {"outcome": y + np.random.default_rng(9).normal(size=rows), "random_state": 0}
    ours, classic = by_significance(X, rows, numbers)
    line("  ... numeric outcome, calibrated significance", ours, classic, "classic significance", 2)
    ours = best(lambda: vt.cross_frame_experiment(X, **options), rows)
    line("  cross_frame_experiment", ours, peer, name)
    say()


def by_significance(X: pd.DataFrame, rows: int, options: dict[str, Any]) -> tuple[float, float]:
    """Nanoseconds a row with calibrated and with classic significance, measured in turn."""
    times: dict[str, list[float]] = {"calibrated": [], "classic": []}
    for _ in range(9):
        for kind, found in times.items():
            found.append(
                best(lambda k=kind: vt.design_treatments(X, **options, significance=k), rows, 1)
            )
    return min(times["calibrated"]), min(times["classic"])


def one_row() -> None:
    say("One-row frames, 15 columns (microseconds a call in place of nanoseconds a row)")
    X, text, y = wide_frame(100_000)
    encoder = TargetEncoder(cv=5).fit(text, y)
    plan = vt.design_treatments(X, outcome=y, outcome_type="binomial", random_state=0)
    treatment = vt.BinomialOutcomeTreatment(random_state=0)
    pipeline = make_pipeline(treatment, StandardScaler()).fit(X, y)
    one, one_text = X.tail(1), text.tail(1)
    peer = microseconds(lambda: encoder.transform(one_text))
    name = "TargetEncoder.transform on the 5 text columns"
    line("  prepare", microseconds(lambda: vt.prepare(plan, one)), peer, name)
    line("  transform", microseconds(lambda: pipeline[0].transform(one)), peer, name)
    ours = microseconds(lambda: pipeline.transform(one))
    line("  Pipeline.transform, with StandardScaler", ours, peer, name)
    say()


def microseconds(run: Callable[[], Any]) -> float:
    """Microseconds a call, after a first one."""
    run()
    return best(lambda: [run() for _ in range(50)], 50) / 1e3


def several_classes(rows: int) -> None:
    say(f"Impact codes of one text column, outcome of several classes, {rows:,} rows")
    options: dict[str, Any] = {"outcome_type": "multinomial", "coders": ["catB"], "random_state": 0}
    for classes in (3, 10):
        for levels in MAIN_LEVELS[:2]:
            X, _, numeric = one_column(rows, levels)
            y = np.searchsorted(np.quantile(numeric, np.arange(1, classes) / classes), numeric)
            ours = best(lambda X=X, y=y: vt.cross_frame_experiment(X, outcome=y, **options), rows)
            encoder = TargetEncoder(target_type="multiclass", cv=5)
            peer = best(lambda e=encoder, X=X, y=y: e.fit_transform(X, y), rows, 1)
            name = 'TargetEncoder(target_type="multiclass", cv=5)'
            line(
                f"  cross_frame_experiment, {classes} classes, {levels:,} levels", ours, peer, name
            )
    say()


def preparing(rows: int) -> None:
    say(f"prepare: one text column, {rows:,} rows (target: ratio at least 0.63)")
    for levels in MAIN_LEVELS:
        X, y, _ = one_column(rows, levels)
        options: dict[str, Any] = {"outcome_type": "binomial", "coders": ["catB"]}
        plan = vt.design_treatments(X, outcome=y, random_state=0, **options)
        text = X["x"].array.__arrow_array__()
        values = text.unique()
        table = pa.array(np.random.default_rng(0).random(len(values)))
        new = X.iloc[::-1]
        ours = best(lambda p=plan, X=new: vt.prepare(p, X), rows, 5)
        text = new["x"].array.__arrow_array__()
        peer = best(
            lambda t=text, v=values, c=table: pc.take(c, pc.index_in(t, value_set=v)), rows, 5
        )
        line(f"  catB, {levels:,} levels", ours, peer, "pyarrow index_in + take")
    say()


def growth(rows: int) -> None:
    say(f"Growth: {10 * rows:,} rows (ratio: time a row at {rows:,} rows / at {10 * rows:,})")
    for levels in (100, 10_000):
        X, y, _ = one_column(rows, levels)
        small = best(lambda X=X, y=y: binomial().fit_transform(X, y), rows, 5)
        X, y, _ = one_column(10 * rows, levels)
        large = best(lambda X=X, y=y: binomial().fit_transform(X, y), 10 * rows, 3)
        line(f"  class outcome, {levels:,} levels", large, small, f"{rows:,} rows")
    say()


def peak_of(what: str, rows: int) -> None:
    """Run in a process of its own: print peak memory above the input over the output's size."""
    warnings.simplefilter("ignore")
    if what == "design":
        X, _, y = wide_frame(rows)
        options: dict[str, Any] = {"random_state": 0, "prune_sig": None}
        run = vt.BinomialOutcomeTreatment(**options).fit_transform
    else:
        X, y, _ = one_column(rows, int(what))
        run = binomial().fit_transform
    run(X.head(1000), y[:1000])
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # start the high-water mark afresh
    before = status("VmRSS")
    result = run(X, y)
    print((status("VmHWM") - before) / result.memory_usage(index=False).sum())


def status(key: str) -> float:
    """Bytes of a line of this process's status."""
    for text in Path("/proc/self/status").read_text().splitlines():
        if text.startswith(key):
            return float(text.split()[1]) * 1024
    raise KeyError(key)


def memory(rows: int) -> None:
    say(f"Peak memory above the input, as a multiple of the output frame, {rows:,} rows")
    if not Path("/proc/self/clear_refs").exists():
        say("  not measured: this system does not tell")
        return
    for what, text in (
        ("design", "fit_transform, 5 text + 10 numeric columns, all codes"),
        ("100", "fit_transform, text of 100 levels to one catB column"),
        ("10000", "fit_transform, text of 10,000 levels to one catB column"),
    ):
        command = [sys.executable, __file__, "--rows", str(rows), "--peak", what]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        say(f"  {text:<56}{float(answer):>8.2f}")
    say()


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            t.split(":")[1].strip() for t in info.read_text().splitlines() if "model name" in t
        ]
        cpu = f"{names[0]}, {len(names)} cores" if names else cpu
    return f"{cpu}, {platform.system()}, Python {platform.python_version()}"


def versions() -> str:
    packages = ("vtreat_py", "numpy", "pandas", "pyarrow", "scikit-learn", "category_encoders")
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("results.txt"))
    parser.add_argument("--peak", choices=("design", "100", "10000"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        peak_of(arguments.peak, arguments.rows)
        return
    warnings.simplefilter("ignore")
    say(f"{date.today()}  {machine()}")
    say(versions())
    say()
    say(f"{'':<58}{'ns/row':>8}{'peer':>10}  {'ratio':>7}")
    for part in (impact_codes, several_classes, folds, design):
        part(arguments.rows)
    one_row()
    for part in (preparing, growth, memory):
        part(arguments.rows)
    arguments.output.write_text("\n".join(LINES).rstrip() + "\n")


if __name__ == "__main__":
    main()
