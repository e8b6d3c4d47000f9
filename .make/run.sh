#!/usr/bin/env bash
# make run, make run-headless: install what is missing, build, open the app.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

headless=false
if [ "${1:-}" = --headless ]; then
  headless=true
  shift
elif ! has_display; then
  stop "No display here (DISPLAY and WAYLAND_DISPLAY are empty). Use \"make run-headless\" to run inside Xvfb."
fi

require_rust
require_node
packages=("${BUILD_PACKAGES[@]}" "${PLAY_PACKAGES[@]}")
if $headless; then
  packages+=("${HEADLESS_PACKAGES[@]}")
fi
require_packages "${packages[@]}"
require_node_modules
build_ui
build_app

if ! $headless; then
  say "Opening Talaria"
  exec "$TARGET/debug/talaria" "$@"
fi

XVFB_PID=
app=
# shellcheck disable=SC2317 # called by the trap
# INT and TERM end this script through EXIT, so the display never outlives it.
finish() {
  # The app closes its store before its display goes.
  if [ -n "$app" ] && kill "$app" 2>/dev/null; then wait "$app" || true; fi
  [ -z "$XVFB_PID" ] || kill "$XVFB_PID" 2>/dev/null || true
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start_xvfb
say "Talaria runs on display $DISPLAY; Ctrl-C ends it"
"$TARGET/debug/talaria" "$@" &
app=$!
code=0
wait "$app" || code=$?
app=
exit "$code"
