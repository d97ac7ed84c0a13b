"""What numba has just compiled and what it has kept give the same, to the last bit."""

import os
import subprocess
import sys

import pytest

# Each prints a checksum of what one compiled part computes.
PARTS = {
    "pairs and a tree": """
from ppdm.folding import dense_pairs
from ppdm.learn.id3 import grow
from ppdm.domain import Domain
from ppdm.table import Table
cells = np.random.default_rng(1).normal(1, 1, 2**13)
names = tuple("ABCDEFGHIJKLM")
tree = grow(Table(Domain(names, ((0, 1),) * 13), cells), "M")
found = [dense_pairs(cells, 2, np.full(12, 2)), tree.attribute, tree.counts]
""",
    "a search": """
from ppdm.optimise import optrr
front = optrr([0.2, 0.3, 0.5], 0.8, np.random.default_rng(1), generations=60)
found = [front.mse, front.matrices]
""",
    "groups of look-alikes": """
from ppdm.distort import kcg
found = [kcg(np.random.default_rng(1).normal(size=(200, 5)), 4, np.random.default_rng(2))]
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_code_just_compiled_and_code_kept_give_the_same_bits(part, tmp_path):
    script = f"""
import hashlib
import numpy as np
{PARTS[part]}
print(hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in found)).hexdigest())
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    )
    assert list(tmp_path.rglob("*.nbc"))  # something was kept, and so is not compiled again
    assert first == second
