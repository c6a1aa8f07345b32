"""Measure scoring by SQL in DuckDB beside the bare join of the same tables, in turn.

    python benchmarks/sql.py [--rows N] [--output FILE]

Both read one text column and add up one impact code: the bare join knows every level of the rows
and nothing of NULL; `to_sql` does. A CASE of all levels is there as a warning.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

import vtreat_py as vt

LEVELS = (100, 1_000, 10_000, 100_000)
MOST_CASES = 1_000
CASE_ROWS = 100_000
TIMES = 9
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def best(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the fastest of a few runs of each, in turn."""
    seconds = dict.fromkeys(runs, np.inf)
    for _ in range(TIMES):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def design(n_levels: int) -> tuple[vt.TreatmentPlan, pd.DataFrame]:
    """A plan with an impact code of so many levels, and its codes as a table."""
    rng = np.random.default_rng(0)
    level = np.tile(np.arange(n_levels), 8)
    frame = pd.DataFrame({"x": [f"level {i}" for i in level]})
    effect = rng.normal(size=n_levels)[level]
    outcome = effect + rng.normal(size=len(level))
    plan = vt.design_treatments(frame, outcome=outcome, coders=["catN"], random_state=0)
    effects = plan.level_effects("x")
    effects = effects[effects["kind"] == "level"]
    codes = effects[["level", "effect"]].rename(columns={"effect": "code"})
    return plan, codes.astype({"level": "str"})


def measure(connection: duckdb.DuckDBPyConnection, n_levels: int, rows: int) -> None:
    plan, codes = design(n_levels)
    plan.load_coding_tables(connection)
    connection.register("codes_frame", codes)
    connection.execute("CREATE OR REPLACE TABLE codes AS SELECT * FROM codes_frame")
    connection.execute(
        "CREATE OR REPLACE TABLE rows_to_score AS "
        f"SELECT 'level ' || (hash(i) % {n_levels}) AS x FROM range({rows}) AS r(i)"
    )
    sql = plan.to_sql("rows_to_score")

    def total(query: str) -> float:
        [(found,)] = connection.execute(query).fetchall()
        return float(found)

    ours = f"SELECT sum(x_catN) FROM ({sql})"
    bare = "SELECT sum(code) FROM rows_to_score JOIN codes ON rows_to_score.x = codes.level"
    assert np.isclose(total(ours), total(bare))
    seconds = best({"ours": lambda: total(ours), "bare": lambda: total(bare)})
    case = f"{case_per_row(connection, codes):12.1f}" if n_levels <= MOST_CASES else " " * 12
    nanoseconds = {name: s / rows * 1e9 for name, s in seconds.items()}
    say(
        f"  {n_levels:7,d} {nanoseconds['ours']:12.1f} {nanoseconds['bare']:10.1f} "
        f"{seconds['ours'] / seconds['bare']:6.2f} {case}"
    )


def case_per_row(connection: duckdb.DuckDBPyConnection, codes: pd.DataFrame) -> float:
    """Nanoseconds a row of a CASE with an arm for each level."""
    arms = " ".join(
        f"WHEN x = '{level}' THEN {code!r}e0"
        for level, code in zip(codes["level"], codes["code"].tolist(), strict=True)
    )
    query = f"SELECT sum(CASE {arms} END) FROM (SELECT x FROM rows_to_score LIMIT {CASE_ROWS})"
    start = time.perf_counter()
    connection.execute(query).fetchall()
    return (time.perf_counter() - start) / CASE_ROWS * 1e9


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "?")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    say(
        f"{date.today()}  {processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}"
    )
    say(f"vtreat_py {vt.__version__}, duckdb {version('duckdb')}, one thread")
    say()
    say(f"Scoring {options.rows:,} rows by one column of text, nanoseconds a row")
    say("(target: at most 3 times the bare join at 10,000 levels)")
    say("   levels       to_sql  bare join  ratio    all CASE")
    connection = duckdb.connect(config={"threads": 1})
    for n_levels in LEVELS:
        measure(connection, n_levels, options.rows)
    if options.output:
        options.output.write_text("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
