# shellcheck shell=bash
# What the front-door scripts share: one-line messages, tool checks, packages by name. Sourced, never run.
# The lists are read by the scripts that source this one.
# shellcheck disable=SC2034

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

NODE_WANTED="20.19, 22.12 or 24 (or newer of these)"
RUST_WANTED="1.95"
# Cargo honours this variable too, so both look in the same place.
TARGET="${CARGO_TARGET_DIR:-target}"
export CARGO_TERM_PROGRESS_WHEN="${CARGO_TERM_PROGRESS_WHEN:-auto}"
if [ "${CI:-}" = true ]; then
  # A clean machine never reuses incremental state; writing it costs time and disk.
  export CARGO_INCREMENTAL=0
fi

# Debian and Ubuntu names. The GStreamer plugins decode what agents produce (mp4, m4a, mkv need bad or libav).
BUILD_PACKAGES=(build-essential pkg-config libwebkit2gtk-4.1-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev)
PLAY_PACKAGES=(gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav)
HEADLESS_PACKAGES=(xvfb)
MEDIA_PACKAGES=(ffmpeg)
# x11-utils: which window lies on top. xdotool: keys for the system's own dialogs. desktop-file-utils and groff: the
# package's menu entry and manual pages.
TEST_PACKAGES=(webkit2gtk-driver xauth x11-utils xdotool desktop-file-utils groff)
# What the listener is measured against, as a process of the bench alone; the package's own service is not used.
BENCH_PACKAGES=(nginx-light)

say() { printf '==> %s\n' "$*"; }

# One line, exit 2: something on this machine has to change before we can go on.
stop() {
  printf 'talaria: %s\n' "$*" >&2
  exit 2
}

require_rust() {
  command -v cargo >/dev/null 2>&1 || stop "Rust is missing. Install it from https://rustup.rs, then run this again."
  local found
  found="$(cargo --version 2>/dev/null | cut -d ' ' -f 2)" ||
    stop "Rust has no toolchain. Run \"rustup default stable\", then run this again."
  version_at_least "$found" "$RUST_WANTED" ||
    stop "Rust $found is too old. Install Rust $RUST_WANTED or newer from https://rustup.rs, then run this again."
}

# What the checks need beside the compiler.
require_rust_tools() {
  if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
    stop "rustfmt or clippy is missing. Run \"rustup component add rustfmt clippy\", then run this again."
  fi
}

# The versions that the packages of the lock file name: 20.19 and later 20, 22.12 and later 22, 24 and later.
require_node() {
  command -v node >/dev/null 2>&1 ||
    stop "Node is missing. Install Node $NODE_WANTED from https://nodejs.org, then run this again."
  local found
  found="$(node --version)"
  found="${found#v}"
  case "${found%%.*}" in
    20) version_at_least "$found" 20.19 ;;
    22) version_at_least "$found" 22.12 ;;
    *) version_at_least "$found" 24.0 ;;
  esac || stop "Node $found does not fit. Install Node $NODE_WANTED from https://nodejs.org, then run this again."
  command -v npm >/dev/null 2>&1 || stop "npm is missing. It comes with Node: install Node $NODE_WANTED again."
}

# version_at_least FOUND WANTED: compares major and minor.
version_at_least() {
  local major minor wanted_major wanted_minor rest
  IFS=. read -r major minor rest <<<"$1"
  IFS=. read -r wanted_major wanted_minor rest <<<"$2"
  [ "$major" -gt "$wanted_major" ] || { [ "$major" -eq "$wanted_major" ] && [ "$minor" -ge "$wanted_minor" ]; }
}

