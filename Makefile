# isodyn: everything runs in .venv (comparisons with other packages in .venv-bench), which the targets create themselves.
# Needed on the machine: make, Python >= 3.11 with venv, a C compiler for packages that have no wheel.

PYTHON ?= python3
VENV   := .venv
PEERS  := .venv-bench
LOWEST := .venv-lowest
OLD_NUMBA := .venv-old-numba
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile

# One Numba cache for every part: the tests, the demo, the benchmarks and the docs compile each function once.
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Bytecode is kept: hundreds of processes of the tests import the package, for a second each without it.
unexport PYTHONDONTWRITEBYTECODE

ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help install demo picture wheel wheel-check package kernels ahead test full check lint types fuzz fuzz-long kills stress lowest newest pythons lock audit sbom old-numba long verify bench robots docs docs-index docs-gallery docs-tutorials clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

install: $(VENV)/.installed ## create .venv and install isodyn (editable) with all extras and the tools

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("isodyn needs Python 3.11 or newer\nhint: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	@# the kernels of first runs are compiled while the rest is installed; whoever needs one meanwhile waits for it
	@nohup $(BIN)/python -m isodyn.kernels.helper >/dev/null 2>&1 &
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
	rm -f dist/*.whl
	ISODYN_MACHINE_CODE=build/machine_code $(BIN)/python -m hatchling build --target wheel --directory dist
	@ls -l dist

wheel-check: wheel ## install that wheel in an empty environment and make first results of every kind: nothing is compiled
	$(BIN)/python .ci/package.py dist/*.whl

package: install ## build the source archive and a wheel without machine code, install both in empty environments, run a pendulum
	$(BIN)/python .ci/package.py

kernels: install ## compile every kernel for this machine ahead of runs, in one process
	$(BIN)/python -m isodyn.kernels.build --here

ahead: kernels ## what tests need before they begin: every kernel, and bytecode of the tests
	$(BIN)/python -m pytest --collect-only -qq

test: install ## run all tests but full products
	$(PYTEST) -m "not long"

full: install ## the full products of which `make test` runs a cover of pairs
	$(PYTEST) -m long

check: lint types ## the fast loop: lint, format, types and every test that takes no seconds
	$(PYTEST) -q -m "not slow and not long"

lint: install ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install ## mypy, strict
	$(BIN)/mypy

fuzz: install ## read 20,000 damaged texts and files of every format; inputs that fail are saved in out/fuzz
	$(ONE_THREAD) $(BIN)/python -m fuzz --inputs 20000

FUZZ_SEEDS ?= 201 202 203 204 205
fuzz-long: install ## read 100,000 damaged inputs with five seeds (FUZZ_SEEDS), at low priority; counts and seeds in out/fuzz-long.log
	@mkdir -p out; : > out/fuzz-long.log; status=0; for seed in $(FUZZ_SEEDS); do echo "seed $$seed" | tee -a out/fuzz-long.log; \
	  $(ONE_THREAD) nice -n 19 $(BIN)/python -m fuzz --inputs 20000 --seed $$seed > out/fuzz-part.log 2>&1 || status=1; \
	  cat out/fuzz-part.log | tee -a out/fuzz-long.log; done; rm -f out/fuzz-part.log; exit $$status

kills: install ## kill 500 runs of every kind without warning: at steps, inside writes, at instants; damage files; go on with them
	@rm -rf out/kills && mkdir -p out/kills
	$(ONE_THREAD) PYTHONPATH=tests $(BIN)/python tests/results/killed_runs.py out/kills 1 500; status=$$?; rm -rf out/kills; exit $$status

stress: install ## extremes of stiffness, mass, step size and length, nearly singular and overdetermined mechanisms, loads that jump
	$(ONE_THREAD) $(BIN)/python -m pytest -q -n 0 tests/stress

# Warnings of old packages about each other are not ours; everything else fails as usual.
lowest: $(LOWEST)/.installed ## run tests of files, models, reports, joints and orders with the lowest declared versions, in .venv-lowest
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-lowest $(ONE_THREAD) $(LOWEST)/bin/python -m pytest -q -p no:cacheprovider \
	  -m "not slow and not long" -W default::DeprecationWarning -W default::PendingDeprecationWarning -W default::FutureWarning $(LOWEST_TESTS)

LOWEST_TESTS := tests/results tests/models tests/report tests/faults tests/reduction tests/derivatives tests/messages \
  tests/reference/test_mechanism_problems.py tests/test_cli.py tests/test_loads_and_damping.py tests/order/test_members.py

$(LOWEST)/.installed: pyproject.toml .ci/lowest.py
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PYTHON) .ci/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --requirement $(LOWEST)/lowest.txt --editable ".[all]" pytest hypothesis jsonschema
	@touch $@

NEWEST := .venv-newest
newest: $(NEWEST)/.installed ## the same tests with the newest versions that were tested, those of .ci/newest.txt, in .venv-newest
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-newest $(ONE_THREAD) $(NEWEST)/bin/python -m pytest -q -p no:cacheprovider \
	  -m "not slow and not long" $(LOWEST_TESTS)

$(NEWEST)/.installed: pyproject.toml .ci/newest.txt
	$(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(NEWEST)/bin/python -m pip install --quiet --constraint .ci/newest.txt --editable ".[all]" pytest hypothesis jsonschema
	@touch $@

PYTHONS ?= 3.12 3.13
pythons: install ## a pendulum, kernels, sweeps, kept runs and orders with other Pythons (PYTHONS) that this machine has; fails where it has none
	@ran=""; for v in $(PYTHONS); do python=$$($(PYTHON) .ci/find_python.py $$v) || continue; \
	  test -e .venv-$$v/.installed || { $$python -m venv .venv-$$v && .venv-$$v/bin/python -m pip install --quiet --upgrade "pip>=25.1" && \
	    .venv-$$v/bin/python -m pip install --quiet --constraint .ci/newest.txt --editable ".[all]" pytest hypothesis jsonschema && \
	    touch .venv-$$v/.installed; } || exit 1; \
	  NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-$$v $(ONE_THREAD) .venv-$$v/bin/python -m pytest -q -p no:cacheprovider \
	    -m "not slow and not long" $(OTHER_PYTHONS) || exit 1; ran="$$ran $$v"; done; \
	  test -n "$$ran" || { echo "this machine has none of the Pythons $(PYTHONS): nothing was tested" >&2; exit 1; }; \
	  echo "tested with Python$$ran"

OTHER_PYTHONS := tests/architecture/test_numba_internals.py tests/faults/test_kernel_cache.py tests/kernels tests/sweeps tests/results/test_resume.py tests/order/test_members.py

lock: $(VENV)/.installed-docs ## write the versions that are tested: .ci/lowest.txt from pyproject.toml, .ci/newest.txt from .venv
	$(PYTHON) .ci/lowest.py > .ci/lowest.txt
	$(BIN)/python .ci/newest.py > .ci/newest.txt

audit: install ## look up known vulnerabilities of all installed packages; fails where one could not be looked up
	$(BIN)/python .ci/audit.py

sbom: install ## write the software bill of materials of .venv, CycloneDX, into out/sbom.json
	@mkdir -p out
	$(BIN)/cyclonedx-py environment --output-reproducible --of JSON -o out/sbom.json $(BIN)/python
	@echo out/sbom.json

# The test that is left out imports modules that need extras.
old-numba: $(OLD_NUMBA)/.installed ## every private name of Numba, kernels on demand and a pendulum with the lowest declared Numba, in .venv-old-numba
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-old $(ONE_THREAD) $(OLD_NUMBA)/bin/python -m pytest -q -p no:cacheprovider \
	  tests/architecture/test_numba_internals.py tests/faults/test_kernels_on_demand.py tests/faults/test_kernel_cache.py \
	  tests/faults/test_shipped_kernels.py tests/kernels --deselect tests/faults/test_kernels_on_demand.py::test_nothing_is_compiled_or_loaded_at_import
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-old $(ONE_THREAD) $(OLD_NUMBA)/bin/isodyn run pendulum

$(OLD_NUMBA)/.installed: pyproject.toml .ci/lowest.py
	$(PYTHON) -m venv $(OLD_NUMBA)
	$(OLD_NUMBA)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PYTHON) .ci/lowest.py | grep -E '^(numba|numpy|scipy|click|rich)==' > $(OLD_NUMBA)/lowest.txt
	$(OLD_NUMBA)/bin/python -m pip install --quiet --requirement $(OLD_NUMBA)/lowest.txt --editable . pytest hypothesis
	@touch $@

long: test full fuzz-long kills stress lowest newest pythons verify wheel-check ## what is too long for CI, before a release: all tests, full products, full fuzz, kills, lowest versions, full verify, the wheel

verify: install ## run the standard set on one thread; numbers into benchmarks/results, the page with its plots into out
	@mkdir -p out
	$(ONE_THREAD) $(BIN)/isodyn verify --json --html out/verification.html > out/verification.json
	@mv out/verification.json benchmarks/results/verification.json

bench: install $(PEERS)/.installed ## run the benchmarks on one thread, those against other packages in .venv-bench; parts that are stored are left out with RESUME=--resume
	@status=0; \
	$(ONE_THREAD) $(BIN)/python -m benchmarks || status=1; \
	$(ONE_THREAD) $(PEERS)/bin/python -m benchmarks.peers $(RESUME) --page docs/benchmarks.md || status=1; \
	exit $$status

$(PEERS)/.installed: pyproject.toml benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip install --quiet --editable ".[plot,fem]" pytest hypothesis
	@grep -v '^#' benchmarks/peers/requirements.txt | while read -r line; do \
	  echo "$$line" | xargs $(PEERS)/bin/python -m pip install --quiet || echo "not installed, left out: $$line" >&2; \
	done
	@touch $@

robots: install ## load the robots of ROBOTS=folder and compare joint accelerations with its reference.json
	@test -n "$(ROBOTS)" || { echo "hint: make robots ROBOTS=folder, with a reference.json in it" >&2; exit 2; }
	$(BIN)/python -m benchmarks.robots "$(ROBOTS)"

docs: $(VENV)/.installed-docs docs-index docs-gallery docs-tutorials ## build the HTML documentation into docs/_build/html, run its doctests, check its links and look at it in a browser
	$(BIN)/python -m sphinx -q -W --keep-going -d docs/_build/doctrees -b html docs docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -d docs/_build/doctrees -b doctest docs docs/_build/doctest
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/browser/test_docs_pages.py
	@echo "docs/_build/html/index.html"

docs-index: install ## check the equation tags and write docs/_generated/equations.md
	$(BIN)/python docs/equation_index.py

docs-gallery: install ## run the examples that changed and write docs/_generated/gallery.md; two minutes the first time
	$(BIN)/python docs/gallery.py

docs-tutorials: install ## run the tutorials that changed and write their pages and notebooks into docs/_generated/tutorials
	$(BIN)/python docs/tutorials.py

clean: ## remove what was built or cached; .venv, .venv-bench, .venv-lowest and .venv-old-numba stay
	rm -rf out build dist docs/_build docs/_generated .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests docs benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
