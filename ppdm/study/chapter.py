"""A chapter of the book: its sizes, runs, results, figures, verdicts and provenance."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from ppdm import data, places
from ppdm.files import replace_file
from ppdm.study import cards, grid, ledger, manifest, provenance
from ppdm.study.parameters import check as check_parameters

PROFILES = ("paper", "quick")


class Chapter:
    """Opened after a notebook's parameters cell; see `ppdm.study` for the whole of it by example.

    `sizes` maps a size's name to (paper's, quick run's). A keyword in `parameters` that names a
    size overrides it unless it is None; the others are settings, listed in the provenance block.
    `claims` is the claims file (default `book/claims/<stem>.yml`, if there is one). `rows` is the paper's
    module of that name: in it stand the functions that the claims' entries name, and extractors of its own.
    `numbers` gives the numbers of the page's sentences, by name; it is a function of the chapter. `use`
    names the data sets that its points are computed from, taken from the parameter `data_source`.

    >>> ch = Chapter("00_example", profile="quick", seed=1, sizes={"reps": (50, 5)}, reps=100)
    >>> ch.sizes, ch.quick
    ({'reps': 100}, False)
    """

    def __init__(
        self,
        stem: str,
        *,
        seed: int,
        profile: str = "paper",
        sizes: dict | None = None,
        claims: str | Path | None = None,
        rows: ModuleType | None = None,
        numbers: Callable[[Chapter], dict[str, Any]] | None = None,
        use: Iterable[str] = (),
        **parameters: Any,
    ):
        if profile not in PROFILES:
            raise ValueError(f"profile is {profile!r}; allowed are paper and quick")
        check_parameters(stem, {"seed": seed} | parameters)
        self.stem, self.seed, self.began = stem, seed, time.perf_counter()
        both = sizes or {}
        self.sizes = {name: pair[PROFILES.index(profile)] for name, pair in both.items()}
        self.sizes |= {k: v for k, v in parameters.items() if k in both and v is not None}
        self.settings = {k: v for k, v in parameters.items() if k not in both}
        self.below = _below(self.sizes, {name: pair[0] for name, pair in both.items()})
        self.quick = bool(self.below)
        self.datasets: dict[str, Any] = {}
        self.figures = 0
        self.recorder = manifest.Recorder(stem)
        self.results = places.results_folder()
        self.ledger = ledger.Ledger(_read_claims(stem, claims), self.below, rows)
        self.module, self.numbers = rows, numbers
        self.computed: dict[Callable, Any] = {}
        for name in use:
            self.use(data.load(name, parameters.get("data_source")))
        if self.quick:
            _display(cards.part("banner", self.below))

    # Running

    def use(self, dataset: Any) -> Any:
        """Note a data set in the provenance and in the keys of the kept points; returns it."""
        self.datasets[dataset.name] = dataset.provenance
        return dataset

    def run(
        self, function: Callable, points: Any, reps: int | None = None, **options: Any
    ) -> pd.DataFrame:
        """`study.run` with this chapter's seed, and its `reps` unless others are named."""
        reps = self.sizes["reps"] if reps is None else reps
        return grid.run(function, points, reps, self.seed, **self._kept_under(), **options)

    def rows(self, function: Callable, points: Any, **options: Any) -> pd.DataFrame:
        """`study.rows` with this chapter's seed."""
        return grid.rows(function, points, self.seed, **self._kept_under(), **options)

    def _kept_under(self) -> dict:
        sources = {name: [p.source, p.sha256] for name, p in self.datasets.items()}
        return {"data": sources, "record": self.recorder.record}

    def get(self, function: Callable[[Chapter], Any]) -> Any:
        """What a function of the chapter computes: once, when it is first asked for.

        >>> ch = Chapter("00_example", seed=1)
        >>> rolls = lambda chapter: [chapter.seed]
        >>> ch.get(rolls) is ch.get(rolls)
        True
        """
        if function not in self.computed:
            self.computed[function] = function(self)
        return self.computed[function]

    # Showing and keeping

    def save(self, name: str, frame: pd.DataFrame) -> pd.DataFrame:
        """Write `<results>/<stem>/<name>.csv`, columns in the book's order, the same at every run."""
        frame = ordered(frame)
        path = self.results / self.stem / f"{name}.csv"
        content = frame.to_csv(index=False, lineterminator="\n").encode()
        replace_file(path, content)
        self.recorder.table(path.name, content)
        return frame

    def figure(self, figure: Any, *, name: str | None = None, caption: str = "") -> None:
        """Show a figure, numbered, with its alternative text and its caption (its own, unless given).

        `figure` may be a function of the chapter that draws it: the figure then has the function's name.
        It gets the anchor `fig-<name>` and is kept as `<results>/../figures/<stem>/<name>.svg`, with
        what was drawn beside it as CSV; the page leads to both.
        """
        from ppdm import plot

        if callable(figure):
            name, figure = name or figure.__name__.replace("_", "-"), figure(self)
        caption, alt = caption or getattr(figure, "caption", ""), getattr(figure, "alt", "")
        if not caption or not alt:
            raise ValueError("a figure needs a caption and an alternative text (alt)")
        self.figures += 1
        name = name or str(self.figures)
        content = {"SVG": plot.svg(figure, alone=True)}
        data = getattr(figure, "data", None)
        if data is not None:  # nine digits: more than a drawing shows
            content["CSV"] = data.to_csv(index=False, lineterminator="\n", float_format="%.9g")
        files = {}
        for kind, text in content.items():
            place = f"figures/{self.stem}/{name}.{kind.lower()}"
            replace_file(self.results.parent / place, text.encode())
            files[kind] = f"../_static/{place}"
        drawn = (plot.element(figure, alt, name), self.figures, name, caption, files)
        _display(cards.part("figure", *drawn, words=f"Figure {self.figures}. {caption}"))

    # Deciding

    def movers(self, *ids: str, rows: ledger.Rows) -> list[str]:
        """The readings that move the evidence of one of these claims, taken from `rows`, by a standard error."""
        return self.ledger.movers(*ids, rows=rows)

    def decide(self, *ids: str) -> Any:
        """Decide claims by the evidence and the rules that their entries name (let it be the cell's last line).

        One claim is shown as a card, many as one table.
        """
        for claim in filter(None, map(self.ledger.claims.get, ids)):
            for name in (claim.rows, *claim.needs):
                # the rows that its entry names, by the function of that name in the paper's module
                function = getattr(self.module, name, None)
                if function and name not in self.ledger.rows:
                    rows = self.get(function)
                    whole = rows if isinstance(rows, ledger.Rows) else ledger.Rows(rows)
                    self.ledger.rows[name] = whole
        decisions = [self.ledger.decide(id) for id in ids]
        return cards.Card(decisions[0]) if len(ids) == 1 else cards.cards(decisions)

    def elsewhere(self, stem: str) -> cards.Html:
        """The claims that another page decides, each under the anchor its card once had here."""
        return cards.elsewhere(_read_claims(stem, None).values(), stem)

    def verdicts(self) -> cards.Html:
        """The verdicts so far, in the order of the claims file."""
        return cards.verdicts(self.ledger.in_order())

    def finish(self) -> None:
        """Write verdicts, numbers and provenance, and show the verdicts, folded, and the provenance block.

        Fails if a claim has no verdict. A verdict that is not the expected one is shown here; the
        build fails on it.
        """
        facts, book, home = self._provenance(), self.ledger, self.results / self.stem
        path = self.results.parent / "provenance" / f"{self.stem}.json"
        replace_file(path, json.dumps(facts, indent=2, default=str).encode() + b"\n")
        if self.numbers:
            numbers = self.numbers(self)
            if book.claims:
                numbers = numbers | {"summary": ledger.summary(book.decided.values())}
            content = (
                json.dumps(numbers, indent=1, default=lambda value: value.item()).encode() + b"\n"
            )
            replace_file(home / "numbers.json", content)
            self.recorder.table("numbers.json", content)
        if book.claims:
            ledger.write(home / "claims.csv", book.in_order())
            self.recorder.table("claims.csv", (home / "claims.csv").read_bytes())
        self.recorder.write(
            home / "manifest.json",
            **{key: facts[key] for key in ("seed", "sizes", "settings", "data")},
            claims=[decision.row() for decision in book.in_order()],
        )
        if book.claims:
            _display(cards.part("folded", self.verdicts().html, "All verdicts of this page"))
        if book.changed():
            _display(cards.part("changed", book.changed()))
        _display(cards.part("provenance", _for_people(facts)))
        problems = [*book.problems, *(f"no verdict on {id}" for id in book.undecided())]
        if problems:
            raise ledger.LedgerError(f"{self.stem}: {'; '.join(problems)}")

    def _provenance(self) -> dict:
        return {
            "notebook": self.stem,
            "quick": self.quick,
            "size": f"a quick run ({self.below})" if self.quick else "the paper's size",
            "seed": self.seed,
            "sizes": self.sizes,
            "settings": self.settings,
            "data": {
                name: {"rows": p.rows, "source": p.source, "sha256": p.sha256}
                for name, p in self.datasets.items()
            },
            "versions": provenance.versions(),
            "machine": provenance.machine(),
            "commit": provenance.commit(),
            "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "seconds": round(time.perf_counter() - self.began, 1),
        }


