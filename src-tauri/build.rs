//! Lists the command table for the capabilities, so that windows can be told apart by what they may call.

use talaria_wire::{COMMANDS, DESKTOP_COMMANDS, WINDOW_ATTACH};

fn main() {
    let names: Vec<&'static str> =
        COMMANDS.iter().chain(DESKTOP_COMMANDS).copied().chain([WINDOW_ATTACH]).collect();
    let manifest = tauri_build::AppManifest::new().commands(Vec::leak(names));
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .expect("tauri.conf.json, capabilities and icons are in the tree");
}
