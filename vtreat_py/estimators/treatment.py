"""What the treatments share: the plan in the shape of a scikit-learn transformer."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self, overload

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from vtreat_py.api.plan import TreatmentPlan, with_verbs
from vtreat_py.api.prepare import prepare
from vtreat_py.api.private import private_experiment, private_plan
from vtreat_py.base.arrays import FloatArray, ObjectArray
from vtreat_py.base.checks import check_flag, is_one_of
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import warn_of_other_rows
from vtreat_py.base.names import munge
from vtreat_py.base.warn import warn
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code
from vtreat_py.design.request import DesignRequest
from vtreat_py.estimators.base import FrameTransformer, check_container, training_frame
from vtreat_py.estimators.parameters import IF_EMPTY, IfEmpty
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.joint import BETWEEN
from vtreat_py.frames.kinds import Array, DictRows, FrameT, Listed
from vtreat_py.frames.made import calendar_parts, joint_columns
from vtreat_py.memory.design import Design
from vtreat_py.plan.choice import Choice, check_sparse_options
from vtreat_py.plan.html import plan_html
from vtreat_py.plan.options import OutcomeType
from vtreat_py.plan.pruning import SIG, check_pruning
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.report.report import PlanReport

# What `prepare` is given; all other parameters are options of the design.
_PRUNING = ("prune_sig", "prune_by")
_FLAGS = ("scale", "collar", "sparse_output")
_OWN = ("if_empty",)


class Treatment(FrameTransformer):
    """A thin shell around a plan."""

    _outcome_type: OutcomeType
    plan_: TreatmentPlan
    sparse_output: bool
    variables: Sequence[Hashable] | None

    def _options(self) -> dict[str, Any]:
        """Return those of the design, once all others are checked, so that errors come in fit."""
        check_pruning(**self._select(_PRUNING))
        for name, value in self._select(_FLAGS).items():
            check_flag(name, value)
        given = self.get_params(deep=False)
        return {name: v for name, v in given.items() if name not in _PRUNING + _FLAGS + _OWN}

    def _select(self, names: tuple[str, ...] = _PRUNING + _FLAGS) -> dict[str, Any]:
        """Return what `prepare` is given."""
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _wanted(self, plan: TreatmentPlan, fitting: bool = False) -> dict[str, Any]:  # noqa: ARG002
        """Return what `prepare` is given."""
        return self._select()

    def _remember(self, source: InputFrame, plan: TreatmentPlan, *given: Any) -> None:
        self.plan_ = plan
        self._remember_columns(source, *given, by_name=self.variables is not None)

    @property
    def score_frame_(self) -> pd.DataFrame:
        """The plan's score frame."""
        check_is_fitted(self)
        return self.plan_.score_frame

    def report(self, path: str | os.PathLike[str] | None = None) -> PlanReport | None:
        """Show the fitted plan as a page to look at.

        Parameters
        ----------
        path : str or path, default=None
            An HTML file to write; None: the report is returned, which notebooks show.

        Returns
        -------
        PlanReport or None
            As `TreatmentPlan.report` has it.

        Raises
        ------
        NotFittedError
            If the treatment is not fitted.

        Examples
        --------
        >>> import pandas as pd
        >>> from vtreat_py import UnsupervisedTreatment
        >>> treatment = UnsupervisedTreatment().fit(pd.DataFrame({"x": ["a", "b", "a"] * 5}))
        >>> page = treatment.report()  # which a notebook shows
        >>> treatment.report("report.html")  # doctest: +SKIP
        """
        check_is_fitted(self)
        return self.plan_.report() if path is None else self.plan_.report(path)

    @overload
    def transform(self, X: Array) -> FloatArray: ...
    @overload
    def transform(self, X: DictRows) -> pd.DataFrame: ...
    @overload
    def transform(self, X: Listed) -> Any: ...
    @overload
    def transform(self, X: FrameT) -> FrameT: ...
    def transform(self, X: Any) -> Any:
        """Treat a frame by the fitted plan.

        For new rows. The rows the treatment was fitted on are treated by ``fit_transform``;
        here their codes would have seen their own outcomes, and a warning says so.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array of shape (n, n_features_in_)
            With the columns seen in fit, in their order. With ``variables=``, those are picked
            by name, in any order and among others, as `prepare` does.

        Returns
        -------
        frame of the same kind (an array for an array), n rows
            Or a matrix with ``sparse_output``, or what ``set_output`` says. The index of a pandas
            frame is kept.

        Raises
        ------
        SchemaError
            If the columns are not those seen in fit, or hold another type.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"town": ["Ayr", "Bath", "Bath", "Cork"] * 10})
        >>> treatment = vt.NumericOutcomeTreatment(coders=["catN"], prune_sig=None, random_state=0)
        >>> treatment = treatment.fit(X, [1.0, 4.0, 5.0, 2.0] * 10)
        >>> treatment.transform(pd.DataFrame({"town": ["Bath", "Oslo"]})).round(2)
           town_catN
        0        1.5
        1       -0.5
        """
        check_is_fitted(self)
        check_container(self, self.sparse_output)
        source = self._fitted_columns.found_in(InputFrame.of(X))
        return self._for_output(prepare(self.plan_, source, **self._wanted(self.plan_)))

    def get_feature_names_out(self, input_features: Any = None) -> ObjectArray:
        """Names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : array of str, default=None
            Names of the input. They must be those seen in fit; for an array, whose columns have
            none, they stand in the place of ``x0``, ``x1``, ...

        Returns
        -------
        ndarray of str

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> treatment = vt.UnsupervisedTreatment().fit(pd.DataFrame({"size": [1.0, None, 3.0]}))
        >>> treatment.get_feature_names_out().tolist()
        ['size', 'size_isBAD']
        """
        check_is_fitted(self)
        wanted = self._wanted(self.plan_)
        told = (*_PRUNING, "variables")
        chosen = self.plan_.select(**{name: wanted[name] for name in told if name in wanted})
        names = [v.name for v in chosen]
        if input_features is not None:
            given = self._fitted_columns.checked_names(input_features)
            if self._fitted_columns.from_array:
                own = self.plan_.options.own_codes
                place = dict(zip(self._fitted_columns.columns, given, strict=True))
                made = self.plan_.made
                place |= {p.name: f"{place[p.column]}_{p.part}" for p in calendar_parts(made)}
                for one in joint_columns(made):
                    if one.name not in place:
                        together = BETWEEN.join(str(place[c]) for c in one.columns)
                        place[one.name] = munge([together])[0]
                names = [_named_after(place[v.orig_variable], v, own) for v in chosen]
        return np.array(names, dtype=object)

    @property
    def _repr_html_(self) -> Callable[[], str]:
        if get_config()["display"] != "diagram":
            raise AttributeError("_repr_html_ is there when the display option is 'diagram'")
        return self._html

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._html()
        return bundle

    def _html(self) -> str:
        diagram: str = estimator_html_repr(self)
        return diagram + plan_html(self.plan_) if hasattr(self, "plan_") else diagram

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def _named_after(column: str, variable: DerivedVariable, own: Sequence[Code]) -> str:
    """Name a derived variable as if the column it comes from had another name."""
    (old,) = munge([str(variable.orig_variable)])
    if codes.named(variable.code, own).keeps_name(old) is not None:
        return column + variable.name.removeprefix(old)
    return variable.name.replace(f"{old}_{variable.code}", f"{column}_{variable.code}", 1)


