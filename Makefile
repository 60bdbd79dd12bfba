# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
#
# Every target sets up what is missing first: see .ci/set_up.
RUN := .ci/run_in_env
# Tests of four files at a time on two cores: those with processes mostly wait. Every worker imports
# all files, and would rewrite their asserts, which takes longer.
SIDE_BY_SIDE := -n 4 --dist loadfile --no-loadscope-reorder --assert=plain --showlocals

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-sea demo-soft gallery test-fast test test-all bench bench-node soak accuracy \
	verification lint docs wheels clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo 'PYTHON=/path/to/python3 chooses the interpreter (3.10 to 3.13); see docs/installation.md'

setup: ## make the environment in .venv: ROS 2, libraries, interfaces, this package
	@.ci/set_up

demo: setup ## run the main job: trajectory in, efforts and their derivatives out, over ROS 2
	@$(RUN) python -m screw_dynamics.demo

demo-sea: setup ## arms with springs: out of the data sheet, identified, learned from repeats
	@$(RUN) python -m screw_dynamics.demo sea

demo-soft: setup ## simulations of soft and hybrid robots, with figures (ARGS='--short')
	@$(RUN) python -m screw_dynamics.demo soft $(ARGS)

gallery: setup ## draw the figures of docs/gallery
	@PYTHONPATH=examples $(RUN) python -m gallery

# a test that hangs ends with the stacks of its threads: --timeout, seconds of a test
test-fast: setup ## run the tests of library and nodes that start no processes
	@$(RUN) python -m pytest -q -m 'not long and not processes' -n auto --dist worksteal --timeout 120 $(PYTEST_ARGS)

test: setup ## run the tests (PYTEST_ARGS=... is passed on)
	@$(RUN) python -m pytest -q $(SIDE_BY_SIDE) --timeout 600 $(PYTEST_ARGS)

test-all: setup ## run the tests, the long ones too
	@HYPOTHESIS_PROFILE=thorough $(RUN) python -m pytest -q -m '' $(SIDE_BY_SIDE) --timeout 3600 $(PYTEST_ARGS)

bench: setup ## measure speed and compare with other libraries
	@$(RUN) python -m benchmarks speed

bench-node: setup ## measure rate, jitter and cost of the feedforward node (ARGS='--seconds 10')
	@$(RUN) python -W ignore -m benchmarks node $(ARGS)

soak: setup ## watch the memory of the nodes for half an hour (ARGS='--minutes 5')
	@$(RUN) python -W ignore -m benchmarks soak $(ARGS)

accuracy: setup ## compare all robots of the robot packages with independent references
	@$(RUN) python -m benchmarks accuracy $(ARGS)

verification: setup ## judge every algorithm by 60-digit arithmetic and measure its cost
	@$(RUN) python -m benchmarks verification $(ARGS)

lint: setup ## check style, imports, types, the changelog and the size of rooms
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@$(RUN) lint-imports
	@$(RUN) mypy
	@.ci/changelog
	@$(RUN) python -m benchmarks.size --check

# without ROS 2, whose executables are not for every environment
wheels: ## build a wheel with the extension module for this Python and platform into dist/
	@rm -rf build/lib* dist
	@env -u AMENT_PREFIX_PATH SCREW_DYNAMICS_EXTENSION=1 $(or $(PYTHON),python3) -m pip wheel -q --no-deps -w dist .
	@ls dist/*

# an environment of its own, without ROS 2
DOCS := .venv-docs

docs: $(DOCS)/installed ## build the documentation into docs/_build/html
	@echo '  pages; the tutorials are run, which takes minutes'
	@rm -rf docs/api/generated
	@PATH="$(CURDIR)/$(DOCS)/bin:$$PATH" sphinx-build -E -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo 'written: docs/_build/html/index.html'

$(DOCS)/installed: setup.py
	@echo '  environment in $(DOCS), with its own kernels (once; minutes)'
	@$(or $(PYTHON),python3) -m venv $(DOCS)
	@$(DOCS)/bin/python -m pip install -q -e '.[docs]'
	@touch $@

clean: ## remove the environment and everything built or cached
	rm -rf .venv $(DOCS) docs/_build docs/api/generated build dist install log output *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
