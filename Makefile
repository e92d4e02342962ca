# Two commands are enough on a fresh machine: `make demo` and `make test`. Each does its whole set-up.

VENV ?= .venv
BIN := $(VENV)/bin
FAST := -m "not slow and not claude and not browser"

.DEFAULT_GOAL := help
.PHONY: help install demo test fast check format bench crash claude-contract lock clean

help: ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

install: $(VENV)/.installed ## make .venv with everything, exactly as locked; a second call is instant

$(VENV)/.installed: requirements.lock pyproject.toml
	@echo "Setting up $(VENV): about $$(grep -c == requirements.lock) packages, each checked against the lock. Silent for a minute or more; from the second time on instant."
	@python=$$(.ci/find-python $(PYTHON_CHOICE)) && "$$python" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: install ## a local Slack, the real bot and a sample vault; no account, no login
	@$(BIN)/ringi demo

test: install ## all tests; what this machine lacks is skipped by name, with the line that installs it
	@$(BIN)/pytest -n 2 --dist loadgroup

fast: install ## the tests of single parts: no whole bot, no PostgreSQL, browser or claude binary
	@$(BIN)/pytest -n 2 --dist loadgroup $(FAST)

check: install ## format, lint, strict types, import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache 

format: install ## let ruff put the code in order
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

bench: install ## the figures of docs/benchmarks.md, as ratios measured in one run
	@$(BIN)/python -m bench

N ?= 20
DB ?= sqlite
crash: install ## kill the real bot twice in each of N=20 runs, on DB=sqlite or postgres; a second call goes on where one was stopped
	@$(BIN)/python tests/crash/kills.py --random $(N) --database $(DB) --state .crash.$(DB).jsonl

CLAUDE ?= claude
claude-contract: install ## what ringi relies on in Claude Code, tried on CLAUDE=/path; no network, no login
	@RINGI_CLAUDE="$(CLAUDE)" $(BIN)/ringi doctor --contract

lock: install ## renew requirements.lock (needs uv)
	@uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --upgrade --group dev --extra postgres pyproject.toml -o requirements.lock

clean: ## remove what the other commands made
	@rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
