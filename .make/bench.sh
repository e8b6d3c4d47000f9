#!/usr/bin/env bash
# make bench: figures of the store. Not part of make test, because times on a shared machine prove nothing.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

require_rust
require_packages build-essential pkg-config
cargo run --release -p app-tests --bin bench-store
