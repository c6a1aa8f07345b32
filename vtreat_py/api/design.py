"""Design: a frame and an outcome in, a plan and a cross-frame out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack, overload

import pandas as pd

from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.api.lazy_experiment import LazyCrossFrameExperiment
from vtreat_py.api.lazy_statistics import lazy_kept_experiment, lazy_statistics
from vtreat_py.api.options import CrossFrameOptions
from vtreat_py.api.plan import TreatmentPlan, with_verbs
from vtreat_py.api.private import private_experiment, private_plan
from vtreat_py.api.statistics import kept_experiment, kept_statistics
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.by_name import options_by_name
from vtreat_py.base.checks import check_flag, is_one_of
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.coders.clean import Imputer
from vtreat_py.coders.custom import CustomCoder
from vtreat_py.coders.prior import Smoothing
from vtreat_py.design.checks import AUTO_CALENDAR, Calendar, no_cross_frame
from vtreat_py.design.request import DesignRequest
from vtreat_py.frames.kinds import Array, DictRows, Files, FrameT, LazyT, Listed
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.frames.made import MadeColumn, joint_columns
from vtreat_py.lazy.design import LazyDesign
from vtreat_py.memory.design import Design
from vtreat_py.outcome.reading import MOST_CLASSES
from vtreat_py.outcome.weights import WeightKind
from vtreat_py.plan.choice import Choice, check_sparse_in_memory, check_sparse_options
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.options import OutcomeType, Significance
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig, check_pruning


@options_by_name("design_treatments(frame, outcome='y')")
def design_treatments(
    frame: Any,
    *,
    outcome: Any = None,
    outcome_type: OutcomeType | None = None,
    target: Any = None,
    exposure: Any = None,
    variables: Sequence[Hashable] | None = None,
    categorical: Sequence[Hashable] = (),
    missing_values: Sequence[str] = (),
    sample_weight: Any = None,
    weight_kind: WeightKind = "frequency",
    groups: Any = None,
    cv: Any = None,
    random_state: Any = None,
    row_id: Hashable | None = None,
    calendar: Calendar = "auto",
    composites: Sequence[tuple[Hashable, ...]] = (),
    hierarchies: Mapping[Hashable, Hashable] | None = None,
    min_fraction: float = 0.02,
    smoothing: Smoothing = "auto",
    rare_count: float = 0,
    rare_sig: float | None = None,
    collar_prob: float = 0.0,
    coders: Sequence[str] | None = None,
    quantile: float = 0.5,
    custom_coders: Mapping[str, CustomCoder] | None = None,
    y_dependent_coders: Sequence[str] | None = None,
    max_classes: int = MOST_CLASSES,
    cat_scaling: bool = False,
    imputation: Imputer = "mean",
    imputation_map: Mapping[Hashable, Imputer] | None = None,
    significance: Significance = "calibrated",
    force_split: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
    keep_statistics: bool = False,
    privacy: DifferentialPrivacy | None = None,
) -> TreatmentPlan:
    """Learn how to turn the columns of a frame into safe numbers.

    The plan is for new rows (`prepare`). For a frame to train a model on use
    `cross_frame_experiment`, or ``fit_transform`` of a treatment.

    Parameters
    ----------
    frame : pandas, polars or pyarrow data frame, array or list of dicts, of n rows; or a lazy frame
        The training rows. Columns of an array are called ``x0``, ``x1``, ... A lazy frame (polars
        LazyFrame, DuckDB relation, Spark, Dask or Ibis frame, or what DuckDB opens: a path to
        Parquet or CSV files, a folder of Parquet files, a list of paths) is designed on in its
        engine, see Notes.
    outcome : column name or array of shape (n,), default=None
        What is to be predicted; None only for ``outcome_type="unsupervised"``. Rows go by
        position: a pandas Series (of weights or groups, too) whose index is not that of the frame
        is an error, unless one of the two counts rows from 0 and has other labels than the other.
        Of times to an event a pair of columns or arrays, ``("time", "event")``, or both in an array
        of shape (n, 2), a frame or a structured array; see Notes.
    outcome_type : "numeric", "binomial", "multinomial", "rate", "survival", "unsupervised", \
