"""The respondent's page: one HTML file that asks, disguises in her browser, and forgets.

The file loads nothing. Its own policy forbids every request but the one POST to an address that the
owner of the survey names, and it runs no script but the one that stands in it. It says of each question
how far it is protected, in the number that the owner reads, too.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ppdm.contract import Survey, groups, members, read_yaml
from ppdm.disguise import scheme_of
from ppdm.domain import listed
from ppdm.survey.codes import Codes
from ppdm.survey.devices import DEVICES, IN_MIND, drawn, instructions
from ppdm.survey.pages import read, render

#: No form is larger: it has to open on a slow telephone.
LARGEST = 150_000
#: So many sheets are printed at once.
MOST_SHEETS = 1_000
#: The words that the page's script says; the others stand in the page.
_SAID = [
    "unanswered", "no_storage", "no_chance", "copied", "marked", "sending", "was_sent", "not_sent",
    "done", "again",
]  # fmt: skip
#: The sentence on each kind of protection, and which of its numbers is the chance of the truth.
_SENTENCES = {
    "warner": ("how_truth", "p"), "k-rr": ("how_truth", "p"),
    "forced-response": ("how_forced", "truth"), "multi-group": ("how_truth", "theta"),
    "unrelated-question": ("how_others", "q"), "triangular": ("how_triangular", "p"),
}  # fmt: skip


def form(
    survey: Survey,
    *,
    post: str | None = None,
    device: str = "browser",
    strings: str | Path | Mapping[str, str] = "en",
    contact: str = "",
    seats: bool = False,
) -> str:
    """The page as one HTML text.

    Parameters
    ----------
    post
        Where the report is sent as soon as chance has spoken: an address, or a path on the server that
        the form comes from. Without it the respondent hands in a code.
    device
        ``"browser"``: the page tosses the coins, where the mechanism lets it. Any other of
        `ppdm.survey.devices.DEVICES`: the page says what to do with it, and she gives what results.
    strings
        The words: ``"en"``, ``"de"``, a file in the form of `ppdm/survey/strings/en.yml`, or a mapping.
    contact
        Who asks, what for, how long the reports are kept, and to whom a respondent can turn.
    seats
        Whether each respondent has the letters of a seat, which are good for one report.

    >>> page = form(Survey({"smokes": ["no", "yes"]},
    ...                    [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}]))
    >>> "<script src" in page, len(page) < LARGEST
    (False, True)
    """
    words = read_strings(strings)
    if device not in ("browser", *DEVICES):
        raise ValueError(f"device is one of browser, {', '.join(DEVICES)}; got {device!r}")
    if post is not None:
        _check_address(post)
    asked = questions(survey, words, device)
    tosses = any(drawn(spec, device) for spec in survey.protection)
    script = f"{read('vendor/qrcode.js')}\n{read('form.js')}"
    style = read("templates/page.css")
    page = render(
        "form",
        language=words["language"],
        title=survey.title or words["survey"],
        words=words,
        intro=words["intro" if tosses else "intro_device"],
        contact=contact,
        questions=asked,
        plan=plan(survey, asked, device) | {
            "post": post, "seats": seats, "say": {key: words[key] for key in _SAID},
        },
        button=f"{'toss' if tosses else 'go_on'}{'_send' if post else ''}",
        code_note="code_sent" if post else "code_note",
        policy=_policy(script, style, post),
        script=script,
        style=style,
    )  # fmt: skip
    if len(page.encode()) > LARGEST:
        raise ValueError(
            f"the form would have {len(page.encode()):,} bytes, and at most {LARGEST:,} are allowed: "
            "ask fewer questions, or shorten their words"
        )
    return page


def paper(
    survey: Survey,
    number: int,
    *,
    device: str = "browser",
    strings: str | Path | Mapping[str, str] = "en",
    contact: str = "",
) -> str:
    """Sheets to print, one a respondent: to be filled in, or read out in an interview.

    Where chance decides how to ask, it does so for each sheet.

    >>> spec = {"mechanism": "extended-crosswise", "p": 0.2628, "attributes": ["A"]}
    >>> paper(Survey({"A": ["no", "yes"]}, [spec]), 3).count("<section>")
    3
    """
    if not 0 < number <= MOST_SHEETS:
        raise ValueError(f"the number of sheets is from 1 to {MOST_SHEETS:,}; got {number}")
    for spec in survey.protection:
        if drawn(spec, device):
            raise ValueError(
                f"no sheet draws what {spec['mechanism']} needs: name a --device, or protect {listed(members(spec))} by "
                f"{', '.join(IN_MIND)}"
            )
    words, sheets = read_strings(strings), []
    asked = questions(survey, words, device)
    for _ in range(number):
        sheet = []
        for question in asked:
            at, start = secrets.randbelow(len(question["ways"])), 0
            for way in question["ways"][:at]:
                start += len(way["options"])
            way = question["ways"][at]
            told = zip(way["options"], question["reports"][start:], strict=False)
            sheet.append((question, {"hints": way["hints"], "told": list(told)}))
        sheets.append(sheet)
    title = survey.title or words["survey"]
    return render(
        "paper",
        language=words["language"],
        title=title,
        words=words,
        contact=contact,
        sheets=sheets,
    )


def questions(survey: Survey, words: Mapping[str, str], device: str) -> list[dict[str, Any]]:
    """Each question as the page asks it: what to do, and the answers to choose from."""
    scheme, specs = scheme_of(survey), {n: s for s in survey.protection for n in members(s)}
    hints, asked = promises(survey, words, device), []
    for name, reports in zip(survey.names, Codes(survey).levels, strict=True):
        own = {"hints": [], "options": survey.attributes[name], "labels": reports}
        if name in specs:
            own |= instructions(specs[name], name, survey.attributes[name], words, device)
        # Two reports can stand for each other if some true answer may lead to both.
        possible = scheme.matrix(survey.domain.only([name])) > 0
        others = (possible @ possible.T) & ~np.eye(len(possible), dtype=bool)
        labels = [str(label) for label in own["labels"]]
        asked.append(
            {
                "question": question(survey, name),
                "hints": hints[name],
                "ways": own.get("ways") or [{"chance": 1, **own}],
                "reports": [str(level) for level in reports],
                "labels": labels,
                "others": [
                    ", ".join(
                        dict.fromkeys(
                            text
                            for text, other in zip(labels, row, strict=True)
                            if other and text != label
                        )
                    )
                    or words["nothing_else"]
                    for label, row in zip(labels, others, strict=True)
                ],
            }
        )
    return asked


def plan(survey: Survey, asked: Sequence[Mapping[str, Any]], device: str) -> dict[str, Any]:
    """What the page's script needs to know, as plain data."""
    codes = Codes(survey)
    return {
        "survey": survey.fingerprint,
        "sign": codes.sign,
        "length": codes.length,
        "sizes": [len(levels) for levels in codes.levels],
        "steps": _steps(survey, device),
        "ways": [[way["chance"] for way in entry["ways"]] for entry in asked],
        **{key: [entry[key] for entry in asked] for key in ("reports", "labels", "others")},
    }


