"""A survey of one's own: codes, collector, server and estimates."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ppdm import Table
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.survey import advice, codes, report
from ppdm.survey.codes import ALPHABET, Codes
from ppdm.survey.collect import Collection, Store, collect
from ppdm.survey.commands import add_arguments
from ppdm.survey.estimate import estimate
from ppdm.survey.form import form, read_strings
from ppdm.survey.relate import (
    as_reports,
    em_shares,
    pairs,
    power,
    regression,
    relation,
    two_samples,
)
from ppdm.survey.server import BODY, Bucket, Lecture
from ppdm.survey.slides import slides

YESNO = ["no", "yes"]
SURVEY = Survey(
    {"cheated": YESNO, "dose": ["never", "once", "often"], "a": YESNO, "b": YESNO, "c": YESNO, "d": YESNO,
     "year": ["first", "second", "later"]},
    [
        {"mechanism": "warner", "p": 0.75, "attributes": ["cheated"]},
        {"mechanism": "k-rr", "p": 0.6, "attributes": ["dose"]},
        {"mechanism": "multi-group", "theta": 0.8, "groups": [["a", "b"]]},
        {"mechanism": "unrelated-question", "q": 0.7, "groups": [["c"]], "personal": {"c": [0.3, 0.7]}},
        {"mechanism": "forced-response", "truth": 4 / 6, "forced": [1 / 6, 1 / 6], "attributes": ["d"]},
    ],
    title="A test",
    questions={"cheated": "Have you ever <cheated>?"},
)  # fmt: skip
CODES = Codes(SURVEY)


def one(mechanism, **keys) -> Survey:
    """A survey of one yes-or-no question."""
    return Survey({"A": YESNO}, [{"mechanism": mechanism, "attributes": ["A"], **keys}])


def said(no: int, yes: int) -> pd.DataFrame:
    return pd.DataFrame({"A": ["no"] * no + ["yes"] * yes})


# Codes


@given(st.tuples(*(st.sampled_from(levels) for levels in CODES.levels)), st.integers(0, 32**6 - 1))
@settings(max_examples=300, deadline=None)
def test_codes_come_back(levels, number):
    code = CODES.write(levels, codes._letters(number, 6))
    assert CODES.read(code).levels == levels
    mistaken = code.lower().replace("0", "o").replace("1", "l").replace("-", " ")
    assert CODES.read(mistaken) == CODES.read(code)


def test_every_single_typing_error_and_every_swap_is_caught():
    code = CODES.write(("yes", "once", "no", "yes", "yes", "no", "later"), "3FQZ0A").replace(
        "-", ""
    )
    for at, letter in enumerate(code):
        for other in ALPHABET.replace(letter, ""):
            with pytest.raises(ValueError, match=r"damaged|another survey|does not have"):
                CODES.read(code[:at] + other + code[at + 1 :])
        if at and code[at - 1] != letter:
            swapped = code[: at - 1] + letter + code[at - 1] + code[at + 1 :]
            with pytest.raises(ValueError, match=r"damaged|another survey|does not have"):
                CODES.read(swapped)


def test_a_code_of_another_survey_is_told_apart():
    other = Codes(Survey({n: SURVEY.attributes[n] for n in SURVEY.names}, SURVEY.protection[:1]))
    assert other.whole == CODES.whole
    with pytest.raises(ValueError, match="another survey"):
        CODES.read(other.write([levels[0] for levels in other.levels]))


@pytest.mark.parametrize("cases", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_decoder_takes_no_nonsense(cases):
    """Random bytes, damaged codes, code-like words. A word of the right length passes the two check
    letters and the survey's three letters one time in 1021 * 32768: 10,000 cases err below 1 in 3,000."""
    rng = np.random.default_rng(5)
    found = Collection(SURVEY)
    good = CODES.write([levels[-1] for levels in CODES.levels])
    for case in range(cases):
        kind = case % 4
        if kind == 0:
            text = bytes(rng.integers(0, 256, rng.integers(0, 400))).decode("latin-1")
        elif kind == 1:
            text = "".join(rng.choice(list(ALPHABET + "-"), rng.integers(0, 30)))
        elif kind == 2:
            text = "".join(rng.choice(list(ALPHABET), CODES.whole))
        else:
            letters = list(good.replace("-", ""))
            letters[rng.integers(len(letters))] = "?../\x00é\n"[rng.integers(7)]
            text = "".join(letters)
        found.add(text)
    assert not found.reports and len(found.aside) == cases