# In saved frames these columns come first, and these last; others stand between.
FIRST = ("dataset", "scheme", "groups", "theta", "q", "k", "delta", "reading")
MEASURES = ("reps", "clusters", "mean", "se", "low", "high", "var", "var_se", "var_low", "var_high")


def ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its columns in the book's order.

    >>> list(ordered(pd.DataFrame(columns=["value", "rep", "theta", "extra", "dataset"])))
    ['dataset', 'theta', 'extra', 'rep', 'value']
    """
    if isinstance(frame.index, pd.MultiIndex) or frame.index.name is not None:
        frame = frame.reset_index()
    first, last = [column for column in FIRST if column in frame], []
    if "value" in frame:
        last = [column for column in ("rep", "metric", "value") if column in frame]
    elif "reps" in frame:  # a summary; without either, a metric is a name like any other
        last = ["metric"] * ("metric" in frame) + [m for m in frame if m in MEASURES]
    return frame[[*first, *(column for column in frame if column not in first + last), *last]]


def _below(sizes: dict, paper: dict) -> str:
    """What is below the paper's size, in words."""
    short = []
    for name, full in paper.items():
        listed = isinstance(full, (list, tuple))
        if not set(full) <= set(sizes[name]) if listed else sizes[name] < full:
            mine, whole = map(len if listed else int, (sizes[name], full))
            short.append(f"{name} {mine:,} of {whole:,}")
    return ", ".join(short)