class SupervisedTreatment(Treatment):
    """Treatments that see an outcome."""

    if_empty: IfEmpty

    def _options(self) -> dict[str, Any]:
        if not is_one_of(self.if_empty, IF_EMPTY):
            raise InvalidOptionError(
                f"if_empty={self.if_empty!r}; it must be one of {list(IF_EMPTY)}"
            )
        return super()._options()

    def _wanted(self, plan: TreatmentPlan, fitting: bool = False) -> dict[str, Any]:
        """Return what `prepare` is given; where no variable is left, what ``if_empty`` asks for."""
        given = self._select()
        if self.if_empty == "empty" or plan.select(**self._select(_PRUNING)):
            return given
        if not plan.derived:
            raise InvalidOptionError(
                "nothing can be derived from the columns (plan_.unused says why), so that a model "
                'would have no column to train on; if_empty="empty" lets a frame without columns '
                "pass"
            )
        best = min(plan.derived, key=lambda variable: variable.sig)
        found = (
            f"no variable is left at prune_sig={given['prune_sig']!r}: the best, {best.name!r}, "
            f"has sig {best.sig:.3g} (score_frame_ has all)"
        )
        if self.if_empty == "error":
            raise InvalidOptionError(f"{found}. prune_sig=None keeps all of them")
        if fitting:
            warn(
                f"{found}. That one is kept, so that a model has a column to train on; if_empty= "
                "says what else to do"
            )
        return given | {"prune_sig": None, "prune_by": SIG, "variables": [best.name]}

    def _choice_in_fit(self, plan: TreatmentPlan) -> Choice:
        return Choice.of(plan, **self._wanted(plan, fitting=True))

    def _request(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, scaled: bool = False
    ) -> tuple[InputFrame, DesignRequest]:
        """Return the training frame, and what is asked of its design."""
        options = self._options()
        beside = {"sample_weight": sample_weight, "groups": groups}
        warn_of_other_rows({"X": X} | self._labelled(y) | beside)
        source = training_frame(self, X, y)
        given = {"sample_weight": sample_weight, "groups": groups, "scaled": scaled}
        of_outcome = {"outcome": y, "outcome_type": self._outcome_type}
        return source, DesignRequest(**of_outcome | given | options | self._split(y))

    def _split(self, y: Any) -> dict[str, Any]:  # noqa: ARG002
        """Options that come with the outcome, where it is more than one array."""
        return {}

    def _labelled(self, y: Any) -> dict[str, Any]:
        """The outcome by a name, or each part that may have labels of its own."""
        return {"y": y}

    def _outcomes(self, y: Any) -> tuple[Any, ...]:
        """What of the outcome may name a column of X."""
        return (y,)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the plan.

        To treat the training rows themselves, use ``fit_transform``.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : array of shape (n,), or a column name of X, default=None
            The outcome. Rows go by position; a warning says so where the index of a Series is not
            that of X.
        sample_weight : array of shape (n,), or a column name of X, default=None
            Frequency weights.
        groups : array of shape (n,), or a column name of X, default=None
            Rows of one group share a fold.

        Returns
        -------
        self
            Fitted. Columns of X that were named as outcome, weights or groups are not treated,
            and are not needed in ``transform``.

        Raises
        ------
        VtreatError
            One of its kinds, naming the column or option, what was found and what to do.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"town": ["Ayr", "Bath", "Bath", "Cork"] * 10})
        >>> y = ["no", "yes", "yes", "no"] * 10
        >>> treatment = vt.BinomialOutcomeTreatment(target="yes", random_state=0).fit(X, y)
        >>> treatment.score_frame_[["variable", "code", "recommended"]]
                  variable  code  recommended
        0        town_catP  catP         True
        1        town_catB  catB         True
        2   town_lev_x_Ayr   lev         True
        3  town_lev_x_Bath   lev         True
        4  town_lev_x_Cork   lev         True
        """
        source, request = self._request(X, y, sample_weight, groups)
        if request.privacy is None:
            design = Design.of(source, request)
            plan = with_verbs(design.plan(design.learn()))
        else:
            plan = private_plan(source, request)
        self._remember(source, plan, *self._outcomes(y), sample_weight, groups)
        self._wanted(plan, fitting=True)
        return self

    @overload
    def fit_transform(
        self, X: Array, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> FloatArray: ...
    @overload
    def fit_transform(
        self, X: DictRows, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> pd.DataFrame: ...
    @overload
    def fit_transform(
        self, X: Listed, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Any: ...
    @overload
    def fit_transform(
        self, X: FrameT, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> FrameT: ...
    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Any:
        """Learn the plan, and treat the training rows out of fold: the cross-frame.

        Not the same as ``fit`` followed by ``transform``, which would code each row by its own
        outcome too.

        Parameters
        ----------
        X, y, sample_weight, groups
            As for ``fit``.

        Returns
        -------
        frame of the same kind as X (an array for an array), n rows
            Or a matrix with ``sparse_output``, or what ``set_output`` says.

        Raises
        ------
        InvalidOptionError
            If ``cv`` leaves rows out of all application sets, or has rows in several.

        Examples
        --------
        The outcome of a row is not in its code: rows of one level have a code for each fold.

        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"town": ["Ayr", "Bath"] * 6 + ["Cork"] * 6})
        >>> y = [1.0, 4.0, 2.0, 5.0, 1.0, 4.0, 3.0, 5.0, 2.0, 6.0, 1.0, 4.0] + [9.0, 8.0, 7.0] * 2
        >>> treatment = vt.NumericOutcomeTreatment(coders=["catN"], cv=2, random_state=0)
        >>> treatment.fit_transform(X, y)["town_catN"].head(4).round(2).tolist()
        [-3.17, 0.0, -2.89, -0.22]
        """
        select = self._select()
        check_container(self, self.sparse_output)
        if check_flag("sparse_output", self.sparse_output):
            check_sparse_options(select["scale"])
        scaled = bool(select["scale"])
        source, request = self._request(X, y, sample_weight, groups, scaled=scaled)
        if request.privacy is not None:
            made = private_experiment(source, request, self._choice_in_fit)
            self._remember(source, made.plan, *self._outcomes(y), sample_weight, groups)
            return self._for_output(made.cross_frame)
        design = Design.of(source, request)
        if not design.rows.folds.applies_once:
            raise InvalidOptionError(
                "fit_transform must return every row once, but cv leaves some out of all "
                "application sets, or has some in several; use another cv, or "
                "cross_frame_experiment"
            )
        learned = design.learn()
        plan = with_verbs(design.plan(learned))
        self._remember(source, plan, *self._outcomes(y), sample_weight, groups)
        cross_frame, _ = design.cross_frame(plan, learned, self._choice_in_fit(plan))
        return self._for_output(cross_frame)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
