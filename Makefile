# Every task in one word. `make help` lists them; `make try` and `make test` need only Python and make.
#
#   PYTHON=python3.12   the interpreter for .venv (default: the first Python >= 3.11 that is found)
#   ARGS="-k undo -x"   more arguments for pytest, the try-out or one of the benchmarks
#   JOBS=4              pytest workers (default: one per core)

.POSIX:
SHELL = /bin/sh

PYTHON =
ARGS =
JOBS = auto
KILLS = 10000
FAST = not slow and not npm and not editor and not workbench
VENV = .venv
BIN = $(VENV)/bin
# pip keeps its cache under HOME; where there is none it must not fail.
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet

help:
	@echo "make try        set up and see the main job done, with a store of its own"
	@echo "make test       set up and run all tests (a few minutes)"
	@echo "make test-slow  the tests marked slow, with $(KILLS) kills (an hour or more)"
	@echo "make test-npm   the tests with clients from npm; they need Node and a package registry"
	@echo "make test-clients  the tests of the editors' plugins and of the client for Node, each where its editor is"
	@echo "make test-editors  the extension in a real VS Code workbench; installs one, and needs npm and a package registry"
	@echo "make screenshots   the same, and the pictures in docs/editors/images made anew"
	@echo "make vscode     pack the extension for VS Code; it needs Node, npm and a package registry"
	@echo "make lint       ruff, mypy, import contracts, freshness of derived files"
	@echo "make check      lint, then test: what a change must pass"
	@echo "make derive     write the derived files anew: schemas, reference pages, typed client calls"
	@echo "make coverage   branch coverage; fails under 100 % for gate, store and core"
	@echo "make bench      measure speed and retrieval: bench-provider, bench-verbs, bench-retrieval, bench-approval"
	@echo "make clean      remove caches and build results; make distclean removes $(VENV) and .workbench, too"

try: $(VENV)/.runtime
	@$(BIN)/keepgate try $(ARGS)

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n $(JOBS) -m "$(FAST)" -q $(ARGS)
	@echo "make test: every test passed"

test-slow: $(VENV)/.dev
	@KEEPGATE_KILLS=$(KILLS) $(BIN)/python -m pytest -n $(JOBS) -m slow --timeout=0 -q $(ARGS)
	@echo "make test-slow: every slow test passed"

test-npm: $(VENV)/.dev
	@$(BIN)/python -m pytest -m npm -q $(ARGS)
	@echo "make test-npm: every client from npm was served"

test-clients: $(VENV)/.dev
	@$(PIP) install -e '.[editors]'
	@$(BIN)/python -m pytest -m editor -q $(ARGS)
	@echo "make test-clients: every editor that is here was served"

test-editors: $(VENV)/.workbench
	@$(BIN)/python tests/workbench/install.py
	@$(BIN)/python -m pytest -m workbench --timeout=900 -q $(ARGS)
	@echo "make test-editors: the workbench did all that it was asked"

screenshots:
	@KEEPGATE_SCREENSHOTS=1 $(MAKE) --no-print-directory test-editors

vscode: editors/vscode/node_modules/.package-lock.json
	@cd editors/vscode && npm run --silent package
	@echo "make vscode: install it with: code --install-extension editors/vscode/keepgate.vsix"

editors/vscode/node_modules/.package-lock.json: editors/vscode/package-lock.json
	@cd editors/vscode && npm ci --silent

lint: $(VENV)/.dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache >"$(VENV)/lint-imports.log" 2>&1 || { cat "$(VENV)/lint-imports.log"; exit 1; }
	@$(BIN)/python -m keepgate.derive --check
	@echo "make lint: nothing to complain about"

derive: $(VENV)/.dev
	@$(BIN)/python -m keepgate.derive

check: lint test

coverage: $(VENV)/.dev
	@rm -f .coverage .coverage.*
	@$(BIN)/coverage run -m pytest -n $(JOBS) -m "$(FAST)" -q $(ARGS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report --skip-covered
	@$(BIN)/coverage report --skip-covered --fail-under=100 \
	  --include='sidecar/keepgate/gate/*,sidecar/keepgate/store/*,sidecar/keepgate/core/*'
	@echo "make coverage: gate, store and core are covered branch by branch"

bench: bench-provider bench-verbs bench-retrieval bench-approval

bench-provider: $(VENV)/.dev
	@$(BIN)/python benchmarks/provider.py $(ARGS)

bench-verbs: $(VENV)/.dev
	@$(BIN)/python benchmarks/verbs.py $(ARGS)

bench-retrieval: $(VENV)/.dev
	@$(BIN)/python benchmarks/retrieval.py $(ARGS)

bench-approval: $(VENV)/.dev
	@$(BIN)/python benchmarks/approval.py $(ARGS)

clean:
	rm -rf build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache
	rm -rf .ruff_cache sidecar/*.egg-info
	find sidecar client tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) .workbench

# Two stamps, so that a try-out need not wait for linters.
$(VENV)/.runtime: pyproject.toml
	@$(MAKE) --no-print-directory venv
	@echo "Installing keepgate and its libraries into $(VENV); the first time this takes about a minute"
	@$(PIP) install -e .
	@touch $@

$(VENV)/.dev: pyproject.toml
	@$(MAKE) --no-print-directory venv
	@echo "Installing keepgate and what its tests need into $(VENV); the first time this takes about a minute"
	@$(PIP) install -e '.[dev]'
	@touch $(VENV)/.runtime $@

$(VENV)/.workbench: $(VENV)/.dev
	@$(PIP) install -e '.[workbench]'
	@touch $@

venv:
	@test -x $(BIN)/python || { \
	  python='$(PYTHON)'; \
	  for candidate in python3 python3.13 python3.12 python3.11 python; do \
	    test -n "$$python" && break; \
	    "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && python=$$candidate; \
	  done; \
	  test -n "$$python" || { echo "keepgate needs Python 3.11 or newer; name it with PYTHON=..." >&2; exit 1; }; \
	  echo "Setting up $(VENV) with $$python ($$("$$python" -c 'import platform; print(platform.python_version())'))"; \
	  "$$python" -m venv $(VENV) || { \
	    rm -rf $(VENV); \
	    echo "This Python cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv" >&2; \
	    exit 1; }; \
	}

.PHONY: help try test test-slow test-npm test-clients test-editors screenshots vscode lint derive check coverage bench bench-provider bench-verbs bench-retrieval clean distclean venv
