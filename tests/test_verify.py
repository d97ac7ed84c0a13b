"""A chapter's manifest: whole or refused, and points that anybody can compute again."""

from functools import partial

import numpy as np
import pytest

from ppdm import cli, study
from ppdm.book.site.runs import publish_manifests
from ppdm.papers.multi_group import experiment as mg
from ppdm.study import grid, identity, manifest, store

STEM = "98_small"


def small_chapter():
    chapter = study.Chapter(STEM, seed=3, sizes={"reps": (4, 2)}, split="median")
    points = {"dataset": ["congressional-voting"], "q": [0.3, 0.5, 0.7]}
    frame = chapter.run(partial(mg.unrelated, split="median", missing="zero"), points)
    chapter.save("shares", frame)
    chapter.run(lambda rng, reps, x: {"m": rng.random(reps) + x}, {"x": [1]})
    chapter.finish()


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A book in a folder of its own with one chapter that has run: three points of the package's
    functions, one of a function of the notebook."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "_config.yml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path / "_build" / "cache"))
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path / "_build" / "results"))
    monkeypatch.setattr(identity, "_BEGAN", float("inf"))  # whoever edits the package meanwhile
    small_chapter()
    return tmp_path / "_build"


def run(capsys, *arguments):
    code = cli.main(["verify", "--seed", "1", *arguments])
    told = capsys.readouterr()
    return code, told.out + told.err


def turn(path, bit=None):
    """Turn one bit of a file, in the middle unless another is named."""
    content = bytearray(path.read_bytes())
    bit = 4 * len(content) if bit is None else bit
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(bytes(content))


def test_an_untouched_build_is_equal_to_the_bit(built, capsys):
    code, told = run(capsys)
    assert code == 0
    assert "tables: as written" in told
    assert "3 kept points: as written" in told
    assert "3 of 3 points computed again: 3 agree to the bit" in told
    assert "1 of 4 points belong to functions of the notebook" in told
    found = manifest.last_verified(built)[STEM]
    assert (found["equal"], found["close"], found["wrong"]) == (3, 0, 0)


def test_one_bit_of_a_kept_point_is_found_and_named(built, capsys):
    for path in sorted(built.glob("cache/*/*/*.npy")):
        whole = path.read_bytes()
        turn(path)
        code, told = run(capsys, "--points", "0")
        assert code == 1 and "is damaged" in told and path.name in told
        path.write_bytes(whole)
    assert run(capsys, "--points", "0")[0] == 0


def test_a_kept_point_that_was_forged_with_its_seal_is_found_and_named(built, capsys):
    path = min(built.glob("cache/*/*/*.npy"))
    table = store.unsealed(path.read_bytes())
    path.write_bytes(store.sealed(table[::-1].copy()))
    code, told = run(capsys, "--points", "0")
    assert code == 1 and "is another than in the manifest" in told


def test_one_bit_of_a_table_is_found_and_named(built, capsys):
    turn(built / "results" / STEM / "shares.csv")
    code, told = run(capsys, "--points", "0")
    assert code == 1 and "shares.csv is not as written" in told
    (built / "results" / STEM / "shares.csv").unlink()
    assert "shares.csv is not there" in run(capsys, "--points", "0")[1]


def test_every_bit_of_a_manifest_counts(built, capsys):
    path = built / "results" / STEM / "manifest.json"
    whole = path.read_bytes()
    manifest.read(whole, "m")
    for bit in np.random.default_rng(5).choice(8 * len(whole), 400, replace=False):
        turn(path, int(bit))
        with pytest.raises(manifest.ManifestError, match="m is damaged"):
            manifest.read(path.read_bytes(), "m")
        path.write_bytes(whole)
    turn(path)
    code, told = run(capsys)
    assert code == 1 and "manifest.json is damaged" in told and "Traceback" not in told


def test_another_result_is_found_and_one_that_was_added_in_another_order_agrees(
    built, capsys, monkeypatch
):
    right = grid.compute_unit

    def off(factor):
        def call(function, unit, seed):
            table = right(function, unit, seed)
            for name in table.dtype.names:
                table[name] = table[name] * factor
            return table

        return call

    monkeypatch.setattr(grid, "compute_unit", off(1 + 1e-15))
    code, told = run(capsys)
    assert code == 0 and "3 to the last digits (relative difference up to" in told
    monkeypatch.setattr(grid, "compute_unit", off(1 + 1e-5))
    code, told = run(capsys)
    assert code == 1 and "3 do not" in told and "unrelated(dataset=" in told


def test_a_published_manifest_needs_no_build(built, capsys, tmp_path):
    publish_manifests(built / "results", tmp_path / "elsewhere")
    published = tmp_path / "elsewhere" / f"{STEM}.json.gz"
    for path in built.glob("cache/*/*/*.npy"):
        path.unlink()
    for source in (published, published.parent):
        code, told = run(capsys, "--from", str(source))
        assert code == 0 and "3 agree to the bit" in told and "kept point" not in told
    assert not (built / "verified.json").exists()
    whole = published.read_bytes()
    for content in (whole[:-9], whole[:40] + bytes([whole[40] ^ 4]) + whole[41:]):
        published.write_bytes(content)
        code, told = run(capsys, "--from", str(published))
        assert code == 1 and f"{STEM}.json.gz is damaged" in told


@pytest.mark.parametrize("path", ["os:system", "ppdm.files:replace_file", "builtins:eval", "x"])
def test_a_manifest_cannot_call_what_does_not_compute(path):
    told = {"call": [{"path": path}, [], {"dict": []}]}
    known = manifest.Manifest("", {"experiments": [{"function": told, "seed": 1}]}, {})
    with pytest.raises(manifest.ManifestError, match="is no function of a module that computes"):
        known.compute({"experiment": 0, "coords": {}, "block": 0, "reps": 1})
