"""Folds are sound, and the cross-frame is what refitting fold by fold would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

import vtreat_py as vt
from tests.conftest import (
    TREATED,
    assert_close,
    assert_same_scores,
    assert_same_values,
    checkered,
    example_columns,
)
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, OutcomeError

pytestmark = pytest.mark.usefixtures("few_draws")
ROWS = 240
Pairs = list[tuple[np.ndarray, np.ndarray]]


def folds_of(outcome: Any, **options: Any) -> Pairs:
    """Folds of an experiment on a single number."""
    frame = pd.DataFrame({"z": np.arange(len(outcome)) % 7})
    given: dict[str, Any] = {"random_state": 0}
    return vt.cross_frame_experiment(frame, outcome=outcome, **given | options).folds


def labels(pairs: Pairs, n_rows: int) -> np.ndarray:
    """Fold of each row; every row is applied once, and trained on everywhere else."""
    fold = np.full(n_rows, -1)
    for k, (train, application) in enumerate(pairs):
        assert (fold[application] == -1).all()
        fold[application] = k
        np.testing.assert_array_equal(train, np.setdiff1d(np.arange(n_rows), application))
    assert (fold >= 0).all()
    return fold


def noise(n_rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n_rows)


@pytest.mark.parametrize("n_rows", [60, 61, 64])
@pytest.mark.parametrize("cv", [2, 3, 5, 7])
def test_default_folds_are_of_one_size(n_rows: int, cv: int) -> None:
    for y in (noise(n_rows), noise(n_rows) > 0.8):
        sizes = np.bincount(labels(folds_of(y, cv=cv), n_rows))
        assert len(sizes) == cv
        assert np.ptp(sizes) <= 1


def test_five_folds_are_the_default() -> None:
    assert len(folds_of(noise(40))) == 5


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_default_folds_are_stratified_on_a_class(share: float) -> None:
    hit = np.arange(203) < 203 * share
    np.random.default_rng(0).shuffle(hit)
    hits = np.bincount(labels(folds_of(hit), 203), hit)
    assert np.ptp(hits) <= 2


def test_default_folds_are_stratified_on_a_numeric_outcome() -> None:
    y = noise(200)
    fold = labels(folds_of(y), 200)
    # Each run of five neighbours in y meets each of the five folds.
    neighbours = np.sort(fold[np.argsort(y)].reshape(-1, 5))
    np.testing.assert_array_equal(neighbours, np.tile(np.arange(5), (40, 1)))


def test_default_folds_of_many_rows_are_balanced_but_do_not_look_at_a_numeric_outcome() -> None:
    n_rows = (1 << 16) + 3
    fold = labels(folds_of(noise(n_rows)), n_rows)
    assert np.ptp(np.bincount(fold)) <= 1
    np.testing.assert_array_equal(fold, labels(folds_of(noise(n_rows, seed=1)), n_rows))


def test_default_folds_of_many_rows_are_stratified_on_a_class() -> None:
    n_rows = (1 << 16) + 3
    hit = noise(n_rows) > 2.5
    assert np.ptp(np.bincount(labels(folds_of(hit), n_rows), hit)) <= 2


@pytest.mark.parametrize("y", [noise(101), noise(101) > 0], ids=["numeric", "binomial"])
def test_a_seed_makes_folds_reproducible(y: np.ndarray) -> None:
    def fold(seed: Any) -> list[int]:
        return labels(folds_of(y, random_state=seed), 101).tolist()

    assert fold(1) == fold(1)
    assert fold(1) != fold(2)
    assert fold(np.random.RandomState(1)) == fold(1)
    assert fold(None) != fold(None)


def test_a_seed_does_not_touch_the_global_random_numbers() -> None:
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    folds_of(noise(30), random_state=7)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_plan_scores_and_cross_frame_come_from_one_split(frame: pd.DataFrame) -> None:
    given = {"outcome": "y", "variables": TREATED}
    made = vt.cross_frame_experiment(frame, random_state=4, **given)
    again = vt.cross_frame_experiment(frame, cv=made.folds, **given)
    assert_same_scores(made.plan, again.plan)
    assert_same_values(made.cross_frame, again.cross_frame)


@pytest.mark.parametrize("y", [noise(120), noise(120) > 0], ids=["numeric", "binomial"])
@pytest.mark.parametrize("make", [np.asarray, lambda g: [f"g{v}" for v in g], pd.Categorical])
def test_rows_of_a_group_share_a_fold(y: np.ndarray, make: Any) -> None:
    groups = np.random.default_rng(3).integers(0, 13, 120)
    fold = labels(folds_of(y, groups=make(groups), cv=4), 120)
    assert len(set(fold)) == 4
    for group in range(13):
        assert len(set(fold[groups == group])) == 1


def test_grouped_folds_are_reproducible() -> None:
    groups = np.arange(120) % 20
    one, two, other = (folds_of(noise(120), groups=groups, random_state=s) for s in (0, 0, 1))
    assert labels(one, 120).tolist() == labels(two, 120).tolist()
    assert labels(one, 120).tolist() != labels(other, 120).tolist()


@pytest.mark.parametrize(
    "cv",
    [[(range(15), range(15, 30)), (range(15, 30), range(15))], KFold(2)],
    ids=["list", "KFold"],
)
def test_given_folds_that_split_a_group_are_refused_or_give_a_warning(cv: Any) -> None:
    with pytest.raises((vt.VtreatError, UserWarning), match="group"):
        folds_of(noise(30), groups=np.arange(30) % 7, cv=cv)


def test_given_folds_that_keep_groups_together_are_welcome() -> None:
    halves = [(range(15), range(15, 30)), (range(15, 30), range(15))]
    fold = labels(folds_of(noise(30), groups=np.arange(30) // 5, cv=halves), 30)
    assert fold.tolist() == [1] * 15 + [0] * 15


def test_groups_come_by_name_and_are_not_treated() -> None:
    frame = pd.DataFrame({"z": noise(60), "who": np.arange(60) % 6, "y": noise(60, 1)})
    made = vt.cross_frame_experiment(frame, outcome="y", groups="who", cv=3, random_state=0)
    assert made.plan.variables == ("z",)
    fold = labels(made.folds, 60)
    assert all(len(set(fold[frame["who"] == g])) == 1 for g in range(6))


def test_group_folds_of_rare_classes_give_no_foreign_warning() -> None:
    folds_of(np.arange(40) % 20 == 0, groups=np.arange(40) % 8)


def test_group_folds_of_fewer_rows_than_folds_in_each_class_work_or_are_refused_by_us() -> None:
    try:
        fold = labels(folds_of([0, 1] * 4, groups=list(range(8))), 8)
    except vt.VtreatError:
        pass
    else:
        assert len(set(fold)) == 5


def test_a_splitter_is_used_as_it_is() -> None:
    y = noise(50)
    splitter = KFold(4, shuffle=True, random_state=3)
    for (train, application), (ours, app) in zip(
        splitter.split(y[:, None]), folds_of(y, cv=splitter), strict=True
    ):
        np.testing.assert_array_equal(train, ours)
        np.testing.assert_array_equal(application, app)


def test_a_stratified_splitter_sees_the_class() -> None:
    y = np.array(["p", "q", "q", "q"] * 15)
    fold = labels(folds_of(y, cv=StratifiedKFold(3)), 60)
    assert np.bincount(fold, y == "p").tolist() == [5, 5, 5]


def test_a_stratified_splitter_sees_the_values_of_a_numeric_outcome() -> None:
    y = np.repeat([1, 2, 6], [30, 20, 10])
    fold = labels(folds_of(y, cv=StratifiedKFold(5)), 60)
    assert np.bincount(fold, y == 6).tolist() == [2] * 5


@pytest.mark.parametrize("splitter", [GroupKFold(3), LeaveOneGroupOut()])
def test_a_group_splitter_sees_the_groups(splitter: Any) -> None:
    groups = np.array(["a", "b", "c"] * 20)
    fold = labels(folds_of(noise(60), cv=splitter, groups=groups), 60)
    assert {frozenset(groups[fold == k]) for k in range(3)} == {frozenset(g) for g in "abc"}


def test_folds_may_be_lists_of_rows_or_of_flags() -> None:
    y = noise(30)
    rows = [(np.arange(15), np.arange(15, 30)), (np.arange(15, 30), np.arange(15))]
    flags = []
    for train, application in rows:
        flags.append((np.isin(np.arange(30), train), np.isin(np.arange(30), application)))
    lists = [(train.tolist(), range(int(app[0]), int(app[-1]) + 1)) for train, app in rows]
    series = [(pd.Series(train), pd.Index(app)) for train, app in rows]
    expected = labels(rows, 30).tolist()
    for given in (rows, flags, lists, series, tuple(map(list, lists))):
        assert labels(folds_of(y, cv=given), 30).tolist() == expected


HALVES = (range(15), range(15, 30))
BAD_FOLDS: dict[str, tuple[Any, type[Exception], str]] = {
    "one fold": (1, InvalidOptionError, r"cv=1: at least 2 folds.*its own outcome"),
    "no folds": (0, InvalidOptionError, r"cv=0: at least 2 folds"),
    "negative folds": (-3, InvalidOptionError, r"cv=-3: at least 2 folds"),
    "more folds than rows": (31, InvalidOptionError, r"cv=31 folds .* there are 30"),
    "one pair": ([HALVES], InvalidOptionError, r"cv gives 1 fold: at least 2"),
    "no pairs": ([], InvalidOptionError, r"cv gives 0 fold"),
    "overlap": (
        [(range(16), range(15, 30)), HALVES],
        InvalidOptionError,
        r"cv\[0\] uses 1 rows for training and application, for instance row 15",
    ),
    "a row twice in one application": (
        [HALVES, (range(15, 30), [0, 0])],
        InvalidOptionError,
        r"application rows of cv\[1\] hold row 0 more than once",
    ),
    "beyond the last row": (
        [HALVES, (range(15, 31), range(15))],
        InvalidOptionError,
        r"training rows of cv\[1\] hold 30, but rows are 0 to 29",
    ),
    "negative row": (
        [HALVES, (range(15, 30), [-1])],
        InvalidOptionError,
        r"application rows of cv\[1\] hold -1, but rows are 0 to 29",
    ),
    "empty training": (
        [([], range(15)), HALVES],
        InvalidOptionError,
        r"training rows of cv\[0\] are e",
    ),
    "empty application": (
        [HALVES, (range(15), np.zeros(30, dtype=bool))],
        InvalidOptionError,
        r"application rows of cv\[1\] are empty",
    ),
    "not a pair": ([HALVES, range(3)], OptionTypeError, r"cv\[1\] is not a pair"),
    "fold numbers": ([0, 1] * 15, OptionTypeError, r"cv\[0\] is not a pair"),
    "fractions": ([([0.0], [1.0]), HALVES], OptionTypeError, r"training rows of cv\[0\] must be"),
    "texts": ([HALVES, (["a"], ["b"])], OptionTypeError, r"training rows of cv\[1\] must be row n"),
    "flags of another length": (
        [HALVES, ([True, False], [False, True])],
        OptionTypeError,
        r"training rows of cv\[1\] must be row numbers; found an array of bool",
    ),
    "a flag": (True, OptionTypeError, r"cv=True is not understood; give a number of folds"),
    "a fraction": (2.5, OptionTypeError, r"cv=2.5 is not understood"),
    "a text": ("5", InvalidOptionError, r"cv='5' names no column of the frame; it has 'z'"),
    "bytes": (b"ordered", OptionTypeError, r"cv=b'ordered' is not understood"),
    "a class": (KFold, OptionTypeError, r"cv=<class .*KFold'> is not understood"),
    "a class in time": (TimeSeriesSplit, OptionTypeError, r"TimeSeriesSplit'> is not understood"),
    "a dict": ({0: 1}, OptionTypeError, r"cv=\{0: 1\} is not understood"),
}


@pytest.mark.parametrize(("cv", "error", "message"), BAD_FOLDS.values(), ids=BAD_FOLDS)
def test_folds_that_would_leak_or_make_no_sense_are_refused(
    cv: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        folds_of(noise(30), cv=cv)
    assert isinstance(caught.value, vt.VtreatError)


BAD_GROUPS: dict[str, tuple[Any, type[Exception], str]] = {
    "too few": ([0, 1] * 15, InvalidOptionError, r"cv=5 folds need as many groups.*holds 2"),
    "missing number": ([np.nan] + [1.0] * 29, OutcomeError, r"groups has missing values"),
    "missing text": ([None] + ["a"] * 29, OutcomeError, r"groups has missing values"),
    "only missing": ([None] * 30, OutcomeError, r"groups has missing values"),
    "short": ([1, 2], vt.VtreatError, r"groups has 2 values, but the frame has 30 rows"),
    "unknown": ("who", vt.VtreatError, r"groups='who' is not a column"),
}


@pytest.mark.parametrize(("groups", "error", "message"), BAD_GROUPS.values(), ids=BAD_GROUPS)
def test_groups_that_cannot_be_used_are_refused(
    groups: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        folds_of(noise(30), groups=groups)


@pytest.mark.parametrize("seed", ["a", -1, 1.5])
def test_a_seed_that_cannot_be_used_is_refused(seed: Any) -> None:
    with pytest.raises(vt.VtreatError, match="random_state"):
        folds_of(noise(30), random_state=seed)


def test_folds_without_training_weight_are_refused() -> None:
    w = np.array([0.0] * 15 + [1.0] * 15)
    with pytest.raises(InvalidOptionError, match=r"fold 0 has no training row of positive weight"):
        folds_of(noise(30), cv=[HALVES, HALVES[::-1]], sample_weight=w)


def test_rows_never_applied_are_left_out_of_the_cross_frame() -> None:
    frame = pd.DataFrame({"z": np.arange(30.0), "y": noise(30)})
    with pytest.warns(vt.VtreatWarning, match="cv leaves 10 of 30 rows out of all application"):
        made = vt.cross_frame_experiment(frame, outcome="y", cv=folds_in_time(30, 0, splits=2))
    assert made.cross_frame["z"].tolist() == list(range(10, 30))
    for (train, application), (ours, app) in zip(
        TimeSeriesSplit(2).split(frame), made.folds, strict=True
    ):
        np.testing.assert_array_equal(ours, train)
        np.testing.assert_array_equal(app, application)


def test_rows_never_applied_are_scored_by_the_plan_all_the_same() -> None:
    frame = pd.DataFrame({"z": np.arange(30.0), "y": noise(30)})
    by_time = vt.design_treatments(frame, outcome="y", cv=folds_in_time(30, 0, splits=2))
    assert_same_scores(by_time, vt.design_treatments(frame, outcome="y"))


def test_fit_transform_refuses_folds_that_leave_rows_out() -> None:
    X = pd.DataFrame({"z": np.arange(30.0)})
    treatment = vt.NumericOutcomeTreatment(cv=folds_in_time(30, 0, splits=2), prune_sig=None)
    with pytest.raises(InvalidOptionError, match=r"every row once, but cv leaves.*cross_frame"):
        treatment.fit_transform(X, noise(30))
    assert treatment.fit(X, noise(30)).plan_.feature_names == ["z"]


def generic_folds(n_rows: int, seed: int) -> Pairs:
    """Training sets that are draws with repeats from the rows that are not applied."""
    random = np.random.default_rng(seed)
    order = random.permutation(n_rows)
    applications = np.array_split(order[: n_rows * 9 // 10], 4)
    return [
        (random.choice(np.setdiff1d(np.arange(n_rows), app), n_rows * 3 // 4), app)
        for app in applications
    ]


def refitted(
    frame: pd.DataFrame, folds: Pairs, weight: np.ndarray | None, scale: bool, **options: Any
) -> list[pd.DataFrame]:
    """The naive cross-frame: a design for each fold, applied to its rows."""
    parts = []
    for train, application in folds:
        w = None if weight is None else weight[train]
        plan = vt.design_treatments(
            frame.iloc[train], sample_weight=w, cv=2, random_state=0, **options
        )
        parts.append(vt.prepare(plan, frame.iloc[application], scale=scale, collar=True))
    return parts


def shuffled_folds(n_rows: int, seed: int) -> Pairs:
    return list(KFold(4, shuffle=True, random_state=seed).split(np.zeros(n_rows)))


def folds_in_time(n_rows: int, gap: int, splits: int = 3) -> Pairs:
    """Folds trained on the past, as a list: rows without a past are in none of them."""
    return list(TimeSeriesSplit(splits, gap=gap).split(np.zeros(n_rows)))


def repeated_folds(n_rows: int, seed: int) -> Pairs:
    """Each row is applied twice; within a repeat, row numbers ascend."""
    return list(RepeatedKFold(n_splits=3, n_repeats=2, random_state=seed).split(np.zeros(n_rows)))


FOLD_KINDS: dict[str, tuple[Any, bool]] = {
    "KFold": (shuffled_folds, False),
    "KFold with weights": (shuffled_folds, True),
    "repeated draws with weights": (generic_folds, True),
    "in time": (folds_in_time, False),
    "repeated with weights": (repeated_folds, True),
}
REFITTED_OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "R": {"smoothing": 0},
    "smoothed": {"smoothing": 2.5, "cat_scaling": True},
    "pooled": {"rare_count": 7, "min_fraction": 0.01, "smoothing": 1},
    "tested and pooled": {"rare_sig": 0.4, "rare_count": 7},
    "medians": {"imputation": "median", "collar_prob": 0.1},
}


@pytest.mark.filterwarnings("ignore:cv leaves")
@pytest.mark.parametrize(
    ("outcome", "kind_of_folds", "options", "scale"),
    checkered(
        {"numeric": "y", "binomial": "c"},
        FOLD_KINDS,
        REFITTED_OPTIONS,
        {"plain": False, "scaled": True},
    ),
)
def test_the_cross_frame_is_that_of_a_refit_for_each_fold(
    outcome: str, kind_of_folds: tuple[Any, bool], options: dict[str, Any], scale: bool
) -> None:
    make_folds, weighted = kind_of_folds
    frame = pd.DataFrame(example_columns(ROWS, seed=11))
    frame.loc[::17, "x"] = "few"
    w = np.random.default_rng(6).integers(0, 4, ROWS).astype(float) if weighted else None
    folds = make_folds(ROWS, 5)
    given = {"outcome": outcome, "variables": ["x", "z", "flag", "size"]} | options
    made = vt.cross_frame_experiment(
        frame, cv=folds, sample_weight=w, scale=scale, collar=True, **given
    )
    # An impact code is left out where two folds put it on another scale.
    always = {v.name for v in made.plan.derived if v.code not in ("lev", "catB", "catN")}
    assert len(always) >= 5
    assert made.cross_frame.index.tolist() == made.cross_rows.tolist()
    end = 0
    for (_, application), part in zip(
        folds, refitted(frame, folds, w, scale, **given), strict=True
    ):
        assert always <= set(part.columns)
        if made.fold_plan.repeats is None:
            cross = made.cross_frame.loc[application]
        else:
            end += len(application)
            cross = made.cross_frame.iloc[end - len(application) : end]
        for name in part.columns.intersection(cross.columns):
            np.testing.assert_allclose(
                cross[name], part[name], rtol=1e-8, atol=1e-10, err_msg=f"{name} {application[0]}"
            )


ORDER = np.arange(48) * 5 % 48
GROUPS = np.arange(48) * 7 % 48 // 4
# Each with whether it sees groups.
SPLITTERS: dict[str, tuple[Any, bool]] = {
    "KFold": (KFold(4, shuffle=True, random_state=1), False),
    "StratifiedKFold": (StratifiedKFold(4, shuffle=True, random_state=1), False),
    "GroupKFold": (GroupKFold(4), True),
    "StratifiedGroupKFold": (StratifiedGroupKFold(3), True),
    "LeaveOneGroupOut": (LeaveOneGroupOut(), True),
    "LeaveOneOut": (LeaveOneOut(), False),
    "PredefinedSplit": (PredefinedSplit(np.arange(48) % 5), False),
    "k_way": (vt.split_plans.k_way(n_rows=48, n_splits=3, random_state=0), False),
    "k_way_stratified_y": (vt.split_plans.k_way_stratified_y(y=ORDER, random_state=0), False),
    "k_way_stratified_y_replace": (
        vt.split_plans.k_way_stratified_y_replace(y=ORDER, random_state=0),
        False,
    ),
    "k_way_grouped": (vt.split_plans.k_way_grouped(groups=GROUPS, random_state=0), True),
    "one_way_holdout": (vt.split_plans.one_way_holdout(n_rows=48), False),
}


@pytest.mark.halved
@pytest.mark.parametrize("outcome_type", ["numeric", "binomial"])
@pytest.mark.parametrize(("splitter", "grouped"), SPLITTERS.values(), ids=SPLITTERS)
def test_any_splitter_codes_rows_by_its_training_rows_alone(
    splitter: Any, grouped: bool, outcome_type: str
) -> None:
    y = np.array([0, 1, 4])[ORDER % 3] if outcome_type == "numeric" else ORDER % 2 == 0
    z = np.where(ORDER % 9 == 0, np.nan, noise(48))
    frame = pd.DataFrame({"x": np.array(["a", "b", "c"])[ORDER % 11 % 3], "z": z, "y": y})
    given: dict[str, Any] = {"outcome": "y", "outcome_type": outcome_type, "smoothing": 3}
    groups = {"groups": GROUPS} if grouped else {}
    made = vt.cross_frame_experiment(frame, cv=splitter, collar=True, **given, **groups)
    assert len(made.plan.feature_names) >= 6
    for (train, application), part in zip(
        made.folds, refitted(frame, made.folds, None, False, **given), strict=True
    ):
        assert not set(train) & set(application)
        assert not (grouped and set(GROUPS[train]) & set(GROUPS[application]))
        ours = made.cross_frame.loc[application, part.columns]
        pd.testing.assert_frame_equal(ours, part, rtol=1e-10)


@pytest.mark.parametrize(
    "splitter",
    [
        ShuffleSplit(2, test_size=0.1, random_state=0),
        StratifiedShuffleSplit(3, random_state=0),
        GroupShuffleSplit(3, random_state=0),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_splitters_that_draw_application_sets_independently_are_refused(splitter: Any) -> None:
    with pytest.raises(
        InvalidOptionError,
        match=r"ShuffleSplit draws .* in several of them or in none, .* KFold\(shuffle",
    ):
        folds_of(noise(30) > 0, cv=splitter, groups=np.arange(30) // 3)


CANNOT_SPLIT: dict[str, tuple[Any, str]] = {
    "a stratified splitter, numbers": (StratifiedKFold(3), "continuous"),
    "a group splitter, no groups": (GroupKFold(3), "groups"),
    "more folds than rows": (KFold(31), "n_splits=31"),
}


@pytest.mark.parametrize(("splitter", "reason"), CANNOT_SPLIT.values(), ids=CANNOT_SPLIT)
def test_what_a_splitter_says_against_the_rows_is_passed_on(splitter: Any, reason: str) -> None:
    with pytest.raises(InvalidOptionError, match=rf"cannot split these rows: .*{reason}"):
        folds_of(noise(30), cv=splitter)


def unsupported() -> tuple[pd.DataFrame, Pairs]:
    """A column whose second half, the training rows of the first fold, holds one level only."""
    x = ["a", "b", "c", "a", "b"] * 6 + ["a"] * 30
    y = np.array([{"a": 1.0, "b": 3.0, "c": 5.0}[v] for v in x]) + noise(60) / 10
    folds = [(np.arange(30, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]
    return pd.DataFrame({"x": x, "y": y}), folds


def test_like_r_a_fold_that_cannot_support_a_code_takes_that_of_the_whole_data() -> None:
    frame, folds = unsupported()
    made = vt.cross_frame_experiment(
        frame,
        outcome="y",
        cv=folds,
        smoothing=0,
        significance="classic",
        coders=["catP", "catN"],
    )
    whole = vt.prepare(made.plan, frame.head(30))
    np.testing.assert_array_equal(made.cross_frame.head(30), whole)


@pytest.mark.parametrize("significance", ["classic", "calibrated"])
def test_a_fold_whose_numbers_are_constant_has_no_slope_unless_like_r(significance: str) -> None:
    z = np.r_[np.arange(30.0), np.full(30, 7.0)]
    folds = [(np.arange(30, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]
    made = vt.cross_frame_experiment(
        pd.DataFrame({"z": z}),
        outcome=noise(60) + z,
        cv=folds,
        scale=True,
        smoothing=0,
        significance=significance,
    )
    (v,) = made.plan.derived
    whole = v.slope * (z[:30] - v.mean)
    expected = whole if significance == "classic" else np.zeros(30)
    np.testing.assert_allclose(made.cross_frame["z"].head(30), expected, rtol=1e-12)


def test_by_default_a_fold_that_cannot_support_an_impact_code_says_nothing() -> None:
    frame, folds = unsupported()
    made = vt.cross_frame_experiment(frame, outcome="y", cv=folds, coders=["catN"])
    np.testing.assert_array_equal(made.cross_frame["x_catN"].head(30), np.zeros(30))
    assert made.cross_frame["x_catN"].tail(30).abs().min() > 0.1


IN_TIME: dict[str, tuple[Any, int]] = {
    "ordered": ("ordered", 10),
    "TimeSeriesSplit": (TimeSeriesSplit(4), 5),
    "TimeSeriesSplit with a gap": (TimeSeriesSplit(4, gap=7), 5),
    "TimeSeriesSplit with a window": (TimeSeriesSplit(4, max_train_size=60), 5),
}
each_plan_in_time = pytest.mark.parametrize(("cv", "n_folds"), IN_TIME.values(), ids=IN_TIME)
TIME_OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "R": {"smoothing": 0, "rare_count": 4},
    "scaled": {"scale": True, "cat_scaling": True},
    "scaled as R": {"scale": True, "smoothing": 1},
    "tested": {"rare_sig": 0.3, "imputation": "median", "collar": True, "collar_prob": 0.1},
    "weighted": {"sample_weight": np.arange(ROWS) % 3},
}


@pytest.mark.halved
@each_plan_in_time
@pytest.mark.parametrize("options", TIME_OPTIONS.values(), ids=TIME_OPTIONS)
@pytest.mark.filterwarnings("ignore:nothing is derived from")
def test_folds_in_time_are_those_of_their_list_and_a_fold_without_a_past(
    cv: Any, n_folds: int, options: dict[str, Any], outcome: str
) -> None:
    """Every row is coded: from its past as by a list of folds, else by the prior."""
    frame = pd.DataFrame(example_columns(ROWS, seed=11))
    given = {"outcome": outcome, "variables": ["x", "z", "flag", "size"]} | options
    made = vt.cross_frame_experiment(frame, cv=cv, **given)
    assert len(made.cross_frame) == ROWS
    (none, first), *later = made.folds
    assert not len(none)
    assert len(later) == n_folds - 1
    if cv == "ordered":
        for train, application in later:
            np.testing.assert_array_equal(train, np.arange(application.min()))
    else:
        for (train, application), (own_train, own) in zip(cv.split(frame), later, strict=True):
            np.testing.assert_array_equal(own_train, train)
            np.testing.assert_array_equal(own, application)
    with pytest.warns(vt.VtreatWarning, match="cv leaves"):
        listed = vt.cross_frame_experiment(frame, cv=later, **given)
    common = [name for name in made.cross_frame if name in listed.cross_frame]
    assert len(common) >= len(made.cross_frame.columns) - 1
    rest = np.setdiff1d(np.arange(ROWS), first)
    assert_close(made.cross_frame.iloc[rest][common], listed.cross_frame[common])


@each_plan_in_time
def test_rows_without_a_past_get_the_prior(cv: Any, n_folds: int, outcome: str) -> None:
    frame = pd.DataFrame(example_columns(ROWS, seed=11))
    made = vt.cross_frame_experiment(frame, outcome=outcome, cv=cv, smoothing=0)
    first = made.cross_frame.iloc[made.folds[0][1]]
    for name in first:
        if name.endswith(("catB", "catN", "catD")):
            assert (first[name] == 0).all()
        elif name.endswith("catP"):
            assert (first[name] == 0.5 / ROWS).all()
    here = frame.iloc[made.folds[0][1]]
    np.testing.assert_allclose(first["z"], here["z"].fillna(frame["z"].mean()))
    assert (first["x_lev_x_a"] == here["x"].eq("a")).all()
    scaled = vt.cross_frame_experiment(frame, outcome=outcome, cv=cv, smoothing=0, scale=True)
    assert (scaled.cross_frame.iloc[made.folds[0][1]] == 0).all(axis=None)


@pytest.mark.parametrize("cv", ["ordered", TimeSeriesSplit(4)])
def test_fit_transform_takes_folds_in_time(cv: Any) -> None:
    frame = pd.DataFrame(example_columns())[["x", "z"]]
    treatment = vt.NumericOutcomeTreatment(cv=cv, prune_sig=None)
    out = treatment.fit_transform(frame, example_columns()["y"])
    assert len(out) == len(frame)


def test_in_order_no_row_depends_on_a_later_outcome(outcome: str) -> None:
    frame = pd.DataFrame(example_columns(ROWS))
    later = frame.copy()
    last = slice(ROWS - ROWS // 10, None)
    later.loc[later.index[last], outcome] = {"y": 1e6, "c": "yes"}[outcome]
    options = {"outcome": outcome, "variables": ["x", "flag"], "cv": "ordered", "smoothing": 0}
    options["significance"] = "ordered"
    before = vt.cross_frame_experiment(frame, **options).cross_frame
    after = vt.cross_frame_experiment(later, **options).cross_frame
    common = [name for name in before if name in after]
    assert {"x_catP", {"y": "x_catN", "c": "x_catB"}[outcome]} <= set(common)
    np.testing.assert_allclose(before[common], after[common], rtol=0, atol=1e-9)


def test_groups_may_not_span_the_past_and_the_present() -> None:
    frame = pd.DataFrame(example_columns(ROWS))
    with pytest.raises(InvalidOptionError, match="rows of one group of groups= on both sides"):
        vt.design_treatments(frame, outcome="y", cv="ordered", groups=np.arange(ROWS) % 5)


def test_too_few_rows_for_folds_in_time_are_refused() -> None:
    frame = pd.DataFrame({"z": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0]})
    with pytest.raises(InvalidOptionError, match=r"TimeSeriesSplit cannot split these rows"):
        vt.design_treatments(frame, outcome="y", cv=TimeSeriesSplit(5))


def test_rows_applied_several_times_are_repeated_fold_by_fold(outcome: str) -> None:
    frame = pd.DataFrame(example_columns(ROWS), index=[f"r{i}" for i in range(ROWS)])
    folds = repeated_folds(ROWS, 3)
    w = 1.0 + np.arange(ROWS) % 2
    options = {"outcome": outcome, "variables": ["x", "z", "flag"], "sample_weight": w}
    made = vt.cross_frame_experiment(frame, cv=folds, **options)
    stacked = np.concatenate([application for _, application in folds])
    np.testing.assert_array_equal(made.cross_rows, stacked)
    assert made.cross_frame.index.tolist() == frame.index[stacked].tolist()
    np.testing.assert_array_equal(made.cross_weights, w[stacked])
    for (train, application), (ours, app) in zip(folds, made.folds, strict=True):
        np.testing.assert_array_equal(ours, train)
        np.testing.assert_array_equal(app, application)
    once = vt.cross_frame_experiment(frame, cv=folds[:3], **options)
    assert_close(made.cross_frame.head(ROWS).loc[frame.index], once.cross_frame)


@pytest.mark.parametrize("force_split", [False, True])
def test_repeating_a_split_changes_no_score(outcome: str, force_split: bool) -> None:
    """A row's applications share its weight: repeats make nothing more significant."""
    frame = pd.DataFrame(example_columns(ROWS))
    options = {"outcome": outcome, "force_split": force_split}
    folds = shuffled_folds(ROWS, 3)
    once = vt.design_treatments(frame, cv=folds, **options)
    thrice = vt.design_treatments(frame, cv=folds * 3, **options)
    pd.testing.assert_frame_equal(once.score_frame, thrice.score_frame, rtol=1e-9)


