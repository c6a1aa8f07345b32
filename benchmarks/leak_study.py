"""What a row's code tells of the row's own outcome: vtreat_py's folds beside other encoders.

    python benchmarks/leak_study.py [--output FILE]

Takes less than two minutes. The tables say what is measured; what follows from it is at their end.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import category_encoders
import numpy as np
import pandas as pd
from run import versions
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import TargetEncoder
from sklearn.tree import DecisionTreeRegressor

import vtreat_py as vt
from vtreat_py.testing import own_outcome_influence

SIZES = ((200, 5), (200, 100), (2000, 5), (2000, 100))
N_GROUPS = 40
UNSTRATIFIED = KFold(5, shuffle=True, random_state=0)
FIRST, CELL = 36, 27
DEFAULT, SHUFFLED, ORDERED = "cv=5, stratified on y", "KFold(5, shuffle=True)", 'cv="ordered"'
FOLDS: dict[str, tuple[Any, bool]] = {  # what cv is, and whether groups are given
    DEFAULT: (5, False),
    SHUFFLED: (UNSTRATIFIED, False),
    "cv=5 with groups": (5, True),
    "GroupKFold(5)": (GroupKFold(5), True),
    ORDERED: ("ordered", False),
}
PEERS: dict[str, Callable[[str], Any]] = {
    "TargetEncoder, scikit-learn": lambda kind: TargetEncoder(target_type=kind, random_state=0),
    "TargetEncoder, category_encoders": lambda _: category_encoders.TargetEncoder(),
    "LeaveOneOutEncoder": lambda _: category_encoders.LeaveOneOutEncoder(),
}
SLOW = ("TargetEncoder, category_encoders", "LeaveOneOutEncoder")
NOISE_TABLES, NOISE_TABLES_OF_SLOW = 200, 30
SIGNAL_TABLES = 20
ROUNDING = 1e-10
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def header(first: str) -> None:
    cells = [f"{n:,} rows, {levels} levels" for n, levels in SIZES]
    say(f"{first:<{FIRST}}" + "".join(f"{cell:>{CELL}}" for cell in cells))


def line(what: str, cells: Iterable[str]) -> None:
    say(f"  {what:<{FIRST - 2}}" + "".join(f"{cell:>{CELL}}" for cell in cells))


def table(
    random: np.random.Generator, n_rows: int, n_levels: int, effect: float
) -> tuple[pd.DataFrame, Any, Any]:
    """A column of levels, the levels' numbers, and a numeric outcome of sd 1."""
    level = random.integers(0, n_levels, n_rows)
    y = effect * random.normal(size=n_levels)[level] + random.normal(size=n_rows)
    frame = pd.DataFrame({"x": [f"level {i}" for i in level]})
    return frame, level, (y - y.mean()) / y.std()


# How far own codes move.


def moves(encoder: Any, frame: pd.DataFrame, y: Any, **options: Any) -> pd.DataFrame:
    return own_outcome_influence(encoder, frame, y, **options).moves


def median_and_largest(found: Any) -> str:
    known = np.asarray(found, dtype=float)
    known = known[~np.isnan(known)]
    if not len(known):
        return "no code"
    known[known < ROUNDING] = 0.0
    return f"{np.median(known):.2g} / {known.max():.2g}" if known.any() else "none"


def given_groups(n_rows: int, grouped: bool) -> dict[str, Any]:
    random = np.random.default_rng(2)
    return {"groups": random.integers(0, N_GROUPS, n_rows)} if grouped else {}


