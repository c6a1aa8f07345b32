"""The levels of a categorical column: a lookup from exact values to small integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vtreat_py.base.arrays import IntArray, objects

# Up to this many rows a dictionary is faster than building Arrow's hash table once more.
_FEW_ROWS = 256


@dataclass(frozen=True, eq=False)
class Levels:
    """Distinct values of a column; value i has code i.

    Missing has the code ``len(levels)``, a value that is not among them ``len(levels) + 1``.
    Text is compared by code point, other values by Python's equality: 1 and 1.0 are one level,
    "1" is another.

    Attributes
    ----------
    labels : pyarrow.Array of large_string or large_binary, or ndarray of object
        Text, bytes, or a mixture: the values alone say which, so that equal levels are kept alike
        wherever they came from.
    """

    labels: Any

    @classmethod
    def of(cls, values: Sequence[Any]) -> Levels:
        """Take distinct values, none of them missing."""
        if all(type(v) is str for v in values):
            try:
                return cls(pa.array(values, pa.large_string()))
            except UnicodeEncodeError:
                pass  # lone surrogates: Python text, but no UTF-8
        elif all(type(v) is bytes for v in values):
            return cls(pa.array(values, pa.large_binary()))
        return cls(objects(values))

    @classmethod
    def of_text(cls, labels: pa.Array) -> Levels:
        """Take distinct text or bytes; whatever its Arrow type, levels that are equal pickle so."""
        large = pa.large_binary() if _is_binary(labels.type) else pa.large_string()
        return cls(labels.cast(large))

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, code: int) -> Any:
        label = self.labels[code]
        return label.as_py() if isinstance(label, pa.Scalar) else label

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Levels) and self.to_list() == other.to_list()

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels}

    @property
    def missing(self) -> int:
        """Code of a missing value."""
        return len(self.labels)

    @property
    def novel(self) -> int:
        """Code of a value that is not among the levels."""
        return len(self.labels) + 1

    def take(self, codes: IntArray) -> Levels:
        """Return the levels of the given codes, in their order."""
        labels = self.labels.take(codes)
        return Levels(labels) if self.is_text else Levels.of(list(labels))

    def to_list(self) -> list[Any]:
        """Return the levels as Python values, in code order."""
        return self.labels.to_pylist() if self.is_text else list(self.labels)

    def to_array(self) -> NDArray[np.object_]:
        """Return the levels as Python values in an array, in code order."""
        if self.is_text:
            return np.asarray(self.labels.to_numpy(zero_copy_only=False), dtype=object)
        return np.asarray(self.labels)

    def codes_of(self, values: Sequence[Any]) -> IntArray:
        """Code of each of a few Python values; None is missing."""
        codes = self._codes
        novel = self.novel
        return np.array([codes.get(value, novel) for value in values], dtype=np.int32)

    def codes_of_text(self, text: pa.Array) -> IntArray | None:
        """Code of each element of an Arrow array; None where the kinds do not compare."""
        if len(text) <= _FEW_ROWS:
            return self.codes_of(text.to_pylist())
        if not self.is_text or _is_binary(self.labels.type) != _is_binary(text.type):
            return None
        codes = pc.index_in(text, value_set=self._value_set.cast(text.type))
        if codes.null_count:
            codes = codes.fill_null(self.novel)
        return np.asarray(codes)

    def codes_of_levels(self, other: Levels) -> IntArray:
        """Code of each of other levels."""
        codes = self.codes_of_text(other.labels) if other.is_text else None
        return self.codes_of(other.to_list()) if codes is None else np.array(codes)

    def joined(self, other: Levels) -> Levels:
        """Return these levels, and then others, which are not among them."""
        if self.is_text and other.is_text and self.labels.type == other.labels.type:
            return Levels(pa.concat_arrays([self.labels, other.labels]))
        return Levels.of(self.to_list() + other.to_list())

    @property
    def is_text(self) -> bool:
        """Whether all levels are text, or all are bytes."""
        return isinstance(self.labels, pa.Array)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        codes: dict[Any, int] = {label: code for code, label in enumerate(self.to_list())}
        codes[None] = self.missing
        return codes

    @cached_property
    def _value_set(self) -> pa.Array:
        return pa.concat_arrays([self.labels, pa.nulls(1, self.labels.type)])


def _is_binary(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    )
