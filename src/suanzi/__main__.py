"""The command line, as `python -m suanzi`."""

import sys

from suanzi.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
