//! The desktop binary: everything is in the library.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() {
    talaria_lib::run();
}
