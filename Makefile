# `make run` and `make test` do everything on a machine that has only Python 3.11 or later and make.

VENV    := .venv
BIN     := $(VENV)/bin
USABLE  := $(VENV)/.usable
READY   := $(VENV)/.ready
WORKERS ?= 2
ARGS    ?=

# Say PYTHON=/path/to/python to choose one; otherwise the first of these that is new enough is taken.
PYTHON     ?=
CANDIDATES := $(PYTHON) python3.11 python3.12 python3.13 python3.14 python3 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# The tests start hundreds of short processes: without byte code on disk each would compile the package anew.
export PYTHONDONTWRITEBYTECODE =

INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -rfEs

.DEFAULT_GOAL := help
.PHONY: help run test check soak bench docs model clean

help:
	@echo "make run    a guided demonstration on a temporary file (two minutes, the install included)"
	@echo "make test   every check and test, real PostgreSQL included (ARGS='-k time' for a part)"
	@echo "make check  style, types and import layers only"
	@echo "make soak   the long versions of the tests and benchmarks, in full"
	@echo "make bench  the benchmarks"
	@echo "make docs   write the generated pages of docs/ anew, and build the site"
	@echo "make clean  remove the environment and everything else that can be made again"

# The package alone, without the tools of developers: `make test` adds them to the same environment.
run: $(USABLE)
	@$(GET_MODEL)
	@$(BIN)/python examples/tour.py

# Where there is a Chromium, the Inspector is tested in it; without one, those tests are skipped and say so.
GET_BROWSER = if command -v chromium > /dev/null 2>&1; then \
	  $(BIN)/python -c 'import playwright' 2> /dev/null || \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[browser]' || \
	  echo "NOTE: playwright could not be installed; the tests in a browser are skipped"; fi

test: check model
	@$(GET_BROWSER)
	@echo "== tests"
	@$(PYTEST) -m "not soak" $(ARGS)

check: $(READY)
	@echo "== style"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || \
	  { echo "Some files are not formatted; run: $(BIN)/ruff format ."; exit 1; }
	@echo "== types"
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/mypy --no-error-summary --strict examples/tour.py docs/generate.py docs/pictures.py docs/python_reference.py docs/terminal.py
	@echo "== import layers"
	@$(BIN)/lint-imports > $(VENV)/layers.txt || { cat $(VENV)/layers.txt; exit 1; }

soak: $(READY) model
	@$(GET_BROWSER)
	@$(BIN)/python -m tests.integrations.environments
	@$(PYTEST) -m soak --timeout=7200 $(ARGS)
	@if [ -f bench/__main__.py ]; then $(BIN)/python -m bench --long; fi

bench: $(READY) model
	@$(BIN)/python -m bench $(ARGS)

# The pages are checked by the tests; this writes the generated ones anew and builds the site, broken links refused.
docs: $(READY)
	@$(BIN)/python docs/generate.py
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir site
	@echo "The site is in site/: open site/index.html, or run: $(BIN)/mkdocs serve"

# Nothing but the vectors needs the model: without it the rest works, and the tests that want it are skipped.
GET_MODEL = $(BIN)/longmind models verify > /dev/null 2>&1 || $(BIN)/longmind models install || \
	  echo "NOTE: no embedding model. Search goes by words; try again with: make model"

model: $(READY)
	@$(GET_MODEL)

$(USABLE): pyproject.toml constraints.txt
	@python=""; \
	for candidate in $(CANDIDATES); do \
	  if $$candidate -c '$(NEW_ENOUGH)' > /dev/null 2>&1; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Longmind needs Python 3.11 or later; here is $$(python3 --version 2>&1 || echo none)."; \
	  echo "Install one, or say where it is: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; \
	  exit 1; \
	fi; \
	if ! $(BIN)/python -c '$(NEW_ENOUGH)' > /dev/null 2>&1; then \
	  echo "== environment: $(VENV) with $$($$python --version)"; \
	  $$python -m venv --clear $(VENV) || \
	    { echo "Python lacks its venv module; on Debian and Ubuntu: apt install python3-venv"; exit 1; }; \
	fi
	@echo "== installing Longmind (a minute the first time)"
	@$(INSTALL) --editable .
	@touch $@

$(READY): $(USABLE)
	@echo "== installing the tools for tests (some minutes the first time)"
	@$(INSTALL) --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .frameworks build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
