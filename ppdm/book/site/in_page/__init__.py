"""What a page's Python has in the reader's browser beside `ppdm` itself.

    run      runs the cells of a page, as a notebook would
    few      a few of scipy's functions, where there is no scipy
    plot     in the place of `ppdm.plot`, where there is no matplotlib: the figures of the live cells
    study    in the place of `ppdm.study`: a chapter that shows figures and keeps nothing

`ppdm.book.site.live` lays them into the site. They use what the browser has and nothing else.
"""
