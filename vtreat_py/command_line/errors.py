"""Errors that end the program with a line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vtreat_py.base.errors import VtreatError
from vtreat_py.command_line.words import in_words


class CommandLineError(Exception):
    """What is wrong with the input or the options, and what to do.

    Attributes
    ----------
    names_file : bool
        Whether it says which file it is about.
    """

    def __init__(self, message: str, names_file: bool = False) -> None:
        self.names_file = names_file
        super().__init__(message)


@contextmanager
def about(path: str) -> Iterator[None]:
    """Name the file that an error is about."""
    shown = {"-": "standard input"}.get(path, path)
    try:
        yield
    except CommandLineError as error:
        if error.names_file:
            raise
        message = str(error)
    except VtreatError as error:
        message = in_words(str(error)).removeprefix(f"{path}: ")
    except FileNotFoundError:
        message = "there is no such file"
    except BrokenPipeError:
        raise
    except OSError as error:
        message = error.strerror or str(error)
    else:
        return
    raise CommandLineError(f"{shown}: {message}", names_file=True)
