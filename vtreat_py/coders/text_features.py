"""Levels as points: those whose texts are alike are near to each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.mixing import Hashes, mixed
from vtreat_py.coders.ngrams import BUCKETS, NGrams, ngrams_of
from vtreat_py.frames.levels import Levels

# Directions that texts are told apart by.
RANK = 256
# Texts that a regression learns from: those of most weight.
MOST_TEXTS = 1 << 15
# Texts that directions are turned towards.
_MOST_TURNED_TO = 1 << 11
# How often directions among those of the texts are turned towards where texts differ most.
_TURNS = 2
# Squares of lengths below this share of the largest one are rounding.
_NOTHING = 1e-11
# So is a direction of which others leave this share.
_LEFT = 1e-6


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """The texts that a regression learns from, in coordinates of few directions.

    Directions are those of the texts themselves, if there are few; else those in which texts differ
    most, roughly: random ones, turned towards them by a step of subspace iteration. They rest on
    the texts alone, not on outcomes, so that all training sets may share them; and a small change
    of the texts does not change them much, as it might change singular vectors.

    Attributes
    ----------
    levels : Levels
    places : ndarray of int, shape (m,)
        The levels.
    basis : ndarray of shape (BUCKETS, rank)
        Orthonormal directions.
    points : ndarray of shape (m, rank)
        Coordinates of the texts.

    Notes
    -----
    N. Halko, P. Martinsson and J. Tropp, "Finding Structure with Randomness: Probabilistic
    Algorithms for Constructing Approximate Matrix Decompositions", SIAM Review 53 (2011).
    """

    levels: Levels
    places: IntArray
    basis: FloatArray
    points: FloatArray

    @classmethod
    def of(cls, levels: Levels, weight: FloatArray) -> TextFeatures:
        """Find directions for levels of these weights; those of weight 0 do not count."""
        places = np.flatnonzero(weight[: len(levels)] > 0)
        if len(places) > MOST_TEXTS:
            order = np.lexsort((places, -weight[places]))
            places = np.sort(places[order[:MOST_TEXTS]])
        everyone = len(places) == len(levels)
        blocks = list(ngrams_of(levels if everyone else levels.take(places)))
        nothing = sparse.csr_array((0, BUCKETS))
        texts = sparse.csr_array(sparse.vstack([nothing, *map(_matrix, blocks)]))
        if len(places) <= RANK:
            basis = _orthonormal(texts.T, (texts @ texts.T).toarray())
        else:
            some, signs = _some(texts), _signs().T.astype(np.float64)
            turned = some.T @ (some @ signs)
            basis = _orthonormal(turned, turned.T @ turned)
        return cls(levels, places, basis, texts @ basis)

    def along(self, most: int) -> FloatArray:
        """Coordinates of the texts along a few directions, in which they differ much.

        Random directions, turned towards those in which texts differ most: they are the same ones
        also where several such directions are as good, of which rounding would decide.

        Returns
        -------
        ndarray of shape (m, directions)
        """
        n_directions = min(most, self.points.shape[1])
        turned = self.basis.T @ _numbers(n_directions).T  # signs might cancel
        for _ in range(_TURNS):
            turned = self.points.T @ (self.points @ turned)
            turned /= np.linalg.norm(turned, axis=0)
        directions, left = np.linalg.qr(turned)
        of_others = np.diagonal(left)  # with either sign
        directions = directions * np.sign(of_others)
        return np.asarray(self.points @ directions[:, np.abs(of_others) > _LEFT])

    def values(self, slopes: FloatArray) -> FloatArray:
        """What slopes say of each level, for each of several vectors of slopes.

        Parameters
        ----------
        slopes : ndarray of shape (vectors, rank)

        Returns
        -------
        ndarray of shape (vectors, levels)
        """
        values = np.empty((len(slopes), len(self.levels)))
        values[:, self.places] = slopes @ self.points.T
        others = np.ones(len(self.levels), dtype=bool)
        others[self.places] = False
        if others.any():
            weights = np.array([self.weights(one) for one in slopes])
            values[:, others] = text_values(self.levels.take(np.flatnonzero(others)), weights)
        return values

    def weights(self, slopes: FloatArray) -> FloatArray:
        """Weights of the places of n-grams, from slopes along the directions."""
        return np.asarray(self.basis @ slopes)


def text_values(levels: Levels, weights: FloatArray) -> FloatArray:
    """Sum weights over the n-grams of levels, for each of several vectors of weights.

    Parameters
    ----------
    weights : ndarray of shape (vectors, BUCKETS)

    Returns
    -------
    ndarray of shape (vectors, levels)
    """
    found = [np.empty((len(weights), 0))]
    found += [np.array([grams.dot(one) for one in weights]) for grams in ngrams_of(levels)]
    return np.concatenate(found, axis=1)


def _some(texts: sparse.csr_array) -> sparse.csr_array:
    """Some of many texts, spread evenly along one direction, in whatever order texts come."""
    n_texts = texts.shape[0]
    if n_texts <= _MOST_TURNED_TO:
        return texts
    order = np.argsort(texts @ _numbers(1)[0], kind="stable")
    return texts[order[np.linspace(0, n_texts - 1, _MOST_TURNED_TO).astype(np.int64)]]


def _matrix(grams: NGrams) -> sparse.csr_array:
    shape = grams.n_texts, BUCKETS
    return sparse.csr_array((grams.value, grams.bucket, grams.starts), shape=shape)


def _orthonormal(vectors: Any, products: FloatArray) -> FloatArray:
    """Directions that vectors lie in, given their products; those of next to no length are left."""
    squares, turned = np.linalg.eigh(products)
    some = squares > _NOTHING * squares.max(initial=0.0)
    return np.asarray(vectors @ (turned[:, some] / np.sqrt(squares[some])))


@cache
def _signs() -> npt.NDArray[np.int8]:
    """Random directions, the same ones everywhere."""
    return 1 - 2 * (_bits(RANK) >> np.uint64(63)).astype(np.int8)


def _numbers(n_directions: int) -> FloatArray:
    """Random numbers for each place of n-grams, between -1/2 and 1/2."""
    return np.asarray(_bits(n_directions) * 2.0**-64 - 0.5)


def _bits(n_directions: int) -> Hashes:
    """Random bits for each place of n-grams."""
    return mixed(np.arange(n_directions * BUCKETS, dtype=np.uint64)).reshape(-1, BUCKETS)
