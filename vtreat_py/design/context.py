"""What the design of every column shares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from vtreat_py.base.names import munge
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code, LevelCode, NumberCode
from vtreat_py.coders.curve_code import CurveCode
from vtreat_py.coders.forms import Copy
from vtreat_py.coders.shape_code import ShapeCode, ShapeOfR
from vtreat_py.coders.shape_of_rows import ShapeOfRows
from vtreat_py.coders.step_code import StepCode
from vtreat_py.design.calibrated import CalibratedTests
from vtreat_py.design.combined import CombinedTests
from vtreat_py.folds.plan import FoldScheme
from vtreat_py.outcome.outcome import OutcomeValues
from vtreat_py.plan.options import CLASSIC, ORDERED, DesignOptions

# Why a column is not used when the user asked for no code of its type: no cause for a warning.
NO_CODE_APPLIES = "no code that was asked for applies to its type"
NO_BAD_VALUES = "it has no bad value to mark, and no other code was asked for"


@dataclass(frozen=True, eq=False)
class DesignContext:
    """Outcome, folds and options of a design, wherever the rows are.

    Attributes
    ----------
    coders : tuple of str
        The codes to build for this type of outcome.
    scaled_cross_frame : bool
        Whether slopes are needed for every fold.
    class_number : int or None
        With several classes: the one that this context sets against the others.
    in_groups : bool
        Whether rows of one group may be alike, as far as p-values reckon with it.
    invalid_mark : str or None
        Where columns are only to lose their missing values: what stands for those of text.
    without_trend : bool
        Whether p-values are of what a trend leaves of the outcome, in rows that know it.
    """

    outcome: OutcomeValues
    folds: FoldScheme
    options: DesignOptions
    coders: tuple[str, ...]
    scaled_cross_frame: bool = False
    class_number: int | None = None
    in_groups: bool = False
    invalid_mark: str | None = None
    without_trend: bool = False

    @property
    def n_classes(self) -> int:
        """Number of classes, of a multinomial outcome; else 0."""
        return len(self.outcome.classes)

    @property
    def contrasts(self) -> tuple[DesignContext, ...]:
        """What variables are scored against: the outcome, or each class against the others."""
        return self._class_contrasts if self.n_classes else (self,)

    @cached_property
    def _class_contrasts(self) -> tuple[DesignContext, ...]:
        """For each class, the context that builds the codes that classes share, once.

        Levels are not suppressed then, because classes may not agree on that.
        """
        options = replace(self.options, rare_sig=None)
        coders = tuple(c for c in self.coders if not self.named(c).y_aware)
        return tuple(
            replace(
                self,
                outcome=self.outcome.of_class(k),
                options=options,
                coders=coders,
                class_number=k,
            )
            for k in range(self.n_classes)
        )

    @cached_property
    def class_contexts(self) -> tuple[DesignContext, ...]:
        """For each class, the context that builds the codes of this one class."""
        options = self.options
        return tuple(
            replace(contrast, options=options, coders=options.class_coders())
            for contrast in self.contrasts
            if self.n_classes
        )

    @cached_property
    def class_prefixes(self) -> list[str]:
        """What the names of codes of one class start with."""
        return munge([_label(c) for c in self.outcome.classes])

    def named(self, code: str) -> Code:
        """Return the code of a name."""
        return codes.named(code, self.options.own_codes)

    @cached_property
    def number_codes(self) -> list[NumberCode]:
        """The codes of numeric columns that follow from what is known of the column."""
        return [c for c in map(self.named, self.coders) if isinstance(c, NumberCode)]

    @cached_property
    def step_codes(self) -> list[StepCode]:
        """The codes of numeric columns that are made range by range."""
        return [c for c in map(self.named, self.coders) if isinstance(c, StepCode)]

    @cached_property
    def curve_codes(self) -> list[CurveCode]:
        """The codes of numeric columns that are a curve."""
        asked = list(map(self.named, self.coders))
        shapes = [ShapeOfRows(c) for c in asked if isinstance(c, ShapeOfR) and self._by_rows(c)]
        return [*shapes, *(c for c in asked if isinstance(c, CurveCode))]

    @cached_property
    def shape_codes(self) -> list[ShapeCode]:
        """The codes of numeric columns that are a shape, fitted to sums."""
        asked = [c for c in map(self.named, self.coders) if isinstance(c, ShapeCode)]
        return [c for c in asked if not self._by_rows(c)]

    def _by_rows(self, code: Code) -> bool:
        return code.needs_rows(self.options, self.outcome.kind)

    @cached_property
    def level_codes(self) -> list[LevelCode]:
        """The codes of categorical columns."""
        asked = [c for c in map(self.named, self.coders) if c.reads == "levels"]
        return [c for c in asked if isinstance(c, LevelCode)]

    @property
    def uses_levels(self) -> bool:
        """Whether categorical columns are looked at."""
        return bool(self.level_codes) or self.invalid_mark is not None

    @property
    def codes_are_constant(self) -> str:
        """Why a categorical column has no variable although it has levels."""
        has_indicators = any(not code.is_table for code in self.level_codes)
        reasons = ["are too rare for indicators"] if has_indicators else []
        if any(code.y_aware for code in self.level_codes):
            reasons.append("differ no more than chance makes them")
        why = ", or ".join(reasons or ["are equally frequent"])
        return f"the codes asked for would be constant: its levels {why}"

    @property
    def codes_of_numbers(self) -> bool:
        """Whether a code of numeric columns is asked for."""
        by_range = self.step_codes or self.curve_codes or self.shape_codes
        return bool(self.number_codes or by_range)

    @property
    def copies_numbers(self) -> bool:
        """Whether numeric columns are copied, which takes regressions on them."""
        return any(isinstance(code.form(0.0, None), Copy) for code in self.number_codes)

    @cached_property
    def of_ranges(self) -> DesignContext:
        """The context of columns whose levels are ranges: none of them is pooled or set aside."""
        return replace(self, options=replace(self.options, rare_count=0, rare_sig=None))

    @property
    def is_binary(self) -> bool:
        """Whether the outcome is a class."""
        return self.outcome.kind == "binomial"

    @property
    def is_rate(self) -> bool:
        """Whether the outcome counts events per exposure, or per expected event."""
        return self.outcome.is_rate

    @property
    def is_survival(self) -> bool:
        """Whether rows weigh as much as is expected of them, which the outcome tells."""
        return self.outcome.kind == "survival"

    @property
    def has_link(self) -> bool:
        """Whether variables are scored by regressions with a link: sums are not enough."""
        return self.is_binary or self.is_rate

    @property
    def supervised(self) -> bool:
        """Whether there is an outcome."""
        return self.outcome.kind != "unsupervised"

    @property
    def link_slopes(self) -> bool:
        """Whether y-aware slopes are in link units: log odds, or logarithms of rates."""
        return self.is_rate or (self.is_binary and self.options.cat_scaling)

    @cached_property
    def calibrated(self) -> CalibratedTests | None:
        """The calibrated tests, where they are wanted."""
        wanted = self.supervised and self.options.significance != CLASSIC
        return CalibratedTests(self.outcome) if wanted else None

    @property
    def in_order(self) -> bool:
        """Whether rows are a series, as far as p-values reckon with it."""
        return self.options.significance == ORDERED

    @property
    def tests_rows(self) -> bool:
        """Whether calibrated tests need rows: sums are enough where those may all be permuted."""
        counts_rows = self.outcome.weighting.counts_rows and not self.is_rate
        may_permute = counts_rows and not self.without_trend
        return self.calibrated is not None and (self.in_groups or self.in_order or not may_permute)

    @cached_property
    def combined(self) -> CombinedTests | None:
        """The tests of ranks and ranges beside them, where all rows may be permuted."""
        if self.calibrated is None or self.tests_rows:
            return None
        return CombinedTests(self.outcome, self.calibrated)


def _label(outcome_class: Any) -> str:
    """A class as a part of a name; whole numbers without their decimals."""
    if isinstance(outcome_class, float) and outcome_class.is_integer():
        return str(int(outcome_class))
    return str(outcome_class)
