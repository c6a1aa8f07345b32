"""Columns that go together: hierarchies and composites, beside oracles and a peer.

``hierarchy``: 40 states, 800 counties and 12,000 zip codes of skewed sizes, 60,000 rows; effects of
all three are normal with the variances shown, that of a row is 1. Mean squared errors of what is
believed of the mean of a zip code that has rows, and of those that have none: of the plan, of the
best linear predictions with the variances of restricted maximum likelihood (all of them at once,
by another search than the plan's), and with the true variances. ``held out``: of the rows of each
of five folds, coded by the other four, beside category_encoders' target encoder with the same
hierarchy, trained on the same four.

``interaction``: two columns of 12 levels, whose pairs go up or down by 1 at random (an exclusive or
of groups of levels); 5,000 rows. rsq of the composite, and of the true means of its pairs.

``additive``: two columns that add up, some of whose pairs are never seen. How often a composite is
recommended, what its levels add at most, and squared errors in rows of new pairs, over those of the
true sums.

``size``: shares of p-values of impact codes, indicators and prevalences of composites, and of those
of the child of a hierarchy, at or below .05, .01 and .001, where there is nothing to find: effects
that add up (of the child: noise, in ten times as many designs).

``new levels``: 50 counties and 2,000 zip codes, of even sizes or of Zipf's; effects of both on the
logarithm of a rate, or on log odds, are normal with the deviations shown; 20,000 rows, from which a
quarter of the zip codes and a fifth of the counties are left out. Sums of predictions over those of
what came, in 20,000 other rows, of zip codes that are known, that are new, and in counties that are
new: by the code of the zip code alone, and with ``hierarchies`` or ``composites``. ``slope``: of
what came of new zip codes on their code, in a regression on the link, which is 1 where codes are
neither too large nor too small.

Writes parts_study.csv and parts_study.txt.

Run: python benchmarks/parts_study.py [designs of each cell of sizes, 60]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from category_encoders import TargetEncoder
from scipy.optimize import minimize
from simulation import Array, in_parallel
from sklearn.linear_model import LogisticRegression, PoissonRegressor
from sklearn.model_selection import KFold

import vtreat_py as vt

HERE = Path(__file__).parent
STATES, COUNTIES, ZIPS, ROWS = 40, 800, 12_000, 60_000
VARIANCES = ((0.3, 0.2, 0.1), (0.05, 0.3, 0.4), (0.2, 0.0, 0.05), (0.02, 0.02, 0.02))
SIZES = (0.05, 0.01, 0.001)
# An outcome, deviations of counties and zip codes, and where all are on the link.
TRUTHS = (
    ("rate", 0.3, 1.0, -0.7),
    ("rate", 0.8, 0.6, -1.6),
    ("rate", 0.5, 0.5, -2.3),
    ("binomial", 0.3, 1.2, -3.0),
    ("binomial", 0.8, 0.6, -2.0),
    ("binomial", 1.2, 2.0, 0.0),
)
Tree = tuple[Array, Array]


def map_of(random: np.random.Generator) -> Tree:
    """State of each county, and county of each zip code."""
    return np.arange(COUNTIES) % STATES, random.permutation(np.arange(ZIPS) % COUNTIES)


def best_predictions(
    variances: Array, tree: Tree, weight: Array, mean: Array
) -> tuple[Array, float, float]:
    """Predict the means of zip codes; twice the restricted log likelihood comes with them.

    ``variances`` are those of states, counties and zip codes, in units of that of a row. What is
    returned is given the squares about these means, as a share and a sum of logarithms.
    """
    parents = [tree[1], tree[0], np.zeros(STATES, int)]
    sizes = [COUNTIES, STATES, 1]
    up, log, squares = [], 0.0, 0.0
    for parent, size, ratio in zip(parents, sizes, variances[::-1], strict=True):
        belief = ratio * weight / (1.0 + ratio * weight)
        v = weight / (1.0 + ratio * weight)
        total = np.bincount(parent, v, size)
        centre = np.bincount(parent, v * mean, size) / np.maximum(total, 1e-300)
        squares += float((v * (mean - centre[parent]) ** 2).sum())
        log += float(np.log1p(ratio * weight).sum())
        up.append((belief, mean, parent))
        weight, mean = total, centre
    log += float(np.log(weight[0]))
    believed = mean
    for belief, own, parent in reversed(up):
        believed = believed[parent] + belief * (own - believed[parent])
    return believed, squares, log


def by_likelihood(tree: Tree, weight: Array, mean: Array, inside: float) -> Array:
    """The variances of restricted maximum likelihood, all of them at once."""
    rows = float(weight.sum())

    def deviance(logs: Array) -> float:
        _, squares, log = best_predictions(np.exp(logs), tree, weight, mean)
        return (rows - 1.0) * float(np.log(squares + inside)) + log

    options = {"xatol": 1e-4, "fatol": 1e-7, "maxiter": 2000}
    found = minimize(deviance, np.full(3, -2.0), method="Nelder-Mead", options=options)
    return np.exp(found.x)


def hierarchy_cell(seed: int, variances: tuple[float, ...]) -> list[dict[str, Any]]:
    """Errors of one set of rows."""
    random = np.random.default_rng([seed, *(int(1000 * v) for v in variances)])
    tree = map_of(random)
    effect = [
        random.normal(0.0, np.sqrt(v), n)
        for v, n in zip(variances, (STATES, COUNTIES, ZIPS), strict=True)
    ]
    truth = 5.0 + effect[0][tree[0][tree[1]]] + effect[1][tree[1]] + effect[2]
    share = random.lognormal(0.0, 1.2, ZIPS)
    place = random.choice(ZIPS, ROWS, p=share / share.sum())
    y = truth[place] + random.normal(size=ROWS)
    frame = rows_of(tree, place)
    folds = list(KFold(5, shuffle=True, random_state=seed).split(frame))
    options: dict[str, Any] = {
        "hierarchies": {"zip": "county", "county": "state"},
        "coders": ["catN"],
    }
    experiment = vt.cross_frame_experiment(frame, outcome=y, cv=folds, **options)
    code = vt.prepare(experiment.plan, rows_of(tree, np.arange(ZIPS)))["zip_catN"]
    weight = np.bincount(place, minlength=ZIPS).astype(float)
    seen = weight > 0
    mean = np.bincount(place, y, ZIPS) / np.maximum(weight, 1.0)
    inside = float(((y - mean[place]) ** 2).sum())
    found = {"plan": code.to_numpy() + y.mean()}
    found["REML"], *_ = best_predictions(
        by_likelihood(tree, weight, mean, inside), tree, weight, mean
    )
    found["true variances"], *_ = best_predictions(np.array(variances), tree, weight, mean)
    rows = []
    for what, some in (("seen", seen), ("novel", ~seen)):
        errors = {name: float(((one - truth)[some] ** 2).mean()) for name, one in found.items()}
        rows.append({"cell": "hierarchy", "variances": str(variances), "of": what} | errors)
    ours, theirs = np.empty(ROWS), np.empty(ROWS)
    for train, test in folds:
        ours[test] = experiment.cross_frame["zip_catN"].to_numpy()[test] + y[train].mean()
        theirs[test] = peer(frame, y, train, test)
    errors = {"plan": ours, "category_encoders": theirs, "mean": np.full(ROWS, y.mean())}
    held = {name: float(((one - truth[place]) ** 2).mean()) for name, one in errors.items()}
    rows.append({"cell": "hierarchy", "variances": str(variances), "of": "held out"} | held)
    return rows


def rows_of(tree: Tree, place: Array) -> pd.DataFrame:
    """Rows of zip codes, as text."""
    county = tree[1][place]
    return pd.DataFrame(
        {
            "zip": np.char.add("z", place.astype(str)),
            "county": np.char.add("c", county.astype(str)),
            "state": np.char.add("s", tree[0][county].astype(str)),
        }
    )


def peer(frame: pd.DataFrame, y: Array, train: Array, test: Array) -> Array:
    """Codes of category_encoders' target encoder."""
    above = frame[["state", "county"]].set_axis(["HIER_zip_1", "HIER_zip_2"], axis=1)
    encoder = TargetEncoder(cols=["zip"], hierarchy=above.iloc[train].reset_index(drop=True))
    own = frame[["zip"]]
    encoder.fit(own.iloc[train].reset_index(drop=True), pd.Series(y[train]))
    return encoder.transform(own.iloc[test])["zip"].to_numpy()


