# Everything here stands on ./vantage, which does the set-up. `make` alone says what there is.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
.PHONY: help check format-check lint types collect format test test-slow test-delays test-readers test-models faults bench smoke

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name words; do printf '%-20s %s\n' "$$name" "$$words"; done

check: ## format, lint and type checks, then all tests that are not slow, those of the layers among them
	@./vantage setup test
	@$(MAKE) --no-print-directory -j 2 format-check lint types collect
	@./vantage test

format-check:
	@$(PYTHON) -m ruff format --check --quiet .

lint:
	@$(PYTHON) -m ruff check --quiet .

types:
	@$(PYTHON) -m mypy --no-error-summary

# Beside the types, which take one processor: each process of the tests would compile all modules for itself.
collect:
	@found=$$($(PYTHON) -m pytest -n 0 -q --collect-only -m "not slow") || { printf '%s\n' "$$found" | tail -n 40; exit 1; }

format: ## format and auto-fix
	@./vantage setup test
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

test: ## all tests that are not slow
	@./vantage test

test-slow: ## the slow tests only
	@./vantage test -m slow

test-delays: ## tests with delayed threads, where those that depend on luck fail (ARGS="--delays timers --delay-seed 7 tests/gui")
	@./vantage test -p tests.delays $(ARGS)

test-readers: ## read releases with the tools that they are for, installed in build/readers (ARGS="--torch": those with torch, too)
	@./vantage setup test
	@$(PYTHON) packaging/readers.py build/readers $(ARGS)
	@./vantage test -n 0 -m slow tests/other_tools

test-models: ## tests of local models with torch, llama.cpp and lm-evaluation-harness, installed in build/models
	@./vantage setup test
	@$(PYTHON) packaging/model_packages.py build/models
	@build/models/bin/python -m pytest -q -n 0 -m "slow or not slow" -o faulthandler_timeout=3600 tests/unit/models

faults: ## kill, fill disks and damage files in at most 15 minutes, write build/faults.json (VANTAGE_FAULTS=full: hours)
	@./vantage test -n 0 -m slow tests/faults

bench: ## run the benchmark, print a table and write build/bench.json (ARGS="--only store": a part)
	@./vantage setup
	@OPENBLAS_NUM_THREADS=1 $(PYTHON) -m tests.bench $(ARGS)

smoke: ## open the window offscreen on a demo project and check that a screenshot is written
	@rm -rf build/smoke build/vantage.png
	@VANTAGE_HOME=build/smoke QT_QPA_PLATFORM=offscreen ./vantage
	@test -s build/vantage.png
