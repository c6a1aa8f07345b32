"""Pictures of plans, cross-frames and y-aware components (matplotlib, imported on use).

Each function draws on the axes it is given, or on new ones, and returns them. What is filled or
hollow, or has a marker of its own, has a colour of its own as well; none is told by colour alone.

=================  ==============================================================
`scores`           how much each derived variable says of the outcome
`level_effects`    levels of a column: what was seen, and what is believed
`number_effect`    the outcome along a number, and what codes make of it
`cross_frame`      an impact code in the cross-frame and in the plan
`folds`            how rows were dealt to folds
`importance`       how much each column says of the outcome
`scree`            singular values of y-aware components
`loadings`         what components are made of
`projection`       rows by their components
`ranges`           columns before and after y-aware scaling
=================  ==============================================================

Examples
--------
>>> import matplotlib
>>> matplotlib.use("agg")
>>> import pandas as pd
>>> import vtreat_py as vt
>>> frame = pd.DataFrame({"town": ["Ayr", "Bath", "Cork"] * 20, "price": [3.0, 6.0, 4.0, 1.0] * 15})
>>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
>>> ax = vt.plots.level_effects(plan, "town")
>>> ax.get_title()
"price by 'town'"
>>> ax.figure.savefig("town.png")  # doctest: +SKIP
"""

from vtreat_py.base.on_use import public_names
from vtreat_py.plots.of_components import loadings, projection, ranges, scree
from vtreat_py.plots.of_cross_frames import cross_frame
from vtreat_py.plots.of_folds import folds
from vtreat_py.plots.of_importance import importance
from vtreat_py.plots.of_levels import level_effects
from vtreat_py.plots.of_numbers import number_effect
from vtreat_py.plots.of_scores import scores

__all__ = [
    "cross_frame",
    "folds",
    "importance",
    "level_effects",
    "loadings",
    "number_effect",
    "projection",
    "ranges",
    "scores",
    "scree",
]

__dir__ = public_names(globals())
