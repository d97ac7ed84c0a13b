"""[Huang & Du] What the paper leaves open, one entry an alternative.

`options` are parameters of the chapter: of its priors, or of `experiment.search_cell`.
"""

from pathlib import Path

from ppdm.study import worlds

#: Our choices where an option of the search is open.
OURS = {"population": 100, "mutation_rate": 1.0, "mutation_step": 0.3, "omega": 1000}

READINGS = list(worlds.read(Path(__file__).with_name("readings.yml"))["readings"])
