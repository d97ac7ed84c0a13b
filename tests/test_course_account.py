"""The account of points, and tables as lecturers' programs write them."""

import csv
import json

import pytest

pytest.importorskip("nbgrader")

from ppdm.course import account, tables

WORTH = {("00_primer", "verdict"): 5.0}


def result(answer="No.", points=None, by="human"):
    task = {
        "task": "verdict",
        "points": points,
        "max": 5.0,
        "by": by,
        "answer": answer,
        "message": "",
    }
    return {
        "student": "ada",
        "assignment": "00_primer",
        "version": "v1",
        "remarks": [],
        "tasks": [task],
    }


def one_round(folder, *results):
    """What `grade` does with points: take over, settle, write. The tasks, and the table's rows."""
    log = account.Account(folder / "account.jsonl")
    dialect = account.take_over(folder / "to_read.csv", log, WORTH)
    account.settle(list(results), log)
    account.write_to_read(folder / "to_read.csv", list(results), dialect)
    rows, _ = tables.read_table(folder / "to_read.csv", account.NEEDED)
    return [r["tasks"][0] for r in results], rows


def give(folder, points, comment=""):
    path = folder / "to_read.csv"
    rows, dialect = tables.read_table(path, account.NEEDED)
    for row in rows:
        row |= {"points": points, "comment": comment}
    tables.write_table(path, rows, account.COLUMNS, dialect)


def test_points_of_a_reader_are_taken_over(tmp_path):
    _, rows = one_round(tmp_path, result())
    assert (
        rows[0]["state"] == "to be read" and rows[0]["points"] == "" and rows[0]["answer"] == "No."
    )
    give(tmp_path, "3,5", "clear")
    for _ in range(2):
        (task,), rows = one_round(tmp_path, result())
        assert (task["points"], task["message"]) == (3.5, "clear")
        assert (rows[0]["points"], rows[0]["state"]) == ("3.5", "read")
    give(tmp_path, "7")
    with pytest.raises(ValueError, match="0 to 5"):
        one_round(tmp_path, result())


def test_points_belong_to_the_answer_they_were_given_for(tmp_path):
    one_round(tmp_path, result())
    give(tmp_path, "4.5", "good")
    one_round(tmp_path, result())
    (task,), rows = one_round(tmp_path, result("I have no idea."))
    assert task["points"] is None and "To be read again" in task["message"]
    assert (
        rows[0]["points"] == ""
        and rows[0]["state"] == "to be read again (4.5 for an earlier version)"
    )
    (task,), _ = one_round(tmp_path, result())  # the old answer is back, with its points
    assert task["points"] == 4.5
    one_round(tmp_path, result("I have no idea."))
    give(tmp_path, "0")
    (task,), _ = one_round(tmp_path, result("I have no idea."))
    assert task["points"] == 0


def test_nothing_is_lost_when_a_file_is_missing_for_a_day(tmp_path):
    one_round(tmp_path, result())
    give(tmp_path, "4")
    (task,), rows = one_round(
        tmp_path, result("", points=0.0)
    )  # points were given on that very day
    assert task["points"] == 0 and rows == []
    (task,), rows = one_round(tmp_path, result())
    assert task["points"] == 4 and rows[0]["points"] == "4"
    (tmp_path / "to_read.csv").unlink()
    (task,), _ = one_round(tmp_path, result())
    assert task["points"] == 4


def test_the_log_only_grows_and_only_with_news(tmp_path):
    path = tmp_path / "account.jsonl"
    one_round(tmp_path, result())
    give(tmp_path, "4")
    one_round(tmp_path, result(), {**result(by="tests", points=3.0), "student": "bob"})
    before = path.read_text()
    one_round(tmp_path, result(), {**result(by="tests", points=3.0), "student": "bob"})
    assert path.read_text() == before
    give(tmp_path, "5")
    one_round(tmp_path, result())
    assert path.read_text().startswith(before) and len(path.read_text().splitlines()) == 3
    entry = json.loads(path.read_text().splitlines()[-1])
    assert {"when", "student", "assignment", "task", "by", "points", "version"} <= set(entry)


def test_a_line_cut_off_by_a_fault_costs_only_itself(tmp_path):
    one_round(tmp_path, result())
    give(tmp_path, "4")
    one_round(tmp_path, result())
    path = tmp_path / "account.jsonl"
    path.write_bytes(path.read_bytes() + b'{"student": "ada", "assi')
    give(tmp_path, "3")
    (task,), _ = one_round(tmp_path, result())
    assert task["points"] == 3
    (tmp_path / "to_read.csv").unlink()
    (task,), _ = one_round(tmp_path, result())
    assert task["points"] == 3


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_table_is_read_as_a_spreadsheet_saves_it(tmp_path, delimiter, encoding):
    one_round(tmp_path, result("Nein, gewiß nicht."))
    path = tmp_path / "to_read.csv"
    rows = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
    rows[0] |= {"points": "3,5", "comment": "gut für den Anfang; aber, nun ja"}
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    (task,), again = one_round(tmp_path, result("Nein, gewiß nicht."))
    assert (task["points"], task["message"]) == (3.5, "gut für den Anfang; aber, nun ja")
    assert again[0]["comment"] == "gut für den Anfang; aber, nun ja"
    assert (
        path.read_bytes()
        .decode("utf-16" if encoding == "utf-16" else "utf-8-sig")
        .splitlines()[0]
        .count(delimiter)
        == 8
    )


def test_a_table_without_a_column_is_a_sentence(tmp_path):
    (tmp_path / "to_read.csv").write_text("name;points\nada;3\n")
    with pytest.raises(ValueError, match="has no column 'student'"):
        account.take_over(tmp_path / "to_read.csv", account.Account(tmp_path / "x"), WORTH)


@pytest.mark.parametrize(
    "answer", ["=1+1", "+1", "-6 percent", "@x", "\t=1", " =1", "\n=1", "＝1", "a;=1", 'no,"=1']
)
def test_a_formula_is_never_written_and_costs_no_version(tmp_path, answer):
    one_round(tmp_path, result(answer))
    rows = list(csv.DictReader((tmp_path / "to_read.csv").open(encoding="utf-8", newline="")))
    assert "'" in rows[0]["answer"]
    give(tmp_path, "2", "=cmd")
    (task,), _ = one_round(tmp_path, result(answer))
    assert (task["points"], task["message"]) == (2, "=cmd")
    text = (tmp_path / "to_read.csv").read_text(encoding="utf-8")
    for delimiter in ",;\t|":  # whatever a spreadsheet takes for the separator
        for line in text.splitlines():
            assert not any(
                cell.strip(' "').startswith(("=", "@", "＝")) for cell in line.split(delimiter)
            )
