# SPDX-License-Identifier: MIT
# `make play` and `make test` do all set-up themselves: they need Python 3.11+, a C++20 compiler and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TUNING := .venv-tuning
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE := $(BIN)/cmake
NATIVE := CMakeLists.txt pyproject.toml $(shell find cpp -name '*.cpp' -o -name '*.h')

# One recipe at a time: two of them would install into one environment. Each uses all cores itself.
.NOTPARALLEL:
.PHONY: help play page build tuning test test-cpp test-py test-all test-sanitizers check format stubs bench wheel bundle clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 20

play: build  ## build, install, and open a board
	@$(BIN)/tengen play

page: $(VENV)/.built  ## build the page of the browser again (needs Node) after a change in web/
	$(BIN)/python scripts/web_types.py --write
	$(BIN)/python scripts/web_page.py --write

build: $(VENV)/.built  ## build the native core and install the package into .venv

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit("Tengen needs Python 3.11 or newer; this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/.built: $(VENV)/.created $(NATIVE)
	@echo "building the native core (about a minute the first time)"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.tools: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --group test --group check --group learn --group nets cmake ninja
	touch $@

tuning: $(TUNING)/.built  ## a second environment, .venv-tuning, whose `tengen tune` can set the numbers of the search

$(TUNING)/.built: $(NATIVE)
	$(PYTHON) -m venv $(TUNING)
	$(TUNING)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@echo "building the native core for tuning (about a minute the first time)"
	$(TUNING)/bin/python -m pip install --quiet --editable . -C cmake.define.TENGEN_TUNING=ON -C build-dir=build/python-tuning
	touch $@

test: test-cpp test-py  ## everything needed, then the test suite

test-cpp: build/release/.built  ## the C++ tests
	build/release/tests/cpp/tengen_tests
	build/release/tests/cpp/conformance 20000
	build/release/tests/cpp/solver_conformance 500

test-py: $(VENV)/.built $(VENV)/.tools  ## the Python tests
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: build/release/.built $(VENV)/.built $(VENV)/.tools test-sanitizers tuning  ## also what takes long: millions of positions, long fuzzing, sanitizers
	TENGEN_WALKS=1000000 TENGEN_PERFT_BUDGET=1000000000 build/release/tests/cpp/tengen_tests
	build/release/tests/cpp/conformance 2000000
	build/release/tests/cpp/solver_conformance 40000
	$(BIN)/python -m pytest -n $(JOBS)

test-sanitizers: build/debug/.built build/tsan/.built build/tuning/.built  ## the C++ tests under the sanitizers, and in the tuning build
	build/debug/tests/cpp/tengen_tests
	build/debug/tests/cpp/conformance 1000
	build/debug/tests/cpp/solver_conformance 30
	build/tsan/tests/cpp/tengen_tests
	build/tuning/tests/cpp/tengen_tests tunable

build/%/.built: $(VENV)/.tools $(NATIVE) CMakePresets.json $(wildcard tests/cpp/*) $(wildcard benchmarks/*.cpp benchmarks/*.txt)
	$(CMAKE) --preset $* -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja"
	$(CMAKE) --build --preset $* --parallel $(JOBS)
	touch $@

check: $(VENV)/.built $(VENV)/.tools  ## format, lint, types, layering, stubs, bench signature
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/check.py

format: $(VENV)/.tools  ## write all sources in the house's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .
	find cpp tests/cpp benchmarks -name '*.cpp' -o -name '*.h' | xargs $(BIN)/clang-format -i

stubs: $(VENV)/.built $(VENV)/.tools  ## write the type stubs of the native module
	$(BIN)/python scripts/stubs.py --write

bench: build/release/.built $(VENV)/.built  ## measure: patterns, forbidden points, batches, import time
	$(BIN)/python benchmarks/run.py

wheel: $(VENV)/.created  ## a wheel in dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

bundle: $(VENV)/.built $(VENV)/.tools  ## a folder in dist/ that builds and runs where no package can be installed
	$(BIN)/python scripts/bundle.py

clean:  ## remove everything that was built
	rm -rf build dist $(VENV) $(TUNING)
