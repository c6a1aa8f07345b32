"""What the tests expect of the versions that are installed."""

from __future__ import annotations

from importlib.metadata import version

from packaging.version import Version


def older(package: str, than: str) -> bool:
    """Whether the installed version of a package is older than one."""
    return Version(version(package)) < Version(than)
