"""How well a model does, and how sure that is.

Importance-weighted cross-validation, Fisher's randomization test, bias and variance, streamed
evaluation of classifiers, the spread of cross-validation, scores of classifiers, and holdouts that
can be asked again and again.
"""

from typing import TYPE_CHECKING

from vtreat_py.base.on_use import names_on_use

if TYPE_CHECKING:
    from vtreat_py.evaluation.comparison import compare_models
    from vtreat_py.evaluation.coverage import CoverageStudy, coverage_study
    from vtreat_py.evaluation.error_decomposition import bias_variance
    from vtreat_py.evaluation.leaderboard import Leaderboard
    from vtreat_py.evaluation.model_report import ComparisonReport, comparison_report
    from vtreat_py.evaluation.nested_jobs import run_nested
    from vtreat_py.evaluation.paired_scores import per_group_metric, per_row_loss
    from vtreat_py.evaluation.planning import queries_needed
    from vtreat_py.evaluation.randomization import RandomizationTestResult, randomization_test
    from vtreat_py.evaluation.rankings import ranking_metrics
    from vtreat_py.evaluation.repeated_prediction import repeated_cross_val_predict
    from vtreat_py.evaluation.resampled import ResampledTestResult, resampled_test
    from vtreat_py.evaluation.score_identities import (
        equivalence_classes,
        same_order,
        same_score,
        score_formulas,
    )
    from vtreat_py.evaluation.scores import confusion_scores
    from vtreat_py.evaluation.spread import CVSpread, cv_spread
    from vtreat_py.evaluation.stream_reading import evaluate_stream
    from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator
    from vtreat_py.evaluation.streaming_multiclass import StreamingMulticlassEvaluator
    from vtreat_py.evaluation.streaming_report import StreamingReport
    from vtreat_py.evaluation.thresholdout import Thresholdout
    from vtreat_py.evaluation.weighted_search import FoldWeightedSearchCV
    from vtreat_py.evaluation.weighted_validation import (
        WeightedCrossValidation,
        fold_weights,
        weighted_cross_validate,
    )
else:  # each part loads what it needs, and no more
    __getattr__, __dir__ = names_on_use(
        globals(),
        {
            "CVSpread": "spread",
            "ComparisonReport": "model_report",
            "CoverageStudy": "coverage",
            "FoldWeightedSearchCV": "weighted_search",
            "Leaderboard": "leaderboard",
            "RandomizationTestResult": "randomization",
            "ResampledTestResult": "resampled",
            "StreamingBinaryEvaluator": "streaming",
            "StreamingMulticlassEvaluator": "streaming_multiclass",
            "StreamingReport": "streaming_report",
            "Thresholdout": "thresholdout",
            "WeightedCrossValidation": "weighted_validation",
            "bias_variance": "error_decomposition",
            "compare_models": "comparison",
            "comparison_report": "model_report",
            "confusion_scores": "scores",
            "coverage_study": "coverage",
            "cv_spread": "spread",
            "equivalence_classes": "score_identities",
            "evaluate_stream": "stream_reading",
            "fold_weights": "weighted_validation",
            "per_group_metric": "paired_scores",
            "per_row_loss": "paired_scores",
            "queries_needed": "planning",
            "randomization_test": "randomization",
            "ranking_metrics": "rankings",
            "repeated_cross_val_predict": "repeated_prediction",
            "resampled_test": "resampled",
            "run_nested": "nested_jobs",
            "same_order": "score_identities",
            "same_score": "score_identities",
            "score_formulas": "score_identities",
            "weighted_cross_validate": "weighted_validation",
        },
    )

__all__ = [
    "CVSpread",
    "ComparisonReport",
    "CoverageStudy",
    "FoldWeightedSearchCV",
    "Leaderboard",
    "RandomizationTestResult",
    "ResampledTestResult",
    "StreamingBinaryEvaluator",
    "StreamingMulticlassEvaluator",
    "StreamingReport",
    "Thresholdout",
    "WeightedCrossValidation",
    "bias_variance",
    "compare_models",
    "comparison_report",
    "confusion_scores",
    "coverage_study",
    "cv_spread",
    "equivalence_classes",
    "evaluate_stream",
    "fold_weights",
    "per_group_metric",
    "per_row_loss",
    "queries_needed",
    "randomization_test",
    "ranking_metrics",
    "repeated_cross_val_predict",
    "resampled_test",
    "run_nested",
    "same_order",
    "same_score",
    "score_formulas",
    "weighted_cross_validate",
]
