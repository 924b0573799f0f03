# Two commands on a fresh machine with git, Python >= 3.10 and make:
#   make demo    every built-in policy flies every task
#   make test    the tests
# Everything is installed into .venv below this folder; `make clean` removes all that was made.

PYTHON ?= python3
VENV   ?= .venv
# A range would fetch the newest torch, which is several GB where a GPU build is the default.
TORCH  ?= torch==2.13.0

BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check
CODE = $(wildcard acoe_gym tests examples benchmarks scripts)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check test-rl test-all bench package docs clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 18

demo: $(VENV)/.with-progress ## run every built-in policy over every task; table here, records in demo-records/
	@rm -rf demo-records
	$(BIN)/acoe demo --out demo-records

test: $(VENV)/.with-test ## run the tests (no torch, no slow ones)
	$(BIN)/python -m pytest -n auto -m "not slow and not rl"

check: $(VENV)/.with-dev $(VENV)/.with-test ## lint, format and types
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy

test-rl: $(VENV)-rl/.with-rl ## run the tests that train a policy (installs torch into .venv-rl)
	$(VENV)-rl/bin/python -m pytest -m rl

test-all: $(VENV)/.with-test ## run everything: slow tests, training, all gymnasiums and SDKs, all Pythons found
	$(BIN)/python -m pytest -n auto -m "not rl"
	$(MAKE) test-rl
	sh scripts/test_matrix.sh
	sh scripts/test_openai_versions.sh

bench: $(VENV)/.with-test $(VENV)-inspect/.with-inspect ## measure steps beside Taxi, writes of the batch program, calls of a model's runs beside Inspect
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/bench_batch.py
	$(BIN)/python benchmarks/bench_llm.py --inspect $(VENV)-inspect/bin/python

package: $(VENV)/.with-dev ## build sdist and wheel, install each in a fresh environment and run a task there
	sh scripts/check_package.sh $(BIN)/python

docs: $(VENV)/.with-progress ## write the generated pages again
	$(BIN)/acoe tools --format markdown > docs/tools.md.new
	mv docs/tools.md.new docs/tools.md
	$(BIN)/acoe tasks --search
	$(BIN)/acoe tasks --format markdown > docs/tasks.md.new
	mv docs/tasks.md.new docs/tasks.md

clean: ## remove everything that the other targets made
	rm -rf $(VENV) $(VENV)-rl $(VENV)-inspect .matrix build dist *.egg-info demo-records docs/*.md.new
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say which extra an environment holds, so that a second run starts at once.
$(VENV)/.with-%: setup.cfg pyproject.toml | $(BIN)/python
	@echo "Installing acoe_gym[$*] into $(VENV) ..."
	@$(BIN)/python $(PIP) --editable ".[$*]"
	@touch $@

$(VENV)-rl/.with-rl: setup.cfg pyproject.toml | $(VENV)-rl/bin/python
	@echo "Installing $(TORCH) and acoe_gym[rl,test] into $(VENV)-rl ..."
	@$(VENV)-rl/bin/python $(PIP) $(TORCH)
	@$(VENV)-rl/bin/python $(PIP) --editable ".[rl,test]"
	@touch $@

# A peer to measure beside; it shares no environment with the package.
$(VENV)-inspect/.with-inspect: | $(VENV)-inspect/bin/python
	@echo "Installing inspect-ai into $(VENV)-inspect ..."
	@$(VENV)-inspect/bin/python $(PIP) inspect-ai
	@touch $@

$(VENV)/bin/python $(VENV)-rl/bin/python $(VENV)-inspect/bin/python:
	@sh scripts/make_venv.sh "$(PYTHON)" "$(@:/bin/python=)"
