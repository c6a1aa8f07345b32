"""The command line: ``python -m vtreat_py --help``."""
