"""Design and prepare a Parquet file that does not fit in memory, through DuckDB.

    python benchmarks/larger_than_memory.py [--rows N] [--memory-rows N] [--folder DIR]
        [--output FILE]

A file of three text columns (of 100, 100,000 and 2 million levels), three columns of numbers with
missing values, a binary outcome and a row id is designed, and prepared to another Parquet file, in
a process that ends itself when it has more than 2 GB in memory. The same is done in memory with
fewer rows, in another process. All values follow from the row id by integer arithmetic;
the outcome by cubes, so that rows of a level are as if drawn at random, and not spread evenly.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

GIGABYTE = 1 << 30
LIMIT = 2 * GIGABYTE
THREADS = 2
DUCKDB = {"memory_limit": "600MB", "threads": THREADS, "preserve_insertion_order": False}
# Products of numbers below this prime fit into 64 bits.
PRIME = 2_147_483_579
ROWS = f"""
    WITH a AS (SELECT range AS id, (range % {PRIME} * 48271 + 11) % {PRIME} AS r FROM range({{n}})),
    b AS (SELECT id, r, (r * 69621 + 7) % {PRIME} AS s FROM a),
    c AS (SELECT id, r, s, (s * 39373 + 5) % {PRIME} AS t FROM b),
    d AS (SELECT id, r, s, t, (t * t % {PRIME} * t + 3) % {PRIME} AS u FROM c)
    SELECT id, 'town ' || (r % 100) AS town, 'shop ' || (s % 100000) AS shop,
        'customer ' || (t % 2000000) AS customer,
        CASE WHEN r // 100 % 10 > 0 THEN (s // 100 % 10007) / 100.0 END AS price,
        CASE WHEN s // 7 % 20 > 0 THEN (t // 100 % 1009 - 500) / 7.0 END AS distance,
        CASE WHEN t // 7 % 50 > 0 THEN (u // 100 % 100003) / 100003.0 END AS age,
        CAST(u % 1000 < 150 + r % 100 + s % 100000 // 1000 + t % 2000000 // 10000
            + s // 100 % 10007 // 50 AS TINYINT) AS bought
    FROM d"""
VARIABLES = ["town", "shop", "customer", "price", "distance", "age"]
OPTIONS: dict[str, Any] = {
    "outcome": "bought",
    "variables": VARIABLES,
    "row_id": "id",
    "random_state": 0,
}


def write_rows(path: Path, rows: int) -> None:
    """Write the file, part by part."""
    import duckdb

    connection = duckdb.connect(config=DUCKDB)
    connection.sql(ROWS.format(n=rows)).write_parquet(str(path))


def in_engine(path: Path, treated: Path) -> dict[str, float]:
    """Design and prepare through DuckDB, within the limit."""
    threading.Thread(target=end_above_limit, daemon=True).start()
    import duckdb

    import vtreat_py as vt

    with tempfile.TemporaryDirectory(dir=path.parent) as spill:
        connection = duckdb.connect(config=DUCKDB | {"temp_directory": spill})
        frame = connection.read_parquet(str(path))
        plan, design = timed(lambda: vt.design_treatments(frame, **OPTIONS))
        peak = peak_gigabytes()
        _, prepare = timed(lambda: vt.prepare(plan, frame, row_id="id").write_parquet(str(treated)))
    return {"design": design, "prepare": prepare, "design_peak": peak, "peak": peak_gigabytes()}


def in_memory(path: Path, treated: Path) -> dict[str, float]:
    """Read the file, design, prepare and write in memory."""
    import pyarrow.parquet as pq

    import vtreat_py as vt

    table, read = timed(lambda: pq.read_table(path))
    plan, design = timed(lambda: vt.design_treatments(table, n_jobs=THREADS, **OPTIONS))
    peak = peak_gigabytes()
    _, prepare = timed(
        lambda: pq.write_table(vt.prepare(plan, table, row_id="id", extra_columns=[]), treated)
    )
    return {
        "design": read + design,
        "prepare": prepare,
        "design_peak": peak,
        "peak": peak_gigabytes(),
    }


def end_above_limit() -> None:
    """End the process once it has more in memory than it may."""
    page = resource.getpagesize()
    while int(Path("/proc/self/statm").read_text().split()[1]) * page < LIMIT:
        time.sleep(0.02)
    print("more than 2 GB in memory", file=sys.stderr, flush=True)
    os._exit(1)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what is made, and the seconds of processor time per core of two that it took.

    Processor time is that of all threads; unlike the clock it does not count other programs.
    """
    start = time.process_time()
    result = work()
    return result, (time.process_time() - start) / THREADS


def peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIGABYTE


WAYS = {"engine": in_engine, "memory": in_memory}


def run(way: str, path: Path, treated: Path) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--way", way, "--file", str(path), str(treated)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{way} failed:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--memory-rows", type=int, default=5_000_000)
    parser.add_argument("--folder", type=Path, help="where the files are written for a while")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(WAYS[given.way](*given.file)))
        return
    lines = [
        f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, duckdb {version('duckdb')}, pyarrow {version('pyarrow')}",
        "nanoseconds a row: processor time of two threads, halved; files are read and written",
        "gigabytes: the most that the process had in memory, libraries included",
        "",
        f"{'':30}{'rows':>12}{'design':>10}{'prepare':>10}{'GB design':>11}{'GB in all':>11}",
    ]
    print("\n".join(lines), flush=True)
    cost = {}
    for way, label, rows in (
        ("memory", "in memory", given.memory_rows),
        ("engine", "DuckDB, limited to 2 GB", given.memory_rows),
        ("engine", "DuckDB, limited to 2 GB", given.rows),
    ):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            path = Path(folder) / "rows.parquet"
            write_rows(path, rows)
            found = run(way, path, Path(folder) / "treated.parquet")
        design, prepare = (found[step] / rows * 1e9 for step in ("design", "prepare"))
        cost[way] = design, prepare
        lines.append(
            f"{label:30}{rows:12,}{design:10.0f}{prepare:10.0f}"
            f"{found['design_peak']:11.2f}{found['peak']:11.2f}"
        )
        print(lines[-1], flush=True)
    ratios = [
        engine / memory for engine, memory in zip(cost["engine"], cost["memory"], strict=True)
    ]
    lines += ["", f"last line against the first: design {ratios[0]:.1f}, prepare {ratios[1]:.1f}"]
    print("\n".join(lines[-2:]))
    if given.output:
        given.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
