"""y-aware components: against a naive computation, R, and what the rules promise."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score

import vtreat_py as vt
from tests.conftest import arrays, assert_close
from tests.oracle import BESIDE, Case
from tests.yaware.data import classes, noise, shared_causes
from vtreat_py.base.errors import FrameError, InvalidOptionError, OutcomeError
from vtreat_py.yaware.components import principal_components

RANDOM = np.random.default_rng(4)
X, NUMBERS = shared_causes(300, 3, RANDOM)
WEIGHT = RANDOM.integers(0, 4, 300).astype(float)
KINDS = ["numeric", "binomial", "multinomial"]
ORACLE = {
    "g1_yaware_pca_N": False,
    "g2_yaware_pca_C_catScalingTRUE": True,
    "g3_yaware_pca_C_catScalingFALSE": False,
}


def naive(frame: pd.DataFrame, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes by regressions, components by a singular value decomposition of the rows."""
    x = frame.to_numpy() - frame.to_numpy().mean(axis=0)
    targets = [y] if y.dtype.kind == "f" else [(y == c).astype(float) for c in np.unique(y)]
    targets = targets[1:] if len(targets) == 2 else targets
    slopes = np.array([[np.polyfit(column, t, 1)[0] for column in x.T] for t in targets])
    slope = slopes[0] if len(slopes) == 1 else np.sqrt((slopes**2).sum(axis=0))
    _, values, components = np.linalg.svd(x * slope, full_matrices=False)
    return values, components


