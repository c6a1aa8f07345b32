"""A plan for one row at a time: look-ups and arithmetic on Python's own values, without frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from vtreat_py.base.checks import is_one_of
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.frames.made import sources_of
from vtreat_py.frames.schema import Changed, ChangedTypesError, check_kinds, check_present
from vtreat_py.memory.treated_values import ValuesOfColumn, of_value
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import TextTreatment

Output = Literal["dict", "tuple", "array"]
MissingKeys = Literal["raise", "missing"]


class RowScorer:
    """Treats single rows; what `TreatmentPlan.row_scorer` gives.

    Called with a mapping from column names to values it gives what `prepare` gives for a frame of
    that row, to the bit; called with several of those, a list of such (as arrays: one of two
    dimensions). No call changes it, so that threads may share it; it can be pickled.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of the values.
    """

    def __init__(self, plan: Plan, choice: Choice, output: Output, missing_keys: MissingKeys):
        for name, value, known in (
            ("output", output, get_args(Output)),
            ("missing_keys", missing_keys, get_args(MissingKeys)),
        ):
            if not is_one_of(value, known):
                raise InvalidOptionError(f"{name}={value!r}; it must be one of {list(known)}")
        self._given = plan, choice, output, missing_keys
        self.names = tuple(choice.names)
        treatments = choice.treatments(plan)
        self._needed = sources_of((t.column for t in treatments), plan.made)
        columns = [ValuesOfColumn(t, choice, plan) for t in treatments]
        single = [one for one in columns if one.joint is None]
        joint = [one for one in columns if one.joint is not None]
        self._single = [(one.sources[0], of_value(one)) for one in single]
        self._joint = [(one.sources, one.of_values) for one in joint]
        places = [place for one in single + joint for place in one.places]
        in_order = places == list(range(len(places)))
        self._ordered = None if in_order else itemgetter(*np.argsort(places).tolist())
        self._holds_text = any(isinstance(t, TextTreatment) for t in treatments)

    def __reduce__(self) -> tuple[Any, ...]:
        return RowScorer, self._given

    def __repr__(self) -> str:
        return f"RowScorer({len(self._needed)} columns, {len(self.names)} variables)"

    def __call__(self, row: Mapping[Any, Any] | Iterable[Mapping[Any, Any]]) -> Any:
        """Treat a row, or several.

        Parameters
        ----------
        row : mapping from column names to values, or iterable of those

        Returns
        -------
        dict, tuple or ndarray
            As ``output`` says; a list of dicts or of tuples, or one array, where several came.

        Raises
        ------
        SchemaError
            If a row lacks columns, or a value is of another type than its column had at design.
        """
        output = self._given[2]
        if isinstance(row, Mapping):
            values = self._values(row)
            if output == "dict":
                return dict(zip(self.names, values, strict=True))
            return values if output == "tuple" else self._array(values)
        rows = [self._values(one) for one in _rows(row)]
        if output == "dict":
            return [dict(zip(self.names, values, strict=True)) for values in rows]
        return rows if output == "tuple" else self._array(rows).reshape(len(rows), len(self.names))

    def _array(self, values: Any) -> npt.NDArray[Any]:
        return np.array(values, dtype=object if self._holds_text else np.float64)

    def _values(self, row: Mapping[Any, Any]) -> tuple[Any, ...]:
        get = row.__getitem__ if self._given[3] == "raise" else row.get
        found: list[Any] = []
        try:
            for source, values_of in self._single:
                found += values_of(get(source))
            for sources, values_of in self._joint:
                found += values_of([get(source) for source in sources])
        except (KeyError, ChangedTypesError):
            if self._given[3] == "raise":
                check_present(self._needed, row)
            check_kinds(self._changed(row))
            raise
        return tuple(found) if self._ordered is None else tuple(self._ordered(found))

    def _changed(self, row: Mapping[Any, Any]) -> Iterator[Changed]:
        """Columns whose values are of other types than at the design."""
        calls = [(values_of, row.get(source)) for source, values_of in self._single]
        calls += [(values_of, list(map(row.get, sources))) for sources, values_of in self._joint]
        for values_of, value in calls:
            try:
                values_of(value)
            except ChangedTypesError as error:
                yield from error.changed


def _rows(rows: Any) -> Iterable[Mapping[Any, Any]]:
    """Go over rows; anything else is refused."""
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise OptionTypeError(
            f"a row is of type {type(rows).__name__}; give a mapping from column names to values, "
            "or an iterable of such rows"
        )
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise OptionTypeError(
                f"row {place} is of type {type(row).__name__}; give a mapping from column names to "
                "values"
            )
        yield row
