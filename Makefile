# Everything here stands on ./vantage, which does the set-up. `make` alone says what there is.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
.PHONY: help check format-check lint types floors format test test-slow bench smoke

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name words; do printf '%-20s %s\n' "$$name" "$$words"; done

check: ## everything that must hold before a change goes in: format, lint, types, floors, tests
	@./vantage setup test
	@$(MAKE) --no-print-directory format-check lint types floors
	@./vantage test

format-check:
	@$(PYTHON) -m ruff format --check --quiet .

lint:
	@$(PYTHON) -m ruff check --quiet .

types:
	@$(PYTHON) -m mypy --no-error-summary

floors:
	@$(PYTHON) -m pytest -q tests/contracts/test_floors.py

format: ## lay the code out as the house does, and mend what ruff can mend
	@./vantage setup test
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

test: ## every test but the slow ones
	@./vantage test

test-slow: ## the slow tests alone
	@./vantage test -m slow

bench: ## measure, print a table and write build/bench.json (ARGS="--only store": a part)
	@./vantage setup
	@$(PYTHON) -m tests.bench $(ARGS)

smoke: ## open the window without a screen on a demo project of its own, and see that a picture of it comes out
	@rm -rf build/smoke build/vantage.png
	@VANTAGE_HOME=build/smoke QT_QPA_PLATFORM=offscreen ./vantage
	@test -s build/vantage.png
