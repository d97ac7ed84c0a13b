"""The page of the data: its chapter, and the numbers of its sentences."""

from __future__ import annotations

from typing import Any

from ppdm import data, study
from ppdm.data import describe


def chapter(**parameters: Any) -> study.Chapter:
    """The page, with its parameters.

    >>> len(chapter(seed=0, data_source="stored").datasets)
    4
    """
    return study.Chapter("00_data", numbers=numbers, use=data.names(), **parameters)


def sets(ch: study.Chapter) -> list[data.Dataset]:
    """The four data sets."""
    return [data.load(name, ch.settings["data_source"]) for name in data.names()]


def numbers(ch: study.Chapter) -> dict[str, Any]:
    """What the sentences count."""
    every = {d.name.split("-")[0]: d for d in ch.get(sets)}
    counted: dict[str, Any] = {}
    for name, dataset in every.items():
        sheet = describe.overview(dataset)
        counted |= {f"{name}-records": sheet["records"], f"{name}-missing": sheet["missing cells"],
                    f"{name}-incomplete": sheet["records with a missing value"]}  # fmt: skip
        if name == "adult":
            counted["adult-repeated"] = sheet["repeated records"]
            counted["adult-majority"] = 100 * sheet["share of the larger class"]
    cancer, adult = every["breast"], every["adult"]
    distinct, complete = cancer.complete().distinct().frame["class"], cancer.complete().frame
    middle: Any = describe.ones(adult, {"middle": {"split": "midrange"}}).loc[
        "capital-gain", "middle"
    ]
    return counted | {
        "cancer-complete": len(complete), "cancer-distinct": len(distinct), "cancer-benign": (distinct == 2).sum(),
        "cancer-malignant": (distinct == 4).sum(), "cancer-ids": cancer.frame[cancer.id].nunique(),
        "high-constant": describe.codings(cancer, {"high": {"ties": "high"}})["constant"].item(),
        "midrange-gain": 100 * middle,
    }  # fmt: skip
