"""Docstrings of the treatments: each parameter is described where it is first taken."""

from __future__ import annotations

import inspect
import re
from typing import TypeVar

from vtreat_py.api.design import design_treatments
from vtreat_py.api.prepare import prepare

T = TypeVar("T")

_ENTRY = re.compile(r"^(\w+) : .*\n(?:^    .*\n?)+", re.MULTILINE)

# An option of `prepare`, too, but with another default.
_PRUNED = """
    prune_sig : {"plausible", "recommended"}, float or None, default="plausible"
        Which derived variables come out: those with a p-value of at most this; the plausible ones
        (default: ``sig_fdr <= 0.7``, and indicators that enough of both classes are expected in,
        which models do best with on the whole; see `TreatmentPlan.score_frame`); the fewer that are
        ``recommended`` in `TreatmentPlan.score_frame`; or all, which suits boosted trees.
"""

# An option of the treatments alone.
_IF_EMPTY = """
    if_empty : {"best", "error", "empty"}, default="best"
        What to do where ``prune_sig`` leaves no variable: keep the one of the smallest ``sig``,
        with a warning that it may be noise (default: no model can be trained on no column, and one
        such fold is not to end a search), say so in an error, or return a frame without columns,
        for a part of a ``ColumnTransformer`` or ``FeatureUnion``.
"""

_ATTRIBUTES = """
    Attributes
    ----------
    plan_ : TreatmentPlan
        What was learned on all rows.
    score_frame_ : DataFrame
        The plan's score frame: the derived variables and how they scored.
    feature_names_in_ : ndarray of str
        Columns of the frame; there only when all have text names.
    n_features_in_ : int
        Number of columns of the frame.
"""

_NOTES = """
    Notes
    -----
    Train on what ``fit_transform`` returns, as pipelines do, not on ``fit(X, y).transform(X)``:
    there, the rows' own outcomes are in their codes.

    ``transform`` of the training rows warns of that. So does every fit of a search that scores
    training rows (``return_train_score=True``, the default of ``HalvingGridSearchCV``); those
    scores are too good, and best turned off. To silence the warning alone::

        import warnings
        from vtreat_py import VtreatWarning
        warnings.filterwarnings("ignore", "this looks like the frame", VtreatWarning)
"""


def documented(cls: type[T]) -> type[T]:
    """Fill ``{parameters}`` in a treatment's docstring: those that its constructor takes."""
    if cls.__doc__ is None or design_treatments.__doc__ is None:  # python -OO
        return cls
    names = inspect.signature(cls).parameters
    design, of_prepare = _entries(design_treatments.__doc__), _entries(prepare.__doc__ or "")
    own = _entries(_IF_EMPTY)
    entries = of_prepare | design | _entries(_PRUNED) | own
    told = [entries[name] for name in design | of_prepare | own if name in names]
    sections = ["Parameters\n----------\n" + "\n".join(told)]
    sections += [inspect.cleandoc(_ATTRIBUTES)]
    if "cv" in names:
        sections += [inspect.cleandoc(_NOTES)]
    cls.__doc__ = inspect.cleandoc(cls.__doc__).replace("{parameters}", "\n\n".join(sections))
    return cls


def _entries(docstring: str) -> dict[str, str]:
    """Pick what is said of each parameter; before Python 3.13, docstrings keep indentation."""
    return {m[1]: m[0].rstrip() for m in _ENTRY.finditer(inspect.cleandoc(docstring))}
