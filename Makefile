# make demo   set up, run the main job on built-in data
# make test   set up, run all tests but the slow ones
# make check  style, types, layers
# make check-cpp  the same for the kernels: format, warnings of GCC and Clang, clang-tidy
# make bench  us and the peers on the same data, as ratios; with ASPECTRUM_DATA=folder also on TREC Web and MovieLens data there

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SANITIZED = ASPECTRUM_EXAMPLES=0.3 ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	build/sanitized/bin/python -m pytest -q -n auto -p no:cacheprovider -m "not slow and not peers"
KERNELS := $(wildcard src/aspectrum/kernels/*.cpp src/aspectrum/kernels/*.hpp src/aspectrum/kernels/exact/*.hpp)

.PHONY: demo test test-oldest test-peers test-slow check check-cpp format bench sanitize clean

demo: $(VENV)/installed
	$(BIN)/aspectrum demo demo-report.html

test: $(VENV)/tested
	ASPECTRUM_EXAMPLES=$${ASPECTRUM_EXAMPLES:-0.7} $(BIN)/python -m pytest -n auto -m "not slow"

test-slow: $(VENV)/slow-tested
	$(BIN)/python -m pytest -n auto --dist loadgroup -m slow -rP  # which prints the rates that they found

# Readers, outputs, command line, contacts and integrations with the oldest libraries that are allowed, in an environment of their own;
# with few random worlds, of which `make test` has more.
test-oldest: build/oldest/installed
	ASPECTRUM_EXAMPLES=0.2 build/oldest/bin/python -m pytest -q -n auto -p no:cacheprovider -m "not slow and not peers" \
		tests/io tests/nuggets tests/rounds tests/cli tests/contacts tests/ideal tests/integrations/test_cornac*.py tests/integrations/test_ir_measures.py tests/world tests/test_results.py tests/test_config.py tests/coding tests/diagnostics tests/test_plan.py tests/test_partial.py tests/test_merging.py tests/test_arrow_file.py tests/comparison \
		tests/report/test_building.py tests/report/test_page.py tests/report/test_charts.py tests/report/test_saving.py

# Live against recommender libraries, which are installed into an environment of their own: they need an older NumPy.
test-peers: $(VENV)/tested build/peers/installed
	ASPECTRUM_PEERS_PYTHON=$(CURDIR)/build/peers/bin/python $(BIN)/python -m pytest -q tests/peers/test_recommenders.py

check: $(VENV)/checked
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Warnings are errors here and nowhere else: a user's compiler may know more of them.
check-cpp: build/cpp/installed
	build/cpp/bin/clang-format --dry-run --Werror $(KERNELS)
	for compiler in g++ clang++; do \
		build/cpp/bin/cmake -S . -B build/cpp/$$compiler -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/build/cpp/bin/ninja \
			-DCMAKE_CXX_COMPILER=$$compiler -DPython_EXECUTABLE=$(CURDIR)/build/cpp/bin/python \
			-DASPECTRUM_WERROR=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON --log-level=WARNING && \
		build/cpp/bin/cmake --build build/cpp/$$compiler || exit 1; \
	done
	build/cpp/bin/clang-tidy -p build/cpp/clang++ --quiet $(filter %.cpp,$(KERNELS))

format: $(VENV)/checked build/cpp/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	build/cpp/bin/clang-format -i $(KERNELS)

bench: $(VENV)/tested
	$(BIN)/python -m benchmarks

# The kernels with the address and undefined-behaviour sanitizers, in an environment of their own.
sanitize: build/sanitized/installed
	$(SANITIZED) tests/kernels tests/metrics tests/world tests/io
	$(SANITIZED) tests/ideal/test_exact.py -k "(pools or alphas or strengths or counts) and not highs"

$(VENV)/installed: pyproject.toml CMakeLists.txt $(KERNELS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	$(BIN)/python -m pip install --quiet --no-deps freshstack==0.0.6  # whose other parts download data sets
	touch $@

# Cornac's WMF learns by TensorFlow. Spark is large, and no part of the extra `all`.
$(VENV)/slow-tested: $(VENV)/tested
	$(BIN)/python -m pip install --quiet tensorflow-cpu "dask[distributed]"
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	touch $@

# mypy reads the types of what the tests and benchmarks import
$(VENV)/checked: $(VENV)/tested
	$(BIN)/python -m pip install --quiet --editable ".[check]"
	touch $@

# Pinned: another version formats otherwise, or knows more checks.
build/cpp/installed: Makefile
	test -x build/cpp/bin/python || $(PYTHON) -m venv build/cpp
	build/cpp/bin/python -m pip install --quiet --upgrade pip
	build/cpp/bin/python -m pip install --quiet clang-format==23.1.3 clang-tidy==23.1.4 cmake nanobind ninja
	touch $@

build/sanitized/installed: pyproject.toml CMakeLists.txt $(KERNELS)
	$(PYTHON) -m venv build/sanitized
	build/sanitized/bin/python -m pip install --quiet --upgrade pip
	build/sanitized/bin/python -m pip install --quiet duckdb hypothesis networkx pandas polars pyarrow pytest pytest-xdist scipy zstandard
	build/sanitized/bin/python -m pip install --quiet --force-reinstall --no-deps --no-cache-dir \
		--config-settings=build-dir=build/sanitized-objects --config-settings=cmake.define.ASPECTRUM_SANITIZE=ON .
	touch $@

build/oldest/installed: pyproject.toml CMakeLists.txt tests/oldest.txt $(KERNELS)
	$(PYTHON) -m venv build/oldest
	build/oldest/bin/python -m pip install --quiet --upgrade pip
	build/oldest/bin/python -m pip install --quiet --requirement tests/oldest.txt duckdb hypothesis jsonschema pyarrow pyndeval pytest pytest-xdist
	build/oldest/bin/python -m pip install --quiet --force-reinstall --no-deps --no-cache-dir \
		--config-settings=build-dir=build/oldest-objects .
	touch $@

# Pinned to the versions that the conventions name. LensKit imports PyTorch.
build/peers/installed: Makefile
	test -x build/peers/bin/python || $(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --upgrade pip
	build/peers/bin/python -m pip install --quiet "rectools==0.19.*" "replay-rec==0.22.*" "lenskit==2025.8.*" vendi-score==0.0.3 torch==2.13.0
	touch $@

clean:
	rm -rf $(VENV) build demo-report.html
