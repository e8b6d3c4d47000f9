#!/usr/bin/env bash
# make bundle: a release build as .deb and .rpm, with talariactl, man pages, icons and a menu entry.
# shellcheck source=.make/lib.sh
. "$(dirname "$0")/lib.sh"

require_rust
require_node
require_packages "${BUILD_PACKAGES[@]}"
require_node_modules
build_ui

say "Building the release"
build_release

# What the packages hold beside the app. Sources and places are told here, not in tauri.conf.json: the target folder
# may lie anywhere.
say "Packing"
version="$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)"
mkdir -p "$TARGET/package"
staged="$(cd "$TARGET/package" && pwd)"
for page in talaria.1 talariactl.1; do
  # -n: no time and no name inside, so that the same source gives the same file.
  sed "s/@VERSION@/$version/" "src-tauri/package/$page" | gzip -9n >"$staged/$page.gz"
done
files="$(
  cat <<END
{
  "/usr/bin/talariactl": "$RELEASE/talariactl",
  "/usr/lib/talaria/gstreamer-1.0/$PLUGIN": "$RELEASE/$PLUGIN",
  "/usr/share/man/man1/talaria.1.gz": "$staged/talaria.1.gz",
  "/usr/share/man/man1/talariactl.1.gz": "$staged/talariactl.1.gz",
  "/usr/share/metainfo/app.talaria.desktop.metainfo.xml": "package/app.talaria.desktop.metainfo.xml",
  "/usr/share/doc/talaria/copyright": "package/copyright"
}
END
)"
printf '{"bundle":{"linux":{"deb":{"files":%s},"rpm":{"files":%s}}}}\n' "$files" "$files" >"$staged/files.json"
rm -rf "$RELEASE/bundle"
(cd src-tauri && ../ui/node_modules/.bin/tauri bundle --ci --config "$staged/files.json" </dev/null) ||
  stop "The packages were not made."

find "$RELEASE/bundle" -maxdepth 2 \( -name '*.deb' -o -name '*.rpm' \) -printf '%s %p\n' | sort |
  while read -r size package; do
    printf '%s: %s.%s MB\n' "$package" "$((size / 1000000))" "$((size / 100000 % 10))"
  done
