"""Many tasks as one flat queue, never a pool in a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeVar

from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

T = TypeVar("T")
R = TypeVar("R")


def run_tasks(task: Callable[[T], R], items: Sequence[T], n_jobs: int | None) -> list[R]:
    """Do a task for each item, in ``n_jobs`` threads; results are in the order of the items."""
    return _run_flat(task, items, n_jobs, require="sharedmem")


def run_groups(
    task: Callable[[T], R], groups: Iterable[Iterable[T]], n_jobs: int | None
) -> list[list[R]]:
    """Do a task for each item of each group, in joblib's workers: one queue of all items.

    Results come as the groups are, in their order and the order of their items.
    """
    held = [list(group) for group in groups]
    results = iter(_run_flat(task, [item for group in held for item in group], n_jobs))
    return [list(islice(results, len(group))) for group in held]


def _run_flat(
    task: Callable[[T], R], items: Sequence[T], n_jobs: int | None, **options: Any
) -> list[R]:
    """Do a task for each item, with joblib's options.

    Inside a task of another joblib call (such as a grid search with ``n_jobs``) the items are
    done one after the other: the machine is busy with that call's own tasks.
    """
    outer, of_context = get_active_backend()
    n_jobs = of_context if n_jobs is None else n_jobs
    if n_jobs in (None, 1) or len(items) < 2 or outer.nesting_level:
        return [task(item) for item in items]
    run: Callable[..., Any] = Parallel(n_jobs, **options)
    return list(run(delayed(task)(item) for item in items))
