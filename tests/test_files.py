"""Files are whole or not there, whoever else writes them."""

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from ppdm.files import replace_file
from ppdm.places import PACKAGE


def test_an_interrupted_write_changes_nothing(tmp_path, monkeypatch):
    target = tmp_path / "deep" / "file"
    replace_file(target, b"one")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(target, b"two")
    assert target.read_bytes() == b"one"
    assert list(target.parent.iterdir()) == [target]


def test_a_file_is_on_the_disk_before_it_takes_its_name(tmp_path, monkeypatch):
    """What a power failure may lose is decided by the order: content, name, folder."""
    done, fsync, replace = [], os.fsync, os.replace

    def written(handle):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "content")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", written)
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("name"), replace(*names)))
    replace_file(tmp_path / "file", b"x")
    assert done == ["content", "name", "folder"]
    done.clear()
    replace_file(tmp_path / "file", b"y", durable=False)
    assert done == ["name"]


def test_nobody_writes_results_by_hand():
    """Whatever computes or decides writes through `replace_file`; pages of the staged tree, which
    each build lays out anew, need not."""
    by_hand = re.compile(
        r"\.write_(text|bytes)\(|\bopen\([^)]*[\"'][wax]b?[\"']|\.to_csv\((?!index=)"
    )
    rooms = ("study", "data", "papers", "learn", "disguise", "privacy", "plot.py")
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for room in rooms
        for path in ([PACKAGE / room] if room.endswith(".py") else (PACKAGE / room).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if by_hand.search(line) and ">>>" not in line
    ]
    assert not found


def test_writers_of_the_same_file_do_not_disturb_each_other(tmp_path):
    target = tmp_path / "file"
    contents = [bytes([i]) * 100_000 for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(replace_file, [target] * 400, contents * 50))
    assert target.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [target]
