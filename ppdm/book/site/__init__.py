"""The pages of the book that are made from results, not written by hand.

    records    what the claims files, the results and the provenance notes say, read into one place
    scoreboard the front page's rows, the scoreboard, what the papers leave open, how the rules came about
    paper_figures  the papers' figures beside ours
    runs       what was run
    gallery    the chapters' cards, and the files behind all figures
    api        the reference of the package, from its docstrings
    trade_off  chapter 5's planes, for the reader to take hold of
    live       Python for the reader's browser, of what runtime.yml says: a Sphinx extension, too
    hidden_lines  what its cells need of the cells that a page does not run
    in_page    what it has beside the package
    obey       whether people obey: claims, devices, simulated fieldwork
    own_survey the example of a survey of one's own
    course     the assignments, as student versions
    take_along the notebooks as one file, the changes, the slides
    lecturers  the rubrics
    exercises  numbered by page: a Sphinx extension
    theme      what the theme lacks: a Sphinx extension
    archive    the whole site as one file

`generate` writes fragments to `book/_generated` of the staged tree; the pages in `book/` say the
words around them and include them.
"""

from __future__ import annotations

from pathlib import Path

from ppdm.places import PACKAGE, find_root


def generate(source: Path, results: Path) -> None:
    """Write all generated pages and fragments into the staged tree `source`.

    Chapters that have not been run leave their part out, in words.
    """
    from ppdm.book.site import (
        api,
        course,
        gallery,
        lecturers,
        live,
        obey,
        own_survey,
        paper_figures,
        runs,
        scoreboard,
        take_along,
        trade_off,
    )
    from ppdm.book.site.records import read_records, write_csv

    records = read_records(source, results)
    folder = source / "book" / "_generated"
    folder.mkdir(parents=True, exist_ok=True)
    fragments = {
        "papers": scoreboard.papers(records),
        "tally": scoreboard.tally(records),
        "report": scoreboard.report(records),
        "scoreboard": scoreboard.scoreboard(records),
        "card": scoreboard.example(source / "notebooks" / "01_electronic_surveys.ipynb"),
        "rules_history": scoreboard.rules_history(records),
        "rule_counts": scoreboard.rule_counts(records),
        "margins": scoreboard.margins(records),
        "rates": scoreboard.rates(records),
        "rates_head": scoreboard.rates_head(records),
        "seen_and_left": scoreboard.seen_and_left(records),
        "untold": scoreboard.untold(records),
        "ambiguities": scoreboard.ambiguities(records),
        "paper_figures": paper_figures.page(records, source, results),
        "runs": runs.runs(records),
        "cards": gallery.cards(records),
        "course": course.write(source / "book" / "_static", source / "book" / "assignments"),
        "changes": take_along.changes(find_root()),
        "slides": take_along.slides(source / "notebooks", source / "book" / "_static" / "course"),
        "rubrics": lecturers.rubrics(find_root() / "notebooks" / "assignments"),
        "runtime": live.made_of(),
        **obey.fragments(),
        **own_survey.fragments(source / "book" / "_static" / "survey"),
        "api": api.write_pages(PACKAGE, source / "book" / "api"),
    }
    trade_off.write(source / "book" / "_static", results)
    live.write(source / "book" / "_static")
    archive = source / "book" / "_static" / take_along.NOTEBOOKS
    take_along.pack_notebooks(
        source / "notebooks", "Privacy-preserving data mining, reproduced", archive
    )
    for name, text in fragments.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    gallery.publish(results.parent / "figures", source / "book" / "_static" / "figures")
    runs.publish_manifests(results, source / "book" / "_static" / "manifests")
    write_csv(records, source / "book" / "_static" / "claims.csv")
