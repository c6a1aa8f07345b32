"""Draw the picture of the front page and the README, beside this program, for light and dark.

Towns that differ, sellers that do not, and an income, in 3,000 rows, with ever more towns and
sellers: the AUC of one logistic regression on naive codes (the mean outcome of the level) and on
the cross-frame, as the training rows promise it and as 20,000 new rows deliver it.

Run: pip install '.[plot]' && python vignettes/_static/promised_and_delivered.py
"""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py as vt

HERE = Path(__file__).parent
LEVELS = [10, 30, 100, 300, 1_000, 3_000]
SEEDS = range(8)
# What is written at the end of each line, and how far above it.
NOTES = {
    ("naive codes", "promised"): 0,
    ("naive codes", "delivered"): 0,
    ("the cross-frame", "promised"): -8,
    ("the cross-frame", "delivered"): 8,
}
INKS = {
    "light": ("#222832", "#C44E00", "#0072B2"),
    "dark": ("#ced6dd", "#FF9E5E", "#6CB8F0"),
}


def rows(n_levels: int, n_rows: int, seed: int, of: int) -> tuple[pd.DataFrame, pd.Series]:
    """Draw customers of a world, by its number, and whether they bought."""
    effects, random = np.random.default_rng([n_levels, of]), np.random.default_rng(seed)
    town, seller = random.integers(n_levels, size=(2, n_rows))
    income = random.normal(size=n_rows)
    log_odds = effects.normal(size=n_levels)[town] + income
    frame = pd.DataFrame({"town": town, "seller": seller}).astype(str).radd("number ")
    bought = pd.Series(random.random(n_rows) < 1 / (1 + np.exp(-log_odds)))
    return frame.assign(income=income), bought


def naive_codes(
    frame: pd.DataFrame, y: pd.Series, new: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean outcomes of levels, for the rows they are made of and for new rows."""
    means = {name: y.groupby(frame[name]).mean() for name in ("town", "seller")}
    coded, new_coded = (
        x.assign(**{name: x[name].map(of_levels) for name, of_levels in means.items()})
        for x in (frame, new)
    )
    return coded, new_coded.fillna(y.mean())


def cross_frame(
    frame: pd.DataFrame, y: pd.Series, new: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Codes of this package, for the rows they are made of and for new rows."""
    treatment = vt.BinomialOutcomeTreatment(random_state=0)
    return treatment.fit_transform(frame, y), treatment.transform(new)


def promised_and_delivered(n_levels: int, seed: int) -> pd.Series:
    """AUC on the training rows and on new ones, by naive codes and by the cross-frame."""
    frame, y = rows(n_levels, 3_000, seed, of=seed)
    new, new_y = rows(n_levels, 20_000, seed + 100, of=seed)
    found = {}
    for name, code in (("naive codes", naive_codes), ("the cross-frame", cross_frame)):
        coded, new_coded = code(frame, y, new)
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(coded, y)
        for what, x, outcome in (("promised", coded, y), ("delivered", new_coded, new_y)):
            found[name, what] = roc_auc_score(outcome, model.predict_proba(x)[:, 1])
    return pd.Series(found)


def draw(auc: pd.DataFrame, theme: str) -> None:
    """Save the picture for a light or a dark page, on no ground of its own."""
    ink, *accents = INKS[theme]
    style = {
        "svg.hashsalt": "vtreat_py", "font.size": 11, "text.color": ink, "axes.edgecolor": ink,
        "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink,
    }  # fmt: skip
    with plt.rc_context(style):
        figure, ax = plt.subplots(figsize=(8.4, 4.0), layout="constrained")
        for name, colour in zip(("naive codes", "the cross-frame"), accents, strict=True):
            promised, delivered = auc[name, "promised"], auc[name, "delivered"]
            ax.fill_between(auc.index, promised, delivered, color=colour, alpha=0.18, lw=0)
            ax.plot(auc.index, promised, "--", color=colour, lw=1.8)
            ax.plot(auc.index, delivered, "-", color=colour, lw=2.4)
        for (name, what), lift in NOTES.items():
            colour = accents[name == "the cross-frame"]
            at = (auc.index[-1], auc[name, what].iloc[-1])
            ax.annotate(
                f"{name}, {what}", at, (8, lift), textcoords="offset points", color=colour,
                ha="left", va="center", annotation_clip=False,
            )  # fmt: skip
        ax.set(xscale="log", xlabel="levels of the columns, in 3,000 training rows", ylabel="AUC")
        ax.xaxis.set_major_locator(FixedLocator(LEVELS))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xticklabels([f"{n:,}" for n in LEVELS])
        ax.spines[["top", "right"]].set_visible(False)
        path = HERE / f"promised_and_delivered_{theme}.svg"
        figure.savefig(path, transparent=True, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    warnings.simplefilter("ignore", vt.VtreatWarning)
    auc = pd.DataFrame(
        {n: pd.DataFrame([promised_and_delivered(n, s) for s in SEEDS]).mean() for n in LEVELS}
    ).T
    print(auc.round(3))
    for theme in INKS:
        draw(auc, theme)
