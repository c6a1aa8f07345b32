"""A row's own outcome does not move its own codes."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, TimeSeriesSplit

import vtreat_py as vt
from tests.conftest import checkered
from vtreat_py.testing import own_outcome_influence

pytestmark = [
    pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning"),
    pytest.mark.usefixtures("few_draws"),
]

ROWS = 60
PUSH = 100.0
GROUP = np.arange(ROWS) // 6  # no split below cuts one in two, so all go with groups and without


@pytest.fixture
def frame():
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "few": random.choice(["a", "b", "c"], ROWS),
            "many": random.choice([f"level {i:02d}" for i in range(15)], ROWS),
            "number": random.normal(size=ROWS),
        }
    )
    frame.loc[random.random(ROWS) < 0.2, "many"] = None
    frame.loc[random.random(ROWS) < 0.2, "number"] = np.nan
    return frame


def signal_of(frame):
    random = np.random.default_rng(6)
    few = frame["few"].map({"a": 0.0, "b": 1.0, "c": 2.0})
    many = frame["many"].str.removeprefix("level ").astype(float).fillna(0.0)
    return (few + 0.2 * many + random.normal(size=len(frame))).to_numpy()


def outcome_of(kind, frame):
    """Numbers are so large that an outcome that is pushed does not drown what levels tell."""
    signal = signal_of(frame)
    if kind == "multinomial":
        return np.array(["low", "mid", "high"])[np.digitize(signal, [1.5, 3.0])]
    return PUSH * signal if kind == "numeric" else (signal > 2).astype(int)


def pairs_that_leave_rows_out():
    """Each fold is trained on some of the other groups only, so sums must be made for it."""
    part = GROUP % 5
    return [(np.flatnonzero((part - k) % 5 > 1), np.flatnonzero(part == k)) for k in range(5)]


SPLITS = {
    "folds": KFold(4, shuffle=True, random_state=1),
    "folds of groups": GroupKFold(4),
    "pairs": pairs_that_leave_rows_out(),
    "time": TimeSeriesSplit(4),
    "order": "ordered",
}
TREATMENTS = {
    "numeric": vt.NumericOutcomeTreatment,
    "binomial": vt.BinomialOutcomeTreatment,
    "multinomial": vt.MultinomialOutcomeTreatment,
}
CODES = {
    "numeric": {"clean", "isBAD", "lev", "catP", "catN", "catD"},
    "binomial": {"clean", "isBAD", "lev", "catP", "catB"},
    "multinomial": {"clean", "isBAD", "lev", "catP", "catB"},
}


def code_of(name):
    said = re.search("_(isBAD|lev|catP|catB|catN|catD)(_|$)", name)
    return said[1] if said else "clean"


RAW = {"smoothing": 0.0, "significance": "calibrated"}


def most_own_influence(frame, kind, split, *, weighted, grouped, rows, **options):
    """The largest move of an own code; every code of the outcome must have been compared."""
    given = {}
    if weighted:
        given["sample_weight"] = np.random.default_rng(7).integers(1, 4, ROWS).astype(float)
    if grouped:
        given["groups"] = GROUP
    treatment = TREATMENTS[kind](cv=SPLITS[split], prune_sig=None, **options)
    y = outcome_of(kind, frame)
    found = own_outcome_influence(treatment, frame, y, rows=rows, push=PUSH, **given)
    compared = [name for name in found.moves if found.moves[name].notna().any()]
    assert CODES[kind] <= {code_of(name) for name in compared}
    return found.largest


SPLITS_AND_GROUPS = {
    "folds": ("folds", False),
    "folds of groups": ("folds of groups", True),
    "pairs": ("pairs", False),
    "pairs with groups": ("pairs", True),
    "time with groups": ("time", True),
    "time": ("time", False),
    "order": ("order", False),
    "order with groups": ("order", True),
}
CASES = checkered(
    {kind: kind for kind in TREATMENTS},
    SPLITS_AND_GROUPS,
    {"plain": False, "weights": True},
    {"as fitted": {"scale": False}, "scaled, raw": {"scale": True, **RAW}},
)


@pytest.mark.parametrize(("kind", "folds", "weighted", "options"), CASES)
def test_own_outcome_does_not_move_own_codes(frame, kind, folds, weighted, options):
    split, grouped = folds
    given = {"weighted": weighted, "grouped": grouped, "rows": (2, 41)}
    assert most_own_influence(frame, kind, split, **given, **options) <= 1e-10


OPTIONS = {
    "smoothed": {"smoothing": 3.0, "significance": "calibrated"},
    "pooled": {"rare_count": 3.0},
    "pooled, raw": {"rare_count": 3.0, **RAW},
    "tested": {"rare_sig": 0.5, **RAW},
    "every level": {"min_fraction": 0.0},
    "collared, link": {"collar": True, "collar_prob": 0.1, "cat_scaling": True},
    "codes by class": {"y_dependent_coders": ["lev", "catP", "catB"]},
}


@pytest.mark.parametrize(
    ("kind", "split", "options"),
    checkered(
        {kind: kind for kind in TREATMENTS},
        {"folds": "folds", "order": "order"},
        {options: options for options in OPTIONS},
    ),
)
def test_no_option_lets_own_outcomes_in(frame, kind, split, options):
    given = {
        name: v for name, v in OPTIONS[options].items() if name in TREATMENTS[kind]().get_params()
    }
    most = most_own_influence(
        frame, kind, split, weighted=True, grouped=False, rows=(2, 58), scale=True, **given
    )
    assert most <= 1e-10


@pytest.mark.parametrize("smoothing", [0.0, 3.0])
@pytest.mark.parametrize("split", ["folds", "order"])
@pytest.mark.parametrize("kind", TREATMENTS)
def test_rs_rule_lets_them_in_only_where_a_fold_cannot_support_a_code(
    frame, kind, split, smoothing
):
    """These rows have a past of all classes, so that R's rule finds codes in it."""
    most = most_own_influence(
        frame, kind, split, weighted=True, grouped=False, rows=(20, 38, 56),
        smoothing=smoothing, significance="classic",
    )  # fmt: skip
    assert most <= 1e-10


