"""Groups of tasks are one queue, and come back as they were."""

from __future__ import annotations

import math
import os
from typing import Any

import joblib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from sklearn import config_context, get_config

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation.nested_jobs import run_nested

RANGES = [range(1, 4), range(5, 11), range(100, 201)]


@pytest.mark.parametrize(
    ("n_jobs", "backend"), [(None, "loky"), (1, "loky"), (2, "loky"), (2, "threading"),
                            (-1, "threading")],
)  # fmt: skip
def test_sums_of_roots(n_jobs: int | None, backend: str) -> None:
    with joblib.parallel_config(backend=backend):
        sums = [sum(group) for group in run_nested(math.sqrt, RANGES, n_jobs=n_jobs)]
    assert sums == pytest.approx([4.146264, 16.32201, 1231.021], rel=5e-7)
    assert sums == [sum(math.sqrt(i) for i in group) for group in RANGES]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers())))
def test_results_are_grouped_as_the_items_were(groups: list[list[int]]) -> None:
    expected = [[str(item) for item in group] for group in groups]
    assert run_nested(str, groups) == expected
    assert run_nested(str, (iter(group) for group in groups)) == expected
    named = dict(enumerate(groups))
    assert run_nested(str, named) == dict(enumerate(expected))
    with joblib.parallel_config(backend="threading"):
        assert run_nested(str, named, n_jobs=3) == dict(enumerate(expected))


def test_names_keep_their_order() -> None:
    assert list(run_nested(abs, {"b": [1], "a": [], "c": [-2]})) == ["b", "a", "c"]


def process_and_routing(_: int) -> tuple[int, bool]:
    return os.getpid(), get_config()["enable_metadata_routing"]


def test_workers_see_the_configuration_of_the_caller() -> None:
    with config_context(enable_metadata_routing=True):
        seen = run_nested(process_and_routing, [[1, 2], [3]], n_jobs=2)
    assert {routing for group in seen for _, routing in group} == {True}
    assert os.getpid() not in {process for group in seen for process, _ in group}


def nested(_: int) -> list[list[tuple[int, bool]]]:
    return run_nested(process_and_routing, [[1, 2], [3]], n_jobs=2)


def test_inside_another_call_there_is_no_second_pool() -> None:
    for result in Parallel(2)(delayed(nested)(i) for i in range(2)):
        assert len({process for group in result for process, _ in group}) == 1


def fails_for_two(item: int) -> int:
    if item == 2:
        raise KeyError("two is too much")
    return item


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_errors_of_tasks_are_raised(n_jobs: Any) -> None:
    with pytest.raises(KeyError, match="two is too much"):
        run_nested(fails_for_two, [[1], [2, 3]], n_jobs=n_jobs)


def test_no_workers_do_no_work() -> None:
    with pytest.raises(InvalidOptionError, match="n_jobs=0 leaves no one to do the work"):
        run_nested(abs, [[1]], n_jobs=0)
