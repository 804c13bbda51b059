"""The entry point of `python -m suanzi.cli`."""

import sys

from suanzi.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