@pytest.mark.halved
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("split", SPLITS)
def test_an_outcome_may_be_pushed_beyond_all_others(frame, split, scale):
    """Variances are those of the pushed outcome; impact codes may go, as if by chance."""
    given = {"groups": GROUP, "rows": (2, 31, 58)}
    if split == "folds":
        del given["groups"]
    for options in ({}, RAW):
        treatment = vt.NumericOutcomeTreatment(
            cv=SPLITS[split], prune_sig=None, scale=scale, **options
        )
        found = own_outcome_influence(treatment, frame, signal_of(frame), push=PUSH, **given)
        assert found.largest <= 1e-10


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("kind", TREATMENTS)
def test_rows_that_are_coded_several_times_do_not_see_themselves(frame, kind, scale):
    folds = RepeatedKFold(n_splits=4, n_repeats=2, random_state=3)
    y = outcome_of(kind, frame)
    row = 17
    moved = y.copy()
    moved[row] = y[row] + PUSH if kind == "numeric" else next(c for c in y if c != y[row])
    before, after = (
        vt.cross_frame_experiment(
            frame, outcome=one, outcome_type=kind, cv=folds, scale=scale, **RAW
        )
        for one in (y, moved)
    )
    own = before.cross_rows == row
    assert own.sum() == 2
    names = [name for name in before.cross_frame if name in after.cross_frame]
    assert any("cat" in name for name in names)
    np.testing.assert_allclose(
        after.cross_frame[names][own], before.cross_frame[names][own], rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", TREATMENTS)
def test_what_stratified_folds_leave_is_a_change_of_folds(frame, kind, grouped):
    """In the folds of the moved outcome, the old outcome gives the row the same codes."""
    y = outcome_of(kind, frame)
    given = {"outcome_type": kind, "groups": GROUP if grouped else None, "random_state": 0, **RAW}
    changed = 0
    for row in (3, 17, 31, 45):
        moved = y.copy()
        moved[row] = y[row] + PUSH if kind == "numeric" else next(c for c in y if c != y[row])
        old = vt.cross_frame_experiment(frame, outcome=y, cv=5, **given)
        new = vt.cross_frame_experiment(frame, outcome=moved, cv=5, **given)
        same = vt.cross_frame_experiment(frame, outcome=y, cv=new.folds, **given)
        np.testing.assert_allclose(
            new.cross_frame.loc[row, same.plan.feature_names], same.cross_frame.loc[row],
            rtol=0, atol=1e-10,
        )  # fmt: skip
        changed += not np.allclose(new.cross_frame.loc[row], old.cross_frame.loc[row])
    assert changed


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
            smoothing=0.0,
            significance=significance,
            min_fraction=0.0,
        ).cross_frame["x_catN"][8]
        for significance in ("calibrated", "classic")
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
