"""The command `python -m suanzi_conformance`, or `python -m suanzi.conformance`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
