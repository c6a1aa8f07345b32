"""A design where the data are, beside one written by hand in the same engine.

    python benchmarks/engines.py [--rows N] [--ways WAY ...] [--rounds N] [--folder DIR]
        [--output FILE]

Three text columns (of 100, 10,000 and a million levels), three columns of numbers with missing
values, a class and a numeric outcome and a row id are in a Parquet file; all follow from the row
id by integer arithmetic. By hand a text column is one GROUP BY (level, fold), whose sums are joined
with those of all folds, so that each level has the mean of the outcome in all rows, and each
(level, fold) that of the other folds; there are no tests, no numbers, and no checks. Frames that it
writes have as many columns as ours: of a text column two for a class, three for a numeric outcome.
A design of 1,000 rows comes before ours, which loads the modules. Each way runs in a process of its
own, in turn, ours beside the one by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

THREADS = 2
TEXT = ["town", "shop", "customer"]
NUMBERS = ["price", "distance", "age"]
OUTCOMES = {"class": "bought", "numeric": "spent"}
# Variables of a text column.
CODES = {"class": 2, "numeric": 3}
# Products of numbers below this prime fit into 64 bits.
PRIME = 2_147_483_579
ROWS = f"""
    WITH a AS (SELECT range AS id, (range % {PRIME} * 48271 + 11) % {PRIME} AS r FROM range({{n}})),
    b AS (SELECT id, r, (r * 69621 + 7) % {PRIME} AS s FROM a),
    c AS (SELECT id, r, s, (s * 39373 + 5) % {PRIME} AS t FROM b),
    d AS (SELECT id, r, s, t, (t * t % {PRIME} * t + 3) % {PRIME} AS u FROM c)
    SELECT id, 'town ' || (r % 100) AS town, 'shop ' || (s % 10000) AS shop,
        'customer ' || (t % 1000000) AS customer,
        CASE WHEN r // 100 % 10 > 0 THEN (s // 100 % 10007) / 100.0 END AS price,
        CASE WHEN s // 7 % 20 > 0 THEN (t // 100 % 1009 - 500) / 7.0 END AS distance,
        CASE WHEN t // 7 % 50 > 0 THEN (u // 100 % 100003) / 100003.0 END AS age,
        CAST(u % 1000 < 150 + r % 100 + s % 10000 // 100 + t % 1000000 // 5000
            + s // 100 % 10007 // 50 AS TINYINT) AS bought,
        (u % 1000 + r % 100 + s % 10000 // 100 + t % 1000000 // 5000) / 7.0 AS spent
    FROM d"""


def options(outcome: str) -> dict[str, Any]:
    return {
        "outcome": OUTCOMES[outcome],
        "variables": TEXT + NUMBERS,
        "row_id": "id",
        "random_state": 0,
    }


def write_rows(path: Path, rows: int) -> None:
    """Write the file."""
    import duckdb

    duckdb.connect(config={"threads": THREADS}).sql(ROWS.format(n=rows)).write_parquet(str(path))


class Clock:
    """Processor seconds of this process and of those that it has started and named."""

    def __init__(self, other: int | None = None) -> None:
        self.other = other
        self.taken: dict[str, float] = {}

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """Time a step by name."""
        start = self._now()
        result = work()
        self.taken[name] = self._now() - start
        return result

    def _now(self) -> float:
        own = time.process_time()
        if self.other is None:
            return own
        fields = Path(f"/proc/{self.other}/stat").read_text().rsplit(")", 1)[1].split()
        return own + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def duckdb_frame(path: Path) -> Any:
    import duckdb

    return duckdb.connect(config={"threads": THREADS}).read_parquet(str(path))


def first_design(frame: Any, outcome: str) -> None:
    """Load the modules that a design needs."""
    import vtreat_py as vt

    vt.design_treatments(frame, **options(outcome))


def duckdb_ours(path: Path, outcome: str) -> dict[str, float]:
    import vtreat_py as vt

    clock, frame = Clock(), duckdb_frame(path)
    first_design(frame.limit(1000), outcome)
    design = clock.timed("design", lambda: vt.cross_frame_experiment(frame, **options(outcome)))
    clock.timed("cross", lambda: design.cross_frame.write_parquet(str(path.parent / "crossed")))
    treated = vt.prepare(design.plan, frame, row_id="id")
    clock.timed("prepare", lambda: treated.write_parquet(str(path.parent / "treated")))
    return clock.taken


def duckdb_hand(path: Path, outcome: str) -> dict[str, float]:
    import duckdb

    connection, y = duckdb.connect(config={"threads": THREADS}), OUTCOMES[outcome]
    clock, rows = Clock(), f"(SELECT *, hash(id) % 5 AS fold FROM read_parquet('{path}'))"

    def design() -> None:
        for name in TEXT:
            connection.execute(
                f"CREATE TABLE cells_{name} AS WITH c AS (SELECT {name} AS level, fold,"
                f" count(*) AS n, sum({y}) AS s FROM {rows} GROUP BY ALL),"
                " l AS (SELECT level, sum(n) AS n, sum(s) AS s FROM c GROUP BY ALL)"
                " SELECT level, fold, l.s / l.n AS mean, (l.s - c.s) / (l.n - c.n) AS code"
                " FROM c JOIN l USING (level)"
            )

    def written(name: str, source: str, joins: str, codes: list[str]) -> None:
        numbers = [
            f"coalesce({n}, 50.0) AS {n}, CAST({n} IS NULL AS DOUBLE) AS {n}_bad" for n in NUMBERS
        ]
        connection.execute(
            f"COPY (SELECT id, {', '.join(numbers + codes)} FROM {source} {joins})"
            f" TO '{path.parent / name}' (FORMAT parquet)"
        )

    def cross() -> None:
        joins = " ".join(
            f"LEFT JOIN cells_{n} AS of_{n} ON {n} = of_{n}.level AND rows.fold = of_{n}.fold"
            for n in TEXT
        )
        codes = [
            f"coalesce(of_{n}.code, 0.0) AS {n}_{k}" for n in TEXT for k in range(CODES[outcome])
        ]
        written("crossed", f"{rows} AS rows", joins, codes)

    def prepare() -> None:
        joins = " ".join(
            f"LEFT JOIN (SELECT DISTINCT level, mean FROM cells_{n}) AS of_{n}"
            f" ON {n} = of_{n}.level"
            for n in TEXT
        )
        codes = [
            f"coalesce(of_{n}.mean, 0.0) AS {n}_{k}" for n in TEXT for k in range(CODES[outcome])
        ]
        written("treated", f"read_parquet('{path}') AS rows", joins, codes)

    for name, work in {"design": design, "cross": cross, "prepare": prepare}.items():
        clock.timed(name, work)
    return clock.taken


def polars_ours(path: Path, outcome: str) -> dict[str, float]:
    import polars as pl

    import vtreat_py as vt

    clock, frame = Clock(), pl.scan_parquet(path)
    first_design(frame.head(1000), outcome)
    design = clock.timed("design", lambda: vt.cross_frame_experiment(frame, **options(outcome)))
    crossed, treated = design.cross_frame, vt.prepare(design.plan, frame, row_id="id")
    clock.timed("cross", lambda: crossed.sink_parquet(path.parent / "crossed"))
    clock.timed("prepare", lambda: treated.sink_parquet(path.parent / "treated"))
    return clock.taken


def polars_hand(path: Path, outcome: str) -> dict[str, float]:
    import polars as pl

    y, clock = OUTCOMES[outcome], Clock()
    frame = pl.scan_parquet(path)
    rows = frame.with_columns(fold=pl.col("id").hash() % 5)
    n, s = pl.col("n"), pl.col("s")
    cells: dict[str, pl.DataFrame] = {}

    def design() -> None:
        for name in TEXT:
            cell = (
                rows.group_by(name, "fold")
                .agg(n=pl.len(), s=pl.col(y).sum())
                .collect(engine="streaming")
            )
            level = cell.group_by(name).agg(all_n=n.sum(), all_s=s.sum())
            joined = cell.join(level, on=name)
            codes = (pl.col("all_s") - s) / (pl.col("all_n") - n)
            cells[name] = joined.select(
                name,
                "fold",
                codes.alias(f"{name}_code"),
                (pl.col("all_s") / pl.col("all_n")).alias(f"{name}_mean"),
            )

    def written(name: str, joined: Any, kind: str) -> None:
        numbers = [
            e
            for n in NUMBERS
            for e in (
                pl.col(n).fill_null(50.0),
                pl.col(n).is_null().cast(pl.Float64).alias(f"{n}_bad"),
            )
        ]
        codes = [
            pl.col(f"{n}_{kind}").fill_null(0.0).alias(f"{n}_{k}")
            for n in TEXT
            for k in range(CODES[outcome])
        ]
        joined.select("id", *numbers, *codes).sink_parquet(path.parent / name)

    def cross() -> None:
        joined = rows
        for name in TEXT:
            joined = joined.join(cells[name].lazy(), on=[name, "fold"], how="left")
        written("crossed", joined, "code")

    def prepare() -> None:
        joined = frame
        for name in TEXT:
            means = cells[name].select(name, f"{name}_mean").unique(name)
            joined = joined.join(means.lazy(), on=name, how="left")
        written("treated", joined, "mean")

    for name, work in {"design": design, "cross": cross, "prepare": prepare}.items():
        clock.timed(name, work)
    return clock.taken


def spark_session() -> Any:
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(f"local[{THREADS}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "6g")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


def spark_clock(session: Any) -> Clock:
    """Clock of this process and of Java's, which has done a little already."""
    return Clock(int(session.sparkContext._jvm.java.lang.ProcessHandle.current().pid()))


def spark_ours(path: Path, outcome: str) -> dict[str, float]:
    import vtreat_py as vt

    session = spark_session()
    clock, frame = spark_clock(session), session.read.parquet(str(path))
    first_design(frame.limit(1000), outcome)
    clock.timed("design", lambda: vt.design_treatments(frame, **options(outcome)))
    return clock.taken


def spark_hand(path: Path, outcome: str) -> dict[str, float]:
    from pyspark.sql import functions as f

    session, y = spark_session(), OUTCOMES[outcome]
    clock, frame = spark_clock(session), session.read.parquet(str(path))
    frame.limit(1).collect()
    rows = frame.withColumn("fold", f.pmod(f.xxhash64("id"), f.lit(5)))

    def design() -> None:
        for name in TEXT:
            cell = rows.groupBy(name, "fold").agg(f.count("*").alias("n"), f.sum(y).alias("s"))
            level = cell.groupBy(name).agg(f.sum("n").alias("all_n"), f.sum("s").alias("all_s"))
            codes = cell.join(level, name).select(
                name,
                "fold",
                f.try_divide(f.col("all_s") - f.col("s"), f.col("all_n") - f.col("n")).alias(
                    "code"
                ),
                (f.col("all_s") / f.col("all_n")).alias("mean"),
            )
            codes.write.format("noop").mode("overwrite").save()

    clock.timed("design", design)
    return clock.taken


WAYS = {
    f"{engine}-{kind}": (globals()[f"{engine}_ours"], globals()[f"{engine}_hand"], kind)
    for engine in ("duckdb", "polars", "spark")
    for kind in OUTCOMES
}


def run(way: str, who: int, path: Path) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--way", way, str(who), str(path)]
    environment = os.environ | {"POLARS_MAX_THREADS": str(THREADS)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{way} failed:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where files are written for a while")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--way", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        way, who, path = given.way
        *both, kind = WAYS[way]
        print(json.dumps(both[int(who)](Path(path), kind)))
        return
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "polars", "pyspark"))
    lines = [
        f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, {versions}",
        f"{given.rows:,} rows; seconds of processor time, the median of {given.rounds} rounds",
        "",
        f"{'':18}{'step':10}{'ours':>9}{'by hand':>9}{'ratio':>8}",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path, given.rows)
        for way in given.ways:
            rounds = [(run(way, 0, path), run(way, 1, path)) for _ in range(given.rounds)]
            for step in rounds[0][0]:
                ours, hand = (statistics.median(r[who][step] for r in rounds) for who in (0, 1))
                lines.append(f"{way:18}{step:10}{ours:9.2f}{hand:9.2f}{ours / hand:8.2f}")
                print(lines[-1], flush=True)
    if given.output:
        given.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
