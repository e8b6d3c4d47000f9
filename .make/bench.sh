#!/usr/bin/env bash
# make bench: figures of the store, of media, of the window and of the package. Not part of make test, because times on a shared machine prove nothing.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

require_rust
require_node
require_packages "${BUILD_PACKAGES[@]}" "${PLAY_PACKAGES[@]}" "${HEADLESS_PACKAGES[@]}" "${MEDIA_PACKAGES[@]}" \
  "${TEST_PACKAGES[@]}" "${BENCH_PACKAGES[@]}"
cargo run --release -p app-tests --bin bench-store
# Debian keeps nginx where only root looks.
PATH="$PATH:/usr/sbin" cargo run --release -p app-tests --bin bench-media
# The app as it is shipped; its size is said at the end.
sizes="$(mktemp)"
trap 'rm -f "$sizes"' EXIT
.make/bundle.sh | tee "$sizes"
say "Starting the app"
TALARIA_BIN="$TARGET/release/talaria" cargo run --release -p app-tests --bin bench-window
TALARIA_BIN="$TARGET/release/talaria" cargo run --release -p app-tests --bin bench-player
printf 'package size\n'
grep -E '\.(deb|rpm): ' "$sizes" | sed -E 's|^.*/|  |'
