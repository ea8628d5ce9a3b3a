# SPDX-License-Identifier: MIT
# `make play` and `make test` do all set-up themselves: they need Python 3.11+, a C++20 compiler and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TUNING := .venv-tuning
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE := $(BIN)/cmake
# The program contains the nets and tables.
NATIVE := CMakeLists.txt pyproject.toml $(shell find cpp -name '*.cpp' -o -name '*.h') \
	$(shell find src/tengen/engine/data -type f)
NATIVE_TESTS := $(wildcard tests/cpp/*) $(wildcard benchmarks/*.cpp benchmarks/*.txt)
# One native build serves the Python module, the C++ tests and the benchmarks.
RELEASE := build/release
# The C++ tests on all cores: eighths, because equal numbers of tests do not take equal time.
IN_PARALLEL := seq 0 7 | xargs -P $(JOBS) -I{} ./tengen_tests "" {}/8
# Both conformance programs of a build folder, at the same time: cases of the rules, of the solvers.
conformance = printf '%s\n' "conformance $2" "solver_conformance $3" | xargs -P $(JOBS) -I{} sh -c "$1/tests/cpp/{}"

# One recipe at a time: two of them would install into one environment. Each uses all cores itself.
.NOTPARALLEL:
.PHONY: help play page build tuning test test-cpp test-py test-integration test-all test-sanitizer test-sanitizers \
	check format stubs bench coverage requirements wheel sdist bundle executables linux-x86_64 linux-aarch64 windows \
	clang wasm static gomocup release clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 20

play: build  ## build, install, and open the board in the browser
	@$(BIN)/tengen play

page: $(VENV)/.built  ## rebuild the browser page after a change in web/ (needs Node)
	$(BIN)/python scripts/web_facts.py --write
	$(BIN)/python scripts/web_page.py --write

build: $(VENV)/.built  ## build the native core and install the package into .venv

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit("Tengen needs Python 3.11 or newer; this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

# Build tools live in .venv and not in a temporary build environment, so that one build tree can be
# configured again for the tests without compiling the core twice.
$(VENV)/.cmake: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --group build
	touch $@

$(VENV)/.built: $(VENV)/.cmake $(NATIVE)
	@echo "building the native core (about two minutes the first time)"
	@# Up to 0.1.0 the distribution was named `tengen`.
	@$(BIN)/python -m pip uninstall --quiet --yes tengen 2>/dev/null
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable . -C build-dir=$(RELEASE)
	touch $@

# The second command adds what the file leaves out: torch.
$(VENV)/.tools: $(VENV)/.created pyproject.toml requirements/test.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/test.txt
	$(BIN)/python -m pip install --quiet --group nets
	touch $@

$(RELEASE)/.tests: $(VENV)/.built $(NATIVE_TESTS)
	$(CMAKE) -S . -B $(RELEASE) -DTENGEN_TESTS=ON -DTENGEN_BENCHMARKS=ON
	$(CMAKE) --build $(RELEASE) --parallel $(JOBS)
	touch $@

tuning: $(TUNING)/.built  ## a second environment, .venv-tuning, whose `tengen tune` can set the search parameters

$(TUNING)/.built: $(NATIVE)
	$(PYTHON) -m venv $(TUNING)
	$(TUNING)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(TUNING)/bin/python -m pip uninstall --quiet --yes tengen 2>/dev/null
	@echo "building the native core for tuning (about two minutes the first time)"
	$(TUNING)/bin/python -m pip install --quiet --editable . -C cmake.define.TENGEN_TUNING=ON -C build-dir=build/python-tuning
	touch $@

# The pinned versions first.
test: $(VENV)/.tools test-cpp test-py  ## the tests a contributor runs: all layers, a few minutes

test-cpp: $(RELEASE)/.tests  ## the C++ tests
	cd $(RELEASE)/tests/cpp; $(IN_PARALLEL)
	$(call conformance,$(RELEASE),4000,100)

test-py: $(VENV)/.built $(VENV)/.tools  ## the quick Python tests
	$(BIN)/python -m pytest -n $(JOBS) -m "not integration and not browser and not slow"

# The packages of the page, whose TypeScript some tests run. Without npm these tests are skipped.
web/node_modules/.package-lock.json: web/package-lock.json
	@! command -v npm >/dev/null || (cd web && npm ci --no-audit --no-fund --silent && touch node_modules/.package-lock.json)

test-integration: $(RELEASE)/.tests $(VENV)/.tools web/node_modules/.package-lock.json  ## what is slow for a reason: kills, full disks, training runs, the browser, benchmark scripts
	$(call conformance,$(RELEASE),20000,500)
	$(BIN)/python -m pytest -n $(JOBS) -m "(integration or browser) and not slow"

test-all: test-sanitizers tuning $(RELEASE)/.tests $(VENV)/.tools  ## everything: millions of positions, long fuzzing, all sanitizers (hours)
	TENGEN_WALKS=1000000 TENGEN_PERFT_BUDGET=1000000000 $(RELEASE)/tests/cpp/tengen_tests
	$(call conformance,$(RELEASE),2000000,40000)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

test-sanitizer: build/debug/.built  ## the C++ tests under the address and undefined-behaviour sanitizers
	@# A test asks for more memory than there is.
	export ASAN_OPTIONS=allocator_may_return_null=1 TENGEN_TEST_DIVISOR=10 TENGEN_WALKS=2000 TENGEN_PERFT_BUDGET=20000; cd build/debug/tests/cpp; $(IN_PARALLEL)
	$(call conformance,build/debug,1000,30)

test-sanitizers: test-sanitizer build/tsan/.built build/tuning/.built  ## the same, the thread sanitizer, and the tuning build
	TSAN_OPTIONS=allocator_may_return_null=1 build/tsan/tests/cpp/tengen_tests
	build/tuning/tests/cpp/tengen_tests tunable

build/%/.built: $(VENV)/.cmake CMakePresets.json $(NATIVE) $(NATIVE_TESTS)
	$(CMAKE) --preset $* -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja"
	$(CMAKE) --build --preset $* --parallel $(JOBS)
	touch $@

coverage: build/coverage/.built $(VENV)/.tools  ## line coverage of Python (quick and integration tests) and C++, as text and HTML in build/coverage
	build/coverage/tests/cpp/tengen_tests
	$(BIN)/gcovr --root . --filter cpp/ --exclude cpp/bind/ --gcov-ignore-parse-errors=negative_hits.warn_once_per_file \
		--html-details build/coverage/cpp.html --txt-summary build/coverage
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow" --cov --cov-report=html:build/coverage/python --cov-report=term:skip-covered

check: $(VENV)/.built $(VENV)/.tools  ## format, lint, types, layering, stubs, page, bench signature
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/check.py

format: $(VENV)/.tools  ## format all sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .
	find cpp tests/cpp benchmarks -name '*.cpp' -o -name '*.h' | xargs $(BIN)/clang-format -i

stubs: $(VENV)/.built $(VENV)/.tools  ## write the type stubs of the native module
	$(BIN)/python scripts/stubs.py --write

bench: $(RELEASE)/.tests  ## measure: patterns, forbidden points, batches, import time
	$(BIN)/python benchmarks/run.py

requirements: $(VENV)/.created  ## write requirements/test.txt with the newest versions
	$(BIN)/python -m pip install --quiet --group lock
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/requirements.py

$(VENV)/.wheel: $(VENV)/.cmake pyproject.toml
	$(BIN)/python -m pip install --quiet --group wheel
	touch $@

wheel: $(VENV)/.wheel  ## a wheel for this machine's architecture, in dist/
	$(BIN)/python scripts/release.py wheel

sdist: $(VENV)/.cmake  ## the source distribution, in dist/
	$(BIN)/python scripts/release.py sdist

bundle: $(VENV)/.built $(VENV)/.tools  ## a folder in dist/ that builds and runs where no package can be installed
	$(BIN)/python scripts/bundle.py

# The compilers of each program, best first. A plain g++ compiles for this machine.
HOST := $(shell uname -sm 2>/dev/null | tr ' ' -)
COMPILERS_linux-x86_64 := x86_64-linux-gnu-g++ $(if $(filter Linux-x86_64,$(HOST)),g++)
COMPILERS_linux-aarch64 := aarch64-linux-gnu-g++ $(if $(filter Linux-aarch64,$(HOST)),g++)
COMPILERS_windows := x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++
COMPILERS_clang := clang++ clang++-14
# What Debian calls them.
PACKAGES_linux-x86_64 := g++-x86-64-linux-gnu
PACKAGES_linux-aarch64 := g++-aarch64-linux-gnu
PACKAGES_windows := g++-mingw-w64-x86-64-posix
PACKAGES_clang := clang libc++-dev libc++abi-dev
needed = $1 needs one of: $(COMPILERS_$1) (Debian: apt install $(PACKAGES_$1))
compiler = $(firstword $(foreach name,$(COMPILERS_$1),$(if $(shell command -v $(name) 2>/dev/null),$(name))))
EXECUTABLES := linux-x86_64 linux-aarch64 windows

executables: $(foreach name,$(EXECUTABLES),$(if $(call compiler,$(name)),$(name)))  ## the program in one file for Linux and Windows, as far as the compilers are installed
	@$(if $^,ls -l $(foreach name,$^,build/$(name)/pbrain-tengen$(if $(filter windows,$(name)),.exe)))
	@$(foreach name,$(filter-out $^,$(EXECUTABLES)),echo "left out: $(call needed,$(name))";)

linux-x86_64 linux-aarch64 windows clang: $(VENV)/.cmake
	@$(if $(call compiler,$@),,echo "$(call needed,$@)"; exit 1)
	$(CMAKE) --preset $@ -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja" -DCMAKE_CXX_COMPILER=$(call compiler,$@)
	$(CMAKE) --build --preset $@ --parallel $(JOBS) --target pbrain-tengen

wasm: $(VENV)/.cmake  ## the engine of the page as WebAssembly, also beside the page of `make play` (needs emscripten)
	@command -v emcmake >/dev/null || { echo "wasm needs emscripten (Debian: apt install emscripten)"; exit 1; }
	@# Debian's emscripten finds its JavaScript parser there.
	export NODE_PATH="$${NODE_PATH:-/usr/share/nodejs}"; for preset in wasm wasm-threads; do \
		emcmake $(CMAKE) --preset $$preset -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja" && \
		$(CMAKE) --build --preset $$preset --parallel $(JOBS) --target page-engine || exit 1; done
	$(BIN)/python scripts/static_site.py engine

static: wasm  ## the page with the engine inside, for any web host, in build/static (docs/static.md)
	$(BIN)/python scripts/static_site.py site

gomocup: windows  ## the zip for the Gomocup tournament, in dist/ (needs mingw-w64)
	$(BIN)/python scripts/release.py gomocup

# Refuses before it builds anything.
release: $(VENV)/.wheel  ## all files of a release in dist/: refuses without a changelog entry or with changes
	$(BIN)/python scripts/release.py check
	$(MAKE) $(EXECUTABLES)
	$(BIN)/python scripts/release.py files

clean:  ## remove everything that was built
	rm -rf build dist $(VENV) $(TUNING)
