"""Fisher's randomization test of the difference between paired scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, counted
from vtreat_py.base.figures import axes_or_new
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._inputs import (
    check_jobs,
    check_length,
    check_one_of,
    checked_weight,
    finite_numbers,
    near_one,
    random_numbers,
    times_power,
    whole_number,
)
from vtreat_py.evaluation._numbers_shown import readable
from vtreat_py.evaluation._paired_rows import standard_error_of_mean, units
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._sign_flips import NullDistribution, null_of_callable, null_of_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# There is room for the width of a picture, and its margins, within the range of floats.
_GREATEST_DRAWN = 1e300

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Statistic: TypeAlias = Literal["mean"] | Callable[..., Any]


@dataclass(frozen=True, eq=False)
class RandomizationTestResult:
    """What `randomization_test` found.

    Attributes
    ----------
    statistic : float
        The observed statistic: by default the (weighted) mean of a - b.
    pvalue : float
        For the alternative that was asked for; never 0.
    pvalue_greater, pvalue_less : float
        Probability, under the null hypothesis, of a statistic at least as large, or as small.
    standard_error : float
        Of the mean difference, estimated from how the pairs (or groups) differ. NaN for a
        callable statistic, or a single pair or group.
    n : int
        Number of pairs.
    n_groups : int
        Number of groups that change places as a whole; n without ``groups``.
    exact : bool
        Whether every pattern of changes was looked at, and not random ones.
    alternative : {"two-sided", "greater", "less"}
    smallest_pvalue : float
        The least p-value that could have come out, however far the pairs differ: 2 / 2^g of g
        groups (or pairs) that differ, if all patterns are looked at (half of it one-sided); see
        the notes of `randomization_test`.
    null_distribution : ndarray of shape (n_patterns,)
        The statistic under each pattern looked at. Values that tie with ``statistic``, or with its
        negative, are exactly equal to it.

    Means beyond the range of floats are infinite; p-values are right all the same.

    See Also
    --------
    randomization_test : Makes one.

    Examples
    --------
    >>> from vtreat_py.evaluation import randomization_test
    >>> result = randomization_test([0.3, 0.7, 0.2, 0.9, 0.6], [0.1, 0.6, 0.4, 0.6, 0.3])
    >>> result.pvalue, result.exact, len(result.null_distribution)
    (0.25, True, 32)
    """

    statistic: float
    pvalue: float
    pvalue_greater: float
    pvalue_less: float
    standard_error: float
    n: int
    n_groups: int
    exact: bool
    alternative: Alternative
    smallest_pvalue: float
    null_distribution: FloatArray

    def __repr__(self) -> str:
        how = "all" if self.exact else "random"
        pairs = counted(self.n, "pair")
        pairs += f" in {counted(self.n_groups, 'group')}" if self.n_groups < self.n else ""
        return (
            f"RandomizationTestResult: statistic {readable(self.statistic, 4)}, "
            f"p = {self.pvalue:.4g} ({self.alternative})\n"
            f"{pairs}, {len(self.null_distribution):,} patterns "
            f"({how}; p >= {self.smallest_pvalue:.3g}), "
            f"standard error {readable(self.standard_error, 2)}"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the null distribution, and where the observed statistic lies.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> from vtreat_py.evaluation import randomization_test
        >>> result = randomization_test([0.3, 0.7, 0.2, 0.9, 0.6], [0.1, 0.6, 0.4, 0.6, 0.3])
        >>> result.plot().get_title()
        'Observed 0.14: p = 0.25'
        """
        values = self.null_distribution
        if np.abs(values).max() > _GREATEST_DRAWN:
            raise InvalidOptionError(
                "the statistic is too great to be drawn; divide both scores by one number"
            )
        ax = axes_or_new(ax, figsize=(6.4, 3.6))
        bins = min(61, 2 * len(np.unique(values)) - 1)
        edges = np.histogram_bin_edges(values, bins=bins).tolist()
        ax.hist(values, edges, color="0.85", label="by chance")
        ax.hist(values[self._extreme()], edges, color="tab:orange", label="as extreme")
        ax.axvline(self.statistic, color="black", lw=1.5, label="observed")
        side = "" if self.alternative == "two-sided" else f" ({self.alternative})"
        ax.set_title(f"Observed {self.statistic:.3g}: p = {self.pvalue:.2g}{side}")
        ax.set_xlabel("statistic if pairs change places at random")
        ax.set_yticks([])
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small")
        return ax

    def _extreme(self) -> BoolArray:
        """Patterns that the p-value counts; of two-sided ones as many at the other end."""
        values = self.null_distribution
        above, below = values >= self.statistic, values <= self.statistic
        if self.alternative != "two-sided":
            return above if self.alternative == "greater" else below
        count = min(int(above.sum()), int(below.sum()))
        if not count or 2 * count >= len(values):
            return np.full(len(values), bool(count))
        ordered = np.sort(values)
        return np.asarray((values <= ordered[count - 1]) | (values >= ordered[-count]))


