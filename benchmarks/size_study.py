"""The size of the tests: how often columns of noise pass for significant, at .05, .01, .001.

Columns and outcomes are drawn independently, and their p-values counted: calibrated, classic
(R vtreat's, of the regression on the cross-frame), and of the analysis of variance or the
chi-square test. Impact codes are tested on their level sums, which is what a design does; all
else is designed. Cells above nominal by more than 3.5 standard errors are drawn on, to four times
the columns. Writes size_study.csv (a row for each cell and test) and size_study.txt.

Run: python benchmarks/size_study.py [columns per cell, 3000] [parts to run, all; others stay]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import size_cells
from scipy import stats
from simulation import (
    HEAVY_TAILED,
    OUTCOMES,
    SIZES,
    Array,
    ImpactTests,
    frame_of,
    in_parallel,
    level_column,
    outcome,
    plain_test,
    scores,
    usable,
)

from vtreat_py.significance.spread import SpreadTest

HERE = Path(__file__).parent
LEVELS, ROWS = (2, 5, 50, 500, 5000), (200, 2_000, 20_000)
KINDS = (*OUTCOMES, *HEAVY_TAILED)
# Rows and levels for outcomes with heavy tails: some levels are even and small.
FEW_ROWS, FEW_LEVELS = 700, (5, 50, 175, 350, 700)
COLUMNS_PER_OUTCOME = 25
ALLOWED_ERRORS = 3.5


def simulated(n_columns: int, seed: list[int], draw: Any) -> list[dict[str, Any]]:
    """p-values of noise, summed up by code and test; ``draw`` makes a frame, y and options."""
    random = np.random.default_rng(seed)
    p_values: dict[tuple[str, str], list[Array]] = {}
    for _ in range(-(-n_columns // COLUMNS_PER_OUTCOME)):
        frame, y, options = draw(random)
        table = scores(frame, y, **options) if usable(y) else pd.DataFrame()
        for code in options["coders"]:
            of_code = table[table["code"] == code] if len(table) else table
            # A column that has no such code is not significant.
            missing = np.ones(max(frame.shape[1] - len(of_code), 0) if code != "lev" else 0)
            for test, column in (("calibrated", "sig"), ("classic", "classic")):
                found = of_code[column].to_numpy() if len(of_code) else np.empty(0)
                p_values.setdefault((code, test), []).append(np.append(found, missing))
    return [
        {"code": code, "test": test, **size_cells.counted(np.concatenate(p))}
        for (code, test), p in p_values.items()
    ]


def impact(n: int, n_rows: int, n_levels: int, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Impact codes: all columns by their level sums, some of them designed."""
    code = "catB" if kind.endswith("%") else "catN"

    def draw(random: np.random.Generator) -> Any:
        columns = [
            level_column(n_rows, n_levels, sizes, random) for _ in range(COLUMNS_PER_OUTCOME)
        ]
        return frame_of(columns), outcome(kind, n_rows, random), {"coders": [code]}

    seed = [1, n_rows, n_levels, SIZES.index(sizes), KINDS.index(kind)]
    designed = simulated(n // 8, seed, draw)
    random = np.random.default_rng([9, *seed])
    p_values: dict[str, list[float]] = {"calibrated": [], "plain": []}
    for k in range(n):
        if k % 5 == 0:
            y = outcome(kind, n_rows, random)
            tests = ImpactTests(y) if usable(y) else None
        level = level_column(n_rows, n_levels, sizes, random)
        p_values["calibrated"].append(1.0 if tests is None else tests.p_value(level))
        p_values["plain"].append(1.0 if tests is None else plain_test(level, y))
    rows = [row for row in designed if row["test"] == "classic"]
    return rows + [
        {"code": code, "test": test, **size_cells.counted(np.array(p))}
        for test, p in p_values.items()
    ]


def others(n: int, n_rows: int, n_levels: int, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Deviation, prevalence and indicators; deviation also beside a strong effect on the mean."""
    coders = ["catP", "lev"] if kind.endswith("%") else ["catD", "catP", "lev"]

    def draw(random: np.random.Generator) -> Any:
        columns = [
            level_column(n_rows, n_levels, sizes, random) for _ in range(COLUMNS_PER_OUTCOME)
        ]
        return frame_of(columns), outcome(kind, n_rows, random), {"coders": coders}

    return simulated(n, [2, n_rows, n_levels, SIZES.index(sizes), KINDS.index(kind)], draw)


def deviation(n: int, n_rows: int, n_levels: int, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Deviation where levels differ, but in their means only."""

    def draw(random: np.random.Generator) -> Any:
        level = level_column(n_rows, n_levels, sizes, random)
        y = 3.0 * random.normal(size=n_levels)[level] + outcome(kind, n_rows, random)
        return frame_of([level]), y, {"coders": ["catD"]}

    seed = [3, n_rows, n_levels, SIZES.index(sizes), KINDS.index(kind)]
    return simulated(n * COLUMNS_PER_OUTCOME, seed, draw)


def deviation_of_part(
    n: int, n_rows: int, n_levels: int, sizes: str, kind: str
) -> list[dict[str, Any]]:
    """The same with so many rows that the test looks at some of them, or at some of the levels."""
    random = np.random.default_rng([6, n_rows, n_levels, SIZES.index(sizes), KINDS.index(kind)])
    p_values = []
    for _ in range(n):
        level = level_column(n_rows, n_levels, sizes, random)
        y = 3.0 * random.normal(size=n_levels)[level] + outcome(kind, n_rows, random)
        p_values.append(SpreadTest(y).p_value(level, n_levels))
    return [{"code": "catD", "test": "calibrated", **size_cells.counted(np.array(p_values))}]


def numbers(n: int, n_rows: int, kind_of_x: str, kind: str) -> list[dict[str, Any]]:
    """Numeric columns, 3% of them bad."""

    def draw(random: np.random.Generator) -> Any:
        shape = n_rows, COLUMNS_PER_OUTCOME
        x = {
            "normal": random.normal,
            "lognormal": random.lognormal,
            "Cauchy": random.standard_cauchy,
        }[kind_of_x](size=shape)
        x[random.random(shape) < 0.03] = np.nan
        frame = pd.DataFrame(x).add_prefix("x")
        return frame, outcome(kind, n_rows, random), {"coders": ["clean", "isBAD"]}

    return simulated(n, [4, n_rows, len(kind_of_x), KINDS.index(kind)], draw)


def weighted(n: int, weights: str, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Impact codes with weights, 2,000 rows, 50 levels."""
    code = "catB" if kind.endswith("%") else "catN"

    def draw(random: np.random.Generator) -> Any:
        if weights == "counts of equal rows":
            level = level_column(2_000, 50, sizes, random)
            y = outcome(kind, 2_000, random)
            y = y if y.dtype == np.int8 else np.round(y, 1)
            rows = pd.DataFrame({"x": level, "y": y}).value_counts().sort_index().reset_index()
            frame, y, weight = frame_of([rows["x"]]), rows["y"].to_numpy(), rows["count"]
        else:
            columns = [level_column(2_000, 50, sizes, random) for _ in range(COLUMNS_PER_OUTCOME)]
            frame, y = frame_of(columns), outcome(kind, 2_000, random)
            weight = random.gamma(2.0, 0.5, 2_000)
        options = {"coders": [code], "sample_weight": np.asarray(weight, dtype=float)}
        return frame, y, options

    few = weights == "counts of equal rows"
    seed = [5, len(weights), SIZES.index(sizes), KINDS.index(kind)]
    return simulated(n * COLUMNS_PER_OUTCOME if few else n, seed, draw)


def cells(n: int) -> list[tuple[str, dict[str, Any], Any, tuple[Any, ...]]]:
    """The cells of each part: its name, the cell's description, the simulation, its arguments."""
    listed: list[tuple[str, dict[str, Any], Any, tuple[Any, ...]]] = []

    def add(part: str, simulation: Any, columns: int, **cell: Any) -> None:
        listed.append((part, cell, simulation, (columns, *cell.values())))

    for rows in ROWS:
        for levels in LEVELS:
            for sizes in SIZES:
                for kind in OUTCOMES:
                    cell = {"rows": rows, "levels": levels, "sizes": sizes, "outcome": kind}
                    add("impact codes", impact, n, **cell)
                    if levels in (5, 50, 500) and levels < rows < 20_000:
                        add("other codes", others, n // 6, **cell)
                        if not kind.endswith("%"):
                            add("deviation beside effects on the mean", deviation, n // 2, **cell)
        for x in ("normal", "lognormal", "Cauchy"):
            for kind in OUTCOMES:
                add("numeric columns", numbers, n // 4, rows=rows, x=x, outcome=kind)
    for levels in (5, 50, 5_000, 50_000):
        for sizes in SIZES:
            for kind in ("normal", "lognormal"):
                cell = {"rows": 100_000, "levels": levels, "sizes": sizes, "outcome": kind}
                add("deviation, by a part of the rows", deviation_of_part, n // 2, **cell)
    for levels in FEW_LEVELS:
        for sizes in SIZES:
            for kind in HEAVY_TAILED:
                cell = {"rows": FEW_ROWS, "levels": levels, "sizes": sizes, "outcome": kind}
                add("impact codes, outcomes with heavy tails", impact, n, **cell)
    for weights in ("counts of equal rows", "of sampling"):
        for sizes in SIZES:
            for kind in OUTCOMES:
                add("weights", weighted, n // 4, weights=weights, sizes=sizes, outcome=kind)
    return listed + size_cells.cells(n)


def run_cell(part: str, cell: dict[str, Any], simulation: Any, arguments: Any) -> Any:
    """Rows of the table for one cell."""
    return [{"part": part, **cell, **row} for row in simulation(*arguments)]


def found_in(listed: list[Any]) -> pd.DataFrame:
    """The table of some cells."""
    return pd.DataFrame([row for rows in in_parallel(run_cell, listed) for row in rows])


def drawn_on(found: pd.DataFrame, listed: list[Any]) -> pd.DataFrame:
    """Draw four times the columns in cells above nominal: of a thousand, one is so by chance."""
    above, again = found[too_often(found)], []
    for part, cell, simulation, (columns, *rest) in listed:
        if of_cell(above, part, cell).any():
            again.append((part, cell, simulation, (4 * columns, *rest)))
            found = found[~of_cell(found, part, cell)]
    return pd.concat([found, found_in(again)]) if again else found


def of_cell(table: pd.DataFrame, part: str, cell: dict[str, Any]) -> Any:
    """Which rows are those of a cell."""
    own = (table["part"] == part).to_numpy()
    for name, value in cell.items():
        own = own & (table[name] == value).to_numpy()
    return own


def report(table: pd.DataFrame) -> str:
    """The table as text, with the cells that fail what is promised."""
    lines = []
    for part, rows in table.groupby("part", sort=False):
        rows = rows.dropna(axis=1, how="all").drop(columns="part")
        if "test" not in rows:
            lines += [f"{part}", rows.to_string(index=False, float_format="{:.3f}".format), ""]
            continue
        keys = [c for c in rows.columns if c not in ("test", "columns", *RATES)]
        wide = rows.pivot_table(index=keys, columns="test", values=RATES, sort=False)
        wide = wide.swaplevel(axis=1)
        order = [t for t in ("calibrated", "classic", "plain") if t in wide.columns]
        wide = wide[[(t, r) for t in order for r in RATES]]
        lines += [f"{part}", wide.to_string(float_format=lambda x: f"{x:.4f}"), ""]
    lines += ["Calibrated cells above nominal by more than 3.5 standard errors:"]
    lines += [_listed(table[too_often(table)])]
    lines += ["Many columns of noise that break a promise by more than 3.5 standard errors:"]
    lines += [_listed(table[breaks_promise(table)])]
    lines += ["Impact codes of 5 to 500 levels, 700 rows and up, below a third of .05:"]
    lines += [_listed(table[too_rarely(table)])]
    return "\n".join(lines) + "\n"


RATES = [f"at_{a}" for a in size_cells.NOMINAL]


def too_often(table: pd.DataFrame) -> Any:
    """Calibrated cells above nominal: as many are as unlikely as so many standard errors."""
    above = np.zeros(len(table), dtype=bool)
    for a in size_cells.NOMINAL:
        found = np.rint(table[f"at_{a}"] * table["columns"])
        as_many = stats.binom.sf(found - 1, table["columns"], a)
        above |= as_many < stats.norm.sf(ALLOWED_ERRORS)
    return above & (table["test"] == "calibrated").to_numpy()


def breaks_promise(table: pd.DataFrame) -> Any:
    """More than one column of noise recommended, or one in ten designs with any by its FWER."""
    error = np.sqrt(0.1 * 0.9 / table["designs"])
    many = table["recommended"] - 1.0 > ALLOWED_ERRORS * table["error"]
    return (many | (table["any_fwer_0.1"] - 0.1 > ALLOWED_ERRORS * error)).to_numpy()


def too_rarely(table: pd.DataFrame) -> Any:
    """Calibrated cells of impact codes that hardly ever reject, where there are rows enough."""
    enough = table["levels"].between(5, 500) & (table["rows"] >= FEW_ROWS)
    of_impact = table["part"].str.startswith("impact") & (table["test"] == "calibrated")
    return (enough & of_impact & (table["at_0.05"] < 0.05 / 3)).to_numpy()


def _listed(rows: pd.DataFrame) -> str:
    return rows.dropna(axis=1, how="all").to_string(index=False) if len(rows) else "none"


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    parts = sys.argv[2:]
    asked = [cell for cell in cells(n) if not parts or cell[0] in parts]
    found = drawn_on(found_in(asked), asked)
    if parts:
        before = pd.read_csv(HERE / "size_study.csv")
        found = pd.concat([before[~before["part"].isin(parts)], found])
    found.to_csv(HERE / "size_study.csv", index=False, float_format="%.6g")
    text = report(pd.read_csv(HERE / "size_study.csv"))
    (HERE / "size_study.txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
