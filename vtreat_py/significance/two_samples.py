"""Do two samples come from one population? One permutation test a column."""

from __future__ import annotations

import numpy as np

from vtreat_py._typing import FloatArray
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums


def two_sample_test(then: FloatArray, now: FloatArray) -> float:
    """p-value of the hypothesis that two samples were drawn from one population.

    Parameters
    ----------
    then, now : ndarray of shape (m,)
        Rows of each cell (a level, or a bin of numbers) in the two samples. Weights that are not
        whole are rounded.

    Returns
    -------
    float
        1 where a sample is empty, or all rows are in one cell.

    Notes
    -----
    Which sample a row belongs to is taken for an outcome of 0 and 1, and `level_effects_test` asks
    whether it depends on the cell: its statistic is compared with those when the rows are dealt to
    the two samples at random. Both samples may therefore be small, and no cell needs a
    certain number of rows: a cell that one row is in is compared with others of its kind. With few
    cells it is the chi-square test of two samples, with a better distribution.

    Examples
    --------
    >>> import numpy as np
    >>> round(two_sample_test(np.array([50.0, 30.0, 20.0]), np.array([35.0, 35.0, 30.0])), 3)
    0.082
    """
    then, now = np.rint(then), np.rint(now)
    both = np.array([then.sum(), now.sum()])
    if not both.all():
        return 1.0
    cells = OutcomeSums(then + now, now)
    return level_effects_test(
        cells, OutcomePowers.of_sample(Sample.of_values(np.array([0.0, 1.0]), both))
    )
