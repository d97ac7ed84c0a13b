"""Which notebooks have to run, and running them.

A notebook is run again when anything it depends on has changed: its own text, its claims, the
package, the installed libraries, its parameters, or a file that its last run wrote.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import platform
import shutil
import sys
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from tqdm import tqdm

from ppdm.book.build.execute import Stopped, execute, parameter_names
from ppdm.files import replace_file
from ppdm.places import BEYOND, PACKAGE, Layout, computes, find_notebooks


def find_notebook(root: Path, name: str) -> Path:
    """The notebook that `name` means: its stem, or a beginning of it that fits only one.

    `01` is the page of the paper; its second page is `01-beyond` (or `01_beyond`).
    """
    stems = {notebook.stem: notebook for notebook in find_notebooks(root)}
    stem = Path(name).name.removesuffix(".ipynb").replace("-", "_")
    fits = [stem] if stem in stems else [s for s in stems if s.startswith(stem)]
    if len(fits) == 2 and fits[1] == fits[0][:2] + BEYOND:
        fits.pop()
    if len(fits) == 1:
        return stems[fits[0]]
    if fits:
        raise ValueError(f"{name!r} fits {', '.join(fits)}: give more of the name.")
    near = difflib.get_close_matches(stem, stems, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise ValueError(f"no chapter is called {name!r}{hint} There are {', '.join(stems)}.")


def chosen_parameters(notebook: Path, profile: str) -> dict[str, object]:
    """What a build hands to a notebook: its profile, and the data source of the whole run."""
    known = parameter_names(notebook)
    wanted: dict[str, object] = {} if profile == "paper" else {"profile": profile}
    if os.environ.get("PPDM_DATA_SOURCE"):
        wanted["data_source"] = os.environ["PPDM_DATA_SOURCE"]
    return {name: value for name, value in wanted.items() if name in known}


def run_chapters(layout: Layout, profile: str, workers: int = 1) -> list[str]:
    """Execute what has changed into the staged tree; return the stems that were run.

    All are tried even if one fails, so that one run shows all failures.
    """
    _forget_removed(layout)
    jobs = ((n, chosen_parameters(n, profile)) for n in find_notebooks(layout.root))
    every = [(n, parameters, fingerprint(layout.root, n, parameters)) for n, parameters in jobs]
    stale = [job for job in every if not is_fresh(layout, job[0].stem, job[2])]
    stale.sort(
        key=lambda job: job[0].stem.endswith(BEYOND)
    )  # they find the paper page's points kept
    stop = threading.Event()

    def run(job) -> str | None:
        notebook, parameters, made_of = job
        # One notebook at a time shows its cells; several share a bar of notebooks.
        return _run_one(layout, notebook, parameters, made_of, stop, bar=workers == 1)

    pool = ThreadPoolExecutor(max_workers=workers)
    done = tqdm(
        pool.map(run, stale),
        total=len(stale),
        desc="notebooks",
        leave=False,
        disable=True if workers == 1 else None,  # None: quiet when not a terminal
    )
    try:
        failures = [failure for failure in done if failure]
    finally:
        stop.set()  # nothing goes on after Ctrl-C
        pool.shutdown(cancel_futures=True)
    if failures:
        raise RuntimeError(" ".join(failures))
    return [notebook.stem for notebook, _, _ in stale]


def _run_one(
    layout: Layout, notebook: Path, parameters, made_of: str, stop: threading.Event, bar: bool
) -> str | None:
    stem = notebook.stem
    output = layout.source / "notebooks" / notebook.name
    stamp(layout, stem).unlink(missing_ok=True)
    shutil.rmtree(layout.results / stem, ignore_errors=True)
    shutil.rmtree(layout.out / "figures" / stem, ignore_errors=True)
    tqdm.write(f"running {notebook.name}")
    try:
        execute(
            notebook, output, parameters, layout.results, scratch=layout.work, stop=stop, bar=bar
        )
    except Stopped:
        return None
    except RuntimeError as error:
        return str(error)
    note = {"made_of": made_of, "wrote": checksums(_written(layout, stem), layout.out)}
    replace_file(stamp(layout, stem), json.dumps(note, indent=1).encode())
    return None


def _forget_removed(layout: Layout) -> None:
    """Drop what was made of notebooks that no longer exist."""
    stems = {notebook.stem for notebook in find_notebooks(layout.root)}
    for pattern in ("src/notebooks/*.ipynb", "results/*/", "figures/*/", "provenance/*.json"):
        for path in layout.out.glob(pattern):
            if path.stem not in stems:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def stamp(layout: Layout, stem: str) -> Path:
    """The file that says what the last good run of a chapter was made of."""
    return layout.stamps / f"{stem}.json"


def is_fresh(layout: Layout, stem: str, made_of: str) -> bool:
    """Whether a chapter's last run had these inputs and its files are still as it left them."""
    try:
        note = json.loads(stamp(layout, stem).read_bytes())
    except (OSError, ValueError):  # none, or one that says nothing
        return False
    wrote = checksums(_written(layout, stem), layout.out)
    return note == {"made_of": made_of, "wrote": wrote}


def _written(layout: Layout, stem: str) -> list[Path]:
    return [
        layout.source / "notebooks" / f"{stem}.ipynb",
        layout.out / "provenance" / f"{stem}.json",
        *files_below(layout.results / stem),
        *files_below(layout.out / "figures" / stem),
    ]


def fingerprint(root: Path, notebook: Path, parameters: Mapping[str, object]) -> str:
    """A checksum of all that decides what a notebook computes."""
    claims = root / "book" / "claims"
    return digest(
        checksums([notebook, claims / f"{notebook.stem}.yml", claims / "changes.yml"], root),
        checksums(package_sources(), PACKAGE),
        parameters,
        os.environ.get("PPDM_DATA_SOURCE"),
        installed_versions(),
    )


def package_sources() -> list[Path]:
    """The files of the package that can change what a notebook computes."""
    return [path for path in files_below(PACKAGE) if computes(path)]


def installed_versions() -> list[str]:
    """Python and every installed package, with versions."""
    packages = {f"{d.name}=={d.version}" for d in metadata.distributions()}
    return [sys.version, platform.machine(), *sorted(packages)]


def files_below(folder: Path) -> list[Path]:
    """Every file in a folder, without what Python leaves behind there."""
    skipped = ("__pycache__", ".ipynb_checkpoints")
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not set(skipped) & set(path.parts) and path.suffix != ".pyc"
    )


def checksums(paths: Iterable[Path], base: Path) -> dict[str, str]:
    """The sha256 of each file that exists, by its path below `base`."""
    return {
        path.relative_to(base).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file()
    }


def digest(*parts: object) -> str:
    """One checksum of several JSON-like things.

    >>> digest({"a": 1}, None) == digest({"a": 1}, None) != digest({"a": 2}, None)
    True
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
