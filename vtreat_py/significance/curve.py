"""Whether an outcome follows a smooth curve over numbers, or what each number stands for."""

from __future__ import annotations

import numpy as np
from scipy import stats

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.outcome_sums import OutcomeSums

_DEGREE = 3


def curve_tests(numbers: FloatArray, sums: OutcomeSums) -> tuple[float, float]:
    """Test a cubic, and what the means of the numbers are beyond it.

    Parameters
    ----------
    numbers : ndarray of shape (k,)
        Different numbers, k > 2.
    sums : OutcomeSums
        Of the rows of each, k entries; weights count rows.

    Returns
    -------
    curve, beyond : float
        p-values of F tests: that the cubic (of fewer numbers: a line, or a parabola) explains
        nothing, and that the means lie on it (the test of lack of fit: N. Draper and H. Smith,
        *Applied Regression Analysis*, 1998, section 2.1). 1 where rows are too few to say.
    """
    n, k, degree = float(sums.weight.sum()), len(numbers), min(_DEGREE, len(numbers) - 2)
    root = np.sqrt(sums.weight)
    means = sums.mean - np.average(sums.mean, weights=sums.weight)
    near = (numbers - numbers.min()) / max(float(np.ptp(numbers)), 1.0) * 2.0 - 1.0
    basis, _ = np.linalg.qr(root[:, None] * np.vander(near, degree + 1))
    curved = float(np.square(basis.T @ (root * means)).sum())
    apart = max(float(np.square(root * means).sum()) - curved, 0.0)
    within = float(sums.squares.sum())
    curve = _f_test(curved, degree, apart + within, n - 1 - degree)
    return curve, _f_test(apart, k - 1 - degree, within, n - k)


def _f_test(explained: float, df: float, left: float, df_left: float) -> float:
    """p-value of the F test of two sums of squares."""
    if df_left < 1 or not explained > 0:
        return 1.0
    if not left > 0:
        return 0.0
    return float(stats.f.sf(explained / df / (left / df_left), df, df_left))
