"""The machinery behind the book. No module that computes imports anything from here.

build    from notebooks to a site: `ppdm book`, `quick`, `run`, `serve`, `lab`, `zip`
site     the pages that are made of results
check    what the built site is held to: `ppdm check`
bench    the parts that must be fast, timed: `ppdm bench`
npm      what npm brings, locked: Lighthouse, Python for the browser
"""
