"""The respondent's page: one HTML file that asks, disguises in her browser, and forgets.

The file loads nothing. Its own policy forbids every request but the one POST to an address that the
owner of the survey names, and it runs no script but the three that stand in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ppdm.contract import Survey, members, read_yaml
from ppdm.disguise import MultiGroup, RRMatrix, scheme_of
from ppdm.disguise.mechanism import Mechanism
from ppdm.disguise.scheme import UnrelatedGroups
from ppdm.survey.codes import Codes

#: What a respondent may use instead of her browser's chance.
DEVICES = ("browser", "dice", "birthday")
#: Days of the month up to this one come in every month, so their share is known.
_EVERY_MONTH, _YEAR = 28, 365.2425
#: A birthday stands for a probability that it meets to this.
_CLOSE = 0.0005
#: No form is larger: it has to open on a slow telephone.
LARGEST = 100_000


def form(
    survey: Survey,
    *,
    post: str | None = None,
    device: str = "browser",
    strings: str | Path | Mapping[str, str] = "en",
) -> str:
    """The page as one HTML text.

    Parameters
    ----------
    post
        Where the report is sent when the respondent says so: an address, or a path on the server that
        the form comes from. Without it she hands in a code.
    device
        ``"browser"``: the page tosses the coins. ``"dice"`` or ``"birthday"``: the page tells her
        what to do with a real device, and she gives the answer that results.
    strings
        The words: ``"en"``, ``"de"``, a file in the form of `ppdm/survey/strings/en.yml`, or a mapping.

    >>> page = form(Survey({"smokes": ["no", "yes"]},
    ...                    [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}]))
    >>> "<script src" in page, len(page) < LARGEST
    (False, True)
    """
    words = read_strings(strings)
    details = plan(survey, words, post=post, device=device)
    script = "\n".join(_part(name) for name in ("qr.js", "form.js"))
    style = _part("form.css")
    data = json.dumps(details, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    title = escape(survey.title or "Survey")
    page = (
        f'<!doctype html>\n<html lang="{escape(words["language"], quote=True)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, style, post)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f"<p>{escape(words['intro_device' if details['device'] else 'intro'])}</p>\n"
        '<p id="told" role="status" tabindex="-1"></p>\n<div id="survey"></div>\n</main>\n'
        f'<script type="application/json" id="plan">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )
    if len(page.encode()) > LARGEST:
        raise ValueError(
            f"the form would have {len(page.encode()):,} bytes, and at most {LARGEST:,} are allowed: "
            "ask fewer questions, or shorten their words"
        )
    return page


def plan(
    survey: Survey, words: Mapping[str, str], *, post: str | None = None, device: str = "browser"
) -> dict[str, Any]:
    """What the form's script needs to know, as plain data."""
    if device not in DEVICES:
        raise ValueError(f"device is one of {', '.join(DEVICES)}; got {device!r}")
    if post is not None:
        _check_address(post)
    scheme, codes = scheme_of(survey), Codes(survey)
    axes = {name: i for i, name in enumerate(survey.names)}
    real = _real_devices(survey, device, words) if device != "browser" else {}
    steps = [step for part in scheme.parts for step in _steps(part, survey, axes)]
    kept = [
        {**step, "attributes": left}
        for step in steps
        if (left := [a for a in step["attributes"] if survey.names[a] not in real])
    ]
    return {
        "fingerprint": survey.fingerprint,
        "sign": codes.sign,
        "length": codes.length,
        "sizes": [len(levels) for levels in codes.levels],
        "post": post,
        "device": bool(real),
        "steps": kept,
        "how": _how(survey, words, real),
        "attributes": [
            {
                "question": question(survey, name),
                "levels": [str(level) for level in survey.attributes[name]],
                "reports": [str(level) for level in codes.levels[axes[name]]],
                "possible": _possible(survey, steps, axes[name], codes.levels[axes[name]]),
                **({"device": real[name]} if name in real else {}),
            }
            for name in survey.names
        ],
        "strings": dict(words),
    }


def question(survey: Survey, name: str) -> str:
    """The words in which an attribute is asked; its name where none were written.

    >>> question(Survey({"smokes": ["no", "yes"]}, questions={"smokes": "Do you smoke?"}), "smokes")
    'Do you smoke?'
    """
    return survey.questions.get(name, name)


