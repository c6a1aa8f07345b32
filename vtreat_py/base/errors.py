"""The errors and the warning of the package, one small tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from numbers import Real
from typing import Any

_SHOWN = 8


def counted(number: int, noun: str) -> str:
    """A number and what it counts, for messages."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(values: Sequence[Any]) -> str:
    """The first few of several values, for messages."""
    shown = ", ".join(map(_shown, values[:_SHOWN]))
    return shown + (f", ... ({len(values)} in all)" if len(values) > _SHOWN else "")


def _shown(value: Any) -> str:
    """What a value is written as; NumPy's numbers as those of Python."""
    is_numpys = isinstance(value, Real) and type(value).__module__ == "numpy"
    return repr(value.item() if is_numpys else value)


def meant(name: Any, known: Iterable[Any]) -> str:
    """Ask for a name that is like one that is unknown; empty if there is none."""
    names = sorted(one for one in known if isinstance(one, str))
    alike = [one for one in names if one.casefold() == str(name).casefold()]
    alike = alike or get_close_matches(str(name), names, n=1)
    return f"; did you mean {alike[0]!r}?" if alike else ""


class VtreatError(Exception):
    """Base of every error this package raises on purpose."""


class InvalidOptionError(VtreatError, ValueError):
    """An option has a value that is not allowed."""


class OptionTypeError(VtreatError, TypeError):
    """An option, or an input, is of a type that is not allowed."""


class FrameError(VtreatError, ValueError):
    """The data frame cannot be treated as it is."""


class UnsupportedColumnError(FrameError):
    """A column holds something that no code can be made of."""

    def __init__(self, column: object, what: str) -> None:
        self.column, self.what = column, what
        super().__init__(
            f"column {column!r} holds {what}, which is not supported: numbers, booleans, text, "
            "categories, dates, times and mixtures of such values are; convert the column or "
            "leave it out with variables="
        )

    @classmethod
    def of_all(cls, errors: Sequence[UnsupportedColumnError]) -> FrameError:
        """One error that names every column."""
        if len(errors) == 1:
            return errors[0]
        held = "; ".join(f"{e.column!r} holds {e.what}" for e in errors)
        return FrameError(
            f"{len(errors)} columns hold what is not supported: {held}. Numbers, booleans, text, "
            "categories, dates, times and mixtures of such values are; convert the columns or "
            "leave them out with variables="
        )


class OutcomeError(VtreatError, ValueError):
    """The outcome, its target or the weights cannot be used."""


class SchemaError(VtreatError, ValueError):
    """A frame given to ``prepare`` does not fit the frame the plan was designed on."""


class DriftError(VtreatError):
    """Columns of a frame have drifted since the design; raised by an audit that was asked to.

    Attributes
    ----------
    report : AuditReport
        What the audit found.
    """

    def __init__(self, message: str, report: Any) -> None:
        self.report = report
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.report)


class BudgetError(VtreatError, RuntimeError):
    """A holdout answers no more questions: those that its guarantee allows are asked."""


class PlanFormatError(VtreatError, ValueError):
    """A text or file is not as `to_json` or `save` writes it, or something cannot be written so."""


class DependencyError(VtreatError, ImportError):
    """A package that is needed is not installed, or too old."""


class VtreatWarning(UserWarning):
    """Something legal that a careful user wants to know."""
