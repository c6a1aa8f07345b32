"""Evaluation of a binary classifier in one pass over any number of rows, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.warn import warn
from vtreat_py.evaluation._binning import DecimalBins, FloatBins
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._inputs import (
    counted_rows,
    finite_numbers,
    one_or_several,
    whole_number,
)
from vtreat_py.evaluation._numbers_shown import outwards, readable
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._rows import Missing, plain, read_rows
from vtreat_py.evaluation._stream_ages import Ages, AllRows, FadingRows, LastRows
from vtreat_py.evaluation._stream_perf import KnowsPerf
from vtreat_py.evaluation._stream_ranked import warn_of_no_positives
from vtreat_py.evaluation._stream_state import (
    KeepsState,
    checked_reading,
    plain_label,
    put_state,
    state_of_ages,
)
from vtreat_py.evaluation._stream_thresholds import FindsThresholds
from vtreat_py.evaluation._tally import Tally

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd

    from vtreat_py.evaluation.streaming_report import StreamingReport


Bins = Literal["float", "decimals"]
AreaRule = Literal["trapezoid", "riemann", "lower"]


class StreamingBinaryEvaluator(FindsThresholds, KnowsPerf, KeepsState):
    """Scores of a binary classifier over rows that come in chunks, and need not fit into memory.

    Parts of the rows can be evaluated anywhere, in any order, and merged: counts are the same as
    of all rows at once.

    Parameters
    ----------
    threshold : float or sequence of float, default=0.5
        Scores of at least this are called positive. Scores are compared as they are, as 64-bit
        floats, not by their bins; each threshold takes a nanosecond or two a row.
    bins : {"float", "decimals"}, default=None
        What curves are made of. "float": by the first ``bits`` bits of the score as a 32-bit float;
        takes scores of any range, such as margins and log odds, and tells small scores apart, as
        those of rare events are. "decimals": bins of equal width, ``10**-decimals``, of scores in
        [0, 1]; a score of so many decimals has a bin of its own. None: "decimals" if ``decimals``
        is given, else "float".
    decimals : int, 1 to 6, default=None
    bits : int, 8 to 24, default=19
        With 19 bits, scores of a bin differ by a 1,024th of themselves at most, and those of up to
        three decimals in [0, 1] have bins of their own. Only bins between the least and the
        greatest score take memory: 4 megabytes for scores in [0, 1], and 16 at most.
    pos_label : label, default=1
        The label of positive rows. All others have one other label.
    missing : {"raise", "count"}, default="raise"
        What to do about rows whose label or score is missing: refuse them, or leave them out and
        count them in ``n_missing``.
    window : int, default=None
        Evaluate the last so many rows. They are kept, 9 bytes a row or 17 with weights, so that all
        numbers are those of these rows alone, however the rows were cut into chunks. They are
        counted when a number is asked for: ask once a chunk, not once a row.
    half_life : float, default=None
        A row counts half as much when this many rows have come after it: its weight is multiplied
        by ``2**(-age / half_life)``, with its age in rows. Numbers are those of such weights,
        however the rows were cut into chunks, and memory does not depend on ``half_life``.

    Raises
    ------
    InvalidOptionError
        If an option has a value that is not allowed, or both ``window`` and ``half_life`` are
        given.

    See Also
    --------
    evaluate_stream : Reads files and iterables of frames.
    StreamingMulticlassEvaluator : Does so for each of several classes against the rest.

    Notes
    -----
    With U and L the areas under the upper and the lower steps of the binned ROC curve, their mean T
    is the AUC of the binned scores. As L <= AUC <= U for any data, T is off by (U - L) / 2 at most:
    ``auc_bounds`` is a guarantee. The error itself is far smaller: with 16 bits some 5e-6.
    Average precision has such bounds, too, and so have partial areas and the break-even point. At
    1.5% positive rows of a million, the bounds of average precision are less than .002 apart.

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

    _KIND = "binary"

    def __init__(
        self,
        *,
        threshold: float | Iterable[float] = 0.5,
        bins: Bins | None = None,
        decimals: int | None = None,
        bits: int = 19,
        pos_label: Any = 1,
        missing: Missing = "raise",
        window: int | None = None,
        half_life: float | None = None,
    ) -> None:
        if bins is None:
            bins = "float" if decimals is None else "decimals"
        decimals = 3 if decimals is None else plain(decimals)
        _check_choice("bins", bins, get_args(Bins))
        _check_choice("missing", missing, get_args(Missing))
        self._options = {
            "threshold": one_or_several(threshold, "threshold").tolist(),
            "bins": bins,
            "decimals": decimals,
            "bits": plain(bits),
            "pos_label": pos_label,
            "missing": missing,
            "window": None if window is None else whole_number(window, "window", 1),
            "half_life": None if half_life is None else _checked_half_life(half_life),
        }
        self._bins = DecimalBins(decimals) if bins == "decimals" else FloatBins(bits)
        self._pos_label = pos_label
        self._other_label: Any = None
        self._missing: Missing = missing
        self._ages = self._new_ages()

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
        self._bins.check_range(rows.low, rows.high)
        self._other_label = rows.other_label
        self._ages.add(rows)
        return self

    def merge(self, other: StreamingBinaryEvaluator) -> StreamingBinaryEvaluator:
        """Evaluate the rows of another evaluator, too; the other one is not changed.

        Parameters
        ----------
        other : StreamingBinaryEvaluator
            With the same options.

        Returns
        -------
        StreamingBinaryEvaluator
            This one.

        Raises
        ------
        InvalidOptionError
            If bins, thresholds or labels differ, or if rows have an age (``window``,
            ``half_life``): who came after whom, two evaluators do not know.
        OptionTypeError
            If ``other`` is no evaluator.

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
            f"StreamingBinaryEvaluator({counted_rows(self.n_rows)}{left_out}; {self._bins}"
            f"{self._said_of_ages()}{self._said_of_areas()})"
        )

    def _state(self) -> dict[str, Any]:
        return {
            "options": self._options | {"pos_label": plain_label(self._pos_label)},
            "other_label": plain_label(self._other_label),
            "rows": state_of_ages(self._ages),
        }

    @classmethod
    def _of_state(cls, state: dict[str, Any]) -> Self:
        with checked_reading():
            evaluator = cls(**state["options"])
            evaluator._other_label = state["other_label"]
            put_state(evaluator._ages, state["rows"], evaluator._other_label)
        return evaluator

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
        counts = Counts(*tally.confusion.astype(tally.dtype_of_counts))
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
        if not ranking.positives:
            warn_of_no_positives()
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
        low_precision, high_precision = self._ranking().average_precision_bounds(self._tally.whole)
        summary = {
            "prevalence": self.prevalence(),
            "auc": (low + high) / 2,
            "auc_low": low,
            "auc_high": high,
            "average_precision": self.average_precision(),
            "average_precision_low": low_precision,
            "average_precision_high": high_precision,
            "rmse": self.rmse(),
        }
        if self.are_probabilities:
            summary |= {
                "log_loss": self.log_loss(),
                "brier": self.brier(),
                "calibration_error": self.calibration_error(),
            }
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

    def _emptied(self) -> StreamingBinaryEvaluator:
        """Return an evaluator of the same options that has seen nothing."""
        return StreamingBinaryEvaluator(**self._options)

    @property
    def _tally(self) -> Tally:
        return self._ages.tally

    def _new_ages(self) -> Ages:
        new_tally = partial(Tally, self._bins, np.array(self._options["threshold"]))
        window, half_life = self._options["window"], self._options["half_life"]
        if window is not None and half_life is not None:
            raise InvalidOptionError(
                f"window={window} and half_life={half_life:g}: rows count either for a while, or "
                "less and less; give one of them"
            )
        if window is not None:
            return LastRows(new_tally, window)
        return AllRows(new_tally) if half_life is None else FadingRows(new_tally, half_life)

    def _said_of_ages(self) -> str:
        return "".join(
            f", {name}={readable(value)}"
            for name in ("window", "half_life")
            if (value := self._options[name]) is not None
        )

    def _said_of_areas(self) -> str:
        tally = self._tally
        if not 0 < tally.positives < tally.total:
            return ""
        ranking = self._ranking()
        areas = {
            "AUC": ranking.auc_bounds(),
            "average precision": ranking.average_precision_bounds(tally.whole),
        }
        return "; " + ", ".join(f"{name} {outwards(*bounds)}" for name, bounds in areas.items())

    def _check_like(self, other: StreamingBinaryEvaluator) -> None:
        for one in (self, other):
            if type(one._ages) is not AllRows:
                raise InvalidOptionError(
                    f"evaluators cannot be merged{one._said_of_ages()}: which rows came after "
                    "which they do not know; evaluate the rows with one evaluator"
                )
        differing = [
            ("bins", self._bins, other._bins),
            ("thresholds", self.thresholds, other.thresholds),
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


def _checked_half_life(half_life: Any) -> float:
    rows = float(finite_numbers([half_life], "half_life")[0])
    if rows <= 0:
        raise InvalidOptionError(f"half_life={rows:g}; it must be a number of rows above 0")
    return rows


def _check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise InvalidOptionError(
            f"{name} is {shown(value)}; it can be {', '.join(map(repr, allowed))}"
        )
