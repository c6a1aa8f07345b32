"""Column tasks in threads: one flat queue, never a pool in a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

T = TypeVar("T")
R = TypeVar("R")


def run_tasks(task: Callable[[T], R], items: Sequence[T], n_jobs: int | None) -> list[R]:
    """Do a task for each item, in ``n_jobs`` threads; results are in the order of the items.

    Inside a task of another joblib call (such as a grid search with ``n_jobs``) the items are
    done one after the other: the machine is busy with that call's own tasks.
    """
    outer, of_context = get_active_backend()
    n_jobs = of_context if n_jobs is None else n_jobs
    if n_jobs in (None, 1) or len(items) < 2 or outer.nesting_level:
        return [task(item) for item in items]
    run: Callable[..., Any] = Parallel(n_jobs, require="sharedmem")
    return list(run(delayed(task)(item) for item in items))
