"""The errors and the warning of the package, one small tree."""

from __future__ import annotations


class VtreatError(Exception):
    """Base of every error this package raises on purpose."""


class InvalidOptionError(VtreatError, ValueError):
    """An option has a value that is not allowed."""


class OptionTypeError(VtreatError, TypeError):
    """An option, or an input, is of a type that is not allowed."""


class FrameError(VtreatError, ValueError):
    """The data frame cannot be treated as it is."""


class OutcomeError(VtreatError, ValueError):
    """The outcome, its target or the weights cannot be used."""


class SchemaError(VtreatError, ValueError):
    """A frame given to ``prepare`` does not fit the frame the plan was designed on."""


class VtreatWarning(UserWarning):
    """Something legal that a careful user wants to know."""
