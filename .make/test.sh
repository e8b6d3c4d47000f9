#!/usr/bin/env bash
# make test: every check, in the order in which failures are cheapest to find. Stops at the first and names it.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

started=$SECONDS

# step NAME COMMAND...: one heading, the command's own output, one line when it fails.
step() {
  local name="$1" code=0 from=$SECONDS
  shift
  say "$name"
  "$@" </dev/null || code=$?
  if [ "$code" -ne 0 ]; then
    printf 'talaria: failed: %s (exit %s)\n' "$name" "$code" >&2
    exit 1
  fi
  printf '    done in %s s\n' "$((SECONDS - from))"
}

in_ui() { (cd ui && "$@"); }

# The committed TypeScript must be what the wire crate exports now: nothing changed, missing or left over.
bindings_are_fresh() {
  local exported code=0
  exported="$(mktemp -d)"
  TS_RS_EXPORT_DIR="$exported" cargo test --workspace --quiet --lib -- export_bindings >"$exported.log" 2>&1 || code=$?
  if [ "$code" -ne 0 ]; then
    cat "$exported.log" >&2
  elif ! diff -r "$exported" ui/src/ipc/generated; then
    echo "The bindings in ui/src/ipc/generated are stale. Run \"cargo test -p talaria-wire\" and commit what changed." >&2
    code=1
  fi
  rm -rf "$exported" "$exported.log"
  return "$code"
}

# Exports have their own step: here, many processes would write the same files at once.
rust_tests() {
  if has_nextest; then
    cargo nextest run --workspace -E 'not binary(desktop) and not binary(package) and not test(export_bindings)'
  else
    # One at a time: some measure their own process, which nextest gives each of them alone.
    cargo test --workspace --lib --bins --test integration --test command_line -- --skip export_bindings \
      --test-threads=1
  fi
}

# Each test starts its own display, driver and app.
desktop_tests() {
  if has_nextest; then
    cargo nextest run --workspace -E 'binary(desktop)'
  else
    cargo test --workspace --test desktop -- --test-threads=1
  fi
}

# The package that the step before has made.
package_tests() {
  if has_nextest; then
    cargo nextest run --workspace --no-capture -E 'binary(package)'
  else
    cargo test --workspace --test package -- --test-threads=1 --nocapture
  fi
}

has_nextest() { cargo nextest --version >/dev/null 2>&1; }

require_rust
require_rust_tools
require_node
require_packages "${BUILD_PACKAGES[@]}" "${PLAY_PACKAGES[@]}" "${HEADLESS_PACKAGES[@]}" "${MEDIA_PACKAGES[@]}" \
  "${TEST_PACKAGES[@]}"
require_node_modules
require_litellm

step "Rust format" cargo fmt --all --check
step "UI format" in_ui npm run --silent format:check
step "UI types" in_ui npm run --silent check
step "UI unit tests" in_ui npm run --silent test
# The shell embeds ui/dist while it compiles, so the interface comes before any Rust build.
step "UI build" in_ui npm run --silent build -- --logLevel warn
step "Clippy" cargo clippy --workspace --all-targets -- -D warnings
# One feature set for all that follows (always --workspace), so that nothing is compiled twice.
step "Rust build" cargo build --workspace --all-targets
step "Generated bindings" bindings_are_fresh
step "Rust tests" rust_tests
step "Range table" "$TARGET/debug/range-cases" tests/fixtures/range-cases.json
step "Desktop tests" desktop_tests
step "Package" .make/bundle.sh
step "Package tests" package_tests

say "All checks passed in $(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s"