@pytest.mark.parametrize("kind", KINDS)
def test_components_are_those_of_the_scaled_rows(kind: str) -> None:
    y = classes(NUMBERS, kind)
    pca = vt.YAwarePCA(15).fit(X, y)
    values, components = naive(X, y)
    np.testing.assert_allclose(pca.singular_values_, values, rtol=1e-9)
    np.testing.assert_allclose(pca.all_singular_values_, values, rtol=1e-9)
    alike = np.abs((pca.components_ * components).sum(axis=1))
    np.testing.assert_allclose(alike, 1.0, rtol=1e-9)
    np.testing.assert_allclose(pca.explained_variance_, values**2 / 299, rtol=1e-9)
    np.testing.assert_allclose(pca.explained_variance_ratio_.sum(), 1.0)
    scaled = vt.YAwareScaler(random_state=0).fit(X, y)
    np.testing.assert_allclose(pca.scale_, scaled.scale_, rtol=1e-10)
    np.testing.assert_allclose(pca.mean_, scaled.mean_, rtol=1e-10)
    np.testing.assert_allclose(pca.spread_, X.std(), rtol=1e-10)
    np.testing.assert_allclose(
        pca.transform(X), scaled.transform(X) @ pca.components_.T, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("kind", KINDS[1:])
def test_link_slopes_are_those_of_the_scaler(kind: str) -> None:
    y = classes(NUMBERS, kind)
    pca = vt.YAwarePCA(2, link=True).fit(X, y, sample_weight=WEIGHT)
    scaler = vt.YAwareScaler(link=True).fit(X, y, sample_weight=WEIGHT)
    np.testing.assert_allclose(pca.scale_, scaler.scale_, rtol=1e-7)


@pytest.mark.parametrize("n_components", [3, "permutation", "significance", 0.9])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_repeat_rows_and_their_order_does_not_matter(kind: str, n_components: Any) -> None:
    y = classes(NUMBERS, kind)
    repeated = RANDOM.permutation(np.repeat(np.arange(300), WEIGHT.astype(int)))
    weighted = vt.YAwarePCA(n_components, random_state=0).fit(X, y, sample_weight=WEIGHT)
    spelt_out = vt.YAwarePCA(n_components, random_state=0).fit(X.iloc[repeated], y[repeated])
    np.testing.assert_array_equal(weighted.selected_, spelt_out.selected_)
    for name in ("components_", "singular_values_", "explained_variance_", "scale_", "mean_"):
        np.testing.assert_allclose(
            getattr(weighted, name), getattr(spelt_out, name), 1e-7, 1e-9, err_msg=name
        )
    if n_components == "permutation":
        np.testing.assert_allclose(
            weighted.null_singular_values_, spelt_out.null_singular_values_, rtol=1e-7
        )


def test_permuted_outcomes_are_those_of_refits() -> None:
    """The null distribution is that of fitting to shuffled outcomes, by hand."""
    pca = vt.YAwarePCA(random_state=0, n_permutations=400).fit(X, NUMBERS)
    random = np.random.default_rng(1)
    by_hand = [naive(X, random.permutation(NUMBERS))[0] for _ in range(400)]
    for k in (0, 1, 5):
        ours = pca.null_singular_values_[:, k]
        assert stats.ks_2samp(ours, np.array(by_hand)[:, k]).pvalue > 1e-3


def test_permuted_link_slopes_are_close_to_those_of_refits() -> None:
    y = classes(NUMBERS, "binomial")
    pca = vt.YAwarePCA(link=True, random_state=0, n_permutations=100).fit(X, y)
    random = np.random.default_rng(1)
    by_hand = [
        vt.YAwarePCA(1, link=True).fit(X, random.permutation(y)).singular_values_[0]
        for _ in range(60)
    ]
    assert np.median(pca.null_singular_values_[:, 0]) == pytest.approx(np.median(by_hand), rel=0.1)


def test_weights_that_count_nothing_permute_weighted_residuals() -> None:
    weight = WEIGHT + RANDOM.random(300)
    pca = vt.YAwarePCA(random_state=0).fit(X, NUMBERS, sample_weight=weight)
    assert pca.n_components_ >= 2
    frame, y = noise(300, 3, np.random.default_rng(0))
    nothing = vt.YAwarePCA(random_state=0)
    with pytest.warns(vt.VtreatWarning, match="no component stands out"):
        nothing.fit(frame, y, sample_weight=weight)
    assert nothing.transform(frame).shape == (300, 0)
    assert nothing.n_components_ == 0


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:no component stands out")
@pytest.mark.parametrize("rule", ["permutation", "significance"])
def test_noise_passes_for_signal_no_more_often_than_the_rule_says(rule: str) -> None:
    """Over 50 frames of 20 columns, about one in 20; for each kind of outcome and of slope."""
    cases = [("numeric", False), *((kind, link) for kind in KINDS[1:] for link in (False, True))]
    taken = dict.fromkeys([*cases, ("rare", True)], 0)
    for seed in range(50):
        frame, y = noise(200, 4, np.random.default_rng(seed))
        outcomes = {kind: classes(y, kind) for kind in KINDS} | {"rare": y > np.quantile(y, 0.95)}
        for kind, link in taken:
            pca = vt.YAwarePCA(rule, link=link, random_state=seed).fit(frame, outcomes[kind])
            taken[kind, link] += pca.n_components_ > 0
    assert max(taken.values()) <= stats.binom.ppf(1 - 1e-3, 50, 1 / 20)
    assert sum(taken.values()) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_few_kinds_may_come_in_any_order(kind: str) -> None:
    """Rows of zeros and ones tie with one another."""
    random = np.random.default_rng(0)
    flags = random.integers(0, 2, size=(300, 6)).astype(float)
    y = classes(random.normal(size=300) + 0.35 * flags[:, 0], kind)
    nulls = []
    for seed in range(4):
        rows = np.random.default_rng(seed).permutation(300)
        pca = vt.YAwarePCA(random_state=0).fit(flags[rows], y[rows])
        nulls.append(pca.null_singular_values_)
    np.testing.assert_allclose(nulls, [nulls[0]] * 4, rtol=1e-7, atol=1e-9)


def test_heavy_weights_count_rows_too() -> None:
    y = NUMBERS + 3.0 * RANDOM.normal(size=300)
    rows = np.repeat(np.arange(300), 20)
    weighted = vt.YAwarePCA(random_state=0).fit(X, y, sample_weight=np.full(300, 20.0))
    spelt_out = vt.YAwarePCA(random_state=0).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(
        weighted.null_singular_values_, spelt_out.null_singular_values_, rtol=1e-7
    )


def test_noise_behind_signal_is_noise() -> None:
    """Five components tell of the two causes of the outcome; 45 columns of noise add none."""
    kept = []
    for seed in range(20):
        frame, y = shared_causes(500, 10, np.random.default_rng(seed))
        kept.append(vt.YAwarePCA(random_state=seed).fit(frame, y).n_components_)
        assert vt.YAwarePCA("significance", random_state=seed).fit(frame, y).n_components_ in (
            1,
            2,
            3,
        )
    assert min(kept) == 5
    assert np.sum(np.array(kept) > 5) <= stats.binom.ppf(1 - 1e-3, 20, 1 / 50)


@pytest.mark.long
def test_out_of_fold_slopes_do_not_lean_to_the_outcome() -> None:
    """With many columns of noise, in-sample components predict the training rows, and no others."""
    inside, crossed = [], []
    for seed in range(10):
        frame, y = noise(150, 30, np.random.default_rng(seed))
        pca = vt.YAwarePCA(5, random_state=0)
        crossed.append(_r2(pca.fit_transform(frame, y), y))
        inside.append(_r2(pca.transform(frame), y))
    assert np.mean(inside) > 0.2
    assert np.mean(crossed) < 2 * 5 / 149  # by chance alone it is 5 / 149


def _r2(scores: Any, y: np.ndarray) -> float:
    return float(LinearRegression().fit(scores, y).score(scores, y))


def test_a_share_of_variance_is_covered_by_the_fewest_components() -> None:
    every = vt.YAwarePCA(15).fit(X, NUMBERS).explained_variance_ratio_
    with pytest.warns(vt.VtreatWarning, match="no component stands out"):
        assert vt.YAwarePCA(0.5).fit(np.ones((300, 2)), NUMBERS).n_components_ == 0
    for share in (0.3, 0.9, 0.999):
        kept = vt.YAwarePCA(share).fit(X, NUMBERS).n_components_
        assert every[:kept].sum() >= share > every[: kept - 1].sum()


def test_signs_do_not_hang_on_rounding() -> None:
    """Slopes for several classes have no sign, so two columns that mirror each other oppose."""
    mirror = pd.DataFrame({"a": X["x0"], "b": -X["x0"], "c": X["x1"]})
    y = classes(NUMBERS, "multinomial")
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(300)
        loadings = vt.YAwarePCA(3).fit(mirror.iloc[rows], y[rows]).components_[0]
        np.testing.assert_allclose(np.abs(loadings[:2]), np.sqrt(0.5), rtol=0.05)
        assert loadings[0] > 0 > loadings[1]


def test_a_few_of_very_many_components_are_found_one_by_one() -> None:
    random = np.random.default_rng(0)
    directions = np.linalg.qr(random.normal(size=(1_000, 9)))[0].T
    sizes, scale = np.arange(9.0, 0.0, -1.0), 0.5 + random.random(1_000)
    rows = sizes[:, None] * directions / scale
    values, components = principal_components(rows.T @ rows, scale, 7)
    np.testing.assert_allclose(values, sizes[:7], rtol=1e-9)
    np.testing.assert_allclose(np.abs((components * directions[:7]).sum(axis=1)), 1.0, rtol=1e-9)
    assert (components[np.arange(7), np.abs(components).argmax(axis=1)] > 0).all()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_come_back_with_names_and_index(make: Any) -> None:
    frame = make({name: X[name].to_numpy() for name in X})
    pca = vt.YAwarePCA(2, random_state=0)
    crossed = pca.fit_transform(frame, NUMBERS)
    assert type(crossed) is type(frame)
    assert list(arrays(crossed)) == pca.get_feature_names_out().tolist()
    assert list(arrays(crossed)) == ["yawarepca0", "yawarepca1"]
    array = vt.YAwarePCA(2, random_state=0).fit_transform(X.to_numpy(), NUMBERS)
    np.testing.assert_allclose(array, np.array([*arrays(crossed).values()]).T, rtol=1e-9)
    assert_close(pickle.loads(pickle.dumps(pca)).transform(frame), pca.transform(frame))


def test_a_treated_frame_with_its_units() -> None:
    """Offsets of 1e9 and units of 1e200 cost no digits."""
    frame = X.assign(x0=1e9 + X["x0"], x1=1e200 * X["x1"])
    plain, odd = vt.YAwarePCA(3).fit(X, NUMBERS), vt.YAwarePCA(3).fit(frame, NUMBERS)
    np.testing.assert_allclose(odd.singular_values_, plain.singular_values_, rtol=1e-6)
    np.testing.assert_allclose(odd.transform(frame), plain.transform(X), atol=1e-5)


def test_more_columns_than_rows() -> None:
    frame, y = shared_causes(60, 70, np.random.default_rng(0))
    pca = vt.YAwarePCA(100).fit(frame, y)
    values, _ = naive(frame, y)
    np.testing.assert_allclose(pca.all_singular_values_[:60], values, rtol=1e-6, atol=1e-6)
    with pytest.warns(vt.VtreatWarning, match=r"no component stands out|is too few"):
        pca = vt.YAwarePCA("permutation", random_state=0, n_permutations=20).fit(frame, y)
    assert pca.null_singular_values_.shape == (20, 1)
    assert vt.YAwarePCA(2, cv="ordered").fit_transform(frame, y).shape == (60, 2)


def test_bad_questions_are_refused() -> None:
    with pytest.raises(OutcomeError, match="squares of such numbers leave the range"):
        vt.YAwarePCA(1).fit(X, 1e170 * NUMBERS)
    with pytest.raises(FrameError, match="'x1' holds numbers below 1e-140 only"):
        vt.YAwarePCA(1).fit(X.assign(x1=1e-170 * X["x1"]), NUMBERS)
    for wrong in (0, 16, 1.0, -0.5, True, "all", None):
        with pytest.raises(
            InvalidOptionError, match=r"n_components=.* must be a whole number from 1"
        ):
            vt.YAwarePCA(wrong).fit(X, NUMBERS)
    for few in (0, 2.5, True):
        with pytest.raises(InvalidOptionError, match=r"n_permutations=.* must be a whole number"):
            vt.YAwarePCA(n_permutations=few).fit(X, NUMBERS)
    with pytest.warns(
        vt.VtreatWarning, match="n_permutations=9 is too few to tell a chance of one"
    ):
        vt.YAwarePCA(n_permutations=9).fit(X, NUMBERS)
    with pytest.raises(
        InvalidOptionError, match=r"sample_weight sums to 0.5, but weights count rows"
    ):
        vt.YAwarePCA(2).fit(X, NUMBERS, sample_weight=np.full(300, 0.5 / 300))


def beside(name: str) -> tuple[Case, Path]:
    folder = BESIDE / name
    if not folder.exists():
        pytest.skip("the oracle cases are not beside this checkout")
    return Case(folder), folder


@pytest.mark.parametrize("name", ORACLE)
def test_r_finds_the_same_components(name: str) -> None:
    case, folder = beside(name)
    train, test = case.frame("train"), case.frame("test")
    assert train is not None
    assert test is not None
    columns = case.config["varlist"]
    every = vt.YAwarePCA(50, link=ORACLE[name]).fit(train[columns], train["y"])
    sdev = pd.read_csv(folder / "prcomp_sdev.csv")["sdev"]
    np.testing.assert_allclose(np.sqrt(every.explained_variance_), sdev, rtol=1e-8)
    rotation = pd.read_csv(folder / "prcomp_rotation.csv").drop(columns="varName").to_numpy()
    sign = np.sign((rotation.T * every.components_).sum(axis=1))
    np.testing.assert_allclose(every.components_ * sign[:, None], rotation.T, atol=1e-8)
    pca = vt.YAwarePCA(2, link=ORACLE[name]).fit(train[columns], train["y"])
    scores = {}
    for role, frame in (("train", train), ("test", test)):
        theirs = pd.read_csv(folder / f"projection_{role}.csv")[["PC1", "PC2"]]
        scores[role] = pca.transform(frame[columns])
        np.testing.assert_allclose(scores[role] * sign[:2], theirs, atol=1e-8)
    results = json.loads((folder / "pca_results.json").read_text())
    if name.startswith("g1"):
        line = LinearRegression().fit(scores["train"], train["y"])
        measured = {
            f"rsq_{role}": r2_score(frame["y"], line.predict(scores[role]))
            for role, frame in (("train", train), ("test", test))
        }
        assert measured["rsq_test"] == pytest.approx(0.5061438, abs=5e-8)
    else:
        logistic = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
        logistic.fit(scores["train"], train["y"])
        measured = {
            f"auc_{role}": roc_auc_score(frame["y"], logistic.decision_function(scores[role]))
            for role, frame in (("train", train), ("test", test))
        }
    for key, value in measured.items():
        assert value == pytest.approx(results[key], abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_permutation_chooses_five_and_significance_two_on_the_reference_data(seed: int) -> None:
    case, _ = beside("g1_yaware_pca_N")
    train = case.frame("train")
    assert train is not None
    x, y = train[case.config["varlist"]], train["y"]
    assert vt.YAwarePCA(random_state=seed).fit(x, y).selected_.tolist() == [0, 1, 2, 3, 4]
    assert vt.YAwarePCA("significance").fit(x, y).selected_.tolist() == [0, 1]
