"""False discoveries are bounded: adjusted p-values, and variables chosen by them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import vtreat_py as vt
from tests.conftest import arrays
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.plan.options import DesignOptions
from vtreat_py.plan.variables import DerivedVariable, OutcomeScore

RULES = {"sig_fdr": "fdr_bh", "sig_fwer": "holm"}
COLUMNS = ["sig", *RULES]

# Many ties, zeros and ones among them.
SIGS = st.lists(
    st.one_of(st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0]), st.floats(0, 1)), min_size=1
)


def plan_of(sigs: Sequence[Sequence[float]], kind: str = "numeric") -> vt.TreatmentPlan:
    """A plan of variables with these p-values, one for each class."""
    classes = tuple(range(len(sigs[0]))) if kind == "multinomial" else ()
    derived = tuple(
        DerivedVariable(
            name=f"v{i}",
            orig_variable=f"v{i}",
            code="clean",
            scores=tuple(OutcomeScore(c, 0.0, sig) for c, sig in enumerate(own)),
        )
        for i, own in enumerate(sigs)
    )
    return vt.TreatmentPlan(
        kind, "y", None, "", (), (), (), derived, DesignOptions(), 10, vt.__version__, classes
    )


def naive_fdr(sigs: list[float]) -> list[float]:
    """The smallest q at which Benjamini and Hochberg reject: p <= q * (number up to p) / all."""
    m = len(sigs)
    needed = {p: min(1.0, p * m / sum(other <= p for other in sigs)) for p in sigs}
    return [min(q for other, q in needed.items() if other >= p) for p in sigs]


def naive_fwer(sigs: list[float]) -> list[float]:
    """The smallest a at which Holm rejects: each step compares p with a / (number still left)."""
    needed = {p: min(1.0, p * sum(other >= p for other in sigs)) for p in sigs}
    return [max(a for other, a in needed.items() if other <= p) for p in sigs]


@settings(max_examples=20, deadline=None)
@given(SIGS)
def test_adjusted_p_values_are_those_of_statsmodels_and_of_the_definition(
    sigs: list[float],
) -> None:
    table = plan_of([[sig] for sig in sigs]).score_frame
    assert table["sig"].tolist() == sigs
    last_bits = len(sigs) * 5e-324  # floats below the normal ones have no relative precision
    for column, naive in (("sig_fdr", naive_fdr), ("sig_fwer", naive_fwer)):
        np.testing.assert_allclose(table[column], naive(sigs), rtol=1e-12, atol=last_bits)
    assert table["sig_fdr"].tolist() == multipletests(sigs, method="fdr_bh")[1].tolist()
    np.testing.assert_allclose(table["sig_fwer"], multipletests(sigs, method="holm")[1])


@settings(max_examples=40, deadline=None)
@given(SIGS)
def test_adjusted_p_values_keep_the_order_and_are_at_least_the_p_values(sigs: list[float]) -> None:
    table = plan_of([[sig] for sig in sigs]).score_frame.sort_values("sig")
    assert (table["sig"] <= table["sig_fdr"]).all()
    assert (table["sig_fdr"] <= table["sig_fwer"] * (1 + 1e-12)).all()
    assert (table["sig_fwer"] <= 1).all()
    assert table["sig_fdr"].is_monotonic_increasing
    assert table["sig_fwer"].is_monotonic_increasing


@pytest.mark.parametrize("sig", [0.0, 0.03, 1.0])
def test_a_single_p_value_is_not_adjusted(sig: float) -> None:
    (row,) = plan_of([[sig]]).score_frame[COLUMNS].to_numpy()
    assert row.tolist() == [sig] * 3


def test_with_several_classes_all_rows_count() -> None:
    sigs = [[0.001, 0.9, 0.04], [0.01, 0.03, 1.0], [0.6, 0.7, 0.8]]
    table = plan_of(sigs, "multinomial").score_frame
    assert len(table) == 9
    for column, rule in RULES.items():
        np.testing.assert_allclose(table[column], multipletests(table["sig"], method=rule)[1])


def test_without_outcome_they_are_one_and_all_is_kept() -> None:
    frame = pd.DataFrame({"z": [1.0, None, 3.0], "x": ["a", "b", "b"]})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    assert (plan.score_frame[COLUMNS] == 1).all(axis=None)
    for prune_by in COLUMNS:
        treated = vt.prepare(plan, frame, prune_sig=0.01, prune_by=prune_by)
        assert treated.columns.tolist() == plan.feature_names


def test_a_plan_with_adjusted_p_values_is_equal_and_cannot_be_changed_through_them() -> None:
    plan, other = (plan_of([[0.01], [0.2]]) for _ in range(2))
    table = plan.score_frame
    table.loc[0, "sig_fdr"] = 0.7
    assert plan.score_frame["sig_fdr"].tolist() == [0.02, 0.2]
    assert plan == other == pickle.loads(pickle.dumps(plan))


@settings(max_examples=40, deadline=None)
@given(SIGS, st.floats(0, 1), st.sampled_from(COLUMNS))
def test_variables_are_kept_up_to_the_limit_by_any_column(
    sigs: list[float], limit: float, prune_by: str
) -> None:
    plan = plan_of([[sig] for sig in sigs])
    table = plan.score_frame
    kept = table["variable"][table[prune_by] <= limit].tolist()
    assert [v.name for v in plan.select(limit, prune_by=prune_by)] == kept


def test_plausible_variables_are_those_of_a_lenient_false_discovery_rate() -> None:
    plan = plan_of([[0.01], [0.2], [0.3], [0.9]])
    assert plan.score_frame["sig_fdr"].tolist() == pytest.approx([0.04, 0.4, 0.4, 0.9])
    assert [v.name for v in plan.select("plausible")] == ["v0", "v1", "v2"]
    assert plan.select("plausible") == plan.select(0.7, prune_by="sig_fdr")


@pytest.mark.parametrize("prune_by", COLUMNS)
def test_a_variable_is_kept_if_it_passes_for_one_class(prune_by: str) -> None:
    sigs = [[0.001, 0.9, 0.04], [0.5, 0.7, 0.004], [0.6, 0.7, 0.8], [0.02, 0.02, 0.02]]
    plan = plan_of(sigs, "multinomial")
    kept = {
        limit: [v.name for v in plan.select(limit, prune_by=prune_by)]
        for limit in (0.001, 0.01, 0.02, 0.04)
    }
    assert kept == {
        "sig": {0.001: ["v0"], 0.01: ["v0", "v1"], 0.02: ["v0", "v1", "v3"],
                0.04: ["v0", "v1", "v3"]},
        "sig_fdr": {0.001: [], 0.01: [], 0.02: ["v0"], 0.04: ["v0", "v1"]},
        "sig_fwer": {0.001: [], 0.01: [], 0.02: ["v0"], 0.04: ["v0"]},
    }[prune_by]  # fmt: skip


def many_columns(n_rows: int = 200, n_noise: int = 18, n_signal: int = 10) -> Any:
    """Numbers of which the first few matter, the first the most; and the outcome."""
    random = np.random.default_rng(3)
    values = random.normal(size=(n_rows, n_signal + n_noise))
    strength = np.linspace(0.6, 0.05, n_signal)
    y = values[:, :n_signal] @ strength + random.normal(size=n_rows)
    return pd.DataFrame(values, columns=[f"z{i}" for i in range(values.shape[1])]), y


OUTCOMES = {
    "numeric": (vt.NumericOutcomeTreatment, lambda y: y),
    "binomial": (vt.BinomialOutcomeTreatment, lambda y: y > 0),
    "multinomial": (
        vt.MultinomialOutcomeTreatment,
        lambda y: np.array(["low", "mid", "high"])[np.digitize(y, [-0.5, 0.5])],
    ),
}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_every_way_to_treat_a_frame_keeps_exactly_those_that_pass(kind: str) -> None:
    make, outcome_of = OUTCOMES[kind]
    X, y = many_columns()
    y, limit = outcome_of(y), 0.1
    design = {"outcome": y, "outcome_type": kind, "random_state": 0}
    plan, kept = vt.design_treatments(X, **design), {}
    table = plan.score_frame
    for prune_by in COLUMNS:
        chosen = {"prune_sig": limit, "prune_by": prune_by}
        passed = set(table["variable"][table[prune_by] <= limit])
        kept[prune_by] = [name for name in plan.feature_names if name in passed]
        experiment = vt.cross_frame_experiment(X, **design, **chosen)
        treatment = make(random_state=0, **chosen)
        for treated in (
            experiment.cross_frame,
            treatment.fit_transform(X, y),
            treatment.transform(X.head(9)),
            vt.prepare(plan, X.head(9), **chosen),
        ):
            assert list(arrays(treated)) == kept[prune_by]
        assert treatment.get_feature_names_out().tolist() == kept[prune_by]
    assert len(kept["sig"]) > len(kept["sig_fdr"]) > len(kept["sig_fwer"]) > 0


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (
            {"prune_sig": 0.1, "prune_by": "fdr"},
            r"prune_by='fdr'; it must be one of \['sig', 'sig_fdr', 'sig_fwer'\]",
        ),
        ({"prune_sig": 0.1, "prune_by": None}, "prune_by=None; it must be one of"),
        ({"prune_sig": 0.1, "prune_by": ["sig"]}, r"prune_by=\['sig'\]; it must be one of"),
        (
            {"prune_sig": None, "prune_by": "sig_fdr"},
            "prune_by='sig_fdr' needs a number for prune_sig, .* found prune_sig=None",
        ),
        (
            {"prune_sig": "plausible", "prune_by": "sig_fwer"},
            "prune_by='sig_fwer' needs a number for prune_sig, .* prune_sig='plausible'",
        ),
        ({"prune_sig": 2, "prune_by": "sig_fdr"}, "prune_sig=2; it must be >= 0 and <= 1"),
    ],
)
def test_a_prune_by_that_cannot_be_is_refused(chosen: dict[str, Any], message: str) -> None:
    frame = pd.DataFrame({"z": np.arange(20.0), "y": np.arange(20.0) ** 2})
    plan = vt.design_treatments(frame, outcome="y", random_state=0)
    treatment = vt.NumericOutcomeTreatment(**chosen)
    for ask in (
        lambda: vt.prepare(plan, frame.head(3), **chosen),
        lambda: plan.select(**chosen),
        lambda: vt.cross_frame_experiment(frame, outcome="y", **chosen),
        lambda: treatment.fit(frame, "y"),
        lambda: treatment.fit_transform(frame, "y"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            ask()


def test_the_warning_that_nothing_is_left_names_the_rule() -> None:
    X, y = many_columns(n_signal=1)
    plan = vt.design_treatments(X[["z3", "z4"]], outcome=y, outcome_type="numeric")
    said = r"no derived variable is left at prune_sig=1e-09, prune_by='sig_fdr'"
    with pytest.warns(vt.VtreatWarning, match=said):
        vt.prepare(plan, X.head(2), prune_sig=1e-9, prune_by="sig_fdr")


@pytest.mark.long
def test_the_rates_hold_among_many_columns() -> None:
    """Of 100 columns 20 matter: the share of noise kept, and how often any is, are bounded."""
    random = np.random.default_rng(12)
    n_tables, n_rows, n_signal, q = 40, 200, 20, 0.2
    noise_kept: dict[str, list[int]] = {column: [] for column in COLUMNS}
    all_kept: dict[str, list[int]] = {column: [] for column in COLUMNS}
    for _ in range(n_tables):
        values = random.normal(size=(n_rows, 100))
        y = values[:, :n_signal].sum(axis=1) + 3 * random.normal(size=n_rows)
        table = vt.design_treatments(
            pd.DataFrame(values), outcome=y, outcome_type="numeric", random_state=0
        ).score_frame
        for column in COLUMNS:
            passed = (table[column] <= q).to_numpy()
            noise_kept[column].append(int(passed[n_signal:].sum()))
            all_kept[column].append(int(passed.sum()))
    shares = {c: np.divide(noise_kept[c], np.maximum(all_kept[c], 1)) for c in COLUMNS}
    tolerance = 3 * shares["sig_fdr"].std() / np.sqrt(n_tables)
    # Benjamini and Hochberg spend q on all columns, of which 80 of 100 are noise.
    assert shares["sig_fdr"].mean() == pytest.approx(0.8 * q, abs=tolerance)
    assert np.mean(np.array(noise_kept["sig_fwer"]) > 0) <= q + 3 * np.sqrt(q / n_tables)
    assert shares["sig"].mean() > 2 * q
    assert np.sum(all_kept["sig_fdr"]) > 1.5 * np.sum(all_kept["sig_fwer"])


def of_rare_class(**options: Any) -> vt.TreatmentPlan:
    """Levels of 400, 200 and twice 100 rows, a tenth of each of the rarer class; and two levels."""
    n = 800
    frame = pd.DataFrame(
        {
            "g": np.repeat(list("abcd"), [400, 200, 100, 100]),
            "two": np.where(np.arange(n) % 40 == 3, "u", "v"),
        }
    )
    y = (np.arange(n) % 10 == 3) ^ (np.arange(n) < 5)
    return vt.design_treatments(frame, outcome=y, random_state=0, **options)


@pytest.mark.parametrize("target", [True, False])
def test_indicators_need_twenty_rows_of_the_rarer_class(target: bool) -> None:
    plan = of_rare_class(target=target, coders=["lev", "catB"], smoothing=1.0)
    share = 83 / 800
    few = {v.name for v in plan.derived if v.few_events}
    assert few == {"g_lev_x_c", "g_lev_x_d"}  # 100 x .104 rows are expected; 200 x .104 suffice
    assert 100 * share < 20 <= 200 * share
    assert not few & {v.name for v in plan.select("plausible")}
    assert few <= {v.name for v in plan.select(1.0, prune_by="sig_fdr")}
    assert vt.TreatmentPlan.from_json(plan.to_json()) == plan
    scoring = plan.for_scoring(min_rows=1)
    assert [v.few_events for v in scoring.derived] == [v.few_events for v in plan.derived]


def test_weights_count_rows_of_the_rarer_class() -> None:
    twice = of_rare_class(sample_weight=np.full(800, 2.0), coders=["lev", "catB"])
    assert not any(v.few_events for v in twice.derived)


def test_indicators_without_an_impact_code_are_plausible_by_their_p_values_alone() -> None:
    plan = of_rare_class(coders=["lev"])
    assert any(v.few_events for v in plan.derived)
    assert plan.select("plausible") == plan.select(0.7, prune_by="sig_fdr")


def test_other_outcomes_have_no_rarer_class() -> None:
    g = np.repeat(list("abcd"), [40, 20, 10, 10])
    for y in (np.arange(80.0), np.resize(["p", "q", "r"], 80)):
        plan = vt.design_treatments(pd.DataFrame({"g": g}), outcome=y, random_state=0)
        assert not any(v.few_events for v in plan.derived)
