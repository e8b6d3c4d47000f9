# Talaria's front door. Each target installs what it misses, says what it does, and stops at the first failure.
.DEFAULT_GOAL := help
.PHONY: help run run-headless test fuzz demo bench bundle

help: ## what there is
	@echo "make run           build and open the app (installs missing packages on Debian and Ubuntu)"
	@echo "make run-headless  the same on a machine without a display, inside Xvfb"
	@echo "make test          every check: format, lint, types, unit, integration, desktop"
	@echo "make fuzz          the parsers of hostile text under cargo-fuzz; FUZZ_SECONDS=n for each (60)"
	@echo "make demo          a ready profile with sessions, sound, video and a picture; DIR=folder to choose where"
	@echo "make bench         times of the store, of media and of a start, memory, and the package's size"
	@echo "make bundle        a package to install: .deb and .rpm, in target/release/bundle"

run:
	@.make/run.sh

run-headless:
	@.make/run.sh --headless

test:
	@.make/test.sh

fuzz:
	@.make/fuzz.sh

demo:
	@.make/demo.sh $(if $(DIR),"$(DIR)")

bundle:
	@.make/bundle.sh

bench:
	@.make/bench.sh
