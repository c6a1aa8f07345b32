"""Private designs: what they make, and what they refuse."""

from __future__ import annotations

import json
import pickle
import warnings
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import (
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    PlanFormatError,
    VtreatError,
)
from vtreat_py.private import codes, outcome

AGES = {"age": (0.0, 100.0)}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 4_000
    town = rng.choice(["Ayr", "Bath", "Cork", "Deal"], n).astype(object)
    town[:3] = ["Jane's farm", "Kim's mill", "Leo's inn"]
    town[50:450] = None
    age = rng.normal(40.0, 10.0, n)
    age[100:500] = np.nan
    return pd.DataFrame({"town": town, "age": age})


@pytest.fixture(scope="module")
def y(frame: pd.DataFrame) -> Any:
    effect = frame["town"].map({"Ayr": 2.0, "Bath": -1.0, "Cork": 0.5}).fillna(0.0).to_numpy()
    noise = np.random.default_rng(1).normal(size=len(frame))
    return np.clip(effect + 0.05 * (frame["age"].fillna(40.0).to_numpy() - 40.0) + noise, -8, 8)


def private(epsilon: float = 2.0, **more: Any) -> vt.DifferentialPrivacy:
    return vt.DifferentialPrivacy(epsilon, 1e-6, **{"number_ranges": AGES} | more)


def numeric(frame: Any, y: Any, epsilon: float = 2.0, **options: Any) -> vt.TreatmentPlan:
    privacy = private(epsilon, outcome_range=(-8.0, 8.0))
    given = {"outcome": y, "outcome_type": "numeric", "privacy": privacy, "random_state": 0}
    return vt.design_treatments(frame, **given | options)


def test_much_budget_makes_the_plan_that_there_is(frame: pd.DataFrame, y: Any) -> None:
    """With next to no noise, codes, slopes and scores are those of a design without privacy."""
    plan = numeric(frame, y, 1_000.0, smoothing=3.0)
    usual = vt.design_treatments(frame, outcome=y, smoothing=3.0, random_state=0)
    new = pd.DataFrame({"town": ["Ayr", "Bath", None, "Oslo"], "age": [20.0, None, 90.0, 1e9]})
    names = ["town_catP", "town_catN", "age", "age_isBAD", "town_lev_NA", "town_lev_x_Ayr"]
    np.testing.assert_allclose(
        vt.prepare(plan, new)[names], vt.prepare(usual, new)[names], atol=0.01
    )
    for name in names[1:]:
        one, other = (next(v for v in p.derived if v.name == name) for p in (plan, usual))
        assert one.slope == pytest.approx(other.slope, abs=0.02)
        assert one.mean == pytest.approx(other.mean, abs=0.02)
        if name != "town_catN":  # scored out of fold there
            assert one.rsq == pytest.approx(other.rsq, abs=0.005)
    target = y > 1.0
    plan = vt.design_treatments(
        frame, outcome=target, outcome_type="binomial", target=True, privacy=private(1_000.0),
        random_state=0,
    )  # fmt: skip
    usual = vt.design_treatments(frame, outcome=target, random_state=0)
    names[1], new = "town_catB", new.iloc[:3]  # new levels have no code of their own
    np.testing.assert_allclose(
        vt.prepare(plan, new)[names], vt.prepare(usual, new)[names], atol=0.05
    )


def test_little_budget_makes_codes_that_are_shrunk(frame: pd.DataFrame, y: Any) -> None:
    new = pd.DataFrame({"town": ["Ayr"], "age": [40.0]})
    codes_of = [
        [vt.prepare(numeric(frame, y, e, random_state=s), new)["town_catN"][0] for s in range(8)]
        for e in (0.2, 20.0)
    ]
    assert np.std(codes_of[0]) > 3.0 * np.std(codes_of[1])
    usual = vt.prepare(vt.design_treatments(frame, outcome=y, random_state=0), new)
    assert np.mean(codes_of[1]) == pytest.approx(usual["town_catN"][0], abs=0.05)


