"""One notebook through papermill, in a process that can be stopped with all its children."""

from __future__ import annotations

import argparse
import difflib
import json
import logging
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from ppdm.book import numbers
from ppdm.book.build import family
from ppdm.files import replace_file

# Errors that explain themselves in a sentence; where they came from stands in the failed notebook.
EXPLAINED = ("ValueError", "DownloadError", "LedgerError", "PointError")


class Stopped(Exception):
    """The run was told to stop before it was done."""


def parameter_names(notebook: Path) -> list[str]:
    """The parameters that a notebook declares in its cell tagged `parameters`."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    if not any("parameters" in cell.get("metadata", {}).get("tags", []) for cell in cells):
        raise ValueError(
            f"{notebook.name} has no cell tagged `parameters`: "
            "tag the cell that sets them, or papermill would ignore what it is given."
        )
    import papermill

    logging.getLogger("papermill").setLevel(logging.ERROR)
    return list(papermill.inspect_notebook(str(notebook)))


def check_parameters(notebook: Path, given: Mapping[str, object]) -> None:
    """Refuse a parameter that the notebook does not know, and a value that it may not have."""
    known = parameter_names(notebook)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise ValueError(
                f"{notebook.name} has no parameter {name!r}{hint} "
                f"It has {', '.join(known) or 'none'}."
            )
    from ppdm.study import parameters  # takes a second to load, and the child has no need of it

    parameters.check(notebook.stem, given)


def execute(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, object],
    results: Path,
    scratch: Path | None = None,
    stop: threading.Event | None = None,
    bar: bool = True,
) -> None:
    """Run `notebook` with `parameters`; write the executed copy to `output` when it is whole.

    Its studies write below `results`. A cell that fails raises a RuntimeError that shows the cell
    and its error; the half-run notebook stays in `scratch` for a look. Once `stop` is set the
    run ends at once and raises `Stopped`. A bar counts the cells on a terminal, if `bar` is set.
    """
    stop = stop or threading.Event()
    if stop.is_set():
        raise Stopped
    check_parameters(notebook, parameters)
    scratch = scratch or output.parent
    scratch.mkdir(parents=True, exist_ok=True)
    job = [sys.executable, "-P", "-m", "ppdm.book.build.execute", notebook, output]
    job += ["--scratch", scratch]
    job += ["--parameters", json.dumps(dict(parameters))]
    job += ["--bar"] if bar and sys.stderr.isatty() else []
    environment = os.environ | {
        "PPDM_RESULTS": str(results),
        "PPDM_PROGRESS": "0",  # a bar inside a cell would be part of the page
        "IPYTHONDIR": str(_own_ipython(scratch)),
        "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this environment, not a user's namesake
    }
    process = family.start(job, env=environment)
    try:
        while process.poll() is None and not stop.is_set():
            try:
                process.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                pass
        stopped = process.poll() is None
    finally:
        family.stop_tree(process)
        _unfinished(output, scratch).unlink(missing_ok=True)
    if stopped:
        raise Stopped
    if process.returncode < 0:
        raise RuntimeError(
            f"{notebook.name}: the process that ran it was ended from outside "
            f"(signal {-process.returncode}); run it again."
        )
    if process.returncode:
        raise RuntimeError(f"{notebook.name} failed (see above).")


def _own_ipython(scratch: Path) -> Path:
    """IPython settings of the build's own: no start-up files of the user's, and a quiet kernel."""
    folder = scratch / "ipython"
    settings = b"c = get_config()\nc.IPKernelApp.log_level = 'CRITICAL'\n"
    replace_file(folder / "profile_default" / "ipython_kernel_config.py", settings)
    return folder


def _unfinished(output: Path, scratch: Path) -> Path:
    return scratch / f"{output.stem}.part.ipynb"


def _execute_here(args: argparse.Namespace) -> int:
    """What the child process does."""
    import papermill
    from nbclient.exceptions import DeadKernelError

    part = _unfinished(args.output, args.scratch)
    # Papermill prints each cell's error again in a box of its own; the sentence below is enough.
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    logging.getLogger("nbclient").setLevel(logging.CRITICAL)
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    try:
        papermill.execute_notebook(
            str(args.notebook),
            str(part),
            parameters=args.parameters,
            cwd=str(args.notebook.parent),
            progress_bar={"desc": args.notebook.stem, "leave": False} if args.bar else False,
        )
    except papermill.PapermillExecutionError as error:
        failed = part.with_name(f"{args.output.stem}.failed.ipynb")
        os.replace(part, failed)
        print(_describe(args.notebook.name, error, failed), file=sys.stderr)
        return 1
    except DeadKernelError:
        print(
            f"{args.notebook.name}: its kernel was ended from outside (out of memory?); "
            "what its studies have finished is kept, so run it again.",
            file=sys.stderr,
        )
        return 1
    executed = json.loads(part.read_text(encoding="utf-8"))
    computed = numbers.read(Path(os.environ["PPDM_RESULTS"]), args.output.stem)
    try:
        numbers.put_in(executed, computed)
    except ValueError as error:
        print(f"{args.notebook.name}: {error}", file=sys.stderr)
        return 1
    replace_file(args.output, _tidy(executed))
    return 0


def _describe(name: str, error, failed: Path) -> str:
    told = f"{name}: cell {error.cell_index} failed with {error.ename}: {error.evalue}\n"
    if error.ename not in EXPLAINED:
        source = "\n".join("    " + line for line in error.source.splitlines())
        told = f"\n{told}{source}\n" + "\n".join(error.traceback) + "\n"
    told += f"The notebook up to there: {failed}"
    return told if sys.stderr.isatty() else re.sub(r"\x1b\[[0-9;]*m", "", told)  # no colours


def _tidy(notebook: dict) -> bytes:
    """Drop papermill's notes (they hold this machine's paths); hide the injected cell and give it a name that is
    the same in each run."""
    notebook["metadata"].pop("papermill", None)
    for cell in notebook["cells"]:
        cell["metadata"].pop("papermill", None)
        cell["metadata"].pop("execution", None)
        tags = cell["metadata"].get("tags", [])
        if "injected-parameters" in tags:
            cell["metadata"]["tags"] = sorted({*tags, "remove-cell"})
            cell["id"] = "injected-parameters"
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


def _main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--parameters", type=json.loads)
    parser.add_argument("--bar", action="store_true")
    family.end_with_parent()
    return _execute_here(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(_main())
