"""Evaluation of a binary classifier in one pass over any number of rows, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.warn import warn
from vtreat_py.evaluation._binning import DecimalBins, FloatBins
from vtreat_py.evaluation._curves import Ranking, calibration
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._inputs import counted_rows, finite_numbers, whole_number
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation._rows import Missing, read_rows
from vtreat_py.evaluation._tally import Tally

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd

    from vtreat_py.evaluation.streaming_report import StreamingReport


Bins = Literal["decimals", "float"]
AreaRule = Literal["trapezoid", "riemann", "lower"]


class StreamingBinaryEvaluator:
    """Scores of a binary classifier over rows that come in chunks, and need not fit into memory.

    Parts of the rows can be evaluated anywhere, in any order, and merged: counts are the same as
    of all rows at once.

    Parameters
    ----------
    threshold : float or sequence of float, default=0.5
        Scores of at least this are called positive. Scores are compared as they are, as 64-bit
        floats, not by their bins; each threshold takes a nanosecond or two a row.
    bins : {"decimals", "float"}, default="decimals"
        What curves are made of. "decimals": bins of equal width, ``10**-decimals``, of scores in
        [0, 1]; a score of so many decimals has a bin of its own. "float": by the first ``bits``
        bits of the score as a 32-bit float; takes scores of any range, such as margins and log
        odds, and tells small scores apart, as those of rare events are.
    decimals : int, 1 to 6, default=3
    bits : int, 8 to 24, default=16
    pos_label : label, default=1
        The label of positive rows. All others have one other label.
    missing : {"raise", "count"}, default="raise"
        What to do about rows whose label or score is missing: refuse them, or leave them out and
        count them in ``n_missing``.

    Raises
    ------
    InvalidOptionError
        If an option has a value that is not allowed.

    See Also
    --------
    evaluate_stream : Reads files and iterables of frames.

    Notes
    -----
    With U and L the areas under the upper and the lower steps of the binned ROC curve, their mean T
    is the AUC of the binned scores. As L <= AUC <= U for any data, T is off by (U - L) / 2 at most:
    ``auc_bounds`` is a guarantee. The error itself is far smaller: with 16 bits some 5e-6.

    Log loss, Brier score, root mean squared error and the scores at fixed thresholds do not depend
    on bins.

    Examples
    --------
    >>> from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator
    >>> chunks = [([1, 0, 1], [0.9, 0.2, 0.6]), ([0, 0], [0.7, 0.1])]
    >>> evaluator = StreamingBinaryEvaluator()
    >>> for y, score in chunks:
    ...     evaluator = evaluator.update(y, score)
    >>> round(evaluator.auc(), 4)
    0.8333
    >>> evaluator.fixed()[["threshold", "tp", "fp", "fn", "tn", "accuracy", "recall"]]
       threshold  tp  fp  fn  tn  accuracy  recall
    0        0.5   2   1   0   2       0.8     1.0
    """

    def __init__(
        self,
        *,
        threshold: float | Iterable[float] = 0.5,
        bins: Bins = "decimals",
        decimals: int = 3,
        bits: int = 16,
        pos_label: Any = 1,
        missing: Missing = "raise",
    ) -> None:
        _check_choice("bins", bins, get_args(Bins))
        _check_choice("missing", missing, get_args(Missing))
        self._tally = Tally(
            DecimalBins(decimals) if bins == "decimals" else FloatBins(bits),
            _checked_thresholds(threshold),
        )
        self._pos_label = pos_label
        self._other_label: Any = None
        self._missing: Missing = missing

    @property
    def n_rows(self) -> int:
        """Rows that were evaluated."""
        return self._tally.n_rows

    @property
    def n_missing(self) -> int:
        """Rows that were left out, because their label or score is missing."""
        return self._tally.n_missing

    @property
    def thresholds(self) -> list[float]:
        """Scores of at least these are called positive."""
        return [float(threshold) for threshold in self._tally.thresholds]

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are in [0, 1], so that log loss and Brier score are defined."""
        return self._tally.are_probabilities

    def update(self, y: Any, score: Any, sample_weight: Any = None) -> StreamingBinaryEvaluator:
        """Evaluate more rows; if they are refused, nothing is changed.

        Parameters
        ----------
        y : array of shape (n_rows,)
            Labels, in anything that numpy reads: arrays, lists, columns of pandas, polars, pyarrow.
        score : array of shape (n_rows,)
            The higher, the more likely positive.
        sample_weight : array of shape (n_rows,), default=None
            None: 1 for each row. A weight of 2 counts as two rows.

        Returns
        -------
        StreamingBinaryEvaluator
            This one.

        Raises
        ------
        InvalidOptionError
            If lengths or indexes differ, there is a third label, a value is missing (see
            ``missing``), a weight is negative or missing, or a score is outside [0, 1] with
            ``bins="decimals"``.
        OptionTypeError
            If scores or weights are no numbers.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.update([1, 1], [0.8, 0.7]).n_rows
        7
        """
        _check_same_rows(y=y, score=score, sample_weight=sample_weight)
        rows = read_rows(
            y,
            score,
            sample_weight,
            pos_label=self._pos_label,
            other_label=self._other_label,
            missing=self._missing,
        )
        self._tally.bins.check_range(rows.low, rows.high)
        self._other_label = rows.other_label
        self._tally.add(rows)
        return self

    def merge(self, other: StreamingBinaryEvaluator) -> StreamingBinaryEvaluator:
        """Evaluate the rows of another evaluator, too; the other one is not changed.

        Returns
        -------
        StreamingBinaryEvaluator
            This one.

        Raises
        ------
        InvalidOptionError
            If bins, thresholds or labels differ.

        Parameters
        ----------
        other : StreamingBinaryEvaluator
            With the same options.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> other = StreamingBinaryEvaluator().update([1, 1], [0.8, 0.7])
        >>> evaluator.merge(other).n_rows
        7
        """
        if not isinstance(other, StreamingBinaryEvaluator):
            raise OptionTypeError(f"other is {shown(other)}; another evaluator is wanted")
        self._check_like(other)
        if self._other_label is None:
            self._other_label = other._other_label
        self._tally.merge(other._tally)
        return self

    def __add__(self, other: object) -> StreamingBinaryEvaluator:
        if not isinstance(other, StreamingBinaryEvaluator):
            return NotImplemented
        return deepcopy(self).merge(other)

    def __repr__(self) -> str:
        left_out = f", {self.n_missing:,} missing" if self.n_missing else ""
        return (
            f"StreamingBinaryEvaluator({counted_rows(self.n_rows)}{left_out}; {self._tally.bins})"
        )

    def prevalence(self) -> float:
        """Share of positive rows, by weight.

        Returns
        -------
        float

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.prevalence()
        0.4
        """
        return self._mean(float(self._tally.positive.sum()))

    def confusion(self, k: int) -> Counts:
        """Weight of true and false positives and negatives at the threshold of number ``k``.

        Parameters
        ----------
        k : int
            Number of the threshold, from 0.

        Returns
        -------
        Counts
            ``tp``, ``fp``, ``fn`` and ``tn``.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.confusion(0)
        Counts(tp=2.0, fp=1.0, fn=0.0, tn=2.0)
        """
        counts = self._counted().confusion
        if whole_number(k, "k", 0) >= counts.shape[1]:
            raise InvalidOptionError(f"k={k}, but thresholds are 0 to {counts.shape[1] - 1}")
        return Counts(*counts[:, k].tolist())

    def fixed(self) -> pd.DataFrame:
        """Scores at the thresholds.

        Returns
        -------
        DataFrame
            One row a threshold: ``threshold``, ``tp``, ``fp``, ``fn``, ``tn`` (integers unless
            some weight is a float) and all scores of :func:`confusion_scores`.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.fixed()[["threshold", "tp", "fp", "fn", "tn", "precision"]].round(3)
           threshold  tp  fp  fn  tn  precision
        0        0.5   2   1   0   2      0.667
        """
        import pandas as pd

        from vtreat_py.evaluation.scores import confusion_scores

        tally = self._counted()
        counts = Counts(*tally.confusion.astype(np.int64 if tally.whole else np.float64))
        table = pd.DataFrame({"threshold": tally.thresholds, **counts._asdict()})
        return table.join(confusion_scores(*counts))

    def auc(self, rule: AreaRule = "trapezoid") -> float:
        """Area under the ROC curve.

        Parameters
        ----------
        rule : {"trapezoid", "riemann", "lower"}, default="trapezoid"
            "trapezoid": the AUC of the binned scores, rows of the same bin being ties. "riemann":
            the upper sum, rows of a bin being in the right order. "lower": in the wrong order.

        Returns
        -------
        float
            NaN, with scikit-learn's warning, if there are rows of one class only.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> round(evaluator.auc(), 4)
        0.8333
        """
        _check_choice("rule", rule, get_args(AreaRule))
        low, high = self.auc_bounds()
        return {"trapezoid": (low + high) / 2, "riemann": high, "lower": low}[rule]

    def auc_bounds(self) -> tuple[float, float]:
        """Return the least and the greatest AUC that the scores can have, given their bins.

        Returns
        -------
        tuple of float
            NaN, with scikit-learn's warning, if there are rows of one class only.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator(decimals=1)
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.25, 0.62, 0.68, 0.1])
        >>> evaluator.auc_bounds()
        (0.8333333333333334, 1.0)
        """
        low, high = self._ranking().auc_bounds()
        if np.isnan(low):
            from sklearn.exceptions import UndefinedMetricWarning

            warn(
                "Only one class is present in y_true. ROC AUC score is not defined in that case.",
                UndefinedMetricWarning,
            )
        return low, high

    def average_precision(self) -> float:
        """Average precision of the binned scores; 0 without positive rows, as in scikit-learn.

        Returns
        -------
        float

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> round(evaluator.average_precision(), 4)
        0.8333
        """
        ranking = self._ranking()
        if not ranking.positive.any():
            warn(
                "No positive class found in y_true, recall is set to one for all thresholds.",
                UserWarning,
            )
        return ranking.average_precision()

    def log_loss(self) -> float:
        """Mean log loss, with chances clipped as scikit-learn does.

        Raises
        ------
        InvalidOptionError
            If a score is outside [0, 1].

        Returns
        -------
        float

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> round(evaluator.log_loss(), 4)
        0.4297
        """
        self._check_probabilities("log loss")
        return self._mean(self._tally.log_losses.value)

    def brier(self) -> float:
        """Brier score: the mean squared difference of score and truth (0 or 1).

        Raises
        ------
        InvalidOptionError
            If a score is outside [0, 1].

        Returns
        -------
        float

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> round(evaluator.brier(), 4)
        0.142
        """
        self._check_probabilities("the Brier score")
        return self._mean(self._tally.squares.value)

    def rmse(self) -> float:
        """Square root of the mean squared difference of score and truth (0 or 1).

        Infinite if some score is so great (above 1e154) that floats cannot hold its square.

        Returns
        -------
        float

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> round(evaluator.rmse(), 4)
        0.3768
        """
        return float(np.sqrt(self._mean(self._tally.squares.value)))

    def roc_curve(self) -> pd.DataFrame:
        """ROC curve of the binned scores.

        Returns
        -------
        DataFrame
            One row a bin that holds rows, the highest scores first, after a row for no row called
            positive: ``threshold`` (the least score of the bin), ``fpr``, ``tpr``.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.roc_curve().round(2).head(3)
           threshold   fpr  tpr
        0        inf  0.00  0.0
        1        0.9  0.00  0.5
        2        0.7  0.33  0.5
        """
        return self._ranking().curve("fpr", "tpr")

    def precision_recall_curve(self) -> pd.DataFrame:
        """Precision and recall of the binned scores.

        Returns
        -------
        DataFrame
            Rows as in :meth:`roc_curve`: ``threshold``, ``precision`` (1 where no row is called
            positive, as in scikit-learn), ``recall``.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.precision_recall_curve().round(2).head(3)
           threshold  precision  recall
        0        inf        1.0     0.0
        1        0.9        1.0     0.5
        2        0.7        0.5     0.5
        """
        return self._ranking().curve("precision", "recall")

    def gain_curve(self) -> pd.DataFrame:
        """Share of the positive rows that are among the rows of the highest scores.

        Returns
        -------
        DataFrame
            Rows as in :meth:`roc_curve`: ``threshold``, ``population`` (share of all rows with such
            a score), ``gain`` (share of the positive ones), ``lift`` (gain over population).

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.gain_curve().round(2).head(3)
           threshold  population  gain  lift
        0        inf         0.0   0.0   NaN
        1        0.9         0.2   0.5  2.50
        2        0.7         0.4   0.5  1.25
        """
        return self._ranking().curve("population", "gain", "lift")

    def calibration(self, n_groups: int = 10) -> pd.DataFrame:
        """Compare mean scores with the share of positive rows, in groups by score.

        Parameters
        ----------
        n_groups : int, default=10
            Groups are of like weight; a bin is not divided, so that there may be fewer.

        Returns
        -------
        DataFrame
            One row a group, the lowest scores first: ``weight``, ``mean_score``,
            ``positive_rate``.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.calibration(2).round(2)
           weight  mean_score  positive_rate
        0     2.0        0.15           0.00
        1     3.0        0.73           0.67
        """
        n_groups = whole_number(n_groups, "n_groups", 1)
        tally = self._counted()
        weight = tally.negative + tally.positive
        return calibration(weight, tally.positive, tally.score_sums, n_groups)

    def report(self) -> StreamingReport:
        """Everything in one readable object, which can be plotted.

        Returns
        -------
        StreamingReport

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator()
        >>> evaluator = evaluator.update([1, 0, 1, 0, 0], [0.9, 0.2, 0.6, 0.7, 0.1])
        >>> evaluator.report().summary.round(3).head(3)
        prevalence    0.400
        auc           0.833
        auc_low       0.833
        dtype: float64
        """
        import pandas as pd

        from vtreat_py.evaluation.streaming_report import StreamingReport

        low, high = self.auc_bounds()
        summary = {
            "prevalence": self.prevalence(),
            "auc": (low + high) / 2,
            "auc_low": low,
            "auc_high": high,
            "average_precision": self.average_precision(),
            "rmse": self.rmse(),
        }
        if self.are_probabilities:
            summary |= {"log_loss": self.log_loss(), "brier": self.brier()}
        return StreamingReport(
            n_rows=self.n_rows,
            n_missing=self.n_missing,
            summary=pd.Series(summary),
            fixed=self.fixed(),
            roc_curve=self.roc_curve(),
            precision_recall_curve=self.precision_recall_curve(),
            gain_curve=self.gain_curve(),
            calibration=self.calibration(),
        )

    def _ranking(self) -> Ranking:
        tally = self._counted()
        return Ranking(tally.bins.lower_edges(), tally.negative, tally.positive)

    def _counted(self) -> Tally:
        """Return the tally, which must have counted something."""
        if not (self._tally.negative.any() or self._tally.positive.any()):
            raise InvalidOptionError(
                "nothing was evaluated yet: call update() with rows whose weights are not all 0"
            )
        return self._tally

    def _mean(self, total: float) -> float:
        tally = self._counted()
        return total / float(tally.negative.sum() + tally.positive.sum())

    def _check_probabilities(self, what: str) -> None:
        tally = self._counted()
        if not tally.are_probabilities:
            raise InvalidOptionError(
                f"scores are from {tally.low:g} to {tally.high:g}; {what} needs probabilities, "
                "from 0 to 1"
            )

    def _check_like(self, other: StreamingBinaryEvaluator) -> None:
        ours, theirs = self._tally, other._tally
        differing = [
            ("bins", ours.bins, theirs.bins),
            ("thresholds", ours.thresholds.tolist(), theirs.thresholds.tolist()),
            ("pos_label", self._pos_label, other._pos_label),
        ]
        if self._other_label is not None and other._other_label is not None:
            differing.append(("the other label", self._other_label, other._other_label))
        for what, one, another in differing:
            if one != another:
                raise InvalidOptionError(
                    f"evaluators cannot be merged: {what} is {one!r} here and {another!r} there"
                )


def _check_same_rows(**inputs: Any) -> None:
    """Compare the labels of rows; arrays have none, and need no pandas."""
    if not all(value is None or isinstance(value, np.ndarray) for value in inputs.values()):
        from vtreat_py.base.labels import check_same_rows

        check_same_rows(inputs)


def _checked_thresholds(threshold: Any) -> FloatArray:
    several = isinstance(threshold, Iterable) and not isinstance(threshold, str | bytes)
    with refused_as("threshold must be a number, or several"):
        thresholds = list(threshold) if several else [threshold]
    return finite_numbers(thresholds, "threshold")


def _check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise InvalidOptionError(
            f"{name} is {shown(value)}; it can be {', '.join(map(repr, allowed))}"
        )