def numeric_influence(push: float) -> None:
    header(f"numeric outcome, push of {push:g} sd")
    tables = [table(np.random.default_rng(1), *size, effect=1.0) for size in SIZES]
    for folds, (cv, grouped) in FOLDS.items():
        found = [
            moves(
                vt.NumericOutcomeTreatment(
                    coders=["catN", "catD"], cv=cv, prune_sig=None, random_state=0
                ),
                frame,
                y,
                push=push,
                **given_groups(len(y), grouped),
            ).reindex(columns=["x_catN", "x_catD"])
            for frame, _, y in tables
        ]
        for code in ("catN", "catD"):
            line(f"{code}, {folds}", [median_and_largest(one[f"x_{code}"]) for one in found])
    for name, make in PEERS.items():
        found = [moves(make("continuous"), frame, y, push=push) for frame, _, y in tables]
        line(name, map(median_and_largest, found))
    say()


def class_influence() -> None:
    header("class outcome, flipped")
    tables = [table(np.random.default_rng(1), *size, effect=1.0) for size in SIZES]
    classes = [(frame, (y > 0).astype(int)) for frame, _, y in tables]
    for folds, (cv, grouped) in FOLDS.items():
        encoder = vt.BinomialOutcomeTreatment(
            coders=["catB"], cv=cv, prune_sig=None, random_state=0
        )
        found = [moves(encoder, frame, y, **given_groups(len(y), grouped)) for frame, y in classes]
        line(f"catB, {folds}", map(median_and_largest, found))
    for name, make in PEERS.items():
        found = [moves(make("binary"), frame, y) for frame, y in classes]
        line(name, map(median_and_largest, found))
    say()


def fold_of(experiment: vt.CrossFrameExperiment, n_rows: int) -> Any:
    fold = np.empty(n_rows, dtype=int)
    for k, (_, rows) in enumerate(experiment.folds):
        fold[rows] = k
    return fold


def coded(frame: pd.DataFrame, y: Any, cv: Any) -> vt.CrossFrameExperiment:
    return vt.cross_frame_experiment(
        frame, outcome=y, outcome_type="numeric", coders=["catN"], cv=cv, random_state=0
    )


def code_in(frame: pd.DataFrame, y: Any, fold: Any, row: int) -> float:
    """The code of a row when the rows are in these folds."""
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    return float(coded(frame, y, pairs).cross_frame["x_catN"][row])


def parts_of_a_move(frame: pd.DataFrame, y: Any, row: int) -> dict[str, float]:
    """Split the move of a code into the row's own change of fold, and that of the others."""
    pushed = y.copy()
    pushed[row] += 1.0
    before, after = (fold_of(coded(frame, one, 5), len(y)) for one in (y, pushed))
    alone, others = before.copy(), after.copy()
    alone[row], others[row] = after[row], before[row]
    old, new = code_in(frame, y, before, row), code_in(frame, y, after, row)
    return {
        "changes": before[row] != after[row],
        "both": new - old,
        "alone": code_in(frame, y, alone, row) - old,
        "others": code_in(frame, y, others, row) - old,
        "outcome": code_in(frame, pushed, after, row) - new,
    }


def where_it_comes_from() -> None:
    cells = []
    for size in SIZES:
        parts = []
        for seed in range(5):
            frame, _, y = table(np.random.default_rng(seed), *size, effect=1.0)
            rows = np.linspace(0, len(y) - 1, 20).astype(int)
            parts += [parts_of_a_move(frame, y, row) for row in rows]
        found = pd.DataFrame(parts).astype(float)
        error = found["both"].std() / np.sqrt(len(found))
        cells.append(
            {
                "rows that change folds": f"{found['changes'].mean():.0%}",
                "size of the move": median_and_largest(found["both"].abs()),
                "... if the row alone changes": median_and_largest(found["alone"].abs()),
                "... if the others alone do": median_and_largest(found["others"].abs()),
                "by the outcome, in fixed folds": f"{found['outcome'].abs().max():.0e} at most",
                "mean, with its sign": f"{found['both'].mean():+.3f} +- {error:.3f}",
            }
        )
    header("catN, cv=5, push of 1 sd")
    for what in cells[0]:
        line(what, [one[what] for one in cells])
    say()


# What noise gives away.


