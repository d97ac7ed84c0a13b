"""The `ppdm` command: what it offers, and how it refuses."""

import json
import subprocess
import sys

import pytest

from ppdm import cli
from ppdm.book import arguments


def test_the_overview_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"\n  {name} " in told for name in cli.COMMANDS)
    users, makers = told.split("To make the book:")
    assert "  run " in users and "  book quick " in makers
    assert cli.main([]) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bok", "there is no command 'bok'; there are data, run, verify, advise, optimise, estimate"),
        ("book bok", "there is no `ppdm book bok`; `ppdm book` alone builds the book, and its words are quick,"),
        *((old, f"`ppdm {old}` is now `ppdm book {old}`.\n")
          for old in ("quick", "check", "serve", "pdf", "zip", "bench", "clean")),
    ],
)  # fmt: skip
def test_an_unknown_or_old_command_is_one_sentence(capsys, line, said):
    assert cli.main(line.split()) == 1
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_an_option_means_the_same_wherever_it_is():
    """Of one name, one kind of value and one default."""
    known: dict[str, set] = {}
    for options in arguments.TAKES.values():
        for names, option in options.items():
            if names.startswith("-"):
                known.setdefault(names, set()).add(
                    (option.get("type"), str(option.get("default")), option["help"])
                )
    assert {name for name, meanings in known.items() if len(meanings) > 1} == set()


#: What a plain install does not bring: the extras' packages, and what comes with them.
EXTRAS = [
    "matplotlib", "seaborn", "ucimlrepo", "tqdm", "platformdirs", "cloudpickle", "psutil", "papermill",
    "nbclient", "nbformat", "nbgrader", "nbconvert", "IPython", "sphinx", "docutils", "bs4", "playwright",
    "pytest", "hypothesis", "polars", "duckdb", "pyarrow", "dask", "distributed",
]  # fmt: skip


@pytest.fixture(scope="module")
def plain():
    """What commands answer in a process that has only what a plain install brings: name to code, words."""
    code = f"""
import contextlib, io, json, sys
sys.modules.update(dict.fromkeys({EXTRAS!r}))  # None: importing it is a ModuleNotFoundError
from ppdm import cli
said = {{}}
for line in json.load(sys.stdin):
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        try:
            code = cli.main(line)
        except SystemExit as stop:  # argparse's way
            code = stop.code
    said[" ".join(line)] = code, words.getvalue()
print(json.dumps(said))
"""
    lines = [[*name.split(), "--help"] for name in cli.COMMANDS]
    lines += [["course", "build"], ["book"], ["run", "01"], ["book", "check"], ["book", "pdf"]]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself_in_a_plain_install(plain, name):
    code, words = plain[f"{name} --help"]
    assert code == 0 and f"usage: ppdm {name}" in words, words


@pytest.mark.parametrize(
    "line, extra",
    [
        ("course build", "course"),
        ("book", "book"),
        ("run 01", "book"),
        ("book check", "test"),
        ("book pdf", "test"),
    ],
)
def test_what_needs_an_extra_names_it_in_one_sentence(plain, line, extra):
    code, words = plain[line]
    assert code == 1 and words.count("\n") == 1, words
    assert words.endswith(f"which is not installed: install ppdm with its extra `{extra}`.\n")


def test_an_absent_part_is_one_sentence(capsys, monkeypatch):
    absent = cli.Command("nothing", "ppdm.no_such_room:add", "ppdm.no_such_room:main")
    monkeypatch.setitem(cli.COMMANDS, "lab", absent)
    assert cli.main(["lab"]) == 1
    assert capsys.readouterr().err == (
        "ppdm: `ppdm lab` needs ppdm.no_such_room, which this copy lacks.\n"
    )
    monkeypatch.setitem(cli.COMMANDS, "lab", absent._replace(arguments="no_such_library:add"))
    assert cli.main(["lab"]) == 1
    assert capsys.readouterr().err == (
        "ppdm: `ppdm lab` needs the package no_such_library, which is not installed: "
        "install no_such_library.\n"
    )


def test_a_misspelt_chapter_or_parameter_is_one_sentence(capsys):
    assert cli.main(["run", "00_prime_r"]) == 1
    assert "did you mean '00_primer'?" in capsys.readouterr().err
    assert cli.main(["run", "00_primer", "-p", "sed", "7"]) == 1
    assert "00_primer.ipynb has no parameter 'sed'; did you mean 'seed'?" in capsys.readouterr().err


def test_importing_the_package_loads_next_to_nothing():
    """Its names are loaded when they are asked for, so `import ppdm` takes a few milliseconds."""
    code = (
        "import sys; before = set(sys.modules); import ppdm; "
        "heavy = {'numpy', 'pandas', 'numba', 'scipy', 'narwhals', 'yaml', 'tempfile', 'shutil', 'inspect', "
        "'importlib.resources', 'importlib.metadata', 'typing', 're'}; "
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
