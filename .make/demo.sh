#!/usr/bin/env bash
# make demo: a profile with the sample sessions and fresh media, then the app on it.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

folder="${1:-$TARGET/demo}"

require_rust
require_node
require_packages "${BUILD_PACKAGES[@]}" "${PLAY_PACKAGES[@]}" "${MEDIA_PACKAGES[@]}"
say "Making the demo profile"
cargo run --quiet -p app-tests --bin demo-profile -- "$folder"
folder="$(cd "$folder" && pwd)"

if ! has_display; then
  say "The demo profile is in $folder"
  say "No display here: TALARIA_HOME=\"$folder/home\" make run-headless opens it inside Xvfb"
  exit 0
fi

require_node_modules
build_ui
build_app
say "The demo profile is in $folder"
TALARIA_HOME="$folder/home" exec "$TARGET/debug/talaria"
