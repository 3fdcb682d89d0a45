# The commands of the project. `make` lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
# The shared yardsticks: golden twins, cases, language probe. Used where they exist.
SHARED ?= ../shared
# What the yardsticks have reached. These numbers only rise.
GOLDEN_MUST := 24
CASES_MUST := 94
# The programs of `make fuzz`.
SEEDS ?= 100000:200000

VENV := .venv
BIN := $(VENV)/bin
RELEASE := build/release
ASAN := build/asan
TIDY := build/tidy
CPP_FILES = $(shell git ls-files -co --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/cpp/*.h' 'tests/cpp/*.cpp')

.PHONY: help demo build test check fuzz clean \
        test-cpp test-python test-shared check-format check-tidy check-python check-sanitizers

help:  ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: build  ## Installs what is missing, builds, and fits the Nile model
	$(BIN)/python examples/nile.py

build: $(RELEASE)/build.ninja  ## Builds the extension into python/tangent
	$(BIN)/cmake --build $(RELEASE) --target _core
	$(BIN)/python -m compileall -q python/tangent  # as an installer does: no process waits for it

test: test-cpp test-shared test-python  ## Runs every test

test-cpp: $(RELEASE)/.tests  ## Runs the C++ tests
	$(BIN)/cmake --build $(RELEASE)
	$(RELEASE)/core_tests --gtest_brief=1

test-python: build  ## Runs the Python tests
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 tests

test-shared: build  ## Runs the shared golden twins, cases and language probe
ifneq ($(wildcard $(SHARED)/golden/check.py),)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python $(SHARED)/golden/check.py --tangent --no-time \
	    --must $(GOLDEN_MUST)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python $(SHARED)/cases/run.py --must $(CASES_MUST) \
	    --fail-on wrong,crash,timeout
	OPENBLAS_NUM_THREADS=1 $(BIN)/python $(SHARED)/probe/language_probe.py \
	    --fail-on wrong,crash,harness --brief
	OPENBLAS_NUM_THREADS=1 $(BIN)/python $(SHARED)/probe/language_probe.py --mode forward \
	    --fail-on wrong,crash,harness --brief
else
	@echo "no shared yardsticks at $(SHARED): left out"
endif

fuzz: build  ## Compares generated programs with the oracle: SEEDS=100000:200000, an hour or two
	cd tests && OPENBLAS_NUM_THREADS=1 ../$(BIN)/python fuzz.py --seeds $(SEEDS)

check: check-format check-python check-sanitizers check-tidy  ## Formats, lints, types, sanitizers

check-format: build/.installed-dev  ## Checks the formatting of C++
	clang-format-19 --dry-run -Werror $(CPP_FILES)

check-python: build/.installed  ## Runs ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/mypy --strict python/tangent

check-sanitizers: $(ASAN)/build.ninja  ## Runs the C++ tests under ASan and UBSan
	$(BIN)/cmake --build $(ASAN)
	$(ASAN)/core_tests --gtest_brief=1

check-tidy: $(TIDY)/build.ninja  ## Runs clang-tidy on what has changed
	$(BIN)/cmake --build $(TIDY) --target rule_index_file
	$(BIN)/python tools/tidy.py $(TIDY) $(TIDY)/stamps

clean:  ## Removes the builds, keeps .venv
	rm -rf build python/tangent/_core*.so

# What is installed, and with what: a stamp per set, renewed when its list changes.

build/.installed: tools/install_packages.sh tools/requirements.txt
	@mkdir -p build
	tools/install_packages.sh build
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r tools/requirements.txt
	$(BIN)/python -c "import pathlib, sysconfig; \
	    pathlib.Path(sysconfig.get_path('purelib'), 'tangent.pth').write_text('$(CURDIR)/python\n')"
	touch $@

build/.installed-dev: build/.installed
	tools/install_packages.sh develop
	touch $@

$(RELEASE)/build.ninja: build/.installed
	$(BIN)/cmake --preset release
	touch $@

$(RELEASE)/.tests: build/.installed-dev $(RELEASE)/build.ninja
	$(BIN)/cmake --preset release -DTANGENT_TESTS=ON
	touch $@

$(ASAN)/build.ninja: build/.installed-dev
	$(BIN)/cmake --preset asan
	touch $@

$(TIDY)/build.ninja: build/.installed-dev
	$(BIN)/cmake --preset tidy
	touch $@
