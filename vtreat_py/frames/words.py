"""How many words texts have."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from vtreat_py.frames.levels import Levels
from vtreat_py.frames.text_that_reads import spaced

# Levels whose words are counted.
_MOST = 256


def words_per_level(levels: Levels) -> float:
    """Words of a text on average, of evenly spaced levels where they are many; 0 of no text."""
    if not levels.is_text or not pa.types.is_large_string(levels.labels.type):
        return 0.0
    labels = levels.labels.take(spaced(len(levels), _MOST)).to_pylist()
    return float(np.mean([len(label.split()) for label in labels]))
