"""The machinery behind the book. No module that computes imports anything from here.

build    from notebooks to a site: `ppdm book`, `ppdm book quick`, `ppdm run` and their like
pdf      all pages of the site, printed as one PDF: `ppdm book pdf`
site     the pages that are made of results
check    what the built site is held to: `ppdm book check`
chromium the browser that looks at the site and prints it
settings `_config.yml` with the address of the repository filled in
numbers  computed numbers in the sentences of the notebooks: `ppdm book numbers`
verify   whether a build is what its manifests say: `ppdm verify`
bench    the parts that must be fast, timed: `ppdm book bench`
"""
