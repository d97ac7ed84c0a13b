"""A survey of one's own: codes, collector, server and estimates."""

import argparse
import html
import os
import re
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fieldwork import CODES, SURVEY, YESNO, hostile, some_codes
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm import cli
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.estimate import estimate
from ppdm.survey import advice, codes, report
from ppdm.survey.codes import ALPHABET, Codes
from ppdm.survey.collect import collect
from ppdm.survey.commands import add_arguments
from ppdm.survey.form import form, paper, read_strings
from ppdm.survey.relate import power
from ppdm.survey.server import Lecture
from ppdm.survey.sheets import read_reports
from ppdm.survey.slides import slides


def one(mechanism, **keys) -> Survey:
    """A survey of one yes-or-no question."""
    return Survey({"A": YESNO}, [{"mechanism": mechanism, "attributes": ["A"], **keys}])


def said(no: int, yes: int) -> pd.DataFrame:
    return pd.DataFrame({"A": ["no"] * no + ["yes"] * yes})


# Codes


@given(st.tuples(*(st.sampled_from(levels) for levels in CODES.levels)), st.integers(0, 32**8 - 1))
@settings(max_examples=300, deadline=None)
def test_codes_come_back(levels, number):
    code = CODES.write(levels, codes.letters(number, 8))
    assert CODES.read(code) == (codes.letters(number, 8), levels)
    mistaken = code.lower().replace("0", "o").replace("1", "l").replace("-", " ")
    assert CODES.read(mistaken) == CODES.read(code)


def test_every_single_typing_error_and_every_swap_is_caught():
    code = CODES.write([levels[-1] for levels in CODES.levels]).replace("-", "")
    for at, letter in enumerate(code):
        wrong = [code[:at] + other + code[at + 1 :] for other in ALPHABET.replace(letter, "")]
        if at and code[at - 1] != letter:
            wrong.append(code[: at - 1] + letter + code[at - 1] + code[at + 1 :])
        for text in wrong:
            with pytest.raises(ValueError, match=r"damaged|another survey|does not have"):
                CODES.read(text)


def test_a_code_of_another_survey_is_told_apart():
    other = Codes(Survey({n: SURVEY.attributes[n] for n in SURVEY.names}, SURVEY.protection[:1]))
    assert other.whole == CODES.whole
    with pytest.raises(ValueError, match="another survey"):
        CODES.read(other.write([levels[0] for levels in other.levels]))


def test_ten_thousand_respondents_do_not_draw_the_same_number():
    """Once of 5,000 two collided with 1.2 %, and the second was refused for ever. Now of 10,000 with 1 in 20,000."""
    number = len(CODES.read(CODES.write([levels[0] for levels in CODES.levels])).number)
    assert 10_000**2 / 2 / 32**number < 1 / 20_000