@renamed(rng="random_state")
def randomization_test(
    a: Any,
    b: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 99_999,
    statistic: Statistic = "mean",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> RandomizationTestResult:
    """Test whether paired scores differ by more than chance: Fisher's randomization test.

    If two models are equally good, the two scores of a row could as well have been the other way
    round. The test lets the members of each pair change places, in every way there is or in many
    random ones, and asks how often the statistic comes out as large as it did. It assumes no
    distribution of the scores.

    Parameters
    ----------
    a, b : array of shape (n,)
        A score of each row, by one model and by the other, such as `per_row_loss` gives.
    groups : array of shape (n,), default=None
        Rows of the same label change places together: rows of one person, one query, one day.
        The statistic remains that of rows.
    sample_weight : array of shape (n,), default=None
        The statistic is then the weighted mean of a - b. A weighted row changes places as a whole.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": a is larger than b.
    n_resamples : int, default=99_999
        If there are no more patterns than this, all are looked at, and p is exact. Otherwise this
        many random ones are.
    statistic : "mean" or callable, default="mean"
        "mean": the mean of a - b. A callable is given the scores with some pairs exchanged,
        ``statistic(a, b)``, in the order of the rows, and returns a number. If it has a parameter
        ``axis`` it is called with ``axis=-1`` and arrays of shape (m, n), and returns m numbers,
        as in `scipy.stats.permutation_test`.
    random_state : int, Generator or RandomState, default=None
        Of random patterns: a seed, or a source of random numbers, which moves on. None: others
        each time.
    n_jobs : int, default=None
        Workers that a callable statistic is computed by, as in scikit-learn; means take a second
        at most. The result does not depend on it.
    progress : bool, default=False
        For a callable, show a progress line on standard error: of tqdm or rich where installed,
        else a plain one.

    Returns
    -------
    RandomizationTestResult

    Raises
    ------
    InvalidOptionError
        If scores are missing, infinite or not paired, an option has no meaning, or weights are
        given beside a callable.

    Notes
    -----
    A p-value of random patterns counts the observed one as one of them, (k + 1) / (N + 1): it is
    at most q with probability at most q, whatever N. A two-sided p of means counts patterns whose
    mean is as far from 0; that of a callable, whose null distribution may be lopsided, is twice
    the smaller one-sided p.

    Ties are recognised within the rounding that scores (each the nearest number to its decimal
    value, or a few roundings away) and their sums can have. Pairs whose scores are the same have
    no part in any pattern, so that n may be large and the test still exact.

    Few groups cannot prove much: of g groups whose scores differ there are 2^g patterns, and the
    observed one and its mirror are as far from 0 as any, so that a two-sided p is 2 / 2^g at least:
    .125 of 4 groups, .0625 of 5, .03125 of 6, and half of it one-sided. Of N random patterns it is
    1 / (N + 1) at least (twice that, two-sided, of a callable). ``smallest_pvalue`` of the result,
    and its text, say it.

    The test takes scores as they are. With cross-validated predictions it says whether these
    trained models differ on rows like these; `bias_variance` says how much models would vary if
    trained on other rows.

    References
    ----------
    R. A. Fisher, The Design of Experiments, 1935, section 21.
    M. D. Smucker, J. Allan and B. Carterette, "A comparison of statistical significance tests for
    information retrieval evaluation", CIKM 2007.
    B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Statistical
    Applications in Genetics and Molecular Biology 9, 2010, for the added one.

    Examples
    --------
    Of ten rows, one model has seven right and the other the other three. That is no proof:

    >>> from vtreat_py.evaluation import randomization_test
    >>> right = [1, 1, 1, 1, 1, 1, 1, 0, 0, 0]
    >>> other = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    >>> randomization_test(right, other)
    RandomizationTestResult: statistic 0.4, p = 0.3438 (two-sided)
    10 pairs, 1,024 patterns (all; p >= 0.00195), standard error 0.31

    Rows of four patients are four groups: with the same sign in all of them p is .125.

    >>> patients = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> better, worse = [3, 5, 4, 6, 5, 5, 6, 7], [1, 2, 2, 3, 1, 4, 2, 3]
    >>> randomization_test(better, worse, groups=patients)
    RandomizationTestResult: statistic 2.875, p = 0.125 (two-sided)
    8 pairs in 4 groups, 16 patterns (all; p >= 0.125), standard error 0.38

    Any statistic of the scores may be tested, here the ratio of their means:

    >>> result = randomization_test(
    ...     [0.9, 0.7, 0.8, 0.9, 0.6], [0.6, 0.5, 0.7, 0.6, 0.6],
    ...     statistic=lambda a, b: a.mean() / b.mean(), alternative="greater",
    ... )
    >>> round(result.statistic, 2), result.pvalue
    (1.3, 0.0625)
    """
    check_same_rows({"a": a, "b": b, "groups": groups, "sample_weight": sample_weight})
    a, b = finite_numbers(a, "a"), finite_numbers(b, "b")
    if not len(a):
        raise InvalidOptionError("a and b are empty; give at least one pair")
    check_length(b, len(a), "b")
    n_resamples = whole_number(n_resamples, "n_resamples", 1)
    _check_options(alternative, statistic, sample_weight)
    check_jobs(n_jobs)
    progress = check_flag("progress", progress)
    unit = units(groups, len(a))
    random = random_numbers(random_state)
    error, exponent = float("nan"), 0
    if callable(statistic):
        null = null_of_callable(
            statistic, a, b, unit, n_resamples, random, n_jobs=n_jobs, progress=progress
        )
    else:
        weight = near_one(checked_weight(sample_weight, len(a)))[0]
        (a, b), exponent = near_one(np.stack([a, b]))
        null = null_of_mean(a, b, weight, unit, n_resamples, random)
        error = standard_error_of_mean(a - b, weight, unit)
    greater = null.chance(null.values >= null.statistic)
    less = null.chance(null.values <= null.statistic)
    farther = null.chance(np.abs(null.values) >= abs(null.statistic))
    two_sided = min(1.0, 2.0 * min(greater, less)) if callable(statistic) else farther
    observed, error = (float(times_power(v, exponent)) for v in (null.statistic, error))
    values = times_power(null.values, exponent)
    return RandomizationTestResult(
        statistic=observed,
        pvalue={"two-sided": two_sided, "greater": greater, "less": less}[alternative],
        pvalue_greater=greater,
        pvalue_less=less,
        standard_error=error,
        n=len(a),
        n_groups=int(unit.max()) + 1,
        exact=null.exact,
        alternative=alternative,
        smallest_pvalue=_smallest_pvalue(null, alternative, doubled=callable(statistic)),
        null_distribution=values,
    )


def _smallest_pvalue(null: NullDistribution, alternative: Alternative, *, doubled: bool) -> float:
    """P of a statistic that no other pattern reaches, but its mirror where both ends count."""
    if null.exact:
        return min(1.0, (2 if alternative == "two-sided" else 1) / len(null.values))
    return (2 if alternative == "two-sided" and doubled else 1) / (len(null.values) + 1)


def _check_options(alternative: Any, statistic: Any, sample_weight: Any) -> None:
    check_one_of(get_args(Alternative), "alternative", alternative)
    if not callable(statistic) and not (isinstance(statistic, str) and statistic == "mean"):
        raise InvalidOptionError(
            f'statistic={shown(statistic)}; it must be "mean" or a function of a and b'
        )
    if callable(statistic) and sample_weight is not None:
        raise InvalidOptionError(
            "sample_weight has no part in a callable statistic; leave it out, and let the "
            "statistic weight the rows, which it is given in their order"
        )