def interaction_cell(seed: int) -> list[dict[str, Any]]:
    """A pair that says everything together, and nothing by adding up."""
    random = np.random.default_rng(seed)
    sides = [random.permutation(np.arange(12) % 2) for _ in range(2)]
    first, second = random.integers(0, 12, (2, 5_000))
    mean = np.where(sides[0][first] == sides[1][second], 1.0, -1.0)
    y = mean + random.normal(size=5_000)
    table = scores({"a": first, "b": second}, y, composites=[("a", "b")]).set_index("variable")
    one = table.loc["a_colon_b_catN"]
    truth = float(np.corrcoef(mean, y)[0, 1] ** 2)
    return [
        {
            "cell": "interaction",
            "rsq": one["rsq"],
            "oracle": truth,
            "recommended": one["recommended"],
        }
    ]


def additive_cell(seed: int, levels: int, n_rows: int) -> list[dict[str, Any]]:
    """Two columns that add up; a quarter of their pairs is never seen."""
    random = np.random.default_rng([seed, levels, n_rows])
    effect = random.normal(size=(2, levels))
    known = random.random((levels, levels)) < 0.75
    pairs = np.argwhere(known)[random.integers(0, known.sum(), n_rows)]
    new = np.argwhere(~known)[random.integers(0, (~known).sum(), 20_000)]
    y = effect[0][pairs[:, 0]] + effect[1][pairs[:, 1]] + random.normal(size=n_rows)
    plan = design(columns_of(pairs), y, composites=[("a", "b")])
    table = plan.score_frame.set_index("variable")
    truth = effect[0][new[:, 0]] + effect[1][new[:, 1]]
    noise = random.normal(size=len(new))
    code = vt.prepare(plan, pd.DataFrame(columns_of(new)))["a_colon_b_catN"].to_numpy() + y.mean()
    own = plan.level_effects("a:b").iloc[:-1]
    of_pair = table["orig_variable"] == "a:b"
    return [
        {"cell": "additive", "levels": levels, "rows": n_rows}
        | {"recommended": float(table.loc[of_pair, "recommended"].any())}
        | {"variables": int(of_pair.sum())}
        | {"added at most": float((own["effect"] - own["of_parts"]).abs().max())}
        | {"error of new pairs": float(((truth + noise - code) ** 2).mean() / (noise**2).mean())}
    ]


