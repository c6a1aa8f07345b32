"""Many tasks as one flat queue, never a pool in a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.progress import progress_line

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


class Items(Protocol[T_co]):
    """Items whose number is known before they are made."""

    def __len__(self) -> int:
        """Count them."""

    def __iter__(self) -> Iterator[T_co]:
        """Make them one by one."""


_MOST_JOBS = 1_000_000  # joblib reads no greater number


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads."""
    if n_jobs is None:
        return
    if not isinstance(n_jobs, int) or n_jobs == 0 or abs(n_jobs) > _MOST_JOBS:
        raise InvalidOptionError(f"n_jobs={n_jobs!r} must be a number of threads, -1 or None")


def run_tasks(task: Callable[[T], R], items: Sequence[T], n_jobs: int | None) -> list[R]:
    """Do a task for each item, in ``n_jobs`` threads; results are in the order of the items."""
    return list(_results(task, items, n_jobs, require="sharedmem"))


def run_jobs(
    task: Callable[[T], R],
    items: Items[T],
    n_jobs: int | None,
    *,
    progress: bool = False,
    unit: str = "fit",
) -> list[R]:
    """Do a task for each item, in joblib's workers; results are in the order of the items."""
    with progress_line(len(items), progress, unit) as advance:
        done = []
        for result in _results(task, items, n_jobs, as_they_come=progress):
            done.append(result)
            advance()
    return done


def run_groups(
    task: Callable[[T], R],
    groups: Mapping[K, Iterable[T]],
    n_jobs: int | None,
    *,
    progress: bool = False,
    unit: str = "fit",
) -> dict[K, list[R]]:
    """Do a task for each item of each group, in joblib's workers: one queue of all items.

    Results come as the groups are, in their order and the order of their items.
    """
    held = {name: list(group) for name, group in groups.items()}
    items = [item for group in held.values() for item in group]
    results = iter(run_jobs(task, items, n_jobs, progress=progress, unit=unit))
    return {name: list(islice(results, len(group))) for name, group in held.items()}


def _results(
    task: Callable[[T], R],
    items: Items[T],
    n_jobs: int | None,
    *,
    as_they_come: bool = False,
    **options: Any,
) -> Iterable[R]:
    """Do a task for each item, with joblib's options; all at once, or one by one as asked for.

    Inside a task of another joblib call (such as a grid search with ``n_jobs``) the items are
    done one after the other: the machine is busy with that call's own tasks.
    """
    outer, of_context = get_active_backend()
    n_jobs = of_context if n_jobs is None else n_jobs
    if n_jobs in (None, 1) or len(items) < 2 or outer.nesting_level:
        return map(task, items)
    if as_they_come and outer.supports_return_generator:
        options["return_as"] = "generator"
    run: Callable[..., Iterator[R]] = Parallel(n_jobs, **options)
    return run(delayed(task)(item) for item in items)
