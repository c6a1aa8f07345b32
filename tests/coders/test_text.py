"""text: levels whose texts are alike share what is known of them."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError, PlanFormatError
from vtreat_py.coders.ngrams import BUCKETS, NGrams, mixed, ngrams_of
from vtreat_py.coders.text_features import MOST_TEXTS, RANK, TextFeatures, text_values
from vtreat_py.coders.text_ridge import LevelMeans, TextRidge
from vtreat_py.frames.levels import Levels
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.similar_levels import similar_levels_test
from vtreat_py.statistics.outcome_sums import OutcomeSums

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")

WORDS = ["red", "blue", "green", "tiny", "large", "old", "new", "car", "house", "boat"]
EFFECTS = dict(zip(WORDS, np.random.default_rng(1).normal(size=10), strict=True))
OUTCOMES = {"y": "numeric", "hit": "binomial", "kind": "multinomial"}


def texts(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 4))) for _ in range(n)]


def truth(of: list[str]) -> Any:
    return np.array([sum(EFFECTS[word] for word in text.split()) for text in of])


def frame(n: int = 400) -> pd.DataFrame:
    x = texts(n, 2)
    y = truth(x) + 0.7 * np.random.default_rng(3).normal(size=n)
    kind = np.array(["a", "b", "c"])[np.digitize(y, [-1.0, 1.0])]
    given = pd.Series(x, dtype=object).where(np.arange(n) % 29 > 0)
    return pd.DataFrame({"x": given, "y": y, "hit": (y > 0).astype(int), "kind": kind})


def made(outcome: str = "y", rows: Any = None, **options: Any) -> vt.CrossFrame:
    given = frame()[["x", outcome]] if rows is None else rows
    asked = {"coders": ["text"], "random_state": 0} | options
    return vt.cross_frame_experiment(
        given, outcome=outcome, outcome_type=OUTCOMES[outcome], **asked
    )


NEW = pd.DataFrame(
    {"x": [*texts(60, 5), None, "", "éà 漢字", "a\0b", "red " * 30_000, "RED Car", "red car"]}
)


def points(levels: list[Any]) -> list[dict[int, float]]:
    """The n-grams of each level, as a dict."""
    found: list[dict[int, float]] = []
    for block in ngrams_of(Levels.of(levels)):
        of_block: list[dict[int, float]] = [{} for _ in range(block.n_texts)]
        for text, bucket, value in zip(block.text, block.bucket, block.value, strict=True):
            of_block[text][int(bucket)] = float(value)
        found += of_block
    return found


def hashed(values: list[int]) -> int:
    (h,) = mixed(np.array(values[-1:], np.uint64))
    return int(h) % BUCKETS


def test_ngrams_are_those_of_a_plain_loop() -> None:
    base, wrap = 0x9E3779B97F4A7C15, 2**64
    for text, found in zip(["Ab c1", "", "aaaa"], points(["Ab c1", "", "aaaa"]), strict=True):
        padded = b" " + text.lower().encode() + b" "
        counts: dict[int, int] = {}
        for n in (2, 3, 4):
            for start in range(len(padded) - n + 1):
                h = 0
                for byte in padded[start : start + n]:
                    h = (h * base + byte) % wrap
                place = hashed([(h * base + n) % wrap])
                counts[place] = counts.get(place, 0) + 1
        for word in text.lower().split():
            h = sum(byte * pow(base, k + 1, wrap) for k, byte in enumerate(word.encode())) % wrap
            counts[hashed([h])] = counts.get(hashed([h]), 0) + 1
        whole = sum(counts.values())
        assert found == {k: float(np.sqrt(c / whole)) for k, c in counts.items()}


def test_the_places_of_ngrams_never_change() -> None:
    """Plans that were written hold weights of places."""
    (found,) = points(["red car"])
    assert sorted(found)[:5] == [16, 46, 220, 298, 569]


def test_equal_levels_have_equal_ngrams() -> None:
    one, *others = points([1, 1.0, True, np.float64(1), np.True_, "1", b"1"])
    assert all(other == one for other in others)
    assert points(["\ud800"])[0] != points(["a"])[0]
    assert points([float("nan"), 1j, 0.5]) == points(["nan", "1j", "0.5"])
    assert not list(ngrams_of(Levels.of([])))


def test_texts_beside_others_and_in_slices_are_as_alone() -> None:
    several = ["x", "", "long " * 40_000, "y z", "é"]
    assert points(several) == [one for text in several for one in points([text])]
    levels = Levels.of(["a", "", "b c", "d"])
    sliced = Levels(levels.labels[1:3])
    weights = np.random.default_rng(0).normal(size=(2, BUCKETS))
    np.testing.assert_array_equal(
        text_values(sliced, weights), text_values(levels, weights)[:, 1:3]
    )
    assert text_values(Levels.of([""]), weights).shape == (2, 1)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_words_tell_of_texts_never_seen(outcome: str) -> None:
    cross = made(outcome)
    new = texts(200, 7)
    treated = vt.prepare(cross.plan, pd.DataFrame({"x": new}))
    unseen = ~np.isin(new, frame()["x"].dropna())
    target = {"y": "x_text", "hit": "x_text", "kind": "c_x_text"}[outcome]
    assert unseen.sum() > 20
    assert np.corrcoef(treated[target][unseen], truth(new)[unseen])[0, 1] > 0.7
    scores = cross.plan.score_frame.set_index("variable")
    assert scores.loc[target, "sig"] < 1e-9
    assert scores.loc[target, "rsq"] > 0.15
    assert set(scores["code"]) == {"text"}


def test_codes_are_nearer_to_the_truth_than_level_means() -> None:
    """Codes of y are in its units: the code is what is predicted, less the mean."""
    both = made(coders=["catN", "text"]).cross_frame
    y = frame()["y"]
    error = {name: ((y - y.mean() - both[name]) ** 2).mean() for name in ("x_catN", "x_text")}
    assert error["x_text"] < 0.9 * error["x_catN"]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_json_brings_it_back_to_the_bit(outcome: str) -> None:
    plan = made(outcome).plan
    text = plan.to_json()
    again = vt.TreatmentPlan.from_json(text)
    assert again == plan
    assert len(plan.diff(again)) == 0
    assert '"format_version": 3' in text
    pd.testing.assert_frame_equal(vt.prepare(again, NEW), vt.prepare(plan, NEW), check_exact=True)


def test_tampered_weights_are_refused() -> None:
    text = made().plan.to_json()
    with pytest.raises(PlanFormatError, match="expected 4097 entries, one and one a place"):
        vt.TreatmentPlan.from_json(text.replace('"texts": {"text": [', '"texts": {"text": [1.0, '))
    found = json.loads(text)
    del found["treatments"][0]["parts"][0]["texts"]
    with pytest.raises(PlanFormatError, match="there are no weights of texts of 'text'"):
        vt.TreatmentPlan.from_json(json.dumps(found))


@pytest.mark.parametrize("scale", [False, True])
def test_a_row_alone_is_coded_as_among_others(scale: bool) -> None:
    plan = made("kind").plan
    together = vt.prepare(plan, NEW, scale=scale)
    alone = [vt.prepare(plan, NEW.iloc[[k]], scale=scale) for k in range(len(NEW))]
    pd.testing.assert_frame_equal(pd.concat(alone), together, check_exact=True)
    assert np.isfinite(together.to_numpy()).all()
    assert (together.iloc[-1] == together.iloc[-2]).all()
    of_polars = vt.prepare(plan, pl.from_pandas(NEW), scale=scale)
    np.testing.assert_array_equal(of_polars.to_numpy(), together.to_numpy())
    as_categories = vt.prepare(plan, NEW.astype("category"), scale=scale)
    pd.testing.assert_frame_equal(as_categories, together, check_exact=True)


def test_scaled_codes_are_slopes_times_codes() -> None:
    plan = made().plan
    (variable,) = plan.derived
    plain, scaled = (vt.prepare(plan, NEW, scale=scale) for scale in (False, True))
    expected = variable.slope * (plain["x_text"] - variable.mean)
    pd.testing.assert_series_equal(scaled["x_text"], expected, check_exact=True)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_row_does_not_move_its_own_code(outcome: str) -> None:
    rows, fold = frame(150)[["x", outcome]], np.arange(150) % 4
    other = rows.copy()
    other.loc[40, outcome] = {"y": 100.0, "hit": 0, "kind": "a"}[outcome]
    assert rows.loc[40, outcome] != other.loc[40, outcome]
    before, after = (
        made(outcome, given.assign(fold=fold), cv="fold", variables=["x"], prune_sig=None)
        for given in (rows, other)
    )
    own = fold == fold[40]
    moved = np.abs(before.cross_frame.to_numpy() - after.cross_frame.to_numpy())
    assert moved[own].max() < 1e-12  # the point that sums are about is one of all rows
    assert moved[~own].max() > 1e-3


def test_rows_in_order_are_coded_by_those_before() -> None:
    rows = frame(200)[["x", "y"]]
    early = made(rows=rows.head(150), cv="ordered", prune_sig=None)
    other = rows.head(150).copy()
    other.loc[120:, "y"] += 50.0
    later = made(rows=other, cv="ordered", prune_sig=None)
    known = early.cross_frame.index[early.cross_frame.index < 120]
    one, same = (m.cross_frame.loc[known].to_numpy() for m in (early, later))
    np.testing.assert_allclose(one, same, rtol=1e-9)


def test_weights_are_repeated_rows() -> None:
    rows = frame(200)[["x", "y"]]
    weight = np.random.default_rng(4).integers(1, 4, 200)
    fold = np.arange(200) % 3
    weighted = made(
        rows=rows.assign(w=weight, fold=fold), sample_weight="w", cv="fold", variables=["x"]
    )
    repeated = rows.assign(fold=fold).loc[np.repeat(np.arange(200), weight)]
    many = made(rows=repeated.reset_index(drop=True), cv="fold", variables=["x"])
    first = np.cumsum(weight) - weight
    np.testing.assert_allclose(
        weighted.cross_frame["x_text"], many.cross_frame["x_text"].to_numpy()[first], rtol=1e-7
    )
    one, other = (m.plan.score_frame for m in (weighted, many))
    np.testing.assert_allclose(one["sig"], other["sig"], rtol=1e-7)


def test_the_other_class_has_the_opposite_codes() -> None:
    rows = frame()[["x", "hit"]]
    rows = rows.assign(fold=np.arange(400) % 3)
    one, other = (made("hit", rows, target=target, cv="fold", variables=["x"]) for target in (1, 0))
    np.testing.assert_allclose(
        one.cross_frame["x_text"], -other.cross_frame["x_text"], rtol=1e-7, atol=1e-9
    )


def test_lazy_frames_are_designed_and_others_prepared() -> None:
    rows = frame()[["x", "y"]].assign(id=range(400))
    options = {"row_id": "id", "variables": ["x"]}
    lazy = made(rows=pl.from_pandas(rows).lazy(), **options)
    memory = made(rows=rows, **options)
    found = lazy.cross_frame.collect().sort("id")["x_text"]
    np.testing.assert_allclose(found, memory.cross_frame["x_text"], rtol=1e-7, atol=1e-9)
    with pytest.raises(InvalidOptionError, match=r"'x_text' rest on the texts .* \(code text\)"):
        vt.prepare(memory.plan, pl.from_pandas(NEW).lazy())
    with pytest.raises(InvalidOptionError, match="which SQL does not read"):
        memory.plan.to_sql("rows")
    with duckdb.connect() as connection, pytest.raises(InvalidOptionError, match="'x_text'"):
        memory.plan.check_sql(connection, NEW)
    both = made(rows=rows, coders=["catN", "text"], **options).plan
    assert "x_catN" in both.to_sql("rows", variables=["x_catN"])


def test_it_stands_in_a_pipeline() -> None:
    rows = frame()
    pipeline = make_pipeline(
        vt.NumericOutcomeTreatment(coders=["text"], random_state=0), LinearRegression()
    )
    pipeline.fit(rows[["x"]], rows["y"])
    assert pipeline.score(pd.DataFrame({"x": texts(200, 7)}), truth(texts(200, 7))) > 0.7


def test_kept_statistics_make_the_same_plan() -> None:
    plan = vt.design_treatments(
        frame()[["x", "y"]], outcome="y", coders=["text"], random_state=0, keep_statistics=True
    )
    assert plan.statistics is not None
    assert plan.statistics.plan() == plan


@pytest.mark.parametrize("options", [{"significance": "ordered"}, {"groups": "g"}, {"w": 1}])
def test_rows_in_groups_or_in_order_are_tested_along_directions(options: dict[str, Any]) -> None:
    rows = frame()[["x", "y"]].assign(g=np.arange(400) // 4)
    if "w" in options:
        rows = rows.assign(w=np.random.default_rng(0).random(400) + 0.1)
        options = {"sample_weight": "w", "weight_kind": "importance"}
    noise = rows.assign(x=rows["x"].sample(frac=1.0, random_state=1).to_numpy())
    sig = [
        made(rows=one, variables=["x"], prune_sig=None, **options).plan.score_frame["sig"].min()
        for one in (rows, noise)
    ]
    assert sig[0] < 1e-4 < 0.01 < sig[1]


def test_pooled_and_suppressed_levels_have_what_their_texts_say() -> None:
    plain, pooled = (made(rare_count=count).plan for count in (0, 10**6))
    table = {t.column: t.parts[0] for t in pooled.treatments}["x"]
    values = text_values(plain.treatments[0].levels, table.texts["text"][None, 1:])[0]
    np.testing.assert_allclose(table.tables["text"][:-2], table.texts["text"][0] + values)


def test_a_number_for_smoothing_is_rows_of_prior() -> None:
    plan = made(smoothing=5.0).plan
    part, levels = plan.treatments[0].parts[0], plan.treatments[0].levels
    said = part.texts["text"][0] + text_values(levels, part.texts["text"][None, 1:])[0]
    own = frame().groupby("x")["y"].agg(["mean", "size"]).loc[levels.to_list()]
    apart = own["mean"].to_numpy() - frame()["y"].mean() - said
    belief = own["size"] / (own["size"] + 5.0)
    np.testing.assert_allclose(part.tables["text"][:-2], said + belief * apart)


def test_columns_without_texts_that_tell_are_no_trouble() -> None:
    rows = pd.DataFrame({"x": ["a", None] * 20, "n": range(40), "y": [0.0, 1.0] * 20})
    for given in (rows, rows.assign(x=["a"] * 20 + ["b"] * 10 + [None] * 10)):
        made(rows=given, categorical=["n"], variables=["x", "n"])
    constant = frame()[["x"]].assign(hit=np.arange(400) < 3)
    assert np.isfinite(made("hit", constant, cv=50).cross_frame.to_numpy()).all()


def test_levels_that_differ_no_more_than_chance_have_one_code() -> None:
    level = ["h1", "h1", "h1", "h1", "f0", "h1", "f0", "h1", None, "h1", "f0", "h1", "h1"]
    frame = pd.DataFrame({"x": [*level, "f0", "f0", "f0", "h1"]})
    hit = np.array([0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0])
    plan = vt.design_treatments(frame, outcome=hit, coders=["text"], significance="classic")
    assert not plan.derived  # codes that differ by 1e-12 would be scaled by 1e11


def test_texts_that_say_nothing_in_any_fold_have_no_rsq_in_any_order() -> None:
    rows = pd.DataFrame(
        {
            "x": ["d0", "h3", "i6", "d0", "b2", "c9", "i6", "i8", "d5", "c9", "h3", "c9"],
            "y": [-16.0, 0.0, 0.0, 18.0, -2.0, -16.0, 2.0, 0.0, -18.0, 0.0, -16.0, -16.0],
            "weight": np.array([1, 1, 1, 1, 2, 1, 1, 3, 1, 3, 3, 1]) * 0.37,
            "fold": [2, 0, 0, 1, 2, 0, 1, 2, 0, 1, 0, 1],
        }
    )
    options = {"sample_weight": "weight", "cv": "fold", "coders": ["text"]}
    options |= {"variables": ["x"], "outcome": "y", "significance": "classic"}
    for some in (rows, rows.iloc[::-1], rows.sort_values("y")):
        plan = vt.design_treatments(some.reset_index(drop=True), **options)
        assert plan.score_frame["rsq"].tolist() == [0.0]  # of codes that are 0 but for rounding


def test_the_ridge_is_that_of_all_directions() -> None:
    """Few texts: the model is that of their n-grams as they are, in closed form."""
    levels = Levels.of(sorted(set(texts(120, 9))))
    features = TextFeatures.of(levels, np.ones(len(levels) + 1))
    x = many_by_many(levels)
    np.testing.assert_allclose(features.points @ features.points.T, x @ x.T, atol=1e-9)
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 9, len(levels)).astype(float)
    mean = truth(levels.to_list()) + rng.normal(size=len(levels)) / np.sqrt(weight)
    means = LevelMeans(weight, mean, float(weight.sum() - len(levels)), 1.0)
    ridge = TextRidge.fitted(features, means, 0.5, estimated=False)
    found = ridge.mean + (features.points - ridge.centre) @ ridge.slopes

    def likelihood(scale: float) -> float:
        """Restricted likelihood by matrices of all levels, the mean of v as in the model."""
        v = np.diag(1.0 / weight + 0.5)
        apart, c = (
            mean - np.average(mean, weights=1 / np.diag(v)),
            x - np.average(x, axis=0, weights=1 / np.diag(v)),
        )
        whole = v + scale * c @ c.T
        squares = apart @ np.linalg.solve(whole, apart) + means.inside
        return float((weight.sum() - 1) * np.log(squares) + np.linalg.slogdet(whole)[1])

    grid = np.geomspace(1e-2, 1e2, 80)
    best = grid[np.argmin([likelihood(one) for one in grid])]
    v = 1.0 / (1.0 / weight + 0.5)
    centre, middle = np.average(x, axis=0, weights=v), np.average(mean, weights=v)
    c = x - centre
    product = best * c @ c.T
    expected = middle + product @ np.linalg.solve(product + np.diag(1.0 / v), mean - middle)
    np.testing.assert_allclose(found, expected, atol=0.02)


def many_by_many(levels: Levels) -> Any:
    """Vectors of all levels, at full length."""
    x = np.zeros((len(levels), BUCKETS))
    for row, own in enumerate(points(levels.to_list())):
        x[row, list(own)] = list(own.values())
    return x


def test_many_texts_are_told_apart_by_few_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = np.random.default_rng(0).integers(97, 123, (800, 9), dtype=np.uint8)
    many = Levels.of([bytes(row).decode() for row in letters])
    features = TextFeatures.of(many, np.ones(801))
    assert features.points.shape == (800, RANK)
    kernel, close = (np.square(x).sum() for x in (many_by_many(many), features.points))
    assert 0.4 * kernel < close <= kernel
    np.testing.assert_allclose(features.basis.T @ features.basis, np.eye(RANK), atol=1e-6)
    monkeypatch.setattr("vtreat_py.coders.text_features.MOST_TEXTS", 100)
    weight = np.arange(801.0)
    heaviest = TextFeatures.of(many, weight)
    assert (heaviest.places == np.arange(700, 800)).all()
    slopes = np.random.default_rng(1).normal(size=(2, heaviest.points.shape[1]))
    weights = np.array([heaviest.weights(one) for one in slopes])
    np.testing.assert_allclose(heaviest.values(slopes), text_values(many, weights), atol=1e-6)
    assert MOST_TEXTS > 10_000


def test_codes_of_many_texts_do_not_rest_on_the_order_of_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Directions are turned towards some texts, which their order must not choose."""
    monkeypatch.setattr("vtreat_py.coders.text_features._MOST_TURNED_TO", 300)
    rng = np.random.default_rng(5)
    x = [f"{text} {rng.integers(10**6)}" for text in texts(900, 4)]
    rows = pd.DataFrame({"x": x, "y": truth([text.rsplit(" ", 1)[0] for text in x])})
    plan, turned = made(rows=rows).plan, made(rows=rows[::-1]).plan
    new = rows.assign(x=rows["x"] + " red")
    for asked in (rows, new):
        np.testing.assert_allclose(vt.prepare(turned, asked), vt.prepare(plan, asked), atol=1e-8)
    codes = vt.prepare(plan, new)["x_text"]
    assert np.corrcoef(codes, rows["y"] + EFFECTS["red"])[0, 1] > 0.9


