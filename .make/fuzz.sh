#!/usr/bin/env bash
# make fuzz: the parsers of hostile text under cargo-fuzz, each for FUZZ_SECONDS (60). Not part of make test, which gives
# them 20,000 inputs each; this looks on from the same kept corpus.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

FUZZ_SECONDS="${FUZZ_SECONDS:-60}"
[[ "$FUZZ_SECONDS" =~ ^[1-9][0-9]*$ ]] || stop "FUZZ_SECONDS is \"$FUZZ_SECONDS\". Give whole seconds, as in FUZZ_SECONDS=600."

require_rust
require_packages "${BUILD_PACKAGES[@]}"
cargo fuzz --version >/dev/null 2>&1 ||
  stop "cargo-fuzz is missing. Run \"cargo install cargo-fuzz\", then run this again."

# Stable is enough: no sanitizer is used (these parsers have no unsafe code), only the fuzzer's own counters.
export RUSTC_BOOTSTRAP=1
mkdir -p "$TARGET/fuzz"
made="$(cd "$TARGET/fuzz" && pwd)"
fuzz=(--fuzz-dir tests/fuzz --target-dir "$made" -s none)

say "Building the fuzzers"
cargo fuzz build "${fuzz[@]}"

broken=()
for target in $(cargo fuzz list --fuzz-dir tests/fuzz); do
  say "Fuzzing $target for $FUZZ_SECONDS s"
  mkdir -p "$made/corpus/$target" "$made/found"
  log="$made/$target.log"
  # New inputs go to the first folder; the kept ones are read from the second.
  if cargo fuzz run "${fuzz[@]}" "$target" "$made/corpus/$target" "tests/fixtures/corpus/$target" -- \
    -max_total_time="$FUZZ_SECONDS" -max_len=4096 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$made/found/$target-" >"$log" 2>&1 </dev/null; then
    printf '    %s inputs, nothing found\n' "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  else
    broken+=("$target")
    tail -n 25 "$log" >&2
  fi
done

if [ "${#broken[@]}" -ne 0 ]; then
  printf 'talaria: broken: %s. The inputs are in %s. Keep each in tests/fixtures/corpus under its parser.\n' \
    "${broken[*]}" "$made/found" >&2
  exit 1
fi