def columns_of(pairs: Array) -> dict[str, Array]:
    """Two columns of text."""
    return {name: np.char.add(name, pairs[:, k].astype(str)) for k, name in enumerate("ab")}


def design(columns: dict[str, Array], y: Array, **options: Any) -> vt.TreatmentPlan:
    """A plan of columns of levels, or of numbers."""
    frame = pd.DataFrame(
        {name: c if c.dtype.kind in "fU" else c.astype(str) for name, c in columns.items()}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        return vt.design_treatments(frame, outcome=y, random_state=0, **options)


def scores(columns: dict[str, Array], y: Array, **options: Any) -> pd.DataFrame:
    """The score frame, with codes that were tried and dropped."""
    plan = design(columns, y, **options)
    dropped = pd.DataFrame(
        [(one.column, one.code, one.sig) for one in plan.dropped if one.n_tests == 1],
        columns=["orig_variable", "code", "sig"],
    )
    return pd.concat([plan.score_frame, dropped.assign(recommended=False)], ignore_index=True)


def outcome_of(kind: str, latent: Array, random: np.random.Generator) -> Array:
    """An outcome around means."""
    if kind == "lognormal":
        return latent + np.exp(random.normal(size=len(latent)))
    if kind == "t(2)":
        return latent + random.standard_t(2, len(latent))
    if kind == "normal":
        return latent + random.normal(size=len(latent))
    rate = 1.0 / (1.0 + np.exp(-(latent - (0.0 if kind == "half" else 3.0))))
    return (random.random(len(latent)) < rate).astype(int)


def size_cell(n_designs: int, kind: str, what: str, levels: int) -> list[dict[str, Any]]:
    """Shares of small p-values where there is nothing to find: effects add up."""
    random = np.random.default_rng([levels, len(kind), len(what)])
    found = []
    for _ in range(n_designs):
        columns = [random.integers(0, levels, 2_000) for _ in range(3)]
        latent = sum(random.normal(size=levels)[column] for column in columns)
        y = outcome_of(kind, latent, random)
        if len(np.unique(y)) < 2:
            continue
        options: dict[str, Any] = {"composites": [("a", "b")]}
        named = dict(zip("abc", columns, strict=True))
        if what == "three columns":
            options = {"composites": [("a", "b", "c")]}
        if what == "numbers":
            named["b"] = random.normal(size=2_000)
        if what == "child":
            named = {"a": columns[0], "b": columns[0] * levels + columns[1]}
            y = outcome_of(kind, np.zeros(2_000), random)
            options = {"hierarchies": {"b": "a"}}
            if len(np.unique(y)) < 2:
                continue
        table = scores(named, y, coders=["catN", "catB", "lev", "catP"], **options)
        own = table["orig_variable"].astype(str).str.contains(":") | (what == "child")
        found.append(table[own & ~table["orig_variable"].isin(["a"] if what == "child" else [])])
    rows, everyone = [], pd.concat(found)
    for code, of_code in everyone.groupby("code"):
        row = {"cell": "size", "outcome": kind, "of": what, "levels": levels}
        shares = {f"at {size}": float((of_code["sig"] <= size).mean()) for size in SIZES}
        rows.append(row | {"code": code, "tests": len(of_code)} | shares)
    return rows


def new_levels_cell(
    seed: int, kind: str, of_counties: float, of_zips: float, at: float, even: bool
) -> list[dict[str, Any]]:
    """Predictions of known and of new levels, over what came."""
    random, rows, zips = np.random.default_rng([seed, 5]), 20_000, 2_000
    share = random.permutation(np.ones(zips) if even else 1.0 / np.arange(1, zips + 1) ** 0.8)
    zip_code = random.choice(zips, 2 * rows, p=share / share.sum())
    county = zip_code % 50
    effect = (
        of_counties * random.normal(size=50)[county] + of_zips * random.normal(size=zips)[zip_code]
    )
    of_rate = kind == "rate"
    rate = np.exp(at + effect) if of_rate else 1.0 / (1.0 + np.exp(-at - effect))
    y = random.poisson(rate) if of_rate else (random.random(2 * rows) < rate).astype(int)
    new_zip, new_county = (random.random(zips) < 0.25)[zip_code], (random.random(50) < 0.2)[county]
    later = np.arange(2 * rows) >= rows
    old = ~(later | new_zip | new_county)
    frame = pd.DataFrame({"county": county.astype(str), "zip": zip_code.astype(str)})
    frame["one"] = 1.0
    given: dict[str, Any] = {"exposure": "one"} if of_rate else {}
    seen = np.isin(zip_code, zip_code[old])
    sets = {
        "known": later & seen,
        "new zip codes": later & new_zip & ~new_county,
        "new counties": later & new_county,
    }
    found, overall = [], float(y[old].mean())
    for of, options in {
        "alone": {},
        "hierarchies": {"hierarchies": {"zip": "county"}},
        "composites": {"composites": [("county", "zip")]},
    }.items():
        code = "catR" if of_rate else "catB"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.VtreatWarning)
            plan = vt.design_treatments(
                frame[old],
                outcome=y[old],
                outcome_type=kind,
                variables=["county", "zip"],
                coders=[code],
                random_state=0,
                **given,
                **options,
            )
        name = plan.derived[-1].name
        codes = vt.prepare(plan, frame, variables=[name])[name].to_numpy()
        if of_rate:
            predicted = overall * np.exp(codes)
        else:
            predicted = 1.0 / (1.0 + (1.0 - overall) / overall * np.exp(-codes))
        row = {"cell": "new levels", "outcome": kind, "deviations": f"{of_counties}, {of_zips}"}
        ratios = {name: predicted[rows].sum() / y[rows].sum() for name, rows in sets.items()}
        of_new = sets["new zip codes"]
        ratios["slope"] = slope_of(kind, codes[of_new], y[of_new])
        found.append(row | {"even": even, "of": of} | ratios)
    return found


