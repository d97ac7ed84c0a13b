"""Programs of others that ours are held to."""

from types import ModuleType

import numpy as np
import pytest


def qif() -> ModuleType:
    """The library qif, or a skipped test. It changes how numpy prints arrays; examples must not see that."""
    with np.printoptions():
        return pytest.importorskip("qif")
