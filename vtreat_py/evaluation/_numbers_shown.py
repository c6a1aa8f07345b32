"""Numbers as reprs show them."""

from __future__ import annotations

import math

import numpy as np

# Floats this great are integers, and too long to be written out.
_LONG = 1e15


def readable(value: float, digits: int = 4) -> str:
    """Write integers whole, other numbers with so many digits, and never less than a decimal.

    15555 is "15555", and 15555.02 is "15555.0": the point says that there are digits left out.

    Examples
    --------
    >>> readable(15555), readable(15555.02), readable(0.000123456), readable(1e200)
    ('15555', '15555.0', '0.0001235', '1e+200')
    """
    value = float(value)
    short = f"{value:.{digits}g}"
    if not 10**digits <= abs(float(short)) < _LONG:
        return short
    return f"{value:.0f}" if value == math.floor(value) else f"{value:.1f}"


def outwards(low: float, high: float) -> str:
    """Write two bounds with six decimals, rounded outwards."""
    return f"{np.floor(low * 1e6) / 1e6:.6f} to {np.ceil(high * 1e6) / 1e6:.6f}"


def at_most(bound: float) -> str:
    """Write a bound with two digits, rounded up."""
    if not bound:
        return "0"
    digit = 10.0 ** (np.floor(np.log10(bound)) - 1)
    return f"{np.ceil(bound / digit) * digit:.2g}"