package_is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs what is missing of the named packages; runs nothing when all are there.
require_packages() {
  if [ "${TALARIA_SKIP_PACKAGES:-}" = 1 ]; then
    return
  fi
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    stop "No apt-get here. Install what Debian calls \"$*\", then run this again with TALARIA_SKIP_PACKAGES=1."
  fi
  local missing=() name
  for name in "$@"; do
    package_is_installed "$name" || missing+=("$name")
  done
  if [ "${#missing[@]}" -eq 0 ]; then
    return
  fi
  say "Installing ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
      stop "Packages are missing and there is no sudo. As root, run: apt-get install ${missing[*]}"
    root=(sudo)
    # Without a terminal nobody can type a password: fail instead of waiting.
    [ -t 0 ] || root+=(-n)
  fi
  local log
  log="$(mktemp)"
  # A failed update may still leave usable lists (one dead mirror of several), so only the install decides.
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >"$log" 2>&1 </dev/null || true
  if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    stop "The packages did not install (log: $log). As root, run: apt-get install ${missing[*]}"
  fi
  rm -f "$log"
}

# npm packages, again only when the lock file changed since the last time.
require_node_modules() {
  local stamp=ui/node_modules/.talaria-lock
  if [ -f "$stamp" ] && cmp -s ui/package-lock.json "$stamp"; then
    return
  fi
  say "Installing npm packages"
  (cd ui && npm ci --no-audit --no-fund --loglevel=error </dev/null) ||
    stop "The npm packages did not install. Check the network, then run this again."
  cp ui/package-lock.json "$stamp"
}

# A model server that nobody here wrote, for one test. In a folder of its own, again only when the version here changes.
LITELLM="litellm[proxy]==1.108.7"
require_litellm() {
  local folder="$TARGET/litellm" stamp="$TARGET/litellm/.talaria-version"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$LITELLM" ]; then
    return
  fi
  say "Installing LiteLLM for the tests"
  rm -rf "$folder"
  if ! python3 -m venv "$folder" </dev/null ||
    ! "$folder/bin/pip" install --quiet --disable-pip-version-check --prefer-binary "$LITELLM" </dev/null; then
    stop "LiteLLM did not install. Check the network and that Python is 3.10 or newer, then run this again."
  fi
  printf '%s' "$LITELLM" >"$stamp"
}

build_ui() {
  say "Building the interface"
  (cd ui && npm run --silent build -- --logLevel warn)
}

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }

# Starts Xvfb on a number it picks itself; sets DISPLAY and XVFB_PID. The caller's trap ends it.
start_xvfb() {
  local number
  number="$(mktemp)"
  Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset 3>"$number" >/dev/null 2>&1 &
  XVFB_PID=$!
  local waited=0
  until [ -s "$number" ]; do
    kill -0 "$XVFB_PID" 2>/dev/null || stop "Xvfb did not start. Run \"Xvfb :99\" to see why."
    waited=$((waited + 1))
    [ "$waited" -le 100 ] || stop "Xvfb did not say its display within 10 s."
    sleep 0.1
  done
  DISPLAY=":$(tr -d '[:space:]' <"$number")"
  export DISPLAY
  unset WAYLAND_DISPLAY
  rm -f "$number"
}

# What lets the web view play the media scheme (src-tauri/crates/gst-hermes-media). The app looks for it beside itself.
PLUGIN=libgsthermesmedia.so

# The app and its plugin, as they are developed, in TARGET/debug.
build_app() {
  say "Building the app"
  cargo build -p talaria -p gst-hermes-media
}

# The app, its plugin and talariactl as they are shipped, in RELEASE. No path of this machine gets into them: the compiler writes the
# folders of the sources as short names (flags, because a committed configuration could not know the folders).
build_release() {
  local sources="${CARGO_HOME:-$HOME/.cargo}/registry/src"
  RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$sources=crates ${RUSTFLAGS:-}" \
    CFLAGS="-ffile-prefix-map=$sources=crates ${CFLAGS:-}" \
    cargo build --release -p talaria -p gst-hermes-media -p talariactl --features tauri/custom-protocol
  RELEASE="$(cd "$TARGET/release" && pwd)"
}
