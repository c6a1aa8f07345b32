"""Texts as counts of their n-grams and words, hashed into a fixed number of places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.mixing import Hashes, mixed
from vtreat_py.coders.level_texts import as_bytes
from vtreat_py.frames.levels import Levels
from vtreat_py.statistics.outcome_sums import sum_by

# Places that n-grams are hashed into: a plan has a number for each.
BUCKETS = 1 << 12
# N-grams are of two bytes up to so many; words come beside them.
_LONGEST = 4
# Text beyond so many bytes is not looked at.
MOST_BYTES = 1 << 16
# Bytes at a time: some fifty are held for each.
_BLOCK = 1 << 17
_SPACE = 32
# An odd multiplier whose powers look like noise: plans have places of n-grams, so that none of this
# may ever change.
_BASE = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class NGrams:
    """What n-grams some texts have.

    A place that c of the N n-grams and words of a text fall into has the value sqrt(c / N): the
    vector of a text has the length 1, and nothing but roots and quotients, which are the same on
    all machines, is in it.

    Attributes
    ----------
    text, bucket : ndarray of int, shape (entries,)
        In the order of texts, and then of places.
    value : ndarray of shape (entries,)
    n_texts : int
    """

    text: IntArray
    bucket: IntArray
    value: FloatArray
    n_texts: int

    def dot(self, weights: FloatArray) -> FloatArray:
        """Sum a weight of each place over the n-grams of each text, one after the other.

        A text alone has the same sum, to the bit, as among others.
        """
        return sum_by(self.text, self.value * weights[self.bucket], self.n_texts)

    @property
    def starts(self) -> IntArray:
        """Where the entries of each text start, and where the last ones end."""
        counts = np.bincount(self.text, minlength=self.n_texts)
        return np.append(0, np.cumsum(counts))


def ngrams_of(levels: Levels) -> Iterator[NGrams]:
    """Find the n-grams of levels, a block of them after the other.

    Upper and lower case of a to z are alike. Words are runs of letters, digits and all that is not
    ASCII; a text has a space before and behind it.
    """
    content, ends = as_bytes(levels)
    length = np.minimum(np.diff(ends), MOST_BYTES)
    block = (np.cumsum(length + 2) - 1) // _BLOCK
    ends_of_blocks = np.append(np.flatnonzero(np.diff(block)) + 1, len(length))
    starts = np.append(0, ends_of_blocks[:-1])
    for first, last in zip(starts, ends_of_blocks, strict=True):
        if first == last:  # there are no levels
            return
        yield _counted(content, ends[first:last], length[first:last])


def _counted(content: npt.NDArray[np.uint8], start: IntArray, length: IntArray) -> NGrams:
    """Count the n-grams of texts that lie in a block."""
    padded, owner = _padded(content, start, length)
    hashes, texts = [], []
    h = padded.astype(np.uint64)
    for n in range(2, _LONGEST + 1):
        h = h[:-1] * _BASE + padded[n - 1 :]
        inside = np.flatnonzero(owner[n - 1 :] == owner[: len(h)])
        hashes.append(h[inside] * _BASE + np.full(1, n, np.uint64))
        texts.append(owner[inside])
    of_words, first = _words(padded)
    hashes.append(of_words)
    texts.append(owner[first])
    text = np.concatenate(texts)
    bucket = (mixed(np.concatenate(hashes)) % np.uint64(BUCKETS)).astype(np.int64)
    key, count = np.unique(text * BUCKETS + bucket, return_counts=True)
    of_key = key // BUCKETS
    whole = np.bincount(text, minlength=len(length))
    value = np.sqrt(count / whole[of_key])
    return NGrams(of_key, key % BUCKETS, value, len(length))


def _padded(
    content: npt.NDArray[np.uint8], start: IntArray, length: IntArray
) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Texts in lower case with a space before and behind each, and whose each byte is."""
    n_texts = len(length)
    owner = np.repeat(np.arange(n_texts), length + 2)
    ends = np.cumsum(length + 2)
    padded = np.full(int(ends[-1]), _SPACE, np.uint8)
    inner = np.ones(len(padded), dtype=bool)
    inner[ends - 1] = inner[ends - length - 2] = False
    at = np.flatnonzero(inner)
    text = owner[at]
    own = content[at - (ends - length - 1)[text] + start[text]]
    upper = (own >= ord("A")) & (own <= ord("Z"))
    padded[at] = own + (upper * (ord("a") - ord("A"))).astype(np.uint8)
    return padded, owner


def _words(padded: npt.NDArray[np.uint8]) -> tuple[Hashes, IntArray]:
    """Hash of each word, and where it starts."""
    is_part = _of_words(padded)
    before = np.append(False, is_part[:-1])
    first = np.flatnonzero(is_part & ~before)
    if not len(first):
        return np.empty(0, np.uint64), first
    # The text starts with a space, which is in no word.
    place = np.arange(first[0], len(padded))
    place -= np.repeat(first, np.diff(first, append=len(padded)))
    powers = np.multiply.accumulate(np.full(int(place.max()) + 1, _BASE))
    letters = np.where(is_part, padded, 0)[first[0] :].astype(np.uint64)
    return np.add.reduceat(letters * powers[place], first - first[0]), first


def _of_words(padded: npt.NDArray[np.uint8]) -> BoolArray:
    digit = (padded >= ord("0")) & (padded <= ord("9"))
    letter = (padded >= ord("a")) & (padded <= ord("z"))
    return np.asarray(digit | letter | (padded > 127))
