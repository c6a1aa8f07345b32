"""Codes that are the shape of the outcome along a number, from rows to plans and engines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.significance.logistic import logistic_fit

SHAPES = ["piecewise", "spline", "window", "isotonic", "bins"]
KINDS = ["numeric", "binomial", "multinomial"]


def frame(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    bad = np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(size=n))
    few = rng.integers(0, 6, n)
    return pd.DataFrame({"x": x, "bad": bad, "few": few, "two": few % 2, "id": np.arange(n)})


def outcome(rows, kind, seed=1):
    noise = np.random.default_rng(seed).normal(size=len(rows))
    y = np.sin(rows["x"]) + rows["bad"].isna() + 0.4 * (rows["few"] == 3) + 0.5 * noise
    if kind == "numeric":
        return 3.0 * y.to_numpy() + 20.0
    cut = {"binomial": [0.3], "multinomial": [-0.2, 0.6]}[kind]
    return np.array(["low", "mid", "high"])[np.digitize(y, cut)]


def experiment(rows, kind, **options):
    options = {"cv": 4, "random_state": 0, "coders": ["clean", *SHAPES], **options}
    if kind == "binomial":
        options.setdefault("target", "mid")
    y = options.pop("y", outcome(rows, kind))
    return vt.cross_frame_experiment(
        rows, outcome=y, variables=["x", "bad", "few", "two"], **options
    )


def test_they_are_built_where_they_are_asked_for():
    rows = frame()
    plan = vt.design_treatments(rows, outcome=outcome(rows, "numeric"), random_state=0)
    assert not set(plan.score_frame["code"]) & set(SHAPES)
    plan = experiment(rows, "numeric").plan
    assert set(plan.score_frame["code"]) == {"clean", *SHAPES}
    assert "two" not in set(plan.score_frame.query("code == 'spline'")["orig_variable"])
    assert not plan.unused


def test_a_column_of_two_values_has_none():
    rows = frame()
    with pytest.warns(vt.VtreatWarning, match="too few rows or different values for a shape"):
        plan = vt.design_treatments(
            rows,
            outcome=outcome(rows, "numeric"),
            variables=["two", "x"],
            coders=["spline"],
            random_state=0,
        )
    assert list(plan.feature_names) == ["x_spline"]


def folds(n, k=4):
    """Folds that no outcome has a part in."""
    fold = np.arange(n) % k
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(k)]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_coded_by_the_others(kind):
    """No outcome moves the code of its own row; that of others it does."""
    rows, k = frame(120), 7
    y = outcome(rows, kind)
    changed = y.copy()
    another = "low" if y[k] != "low" else "mid"
    changed[k] = y[k] + 64.0 if kind == "numeric" else another
    one, other = (experiment(rows, kind, y=each, cv=folds(120)) for each in (y, changed))
    shapes = one.plan.score_frame.query("code in @SHAPES")["variable"]
    ours, theirs = one.cross_frame[shapes], other.cross_frame[shapes]
    pd.testing.assert_series_equal(ours.iloc[k], theirs.iloc[k], rtol=1e-12, atol=1e-12)
    moved = (ours - theirs).abs().max() > 1e-6
    assert moved.all() or (kind == "multinomial" and moved.any())


def test_each_fold_is_fitted_to_the_rows_of_the_others():
    rows = frame(300)
    y = outcome(rows, "numeric")
    made = experiment(
        rows,
        "numeric",
        cv=[(np.arange(100, 300), np.arange(100)), (np.arange(100), np.arange(100, 300))],
    )
    for training, applied in ((slice(100, 300), slice(0, 100)), (slice(0, 100), slice(100, 300))):
        x = rows["x"].to_numpy()
        fits = [
            IsotonicRegression(increasing=rises, out_of_bounds="clip").fit(x[training], y[training])
            for rises in (True, False)
        ]
        codes = made.cross_frame["x_isotonic"].to_numpy()[applied]
        assert min(np.abs(fit.predict(x[applied]) - codes).max() for fit in fits) < 1e-9


@pytest.mark.parametrize("n", [300, 5_000])  # a bin for each value, and several values a bin
def test_scores_are_those_of_the_cross_frame(n):
    rows = frame(n)
    made, y = experiment(rows, "numeric"), outcome(rows, "numeric")
    scores = made.plan.score_frame.set_index("variable")
    for name in scores.query("code in @SHAPES").index:
        r = np.corrcoef(made.cross_frame[name], y)[0, 1]
        np.testing.assert_allclose(scores.loc[name, "rsq"], r * r, rtol=1e-6, atol=1e-12)
    made, y = experiment(rows, "binomial"), outcome(rows, "binomial") == "mid"
    scores = made.plan.score_frame.set_index("variable")
    for name in scores.query("code in @SHAPES").index:
        x = made.cross_frame[name].to_numpy()
        fit = logistic_fit(x[None], None, y[None].astype(float))
        rtol = 1e-6 if n < 1_000 else 2e-3  # log odds may jump inside a bin of several values
        expected = 1.0 - fit.deviance[0] / fit.null_deviance[0]
        np.testing.assert_allclose(scores.loc[name, "rsq"], expected, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_scaled_codes_are_in_units_of_the_outcome(kind):
    rows = frame(5_000)
    y = outcome(rows, kind)
    cv = folds(5_000, 3)
    made, scaled = experiment(rows, kind, cv=cv), experiment(rows, kind, cv=cv, scale=True)
    target = y if kind == "numeric" else (y == "mid").astype(float)
    plain = vt.prepare(made.plan, rows.iloc[::-1])
    inner = vt.prepare(made.plan, rows.iloc[::-1], scale=True)
    for name in ("x_spline", "bad_bins", "few_piecewise"):
        line = LinearRegression().fit(plain[[name]], target[::-1])
        np.testing.assert_allclose(
            inner[name], line.predict(plain[[name]]) - target.mean(), atol=1e-6 * np.std(target)
        )
        for _, rows_of_fold in cv:
            crossed, units = (e.cross_frame[name].iloc[rows_of_fold] for e in (made, scaled))
            assert abs(np.corrcoef(crossed, units)[0, 1]) > 1.0 - 1e-9


@pytest.mark.halved
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_engines_agree(kind, weighted):
    rows = frame(250).assign(y=outcome(frame(250), kind))
    rows["w"] = np.random.default_rng(3).integers(0, 4, 250).astype(float)
    options = {
        "outcome": "y",
        "variables": ["bad", "few"],
        "cv": 2,
        "row_id": "id",
        "coders": SHAPES,
        "random_state": 0,
        "scale": True,
    }
    if kind == "binomial":
        options["target"] = "mid"
    if weighted:
        options["sample_weight"] = "w"
    ours = vt.cross_frame_experiment(rows, **options)
    theirs = vt.cross_frame_experiment(pl.from_pandas(rows).lazy(), **options)
    pd.testing.assert_frame_equal(ours.plan.score_frame, theirs.plan.score_frame, rtol=1e-7)
    found = theirs.cross_frame.collect().to_pandas().sort_values("id")
    pd.testing.assert_frame_equal(
        found[ours.cross_frame.columns].reset_index(drop=True), ours.cross_frame, atol=1e-9
    )
    del options["scale"]
    kept = vt.design_treatments(rows, **options, keep_statistics=True).statistics.plan()
    pd.testing.assert_frame_equal(kept.score_frame, ours.plan.score_frame, rtol=1e-7)
    held = vt.TreatmentPlan.from_json(ours.plan.to_json())
    new = frame(60, seed=9)
    expected = vt.prepare(ours.plan, new)
    pd.testing.assert_frame_equal(vt.prepare(held, new), expected, check_exact=True)
    lazy = vt.prepare(ours.plan, pl.from_pandas(new).lazy()).collect().to_pandas()
    pd.testing.assert_frame_equal(lazy, expected, check_exact=True)


def test_values_beyond_the_training_rows_have_those_at_the_ends():
    rows = frame()
    plan = experiment(rows, "numeric").plan
    ends = pd.DataFrame({"x": [rows["x"].min(), rows["x"].max()], "bad": 1.0, "few": 1, "two": 1})
    far = ends.assign(x=[-1e300, 1e300])
    pd.testing.assert_frame_equal(
        vt.prepare(plan, far).filter(like="x_"), vt.prepare(plan, ends).filter(like="x_")
    )


def test_bad_values_have_the_mean_of_the_good_rows():
    rows = frame()
    y = outcome(rows, "numeric")
    plan = experiment(rows, "numeric").plan
    bad = vt.prepare(plan, rows.head(1).assign(bad=np.nan))
    good = rows["bad"].notna()
    for code in SHAPES:
        np.testing.assert_allclose(bad[f"bad_{code}"], y[good].mean())
    classes = experiment(rows, "binomial").plan
    assert (
        vt.prepare(classes, rows.head(1).assign(bad=np.nan))
        .filter(like="bad_")
        .drop(columns="bad", errors="ignore")
        .to_numpy()
        == 0.0
    ).all()


@pytest.mark.parametrize("cv", ["ordered", 60])
def test_folds_without_a_past_and_many_folds(cv):
    rows = frame(60)
    made = experiment(rows, "numeric", cv=cv)
    assert np.isfinite(made.cross_frame.to_numpy()).all()
    if cv == "ordered":
        first = made.cross_frame.filter(regex="_(spline|bins|window)$").iloc[0]
        assert (first == 0.0).all()


@pytest.mark.parametrize("significance", ["calibrated", "ordered", "classic"])
def test_groups_series_and_weights_reach_the_p_values(significance):
    rows = frame(200)
    options = {"significance": significance}
    if significance == "calibrated":
        options["groups"] = np.repeat(np.arange(50), 4)
    plan = experiment(rows, "numeric", **options).plan
    scores = plan.score_frame.query("orig_variable == 'x'").set_index("code")["sig"]
    assert (scores[SHAPES].drop("isotonic") < 0.01).all()
    if significance != "classic":
        assert (scores[SHAPES] == scores["spline"]).all()


def test_r_options_take_rows_and_are_refused_where_there_are_none():
    rows = frame(200).assign(y=outcome(frame(200), "numeric"))
    options = {
        "outcome": "y",
        "variables": ["x", "two"],
        "significance": "classic",
        "smoothing": 0,
        "random_state": 0,
    }
    plan = vt.design_treatments(rows, coders=["clean", *SHAPES], **options)
    assert set(plan.score_frame.query("orig_variable == 'x'")["code"]) == {"clean", *SHAPES}
    assert set(plan.score_frame.query("orig_variable == 'two'")["code"]) == {"clean"}
    with pytest.raises(InvalidOptionError, match=r"'piecewise', 'spline', 'window', 'isotonic'"):
        vt.design_treatments(pl.from_pandas(rows).lazy(), coders=["clean", *SHAPES], **options)
    lazy = vt.design_treatments(
        pl.from_pandas(rows).lazy(), coders=["clean", "bins"], row_id="id", **options
    )
    assert "x_bins" in lazy.feature_names


def test_r_options_and_classes_give_log_odds():
    rows = frame(200)
    made = experiment(rows, "binomial", significance="classic", smoothing=0)
    window = made.plan.score_frame.set_index("variable").loc["x_window"]
    assert window["sig"] < 0.01
    codes = vt.prepare(made.plan, rows.iloc[::-1])
    assert codes["x_window"].min() < -1.0 < 1.0 < codes["x_window"].max()
    assert vt.prepare(made.plan, rows.head(1).assign(bad=np.nan))["bad_spline"].item() == 0.0


def test_r_has_no_window_of_ten_rows():
    rows = frame(10)
    plan = vt.design_treatments(
        rows[["x"]],
        outcome=outcome(rows, "numeric"),
        coders=["clean", "window", "isotonic"],
        significance="classic",
        smoothing=0,
        random_state=0,
    )
    assert set(plan.score_frame["code"]) == {"clean", "isotonic"}


def test_distances_beyond_floats_are_coded_as_others():
    rows = frame(60)
    x = 1.7e308 * (rows["x"] / 5.0 - 1.0).where(rows.index > 20, 0.0)
    rows = rows[["id"]].assign(y=outcome(rows, "numeric"))
    coders = ["piecewise", "isotonic", "bins"]
    given = {"outcome": "y", "row_id": "id", "coders": coders, "cv": 4, "random_state": 0}
    far, near = (
        vt.cross_frame_experiment(rows.assign(x=one), **given).cross_frame for one in (x, x / 8.0)
    )
    pd.testing.assert_frame_equal(far, near, check_exact=True)
    told = pl.from_pandas(rows.assign(x=x)).lazy()
    lazy = vt.cross_frame_experiment(told, **given).cross_frame
    found = lazy.collect().to_pandas().sort_values("id").reset_index(drop=True)
    pd.testing.assert_frame_equal(found[far.columns], far, atol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("shape", ["piecewise", "spline", "window", "isotonic", "bins"])
def test_bins_that_reach_far_out_do_not_carry_curves_along(shape: str, sign: float) -> None:
    """Lines through the mean of the last bin went on to its end: 42 for outcomes of 3 at most."""
    rng = np.random.default_rng(0)
    x = np.append(rng.normal(size=4_990), sign * np.geomspace(20.0, 1e4, 10))
    y = np.sin(2.0 * np.clip(x, -4.0, 4.0)) + 0.5 * rng.normal(size=5_000)
    made = vt.cross_frame_experiment(
        pd.DataFrame({"x": x}), outcome=y, coders=[shape], prune_sig=None, random_state=0
    )
    far = vt.prepare(made.plan, pd.DataFrame({"x": sign * np.geomspace(4.0, 1e6, 50)}))
    for codes in (made.cross_frame, far):
        assert np.abs(codes.to_numpy()).max() < (np.abs(y).max() if shape == "isotonic" else 1.6)
    if shape != "isotonic":
        assert made.plan.score_frame["rsq"][0] > 0.62
