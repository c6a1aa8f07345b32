"""What a design is asked for: the options, checked once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.jobs import check_jobs
from vtreat_py.base.names import NameRegister, is_name
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code
from vtreat_py.design.checks import (
    AUTO_CALENDAR,
    check_calendar,
    check_class_coders,
    check_composites,
    check_hierarchies,
    check_invalid_mark,
    check_most_classes,
    check_named,
    check_options_of_columns,
    check_outcome_tells_no_fold,
    check_outcome_type,
    check_row_id,
    check_unused,
    check_weight_kind,
    choose_variables,
)
from vtreat_py.design.context import DesignContext
from vtreat_py.folds.named import names_fold_column
from vtreat_py.folds.plan import FoldScheme
from vtreat_py.frames.calendar import Part
from vtreat_py.frames.joint import BETWEEN, JointColumn, JointPart
from vtreat_py.outcome.outcome import Outcome, OutcomeValues
from vtreat_py.outcome.rates import (
    SURVIVAL,
    check_exposure_asked,
    check_weighed_once,
    counts_events,
    type_asked,
)
from vtreat_py.outcome.reading import MOST_CLASSES
from vtreat_py.outcome.survival import times_and_events
from vtreat_py.outcome.weights import FREQUENCY
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.options import CLASSIC, DesignOptions


@dataclass(frozen=True, eq=False)
class DesignRequest(DesignOptions):
    """The arguments of `vtreat_py.design_treatments`, but the frame.

    What can be checked without a frame is checked when one is made.

    Attributes
    ----------
    scaled : bool
        Whether slopes are needed for every fold.
    asks_for_classes : bool
        Whether ``y_dependent_coders`` was given.
    """

    outcome: Any = None
    outcome_type: str | None = None
    target: Any = None
    variables: Sequence[Hashable] | None = None
    sample_weight: Any = None
    weight_kind: str = FREQUENCY
    groups: Any = None
    cv: Any = None
    random_state: Any = None
    row_id: Any = None
    calendar: Any = AUTO_CALENDAR
    n_jobs: int | None = None
    progress: bool = False
    scaled: bool = False
    max_classes: int = MOST_CLASSES
    composites: Any = ()
    hierarchies: Any = None
    privacy: DifferentialPrivacy | None = None
    exposure: Any = None
    asks_for_classes: bool = field(init=False)

    def _checked(self) -> dict[str, Any]:
        check_outcome_type(self.outcome_type)
        check_exposure_asked(self.exposure, self.outcome_type)
        check_weight_kind(self.weight_kind)
        check_row_id(self.row_id)
        check_most_classes(self.max_classes)
        checked = super()._checked()
        check_jobs(self.n_jobs)
        check_weighed_once(self.exposure, self.sample_weight)
        checked["calendar"] = check_calendar(self.calendar)
        checked["composites"] = check_composites(self.composites)
        checked["hierarchies"] = check_hierarchies(self.hierarchies)
        if not isinstance(self.privacy, DifferentialPrivacy | None):
            raise OptionTypeError(
                f"privacy is of type {type(self.privacy).__name__}; give a DifferentialPrivacy"
            )
        checked["progress"] = check_flag("progress", self.progress)
        return checked | {"asks_for_classes": self.y_dependent_coders is not None}

    def _asked_coders(self, own: Sequence[Code]) -> tuple[str, ...]:
        """Return the codes to build; None means for rates and times their impact code, too."""
        asked = super()._asked_coders(own)
        if self.coders is None and self._counts_events:
            return codes.with_impact(asked, self.type_asked)
        return asked

    @property
    def type_asked(self) -> Any:
        """Type of outcome that is asked for."""
        return type_asked(self.outcome_type, self.exposure)

    @property
    def _counts_events(self) -> bool:
        return counts_events(self.outcome_type, self.exposure)

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The outcome, or its times and events."""
        return times_and_events(self.outcome) if self.type_asked == SURVIVAL else (self.outcome,)

    @property
    def options(self) -> DesignOptions:
        """Those that say how columns are coded, and that the plan keeps."""
        return DesignOptions(**{f.name: getattr(self, f.name) for f in fields(DesignOptions)})

    @property
    def parts(self) -> tuple[Part, ...] | None:
        """Parts that are made of all columns of dates; None: those that they cover."""
        if self.calendar != AUTO_CALENDAR:
            return self.calendar  # type: ignore[no-any-return]
        return () if self.significance == CLASSIC else None

    @property
    def fold_column(self) -> Any:
        """The column that holds each row's fold, if ``cv`` names one."""
        return self.cv if names_fold_column(self.cv) else None

    @property
    def beside(self) -> list[Any]:
        """What may run beside the columns, by name or as arrays."""
        of_rows = (*self.outcomes, self.exposure, self.sample_weight, self.groups)
        return [one for one in (*of_rows, self.row_id, self.fold_column) if one is not None]

    @property
    def along(self) -> dict[str, Any]:
        """What may be given as an array along the rows, by the options' names."""
        names = ("exposure", "sample_weight", "groups")
        outcomes = zip(("outcome", "the outcome's events"), self.outcomes, strict=False)
        return {**dict(outcomes), **{name: getattr(self, name) for name in names}}

    def check_outcome(self, outcome: Outcome, groups: Hashable | None) -> None:
        """Check what rests on the outcome; ``groups`` is the column that has them, if one does."""
        self.coders_for(outcome.kind)
        if self.asks_for_classes:
            check_class_coders(outcome)
        tells = {"groups": groups, "row_id": self.row_id, "cv": self.fold_column}
        for name in filter(is_name, self.outcomes):
            check_outcome_tells_no_fold(name, **tells)

    def check_sums_suffice(self, outcome_type: str, where: str) -> None:
        """Refuse codes that are made of rows; ``where`` says why there are none."""
        own, options = self.own_codes, self.options
        asked = [
            name
            for name in self.coders_for(outcome_type)
            if codes.named(name, own).needs_rows(options, outcome_type)
        ]
        if asked:
            raise InvalidOptionError(
                f"coders holds {asked}, made of the rows of a column in memory; {where}. Name in "
                'coders= those that are not; of one\'s own, LevelCoder(..., of="table"). With '
                'smoothing="auto" shapes are made of sums'
            )

    def check_no_times(self, where: str) -> None:
        """Refuse times to an event; ``where`` says what does not know them."""
        if self.type_asked == SURVIVAL:
            raise InvalidOptionError(
                f'{where} not of outcome_type="{SURVIVAL}": what is expected of a row rests on the '
                "order of all times; design on a frame in memory"
            )

    def choose(self, columns: Sequence[Hashable], aside: list[Hashable]) -> tuple[Hashable, ...]:
        """Return the columns to treat, of those of a frame."""
        chosen = choose_variables(columns, self.variables, aside)
        check_options_of_columns(self, chosen)
        return chosen

    def joints(
        self, columns: Sequence[Hashable], aside: Sequence[Hashable], chosen: Sequence[Hashable]
    ) -> list[Joint]:
        """Return the columns that go together, under the names of the columns they make.

        Parameters
        ----------
        columns : sequence of hashable
            Those of the frame, and those that are made of its dates.
        aside, chosen : sequence of hashable
            The outcome and the like; the columns to treat.
        """
        for option in ("composites", "hierarchies"):
            named = list(dict.fromkeys(c for one in getattr(self, option) for c in one))
            check_named(option, named, columns, aside)
        treated = set(chosen)
        untreated = [one[-1] for one in self.hierarchies if one[-1] not in treated]
        if untreated:
            raise InvalidOptionError(
                f"hierarchies names the children {untreated}, which are not treated; name them in "
                "variables= too"
            )
        register = NameRegister(map(str, columns))
        pairs = [(register.claim(BETWEEN.join(map(str, one))), one) for one in self.composites]
        return [
            *(Joint(one[-1], one, nested=True) for one in self.hierarchies),
            *(Joint(name, one, nested=False) for name, one in pairs),
        ]

    def check_unsupervised(self) -> None:
        """Refuse what a design without outcome has no use for."""
        check_unused(target=self.target, groups=self.groups, cv=self.cv)

    def context(
        self, outcome: OutcomeValues, folds: FoldScheme, *, in_groups: bool = False
    ) -> DesignContext:
        """What the design of every column shares."""
        coders = self.coders_for(outcome.kind)
        return DesignContext(outcome, folds, self.options, coders, self.scaled, in_groups=in_groups)


