# Two commands: `make run` serves the app, `make test` checks everything. Both set up .venv themselves.
#   make run PORT=8600 HOST=0.0.0.0     another port; open to the network
#   make run TORCH=cpu                  a torch without CUDA, where pip would fetch several gigabytes of it

PYTHON ?= python3
PORT ?= 8501
HOST ?= localhost
TORCH ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test lint bench clean

run: $(VENV)/run.done
	$(BIN)/glassformer --host $(HOST) --port $(PORT)

test: lint
	$(BIN)/python -m pytest

lint: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.done
	$(BIN)/python tests/bench/latency.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Glassformer needs Python 3.11 or newer; say which with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.done: requirements.lock pyproject.toml | $(VENV)/bin/python
ifeq ($(TORCH),cpu)
	$(PIP) install --index-url https://download.pytorch.org/whl/cpu $$(grep '^torch==' requirements.lock)
endif
	$(PIP) install -r requirements.lock
	$(PIP) install --no-deps --editable .
	touch $@

$(VENV)/test.done: tests/requirements.lock $(VENV)/run.done
	$(PIP) install -r tests/requirements.lock
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache
