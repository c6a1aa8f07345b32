"""Measure streamed evaluation beside scikit-learn, and the command line beside awk.

    python benchmarks/streaming.py [--rows N] [--lines N] [--output FILE]

Times are the best of a few runs, ours and the peer's in turn. Peak memory is measured in processes
of their own, above that of the chunk, or above nothing for files.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn import metrics

from vtreat_py.evaluation.stream_reading import evaluate_stream
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

CHUNK = 1_000_000
KINDS: dict[str, dict[str, Any]] = {
    "bins of 19 bits, the default": {},
    "bins of 3 decimals": {"bins": "decimals"},
}
# Area under the ROC curve of scores rounded to three decimals, and nothing else.
AWK = {
    "awk, two arrays": (
        "{ b = int($2 * 1000 + .5); if ($1) p[b]++; else q[b]++ } "
        "END { for (b = 1000; b >= 0; b--) { a += q[b] * (P + p[b] / 2); P += p[b]; N += q[b] } "
        "print a / (P * N) }"
    ),
    "awk, one array of two indices": (
        "{ n[$1, int($2 * 1000 + .5)]++ } "
        "END { for (b = 1000; b >= 0; b--) { a += n[0, b] * (P + n[1, b] / 2); P += n[1, b]; "
        "N += n[0, b] } print a / (P * N) }"
    ),
}
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def best(runs: dict[str, Callable[[], Any]], times: int) -> dict[str, float]:
    """Seconds of the fastest of a few runs of each, in turn."""
    shortest = dict.fromkeys(runs, float("inf"))
    for _ in range(times):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            shortest[name] = min(shortest[name], time.perf_counter() - start)
    return shortest


def scored(rows: int) -> tuple[Any, Any]:
    """Labels, and scores that are their chances."""
    random = np.random.default_rng(0)
    score = random.random(rows)
    return (random.random(rows) < score).astype(np.int64), score


def with_scikit_learn(label: Any, score: Any) -> None:
    metrics.roc_auc_score(label, score)
    called = score >= 0.5
    for metric in ("accuracy", "precision", "recall", "f1"):
        getattr(metrics, f"{metric}_score")(label, called)


def streamed(label: Any, score: Any, options: dict[str, Any]) -> StreamingBinaryEvaluator:
    evaluator = StreamingBinaryEvaluator(**options)
    for start in range(0, len(label), CHUNK):
        evaluator.update(label[start : start + CHUNK], score[start : start + CHUNK])
    evaluator.auc_bounds(), evaluator.fixed(), evaluator.log_loss(), evaluator.brier()
    return evaluator


def speed(rows: int) -> None:
    say(f"All scores of {rows:,} rows in chunks of {CHUNK:,} (target: at least 5 times as fast)")
    label, score = scored(rows)
    name = "roc_auc_score, accuracy_score, precision_score, recall_score, f1_score"
    runs: dict[str, Callable[[], Any]] = {
        kind: lambda o=options: streamed(label, score, o) for kind, options in KINDS.items()
    }
    seconds = best({**runs, name: lambda: with_scikit_learn(label, score)}, 2)
    exact = metrics.roc_auc_score(label, score)
    for kind, options in KINDS.items():
        evaluator = streamed(label, score, options)
        low, high = evaluator.auc_bounds()
        ratio = seconds[name] / seconds[kind]
        say(
            f"  {kind:<34}{seconds[kind]:>8.2f} s {ratio:>6.1f}x  AUC off by "
            f"{abs(evaluator.auc() - exact):.1e}, at most {(high - low) / 2:.1e}"
        )
    say(f"  {'scikit-learn':<34}{seconds[name]:>8.2f} s          {name}")
    say()


def peak_of(what: str, rows: int) -> None:
    """Run in a process of its own: print megabytes above what was there before, and seconds."""
    label, score = scored(CHUNK)
    streamed(label[:1000], score[:1000], {})
    Path("/proc/self/clear_refs").write_text("5")  # start the high-water mark afresh
    before, start = status("VmRSS"), time.perf_counter()
    if what in KINDS:
        chunk = {"y": label, "p": score}
        source: Any = (chunk for _ in range(rows // CHUNK))
        evaluate_stream(source, label="y", score="p", **KINDS[what])
    else:
        evaluate_stream(what, label="y", score="p")
    print((status("VmHWM") - before) / 1e6, time.perf_counter() - start)


def status(key: str) -> float:
    """Bytes of a line of this process's status."""
    for text in Path("/proc/self/status").read_text().splitlines():
        if text.startswith(key):
            return float(text.split()[1]) * 1024
    raise KeyError(key)


