# make demo    the broker at work on sample data; needs Python 3.11 or later, no Java
# make check   linters, types and the quick tests on DuckDB, without Java: for every change
# make test    linters, types and tests on both engines; installs a Java runtime if there is none
# make bench   the benchmarks in a small size: tables, build/bench/results.json and plots
# make wheel   dist/xpubsub-*.whl        make clean

VENV := .venv
RUN := $(VENV)/bin
PIP := $(RUN)/python -m pip --disable-pip-version-check
# modules are compiled when they are first imported: most never are
INSTALL := $(PIP) install --quiet --no-compile --constraint requirements/constraints.txt
# beside mypy, the modules of the tests are compiled, once instead of by each process of tests
LINT := $(RUN)/ruff check . && { $(RUN)/pytest --collect-only -qq >/dev/null & \
	$(RUN)/mypy --strict xpubsub $(wildcard benchmarks/*.py); } && wait
DECLARED := setup.cfg pyproject.toml requirements/constraints.txt

unexport PYTHONDONTWRITEBYTECODE  # the tests start some hundred processes: each would compile the package again

.PHONY: demo check test bench wheel clean

demo: $(VENV)/.installed
	$(RUN)/xpubsub demo

check: $(VENV)/.installed-test
	$(LINT)
	$(RUN)/pytest -n 3 --dist loadscope --no-loadscope-reorder -q -m "not spark and not slow"

test: $(VENV)/.installed-test
	@home=$$(bash tools/java.sh) && export JAVA_HOME="$$home" && set -x && \
	$(LINT) && \
	$(RUN)/pytest -n 4 --dist loadscope --no-loadscope-reorder

bench: $(VENV)/.installed-bench
	@home=$$(bash tools/java.sh) && JAVA_HOME="$$home" $(RUN)/python benchmarks/run.py --quick --plots build/bench

wheel: $(VENV)/.installed-test
	$(RUN)/python -m build --wheel --no-isolation

clean:
	rm -rf $(VENV) build dist .demo .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/bin/python:
	bash tools/venv.sh $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(DECLARED)
	$(INSTALL) setuptools wheel
	$(INSTALL) --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/bin/python $(DECLARED)
	$(INSTALL) setuptools wheel
	$(INSTALL) --no-build-isolation --editable '.[test]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-bench: $(VENV)/.installed-test
	$(INSTALL) --no-build-isolation --editable '.[test,bench]'
	@touch $@
