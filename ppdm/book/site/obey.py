"""What the page on whether people obey shows: claims decided by the rules of all chapters, from simulated
fieldwork and from the golden file; what each device can tell; how often its intervals cover."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ppdm.book.templating import table
from ppdm.contract import Survey
from ppdm.study import rules
from ppdm.survey import compliance
from ppdm.survey.choice import Situation, advise, direct
from ppdm.survey.fieldwork import Fieldwork, fieldwork
from ppdm.survey.pages import read

SURVEYS, SEED = 4_000, 2018
#: Who of the devices draws, and with which chances.
DEVICES: dict[str, tuple[str, dict[str, Any]]] = {
    "crosswise": ("browser", {"p": 0.2628}),
    "extended-crosswise": ("browser", {"p": 0.2628}),
    "triangular": ("birthday", {"p": 0.2628}),
    "forced-response": ("dice", {"truth": 4 / 6, "forced": [1 / 6, 1 / 6]}),
    "cheating-detection": ("browser", {"halves": [1 / 6, 4 / 6]}),
    "warner": ("browser", {"p": 0.75}),
}
NUMBERS, SHARES = (200, 2_000), (0.02, 0.1, 0.3)
CARELESS, ALWAYS = (0.0, 0.05, 0.1, 0.2), (0.0, 0.1)
_NAMES = {
    ("careless", "always"): "who answers at random, and who always gives the same answer",
    ("careless",): "who answers at random",
    ("always",): "who always gives the same answer",
}  # fmt: skip


def fragments() -> dict[str, str]:
    """The claims as a list, and two tables, in Markdown."""
    results = {
        point: _field("extended-crosswise", *point)
        for point in product(NUMBERS, SHARES, CARELESS, ALWAYS)
    }
    return {
        "obey_claims": _claims(results),
        "obey_devices": _devices(),
        "obey_fieldwork": _fieldwork(results),
    }


def survey_of(mechanism: str, anchor: bool = True) -> Survey:
    """A survey of one question, and its anchor, which nobody says yes to."""
    names = ["question", "anchor"] if anchor else ["question"]
    spec: dict[str, Any] = {"mechanism": mechanism, **DEVICES[mechanism][1], "attributes": names}
    known = {"anchor": [1, 0]} if anchor else {}
    return Survey({name: ["no", "yes"] for name in names}, [spec], known=known)


def _field(mechanism: str, n: int, share: float, careless: float, always: float) -> Fieldwork:
    point = [n, *(int(1000 * part) for part in (share, careless, always)), len(mechanism)]
    rng = np.random.default_rng(np.random.SeedSequence([SEED, *point]))
    return fieldwork(
        survey_of(mechanism), n, share, SURVEYS, rng, careless=careless, always=always,
        device=DEVICES[mechanism][0],
    )  # fmt: skip


def _shares(values: list[float]) -> dict[str, list[float]]:
    """Shares of simulated surveys as evidence, with their standard errors."""
    spread = [max(value * (1 - value), 1 / SURVEYS) / SURVEYS for value in values]
    return {"value": values, "se": np.sqrt(spread).tolist()}


def evidence(results: dict) -> dict[str, tuple[dict, dict]]:
    """For each claim its evidence, and that of the world which its rule must refuse."""
    honest, nobody = (_field("crosswise", 2_000, 0.0, part, 0.0) for part in (0.2, 0.0))
    plain = _field("crosswise", 2_000, 0.1, 0.1, 0.0)
    obeyed, random, same = (results[2_000, 0.1, *people] for people in ((0, 0), (0.2, 0), (0, 0.1)))
    wide = [point.width / point.oracle for at, point in results.items() if at[0] == 2_000]
    few = _field("extended-crosswise", 200, 0.02, 0.5, 0.0)
    poor = {at: point for at, point in results.items() if point.plain < 0.9}
    attentive, trait = _cmdata()
    known = {"theirs": [0.772857142857, 0.105360443623]}
    return {
        "OB-1": ({"value": honest.estimate, "se": 0.0005}, {"value": nobody.estimate, "se": 0.0005}),
        "OB-2": (_shares([plain.plain]), _shares([obeyed.plain])),
        "OB-3": (_shares([p.corrected for p in results.values()]), _shares([p.plain for p in results.values()])),
        "OB-4": ({"value": wide}, {"value": few.width / few.oracle}),
        "OB-5": (_shares([random.refused]), _shares([same.refused])),
        "OB-6": (_shares([same.refused]), _shares([obeyed.refused])),
        "OB-7": (
            _shares([point.warned for point in poor.values()]),
            _shares([float(0.3 <= careless + always) for _, _, careless, always in poor]),
        ),
        "OB-8": ({"value": _deny(200)}, {"value": _deny(20_000)}),
        "OB-9": ({"ours": [attentive, trait], **known}, {"ours": [attentive, 0.195], **known}),
    }  # fmt: skip


def _deny(n: int) -> float:
    s = Situation("stranger", "shares", n)
    compared = direct(s, advise(s).best)
    assert compared is not None
    return compared.deny


def _cmdata() -> tuple[float, float]:
    """Who was attentive in cWise's data, and who of them has the trait."""
    entries = json.loads(read("stored/golden.json"))["entries"]
    entry = next(entry for entry in entries if entry["id"] == "crosswise-anchor")
    survey = Survey.from_plain(entry["survey"])
    fit = compliance.solve(compliance.models(survey, "A")[0], np.array(entry["reports"]))
    return float(fit.followed[0]), float(fit.share(1)[0])


def _claims(results: dict) -> str:
    written = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
    items = []
    for name, (ours, wrong) in evidence(results).items():
        claim = written[name]
        rule = getattr(rules, claim["rule"])
        finding, control = rule(**ours, **claim["given"]), rule(**wrong, **claim["given"])
        if control.met:
            raise ValueError(f"{name}: its rule does not refuse a wrong world, {claim['wrong']}")
        given = ", ".join(f"{key} {value:g}" for key, value in claim["given"].items())
        number = "" if finding.ours is None else f": {finding.ours:.4g}"
        items.append(
            f"- **{name}, {'so' if finding.met else 'not so'}{number}.** {claim['claim'].strip()}\n"
            f"  *({claim['where']}. Rule: {claim['rule']}, {given}. Refused, as it must be: {claim['wrong']}.)*"
        )
    return "\n".join(items) + "\n"


def _devices() -> str:
    def told(mechanism: str, anchor: bool) -> str:
        survey, device = survey_of(mechanism, anchor), DEVICES[mechanism][0]
        fits = compliance.models(survey, "question", device)
        return " or else ".join(_NAMES[model.habits] for model in fits) or "nothing"

    rows = [[f"`{name}`", told(name, True), told(name, False)] for name in DEVICES]
    return table(["device", "with an anchor it tells", "without"], rows)


def _fieldwork(results: dict) -> str:
    heads = [
        "people",
        "of 100 careless",
        "of 100 stubborn",
        "uncorrected covers",
        "corrected covers",
        "beside the oracle",
    ]
    rows = [
        [f"{n:,}", f"{100 * careless:g}", f"{100 * always:g}", f"{point.plain:.3f}", f"{point.corrected:.3f}",
         f"{point.width / point.oracle:.2f} ×"]
        for (n, share, careless, always), point in results.items()
        if share == SHARES[1]
    ]  # fmt: skip
    return table(heads, rows)
