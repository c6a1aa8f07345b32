"""Cumulative hazards are those of Nelson and Aalen, as made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.outcome.lives import expected_of
from tests.statistics.rows import law
from vtreat_py.outcome.times import Survival
from vtreat_py.statistics.hazard import Times

# Few different times, so that most are tied; weights of rows, some of which do not count.
_LIVED = st.lists(
    st.tuples(st.integers(0, 9), st.booleans(), st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0])),
    min_size=1,
    max_size=40,
)


def arrays(lived: list[tuple[int, bool, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    time, event, count = zip(*lived, strict=True)
    return np.array(time, dtype=float), np.array(event), np.array(count)


def test_ties_and_weights_by_hand() -> None:
    """Rows that are lost as others have their event are still at risk then."""
    time = np.array([2.0, 2.0, 2.0, 3.0, 5.0, 5.0, 7.0])
    event = np.array([True, True, False, False, True, False, False])
    of_one = 2 / 7, 2 / 7, 2 / 7, 2 / 7, 2 / 7 + 1 / 3, 2 / 7 + 1 / 3, 2 / 7 + 1 / 3
    times = Times.of(time, event)
    np.testing.assert_allclose(times.hazard(np.ones(7)), of_one, rtol=1e-12)
    count = np.array([3.0, 0.0, 1.0, 2.0, 0.5, 1.0, 2.5])
    first, both = 3 / 10, 3 / 10 + 0.5 / 4
    weighted = [first, first, first, first, both, both, both]
    np.testing.assert_allclose(times.hazard(count), weighted, rtol=1e-12)


@law
@given(_LIVED)
def test_hazards_are_those_of_a_loop(lived: list[tuple[int, bool, float]]) -> None:
    time, event, count = arrays(lived)
    hazard = Times.of(time, event).hazard(count)
    np.testing.assert_allclose(hazard, expected_of(time, event, time, count), rtol=1e-12)


@law
@given(_LIVED)
def test_hazards_sum_to_the_number_of_events(lived: list[tuple[int, bool, float]]) -> None:
    time, event, count = arrays(lived)
    hazard = Times.of(time, event).hazard(count)
    np.testing.assert_allclose((count * hazard).sum(), count[event].sum(), rtol=1e-12)


@law
@given(_LIVED)
def test_expected_events_are_shares_of_their_mean(lived: list[tuple[int, bool, float]]) -> None:
    """Rates have a mean of 1 by them; where nothing is expected of a row it has no event."""
    time, event, count = arrays(lived)
    times = Times.of(time, event)
    expected, hazard = Survival(times, count).known_to(count), times.hazard(count)
    np.testing.assert_allclose(expected.mean * expected.share, hazard, rtol=1e-12)
    events = count[event].sum()
    if not events:
        assert expected.mean == expected.noise == 0.0
        assert not expected.share.any()
        assert not expected.rate.any()
        return
    assert np.isclose((count * expected.share).sum(), count.sum(), rtol=1e-12)
    assert np.isclose((count * expected.share * expected.rate).sum(), count.sum(), rtol=1e-12)
    assert np.isclose(expected.noise, count.sum() / events, rtol=1e-12)
    seen = hazard * expected.rate
    np.testing.assert_allclose(seen, event & (hazard > 0.0), rtol=1e-12)


def test_information_is_the_variance_of_draws_from_those_at_risk() -> None:
    rng = np.random.default_rng(8)
    time, event = rng.integers(1, 12, 60).astype(float), rng.random(60) < 0.6
    x, count = rng.normal(size=60), rng.integers(0, 3, 60).astype(float)
    expected = 0.0
    for t in np.unique(time[event]):
        there = np.repeat(x[time >= t], count[time >= t].astype(int))
        dead = int(count[(time == t) & event].sum())
        if dead and len(there) > 1:  # the sum of so many of them, drawn without replacement
            expected += dead * there.var() * (len(there) - dead) / (len(there) - 1)
    assert Times.of(time, event).information(x, count) == pytest.approx(expected, rel=1e-12)


def test_some_rows_have_the_information_of_those_rows() -> None:
    rng = np.random.default_rng(9)
    time, event, x = rng.random(40), rng.random(40) < 0.5, rng.normal(size=40)
    rows = np.flatnonzero(rng.random(40) < 0.7)
    found = Times.of(time, event).taken(rows).information(x[rows], np.ones(len(rows)))
    alone = Times.of(time[rows], event[rows]).information(x[rows], np.ones(len(rows)))
    assert found == pytest.approx(alone, rel=1e-12)
