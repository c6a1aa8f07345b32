"""The steps of a private design: check, sum up with noise, and make a plan of nothing else."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import BoolArray, NumberArray
from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.base.names import NameRegister
from vtreat_py.base.version import __version__
from vtreat_py.base.warn import warn
from vtreat_py.coders import codes
from vtreat_py.design.request import DesignRequest
from vtreat_py.frames.beside import is_name
from vtreat_py.frames.columns import EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.data import Plan
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
from vtreat_py.private.budget import Budget
from vtreat_py.private.codes import LevelsCoder, Overall, number_treatment
from vtreat_py.private.noise import Noise
from vtreat_py.private.outcome import STEPS, Grid, PrivateOutcome
from vtreat_py.private.reading import read_quietly
from vtreat_py.private.tables import NoisyGroups, NoisyLevels, NoisyNumbers

# Options that a private design knows; others must be as they are by default.
_KNOWN = {
    "privacy", "outcome", "outcome_type", "target", "variables", "categorical", "missing_values",
    "random_state", "calendar", "min_fraction", "smoothing", "coders", "imputation",
    "imputation_map", "n_jobs", "progress", "scaled", "y_dependent_coders",
}  # fmt: skip
_CODERS = ("clean", "isBAD", "lev", "catP", "catB", "catN")
_NOTHING = "no level of it has so many rows that it could be published"


class PrivateDesign:
    """A design under differential privacy.

    Rows are looked at in `NoisyGroups` and `NoisyNumbers` alone, which add noise to what they have
    summed up, and here, where outcomes are squared. What is made of that is no secret.
    """

    def __init__(self, frame: Any, request: DesignRequest) -> None:
        assert request.privacy is not None
        self._request, self._privacy = request, request.privacy
        self._coders = _check(request)
        self._noise = Noise(request.random_state)
        if request.random_state is not None:
            warn(
                "random_state= makes the noise of privacy= repeatable, and a seed that is guessed "
                "takes it away: leave it out where others are to get the plan"
            )
        self.source = InputFrame.of(frame)
        beside = [one for one in request.beside if is_name(one, self.source)]
        self._variables = request.choose(self.source.columns, beside)
        self._numbers = [name for name in self._variables if name in self._privacy.number_ranges]
        unknown = set(self._privacy.number_ranges) - set(self._variables)
        if unknown:
            raise InvalidOptionError(
                f"number_ranges names {listed(sorted(unknown, key=str))}, which are not treated"
            )
        n_of_levels = len(self._variables) - len(self._numbers)
        if n_of_levels and not self._privacy.delta:
            raise InvalidOptionError(
                "delta=0 publishes no level; give a delta above 0, well below 1 over the number of "
                "rows, or leave columns of levels out with variables="
            )
        self._budget = Budget.each(self._privacy, len(self._variables), n_of_levels)

    @cached_property
    def _outcome(self) -> PrivateOutcome:
        return PrivateOutcome.read(self.source, self._request, self._privacy.outcome_range)

    def plan(self, rows: BoolArray | None = None) -> Plan:
        """Make the plan of all rows, or of some."""
        request, outcome = self._request, self._outcome
        if rows is not None:
            outcome = replace(outcome, known=outcome.known & rows)
        source = self.source.read_by(request.missing_values, request.categorical)
        overall = self._overall(outcome)
        register = NameRegister(str(c) for c in self.source.columns)
        treatments, unused = [], []
        for name in self._variables:
            treatment = self._treatment(source, name, outcome, overall)
            if treatment is None:
                unused.append((name, _NOTHING))
                continue
            kept = [codes.named(v.code).keeps_name(name) for v in treatment.variables]
            names = zip(treatment.variables, kept, strict=True)
            treatments.append(treatment.renamed([register.claim(v.name, k) for v, k in names]))
        variables = [v for t in treatments for v in t.variables]
        derived = [v for v in variables if v.slot is None]
        derived += [v for v in variables if v.slot is not None]
        is_name_given = request.outcome is not None and is_name(request.outcome, self.source)
        return Plan(
            outcome.kind,
            request.outcome if is_name_given else None,
            request.target if outcome.kind == "binomial" else None,
            f"{outcome.kind}, as outcome_type= says",
            self._variables,
            tuple(treatments),
            tuple(unused),
            tuple(derived),
            request.options,
            round(overall.rows),
            __version__,
            privacy=self._privacy,
        )

    def _overall(self, outcome: PrivateOutcome) -> Overall:
        """Rows, mean and variance of the outcome."""
        everyone = np.zeros(self.source.n_rows, dtype=np.int64)
        if outcome.kind != "numeric":
            groups = NoisyGroups.of(everyone, 1, outcome, self._budget, self._noise)
            return Overall.of(groups, 0.0)
        each = self._budget.part(3)
        groups = NoisyGroups.of(everyone, 1, outcome, Budget(2 * each, 0.0), self._noise)
        y = outcome.y[outcome.known]
        squares = np.array([np.rint(y * y / STEPS).sum()]).astype(np.int64)
        return Overall.of(groups, float(self._noise.add(squares, STEPS, each)[0]))

    def _treatment(
        self, source: InputFrame, name: Hashable, outcome: PrivateOutcome, overall: Overall
    ) -> LevelTreatment | NumericTreatment | None:
        options = self._request.options
        mechanism = outcome, self._budget, self._noise
        # Of objects it would be their values that tell the type.
        of_objects = isinstance(source.native, pd.DataFrame) and source.native[name].dtype == object
        if of_objects and name in self._privacy.number_ranges:
            raise InvalidOptionError(
                f"column {name!r} holds Python objects, and number_ranges= names it: convert it to "
                "a type of numbers"
            )
        column = read_quietly(
            lambda: source.read(name, as_levels=of_objects),
            f"column {name!r} holds values of types that no code can be made of; convert it, or "
            "leave it out with variables=",
        )
        if isinstance(column, NumericColumn) and column.kind != "number":
            raise InvalidOptionError(
                f"column {name!r} holds a {column.kind} in each row, which privacy= does not "
                "treat: convert it to numbers, such as days since a date, and give their range in "
                "number_ranges=, or leave it out with variables="
            )
        if name in self._privacy.number_ranges:
            values: NumberArray = np.zeros(len(column))
            bad = np.ones(len(column), dtype=bool)
            if isinstance(column, NumericColumn):
                values = column.values
                bad = ~bad if column.bad is None else column.bad
            elif not isinstance(column, EmptyColumn):
                raise InvalidOptionError(f"number_ranges names {name!r}, which holds no numbers")
            grid = Grid(*self._privacy.number_ranges[name])
            numbers = NoisyNumbers.of(name, values, bad, grid, *mechanism)
            return number_treatment(numbers, overall, options, self._coders)
        if isinstance(column, NumericColumn):
            raise InvalidOptionError(
                f"column {name!r} holds numbers, or booleans, and number_ranges= does not name its "
                "smallest and largest; give them ((0, 1) of booleans), name it in categorical=, or "
                "leave it out with variables="
            )
        if isinstance(column, EmptyColumn):
            none = NoisyLevels.of_missing(len(column), *mechanism)
            return LevelsCoder(name, none, overall, options, self._coders).treatment()
        encoded, levels = column.encode()
        table = NoisyLevels.of(encoded.astype(np.int64), levels, *mechanism)
        return LevelsCoder(name, table, overall, options, self._coders).treatment()


def _check(request: DesignRequest) -> tuple[str, ...]:
    """Refuse what a private design does not know; the codes to make come back."""
    assert request.privacy is not None
    default = DesignRequest()
    names = [f.name for f in fields(DesignRequest) if f.name not in _KNOWN]
    given = [name for name in names if not _same(getattr(request, name), getattr(default, name))]
    if given:
        raise InvalidOptionError(
            f"{listed(given)} cannot be given together with privacy=: no noise is known for what "
            "that would tell of rows"
        )
    if request.outcome_type not in ("numeric", "binomial", "unsupervised"):
        raise InvalidOptionError(
            f"privacy= with outcome_type={request.outcome_type!r}; it must be said beforehand, "
            'because rows would tell it: "numeric", "binomial" or "unsupervised"'
        )
    if request.outcome_type == "binomial" and request.target is None:
        raise InvalidOptionError("privacy= needs target=: the rows would tell the classes")
    _check_ranges(request.outcome_type, request.privacy)
    return _coders(request, default)


def _check_ranges(outcome_type: str, privacy: DifferentialPrivacy) -> None:
    is_numeric = outcome_type == "numeric"
    if is_numeric and privacy.outcome_range is None:
        raise InvalidOptionError(
            "privacy= of a numeric outcome needs its outcome_range=, which says how much a row can "
            "change a sum"
        )
    if not is_numeric and privacy.outcome_range is not None:
        raise InvalidOptionError("outcome_range is for numeric outcomes")


def _coders(request: DesignRequest, default: DesignRequest) -> tuple[str, ...]:
    """The codes to make, of those that sums with noise can make."""
    if request.coders != default.coders:
        unknown = [name for name in request.coders if name not in _CODERS]
        if unknown:
            raise InvalidOptionError(
                f"coders holds {unknown}, which is not made under privacy=; {list(_CODERS)} are"
            )
    if isinstance(request.smoothing, str) and request.smoothing != "auto":
        raise InvalidOptionError('privacy= takes a number for smoothing, or "auto"')
    imputers = [request.imputation, *request.imputation_map.values()]
    if any(one != "mean" and not isinstance(one, int | float) for one in imputers):
        raise InvalidOptionError('privacy= takes "mean", or numbers, for imputation')
    if request.calendar not in (default.calendar, ()):
        raise InvalidOptionError("calendar parts are not made under privacy=; leave it out")
    return tuple(name for name in request.coders_for(str(request.outcome_type)) if name in _CODERS)


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(type(one) is type(other) and one == other)
    except (TypeError, ValueError):
        return False
