# Every target sets itself up; `make` alone lists them.

PYTHON ?= python3
VENV := .venv
# The tour needs none of the development tools; where they are installed already, it uses them.
DEMO := $(if $(wildcard $(VENV)/.ready),$(VENV),.venv-demo)
BENCH := .venv-bench
PEERS := opendp pipelinedp smartnoise tumult
AUDITED := numpy diffprivlib pydp opendp tumult
LEARNERS := diffprivlib interpret opacus
PIP := -m pip install -qq --disable-pip-version-check
CODE := src tests benchmarks scripts
TWO := -n 2 --dist worksteal
# Tests wait for Spark, browsers, databases and servers: three processes keep two processors busy.
THREE := -n 3 --dist worksteal

# Modules are compiled once, whatever the shell says: tests start many programs, and each would compile them again.
unexport PYTHONDONTWRITEBYTECODE

# Several tests run at a time: threads of linear algebra would wait for each other, and take the processors meanwhile.
quick test audit-tests audit-faults: export OMP_NUM_THREADS := 1

AUDITS := tests suite fuzzing faults

.DEFAULT_GOAL := help
.PHONY: help demo quick test check docs fuzz audit $(AUDITS:%=audit-%) bench figures reproduce dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(DEMO)/.ready ## a guided walk through a vault, in a minute
	@$(DEMO)/bin/shoal tour

quick: $(VENV)/.ready ## run the quick tests, in a minute and a half: of every test a little, nothing slow
	@$(VENV)/bin/python -m pytest $(TWO) --quick -m "not (audit or slow or spark or browser or postgres)" --durations=10 --durations-min=0.5

test: $(VENV)/.ready ## run every test but the long statistical audits
	@sh scripts/browser.sh
	@sh scripts/java.sh
	@sh scripts/r.sh
	@$(VENV)/bin/python -m pytest $(THREE) -m "not audit"

check: $(VENV)/.ready ## lint, formatting, types and the direction of imports
	@echo "check: lint" && $(VENV)/bin/ruff check -q $(CODE)
	@echo "check: formatting" && $(VENV)/bin/ruff format -q --check $(CODE)
	@echo "check: types" && $(VENV)/bin/mypy --no-error-summary
	@echo "check: architecture" && $(VENV)/bin/python -m pytest tests/test_architecture.py

docs: $(VENV)/.ready ## build the documentation as a site, into site/; a broken link, a missing anchor or a warning fails it
	@$(VENV)/bin/python -m scripts.site

fuzz: $(VENV)/.ready ## look for neighbours that can be told apart, for SECONDS=60, or run the case of one SEED
	@$(VENV)/bin/python -m scripts.fuzzing $(if $(SEED),--seed $(SEED),--seconds $(or $(SECONDS),60)) $(if $(KIND),--kind $(KIND))

audit: $(VENV)/.ready ## the four long audits below, one after the other, in about an hour and a quarter; it fails at the end if one of them did
	@sh scripts/java.sh
	@failed=; for part in $(AUDITS); do \
	  echo "audit: $$part"; began=$$(date +%s); \
	  $(MAKE) --no-print-directory audit-$$part || failed="$$failed $$part"; \
	  echo "audit: $$part took $$(( ($$(date +%s) - began) / 60 )) minutes"; \
	done; test -z "$$failed" || { echo "audit: failed:$$failed"; exit 1; }

audit-tests: $(VENV)/.ready ## the long statistical tests, and the laws on many more examples
	@SHOAL_EXAMPLES=many $(VENV)/bin/python -m pytest $(THREE) -m "audit or law"

audit-suite: $(VENV)/.ready ## the suite over every mechanism and question, into audit-suite.html
	@$(VENV)/bin/shoal audit suite --force --out audit-suite.html

audit-fuzzing: $(VENV)/.ready ## 100,000 fuzzed neighbours
	@$(VENV)/bin/python -m scripts.fuzzing --cases 100000 --processes 2

audit-faults: $(VENV)/.ready ## every planted fault, and whether a test notices it
	@$(VENV)/bin/python -m scripts.mutations

