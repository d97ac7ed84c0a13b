"""What is known of each data set before a byte is read: files, columns, levels, licence, source.

A `Column` of kind ``nominal`` lists its levels. Where the archive documents an order, that order is
kept; where a column has two levels, the second is the one that `ppdm.data.binarize` codes as 1.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

#: What a data set is called on every page.
SHORT = {
    "adult": "Adult",
    "breast-cancer-wisconsin": "Breast Cancer",
    "congressional-voting": "Voting",
    "pima": "Pima",
}


def in_words(text: str) -> str:
    """A text with the names of data sets as pages have them.

    >>> in_words("breast-cancer-wisconsin, q = 0.3")
    'Breast Cancer, q = 0.3'
    """
    for name, shown in SHORT.items():
        text = re.sub(rf"(?<![\w-]){name}(?![\w-])", shown, text)
    return text


@dataclass(frozen=True)
class Column:
    """One column of a raw file. `kind` is ``integer``, ``real`` or ``nominal``."""

    name: str
    kind: str
    levels: tuple[str | int, ...] = ()
    means: str = ""


@dataclass(frozen=True)
class RawFile:
    """One raw file of the archive, as it was served there."""

    name: str
    rows: int
    sha256: str
    skip_lines: int = 0


@dataclass(frozen=True)
class Entry:
    """One data set: its files in reading order, its columns in file order, and its papers."""

    name: str
    title: str
    files: tuple[RawFile, ...]
    columns: tuple[Column, ...]
    target: str
    id: str | None
    uci_id: int | None
    doi: str | None
    licence: str
    citation: str
    note: str = ""
    label_suffix: str = ""  # adult.test writes a dot after every label

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


def _integers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "integer") for name in names)


_ADULT = Entry(
    name="adult",
    title="Adult (Census Income)",
    files=(
        RawFile(
            "adult.data",
            32_561,
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        ),
        RawFile(
            "adult.test",
            16_281,
            "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            skip_lines=1,
        ),
    ),
    columns=(
        Column("age", "integer", means="years"),
        Column(
            "workclass",
            "nominal",
            (
                "Private",
                "Self-emp-not-inc",
                "Self-emp-inc",
                "Federal-gov",
                "Local-gov",
                "State-gov",
                "Without-pay",
                "Never-worked",
            ),
            "kind of employer",
        ),
        Column("fnlwgt", "integer", means="census weight: people the record stands for"),
        Column(
            "education",
            "nominal",
            (
                "Bachelors",
                "Some-college",
                "11th",
                "HS-grad",
                "Prof-school",
                "Assoc-acdm",
                "Assoc-voc",
                "9th",
                "7th-8th",
                "12th",
                "Masters",
                "1st-4th",
                "10th",
                "Doctorate",
                "5th-6th",
                "Preschool",
            ),
            "highest level of schooling",
        ),
        Column("education-num", "integer", means="the same level of schooling, in rising order"),
        Column(
            "marital-status",
            "nominal",
            (
                "Married-civ-spouse",
                "Divorced",
                "Never-married",
                "Separated",
                "Widowed",
                "Married-spouse-absent",
                "Married-AF-spouse",
            ),
        ),
        Column(
            "occupation",
            "nominal",
            (
                "Tech-support",
                "Craft-repair",
                "Other-service",
                "Sales",
                "Exec-managerial",
                "Prof-specialty",
                "Handlers-cleaners",
                "Machine-op-inspct",
                "Adm-clerical",
                "Farming-fishing",
                "Transport-moving",
                "Priv-house-serv",
                "Protective-serv",
                "Armed-Forces",
            ),
        ),
        Column(
            "relationship",
            "nominal",
            ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
            "place in the household",
        ),
        Column(
            "race",
            "nominal",
            ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
        ),
        Column("sex", "nominal", ("Female", "Male")),
        Column("capital-gain", "integer", means="US dollars a year"),
        Column("capital-loss", "integer", means="US dollars a year"),
        Column("hours-per-week", "integer", means="hours of work"),
        Column(
            "native-country",
            "nominal",
            (
                "United-States",
                "Cambodia",
                "England",
                "Puerto-Rico",
                "Canada",
                "Germany",
                "Outlying-US(Guam-USVI-etc)",
                "India",
                "Japan",
                "Greece",
                "South",
                "China",
                "Cuba",
                "Iran",
                "Honduras",
                "Philippines",
                "Italy",
                "Poland",
                "Jamaica",
                "Vietnam",
                "Mexico",
                "Portugal",
                "Ireland",
                "France",
                "Dominican-Republic",
                "Laos",
                "Ecuador",
                "Taiwan",
                "Haiti",
                "Columbia",
                "Hungary",
                "Guatemala",
                "Nicaragua",
                "Scotland",
                "Thailand",
                "Yugoslavia",
                "El-Salvador",
                "Trinadad&Tobago",
                "Peru",
                "Hong",
                "Holand-Netherlands",
            ),
        ),
        Column("income", "nominal", ("<=50K", ">50K"), "yearly income, US dollars"),
    ),
    target="income",
    id=None,
    uci_id=2,
    doi="10.24432/C5XW20",
    licence="CC BY 4.0",
    citation="Becker, B. and Kohavi, R. (1996). Adult. UCI Machine Learning Repository.",
    note="adult.data followed by adult.test",
    label_suffix=".",
)

_BREAST_CANCER = Entry(
    name="breast-cancer-wisconsin",
    title="Breast Cancer Wisconsin (Original)",
    files=(
        RawFile(
            "breast-cancer-wisconsin.data",
            699,
            "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
        ),
    ),
    columns=_integers(
        "sample-code-number",
        "clump-thickness",
        "uniformity-of-cell-size",
        "uniformity-of-cell-shape",
        "marginal-adhesion",
        "single-epithelial-cell-size",
        "bare-nuclei",
        "bland-chromatin",
        "normal-nucleoli",
        "mitoses",
    )
    + (Column("class", "nominal", (2, 4), "2 benign, 4 malignant"),),
    target="class",
    id="sample-code-number",
    uci_id=15,
    doi="10.24432/C5HP4Z",
    licence="CC BY 4.0",
    citation=(
        "Wolberg, W. (1990). Breast Cancer Wisconsin (Original). UCI Machine Learning Repository."
    ),
    note="not the Diagnostic data set of the same hospital (569 rows, 30 attributes)",
)

_VOTES = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)

_VOTING = Entry(
    name="congressional-voting",
    title="Congressional Voting Records (1984)",
    files=(
        RawFile(
            "house-votes-84.data",
            435,
            "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e",
        ),
    ),
    columns=(Column("class", "nominal", ("democrat", "republican"), "party"),)
    + tuple(Column(vote, "nominal", ("n", "y"), "nay or yea") for vote in _VOTES),
    target="class",
    id=None,
    uci_id=105,
    doi="10.24432/C5C01P",
    licence="CC BY 4.0",
    citation="Congressional Voting Records (1987). UCI Machine Learning Repository.",
    note="a missing vote (? in the file) means neither yea nor nay, not an unknown value",
)

_PIMA = Entry(
    name="pima",
    title="Pima Indians Diabetes",
    files=(
        RawFile(
            "pima-indians-diabetes.data",
            768,
            "06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5",
        ),
    ),
    columns=(
        Column("pregnancies", "integer", means="number of times pregnant"),
        Column("plasma-glucose", "integer", means="2 hours into a glucose tolerance test"),
        Column("blood-pressure", "integer", means="diastolic, mm Hg"),
        Column("skin-thickness", "integer", means="triceps skin fold, mm"),
        Column("serum-insulin", "integer", means="2-hour serum insulin, mu U/ml"),
        Column("body-mass-index", "real", means="kg/m^2"),
        Column("diabetes-pedigree", "real", means="diabetes pedigree function"),
        Column("age", "integer", means="years"),
        Column("class", "nominal", (0, 1), "1 tested positive for diabetes"),
    ),
    target="class",
    id=None,
    uci_id=None,
    doi=None,
    licence="no explicit grant by its owner was found",
    citation=(
        "National Institute of Diabetes and Digestive and Kidney Diseases; donated by"
        " V. Sigillito (1990). Pima Indians Diabetes."
    ),
    note=(
        "withdrawn from the UCI archive; redistributed by Debian (mlbench, weka);"
        " zeros that cannot be measurements stand for missing values"
    ),
)

CATALOG = {entry.name: entry for entry in (_ADULT, _BREAST_CANCER, _VOTING, _PIMA)}


def names() -> list[str]:
    """The names that `load` knows.

    >>> names()
    ['adult', 'breast-cancer-wisconsin', 'congressional-voting', 'pima']
    """
    return list(CATALOG)


def entry(name: str) -> Entry:
    """The catalog's entry, or one sentence that lists the known names.

    >>> entry("pima").rows
    768
    """
    if name in CATALOG:
        return CATALOG[name]
    near = difflib.get_close_matches(str(name).lower(), CATALOG, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"no data set {name!r}; the known ones are {', '.join(CATALOG)}.{hint}")
