"""What all tests of the evaluation share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_thread_of_linear_algebra() -> Iterator[None]:
    """Hundreds of small fits: with more threads they take up to twenty times as long."""
    with threadpool_limits(1):
        yield