def memory(rows: int, folder: Path) -> None:
    say(f"Peak memory of {rows:,} rows above one chunk (target: at most 250 MB), and time")
    if not Path("/proc/self/clear_refs").exists():
        say("  not measured: this system does not tell")
        return
    write_parquet(folder / "scores.parquet", rows)
    write_csv(folder / "scores.csv", rows // 10)
    files = {f"Parquet file of {rows:,} rows": folder / "scores.parquet"}
    files[f"CSV file of {rows // 10:,} rows"] = folder / "scores.csv"
    for text, what in [(kind, kind) for kind in KINDS] + [(k, str(v)) for k, v in files.items()]:
        command = [sys.executable, __file__, "--rows", str(rows), "--peak", what]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        megabytes, seconds = map(float, answer.split())
        say(f"  {text:<34}{megabytes:>8.0f} MB {seconds:>6.2f} s")
    say()


def write_parquet(path: Path, rows: int) -> None:
    label, score = scored(CHUNK)
    table = pa.table({"y": label.astype(np.int8), "p": score})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(rows // CHUNK):
            writer.write_table(table)


def write_csv(path: Path, rows: int) -> None:
    label, score = scored(rows)
    pairs = zip(label.tolist(), score.tolist(), strict=True)
    path.write_text("y,p\n" + "".join(f"{y},{p:.6f}\n" for y, p in pairs))


def command_line(lines: int, folder: Path) -> None:
    say(f"The command line on a text file of {lines:,} lines (target: as fast as awk)")
    awk = shutil.which("mawk") or shutil.which("awk")
    if awk is None:
        say("  not measured: there is no awk")
        return
    path = folder / "scores.txt"
    label, score = scored(lines)
    pairs = zip(label.tolist(), score.tolist(), strict=True)
    path.write_text("".join(f"{y}\t{p:.6f}\n" for y, p in pairs))
    commands = {"python -m vtreat_py.evaluation": [sys.executable, "-m", "vtreat_py.evaluation"]}
    commands |= {name: [awk, program] for name, program in AWK.items()}
    # Compiled modules are kept, as they are of installed packages.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    runs: dict[str, Callable[[], Any]] = {
        name: lambda c=command: subprocess.run(
            [*c, path], env=environment, stdout=subprocess.DEVNULL, check=True
        )
        for name, command in commands.items()
    }
    seconds = best(runs, 25)
    ours = seconds.pop("python -m vtreat_py.evaluation")
    say(f"  {'python -m vtreat_py.evaluation':<34}{ours:>8.3f} s")
    for name, peer in seconds.items():
        say(f"  {name:<34}{peer:>8.3f} s {peer / ours:>6.2f}x  {os.path.realpath(awk)}")


def machine() -> str:
    info = Path("/proc/cpuinfo")
    names = [t.split(":")[1] for t in info.read_text().splitlines() if "model name" in t]
    cpu = f"{names[0].strip()}, {len(names)} cores" if names else platform.processor()
    return f"{cpu}, {platform.system()}, Python {platform.python_version()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=30_000_000)
    parser.add_argument("--lines", type=int, default=750_000)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        peak_of(arguments.peak, arguments.rows)
        return
    packages = ("vtreat_py", "numpy", "pyarrow", "scikit-learn")
    say(f"{date.today()}  {machine()}")
    say(", ".join(f"{package} {version(package)}" for package in packages))
    say()
    with tempfile.TemporaryDirectory() as folder:
        command_line(arguments.lines, Path(folder))
        say()
        speed(arguments.rows)
        memory(arguments.rows, Path(folder))
    arguments.output.write_text("\n".join(LINES).rstrip() + "\n")


if __name__ == "__main__":
    main()