def test_the_test_of_similar_levels_is_that_of_permuted_outcomes() -> None:
    rng = np.random.default_rng(0)
    size = rng.integers(1, 6, 40)
    z, level = rng.normal(size=(40, 3)), np.repeat(np.arange(40), size)
    y = np.exp(rng.normal(size=len(level))) + 0.3 * z[level, 0]
    powers = OutcomePowers.of_sample(Sample.of_values(y))

    def p_value(of: Any) -> float:
        sums = OutcomeSums.of_rows(level, 40, of)
        return similar_levels_test(sums, z, powers)

    c = z[level] - z[level].mean(axis=0)
    kernel = c @ c.T
    np.fill_diagonal(kernel, 0.0)

    def statistic(of: Any) -> float:
        apart = of - of.mean()
        return float(apart @ kernel @ apart)

    own = statistic(y)
    drawn = np.array([statistic(rng.permutation(y)) for _ in range(4_000)])
    assert p_value(y) == pytest.approx((drawn >= own).mean(), abs=0.02)
    assert similar_levels_test(OutcomeSums.of_rows(level, 40, y), 0 * z, powers) == 1.0
    few = OutcomePowers.of_sample(Sample.of_values(y[:3]))
    assert similar_levels_test(OutcomeSums.of_rows(level[:3], 40, y[:3]), z, few) == 1.0


