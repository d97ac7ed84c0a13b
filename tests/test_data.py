"""The stored copies, read against the raw text with nothing but the csv module."""

import csv
import hashlib
import io
import lzma
import math

import pandas as pd
import pytest

from ppdm import data
from ppdm.data import cli, describe, stored

# Published by the archive's mirrors; written here a second time so that a slip in the catalog shows.
CHECKSUMS = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    "breast-cancer-wisconsin.data": (
        "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64"
    ),
    "house-votes-84.data": "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e",
    "pima-indians-diabetes.data": (
        "06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5"
    ),
}
FILES = {
    "adult": ["adult.data", "adult.test"],
    "breast-cancer-wisconsin": ["breast-cancer-wisconsin.data"],
    "congressional-voting": ["house-votes-84.data"],
    "pima": ["pima-indians-diabetes.data"],
}


def raw_bytes(file):
    return lzma.decompress((stored.FOLDER / f"{file}.xz").read_bytes())


def raw_rows(name):
    """The records as lists of strings, labels without their dot."""
    rows = []
    for file in FILES[name]:
        reader = csv.reader(io.StringIO(raw_bytes(file).decode()), skipinitialspace=True)
        rows += [row for row in reader if row and not row[0].startswith("|")]
    return [row[:-1] + [row[-1].removesuffix(".")] for row in rows] if name == "adult" else rows


def as_text(value):
    if pd.isna(value):
        return "?"
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def test_the_stored_files_are_the_published_ones_and_small():
    for file, checksum in CHECKSUMS.items():
        assert hashlib.sha256(raw_bytes(file)).hexdigest() == checksum
    assert sum(path.stat().st_size for path in stored.FOLDER.glob("*.xz")) < 500_000


@pytest.mark.parametrize("name", FILES)
def test_every_cell_is_the_files_own(name):
    frame = data.load(name, "stored").frame
    ours = [[as_text(value) for value in column] for _, column in frame.items()]
    theirs = [list(column) for column in zip(*raw_rows(name), strict=True)]
    for column, here, there in zip(frame, ours, theirs, strict=True):
        if frame[column].dtype == "float64":
            assert [v if v == "?" else float(v) for v in here] == [
                v if v == "?" else float(v) for v in there
            ], column
        else:
            assert here == there, column


def test_counts_that_the_archive_documents():
    adult, cancer, voting, pima = map(data.load, FILES)
    assert [(len(d.frame), len(d.features)) for d in (adult, cancer, voting, pima)] == [
        (48_842, 14), (699, 9), (435, 16), (768, 8)
    ]  # fmt: skip
    missing = [int(d.frame.isna().to_numpy().sum()) for d in (adult, cancer, voting, pima)]
    assert missing == [6_465, 16, 392, 0]
    assert adult.frame["income"].value_counts().to_dict() == {"<=50K": 37_155, ">50K": 11_687}
    distinct = cancer.complete().distinct().frame
    assert len(cancer.complete().frame) == 683
    assert distinct["class"].value_counts().to_dict() == {2: 213, 4: 236}
    assert (pima.frame == 0).sum()[describe.IMPOSSIBLE_ZEROS].tolist() == [5, 35, 227, 374, 11]


def test_provenance_says_where_the_rows_came_from():
    origin = data.load("adult", "stored").provenance
    assert origin.sha256 == {file: CHECKSUMS[file] for file in FILES["adult"]}
    assert (origin.source, origin.rows, origin.licence) == ("stored", 48_842, "CC BY 4.0")
    assert "Kohavi" in origin.citation and "10.24432/C5XW20" in origin.citation
    assert "48,842 rows from the stored copy" in str(origin) and "\n" not in str(origin)


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(ValueError, match="breast-cancer") as error:
        data.load("breast-cancer")
    for name in data.names():
        assert name in str(error.value)
    assert "Did you mean 'breast-cancer-wisconsin'?" in str(error.value)
    with pytest.raises(ValueError, match="known ones are adult"):
        data.load(None)


def test_an_unknown_source_names_where_it_was_set(monkeypatch):
    with pytest.raises(ValueError, match="source must be one of stored, live, auto, not 'web'"):
        data.load("pima", "web")
    monkeypatch.setenv("PPDM_DATA_SOURCE", "onlin")
    with pytest.raises(ValueError, match="PPDM_DATA_SOURCE must be .* not 'onlin'"):
        data.load("pima")


@pytest.fixture
def damaged_folder(tmp_path, monkeypatch):
    for file in CHECKSUMS:
        (tmp_path / f"{file}.xz").write_bytes((stored.FOLDER / f"{file}.xz").read_bytes())
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    return tmp_path


def half(blob):
    return blob[: len(blob) // 2]


def one_vote_changed(blob):
    return lzma.compress(lzma.decompress(blob).replace(b"republican,n", b"republican,y", 1))


@pytest.mark.parametrize("damage", [half, one_vote_changed, lambda blob: b""])
def test_a_damaged_file_names_both_checksums(damaged_folder, damage, capsys):
    path = damaged_folder / "house-votes-84.data.xz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(data.DamagedFileError) as error:
        data.load("congressional-voting", "stored")
    message = str(error.value)
    assert path.name in message and f"expected sha256 {CHECKSUMS['house-votes-84.data']}" in message
    found = message.split("found ")[1]
    assert len(found) == 64 and found != CHECKSUMS["house-votes-84.data"]
    assert data.load("pima", "stored").frame.shape == (768, 9)  # the others still load

    assert not data.verify()
    printed = capsys.readouterr().out
    assert printed.count("DAMAGED") == 1 and printed.count(" ok") == 4


def run_cli(*words):
    import argparse

    parser = argparse.ArgumentParser()
    cli.add_arguments(parser)
    return cli.main(parser.parse_args(words))


def test_the_commands(capsys, damaged_folder):
    assert run_cli("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == data.names()
    assert "48,842 rows" in lines[0] and "no explicit grant" in lines[3]
    assert run_cli("verify") == 0
    (damaged_folder / "adult.data.xz").write_bytes(b"not an archive")
    assert run_cli("verify") == 1


def test_information_is_sklearns_mutual_information():
    from sklearn.metrics import mutual_info_score

    bits, _ = data.binarize(data.load("congressional-voting", "stored"))
    gains = describe.information(bits, "class")
    for vote, gain in gains.items():
        assert math.isclose(gain, mutual_info_score(bits[vote], bits["class"]) / math.log(2))
