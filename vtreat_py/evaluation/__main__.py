"""Evaluate a binary classifier: ``python -m vtreat_py.evaluation --help``."""

import gc
import os

# A fast start: imports leave no garbage, and there is no work for numpy's threads.
gc.disable()
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from vtreat_py.evaluation.command_line import main  # noqa: E402

gc.enable()
status = main()
# All is written; to take the packages down in order would take longer than a small file.
os._exit(status)
