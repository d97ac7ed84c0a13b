"""[Huang & Du] What the paper leaves open, one entry an alternative.

`options` are parameters of the chapter: of its priors, or of `experiment.search_cell`.
"""

from ppdm.papers.common import Reading

#: Our choices where an option of the search is open.
OURS = {"population": 100, "mutation_rate": 1.0, "mutation_step": 0.3, "omega": 1000}

NORMAL_CLAIMS = tuple(f"HD-{i}" for i in range(11, 21))
GAMMA_CLAIMS = ("HD-21", "HD-22", "HD-23", "HD-28", "HD-30", "HD-31", "HD-33")
SEARCH_CLAIMS = tuple(f"HD-{i}" for i in (*range(15, 32), 33))
UNIFORM_CLAIMS = ("HD-24", "HD-25", "HD-28", "HD-33")


def _open(question: str, choice: str, why: str, touches: tuple, *alternatives) -> list[Reading]:
    return [
        Reading(
            name, question, choice, why=why, alternative=words, options=options, touches=touches
        )
        for name, words, options in alternatives
    ]


READINGS = [
    *_open(
        "Mean and deviation of the normal distribution?",
        "5.5 and 1.7, in ten unit bins",
        "Warner's lowest privacies come out as printed.",
        NORMAL_CLAIMS,
        ("normal 5.5, 2", "5.5 and 2", {"normal_sd": 2.0}),
        ("normal 5, 1.8", "5 and 1.8", {"normal_mean": 5.0, "normal_sd": 1.8}),
    ),
    *_open(
        "Bins of the gamma distribution?",
        "ten of width 0.55",
        "There is a privacy above .62, and a good method's range is about twice Warner's.",
        GAMMA_CLAIMS,
        ("gamma width 0.4", "of width 0.4", {"gamma_width": 0.4}),
        ("gamma width 1", "of width 1", {"gamma_width": 1.0}),
    ),
    *_open(
        "Size of population and archive?",
        "100",
        "Usual for SPEA2.",
        SEARCH_CLAIMS,
        ("population 50", "50", {"population": 50}),
        ("population 200", "200", {"population": 200}),
    ),
    *_open(
        "How many children mutate, and how far?",
        "all, by up to 0.3",
        "The paper speaks of a rate and of a small amount, and gives neither.",
        SEARCH_CLAIMS,
        ("half mutate", "half of them", {"mutation_rate": 0.5}),
        ("mutation 0.1", "by up to 0.1", {"mutation_step": 0.1}),
        ("mutation 1", "by up to 1", {"mutation_step": 1.0}),
    ),
    *_open(
        "The same, for the uniform distribution?",
        "100; by up to 0.3",
        "As for the others.",
        UNIFORM_CLAIMS,
        ("uniform, population 200", "200", {"population": 200}),
        ("uniform, mutation 0.1", "by up to 0.1", {"mutation_step": 0.1}),
        ("uniform, mutation 0.05", "by up to 0.05", {"mutation_step": 0.05}),
    ),
    *_open(
        "How many places has the set Ω?",
        "1,000",
        "The paper's own example is of 1,000.",
        SEARCH_CLAIMS,
        ("Ω of 100", "100", {"omega": 100}),
    ),
    *_open(
        "How are Adult's numbers cut into ten?",
        "at equal widths",
        "Equal counts would make every numeric attribute all but uniform.",
        ("HD-26", "HD-29"),
        ("equal counts", "at equal counts", {"cut": "counts"}),
    ),
]
