"""Peers of `downstream.py`: encoders as a careful user sets them, and categories for models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import category_encoders
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder
from skrub import TableVectorizer

MISSING = "(missing)"
MOST_CATEGORIES = 254  # that scikit-learn's boosted trees take


@dataclass(frozen=True)
class Rows:
    """Rows of a table."""

    frame: pd.DataFrame
    y: Any
    weight: Any
    groups: Any


@dataclass(frozen=True)
class Split:
    """Training rows and held-out rows."""

    train: Rows
    test: Rows
    categories: list[str]
    is_class: bool

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [c for c in self.train.frame.columns if c not in self.categories]

    def with_missing_named(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Training and held-out frame, missing names being a name of their own."""
        filled = dict.fromkeys(self.categories, MISSING)
        train, test = self.train.frame, self.test.frame
        return (train.fillna(filled), test.fillna(filled)) if filled else (train, test)


Made = tuple[Any, Any]


def encoded(split: Split, encoder: Any) -> Made:
    """Names by an encoder, numbers as they are."""
    both = make_column_transformer(
        (encoder, split.categories), ("passthrough", split.numbers), sparse_threshold=0
    )
    train, test = split.with_missing_named()
    return both.fit_transform(train, split.train.y), both.transform(test)


def imputed(made: Made) -> Made:
    """Missing numbers by means, with indicators, for models that take no missing ones."""
    imputer = SimpleImputer(add_indicator=True)
    return imputer.fit_transform(made[0]), imputer.transform(made[1])


def target_encoder(split: Split) -> Made:
    kind = "binary" if split.is_class else "continuous"
    return encoded(split, TargetEncoder(target_type=kind, random_state=0))


def one_hot(split: Split) -> Made:
    options = {"min_frequency": 10, "handle_unknown": "infrequent_if_exist"}
    return encoded(split, OneHotEncoder(sparse_output=False, **options))


def ordinal(split: Split) -> Made:
    return encoded(split, OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1))


def of_category_encoders(name: str) -> Callable[[Split], Made]:
    def encode(split: Split) -> Made:
        return encoded(split, getattr(category_encoders, name)(cols=split.categories))

    return encode


def skrub(split: Split) -> Made:
    vectorizer = TableVectorizer()
    train = vectorizer.fit_transform(split.train.frame, split.train.y)
    return train.to_numpy(float), vectorizer.transform(split.test.frame).to_numpy(float)


PEERS: dict[str, Callable[[Split], Made]] = {
    "scikit-learn TargetEncoder": target_encoder,
    "OneHotEncoder(min_frequency=10)": one_hot,
    "category_encoders.TargetEncoder": of_category_encoders("TargetEncoder"),
    "category_encoders.MEstimateEncoder": of_category_encoders("MEstimateEncoder"),
    "category_encoders.JamesSteinEncoder": of_category_encoders("JamesSteinEncoder"),
    "skrub TableVectorizer": skrub,
}
OF_TREES = {"OrdinalEncoder": ordinal}  # numbers that mean nothing to a linear model


def own_categories(split: Split) -> tuple[Any, Any, list[int]]:
    """Categories for scikit-learn's boosted trees: the most frequent ones, and which columns."""
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=float("nan"),
        max_categories=MOST_CATEGORIES,
    )
    train, test = encoded(split, encoder)
    return train, test, list(range(len(split.categories)))


def for_lightgbm(split: Split) -> Made:
    """Categories for LightGBM; names never seen are missing."""
    frames = [rows.frame.copy() for rows in (split.train, split.test)]
    for column in split.categories:
        kind = pd.CategoricalDtype(sorted(split.train.frame[column].dropna().unique()))
        for frame in frames:
            frame[column] = frame[column].astype(kind)
    return frames[0], frames[1]


def for_catboost(split: Split) -> tuple[Any, Any, list[str]]:
    """Names for CatBoost, and which columns they are in."""
    return *split.with_missing_named(), split.categories