default=None
        None: rate when ``exposure`` is given, binomial when ``target`` is given or the outcome has
        two classes (or is 0 and 1), numeric for other numbers, multinomial for text of more
        classes. The plan says what was chosen. Classes that are written as numbers must be asked
        for, and so must counts whose exposure is 1 in each row, and times.
    target : object, default=None
        The positive class of a binomial outcome; None: the last of the two in sorted order.
    exposure : column name or array of shape (n,), default=None
        What the counts of a rate are per, such as years insured or machine hours: numbers above 0;
        None: 1 in each row. Rows then count by their exposure, over its mean. Impact codes
        (``catR``) are logarithms of the rate in the level over that of all rows
        (`vtreat_py.coders.cat_r.cat_r`), slopes and ``rsq`` those of Poisson regressions (the share
        of deviance), and p-values come of permutations of counts and exposures together, so that
        counts may vary more than those of Poisson (`vtreat_py.significance.rates.RateTests`).
    variables : sequence of column names, default=None
        The columns to treat; None: all but outcome, exposure, weights, groups, folds and row ids.
    categorical : sequence of column names, default=()
        Columns of numbers that are names, such as zip codes and ids: they are treated as levels,
        each number exactly. On a lazy frame, columns of integers.
    missing_values : sequence of str, default=()
        Texts that mean missing, such as ``("?", "NA", "unknown")``, in the columns to treat; the
        plan takes them so in every frame. Python objects that are numbers without them are numbers.
    sample_weight : column name or array of shape (n,), default=None
        Weights, 0 or more: weight 2 counts as two equal rows, rows of weight 0 teach nothing.
        Those that are no whole numbers, or are more than 10 million in all, are taken for ratios by
        p-values, worth their effective number of rows (see ``weight_kind``).
    weight_kind : {"frequency", "importance"}, default="frequency"
        What weights say. "frequency": how many rows a row stands for; their sum is what the design
        believes to have seen, so that weights that sum to 1 make nothing significant (a warning
        says so). "importance": only their ratios count; they are scaled to sum to the effective
        number of rows, ``(sum w)**2 / sum w**2`` (L. Kish, *Survey Sampling*, 1965).
    groups : column name or array of shape (n,), default=None
        Rows of one group share a fold, and may be alike for all that p-values say. A column that
        varies inside groups is tested between rows, less what a group's rows have in common, and
        reckoning with groups that react to it each in its own way; one that hardly does between
        groups (`vtreat_py.significance.groups.GroupTests`). Impact codes with ``smoothing="auto"``
        count the rows of a level as fewer, as far as those of a group are alike
        (`vtreat_py.statistics.grouped_levels.GroupedLevels`); those of times to an event do not.
        Not on lazy frames, nor with ``keep_statistics``: there p-values and codes take rows as
        independent, and a warning says so.
    cv : int, column name, splitter, "ordered" or list of index pairs, default=None
        The folds that scores and cross-frame use: a number (None: 5; stratified on y), a column
        of integers or text that says which fold a row is in, a scikit-learn splitter, or pairs of
        (training rows, application rows) (`vtreat_py.split_plans` makes some). Stratified
        folds depend on y; for folds that do not, so that a row's outcome has no influence at all
        on its code, give ``KFold(5, shuffle=True, random_state=0)``, or ``GroupKFold(5)`` with
        groups (see `vtreat_py.testing.own_outcome_influence`). "ordered" is
        for rows in order of time: each tenth of them is coded by the rows before it. There, and
        with a ``TimeSeriesSplit``, the first rows have no past and get the prior: impact and
        deviation codes of 0, prevalences of a level never seen, y-aware slopes of 0. Numbers are
        imputed and clipped there as all rows say. Where the outcome has a trend, take it out
        first: codes of a growing past drift, and score for the trend they share with it.
    random_state : int or RandomState, default=None
        Seed of the default folds.
    row_id : column name, default=None
        What tells the rows apart: integers, text or UUIDs. A number of folds is then dealt by
        arithmetic on the id (`vtreat_py.folds.row_ids.RowIdFolds`), or with groups on their sizes;
        not by y, nor by the order of the rows: so the folds of a whole number as ``random_state``
        are the same wherever the frame is, in memory or not. Text is mixed into a number below
        2**60, by the MD5 of its UTF-8 bytes (`vtreat_py.folds.text_ids.numbers_of_texts`), and a
        UUID is its text, in lower case. That ids differ is not checked: rows of one id share a
        fold.
    calendar : "auto", sequence of str or None, default="auto"
        What is made of columns of dates, or of points in time, beside the number (days, seconds):
        columns of levels, such as ``when_weekday`` of a column ``when``, which are coded, scored
        and pruned as all columns are. Parts are ``"month"``, ``"week"`` (of ISO 8601), ``"day"``
        (of the month), ``"is_month_end"``, ``"weekday"`` and, of points in time, ``"hour"``.
        "auto": those whose cycles the training rows cover twice; not with ``keep_statistics``,
        where other rows may cover others, nor with ``significance="classic"``. They go by the clock
        of the column's own time zone at the design, which the plan keeps; later frames may have
        another; points in time without any are taken for UTC, with a warning. Their p-values are of
        what a line along the dates leaves of the outcome, because a trend alone is no season (one
        that bends may be taken for a season, see ``benchmarks/calendar_study.txt``); those of kept
        statistics, which do not know it, are not. None: numbers only.
    composites : sequence of tuples of column names, default=()
        Columns that are coded together, such as ``[("town", "shop")]``: each tuple makes a column
        of levels, ``town:shop``, coded and scored as all are. Numbers in it are cut at their
        eighths; the name of a part of dates (``when_weekday``) may be in it. Its impact code is
        shrunk to the sum of the effects of its parts, so that its own is what the pair adds, and a
        pair never seen has that sum, in log odds drawn in as far as pairs differ from it
        (`vtreat_py.coders.part_effects.crossed_effects`). Its p-values
        are of what the columns say together beyond what they say by adding up
        (`vtreat_py.design.beyond_parts.BeyondParts`); `find_interactions` finds such pairs.
    hierarchies : dict from column name to column name, default=None
        Whose effect the effect of a level is shrunk to: ``{"zip": "county", "county": "state"}``.
        The levels of ``zip`` are then those inside the levels of ``county``, written
        ``state:county:zip``: one with two parents is two. Its impact code is that of a nested model
        whose variances are estimated (`vtreat_py.coders.part_effects.nested_effects`), and a level
        never seen has what is expected of a child of its parent. Other codes are as always. Numbers
        that are names must be named in ``categorical``, too.
    min_fraction : float, default=0.02
        Share of the weight a level needs for an indicator.
    smoothing : {"auto", "mixed"} or float, default="auto"
        Shrinkage of impact codes: empirical Bayes, or a number of rows at the overall mean that
        stand beside each level (0: none; with ``significance="classic"``, as in R, of a class so
        many rows of each class). With "auto", true level means are taken to be normal around a mean
        of their own (for a class: rates to be beta distributed); that mean and their variance are
        estimated by restricted maximum likelihood (H. Patterson and R. Thompson, Biometrika 58,
        1971), from the sums of the outcome by level. For numbers a mixture takes the place of the
        normal distribution where the levels are clearly likelier by it. Levels never seen are coded
        as those of one row, as far as these are unlike the others: by their own outcomes and, for
        numbers, by how effects go with the sizes of levels. Each fold estimates its own, so that no
        row's outcome is in its own code. A column whose levels differ no more than chance makes
        them gets no impact code; nor does one whose code would vary three times as much in the plan
        as in the cross-frame, or three times less. ``plan.level_effects`` shows how far each level
        is believed. With ``significance="classic"`` the estimates are those by moments of earlier
        versions (H. Bühlmann and E. Straub, 1970), around the mean over all rows. "mixed" is the
        mixed model ``y ~ (1 | level)`` of lme4 and of the partial pooling coders of R: codes are
        what it predicts, less the mean of that over rows. For numbers it is "auto" without
        mixtures; for a class, log odds (not rates) are normal, the likelihood is Laplace's, and no
        level is believed less for being of one class only. Levels never seen get what the model
        says of a level without rows.
    rare_count : float, default=0
        Levels of at most this weight are pooled: they share an indicator (``x_lev_rare``, where
        the pool is common enough) and an impact code, which levels never seen get as well.
    rare_sig : float, default=None
        Levels that do not differ from the rest at this p-value get no indicator and no impact.
    collar_prob : float, default=0.0
        Share of the rows that ``collar=True`` cuts off at each end of a cleaned number; 0: the
        cuts are the smallest and the largest value.
    coders : sequence of str, default=None
        Codes to build, of ``"clean"``, ``"isBAD"``, ``"lev"``, ``"catP"``, ``"catB"``, ``"catN"``,
        ``"catR"``, ``"catD"``, ``"catQ"``, ``"text"``, the shapes ``"spline"``, ``"piecewise"``,
        ``"bins"``, ``"isotonic"`` and ``"window"``, and the names of ``custom_coders``; None: all
        but ``"catQ"``, ``"text"`` and shapes that apply to the outcome. Others are passed over, so
        that one list does for several outcomes; one must apply. An impact code is left out where it
        would say the same as an indicator: in columns of two levels. ``"catQ"``, the
        median of a numeric outcome in the level, is made of the rows
        (`vtreat_py.coders.cat_q.CatQ`): it is for frames in memory, without ``keep_statistics``.
        ``"text"`` is an impact code of names and other texts, dirty ones too: levels are shrunk to
        what the outcome is in levels of similar texts, and those never seen have that code
        (`vtreat_py.coders.text.Text`); plans with it are designed on all frames, and applied in
        memory. Shapes are what the outcome is along a number, in its units (for classes log odds
        less those overall; of several, one for each), from sums in at most 1,024 bins: a smooth
        curve (`vtreat_py.coders.spline.Spline`), straight lines that meet
        (`vtreat_py.coders.piecewise.Piecewise`), steps (`vtreat_py.coders.bins.Bins`), a curve that
        only rises or only falls
        (`vtreat_py.coders.isotonic.Isotonic`) and a moving mean
        (`vtreat_py.coders.window.Window`). With ``significance="classic"`` and a number for
        ``smoothing`` they are R's, of the rows; R has no ``"bins"``.
    quantile : float, default=0.5
        From 0.001 to 0.999: the quantile that ``"catQ"`` is of, the median if it is 0.5.
    custom_coders : dict from name to LevelCoder or NumberCoder, default=None
        Codes of one's own: functions, or scikit-learn estimators, by the name of their code, which
        the names of their variables end with (``x_name``). They are built of all columns of their
        type, unless ``coders`` is given without their names, and with several classes once for
        each; cross-fitted, scored, pruned and scaled as all codes are. The plan keeps tables and
        curves, not the functions.
    y_dependent_coders : sequence of str, default=None
        With several classes: codes built once for each class against the others, of ``"lev"``,
        ``"catP"``, ``"catB"``, shapes and the names of ``custom_coders``; None: ``["catB"]``, all
        shapes and those names. All other codes are built once, shapes and impact codes not at all.
    max_classes : int, default=100
        More classes of a multinomial outcome are refused: each costs time and memory as a design
        for two classes does, and so many are mostly a number, or an id, given by mistake.
    cat_scaling : bool, default=False
        y-aware slopes of a class outcome: False: expectation (linear) units, True: link
        (logistic) units.
    imputation : {"mean", "median"}, float or callable, default="mean"
        What stands for bad numbers; a callable gets (good values, weights).
    imputation_map : dict from column to imputation, default=None
        The same by column.
    significance : {"calibrated", "ordered", "classic"}, default="calibrated"
        The tests behind ``sig``. "calibrated": each code by a test of what it says, by the
        distribution under permutations of y; noise passes as seldom as it should. Impact codes:
        whether y differs between the levels, in its mean or, where y has heavy tails, in its
        ranks; deviation: whether its spread does; numbers (``clean``): whether y changes with
        them in any shape, by a line (which has most of the weight), by ranks and by the ranges
        that their deciles end, so that a small ``sig`` may go with an ``rsq`` of next to nothing;
        their shapes (``spline``, ...): the same, but first of all whether y rises or falls with
        them in any way, and whether it bends; all others: whether y goes up or down with them.
        With ``groups``, and where weights do not count rows, it is means and lines alone.
        "ordered": the same, of means and lines, for rows
        that are one series in order of time, where neighbours may be alike: y is not permuted but
        shifted along the rows, round at the end
        (`vtreat_py.significance.series.SeriesTests`). It goes with ``cv="ordered"``; a warning
        says where it is needed. "classic": R vtreat's regressions, on the cross-frame for codes
        that need it. Those call noise significant two to five times too
        often for impact codes, because two folds that code each other's rows agree by the
        accident that both count, and more where outcomes or numbers have outliers.
        ``benchmarks/size_study.txt`` has the rates of both.
    force_split : bool, default=False
        Score every variable on the cross-frame, not only the codes that need it.
    n_jobs : int, default=None
        Threads to work in; each column is one task of a single queue. -1: as many as there are
        cores; None: one, unless ``joblib.parallel_config`` says otherwise. Inside another joblib
        call, such as a grid search with ``n_jobs``, one. The results are the same.
    progress : bool, default=False
        Show a line on standard error that counts the columns that are done; by tqdm or rich where
        one of them is installed.
    keep_statistics : bool, default=False
        Keep the sums that the plan is made of, as ``plan.statistics``: they can be merged with
        those of other rows, rows can be taken out again, and the result is a plan once more. See
        `DesignStatistics`, which says what that asks of ``cv`` and weights, and what differs in
        the plan. The sums tell the outcome by level: they are as sensitive as the data. The rows
        of a lazy frame are brought into memory about a million at a time, by their ``row_id``.
    privacy : DifferentialPrivacy, default=None
        Make the plan of counts and sums with noise alone, so that none of its numbers and levels
        tells whether a row was there; see `DifferentialPrivacy`.
        For outcomes of numbers and of two classes, and without outcome; codes are ``"clean"``,
        ``"isBAD"``, ``"lev"``, ``"catP"``, ``"catB"`` and ``"catN"``. ``outcome_type``, ``target``
        and the ranges of numbers must be given.

    Returns
    -------
    TreatmentPlan

    Raises
    ------
    VtreatError
        One of its kinds, naming the column or option, what was found and what to do.

    See Also
    --------
    cross_frame_experiment : The plan together with a training frame.

    Notes
    -----
    Behaviour and formulas are those of R vtreat 1.6 (J. Mount and N. Zumel, "vtreat: a
    data.frame Processor for Predictive Modeling", arXiv:1611.09477); with a number for
    ``smoothing``, ``significance="classic"`` and R's options the numbers are equal too.

    On a lazy frame the engine groups and sums, and only tables of levels x folds come back, and
    parts of at most some ten thousand rows, or a million different values, that starting values and
    p-values rest on. Outcome, weights and groups are columns, by name; folds come from ``row_id``,
    a fold column, or groups; imputation functions, and coders of one's own that get rows, cannot be
    run, and ``n_jobs`` is the engine's affair. The plan is that of the frame in memory with the
    same folds, its rows in the order of the row id (of text: of its number): to the bit where it
    rests on counts of rows and classes, and to about 1e-12 otherwise, with four exceptions.
    Logistic fits to 65,536 rows or more start elsewhere and stop early, which leaves a relative
    difference of 1e-8 or less in deviances, and in slopes in link units. Outcomes and columns of
    more than 2**20 different values are condensed for the tests by permutation. Deviation codes are
    tested on another part of the rows where there are more than 32,768 of them, and by their
    regression on the cross-frame where no row id is named. The ranges that numbers are tested by
    are looked for in another part of the rows where there are more than 16,384 of them, which moves
    a p-value a little (as another order of the rows of a frame in memory does).

    Times to an event (``outcome_type="survival"``) may be censored: events are True or 1 where the
    event was seen, and else False or 0. What is expected of a row is the cumulative hazard at its
    time (`vtreat_py.statistics.hazard.Times`), in each fold that of its training rows alone, so
    that neither time nor event of a row is in its own codes. Times are then rates of events per
    expected event: ``catR`` is the logarithm of events seen over expected, shrunk, where chance is
    what martingales vary by; p-values are those of log-rank and score tests by permutation; slopes
    and ``rsq`` those of Poisson regressions on the hazard. Weights of such a design are expected
    events over their mean, but prevalences, indicators, ``rare_count`` and imputations count rows.
    In memory, without ``keep_statistics``.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"x": ["a", "a", "b", "b", None, "b"], "z": [1, 2, 3, None, 5, 6],
    ...                       "y": [0, 0, 1, 1, 1, 0]})
    >>> plan = vt.design_treatments(frame, outcome="y", cv=2, random_state=0)
    >>> plan.feature_names
    ['x_catP', 'z', 'z_isBAD', 'x_lev_NA', 'x_lev_x_a', 'x_lev_x_b']
    """
    keep = check_flag("keep_statistics", keep_statistics)
    parts = _named_parts(calendar) if keep else calendar
    request = DesignRequest(
        min_fraction, smoothing, rare_count, rare_sig, collar_prob, coders, cat_scaling,
        imputation, imputation_map, significance, force_split, y_dependent_coders,
        categorical, missing_values, quantile, custom_coders, outcome, outcome_type, target,
        variables,
        sample_weight, weight_kind, groups, cv, random_state, row_id, parts, n_jobs, progress,
        max_classes=max_classes, composites=composites, hierarchies=hierarchies, privacy=privacy,
        exposure=exposure,
    )  # fmt: skip
    if privacy is not None:
        return private_plan(frame, request, keep)
    if is_lazy(frame):
        lazy = LazyDesign.of(frame, request)
        if keep:
            _check_kept_as_sums(request, lazy.context.outcome.kind, lazy.made)
            return lazy_statistics(lazy, request).plan(n_jobs=n_jobs)
        return with_verbs(lazy.plan(lazy.learn()))
    check_same_rows({"frame": frame, **request.along})
    design = Design.of(frame, request)
    if keep:
        _check_kept_as_sums(request, design.context.outcome.kind, design.source.made.values())
        return kept_statistics(design).plan(n_jobs=n_jobs)
    return with_verbs(design.plan(design.learn()))


@overload
def cross_frame_experiment(
    frame: Array, *, sparse_output: Literal[False] = False, **options: Unpack[CrossFrameOptions]
) -> CrossFrameExperiment[FloatArray]: ...
@overload
def cross_frame_experiment(
    frame: DictRows, *, sparse_output: Literal[False] = False, **options: Unpack[CrossFrameOptions]
) -> CrossFrameExperiment[pd.DataFrame]: ...
@overload
def cross_frame_experiment(
    frame: Files, *, sparse_output: Literal[False] = False, **options: Unpack[CrossFrameOptions]
) -> LazyCrossFrameExperiment[Any]: ...
@overload
def cross_frame_experiment(
    frame: Listed, *, sparse_output: Literal[False] = False, **options: Unpack[CrossFrameOptions]
) -> CrossFrameExperiment[Any]: ...
@overload
def cross_frame_experiment(
    frame: LazyT, *, sparse_output: Literal[False] = False, **options: Unpack[CrossFrameOptions]
) -> LazyCrossFrameExperiment[LazyT]: ...
@overload
def cross_frame_experiment(
    frame: FrameT, *, sparse_output: Literal[False] = False, **options: Unpack[CrossFrameOptions]
) -> CrossFrameExperiment[FrameT]: ...
@overload
def cross_frame_experiment(
    frame: Any, *, sparse_output: bool, **options: Unpack[CrossFrameOptions]
) -> CrossFrameExperiment[Any]: ...
@options_by_name("cross_frame_experiment(frame, outcome='y')")
def cross_frame_experiment(
    frame: Any,
    *,
    outcome: Any = None,
    outcome_type: OutcomeType | None = None,
    target: Any = None,
    exposure: Any = None,
    variables: Sequence[Hashable] | None = None,
    categorical: Sequence[Hashable] = (),
    missing_values: Sequence[str] = (),
    sample_weight: Any = None,
    weight_kind: WeightKind = "frequency",
    groups: Any = None,
    cv: Any = None,
    random_state: Any = None,
    row_id: Hashable | None = None,
    calendar: Calendar = "auto",
    composites: Sequence[tuple[Hashable, ...]] = (),
    hierarchies: Mapping[Hashable, Hashable] | None = None,
    min_fraction: float = 0.02,
    smoothing: Smoothing = "auto",
    rare_count: float = 0,
    rare_sig: float | None = None,
    collar_prob: float = 0.0,
    coders: Sequence[str] | None = None,
    quantile: float = 0.5,
    custom_coders: Mapping[str, CustomCoder] | None = None,
    y_dependent_coders: Sequence[str] | None = None,
    max_classes: int = MOST_CLASSES,
    cat_scaling: bool = False,
    imputation: Imputer = "mean",
    imputation_map: Mapping[Hashable, Imputer] | None = None,
    significance: Significance = "calibrated",
    force_split: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
    keep_statistics: bool = False,
    privacy: DifferentialPrivacy | None = None,
    scale: bool = False,
    collar: bool = False,
    prune_sig: PruneSig = None,
    prune_by: PruneBy = SIG,
    sparse_output: bool = False,
) -> CrossFrameExperiment[Any]:
    """Learn a plan, and code the training frame out of fold.

    Each row of the cross-frame is coded by what the rows of the other folds know, so that its
    own outcome is not in its codes. Plan, scores and cross-frame come from one split.

    Parameters
    ----------
    frame, outcome, outcome_type, target, exposure
        As for `design_treatments`; an unsupervised design has no cross-frame. The cross-frame of a
        lazy frame is lazy too, in no certain order of rows.
    variables, categorical, missing_values, sample_weight, weight_kind, groups
        As there.
    cv, random_state
        As there. Index pairs and splitters given as ``cv`` may apply to a row more than once, or
        never; see `CrossFrameExperiment`.
    row_id
        As there. It is the cross-frame's first column; of a lazy frame it alone tells which row is
        which.
    calendar, composites, hierarchies, min_fraction, smoothing, rare_count, rare_sig, collar_prob
        As there.
    coders, quantile, custom_coders, y_dependent_coders, max_classes, cat_scaling
        As there.
    imputation, imputation_map, significance, force_split, n_jobs, progress, keep_statistics
        As there.
    privacy
        As there. Impact codes of the cross-frame are then those of private plans, of the same
        budget, of the other of five folds: a model learns from codes that are as far off as those
        that it will get. It is the training frame that nobody else is to see, and not private.
    scale, collar, prune_sig, prune_by, sparse_output
        As for `prepare`; slopes and cuts are learned fold by fold.

    Returns
    -------
    CrossFrameExperiment

    Raises
    ------
    VtreatError
        One of its kinds, naming the column or option, what was found and what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"x": ["a", "a", "b", "b", None, "b"], "z": [1, 2, 3, None, 5, 6],
    ...                       "y": [0, 0, 1, 1, 1, 0]})
    >>> folds = [([0, 2, 4], [1, 3, 5]), ([1, 3, 5], [0, 2, 4])]
    >>> experiment = vt.cross_frame_experiment(frame, outcome="y", cv=folds)
    >>> experiment.cross_frame[["z", "z_isBAD"]]
         z  z_isBAD
    0  1.0      0.0
    1  2.0      0.0
    2  3.0      0.0
    3  3.0      1.0
    4  5.0      0.0
    5  6.0      0.0
    """
    keep, scale = check_flag("keep_statistics", keep_statistics), check_flag("scale", scale)
    parts = _named_parts(calendar) if keep else calendar
    check_pruning(prune_sig, prune_by)
    request = DesignRequest(
        min_fraction, smoothing, rare_count, rare_sig, collar_prob, coders, cat_scaling,
        imputation, imputation_map, significance, force_split, y_dependent_coders,
        categorical, missing_values, quantile, custom_coders, outcome, outcome_type, target,
        variables,
        sample_weight, weight_kind, groups, cv, random_state, row_id, parts, n_jobs, progress,
        scale, max_classes, composites, hierarchies, privacy, exposure,
    )  # fmt: skip
    sparse, collar = check_flag("sparse_output", sparse_output), check_flag("collar", collar)
    options: dict[str, Any] = {
        "prune_sig": prune_sig,
        "prune_by": prune_by,
        "scale": scale,
        "collar": collar,
        "sparse_output": sparse,
    }
    if privacy is not None:
        return private_experiment(frame, request, lambda plan: Choice.of(plan, **options), keep)
    if is_lazy(frame):
        check_sparse_in_memory(sparse)
        lazy = LazyDesign.of(frame, request)
        if not lazy.context.supervised:
            raise no_cross_frame()
        if keep:
            _check_kept_as_sums(request, lazy.context.outcome.kind, lazy.made)
            return lazy_kept_experiment(lazy, request, **options)
        return _lazy_experiment(lazy, options)
    check_same_rows({"frame": frame, **request.along})
    design = Design.of(frame, request)
    if sparse:
        check_sparse_options(scale, row_id=row_id)
    if not design.context.supervised:
        raise no_cross_frame()
    if keep:
        _check_kept_as_sums(request, design.context.outcome.kind, design.source.made.values())
        return kept_experiment(kept_statistics(design), design, **options)
    learned = design.learn()
    plan = design.plan(learned)
    made = design.cross_frame(plan, learned, Choice.of(plan, **options))
    return CrossFrameExperiment(with_verbs(plan), *made, design.rows.folds)


def _lazy_experiment(design: LazyDesign, options: dict[str, Any]) -> LazyCrossFrameExperiment[Any]:
    learned = design.learn()
    plan = design.plan(learned)
    frame = design.cross_frame(plan, learned, Choice.of(plan, **options))
    rows = design.rows
    assert rows.folds is not None
    first = None if rows.row_id is None else rows.row_id.name
    return LazyCrossFrameExperiment(with_verbs(plan), frame, None, rows.folds, first)


def _named_parts(calendar: Any) -> Any:
    """Parts of dates for sums that are kept: other rows may cover others."""
    return None if is_one_of(calendar, (AUTO_CALENDAR,)) else calendar


def design_with(frame: Any, **given: Any) -> Design:
    """Check a design of which some options are given, and the others are the defaults."""
    request = DesignRequest(**given)
    check_same_rows({"frame": frame, **request.along})
    return Design.of(frame, request)


def _check_kept_as_sums(
    request: DesignRequest, kind: OutcomeType, made: Iterable[MadeColumn]
) -> None:
    request.check_no_times("keep_statistics=True keeps sums of other outcomes,")
    request.check_sums_suffice(kind, "keep_statistics=True keeps sums alone")
    cut = [p.column for one in joint_columns(made) for p in one.parts if p.is_cut]
    if cut:
        raise InvalidOptionError(
            f"composites or hierarchies names {cut[0]!r}, a column of numbers, which is cut where "
            "the rows at hand say; with keep_statistics=True others would say otherwise. Cut it "
            "before the design, or name it in categorical="
        )
