# isodyn: everything runs in .venv (comparisons with other packages in .venv-bench), which the targets create themselves.
# Needed on the machine: make, Python >= 3.11 with venv, a C compiler for packages that have no wheel.

PYTHON ?= python3
VENV   := .venv
PEERS  := .venv-bench
LOWEST := .venv-lowest
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile

# One Numba cache for every part: the tests, the demo, the benchmarks and the docs compile each function once.
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba
export PIP_DISABLE_PIP_VERSION_CHECK := 1

ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help install demo picture wheel test check lint types fuzz kills lowest long verify bench docs docs-index docs-gallery docs-tutorials clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

install: $(VENV)/.installed ## create .venv and install isodyn (editable) with all extras and the tools

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("isodyn needs Python 3.11 or newer\nhint: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

demo: install ## run a machine with closed loops; reactions and checks on the terminal, the animated report in out/demo
	@$(BIN)/isodyn demo --out out/demo

picture: install ## draw docs/images/squeezer.gif, the moving picture of the README
	$(BIN)/python docs/moving_picture.py

wheel: install ## build dist/*.whl with machine code of every kernel for this system and Python
	$(BIN)/python -m isodyn.kernels.build build
	ISODYN_MACHINE_CODE=build/machine_code $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	@ls -l dist

test: install ## run all tests
	$(PYTEST)

check: lint types ## the fast loop: lint, format, types and every test that is not slow
	$(PYTEST) -q -m "not slow"

lint: install ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install ## mypy, strict
	$(BIN)/mypy

fuzz: install ## read 20,000 damaged texts and files of every format; inputs that fail are saved in out/fuzz
	$(ONE_THREAD) $(BIN)/python -m fuzz --inputs 20000

kills: install ## kill runs without warning at random steps and inside writes, 20 times over, and resume them
	@for seed in $$(seq 1 20); do rm -rf out/kills && mkdir -p out/kills && echo "seed $$seed" \
	  && $(ONE_THREAD) PYTHONPATH=tests $(BIN)/python tests/results/killed_runs.py out/kills $$seed || exit 1; done; rm -rf out/kills

# Warnings of old packages about each other are not ours; everything else fails as usual.
lowest: $(LOWEST)/.installed ## run tests of files, models, reports, joints and orders with the lowest declared versions, in .venv-lowest
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-lowest $(ONE_THREAD) $(LOWEST)/bin/python -m pytest -q -p no:cacheprovider \
	  -m "not slow" -W default::DeprecationWarning -W default::PendingDeprecationWarning -W default::FutureWarning $(LOWEST_TESTS)

LOWEST_TESTS := tests/results tests/models tests/report tests/faults tests/reduction tests/derivatives tests/messages \
  tests/reference/test_mechanism_problems.py tests/test_cli.py tests/test_loads_and_damping.py tests/order/test_members.py

$(LOWEST)/.installed: pyproject.toml .ci/lowest.py
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PYTHON) .ci/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --requirement $(LOWEST)/lowest.txt --editable ".[all]" pytest hypothesis jsonschema
	@touch $@

long: test fuzz kills lowest verify ## what is too long for CI, before a release: all tests, full fuzz, kills, lowest versions, full verify

verify: install ## run the standard set on one thread; numbers into benchmarks/results, the page with its plots into out
	@mkdir -p out
	$(ONE_THREAD) $(BIN)/isodyn verify --json --html out/verification.html > out/verification.json
	@mv out/verification.json benchmarks/results/verification.json

bench: install $(PEERS)/.installed ## run the benchmarks on one thread, those against other packages in .venv-bench
	@status=0; \
	$(ONE_THREAD) $(BIN)/python -m benchmarks || status=1; \
	$(ONE_THREAD) $(PEERS)/bin/python -m benchmarks.peers --page docs/benchmarks.md || status=1; \
	exit $$status

$(PEERS)/.installed: pyproject.toml benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip install --quiet --editable ".[plot,fem]" pytest hypothesis
	@grep -v '^#' benchmarks/peers/requirements.txt | while read -r line; do \
	  echo "$$line" | xargs $(PEERS)/bin/python -m pip install --quiet || echo "not installed, left out: $$line" >&2; \
	done
	@touch $@

docs: $(VENV)/.installed-docs docs-index docs-gallery docs-tutorials ## build the HTML documentation into docs/_build/html and run its doctests
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -b doctest docs docs/_build/doctest
	@echo "docs/_build/html/index.html"

docs-index: install ## check the equation tags and write docs/_generated/equations.md
	$(BIN)/python docs/equation_index.py

docs-gallery: install ## run the examples that changed and write docs/_generated/gallery.md; two minutes the first time
	$(BIN)/python docs/gallery.py

docs-tutorials: install ## run the tutorials that changed and write their pages and notebooks into docs/_generated/tutorials
	$(BIN)/python docs/tutorials.py

clean: ## remove what was built or cached; .venv, .venv-bench and .venv-lowest stay
	rm -rf out build dist docs/_build docs/_generated .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests docs benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
