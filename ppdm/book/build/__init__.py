"""From clean notebooks to a website.

The stages, a module each, in the order in which they run:

    layout      where things are read and written: the repository's root, `_build` and its folders
    chapters    which notebooks must run again, with which parameters
    lock        one build at a time in a folder
    family      processes that end together
    execute     one notebook through papermill, in a process of its own
    render      a staged tree, rendered by jupyter-book; any warning is an error
    extension   what the book adds to Sphinx
    commands    what the `ppdm` command calls

Nothing is written outside `_build`. A finished piece replaces an old one in one step, so an
interrupted build leaves the last good one in place.
"""