bench: $(BENCH)/.ready $(PEERS:%=.venv-peers/%/.ready) .venv-peers/ldp/.ready $(AUDITED:%=.venv-peers/audit-%/.ready) $(LEARNERS:%=.venv-peers/learning-%/.ready) .venv-peers/tumult-spark/.ready ## measure Shoal beside its peers, into benchmarks/RESULTS.md
	@$(BENCH)/bin/python -m benchmarks.run

figures: $(VENV)/.ready ## draw the pictures of the documentation anew, into docs/figures
	@$(VENV)/bin/python -m scripts.figures
	@$(VENV)/bin/python -m scripts.poll_pictures
	@$(VENV)/bin/python -m scripts.tutorials
	@$(VENV)/bin/python -m scripts.tutorial_pictures

reproduce: $(VENV)/.ready ## run the experiments of the sources again, into reproduced.html
	@$(VENV)/bin/shoal reproduce --force --out reproduced.html

dist: .venv-dist/.ready ## build the wheel and the source archive into dist, and check what is in them
	@rm -rf dist
	@.venv-dist/bin/python -m build --outdir dist . > .venv-dist/build.txt 2>&1 || { cat .venv-dist/build.txt; exit 1; }
	@$(PYTHON) -m scripts.check_dist dist

clean: ## remove everything the other targets made, but benchmarks/RESULTS.md
	@rm -rf $(VENV) .venv-demo .venv-dist $(BENCH) .venv-peers benchmarks/.data build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.ready: pyproject.toml
	@echo "setup: $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python $(PIP) -e ".[dev]"
	@touch $@

.venv-demo/.ready: pyproject.toml
	@echo "setup: Shoal and what it needs, into .venv-demo (half a minute)"
	@$(PYTHON) -m venv .venv-demo
	@.venv-demo/bin/python $(PIP) -e .
	@touch $@

.venv-dist/.ready:
	@echo "setup: .venv-dist"
	@$(PYTHON) -m venv .venv-dist
	@.venv-dist/bin/python $(PIP) build
	@touch $@

$(BENCH)/.ready: pyproject.toml benchmarks/requirements.txt
	@echo "setup: $(BENCH)"
	@$(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python $(PIP) -r benchmarks/requirements.txt
	@touch $@

.venv-peers/ldp/.ready: benchmarks/local/requirements.txt
	@echo "setup: $(@D)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $< 2> $(@D)/problem.txt || echo "setup: the peers of the row local could not be installed; $(@D)/problem.txt says why"
	@touch $@

.venv-peers/audit-%/.ready: benchmarks/peers_audit/requirements/%.txt
	@echo "setup: $(@D)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $< 2> $(@D)/problem.txt || echo "setup: $* could not be installed; $(@D)/problem.txt says why"
	@touch $@

.venv-peers/learning-%/.ready: benchmarks/learning/requirements/%.txt
	@echo "setup: $(@D)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $< 2> $(@D)/problem.txt || echo "setup: $* could not be installed; $(@D)/problem.txt says why"
	@touch $@

# Under Python 3.11 Tumult asks for an older Spark than ours, and works with ours; what it needs is listed, and the package comes without.
.venv-peers/tumult-spark/.ready: benchmarks/spark/requirements.txt benchmarks/spark/tumult.txt
	@echo "setup: $(@D)"
	@$(PYTHON) -m venv $(@D)
	@{ $(@D)/bin/python $(PIP) -r $< && $(@D)/bin/python $(PIP) --no-deps -r benchmarks/spark/tumult.txt; } 2> $(@D)/problem.txt || echo "setup: the peer of the row spark could not be installed; $(@D)/problem.txt says why"
	@touch $@

# Their versions clash, so each peer of the row *questions* has a place of its own; one that cannot be installed is left out.
.venv-peers/%/.ready: benchmarks/questions/requirements/%.txt
	@echo "setup: $(@D)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $< 2> $(@D)/problem.txt || echo "setup: $* could not be installed; $(@D)/problem.txt says why"
	@touch $@