def _read_claims(stem: str, path: str | Path | None) -> dict:
    if path is not None:
        return ledger.read(path)
    folder = places.claims_folder()
    path = folder / f"{stem}.yml" if folder else None
    return ledger.read(path) if path and path.is_file() else {}


def _for_people(facts: dict) -> dict[str, str]:
    """The provenance block's lines."""
    machine = facts["machine"]
    sizes, settings = (
        ", ".join(f"{name} {_short(value)}" for name, value in facts[key].items())
        for key in ("sizes", "settings")
    )
    return {
        "Size": facts["size"] if facts["quick"] or not sizes else f"{facts['size']}: {sizes}",
        "Seed": str(facts["seed"]),
        "Settings": settings,
        "Data": "; ".join(
            f"{name} ({d['rows']:,} rows, {d['source']} copy, sha256 "
            f"{', '.join(digest[:12] for digest in d['sha256'].values())})"
            for name, d in facts["data"].items()
        ),
        "Versions": ", ".join(f"{k} {v}" for k, v in facts["versions"].items()),
        "Machine": f"{machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gib']} GiB, {machine['system']}",
        "Time taken": f"{facts['seconds']:,.0f} s (points kept from an earlier run are not redone)",
        "Finished": facts["finished"],
        "Commit": facts["commit"],
    }


def _short(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"{len(value)} values" if len(value) > 4 else ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)


def _display(piece: cards.Html) -> None:
    """In a notebook as a piece of the page, else as text."""
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        ipython.display.display(piece)
    else:
        print(piece)
