"""All scores of a binary classifier from its confusion counts, for one threshold or many."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, counted, listed
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._formulas import SCORES, Counts, score_values
from vtreat_py.evaluation._inputs import check_length, checked_weight, one_dimensional
from vtreat_py.evaluation._refusals import refused_as, shortened
from vtreat_py.evaluation._rows import is_label, is_missing


@overload
def confusion_scores(tp: float, fp: float, fn: float, tn: float) -> pd.Series[float]: ...
@overload
def confusion_scores(
    tp: npt.ArrayLike, fp: npt.ArrayLike, fn: npt.ArrayLike, tn: npt.ArrayLike
) -> pd.DataFrame: ...
@overload
def confusion_scores(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, pos_label: Any = 1
) -> pd.Series[float]: ...
def confusion_scores(*data: Any, **named: Any) -> pd.Series[float] | pd.DataFrame:
    """Compute all scores of a binary classifier from counts, or from labels.

    Called as ``confusion_scores(tp, fp, fn, tn)`` or as
    ``confusion_scores(y_true, y_pred, *, sample_weight=None, pos_label=1)``.

    Parameters
    ----------
    tp, fp, fn, tn : number or array of shape (n_thresholds,)
        True positives, false positives, false negatives and true negatives: counts, or sums of
        weights. Arrays give one row of scores each.
    y_true, y_pred : array of shape (n_rows,)
        Truth and calls: at most two labels, of which ``pos_label`` is one.
    sample_weight : array of shape (n_rows,), default=None
    pos_label : label, default=1
        The label of positive rows.

    Returns
    -------
    Series or DataFrame
        Series of float by the name of the score; for arrays of counts a DataFrame with one row
        each and a column for each score. 0/0 is NaN (no score is made up where nothing is
        defined), any other number over 0 is infinite.

    Raises
    ------
    InvalidOptionError
        If a count is negative or not finite, lengths or indexes differ, or there are more than two
        labels.

    See Also
    --------
    same_score : Proves that two scores are the same.
    score_formulas : The formulas.

    Notes
    -----
    ======================================= ======================================================
    accuracy, error_rate                    rows called right, wrong
    balanced_accuracy                       mean of sensitivity and specificity
    hard_auc                                chance that a positive row is called higher than a
                                            negative one, ties half: the AUC of the calls
    sensitivity, recall, tpr                positive rows called positive
    specificity, tnr                        negative rows called negative
    fpr, fnr                                negative rows called positive, and the reverse
    precision, ppv                          rows called positive that are
    inverse_precision, npv                  rows called negative that are
    false_discovery_rate                    rows called positive that are not
    false_omission_rate                     rows called negative that are not
    prevalence                              positive rows among all
    detection_rate                          positive rows called positive among all
    detection_prevalence                    rows called positive among all
    lift                                    precision over prevalence
    f1                                      harmonic mean of precision and recall
    jaccard                                 tp among the rows that are or are called positive
    fowlkes_mallows                         geometric mean of precision and recall
    informedness                            sensitivity + specificity - 1 (Youden's J)
    markedness                              precision + inverse precision - 1
    matthews_correlation                    correlation of truth and call (phi)
    kappa                                   Cohen's kappa: agreement beyond chance
    positive_likelihood_ratio               tpr over fpr
    negative_likelihood_ratio               fnr over tnr
    diagnostic_odds_ratio                   odds of a positive call, positive rows over negative
    ======================================= ======================================================

    PPV and NPV are defined by Bayes' rule from sensitivity, specificity and prevalence. They equal
    precision and inverse precision wherever both are defined, but need rows of both classes.

    D. Powers, "Evaluation: From Precision, Recall and F-Measure to ROC, Informedness, Markedness &
    Correlation", Journal of Machine Learning Technologies 2 (2011), has most of the names.

    Examples
    --------
    >>> from vtreat_py.evaluation import confusion_scores
    >>> confusion_scores(3, 1, 2, 4)[["precision", "recall", "f1"]].round(3).to_dict()
    {'precision': 0.75, 'recall': 0.6, 'f1': 0.667}
    >>> confusion_scores([1, 0, 1], [1, 0, 0])["recall"]
    np.float64(0.5)
    >>> two_thresholds = confusion_scores(tp=[3, 5], fp=[1, 5], fn=[2, 0], tn=[4, 0])
    >>> two_thresholds["lift"].tolist()
    [1.5, 1.0]
    """
    given = len(data) + len(named.keys() - {"sample_weight", "pos_label"})
    takes = (
        "confusion_scores takes counts (tp, fp, fn, tn), or labels (y_true, y_pred), for which "
        "there are sample_weight and pos_label"
    )
    if given not in (2, len(Counts._fields)):
        raise OptionTypeError(f"{takes}; found {counted(given, 'argument')}")
    with refused_as(takes):
        if given == len(Counts._fields):
            return _scores_of_counts(*data, **named)
        return _scores_of_labels(*data, **named)


def _scores_of_counts(tp: Any, fp: Any, fn: Any, tn: Any) -> pd.Series[float] | pd.DataFrame:
    check_same_rows({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    counts = Counts(*map(_checked_counts, Counts._fields, (tp, fp, fn, tn)))
    if len(shapes := {count.shape for count in counts}) > 1:
        raise InvalidOptionError(
            f"tp, fp, fn and tn have shapes {', '.join(map(str, sorted(shapes)))}; give four "
            "numbers, or four arrays of one length"
        )
    values = {name: score_values(name, counts) for name in SCORES}
    if not shapes.pop():
        return pd.Series({name: float(value) for name, value in values.items()})
    return pd.DataFrame(values, index=tp.index if isinstance(tp, pd.Series) else None)


def _checked_counts(name: str, count: Any) -> FloatArray:
    try:
        numbers = np.asarray(count, dtype=np.float64)
    except (TypeError, ValueError, ArithmeticError) as reason:
        raise OptionTypeError(f"{name} must hold counts: {shortened(str(reason))}") from reason
    if numbers.ndim > 1:
        raise InvalidOptionError(f"{name} has shape {numbers.shape}; give a number or one column")
    bad = numbers[~((numbers >= 0) & np.isfinite(numbers))]
    if len(bad):
        raise InvalidOptionError(f"{name} is {bad[0]:g}; counts are finite, and 0 or more")
    return numbers


def _scores_of_labels(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, pos_label: Any = 1
) -> pd.Series[float]:
    check_same_rows({"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight})
    truth, call = one_dimensional(y_true, "y_true"), one_dimensional(y_pred, "y_pred")
    check_length(call, len(truth), "y_pred")
    _check_labels(truth, call, pos_label)
    weight = checked_weight(sample_weight, len(truth))
    groups = Counts.of_rows(is_label(truth, pos_label), is_label(call, pos_label))
    return confusion_scores(*(float(weight[group].sum()) for group in groups))


def _check_labels(truth: Any, call: Any, pos_label: Any) -> None:
    for name, values in (("y_true", truth), ("y_pred", call)):
        if (missing := is_missing(values)).any():
            raise InvalidOptionError(
                f"{name} has {missing.sum()} missing labels, the first in row "
                f"{np.argmax(missing)}; leave those rows out"
            )
    labels = list(dict.fromkeys([*pd.unique(truth).tolist(), *pd.unique(call).tolist()]))
    if len(labels) > 2 or (len(labels) == 2 and pos_label not in labels):
        raise InvalidOptionError(
            f"y_true and y_pred have the labels {listed(labels)}; two labels are wanted, one of "
            f"them pos_label={pos_label!r}"
        )
