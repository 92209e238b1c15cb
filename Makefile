# Everything that is done to this project, by name. `make` alone lists it.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PIP_AUDIT := .venv/audit/bin/pip-audit
# One worker more than cores: tests wait for servers, for browsers and for each other.
PARALLEL := --numprocesses=$(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist=worksteal
# The tests of a file share servers or an installation that take long to set up: one worker runs them.
BY_FILE = $(PARALLEL:%worksteal=%loadfile)
# So many workers for tests that wait for most of their time.
WAITING = $(patsubst --numprocesses=%,--numprocesses=$(1),$(2))

# Python keeps what it has compiled, whatever the environment says: else each run compiles all tests anew.
unexport PYTHONDONTWRITEBYTECODE
# Tests keep their databases in memory where there is room (2 GiB): a tenth of their time is the disk's.
IN_MEMORY := $(shell [ "$$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 2097152 ] 2>/dev/null && echo TMPDIR=/dev/shm)

# Not in the environment, where tests that run pytest themselves would take them too.
PYTEST_OPTIONS :=
PYTEST = $(BIN)/python -m pytest $(PYTEST_OPTIONS)

.DEFAULT_GOAL := help
.PHONY: help run test test-browser test-browser-all test-pages test-all test-long test-cluster test-siege test-real test-real-all test-clients test-installed test-postgres check format bench siege kill cluster fuzz mutants golden clients screenshots lighthouse lock dist sbom audit docs clean

help: ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST)

run: .venv/run.stamp ## install, migrate, serve, and say where to open it
	@exec $(BIN)/blogsvc serve

test: .venv/dev.stamp ## install, and run the default suite
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) -m 'not exhaustive' --ignore=tests/browser

test-browser: .venv/dev.stamp .venv/browser.stamp ## test the pages in headless Chromium
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) -m 'not exhaustive' tests/browser

test-pages: .venv/dev.stamp .venv/browser.stamp ## look at every page and dialog, of which test-browser looks at one of four
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) -m exhaustive tests/browser

test-browser-all: .venv/dev.stamp .venv/browser.stamp ## the same with every state of a page in each width and color scheme
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) --all-views tests/browser

test-all: .venv/dev.stamp ## run the exhaustive tests: whole matrices, kills, fuzzing, fifty clients at once
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) -m 'exhaustive and not long' --ignore=tests/browser --ignore=tests/siege/test_siege.py --ignore=tests/cluster

test-cluster: .venv/dev.stamp ## several processes on one PostgreSQL, with brokers and S3, killed and cut off for a short time
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) -m 'exhaustive and not long' tests/cluster

test-long: .venv/dev.stamp ## run every text that is slow to render, convert or compare
	$(IN_MEMORY) $(PYTEST) $(PARALLEL) -m long

test-siege: .venv/dev.stamp ## attack the server for a short time, without figures
	$(IN_MEMORY) $(PYTEST) -m exhaustive tests/siege/test_siege.py  # alone: it takes the whole machine

test-real: .venv/dev.stamp ## the connectors against real servers, which it installs from npm and PyPI
	$(PYTEST) $(call WAITING,4,$(BY_FILE)) --real -m 'not exhaustive' tests/real

test-real-all: .venv/dev.stamp ## the same with every case of the long stories, such as every article on every server
	$(PYTEST) $(BY_FILE) --real tests/real

test-clients: .venv/dev.stamp .venv/clients.stamp ## the client libraries, each in its language, against a real server
	$(PYTEST) $(call WAITING,6,$(PARALLEL)) --clients tests/clients

test-installed: .venv/deploy.stamp ## the built wheel in an empty environment, the container image and the deployment examples
	$(PIP) install uv
	$(PYTEST) $(BY_FILE) --installed tests/installed

test-postgres: .venv/dev.stamp .venv/browser.stamp ## run the whole suite on the PostgreSQL that TEST_POSTGRES_URL names
	$(PYTEST) $(PARALLEL) --database=postgres --ignore=tests/browser
	$(PYTEST) $(PARALLEL) --database=postgres tests/browser  # apart: it leaves event loops behind

check: .venv/dev.stamp node_modules/.stamp ## check format, lint and types, and test the scripts in Node.js
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	npm run --silent check

format: .venv/dev.stamp node_modules/.stamp ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	npm run --silent format

bench: .venv/dev.stamp ## measure speed, as ratios within one run
	$(BIN)/python -m tests.bench

siege: .venv/dev.stamp ## attack the server, and measure what other clients notice of it
	$(BIN)/python -m tests.siege

kill: .venv/dev.stamp ## kill the server 1,000 times and see that nothing is lost, doubled or untrue
	$(BIN)/python -m tests.kill --rounds 1000 --real-holds 10

cluster: .venv/dev.stamp ## the same with a cluster: 1,000 rounds of killing its processes, brokers and database
	$(BIN)/python -m tests.cluster --rounds 1000

