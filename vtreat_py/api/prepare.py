"""Applying a plan to a frame."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Literal, Unpack, overload

import pandas as pd

from vtreat_py.api.options import PrepareOptions
from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.by_name import options_by_name
from vtreat_py.base.errors import OptionTypeError
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.kinds import Array, DictRows, Files, FrameT, Listed
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.lazy.prepare import prepare_lazy
from vtreat_py.lazy.source import LazySource
from vtreat_py.memory.prepare import treated_frame
from vtreat_py.plan.choice import Choice, check_sparse_in_memory
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig


@overload
def prepare(
    plan: TreatmentPlan,
    frame: Array,
    *,
    sparse_output: Literal[False] = False,
    **options: Unpack[PrepareOptions],
) -> Array: ...
@overload
def prepare(
    plan: TreatmentPlan,
    frame: DictRows,
    *,
    sparse_output: Literal[False] = False,
    **options: Unpack[PrepareOptions],
) -> pd.DataFrame: ...
@overload
def prepare(
    plan: TreatmentPlan,
    frame: Files | Listed,
    *,
    sparse_output: Literal[False] = False,
    **options: Unpack[PrepareOptions],
) -> Any: ...
@overload
def prepare(
    plan: TreatmentPlan,
    frame: FrameT,
    *,
    sparse_output: Literal[False] = False,
    **options: Unpack[PrepareOptions],
) -> FrameT: ...
@overload
def prepare(
    plan: TreatmentPlan,
    frame: Any,
    *,
    sparse_output: bool,
    **options: Unpack[PrepareOptions],
) -> Any: ...
@options_by_name("prepare(plan, frame, prune_sig=0.05)")
def prepare(
    plan: TreatmentPlan,
    frame: Any,
    *,
    prune_sig: PruneSig = None,
    prune_by: PruneBy = SIG,
    scale: bool = False,
    collar: bool = False,
    variables: Iterable[str] | None = None,
    coders: Iterable[str] | None = None,
    extra_columns: Iterable[Hashable] = (),
    row_id: Hashable | None = None,
    sparse_output: bool = False,
) -> Any:
    """Treat a frame by a plan.

    For frames the plan was *not* designed on. The training frame itself must be treated by
    `cross_frame_experiment` (or a transformer's ``fit_transform``), because here its rows would
    be coded by their own outcomes; ``prepare`` warns when it recognises it, or a quarter of it.

    Columns are picked by name. What the frame may bring that the design has not seen:

    * A level never seen sets no indicator, has the impact of levels of next to no rows (0 where
      those are as others, or with a number for ``smoothing``), the prevalence of half a row, and
      the largest deviation. Where rare levels were pooled (``rare_count``) it is one of them.
    * A missing value among levels is a level of its own, or, if the design saw none, a level never
      seen. Among numbers it gets the value that imputation chose at design, as infinite ones do;
      ``isBAD`` marks it if the design saw bad values.
    * A column of missing values only is accepted, whatever its type (of a lazy frame: if it is of
      the null type).
    * A column that is missing, or holds numbers in place of levels (text, categories) or the
      other way round, is an error that names all such columns.

    A lazy frame is not read: a lazy frame of the same kind comes back, whose values are those that
    memory would give, to the bit. It joins small tables of levels that the plan brings to the
    engine. Its rows are in no certain order, so name a ``row_id``. The training frame is not
    recognised, nor can values say that a column is empty: a lazy column of missing numbers only is
    clipped by ``collar`` like any other. Engines that do not tell upper from lower case in names
    (DuckDB, Spark, Ibis) would take ``x_lev_x_a`` and ``x_lev_x_A`` for one column: the later one
    has a number appended there, which a warning tells.

    Parameters
    ----------
    plan : TreatmentPlan
    frame : pandas, polars or pyarrow data frame, array or list of dicts, of n rows, or a lazy frame
        Lazy frames are a polars LazyFrame, a DuckDB relation, a Spark or Dask DataFrame, an Ibis
        table, and what DuckDB opens: a path (str or Path) to Parquet or CSV files, a folder of
        Parquet files, a list of paths. Must have the columns that the chosen variables come from,
        in any order and among others.
    prune_sig : {"plausible", "recommended"} or float, default=None
        Keep variables whose p-value is at most this, the plausible ones, as the transformers do, or
        the recommended ones (see `TreatmentPlan.score_frame` of both); None keeps all.
    prune_by : {"sig", "sig_fdr", "sig_fwer"}, default="sig"
        The p-value that a number for ``prune_sig`` is compared with, a column of
        `TreatmentPlan.score_frame`: as it is, or adjusted for the number of variables, so that
        ``prune_sig`` is a false discovery rate or a family-wise error. The notes there say which
        to use when. A variable with scores for several classes is kept if one of them passes.
    scale : bool, default=False
        y-aware scaling: ``slope * (x - mean)``, in outcome units. With several classes the
        slope of a variable that is not built for one of them is the length of the vector of its
        slopes, one a class: distances are those of a frame that holds a copy for each class.
    collar : bool, default=False
        Clip cleaned numbers to the range seen at design (see ``collar_prob``).
    variables : iterable of str, default=None
        Derived variables to return; None: all.
    coders : iterable of str, default=None
        Codes to return; None: all.
    extra_columns : iterable of column names, default=()
        Columns of the frame to append as they are, for instance the outcome.
    row_id : column name, default=None
        Column of the frame to put in front as it is, to tell the rows apart.
    sparse_output : bool, default=False
        Return a scipy matrix by compressed rows (CSR), as scikit-learn's ``OneHotEncoder`` does;
        only for variables of the codes ``lev`` and ``isBAD``, without ``scale``.

    Returns
    -------
    frame of the same kind (an array for an array, a DuckDB relation for a path), n rows
        Float columns without missing or infinite values (and text, by a plan of
        `design_missingness`), in the order of the score frame; the index of a pandas frame is
        kept. Empty, with a warning, when no variable is left. With ``sparse_output``, a
        ``scipy.sparse.csr_matrix`` of as many columns instead.

    Raises
    ------
    FrameError
        If a lazy frame's engine takes ``row_id`` or an extra column for a derived variable, because
        their names differ in case only.
    SchemaError
        If columns are missing (all are named), or hold another type than at design.
    InvalidOptionError, OptionTypeError
        If an option cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> train = pd.DataFrame({"x": ["a", "a", "b", "b", "b", None], "y": [0, 1, 1, 1, 1, 0]})
    >>> plan = vt.design_treatments(train, outcome="y", cv=2, random_state=0)
    >>> vt.prepare(plan, pd.DataFrame({"x": ["b", "new"]}), coders=["lev"])
       x_lev_NA  x_lev_x_a  x_lev_x_b
    0       0.0        0.0        1.0
    1       0.0        0.0        0.0
    """
    if not isinstance(plan, TreatmentPlan):
        raise OptionTypeError(
            f"plan is of type {type(plan).__name__}; give the TreatmentPlan of design_treatments, "
            "or plan_ of a fitted treatment"
        )
    if is_lazy(frame):
        check_sparse_in_memory(sparse_output)
    choice = Choice.of(
        plan, prune_sig, prune_by, scale, collar, variables, coders, extra_columns, row_id,
        sparse_output,
    )  # fmt: skip
    if is_lazy(frame):
        return prepare_lazy(LazySource.of(frame), plan, choice)
    return treated_frame(plan, InputFrame.of(frame), choice)