def _steps(survey: Survey, device: str) -> list[dict[str, Any]]:
    """Each coin of the page with the questions that share it, and what becomes of their answers where it does not keep
    them: M = chance I + (1 - chance) columns."""
    scheme, steps = scheme_of(survey), []
    for spec in survey.protection:
        if not drawn(spec, device):
            continue
        chance = spec.get("theta", spec.get("q", 0.0))
        for group in groups(spec):
            matrices = [scheme.matrix(survey.domain.only([name])) for name in group]
            columns = [(M - chance * np.eye(*M.shape)) / (1 - chance or 1) for M in matrices]
            steps.append(
                {
                    "chance": chance,
                    "questions": [survey.names.index(name) for name in group],
                    "columns": [c.clip(0).T.round(12).tolist() for c in columns],
                }
            )
    return steps


# -- words -----------------------------------------------------------------------------------------


def question(survey: Survey, name: str) -> str:
    """The words in which an attribute is asked; its name where none were written.

    >>> question(Survey({"smokes": ["no", "yes"]}, questions={"smokes": "Do you smoke?"}), "smokes")
    'Do you smoke?'
    """
    return survey.questions.get(name, name)


def promises(
    survey: Survey, words: Mapping[str, str], device: str = "browser"
) -> dict[str, list[str]]:
    """What the page says of each question: what chance does, and how often a guess is right all the same."""
    scheme, sentences = scheme_of(survey), {name: [words["open"]] for name in survey.names}
    for spec in survey.protection:
        how, key = _SENTENCES.get(spec["mechanism"], ("how_matrix", ""))
        if not drawn(spec, device):
            how = "protected"
        tossed = words[how].format(percent=f"{100 * spec.get(key, 0):.3g} %")
        for group in groups(spec):
            quoted = ", ".join(f"“{question(survey, name)}”" for name in group)
            together = [words["together"].format(questions=quoted)] if len(group) > 1 else []
            for name in group:
                M = scheme.matrix(survey.domain.only([name]))
                right, blind = (round(100 * chance) for chance in _guess(M))
                guess = words["guess"].format(right=right, blind=blind)
                sentences[name] = [f"{tossed} {guess}", *together]
                reports = scheme.reports.only([name]).levels[0]
                for y in np.flatnonzero((M > 0).sum(axis=1) == 1):  # only one answer leads to it
                    x = int(M[y].argmax())
                    sentence = words["as_it_is" if bare(M)[x] else "certain"]
                    answer, report = survey.attributes[name][x], reports[y]
                    if spec["mechanism"] == "cheating-detection":  # the half is not hers
                        report = str(report).partition(": ")[2]
                    sentence = sentence.format(answer=answer, report=report)
                    sentences[name] += [sentence] * (sentence not in sentences[name])
    return sentences