fuzz: .venv/dev.stamp ## send 100,000 requests that the API document allows or forbids
	$(BIN)/python -m tests.fuzz --requests 100000

mutants: .venv/dev.stamp ## put faults into a copy of the code, and check that the tests detect each
	$(IN_MEMORY) $(BIN)/python -m tests.mutants

golden: .venv/dev.stamp ## update what the tests of tests/fidelity expect every connector to send
	$(BIN)/python -m tests.fidelity

clients: .venv/dev.stamp ## write what the client libraries take from the OpenAPI document
	$(BIN)/python -m clients.generator

docs: .venv/dev.stamp ## write docs/ anew from the code
	$(BIN)/python -m docs

screenshots: .venv/dev.stamp .venv/browser.stamp ## take the screenshots of the README and the docs
	$(BIN)/python -m tests.browser.screenshots

lighthouse: .venv/dev.stamp .venv/browser.stamp ## run Lighthouse on the pages
	$(BIN)/python -m tests.browser.lighthouse

lock: .venv/dev.stamp ## choose the newest versions that pyproject.toml allows, and lock them by hash
	$(PIP) install uv
	$(BIN)/uv pip compile $(LOCK) pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile $(LOCK) pyproject.toml --extra postgres --extra cluster --group trial -o requirements-cluster.lock
	$(BIN)/uv pip compile $(LOCK) --group pyproject.toml:build -o requirements-build.lock
	$(BIN)/uv pip compile $(LOCK) --group pyproject.toml:deploy -o requirements-deploy.lock
	$(BIN)/uv pip compile $(LOCK) --group pyproject.toml:audit -o requirements-audit.lock
	$(BIN)/uv pip compile $(LOCK) --group pyproject.toml:openapi -o requirements-openapi.lock
	$(BIN)/uv pip compile $(LOCK) pyproject.toml --all-extras --group build --group trial --group dev -o requirements-dev.lock
LOCK := --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate

dist: .venv/dev.stamp ## build the source distribution and the wheel into dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist

sbom: .venv/audit.stamp ## write what an installation consists of, with licences, to dist/sbom.cdx.json (CycloneDX)
	@rm -rf .venv/sbom && $(PYTHON) -m venv .venv/sbom
	@$(PIP) --python .venv/sbom/bin/python install --require-hashes --no-deps -r requirements.lock
	@$(PIP) --python .venv/sbom/bin/python uninstall --yes pip setuptools
	@mkdir -p dist
	.venv/audit/bin/cyclonedx-py environment .venv/sbom/bin/python --pyproject pyproject.toml --mc-type application \
	  --gather-license-texts --output-reproducible --output-format JSON --output-file dist/sbom.cdx.json

audit: .venv/audit.stamp ## look for known vulnerabilities of the dependencies; says so if it cannot
	@if found=$$($(PIP_AUDIT) --strict --require-hashes --disable-pip --format json -r requirements.lock); then \
	  echo 'No known vulnerabilities.'; \
	elif [ -n "$$found" ]; then \
	  echo "$$found"; echo 'There are known vulnerabilities: see "vulns" above, and docs/asvs.md for the times.' >&2; exit 1; \
	else \
	  echo 'Nothing was audited: the vulnerability database of PyPI could not be reached. Try again with network access.' >&2; \
	  exit 2; \
	fi

clean: ## remove what was installed, not the instance
	rm -rf .venv node_modules

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed; name it: make PYTHON=python3.11 ...'; exit 1; }
	$(PYTHON) -m venv .venv

.venv/run.stamp: requirements.lock requirements-build.lock pyproject.toml | .venv/bin/python
	@echo 'Installing dependencies (first run only) ...'
	@$(PIP) install --require-hashes --no-deps -r requirements.lock -r requirements-build.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/browser.stamp: tests/browser/install | .venv/bin/python
	@tests/browser/install
	@touch $@

.venv/clients.stamp: clients/install tests/clients/openapi/package-lock.json requirements-openapi.lock | .venv/bin/python
	@clients/install
	@touch $@

node_modules/.stamp: tests/js/install package.json package-lock.json .npmrc
	@tests/js/install
	@touch $@

.venv/audit.stamp: requirements-audit.lock | .venv/bin/python
	@rm -rf .venv/audit && $(PYTHON) -m venv .venv/audit
	@$(PIP) --python .venv/audit/bin/python install --require-hashes --no-deps -r requirements-audit.lock
	@touch $@

.venv/cluster.stamp: requirements-cluster.lock .venv/run.stamp
	@$(PIP) install --require-hashes --no-deps -r requirements-cluster.lock
	@touch $@

.venv/deploy.stamp: requirements-deploy.lock .venv/dev.stamp
	@$(PIP) install --require-hashes --no-deps -r requirements-deploy.lock
	@touch $@

.venv/dev.stamp: requirements-dev.lock .venv/run.stamp
	@$(PIP) install --require-hashes --no-deps -r requirements-dev.lock
	@touch $@
