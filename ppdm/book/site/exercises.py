"""Exercises are numbered by page: each page begins with Exercise 1. A Sphinx extension."""

from __future__ import annotations


def renumber(env) -> None:
    """Number the exercises of every page from one, in the order in which they stand."""
    for numbers in env.toc_fignumbers.values():
        found = numbers.get("exercise")
        if found:
            by_place = sorted(found.items(), key=lambda item: item[1])
            numbers["exercise"] = {name: (place,) for place, (name, _) in enumerate(by_place, 1)}


def setup(app):
    """Register with Sphinx: after all pages were read, before the first is written."""
    app.connect("env-check-consistency", lambda app, env: renumber(env))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
