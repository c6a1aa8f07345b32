"""The program: options in, an exit status out."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from vtreat_py.base.errors import VtreatError, VtreatWarning
from vtreat_py.command_line.errors import CommandLineError
from vtreat_py.command_line.parser import NAME, parser
from vtreat_py.command_line.words import in_words

GOOD, FOUND, WRONG = 0, 1, 2
# As shells report a program that a signal ended: interrupted, or nobody reads what it writes.
_INTERRUPTED, _NO_READER = 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str or None
        None: those the program was called with.

    Returns
    -------
    int
        Exit status: 0; 1 if an audit found drift, or plans differ; 2 if input or options are bad,
        which one line on standard error explains.
    """
    arguments = [*(sys.argv[1:] if arguments is None else arguments)]
    try:
        if arguments[:1] == ["evaluate"]:
            from vtreat_py.evaluation.command_line import main as evaluate

            return evaluate(arguments[1:], f"{NAME} evaluate")
        options = parser().parse_args(arguments)
        with _warnings_as_lines(), _logged(options.verbose):
            status: int = import_module(f"vtreat_py.command_line.{options.runs}").run(options)
        sys.stdout.flush()
        return status
    except SystemExit as done:  # help, the version, or options that cannot be read
        return int(done.code or GOOD)
    except (CommandLineError, VtreatError) as error:
        _say(in_words(str(error)) if isinstance(error, VtreatError) else str(error))
    except BrokenPipeError:
        _close_standard_output()
        return _NO_READER
    except KeyboardInterrupt:
        return _INTERRUPTED
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        _say(f"{wrong!a} cannot be written in {error.encoding}; --json writes any text")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}")
    except MemoryError:
        _say("the memory does not suffice; --lazy lets DuckDB do the work")
    return WRONG


def _say(message: str) -> None:
    print(f"{NAME}: {' '.join(message.split())}", file=sys.stderr, flush=True)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show warnings of the package as lines, each once, and no others."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = in_words(str(message))
        if issubclass(category, VtreatWarning) and text not in said:
            said.add(text)
            _say(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", VtreatWarning)
        warnings.showwarning = show
        yield


@contextmanager
def _logged(verbose: int) -> Iterator[None]:
    """Show on standard error what is logged, if asked."""
    if not verbose:
        yield
        return
    import logging

    logger, handler = logging.getLogger("vtreat_py"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _close_standard_output() -> None:
    """Let nothing be written any more, so that Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
