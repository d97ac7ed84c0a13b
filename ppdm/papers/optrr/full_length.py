"""Write the searches that are kept, anew: ``python -m ppdm.papers.optrr.full_length``."""

from ppdm.papers.optrr import kept, rows
from ppdm.papers.optrr.chapter import chapter

#: What the page beyond the paper is built with.
SETTINGS = {"seed": 2008, "data_source": "stored", "respondents": 10_000, "normal_sd": 1.7, "gamma_width": 0.55,
            "population": 100, "mutation_rate": 1.0, "mutation_step": 0.3}  # fmt: skip

if __name__ == "__main__":
    page = chapter("04_beyond", **SETTINGS)
    kept.write(*rows.of_full_length(page), page.seed)
