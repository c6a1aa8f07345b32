"""Laws that hold for whatever comes: ``python -m tests.fuzz --seconds 60 --seed 1``.

Each case is made of its law's name, the seed and its number, and can be made again by them:
``--law NAME --seed SEED --first NUMBER --cases 1``. A short run of each law is a test
(`tests/test_fuzz.py`).
"""

from __future__ import annotations

import argparse
import collections
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import vtreat_py as vt
from tests.laws import (
    engines,
    finite,
    for_scoring,
    foreign,
    missingness,
    models,
    other_folds,
    own_fold,
    rows_alone,
    scales,
    symmetries,
    tampered,
    texts,
)
from tests.laws.designs import RefusedError

Law = Callable[[random.Random], None]
LAWS: dict[str, Law] = {
    "finite": finite.finite_or_refused,
    "cross-frames": finite.finite_cross_frames,
    "untouched": finite.untouched,
    "rows alone": rows_alone.rows_alone,
    "rows scored": rows_alone.rows_scored,
    "json": texts.read_as_written,
    "saved statistics": texts.statistics_read_as_written,
    "tampered": tampered.tampered,
    "units of x": scales.units_of_numbers,
    "units of y": scales.units_of_outcome,
    "units of weights": scales.units_of_weights,
    "units of exposure": scales.units_of_exposure,
    "units of importance": scales.units_of_importance,
    "repeats": symmetries.weights_or_repeated_rows,
    "swapped": symmetries.classes_swapped,
    "negated": symmetries.outcome_negated,
    "other folds": other_folds.dealt_another_way,
    "own fold": own_fold.own_fold_unseen,
    "containers": symmetries.containers_agree,
    "lazy": engines.lazily_the_same,
    "kept": engines.kept_the_same,
    "missingness": missingness.nothing_is_missing,
    "for scoring": for_scoring.scored_the_same,
    "sql": engines.sql_the_same,
    "estimators": engines.estimators_the_same,
    "wrong arguments": foreign.wrong_arguments,
    "wrong frames": foreign.wrong_frames,
}

if find_spec("onnx") and find_spec("onnxruntime"):
    LAWS["models"] = models.models

# Few cases are large: one that takes so many seconds of the processor hangs.
_PATIENCE = 180.0


@contextmanager
def _patience() -> Iterator[None]:
    """Fail where something hangs."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"it takes more than {_PATIENCE:g} seconds of the processor")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def case(law: str, seed: int, number: int) -> bool:
    """Try a law on a case that can be made again; whether there was something to try."""
    return hold(law, random.Random(f"{law} {seed} {number}"))


def hold(law: str, numbers: random.Random) -> bool:
    """Try a law once; warnings of others are failures. False where all was refused."""
    with warnings.catch_warnings(), _patience():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", vt.VtreatWarning)
        try:
            LAWS[law](numbers)
        except RefusedError:
            return False
    return True


def main(arguments: list[str] | None = None) -> int:
    """Try all laws in turn for a while; say how often each held, and what broke one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--law", choices=list(LAWS), action="append")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--cases", type=int, default=None, help="cases of each law, at most")
    given = parser.parse_args(arguments)
    end, number = time.monotonic() + given.seconds, given.first
    held: collections.Counter[tuple[str, bool]] = collections.Counter()
    broken: collections.Counter[str] = collections.Counter()
    while time.monotonic() < end and (given.cases is None or number < given.first + given.cases):
        for law in given.law or LAWS:
            try:
                held[law, case(law, given.seed, number)] += 1
            except KeyboardInterrupt:
                raise
            except BaseException:  # a panic of polars is no Exception
                broken[law] += 1
                print(f"{law}, seed {given.seed}, case {number}:", file=sys.stderr)
                traceback.print_exc()
        number += 1
    print(f"seed {given.seed}, {held.total() + broken.total()} cases")
    for law in given.law or LAWS:
        counts = f"held {held[law, True]}, refused {held[law, False]}, broken {broken[law]}"
        print(f"  {law}: {counts}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
