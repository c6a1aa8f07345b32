"""Evaluate a binary classifier: ``python -m vtreat_py.evaluation --help``."""

import sys

from vtreat_py.evaluation.command_line import main

sys.exit(main())
