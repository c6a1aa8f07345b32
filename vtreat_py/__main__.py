"""The command line of the package: ``python -m vtreat_py --help``."""

import sys

from vtreat_py.command_line.program import main

if __name__ == "__main__":
    sys.exit(main())
