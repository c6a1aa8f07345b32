"""Columns are tasks of one flat queue: the same results, and never a pool in a pool."""

from __future__ import annotations

import multiprocessing.pool
import threading
from typing import Any, Self
from unittest import mock

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
from tests.conftest import FrameKind, arrays, assert_same_values, example_columns
from vtreat_py.base.errors import FrameError
from vtreat_py.memory.design import Design

VARIABLES = ["x", "g", "z", "flag", "size"]


def experiment(frame: Any, n_jobs: int | None, **options: Any) -> vt.CrossFrameExperiment:
    given: dict[str, Any] = {"outcome": "c", "variables": VARIABLES, "random_state": 0}
    return vt.cross_frame_experiment(frame, n_jobs=n_jobs, **given | options)


@pytest.mark.halved
@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_change_nothing(
    kind: FrameKind, columns: dict[str, list[Any]], n_jobs: int
) -> None:
    frame = kind.make(columns)
    options = {"scale": True, "rare_count": 30, "rare_sig": 0.9, "collar_prob": 0.1}
    alone, together = experiment(frame, None, **options), experiment(frame, n_jobs, **options)
    assert alone.plan == together.plan
    assert_same_values(alone.cross_frame, together.cross_frame)


class Pools:
    """Counts the thread and process pools that are made, and the threads that learn columns."""

    def __init__(self) -> None:
        self.made = 0
        self.threads: set[int] = set()

    def __enter__(self) -> Self:
        init, learn = multiprocessing.pool.Pool.__init__, Design._learn_column

        def counted(pool: Any, *args: Any, **kwargs: Any) -> None:
            self.made += 1
            init(pool, *args, **kwargs)

        def seen(design: Any, *given: Any) -> Any:
            self.threads.add(threading.get_ident())
            return learn(design, *given)

        self._patches = [
            mock.patch.object(multiprocessing.pool.Pool, "__init__", counted),
            mock.patch.object(Design, "_learn_column", seen),
            mock.patch("concurrent.futures.ThreadPoolExecutor.__init__", self._refuse),
            mock.patch("concurrent.futures.ProcessPoolExecutor.__init__", self._refuse),
        ]
        for patch in self._patches:
            patch.start()
        return self

    def _refuse(self, *args: Any, **kwargs: Any) -> None:
        raise AssertionError("a pool of another kind")

    def __exit__(self, *error: object) -> None:
        for patch in self._patches:
            patch.stop()


def pools_of(n_jobs: int | None) -> tuple[int, int]:
    """Pools made, and threads used, by an experiment."""
    with Pools() as pools:
        experiment(pd.DataFrame(example_columns()), n_jobs)
    return pools.made, len(pools.threads)


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_one_thread_needs_no_pool(n_jobs: int | None) -> None:
    assert pools_of(n_jobs) == (0, 1)


def test_a_design_makes_one_pool_of_the_threads_asked_for() -> None:
    made, threads = pools_of(3)
    assert made == 1
    assert threads <= 3


def test_one_column_needs_no_pool() -> None:
    with Pools() as pools:
        experiment(pd.DataFrame(example_columns()), 4, variables=["x"])
    assert pools.made == 0


def test_the_number_of_threads_may_come_from_joblib() -> None:
    with joblib.parallel_config(n_jobs=2):
        assert pools_of(None)[0] == 1
        assert pools_of(1)[0] == 0


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_columns_stay_in_this_process_whatever_joblib_would_rather(backend: str) -> None:
    with joblib.parallel_config(backend=backend):
        made, threads = pools_of(2)
    assert made == 1
    assert 1 <= threads <= 2


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_task_of_another_call_makes_no_pool_of_its_own(backend: str, n_jobs: int) -> None:
    runs = 1 if backend == "threading" else 2  # one counter must not see two designs at once
    pools = Parallel(2, backend=backend)(delayed(pools_of)(n_jobs) for _ in range(runs))
    assert pools == [(0, 1)] * runs


@pytest.mark.filterwarnings("ignore:nothing is derived:vtreat_py.VtreatWarning")
def test_a_grid_search_in_processes_finds_what_one_in_this_process_finds() -> None:
    data = pd.DataFrame(example_columns())
    searches = [
        GridSearchCV(
            make_pipeline(
                vt.NumericOutcomeTreatment(random_state=0, n_jobs=-1), LinearRegression()
            ),
            {"numericoutcometreatment__smoothing": [0, 10]},
            cv=3,
            n_jobs=n_jobs,
        ).fit(data[VARIABLES], data["y"])
        for n_jobs in (1, 2)
    ]
    ours, theirs = (s.cv_results_["mean_test_score"] for s in searches)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_errors_of_columns_are_the_same_in_threads(n_jobs: int | None) -> None:
    frame = pd.DataFrame(example_columns(40)).assign(odd=[[1]] * 40, other=[{}] * 40)
    with pytest.raises(FrameError, match=r"'odd' holds .*'other' holds"):
        experiment(frame, n_jobs, variables=["x", "odd", "z", "other"])


def test_derived_columns_are_in_the_order_of_the_frame_whoever_is_done_first() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(50, 40))).add_prefix("v")
    plan = vt.design_treatments(frame, outcome=random.normal(size=50), n_jobs=4)
    assert list(arrays(vt.prepare(plan, frame))) == list(frame.columns)
