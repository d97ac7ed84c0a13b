"""What was handed in: found in every layout, looked at before it is opened."""

import os
import socket
import sys

import pytest

pytest.importorskip("nbgrader")

from ppdm import cli
from ppdm.course import handin

PRIMER, SURVEYS = "00_primer", "01_electronic_surveys"


def lay(folder, *places, content="{}"):
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(content)


def find(folder):
    return {
        s.student: s
        for s in handin.find_submissions(folder, [PRIMER, SURVEYS])
        if s.assignment == PRIMER
    }


def test_submissions_are_found_in_every_layout(tmp_path):
    lay(
        tmp_path,
        "ada/00_primer.ipynb",
        "bob/00_primer/00_primer.ipynb",
        "bob/00_primer (1).ipynb",
        "cyd/notes.ipynb",
        "cyd/.ipynb_checkpoints/00_primer.ipynb",
        "loose.ipynb",
    )
    ada, bob, cyd = handin.find_submissions(tmp_path, [PRIMER, SURVEYS])
    assert ada.path.name == "00_primer.ipynb" and ada.remarks == ()
    assert bob.path.parent.name == "00_primer" and "00_primer (1)" in bob.remarks[0]
    assert cyd.path is None and "notes.ipynb" in cyd.remarks[0]


@pytest.mark.parametrize(
    "name",
    [
        "00_primer.IPYNB",
        "00_primer.ipynb.txt",
        "00_PRIMER.Ipynb.TXT",
        "00_primer.ipynb.json",
        "my 00_primer (2).ipynb",
        "ada_00_primer.ipynb",
    ],
)
def test_a_notebook_by_another_ending_is_recognised(tmp_path, name):
    lay(tmp_path, f"ada/{name}")
    assert find(tmp_path)["ada"].path.name == name


@pytest.mark.parametrize(
    "place, student",
    [
        ("Ada Lovelace_123_assignsubmission_file/00_primer.ipynb", "Ada Lovelace_123"),
        ("Ada Lovelace_123_assignsubmission_file_/00_primer.ipynb", "Ada Lovelace_123"),
        ("Ada Lovelace_123_assignsubmission_file_00_primer.ipynb", "Ada Lovelace_123"),
        ("lovelaceada_4711_815_00_primer.ipynb", "lovelaceada_4711"),
        ("lovelaceada_LATE_4711_815_00_primer-1.ipynb", "lovelaceada_4711"),
        ("Lovelace_Ada_alove_4711/00_primer.ipynb", "alove"),
    ],
)
def test_the_exports_of_moodle_canvas_and_ilias_are_recognised(tmp_path, place, student):
    lay(tmp_path, place, "loose.txt")
    found = find(tmp_path)
    assert set(found) == {student} and found[student].path == tmp_path / place
    assert found[student].exported and found[student].remarks == ()


def test_students_of_one_name_are_two(tmp_path):
    """On Canvas, whose files bear names and no logins, one of the two was not looked at."""
    lay(
        tmp_path,
        "millerann_11_51_00_primer.ipynb",
        "millerann_LATE_12_52_00_primer.ipynb",
        "Ann Miller_3_assignsubmission_file/00_primer.ipynb",
        "Ann Miller_4_assignsubmission_file/00_primer.ipynb",
    )
    found = find(tmp_path)
    assert set(found) == {"millerann_11", "millerann_12", "Ann Miller_3", "Ann Miller_4"}
    assert all(one.path is not None and not one.remarks for one in found.values())


def test_what_is_packed_gets_a_hint(tmp_path, capsys):
    lay(
        tmp_path,
        "class/ada/00_primer.zip",
        "class/bob/00_primer.ipynb",
        "export.zip",
        "only/all.zip",
    )
    assert "unpack it" in find(tmp_path / "class")["ada"].remarks[0]
    for folder in ("export.zip", "only"):
        assert cli.main(["course", "grade", str(tmp_path / folder), "--unsealed"]) == 1
        assert "unpack it" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
def test_nothing_odd_is_opened(tmp_path):
    lay(
        tmp_path,
        "right/00_primer.ipynb",
        "folder/00_primer.ipynb/x",
        "deep/" + "d/" * 30 + "x.ipynb",
    )
    odd = {"link": "a link", "zero": "a link", "broken": "a link", "pipe": "a pipe",
           "socket": "a socket", "folder": "a folder"}  # fmt: skip
    paths = {name: tmp_path / name / "00_primer.ipynb" for name in odd}
    for path in paths.values():
        path.parent.mkdir(exist_ok=True)
    paths["link"].symlink_to("/etc/passwd")
    paths["zero"].symlink_to("/dev/zero")
    paths["broken"].symlink_to("nowhere")
    os.mkfifo(paths["pipe"])
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(paths["socket"].parent)  # its name may have a hundred characters
        made.bind("00_primer.ipynb")
        os.chdir(here)
    (tmp_path / "whole").symlink_to(tmp_path / "right")
    found = find(tmp_path)
    for name, word in odd.items():
        assert found[name].path is None and word in " ".join(found[name].remarks), name
    assert found["whole"].path is None and "link" in found["whole"].remarks[0]
    assert "holds too much" in found["deep"].remarks[0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "giant", "gone"])
def test_what_has_changed_since_it_was_found_is_not_opened(tmp_path, kind):
    path = tmp_path / "00_primer.ipynb"
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "giant":
        with path.open("wb") as file:
            file.truncate(1 << 36)
    data, problem = handin.read_bytes(path)
    assert data == b"" and "does not open" in problem


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_that_comes_after_the_look_is_not_followed(tmp_path, monkeypatch):
    path, other = tmp_path / "00_primer.ipynb", tmp_path / "other"
    path.write_text("{}")
    other.write_text("{}")
    seen = other.stat()
    path.unlink()
    path.symlink_to(other)
    monkeypatch.setattr(handin.os, "lstat", lambda _: seen)
    assert handin.read_bytes(path)[0] == b""


@pytest.mark.parametrize(
    "encode",
    [lambda t: t.encode(), lambda t: b"\xef\xbb\xbf" + t.encode(), lambda t: t.encode("utf-16")],
)
def test_encodings_with_a_mark_are_read(encode):
    text = '{"cells": [{"cell_type": "code", "source": ["a\\n", "ü"]}, {"cell_type": "markdown", "source": "x"}]}'
    notebook, problem = handin.read_notebook(encode(text), "x")
    assert problem == "" and [c.source for c in notebook.cells] == ["a\nü", "x"]


def test_too_much_is_a_remark():
    many = '{"cells":[' + '{"cell_type":"code","source":""},' * 3000 + '{"cell_type":"raw"}]}'
    much = '{"cells":[{"cell_type":"code","source":"' + "x" * 3_000_000 + '"}]}'
    for text in (many, much):
        notebook, problem = handin.read_notebook(text.encode(), "x")
        assert notebook is None and "too" in problem
