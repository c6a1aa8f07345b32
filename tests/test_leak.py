"""A row's own outcome does not move its own codes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

import vtreat_py as vt
from vtreat_py.testing import own_outcome_influence

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")

ROWS = 60
PUSH = 100.0


@pytest.fixture
def frame():
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "few": random.choice(["a", "b", "c"], ROWS),
            "many": random.choice([f"level {i}" for i in range(15)], ROWS),
            "number": random.normal(size=ROWS),
        }
    )
    frame.loc[random.random(ROWS) < 0.2, "many"] = None
    frame.loc[random.random(ROWS) < 0.2, "number"] = np.nan
    return frame


def outcome_of(kind, frame):
    random = np.random.default_rng(6)
    signal = frame["few"].map({"a": 0.0, "b": 1.0, "c": 2.0}) + random.normal(size=len(frame))
    if kind == "multinomial":
        return np.array(["low", "mid", "high"])[np.digitize(signal, [0.5, 1.5])]
    return signal.to_numpy() if kind == "numeric" else (signal > 1).to_numpy().astype(int)


SPLITS = {
    "folds": KFold(4, shuffle=True, random_state=1),
    "groups": GroupKFold(4),
    "time": TimeSeriesSplit(3),
    "order": "ordered",
}
TREATMENTS = {
    "numeric": vt.NumericOutcomeTreatment,
    "binomial": vt.BinomialOutcomeTreatment,
    "multinomial": vt.MultinomialOutcomeTreatment,
}
OPTIONS = {
    "default": {},
    "smoothed": {"smoothing": 3.0},
    "raw": {"smoothing": 0.0},
    "pooled": {"rare_count": 3.0},
    "scaled": {"scale": True},
    "every level": {"min_fraction": 0.0},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", TREATMENTS)
def test_own_outcome_does_not_move_own_codes(frame, kind, weighted, split, options):
    given = {}
    if weighted:
        given["sample_weight"] = np.random.default_rng(7).integers(1, 4, ROWS).astype(float)
    if split == "groups":
        given["groups"] = np.random.default_rng(8).integers(0, 12, ROWS)
    treatment = TREATMENTS[kind](cv=SPLITS[split], prune_sig=None, **OPTIONS[options])
    y = outcome_of(kind, frame)
    # With a number for smoothing a past that lacks a class takes the codes of all rows, as R does.
    first = 20 if "smoothing" in OPTIONS[options] else 2
    rows = range(first, ROWS, 9)
    found = own_outcome_influence(treatment, frame, y, rows=rows, push=PUSH, **given)
    assert found.moves.notna().any(axis=None)
    assert found.largest <= 1e-10


def test_naive_codes_do_move(frame):
    """The probe finds a leak where there is one."""
    y = outcome_of("numeric", frame)
    pushed = y.copy()
    pushed[3] += PUSH
    codes = [
        vt.prepare(
            vt.design_treatments(frame, outcome=one, outcome_type="numeric", smoothing=0.0),
            frame,
            variables=["many_catN"],
        )
        for one in (y, pushed)
    ]
    assert abs(codes[0].iloc[3, 0] - codes[1].iloc[3, 0]) > 1


def test_a_fold_that_cannot_support_a_code_is_coded_by_what_it_knows():
    """Held out alone, level c leaves two levels: R takes the whole data's codes, we do not."""
    frame = pd.DataFrame({"x": list("aabbaabbc")})
    y = np.array([0.0, 1.0, 3.0, 4.0, 1.0, 0.5, 2.5, 4.5, 9.0])
    folds = [
        (np.arange(8), np.array([8])),
        (np.arange(4, 9), np.arange(4)),
        (np.array([0, 1, 2, 3, 8]), np.arange(4, 8)),
    ]
    ours, rs = (
        vt.cross_frame_experiment(
            frame,
            outcome=y,
            outcome_type="numeric",
            cv=folds,
            smoothing=smoothing,
            min_fraction=0.0,
        ).cross_frame["x_catN"][8]
        for smoothing in ("auto", 0.0)
    )
    assert ours == 0.0
    assert rs == pytest.approx(9.0 - y.mean())


def test_noise_coded_by_the_cross_frame_teaches_a_model_nothing():
    """A column of noise levels correlates with y by chance only, naive codes by far more."""
    random = np.random.default_rng(11)
    correlations = {"cross-frame": [], "naive": []}
    for _ in range(10):
        frame = pd.DataFrame({"x": random.integers(0, 500, 2000).astype(str)})
        y = random.normal(size=2000)
        experiment = vt.cross_frame_experiment(
            frame, outcome=y, smoothing=0.0, coders=["catN"], random_state=0
        )
        naive = vt.prepare(experiment.plan, frame)
        correlations["cross-frame"].append(np.corrcoef(experiment.cross_frame["x_catN"], y)[0, 1])
        correlations["naive"].append(np.corrcoef(naive["x_catN"], y)[0, 1])
    assert abs(np.mean(correlations["cross-frame"])) < 0.05
    assert np.mean(correlations["naive"]) > 0.4


@pytest.mark.parametrize("outcome", ["two classes", "three classes", "tied numbers"])
def test_rows_that_are_sorted_by_level_share_no_outcomes_through_the_folds(outcome):
    """Dealt in the frame's order, each level's outcomes would be even over the folds."""
    found = []
    for seed in range(5):
        random = np.random.default_rng(seed)
        frame = pd.DataFrame({"x": np.repeat(np.arange(500), 20).astype(str)})
        y = random.integers(0, 3 if outcome == "three classes" else 2, 10_000)
        y = {"two classes": y, "three classes": np.array(list("abc"))[y], "tied numbers": y + 2.0}[
            outcome
        ]
        coded = vt.cross_frame_experiment(
            frame, outcome=y, coders=["catB", "catN"], smoothing=1, random_state=0
        ).cross_frame
        target = y == y[0] if outcome != "tied numbers" else y
        code = coded.filter(like="cat").filter(regex=f"^{y[0]}_|^x_").iloc[:, 0]
        found.append(np.corrcoef(code, target)[0, 1])
    assert abs(np.mean(found)) < 0.02
