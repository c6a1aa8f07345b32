"""A. Ordinary use, silently wrong: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
import vtreat_py.compat as compat
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    SchemaError,
)
from vtreat_py.testing import own_outcome_influence

N = 600


def made() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "zip": rng.integers(0, 120, N),
            "town": rng.choice([*"ABCDE", "?"], N),
            "inc": rng.normal(50, 10, N),
        }
    )
    effect = rng.normal(0, 1.5, 120)[frame["zip"]]
    return frame, (effect + 0.1 * (frame["inc"] - 50) + rng.normal(0, 1, N) > 0).astype(int)


@pytest.fixture(scope="module", name="X")
def frame_of_rows() -> pd.DataFrame:
    return made()[0]


@pytest.fixture(scope="module")
def y() -> Any:
    return made()[1]


def design(X: Any, y: Any, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(X, outcome=y, random_state=0, **options)


def in_rows(frame: Any, by: str = "id") -> pd.DataFrame:
    frame = frame.collect().to_pandas() if isinstance(frame, pl.LazyFrame) else frame.df()
    return frame.sort_values(by).drop(columns=by).reset_index(drop=True)


@pytest.mark.parametrize("make", [vt.BinomialOutcomeTreatment, compat.BinomialOutcomeTreatment])
def test_a1_estimators_warn_of_other_labels_once(X: pd.DataFrame, y: Any, make: Any) -> None:
    shuffled = y.sample(frac=1, random_state=1)
    with pytest.warns(vt.VtreatWarning, match="X and y have different indexes") as told:
        crossed = make().fit_transform(X, shuffled)
    assert sum("indexes" in str(one.message) for one in told) == 1
    assert crossed.index.equals(X.index)


@pytest.mark.parametrize("option", ["outcome", "sample_weight", "groups"])
def test_a1_functions_refuse_other_labels(X: pd.DataFrame, y: Any, option: str) -> None:
    labels = pd.Series(np.arange(N) % 2 if option == "outcome" else np.arange(N) % 7 + 1)
    given = {"outcome": y, option: labels.sample(frac=1, random_state=1)}
    for function in (vt.design_treatments, vt.cross_frame_experiment):
        with pytest.raises(InvalidOptionError, match=f"frame and {option} have different indexes"):
            function(X, **given)
    given[option] = given[option].to_numpy()
    vt.design_treatments(X, **given)


def test_a1_an_index_that_counts_rows_is_no_label(X: pd.DataFrame, y: Any) -> None:
    labelled = X.set_axis([f"r{i}" for i in range(N)])
    assert design(labelled, y) == design(X, y)
    with pytest.raises(InvalidOptionError, match="different indexes"):
        design(labelled, y.set_axis([f"s{i}" for i in range(N)]))


def test_a1_other_estimators_and_sums_look_at_labels_too(X: pd.DataFrame, y: Any) -> None:
    shuffled, numbers = y.sample(frac=1, random_state=1), X[["inc"]]
    for make in (vt.YAwareScaler(), vt.YAwarePCA(1), vt.YAwarePCRClassifier(1)):
        with pytest.warns(vt.VtreatWarning, match="X and y have different indexes"):
            make.fit(numbers, shuffled)
    kept = vt.cross_frame_experiment(X, outcome=y, keep_statistics=True, random_state=0)
    for verb in (kept.plan.statistics.of_rows, kept.plan.statistics.cross_frame):  # type: ignore[union-attr]
        with pytest.raises(InvalidOptionError, match="frame and outcome have different indexes"):
            verb(X, folds=kept.folds, outcome=shuffled)
    with pytest.raises(InvalidOptionError, match="frame and sample_weight have different indexes"):
        kept.plan.audit(X, sample_weight=shuffled)


def test_a1_pairs_folds_and_probes_look_at_labels_too(X: pd.DataFrame, y: Any) -> None:
    shuffled = y.sample(frac=1, random_state=1)
    for given in ({"outcome": shuffled}, {"outcome": y, "sample_weight": shuffled + 1.0}):
        with pytest.raises(InvalidOptionError, match=r"frame and \w+ have different indexes"):
            vt.find_interactions(X, **given)
    with pytest.raises(InvalidOptionError, match="groups and y have different indexes"):
        vt.split_plans.k_way_grouped(groups=X["zip"], y=shuffled)
    with pytest.raises(InvalidOptionError, match="X and y have different indexes"):
        own_outcome_influence(vt.BinomialOutcomeTreatment(random_state=0), X, shuffled, rows=[0])


def test_a2_importance_weights_count_effective_rows(X: pd.DataFrame, y: Any) -> None:
    equal = np.full(N, 1 / N)
    with pytest.warns(vt.VtreatWarning, match='sums to 1 in 600 rows: .*weight_kind="importance"'):
        assert (
            "zip_catB" not in design(X, y, sample_weight=equal, categorical=["zip"]).feature_names
        )
    same = design(X, y, sample_weight=equal, weight_kind="importance", categorical=["zip"])
    assert same == design(X, y, categorical=["zip"])
    weight = np.random.default_rng(2).random(N)
    unit = weight.sum() / (weight**2).sum()
    plans = [design(X, y, sample_weight=w * weight, weight_kind="importance") for w in (1, 2.0**40)]
    assert plans[0] == plans[1]
    by_hand = design(X, y, sample_weight=weight * unit).score_frame
    pd.testing.assert_frame_equal(plans[0].score_frame, by_hand, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:these look like rows")
@pytest.mark.parametrize("lazily", [lambda d: pl.from_pandas(d).lazy(), duckdb.from_df])
def test_a2_a3_a4_hold_where_rows_are_elsewhere(
    X: pd.DataFrame, y: Any, lazily: Callable[[Any], Any]
) -> None:
    frame = X.assign(y=y, w=np.random.default_rng(2).random(N), id=np.arange(N))
    options: dict[str, Any] = {
        "outcome": "y", "sample_weight": "w", "weight_kind": "importance", "row_id": "id",
        "categorical": ["zip"], "missing_values": ["?"], "random_state": 0,
    }  # fmt: skip
    here = vt.cross_frame_experiment(frame, **options)
    there = vt.cross_frame_experiment(lazily(frame), **options)
    scores = [one.plan.score_frame for one in (here, there)]
    pd.testing.assert_frame_equal(*scores, rtol=1e-9)
    assert there.plan.feature_names == here.plan.feature_names
    crossed = in_rows(there.cross_frame)
    pd.testing.assert_frame_equal(crossed, here.cross_frame.drop(columns="id"), atol=1e-12)
    treated = in_rows(vt.prepare(there.plan, lazily(frame), row_id="id"))
    expected = vt.prepare(there.plan, frame.head(N - 1))
    pd.testing.assert_frame_equal(treated.head(N - 1), expected)
    drift = here.plan.audit(frame).frame["psi"]
    np.testing.assert_allclose(here.plan.audit(lazily(frame)).frame["psi"], drift)
    assert here.plan.check_sql(duckdb.connect(), frame.head(N - 1)).passed


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "nullable": lambda d: d.astype({"zip": "Int64"}),
    "floats": lambda d: d.astype({"zip": float}),
    "arrow": lambda d: d.astype({"zip": "int64[pyarrow]"}),
    "objects": lambda d: d.astype({"zip": object}),
    "decimals": lambda d: d.astype({"zip": pd.ArrowDtype(pa.decimal128(30, 2))}),
    "category": lambda d: d.astype({"zip": "category"}),
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a3_numbers_that_are_names_are_levels_however_they_are_stored(
    X: pd.DataFrame, y: Any, kind: str
) -> None:
    plan, other = (design(one, y, categorical=["zip"]) for one in (X, KINDS[kind](X)))
    assert other == plan
    assert vt.TreatmentPlan.from_json(plan.to_json()) == plan
    assert {"zip_catB", "zip_catP"} <= set(plan.feature_names)
    new = X.head(9).assign(zip=[0, 1, 2, 3, 4, 5, 6, 999, 7])
    treated = np.asarray(vt.prepare(other, KINDS[kind](new)))
    assert np.array_equal(treated, np.asarray(vt.prepare(plan, new)))


def test_a3_names_beyond_the_reach_of_floats_are_told_apart() -> None:
    ids = 2**60 + np.arange(5)
    y = np.random.default_rng(0).normal(size=100) + np.repeat(np.arange(5), 20)
    frame = pd.DataFrame({"id": np.repeat(ids, 20), "y": y, "row": np.arange(100)})
    lazy = pl.from_pandas(frame).lazy()
    options: dict[str, Any] = {"outcome": "y", "categorical": ["id"], "row_id": "row"}
    plans = [vt.design_treatments(one, **options) for one in (frame, lazy)]
    assert [plan.treatments[0].levels.to_list() for plan in plans] == [ids.tolist()] * 2  # type: ignore[union-attr]
    treated = vt.prepare(plans[0], lazy, row_id="row").collect()["id_catN"]
    assert treated.n_unique() == len(ids)


def test_a3_text_is_not_taken_for_numbers_and_dates_are_no_names(X: pd.DataFrame, y: Any) -> None:
    plan = design(X, y, categorical=["zip"])
    for text in (X.astype({"zip": str}), pl.from_pandas(X.astype({"zip": str})).lazy()):
        with pytest.raises(SchemaError, match=r"'zip' \(designed on numbers as levels"):
            vt.prepare(plan, text)
    dated = X.assign(zip=pd.date_range("2020", periods=N))
    with pytest.raises(InvalidOptionError, match=r"names 'zip', which holds .* datetime"):
        design(dated, y, categorical=["zip"])
    with pytest.raises(InvalidOptionError, match=r"names \['zipp'\].*did you mean 'zip'"):
        design(X, y, categorical=["zipp"])
    lazy = pl.from_pandas(X.assign(y=y)).lazy()
    with pytest.raises(InvalidOptionError, match="categorical names 'inc', a column of type Float"):
        vt.design_treatments(lazy, outcome="y", categorical=["inc"], cv=None, row_id="zip")


def test_a3_integers_that_look_like_names_are_told(X: pd.DataFrame, y: Any) -> None:
    with pytest.warns(vt.VtreatWarning, match="column 'zip' holds 119 different whole numbers"):
        plan = design(X, y)
    assert [column for column, _ in plan.hints] == ["zip"]
    assert "hint: 'zip' holds" in repr(plan)
    assert "categorical=" in plan._repr_html_()
    assert vt.TreatmentPlan.from_json(plan.to_json()).hints == plan.hints
    assert not design(X, y, categorical=["zip"]).hints


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a3_lazy_integers_that_look_like_names_are_told(
    X: pd.DataFrame, y: Any, engine: str
) -> None:
    hints = design(X, y).hints
    frame = X.assign(y=y, id=range(N))
    for rows in (frame, pd.concat([frame] * 200).assign(id=range(200 * N))):
        lazy = duckdb.from_df(rows) if engine == "duckdb" else pl.from_pandas(rows).lazy()
        with pytest.warns(vt.VtreatWarning, match="column 'zip' holds 119 different whole numbers"):
            plan = vt.design_treatments(
                lazy, outcome="y", outcome_type="binomial", variables=list(X), row_id="id"
            )
        assert plan.hints == hints


def test_a3_curves_are_no_names() -> None:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 5000)
    for shape in (age, (age - 50) ** 2 / 20, np.zeros(5000)):
        assert not design(pd.DataFrame({"age": age}), shape + rng.normal(0, 5, 5000)).hints


def test_a4_text_that_is_numbers_or_dates_is_told(X: pd.DataFrame, y: Any) -> None:
    price = X["inc"].round(2).astype(str)
    price[3] = "?"
    frame = pd.DataFrame(
        {
            "price": price,
            "day": pd.date_range("2020", periods=N).strftime("%Y-%m-%d"),
            "zip": X["zip"].astype(str),
            "whole": X["inc"].round().astype(int).astype(str),
        }
    )
    match = r"column 'price' is text, and 99.83% of its rows read as numbers, all but '\?'"
    with (
        pytest.warns(vt.VtreatWarning, match="nothing is derived from"),
        pytest.warns(vt.VtreatWarning, match=match),
    ):
        plan = design(frame, y)
    assert [column for column, _ in plan.hints] == ["price", "day", "whole"]


def test_a4_numbers_beside_a_few_texts_are_told_and_names_of_both_kinds_are_not(
    X: pd.DataFrame, y: Any
) -> None:
    price = X["inc"].astype(object)
    price[3] = "?"
    code = X["zip"].astype(object)
    code[::2] = "A" + code[::2].astype(str)
    frame = pd.DataFrame({"price": price, "code": code, "number": X["inc"].round().astype(object)})
    with pytest.warns(vt.VtreatWarning, match="nothing is derived|holds values of several types"):
        plan = design(frame, y, categorical=["number"])
    ((column, hint),) = plan.hints
    assert column == "price"
    assert hint.startswith("holds values of several types, and 99.83% of its rows are numbers, all")


@pytest.mark.parametrize(("marks", "told"), [(["?", "NA", "-"], True), (list("abcd"), False)])
def test_a4_a_few_texts_for_missing_values_may_be_many_rows(
    X: pd.DataFrame, y: Any, marks: list[str], told: bool
) -> None:
    price = X["inc"].round(2).astype(str)
    some = np.arange(N) % 3 == 0
    price[some] = np.resize(marks, some.sum())
    assert bool(design(pd.DataFrame({"price": price}), y).hints) == told


def test_a4_texts_may_mean_missing(X: pd.DataFrame, y: Any) -> None:
    plan = design(X, y, missing_values=["?", "NA"])
    gone = X.assign(town=X["town"].mask(X["town"] == "?"))
    assert vt.prepare(plan, X.head(9)).equals(vt.prepare(design(gone, y), gone.head(9)))
    assert "town_lev_NA" in plan.feature_names
    assert vt.TreatmentPlan.from_json(plan.to_json()).options.missing_values == ("?", "NA")
    mixed = X.assign(inc=X["inc"].astype(object).where(X.index > 5, "NA"))
    assert "inc_isBAD" in design(mixed, y, missing_values=["NA"]).feature_names
    for kind in ("category", "string", "string[pyarrow]"):
        assert design(X.astype({"town": kind}), y, missing_values=["?", "NA"]) == plan
    with pytest.raises(OptionTypeError, match="missing_values holds -9 of type int"):
        design(X, y, missing_values=[-9])
    with pytest.raises(OptionTypeError, match=r"missing_values='\?' must be a list"):
        design(X, y, missing_values="?")


def test_a2_a3_a4_hold_in_the_compatibility_layer(X: pd.DataFrame, y: Any) -> None:
    params = {"categorical": ["zip"], "missing_values": ["?"], "weight_kind": "importance"}
    treatment = compat.BinomialOutcomeTreatment(params=params)
    treatment.fit(X, y, sample_weight=np.full(N, 1 / N))
    assert "zip_logit_code" in set(treatment.score_frame_["variable"])
    assert "town_lev__NA_" in set(treatment.score_frame_["variable"])
    with pytest.warns(vt.VtreatWarning, match="this looks like the frame"):
        treatment.transform(X)


def test_a5_the_limit_is_printed(X: pd.DataFrame, y: Any) -> None:
    plan = design(X[["inc"]], y)
    assert "recommended: sig below 1\n" in repr(plan)
    assert "recommended: sig below 1<" in plan._repr_html_()


def test_a6_a_model_has_a_column_to_train_on(y: Any) -> None:
    rng = np.random.default_rng(3)
    noise = pd.DataFrame(rng.normal(size=(N, 5)), columns=list("abcde"))
    treatment = vt.BinomialOutcomeTreatment(prune_sig=1e-9, random_state=0)
    with pytest.warns(vt.VtreatWarning, match="no variable is left at .* is kept"):
        model = make_pipeline(treatment, LogisticRegression()).fit(noise, y)
    assert model.predict(noise.head(3)).shape == (3,)
    assert len(model[0].get_feature_names_out()) == 1
    with pytest.raises(InvalidOptionError, match="no variable is left at prune_sig=1e-09"):
        vt.BinomialOutcomeTreatment(prune_sig=1e-9, if_empty="error").fit(noise, y)
    with pytest.raises(InvalidOptionError, match="if_empty='none'; it must be one of"):
        vt.BinomialOutcomeTreatment(if_empty="none").fit(noise, y)
    constant = pd.DataFrame({"z": np.ones(N)})
    with (
        pytest.warns(vt.VtreatWarning, match="it is constant"),
        pytest.raises(InvalidOptionError, match="nothing can be derived"),
    ):
        vt.BinomialOutcomeTreatment().fit(constant, y)


@pytest.mark.parametrize("classes", [np.arange(4000.0), [f"c{i}" for i in range(4000)]])
def test_a7_very_many_classes_are_refused_at_once(classes: Any) -> None:
    frame = pd.DataFrame({"z": np.random.default_rng(0).normal(size=4000)})
    start = time.perf_counter()
    with pytest.raises(OutcomeError, match=r"4000 classes .* more than max_classes=100"):
        vt.MultinomialOutcomeTreatment().fit(frame, classes)
    assert time.perf_counter() - start < 2
    with pytest.raises(OutcomeError, match="more than max_classes=2"):
        vt.MultinomialOutcomeTreatment(max_classes=2).fit(frame.head(9), list("abcabcabc"))
    assert vt.MultinomialOutcomeTreatment(prune_sig=None).fit(frame.head(9), list("abcabcabc"))
    with pytest.raises(InvalidOptionError, match="max_classes=1; it must be >= 2"):
        vt.MultinomialOutcomeTreatment(max_classes=1).fit(frame.head(9), list("abcabcabc"))


def test_a8_copies_of_the_outcome_are_told(X: pd.DataFrame, y: Any) -> None:
    leaks = X[["inc"]].assign(double=2 * y, text=np.where(y, "p", "q"), many=X["zip"] * 2 + y)
    leaks["many"] = leaks["many"].astype(str)
    with pytest.warns(vt.VtreatWarning, match="column 'double' determines the outcome"):
        plan = design(leaks, y)
    assert [column for column, _ in plan.hints] == ["double", "text", "many"]
    assert not design(X[["inc", "town"]], y).hints
    number = X["inc"] + np.random.default_rng(0).normal(size=N)
    with pytest.warns(vt.VtreatWarning, match="column 'copy' determines the outcome"):
        design(X.assign(copy=3 - number), number)
    rare = pd.DataFrame({"id": np.repeat(np.arange(100).astype(str), 2)})
    assert not design(rare, np.arange(200) // 2 == 7).hints  # may be by chance


_RNG = np.random.default_rng(5)
_COUNT, _PER = _RNG.poisson(1.0, N), _RNG.uniform(0.5, 2.0, N)
_TIME, _SEEN = _RNG.exponential(1.0, N), _RNG.random(N) < 0.7
_CLASS = _RNG.choice(list("ABCDE"), N)
COPIES = {
    "class as a number": (
        {"outcome": _CLASS},
        pd.Series(_CLASS).map(dict(zip("ABCDE", [3, 1, 4, 0, 2], strict=True))),
    ),
    "counts": ({"outcome": _COUNT, "outcome_type": "rate"}, 2 * _COUNT),
    "counts per": ({"outcome": _COUNT, "outcome_type": "rate", "exposure": _PER}, 2 * _COUNT),
    "rate": ({"outcome": _COUNT, "outcome_type": "rate", "exposure": _PER}, _COUNT / _PER),
    "times": ({"outcome": (_TIME, _SEEN), "outcome_type": "survival"}, 2 * _TIME),
    "events": ({"outcome": (_TIME, _SEEN), "outcome_type": "survival"}, 1.0 - _SEEN),
    "a curve": ({"outcome": _TIME}, np.exp(-_TIME)),
}


@pytest.mark.parametrize("kind", list(COPIES))
def test_a8_copies_of_any_outcome_are_told(X: pd.DataFrame, kind: str) -> None:
    options, copy = COPIES[kind]
    frame = X[["inc"]].assign(copy=np.where(np.arange(N) % 9 > 0, copy, np.nan))
    with pytest.warns(vt.VtreatWarning, match="column 'copy' determines the outcome"):
        plan = vt.design_treatments(frame, random_state=0, **options)
    assert [column for column, _ in plan.hints] == ["copy"]
    nearly = frame.assign(copy=frame["copy"].to_numpy()[np.arange(N) // 2 * 2])
    assert not vt.design_treatments(nearly, random_state=0, **options).hints


def test_a8_few_rows_are_sorted_by_chance(X: pd.DataFrame) -> None:
    for n, told in ((8, ()), (40, ("inc",))):
        frame = pd.DataFrame({"inc": np.arange(n) ** 2.0})
        plan = vt.design_treatments(frame, outcome=np.arange(n) ** 0.1, random_state=0)
        assert tuple(column for column, _ in plan.hints) == told


def test_a8_a_lazy_class_as_a_number_is_told(X: pd.DataFrame) -> None:
    options, copy = COPIES["class as a number"]
    frame = pl.from_pandas(X[["inc"]].assign(copy=copy, y=options["outcome"], id=range(N))).lazy()
    with pytest.warns(vt.VtreatWarning, match="column 'copy' determines the outcome"):
        vt.design_treatments(frame, outcome="y", variables=["inc", "copy"], row_id="id")


def rows_of(X: pd.DataFrame, kind: str) -> pd.DataFrame:
    kinds = {
        "the first": X.iloc[:500],
        "shuffled": X.sample(frac=1, random_state=1),
        "a third": X.sample(200, random_state=2),
        "with some new": pd.concat([X.iloc[100:], X.iloc[:60].assign(inc=0.0)]),
    }
    return kinds[kind]


@pytest.mark.parametrize("kind", ["the first", "shuffled", "a third", "with some new"])
def test_a9_training_rows_are_known_again(X: pd.DataFrame, y: Any, kind: str) -> None:
    treatment = vt.BinomialOutcomeTreatment(categorical=["zip"], random_state=0).fit(X, y)
    some = rows_of(X, kind)
    for frame in (some, pl.from_pandas(some)):
        with pytest.warns(vt.VtreatWarning, match="these look like rows of the frame"):
            treatment.transform(frame)
    read = vt.TreatmentPlan.from_json(treatment.plan_.to_json())
    with pytest.warns(vt.VtreatWarning, match="these look like rows of the frame"):
        vt.prepare(read, some)


@pytest.mark.filterwarnings("error:these look like rows")
def test_a9_other_rows_are_not(X: pd.DataFrame, y: Any) -> None:
    plan = design(X, y, categorical=["zip"])
    rng = np.random.default_rng(5)
    vt.prepare(plan, X.assign(inc=rng.normal(50, 10, N)))
    vt.prepare(plan, pd.concat([X, X.assign(inc=rng.normal(50, 10, N))]))  # as many are new
    towns = pd.DataFrame({"town": rng.choice([f"t{k}" for k in range(60)], 2 * N)})
    repeated = design(towns.head(N), (towns["town"] < "t3").head(N), coders=["catB"])
    vt.prepare(repeated, towns.tail(N))  # other rows of the same towns
    few = design(X[["town"]], y, significance="classic", smoothing=1.0)
    vt.prepare(few, X.iloc[:500])  # six towns tell no rows apart


def test_a9_columns_of_which_none_tells_rows_apart_have_no_marks() -> None:
    frame = pd.DataFrame({"g": list("abcde") * 28, "h": list("tuvwxyz") * 20})
    y = np.arange(140.0) % 5 + 3.0 * (np.arange(140) % 7)
    plan = design(frame, y, coders=["catN"])
    assert plan.marks is not None
    assert not plan.marks.keys
    assert len(plan.marks.rows) >= 16
    assert len(vt.prepare(plan, frame.assign(h=frame["h"][::-1].to_numpy()))) == len(frame)


def test_a10_a_row_alone_is_what_it_is_in_a_batch() -> None:
    y = np.random.default_rng(0).normal(size=60)
    frame = pd.DataFrame({"z": np.r_[np.zeros(59), 1e6] + np.arange(60)})
    plan = vt.design_treatments(frame, outcome=y, collar_prob=0.05, random_state=0)
    batch = pd.concat([frame[40:60], pd.DataFrame({"z": [np.nan]})], ignore_index=True)
    together = vt.prepare(plan, batch, collar=True)
    for row in range(len(batch)):
        alone = vt.prepare(plan, batch[row : row + 1], collar=True)
        assert np.array_equal(alone.to_numpy(), together[row : row + 1].to_numpy())
    assert float(together["z"].iloc[-1]) < 60.0  # the mean, 16,696, is clipped


def test_a12_folds_of_lazy_rows_are_where_the_rows_are(X: pd.DataFrame, y: Any) -> None:
    frame = X.assign(zip=X["zip"].astype(str), y=y, id=range(N))
    lazy = vt.cross_frame_experiment(
        pl.from_pandas(frame).lazy(), outcome="y", row_id="id", random_state=0
    )
    with pytest.raises(FrameError, match="fold_frame has the fold of each row"):
        _ = lazy.fold_numbers
    own = vt.cross_frame_experiment(frame, outcome="y", row_id="id", random_state=0)
    folds = lazy.fold_frame.collect().to_pandas().sort_values("id")
    assert np.array_equal(folds.iloc[:, 1], own.fold_numbers)


def test_a13_an_audit_of_the_rows_of_the_design_finds_nothing() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(0, 3000, 3000).astype(str), "y": rng.normal(size=3000)})
    plan = vt.design_treatments(frame, outcome="y", coders=["catP"])
    for own in (frame, pl.from_pandas(frame).lazy(), frame.sample(1000, random_state=0)):
        assert plan.audit(own).frame["psi"].max() < 0.05
    assert plan.audit(frame.assign(x="new")).frame["psi"].max() > 1


def test_a14_two_indicators_of_two_levels_count_once() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice(["a", "b"], 90), "z": rng.choice(["p", "q"], 90)})
    y, options = rng.normal(size=90), {"coders": ["lev"]}
    table = design(frame, y, **options).score_frame
    assert table["default_threshold"].tolist() == [0.5] * 4
    assert table.groupby("orig_variable")["sig_fwer"].nunique().tolist() == [1, 1]
    assert table["sig_fwer"].min() == pytest.approx(2 * table["sig"].min())
    classic = design(frame, y, significance="classic", **options).score_frame
    assert classic["default_threshold"].tolist() == [0.25] * 4
