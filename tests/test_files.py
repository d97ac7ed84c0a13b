"""Files are whole or not there, whoever else writes them."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from ppdm.files import replace_file


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


def test_writers_of_the_same_file_do_not_disturb_each_other(tmp_path):
    target = tmp_path / "file"
    contents = [bytes([i]) * 100_000 for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(replace_file, [target] * 400, contents * 50))
    assert target.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [target]
