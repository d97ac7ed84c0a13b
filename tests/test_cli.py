"""The `ppdm` command: what it offers, and how it refuses."""

import subprocess
import sys

import pytest

from ppdm import cli


def test_the_overview_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"\n  {name} " in told for name in cli.COMMANDS)
    assert cli.main([]) == 2


def test_an_unknown_command_is_refused_with_the_known_ones(capsys):
    assert cli.main(["bok"]) == 1
    assert "there is no command 'bok'; there are book, quick, run" in capsys.readouterr().err


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself(name, capsys):
    pytest.importorskip(cli.COMMANDS[name].module)
    try:
        code = cli.main([name, "--help"])
    except SystemExit as stop:  # argparse's way
        code = stop.code
    assert code == 0
    assert f"usage: ppdm {name}" in capsys.readouterr().out


def test_an_absent_part_is_one_sentence(capsys, monkeypatch):
    absent = cli.Command("nothing", "ppdm.no_such_room", "add_arguments", "main")
    monkeypatch.setitem(cli.COMMANDS, "bench", absent)
    assert cli.main(["bench"]) == 1
    assert capsys.readouterr().err == (
        "ppdm: `ppdm bench` needs ppdm.no_such_room, which this copy lacks.\n"
    )
    monkeypatch.setitem(cli.COMMANDS, "bench", absent._replace(module="no_such_library"))
    assert cli.main(["bench"]) == 1
    assert "needs the package no_such_library: install the extras" in capsys.readouterr().err


def test_a_misspelt_chapter_or_parameter_is_one_sentence(capsys):
    assert cli.main(["run", "00_prime_r"]) == 1
    assert "did you mean '00_primer'?" in capsys.readouterr().err
    assert cli.main(["run", "00_primer", "-p", "sed", "7"]) == 1
    assert "00_primer.ipynb has no parameter 'sed'; did you mean 'seed'?" in capsys.readouterr().err


def test_the_site_is_asked_for_before_it_is_shown(capsys, monkeypatch, tmp_path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "_config.yml").touch()
    monkeypatch.chdir(tmp_path)
    assert cli.main(["serve"]) == 1
    assert "type `ppdm book` first" in capsys.readouterr().err


def test_no_heavy_library_is_loaded_to_say_the_version():
    code = (
        "import sys; from ppdm import cli; cli.main(['--version']); "
        "print([m for m in ('matplotlib', 'sklearn', 'cvxpy', 'papermill', 'sphinx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


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


def test_counting_loads_no_library_that_it_does_not_need():
    code = (
        "import sys; from ppdm import MultiGroup, count; "
        "heavy = {'narwhals', 'sklearn', 'matplotlib', 'cvxpy', 'joblib', 'polars', 'duckdb', 'dask'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_starts_without_what_takes_seconds_to_load():
    code = "import sys, ppdm.cli; print(sorted({'pandas', 'numba', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
