"""Tests where rows may not be permuted one by one: groups, series, weights of importance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import signal

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.significance.correlation import correlation_test
from vtreat_py.significance.groups import GroupTests
from vtreat_py.significance.importance import ImportanceTests
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.series import SeriesTests, correlation_of_neighbours
from vtreat_py.significance.spread_of_rows import SpreadInGroups, SpreadInOrder

Array = np.ndarray[Any, Any]
# 70 groups of 10 rows.
GROUP = np.repeat(np.arange(70), 10)
N = len(GROUP)
# Of 300 p-values of noise 0.11 are below 0.05 in one of 100,000 studies.
STUDIES, MOST = 300, 0.11


def in_groups(random: np.random.Generator, correlation: float) -> Array:
    """An outcome with an effect of the group."""
    shared = random.normal(size=70)[GROUP]
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * random.normal(size=N)


def walk(random: np.random.Generator, memory: float = 0.9, n: int = N) -> Array:
    steps = random.normal(size=n + 100) * np.sqrt(1 - memory**2)
    return np.asarray(signal.lfilter([1.0], [1.0, -memory], steps)[100:])


def rate(p_value: Callable[[np.random.Generator], float], studies: int = STUDIES) -> float:
    random = np.random.default_rng(0)
    return float(np.mean([p_value(random) <= 0.05 for _ in range(studies)]))


@pytest.mark.long
@pytest.mark.parametrize("inside", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_noise_in_groups_is_found_as_seldom_as_it_should(inside: float, correlation: float) -> None:
    def numbers(random: np.random.Generator) -> float:
        x = np.sqrt(1 - inside) * random.normal(size=70)[GROUP]
        x = x + np.sqrt(inside) * random.normal(size=N)
        return GroupTests(in_groups(random, correlation), GROUP).correlation(x)

    def levels(random: np.random.Generator) -> float:
        own, shared = random.integers(0, 8, N), random.integers(0, 8, 70)[GROUP]
        level = np.where(random.random(N) < inside, own, shared)
        return GroupTests(in_groups(random, correlation), GROUP).level_effects(level, 8)

    assert rate(numbers) < MOST
    assert rate(levels) < MOST


def test_what_varies_inside_groups_is_found_as_if_there_were_no_effects_of_groups() -> None:
    def p(random: np.random.Generator) -> float:
        x = random.normal(size=N)
        y = 0.1 * x + np.sqrt(0.4) * random.normal(size=N) + 3.0 * random.normal(size=70)[GROUP]
        return GroupTests(y, GROUP).correlation(x)

    assert rate(p, 100) > 0.9  # 0.96; by rows as they are 0.1


@pytest.mark.long
@pytest.mark.parametrize(("n_groups", "least"), [(5, 0.7), (10, 0.74), (100, 0.77)])
def test_few_groups_cost_little_power(n_groups: int, least: float) -> None:
    group = np.repeat(np.arange(n_groups), 1_000 // n_groups)

    def p(random: np.random.Generator) -> float:
        x = random.normal(size=n_groups)[group] / 2.0 + random.normal(size=1_000)
        y = 0.7 * random.normal(size=n_groups)[group] + random.normal(size=1_000)
        return GroupTests(y + 3.0 / np.sqrt(1_000) * x, group).correlation(x)

    assert least < rate(p, 1_000) < 0.9  # 0.76, 0.80 and 0.82


def test_without_effects_of_groups_rows_are_permuted() -> None:
    random = np.random.default_rng(1)
    are_equal = []
    for _ in range(10):
        x, y = random.normal(size=(2, N))
        y -= np.array([y[g == GROUP].mean() for g in range(70)])[GROUP]  # groups are too much alike
        r = float(np.corrcoef(x, y)[0, 1])
        expected = correlation_test(r, N, lambda: Sample.of_values(x), Sample.of_values(y))  # noqa: B023
        found = GroupTests(y, GROUP).correlation(x)
        assert found >= expected * (1.0 - 1e-9)
        are_equal.append(found == pytest.approx(expected, rel=1e-9))
    assert 2 <= sum(are_equal) <= 8  # where slopes of groups differ less than by chance


@pytest.mark.parametrize("counts_rows", [True, False])
def test_groups_may_react_in_their_own_ways(counts_rows: bool) -> None:
    def tests(random: np.random.Generator, own: Array) -> GroupTests:
        y = in_groups(random, 0.3) + own
        return GroupTests(y, GROUP, np.ones(N), counts_rows=counts_rows)

    def numbers(random: np.random.Generator) -> float:
        x, slope = random.normal(size=N), random.normal(size=70)[GROUP]
        return tests(random, slope * x).correlation(x)

    def levels(random: np.random.Generator) -> float:
        level, own = random.integers(0, 4, N), random.normal(size=(70, 4))
        return tests(random, own[GROUP, level]).level_effects(level, 4)

    assert rate(numbers, 200) < 0.1  # as if all reacted in one way: 0.46
    assert rate(levels, 200) < 0.1  # 0.28


def test_a_column_of_groups_is_tested_as_one_of_their_means() -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=70), in_groups(random, 0.3)
    means = y.reshape(70, 10).mean(axis=1)
    r = float(np.corrcoef(x, means)[0, 1])
    expected = correlation_test(r, 70, lambda: Sample.of_values(x), Sample.of_values(means))
    assert GroupTests(y, GROUP).correlation(x[GROUP]) == pytest.approx(expected)


def by_kind(kind: str, y: Array, weight: Array | None = None) -> Any:
    if kind == "groups":
        return GroupTests(y, GROUP[: len(y)], weight, counts_rows=False)
    return SeriesTests(y, weight) if kind == "series" else ImportanceTests(y, weight)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["groups", "series", "importance"])
def test_units_do_not_matter(kind: str) -> None:
    random = np.random.default_rng(3)
    x, y, weight = walk(random), in_groups(random, 0.3) + walk(random), random.lognormal(size=N)
    level = random.integers(0, 6, 70)[GROUP]
    found = by_kind(kind, y, weight)
    other = by_kind(kind, 8.0 * y, weight / 4.0)
    assert other.correlation(0.5 * x) == pytest.approx(found.correlation(x), rel=1e-12)
    assert other.level_effects(level, 6) == pytest.approx(found.level_effects(level, 6), rel=1e-12)


@pytest.mark.parametrize("kind", ["groups", "importance"])
def test_the_order_of_rows_and_names_do_not_matter(kind: str) -> None:
    random = np.random.default_rng(4)
    x, y, weight = random.normal(size=N), in_groups(random, 0.3), random.lognormal(size=N)
    level, order = random.integers(0, 6, 70)[GROUP], random.permutation(N)
    found = by_kind(kind, y, weight)
    if kind == "groups":
        renamed = random.permutation(70)[GROUP]
        other: Any = GroupTests(y[order], renamed[order], weight[order], counts_rows=False)
    else:
        other = ImportanceTests(y[order], weight[order])
    assert other.correlation(x[order]) == pytest.approx(found.correlation(x), rel=1e-9)
    assert other.level_effects(5 - level[order], 6) == pytest.approx(
        found.level_effects(level, 6), rel=1e-9
    )


def test_whole_weights_in_groups_repeat_rows() -> None:
    random = np.random.default_rng(5)
    x, y, times = random.normal(size=N), in_groups(random, 0.3), random.integers(1, 4, N)
    level = random.integers(0, 6, N)
    weighted = GroupTests(y, GROUP, times.astype(float))
    rows = np.repeat(np.arange(N), times)
    repeated = GroupTests(y[rows], GROUP[rows])
    assert weighted.correlation(x) == pytest.approx(repeated.correlation(x[rows]), rel=1e-9)
    assert weighted.level_effects(level, 6) == pytest.approx(
        repeated.level_effects(level[rows], 6), rel=1e-9
    )


@pytest.mark.parametrize("kind", ["groups", "series", "importance"])
@pytest.mark.parametrize("y", [np.zeros(N), GROUP % 2, np.arange(N) % 2, np.arange(N) == 3])
def test_outcomes_that_hardly_vary_have_p_values(kind: str, y: Array) -> None:
    tests = by_kind(kind, y.astype(float), np.ones(N))
    for x in (np.zeros(N), np.arange(N) % 7.0, GROUP.astype(float)):
        assert 0.0 <= tests.correlation(x) <= 1.0
    for level in (np.zeros(N, dtype=int), np.arange(N) % 7, GROUP, np.arange(N)):
        assert 0.0 <= tests.level_effects(level, int(level.max()) + 1) <= 1.0


@pytest.mark.parametrize("kind", ["groups", "series"])
def test_few_rows_say_nothing(kind: str) -> None:
    for n in (1, 2, 3):
        tests = by_kind(kind, np.arange(float(n)), np.ones(n))
        assert tests.level_effects(np.arange(n), n) == 1.0
        assert 0.0 < tests.correlation(np.arange(float(n))) <= 1.0


@pytest.mark.long
def test_noise_in_series_is_found_as_seldom_as_it_should() -> None:
    def levels(random: np.random.Generator) -> float:
        x, y = walk(random, n=400), walk(random, n=400)
        level = np.searchsorted(np.quantile(x, [0.25, 0.5, 0.75]), x)
        return SeriesTests(y).level_effects(level, 4)

    def spread(random: np.random.Generator) -> float:
        x, y = walk(random), walk(random)
        level = np.searchsorted(np.quantile(x, [0.25, 0.5, 0.75]), x)
        return SpreadInOrder(y).p_value(level, 4)

    assert rate(lambda random: SeriesTests(walk(random)).correlation(walk(random))) < MOST
    assert rate(levels, 200) < 0.13
    assert rate(spread, 200) < 0.13


def test_effects_in_series_are_found() -> None:
    random = np.random.default_rng(6)
    x, y, level = walk(random), walk(random), random.integers(0, 4, N)
    assert SeriesTests(y + x).correlation(x) < 1e-5
    assert SeriesTests(y + 2.0 * (level == 1)).level_effects(level, 4) < 1e-6
    runs = np.repeat(random.integers(0, 4, 70), 10)
    assert SpreadInOrder(y * (1.0 + 3.0 * (runs == 1))).p_value(runs, 4) < 1e-6


def test_correlation_of_neighbours() -> None:
    random = np.random.default_rng(7)
    assert correlation_of_neighbours(walk(random)) == pytest.approx(0.9, abs=0.1)
    assert correlation_of_neighbours(random.normal(size=N)) == 0.0
    assert correlation_of_neighbours(np.zeros(5)) == 0.0


def test_spread_in_groups_is_that_inside_them() -> None:
    def noise(random: np.random.Generator) -> float:
        level = random.integers(0, 5, 70)[GROUP]
        return SpreadInGroups(3.0 * in_groups(random, 0.6), GROUP).p_value(level, 5)

    assert rate(noise, 200) < 0.13
    random = np.random.default_rng(8)
    level, pairs = random.integers(0, 3, 70)[GROUP], np.arange(N) // 2
    y = in_groups(random, 0.6)
    weight = random.uniform(1.0, 2.0, N)
    for group, rows in ((GROUP, None), (pairs, None), (GROUP, weight)):
        other = random.integers(0, 3, N) if group is pairs else level
        tests = SpreadInGroups(y * (1.0 + 2.0 * (other == 1)), group, rows)
        assert tests.p_value(other, 3) < 1e-4
    assert SpreadInGroups(y, GROUP).p_value(np.zeros(N, dtype=int), 1) == 1.0


def frame_of(random: np.random.Generator, of_row: Callable[[Array], Array]) -> pd.DataFrame:
    """Columns of every code, the same in all rows that ``of_row`` puts together."""
    levels = of_row(random.choice(12, 70, p=np.arange(1, 13) / 78)).astype(str)
    numbers = of_row(random.normal(size=70))
    bad = of_row(random.random(70)) < 0.3
    return pd.DataFrame({"c": levels, "x": np.where(bad, np.nan, numbers)})


def smallest(frame: pd.DataFrame, y: Array, **options: Any) -> pd.Series[float]:
    made = vt.design_treatments(frame, outcome=y, smoothing=0, random_state=0, **options)
    return made.score_frame.groupby("code")["sig"].min()


def test_groups_reach_every_code() -> None:
    found, before = [], []
    random = np.random.default_rng(9)
    for _ in range(12):
        frame = frame_of(random, lambda values: values[GROUP])
        y = in_groups(random, 0.6)
        found.append(smallest(frame, y, groups=GROUP))
        before.append(smallest(frame, y, cv=5))
    after, without = (pd.concat(one, axis=1).lt(0.005).mean(axis=1) for one in (found, before))
    assert set(after.index) == {"clean", "isBAD", "lev", "catP", "catN", "catD"}
    assert (after <= 0.25).all()
    assert (without.drop("catD") >= 0.25).all()


def test_series_reach_every_code() -> None:
    random = np.random.default_rng(10)
    found = []
    for _ in range(12):
        frame = frame_of(random, lambda values: np.repeat(values[:35], 20))
        y = walk(random, 0.95)
        found.append(smallest(frame, y, significance="ordered", cv="ordered"))
    assert (pd.concat(found, axis=1).lt(0.005).mean(axis=1) <= 0.25).all()


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_the_unit_of_importance_reaches_no_code(kind: str) -> None:
    random = np.random.default_rng(11)
    frame = frame_of(random, lambda values: random.choice(values, N))
    y = random.integers(0, 3, N) if kind == "multinomial" else random.normal(size=N)
    y = (y > 0).astype(int) if kind == "binomial" else y
    y = y.astype(str) if kind == "multinomial" else y
    weight = random.lognormal(sigma=2.0, size=N)
    weight[::50] = 0.0
    given: dict[str, Any] = {"weight_kind": "importance", "cv": 3}
    one = smallest(frame, y, sample_weight=weight, **given)
    two = smallest(frame, y, sample_weight=32.0 * weight, **given)
    assert one.to_list() == pytest.approx(two.to_list(), rel=1e-9)
    assert (one > 1e-4).all()


def test_options_that_do_not_go_together() -> None:
    random = np.random.default_rng(12)
    frame, y = frame_of(random, lambda values: values[GROUP]), walk(random)
    with pytest.raises(InvalidOptionError, match="takes all rows for one series"):
        vt.design_treatments(frame, outcome=y, groups=GROUP, significance="ordered")
    with pytest.raises(InvalidOptionError, match="sums have no order"):
        vt.design_treatments(frame, outcome=y, keep_statistics=True, significance="ordered")
    with pytest.warns(vt.VtreatWarning, match="kept statistics take rows of one group"):
        vt.design_treatments(frame, outcome=y, keep_statistics=True, groups=GROUP)
    with pytest.warns(vt.VtreatWarning, match="neighbouring rows are alike"):
        vt.design_treatments(frame, outcome=y, cv="ordered")
    made = vt.design_treatments(frame, outcome=y, cv="ordered", significance="ordered")
    assert vt.TreatmentPlan.from_json(made.to_json()) == made


def test_groups_of_one_row_are_none() -> None:
    random = np.random.default_rng(13)
    frame, y = frame_of(random, lambda values: random.choice(values, N)), random.normal(size=N)
    alone = vt.design_treatments(frame, outcome=y, groups=np.arange(N), random_state=0)
    plain = vt.design_treatments(frame, outcome=y, random_state=0)
    assert [v.sig for v in alone.derived if v.code == "lev"] == [
        v.sig for v in plain.derived if v.code == "lev"
    ]
