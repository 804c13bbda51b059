"""`python -m suanzi`: the command line."""

import sys

from suanzi.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
