"""Groups of tasks of very different sizes, done as one flat queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import OptionTypeError
from vtreat_py.base.jobs import run_groups
from vtreat_py.evaluation._inputs import check_jobs
from vtreat_py.evaluation._refusals import shown

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")


@overload
def run_nested(  # type: ignore[overload-overlap]  # a mapping is an iterable of its names, too
    task: Callable[[T], R],
    groups: Mapping[K, Iterable[T]],
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> dict[K, list[R]]: ...
@overload
def run_nested(
    task: Callable[[T], R],
    groups: Iterable[Iterable[T]],
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[list[R]]: ...
def run_nested(
    task: Callable[[Any], Any],
    groups: Any,
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Any:
    """Do a task for each item of each group, all groups in one queue.

    A pool for each group leaves workers idle at the end of every group, and a pool of groups lets
    all wait for the longest one. In one queue of all items no worker waits before the last ones.

    Parameters
    ----------
    task : callable
        Is given an item. In other processes, so that it and the items must pickle (joblib also
        takes functions that are defined where they are used), unless ``joblib.parallel_config``
        says otherwise. scikit-learn's configuration is that of the caller.
    groups : iterable of iterables, or mapping from names to iterables
        The items of each group: folds of a model, splits of a strategy, columns of a frame.
    n_jobs : int, default=None
        Workers: -1 for all processors; None for one, or as ``joblib.parallel_config`` says.
        Inside a task of another joblib call there is one, whatever is asked for.
    progress : bool, default=False
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.

    Returns
    -------
    list of lists, or dict from the names to lists
        The results, as the groups were: in their order and the order of their items, whoever was
        done first. A group without items has an empty list.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If ``n_jobs`` is 0, the task is no function, or the groups are none. An error of a task is
        raised as it is.

    Examples
    --------
    >>> from math import sqrt
    >>> from vtreat_py.evaluation import run_nested
    >>> roots = run_nested(sqrt, [range(1, 4), range(5, 11), range(100, 201)])
    >>> [round(sum(group), 4) for group in roots]
    [4.1463, 16.322, 1231.0213]
    >>> run_nested(abs, {"losses": [-2, -1], "none": [], "gains": [3]})
    {'losses': [2, 1], 'none': [], 'gains': [3]}
    """
    check_jobs(n_jobs)
    progress = check_flag("progress", progress)
    if not callable(task):
        raise OptionTypeError(f"task is {shown(task)}; it must be a function of an item")
    groups = _held(groups)
    if isinstance(groups, Mapping):
        return run_groups(task, groups, n_jobs, progress=progress, unit="task")
    numbered = dict(enumerate(groups))
    return list(run_groups(task, numbered, n_jobs, progress=progress, unit="task").values())


def _held(groups: Any) -> Any:
    """Groups whose items are lists, so that those that are none are found before the work."""
    if not isinstance(groups, Iterable) or isinstance(groups, str | bytes):
        raise OptionTypeError(
            f"groups is {shown(groups)}; it must hold lists of items, or name them"
        )
    named = groups.items() if isinstance(groups, Mapping) else enumerate(groups)
    held = {}
    for name, items in named:
        if not isinstance(items, Iterable):
            raise OptionTypeError(f"group {name!r} is {shown(items)}; a list of items is wanted")
        held[name] = list(items)
    return held if isinstance(groups, Mapping) else list(held.values())
