"""Why a peer is ahead, in cells of `downstream.py` where one is, not by chance as it seems.

Scores are means over the splits of the table, or the first five of them, of variants of our
treatment.
"""

from __future__ import annotations

_SMALL = "trees overfit the columns that say the same; "

REASONS = {
    ("generated/customers", "boosted"): (
        "nobody predicts new customers; trees overfit any code of 150 shops, and can hardly split "
        "on as many rare indicators. The linear model has .09 by our codes, .05 at best by others"
    ),
    ("generated/survey weights", "boosted"): (
        "weights leave few rows, which trees overfit by impact codes; by numbers, and indicators "
        "of levels from 0.3% of the rows, .6032"
    ),
    ("HSAUR/Forbes2000", "linear"): (
        "indicators for industries from 10 rows up, ours from 2% of the rows (32): by "
        "min_fraction=0.003, and without impact codes, .4590"
    ),
    ("HSAUR/Forbes2000", "boosted"): (
        "trees put countries and industries into groups of their own; no choice of our codes has "
        "more than .7308"
    ),
    ("lme4/VerbAgg", "boosted"): (
        "trees overfit the code of 316 persons; text vectors, which tell persons less apart, keep "
        "them from it. The linear model, at .80, is ahead of both"
    ),
    ("modeldata/ames", "linear"): "without codes of deviation and prevalence .8649",
    (
        "modeldata/grants_other",
        "boosted",
    ): "trees put sponsors into groups of their own; ours, unpruned and without deviation, .8079",
    ("modeldata/hotel_rates", "linear"): (
        "indicators for levels from 10 rows up, ours from 2% of the rows (64); with "
        "min_fraction=0.003 ours have .8846"
    ),
    ("modeldata/lending_club", "linear"): (
        "150 rows of the class, and indicators of 35 grades for a logistic regression that is "
        "hardly penalised: .7398 without them, .6830 by one-hot codes"
    ),
    (
        "modeldata/lending_club",
        "boosted",
    ): "150 rows of the class: each variable kept or not is by chance; with all of them .6927",
    ("modeldata/mlc_churn", "boosted"): _SMALL + "with one number for each column .9219",
    ("mosaicData/SaratogaHouses", "linear"): (
        "six columns of two or three levels: indicators have .5746 here and as one-hot codes, one "
        "number for each column .5758 by all of category_encoders"
    ),
    ("mosaicData/SaratogaHouses", "boosted"): _SMALL + "without indicators .6325",
    (
        "openintro/nycflights",
        "linear",
    ): "indicators of rare airports cost more than they say; without .7287",
    ("openintro/reddit_finance", "boosted"): _SMALL + "without indicators .5398",
}