def test_some_rows_may_be_applied_twice_and_others_never() -> None:
    frame = pd.DataFrame({"z": np.arange(30.0), "y": noise(30)})
    folds = [(range(20), range(20, 30)), (range(10), range(15, 25))]
    with pytest.warns(vt.VtreatWarning, match="cv leaves 15 of 30 rows out of all application"):
        made = vt.cross_frame_experiment(frame, outcome="y", cv=folds)
    assert made.cross_frame["z"].tolist() == [*range(20, 30), *range(15, 25)]
    treatment = vt.NumericOutcomeTreatment(cv=folds)
    with pytest.raises(InvalidOptionError, match=r"every row once, but .* in several"):
        treatment.fit_transform(frame[["z"]], frame["y"])


def test_classes_may_be_coded_several_times_a_row() -> None:
    frame = pd.DataFrame(example_columns(ROWS))
    y = np.digitize(frame["y"], [-1, 1]).astype(str)
    folds = repeated_folds(ROWS, 4)
    options = {"outcome": y, "outcome_type": "multinomial", "variables": ["x", "z"], "scale": True}
    made = vt.cross_frame_experiment(frame, cv=folds, **options)
    for start in (0, 3):
        once = vt.cross_frame_experiment(frame, cv=folds[start : start + 3], **options)
        rows = slice(ROWS * start // 3, ROWS * start // 3 + ROWS)
        block = made.cross_frame.iloc[rows].sort_index()
        assert_close(block, once.cross_frame)


@pytest.mark.parametrize("rare_count", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_fold_of_levels_that_settle_the_outcome_has_no_slope_of_catd(
    weighted: bool, rare_count: float
) -> None:
    """The deviations in its training rows are all 0, and rounding is no signal to scale up."""
    level, fold = np.arange(60) % 4, np.arange(60) % 3
    random = np.random.default_rng(0)
    y = np.array([0.1, 0.7, 1.3, 2.9])[level] + np.where(fold == 0, random.normal(size=60), 0.0)
    made = vt.cross_frame_experiment(
        pd.DataFrame({"x": np.array(list("abcd"))[level]}),
        outcome=y,
        sample_weight=random.uniform(2, 7, 60) if weighted else None,
        cv=[(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)],
        coders=["catD"],
        scale=True,
        rare_count=rare_count,
    )
    assert (made.cross_frame["x_catD"][fold == 0] == 0).all()
    assert (made.cross_frame["x_catD"][fold != 0] != 0).any()


class LeakingSplit(TimeSeriesSplit):
    """A splitter of one's own that trains on the rows it is applied to."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        for train, application in super().split(X, y, groups):
            yield np.concatenate([train, application]), application


def test_a_class_derived_from_time_series_split_is_checked_like_all_splits() -> None:
    with pytest.raises(InvalidOptionError, match="rows for training and application"):
        folds_of(noise(30), cv=LeakingSplit(3))
