"""`python -m ppdm` is the `ppdm` command."""

import sys

from ppdm.cli import main

if __name__ == "__main__":
    sys.exit(main())