def read_strings(strings: str | Path | Mapping[str, str]) -> dict[str, str]:
    """The form's words, checked against the English ones: none missing, every {brace} known.

    >>> read_strings("de")["language"]
    'de'
    """
    english = read_yaml(_part("strings/en.yml"))
    if isinstance(strings, Mapping):
        given = dict(strings)
    elif f"{strings}.yml" in (p.name for p in (files("ppdm.survey") / "strings").iterdir()):
        given = read_yaml(_part(f"strings/{strings}.yml"))
    else:
        try:
            given = read_yaml(Path(strings).read_text(encoding="utf-8"))
        except OSError as error:
            raise ValueError(
                f"the strings {str(strings)!r} cannot be read: {error.strerror}"
            ) from None
    if not isinstance(given, dict):
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


def _part(name: str) -> str:
    return (files("ppdm.survey") / name).read_text(encoding="utf-8")


def _policy(script: str, style: str, post: str | None) -> str:
    def own(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = {
        "default-src": "'none'",
        "script-src": own(script),
        "style-src": own(style),
        "img-src": "data:",
        "connect-src": _origin(post),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _origin(post: str | None) -> str:
    if not post:
        return "'none'"
    parts = urlsplit(post)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"


def _check_address(post: str) -> None:
    parts = urlsplit(post)
    if post.startswith("/") and not parts.netloc and post.replace("/", "").isalnum():
        return  # a place on the server that the form comes from
    safe = parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")
    )
    odd = any(letter in post for letter in " ;,'\"<>")
    if odd or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"post is an address such as https://example.org/report; got {post!r}")
    if not safe and not _private(parts.hostname):
        raise ValueError(f"post to {parts.hostname} goes through the open network: use https")


def _private(host: str) -> bool:
    """Whether a host is a machine of a local network, by number."""
    from ipaddress import ip_address

    try:
        return ip_address(host).is_private
    except ValueError:
        return False


# -- the plan --------------------------------------------------------------------------------------


def _steps(part: Mechanism, survey: Survey, axes: Mapping[str, int]) -> list[dict[str, Any]]:
    """What one mechanism does, as the script takes it."""
    if isinstance(part, RRMatrix):
        return [
            {
                "how": "matrix",
                "attributes": [axes[name]],
                "columns": {str(axes[name]): np.asarray(matrix).T.tolist()},
            }
            for name, matrix in part.matrices.items()
        ]
    if isinstance(part, MultiGroup):
        return [
            {
                "how": "flip",
                "chance": part.theta,
                "attributes": [axes[name] for name in group],
                "turned": [_turned(survey.attributes[name], part.absent) for name in group],
            }
            for group in part.groups or ()
        ]
    if isinstance(part, UnrelatedGroups):
        return [
            {
                "how": "others",
                "chance": part.q,
                "attributes": [axes[name] for name in group],
                "others": [_personal(part, survey, name) for name in group],
            }
            for group in part.groups
        ]
    raise ValueError(f"a form cannot disguise by {type(part).__name__}")


def _turned(levels: Sequence, absent) -> list[int]:
    """Where a reversal sends each level."""
    ends = [i for i, level in enumerate(levels) if absent is None or level != absent]
    return [ends[1 - ends.index(i)] if i in ends else i for i in range(len(levels))]


def _personal(part: UnrelatedGroups, survey: Survey, name: str) -> list[float]:
    personal = part.one.personal
    given = personal.get(name) if isinstance(personal, dict) else None
    levels = survey.attributes[name]
    return [1 / len(levels)] * len(levels) if given is None else [float(p) for p in given]


def _possible(survey: Survey, steps, axis: int, reports: Sequence) -> list[str]:
    """The reports that some answer can lead to."""
    for step in steps:
        if axis in step["attributes"]:
            at = step["attributes"].index(axis)
            if step["how"] == "matrix":
                columns = step["columns"][str(axis)]
                return [str(r) for y, r in enumerate(reports) if any(c[y] > 0 for c in columns)]
            if step["how"] == "others":
                return [str(r) for r in reports]
            turned = step["turned"][at]
            return [str(r) for i, r in enumerate(reports) if turned[i] != i] or [str(reports[0])]
    return []