def test_noise_is_no_signal() -> None:
    rng = np.random.default_rng(2)
    sigs = []
    for seed in range(60):
        frame = pd.DataFrame(
            {"x": rng.choice(list("abcdefgh"), 600), "age": rng.uniform(0, 100, 600)}
        )
        plan = vt.design_treatments(
            frame, outcome=rng.normal(size=600), outcome_type="numeric", random_state=seed,
            privacy=private(4.0, outcome_range=(-4.0, 4.0)), coders=["catN", "clean"],
        )  # fmt: skip
        sigs += [v.sig for v in plan.derived]
    assert len(sigs) > 100
    assert np.mean(np.array(sigs) < 0.1) < 0.2


@pytest.mark.long
@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_noise_is_no_signal_off_the_middle_of_wide_ranges(kind: str) -> None:
    """Where noise hid a variance, slopes were of millions; and it was not all reckoned with."""
    rng, found = np.random.default_rng(5), []
    for seed in range(150):
        age, town = rng.normal(10.0, 3.0, 3000), rng.choice(list("abcdef"), 3000)
        y = rng.normal(size=3000) + 1.0 if kind == "numeric" else rng.random(3000) < 0.1
        span = {"outcome_range": (-4.0, 16.0)} if kind == "numeric" else {}
        frame = pd.DataFrame({"age": age, "town": town})
        plan = vt.design_treatments(
            frame, outcome=y, outcome_type=kind, random_state=seed, privacy=private(1.0, **span),
            target=None if kind == "numeric" else True, coders=["clean", "catN", "catB"],
        )  # fmt: skip
        scaled = vt.prepare(plan, frame, scale=True).std() / y.std()
        assert (scaled < 5.0).all()
        found += [(v.code, v.sig, v.rsq) for v in plan.derived]
    scores = pd.DataFrame(found, columns=["code", "sig", "rsq"])
    for _, of_code in scores.groupby("code"):
        assert (of_code["sig"] < 0.05).mean() < 0.1
        assert of_code["rsq"].median() < 0.05


def test_nothing_of_single_rows_is_in_a_plan(frame: pd.DataFrame, y: Any) -> None:
    marked = y.copy()
    marked[:3] = 7.123456789
    plan = numeric(frame, marked)
    assert plan.marks is None
    assert plan.level_statistics == plan.hints == ()
    assert plan.n_rows != len(frame) or plan != numeric(frame, marked, random_state=1)
    written = [plan.to_json(), plan.to_sql("rows"), plan.report().html, repr(plan)]
    for text in [*written, pickle.dumps(plan).decode("latin1")]:
        for name in ("Jane", "Kim", "Leo", "7.123456789"):
            assert name not in text
    assert "private: made of noisy counts and sums: (2, 1e-06)" in repr(plan)
    assert "A private plan." in plan.report().html
    assert "A private plan." in plan._repr_html_()


def test_nothing_is_said_of_rows(y: Any) -> None:
    """Rows that would have a warning, or an error, of a design have none here."""
    frame = pd.DataFrame(
        {
            "age": np.full(4_000, np.nan),
            "town": ["Ayr"] * 4_000,
            "id": [f"p{i}" for i in range(4_000)],
        }
    )
    y = y.copy()
    y[:4] = [np.nan, np.inf, -1e300, 1e300]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = numeric(frame, y, random_state=None)
    assert {v.orig_variable for v in plan.derived} == {"age", "town"}
    assert dict(plan.unused) == {"id": "no level of it has so many rows that it could be published"}
    assert all(np.isfinite(vt.prepare(plan, frame.iloc[:9]).to_numpy()).ravel())


def test_levels_are_in_no_order_of_rows(frame: pd.DataFrame, y: Any) -> None:
    (one, _), (other, _) = (
        numeric(f, v).treatments for f, v in ((frame, y), (frame.iloc[::-1], y[::-1]))
    )
    assert one.levels == other.levels
    assert one.levels.to_list() == sorted(one.levels.to_list())


