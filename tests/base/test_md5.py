"""MD5 of many messages at once is that of hashlib."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vtreat_py.base import md5


def heads(messages: list[bytes]) -> list[int]:
    ends = np.cumsum([0, *map(len, messages)])
    data = np.frombuffer(b"".join(messages), np.uint8)
    return md5.md5_heads(data, ends).tolist()


def expected(messages: list[bytes]) -> list[int]:
    return [int.from_bytes(hashlib.md5(m).digest()[:8], "little") for m in messages]


def test_messages_of_each_length() -> None:
    every = bytes(range(256))
    messages = [every[-n:] if n else b"" for n in range(150)]
    assert heads(messages) == expected(messages)
    assert heads([]) == []


@given(st.lists(st.binary(max_size=80)))
def test_any_messages(messages: list[bytes]) -> None:
    assert heads(messages) == expected(messages)


def test_they_are_mixed_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(md5, "_AT_ONCE", 7)
    messages = [b"x" * (i * 37 % 90) + str(i).encode() for i in range(100)]
    assert heads(messages) == expected(messages)