def _how(survey: Survey, words: Mapping[str, str], real: Mapping[str, str]) -> list[str]:
    """One sentence a protection, in the respondent's words."""
    told = []
    for spec in survey.protection:
        names = [name for name in members(spec) if name not in real]
        if not names:
            continue
        kind = spec["mechanism"]
        key = {
            "multi-group": "how_flip",
            "unrelated-question": "how_others",
            "forced-response": "how_forced",
        }.get(kind, "how_truth")
        for group in spec.get("groups", [[name] for name in names]):
            asked = _quoted([question(survey, name) for name in group])
            for chance in _chances(spec, survey, group[0]):
                told.append(words[key].format(questions=asked, percent=chance))
    open_ = [question(survey, name) for name in survey.names if name not in survey.protected]
    if open_:
        told.append(words["how_open"].format(questions=_quoted(open_)))
    return told


def _chances(spec: Mapping[str, Any], survey: Survey, name: str) -> list[str]:
    """The chance of the truth, in per cent; that of a matrix is its smallest."""
    if spec["mechanism"] == "matrix":
        matrix, outputs = spec["matrix"], spec.get("outputs", survey.attributes[name])
        kept = [
            matrix[list(outputs).index(level)][x] if level in outputs else 0.0
            for x, level in enumerate(survey.attributes[name])
        ]
        low, high = min(kept), max(kept)
        return [_percent(low) if low == high else f"{_percent(low)}–{_percent(high)}"]
    chance = next(spec[key] for key in ("p", "theta", "q", "truth") if key in spec)
    return [_percent(chance)]


def _percent(chance: float) -> str:
    return f"{100 * chance:.3g} %"


def _quoted(questions: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in questions)


# -- real devices ----------------------------------------------------------------------------------


def _real_devices(survey: Survey, device: str, words: Mapping[str, str]) -> dict[str, str]:
    """For each protected attribute what the respondent does with a die or a birthday."""
    told = {}
    for spec in survey.protection:
        kind = spec["mechanism"]
        for name in members(spec):
            asked = _quoted([question(survey, name)])
            if device == "dice" and kind == "warner":
                faces = _sixths(spec["p"], "p")
                text = _faces(words, "die_truth", 1, faces) + _faces(
                    words, "die_other", faces + 1, 6
                )
                told[name] = words["how_dice"].format(questions=asked, faces=" ".join(text))
            elif device == "dice" and kind == "forced-response":
                told[name] = words["how_dice"].format(
                    questions=asked,
                    faces=" ".join(_forced_faces(words, spec, survey.attributes[name])),
                )
            elif device == "birthday" and kind == "warner":
                day = words["day_truth"].format(day=_day(spec["p"]))
                days = f"{day} {words['day_other']}"
                told[name] = words["how_birthday"].format(questions=asked, days=days)
            else:
                fits = "warner and forced-response" if device == "dice" else "warner"
                raise ValueError(
                    f"with {device} {name!r} can be protected by {fits}, not by {kind}"
                )
    return told


def _forced_faces(words, spec, levels) -> list[str]:
    last = _sixths(spec["truth"], "truth")
    text = _faces(words, "die_truth", 1, last)
    for level, chance in zip(levels, spec["forced"], strict=True):
        first, last = last + 1, last + _sixths(chance, "forced")
        text += _faces(words, "die_forced", first, last, answer=level)
    return text


def _faces(words, key: str, first: int, last: int, **more) -> list[str]:
    if last < first:
        return []
    faces = str(first) if first == last else f"{first}–{last}"
    return [words[key].format(faces=faces, **more)]


def _sixths(chance: float, name: str) -> int:
    faces = round(chance * 6)
    if abs(chance * 6 - faces) > 1e-6:
        raise ValueError(
            f"a die has six faces: {name} must be a multiple of 1/6; got {chance:g}, and {faces}/6 is written "
            f"{faces / 6:.7f}"
        )
    return faces


def _day(p: float) -> int:
    """The day of the month up to which birthdays have the share p."""
    days = {day: 12 * day / _YEAR for day in range(1, _EVERY_MONTH + 1)}
    nearest = min(days, key=lambda day: abs(days[day] - p))
    if abs(days[nearest] - p) > _CLOSE:
        raise ValueError(
            f"no day of the month has the share p = {p:g}; day {nearest} has {days[nearest]:.4f}: "
            "write that for p"
        )
    return nearest
