"""Types that engines have, of the many that frames have."""

from __future__ import annotations

from contextlib import suppress

import pyarrow as pa

from vtreat_py.plan.keyed_codes import KeyKind

# By what levels or numbers stand for.
TYPES: dict[KeyKind, pa.DataType] = {
    "text": pa.large_string(),
    "bytes": pa.large_binary(),
    "number": pa.float64(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "duration": pa.duration("us"),
    "time": pa.time64("us"),
}
_MOST_DIGITS = 38  # of decimals, in all engines


def plain_array(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Use one type for text, one for bytes, and microseconds, which Python's own types have."""
    t = pa.types
    if t.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    kind = plain = values.type
    if t.is_string(kind) or t.is_string_view(kind):
        plain = pa.large_string()
    elif t.is_binary(kind) or t.is_binary_view(kind) or t.is_fixed_size_binary(kind):
        plain = pa.large_binary()
    elif t.is_null(kind):
        plain = pa.float64()
    elif t.is_float16(kind):  # DuckDB has no such type
        plain = pa.float32()
    elif t.is_decimal256(kind):
        return _of_fewer_digits(values)
    elif t.is_timestamp(kind) or t.is_duration(kind):
        coarse = pa.duration("us") if t.is_duration(kind) else pa.timestamp("us", kind.tz)
        if kind.unit != "ns":
            return values.cast(coarse)
        with suppress(pa.ArrowInvalid):  # there are nanoseconds
            return values.cast(coarse)
        if t.is_timestamp(kind):  # which engines have without a zone only
            plain = pa.timestamp("ns")
    return values if plain == kind else values.cast(plain)


def _of_fewer_digits(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Decimals that engines hold, or else the floats that `prepare` reads."""
    if 0 <= values.type.scale <= _MOST_DIGITS:
        with suppress(pa.ArrowInvalid):
            return values.cast(pa.decimal128(_MOST_DIGITS, values.type.scale))
    return values.cast(pa.string()).cast(pa.float64())
