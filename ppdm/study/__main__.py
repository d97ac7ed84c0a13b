"""`python -m ppdm.study [before]`: enter the rules of this book's claims in `changes.yml`."""

import sys

from ppdm.places import claims_folder
from ppdm.study.history import STATUSES, enter


def main() -> None:
    """Enter them; an argument is the status of the claims that are new."""
    status = sys.argv[1] if len(sys.argv) > 1 else "together"
    if status not in STATUSES:
        raise SystemExit(f"the status is {status!r}; allowed are {', '.join(STATUSES)}")
    folder = claims_folder()
    if folder is None:
        raise SystemExit("there is no book here: go to the folder that holds _config.yml")
    written = enter(folder, status)
    print(f"Written: {', '.join(written) or 'nothing new'}.")


if __name__ == "__main__":
    main()
