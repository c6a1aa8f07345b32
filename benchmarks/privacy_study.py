"""Private plans: what noise costs, and whether it keeps models from over-fitting.

Run with ``python benchmarks/privacy_study.py > benchmarks/privacy_study.txt``; some two minutes
on one core. Means over draws, with the standard error of the last digit's column behind them.

First table: columns of 200 levels whose sizes go down as one over their rank, 20,000 rows; the
outcome is the effect of the level (standard deviation 1) plus noise (2), and its sign the class.
The error of codes is that of the effects they stand for, over the rows of new frames; the loss is
that of a linear model on the code and nothing else, over that of one without it.

The other tables: what a model is promised on the rows that it is trained on, and what it delivers
on new ones, for six columns of pure noise beside one that matters, of levels of equal size. Codes
of the rows of training are those of the plan itself ("own": naive, where there is no noise; or
noise in place of folds), or those of the cross-frame. All are shrunk by 1 row, as the default
shrinks what is but noise away by itself.

Last, columns that have nothing to do with the outcome, far from the middle of their ranges or not:
shares of p-values at or below .05 and .01, and the largest standard deviation of their scaled
variables, over that of the outcome.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, r2_score

import vtreat_py as vt

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, None)
DRAWS, DRAWS_OF_NOISE = 6, 400
DELTA = 1e-6


def levels_by_rank(rng: np.random.Generator, n: int) -> Any:
    """Codes of levels of very different sizes."""
    share = 1.0 / np.arange(1, 201)
    return rng.choice(200, n, p=share / share.sum())


def plan_of(frame: pd.DataFrame, y: Any, kind: str, epsilon: float | None, **options: Any) -> Any:
    given: dict[str, Any] = {"outcome": y, "outcome_type": kind, "random_state": 0} | options
    if kind == "binomial":
        given["target"] = True
    if epsilon is not None:
        span = (-10.0, 10.0) if kind == "numeric" else None
        given["privacy"] = vt.DifferentialPrivacy(epsilon, DELTA, outcome_range=span)
        given["random_state"] = None
    return vt.design_treatments(frame, **given)


def loss_and_error(rng: np.random.Generator) -> Iterator[tuple[float | None, list[float]]]:
    """For each epsilon: levels that are published, errors and losses."""
    effect = rng.normal(size=200)
    codes = [levels_by_rank(rng, 20_000) for _ in range(2)]
    y = [effect[one] + rng.normal(scale=2.0, size=len(one)) for one in codes]
    train, test = (pd.DataFrame({"x": [f"level {c}" for c in one]}) for one in codes)
    for epsilon in EPSILONS:
        found = []
        for kind, code in (("numeric", "catN"), ("binomial", "catB")):
            is_number = kind == "numeric"
            outcome = y if is_number else [one > 0 for one in y]
            plan = plan_of(train, outcome[0], kind, epsilon, coders=[code])
            own, new = (
                vt.prepare(plan, frame)[[f"x_{code}"]].to_numpy() for frame in (train, test)
            )
            if is_number:
                found.append(float(len(plan.treatments[0].levels)))
                apart = new[:, 0] - (effect[codes[1]] - effect[codes[1]].mean())
                found.append(float(np.sqrt(np.mean(apart**2))))
                model = LinearRegression().fit(own, outcome[0])
                found.append(1.0 - r2_score(outcome[1], model.predict(new)))
            else:
                model = LogisticRegression().fit(own, outcome[0])
                p = model.predict_proba(new)[:, 1]
                base = np.full(len(p), outcome[0].mean())
                found.append(log_loss(outcome[1], p) / log_loss(outcome[1], base))
        yield epsilon, found


def promised_and_delivered(
    rng: np.random.Generator, n_levels: int
) -> Iterator[tuple[str, list[float]]]:
    """R2 on the rows of training, and on new ones, for each way to code these."""
    n = 10_000
    effect = rng.normal(scale=0.7, size=n_levels)
    parts = [rng.integers(0, n_levels, (n, 7)) for _ in range(2)]
    names = ["matters", *(f"noise{i}" for i in range(6))]
    train, test = (
        pd.DataFrame({name: part[:, i].astype(str) for i, name in enumerate(names)})
        for part in parts
    )
    y, new_y = (effect[part[:, 0]] + rng.normal(scale=2.0, size=n) for part in parts)
    for epsilon in (None, 3.0, 10.0, 30.0, 100.0):
        experiment = _experiment(train, y, epsilon)
        plan = experiment.plan
        way = "no privacy" if epsilon is None else f"epsilon {epsilon:g}"
        yield f"{way}, own", _r2(plan, vt.prepare(plan, train), test, y, new_y)
        yield f"{way}, crossed", _r2(plan, experiment.cross_frame, test, y, new_y)


def _experiment(frame: pd.DataFrame, y: Any, epsilon: float | None) -> Any:
    given: dict[str, Any] = {"outcome": y, "outcome_type": "numeric", "random_state": 0}
    if epsilon is not None:
        given["privacy"] = vt.DifferentialPrivacy(epsilon, DELTA, outcome_range=(-10.0, 10.0))
        given["random_state"] = None
    return vt.cross_frame_experiment(frame, coders=["catN"], smoothing=1.0, **given)


def _r2(plan: Any, treated: pd.DataFrame, test: pd.DataFrame, y: Any, new_y: Any) -> list[float]:
    if not plan.derived:
        return [0.0, 0.0]
    model = LinearRegression().fit(treated, y)
    new = vt.prepare(plan, test)[list(treated)]
    return [model.score(treated, y), model.score(new, new_y)]


# Rows, epsilon and range of a numeric outcome of mean 0 and deviation 1; a class of 10% if None.
NOISES = (
    (3_000, 1.0, (-4.0, 4.0)),
    (3_000, 1.0, (-1.0, 20.0)),
    (3_000, 10.0, (-4.0, 4.0)),
    (10_000, 0.3, (-4.0, 4.0)),
    (3_000, 1.0, None),
    (10_000, 0.3, None),
)
COLUMNS = {
    "levels": lambda rng, n: rng.choice(list("abcdef"), n),
    "middle": lambda rng, n: rng.uniform(0.0, 100.0, n),
    "narrow": lambda rng, n: rng.normal(10.0, 3.0, n),
    "long tail": lambda rng, n: rng.exponential(5.0, n),
}


def of_noise(rng: np.random.Generator, rows: int, epsilon: float, span: Any) -> pd.DataFrame:
    """Scores, and deviations of scaled variables, of a column of noise at a time."""
    found = []
    y = rng.normal(size=rows) if span else rng.random(rows) < 0.1
    for name, draw in COLUMNS.items():
        frame = pd.DataFrame({name: draw(rng, rows)})
        numbers = {} if name == "levels" else {name: (0.0, 100.0)}
        plan = vt.design_treatments(
            frame,
            outcome=y,
            outcome_type="numeric" if span else "binomial",
            target=None if span else True,
            coders=["clean", "lev", "catN" if span else "catB"],
            privacy=vt.DifferentialPrivacy(
                epsilon, DELTA, outcome_range=span, number_ranges=numbers
            ),
        )
        if plan.derived:
            scaled = vt.prepare(plan, frame, scale=True).std() / y.std()
            scores = plan.score_frame.set_index("variable")
            found.append(
                pd.DataFrame(
                    {
                        "of": scores["orig_variable"] + ", " + scores["code"],
                        "sig": scores["sig"],
                        "deviation": scaled,
                    }
                )
            )
    return pd.concat(found)


def noise_is_no_signal() -> None:
    """Print the table of noise."""
    print(f"Columns of noise, {DRAWS_OF_NOISE} draws (standard errors of .05: .011, of .01: .005;")
    print("indicators of a column go together)")
    for rows, epsilon, span in NOISES:
        draws = (
            of_noise(np.random.default_rng(seed), rows, epsilon, span)
            for seed in range(DRAWS_OF_NOISE)
        )
        found = pd.concat(draws).groupby("of", sort=False)
        shares = found["sig"].agg(
            **{"at .05": lambda p: (p <= 0.05).mean(), "at .01": lambda p: (p <= 0.01).mean()}
        )
        shares["largest deviation"] = found["deviation"].max()
        print(f"\n{rows} rows, epsilon {epsilon:g}, " + (f"range {span}" if span else "10% hits"))
        print(shares.round(3).to_string())
    print()


def table(draws: list[list[tuple[Any, list[float]]]], heads: list[str], shown: str) -> None:
    """Print means over draws, and standard errors of the last column."""
    print(f"{shown:>20} " + " ".join(f"{head:>18}" for head in heads) + "  +- last")
    for rows in zip(*draws, strict=True):
        values = np.array([numbers for _, numbers in rows])
        error = values[:, -1].std(ddof=1) / np.sqrt(len(values))
        way = "no privacy" if rows[0][0] is None else str(rows[0][0])
        cells = " ".join(f"{mean:18.3f}" for mean in values.mean(axis=0))
        print(f"{way:>20} {cells}  {error:.3f}")
    print()


def main() -> None:
    """Run the study."""
    warnings.simplefilter("ignore", vt.VtreatWarning)
    start = time.process_time()
    draws = [list(loss_and_error(np.random.default_rng(seed))) for seed in range(DRAWS)]
    print(f"200 levels of 20,000 rows, one column, delta {DELTA:g}, {DRAWS} draws\n")
    heads = ["levels published", "error of catN", "loss, number", "loss, class"]
    table(draws, heads, "epsilon")
    for n_levels in (50, 250):
        rows = [
            list(promised_and_delivered(np.random.default_rng(seed), n_levels))
            for seed in range(DRAWS)
        ]
        print(f"Seven columns of {n_levels} levels of {10_000 // n_levels} rows each: R2")
        table(rows, ["promised", "delivered"], "codes")
    noise_is_no_signal()
    print(f"{time.process_time() - start:.0f} seconds of one processor; vtreat_py {vt.__version__}")


if __name__ == "__main__":
    main()
