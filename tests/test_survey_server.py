"""The server of a lecture: nothing is lost, nobody is kept out, and nobody sees another one's report."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import urlsplit

import numpy as np
import pytest
from fieldwork import CODES, SURVEY, ask, hostile, report, running, some_codes

from ppdm.survey import collect, server
from ppdm.survey.collect import Store


@pytest.fixture
def lecture(tmp_path):
    with running(tmp_path) as lecture:
        yield lecture


def kept(folder) -> list[str]:
    return (folder / "codes.txt").read_text().split()


def live(lecture) -> tuple[int, str]:
    """What the lecturer's browser sees."""
    return ask(lecture.address, "GET", "/live", headers={"Cookie": f"live={lecture.key}"})


# Nothing is lost


def test_two_hundred_telephones_at_once(lecture, tmp_path):
    wanted = some_codes(200)
    with ThreadPoolExecutor(200) as pool:
        assert list(pool.map(lambda code: report(lecture, code), wanted)) == [200] * 200
    assert sorted(kept(tmp_path)) == sorted(wanted)
    assert kept(tmp_path) == sorted(
        wanted, key=lambda code: code.replace("-", "")[3:11]
    )  # no order of arrival
    assert report(lecture, wanted[0]) == 200  # sent again: the same report, counted once
    assert len(Store(SURVEY, tmp_path / "codes.txt").frame) == 200