@pytest.mark.parametrize("cases", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_files_give_no_report_and_stop_nothing(tmp_path, cases):
    """Lines of chance, of all bytes, of formulas and of paths, with one good code in the midst of them."""
    rng = np.random.default_rng(13)
    good = CODES.write([levels[0] for levels in CODES.levels])
    lines = [bytes(rng.integers(0, 256, rng.integers(0, 300))) for _ in range(cases)]
    lines[::5] = [
        b"=cmd|' /C calc'!A0",
        b"../../etc/passwd",
        b'"' * 99,
        good[:-1].encode(),
        b",",
    ] * (cases // 25)
    lines[cases // 2] = good.encode()
    (tmp_path / "home").mkdir()
    for name in ("a.csv", "b.txt"):
        (tmp_path / "home" / name).write_bytes(b"\n".join(lines))
    found = collect(SURVEY, [tmp_path / "home"])
    assert [report.levels for report in found.reports.values()] == [CODES.read(good).levels]
    assert "the same report came before" in set(found.set_aside["why"])
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.csv", "b.txt", "home"]


# Collecting


def some_codes(number: int, seed: int = 1) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        CODES.write(
            [levels[rng.integers(len(levels))] for levels in CODES.levels], codes._letters(i, 6)
        )
        for i in rng.choice(32**6, number, replace=False)
    ]


def test_files_folders_and_lists_are_read_and_nothing_is_lost(tmp_path):
    wanted = some_codes(30)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(wanted[:10]) + "\n\n")
    (folder / "b.csv").write_bytes(
        ("﻿code;name\n" + "".join(f"{c};Zoé\n" for c in wanted[10:20])).encode("cp1252", "ignore")
    )
    damaged = wanted[0][:-1] + ("A" if wanted[0][-1] != "A" else "B")
    listed = "\n".join([*wanted[20:], wanted[3], damaged, "hello"])
    found = collect(SURVEY, [folder, listed])
    assert len(found.frame) == 30
    assert found.set_aside["why"].str[:20].tolist() == [
        "the same report came",
        "the code is damaged:",
        "a code of this surve",
    ]
    assert sorted(found.reports) == list(found.reports) or len(found.reports) == 30


def test_a_name_that_looks_like_a_code_hides_none():
    """All its letters are those of codes, and it is as long as one."""
    survey = one("warner", p=0.75)
    code = Codes(survey).write(("yes",))
    name = "Sabine Mayers"
    assert len(codes.clean(name)) == Codes(survey).whole
    assert len(collect(survey, [f"{name};{code}"]).reports) == 1
    found = collect(survey, [f"{name};nothing"])
    assert [text for _, text, _ in found.aside] == [name]


def test_of_a_line_whose_code_is_damaged_all_is_kept(tmp_path):
    """Once a name was kept in place of the code, and a line with the word "report" not at all."""
    survey = one("warner", p=0.75)
    code = Codes(survey).write(("yes",), "3FQZ0A")
    lines = [f"report,{code[:-4]}", f"Anna,{code[:-4]}", "code", f"report,{code}"]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    (tmp_path / "b.csv").write_text(f"\nTime;Code\nMay;{code}\n")
    found = collect(survey, [tmp_path])
    assert list(found.reports) == ["3FQZ0A"]
    assert [text for _, text, _ in found.aside] == [*lines[:3], code]
    assert found.aside[1][::2] == ("a.csv, line 2", "nothing in the line is a code of this survey")


def test_a_second_code_in_a_line_is_kept_aside():
    survey = one("warner", p=0.75)
    first, second = (Codes(survey).write(("yes",), number) for number in ("3FQZ0A", "3FQZ0B"))
    found = collect(survey, [f"{first}, {second}"])
    assert list(found.reports) == ["3FQZ0A"]
    assert found.aside == [("", second, "another code stands before it in the line")]


def test_bytes_are_what_is_in_a_file_and_nothing_is_no_folder(tmp_path, monkeypatch):
    """Once an empty input was the current folder, and a sheet with a full stop no file."""
    monkeypatch.chdir(tmp_path)
    survey = one("warner", p=0.75)
    code = Codes(survey).write(("yes",))
    (tmp_path / "codes.txt").write_text(code)
    assert not collect(survey, [b"", ""]).reports
    sheet = f"\ufeffdate,code\n1.2.2026 9/30,{code}\nAnna,hello\n".encode()
    found = collect(survey, [sheet])
    assert len(found.reports) == 1
    assert [where for where, _, _ in found.aside] == ["the input, line 3"]


def test_another_report_of_the_same_person_is_set_aside():
    first = CODES.write([levels[0] for levels in CODES.levels], "ABC123")
    second = CODES.write([levels[-1] for levels in CODES.levels], "ABC123")
    found = collect(SURVEY, [first, second])
    assert len(found.reports) == 1 and "another report of this respondent" in found.aside[0][2]


def test_what_is_kept_tells_no_order(tmp_path):
    wanted = some_codes(40)
    store = Store(SURVEY, tmp_path / "codes.txt")
    assert [store.accept(code) for code in wanted] == [None] * 40
    kept = (tmp_path / "codes.txt").read_text().split()
    assert kept == sorted(wanted, key=lambda c: c.replace("-", "")[3:9])
    assert store.accept(wanted[0]) is None  # sent again: the same report, counted once
    assert len(Store(SURVEY, tmp_path / "codes.txt").frame()) == 40


# The server


@pytest.fixture
def lecture(tmp_path):
    server = Lecture(SURVEY, tmp_path / "codes.txt", port=0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def ask(server, method, path, body=None, headers=()):
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_two_hundred_telephones_at_once(lecture, tmp_path):
    wanted = some_codes(200)
    with ThreadPoolExecutor(200) as pool:
        told = list(pool.map(lambda code: ask(lecture, "POST", "/report", code)[0], wanted))
    assert told == [200] * 200
    kept = (tmp_path / "codes.txt").read_text().split()
    assert sorted(kept) == sorted(wanted)


def test_the_live_page_moves_in_steps_of_ten(lecture):
    for i, code in enumerate(some_codes(25), 1):
        assert ask(lecture, "POST", "/report", code)[0] == 200
        if i in (9, 10, 25):
            told = json.loads(ask(lecture, "GET", "/live.json")[1])
            assert told["respondents"] == i - i % 10
    rows = [row for row in told["shares"] if row["question"] == "cheated"]
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-5)
    assert ask(lecture, "GET", "/live")[0] == 200


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/codes.txt", "/report", "/live.json?x=1"])
def test_nothing_else_is_served(lecture, path):
    assert ask(lecture, "GET", path)[0] == 404


@pytest.mark.parametrize("cases", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_bodies_are_refused_and_nothing_is_kept(lecture, tmp_path, monkeypatch, cases):
    """A word of the right length passes for a code one time in 1021 * 32768, and one case in seven is such
    a word: 10,000 cases err below 1 in 20,000."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    lecture.bucket.left = lecture.bucket.burst = 1e9
    rng = np.random.default_rng(9)
    good = some_codes(1)[0]
    for case in range(cases):
        body, headers = hostile(case % 7, rng, good)
        status, told = ask(lecture, "POST", "/report", body, headers)
        assert status in (400, 413), (body, told)
    assert ask(lecture, "POST", "/report", good)[0] == 200  # it still listens
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["codes.txt"]
    assert (tmp_path / "codes.txt").read_text().split() == [good]


def hostile(kind: int, rng, good: str) -> tuple[bytes, dict]:
    """Bytes of chance, lengths that lie, damaged codes, words like codes, another form, paths."""
    if kind == 0:
        return bytes(rng.integers(0, 256, rng.integers(0, BODY))), {}
    if kind == 1:
        return b"x", {"Content-Length": str(rng.choice([10**9, 2**63, BODY + 1]))}
    if kind == 2:
        return b"", {"Content-Length": str(rng.choice(["-5", "1e3", "", "0x10", "\xb2"]))}
    if kind == 3:
        letters = list(good)
        at = int(rng.integers(len(letters)))
        letters[at] = (
            rng.choice([c for c in ALPHABET if c != letters[at]]) if letters[at] != "-" else "U"
        )
        return "".join(letters).encode(), {}
    if kind == 4:
        return "".join(rng.choice(list(ALPHABET), CODES.whole)).encode(), {}
    if kind == 5:
        return json.dumps({"code": good, "n": int(rng.integers(9**9))}).encode(), {
            "Content-Type": "application/json"
        }
    end = bytes(rng.integers(32, 127, 8))
    start = [b"../../codes.txt", b"%2e%2e%2f", b"=cmd|", b"\x00\x00", good.encode() * 2]
    return (start[rng.integers(len(start))] + end)[:BODY], {}


def test_too_many_at_once_are_asked_to_wait(lecture):
    lecture.bucket.left, lecture.bucket.rate = 1, 0
    first, second = some_codes(2)
    assert ask(lecture, "POST", "/report", first)[0] == 200
    assert ask(lecture, "POST", "/report", second)[0] == 429
    with pytest.raises(StopIteration):
        Bucket(clock=iter(()).__next__)


def test_a_kill_loses_no_accepted_report(tmp_path):
    SURVEY.save(tmp_path / "s.json")
    job = [sys.executable, "-m", "ppdm", "survey", "collect", "s.json", "--serve", "--port", "0"]
    process = subprocess.Popen(
        job,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        address = process.stdout.readline().split("http://")[1].strip().rstrip("/")
        host, port = address.split(":")
        wanted, confirmed = some_codes(400), []

        class There:
            server_address = (host, int(port))

        def send(code: str) -> None:
            """One telephone; the thirtieth confirmation is the server's last."""
            try:
                if ask(There, "POST", "/report", code)[0] == 200:
                    confirmed.append(code)
            except OSError:
                return
            if len(confirmed) >= 30:
                os.kill(process.pid, signal.SIGKILL)

        with ThreadPoolExecutor(8) as telephones:
            list(telephones.map(send, wanted))
        assert 30 <= len(confirmed) < 400
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    kept = (tmp_path / "codes.txt").read_text().split()
    assert set(confirmed) <= set(kept) <= set(wanted)
    assert len(Store(SURVEY, tmp_path / "codes.txt").frame()) == len(kept)


# Estimates, against published programs' examples


@pytest.mark.parametrize(
    ("survey", "no", "yes", "share", "se"),
    [
        (one("forced-response", truth=2 / 3, forced=[1 / 6, 1 / 6]), 1604, 831, 0.261910, 0.014416),
        (one("warner", p=0.7), 570, 430, 0.325, 0.039159),
        (
            one("unrelated-question", q=0.7, personal={"A": [0.7, 0.3]}),
            570,
            430,
            0.485714,
            0.022376,
        ),
    ],
)
def test_shares_and_errors_are_the_published_ones(survey, no, yes, share, se):
    row = estimate(said(no, yes), survey).iloc[1]
    assert row["share"] == pytest.approx(share, abs=5e-7)
    assert row["se"] == pytest.approx(se, abs=5e-7)
    assert row["reports"] == no + yes


def test_two_unknown_shares_are_the_published_ones():
    assert two_samples((0.8, 0.3), (260, 170), (500, 500)) == pytest.approx(
        (0.592, 0.232), abs=5e-7
    )


def test_pairs_undo_the_expected_reports_exactly_and_em_stays_in_the_simplex():
    scheme = scheme_of(SURVEY)
    rng = np.random.default_rng(3)
    true = Table(
        SURVEY.domain, rng.multinomial(100_000, rng.dirichlet(np.ones(SURVEY.domain.size)))
    )
    asked = scheme.apply(true)
    for a, b in (("a", "b"), ("cheated", "c"), ("d", "year")):
        told = pairs(asked, SURVEY, a, b)["estimate"].to_numpy()
        assert told == pytest.approx(true.marginal(a, b).dense.reshape(-1) / 100_000, abs=1e-9)
        likely = em_shares(asked, SURVEY, [a, b])["estimate"]
        assert likely.to_numpy() == pytest.approx(told, abs=1e-4) and (likely >= 0).all()


def test_intervals_cover_as_often_as_they_say():
    """400 surveys of 500: at 95 % the covered ones are 380 ± 4.4; 360 to 398 errs below 1 in 50,000."""
    survey, rng = one("warner", p=0.75), np.random.default_rng(4)
    yes = rng.binomial(500, 0.75 * 0.3 + 0.25 * 0.7, size=400)
    told = [estimate(said(500 - y, y), survey).iloc[1] for y in yes]
    assert 360 <= sum(row["low"] <= 0.3 <= row["high"] for row in told) <= 398


def test_power_is_what_an_interval_then_has():
    survey = one("warner", p=0.75)
    n = power(survey, "A", 0.03)
    row = estimate(said(n // 2, n - n // 2), survey).iloc[1]
    assert (row["high"] - row["low"]) / 2 == pytest.approx(0.03, abs=1e-4)


def test_subgroups_are_surveys_of_their_own():
    rng = np.random.default_rng(2)
    frame = as_reports(
        pd.DataFrame(
            {n: rng.choice([str(v) for v in lv], 300) for n, lv in zip(SURVEY.names, CODES.levels)}
        ),
        SURVEY,
    )
    by = estimate(frame, SURVEY, by="year")
    second = estimate(frame[frame["year"] == "second"], SURVEY)
    mine = by[(by["year"] == "second") & (by["question"] == "dose")]["share"].tolist()
    assert mine == pytest.approx(second[second["question"] == "dose"]["share"].tolist())


def test_a_relation_is_found_and_its_interval_holds_none_where_there_is_none():
    both = {"mechanism": "warner", "p": 0.85, "attributes": ["A", "B"]}
    survey, rng = Survey({"A": YESNO, "B": YESNO}, [both]), np.random.default_rng(8)
    scheme = scheme_of(survey)
    together = scheme.disguise_table(Table(survey.domain, [2000, 500, 500, 2000]), rng)
    apart = scheme.disguise_table(Table(survey.domain, [1250, 1250, 1250, 1250]), rng)
    assert relation(together, survey, "A", "B", rng).low > 0.4
    found = relation(apart, survey, "A", "B", rng)
    assert found.low < 0 < found.high


def test_a_regression_is_the_peak_of_the_likelihood():
    """Against another search (simplex, no derivatives) of a likelihood that is written out anew."""
    forced = {
        "mechanism": "forced-response",
        "truth": 0.7,
        "forced": [0.1, 0.2],
        "attributes": ["A"],
    }
    survey = Survey({"A": YESNO, "age": [20, 30, 40], "sex": ["f", "m"]}, [forced])
    rng = np.random.default_rng(6)
    age, man = rng.choice([20, 30, 40], 3000), rng.random(3000) < 0.5
    true = rng.random(3000) < 1 / (1 + np.exp(-(-2 + 0.05 * age - 0.8 * man)))
    frame = pd.DataFrame(
        {"A": np.where(true, "yes", "no"), "age": age, "sex": np.where(man, "m", "f")}
    )
    reports = scheme_of(survey).disguise(frame, rng)
    found = regression(reports, survey, "A", ["age", "sex"])
    yes, man, age = (
        (reports["A"] == "yes").to_numpy(),
        (reports["sex"] == "m").to_numpy(),
        reports["age"].astype(float).to_numpy(),
    )

    def minus(b):
        p = 1 / (1 + np.exp(-(b[0] + b[1] * (age - 30) / 10 + b[2] * man)))
        return -np.log(np.where(yes, 0.2 + 0.7 * p, 0.8 - 0.7 * p)).sum()

    other = minimize(
        minus,
        np.zeros(3),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 5000},
    )
    mine = found.table["coefficient"].to_numpy()
    theirs = [other.x[0] - 3 * other.x[1], other.x[1] / 10, other.x[2]]
    assert mine == pytest.approx(theirs, rel=1e-5, abs=1e-6)
    assert found.log_likelihood == pytest.approx(-other.fun, abs=1e-8)
    assert np.all(np.abs(mine - [-2, 0.05, -0.8]) < 4.5 * found.table["se"])
    with pytest.raises(ValueError, match="is disguised"):
        regression(reports, survey, "A", ["A"])


# Advice


def test_advice_names_the_worst_and_warns_of_readable_groups():
    told = advice.advice(SURVEY)
    assert "a, b shares one coin" in told and "his best guess is right in 75 %" in told
    assert "1,537" in told  # respondents for the coin


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


def test_the_form_is_small_and_forbids_everything_it_does_not_need():
    page = form(SURVEY)
    assert len(page.encode()) < 100_000
    assert "connect-src 'none'" in page and "default-src 'none'" in page and "<cheated>" not in page
    assert "connect-src https://example.org;" in form(SURVEY, post="https://example.org/report")
    for wrong in ("ftp://x", "http://example.org/x", "https://x/'; img-src *", "javascript:1"):
        with pytest.raises(ValueError, match="address|https"):
            form(SURVEY, post=wrong)


def test_translations_have_every_word(tmp_path):
    assert set(read_strings("de")) == set(read_strings("en"))
    with pytest.raises(ValueError, match="strings lack 'toss'"):
        read_strings({k: v for k, v in read_strings("en").items() if k != "toss"})
    with pytest.raises(ValueError, match="has no {percents}"):
        read_strings({**read_strings("en"), "how_truth": "{percents}"})


def test_real_devices_fit_the_mechanism_or_are_refused():
    coin = one("warner", p=4 / 6)
    assert "At 1–4, give your true answer. At 5–6, give the opposite" in form(coin, device="dice")
    forced = one("forced-response", truth=4 / 6, forced=[1 / 6, 1 / 6])
    assert "At 5, give the answer “no”, whatever is true." in form(forced, device="dice")
    assert "from 1 to 23" in form(one("warner", p=23 * 12 / 365.2425), device="birthday")
    assert "from 1 to 23" in form(one("warner", p=0.7557), device="birthday")
    for words in (read_strings("en"), read_strings("de")):  # the page does not claim the die's work
        page = form(forced, device="dice", strings=words).split("<script")[0]
        assert words["intro_device"] in page and words["intro"] not in page
        assert words["intro"] in form(forced, strings=words).split("<script")[0]
    for survey, device, words in [
        (one("warner", p=0.75), "dice", "multiple of 1/6"),
        (one("warner", p=0.667), "dice", "4/6 is written 0.6666667"),
        (one("k-rr", p=0.6), "dice", "not by k-rr"),
        (one("warner", p=0.77), "birthday", "no day of the month"),
    ]:
        with pytest.raises(ValueError, match=words):
            form(survey, device=device)


def test_a_lecture_speaks_another_language_and_takes_a_die(tmp_path, monkeypatch):
    """Once the server had the English form with the browser's coins only."""
    import argparse

    parser, served = argparse.ArgumentParser(), []
    add_arguments(parser)
    one("warner", p=4 / 6).save(tmp_path / "s.json")
    monkeypatch.setattr(
        Lecture, "serve_forever", lambda server: served.append(server.page.decode())
    )
    words = [
        "collect",
        str(tmp_path / "s.json"),
        "--serve",
        "--port",
        "0",
        "--store",
        str(tmp_path / "codes.txt"),
        "--strings",
        "de",
        "--device",
        "dice",
    ]
    args = parser.parse_args(words)
    assert args.run(args) == 0
    assert read_strings("de")["intro_device"] in served[0] and "Bei 1–4 geben" in served[0]


def test_from_the_file_to_the_report(tmp_path, monkeypatch, capsys):
    import argparse

    monkeypatch.chdir(tmp_path)

    def command(*words):
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        args = parser.parse_args(list(words))
        return args.run(args)

    command("new", "s.yml")
    command("form", "s.yml")
    command("slides", "s.yml", "--notes")
    assert "<aside>Minutes" in Path("s-slides.html").read_text(encoding="utf-8")
    survey = Survey.load("s.yml")
    rng, scheme, out = np.random.default_rng(1), scheme_of(survey), Codes(survey)
    true = pd.DataFrame(
        {
            n: rng.choice(lv, 1000, p=[0.7, 0.3] if len(lv) == 2 else None)
            for n, lv in survey.attributes.items()
        }
    )
    sent = scheme.disguise(true, rng)
    Path("codes.txt").write_text("\n".join(out.write(row) for row in sent.itertuples(index=False)))
    command("collect", "s.yml", "codes.txt", "=1+1")
    command(
        "estimate",
        "s.yml",
        "reports.csv",
        "--by",
        "year",
        "--pair",
        "cheated",
        "year",
        "--regress",
        "cheated",
        "year",
    )
    joint = pd.read_csv("result/pairs.csv")
    assert joint["estimate"].sum() == pytest.approx(1) and len(joint) == 6
    assert (joint["low"] < joint["estimate"]).all() and (joint["question"] == "cheated").all()
    assert pd.read_csv("result/relations.csv")["difference"].between(-1, 1).all()
    assert pd.read_csv("result/regressions.csv")["term"].tolist()[0] == "(intercept)"
    command(
        "estimate",
        "s.yml",
        "reports.csv",
        "--method",
        "em",
        "--by",
        "year",
        "--pair",
        "cheated",
        "awake",
        "--out",
        "likely",
    )
    for name in ("shares", "by-year", "pairs"):
        likely = pd.read_csv(f"likely/{name}.csv")
        share = likely["estimate" if name == "pairs" else "share"]
        assert ((likely["low"] >= 0) & (likely["high"] <= 1) & (share >= 0)).all()
        assert ((likely["low"] <= share) & (share <= likely["high"])).all()
    assert "likeliest ones" in Path("likely/report.html").read_text()
    told = pd.read_csv("result/shares.csv").set_index(["question", "answer"])
    row = told.loc[("cheated", "yes")]
    assert abs(row["share"] - 0.3) < 4.5 * row["se"]
    page = Path("result/report.html").read_text()
    assert (
        "aria-label=" in page and "Have you ever cheated" in page and "Logistic regression" in page
    )
    assert "set aside" not in page  # the estimate knows nothing of what was
    assert "The share of “yes” to cheated among those with “later” to year" in page
    assert "Who truly says “yes” to cheated" in page
    assert "'=1+1" in Path("reports-set-aside.csv").read_text()
    told = capsys.readouterr().out
    assert "1,000 reports" in told and "(intercept)" in told and "where 90 % say “no”" in told
    assert report.page(survey, estimate(sent, survey)).count("<svg") == 3


def commanded(*words: object) -> int:
    """`ppdm survey` with these words."""
    import argparse

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args([str(word) for word in words])
    return args.run(args)


def test_the_input_is_read_as_text(tmp_path, monkeypatch):
    import io

    monkeypatch.chdir(tmp_path)
    survey = one("warner", p=0.75)
    survey.save("s.json")
    Path("codes.txt").write_text(Codes(survey).write(("yes",)))
    for content, reports in ((b"", 0), (f"1.2.2026,{Path('codes.txt').read_text()}".encode(), 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert commanded("collect", "s.json", "-") == 0
        assert len(pd.read_csv("reports.csv")) == reports


def test_trailing_commas_in_the_header_too_change_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Survey({"A": YESNO, "B": YESNO}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}]).save(
        "s.json"
    )
    for name, end in (("plain", ""), ("commas", ",,")):
        lines = ["A,B", *["yes,no"] * 6, "", *["no,no"] * 14]
        Path("r.csv").write_text("".join(line + end * bool(line) + "\n" for line in lines))
        assert commanded("estimate", "s.json", "r.csv", "--out", name) == 0
    assert Path("plain/shares.csv").read_text() == Path("commas/shares.csv").read_text()


@pytest.mark.parametrize(
    ("names", "text", "words"),
    [
        (
            "AB",
            "A,B\nyes,no\n\nno,yes,\nno,yes,,\n",
            "r.csv, line 4 has 3 fields, and the header 2",
        ),
        ("AB", "A,B,C\n" + "yes,no,x,\n" * 9, "r.csv, line 2 has 4 fields, and the header 3"),
        ("AB", "A,B,A\nyes,no,no\n", "r.csv has 2 columns 'A': keep one"),
        ("A", "A\nyes\n\nno\n\n", "r.csv, line 3 is empty, and lines with reports follow"),
        ("A", "A\n\n", "r.csv has no reports, only a header"),
        ("A", "\n", "r.csv is empty: its first line names the questions"),
        ("A", 'A,B\nyes,"\nno,x\n', "r.csv are no CSV: .*EOF inside string"),
        ("A", "A\nnö\n", "r.csv are no text in UTF-8"),
    ],
)
def test_reports_in_which_columns_or_rows_could_be_mistaken_are_refused(
    names, text, words, tmp_path, monkeypatch
):
    """Once commas at the ends of the rows gave each question the answers to the next one."""
    monkeypatch.chdir(tmp_path)
    protection = {"mechanism": "warner", "p": 0.7, "attributes": list(names)}
    Survey(dict.fromkeys(names, YESNO), [protection]).save("s.json")
    Path("r.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=words):
        commanded("estimate", "s.json", "r.csv")
    assert not Path("result").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_reports_come_through_a_pipe(tmp_path, monkeypatch):
    """They were read twice, and the second time nothing was there."""
    monkeypatch.chdir(tmp_path)
    Survey({"A": YESNO}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}]).save("s.json")
    os.mkfifo("r.csv")
    writer = threading.Thread(target=Path("r.csv").write_text, args=("A\nyes\nno\nyes\n",))
    writer.start()
    commanded("estimate", "s.json", "r.csv")
    writer.join()
    assert list(Path("result").iterdir())


# Slides


def test_slides_carry_the_numbers_of_the_survey():
    page = slides(SURVEY, "http://192.168.1.20:8000/", notes=True)
    for words in (
        "Have you ever &lt;cheated&gt;?",
        "three quarters",
        "one quarter",
        "P* = 0.75 P + 0.25 (1 − P)",
        "P = (P* − 0.25) / 0.5",
        "http://192.168.1.20:8000/live",
        "± 14 points",
        "one of 2 points",
    ):
        assert words in page
    assert page.count("<section") == page.count("<aside>") == 10
    assert "<aside>" not in slides(SURVEY) and "data-qr" not in slides(SURVEY).split("<script>")[0]
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