def coded_noise(name: str, frame: pd.DataFrame, y: Any, seed: int) -> Any:
    """Codes with hardly any shrinkage, which would hide what is looked for."""
    if name in FOLDS:
        cv, _ = FOLDS[name]
        cv = KFold(5, shuffle=True, random_state=seed) if cv is UNSTRATIFIED else cv
        encoder: Any = vt.NumericOutcomeTreatment(
            coders=["catN"],
            cv=cv,
            prune_sig=None,
            random_state=seed,
            smoothing=1e-9,
            significance="calibrated",
        )
    else:
        encoder = PEERS[name]("continuous")
        if isinstance(encoder, TargetEncoder):
            encoder.set_params(smooth=1e-9, random_state=seed)
    return np.asarray(encoder.fit_transform(frame, y), dtype=float)[:, 0]


def less_mean(values: Any, level: Any) -> Any:
    """Values less the mean of their level."""
    count = np.maximum(np.bincount(level), 1)
    return values - (np.bincount(level, values) / count)[level]


def regression(code: Any, y: Any, block: Any) -> tuple[float, float, float]:
    """Correlation, slope and t of the outcome on the code, both less the mean of their block."""
    code, y = less_mean(code, block), less_mean(y, block)
    if code.std() < 1e-9:
        return np.nan, np.nan, np.nan
    r = code @ y / np.sqrt((code @ code) * (y @ y))
    left = len(y) - len(np.unique(block)) - 1
    return r, code @ y / (code @ code), r * np.sqrt(left / (1 - r * r))


def correlation_slope_t(found: list[tuple[float, float, float]]) -> str:
    r, slope, t = np.array(found).T
    if np.isnan(r).any():
        return "no variation"
    digits = 1 if abs(t.mean()) < 100 else 0
    return f"{r.mean():+.2f} {slope.mean():+.1f} {t.mean():+.{digits}f} ({t.std():.{digits}f})"


def noise() -> None:
    alone, known = "y on the code, noise only", "... given the level"
    cells: dict[tuple[str, str], list[str]] = {}
    names = [DEFAULT, SHUFFLED, ORDERED, *PEERS]
    for size in SIZES:
        tables = [
            table(np.random.default_rng(seed), *size, effect=0.0) for seed in range(NOISE_TABLES)
        ]
        for name in names:
            some = tables[:NOISE_TABLES_OF_SLOW] if name in SLOW else tables
            codes = [coded_noise(name, frame, y, seed) for seed, (frame, _, y) in enumerate(some)]
            pairs = list(zip(codes, some, strict=True))
            apart = [regression(code, y, np.zeros_like(level)) for code, (_, level, y) in pairs]
            within = [regression(code, y, level) for code, (_, level, y) in pairs]
            cells.setdefault((alone, name), []).append(correlation_slope_t(apart))
            cells.setdefault((known, name), []).append(correlation_slope_t(within))
    for what in (alone, known):
        header(what)
        for name in names:
            line(name, cells[what, name])
        say()


# What a model makes of it.


MODELS: dict[str, tuple[Any, slice]] = {  # and the columns it is given
    "line on the code": (LinearRegression(), slice(0, 1)),
    "tree, leaves of 20 rows": (DecisionTreeRegressor(min_samples_leaf=20), slice(0, 1)),
    "tree, leaves of 100 rows": (DecisionTreeRegressor(min_samples_leaf=100), slice(0, 1)),
    "line on code, indicators": (LinearRegression(), slice(None)),
}
NAIVE, APART = "learned on the training rows", "learned on other rows"


def promises(n_levels: int, models: Iterable[str]) -> None:
    what = f"R2, {n_levels} levels, 2,000 rows"
    say(f"{what:<{FIRST}}" + "".join(f"{name:>{CELL}}" for name in models))
    for name in (DEFAULT, SHUFFLED, ORDERED, APART, NAIVE):
        found: dict[str, list[Any]] = {model: [] for model in models}
        for seed in range(SIGNAL_TABLES):
            train, test, y, y_new = prepared(name, n_levels, seed)
            for model in models:
                estimator, columns = MODELS[model]
                estimator.fit(train[:, columns], y)
                pairs = ((train, y), (test, y_new))
                found[model].append([estimator.score(x[:, columns], v) for x, v in pairs])
        means = [np.mean(scores, axis=0) for scores in found.values()]
        line(name, [f"{promised:.2f} -> {kept:.2f}" for promised, kept in means])
    say()


