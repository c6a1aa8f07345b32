"""A plan that takes missing values out of a frame, and leaves it as it is otherwise."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from vtreat_py.api.plan import TreatmentPlan, with_verbs
from vtreat_py.base.by_name import options_by_name
from vtreat_py.coders.clean import Imputer
from vtreat_py.design.request import MissingnessRequest
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.lazy.design import LazyDesign
from vtreat_py.memory.design import Design


@options_by_name("design_missingness(frame, variables=['x'])")
def design_missingness(
    frame: Any,
    *,
    variables: Sequence[Hashable] | None = None,
    categorical: Sequence[Hashable] = (),
    missing_values: Sequence[str] = (),
    imputation: Imputer = "mean",
    imputation_map: Mapping[Hashable, Imputer] | None = None,
    invalid_mark: str = "_invalid_",
) -> TreatmentPlan:
    """Learn how to take missing values out of a frame whose columns are to stay what they are.

    Numbers are filled in, and marked where they were bad; text stays text, with a mark in place of
    what is missing or unknown. No outcome is looked at, so that the training frame itself may be
    treated by `prepare`, too. For models that take text, such as boosted trees with categories.

    Parameters
    ----------
    frame : pandas, polars or pyarrow data frame, array or list of dicts, of n rows; or a lazy frame
        As for `design_treatments`.
    variables : sequence of column names, default=None
        The columns to treat; None: all.
    categorical, missing_values, imputation, imputation_map
        As for `design_treatments`; numbers of ``categorical`` columns become text.
    invalid_mark : str, default="_invalid_"
        What stands for missing values and for levels that no training row had.

    Returns
    -------
    TreatmentPlan
        Without outcome, of variables of the codes ``clean``, ``isBAD`` and ``kept``. All that can
        be done with a plan can be done with this one: `prepare` on frames of all kinds, JSON, SQL,
        audits. Variables of code ``kept`` are columns of text, in pandas of its default type for
        text, also where the frame has categories.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If an option cannot be used, or a level of a column reads as the mark does.
    UnsupportedColumnError, FrameError
        If columns cannot be read.

    Warns
    -----
    VtreatWarning
        If columns are left out because they hold missing values only (or no finite number):
        nothing says what they are. ``plan.unused`` names them.

    See Also
    --------
    design_treatments : Turns text into numbers as well.
    TreatmentPlan.novel_levels : Lists what `prepare` makes marks of.

    Notes
    -----
    It is R vtreat's ``design_missingness_treatment``, but for this. Columns without a single value
    are left out, where R makes zeros or marks of them. Names never collide. A level that reads as
    the mark is an error; R takes one for the other. Columns that are not treated are left out of
    treated frames unless ``extra_columns`` of `prepare` names them; R puts them in front. Times are
    numbers, as everywhere here. Constant columns stay, as in R.

    Levels that are no text are written as Python writes them, bytes as UTF-8; those that read alike
    become one, and so do those that Python takes for equal, such as 1 and True. A column of numbers
    without bad values at design has no ``isBAD``: bad values of later frames are filled in there,
    and not marked.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> train = pd.DataFrame({"size": [1.0, None, 3.0], "town": ["Ayr", "Bath", None]})
    >>> plan = vt.design_missingness(train)
    >>> vt.prepare(plan, pd.DataFrame({"size": [float("inf"), 7.0], "town": ["Oslo", "Bath"]}))
       size  size_isBAD       town
    0   2.0         1.0  _invalid_
    1   7.0         0.0       Bath
    """
    request = MissingnessRequest(
        variables=variables,
        categorical=categorical,
        missing_values=missing_values,
        imputation=imputation,
        imputation_map=imputation_map,
        invalid_mark=invalid_mark,
    )
    if is_lazy(frame):
        lazy = LazyDesign.of(frame, request)
        return with_verbs(lazy.plan(lazy.learn()))
    design = Design.of(frame, request)
    return with_verbs(design.plan(design.learn()))
