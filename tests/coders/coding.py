"""Codes of each row by the package, and by the naive reference, on the same rows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from tests.coders import naive
from tests.statistics.rows import Example, examples
from vtreat_py.coders.pooling import PooledLevels, pool_levels
from vtreat_py.statistics.level_view import held_out_view, training_view, whole_view
from vtreat_py.statistics.tally import tally

Coder = Callable[[PooledLevels], tuple[np.ndarray, np.ndarray]]
Learner = Callable[[naive.Levels], naive.Code]

UNSEEN = "never seen"
SMOOTHINGS = [0.0, 1.0, 10.0, "moments", "auto"]
RARE_COUNTS = [0.0, 1.0, 2.5]
# No p-value of so few rows is one of these, so rounding decides nothing.
RARE_SIGS = [None, 0.7123, 0.2345]


def rows_to_code(outcome: str) -> st.SearchStrategy[Example]:
    """Rows in which every fold leaves some training row that counts."""
    drawn = examples(outcome, min_rows=2, min_folds=2, max_folds=3, max_rows=18)
    return drawn.filter(lambda e: all(e.w[e.fold != fold].sum() > 0 for fold in range(e.n_folds)))


def naive_rows(example: Example) -> list[naive.Row]:
    """The rows in exact numbers; code 0 stands for the missing level."""
    return [
        (int(code) or None, Fraction(float(y)), Fraction(float(w)))
        for code, y, w in zip(example.code, example.y, example.w, strict=True)
    ]


def is_class(example: Example) -> bool:
    return example.rows.counts_classes


def pooled_whole(
    example: Example, rare_count: float = 0, rare_sig: float | None = None
) -> PooledLevels:
    return pool_levels(whole_view(example.table()), rare_count, rare_sig, is_class(example))


def assert_plan_codes(
    example: Example,
    coder: Coder,
    learner: Learner,
    rare_count: float = 0,
    rare_sig: float | None = None,
) -> None:
    """Codes learned on all rows equal the reference, for each level and for an unseen one."""
    codes, novel = coder(pooled_whole(example, rare_count, rare_sig))
    rows = naive_rows(example)
    code = learner(naive.levels_of(rows, rare_count, rare_sig, is_class(example)))
    expected = [code(level or None) for level in range(example.n_levels)]
    np.testing.assert_allclose(codes, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(novel, [code(UNSEEN)], rtol=1e-9, atol=1e-9)


def cross_codes(
    example: Example, coder: Coder, rare_count: float = 0, rare_sig: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Out-of-fold code of each row, and of an unseen level in each fold."""
    table, index = tally(example.code, example.n_levels, example.rows)
    n_folds = example.n_folds
    if rare_sig is None:
        view, entry = held_out_view(table, n_folds), slice(None)
    else:  # suppression asks for all levels of each training set, as a design does
        view = training_view([table.held_out(k).by_level() for k in range(n_folds)])
        entry = table.fold.astype(int) * table.n_levels + table.level
    codes, novel = coder(pool_levels(view, rare_count, rare_sig, is_class(example)))
    out = np.empty(len(example))
    index.spread(codes[entry], out)
    return out, novel


def assert_cross_codes(
    example: Example,
    coder: Coder,
    learner: Learner,
    rare_count: float = 0,
    rare_sig: float | None = None,
) -> None:
    """Each row is coded as the reference codes it, having seen the rows of other folds only."""
    found, novel = cross_codes(example, coder, rare_count, rare_sig)
    for fold in range(example.n_folds):
        rest = naive_rows(example.where(example.fold != fold))
        code = learner(naive.levels_of(rest, rare_count, rare_sig, is_class(example)))
        own = example.fold == fold
        expected = [code(int(level) or None) for level in example.code[own]]
        np.testing.assert_allclose(found[own], expected, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(novel[fold], code(UNSEEN), rtol=1e-8, atol=1e-8)


assert_both = (assert_plan_codes, assert_cross_codes)
