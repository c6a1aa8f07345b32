"""The state of a streamed evaluation as JSON, which is checked when it is read."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self, overload

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import PlanFormatError, VtreatError
from vtreat_py.evaluation._bin_sums import HeldBins
from vtreat_py.evaluation._refusals import shortened, shown
from vtreat_py.evaluation._rows import Rows, plain
from vtreat_py.evaluation._stream_ages import Ages, LastRows
from vtreat_py.evaluation._tally import RunningSum, Tally

_FORMAT, _VERSION = "vtreat_py streamed evaluation", 1
# Sums of the same weights in another order are this near to each other.
_ROUNDING = 1e-9


class KeepsState(ABC):
    """Writes its state as JSON, and reads it."""

    _KIND: ClassVar[str]

    @abstractmethod
    def _state(self) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def _of_state(cls, state: dict[str, Any]) -> Self: ...

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the state as JSON, such that another process can go on.

        Parameters
        ----------
        path : str, path or None, default=None
            A file to write, or to replace as a whole; one whose name ends with ``.gz`` is
            compressed. None: the text is returned.

        Returns
        -------
        str or None
            The text, in ASCII; None where a file was written.

        Raises
        ------
        PlanFormatError
            If a label, or a class, is neither text nor a number, True or False.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> text = StreamingBinaryEvaluator().update([1, 0], [0.75, 0.5]).to_json()
        >>> StreamingBinaryEvaluator.from_json(text).update([1], [0.25]).auc()
        0.5
        """
        return write_state(self._KIND, self._state(), path)

    @classmethod
    def from_json(cls, text_or_path: str | os.PathLike[str]) -> Self:
        """Read a state that :meth:`to_json` has written.

        Parameters
        ----------
        text_or_path : str or path
            The text, which starts with a brace, or the path of a file, compressed by gzip or not.

        Returns
        -------
        evaluator
            In the state in which the other one was.

        Raises
        ------
        PlanFormatError
            If it is no such text, or if it was changed since.
        FileNotFoundError
            If there is no such file.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> text = evaluator.to_json()
        >>> StreamingBinaryEvaluator.from_json(text).n_rows
        4
        """
        return cls._of_state(read_state(cls._KIND, text_or_path))


def write_state(
    kind: str, state: dict[str, Any], path: str | os.PathLike[str] | None
) -> str | None:
    """Write a state as text, or to a file."""
    from vtreat_py.base.files import write_text

    whole = {"format": _FORMAT, "format_version": _VERSION, "kind": kind, "state": state}
    text = _dumped({**whole, "digest": _digest(whole)})
    if path is None:
        return text
    write_text(path, text)
    return None


def read_state(kind: str, text_or_path: Any) -> dict[str, Any]:
    """Read the state that a text or a file holds; refuse one that was changed."""
    from vtreat_py.base.files import text_of

    text = text_of(text_or_path)
    with checked_reading():
        return _checked_state(kind, text)


def _checked_state(kind: str, text: str) -> dict[str, Any]:
    import json

    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as reason:
        raise PlanFormatError(f"the text is no JSON: {shortened(str(reason))}") from reason
    if not isinstance(whole, dict) or whole.get("format") != _FORMAT:
        raise PlanFormatError(f"the text is no {_FORMAT}, which to_json writes")
    if whole.get("format_version") != _VERSION:
        raise PlanFormatError(
            f"format_version is {shown(whole.get('format_version'))}; this version reads {_VERSION}"
        )
    if whole.get("kind") != kind:
        raise PlanFormatError(
            f"the text is of kind {shown(whole.get('kind'))}, and {kind!r} is wanted: read it with "
            "from_json of the class that wrote it"
        )
    digest = whole.pop("digest", None)
    if digest != _digest(whole):
        raise PlanFormatError("the text was changed after to_json wrote it: its digest differs")
    state: dict[str, Any] = whole["state"]
    return state


@contextmanager
def checked_reading() -> Iterator[None]:
    """Say in one error what is wrong with a state."""
    try:
        yield
    except PlanFormatError:
        raise
    except (VtreatError, KeyError, TypeError, ValueError, OverflowError, AttributeError) as reason:
        said = f"{type(reason).__name__}: {reason}" if isinstance(reason, KeyError) else reason
        raise PlanFormatError(
            f"the state is not as to_json writes it: {shortened(str(said))}"
        ) from reason


def plain_label(label: Any) -> Any:
    """Return a label as JSON has it."""
    found = plain(label)
    if found is None or type(found) in (str, int, bool, float):
        return _written(found)
    raise PlanFormatError(
        f"label {shown(label)} is of type {type(label).__name__}, which JSON has not; text, "
        "numbers, True and False can be written"
    )


def state_of_ages(ages: Ages) -> dict[str, Any]:
    """Return what is known of rows: those of a window, or sums."""
    if isinstance(ages, LastRows):
        return {
            "n_missing": ages.n_missing,
            "rows": [
                {
                    "positive": rows.positive.astype(int).tolist(),
                    "score": _written(rows.score.tolist()),
                    "type": rows.score.dtype.name,
                    "weight": None if rows.weight is None else rows.weight.tolist(),
                    "whole": bool(rows.has_whole_weights),
                }
                for rows in ages.parts
            ],
        }
    return _state_of_tally(ages.tally)


def put_state(ages: Ages, state: dict[str, Any], other_label: Any) -> None:
    """Give rows that count what is known of them; refuse numbers that cannot be."""
    if isinstance(ages, LastRows):
        for part in state["rows"]:
            ages.add(_rows(part, other_label))
        ages.n_missing = _count(state["n_missing"], "n_missing")
    else:
        _put_tally(ages.tally, state)