def test_plans_are_written_read_and_used(frame: pd.DataFrame, y: Any) -> None:
    plan = numeric(frame, y)
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert again.privacy == plan.privacy
    new = frame.iloc[:20]
    pd.testing.assert_frame_equal(
        vt.prepare(again, new, scale=True), vt.prepare(plan, new, scale=True)
    )
    assert vt.prepare(plan, new, collar=True)["age"].between(0.0, 100.0).all()
    scorer = plan.row_scorer()
    assert scorer(new.iloc[0].to_dict()) == vt.prepare(plan, new.iloc[:1]).iloc[0].to_dict()
    for verb in (lambda: plan.audit(frame), lambda: plan.level_effects("town"), plan.for_scoring):
        with pytest.raises(InvalidOptionError, match="a private plan does not hold"):
            verb()
    tree = json.loads(plan.to_json())
    tree["privacy"]["epsilon"] = -1.0
    with pytest.raises(PlanFormatError, match="privacy: epsilon"):
        vt.TreatmentPlan.from_json(json.dumps(tree))
    assert "privacy" in "".join(plan.diff(numeric(frame, y, 3.0))["where"])


def test_cross_frames_are_coded_by_private_plans_of_other_folds(
    frame: pd.DataFrame, y: Any
) -> None:
    privacy = private(1_000.0, outcome_range=(-8.0, 8.0))
    given = {"outcome": y, "outcome_type": "numeric", "privacy": privacy, "random_state": 3}
    experiment = vt.cross_frame_experiment(frame, **given, smoothing=1.0)
    cross, plan = experiment.cross_frame, experiment.plan
    assert list(cross) == plan.feature_names
    treated = vt.prepare(plan, frame)
    others = [name for name in cross if name != "town_catN"]
    pd.testing.assert_frame_equal(cross[others], treated[others])
    for k, (training, application) in enumerate(experiment.folds):
        is_ayr = (frame["town"] == "Ayr").to_numpy()
        own = y[training][is_ayr[training]]
        expected = (own.mean() - y[training].mean()) * len(own) / (len(own) + 1.0)
        found = cross["town_catN"].to_numpy()[application][is_ayr[application]]
        assert len(set(found)) == 1, k
        assert found[0] == pytest.approx(expected, abs=0.01)
    scaled = vt.cross_frame_experiment(frame, **given, scale=True, prune_sig="recommended")
    assert abs(scaled.cross_frame["town_catN"].mean()) < 0.05
    treatment = vt.NumericOutcomeTreatment(privacy=privacy, random_state=3, smoothing=1.0)
    found = treatment.fit_transform(frame, y)
    pd.testing.assert_frame_equal(found, cross[list(found)])
    assert treatment.plan_ == plan == treatment.fit(frame, y).plan_
    sparse = vt.cross_frame_experiment(frame, **given, coders=["lev"], sparse_output=True)
    assert sparse.cross_frame.shape == (4_000, 5)
    without = vt.UnsupervisedTreatment(privacy=private()).fit(pl.from_pandas(frame))
    assert without.plan_.privacy is not None
    with pytest.raises(VtreatError, match="unsupervised"):
        vt.cross_frame_experiment(frame, outcome_type="unsupervised", privacy=private())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "town"}, "'groups' cannot be given together with privacy="),
        ({"sample_weight": np.ones(4_000)}, "'sample_weight' cannot be given"),
        ({"cv": 3}, "'cv' cannot be given"),
        ({"composites": [("town", "age")]}, "'composites' cannot be given"),
        ({"rare_count": 3}, "'rare_count' cannot be given"),
        ({"custom_coders": {"own": vt.LevelCoder(max)}}, "'custom_coders' cannot be given"),
        ({"keep_statistics": True}, "keep_statistics=True keeps sums"),
        ({"coders": ["clean", "spline"]}, r"coders holds \['spline'\]"),
        ({"coders": ["catD"]}, r"coders holds \['catD'\]"),
        ({"smoothing": "mixed"}, "takes a number for smoothing"),
        ({"imputation": "median"}, "takes \"mean\", or numbers"),
        ({"calendar": ["hour"]}, "calendar parts are not made"),
        ({"outcome_type": None}, "it must be said beforehand"),
        ({"outcome_type": "multinomial"}, "it must be said beforehand"),
        ({"outcome_type": "binomial"}, "needs target="),
        ({"privacy": private()}, "needs its outcome_range="),
        ({"privacy": private(number_ranges={}, outcome_range=(0, 1))}, "'age' holds numbers"),
        ({"privacy": private(number_ranges={"no": (0, 1)}, outcome_range=(0, 1))}, "'no'"),
        ({"privacy": vt.DifferentialPrivacy(1.0, 0.0, (0, 1), AGES)}, "delta=0 publishes no level"),
    ],
)  # fmt: skip
def test_what_is_not_private_is_refused(
    frame: pd.DataFrame, y: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        numeric(frame, y, **options)


def test_other_mistakes_are_refused(frame: pd.DataFrame, y: Any) -> None:
    with pytest.raises(OptionTypeError, match="privacy is of type float"):
        numeric(frame, y, privacy=1.0)
    with pytest.raises(InvalidOptionError, match="privacy= is for frames in memory"):
        numeric(pl.from_pandas(frame).lazy(), "age")
    with pytest.raises(InvalidOptionError) as error:
        numeric(frame, y[:-1])
    assert "3999" not in str(error.value)
    assert "4000" not in str(error.value)
    with pytest.raises(InvalidOptionError, match="have different indexes"):
        numeric(frame, pd.Series(y, index=frame.index[::-1]))
    with pytest.raises(OutcomeError, match="must hold numbers"):
        numeric(frame, "town")
    with pytest.raises(InvalidOptionError, match="outcome_range is for numeric outcomes"):
        numeric(frame, y > 0, outcome_type="binomial", target=True)
    privacy = private(number_ranges=AGES | {"town": (0, 1)}, outcome_range=(0, 1))
    with pytest.raises(InvalidOptionError, match="holds no numbers"):
        numeric(frame.astype({"town": "string"}), y, privacy=privacy)
    dated = frame.assign(day=pd.Timestamp("2024-01-01"))
    ranges = private(number_ranges=AGES | {"day": (0, 1)}, outcome_range=(0, 1))
    for more in ({}, {"privacy": ranges}, {"categorical": ["day"]}):
        with pytest.raises(InvalidOptionError, match="'day' holds a datetime in each row, which"):
            numeric(dated, y, **more)
    with pytest.raises(InvalidOptionError, match=r"'flag' holds .*booleans.* \(\(0, 1\) of bool"):
        numeric(frame.assign(flag=True), y)
    for wrong in ({"epsilon": 0}, {"delta": 1.0}, {"outcome_range": (1, 1)}, {"number_ranges": 3}):
        with pytest.raises(VtreatError):
            vt.DifferentialPrivacy(**{"epsilon": 1.0} | wrong)
    with pytest.raises(OptionTypeError, match="must be two numbers"):
        vt.DifferentialPrivacy(1.0, outcome_range=(0, 1, 2))


def test_noise_of_a_seed_gives_a_warning(frame: pd.DataFrame, y: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with pytest.warns(vt.VtreatWarning, match="a seed that is guessed takes it away"):
            numeric(frame, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            numeric(frame, y, random_state=None)


@pytest.mark.parametrize("calendar", [None, []])
def test_dates_may_be_numbers_alone(frame: pd.DataFrame, y: Any, calendar: Any) -> None:
    assert numeric(frame, y, calendar=calendar) == numeric(frame, y)
    with pytest.raises(InvalidOptionError, match="calendar parts are not made"):
        numeric(frame, y, calendar=["month"])


def test_codes_see_no_rows() -> None:
    """Post-processing takes noisy tables alone."""
    for module in (codes,):
        assert not {"InputFrame", "Column", "read_along"} & set(vars(module))
    assert outcome.STEPS == 65_536


@pytest.mark.parametrize(
    ("first", "others", "level"),
    [
        (True, 1, 1),
        (1.0, 1, 1),
        (Decimal("0.50"), 0.5, 0.5),
        (Decimal("1.10"), Decimal("1.1"), 1.1),
        (Decimal("1.10") + 10**17, Decimal("1.1") + 10**17, Decimal("1.1") + 10**17),
        (pd.Timestamp("2020-01-01"), datetime(2020, 1, 1), datetime(2020, 1, 1)),
        (
            datetime(2020, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))),
            datetime(2020, 1, 1, tzinfo=UTC),
            datetime(2020, 1, 1, tzinfo=UTC),
        ),
    ],
)
def test_the_first_row_does_not_say_how_a_level_is_written(
    first: Any, others: Any, level: Any
) -> None:
    found = []
    for rows in ([first, *[others] * 200], [others] * 201):
        given = pd.Series([*rows, *["a"] * 200], dtype=object).to_frame("x")
        plan = vt.design_treatments(
            given, outcome_type="unsupervised", random_state=0,
            privacy=vt.DifferentialPrivacy(100.0, 1e-3),
        )  # fmt: skip
        (treatment,) = plan.treatments
        found.append((plan.feature_names, treatment.levels.to_list()))  # type: ignore[union-attr]
        assert vt.prepare(plan, given.iloc[[0]])["x_catP"].item() > 0.4
    assert found[0] == found[1]
    (written,) = [one for one in found[0][1] if one != "a"]
    assert (written, type(written)) == (level, type(level))


def test_warnings_and_errors_quote_no_row() -> None:
    privacy = vt.DifferentialPrivacy(10.0, 1e-3, number_ranges={"x": (0.0, 10.0)})
    options: Any = {"outcome_type": "unsupervised", "privacy": privacy}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vt.design_treatments(pd.DataFrame({"x": [1] * 200 + [2**53 + 3]}), **options)
        privacy = vt.DifferentialPrivacy(10.0, 1e-3, (0, 3), {"x": (0.0, 10.0)})
        vt.design_treatments(
            pd.DataFrame({"x": [1] * 201}), outcome=np.array([1] * 200 + [2**53 + 3]),
            outcome_type="numeric", privacy=privacy,
        )  # fmt: skip
    odd = pd.DataFrame({"x": pd.Series(["a"] * 200 + [["Jane"]], dtype=object)})
    with pytest.raises(InvalidOptionError, match="'x' holds Python objects, and number_ranges="):
        vt.design_treatments(odd, **options)
    options["privacy"] = vt.DifferentialPrivacy(10.0, 1e-3)
    with pytest.raises(InvalidOptionError, match="types that no code can be made of") as caught:
        vt.design_treatments(odd, **options)
    assert "Jane" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_no_row_decides_what_a_column_holds() -> None:
    options: Any = {"outcome_type": "unsupervised", "privacy": vt.DifferentialPrivacy(10.0, 1e-3)}
    numbers = pd.Series([1] * 100 + [2] * 100, dtype=object)
    for column in (numbers, pd.concat([numbers, pd.Series(["n/a"], dtype=object)])):
        plan = vt.design_treatments(pd.DataFrame({"x": column}), **options)
        assert plan.treatments[0].levels.to_list() == [1, 2]


def test_steps_stay_within_what_noise_is_made_for() -> None:
    for low, high in ((1e16, 1e16 + 2.0), (1.0, np.nextafter(1.0, 2.0)), (-1e100, 1e100)):
        steps = outcome.Grid(low, high).steps(np.array([low, high]))
        assert abs(steps).max() <= outcome.STEPS
    with pytest.raises(InvalidOptionError, match="must be smaller"):
        vt.DifferentialPrivacy(1.0, outcome_range=(0.0, 5e-324))