def slope_of(kind: str, code: Array, y: Array) -> float:
    """Slope of a regression on the link; NaN of a code that does not vary."""
    if np.ptp(code) < 1e-6:
        return np.nan
    model = PoissonRegressor(alpha=0.0) if kind == "rate" else LogisticRegression(C=np.inf)
    return float(np.ravel(model.fit(code[:, None], y).coef_)[0])


def main() -> None:
    """Run all cells, and write them."""
    n_designs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    cells = [*in_parallel(hierarchy_cell, [(seed, v) for v in VARIANCES for seed in range(3)])]
    cells += in_parallel(interaction_cell, [(seed,) for seed in range(20)])
    shapes = ((12, 3_000), (12, 30_000), (40, 10_000))
    cells += in_parallel(
        additive_cell,
        [(seed, *shape) for shape in shapes for seed in range(max(n_designs // 2, 1))],
    )
    sizes: list[tuple[Any, ...]] = [
        (n_designs * (10 if what == "child" else 1), kind, what, levels)
        for kind in ("normal", "lognormal", "t(2)", "half", "5%")
        for what, levels in (
            ("pair", 5),
            ("pair", 40),
            ("numbers", 12),
            ("three columns", 5),
            ("child", 12),
        )
    ]
    cells += in_parallel(size_cell, sizes)
    cells += in_parallel(
        new_levels_cell,
        [(seed, *one, even) for one in TRUTHS for even in (True, False) for seed in range(20)],
    )
    report(pd.DataFrame([row for rows in cells for row in rows]))


def report(found: pd.DataFrame) -> None:
    """Write the cells, and what they say."""
    found.to_csv(HERE / "parts_study.csv", index=False, float_format="%.6g")
    told = [
        __doc__.split("\n\n")[0] if __doc__ else "",
        "A share of .05 of 60 tests has a standard error of .028, of 600 one of .009; indicators "
        "of a column go together.",
    ]
    keys = {"hierarchy": ["variances", "of"], "additive": ["levels", "rows"]}
    keys["new levels"] = ["outcome", "deviations", "even", "of"]
    for cell, rows in found.groupby("cell", sort=False):
        kept = rows.dropna(axis=1, how="all").drop(columns="cell")
        if cell == "interaction":
            kept = kept.astype(float).agg(["mean", "min", "max"]).reset_index(names="of 20 designs")
        if cell in keys:
            groups = kept.groupby(keys[str(cell)], sort=False)
            kept = groups.mean().reset_index()
            if cell == "new levels":
                errors = groups.sem().max().map("{:.2g}".format)
                told.append(f"Standard errors, at most: {errors.to_dict()}")
        told.append(f"{cell}\n{kept.to_string(index=False, float_format=lambda x: f'{x:.4g}')}")
    text = "\n\n".join(told)
    (HERE / "parts_study.txt").write_text(text + "\n")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