def _state_of_tally(tally: Tally) -> dict[str, Any]:
    held = tally.sums.held()
    return {
        "n_rows": tally.n_rows,
        "n_missing": tally.n_missing,
        "low": _written(tally.low),
        "high": _written(tally.high),
        "whole": bool(tally.whole),
        "bins": {name: _written(values.tolist()) for name, values in held._asdict().items()},
        "confusion": tally.confusion.tolist(),
        "log_losses": _written([tally.log_losses.rounded, tally.log_losses.lost]),
        "squares": _written([tally.squares.rounded, tally.squares.lost]),
    }


def _put_tally(tally: Tally, state: dict[str, Any]) -> None:
    held = _held(state["bins"], tally)
    tally.n_rows = _count(state["n_rows"], "n_rows")
    tally.n_missing = _count(state["n_missing"], "n_missing")
    tally.low, tally.high = _numbers([state["low"], state["high"]], 2, "low, high").tolist()
    tally.whole = _flag(state["whole"], "whole")
    tally.confusion = np.array([_numbers(row, len(tally.thresholds)) for row in state["confusion"]])
    tally.log_losses = RunningSum(*_numbers(state["log_losses"], 2, "log_losses").tolist())
    tally.squares = RunningSum(*_numbers(state["squares"], 2, "squares").tolist())
    tally.sums.put(held)
    _check_sums(tally, held)


def _held(state: dict[str, Any], tally: Tally) -> HeldBins:
    places = state["number"]
    if not all(type(place) is int for place in places):
        raise PlanFormatError("bins are not numbered by integers")
    index = np.array(places, dtype=np.int64)
    if (np.diff(index) <= 0).any() or (
        len(index) and not 0 <= index[0] <= index[-1] < tally.bins.number
    ):
        raise PlanFormatError("the numbers of bins do not rise, or there are no such bins")
    held = HeldBins(
        index, *(_numbers(state[name], len(index), name) for name in HeldBins._fields[1:])
    )
    if not (np.isfinite(held.negative + held.positive) & (held.negative + held.positive > 0)).all():
        raise PlanFormatError("a bin holds no rows, or infinitely many")
    if (held.negative < 0).any() or (held.positive < 0).any():
        raise PlanFormatError("a bin holds a negative weight")
    return held


def _check_sums(tally: Tally, held: HeldBins) -> None:
    """Refuse sums that contradict each other."""
    counts = tally.confusion
    if counts.shape != (4, len(tally.thresholds)) or (counts < 0).any():
        raise PlanFormatError("confusion is not four rows of counts, of one a threshold")
    tp, fp, fn, tn = counts
    rounding = _ROUNDING * max(tally.total, 1e-300)
    agree = np.abs(tp + fn - held.positive.sum()) <= rounding
    agree &= np.abs(fp + tn - held.negative.sum()) <= rounding
    if not agree.all():
        raise PlanFormatError("confusion and bins do not count the same rows")
    sums = np.concatenate([held.negative, held.positive, counts.ravel()])
    if tally.whole and (sums != np.floor(sums)).any():
        raise PlanFormatError("weights are said to be whole numbers, and their sums are not")
    if len(held.number):
        first, last = tally.bins.of(np.array([tally.low, tally.high])).tolist()
        if not (tally.n_rows and first <= held.number[0] and held.number[-1] <= last):
            raise PlanFormatError("low, high and n_rows are not those of the rows in bins")


def _rows(state: dict[str, Any], other_label: Any) -> Rows:
    n = len(state["score"])
    if state["type"] not in ("float16", "float32", "float64") or not n:
        raise PlanFormatError(f"rows of a window have scores of type {shown(state['type'])}")
    if not all(type(p) is int and p in (0, 1) for p in state["positive"]):
        raise PlanFormatError("rows of a window are neither positive (1) nor negative (0)")
    weight = None if state["weight"] is None else _numbers(state["weight"], n, "weight")
    if weight is not None and not ((weight >= 0) & np.isfinite(weight)).all():
        raise PlanFormatError("weights of rows of a window are not finite, and 0 or more")
    return Rows(
        positive=_numbers(state["positive"], n, "positive") == 1,
        score=_numbers(state["score"], n, "score").astype(state["type"]),
        weight=weight,
        n_missing=0,
        other_label=other_label,
        has_whole_weights=_flag(state["whole"], "whole"),
    )


def _numbers(values: Any, n: int, name: str = "confusion") -> FloatArray:
    """Read so many numbers, none of them missing."""
    if not isinstance(values, list) or len(values) != n:
        raise PlanFormatError(f"{name} is {shown(values)}; {n} numbers are wanted")
    read = [_number(value, name) for value in values]
    return np.array(read, dtype=np.float64)


def _number(value: Any, name: str) -> float:
    if type(value) in (int, float) and not math.isnan(value):
        return float(value)
    if value in ("inf", "-inf"):
        return float(value)
    raise PlanFormatError(f"{name} has {shown(value)}, which is no number")


def _count(value: Any, name: str) -> int:
    if type(value) is not int or value < 0:
        raise PlanFormatError(f"{name} is {shown(value)}; a count is wanted")
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise PlanFormatError(f"{name} is {shown(value)}; true or false is wanted")
    return value


def _written(value: Any) -> Any:
    """Numbers as JSON has them; it has none that are infinite."""
    if isinstance(value, list):
        return [_written(one) for one in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _dumped(state: dict[str, Any]) -> str:
    import json

    return json.dumps(state, allow_nan=False)


def _digest(whole: dict[str, Any]) -> str:
    from hashlib import sha256

    return sha256(_dumped(whole).encode("ascii")).hexdigest()
