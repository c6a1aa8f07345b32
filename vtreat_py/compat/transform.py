"""Transforms that users bring: columns of their own beside the derived ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from vtreat_py.base.on_use import public_names

__all__ = ["UserTransform"]
__dir__ = public_names(globals())


class UserTransform(ABC):
    """Base of a transform to put into ``user_transforms``.

    A subclass learns in ``fit`` and returns a frame of numbers from ``transform``, a row for
    each row it is given. It is copied before it is fitted; the object in ``user_transforms``
    stays as it is.

    Parameters
    ----------
    treatment : str
        Stands in the score frame's column ``treatment``.

    Attributes
    ----------
    y_aware_ : bool
        Whether ``fit`` looks at y. Then training rows get their values from fits on the other
        folds; a last fit on all rows is what new rows get. Set it to False in ``__init__`` if
        it does not.
    treatment_ : str
    incoming_vars_ : list of column names
        To be set in ``fit``: the columns without which ``transform`` cannot do. Empty: all that
        are treated. Those that new rows lack are asked for; other treated columns are shown if
        new rows have them.
    derived_vars_ : list of str
        To be set in ``fit``: the columns that ``transform`` returns. Of the same length as
        ``incoming_vars_``, they are said to come from those.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py.compat as vtreat
    >>> class Square(vtreat.transform.UserTransform):
    ...     def __init__(self):
    ...         super().__init__(treatment="square")
    ...         self.y_aware_ = False
    ...     def fit(self, X, y):
    ...         self.incoming_vars_, self.derived_vars_ = ["x"], ["x_square"]
    ...         return self
    ...     def transform(self, X):
    ...         return pd.DataFrame({"x_square": X["x"] ** 2})
    >>> params = vtreat.unsupervised_parameters({"user_transforms": [Square()]})
    >>> vtreat.UnsupervisedTreatment(params=params).fit_transform(pd.DataFrame({"x": [1.0, -2.0]}))
         x  x_square
    0  1.0       1.0
    1 -2.0       4.0
    """

    def __init__(self, treatment: str) -> None:
        self.y_aware_ = True
        self.treatment_ = treatment
        self.incoming_vars_: list[Any] = []
        self.derived_vars_: list[str] = []

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : data frame, of n rows
            The treated columns.
        y : array of shape (n,), or None without an outcome

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> from vtreat_py.compat.transform import UserTransform
        >>> class Square(UserTransform):
        ...     def fit(self, X, y):
        ...         self.incoming_vars_, self.derived_vars_ = ["x"], ["x_square"]
        ...         return self
        ...     def transform(self, X):
        ...         return pd.DataFrame({"x_square": X["x"] ** 2})
        >>> X = pd.DataFrame({"x": [1.0, -2.0]})
        >>> Square("square").fit(X, None).derived_vars_
        ['x_square']
        """

    @abstractmethod
    def transform(self, X: Any) -> Any:
        """Return the new columns.

        Parameters
        ----------
        X : data frame, of n rows
            The treated columns.

        Returns
        -------
        data frame, of n rows

        Examples
        --------
        >>> import pandas as pd
        >>> from vtreat_py.compat.transform import UserTransform
        >>> class Square(UserTransform):
        ...     def fit(self, X, y):
        ...         self.incoming_vars_, self.derived_vars_ = ["x"], ["x_square"]
        ...         return self
        ...     def transform(self, X):
        ...         return pd.DataFrame({"x_square": X["x"] ** 2})
        >>> X = pd.DataFrame({"x": [1.0, -2.0]})
        >>> Square("square").fit(X, None).transform(X)
           x_square
        0       1.0
        1       4.0
        """

    def fit_transform(self, X: Any, y: Any) -> Any:
        """Learn, and return the new columns of the same rows, in sample.

        Parameters
        ----------
        X : data frame, of n rows
            The treated columns.
        y : array of shape (n,), or None without an outcome

        Returns
        -------
        data frame, of n rows

        Examples
        --------
        >>> import pandas as pd
        >>> from vtreat_py.compat.transform import UserTransform
        >>> class Square(UserTransform):
        ...     def fit(self, X, y):
        ...         self.incoming_vars_, self.derived_vars_ = ["x"], ["x_square"]
        ...         return self
        ...     def transform(self, X):
        ...         return pd.DataFrame({"x_square": X["x"] ** 2})
        >>> X = pd.DataFrame({"x": [1.0, -2.0]})
        >>> Square("square").fit_transform(X, None)["x_square"].tolist()
        [1.0, 4.0]
        """
        return self.fit(X, y).transform(X)