@pytest.mark.parametrize("cases", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_files_give_no_report_and_stop_nothing(tmp_path, cases):
    """Lines of chance, of all bytes, of formulas and paths, of damaged codes and words like codes, with one
    good code in the midst of them. A word of the right length passes for a code one time in 1021 * 32768, and
    one line in six is such a word: 10,000 lines err below 1 in 10,000."""
    rng = np.random.default_rng(13)
    good = CODES.write([levels[0] for levels in CODES.levels])
    lines = [hostile(case % 6, rng, good)[0].replace(b"\n", b" ") for case in range(cases)]
    lines = [line for line in lines if good.encode() not in line]
    lines[cases // 2] = good.encode()
    (tmp_path / "home").mkdir()
    for name in ("a.csv", "b.txt"):
        (tmp_path / "home" / name).write_bytes(b"\n".join(lines))
    collection = collect(SURVEY, [tmp_path / "home"])
    assert [report.levels for report in collection.reports.values()] == [CODES.read(good).levels]
    assert "the same report came before" in {why for _, _, why in collection.aside}
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.csv", "b.txt", "home"]


# Collecting


def test_files_folders_and_lists_are_read_and_nothing_is_lost(tmp_path):
    wanted = some_codes(30)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(wanted[:10]) + "\n\n")
    sheet = "\ufeffcode;name\n" + "".join(f"{code};Zoé\n" for code in wanted[10:20])
    (folder / "b.csv").write_bytes(sheet.encode("cp1252", "ignore"))
    damaged = wanted[0][:-1] + ("A" if wanted[0][-1] != "A" else "B")
    listed = "\n".join([*wanted[20:], wanted[3], damaged, "hello", f"{wanted[0]}, {wanted[1]}"])
    collection = collect(SURVEY, [folder, listed])
    assert len(collection.frame) == 30
    reasons = ("the same report came", "the code is damaged:", "a code of this surve", "the same report came",
               "another code stands ")  # fmt: skip
    for (_, _, why), reason in zip(collection.aside, reasons, strict=True):
        assert why.startswith(reason)


def test_of_a_line_whose_code_is_damaged_all_is_kept(tmp_path):
    """Once a name was kept in place of the code, and a line with the word "report" not at all. A name may
    look like a code, too: all its letters are those of codes, and it is as long as one."""
    survey = one("warner", p=0.75)
    code = Codes(survey).write(("yes",), "3FQZ0ABC")
    name = "Sabine Mayersen"
    assert len(codes.clean(name)) == Codes(survey).whole
    lines = [f"report,{code[:-4]}", f"{name},{code[:-4]}", "code", f"{name},{code}"]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    (tmp_path / "b.csv").write_text(f"\nTime;Code\nMay;{code}\n")
    collection = collect(survey, [tmp_path])
    assert list(collection.reports) == ["3FQZ0ABC"]
    assert [text for _, text, _ in collection.aside] == [*lines[:3], code]
    assert collection.aside[1][0] == "a.csv, line 2"


def test_bytes_are_what_is_in_a_file_and_nothing_is_no_folder(tmp_path, monkeypatch):
    """Once an empty input was the current folder, and a sheet with a full stop no file."""
    monkeypatch.chdir(tmp_path)
    survey = one("warner", p=0.75)
    code = Codes(survey).write(("yes",))
    (tmp_path / "codes.txt").write_text(code)
    assert not collect(survey, [b"", ""]).reports
    sheet = f"\ufeffdate,code\n1.2.2026 9/30,{code}\nAnna,hello\n".encode()
    collection = collect(survey, [sheet])
    assert len(collection.reports) == 1
    assert [where for where, _, _ in collection.aside] == ["the input, line 3"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_folder_is_read_without_what_leads_out_of_it(tmp_path):
    """Once a link to /etc/passwd was read into a CSV file, and a pipe or a link to `.` refused the folder."""
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("root:x:0:0\n")
    (tmp_path / "in" / "a.txt").symlink_to(tmp_path / "secret")
    (tmp_path / "in" / "b.txt").symlink_to(".")
    os.mkfifo(tmp_path / "in" / "c.txt")
    (tmp_path / "in" / "d.txt").write_text(some_codes(1)[0])
    collection = collect(SURVEY, [tmp_path / "in"])
    assert len(collection.reports) == 1
    assert [where for where, _, _ in collection.aside] == ["a.txt", "b.txt", "c.txt"]
    assert "root" not in str(collection.aside)


def test_another_report_of_the_same_person_is_set_aside():
    reports = [CODES.write([levels[at] for levels in CODES.levels], "ABC12345") for at in (0, -1)]
    collection = collect(SURVEY, reports)
    assert len(collection.reports) == 1 and "another report of this" in collection.aside[0][2]


# Estimates


def test_power_is_what_an_interval_then_has():
    survey = one("warner", p=0.75)
    n = power(survey, "A", 0.03)
    row = estimate(said(n // 2, n - n // 2), survey).iloc[1]
    # an exact interval is wider than the normal one, by 1/n of the reported share to both sides
    assert (row["high"] - row["low"]) / 2 == pytest.approx(0.03 + 1 / n, abs=1e-4)


# Advice


def test_advice_names_the_worst_and_warns_of_readable_groups():
    lone = Survey({"A": YESNO, "B": YESNO}, one("warner", p=0.7).protection, known={"B": [1, 0]})
    for survey, words in {
        SURVEY: ("a, b shares one coin", "his best guess is right in 75 %", "1,537",
                 "where 90 % say “no”, no report"),
        Survey.from_yaml(advice.TEMPLATE): (  # its ε is that of the two that are secret, not of the anchor
            "1,707 if all follow the instructions; 3,348 if 10 of 100 do not", "have ε = 2.06"),
        lone: ("he shares of B are known, but no other question is protected as",),
        one("extended-crosswise", p=0.01): ("A is hardly protected: 99 % of the reports",),
    }.items():  # fmt: skip
        told = advice.advice(survey)
        assert all(some in told for some in words) and "nan" not in told


@pytest.mark.parametrize(
    ("protection", "words"),
    [
        ([], "no question is protected"),
        ([{"mechanism": "warner", "p": 0.5, "attributes": ["A"]}], "cannot be undone"),
        ([{"mechanism": "warner", "p": 1, "attributes": ["A"]}], "protects nothing"),
        (
            [{"mechanism": "multi-group", "theta": 0.5, "groups": [["A", "B"]]}],
            "theta must not be 0.5",
        ),
    ],
)
def test_what_protects_nothing_or_cannot_be_undone_is_refused(protection, words):
    with pytest.raises(ValueError, match=words):
        advice.check(Survey({"A": YESNO, "B": YESNO}, protection))


def test_the_worst_guess_is_that_of_brute_force():
    rng = np.random.default_rng(1)
    for danger in advice.dangers(SURVEY):
        M = scheme_of(SURVEY).matrix(SURVEY.domain.only([danger.name]))
        gains = [
            (M * p).max(axis=1).sum() / p.max() for p in rng.dirichlet(np.ones(M.shape[1]), 2000)
        ]
        assert max(gains) <= danger.guess / danger.believed + 1e-12


# The form and the report, as text


def commanded(*words: object) -> int:
    """`ppdm survey` with these words."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args([str(word) for word in words])
    return args.run(args)


def text_of(page: str) -> str:
    """What a respondent can read before she answers."""
    return html.unescape(page.split("<main>")[1].split('<section id="done"', maxsplit=1)[0])


def test_the_form_is_small_and_forbids_everything_it_does_not_need():
    page = html.unescape(form(SURVEY))
    assert len(page.encode()) < 100_000
    assert "connect-src 'none'" in page and "default-src 'none'" in page
    assert "<cheated>" not in form(SURVEY)
    sent = html.unescape(form(SURVEY, post="https://example.org/report"))
    assert "connect-src https://example.org;" in sent
    for wrong in ("ftp://x", "http://example.org/x", "https://x/'; img-src *", "javascript:1"):
        with pytest.raises(ValueError, match="address|https"):
            form(SURVEY, post=wrong)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_form_tells_the_respondent_what_the_owner_can_guess(language):
    """Once it said "Nobody learns your true answers" above questions that are sent as they are given, and told
    the owner alone that he guesses right in 75 of 100 cases."""
    survey = Survey(
        {"cheated": YESNO, "year": ["first", "later"]},
        [{"mechanism": "warner", "p": 0.75, "attributes": ["cheated"]}],
    )
    words = read_strings(language)
    text = text_of(form(survey, strings=language, contact="Ada <ada@example.org>"))
    protected, open_ = text.split("<fieldset>")[1:]
    assert words["guess"].format(right=75, blind=50) in protected
    assert words["open"] in open_ and words["open"] not in protected
    assert text.count(words["guess"].split("{")[0]) == 1  # nothing is promised for the year
    for key in ("voluntary", "stored", "erased", "agree"):
        assert words[key] in text
    assert "Ada <ada@example.org>" in text


def test_the_guess_is_that_of_the_answers_that_chance_hides():
    """One that is sent as it is, such as "I'd rather not say", is named and counts for nothing."""
    fields = text_of(form(SURVEY)).split("<fieldset>")[1:]
    told = dict(zip(SURVEY.names, fields, strict=True))
    assert "The answer “I'd rather not say” is sent as it is" in told["drunk"]
    assert "right 70 times in 100; without your report, 50 times" in told["drunk"]
    sided = one("forced-response", truth=0.7, forced=[0, 0.3])
    assert "If “no” is sent, anybody who sees it knows that your answer was “no”" in form(sided)
    assert "One coin decides for “a”, “b” together" in told["b"] and "together" not in told["c"]
    assert "keeps your answer in 75 % of all cases" in told["cheated"]
    assert "guesses your answer right 75 times in 100" in advice.for_respondents(SURVEY)[0]


def test_translations_have_every_word():
    assert set(read_strings("de")) == set(read_strings("en"))
    with pytest.raises(ValueError, match="strings lack 'toss'"):
        read_strings({k: v for k, v in read_strings("en").items() if k != "toss"})
    with pytest.raises(ValueError, match="has no {percents}"):
        read_strings({**read_strings("en"), "how_truth": "{percents}"})
    with pytest.raises(ValueError, match=r"'fr' cannot be read: No such file"):
        read_strings("fr")


DAY = 23 * 12 / 365.2425
FORCED = {"truth": 4 / 6, "forced": [1 / 6, 1 / 6]}


@pytest.mark.parametrize(
    ("survey", "device", "words"),
    [
        (one("warner", p=4 / 6), "dice", "If it shows 1–4, give your true answer. If it shows 5–6, give the opp"),
        (one("warner", p=0.7557), "birthday", "If that birthday is on day 1–23 of a month, give your true answer."),
        (one("warner", p=0.3), "digit", "If that number ends in 0–2, give your true answer."),
        (one("forced-response", **FORCED), "dice", "If it shows 5, give the answer “no”, whatever is true."),
        (one("triangular", p=DAY), "birthday", "and whether that birthday is on day 1–23 of a month."),
        (one("crosswise", p=DAY), "browser", "both or neither: “yes” twice, or “no” twice"),
        (one("crosswise", p=1 / 6), "dice", "whether it shows 1."),
        (one("extended-crosswise", p=DAY), "browser", "whether that birthday is on day 24 of a month or later."),
        (one("cheating-detection", halves=[1 / 6, 4 / 6]), "browser", "If it shows 3–6, give the answer “yes”"),
    ],
)  # fmt: skip
def test_a_device_is_described_and_the_page_draws_nothing(survey, device, words):
    """Nor does it claim the die's work; and it speaks German."""
    page, english = form(survey, device=device), read_strings("en")
    assert words in text_of(page) and "device keeps your answer" not in page
    # with one birthday for all, the report on an anchor, whose answer is known, would give away the others
    assert any(
        word in text_of(page)
        for word in ("anew for each", "another person for each", "another one for each")
    )
    assert english["intro_device"] in text_of(page) and '"steps": []' in page
    assert "{" not in text_of(form(survey, device=device, strings="de"))


@pytest.mark.parametrize(
    ("survey", "device", "words"),
    [
        (one("warner", p=0.75), "dice", "multiple of 1/6"),
        (one("warner", p=0.667), "dice", "4/6 is written 0.6666667"),
        (one("warner", p=0.25), "digit", "multiple of 1/10"),
        (one("k-rr", p=0.6), "dice", "not by k-rr"),
        (one("warner", p=0.77), "birthday", "no day of the month"),
        (one("crosswise", p=0.25), "browser", "day 8 has 0.2628"),
        (one("warner", p=0.7), "coin", "device is one of browser, dice, birthday, digit; got 'coin'"),
    ],
)  # fmt: skip
def test_what_a_device_cannot_do_is_refused(survey, device, words):
    with pytest.raises(ValueError, match=words):
        form(survey, device=device)


def test_on_paper_chance_decides_how_to_ask_and_what_is_typed_is_read(
    tmp_path, monkeypatch, capsys
):
    """200 sheets have both halves of a question (but for 1 in 2^199), and what stands in brackets is a report."""
    monkeypatch.chdir(tmp_path)
    commanded("new", "s.yml")
    commanded("paper", "s.yml", 200, "--contact", "Ada <ada@example.org>", "--strings", "de")
    page = html.unescape(Path("s-paper.html").read_text(encoding="utf-8"))
    assert page.count("<section>") == 200 and page.count("Ada <ada@example.org>") == 200
    ticks = set(re.findall(r"\[(.*?)\]</small>", page))
    survey = Survey.load("s.yml")
    assert ticks == set(scheme_of(survey).reports.levels[0])
    rows = [
        {n: list(levels)[i % len(levels)] for n, levels in zip(survey.names, Codes(survey).levels)}
        for i in range(12)
    ]
    pd.DataFrame(rows).to_csv("reports.csv", index=False)
    assert commanded("estimate", "s.yml", "reports.csv") == 0
    with pytest.raises(ValueError, match="no sheet draws what warner needs: name a --device, or"):
        paper(one("warner", p=0.75), 3)
    with pytest.raises(ValueError, match="from 1 to 1,000; got 0"):
        paper(survey, 0)


def test_a_lecture_speaks_another_language_and_takes_a_die(tmp_path, monkeypatch, capsys):
    """Once the server had the English form with the browser's coins only."""
    served = []
    one("warner", p=4 / 6).save(tmp_path / "s.json")
    monkeypatch.setattr(Lecture, "serve_forever", lambda server: served.append(server.page))
    words = ["--serve", "--port", "0", "--store", tmp_path / "codes.txt"]
    words += ["--strings", "de", "--device", "dice", "--contact", "Ada"]
    assert commanded("collect", tmp_path / "s.json", *words) == 0
    assert (
        read_strings("de")["intro_device"] in text_of(served[0])
        and "Wenn der Würfel 1–4 zeigt" in served[0]
    )
    assert "/live?key=" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"seats.txt cannot be read: No such file"):
        commanded("collect", tmp_path / "s.json", *words, "--seats", tmp_path / "seats.txt")


def test_seats_are_printed_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    SURVEY.save("s.json")
    commanded("seats", "s.json", 30, "--form", "http://192.168.1.20:8000")
    seats = Path("seats.txt").read_text().split()
    page = Path("seats.html").read_text()
    assert len(set(seats)) == 30 and all(
        f"http://192.168.1.20:8000/#{seat}" in page for seat in seats
    )
    with pytest.raises(ValueError, match="is there already, and may have been handed out"):
        commanded("seats", "s.json", 30, "--form", "http://192.168.1.20:8000")
    with pytest.raises(ValueError, match="from 1 to 5,000; got 0"):
        commanded("seats", "s.json", 0, "--form", "http://192.168.1.20:8000", "--out", "b.txt")


def test_an_estimate_that_cannot_be_is_called_so():
    """After a thousand forged votes the report said that chance had a loud voice, of 1.393 from 1.366 to 1.420."""
    survey = one("warner", p=0.75)
    page = report.page(survey, estimate(said(60, 1080), survey))
    assert "No true share leads to these reports" in page and "loud voice" not in page
    fits = estimate(said(9, 27), survey)  # just above 1, by chance
    assert fits["share"].max() == 1 and "No true share" not in report.page(survey, fits)


def test_from_the_file_to_the_report(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for action in ("new", "form", "slides"):
        commanded(action, "s.yml")
    survey = Survey.load("s.yml")
    rng, scheme, out = np.random.default_rng(1), scheme_of(survey), Codes(survey)
    true = {
        n: rng.choice(lv, 1000, p=survey.known.get(n, [0.7, 0.3] if len(lv) == 2 else None))
        for n, lv in survey.attributes.items()
    }
    sent = scheme.disguise(pd.DataFrame(true), rng)
    Path("codes.txt").write_text("\n".join(out.write(row) for row in sent.itertuples(index=False)))
    commanded("collect", "s.yml", "codes.txt", "=1+1")
    assert "'=1+1" in Path("reports-set-aside.csv").read_text()
    assert Survey.load("reports.scheme.json") == survey  # so `ppdm estimate` needs no more
    assert cli.main(["estimate", "reports.csv", "--csv", "alone.csv"]) == 0
    assert pd.read_csv("alone.csv")["reports"].min() == 1000
    more = ("--by", "year", "--pair", "cheated", "year", "--regress", "cheated", "year")
    commanded("estimate", "s.yml", "reports.csv", *more)
    names = ("shares", "pairs", "relations", "regressions", "compliance")
    shares, joint, relations, regressions, followed = (
        pd.read_csv(f"result/{name}.csv") for name in names
    )
    assert joint["share"].sum() == pytest.approx(1) and len(joint) == 6
    assert (joint["low"] < joint["share"]).all() and (joint["question"] == "cheated").all()
    assert relations["difference"].between(-1, 1).all()
    assert regressions["term"].tolist()[0] == "(intercept)"
    row = shares.set_index(["question", "answer"]).loc[("cheated", "yes")]
    assert abs(row["share"] - 0.3) < 4.5 * row["se"]
    assert followed["question"].tolist() == ["cheated"] * 2 + ["awake"] * 2  # the anchor is none
    assert followed["followed"].between(0.8, 1.2).all() and (followed["fit"] > 1e-6).all()
    more = ("--method", "em", "--by", "year", "--pair", "cheated", "awake", "--out", "likely")
    commanded("estimate", "s.yml", "reports.csv", *more)
    for name in ("shares", "by-year", "pairs"):
        low, share, high = pd.read_csv(f"likely/{name}.csv")[["low", "share", "high"]].to_numpy().T
        assert low.min() >= 0 <= share.min() and high.max() <= 1
        # where a share is held at 0, the search ends some 1e-8 above it
        assert (low <= share + 1e-6).all() and (share <= high + 1e-6).all()
    assert "likeliest ones" in Path("likely/report.html").read_text()
    page = html.unescape(Path("result/report.html").read_text())
    for words in (
        "aria-label=",
        "Logistic regression",
        "The share of “yes” to cheated among those with “later” to year",
        "Who truly says “yes” to cheated",
    ):
        assert words in page
    assert page.count("Of 100 people") == 2
    assert page.count("An anchor: its true shares are known") == 1
    order = ("Have you ever cheated", "Of 100 people", "As if all had")
    assert sorted(order, key=page.index) == [*order]
    told = capsys.readouterr().out
    for words in ("1,000 reports", "(intercept)", "if 10 of 100 do not, and it is corrected"):
        assert words in told
    assert report.page(survey, estimate(sent, survey)).count("<svg") == 9  # one an answer


def test_no_file_holds_a_formula_and_its_reports_are_read_back(tmp_path, monkeypatch):
    """A level of a survey file from elsewhere went into reports.csv and shares.csv as it was."""
    monkeypatch.chdir(tmp_path)
    levels = ["no", "=HYPERLINK(1)"]
    survey = Survey({"A": levels}, one("warner", p=0.75).protection)
    survey.save("s.json")
    commanded("collect", "s.json", *(Codes(survey).write((levels[i % 2],)) for i in range(40)))
    commanded("estimate", "s.json", "reports.csv")
    for name in ("reports.csv", "result/shares.csv"):
        text = Path(name).read_text()
        assert "'=HYPERLINK(1)" in text and not re.search(r"(^|[,\n])=", text)
    assert pd.read_csv("result/shares.csv")["reported"].tolist() == [0.5, 0.5]


AB = Survey({"A": YESNO, "B": YESNO}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A", "B"]}])


def read(folder: Path, text: str, survey: Survey = AB) -> pd.DataFrame:
    (folder / "r.csv").write_bytes(text.encode("latin-1"))
    return read_reports(folder / "r.csv", survey)


def test_trailing_commas_in_the_header_too_change_nothing(tmp_path):
    plain, commas = (
        read(tmp_path, text) for text in ("A,B\nyes,no\n\nno,no\n", "A,B,,\nyes,no,,\nno,no,,\n")
    )
    assert plain.equals(commas[["A", "B"]]) and plain["A"].tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("survey", "text", "words"),
    [
        (AB, "A,B\nyes,no\n\nno,yes,\nno,yes,,\n", "line 4 has 3 fields, and the header 2"),
        (AB, "A,B,C\n" + "yes,no,x,\n" * 9, "line 2 has 4 fields, and the header 3"),
        (AB, "A,B,A\nyes,no,no\n", "has 2 columns 'A': keep one"),
        (
            one("warner", p=0.7),
            "A\nyes\n\nno\n\n",
            "line 3 is empty, and lines with reports follow",
        ),
        (AB, "A\n\n", "has no reports, only a header"),
        (AB, "\n", "is empty: its first line names the questions"),
        (AB, 'A,B\nyes,"\nno,x\n', "no CSV: .*unexpected end of data"),
        (AB, "A\nnö\n", "no text in UTF-8"),
    ],
)
def test_reports_in_which_columns_or_rows_could_be_mistaken_are_refused(
    survey, text, words, tmp_path
):
    """Once commas at the ends of the rows gave each question the answers to the next one."""
    with pytest.raises(ValueError, match=f"r.csv.* {words}"):
        read(tmp_path, text, survey)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_reports_come_through_a_pipe(tmp_path):
    """They were read twice, and the second time nothing was there."""
    os.mkfifo(tmp_path / "r.csv")
    writer = threading.Thread(target=(tmp_path / "r.csv").write_text, args=("A,B\nyes,no\n",))
    writer.start()
    assert read_reports(tmp_path / "r.csv", AB).to_numpy().tolist() == [["yes", "no"]]
    writer.join()


# Slides


def test_slides_carry_the_numbers_of_the_survey():
    page = slides(SURVEY, "http://192.168.1.20:8000/", notes=True)
    for words in (
        "Have you ever &lt;cheated&gt; in an exam?",
        "three quarters",
        "one quarter",
        "P* = 0.75 P + 0.25 (1 − P)",
        "P = (P* − 0.25) / 0.5",
        'data-qr="http://192.168.1.20:8000/"',
        "± 14 points",
        "one of 2 points",
    ):
        assert words in page
    assert page.count("<section>") == page.count("<aside>") == 10
    assert "<aside>" not in slides(SURVEY) and "data-qr=" not in slides(SURVEY)
    forced = slides(one("forced-response", truth=2 / 3, forced=[1 / 6, 1 / 6]))
    assert "P* = 0.833 P + 0.167 (1 − P)" in forced


def test_slides_need_a_question_with_two_answers_and_an_address_that_is_one():
    three = Survey({"A": ["x", "y", "z"]}, [{"mechanism": "k-rr", "p": 0.6, "attributes": ["A"]}])
    with pytest.raises(
        ValueError, match="need a protected question with two answers; protected is A"
    ):
        slides(three)
    for wrong in ("192.168.1.20", "javascript:1", "http://x/y", "http://x/" + "y" * 99):
        with pytest.raises(ValueError, match="address"):
            slides(SURVEY, wrong)
