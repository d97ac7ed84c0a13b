# Everything here is a call of the `ppdm` command; the logic lives in Python (ppdm/book).

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
RUN = .venv/bin/python -m

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):[^#]*## /  make \1\t/' | expand -t 16

book: .venv/installed ## run every chapter at the paper's size, build the site in _build/html
	@$(RUN) ppdm book

test: .venv/installed ## the tests: units, doctests, the first chapter at quick size
	@$(RUN) pytest -n 2 --dist worksteal -q

check: .venv/installed ## look at the built site in a browser, then the tests that need minutes
	@$(RUN) ppdm book check
	@$(MAKE) --silent _build/spark/installed
	@$(RUN) pytest -n 2 --dist worksteal -q -m "slow and not weekly"

weekly: .venv/installed _build/spark/installed ## the tests that need many minutes each
	@$(RUN) pytest -n 2 --dist worksteal -q -m weekly

quick: .venv/installed ## every chapter small, and the site, in _build/quick/html
	@$(RUN) ppdm book quick

lab: .venv/installed ## JupyterLab in notebooks/
	@$(RUN) ppdm lab

serve: .venv/installed ## show the built site on 127.0.0.1
	@$(RUN) ppdm book serve

verify: .venv/installed ## compute cells of the built book again, drawn at random
	@$(RUN) ppdm verify

pdf: .venv/installed ## print the built site as one PDF
	@$(RUN) ppdm book pdf

zip: .venv/installed ## pack the built site into one file to read offline
	@$(RUN) ppdm book zip

bench: .venv/installed ## time the parts that must be fast
	@$(RUN) pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[bench]'
	@$(RUN) ppdm book bench

clean: ## forget everything that was built; .venv stays
	rm -rf _build

.venv/installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed; none was found."; exit 1; }
	@echo "installing into .venv, about a minute"
	@$(PYTHON) -m venv .venv
	@$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(RUN) pip install --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps -e .
	@touch $@

# Spark is 430 MB and serves one test, so it is no part of .venv; without it, or without a Java, the test
# is skipped. What builds it (setuptools, wheel) is in requirements.lock.
_build/spark/installed: requirements-spark.lock
	@command -v java >/dev/null || { echo "there is no java: Spark is not installed, its tests are skipped"; exit 0; }; \
	echo "installing Spark into _build/spark, two minutes"; \
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-build-isolation \
		--upgrade --target _build/spark -r requirements-spark.lock && touch $@ \
		|| echo "Spark could not be installed: its tests are skipped"

.PHONY: help book test check weekly quick lab serve verify zip pdf bench clean