def prepared(name: str, n_levels: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Training rows and new rows, the code before the indicators, and their outcomes."""
    frame, _, y = table(np.random.default_rng(seed), 14_000, n_levels, effect=0.5)
    old, other, new = slice(0, 2000), slice(2000, 4000), slice(4000, None)
    cv, _ = FOLDS.get(name, (5, False))
    treatment = vt.NumericOutcomeTreatment(
        coders=["catN", "lev"], cv=cv, prune_sig=None, random_state=0
    )
    if name in FOLDS:
        train = treatment.fit_transform(frame[old], y[old])
    else:
        learned_on = other if name == APART else old
        train = treatment.fit(frame[learned_on], y[learned_on]).transform(frame[old])
    return train.to_numpy(), treatment.transform(frame[new]).to_numpy(), y[old], y[new]


FINDINGS = """\
What this means

1. Folds that do not look at y (KFold, GroupKFold, "ordered") leave nothing, however far an outcome
   is pushed. Folds that are stratified on y, or on the y of groups, leave a move, as they do in
   scikit-learn's TargetEncoder for classes.
2. That move is a change of folds, mostly the row's own: its code is then the estimate of other
   rows, as good as the first. It is as large as such estimates differ (large for rare levels), the
   same for a push of 1 sd and of 100, and goes up as often as down. In-sample codes move towards
   the outcome, in proportion to it.
3. On noise, codes from folds say nothing of y (with few levels the correlation is a touch below 0,
   as codes spread least in those tables where they happen to be wrong). Folds stratified on y are
   no different. The t of a regression has an sd of 1.3 to 1.5, though, not 1, because two rows of a
   level count for each other; "ordered" is free of that, calibrated significance reckons with it.
   Given the level, code and outcome are opposed: where the rows of a fold lie high, those of the
   other folds, which make the code, lie low. The slope nears -(folds - 1), and the fewer rows a
   level has in a fold, the closer the tie. Leaving one out is the extreme: codes that do not move
   with their own outcome (part 1) give it away all the same. Stratifying makes no difference here
   either; "ordered" has less of it.
4. So a model that can tell the level apart, by indicators or by splitting one code finely, learns
   some of the outcomes of its training rows. A line on the code keeps what it promises. Indicators
   of the same levels beside it make the promise too good, and cost nothing on new rows. Trees with
   small leaves lose on new rows, more than with codes learned on other rows; large leaves mend
   most of that.
   Whatever the encoder, judge models on rows that neither codes nor model have seen."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("leak_study.txt"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    say(versions())
    say()
    say("1. A row's own outcome is changed: how far does its own code move? Median / largest of")
    say("   20 rows; in sd of y, for a class outcome in log odds (catB) and shares (others).")
    say(f"   none: less than {ROUNDING:.0e}")
    say()
    numeric_influence(1.0)
    numeric_influence(100.0)
    class_influence()
    say("2. Where the rest comes from, 100 rows of 5 tables")
    say()
    where_it_comes_from()
    say("3. Outcomes on codes of noise: correlation, slope, t (and its sd): means of")
    say(f"   {NOISE_TABLES} tables, {NOISE_TABLES_OF_SLOW} for category_encoders")
    say()
    noise()
    say(f"4. What a model promises on its training rows -> what it keeps, {SIGNAL_TABLES} tables")
    say()
    promises(30, MODELS)
    promises(500, list(MODELS)[:3])
    say(FINDINGS)
    arguments.output.write_text("\n".join(LINES).rstrip() + "\n")


if __name__ == "__main__":
    main()