@dataclass(frozen=True)
class Joint:
    """Columns that are to go together, by name; see `JointColumn`."""

    name: Hashable
    columns: tuple[Hashable, ...]
    nested: bool


def joint_columns(
    joints: Sequence[Joint], part_of: Callable[[Hashable], JointPart]
) -> list[JointColumn]:
    """Look at the columns that go together, at each of them once.

    Raises
    ------
    InvalidOptionError
        If numbers are inside others, or others inside them.
    """
    names = dict.fromkeys(column for one in joints for column in one.columns)
    part = {name: part_of(name) for name in names}
    for one in joints:
        numbers = [name for name in one.columns if one.nested and part[name].is_cut]
        if numbers:
            raise InvalidOptionError(
                f"hierarchies names {numbers[0]!r}, a column of numbers; where they are names, "
                "such as zip codes, name it in categorical= too, or convert it to text"
            )
    return [
        JointColumn(one.name, tuple(part[c] for c in one.columns), one.nested) for one in joints
    ]


@dataclass(frozen=True, eq=False)
class MissingnessRequest(DesignRequest):
    """The arguments of `vtreat_py.design_missingness`, but the frame.

    Attributes
    ----------
    invalid_mark : str
        See `DesignContext`.
    """

    outcome_type: str | None = "unsupervised"
    calendar: Any = None
    coders: Any = ("clean", "isBAD")
    invalid_mark: str = "_invalid_"

    def _checked(self) -> dict[str, Any]:
        check_invalid_mark(self.invalid_mark)
        return super()._checked()

    def context(
        self, outcome: OutcomeValues, folds: FoldScheme, *, in_groups: bool = False
    ) -> DesignContext:
        """What the design of every column shares."""
        shared = super().context(outcome, folds, in_groups=in_groups)
        return replace(shared, invalid_mark=self.invalid_mark)