def bare(M: np.ndarray) -> np.ndarray:
    """Which answers are sent as they are, in reports that no other answer leads to."""
    alone = (M > 0).sum(axis=1) == 1
    return M[alone].sum(axis=0) > 1 - 1e-9


def _guess(M: np.ndarray) -> tuple[float, float]:
    """How often the best guess of a hidden answer is right, with the report and without: where all are
    equally likely, since there the report adds most.

    >>> _guess(np.array([[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0, 1]]))
    (0.75, 0.5)
    """
    hidden = M[:, ~bare(M)]
    number = hidden.shape[1] or 1
    return float(hidden.max(axis=1, initial=0).sum() / number), 1 / number


def read_strings(strings: str | Path | Mapping[str, str]) -> dict[str, str]:
    """The form's words, checked against the English ones: none missing, every {brace} known.

    >>> read_strings("de")["language"]
    'de'
    """
    english, given = read_yaml(read("strings/en.yml")), strings
    if not isinstance(given, Mapping):
        kept = files("ppdm.survey") / "strings" / f"{strings}.yml"
        try:
            place = kept if kept.is_file() else Path(str(strings))
            given = read_yaml(place.read_text(encoding="utf-8"))
        except OSError as error:
            raise ValueError(
                f"the strings {str(strings)!r} cannot be read: {error.strerror}"
            ) from None
    if not isinstance(given, Mapping):
        raise ValueError("strings are a mapping, as in ppdm/survey/strings/en.yml")
    for key, text in english.items():
        if not isinstance(given.get(key), str):
            raise ValueError(f"strings lack {key!r}, in English: {text}")
        unknown = _braces(given[key]) - _braces(text)
        if unknown:
            raise ValueError(f"strings: {key!r} has no {{{unknown.pop()}}}; in English: {text}")
    return {key: given[key] for key in english}


def _braces(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


# -- where the page may send to --------------------------------------------------------------------


def _policy(script: str, style: str, post: str | None) -> str:
    def own(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    there = urlsplit(post or "")
    origin = f"{there.scheme}://{there.netloc}" if there.netloc else "'self'" if post else "'none'"
    return (
        f"default-src 'none'; script-src {own(script)}; style-src {own(style)}; img-src data:; "
        f"connect-src {origin}; base-uri 'none'; form-action 'none'"
    )


def _check_address(post: str) -> None:
    parts = urlsplit(post)
    if post.startswith("/") and not parts.netloc and post.replace("/", "").isalnum():
        return  # a place on the server that the form comes from
    odd = any(letter in post for letter in " ;,'\"<>")
    if odd or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"post is an address such as https://example.org/report; got {post!r}")
    if parts.scheme == "http" and not _is_near(parts.hostname):
        raise ValueError(f"post to {parts.hostname} goes through the open network: use https")


def _is_near(host: str) -> bool:
    """Whether a host is this machine, or one of a local network by its number."""
    try:
        return host == "localhost" or ip_address(host).is_private
    except ValueError:
        return False
