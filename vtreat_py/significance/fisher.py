"""Fisher's exact test of 2x2 tables."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray

# Tables count as "at least as unlikely" when their probability exceeds by no more than this.
_EQUAL = 1.0 + 1e-7
# Up to so many possible tables are all listed; of more, the two tails are summed.
_MOST_LISTED = 1 << 14
# Logarithms of more ways to choose rows have too few digits to be subtracted.
_MOST_ROWS = 1e7
# Terms below this share of a sum do not change it.
_NOTHING = 1e-17
# Between two floats that are counts there are no more halvings than this.
_HALVINGS = 64
# Terms are looked at so many to a scale; sums have no more than these.
_NODES, _MOST_TERMS = 32.0, 1 << 12
# Logarithm of a probability of 0, which can be subtracted from itself.
_NO_CHANCE = -1e300
# Stirling's series is exact to the last digit above this.
_STIRLING = 15.0


def fisher_exact(cells: FloatArray) -> FloatArray:
    """Two-sided p-values of Fisher's exact test for 2x2 tables of whole numbers.

    The sum of the hypergeometric probabilities that are at most the observed one.

    Parameters
    ----------
    cells : ndarray of shape (4, m)
        The cells of each table, row by row.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> fisher_exact(np.array([[3.0], [1.0], [1.0], [3.0]])).round(6)
    array([0.485714])
    >>> fisher_exact(np.array([[0.0], [24.0], [1e6], [1e6]])).round(9)  # nearly 2 * 0.5**24
    array([1.19e-07])
    """
    if cells.shape[1] == 0:
        return np.empty(0)
    tables, which = np.unique(cells, axis=1, return_inverse=True)
    a, b, c, d = tables
    many = np.minimum(a + b, a + c) - np.maximum(0.0, a - d) >= _MOST_LISTED
    many |= a + b + c + d > _MOST_ROWS
    p = np.empty(len(a))
    for some, p_values in ((~many, _listed), (many, _by_tails)):
        if some.any():
            p[some] = p_values(tables[:, some])
    return np.asarray(p[which.ravel()])


def _listed(tables: FloatArray) -> FloatArray:
    """All tables at once: the possible tables of each are laid out one after the other."""
    a, b, c, d = tables
    level, hits, misses = a + b, a + c, b + d
    lowest = np.maximum(0.0, level - misses)
    size = (np.minimum(level, hits) - lowest + 1).astype(np.intp)
    start = np.cumsum(size) - size
    owner = np.repeat(np.arange(len(size)), size)
    k = lowest[owner] + (np.arange(size.sum()) - start[owner])

    def log_choose(n: FloatArray, m: FloatArray) -> FloatArray:
        return np.asarray(-special.betaln(1 + n - m, 1 + m) - np.log1p(n))

    log_p = log_choose(hits[owner], k) + log_choose(misses[owner], level[owner] - k)
    log_p -= np.maximum.reduceat(log_p, start)[owner]
    p = np.exp(log_p)
    observed = p[start + (a - lowest).astype(np.intp)]
    extreme = np.where(p <= observed[owner] * _EQUAL, p, 0.0)
    return np.asarray(np.add.reduceat(extreme, start) / np.add.reduceat(p, start))


def _by_tails(tables: FloatArray) -> FloatArray:
    """From the observed table outwards, and from the first as unlikely on the other side."""
    a, b, c, d = tables
    margins = np.stack([a + b, a + c, b + d])
    level, hits, misses = margins
    ends = np.maximum(0.0, level - misses), np.minimum(level, hits)
    mode = np.floor((level + 1.0) * ((hits + 1.0) / (hits + misses + 2.0))).clip(*ends)
    outwards = np.where(a >= mode, 1.0, -1.0)
    log_p = _log_probability(a, margins)
    least = log_p + math.log(_EQUAL)
    near, far = mode, np.where(outwards > 0, *ends)
    for _ in range(_HALVINGS):
        middle = np.floor((near + far) / 2.0)
        likelier = _log_probability(middle, margins) > least
        near, far = np.where(likelier, middle, near), np.where(likelier, far, middle)
    p = np.exp(log_p) * _tail(a, outwards, margins)
    at_far = _log_probability(far, margins)
    other = np.where(at_far <= least, np.exp(at_far) * _tail(far, -outwards, margins), 0.0)
    everything = _log_probability(mode, margins) <= least
    return np.asarray(np.where(everything, 1.0, np.minimum(p + other, 1.0)))


def _tail(k: FloatArray, step: FloatArray, margins: FloatArray) -> FloatArray:
    """Sum of the probabilities from k on in direction ``step``, in units of that of k."""
    scale, total = _scale(k, step, margins), np.ones(len(k))
    by_nodes = (scale > _NODES) & (np.spacing(k) * _NODES < scale)
    by_steps = ~by_nodes & (np.spacing(k) <= 1.0)
    # Floats step over all others: counts so large have no tail that could be summed.
    some = by_nodes
    total[some] = _tail_by_nodes(k[some], step[some], margins[:, some], scale[some])
    some = by_steps
    total[some] = _tail_by_steps(k[some], step[some], margins[:, some])
    return total


def _scale(k: FloatArray, step: FloatArray, margins: FloatArray) -> FloatArray:
    """How far from k on probabilities fall to a third, or less."""
    level, hits, misses = margins
    n = hits + misses
    deviation = np.sqrt(level * (hits / n) * (misses / n) * ((n - level) / n))
    ends = np.maximum(0.0, level - misses), np.minimum(level, hits)
    h = np.maximum(deviation / _NODES, 1.0)
    later = _log_probability((k + step * h).clip(*ends), margins)
    fall = (_log_probability(k, margins) - later) / h
    return np.asarray(np.minimum(deviation, 1.0 / np.maximum(fall, 1e-300)))


def _tail_by_nodes(
    k: FloatArray, step: FloatArray, margins: FloatArray, scale: FloatArray
) -> FloatArray:
    """A sum of very many terms by the rule of Euler and Maclaurin.

    Every s-th term is looked at. From their sum that of all terms is known, up to the fourth power
    of s over the scale.
    """
    level, hits, misses = margins
    ends = np.maximum(0.0, level - misses), np.minimum(level, hits)
    s, first = scale / _NODES, _log_probability(k, margins)

    def term(i: int) -> FloatArray:
        at = k + step * (i * s)
        inside = (at >= ends[0]) & (at <= ends[1])
        log_p = _log_probability(at.clip(*ends), margins) - first
        return np.asarray(np.where(inside, np.exp(np.minimum(log_p, 1.0)), 0.0))

    slope = (term(1) - term(-1)) / 2.0
    total, last = np.full(len(k), 0.5), np.ones(len(k))
    for i in range(1, _MOST_TERMS):
        last = term(i)
        total += last
        if not (last > _NOTHING * total).any():
            break
    found = s * total + 0.5 + (s - 1.0 / s) * slope / 12.0
    return np.asarray(np.maximum(found, 1.0))


def _tail_by_steps(k: FloatArray, step: FloatArray, margins: FloatArray) -> FloatArray:
    """The same where few terms follow, each from the one before."""
    level, hits, misses = margins
    up, free = step > 0, misses - level
    term, total = np.ones(len(k)), np.ones(len(k))
    for _ in range(_MOST_TERMS):
        rise = (level - k) * (hits - k) / ((k + 1.0) * np.maximum(free + k + 1.0, 1.0))
        fall = k * (free + k) / ((level - k + 1.0) * (hits - k + 1.0))
        term = term * np.where(up, rise, fall)
        total += term
        k = k + np.where(term > 0.0, step, 0.0)
        if not (term > _NOTHING * total).any():
            break
    return total


def _log_probability(k: FloatArray, margins: FloatArray) -> FloatArray:
    """Logarithm of the hypergeometric probability of k, to the last digits of large counts too.

    The probability is that of three binomial ones. C. Loader, "Fast and Accurate Computation of
    Binomial Probabilities" (2000).
    """
    level, hits, misses = margins
    n = hits + misses
    shares = level / n, (n - level) / n
    log_p = _log_binomial(k, hits, *shares) + _log_binomial(level - k, misses, *shares)
    return np.maximum(log_p - _log_binomial(level, n, *shares), _NO_CHANCE)


def _log_binomial(k: FloatArray, n: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    inside = (k > 0) & (k < n)
    x, y = np.where(inside, k, 1.0), np.where(inside, n - k, 1.0)
    error = _stirling_error(x + y) - _stirling_error(x) - _stirling_error(y)
    apart = _deviance(x, (x + y) * p) + _deviance(y, (x + y) * q)
    size = np.log((x + y) / (2.0 * math.pi * x) / y) / 2.0
    none, all_of = special.xlog1py(n, -p), special.xlog1py(n, -q)
    at_end = np.where(k > 0, all_of, np.where(n > 0, none, 0.0))
    return np.asarray(np.where(inside, error - apart + size, at_end))


def _stirling_error(n: FloatArray) -> FloatArray:
    """What Stirling's formula for ``log n!`` lacks."""
    m = np.maximum(n, _STIRLING)
    s = 1.0 / (m * m)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / m
    exact = special.gammaln(n + 1.0) - (n + 0.5) * np.log(n) + n - math.log(2.0 * math.pi) / 2.0
    return np.asarray(np.where(n > _STIRLING, series, exact))


def _deviance(x: FloatArray, mean: FloatArray) -> FloatArray:
    """``x * log(x / mean) + mean - x``, which cancels where x is near the mean."""
    v = (x - mean) / (x + mean)
    s = v * v
    series = np.zeros_like(x)
    for k in range(10, 0, -1):
        series = (series + 1.0 / (2 * k + 1)) * s
    near = (x - mean) * v + 2.0 * x * v * series
    with np.errstate(divide="ignore", over="ignore"):  # a mean that is lost beside larger counts
        far = x * np.log(x / mean) + mean - x
    return np.asarray(np.where(np.abs(v) < 0.1, near, far))
