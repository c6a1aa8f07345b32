"""Evaluate a binary classifier: ``python -m vtreat_py.evaluation --help``."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts faster without threads

from vtreat_py.evaluation.command_line import main

status = main()
# All is written; to take the packages down in order would take longer than a small file.
os._exit(status)
