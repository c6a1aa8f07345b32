"""catR: logarithms of ratios of rates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.outcome.claims import GIVEN, claims
from vtreat_py.coders.codes import impact_code


def test_codes_without_smoothing_are_ratios_of_rates() -> None:
    frame = claims()
    plan = vt.design_treatments(frame, **GIVEN, smoothing=0)
    sums = frame.groupby("town")[["claims", "years"]].sum()
    rates = sums["claims"] / sums["years"]
    overall = frame["claims"].sum() / frame["years"].sum()
    effects = plan.level_effects("town").set_index("level")
    ratios = (rates / overall)[effects.index[:-1]].to_numpy()
    np.testing.assert_allclose(effects["effect"].to_numpy()[:-1], np.log(ratios), rtol=1e-11)
    np.testing.assert_allclose(effects["rate_ratio"].to_numpy()[:-1], ratios, rtol=1e-11)
    np.testing.assert_allclose(effects["mean"].to_numpy()[:-1], ratios * overall, rtol=1e-12)
    assert effects["effect"].iloc[-1] == 0.0  # of levels never seen


def test_a_number_for_smoothing_adds_rows_of_average_exposure() -> None:
    frame, rows = claims(), 7.0
    sums = frame.groupby("town")[["claims", "years"]].sum()
    overall = frame["claims"].sum() / frame["years"].sum()
    added = rows * frame["years"].mean()  # a = added * overall events
    rate = (sums["claims"] + added * overall) / (sums["years"] + added)
    effects = vt.design_treatments(frame, **GIVEN, smoothing=rows).level_effects("town")
    effects = effects.set_index("level")["effect"]
    np.testing.assert_allclose(effects[sums.index], np.log(rate / overall), rtol=1e-11)


def test_a_level_without_events_has_a_finite_code() -> None:
    frame = claims(400)
    frame.loc[frame["town"] == "t03", "claims"] = 0
    for smoothing in (0, "auto", 1.0):
        plan = vt.design_treatments(frame, **GIVEN, smoothing=smoothing)
        codes = vt.prepare(plan, frame.head(50).assign(age=0.0), coders=["catR"])
        assert np.isfinite(codes.to_numpy()).all()
        effect = plan.level_effects("town").set_index("level").loc["t03"]
        assert effect["effect"] < 0.0
        assert np.isfinite(effect["effect_se"])


def test_effects_are_told_with_their_errors() -> None:
    """With a prior taken for known: the gamma posterior's deviation over its mean."""
    frame = claims()
    effects = vt.design_treatments(frame, **GIVEN, smoothing=5).level_effects("town")
    np.testing.assert_allclose(effects["rate_ratio"], np.exp(effects["effect"]))
    np.testing.assert_allclose(
        effects["rate_ratio_se"], effects["rate_ratio"] * effects["effect_se"]
    )
    # Poisson counts: variance of a level's rate over its exposure, to the precision of an estimate.
    level = effects.iloc[0]
    years = frame.loc[frame["town"] == level["level"], "years"].sum()
    assert level["mean_se"] == pytest.approx(np.sqrt(level["mean"] / years), rel=0.25)


def test_pairs_multiply() -> None:
    """What two columns say by multiplying rates is no news; what a pair adds to that is."""
    rng = np.random.default_rng(2)
    n = 12_000
    a, b = rng.integers(0, 12, (2, n))
    by_a, by_b, beyond = (
        rng.normal(0, 0.7, 12),
        rng.normal(0, 0.7, 12),
        rng.normal(0, 0.7, (12, 12)),
    )
    years = rng.gamma(1.0, size=n) + 0.05
    sigs = []
    for share in (0.0, 1.0):
        log_rate = by_a[a] + by_b[b] + share * beyond[a, b]
        frame = pd.DataFrame({"a": a.astype(str), "b": b.astype(str), "years": years})
        frame["claims"] = rng.poisson(0.5 * years * np.exp(log_rate))
        made = vt.cross_frame_experiment(frame, **GIVEN, composites=[("a", "b")], coders=["catR"])
        code = made.cross_frame["a_colon_b_catR"]
        assert np.corrcoef(code, log_rate)[0, 1] > 0.93
        pair = made.plan.score_frame.set_index("variable").loc["a_colon_b_catR"]
        sigs.append(pair["sig"])
        effects = made.plan.level_effects("a:b")
        assert {"of_parts", "rate_ratio"} <= set(effects.columns)
    assert sigs[0] > 0.05
    assert sigs[1] < 1e-20


def test_children_are_shrunk_to_their_parents() -> None:
    rng = np.random.default_rng(3)
    n = 6000
    zip_code = rng.integers(0, 300, n)
    of_county = rng.normal(0, 1.0, 20)[zip_code % 20]
    frame = pd.DataFrame({"zip": zip_code.astype(str), "county": (zip_code % 20).astype(str)})
    frame["years"] = rng.gamma(1.0, size=n) + 0.05
    frame["claims"] = rng.poisson(0.3 * frame["years"] * np.exp(of_county))
    plan = vt.design_treatments(frame, **GIVEN, hierarchies={"zip": "county"}, coders=["catR"])
    new = pd.DataFrame({"zip": ["never seen"] * 20, "county": np.arange(20).astype(str)})
    codes = vt.prepare(plan, new)["zip_catR"]
    truth = pd.Series(of_county, index=zip_code % 20).groupby(level=0).first()
    assert np.corrcoef(codes, truth)[0, 1] > 0.97


@pytest.mark.parametrize(
    ("kind", "code", "overall", "expected"),
    [
        ("numeric", [-1.0, 0.0, 2.0], 5.0, [4.0, 5.0, 7.0]),
        ("binomial", [-np.log(3.0), 0.0], 0.5, [0.25, 0.5]),
        ("rate", [-np.log(2.0), 0.0, np.log(3.0)], 0.6, [0.3, 0.6, 1.8]),
    ],
)
def test_codes_stand_for_means(
    kind: str, code: list[float], overall: float, expected: list[float]
) -> None:
    believed = impact_code(kind).believed(np.array(code), overall)
    np.testing.assert_allclose(believed, expected, rtol=1e-12)


def test_errors_where_nothing_is_believed_of_levels_or_nothing_is_known() -> None:
    code, none = impact_code("rate"), np.zeros(2)
    np.testing.assert_array_equal(code.error(none, 0.5, 1.0, none + 3.0, np.inf), 0.0)
    np.testing.assert_array_equal(code.error(none, 0.5, 1.0, none, 0.0), np.inf)
