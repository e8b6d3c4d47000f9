# Talaria's front door. Each target installs what it misses, says what it does, and stops at the first failure.
.DEFAULT_GOAL := help
.PHONY: help run run-headless test demo bench

help: ## what there is
	@echo "make run           build and open the app (installs missing packages on Debian and Ubuntu)"
	@echo "make run-headless  the same on a machine without a display, inside Xvfb"
	@echo "make test          every check: format, lint, types, unit, integration, desktop"
	@echo "make demo          a ready profile with sessions, sound, video and a picture; DIR=folder to choose where"
	@echo "make bench         times of list, search and transcript at 100, 10,000 and 100,000 sessions"

run:
	@.make/run.sh

run-headless:
	@.make/run.sh --headless

test:
	@.make/test.sh

demo:
	@.make/demo.sh $(if $(DIR),"$(DIR)")

bench:
	@.make/bench.sh
