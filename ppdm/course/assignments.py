"""Which assignments there are."""

#: The assignments in their order, and the module that knows each.
ASSIGNMENTS = {
    "00_primer": "primer",
    "01_electronic_surveys": "surveys",
    "02_multi_group": "groups",
    "03_aibr": "distortion",
    "04_optrr": "matrices",
    "05_which_disguise": "guesses",
}