def test_memory_does_not_grow_with_the_length_of_texts() -> None:
    rows = pd.DataFrame({"x": ["some words " * 20_000, "a", "b", "c"] * 10, "y": range(40)})
    tracemalloc.start()
    made(rows=rows)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 60e6


def test_grams_know_where_texts_start() -> None:
    grams = NGrams(np.array([0, 2, 2]), np.array([1, 0, 3]), np.ones(3), 3)
    assert grams.starts.tolist() == [0, 1, 1, 3]


def sentences(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{i} " + " ".join(rng.choice(WORDS, rng.integers(3, 9))) for i in range(n)]


TOLD = "is text, and its 80 levels, of 7 words on average, are hardly ever seen twice: coders= with"


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_columns_of_sentences_are_told_of_this_code(outcome: str, container: Any) -> None:
    given = frame(80)[[outcome]].to_dict("list") | {"x": sentences(80), "id": list(range(80))}
    with pytest.warns(vt.VtreatWarning, match=f"column 'x' {TOLD}"):
        plan = vt.design_treatments(
            container(given), outcome=outcome, variables=["x"], row_id="id", random_state=0
        )
    ((column, hint),) = plan.hints
    assert column == "x"
    assert hint.startswith(TOLD)
    assert vt.TreatmentPlan.from_json(plan.to_json()).hints == plan.hints


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (sentences(80), {"coders": ["catN", "text"]}),
        (sentences(80), {"outcome": None, "outcome_type": "unsupervised"}),
        (sentences(80), {"outcome_type": "rate", "exposure": np.ones(80)}),
        (sentences(40) * 2, {}),
        (sentences(49), {}),
        ([f"{first} {last}" for first in WORDS for last in texts(8, 0)], {}),
        ([f"2026-11-{1 + i % 28:02} {i // 4:02}:00:00" for i in range(80)], {}),
        ([None] * 80, {}),
    ],
)
def test_other_columns_are_not(values: list[Any], options: dict[str, Any]) -> None:
    y = np.random.default_rng(3).poisson(3.0, len(values)).astype(float)
    plan = vt.design_treatments(
        pd.DataFrame({"x": pd.Series(values, dtype=object), "z": y[::-1]}),
        **{"outcome": y, "random_state": 0} | options,
    )
    assert not [hint for _, hint in plan.hints if "words" in hint]


def test_pairs_of_texts_are_not() -> None:
    """What pairs say beyond their parts is not said by words."""
    rng = np.random.default_rng(0)
    a, b = (rng.choice(sentences(60, seed), 400) for seed in (0, 1))
    given = frame(400)[["y"]].assign(a=a, b=b)
    plan = vt.design_treatments(given, outcome="y", composites=[("a", "b")], random_state=0)
    assert plan.hints == ()
    pair = pd.DataFrame({"pair": given["a"] + " " + given["b"], "y": given["y"]})
    ((told, _),) = vt.design_treatments(pair, outcome="y", random_state=0).hints
    assert told == "pair"


def test_rows_of_a_text_are_counted_as_weights_count_them() -> None:
    given = pd.DataFrame({"x": sentences(80), "y": frame(80)["y"]})
    once = vt.design_treatments(given, outcome="y", sample_weight=np.ones(80), random_state=0)
    thrice = vt.design_treatments(given, outcome="y", sample_weight=[3] * 80, random_state=0)
    worth = vt.design_treatments(
        given, outcome="y", sample_weight=[3] * 80, weight_kind="importance", random_state=0
    )
    told = [any("words" in hint for _, hint in plan.hints) for plan in (once, thrice, worth)]
    assert told == [True, False, True]