def test_a_kill_loses_no_accepted_report_and_the_next_server_says_that_it_goes_on(tmp_path):
    """Once last term's codes were continued without a word."""
    SURVEY.save(tmp_path / "s.json")
    words = "-u -m ppdm survey collect s.json --serve --port 0"
    job = [sys.executable, *words.split()]
    wanted, confirmed = some_codes(400), []

    def started():
        process = subprocess.Popen(
            job, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        lines = []
        while not lines or "Ctrl-C" not in lines[-1]:
            lines.append(process.stdout.readline())
        return process, "".join(lines)

    process, said = started()
    address = re.search(r"http://\S+?(?=/\s)", said)[0]

    def send(code: str) -> None:
        """One telephone; the thirtieth confirmation is the server's last."""
        try:
            if ask(address, "POST", "/report", code)[0] == 200:
                confirmed.append(code)
        except OSError:
            return
        if len(confirmed) >= 30:
            os.kill(process.pid, signal.SIGKILL)

    try:
        with ThreadPoolExecutor(8) as telephones:
            list(telephones.map(send, wanted))
    finally:
        process.kill()
        process.communicate()
    assert 30 <= len(confirmed) < 400 and "continues" not in said
    assert set(confirmed) <= set(kept(tmp_path)) <= set(wanted)
    process, said = started()
    assert f"continues with the {len(kept(tmp_path))} reports of codes.txt" in said
    place = urlsplit(re.search(r"http://\S+?(?=/\s)", said)[0])
    with socket.create_connection((place.hostname, place.port)) as slow:
        slow.sendall(b"POST")
        process.send_signal(signal.SIGINT)
        assert "Next: ppdm survey collect s.json codes.txt" in process.communicate(timeout=60)[0]
    assert process.returncode == 0


def test_a_full_disk_is_said_and_no_report_is_confirmed(lecture, tmp_path, monkeypatch, capsys):
    """Once 127 of 400 reports were refused without an answer, and nothing on the console."""
    first, second = some_codes(2)
    assert report(lecture, first) == 200
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with monkeypatch.context() as patch:
        patch.setattr(collect, "replace_file", lambda *_: (_ for _ in ()).throw(full))
        for _ in range(2):
            status, text = ask(lecture.address, "POST", "/report", second)
            assert status == 507 and "No space left" in text
    said = capsys.readouterr().err
    assert said.count("codes.txt cannot be written (No space left on device)") == 1
    assert kept(tmp_path) == [first]
    assert report(lecture, second) == 200 and len(kept(tmp_path)) == 2


# Nobody is kept out


@pytest.mark.parametrize("cases", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_bodies_are_refused_and_cost_an_honest_one_nothing(
    lecture, tmp_path, monkeypatch, cases
):
    """Once garbage paid for the rate limit, which 38 of 40 honest reports then did not pass. A word of the right
    length passes for a code one time in 1021 * 32768, and one case in six is one: 10,000 cases err below 1 in
    20,000."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    rng = np.random.default_rng(9)
    honest = some_codes(cases // 10)
    for case in range(cases):
        body, headers = hostile(case % 6, rng, honest[0])
        assert ask(lecture.address, "POST", "/report", body, headers)[0] in (400, 413), body
        if case % 10 == 0:
            assert report(lecture, honest[case // 10]) == 200
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["codes.txt"]
    assert sorted(kept(tmp_path)) == sorted(honest)


def test_slow_clients_cost_an_honest_one_nothing(lecture):
    """Once 300 sockets of one client, a byte each few seconds, kept everybody else out."""
    place = urlsplit(lecture.address)
    slow = []
    try:
        for _ in range(2 * server.CONNECTIONS):
            slow.append(socket.create_connection((place.hostname, place.port), timeout=8))
            slow[-1].sendall(b"POST /report HTTP/1.1\r\n")
        assert [report(lecture, code) for code in some_codes(5)] == [200] * 5
        assert len(lecture.waiting) <= server.CONNECTIONS
        assert slow[0].recv(1) == b""  # the oldest were closed, and not for want of patience
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize(
    "head", ["GET / HTTP/1.1\r\nX: ", "POST /report HTTP/1.1\r\nContent-Length: 200\r\n\r\n"]
)
def test_a_request_has_a_deadline_as_a_whole(tmp_path, monkeypatch, head):
    """Once the patience was for each read: a byte now and then held a connection for ever."""
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    with running(tmp_path) as lecture:
        place = urlsplit(lecture.address)
        with socket.create_connection((place.hostname, place.port), timeout=0.05) as connection:
            connection.sendall(head.encode())
            with pytest.raises((EOFError, ConnectionError)):
                for _ in range(150):
                    with suppress(TimeoutError):  # the server still waits
                        connection.sendall(b"x")
                        if not connection.recv(1):
                            raise EOFError


def test_what_does_not_come_from_its_own_form_is_no_report(lecture, tmp_path):
    """Any page that is open in the room could vote, and any name that leads to the server."""
    code = some_codes(1)[0]
    assert report(lecture, code, Origin="https://evil.example") == 403
    assert report(lecture, code, Origin="null") == 403
    assert report(lecture, code, Host="evil.example") == 421
    assert ask(lecture.address, "GET", "/", headers={"Host": "evil.example"})[0] == 421
    assert not (tmp_path / "codes.txt").exists()
    assert report(lecture, code, Origin=lecture.address) == 200


def test_a_seat_has_one_vote(tmp_path):
    """Once a thousand votes from one person were accepted: share .36 became 1.396."""
    seats = tmp_path / "seats.txt"
    seats.write_text("ABCD2345\nWXYZ6789\n")
    first, second, third = some_codes(3)
    with running(tmp_path, seats=seats) as lecture:
        assert report(lecture, first) == 400
        assert report(lecture, f"{first}\nabcd-2345") == 200
        assert report(lecture, first) == 200  # the same report again
        assert report(lecture, f"{second}\nABCD2345") == 400
        assert report(lecture, f"{second}\nFFFFFFFF") == 400
        assert seats.read_text() == "WXYZ6789\n"
    with running(tmp_path, seats=seats) as lecture:  # also after a new start
        assert report(lecture, f"{second}\nABCD2345") == 400
        assert report(lecture, f"{third}\nWXYZ6789") == 200
    assert sorted(kept(tmp_path)) == sorted([first, third]) and not seats.read_text()


# Nobody sees another one's report


def test_nobody_but_the_lecturer_sees_the_live_page(lecture):
    """Once a watcher who posted nine reports a step read the 20 of her 20 neighbours."""
    for code in some_codes(40):
        assert report(lecture, code) == 200
    for path in ("/live", "/live?key=", "/live?key=guess", "/live.json"):
        status, text = ask(lecture.address, "GET", path)
        assert status in (403, 404) and "cheated" not in text and "40" not in text
    assert ask(lecture.address, "GET", "/live", headers={"Cookie": "live=guess"})[0] == 403
    assert ask(lecture.address, "GET", f"/live?key={lecture.key}")[0] == 303


def test_the_live_page_begins_at_thirty_and_moves_by_ten_when_the_lecturer_asks(lecture):
    """With ten reports its intervals had no width in 28 % of all surveys."""
    shown = []
    for code in some_codes(50):
        assert report(lecture, code) == 200
        shown.append(re.search(r"(\d+) respondents", live(lecture)[1]))
    numbers = [int(match[1]) if match else 0 for match in shown]
    assert numbers == [0] * 29 + [30] * 10 + [40] * 10 + [50]
    assert "Fewer than 30 have answered" not in live(lecture)[1]
    assert CODES.levels[1][0] in live(lecture)[1]
