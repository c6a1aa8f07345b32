"""What models make of indicators of few events: with and without them, on other outcomes.

    python benchmarks/few_events_study.py [--output FILE]

The rule of ``prune_sig="plausible"``, that indicators need 20 expected rows of the rarer class, was
tried on outcomes that `downstream.py` does not have: of each of its real tables, up to four columns
of names, drawn at random, one level each (of 3% to 30% of the rows, as near to 8% as there is),
predicted by the other columns. Outcomes that are predicted all but surely are left out. A linear
model and boosted trees are trained on the columns that ``sig_fdr <= 0.7`` keeps, and on those that
are plausible: three of five folds each. It takes some five minutes of one core.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from downstream import boosted, linear, splits
from downstream_tables import Table, tables
from threadpoolctl import threadpool_limits

import vtreat_py as vt

SHARES, NEAR, MOST_LEVELS = (0.03, 0.3), 0.08, 40
OUTCOMES, SPLITS, SURE = 4, 3, 0.97
RULES: dict[str, dict[str, Any]] = {
    "FDR <= 0.7": {"prune_sig": 0.7, "prune_by": "sig_fdr"},
    "plausible": {"prune_sig": "plausible", "prune_by": "sig"},
}


def others(table: Table) -> Iterator[tuple[str, Table]]:
    """The table with one level of a column of names for its outcome."""
    found = []
    for name in table.categories:
        share = table.frame[name].fillna("NA").value_counts(normalize=True)
        rare = share[share.between(*SHARES)]
        if len(rare) and len(share) <= MOST_LEVELS:
            found.append((name, min(rare.index, key=lambda x: abs(np.log(rare[x] / NEAR)))))
    np.random.default_rng(7).shuffle(found)
    for name, level in found[:OUTCOMES]:
        y = (table.frame[name].fillna("NA") == level).to_numpy()
        other = replace(table, frame=table.frame.drop(columns=name), y=y)
        if other.categories:
            yield name, other


def scored(table: Table) -> list[dict[str, float]]:
    """Scores of the splits by rule and model; none where they are all but 1."""
    found: list[dict[str, float]] = []
    for split in list(splits(table, 0))[:SPLITS]:
        treatment = vt.BinomialOutcomeTreatment(prune_sig=None, random_state=0)
        train = treatment.fit_transform(split.train.frame, split.train.y)
        test = treatment.transform(split.test.frame)
        scores: dict[str, float] = {}
        for rule, options in RULES.items():
            names = treatment.set_params(**options).get_feature_names_out()
            for model in (linear, boosted):
                scores[f"{rule}, {model.__name__}"] = model(split, train[names], test[names])
            scores[f"{rule}, columns"] = len(names)
        if max(scores["FDR <= 0.7, linear"], scores["FDR <= 0.7, boosted"]) > SURE:
            return []
        found.append(scores)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    options = parser.parse_args()
    rows = []
    with threadpool_limits(1):
        for table in (make() for make in tables()):
            if table.name.startswith("generated"):
                continue
            for name, other in others(table):
                if scores := scored(other):
                    rows.append(
                        {"table": table.name, "outcome": name, **pd.DataFrame(scores).mean()}
                    )
    options.output.write_text(text := report(pd.DataFrame(rows)))
    print(text)


def report(found: pd.DataFrame) -> str:
    """Differences of the rules by outcome, and over the tables."""
    lines = [
        f"{len(found)} outcomes of {found['table'].nunique()} tables, {SPLITS} splits each: AUC by",
        "sig_fdr <= 0.7, and what it gains by leaving out indicators of few events",
        "",
        f"{'':40}{'columns':>9}{'less':>6}{'linear':>9}{'gain':>9}{'boosted':>9}{'gain':>9}",
    ]
    before, after = RULES
    gains = pd.DataFrame(
        {k: found[f"{after}, {k}"] - found[f"{before}, {k}"] for k in ("linear", "boosted")}
    )
    less = found[f"{before}, columns"] - found[f"{after}, columns"]
    for i, row in found.iterrows():
        name = f"{row['table']}, {row['outcome']}"
        line = f"{name:40}{row[f'{before}, columns']:9.1f}{less[i]:6.1f}"
        for kind in gains:
            line += f"{row[f'{before}, {kind}']:9.4f}{gains.loc[i, kind]:+9.4f}"
        lines.append(line)
    by_table = gains.groupby(found["table"]).mean()
    for kind in gains:
        error = by_table[kind].std() / np.sqrt(len(by_table))
        lines.append(f"{kind}: {by_table[kind].mean():+.4f} +- {error:.4f}, by table")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
