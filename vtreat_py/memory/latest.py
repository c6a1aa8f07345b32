"""What is kept until another asks for its own."""

from __future__ import annotations

from collections.abc import Callable

from vtreat_py.base.arrays import FloatArray, IntArray

Pieces = tuple[IntArray, FloatArray]


class Latest:
    """Large arrays of the owner that asked last."""

    def __init__(self) -> None:
        self._kept: tuple[object, Pieces] | None = None

    def of(self, owner: object, made: Callable[[], Pieces]) -> Pieces:
        """Return those of an owner, made once if no other asks between."""
        if self._kept is None or self._kept[0] is not owner:
            self._kept = None  # room for the next
            self._kept = owner, made()
        return self._kept[1]
